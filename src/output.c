/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.c - standard output: the lines of a run without a screen, and what became of them. */
#include "src/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/config.h"
#include "src/run.h"

bool output_is_json(const struct config *config)
{
	return config->json && !strcmp(config->json, "-");
}

/* More than a buffer was printed, and what failed was a write before this one: another fails as it did. */
static int error_of_before(void)
{
	errno = 0;
	putchar('\n');
	fflush(stdout);
	return errno;
}

int output_flush(bool *nobody_reads, struct reason *reason)
{
	errno = 0;
	*nobody_reads = fflush(stdout) != 0 || ferror(stdout);
	if (!*nobody_reads)
		return 0;
	int error = errno ? errno : error_of_before();

	if (error == EPIPE || error == EINTR)
		return 0;
	error = error ? error : EIO;
	return reason_set(reason, -error, "can't write standard output: %s", strerror(error));
}

bool output_print_lines(void *data)
{
	struct output_lines *lines = data;
	const struct run *run = lines->run;
	bool nobody_reads;

	if (run->config->quiet || run->config->render_columns || output_is_json(run->config) ||
		run->session.now_ns < lines->next_ns)
		return true;
	/* A tick is not sharp to the ns: half of one early is meant for now. */
	lines->next_ns = run->session.now_ns + run->config->refresh_ns - run->config->tick_ns / 2;
	report_line(stdout, &run->session, run->config->figure, &lines->progress);
	lines->error = output_flush(&nobody_reads, &lines->reason);
	return !nobody_reads;
}
