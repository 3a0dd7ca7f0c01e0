/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_phases.c - phases and windows of a session. */
#include "src/model/session_phases.h"

#include "src/figures/tick_fields.h"
#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/model/session_group.h"
#include "src/model/session_turns.h"

static const uint64_t window_ns[N_WINDOWS] = {
	[WINDOW_1S] = 1000000000,
	[WINDOW_10S] = 10000000000,
	[WINDOW_60S] = 60000000000,
};

/* The ticks of the current phase that wait. */
static const struct block *waiting(const struct session *session)
{
	return session->series.ticks + session->series.n_ticks - session->phases.n_waiting;
}

static void take_lock(pthread_mutex_t *lock, bool is_taken)
{
	if (lock && is_taken)
		pthread_mutex_lock(lock);
	else if (lock)
		pthread_mutex_unlock(lock);
}

/* Readers know the sum; the blocks are known to this thread alone. */
static int add_waiting(struct session *session, pthread_mutex_t *lock)
{
	static const struct block none;
	struct phases *phases = &session->phases;
	size_t n = phases->n_waiting;
	struct block waited, sum;

	if (!n) /* halving is ended */
		return phases_add_to_blocks(phases, NULL, 0, &none, &session->sums);
	struct phase *phase = &phases->list[phases->n - 1];
	const struct block *ticks = waiting(session);
	int r = block_merge(&waited, &none, ticks, n, &session->sums);

	if (r < 0)
		return r;
	r = block_merge(&sum, &phase->sum, &waited, 1, &session->sums);
	if (r == 0) {
		take_lock(lock, true);
		block_replace(&phase->sum, &sum);
		phases->n_waiting = 0;
		take_lock(lock, false);
		r = phases_add_to_blocks(phases, ticks, n, &waited, &session->sums);
	}
	block_finish(&waited);
	return r;
}

/* One thing for each tick. */
int session_merge(struct session *session, pthread_mutex_t *lock)
{
	static const struct block none;
	struct series *series = &session->series;
	size_t n = series_chunk_due(series);
	struct block chunk;

	if (session->phases.n_waiting >= PHASE_WAITING_MAX || n + session->phases.n_waiting > series->n_ticks)
		return add_waiting(session, lock);
	if (!n)
		return phases_bound_blocks(&session->phases, &session->sums);
	int r = block_merge(&chunk, &none, series->ticks, n, &session->sums);

	if (r < 0)
		return r;
	take_lock(lock, true);
	series_add_chunk(series, n, &chunk);
	take_lock(lock, false);
	return 0;
}

static int begin(struct session *session, enum phase_cause cause, const char *name)
{
	uint64_t at_ns = session_position_ns(session);
	int r = add_waiting(session, NULL);

	if (r == 0)
		r = phases_begin(&session->phases, cause, name, at_ns);
	if (r < 0)
		return r;
	for (size_t row = 0; row < session_rows(session); row++)
		for (int f = 0; f < N_FIGURES; f++)
			session_row_figures(session, row)[f].phase_max_at_ns = 0;
	if (r == 0 || session->phases.dropped > 1)
		return 0;
	return session_event(session, &(struct event){.at_ns = at_ns,
					      .kind = EVENT_PHASES_FULL,
					      .ring = -1,
					      .member = -1,
					      .number = PHASES_MAX});
}

static int begin_first(struct session *session)
{
	if (session->phases.n)
		return 0;
	return phases_begin(&session->phases, PHASE_START, "start", session->start_ns);
}

int session_phases_feed(struct session *session, struct block *tick)
{
	struct phases *phases = &session->phases;
	struct series *series = &session->series;
	int r = begin_first(session);

	if (r < 0) {
		block_finish(tick);
		return r;
	}
	r = series_feed(series, tick);
	if (r < 0)
		return r;
	phases->list[phases->n - 1].end_ns = series->now_ns;
	phases->n_waiting++;
	return session->merges_apart ? 0 : session_merge(session, NULL);
}

/* All changes within a second begin one phase, which is named by all of them. */
static bool may_change(const struct session *session, uint64_t now_ns)
{
	uint64_t last_ns = session->auto_phase_ns;

	return session->auto_phase && (!last_ns || now_ns - last_ns >= window_ns[WINDOW_1S]);
}

bool session_phases_will_change(const struct session *session, const struct tick *tick, uint64_t now_ns)
{
	for (size_t i = 0; i < tick->n_rings && may_change(session, now_ns); i++) {
		const struct tick_ring *ring = &tick->rings[i];

		if (session_events_will_change(
			    &session->rings[ring->id], ring, tick->members + ring->first_member))
			return true;
	}
	return false;
}

int session_phases_change(struct session *session, const char *what)
{
	if (!may_change(session, session->now_ns))
		return 0;
	session->auto_phase_ns = session->now_ns;
	return begin(session, PHASE_CHANGE, what);
}

int session_phase(struct session *session, const char *name)
{
	const struct phase *phase;
	int r = begin_first(session);

	if (r == 0)
		r = begin(session, name ? PHASE_MARK : PHASE_KEY, name);
	if (r < 0)
		return r;
	phase = phases_current(&session->phases);
	return session_event(session, &(struct event){.at_ns = phase->start_ns,
					      .kind = EVENT_PHASE,
					      .ring = -1,
					      .member = -1,
					      .number = phase->number,
					      .text = phase->name});
}

enum window session_window(const struct session *session, enum window window)
{
	bool is_all = session->phases.n <= 1 && !session->phases.dropped;

	return window == WINDOW_PHASE && is_all ? WINDOW_ALL : window;
}

enum window session_shortest_window(const struct session *session)
{
	uint64_t round_ns = session_round_ns(session);
	int window = WINDOW_1S;

	while (window < WINDOW_PHASE && window_ns[window] < round_ns)
		window++;
	return (enum window)window;
}

struct blocks session_phase_blocks(const struct session *session, const struct phase *phase)
{
	bool is_current = phase == phases_current(&session->phases);

	return (struct blocks){.old = &phase->sum,
		.n_old = phase->sum.n_ticks > 0,
		.ticks = is_current && session->phases.n_waiting ? waiting(session) : NULL,
		.n_ticks = is_current ? session->phases.n_waiting : 0};
}

struct blocks session_blocks(const struct session *session, enum window window)
{
	if (window == WINDOW_PHASE)
		return session_phase_blocks(session, phases_current(&session->phases));
	return series_window(&session->series, window_ns[window]);
}

int session_phase_sums(
	const struct session *session, const struct phase *phase, size_t row, struct row_sums *sums)
{
	struct blocks blocks = session_phase_blocks(session, phase);
	int r = 0;

	row_sums_reset(sums);
	for (size_t i = 0; i < blocks.n_old && r == 0; i++)
		r = row_sums_add(sums, block_row(&blocks.old[i], row));
	for (size_t i = 0; i < blocks.n_ticks && r == 0; i++)
		r = row_sums_add(sums, block_row(&blocks.ticks[i], row));
	return r;
}

int session_add_figure(
	const struct session *session, size_t row, enum window window, enum figure figure, struct hist *hist)
{
	window = session_window(session, window);
	if (window == WINDOW_ALL)
		return hist_merge(hist, &session_row_figure(session, row, figure)->hist);
	struct blocks blocks = session_blocks(session, window);

	return blocks_add_figure(&blocks, row, figure, hist);
}

void session_add_counts(
	const struct session *session, size_t row, enum window window, struct tick_counts *counts)
{
	window = session_window(session, window);
	if (window == WINDOW_ALL) {
		tick_counts_add(counts, session_row_counts(session, row));
		return;
	}
	struct blocks blocks = session_blocks(session, window);

	blocks_add_counts(&blocks, row, counts);
}
