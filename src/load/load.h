/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load.h - a load that disturbs the measurement on purpose: its kind, its CPUs, its intensity.
 *
 * A kind is a file that defines `const struct load_kind load_NAME`, and its name in src/meson.build. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/base/error_text.h"
#include "src/machine/cpus.h"

struct load_worker;

enum {
	LOADS_MAX = 16,      /* that are open at the same time */
	LOAD_TEXT_SIZE = 96, /* of "spinner:0-3,8:50%" */
	LOADS_TEXT_SIZE = 200,
	LOAD_PRIORITY = 50, /* of FIFO loads: that of the kernel's interrupt threads */
};

struct load_kind {
	const char *name, *title; /* "fork", "processes that ..." */
	bool is_fifo;             /* works at FIFO:50, and rests longer */
	bool is_joint;            /* one worker for all CPUs; otherwise each CPU has its own */
	size_t bytes;             /* of memory that a worker takes; 0: little */
	/* In the worker. Return 0, or a negative errno with the worker's reason, which ends the load. NULL:
	 * nothing to begin. */
	int (*begin)(struct load_worker *worker);
	/* One piece of the work, of at most about 1 ms on an idle machine. */
	int (*work)(struct load_worker *worker);
};

extern const struct load_kind *const load_kinds[]; /* ended by NULL */

struct load {
	const struct load_kind *kind;
	struct cpus cpus; /* empty: all that ipctop may use */
	unsigned percent; /* 1..100: the share of the time in which it works */
};

/* Returns the kind of this name, or NULL. */
const struct load_kind *load_kind_named(const char *name);
/* Reads "KIND[:CPUS][:INTENSITY]", such as "fork", "spinner:0-3:50" or "spinner:50%". Returns 0, or -EINVAL
 * with a sentence about the value. */
int load_parse(struct load *load, const char *text, struct error_text *reason);
/* Writes the words that load_parse() reads: "fork:0-3:100%". A list of CPUs that is too long is cut. Returns
 * @text. */
char *load_format(const struct load *load, char text[LOAD_TEXT_SIZE]);
/* Sets the CPUs of a load that names none. Returns 0, or a negative errno with a sentence if it can't be
 * opened: one of its CPUs is not among @allowed, or this process lacks a right to open it, or memory. */
int load_settle(struct load *load, const struct cpus *allowed, struct error_text *reason);
