/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint_phase.c - the phases of a session as bytes, the newest first. */
#include "src/recording/checkpoint_phase.h"

#include <errno.h>
#include <stdlib.h>

#include "src/model/session.h"
#include "src/model/session_group.h"
#include "src/recording/hist_codec.h"

static void phase_maxima_encode(struct bytes *bytes, const struct session_figure *figures)
{
	for (int i = 0; i < N_FIGURES; i++) {
		bytes_uint(bytes, figures[i].phase_max_at_ns);
		if (figures[i].phase_max_at_ns)
			bytes_uint(bytes, figures[i].phase_max_ns);
	}
}

static void phase_maxima_decode(struct scan *scan, struct session_figure *figures)
{
	for (int i = 0; i < N_FIGURES; i++) {
		figures[i].phase_max_at_ns = scan_uint(scan);
		figures[i].phase_max_ns = figures[i].phase_max_at_ns ? scan_uint(scan) : 0;
	}
}

static void sums_encode(struct bytes *bytes, const struct pack_sums *sums)
{
	bool any = pack_sums_any(sums);

	bytes_uint(bytes, any);
	if (!any)
		return;
	bytes_uint(bytes, sums->counts.active_ns);
	bytes_uint(bytes, sums->counts.laps);
	bytes_uint(bytes, sums->counts.warmup_laps);
	bytes_uint(bytes, sums->counts.missed);
	bytes_uint(bytes, sums->counts.rested);
	bytes_uint(bytes, sums->counts.away);
	for (int i = 0; i < N_FIGURES; i++)
		hist_encode(bytes, &sums->hists[i]);
}

static int sums_decode(struct scan *scan, struct pack_sums *sums)
{
	int r = 0;

	pack_sums_reset(sums);
	if (!scan_below(scan, 2))
		return scan->bad ? -EINVAL : 0;
	sums->counts.active_ns = scan_uint(scan);
	sums->counts.laps = scan_uint(scan);
	sums->counts.warmup_laps = scan_uint(scan);
	sums->counts.missed = scan_uint(scan);
	sums->counts.rested = scan_uint(scan);
	sums->counts.away = scan_uint(scan);
	for (int i = 0; i < N_FIGURES && r == 0; i++)
		r = hist_decode(scan, &sums->hists[i]);
	return r;
}

static void phase_encode(
	struct bytes *bytes, const struct session *session, const struct phase *phase, struct pack_sums *sums)
{
	/* Where it is all that was seen, its sums are written already. */
	bool is_all = session_window(session, WINDOW_PHASE) == WINDOW_ALL;

	bytes_uint(bytes, phase->cause);
	bytes_text(bytes, phase->name);
	bytes_uint(bytes, phase->start_ns);
	bytes_uint(bytes, phase->end_ns);
	bytes_uint(bytes, gather_ticks(&phase->sum) + gather_ticks(&phase->open));
	bytes_uint(bytes, is_all);
	for (size_t row = 0; row < session_rows(session) && !is_all; row++) {
		bytes->failed |= phase_sum_row(phase, row, sums) < 0;
		sums_encode(bytes, sums);
	}
}

/* A recording may be anyone's; what is fed to it from here on is to be added without overflow. */
static uint32_t few_ticks(uint64_t n)
{
	return n < INT32_MAX ? (uint32_t)n : INT32_MAX;
}

/* All that the session's rows have is the phase's. */
static int sum_all(struct session *session, struct phase *phase, uint32_t n_ticks)
{
	struct pack_sums *sums = &session->packing;
	struct span *span = span_create(session_rows(session), phase->start_ns, phase->end_ns);
	int r = 0;

	if (!span)
		return -ENOMEM;
	phase->sum.sum = span;
	span->n_ticks = n_ticks;
	for (size_t row = 0; row < session_rows(session) && r == 0; row++) {
		pack_sums_reset(sums);
		session_add_counts(session, row, WINDOW_ALL, &sums->counts);
		for (int i = 0; i < N_FIGURES && r == 0; i++)
			r = hist_merge(
				&sums->hists[i], &session_row_figure(session, row, (enum figure)i)->hist);
		if (r == 0)
			r = span_pack_sums(span, row, sums, sums);
	}
	return r;
}

static int phase_decode(struct scan *scan, struct session *session, struct phase *phase)
{
	struct pack_sums *sums = &session->packing;
	size_t rows = session_rows(session);
	int r = 0;

	phase->cause = (enum phase_cause)scan_below(scan, PHASE_CHANGE + 1);
	scan_text_into(scan, phase->name, sizeof(phase->name));
	phase->start_ns = scan_uint(scan);
	phase->end_ns = scan_uint(scan);
	phase->block_ticks = 1;
	uint32_t n_ticks = few_ticks(scan_uint(scan));

	if (scan_uint(scan)) /* which is said of one alone */
		return session->phases.n == 1 ? sum_all(session, phase, n_ticks) : -EINVAL;
	phase->sum.sum = span_create(rows, phase->start_ns, phase->end_ns);
	if (!phase->sum.sum)
		return -ENOMEM;
	phase->sum.sum->n_ticks = n_ticks;
	for (size_t row = 0; row < rows && r == 0; row++) {
		r = sums_decode(scan, sums);
		if (r == 0)
			r = span_pack_sums(phase->sum.sum, row, sums, sums);
	}
	return r;
}

void checkpoint_phases_encode(const struct session *session, struct bytes *bytes, size_t phases_max)
{
	const struct phases *phases = &session->phases;
	struct pack_sums sums = {0};
	size_t begun = bytes->n;

	bytes_uint(bytes, session->auto_phase_ns);
	for (size_t row = 0; row < session_rows(session); row++)
		phase_maxima_encode(bytes, session_row_figure(session, row, FIGURE_FIRST));
	bytes_uint(bytes, phases->dropped + phases->n);
	for (size_t i = phases->n; i-- > 0;) {
		size_t before = bytes->n;

		bytes_uint(bytes, true);
		phase_encode(bytes, session, &phases->list[i], &sums);
		if (bytes->n - begun > phases_max && i + 1 < phases->n && !bytes->failed) {
			bytes->n = before;
			break;
		}
	}
	bytes_uint(bytes, false);
	pack_sums_finish(&sums);
}

/* The oldest first, and numbered so that the newest has its number. */
static void phases_settle(struct phases *phases, uint64_t last)
{
	phases->dropped = last > phases->n ? last - phases->n : 0;
	for (size_t i = 0; i < phases->n / 2; i++) {
		struct phase phase = phases->list[i];

		phases->list[i] = phases->list[phases->n - 1 - i];
		phases->list[phases->n - 1 - i] = phase;
	}
	for (size_t i = 0; i < phases->n; i++)
		phases->list[i].number = (uint32_t)(phases->dropped + i + 1);
}

int checkpoint_phases_decode(struct session *session, struct scan *scan)
{
	struct phases *phases = &session->phases;
	int r = 0;

	session->auto_phase_ns = scan_uint(scan);
	for (size_t row = 0; row < session_rows(session); row++)
		phase_maxima_decode(scan, session_row_figures(session, row));
	uint64_t last = scan_uint(scan);

	while (r == 0 && scan_uint(scan)) {
		struct phase *list = realloc(phases->list, (phases->n + 1) * sizeof(*list));

		if (!list)
			return -ENOMEM;
		phases->list = list;
		list[phases->n] = (struct phase){0};
		if (phases->n++ == PHASES_MAX)
			return -EINVAL;
		r = phase_decode(scan, session, &list[phases->n - 1]);
	}
	phases_settle(phases, last);
	return r == 0 && scan->bad ? -EINVAL : r;
}
