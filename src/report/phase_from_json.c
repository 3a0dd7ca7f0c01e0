/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_from_json.c - reads a phase of a JSON summary, which may be anyone's. */
#include "src/report/phase_from_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/json.h"
#include "src/base/regular_file.h"
#include "src/base/text.h"
#include "src/model/matrix.h"
#include "src/plan/config_json.h"
#include "src/report/matrix_json.h"

enum { NAME_SIZE = 128, LIST_SIZE = 512 };

static uint64_t number(struct json_object *object, const char *key)
{
	return json_object_get_uint64(json_child(object, key, json_type_int));
}

/* A copy that is fit for a terminal; "" where there is none. The caller frees it. */
static char *clean_text(struct json_object *object, const char *key)
{
	struct json_object *value = json_child(object, key, json_type_string);
	char *copy = strdup(value ? json_object_get_string(value) : "");

	if (copy)
		text_clean(copy);
	return copy;
}

/* A list is "mq,pipe", as in options. */
static int add_value(struct compared_phase *compared, const char *name, struct json_object *value)
{
	bool is_list = json_object_is_type(value, json_type_array);
	char list[LIST_SIZE] = "";
	const char *text = is_list ? list : value ? json_object_get_string(value) : "none";

	for (size_t i = 0; is_list && i < json_object_array_length(value); i++) {
		struct json_object *word = json_object_array_get_idx(value, i);

		text_append(list, sizeof(list), ",", word ? json_object_get_string(word) : "none");
	}
	return text ? compared_phase_add_fact(compared, name, text) : -ENOMEM;
}

/* Adds each value of an object, which may be NULL: "PREFIX.dma_latency.us". */
static int add_object(struct compared_phase *compared, const char *prefix, struct json_object *object)
{
	struct json_object_iter of;
	int r = 0;

	if (!object)
		return 0;
	json_object_object_foreachC(object, of)
	{
		char name[NAME_SIZE];

		if (r < 0)
			return r;
		snprintf(name, sizeof(name), "%s.%s", prefix, of.key);
		if (json_object_is_type(of.val, json_type_object))
			r = add_object(compared, name, of.val);
		else
			r = add_value(compared, name, of.val);
	}
	return r;
}

int phase_from_json_add_options(struct compared_phase *compared, const struct config *config)
{
	struct json_object *options = config_json(config);
	int r = options ? add_object(compared, "options", options) : -ENOMEM;

	json_object_put(options);
	return r;
}

int phase_from_json_add_recorded_options(struct compared_phase *compared, const char *header)
{
	struct json_object *parsed = json_tokener_parse(header);
	int r = add_object(compared, "options", json_child(parsed, "options", json_type_object));

	json_object_put(parsed);
	return r;
}

/* Adds [[lower, width, count], ...]. Returns 0, -EINVAL for what is none, or -ENOMEM. */
static int read_histogram(struct json_object *buckets, struct hist *hist)
{
	for (size_t i = 0; i < json_object_array_length(buckets); i++) {
		struct json_object *bucket = json_object_array_get_idx(buckets, i);

		if (!json_object_is_type(bucket, json_type_array) || json_object_array_length(bucket) != 3)
			return -EINVAL;
		struct hist_cell cell = {
			.bucket = hist_bucket(json_object_get_uint64(json_object_array_get_idx(bucket, 0))),
			.count = json_object_get_uint64(json_object_array_get_idx(bucket, 2))};

		if (hist_add_cells(hist, &cell, 1) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* A figure, or a block of one. */
static int read_figure(struct json_object *object, struct hist *hist)
{
	struct json_object *buckets = json_child(object, "histogram", json_type_array);

	if (!buckets)
		return -EINVAL;
	int r = read_histogram(buckets, hist);
	uint64_t count = number(object, "count");

	if (r == 0 && count > hist->n) /* the laps of batches are in no bucket */
		hist->n_untimed = count - hist->n;
	if (r == 0 && hist->n)
		hist_extend(hist, number(object, "min_ns"), number(object, "max_ns"),
			1 + number(object, "max_at_ns"));
	return r;
}

/* Adds a number to each block, from an array that may be missing. */
static void read_counts(struct judged_blocks *to, struct json_object *counts, size_t member_offset)
{
	for (size_t i = 0; counts && i < to->n && i < json_object_array_length(counts); i++)
		*(uint64_t *)((char *)&to->list[i] + member_offset) =
			json_object_get_uint64(json_object_array_get_idx(counts, i));
}

static int read_block_figure(struct judged_blocks *to, size_t judged, struct json_object *blocks)
{
	int r = 0;

	for (size_t i = 0; i < to->n && r == 0; i++) {
		struct json_object *object = json_object_array_get_idx(blocks, i);

		to->list[i].active_ns = number(object, "active_ns");
		r = read_figure(object, &to->list[i].hists[judged]);
	}
	return r;
}

/* @blocks: for each figure an array of blocks, and two arrays of counts. */
static int read_blocks(
	struct judged_blocks *to, const struct judged_figures *figures, struct json_object *blocks)
{
	int r = 0;

	for (size_t judged = 0; judged < N_JUDGED_BLOCK_FIGURES && r == 0; judged++) {
		struct json_object *of =
			json_child(blocks, figure_name(figures->at[judged]), json_type_array);
		size_t n = of ? json_object_array_length(of) : 0;

		if (!of)
			continue;
		if (n > PHASE_BLOCKS_MAX || (to->list && n != to->n))
			return -EINVAL;
		if (!to->list)
			to->list = calloc(n + 1, sizeof(*to->list));
		if (!to->list)
			return -ENOMEM;
		to->n = n;
		r = read_block_figure(to, judged, of);
	}
	read_counts(to, json_child(blocks, "slots", json_type_array), offsetof(struct judged_block, slots));
	read_counts(to, json_child(blocks, "missed", json_type_array), offsetof(struct judged_block, missed));
	return r;
}

static struct tick_counts read_tick_counts(struct json_object *ring)
{
#define READ(name) .name = number(ring, #name),
	return (struct tick_counts){TICK_COUNTS(READ)};
#undef READ
}

/* Reads the first @n_figures figures of a ring's phase. */
static int read_sum(struct judged_block *sum, const struct judged_figures *judged, size_t n_figures,
	struct json_object *ring)
{
	struct json_object *figures = json_child(ring, "figures", json_type_object);
	int r = 0;

	for (size_t i = 0; i < n_figures && r == 0; i++)
		r = read_figure(
			json_child(figures, figure_name(judged->at[i]), json_type_object), &sum->hists[i]);
	const struct tick_counts counts = read_tick_counts(ring);

	sum->active_ns = tick_counts_in_place_ns(&counts);
	sum->missed = counts.missed;
	sum->slots = judged->has_slots ? counts.laps + counts.missed : 0;
	return r;
}

static int read_sums(struct compared_row *row, struct json_object *ring)
{
	struct json_object *figures = json_child(ring, "figures", json_type_object);
	struct row_totals *totals = compared_row_add_totals(row);

	if (!totals)
		return -ENOMEM;
	int r = read_sum(&totals->sum, &row->figures, N_JUDGED_FIGURES, ring);

	return r == 0 ? read_figure(json_child(figures, figure_name(FIGURE_LATENESS), json_type_object),
				&totals->late)
		      : r;
}

/* A member of the document that has never run has no affinity: its place is the planned CPU, which is NULL in
 * phases. */
static int64_t read_place(struct json_object *object, struct json_object *planned)
{
	struct json_object *n_cpus = json_child(object, "n_cpus", json_type_int),
			   *cpu = json_child(object, "cpu", json_type_int);

	if (!n_cpus && cpu)
		return json_object_get_int64(cpu);
	if (!n_cpus)
		return planned ? json_object_get_int64(planned) : -1;
	return json_object_get_int64(n_cpus) == 1
		       ? json_object_get_int64(json_child(object, "cpu", json_type_int))
		       : -1;
}

/* @cpus: the planned ones, or NULL. */
static int read_members(struct compared_row *row, struct json_object *members, struct json_object *cpus)
{
	size_t n_cpus = cpus ? json_object_array_length(cpus) : 0;
	int r = 0;

	for (size_t i = 0; members && i < json_object_array_length(members) && r == 0; i++) {
		struct json_object *object = json_object_array_get_idx(members, i);
		struct json_object *policy = json_child(object, "policy", json_type_string);
		struct task_policy task = {
			.policy = policy ? task_policy_parse(json_object_get_string(policy)) : -1,
			.priority = (int32_t)number(object, "priority"),
			.nice = json_object_get_int(json_child(object, "nice", json_type_int))};
		struct json_object *planned = i < n_cpus ? json_object_array_get_idx(cpus, i) : NULL;

		r = compared_row_add_member(
			row, (struct member_condition){task, read_place(object, planned)});
	}
	return r;
}

static int read_cpus(struct compared_row *row, struct json_object *cpus)
{
	size_t n = cpus ? json_object_array_length(cpus) : 0, size = 24 * n + 1, at = 0;

	row->cpus = calloc(size, 1);
	for (size_t i = 0; row->cpus && i < n; i++)
		at += (size_t)snprintf(row->cpus + at, size - at, "%s%llu", i ? " " : "",
			(unsigned long long)json_object_get_uint64(json_object_array_get_idx(cpus, i)));
	return row->cpus ? 0 : -ENOMEM;
}

static enum stamps stamps_of(struct json_object *ring)
{
	const char *stamps = json_object_get_string(json_child(ring, "stamps", json_type_string));

	return stamps && !strcmp(stamps, stamps_name(STAMPS_LAP)) ? STAMPS_LAP : STAMPS_ALL;
}

static bool has_failed(struct json_object *ring)
{
	const char *state = json_object_get_string(json_child(ring, "state", json_type_string));

	return state && !strcmp(state, ring_state_name(RING_FAILED));
}

/* Whether a row was in a phase: @of_phase is what it did in it. */
static void read_life(struct compared_row *row, struct json_object *of_phase, struct json_object *phase)
{
	compared_row_find_life(row, number(phase, "start_ns"), number(phase, "end_ns"));
	row->is_absent &= !number(of_phase, "laps") && !number(of_phase, "missed");
}

/* @ring: of the document; @of_phase: what it did in the @phase. */
static int read_row(struct compared_phase *compared, struct json_object *ring, struct json_object *of_phase,
	struct json_object *phase)
{
	struct compared_row *row = &compared->rows[compared->n_rows++];

	row->mechanism = clean_text(ring, "mechanism");
	row->label = clean_text(ring, "label");
	row->size_bytes = number(json_child(ring, "token", json_type_object), "bytes");
	row->interval_ns = number(ring, "interval_ns");
	row->turn = (unsigned)number(ring, "turn");
	row->has_failed = has_failed(ring);
	row->figures = judged_figures_of(compared->figure, row->interval_ns, stamps_of(ring));
	row->added_ns = number(ring, "added_ns");
	row->ended_ns = number(ring, "removed_ns");
	read_life(row, of_phase, phase);
	if (!row->mechanism || !row->label)
		return -ENOMEM;
	struct json_object *blocks = json_child(of_phase, "blocks", json_type_object),
			   *members = json_child(of_phase, "members", json_type_array);
	int r = read_cpus(row, json_child(ring, "cpus", json_type_array));

	if (r == 0 && members)
		r = read_members(row, members, NULL);
	else if (r == 0)
		r = read_members(row, json_child(ring, "members", json_type_array),
			json_child(ring, "cpus", json_type_array));
	if (r == 0 && blocks)
		r = read_blocks(&row->blocks, &row->figures, blocks);
	if (r == 0)
		r = read_sums(row, of_phase);
	row->active_ns = compared_row_sum(row)->active_ns;
	return r;
}

static enum figure shown_figure(struct json_object *options)
{
	const char *show = json_object_get_string(json_child(options, "show", json_type_string));
	int figure = FIGURE_FIRST;

	for (int i = 0; show && i < N_FIGURES_SHOWN; i++)
		if (strcmp(show, figure_name((enum figure)i)) == 0)
			figure = i;
	return (enum figure)figure;
}

static double real(struct json_object *phase, const char *name)
{
	struct json_object *found = json_child(phase, name, json_type_double);

	return found ? json_object_get_double(found) : NAN;
}

/* Older files have none. */
static enum cause_kind cause_kind_of(struct json_object *cause)
{
	char *name = clean_text(cause, "kind");
	size_t kind = 0;

	while (kind < N_CAUSES && name && strcmp(name, cause_names[kind]) != 0)
		kind++;
	free(name);
	return kind < N_CAUSES ? (enum cause_kind)kind : CAUSE_UNEXPLAINED;
}

static void read_blame(struct json_object *blame, struct blame_sums *sums)
{
	struct json_object *causes = json_child(blame, "causes", json_type_array);
	size_t n = causes ? json_object_array_length(causes) : 0;

	sums->n_spikes = number(blame, "spikes");
	sums->n_passed_over = number(blame, "passed_over");
	sums->ns = number(blame, "total_ns");
	for (size_t i = 0; i < n && i < BLAMED_MAX; i++) {
		struct json_object *cause = json_object_array_get_idx(causes, i);
		struct blamed *blamed = &sums->list[sums->n++];
		char *text = clean_text(cause, "cause");

		*blamed = (struct blamed){.kind = cause_kind_of(cause),
			.ns = number(cause, "total_ns"),
			.n = number(cause, "spikes")};
		snprintf(blamed->text, sizeof(blamed->text), "%s", text ? text : "");
		free(text);
	}
}

static struct json_object *nth(struct json_object *array, size_t i)
{
	return array && i < json_object_array_length(array) ? json_object_array_get_idx(array, i) : NULL;
}

/* Returns the phase that is called @wanted, of several the last one, or the last of all. NULL: there is none.
 */
static struct json_object *find_phase(struct json_object *phases, const char *wanted)
{
	size_t n = phases ? json_object_array_length(phases) : 0;

	for (int call = 0; wanted && call < N_PHASE_CALLS; call++)
		for (size_t i = n; i-- > 0;) {
			struct json_object *phase = nth(phases, i);
			const char *name =
				json_object_get_string(json_child(phase, "name", json_type_string));

			if (phase_is_called((uint32_t)number(phase, "number"), name ? name : "", wanted,
				    (enum phase_call)call))
				return phase;
		}
	return n && !wanted ? nth(phases, n - 1) : NULL;
}

/* @ring: what the row did in the replicate; NULL: it is not in it. @judges: its blocks are those that judge
 * the replicates, and it is not the phase itself. */
static int read_like(struct compared_row *row, struct json_object *ring, bool judges)
{
	struct judged_block *like = compared_row_new_like(row);
	struct row_totals *totals = compared_row_add_totals(row);
	struct json_object *figures = json_child(ring, "figures", json_type_object),
			   *blocks = json_child(ring, "blocks", json_type_object);

	if (!like || !totals)
		return -ENOMEM;
	if (!ring)
		return 0;
	int r = read_sum(like, &row->figures, N_JUDGED_BLOCK_FIGURES, ring);

	if (r == 0 && judges && blocks)
		r = read_blocks(&row->judging, &row->figures, blocks);
	return r == 0 ? read_figure(json_child(figures, figure_name(FIGURE_LATENESS), json_type_object),
				&totals->like_late)
		      : r;
}

/* Adds the sum of a replicate to all rows. @judges: and its blocks. */
static int read_replicate(struct compared_phase *compared, struct json_object *phase, bool judges)
{
	struct json_object *rings = json_child(phase, "rings", json_type_array);
	struct compared_phase replicate;
	size_t *partners = calloc(compared->n_rows + 1, sizeof(*partners));
	int r = replicate_describe(&replicate, compared, number(phase, "start_ns"), number(phase, "end_ns"));

	for (size_t i = 0; i < replicate.n_rows && r == 0; i++) {
		const struct tick_counts counts = read_tick_counts(nth(rings, i));

		replicate.rows[i].active_ns = tick_counts_in_place_ns(&counts);
		read_life(&replicate.rows[i], nth(rings, i), phase);
	}
	if (r == 0)
		r = partners ? replicate_pair(compared, &replicate, partners) : -ENOMEM;
	for (size_t i = 0; i < compared->n_rows && r == 0; i++)
		r = read_like(&compared->rows[i],
			partners[i] < replicate.n_rows ? nth(rings, partners[i]) : NULL, judges);
	replicate_finish(&replicate);
	free(partners);
	return r;
}

static bool has_number(struct json_object *numbers, uint64_t number)
{
	bool has = false;

	for (size_t i = 0; numbers && i < json_object_array_length(numbers); i++)
		has |= json_object_get_uint64(nth(numbers, i)) == number;
	return has;
}

/* Older files name none. */
static int read_replicates(
	struct compared_phase *compared, struct json_object *phases, struct json_object *numbers)
{
	struct json_object *like[REPLICATES_MAX];
	int r = 0;

	for (size_t i = 0; i < json_object_array_length(phases) && compared->n_like < REPLICATES_MAX; i++) {
		struct json_object *phase = nth(phases, i);
		struct blame_sums blames = {0};

		if (!has_number(numbers, number(phase, "number")) ||
			!json_child(phase, "rings", json_type_array))
			continue;
		read_blame(json_child(phase, "blame", json_type_object), &blames);
		like[compared->n_like] = phase;
		compared_phase_add_replicate(compared, (uint32_t)number(phase, "number"),
			number(phase, "end_ns") - number(phase, "start_ns"), &blames);
	}
	size_t judging = compared_phase_judging(compared);

	for (size_t i = 0; i < compared->n_like && r == 0; i++)
		r = read_replicate(compared, like[i], i == judging && compared->like[i] != compared->number);
	return r;
}

/* The parts of a summary that a comparison needs. */
struct summary_parts {
	struct json_object *phases, *rings, *options, *host, *matrix;
	struct json_object *phase, *of_phase; /* the wanted phase, and what its rings did */
	struct json_object *own_host;         /* as it was in the phase; NULL: as at the end */
	bool is_last;                         /* of the phases */
};

/* Returns as phase_from_json_take(). */
static int find_parts(struct summary_parts *parts, struct json_object *document, const char *wanted)
{
	*parts = (struct summary_parts){.phases = json_child(document, "phases", json_type_array),
		.rings = json_child(document, "rings", json_type_array),
		.options = json_child(document, "options", json_type_object),
		.host = json_child(document, "host", json_type_object),
		.matrix = json_child(document, "matrix", json_type_object)};
	size_t n = parts->rings ? json_object_array_length(parts->rings) : 0;

	parts->phase = find_phase(parts->phases, wanted);
	parts->of_phase = json_child(parts->phase, "rings", json_type_array);
	parts->own_host = json_child(parts->phase, "host", json_type_object);
	if (parts->phases && !parts->phase && wanted)
		return -ENOENT;
	if (!parts->of_phase || !parts->options || !parts->host ||
		json_object_array_length(parts->of_phase) != n || !number(parts->phase, "number") ||
		number(parts->phase, "number") > UINT32_MAX)
		return -EINVAL;
	parts->is_last = parts->phase == nth(parts->phases, json_object_array_length(parts->phases) - 1);
	return parts->own_host || parts->is_last ? 0 : -ENODATA;
}

/* Takes all but rings, replicates and facts. Returns 0 or -ENOMEM. */
static int take_phase(struct compared_phase *compared, const struct summary_parts *parts,
	struct json_object *document, const char *path, const char *wanted)
{
	struct json_object *phase = parts->phase;
	char *name = clean_text(phase, "name");

	*compared = (struct compared_phase){.source = strdup(path),
		.number = (uint32_t)number(phase, "number"),
		.is_last_of_several = !wanted && json_object_array_length(parts->phases) > 1,
		.length_ns = number(phase, "end_ns") - number(phase, "start_ns"),
		.turn_ns = number(document, "turn_ns"),
		.load = real(phase, "load"),
		.interrupts = real(phase, "interrupts_per_second"),
		.n_late = json_child(phase, "own_late_ticks", json_type_int) ? number(phase, "own_late_ticks")
									     : UINT64_MAX,
		.rows = calloc(json_object_array_length(parts->of_phase) + 1, sizeof(*compared->rows))};
	phase_copy_name(compared->name, name ? name : "");
	free(name);
	read_blame(json_child(phase, "blame", json_type_object), &compared->blames);
	return compared->source && compared->rows ? 0 : -ENOMEM;
}

int phase_from_json_take(struct compared_phase *compared, struct json_object *document, const char *path,
	const char *wanted, enum figure figure)
{
	struct summary_parts parts;
	int r = find_parts(&parts, document, wanted);

	if (r < 0)
		return r;
	r = take_phase(compared, &parts, document, path, wanted);
	compared->figure = figure < N_FIGURES ? figure : shown_figure(parts.options);
	for (size_t i = 0; i < json_object_array_length(parts.of_phase) && r == 0; i++)
		r = read_row(compared, nth(parts.rings, i), nth(parts.of_phase, i), parts.phase);
	if (r == 0)
		compared_phase_find_round(compared);
	if (r == 0 && parts.matrix) /* of a sweep, only the phase itself is compared */
		r = matrix_json_read(&compared->matrix, parts.matrix, compared->number, parts.is_last);
	else if (r == 0)
		r = read_replicates(
			compared, parts.phases, json_child(parts.phase, "replicates", json_type_array));
	if (r == 0)
		r = add_object(compared, "options", parts.options);
	return r == 0 ? add_object(compared, "host", parts.own_host ? parts.own_host : parts.host) : r;
}

/* Piece by piece, so that what is no JSON is not read to its end. Returns NULL if the file is no JSON, or,
 * with ENOMEM in errno, without memory. */
static struct json_object *parse_file(int fd)
{
	enum { PIECE = 65536 };
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *document = NULL;
	char *piece = tokener ? malloc(PIECE) : NULL;
	ssize_t n = 1;

	while (piece && !document && n > 0) {
		n = read(fd, piece, PIECE);
		if (n <= 0)
			break;
		document = json_tokener_parse_ex(tokener, piece, (int)n);
		if (!document && json_tokener_get_error(tokener) != json_tokener_continue)
			break;
	}
	free(piece);
	if (tokener)
		json_tokener_free(tokener);
	return document;
}

static int refuse_phase(
	struct json_object *document, const char *path, const char *wanted, struct error_text *reason)
{
	struct json_object *phases = json_child(document, "phases", json_type_array);
	char list[sizeof(reason->text) / 2] = "";
	bool has_room = true;

	for (size_t i = 0; phases && i < json_object_array_length(phases) && has_room; i++) {
		struct json_object *phase = nth(phases, i);
		char *name = clean_text(phase, "name");

		has_room = phase_list_append(
			list, sizeof(list), (uint32_t)number(phase, "number"), name ? name : "");
		free(name);
	}
	if (!has_room)
		text_append(list, sizeof(list), ", ", "...");
	return phase_list_refuse(list, path, wanted, reason);
}

int phase_from_json_read(
	struct compared_phase *phases, const struct phase_in_file *file, struct error_text *reason)
{
	const char *path = file->path, *wanted = file->wanted;
	int fd = regular_file_open(path, reason);

	if (fd < 0)
		return fd;
	errno = 0;
	struct json_object *document = parse_file(fd);
	int r = errno == ENOMEM ? -ENOMEM : -EINVAL;

	close(fd);

	for (size_t i = 0; document && i < file->n_figures && (i == 0 || r == 0); i++) {
		r = phase_from_json_take(&phases[i], document, path, wanted, file->figures[i]);
		if (r == 0 && i > 0)
			compared_phase_share(&phases[i], &phases[0]);
	}
	bool is_sweep = json_child(document, "matrix", json_type_object);

	if (r == -ENOENT)
		refuse_phase(document, path, wanted, reason);
	json_object_put(document);
	if (r == -EINVAL)
		return error_text_set(
			reason, r, "%s: neither a JSON summary of ipctop nor a recording", path);
	if (r == -ENODATA && is_sweep)
		return error_text_set(reason, r,
			"%s: has no cells of phase %s, only those of the last phase and of the one measured "
			"before it; a recording has those of all",
			path, wanted);
	if (r == -ENODATA)
		return error_text_set(reason, r,
			"%s: the settings of phase %s are not known; only the last phase can be compared",
			path, wanted);
	return r == 0 || r == -ENOENT ? r : error_text_set(reason, r, "%s: no memory to read it", path);
}
