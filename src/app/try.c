/* SPDX-License-Identifier: GPL-2.0-or-later */
/* try.c - the verb `try`: a run that turns a knob. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/app/measure.h"
#include "src/app/verb.h"
#include "src/options/config_file.h"
#include "src/options/option.h"
#include "src/options/options.h"
#include "src/plan/config.h"

/* The target of the options. */
struct settings {
	uint64_t for_ns;
	bool keeps, help;
};

/* clang-format off */
static const struct option_row rows[] = {
	{0, "for", "TIME", "how long it may take (default: 2m)", option_read_number,
		OPTION_FIELD(struct settings, for_ns),
		.range = {"the time", OPTION_SECONDS(1), OPTION_SECONDS(86400), value_seconds, "1s to 24h"}},
	{0, "keep", NULL, "keep the new value if it is better", option_read_true,
		OPTION_FIELD(struct settings, keeps)},
	{'h', "help", NULL, "print this help", option_read_true, OPTION_FIELD(struct settings, help), .ends = true},
	{0},
};
/* clang-format on */
static const struct option_row *const options[] = {rows, NULL};

/* Before the options of the run, which may name others: a phase needs ten ticks at least, and a duration of
 * the configuration file is for other runs. */
static char first_options[][16] = {"--tick=0.2", "--duration=0"};

enum { N_FIRST = sizeof(first_options) / sizeof(*first_options) };

static int print_help(void)
{
	puts("ipctop try [OPTION...] KNOB=VALUE [-- OPTION...] - what does a setting do?\n\n"
	     "Measures with the value that is there and with another one, back and forth, and\n"
	     "puts the old one back. After -- are the options of the run. ipctop audit lists\n"
	     "the knobs.\n"
	     "Exit status: 0; 2 if the verdict is worse or mixed; 1 for an error.\n");
	option_print_all(stdout, rows);
	return verb_end_output();
}

/* What a trial decides by itself, or can't do. */
static int check_run(const struct config *config, struct error_text *reason)
{
	const struct {
		bool is_given;
		const char *option;
	} refused[] = {
		{config->action != ACTION_RUN, "it is a run: leave -h, --version, --plan and list out"},
		{config->replay != NULL, "--replay: a recording has no knobs to turn"},
		{config->sweep, "--sweep: it compares CPUs, not phases"},
		{config->hunt, "--hunt: it changes loads between phases"},
		{config->duration_ns > 0, "-D: --for says how long it may take"},
		{config->loops > 0, "-l: a trial ends after its phases"},
		{config->batch_laps > 0, "--batch: percentiles of single laps are compared"},
		{config->render_columns > 0, "--render: it prints a screen in place of the result"},
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (refused[i].is_given)
			return error_text_set(reason, -EINVAL, "try: %s", refused[i].option);
	return 0;
}

static int try_knob(const struct settings *settings, const char *knob, int argc, char **argv,
	const struct options_names *names)
{
	struct config_file file;
	struct config config;
	struct error_text reason;
	int status, r = options_load(&config, &file, argc, argv, names, &reason);

	if (r == 0)
		r = check_run(&config, &reason);
	config.trial = knob;
	config.trial_for_ns = settings->for_ns;
	config.trial_keeps = settings->keeps;
	status = r < 0 ? verb_complain(&reason) : measure_main(&config, &file);
	config_file_finish(&file);
	return status;
}

static int try_main(int argc, char **argv, const struct options_names *names)
{
	struct settings settings = {0};
	struct error_text reason;
	struct option_reading reading = {
		.program = "ipctop try", .tables = options, .target = &settings, .reason = &reason};
	int n = 0;

	if (option_read_argv(&reading, argc - 1, argv + 1) < 0)
		return verb_complain(&reason);
	if (settings.help)
		return print_help();
	while (reading.words[n])
		n++;
	if (!n) {
		error_text_set(&reason, -EINVAL, "try: takes KNOB=VALUE; ipctop try --help has more");
		return verb_complain(&reason);
	}
	char **words = calloc((size_t)n + N_FIRST + 1, sizeof(*words));

	if (!words) {
		error_text_set(&reason, -ENOMEM, "try: no memory for its words");
		return verb_complain(&reason);
	}
	words[0] = argv[0];
	for (size_t i = 0; i < N_FIRST; i++)
		words[1 + i] = first_options[i];
	memcpy(words + 1 + N_FIRST, reading.words + 1, ((size_t)n - 1) * sizeof(*words));
	int status = try_knob(&settings, reading.words[0], n + N_FIRST, words, names);

	free(words);
	return status;
}

static enum complete_more offer_knobs(const struct complete_line *line, FILE *out)
{
	if (!complete_n_words(line))
		verb_offer_knobs(line, out);
	return COMPLETE_NOTHING;
}

const struct verb verb_try = {
	.name = "try",
	.words = "KNOB=VALUE",
	.purpose = "what a setting of this machine does",
	.options = options,
	.has_run = true,
	.main = try_main,
	.complete = offer_knobs,
};
