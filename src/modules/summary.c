/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.c - the module that prints the result at the end: a summary, or the picture of --render. */
#include <errno.h>
#include <stdio.h>

#include "src/model/session.h"
#include "src/plan/config.h"
#include "src/report/comparison_text.h"
#include "src/report/report_text.h"
#include "src/run/output.h"
#include "src/run/source.h"
#include "ui/frame/frame.h"

enum { COLUMNS = 120, LINES = 40 };

/* Prints the screen at the size that --render gives, or else at a usual one. */
static void print_picture(void *data, FILE *out)
{
	const struct source *source = data;
	const struct config *config = source->config;

	frame_print(&source->session,
		&(struct frame_picture){.columns = config->render_columns ? config->render_columns : COLUMNS,
			.lines = config->render_columns ? config->render_lines : LINES,
			.figure = config->figure,
			.limit_ns = config->fail_above_ns,
			.table = {config->columns, config->n_columns, config->sort, (enum unit)config->unit,
				(enum window)config->window},
			.view = config->view,
			.baseline = &source->baseline,
			.phases = &source->phases,
			.ascii = config->ascii,
			.svg = config->svg,
			.palette = (enum palette)config->palette},
		out);
}

static int open_summary(struct source *source, void **state, struct error_text *reason)
{
	if (!source->print_screen) { /* there is no dashboard */
		source->print_screen = print_picture;
		source->screen_data = source;
	}
	*state = source;
	return 0;
}

/* Compares the last phase with the baseline, if there is another one. */
static int print_comparison(struct source *source, struct error_text *reason)
{
	const struct phase *last = phases_current(&source->session.phases);
	struct comparison_choice choice = {.a = source->baseline.number,
		.b = last ? last->number : 0,
		.figure = source->config->figure,
		.limit_ns = source->config->fail_above_ns,
		.file = source->baseline.number == COMPARISON_FILE ? &source->baseline.file : NULL};
	struct comparison_lines lines = {0};

	if (!choice.a || !choice.b || choice.a == choice.b)
		return 0;
	int r = session_phases_settle(&source->session);

	if (r == 0)
		r = comparison_lines_make(&lines, &source->session, &choice, &source->phases);
	if (r == 0)
		comparison_lines_print(stdout, &source->session, &lines);
	comparison_lines_finish(&lines);
	/* The session may have dropped the baseline, and another signal may have ended the reading of it. */
	return r == 0 || r == -ENOENT || r == -ECANCELED
		       ? 0
		       : error_text_set(reason, r, "no memory for the comparison");
}

/* A reader that stalled until a signal ended the run would stall this too. */
static int print_result(void *state, struct error_text *reason)
{
	struct source *source = state;
	const struct config *config = source->config;
	int r = 0;

	if (!source->has_result || output_is_report(config) || config->action == ACTION_REPORT ||
		ferror(stdout))
		return 0;
	if (config->render_columns) {
		print_picture(source, stdout);
	} else {
		report_summary(stdout, &source->session, config->figure, config->fail_above_ns);
		r = print_comparison(source, reason);
	}
	return r < 0 ? r : output_flush(reason);
}

const struct module module_summary = {.open = open_summary, .end = print_result};
