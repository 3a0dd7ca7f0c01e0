/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.c - compares two phases: of JSON summaries or of recordings. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "src/app/phase_operand.h"
#include "src/app/verb.h"
#include "src/base/values.h"
#include "src/model/comparison.h"
#include "src/options/option.h"
#include "src/options/options.h"
#include "src/report/comparison_json.h"
#include "src/report/comparison_text.h"
#include "src/run/output.h"

enum { EXIT_WORSE = 2, PIPE_COLUMNS = 80 };

/* The target of the options. */
struct settings {
	const char *show;
	bool json, help;
};

static const struct option_row rows[] = {
	{'o', "show", "FIGURE", "first, answer, lap or response (default: that of B)", option_read_text,
		OPTION_FIELD(struct settings, show), .value = options_figure},
	{0, "json", NULL, "print the comparison as JSON", option_read_true,
		OPTION_FIELD(struct settings, json)},
	{'h', "help", NULL, "print this help", option_read_true, OPTION_FIELD(struct settings, help),
		.ends = true},
	{0},
};
static const struct option_row *const options[] = {rows, NULL};

static int find_figure(const char *name, enum figure *figure, struct error_text *reason)
{
	*figure = N_FIGURES;
	for (int i = 0; name && i < N_FIGURES_SHOWN; i++)
		if (strcmp(name, figure_name((enum figure)i)) == 0)
			*figure = (enum figure)i;
	if (!name || *figure < N_FIGURES)
		return 0;
	return error_text_set(
		reason, -EINVAL, "--show %s: no such figure; choose from first, answer, lap, response", name);
}

/* Without --show the figure is the one that B's run showed: A's summary has it, too. */
static int load_both(struct compared_phase *a, struct compared_phase *b, char *const *words, const char *show,
	struct error_text *reason)
{
	enum figure figure;
	int r = find_figure(show, &figure, reason);

	if (r == 0)
		r = phase_operand_load(a, &figure, 1, words[0], reason);
	if (r == 0)
		r = phase_operand_load(b, &figure, 1, words[1], reason);
	if (r < 0 || show || a->matrix || b->matrix)
		return r;
	const char *in_a = compared_phase_fact(a, "options.show"),
		   *in_b = compared_phase_fact(b, "options.show");

	if (!*in_a || !*in_b || strcmp(in_a, in_b) == 0)
		return 0;
	r = find_figure(in_b, &figure, reason);
	compared_phase_finish(a);
	*a = (struct compared_phase){0};
	return r == 0 ? phase_operand_load(a, &figure, 1, words[0], reason) : r;
}

/* Returns the columns of a line of standard output: COLUMNS of the environment, or else the terminal's, or 80
 * where it is none. */
static unsigned terminal_columns(void)
{
	const char *given = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns;

	if (given && value_number(given, &columns) == 0 && columns > 0 && columns <= USHRT_MAX)
		return (unsigned)columns;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : PIPE_COLUMNS;
}

static int compare(const struct compared_phase *a, const struct compared_phase *b,
	const struct settings *settings, struct error_text *reason)
{
	struct comparison comparison;
	int r = comparison_init(&comparison, a, b, reason), status = EXIT_SUCCESS;

	if (r < 0)
		status = verb_complain(reason);
	else if (comparison.summary.verdict == SHIFT_WORSE || comparison.summary.verdict == SHIFT_MIXED)
		status = EXIT_WORSE;
	if (r == 0 && settings->json && comparison_json_print(stdout, &comparison) < 0) {
		error_text_set(reason, -ENOMEM, "no memory to print the comparison");
		status = verb_complain(reason);
	} else if (r == 0 && !settings->json) {
		comparison_print(stdout, &comparison, terminal_columns());
	}
	comparison_finish(&comparison);
	return r == 0 && output_flush(reason) < 0 ? verb_complain(reason) : status;
}

static int print_help(void)
{
	puts("ipctop compare [OPTION...] A B - did B become worse or better than A?\n\n"
	     "A and B are JSON summaries (--json) or recordings: FILE:PHASE is a phase by number or\n"
	     "name, and FILE is its last phase.\n"
	     "Exit status: 0; 2 if the verdict is worse or mixed; 1 if they can't be compared.\n");
	option_print_all(stdout, rows);
	return verb_end_output();
}

static int compare_main(int argc, char **argv, const struct options_names *names)
{
	struct settings settings = {0};
	struct error_text reason;
	struct option_reading reading = {
		.program = "ipctop compare", .tables = options, .target = &settings, .reason = &reason};
	struct compared_phase a = {0}, b = {0};
	int status;

	if (option_read_argv(&reading, argc - 1, argv + 1) < 0)
		return verb_complain(&reason);
	if (settings.help)
		return print_help();
	if (!reading.words[0] || !reading.words[1] || reading.words[2]) {
		error_text_set(&reason, -EINVAL,
			"compare: takes two files, A and B; ipctop compare --help has more");
		return verb_complain(&reason);
	}
	if (load_both(&a, &b, reading.words, settings.show, &reason) < 0)
		status = verb_complain(&reason);
	else if (settings.show && (a.matrix || b.matrix)) {
		error_text_set(&reason, -EINVAL,
			"--show %s: sweeps are compared by all of their figures; leave it out",
			settings.show);
		status = verb_complain(&reason);
	} else
		status = compare(&a, &b, &settings, &reason);
	compared_phase_finish(&a);
	compared_phase_finish(&b);
	return status;
}

static enum complete_more offer_files(const struct complete_line *line, FILE *out)
{
	return COMPLETE_FILES;
}

const struct verb verb_compare = {
	.name = "compare",
	.words = "A B",
	.purpose = "whether B became worse or better than A",
	.options = options,
	.main = compare_main,
	.complete = offer_files,
};
