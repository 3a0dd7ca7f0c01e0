/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike.c - spikes and flight records as bytes, and from which length on a sample is a spike. */
#include "src/figures/spike.h"

#include "src/base/clock.h"
#include "src/base/field.h"

const char *const flight_kind_names[N_FLIGHT_KINDS] = {
	[FLIGHT_SWITCH] = "switch",
	[FLIGHT_TIMER] = "timer",
	[FLIGHT_IRQ] = "irq",
	[FLIGHT_IPI] = "ipi",
	[FLIGHT_SOFTIRQ] = "softirq",
	[FLIGHT_NMI] = "nmi",
	[FLIGHT_IDLE] = "idle",
	[FLIGHT_GAP] = "gap",
	[FLIGHT_TURNS] = "turns",
	[FLIGHT_MEMBERS] = "members",
};

/* The recorded fields; a new one is a row at the end. */
#define OF_SPIKE(name, ...) FIELD_OF(struct spike, name, __VA_ARGS__)
/* clang-format off */
#define OF_HINTS(end)                                                                                        \
	FIELD_AS(struct spike, end##_hints.n_rings, #end "_n_rings"), \
	FIELD_AS(struct spike, end##_hints.n_late, #end "_n_late"), \
	FIELD_AS(struct spike, end##_hints.n_core_rings, #end "_n_core_rings"), \
	FIELD_AS(struct spike, end##_hints.n_core_late, #end "_n_core_late"), \
	FIELD_AS(struct spike, end##_hints.top_tid, #end "_top_tid"), \
	FIELD_AS(struct spike, end##_hints.top_priority, #end "_top_priority"), \
	FIELD_AS(struct spike, end##_hints.top_name, #end "_top_name"), \
	FIELD_AS(struct spike, end##_hints.interrupts_hz, #end "_interrupts_hz"), \
	FIELD_AS(struct spike, end##_hints.usual_interrupts_hz, #end "_usual_interrupts_hz"), \
	FIELD_AS(struct spike, end##_hints.softirqs_hz, #end "_softirqs_hz"), \
	FIELD_AS(struct spike, end##_hints.usual_softirqs_hz, #end "_usual_softirqs_hz"), \
	FIELD_AS(struct spike, end##_hints.interrupt_name, #end "_interrupt_name"), \
	FIELD_AS(struct spike, end##_hints.softirq_name, #end "_softirq_name")
/* clang-format on */
#define OF_RECORD(name, ...) FIELD_OF(struct flight_record, name, __VA_ARGS__)

static const struct field spike_fields[] = {
	OF_SPIKE(ring),
	OF_SPIKE(token),
	OF_SPIKE(figure, .below = N_FIGURES),
	OF_SPIKE(due_ns),
	OF_SPIKE(sent_ns),
	OF_SPIKE(received_ns),
	OF_SPIKE(seen_ns),
	OF_SPIKE(limit_ns),
	FIELD_AS(struct spike, sender.tid, "sender_tid"),
	FIELD_AS(struct spike, sender.cpu, "sender_cpu"),
	FIELD_AS(struct spike, sender.policy.policy, "sender_policy"),
	FIELD_AS(struct spike, receiver.tid, "receiver_tid"),
	FIELD_AS(struct spike, receiver.cpu, "receiver_cpu"),
	FIELD_AS(struct spike, receiver.policy.policy, "receiver_policy"),
	FIELD_AS(struct spike, sender.policy.priority, "sender_priority"),
	FIELD_AS(struct spike, receiver.policy.priority, "receiver_priority"),
	OF_SPIKE(n_passed_over),
	OF_SPIKE(n_rings),
	OF_SPIKE(n_late),
	OF_HINTS(sender),
	OF_HINTS(receiver),
	/* Later ones come at the end: older recordings lack them. */
	FIELD_AS(struct spike, sender_hints.top_is_past, "sender_top_is_past"),
	FIELD_AS(struct spike, receiver_hints.top_is_past, "receiver_top_is_past"),
	OF_SPIKE(sender_steal_ns),
	OF_SPIKE(receiver_steal_ns),
	OF_SPIKE(is_guest),
	OF_SPIKE(n_smis),
	FIELD_AS(struct spike, sender.policy.nice, "sender_nice"),
	FIELD_AS(struct spike, receiver.policy.nice, "receiver_nice"),
	FIELD_AS(struct spike, sender_hints.mhz, "sender_mhz"),
	FIELD_AS(struct spike, sender_hints.usual_mhz, "sender_usual_mhz"),
	FIELD_AS(struct spike, receiver_hints.mhz, "receiver_mhz"),
	FIELD_AS(struct spike, receiver_hints.usual_mhz, "receiver_usual_mhz"),
	FIELD_AS(struct spike, sender.moved_ns, "sender_moved_ns"),
	FIELD_AS(struct spike, receiver.moved_ns, "receiver_moved_ns"),
	OF_SPIKE(hop),
	OF_SPIKE(hop_from_ns),
	OF_SPIKE(hop_to_ns),
};

static const struct field flight_fields[] = {
	OF_RECORD(kind, .below = N_FLIGHT_KINDS),
	OF_RECORD(cpu),
	OF_RECORD(at_ns),
	OF_RECORD(from_ns),
	OF_RECORD(number),
	OF_RECORD(prev_tid),
	OF_RECORD(next_tid),
	OF_RECORD(prev_priority),
	OF_RECORD(next_priority),
	OF_RECORD(prev_state),
	OF_RECORD(prev_name),
	OF_RECORD(next_name),
	OF_RECORD(prev_role, .below = N_FLIGHT_ROLES),
	OF_RECORD(next_role, .below = N_FLIGHT_ROLES),
	OF_RECORD(prev_policy),
	OF_RECORD(next_policy),
	OF_RECORD(until_ns),
	OF_RECORD(queued_ns),
};

void spike_encode(struct bytes *bytes, const struct spike_report *report)
{
	fields_encode(bytes, FIELDS(spike_fields), &report->spike);
	bytes_uint(bytes, report->n_records);
	for (size_t i = 0; i < report->n_records; i++)
		fields_encode(bytes, FIELDS(flight_fields), &report->records[i]);
}

void spike_decode(
	struct scan *scan, struct spike_report *report, struct flight_record records[SPIKE_RECORDS_MAX])
{
	*report = (struct spike_report){.records = records};
	fields_decode(scan, FIELDS(spike_fields), &report->spike);
	report->n_records = scan_below(scan, SPIKE_RECORDS_MAX + 1);
	for (size_t i = 0; i < report->n_records && !scan->bad; i++) {
		records[i] = (struct flight_record){0};
		fields_decode(scan, FIELDS(flight_fields), &records[i]);
		scan->bad |= i > 0 && records[i].at_ns < records[i - 1].at_ns;
	}
}

/* --- the limit --- */

static const uint64_t least_ns = 20000, second_ns = 1000000000;
enum { TIMES_USUAL = 3, PER_SECOND = 20 };

static uint64_t count_samples(const struct hist_cell *cells, size_t n_cells)
{
	uint64_t n = 0;

	for (size_t i = 0; i < n_cells; i++)
		n += cells[i].bucket < HIST_UNTIMED ? cells[i].count : 0;
	return n;
}

/* Returns the lower edge of the bucket that the @rank-th of the longest samples is in: at least so many reach
 * it, so equal stalls do not hide each other. 0: there are not so many. */
static uint64_t longest_at(const struct hist_cell *cells, size_t n_cells, uint64_t rank)
{
	for (size_t i = n_cells; i-- > 0;) {
		if (cells[i].bucket >= HIST_UNTIMED)
			continue;
		if (cells[i].count >= rank)
			return hist_lower(cells[i].bucket);
		rank -= cells[i].count;
	}
	return 0;
}

uint64_t spike_limit(struct spike_usual *usual, const struct hist_cell *cells, size_t n_cells,
	uint64_t length_ns, uint64_t before_ns)
{
	uint64_t n = count_samples(cells, n_cells), most_ns = usual->median_ns + usual->median_ns / 4;
	uint64_t allowed = PER_SECOND * length_ns / second_ns;

	if (!n)
		return before_ns;
	uint64_t median_ns = longest_at(cells, n_cells, n - n / 2);

	usual->median_ns = usual->median_ns && median_ns > most_ns ? most_ns : median_ns;
	return larger_ns(
		larger_ns(least_ns, TIMES_USUAL * usual->median_ns), longest_at(cells, n_cells, allowed + 1));
}
