/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_file.c - the metrics of a run, in a file, and by a server. */
#include "src/modules/metrics_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "src/base/whole_file.h"
#include "src/modules/exports.h"
#include "src/plan/config.h"
#include "src/report/metrics.h"
#include "src/run/metrics_server.h"

static int print_metrics(FILE *out, const struct source *source, enum metrics_format format)
{
	const struct config *config = source->config;

	return metrics_print(
		out, &source->session, &(struct metrics_text){format, config->figure, config->fail_above_ns});
}

/* --- the server --- */

/* In the server's thread. */
static char *render(void *data, bool openmetrics, size_t *size)
{
	struct source *source = data;
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	pthread_mutex_lock(&source->lock);
	int r = print_metrics(out, source, openmetrics ? METRICS_OPENMETRICS : METRICS_PROMETHEUS);

	pthread_mutex_unlock(&source->lock);
	if (fclose(out) == 0 && r == 0)
		return text;
	free(text);
	return NULL;
}

int main_metrics_listen(struct metrics *metrics, struct error_text *reason)
{
	const struct config *config = metrics->source->config;

	if (!config->metrics_listen)
		return 0;
	return metrics_server_start(&metrics->server, &config->metrics_address, config->metrics_listen,
		render, metrics->source, reason);
}

void main_metrics_ready(struct metrics *metrics)
{
	metrics_server_ready(metrics->server);
}

void main_metrics_silence(struct metrics *metrics)
{
	metrics_server_stop(metrics->server);
	metrics->server = NULL;
}

/* --- the file --- */

/* Another kind of file, such as a pipe, may wait for its reader, and would delay turns. */
static int check_kind(const char *path, struct error_text *reason)
{
	struct stat status;

	if (!whole_file_is_stdout(path) && (stat(path, &status) < 0 || S_ISREG(status.st_mode)))
		return 0;
	return error_text_set(
		reason, -EINVAL, "--metrics %s: must be a regular file, which each refresh replaces", path);
}

int main_metrics_check(const struct config *config, struct error_text *reason)
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

/* Does not wait for the disk: if a crash of the machine leaves the file empty, the next run replaces it. The
 * kind is checked again, as another file may be there by now. */
static int write_file(const struct source *source, struct error_text *reason)
{
	const struct config *config = source->config;
	struct whole_file file;
	int r = check_kind(config->metrics, reason);

	if (r == 0)
		r = whole_file_open(&file, config->metrics, reason);
	if (r < 0)
		return r;
	file.is_transient = true;
	r = print_metrics(file.out, source, METRICS_PROMETHEUS);
	if (r == 0)
		return whole_file_close(&file, reason);
	whole_file_abandon(&file);
	return error_text_set(reason, r, "can't write %s: no memory", config->metrics);
}

/* Returns 0, also if the file is not due, or a negative errno, with its sentence in metrics->reason. */
static int write_if_due(struct metrics *metrics)
{
	const struct config *config = metrics->source->config;
	uint64_t now_ns = metrics->source->session.now_ns;

	if (!config->metrics || now_ns < metrics->next_ns)
		return 0;
	/* Ticks are not exact: up to half a tick early counts as due. */
	metrics->next_ns = now_ns + config->refresh_ns - config->tick_ns / 2;
	int r = write_file(metrics->source, &metrics->reason);

	if (r == 0)
		metrics->reason.text[0] = '\0';
	return r;
}

static void print_reason(const struct metrics *metrics)
{
	fprintf(stderr, "ipctop: %s\n", metrics->reason.text);
}

/* The terminal is the dashboard's. */
static void show_reason(const struct metrics *metrics)
{
	const struct event event = {.at_ns = metrics->source->session.now_ns,
		.kind = EVENT_WARNING,
		.ring = -1,
		.member = -1,
		.text = metrics->reason.text};

	source_feed(metrics->source, &(struct feed_item){FEED_EVENT, event.at_ns, .event = &event});
}

void main_metrics_update(struct metrics *metrics)
{
	bool had_failed = metrics->reason.text[0] != '\0';

	if (write_if_due(metrics) < 0 && !had_failed)
		(metrics->prints ? print_reason : show_reason)(metrics);
}

int main_metrics_end(struct metrics *metrics)
{
	metrics->next_ns = 0;
	write_if_due(metrics);
	if (!metrics->reason.text[0])
		return 0;
	print_reason(metrics);
	return -1;
}
