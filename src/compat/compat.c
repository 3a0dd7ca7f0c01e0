/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compat.c - the front ends, and which of them is asked for. */
#include "src/compat/compat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/whole_file.h"
#include "src/compat/options.h"
#include "src/compat/tools.h"
#include "src/probe/probe.h"
#include "src/report/report_json.h"

const struct compat_tool *const compat_tools[] = {
	&compat_pmqtest,
	&compat_svsematest,
	&compat_ptsematest,
	&compat_sigwaittest,
	&compat_signaltest,
	&compat_lat_ctx,
	&compat_ipc_bench,
	NULL,
};

const char *compat_name(unsigned i, const char **purpose)
{
	const struct compat_tool *tool = compat_tools[i];

	*purpose = tool ? tool->function : NULL;
	return tool ? tool->name : NULL;
}

static const struct compat_tool *find_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	for (const struct compat_tool *const *tool = compat_tools; *tool; tool++)
		if (!strcmp((*tool)->name, slash ? slash + 1 : name))
			return *tool;
	return NULL;
}

const struct compat_tool *compat_find(int argc, char *const *argv)
{
	const struct compat_tool *tool = argc > 0 ? find_name(argv[0]) : NULL;

	return tool || argc < 2 || strchr(argv[1], '/') ? tool : find_name(argv[1]);
}

const struct probe *compat_probe(const struct compat *compat, const char *name)
{
	for (const struct probe *const *probe = compat->registry; *probe; probe++)
		if (!strcmp((*probe)->name, name))
			return *probe;
	return NULL;
}

int compat_complain(const struct compat *compat, const struct error_text *reason)
{
	fprintf(stderr, "%s: %s\n", compat->tool->name, reason->text);
	return EXIT_FAILURE;
}

int compat_settle_affinity(struct compat *compat, const char *option, struct error_text *reason)
{
	const struct compat_settings *settings = &compat->settings;
	const struct cpus *allowed = &compat->topology.allowed;
	struct config *config = &compat->settings.config;
	char list[64], others[64];

	config->tool.unpinned = settings->affinity == COMPAT_UNPINNED;
	config->has_cpus = settings->affinity == COMPAT_LIST;
	if (!config->has_cpus || cpus_subset(&config->cpus, allowed))
		return 0;
	int r = topology_check_online(&compat->topology, option,
		cpus_format(&config->cpus, list, sizeof(list)), &config->cpus, reason);

	if (r < 0)
		return r;
	return error_text_set(reason, -EINVAL, "%s %s: the CPUs allowed to this process are %s", option,
		cpus_format(&config->cpus, list, sizeof(list)), cpus_format(allowed, others, sizeof(others)));
}

static int choose_mechanism(struct compat *compat, struct error_text *reason)
{
	struct config *config = &compat->settings.config;
	const char *name = compat->tool->mechanism;
	const struct probe *probe = name ? compat_probe(compat, name) : NULL;
	const char *missing = probe && probe->missing ? probe->missing() : NULL;

	if (name && (!probe || missing))
		return error_text_set(
			reason, -ENOTSUP, "%s: %s", name, missing ? missing : "not in this build");
	if (probe)
		config->probes[config->n_probes++] = probe;
	return 0;
}

static int check_files(const struct compat_settings *settings, struct error_text *reason)
{
	const char *own = settings->config.json;
	int r = settings->json ? report_json_check(settings->json, reason) : 0;

	if (r == 0 && own && settings->json && report_file_is(own, settings->json))
		r = error_text_set(
			reason, -EINVAL, "--ipctop-json %s: --json writes there; name another file", own);
	return r == 0 && own ? report_json_check(own, reason) : r;
}

static int prepare(struct compat *compat, struct error_text *reason)
{
	int r = topology_init(&compat->topology, reason);

	if (r == 0 && compat->topology.foreign)
		r = error_text_set(reason, -EINVAL,
			"the topology is another machine's (HWLOC_XMLFILE, HWLOC_SYNTHETIC or HWLOC_FSROOT is "
			"set): it can't be measured");
	if (r == 0)
		r = compat->tool->settle(compat, reason);
	return r == 0 ? check_files(&compat->settings, reason) : r;
}

static int print_help(const struct compat *compat)
{
	compat_options_help(compat->tool, stdout);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* getopt reorders them. */
static char **copy_words(int argc, char *const *argv)
{
	char **words = calloc((size_t)argc + 1, sizeof(*words));

	if (words)
		memcpy(words, argv, (size_t)argc * sizeof(*words));
	return words;
}

int compat_main(const struct compat_tool *tool, int argc, char **argv, const struct probe *const *registry)
{
	struct compat compat = {.tool = tool, .registry = registry, .argc = argc, .argv = argv};
	struct error_text reason;
	/* "ipctop pmqtest -q" is "pmqtest -q". */
	int skipped = find_name(argv[0]) ? 0 : 1;
	int r = choose_mechanism(&compat, &reason);

	tool->defaults(&compat);
	char **words = r == 0 ? copy_words(argc, argv) : NULL;

	if (r == 0)
		r = words ? compat_options_read(&compat, argc - skipped, words + skipped, &reason)
			  : error_text_set(&reason, -ENOMEM, "no memory");
	bool helps = r == 0 && compat.settings.help;

	if (r == 0 && !helps)
		r = prepare(&compat, &reason);
	int status = r < 0   ? compat_complain(&compat, &reason)
		     : helps ? print_help(&compat)
			     : tool->run(&compat);

	topology_finish(&compat.topology);
	free(words);
	return status;
}
