/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparer.c - a thread that compares two phases of a session. */
#include "src/model/comparer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/base/thread.h"
#include "src/model/session.h"

/* A comparison takes at most this part of the time until the next one, 5 %, but that comes after four seconds
 * at the latest. */
enum { CPU_PART = 20 };
static const uint64_t PAUSE_NS_MAX = 4000000000;

/* Equal if no tick was added to a phase or its replicates. */
struct phase_extent {
	unsigned n_blocks;
	uint32_t block_ticks;
	uint64_t last_ns; /* the end of the last tick */
	uint32_t newest;  /* the number of the session's newest phase */
	size_t n_like;    /* its replicates, and itself */
	uint32_t like;    /* the number of the newest one */
	uint64_t like_ns; /* of that the same as last_ns */
};

struct comparer {
	pthread_t thread;
	void (*news)(void *data);
	void *data;

	struct phase_source source;

	/* The caller's own. */
	struct comparison_choice asked;
	bool asked_still;
	struct phase_extent asked_a, asked_b;

	uint64_t due_ns; /* the thread's own: until then a comparison waits that is not urgent */

	atomic_bool stop; /* the comparison that goes on is not wanted any more */

	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t wanted;
	bool ends, has_next;
	struct comparison_snapshot next; /* owned; to be compared if has_next */
	bool is_urgent;                  /* it is another choice, or another moment: it does not wait */
	struct comparison_lines lines;   /* owned; what is ready */
	uint64_t version, read_version;  /* of the lines; of those that were read */
};

/* --- the thread --- */

static bool is_due(const struct comparer *comparer)
{
	return comparer->has_next && (comparer->is_urgent || clock_now_ns() >= comparer->due_ns);
}

/* Waits for a snapshot, which the caller owns then. Returns false to end. */
static bool take_next(struct comparer *comparer, struct comparison_snapshot *snapshot)
{
	pthread_mutex_lock(&comparer->mutex);
	while (!comparer->ends && !is_due(comparer)) {
		const struct timespec due = clock_timespec(comparer->due_ns);

		if (comparer->has_next)
			pthread_cond_timedwait(&comparer->wanted, &comparer->mutex, &due);
		else
			pthread_cond_wait(&comparer->wanted, &comparer->mutex);
	}
	bool go_on = !comparer->ends;

	if (go_on) {
		atomic_store(&comparer->stop, false);
		*snapshot = comparer->next;
		comparer->next = (struct comparison_snapshot){0};
		comparer->has_next = comparer->is_urgent = false;
	}
	pthread_mutex_unlock(&comparer->mutex);
	return go_on;
}

/* Rows of the same comparison stay until each is replaced. */
static int publish_begin(struct comparer *comparer, const struct comparison_lines *lines)
{
	struct comparison_lines *shown = &comparer->lines;
	int r = 0;

	pthread_mutex_lock(&comparer->mutex);
	if (comparison_choice_equal(&shown->choice, &lines->choice) && shown->n_lines == lines->n_lines &&
		shown->n_rings == lines->n_rings && !*shown->refusal.text && !*lines->refusal.text) {
		r = comparison_lines_copy_head(shown, lines);
	} else {
		r = comparison_lines_copy(shown, lines);
	}
	comparer->version++;
	pthread_mutex_unlock(&comparer->mutex);
	return r;
}

/* Until all are ready, which of its marks survive is as it was. */
static void publish_line(struct comparer *comparer, const struct comparison_lines *lines, size_t row)
{
	struct comparison_line *shown = &comparer->lines.lines[row], line = lines->lines[row];

	pthread_mutex_lock(&comparer->mutex);
	for (size_t mark = 0; mark < N_MARKS; mark++)
		line.marks[mark].survives = shown->marks[mark].survives;
	*shown = line;
	comparer->version++;
	pthread_mutex_unlock(&comparer->mutex);
}

static void publish_end(struct comparer *comparer, const struct comparison_lines *lines)
{
	pthread_mutex_lock(&comparer->mutex);
	memcpy(comparer->lines.lines, lines->lines, lines->n_lines * sizeof(*lines->lines));
	comparer->lines.summary = lines->summary;
	comparer->lines.blocks_a = lines->blocks_a;
	comparer->lines.blocks_b = lines->blocks_b;
	comparer->lines.is_complete = lines->is_complete;
	comparer->version++;
	pthread_mutex_unlock(&comparer->mutex);
	comparer->news(comparer->data);
}

static void publish_failure(struct comparer *comparer, const struct comparison_snapshot *snapshot)
{
	pthread_mutex_lock(&comparer->mutex);
	comparer->lines.choice = snapshot->choice;
	error_text_set(&comparer->lines.refusal, -ENOMEM, "there is no memory for the comparison");
	comparer->version++;
	pthread_mutex_unlock(&comparer->mutex);
	comparer->news(comparer->data);
}

/* Returns 0, -ENOMEM, or -ECANCELED if the comparison is not wanted any more. */
static int add_row(struct comparer *comparer, struct comparison_lines *lines, struct comparison *comparison,
	struct comparison_snapshot *snapshot, size_t row)
{
	if (atomic_load(&comparer->stop))
		return -ECANCELED;
	if (row >= lines->n_rings || lines->lines[row].is_ready)
		return 0;
	int r = comparison_lines_add(lines, comparison, snapshot, row);

	if (r == 0)
		publish_line(comparer, lines, row);
	return r;
}

static int add_rows(struct comparer *comparer, struct comparison_lines *lines, struct comparison *comparison,
	struct comparison_snapshot *snapshot)
{
	int r = 0;

	for (size_t i = 0; i < snapshot->n_first && r == 0; i++)
		r = add_row(comparer, lines, comparison, snapshot, snapshot->first[i]);
	if (r == 0 && snapshot->n_first)
		comparer->news(comparer->data);
	for (size_t row = 0; row < lines->n_rings && r == 0; row++)
		r = add_row(comparer, lines, comparison, snapshot, row);
	return r;
}

static void compare(struct comparer *comparer, struct comparison_snapshot *snapshot)
{
	struct comparison comparison = {0};
	struct comparison_lines lines = {0};
	int r = comparison_snapshot_read(snapshot, &comparer->source, &comparer->stop);

	if (r == 0)
		r = comparison_lines_begin(&lines, &comparison, snapshot);
	if (r == 0)
		r = publish_begin(comparer, &lines);
	if (r == 0 && !*lines.refusal.text) {
		r = add_rows(comparer, &lines, &comparison, snapshot);
		if (r == 0)
			r = comparison_lines_end(&lines, &comparison, &comparer->stop);
	}
	if (r == 0)
		publish_end(comparer, &lines);
	else if (r != -ECANCELED)
		publish_failure(comparer, snapshot);
	comparison_finish(&comparison);
	comparison_lines_finish(&lines);
}

static void *comparer_thread(void *data)
{
	struct comparer *comparer = data;
	struct comparison_snapshot snapshot;

	pthread_setname_np(pthread_self(), "compare");
	while (take_next(comparer, &snapshot)) {
		uint64_t start_ns = clock_now_ns(), used_ns = clock_thread_ns();

		compare(comparer, &snapshot);
		comparison_snapshot_finish(&snapshot);
		uint64_t pause_ns = CPU_PART * (clock_thread_ns() - used_ns);

		comparer->due_ns = start_ns + smaller_ns(pause_ns, PAUSE_NS_MAX);
	}
	return NULL;
}

/* --- its callers --- */

int comparer_create(struct comparer **out, void (*news)(void *data), void *data)
{
	struct comparer *comparer = calloc(1, sizeof(*comparer));
	pthread_condattr_t attributes;

	if (!comparer)
		return -ENOMEM;
	comparer->news = news;
	comparer->data = data;
	pthread_mutex_init(&comparer->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&comparer->wanted, &attributes);
	pthread_condattr_destroy(&attributes);
	int r = thread_start(&comparer->thread, comparer_thread, comparer);

	if (r < 0) {
		free(comparer);
		return r;
	}
	*out = comparer;
	return 0;
}

void comparer_set_source(struct comparer *comparer, const struct phase_source *source)
{
	comparer->source = *source;
}

void comparer_destroy(struct comparer *comparer)
{
	if (!comparer)
		return;
	pthread_mutex_lock(&comparer->mutex);
	comparer->ends = true;
	atomic_store(&comparer->stop, true);
	pthread_cond_signal(&comparer->wanted);
	pthread_mutex_unlock(&comparer->mutex);
	pthread_join(comparer->thread, NULL);
	comparison_snapshot_finish(&comparer->next);
	comparison_lines_finish(&comparer->lines);
	pthread_cond_destroy(&comparer->wanted);
	pthread_mutex_destroy(&comparer->mutex);
	free(comparer);
}

/* Phases become replicates when the newest one begins; finding them takes long where there are many. */
static void add_replicates(struct phase_extent *extent, const struct phases *phases,
	const struct phase *phase, const struct phase_extent *before)
{
	uint32_t numbers[REPLICATES_MAX];

	extent->newest = phases_current(phases)->number;
	extent->n_like = before->n_like;
	extent->like = before->like;
	if (extent->newest != before->newest) {
		extent->n_like = phases_like(phases, phase, numbers, REPLICATES_MAX);
		extent->like = numbers[extent->n_like - 1];
	}
	extent->like_ns = phases_find(phases, extent->like)->end_ns;
}

/* A session that is still shows another time after each seek. */
static struct phase_extent extent_of(
	const struct session *session, uint32_t number, bool is_still, struct phase_extent before)
{
	const struct phase *phase = phases_find(&session->phases, number);
	struct phase_extent extent = {0};

	if (!phase)
		return extent;
	if (!is_still) {
		extent.n_blocks = phase->n_blocks;
		extent.block_ticks = phase->block_ticks;
	}
	extent.last_ns = phase->end_ns;
	add_replicates(&extent, &session->phases, phase, &before);
	return extent;
}

static bool extents_equal(struct phase_extent x, struct phase_extent y)
{
	return x.n_blocks == y.n_blocks && x.block_ticks == y.block_ticks && x.last_ns == y.last_ns &&
	       x.n_like == y.n_like && x.like == y.like && x.like_ns == y.like_ns;
}

static void hand_over(struct comparer *comparer, struct comparison_snapshot *snapshot, bool is_still)
{
	bool is_other = !comparison_choice_equal(&snapshot->choice, &comparer->asked);

	pthread_mutex_lock(&comparer->mutex);
	struct comparison_snapshot older = comparer->next;

	comparer->next = *snapshot;
	comparer->has_next = true;
	comparer->is_urgent |= is_other || is_still;
	if (is_other)
		atomic_store(&comparer->stop, true);
	pthread_cond_signal(&comparer->wanted);
	pthread_mutex_unlock(&comparer->mutex);
	comparison_snapshot_finish(&older);
}

static int take_rows(struct comparison_snapshot *snapshot, const size_t *first, size_t n_first,
	const bool *passes, size_t n_rings)
{
	snapshot->first = malloc((n_first + 1) * sizeof(*first));
	snapshot->passes = passes ? malloc(n_rings + 1) : NULL;
	if (!snapshot->first || (passes && !snapshot->passes))
		return -ENOMEM;
	if (n_first)
		memcpy(snapshot->first, first, n_first * sizeof(*first));
	if (passes)
		memcpy(snapshot->passes, passes, n_rings);
	snapshot->n_first = n_first;
	return 0;
}

int comparer_ask(struct comparer *comparer, const struct session *session, bool is_still,
	const struct comparison_choice *choice, const size_t *first, size_t n_first, const bool *passes)
{
	bool same = comparison_choice_equal(choice, &comparer->asked) && is_still == comparer->asked_still;
	struct phase_extent none = {0};
	struct phase_extent a = extent_of(session, choice->a, is_still, same ? comparer->asked_a : none),
			    b = extent_of(session, choice->b, is_still, same ? comparer->asked_b : none);
	struct comparison_snapshot snapshot;

	if (same && extents_equal(a, comparer->asked_a) && extents_equal(b, comparer->asked_b))
		return 0;
	int r = comparison_snapshot_take(&snapshot, session, choice);

	if (r == 0)
		r = take_rows(&snapshot, first, n_first, passes, session->n_rings);
	if (r < 0) {
		comparison_snapshot_finish(&snapshot);
		return r;
	}
	hand_over(comparer, &snapshot, is_still);
	comparer->asked = *choice;
	comparer->asked_still = is_still;
	comparer->asked_a = a;
	comparer->asked_b = b;
	return 0;
}

int comparer_read(struct comparer *comparer, struct comparison_lines *lines)
{
	int r = 0;

	pthread_mutex_lock(&comparer->mutex);
	if (comparer->version != comparer->read_version)
		r = comparison_lines_copy(lines, &comparer->lines);
	if (r == 0)
		comparer->read_version = comparer->version;
	pthread_mutex_unlock(&comparer->mutex);
	return r;
}
