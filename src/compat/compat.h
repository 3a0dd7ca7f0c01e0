/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compat.h - compat tools, each of which replaces another tool: it reads that tool's options, runs the
 * engine, and prints that tool's output.
 *
 * A compat tool is a struct compat_tool and a row in meson.build. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/base/process_words.h"
#include "src/machine/topology.h"
#include "src/options/option.h"
#include "src/plan/config.h"

struct compat;
struct compat_rt_output;
struct probe;

/* The target of the tool's options. */
struct compat_settings {
	struct config config;
	const char *json; /* --json, in the tool's format: FILE, "-" or NULL; points into argv */
	bool pinned;      /* -a or --cpus was given: pin to config.cpus, or to all CPUs if that is empty */
	uint64_t threads; /* number of threads or pairs; 0, until settle: one for each usable CPU */
	bool has_threads; /* -t was given */
	bool smp, tcp;    /* -S; ipc-bench's --tcp */
	uint64_t warmup_ns, repetitions; /* lat_ctx's -W and -N */
	char **words;                    /* the words that are no options; ended by NULL */
};

#define COMPAT_FIELD(member) OPTION_FIELD(struct compat_settings, member)
#define COMPAT_HAS(member) .has = offsetof(struct compat_settings, member)

/* The rows of options that all compat tools have. */
#define COMPAT_HELP                                                                                          \
	{                                                                                                    \
		'h', "help", NULL, "print this help", option_read_enum, COMPAT_FIELD(config.action),         \
			.sets = ACTION_HELP, .ends = true                                                    \
	}

enum { COMPAT_TABLES_MAX = 3 };

struct compat_tool {
	const char *name;      /* the command */
	const char *function;  /* its purpose, for --help: "test POSIX message queue latency" */
	const char *mechanism; /* the name of its probe; NULL: its options choose the probe */
	const struct option_row *const options[COMPAT_TABLES_MAX + 1]; /* shared tables first */
	const char *takes_words; /* the words after the options, for --help; NULL: none are allowed */
	const struct compat_settings *defaults;
	/* After the options are read: completes the config, and checks combinations. Returns 0, or a negative
	 * errno with one sentence that names the option, its value and the allowed values. */
	int (*settle)(struct compat *compat, struct error_text *reason);
	/* Measures and prints, errors too. Returns the exit status. */
	int (*run)(const struct compat *compat);
	const struct compat_rt_output *rt; /* of compat_rt_run() */
};

/* One call of a compat tool. */
struct compat {
	const struct compat_tool *tool;
	struct compat_settings settings;
	struct topology topology; /* this machine's; read before settle */
	const struct probe *const *registry;
	struct process_words shown;
	int argc;
	char **argv; /* as given; the tool's JSON repeats it */
};

/* Runs a compat tool. Returns the exit status. */
int compat_main(const struct compat_tool *tool, int argc, char **argv, const struct probe *const *registry);

/* Reads argv, which is reordered, into the settings. Returns 0, 1 if --help was given, or a negative
 * errno with one sentence. */
int compat_read(struct compat *compat, int argc, char **argv, struct error_text *reason);
/* Prints the text of --help. */
void compat_help(const struct compat_tool *tool, FILE *out);
/* Prints the sentence after the tool's name; returns EXIT_FAILURE. */
int compat_complain(const struct compat *compat, const struct error_text *reason);
/* For settle: sets the CPUs of members. @option is the option that names them. Returns 0, or a negative errno
 * with its sentence. */
int compat_settle_affinity(struct compat *compat, const char *option, struct error_text *reason);
/* Returns 0, or -ENOTSUP with a sentence if this build lacks the probe (NULL), or this machine its mechanism.
 */
int compat_check_probe(const struct probe *probe, const char *name, struct error_text *reason);
/* Returns the probe of that name; NULL: none. */
const struct probe *compat_probe(const struct compat *compat, const char *name);
