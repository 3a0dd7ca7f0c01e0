/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exports.c - the module of --json and --export: formats of ticks are written during the run, others at the
 * end.
 */
#include "src/modules/exports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/whole_file.h"
#include "src/model/session.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/recording/replay.h"
#include "src/report/export.h"
#include "src/report/report_json.h"
#include "src/run/output.h"
#include "src/run/source.h"

/* The file of a format of ticks. */
struct export_stream {
	struct whole_file file; /* .out: NULL if it is standard output */
	bool begun;             /* it has its header */
	uint64_t n_events;      /* see struct export_format */
	int error;              /* the first one, negative: nothing is written any more */
};

struct exports {
	const struct config *config;
	struct source *source;
	struct export_stream streams[CONFIG_EXPORTS_MAX];
};

/* --- before the run --- */

/* A file that is written, and its option in messages. */
struct target {
	char option[32];
	const char *path;
	bool per_ring; /* the path is a pattern */
};

/* Replaces the first % of @pattern by a ring's number. Returns @path, or NULL if it is too long. */
static const char *name_file(const char *pattern, size_t ring, char path[PATH_MAX])
{
	int before = (int)strcspn(pattern, "%");
	int length = snprintf(path, PATH_MAX, "%.*s%zu%s", before, pattern, ring, pattern + before + 1);

	return length < PATH_MAX ? path : NULL;
}

static bool is_per_ring(const struct export_format *format, const char *path)
{
	return format->one_row && strchr(path, '%');
}

/* Returns the number of targets: --json and all exports. */
static size_t list_targets(const struct config *config, struct target targets[CONFIG_EXPORTS_MAX + 1])
{
	size_t n = 0;

	if (config->json)
		targets[n++] = (struct target){"--json ", config->json, false};
	for (unsigned i = 0; export_name(i); i++) {
		const char *path = config->exports[i];

		if (!path)
			continue;
		snprintf(targets[n].option, sizeof(targets[n].option), "--export %s=", export_name(i));
		targets[n].path = path;
		targets[n++].per_ring = is_per_ring(export_formats[i], path);
	}
	return n;
}

/* A pattern may name a file for each ring. How many rings there will be is not known yet. */
static bool replaces(const struct target *target, const char *other)
{
	char path[PATH_MAX];

	if (!target->per_ring)
		return whole_file_is(target->path, other);
	for (size_t ring = 0; ring < PLAN_RINGS_MAX; ring++)
		if (name_file(target->path, ring, path) && whole_file_is(path, other))
			return true;
	return false;
}

/* At most one of two targets is per ring. */
static int refuse_clashes(
	const struct target *target, const struct target *others, size_t n, struct error_text *reason)
{
	for (size_t i = 0; i < n; i++) {
		const struct target *other = &others[i];

		if (other->per_ring ? replaces(other, target->path) : replaces(target, other->path))
			return error_text_set(reason, -EINVAL,
				"%s%s: %s%s writes there, too; name another file", target->option,
				target->path, other->option, other->path);
	}
	return 0;
}

int exports_check_other(
	const struct config *config, const char *option, const char *path, struct error_text *reason)
{
	struct target targets[CONFIG_EXPORTS_MAX + 1], other = {.path = path};
	size_t n = list_targets(config, targets);

	snprintf(other.option, sizeof(other.option), "%s ", option);
	return refuse_clashes(&other, targets, n, reason);
}

static int check_target(const struct target *target, const struct config *config, struct error_text *reason)
{
	const char *recording = config->replay ? config->replay : config->record, *first = target->path;
	char path[PATH_MAX];

	if (target->per_ring && !(first = name_file(target->path, 0, path)))
		return error_text_set(
			reason, -ENAMETOOLONG, "%s%s: the name is too long", target->option, target->path);
	if (!recording || !replaces(target, recording))
		return whole_file_check(first, reason);
	return error_text_set(reason, -EINVAL, "%s%s: --%s there; name another file", target->option,
		target->path, config->replay ? "replay reads" : "record writes");
}

static int check_targets(const struct config *config, struct error_text *reason)
{
	struct target targets[CONFIG_EXPORTS_MAX + 1];
	size_t n = list_targets(config, targets);
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		r = refuse_clashes(&targets[i], targets, i, reason);
		if (r == 0)
			r = check_target(&targets[i], config, reason);
	}
	return r;
}

/* --- during the run --- */

/* A FIFO waits for its reader, until a signal ends that. */
static int open_streams(struct exports *exports, struct error_text *reason)
{
	const struct config *config = exports->config;
	int r = 0;

	for (unsigned i = 0; export_formats[i] && r == 0; i++)
		if (config->exports[i] && export_formats[i]->print_item &&
			!whole_file_is_stdout(config->exports[i]))
			r = whole_file_open(&exports->streams[i].file, config->exports[i], reason);
	return r;
}

static int open_exports(struct source *source, void **state, struct error_text *reason)
{
	struct exports *exports = calloc(1, sizeof(*exports));

	if (!exports)
		return error_text_set(reason, -ENOMEM, "no memory for exports");
	exports->source = source;
	exports->config = source->config;
	*state = exports;
	return open_streams(exports, reason);
}

/* Returns where items in a format are written; NULL: nowhere. */
static FILE *stream_of(const struct exports *exports, unsigned index)
{
	const char *path = exports->config->exports[index];

	if (!path || !export_formats[index]->print_item)
		return NULL;
	return whole_file_is_stdout(path) ? stdout : exports->streams[index].file.out;
}

static struct report_origin make_origin(const struct source *source)
{
	return (struct report_origin){source->ended_by, source->config, source->topology,
		.header = source->replay ? source->replay->header : NULL, .blocks_of = source->config->figure,
		.all_blocks = source->config->json_blocks};
}

static void print_header(const struct exports *exports, const struct export_format *format, FILE *out)
{
	const struct report_origin origin = make_origin(exports->source);

	format->print_header(out, &exports->source->session, &origin);
}

/* Writes the item in one go, to standard output at once: what a signal interrupts is not tried again. */
static void write_item(struct exports *exports, unsigned index, const struct export_item *item, FILE *out)
{
	struct export_stream *stream = &exports->streams[index];
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (memory && !stream->begun)
		print_header(exports, export_formats[index], memory);
	stream->begun = true;
	if (memory)
		export_formats[index]->print_item(memory, item, &stream->n_events);
	if (!memory || fclose(memory) != 0)
		stream->error = -ENOMEM;
	else if (fwrite(text, 1, size, out) < size || (out == stdout && fflush(out) != 0))
		stream->error = -errno;
	free(text);
}

/* On a terminal that stalls, whole items are left out, and never a part of one. */
static int write_everywhere(void *state, const struct feed_item *feed, struct error_text *reason)
{
	struct exports *exports = state;
	const struct replay *replay = exports->source->replay;
	const struct replay_item *read = replay ? &replay->item : NULL;
	bool damaged = read && &read->feed == feed && read->damaged;
	const struct export_item item = {
		&exports->source->session, feed, .damaged = damaged, .offset = damaged ? read->offset : 0};

	for (unsigned i = 0; export_formats[i]; i++) {
		FILE *out = stream_of(exports, i);

		if (out && !exports->streams[i].error && !ferror(out) && (out != stdout || output_keeps_up()))
			write_item(exports, i, &item, out);
	}
	return 0;
}

/* --- at the end --- */

/* A reader that has gone is no error, and one that stalled until a signal came would stall this too. */
static int end_stdout(const struct exports *exports, struct error_text *reason)
{
	int r = ferror(stdout) && exports->source->signal ? 0 : output_flush(reason);

	return r < 0 ? r : 0;
}

static int write_file(const struct exports *exports, unsigned index, const struct export_view *view,
	const char *path, struct error_text *reason)
{
	struct whole_file file;
	int r = whole_file_open(&file, path, reason);

	if (r < 0)
		return r;
	r = export_formats[index]->print(file.out, view);
	if (r == 0)
		return whole_file_is_stdout(path) ? end_stdout(exports, reason)
						  : whole_file_close(&file, reason);
	whole_file_abandon(&file);
	return error_text_set(reason, r, "can't write %s: no memory", path);
}

/* A file for each ring. */
static int write_files(
	const struct exports *exports, unsigned index, struct export_view *view, struct error_text *reason)
{
	const char *pattern = exports->config->exports[index];
	char path[PATH_MAX];
	int r = 0;

	for (view->row = 0; view->row < view->session->n_rings && r == 0; view->row++) {
		if (!name_file(pattern, view->row, path))
			return error_text_set(
				reason, -ENAMETOOLONG, "can't write %s: the name is too long", pattern);
		r = whole_file_check(path, reason);
		if (r == 0)
			r = write_file(exports, index, view, path, reason);
	}
	return r;
}

static int end_items(struct exports *exports, unsigned index, struct error_text *reason)
{
	const char *path = exports->config->exports[index];
	const struct export_format *format = export_formats[index];
	struct export_stream *stream = &exports->streams[index];
	FILE *out = stream_of(exports, index);

	if (!stream->begun) /* there was no item */
		print_header(exports, format, out);
	if (format->print_end && !stream->error)
		format->print_end(out);
	if (whole_file_is_stdout(path) && stream->error != -ENOMEM)
		return end_stdout(exports, reason);
	if (stream->error)
		return error_text_set(
			reason, stream->error, "can't write %s: %s", path, strerror(-stream->error));
	return whole_file_close(&stream->file, reason);
}

static int write_export(struct exports *exports, unsigned index, struct error_text *reason)
{
	const struct export_format *format = export_formats[index];
	const char *path = exports->config->exports[index];
	const struct session *session = &exports->source->session;
	struct export_view view = {session, exports->config->figure, .row = session->n_rings};

	if (format->print_item)
		return end_items(exports, index, reason);
	if (is_per_ring(format, path))
		return write_files(exports, index, &view, reason);
	return write_file(exports, index, &view, path, reason);
}

static int write_json(struct source *source, struct error_text *reason)
{
	const char *path = source->config->json;
	const struct report_origin origin = make_origin(source);
	int r = path ? session_phases_settle(&source->session) : 0;

	if (r < 0)
		return error_text_set(
			reason, r, "--json %s: no memory for the blocks of the last phase", path);
	return path ? report_json_write(path, &source->session, &origin, reason) : 0;
}

static int print_failure(int r, const struct error_text *reason)
{
	if (r < 0)
		fprintf(stderr, "ipctop: %s\n", reason->text);
	return r;
}

/* Writes all files, also if some of them can't be written. Prints what fails, and returns the last error. */
static int write_results(struct exports *exports)
{
	struct error_text reason;
	int status = print_failure(write_json(exports->source, &reason), &reason);

	for (unsigned i = 0; export_formats[i]; i++)
		if (exports->config->exports[i] &&
			print_failure(write_export(exports, i, &reason), &reason) < 0)
			status = -EIO;
	if (output_is_report(exports->config) && !output_end())
		status = print_failure(
			error_text_set(&reason, -EAGAIN,
				"standard output: the terminal takes no more, and the rest is lost"),
			&reason);
	return status;
}

static int end_exports(void *state, struct error_text *reason)
{
	struct exports *exports = state;
	int r = exports->source->has_result ? write_results(exports) : 0;

	for (size_t i = 0; i < CONFIG_EXPORTS_MAX; i++) /* those that are not written to their end */
		if (exports->streams[i].file.out)
			whole_file_abandon(&exports->streams[i].file);
	free(exports);
	return r;
}

const struct module module_exports = {
	.check = check_targets, .open = open_exports, .feed = write_everywhere, .end = end_exports};
