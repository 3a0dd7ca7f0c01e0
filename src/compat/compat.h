/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compat.h - front ends that stand in for other tools: their options in, a plan for the engine, their output
 * out.
 *
 * A front end is one file with one struct compat_tool; where its name stands is in HACKING.md. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/machine/topology.h"
#include "src/plan/config.h"

struct compat;
struct compat_option;
struct probe;

enum compat_affinity { COMPAT_UNPINNED, COMPAT_ALL_CPUS, COMPAT_LIST };

/* What the tool's options said. What the engine can be told lies in the config from the start. */
struct compat_settings {
	struct config config;
	const char *json; /* --json, in the tool's own layout: FILE, "-" or NULL; argv's. config.json is
			     ipctop's */
	enum compat_affinity affinity;   /* COMPAT_LIST: config.cpus */
	uint64_t threads;                /* or pairs; 0: one for each usable CPU */
	uint64_t warmup_ns, repetitions; /* lat_ctx's -W and -N */
	bool has_threads;                /* they were given */
	bool smp, help, tcp;
	char **words; /* what is no option, ended by NULL; argv's */
};

enum { COMPAT_TABLES_MAX = 4 };

struct compat_tool {
	const char *name;      /* what it is called by */
	const char *function;  /* "test POSIX message queue latency": for --help */
	const char *mechanism; /* of the probe; NULL: its options choose */
	/* Tables of options, each ended by a row without a name; shared ones first. NULL: no more. */
	const struct compat_option *const options[COMPAT_TABLES_MAX];
	const char *takes_words; /* what words that are no options mean, for --help; NULL: there are none */
	const void *own;         /* what its kind of tool needs beside */
	/* Before the options are read: the settings are zero but for the mechanism. */
	void (*defaults)(struct compat *compat);
	/* After: completes the config, and looks whether the options are good together. Returns 0, or a
	 * negative errno with one sentence that names option, value and what is allowed. */
	int (*settle)(struct compat *compat, struct error_text *reason);
	/* Measures and prints. Returns the exit status; what went wrong has been said. */
	int (*run)(const struct compat *compat);
};

/* One call of a front end. */
struct compat {
	const struct compat_tool *tool;
	struct compat_settings settings;
	struct topology topology; /* this machine's; known from settle on */
	const struct probe *const *registry;
	int argc;
	char **argv; /* as it was called: for the tool's JSON */
};

extern const struct compat_tool *const compat_tools[]; /* ended by NULL */

/* The name and the purpose of front end @i; NULL past the last one. */
const char *compat_name(unsigned i, const char **purpose);
/* The front end that is asked for, by what the program is called or by its first word; NULL: none. */
const struct compat_tool *compat_find(int argc, char *const *argv);
/* Returns the exit status. */
int compat_main(const struct compat_tool *tool, int argc, char **argv, const struct probe *const *registry);

/* Prints the sentence as the tool's; returns EXIT_FAILURE. */
int compat_complain(const struct compat *compat, const struct error_text *reason);
/* For settle: what the settings' affinity, as given by @option, is for the config. Returns 0 or a negative
 * errno with its sentence. */
int compat_settle_affinity(struct compat *compat, const char *option, struct error_text *reason);
/* The probe of that name; NULL: none. */
const struct probe *compat_probe(const struct compat *compat, const char *name);
