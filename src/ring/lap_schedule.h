/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lap_schedule.h - when laps may start: absolute dues, and which slots are missed. Pure.
 *
 * The oldest due that is not served is served, however late. Younger dues that passed meanwhile are missed:
 * they are counted with their own waiting times, and not served later. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct lap_schedule {
	uint64_t interval_ns; /* 0: flood, there are no dues */
	uint32_t burst;       /* laps for each due, >= 1 */
	uint32_t burst_left;  /* laps that start at once, without a due */
	uint64_t due_ns;      /* of the next slot */
};

/* Missed slots, each an interval after the one before. */
struct lap_schedule_missed {
	uint64_t count;
	uint64_t longest_ns; /* of the oldest; each further one waited an interval less */
};

static inline void lap_schedule_start(struct lap_schedule *schedule, uint64_t first_due_ns)
{
	schedule->due_ns = first_due_ns;
	schedule->burst_left = 0;
}

/* Returns when the next lap may start; 0: at once. */
static inline uint64_t lap_schedule_due(const struct lap_schedule *schedule)
{
	return schedule->interval_ns && !schedule->burst_left ? schedule->due_ns : 0;
}

/* Returns the slots that were due from @first_ns to @now_ns, without those before @from_ns. */
static inline struct lap_schedule_missed lap_schedule_unserved(
	uint64_t first_ns, uint64_t from_ns, uint64_t interval_ns, uint64_t now_ns)
{
	if (from_ns > first_ns)
		first_ns += (from_ns - first_ns + interval_ns - 1) / interval_ns * interval_ns;
	if (now_ns < first_ns)
		return (struct lap_schedule_missed){0};
	return (struct lap_schedule_missed){(now_ns - first_ns) / interval_ns + 1, now_ns - first_ns};
}

/* Starts a lap at @now_ns. Returns its due, 0: none. @missed: the slots after it that were due by now. */
static inline uint64_t lap_schedule_begin_lap(
	struct lap_schedule *schedule, uint64_t now_ns, struct lap_schedule_missed *missed)
{
	uint64_t due_ns = lap_schedule_due(schedule);

	*missed = (struct lap_schedule_missed){0};
	if (!due_ns) {
		schedule->burst_left -= schedule->burst_left > 0;
		return 0;
	}
	if (now_ns - due_ns >= schedule->interval_ns &&
		now_ns > due_ns) /* rare: otherwise the division is saved */
		*missed = lap_schedule_unserved(
			due_ns + schedule->interval_ns, 0, schedule->interval_ns, now_ns);
	schedule->due_ns += (missed->count + 1) * schedule->interval_ns;
	schedule->burst_left = schedule->burst - 1;
	return due_ns;
}

/* Leaves out the slots of a rest from @now_ns to @until_ns. Returns when the first of them was due. @missed:
 * those that were overdue by an interval or more when it began. */
static inline uint64_t lap_schedule_rest(
	struct lap_schedule *schedule, uint64_t now_ns, uint64_t until_ns, struct lap_schedule_missed *missed)
{
	uint64_t first_ns = schedule->due_ns;

	*missed = lap_schedule_unserved(first_ns, 0, schedule->interval_ns, now_ns);
	if (missed->longest_ns < schedule->interval_ns)
		*missed = (struct lap_schedule_missed){0};
	schedule->due_ns += lap_schedule_unserved(first_ns, 0, schedule->interval_ns, until_ns).count *
			    schedule->interval_ns;
	return first_ns + missed->count * schedule->interval_ns;
}

/* A slot that has waited this long when its ring's turn ends is missed. */
#define LAP_SCHEDULE_PATIENCE_NS 100000000u

static inline bool lap_schedule_is_overdue(uint64_t due_ns, uint64_t interval_ns, uint64_t now_ns)
{
	return now_ns >=
	       due_ns + (interval_ns < LAP_SCHEDULE_PATIENCE_NS ? interval_ns : LAP_SCHEDULE_PATIENCE_NS);
}
