/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_file.c - the module of --metrics: replaces the file each refresh. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "src/base/whole_file.h"
#include "src/modules/exports.h"
#include "src/plan/config.h"
#include "src/report/metrics.h"
#include "src/run/source.h"

struct metrics_file {
	const struct source *source;
	uint64_t next_ns;         /* when the file is due, CLOCK_MONOTONIC */
	struct error_text reason; /* why it could not be written the last time; "": it was written */
};

/* Another kind of file, such as a pipe, may wait for its reader, and would delay turns. */
static int check_kind(const char *path, struct error_text *reason)
{
	struct stat status;

	if (!whole_file_is_stdout(path) && (stat(path, &status) < 0 || S_ISREG(status.st_mode)))
		return 0;
	return error_text_set(
		reason, -EINVAL, "--metrics %s: must be a regular file, which each refresh replaces", path);
}

static int check_file(const struct config *config, struct error_text *reason)
{
	const char *path = config->metrics;

	if (!path)
		return 0;
	int r = check_kind(path, reason);

	if (r == 0 && config->record && whole_file_is(path, config->record))
		return error_text_set(
			reason, -EINVAL, "--metrics %s: --record writes there; name another file", path);
	if (r == 0)
		r = exports_check_other(config, "--metrics", path, reason);
	return r == 0 ? whole_file_check(path, reason) : r;
}

static int open_file(struct source *source, void **state, struct error_text *reason)
{
	if (!source->config->metrics)
		return 0;
	struct metrics_file *metrics = calloc(1, sizeof(*metrics));

	if (!metrics)
		return error_text_set(reason, -ENOMEM, "--metrics %s: no memory", source->config->metrics);
	metrics->source = source;
	*state = metrics;
	return 0;
}

/* Does not wait for the disk: if a crash of the machine leaves the file empty, the next run replaces it. The
 * kind is checked again, as another file may be there by now. */
static int write_file(const struct source *source, struct error_text *reason)
{
	const struct config *config = source->config;
	const struct metrics_text text = {METRICS_PROMETHEUS, config->figure, config->fail_above_ns};
	struct whole_file file;
	int r = check_kind(config->metrics, reason);

	if (r == 0)
		r = whole_file_open(&file, config->metrics, reason);
	if (r < 0)
		return r;
	file.is_transient = true;
	r = metrics_print(file.out, &source->session, &text);
	if (r == 0)
		return whole_file_close(&file, reason);
	whole_file_abandon(&file);
	return error_text_set(reason, r, "can't write %s: no memory", config->metrics);
}

/* Fails only the first time of several in a row. */
static int write_if_due(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct metrics_file *metrics = state;
	const struct config *config = metrics->source->config;
	bool had_failed = metrics->reason.text[0] != '\0';

	if (item->kind != FEED_TICK || item->at_ns < metrics->next_ns)
		return 0;
	/* Ticks are not exact: up to half a tick early counts as due. */
	metrics->next_ns = item->at_ns + config->refresh_ns - config->tick_ns / 2;
	metrics->reason.text[0] = '\0';
	int r = write_file(metrics->source, &metrics->reason);

	*reason = metrics->reason;
	return had_failed ? 0 : r;
}

static int end_file(void *state, struct error_text *reason)
{
	struct metrics_file *metrics = state;
	int r = metrics->source->has_result ? write_file(metrics->source, reason) : 0;

	free(metrics);
	return r;
}

const struct module module_metrics_file = {
	.check = check_file, .open = open_file, .feed = write_if_due, .end = end_file};
