/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint.c - a session as bytes, from which the reading of a recording can begin. */
#include "src/recording/checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/tick.h"
#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/model/session_rows.h"
#include "src/plan/plan.h"
#include "src/recording/record_json.h"
#include "src/recording/sweep_codec.h"

static const struct field session_fields[] = {
	FIELD_OF(struct session, start_ns),
	FIELD_OF(struct session, now_ns),
	FIELD_OF(struct session, n_ticks),
	FIELD_OF(struct session, loadavg),
	FIELD_OF(struct session, own_cpu_ppm),
	FIELD_OF(struct session, turn),
	FIELD_OF(struct session, turn_since_ns),
	FIELD_OF(struct session, auto_phase_ns),
	FIELD_OF(struct session, turn_held),
	FIELD_OF(struct session, own_lateness.n),
	FIELD_OF(struct session, own_lateness.last_ns),
	FIELD_OF(struct session, own_lateness.longest_ns),
	FIELD_OF(struct session, own_lateness.at_ns),
	FIELD_OF(struct session, n_turns, .below = PLAN_RINGS_MAX + 1),
	FIELD_OF(struct session, recorder_ns),
	FIELD_OF(struct session, n_recorded),
	FIELD_OF(struct session, recorder_ppm),
	FIELD_OF(struct session, recorded_hz),
	FIELD_OF(struct session, machine_changed_ns),
	FIELD_OF(struct session, turn_ns),
};

static const struct field ring_fields[] = {
	FIELD_OF(struct session_ring, state, .below = RING_GONE + 1),
	FIELD_OF(struct session_ring, condition, .below = N_CONDITIONS),
	FIELD_OF(struct session_ring, reason),
	FIELD_OF(struct session_ring, age_ns),
	FIELD_OF(struct session_ring, locality, .below = N_LOCALITIES + 1),
	FIELD_OF(struct session_ring, faults[FAULT_LOST]),
	FIELD_OF(struct session_ring, faults[FAULT_REPEATED]),
	FIELD_OF(struct session_ring, faults[FAULT_REORDERED]),
	FIELD_OF(struct session_ring, faults[FAULT_DAMAGED]),
	FIELD_OF(struct session_ring, observed),
	FIELD_OF(struct session_ring, trouble, .below = N_CONDITIONS),
	FIELD_OF(struct session_ring, wait_ns),
	FIELD_OF(struct session_ring, ended_ns),
	FIELD_OF(struct session_ring, last_phase),
	FIELD_OF(struct session_ring, refused),
};

static const struct field hop_fields[] = {
	FIELD_OF(struct session_hop, node),
};

static const struct field figure_fields[] = {
	FIELD_OF(struct session_figure, phase_max_ns),
	FIELD_OF(struct session_figure, phase_max_at_ns),
};

static const struct field phase_fields[] = {
	FIELD_OF(struct phase, cause, .below = PHASE_CHANGE + 1),
	FIELD_OF(struct phase, name),
	FIELD_OF(struct phase, start_ns),
	FIELD_OF(struct phase, end_ns),
	FIELD_OF(struct phase, load_sum),
	FIELD_OF(struct phase, n_loads),
	FIELD_OF(struct phase, n_late),
	FIELD_OF(struct phase, interrupts),
};

/* --- rings and rows --- */

static void ring_encode(struct bytes *bytes, const struct session_ring *ring)
{
	fields_encode(bytes, FIELDS(ring_fields), ring);
	for (unsigned m = 0; m < ring->n_members; m++)
		fields_encode(bytes, FIELDS(tick_member_fields), &ring->members[m]);
	for (unsigned h = 0; h < ring->n_members; h++) {
		fields_encode(bytes, FIELDS(hop_fields), &ring->hops[h]);
		packed_figure_encode(bytes, &ring->hops[h].hist);
	}
}

static int ring_decode(struct scan *scan, struct session_ring *ring)
{
	enum locality planned = ring->locality;
	int r = 0;

	free(ring->reason);
	fields_decode(scan, FIELDS(ring_fields), ring);
	enum locality locality = ring->locality;

	ring->locality = planned;
	for (unsigned m = 0; m < ring->n_members; m++)
		fields_decode(scan, FIELDS(tick_member_fields), &ring->members[m]);
	for (unsigned h = 0; h < ring->n_members && r == 0; h++) {
		fields_decode(scan, FIELDS(hop_fields), &ring->hops[h]);
		r = packed_figure_add(scan, &ring->hops[h].hist);
	}
	if (r == 0 && scan->bad)
		r = -EINVAL;
	return r < 0 ? r : session_ring_update_places(ring, locality);
}

/* Writes which rings and groups there are. Rings of the header have an id alone. */
static void names_encode(struct bytes *bytes, const struct session *session)
{
	bytes_uint(bytes, session->n_rings);
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		bytes_uint(bytes, ring->id);
		bytes_uint(bytes, ring->added_ns != 0);
		if (ring->added_ns)
			record_json_ring(bytes, ring);
	}
	bytes_uint(bytes, session->n_mechanisms);
	for (size_t i = 0; i < session->n_mechanisms; i++)
		bytes_text(bytes, session->mechanisms[i]);
	bytes_uint(bytes, session->n_groups);
	for (size_t g = 0; g < session->n_groups; g++)
		bytes_uint(bytes, session->groups[g].row - GROUP_ROW);
}

static int add_ring(struct scan *scan, struct session *session)
{
	struct session_ring ring;
	int r = record_json_read_ring(scan, &ring);

	if (r == 0)
		r = session_add_ring(session, &ring);
	session_ring_finish(&ring);
	return r;
}

/* The session keeps those rings of the header that the checkpoint lists. */
static int rings_decode(struct scan *scan, struct session *session)
{
	uint64_t n = scan_uint(scan);
	size_t at = 0;
	int r = 0;

	for (; at < n && r == 0; at++) {
		uint64_t id = scan_uint(scan);
		bool is_added = scan_below(scan, 2);

		while (at < session->n_rings && session->rings[at].id < id)
			session_remove_ring(session, &session->rings[at]);
		if (scan->bad || is_added != (at == session->n_rings))
			return -EINVAL;
		r = is_added ? add_ring(scan, session) : 0;
		if (r == 0 && session->rings[at].id != id)
			r = -EINVAL;
	}
	while (at < session->n_rings && r == 0)
		session_remove_ring(session, &session->rings[at]);
	return r;
}

static int groups_decode(struct scan *scan, struct session *session)
{
	static const char *const names[] = {"all", "isolated", "housekeeping"};
	uint64_t n_mechanisms = scan_below(scan, CONFIG_PROBES_MAX + 1);
	int r = 0;

	session_rows_finish(session);
	for (uint64_t i = 0; i < n_mechanisms && !scan->bad; i++) {
		session->mechanisms[i] = scan_text(scan);
		session->n_mechanisms += session->mechanisms[i] != NULL;
		scan->bad |= !session->mechanisms[i];
	}
	uint64_t n = scan_below(scan, GROUPS_MAX + 1);

	for (uint64_t i = 0; i < n && r == 0 && !scan->bad; i++) {
		uint64_t number = scan_below(scan, GROUP_MECHANISM + session->n_mechanisms);
		bool is_mechanism = number >= GROUP_MECHANISM;

		r = session_rows_add_group(session, is_mechanism ? GROUP_MECHANISM : (enum group_kind)number,
			is_mechanism ? session->mechanisms[number - GROUP_MECHANISM] : names[number]);
	}
	return r == 0 && (scan->bad || !session->n_groups) ? -EINVAL : r;
}

/* Writes the sums of the row as a packed row. */
static void row_encode(struct bytes *bytes, const struct session *session, size_t row)
{
	const struct session_figure *figures = session_row_figures(session, row);

	for (int f = 0; f < N_FIGURES; f++)
		fields_encode(bytes, FIELDS(figure_fields), &figures[f]);
	size_t begun = bytes_begin(bytes);

	fields_encode(bytes, FIELDS(tick_count_fields), session_row_counts(session, row));
	for (int f = 0; f < N_FIGURES; f++)
		packed_figure_encode(bytes, &figures[f].hist);
	bytes_end(bytes, begun);
}

static int sums_decode(struct scan *scan, struct row_sums *sums)
{
	struct scan row = scan_part(scan);

	row_sums_reset(sums);
	return scan->bad ? -EINVAL : row_sums_add(sums, row);
}

static int row_decode(struct scan *scan, struct session *session, size_t row)
{
	struct session_figure *figures = session_row_figures(session, row);
	struct row_sums *sums = &session->sums;

	for (int f = 0; f < N_FIGURES; f++)
		fields_decode(scan, FIELDS(figure_fields), &figures[f]);
	int r = sums_decode(scan, sums);

	*session_row_counts(session, row) = sums->counts;
	for (int f = 0; f < N_FIGURES && r == 0; f++)
		r = hist_merge(&figures[f].hist, &sums->hists[f]);
	return r;
}

/* --- phases, the oldest first --- */

static void phase_encode(
	struct bytes *bytes, const struct session *session, const struct phase *phase, struct row_sums *sums)
{
	struct block_list blocks = session_phase_blocks(session, phase);
	/* The rows of the only phase are those of the session, which are written already. */
	bool is_all = session_window(session, WINDOW_PHASE) == WINDOW_ALL;

	fields_encode(bytes, FIELDS(phase_fields), phase);
	bytes_uint(bytes, (uint64_t)phase->sum.n_ticks + blocks.n_rest);
	bytes_uint(bytes, is_all);
	for (size_t i = 0; i < session_rows(session) && !is_all; i++) {
		size_t begun = bytes_begin(bytes);

		bytes->failed |= block_list_sum_row(&blocks, session_nth_row(session, i), sums) < 0;
		packed_row_encode(bytes, sums);
		bytes_end(bytes, begun);
	}
}

/* The current phase is always written. */
static void phases_encode(const struct session *session, struct bytes *bytes, size_t phases_max)
{
	const struct phases *phases = &session->phases;
	struct row_sums sums = {0};
	size_t first = phases->n, n_bytes = 0;

	while (first > 0 && (n_bytes += phases->list[first - 1].sum.bytes.n) <= phases_max)
		first--;
	if (first > 0 && first == phases->n)
		first--;
	bytes_uint(bytes, phases->dropped + first);
	bytes_uint(bytes, phases->n - first);
	for (size_t i = first; i < phases->n; i++)
		phase_encode(bytes, session, &phases->list[i], &sums);
	row_sums_finish(&sums);
}

/* Sums up what a row did in the only phase. */
static int all_sums(const struct session *session, size_t row, struct row_sums *sums)
{
	int r = 0;

	row_sums_reset(sums);
	sums->counts = *session_row_counts(session, row);
	for (int f = 0; f < N_FIGURES && r == 0; f++)
		r = hist_merge(&sums->hists[f], &session_row_figures(session, row)[(enum figure)f].hist);
	return r;
}

static int phase_decode(struct scan *scan, struct session *session, struct phase *phase)
{
	struct row_sums *sums = &session->sums;

	fields_decode(scan, FIELDS(phase_fields), phase);
	phase->block_ticks = 1;
	uint64_t n_ticks = scan_uint(scan);
	bool is_all = scan_below(scan, 2);

	if (scan->bad || (is_all && session->phases.n > 0))
		return -EINVAL;
	int r = block_init(&phase->sum, session_rows(session), phase->start_ns, phase->end_ns);

	/* The recording may be hostile: later ticks are added to this number without overflow. */
	phase->sum.n_ticks = n_ticks < INT32_MAX ? (uint32_t)n_ticks : INT32_MAX;
	phase->lacks_blocks = n_ticks > 0;
	for (size_t i = 0; i < session_rows(session) && r == 0; i++) {
		size_t row = session_nth_row(session, i);

		r = is_all ? all_sums(session, row, sums) : sums_decode(scan, sums);
		if (r == 0)
			r = block_add_row(&phase->sum, row, sums);
	}
	bytes_fit(&phase->sum.bytes);
	return r;
}

static int phases_decode(struct scan *scan, struct session *session)
{
	struct phases *phases = &session->phases;
	int r = 0;

	phases->dropped = scan_uint(scan);
	uint64_t n = scan_below(scan, PHASES_MAX + 1);

	if (phases->dropped && !n) /* a session that has dropped phases has a current one */
		return -EINVAL;
	phases->list = calloc(PHASES_MAX, sizeof(*phases->list));
	if (!phases->list)
		return -ENOMEM;
	for (; phases->n < n && r == 0; phases->n++) {
		struct phase *phase = &phases->list[phases->n];

		r = phase_decode(scan, session, phase);
		phase->number = (uint32_t)(phases->dropped + phases->n + 1);
	}
	return r;
}

/* --- spikes --- */

static const struct field blamed_fields[] = {
	FIELD_OF(struct blamed, text),
	FIELD_OF(struct blamed, kind, .below = N_CAUSES),
	FIELD_OF(struct blamed, ns),
	FIELD_OF(struct blamed, n),
};

static const struct field blame_fields[] = {
	FIELD_OF(struct blame_sums, n_spikes),
	FIELD_OF(struct blame_sums, n_passed_over),
	FIELD_OF(struct blame_sums, ns),
};

/* Writes a number for each kind of cause, up to the last one that is not 0: older programs know fewer. */
static void kinds_encode(struct bytes *bytes, const uint64_t of_kinds[N_CAUSES])
{
	size_t n = N_CAUSES;

	while (n && !of_kinds[n - 1])
		n--;
	bytes_uint(bytes, n);
	for (size_t i = 0; i < n; i++)
		bytes_uint(bytes, of_kinds[i]);
}

static void kinds_decode(struct scan *scan, uint64_t of_kinds[N_CAUSES])
{
	uint64_t n = scan_below(scan, N_CAUSES + 1);

	for (uint64_t i = 0; i < N_CAUSES; i++)
		of_kinds[i] = i < n ? scan_uint(scan) : 0;
}

static void sums_of_blame_encode(struct bytes *bytes, const struct blame_sums *sums)
{
	fields_encode(bytes, FIELDS(blame_fields), sums);
	bytes_uint(bytes, sums->n);
	for (size_t i = 0; i < sums->n; i++)
		fields_encode(bytes, FIELDS(blamed_fields), &sums->list[i]);
	kinds_encode(bytes, sums->kind_ns);
}

static void sums_of_blame_decode(struct scan *scan, struct blame_sums *sums)
{
	fields_decode(scan, FIELDS(blame_fields), sums);
	sums->n = scan_below(scan, BLAMED_MAX + 1);
	for (size_t i = 0; i < sums->n; i++)
		fields_decode(scan, FIELDS(blamed_fields), &sums->list[i]);
	kinds_decode(scan, sums->kind_ns);
}

static void kept_encode(struct bytes *bytes, const struct kept_spike *kept)
{
	spike_encode(bytes, &(struct spike_report){kept->spike, kept->records, kept->n_records});
}

/* Returns the one that was reported first after the report of this number. There is one. */
static const struct kept_spike *reported_after(const struct session_spikes *spikes, uint64_t number)
{
	const struct kept_spike *next = NULL;

	for (size_t i = 0; i < spikes->n_last; i++)
		if (spikes->last[i].number > number && (!next || spikes->last[i].number < next->number))
			next = &spikes->last[i];
	return next;
}

/* The last ones as they were reported, because those that were reported first are dropped first. */
static void spikes_encode(struct bytes *bytes, const struct session_spikes *spikes)
{
	const struct kept_spike *kept = NULL;

	bytes_uint(bytes, spikes->n_worst);
	for (size_t i = 0; i < spikes->n_worst; i++)
		kept_encode(bytes, &spikes->worst[i]);
	bytes_uint(bytes, spikes->n_last);
	for (size_t i = 0; i < spikes->n_last; i++) {
		kept = reported_after(spikes, kept ? kept->number : 0);
		kept_encode(bytes, kept);
	}
}

static int list_decode(struct scan *scan, struct session_spikes *spikes,
	int (*restore)(struct session_spikes *spikes, const struct spike_report *report))
{
	struct flight_record *records = calloc(SPIKE_RECORDS_MAX, sizeof(*records));
	uint64_t n = scan_below(scan, SPIKES_KEPT + 1);
	struct spike_report report;
	int r = records ? 0 : -ENOMEM;

	for (uint64_t i = 0; i < n && r == 0; i++) {
		spike_decode(scan, &report, records);
		r = scan->bad ? -EINVAL : restore(spikes, &report);
	}
	free(records);
	return r;
}

static int spikes_decode(struct scan *scan, struct session_spikes *spikes)
{
	int r = list_decode(scan, spikes, spikes_restore_worst);

	return r == 0 ? list_decode(scan, spikes, spikes_restore_last) : r;
}

/* Writes the blames of the session, and of each phase that is written. */
static void blames_encode(struct bytes *bytes, const struct session *session)
{
	const struct phases *phases = &session->phases;

	sums_of_blame_encode(bytes, &session->spikes.blames);
	bytes_uint(bytes, phases->n);
	for (size_t i = phases->n; i-- > 0;)
		sums_of_blame_encode(bytes, &phases->list[i].blames);
}

/* A checkpoint may have left out the oldest phases: so the newest comes first. */
static void blames_decode(struct scan *scan, struct session *session)
{
	const struct phases *phases = &session->phases;

	sums_of_blame_decode(scan, &session->spikes.blames);
	uint64_t n = scan_below(scan, PHASES_MAX + 1);

	for (uint64_t i = 0; i < n && i < phases->n; i++)
		sums_of_blame_decode(scan, &phases->list[phases->n - 1 - i].blames);
}

/* Writes the loads of each phase: of its conditions, the effects of loads need these alone. */
static void loads_encode(struct bytes *bytes, const struct phases *phases)
{
	bytes_uint(bytes, phases->n);
	for (size_t i = phases->n; i-- > 0;)
		bytes_text(bytes, phases->list[i].conditions.machine.loads);
}

static void loads_decode(struct scan *scan, const struct phases *phases)
{
	uint64_t n = scan_below(scan, PHASES_MAX + 1);

	for (uint64_t i = 0; i < n && !scan->bad; i++) {
		char loads[LOADS_TEXT_SIZE];

		scan_text_into(scan, loads, sizeof(loads));
		if (i < phases->n)
			strcpy(phases->list[phases->n - 1 - i].conditions.machine.loads, loads);
	}
}

/* --- the session --- */

void checkpoint_encode(const struct session *session, struct bytes *bytes, size_t phases_max, bool has_matrix)
{
	record_json_machine(bytes, &session->machine);
	fields_encode(bytes, FIELDS(session_fields), session);
	names_encode(bytes, session);
	for (size_t i = 0; i < session->n_rings; i++)
		ring_encode(bytes, &session->rings[i]);
	for (size_t i = 0; i < session_rows(session); i++)
		row_encode(bytes, session, session_nth_row(session, i));
	phases_encode(session, bytes, phases_max);
	bytes_uint(bytes, session->events_dropped);
	bytes_uint(bytes, session->n_events);
	for (size_t i = 0; i < session->n_events; i++)
		event_encode(bytes, &session->events[i]);
	spikes_encode(bytes, &session->spikes);
	blames_encode(bytes, session);
	loads_encode(bytes, &session->phases);
	/* A sweep has no spikes, and nothing reads those of phases. */
	if (!session->matrix)
		kinds_encode(bytes, session->spikes.blames.kind_n);
	else if (has_matrix)
		sweep_encode_all(bytes, session->matrix);
}

static int events_decode(struct scan *scan, struct session *session)
{
	uint64_t dropped = scan_uint(scan), n = scan_below(scan, SESSION_EVENTS_MAX + 1);
	int r = 0;

	session->events_dropped = dropped; /* their serials follow those of dropped ones */
	for (uint64_t i = 0; i < n && r == 0; i++) {
		struct event event;

		event_decode(scan, &event);
		r = scan->bad ? -EINVAL : session_event(session, &event);
		event_finish(&event);
	}
	return r;
}

int checkpoint_decode(struct session *session, struct scan *scan)
{
	uint64_t turn_ns = session->turn_ns;
	int r = record_json_read_machine(scan, &session->machine);

	fields_decode(scan, FIELDS(session_fields), session);
	if (!session->turn_ns) /* recordings before 5.10 have that of the start alone */
		session->turn_ns = turn_ns;
	if (r == 0)
		r = rings_decode(scan, session);
	if (r == 0)
		r = groups_decode(scan, session);
	if (r == 0 && session->turn && session->turn >= session->n_turns)
		r = -EINVAL;
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		r = ring_decode(scan, &session->rings[i]);
	if (r == 0)
		r = session_find_namesakes(session);
	for (size_t i = 0; i < session_rows(session) && r == 0; i++)
		r = row_decode(scan, session, session_nth_row(session, i));
	if (r == 0)
		r = phases_decode(scan, session);
	if (r == 0)
		r = events_decode(scan, session);
	if (r == 0 && scan->at < scan->end) /* recordings before 5.2 have no spikes */
		r = spikes_decode(scan, &session->spikes);
	if (r == 0 && scan->at < scan->end)
		blames_decode(scan, session);
	if (r == 0 && scan->at < scan->end) /* nor do those before 5.5 have loads */
		loads_decode(scan, &session->phases);
	if (r == 0 && session->matrix && scan->at < scan->end)
		r = sweep_decode_all(scan, session->matrix,
			session->phases.n ? phases_current(&session->phases)->number : 1);
	/* Recordings before 5.7 have none. */
	if (r == 0 && !session->matrix && scan->at < scan->end)
		kinds_decode(scan, session->spikes.blames.kind_n);
	return r == 0 && scan->bad ? -EINVAL : r;
}
