/* SPDX-License-Identifier: GPL-2.0-or-later */
/* self_test.c - the verb `self-test`: tries on this machine what ipctop relies on. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/app/verb.h"
#include "src/base/text.h"
#include "src/base/whole_file.h"
#include "src/flight/flight.h"
#include "src/machine/topology.h"
#include "src/options/option.h"
#include "src/options/options.h"
#include "src/run/output.h"
#include "src/selftest/selftest.h"

enum { EXIT_FAILED = 2 };

/* The target of the options. */
struct settings {
	bool quick, help;
	const char *json; /* FILE, "-" or NULL */
	const char *recorder;
};

static int read_json(struct option_reading *reading, const char *value)
{
	return option_read_text(reading, value ? value : "-");
}

/* Without a recorder no trouble can be named. */
static const char *recorder_word(const struct options_names *names, unsigned i)
{
	return flight_word(i < FLIGHT_OFF ? i : i + 1);
}

static const struct option_row rows[] = {
	{0, "quick", NULL, "take about 20 s, not a minute", option_read_true,
		OPTION_FIELD(struct settings, quick)},
	{0, "json", "FILE", "print the certificate as JSON, or write it into FILE", read_json,
		OPTION_FIELD(struct settings, json), .optional = true},
	{0, "recorder", "NAME", "what explains the troubles", option_read_text,
		OPTION_FIELD(struct settings, recorder), .value = recorder_word, .after_first = " (default)"},
	{'h', "help", NULL, "print this help", option_read_true, OPTION_FIELD(struct settings, help),
		.ends = true},
	{0},
};
static const struct option_row *const options[] = {rows, NULL};

static int print_help(void)
{
	puts("ipctop self-test [OPTION...] - what ipctop relies on, tried on this machine\n\n"
	     "Measures clock and stamps, inflicts troubles on a pair of its own and checks what\n"
	     "is said about them, and measures the cost of the flight recorder.\n"
	     "Exit status: 0; 2 if something did not hold; 1 if it could not run.\n");
	option_print_all(stdout, rows);
	return verb_end_output();
}

static int find_recorder(const char *name, unsigned *word, struct error_text *reason)
{
	char shown[OPTION_SHOWN_SIZE], words[96] = "";
	const char *known;

	for (*word = 0; flight_word(*word); ++*word)
		if (name ? *word != FLIGHT_OFF && strcmp(name, flight_word(*word)) == 0
			 : *word == FLIGHT_AUTO)
			return 0;
	for (unsigned i = 0; (known = recorder_word(NULL, i)); i++)
		text_append(words, sizeof(words), ", ", known);
	return error_text_set(reason, -EINVAL, "--recorder %s: no such recorder; choose from %s",
		option_shown(name, shown), words);
}

static int write_json(const struct certificate *certificate, const char *path, struct error_text *reason)
{
	struct whole_file file = {0};
	int r = whole_file_open(&file, path, reason);

	if (r < 0)
		return r;
	if (certificate_print_json(file.out, certificate) == 0)
		return whole_file_close(&file, reason);
	whole_file_abandon(&file);
	return error_text_set(reason, -ENOMEM, "no memory for the certificate");
}

static int run_self_test(
	const struct settings *settings, const struct selftest *selftest, struct error_text *reason)
{
	struct certificate certificate = {0};
	int r = selftest_run(selftest, &certificate, reason);

	if (r == -EINTR)
		error_text_set(reason, r, "the self-test was interrupted");
	if (r == 0 && settings->json)
		r = write_json(&certificate, settings->json, reason);
	unsigned n_failed = certificate_count(&certificate).n[OUTCOME_FAILED];

	certificate_finish(&certificate);
	if (r == 0)
		r = output_flush(reason);
	return r < 0 ? verb_complain(reason) : n_failed ? EXIT_FAILED : EXIT_SUCCESS;
}

static int self_test_main(int argc, char **argv, const struct options_names *names)
{
	struct settings settings = {0};
	struct topology topology = {0};
	struct error_text reason;
	struct option_reading reading = {
		.program = "ipctop self-test", .tables = options, .target = &settings, .reason = &reason};
	struct selftest selftest = {.topology = &topology, .registry = names->mechanisms};
	int r = option_read_argv(&reading, argc - 1, argv + 1);

	if (r >= 0 && settings.help)
		return print_help();
	if (r >= 0 && *reading.words)
		r = error_text_set(&reason, -EINVAL,
			"self-test: takes only options; ipctop self-test --help lists them");
	if (r >= 0)
		r = find_recorder(settings.recorder, &selftest.recorder, &reason);
	if (r >= 0 && settings.json)
		r = whole_file_check(settings.json, &reason);
	if (r >= 0)
		r = topology_init(&topology, &reason);
	if (r >= 0 && topology.foreign)
		r = error_text_set(&reason, -EINVAL,
			"the topology is another machine's (%s is set): it can't be measured",
			topology.foreign);
	selftest.is_quick = settings.quick;
	selftest.out = whole_file_is_stdout(settings.json) ? NULL : stdout;
	int status = r < 0 ? verb_complain(&reason) : run_self_test(&settings, &selftest, &reason);

	topology_finish(&topology);
	return status;
}

const struct verb verb_self_test = {
	.name = "self-test",
	.words = "",
	.purpose = "tries on this machine what ipctop relies on",
	.options = options,
	.main = self_test_main,
};
