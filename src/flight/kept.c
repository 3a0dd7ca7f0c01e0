/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept.c - the records that the flight recorder keeps of each CPU, and those among them that a spike needs.
 */
#include "src/flight/kept.h"

#include <stdlib.h>

#include "src/machine/task.h"

/* Records of at least so long are kept; of fewer CPUs, and of those where little happens, of longer. */
static const uint64_t kept_ns = 2000000000;

static void drop_records(struct kept *kept, struct kept_cpu *cpu)
{
	kept->room -= cpu->size;
	free(cpu->records);
	*cpu = (struct kept_cpu){0};
}

void kept_finish(struct kept *kept)
{
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		kept_watch(kept, cpu, false, 0);
}

void kept_watch(struct kept *kept, uint32_t number, bool is_watched, uint64_t now_ns)
{
	struct kept_cpu *cpu = &kept->cpus[number];

	if (is_watched == (cpu->since_ns > 0))
		return;
	if (is_watched) {
		cpu->since_ns = now_ns;
		kept->n_cpus++;
	} else {
		drop_records(kept, cpu);
		kept->n_cpus--;
	}
}

static uint64_t first_size(const struct kept *kept)
{
	uint64_t size = KEPT_FIRST;

	while (size > KEPT_LEAST && size * kept->n_cpus > KEPT_FIRST)
		size /= 2;
	return size;
}

/* All records of a round are in use, so those of a longer round follow them. Without memory for more the
 * oldest records are dropped. */
static void grow(struct kept *kept, struct kept_cpu *cpu)
{
	uint64_t size = cpu->size ? 2 * cpu->size : first_size(kept);
	struct flight_record *grown = NULL;

	if (!cpu->size || kept->room + cpu->size <= KEPT_MAX)
		grown = reallocarray(cpu->records, size, sizeof(*grown));
	if (!grown)
		return;
	kept->room += size - cpu->size;
	cpu->records = grown;
	cpu->count = cpu->size;
	cpu->size = size;
}

/* Returns where the CPU's next record belongs; NULL without memory. */
static struct flight_record *next_of(struct kept *kept, struct kept_cpu *cpu, uint64_t at_ns)
{
	if (!cpu->size ||
		(cpu->count && cpu->count % cpu->size == 0 && cpu->records[0].at_ns + kept_ns > at_ns))
		grow(kept, cpu);
	cpu->has_dropped |= cpu->count >= cpu->size;
	return cpu->size ? &cpu->records[cpu->count++ % cpu->size] : NULL;
}

static bool is_realtime(int32_t tid, int32_t priority)
{
	return tid && priority < 100;
}

static bool leaves_runnable(const struct flight_record *record)
{
	return is_realtime(record->prev_tid, record->prev_priority) && !record->prev_state;
}

struct flight_record *kept_add(struct kept *kept, const struct flight_record *record)
{
	struct kept_cpu *cpu = record->cpu < CPUS_MAX ? &kept->cpus[record->cpu] : NULL;

	if (!cpu || !cpu->since_ns)
		return NULL;
	if (record->kind == FLIGHT_SWITCH && record->prev_state & FLIGHT_STOPPED)
		cpu->stopped_ns = record->at_ns;
	if (record->kind == FLIGHT_SWITCH && leaves_runnable(record))
		cpu->left_ns = record->at_ns;
	struct flight_record *next = next_of(kept, cpu, record->at_ns);

	if (next)
		*next = *record;
	return next;
}

/* --- the records of a spike --- */

/* A time for which a member was stopped, or waited in the kernel. Zeroed: none. */
struct absence {
	uint64_t from_ns, to_ns;
};

enum { N_ENDS = 2 };

struct found {
	struct flight_record *records;
	size_t n, max;
	uint64_t least_ns; /* shorter interrupts are left out: there are too many */
	bool is_full;
	/* Where too many records are left, those of others in these times are dropped, too. */
	struct absence absences[N_ENDS];
	const struct spike *spike;
};

static uint64_t begin_ns(const struct flight_record *record)
{
	return record->kind == FLIGHT_SWITCH ? record->at_ns : record->from_ns;
}

static bool has_tid(const struct flight_record *record, int32_t tid)
{
	return tid && (record->prev_tid == tid || record->next_tid == tid);
}

static bool is_of_others(const struct found *found, const struct flight_record *record)
{
	bool is_in_absence = false;

	for (unsigned i = 0; i < N_ENDS; i++)
		is_in_absence |= record->at_ns > found->absences[i].from_ns &&
				 record->at_ns < found->absences[i].to_ns;
	return is_in_absence && !has_tid(record, found->spike->sender.tid) &&
	       !has_tid(record, found->spike->receiver.tid);
}

static bool is_left_out(const struct found *found, const struct flight_record *record)
{
	bool is_of_tasks = record->kind == FLIGHT_SWITCH || record->kind == FLIGHT_TURNS ||
			   record->kind == FLIGHT_MEMBERS;

	return is_of_tasks ? is_of_others(found, record) : record->at_ns - record->from_ns < found->least_ns;
}

/* Returns false once there is no room but that of the gap. */
static bool add_found(struct found *found, const struct flight_record *record)
{
	if (is_left_out(found, record))
		return true;
	found->is_full |= found->n + 1 >= found->max;
	if (!found->is_full)
		found->records[found->n++] = *record;
	return !found->is_full;
}

static void add_gap(struct found *found, uint32_t cpu, uint64_t from_ns, uint64_t to_ns, uint32_t number)
{
	if (found->n < found->max)
		found->records[found->n++] = (struct flight_record){
			.kind = FLIGHT_GAP, .cpu = cpu, .from_ns = from_ns, .at_ns = to_ns, .number = number};
}

/* Goes through the records of a CPU, from the newest on back. */
struct walk {
	const struct kept_cpu *cpu;
	uint64_t next; /* number of the record after those that are left */
};

static struct walk walk_back(const struct kept *kept, uint32_t cpu)
{
	static const struct kept_cpu none = {0};
	const struct kept_cpu *at = cpu < CPUS_MAX ? &kept->cpus[cpu] : &none;

	return (struct walk){at, at->count};
}

/* Returns NULL at the end. */
static const struct flight_record *walk_next(struct walk *walk)
{
	const struct kept_cpu *cpu = walk->cpu;
	uint64_t first = cpu->count > cpu->size ? cpu->count - cpu->size : 0;

	return walk->next > first ? &cpu->records[--walk->next % cpu->size] : NULL;
}

/* Returns from when on the CPU's records are there. UINT64_MAX: they never were. */
static uint64_t known_since(const struct kept *kept, uint32_t number)
{
	const struct kept_cpu *cpu = number < CPUS_MAX ? &kept->cpus[number] : NULL;

	if (!cpu || !cpu->since_ns || (cpu->has_dropped && !cpu->size))
		return UINT64_MAX;
	uint64_t oldest = cpu->count > cpu->size ? cpu->count % cpu->size : 0;
	uint64_t oldest_ns = cpu->has_dropped ? cpu->records[oldest].at_ns : 0;

	return oldest_ns > cpu->since_ns ? oldest_ns : cpu->since_ns;
}

/* One that was moved may have been on the CPU of the other end. */
static bool was_on_cpu(const struct spike_end *end, uint32_t cpu)
{
	return end->cpu == (int32_t)cpu || end->moved_ns;
}

static const uint64_t before_ns = 100000000; /* so long before a spike a stop of a member may have been */

/* Spares the walk back, which is long where much happens. */
static bool is_long_ago(uint64_t last_ns, const struct spike *spike)
{
	return last_ns + before_ns < spike_start_ns(spike);
}

/* Returns the next switch on back before a spike: up to the first gap. NULL at the end. */
static const struct flight_record *switch_before(struct walk *walk, const struct spike *spike)
{
	uint64_t start_ns = spike_start_ns(spike);
	const struct flight_record *record;

	while ((record = walk_next(walk))) {
		if (record->at_ns >= start_ns)
			continue;
		if (record->at_ns + before_ns < start_ns || record->kind == FLIGHT_GAP)
			return NULL;
		if (record->kind == FLIGHT_SWITCH)
			return record;
	}
	return NULL;
}

/* Returns the switch by which the member was stopped before the spike, if none that has it came after it up
 * to the spike; else NULL. */
static const struct flight_record *find_stop(
	const struct kept *kept, const struct spike *spike, uint32_t cpu, int32_t tid)
{
	struct walk walk = walk_back(kept, cpu);
	const struct flight_record *record;

	if (!tid || cpu >= CPUS_MAX || is_long_ago(kept->cpus[cpu].stopped_ns, spike))
		return NULL;
	while ((record = switch_before(&walk, spike))) {
		if (record->prev_tid == tid)
			return record->prev_state & FLIGHT_STOPPED ? record : NULL;
		if (record->next_tid == tid)
			return NULL;
	}
	return NULL;
}

/* Returns the absence of a member from a CPU that has most of the spike. */
static struct absence find_absence(
	const struct kept *kept, const struct spike *spike, uint32_t cpu, int32_t tid)
{
	uint64_t start_ns = spike_start_ns(spike), end_ns = spike_end_ns(spike), to_ns = end_ns, most_ns = 0;
	struct walk walk = walk_back(kept, cpu);
	const struct flight_record *record;
	struct absence most = {0};

	while ((record = walk_next(&walk))) {
		if (record->at_ns > end_ns)
			continue;
		if (record->kind == FLIGHT_GAP)
			to_ns = record->from_ns < to_ns ? record->from_ns : to_ns;
		if (to_ns <= start_ns || record->at_ns + before_ns < start_ns)
			break;
		if (record->kind != FLIGHT_SWITCH || !has_tid(record, tid))
			continue;
		uint64_t from_ns = record->at_ns > start_ns ? record->at_ns : start_ns;

		if (record->prev_tid == tid && record->prev_state & (FLIGHT_STOPPED | FLIGHT_BLOCKED) &&
			to_ns > from_ns + most_ns) {
			most = (struct absence){record->at_ns, to_ns};
			most_ns = to_ns - from_ns;
		}
		to_ns = record->at_ns;
	}
	return most;
}

/* A task that has ended counts as one that was elsewhere. */
static bool is_pinned(int32_t tid, uint32_t cpu)
{
	struct cpus cpus;

	return task_get_affinity(tid, &cpus) == 0 && cpus_count(&cpus) == 1 && cpus_has(&cpus, cpu);
}

/* Returns the last switch before the spike by which a real-time task had to leave the CPU that wanted to go
 * on; NULL if another real-time task comes between that switch and the spike. The task for which it left may
 * come, but not again after an ordinary task or from idle. That it comes from idle is not recorded. */
static const struct flight_record *find_throttled(
	const struct kept *kept, const struct spike *spike, uint32_t cpu)
{
	struct walk walk = walk_back(kept, cpu);
	const struct flight_record *record;
	int32_t slept = 0; /* who went to sleep last */

	if (cpu >= CPUS_MAX || is_long_ago(kept->cpus[cpu].left_ns, spike))
		return NULL;
	while ((record = switch_before(&walk, spike))) {
		bool is_left_for =
			record->next_tid == slept && is_realtime(record->prev_tid, record->prev_priority);

		if (is_realtime(record->next_tid, record->next_priority) && !is_left_for)
			return NULL;
		if (slept && record->prev_tid == slept)
			return NULL;
		if (leaves_runnable(record))
			return record;
		if (is_realtime(record->prev_tid, record->prev_priority))
			slept = record->prev_tid;
	}
	return NULL;
}

/* Notes which of the real-time tasks that had to leave still wait for the CPU. That a member goes to sleep
 * after them is not recorded. */
static void note_pinned(struct flight_record *records, size_t n)
{
	struct flight_record *left = NULL;

	for (size_t i = 0; i < n; i++) {
		struct flight_record *record = &records[i];

		if (record->kind != FLIGHT_SWITCH)
			continue;
		if (leaves_runnable(record))
			left = record;
		else if (left && record->next_tid == left->prev_tid)
			left = NULL;
		if (left && !is_realtime(record->next_tid, record->next_priority) &&
			is_pinned(left->prev_tid, left->cpu))
			left->number = SWITCH_PINNED;
	}
	if (left && is_pinned(left->prev_tid, left->cpu))
		left->number = SWITCH_PINNED;
}

static void add_unless_there(struct found *found, const struct flight_record *record)
{
	for (size_t i = 0; record && i < found->n; i++)
		if (found->records[i].kind == FLIGHT_SWITCH && found->records[i].at_ns == record->at_ns)
			return;
	if (record)
		add_found(found, record);
}

/* Adds the switches by which members were stopped before the spike. What others did on these CPUs since then
 * says nothing more. */
static void find_stops(const struct kept *kept, const struct spike *spike, uint32_t cpu, struct found *found)
{
	const struct spike_end *const ends[N_ENDS] = {&spike->sender, &spike->receiver};

	for (unsigned i = 0; i < N_ENDS && !found->is_full; i++) {
		const struct flight_record *stop =
			was_on_cpu(ends[i], cpu) ? find_stop(kept, spike, cpu, ends[i]->tid) : NULL;

		add_unless_there(found, stop);
	}
}

/* From the newest record on back: a CPU's are in order, so the first switch before the start is the last that
 * is needed, but for those by which the members were stopped. */
static void find_on_cpu(const struct kept *kept, const struct spike *spike, uint32_t cpu, struct found *found)
{
	uint64_t start_ns = spike_start_ns(spike), end_ns = spike_end_ns(spike),
		 since_ns = known_since(kept, cpu);
	struct walk walk = walk_back(kept, cpu);
	const struct flight_record *record;
	uint64_t from_ns = end_ns;
	bool goes_on = true;

	if (cpu < CPUS_MAX && kept->cpus[cpu].hid_until_ns > start_ns)
		add_gap(found, cpu, start_ns, end_ns, GAP_OF_HIDDEN);
	while (goes_on && (record = walk_next(&walk))) {
		bool is_before = record->at_ns < start_ns;

		if (begin_ns(record) > end_ns)
			continue;
		if (is_before && record->kind == FLIGHT_GAP)
			break;
		if (is_before && record->kind != FLIGHT_SWITCH)
			continue;
		goes_on = add_found(found, record) && !is_before;
		from_ns = found->is_full ? from_ns : record->at_ns;
	}
	if (!found->is_full)
		find_stops(kept, spike, cpu, found);
	if (!found->is_full)
		add_unless_there(found, find_throttled(kept, spike, cpu));
	if (found->is_full)
		add_gap(found, cpu, start_ns, from_ns, 0);
	else if (since_ns > start_ns)
		add_gap(found, cpu, start_ns, since_ns < end_ns ? since_ns : end_ns, 0);
}

static int compare_ends(const void *left, const void *right)
{
	const struct flight_record *a = left, *b = right;

	return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

/* Says that others are left out while members of this CPU are away. Returns false if none is. */
static bool add_absences(
	const struct kept *kept, const struct spike *spike, uint32_t cpu, struct found *found)
{
	const struct spike_end *const ends[N_ENDS] = {&spike->sender, &spike->receiver};
	uint64_t start_ns = spike_start_ns(spike);

	for (unsigned i = 0; i < N_ENDS; i++) {
		struct absence *absence = &found->absences[i];

		if (!was_on_cpu(ends[i], cpu))
			continue;
		*absence = find_absence(kept, spike, cpu, ends[i]->tid);
		if (absence->to_ns)
			add_gap(found, cpu, absence->from_ns > start_ns ? absence->from_ns + 1 : start_ns,
				absence->to_ns - 1, GAP_OF_OTHERS);
	}
	return found->absences[0].to_ns || found->absences[1].to_ns;
}

/* Leaves out short records, then those of others while a member was away, until the rest has room. */
static size_t find_cpu_records(const struct kept *kept, const struct spike *spike, uint32_t cpu,
	struct flight_record *records, size_t max)
{
	static const uint64_t least_ns[] = {0, 10000, 100000};
	enum { N_LEAST = sizeof(least_ns) / sizeof(*least_ns) };
	struct found found = {.is_full = true};

	for (size_t i = 0; i < N_LEAST && found.is_full; i++) {
		found = (struct found){
			.records = records, .max = max, .least_ns = least_ns[i], .spike = spike};
		find_on_cpu(kept, spike, cpu, &found);
	}
	if (!found.is_full)
		return found.n;
	struct found members = {
		.records = records, .max = max, .least_ns = least_ns[N_LEAST - 1], .spike = spike};

	if (add_absences(kept, spike, cpu, &members)) {
		find_on_cpu(kept, spike, cpu, &members);
		return members.n;
	}
	return found.n;
}

size_t kept_find(
	const struct kept *kept, const struct spike *spike, struct flight_record *records, size_t max)
{
	const int32_t cpus[] = {spike->sender.cpu, spike->receiver.cpu};
	bool is_one = cpus[0] == cpus[1] || cpus[1] < 0;
	size_t n = 0;

	for (unsigned i = 0; i < (is_one ? 1 : 2); i++) {
		if (cpus[i] < 0)
			continue;
		/* Each CPU has half of the room. */
		size_t found =
			find_cpu_records(kept, spike, (uint32_t)cpus[i], records + n, is_one ? max : max / 2);

		qsort(records + n, found, sizeof(*records), compare_ends);
		note_pinned(records + n, found);
		n += found;
	}
	qsort(records, n, sizeof(*records), compare_ends);
	return n;
}
