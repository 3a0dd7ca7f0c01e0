/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.c - the module that prints lines during a run or a playback without a screen. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/plan/config.h"
#include "src/report/matrix_text.h"
#include "src/report/report_text.h"
#include "src/run/output.h"
#include "src/run/source.h"

struct lines {
	struct source *source;
	struct report_progress progress;
	uint64_t next_ns;
	int error; /* of output_flush() */
	struct error_text reason;
};

/* A signal ends the commands `export` and `report` at once, also one that waits for its reader. */
static int open_lines(struct source *source, void **state, struct error_text *reason)
{
	if (source->stays)
		return 0;
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return error_text_set(reason, -ENOMEM, "no memory for lines");
	lines->source = source;
	*state = lines;
	return config_converts(source->config) ? 0 : source_listen(source, reason);
}

static void print_lines(struct lines *lines)
{
	const struct session *session = &lines->source->session;
	const struct config *config = lines->source->config;

	if (config->quiet || config->render_columns || session->now_ns < lines->next_ns || !output_keeps_up())
		return;
	/* Ticks are not exact: up to half a tick early counts as due. */
	lines->next_ns = session->now_ns + config->refresh_ns - config->tick_ns / 2;
	if (session->matrix)
		matrix_text_line(stdout, session);
	else
		report_line(stdout, session, config->figure, (enum window)config->window, &lines->progress);
	lines->error = output_flush(&lines->reason);
}

/* Leaves out warnings of the start, which the result has. */
static void print_warning(const struct lines *lines, const struct event *event)
{
	if (event->kind != EVENT_WARNING || event->at_ns <= lines->source->session.start_ns)
		return;
	fputs("ipctop: ", stderr);
	event_print(stderr, event);
	fputc('\n', stderr);
}

/* Without lines, warnings go to standard error. Where only a report goes to standard output, the exports
 * print an error. */
static int print_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct lines *lines = state;
	const struct config *config = lines->source->config;
	bool is_report = output_is_report(config);

	if (item->kind == FEED_EVENT && (config->quiet || is_report) && !lines->source->replay)
		print_warning(lines, item->event);
	if (item->kind != FEED_TICK || lines->error)
		return 0;
	if (!is_report)
		print_lines(lines);
	if (lines->error || (is_report && (ferror(stdout) || output_flush(reason) != 0)))
		source_end(lines->source, "output closed");
	return 0;
}

static int end_lines(void *state, struct error_text *reason)
{
	struct lines *lines = state;
	int r = lines->error;

	*reason = lines->reason;
	free(lines);
	return r;
}

const struct module module_lines = {.open = open_lines, .feed = print_item, .end = end_lines};
