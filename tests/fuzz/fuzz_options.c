/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_options.c - any argv over any file of options: read, or refused in one sentence; nothing else.
 *
 * The input is argv, a line for each word, then an empty line, then the file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/options/config_file.h"
#include "src/options/options.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "src/report/export.h"
#include "ui/draw/palette.h"

enum { WORDS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool true_one, const char *what)
{
	if (true_one)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

/* Words end at newlines, argv at an empty one or at @end. Returns where the file's text begins. */
static char *split(char *text, char *end, char **argv, int *argc)
{
	while (text < end && *text != '\n' && *argc < WORDS_MAX) {
		char *newline = memchr(text, '\n', (size_t)(end - text));

		argv[(*argc)++] = text;
		text = newline ? newline : end;
		*text = '\0'; /* at the end too: there is one more byte */
		text += text < end;
	}
	argv[*argc] = NULL;
	return text < end ? text + 1 : end;
}

static void check_config(const struct config *config)
{
	require(config->n_probes > 0 && config->n_probes <= CONFIG_PROBES_MAX, "there are mechanisms");
	require(config->pairs ? *config->pairs : config->ring_members > 1, "pairs are named, or a ring is");
	require(config->policy.priority >= 0 && config->policy.priority <= 98,
		"the priority is in its range");
	require(task_policy_is_realtime(config->policy.policy) == (config->policy.priority > 0),
		"policy and priority go together");
	require(config->interval_ns <= UINT64_C(60000000000), "the interval is in its range");
	require(config->interval_ns || !config->distance_ns, "flood has no distance");
	require(config->n_pairs <= PLAN_RINGS_MAX, "the pairs can be counted");
	require(config->tick_ns >= 50000000 && config->refresh_ns >= 100000000, "times are in their ranges");
	require(!config->has_cpus || cpus_count(&config->cpus) > 0, "there are CPUs");
	require(config->render_columns <= 1000 && config->render_lines <= 1000, "the screen has a size");
}

static void check_sentence(const struct error_text *reason)
{
	require(*reason->text && strlen(reason->text) < sizeof(reason->text), "there is a sentence");
	for (const char *at = reason->text; *at; at++)
		require((unsigned char)*at >= ' ' && *at != 0x7f, "the sentence can be printed");
}

static const char *view_name(unsigned i)
{
	return i ? NULL : "overview";
}

static const char *no_tool(unsigned i, const char **purpose)
{
	(void)i;
	*purpose = NULL;
	return NULL;
}

static const char *no_verb(unsigned i, const char **words, const char **purpose)
{
	*words = NULL;
	return no_tool(i, purpose);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct options_names names = {.mechanisms = probe_registry,
		.view = view_name,
		.palette = palette_name,
		.colors = palette_colors_name,
		.export = export_name,
		.column = view_name,
		.sort = view_name,
		.unit = view_name,
		.window = view_name,
		.tool = no_tool,
		.verb = no_verb};
	char name[] = "ipctop", *argv[WORDS_MAX + 2] = {name}, *text = malloc(size + 1);
	struct config_file file = {.name = "fuzz.conf"};
	struct config config;
	struct error_text reason = {""};
	int argc = 1;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	char *rest = split(text, text + size, argv, &argc);

	file.size = (size_t)(text + size - rest);
	file.text = malloc(file.size + 1);
	if (file.text) {
		memcpy(file.text, rest, file.size + 1);
		int r = options_parse(&config, &file, argc, argv, &names, &reason);

		if (r < 0)
			check_sentence(&reason);
		else if (config.action != ACTION_HELP && config.action != ACTION_VERSION)
			check_config(&config);
	}
	config_file_finish(&file);
	free(text);
	return 0;
}
