/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compat.c - one call of a compat tool, and functions that most compat tools need. */
#include "src/compat/compat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/whole_file.h"
#include "src/flight/flight.h"
#include "src/probe/probe.h"
#include "src/run/output.h"

const struct probe *compat_probe(const struct compat *compat, const char *name)
{
	for (const struct probe *const *probe = compat->registry; *probe; probe++)
		if (!strcmp((*probe)->name, name))
			return *probe;
	return NULL;
}

int compat_check_probe(const struct probe *probe, const char *name, struct error_text *reason)
{
	const char *missing = !probe ? "not in this build" : probe->missing ? probe->missing() : NULL;

	return missing ? error_text_set(reason, -ENOTSUP, "%s: %s", name, missing) : 0;
}

int compat_complain(const struct compat *compat, const struct error_text *reason)
{
	fprintf(stderr, "%s: %s\n", compat->tool->name, reason->text);
	return EXIT_FAILURE;
}

int compat_settle_affinity(struct compat *compat, const char *option, struct error_text *reason)
{
	const struct cpus *allowed = &compat->topology.allowed;
	struct config *config = &compat->settings.config;
	char list[64], others[64];

	config->tool.unpinned = !compat->settings.pinned;
	config->has_cpus = cpus_count(&config->cpus) > 0;
	if (!config->has_cpus || cpus_subset(&config->cpus, allowed))
		return 0;
	int r = topology_check_online(&compat->topology, option,
		cpus_format(&config->cpus, list, sizeof(list)), &config->cpus, reason);

	if (r < 0)
		return r;
	return error_text_set(reason, -EINVAL, "%s %s: the CPUs allowed to this process are %s", option,
		cpus_format(&config->cpus, list, sizeof(list)), cpus_format(allowed, others, sizeof(others)));
}

/* --- options --- */

int compat_read(struct compat *compat, int argc, char **argv, struct error_text *reason)
{
	const struct compat_tool *tool = compat->tool;
	struct option_reading reading = {tool->name, tool->options, &compat->settings, reason};
	char shown[OPTION_SHOWN_SIZE];
	int r = option_read_argv(&reading, argc, argv);

	compat->settings.words = reading.words;
	if (r != 0 || tool->takes_words || !*reading.words)
		return r;
	return error_text_set(reason, -EINVAL, "%s: %s takes only options; --help lists them",
		option_shown(*reading.words, shown), tool->name);
}

enum { HELP_LONG = 9, HELP_COLUMN = 27 };

static void print_row(const struct option_row *row, FILE *out)
{
	const char *argument = row->argument ? row->argument : "";
	int used = 0;

	if (row->letter)
		used = fprintf(out,
			!row->argument  ? "-%c%s"
			: row->optional ? "-%c [%s]"
					: "-%c %s",
			row->letter, argument);
	used += fprintf(out, "%*s--%s", used < HELP_LONG ? HELP_LONG - used : 1, "", row->name);
	used += fprintf(out, !row->argument ? "%s" : row->optional ? "[=%s]" : "=%s", argument);
	if (used >= HELP_COLUMN)
		fprintf(out, "\n");
	option_print_help(out, row->help, HELP_COLUMN, used < HELP_COLUMN ? used : 0);
}

void compat_help(const struct compat_tool *tool, FILE *out)
{
	const struct option_row *row;

	fprintf(out,
		"%s of ipctop " IPCTOP_VERSION
		"\nUsage:\n%s <options>%s%s\n\nFunction: %s\n\nAvailable options:\n\n",
		tool->name, tool->name, tool->takes_words ? " " : "",
		tool->takes_words ? tool->takes_words : "", tool->function);
	for (size_t i = 0; (row = option_at(tool->options, i)); i++)
		print_row(row, out);
}

/* --- one call --- */

static int name_mechanism(struct compat *compat, struct error_text *reason)
{
	struct config *config = &compat->settings.config;
	const char *name = compat->tool->mechanism;
	const struct probe *probe = name ? compat_probe(compat, name) : NULL;

	if (probe)
		config->probes[config->n_probes++] = probe;
	return name ? compat_check_probe(probe, name, reason) : 0;
}

static int prepare(struct compat *compat, struct error_text *reason)
{
	const char *json = compat->settings.json, *own = compat->settings.config.json;
	int r = topology_init(&compat->topology, reason);

	if (r == 0 && compat->topology.foreign)
		r = error_text_set(reason, -EINVAL,
			"the topology is another machine's (%s is set): it can't be measured",
			compat->topology.foreign);
	if (r == 0)
		r = compat->tool->settle(compat, reason);
	if (r == 0 && json)
		r = whole_file_check(json, reason);
	if (r == 0 && json && own && whole_file_is(own, json))
		r = error_text_set(
			reason, -EINVAL, "--ipctop-json %s: --json writes there; name another file", own);
	return r == 0 && own ? whole_file_check(own, reason) : r;
}

int compat_main(const struct compat_tool *tool, int argc, char **argv, const struct probe *const *registry)
{
	struct compat compat = {
		.tool = tool, .settings = *tool->defaults, .registry = registry, .argc = argc, .argv = argv};
	struct error_text reason;
	char **words = calloc((size_t)argc + 1, sizeof(*words)); /* getopt reorders them */
	int r = words && process_words_init(&compat.shown, tool->name, argc, argv) == 0
			? name_mechanism(&compat, &reason)
			: error_text_set(&reason, -ENOMEM, "no memory");

	compat.settings.config.tool.words = &compat.shown;
	compat.settings.config.recorder = FLIGHT_OFF; /* its figures are those of the tool */
	if (r == 0) {
		int skipped = compat.shown.tool_word; /* "ipctop pmqtest -q" is "pmqtest -q" */

		memcpy(words, argv, (size_t)argc * sizeof(*words));
		r = compat_read(&compat, argc - skipped, words + skipped, &reason);
	}
	if (r == 0)
		r = prepare(&compat, &reason);
	if (r > 0) {
		compat_help(tool, stdout);
		r = output_flush(&reason) < 0 ? -EIO : 1;
	}
	int status = r < 0 ? compat_complain(&compat, &reason) : r == 0 ? tool->run(&compat) : EXIT_SUCCESS;

	topology_finish(&compat.topology);
	process_words_finish(&compat.shown);
	free(words);
	return status;
}
