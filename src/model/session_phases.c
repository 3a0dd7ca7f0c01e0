/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_phases.c - phases and windows, as the session feeds them and others read them. */
#include "src/model/session_phases.h"

#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/model/session_group.h"
#include "src/model/session_turns.h"

static const uint64_t window_ns[N_WINDOWS] = {
	[WINDOW_1S] = 1000000000,
	[WINDOW_10S] = 10000000000,
	[WINDOW_60S] = 60000000000,
};

static int begin(struct session *session, enum phase_cause cause, const char *name)
{
	uint64_t at_ns = session_position_ns(session);
	int r = phases_begin(&session->phases, cause, name, at_ns);

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

int session_phases_feed(struct session *session, struct span *span)
{
	int r = begin_first(session);

	if (r == 0)
		r = series_feed(&session->series, span, &session->packing);
	if (r == 0)
		r = phases_feed(&session->phases, span, &session->packing);
	return r;
}

/* One for all changes within a second. */
static bool may_change(const struct session *session, uint64_t now_ns)
{
	uint64_t last_ns = session->auto_phase_ns;

	return session->auto_phase && (!last_ns || now_ns - last_ns >= window_ns[WINDOW_1S]);
}

bool session_will_change(const struct session *session, const struct tick *tick, uint64_t now_ns)
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

int session_spans(const struct session *session, enum window window, struct span_list *list)
{
	if (window == WINDOW_PHASE)
		return phase_spans(phases_current(&session->phases), list);
	return series_spans(&session->series, window_ns[window], list);
}

int session_add_figure(
	const struct session *session, size_t row, enum window window, enum figure figure, struct hist *hist)
{
	window = session_window(session, window);
	if (window == WINDOW_ALL)
		return hist_merge(hist, &session_row_figure(session, row, figure)->hist);
	if (window == WINDOW_PHASE)
		return phase_add_figure(phases_current(&session->phases), row, figure, hist);
	return series_add_figure(&session->series, window_ns[window], row, figure, hist);
}

static struct pack_counts all_counts(const struct session *session, size_t row)
{
	if (row >= session->n_rings) {
		const struct session_group *group = &session->groups[row - session->n_rings];

		return (struct pack_counts){group->active_ns, group->laps, group->warmup_laps, group->missed,
			group->rested, group->away};
	}
	const struct session_ring *ring = &session->rings[row];

	return (struct pack_counts){
		ring->active_ns, ring->laps, ring->warmup_laps, ring->missed, ring->rested, ring->away};
}

void session_add_counts(
	const struct session *session, size_t row, enum window window, struct pack_counts *counts)
{
	struct pack_counts all;

	window = session_window(session, window);
	if (window == WINDOW_PHASE) {
		phase_add_counts(phases_current(&session->phases), row, counts);
	} else if (window == WINDOW_ALL) {
		all = all_counts(session, row);
		pack_counts_add(counts, &all);
	} else {
		series_add_counts(&session->series, window_ns[window], row, counts);
	}
}
