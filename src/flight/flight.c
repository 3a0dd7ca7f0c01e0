/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flight.c - the flight recorder: chooses the tier, and keeps its records of the last seconds. */
#include "src/flight/flight.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/base/clock.h"
#include "src/machine/cpus.h"
#include "src/machine/task.h"

/* The better ones come first. */
static const struct flight_tier *const tiers[] = {&flight_bpf, &flight_perf, &flight_switches};
enum { N_TIERS = sizeof(tiers) / sizeof(*tiers), FIRST_TIER = FLIGHT_OFF + 1 };

/* Records of at least so long are kept; of fewer CPUs, and of those where little happens, of longer. */
static const uint64_t kept_ns = 2000000000;

/* CPUs begin with the places of FIRST together. Once a CPU fills its own within kept_ns, they double, up to
 * KEPT_MAX (88 MiB) of all. */
enum { KEPT_FIRST = 1 << 16, KEPT_LEAST = 1 << 10, KEPT_MAX = 1 << 20, OWN_MAX = 16 };

/* The records of a CPU, in the order of at_ns: number i is at i modulo size, and overwrites an older one. */
struct kept {
	struct flight_record *records; /* owned; NULL: none yet */
	uint64_t size, count;
	bool has_dropped; /* older records than the oldest one */
};

struct flight {
	unsigned word;
	const struct flight_tier *tier; /* NULL: it does not record */
	void *state;
	bool tried;
	uint64_t since_ns[CPUS_MAX];     /* when the CPU began to be watched; 0: it is not */
	uint64_t hid_until_ns[CPUS_MAX]; /* tasks were not recorded; UINT64_MAX: they still are not */
	int32_t *members;                /* owned; tids, ascending */
	size_t n_members;
	int32_t own[OWN_MAX]; /* tids: the keeper's, and those of this process */
	size_t n_own;
	struct error_text lacks;
	struct flight_cost cost;
	struct flight_loss loss;
	bool has_told_hidden;
	struct kept kept[CPUS_MAX];
	size_t n_kept, n_cpus; /* places of all; watched CPUs */
};

const char *flight_word(unsigned i)
{
	static const char *const words[] = {"auto", "off"};

	if (i < FIRST_TIER)
		return words[i];
	return i < FIRST_TIER + N_TIERS ? tiers[i - FIRST_TIER]->name : NULL;
}

int flight_create(struct flight **flight, unsigned word, pid_t keeper)
{
	*flight = calloc(1, sizeof(**flight));
	if (!*flight)
		return -ENOMEM;
	(*flight)->word = word;
	(*flight)->own[0] = keeper;
	return 0;
}

unsigned flight_next_word(const struct flight *flight)
{
	unsigned i = 0;

	if (!flight->tier)
		return FLIGHT_AUTO;
	while (tiers[i] != flight->tier)
		i++;
	for (i++; i < N_TIERS; i++)
		if (!tiers[i]->is_costly)
			return FIRST_TIER + i;
	return FLIGHT_OFF;
}

static void drop_kept(struct flight *flight, struct kept *kept)
{
	flight->n_kept -= kept->size;
	free(kept->records);
	*kept = (struct kept){0};
}

static void stop(struct flight *flight)
{
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
		drop_kept(flight, &flight->kept[cpu]);
	if (flight->tier)
		flight->tier->close(flight->state);
	flight->tier = NULL;
	flight->state = NULL;
	memset(flight->since_ns, 0, sizeof(flight->since_ns));
	memset(flight->hid_until_ns, 0, sizeof(flight->hid_until_ns));
}

void flight_switch(struct flight *flight, unsigned word)
{
	stop(flight);
	flight->word = word;
	flight->tried = flight->has_told_hidden = false;
	flight->lacks.text[0] = '\0';
}

void flight_destroy(struct flight *flight)
{
	if (!flight)
		return;
	stop(flight);
	free(flight->members);
	free(flight);
}

static bool is_wanted(const struct flight *flight, unsigned i)
{
	return flight->word == FLIGHT_AUTO ? !tiers[i]->is_costly : flight->word == FIRST_TIER + i;
}

/* QEMU's CPUs without KVM. Attaching to tracepoints hung such machines, above all with PREEMPT_RT. */
static bool is_emulated(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strncmp(line, "model name", strlen("model name")) == 0 && strstr(line, "QEMU TCG");
	if (file)
		fclose(file);
	return found;
}

/* If all are refused, the reason of the best one is kept: that one is to be mended. */
static void start(struct flight *flight, const struct flight_watch *watch)
{
	struct error_text reason;

	flight->tried = true;
	if (flight->word == FLIGHT_AUTO && is_emulated()) {
		error_text_set(&flight->lacks, -ENOTSUP,
			"this CPU is emulated, and recording hung such machines: name a --recorder to try");
		return;
	}
	for (unsigned i = 0; i < N_TIERS && !flight->tier; i++) {
		if (!is_wanted(flight, i))
			continue;
		if (tiers[i]->open(&flight->state, watch, &reason) == 0) {
			flight->tier = tiers[i];
			flight->lacks.text[0] = '\0';
		} else if (!flight->lacks.text[0]) {
			flight->lacks = reason;
		}
	}
}

/* Threads that start later are found at the next change. */
static void find_own_tasks(struct flight *flight)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;

	flight->n_own = 1;
	while (folder && (entry = readdir(folder)) && flight->n_own < OWN_MAX)
		if (entry->d_name[0] != '.')
			flight->own[flight->n_own++] = atoi(entry->d_name);
	if (folder)
		closedir(folder);
}

static void note_hidden(struct flight *flight, uint64_t now_ns)
{
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++) {
		size_t n = flight->tier && flight->tier->hides && flight->since_ns[cpu]
				   ? flight->tier->hides(flight->state, cpu)
				   : 0;

		if (n)
			flight->hid_until_ns[cpu] = UINT64_MAX;
		else if (flight->hid_until_ns[cpu] == UINT64_MAX)
			flight->hid_until_ns[cpu] = now_ns;
		if (n && !flight->has_told_hidden)
			flight->loss = (struct flight_loss){true, cpu, n};
		flight->has_told_hidden |= n > 0;
	}
}

/* Without memory, members of other rings are tasks like any others. */
static void note_watch(struct flight *flight, const struct flight_watch *watch)
{
	uint64_t now_ns = clock_now_ns();

	flight->n_cpus = cpus_count(watch->cpus);
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
		flight->since_ns[cpu] = !flight->tier || !cpus_has(watch->cpus, cpu) ? 0
					: flight->since_ns[cpu]                      ? flight->since_ns[cpu]
										     : now_ns;
		if (!flight->since_ns[cpu])
			drop_kept(flight, &flight->kept[cpu]);
	}
	note_hidden(flight, now_ns);
	free(flight->members);
	flight->members = calloc(watch->n_members + 1, sizeof(*flight->members));
	flight->n_members = flight->members ? watch->n_members : 0;
	for (size_t i = 0; i < flight->n_members; i++)
		flight->members[i] = watch->members[i].tid;
	find_own_tasks(flight);
}

void flight_watch(struct flight *flight, const struct flight_watch *watch)
{
	struct error_text reason;

	if (!flight->tried && flight->word != FLIGHT_OFF) {
		start(flight, watch);
	} else if (flight->tier && flight->tier->follow(flight->state, watch, &reason) < 0) {
		flight->lacks = reason;
		stop(flight);
	}
	note_watch(flight, watch);
}

static int compare_tids(const void *left, const void *right)
{
	const int32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static enum flight_role role_of(const struct flight *flight, int32_t tid)
{
	for (size_t i = 0; i < flight->n_own; i++)
		if (flight->own[i] == tid)
			return ROLE_OWN;
	return flight->n_members &&
			       bsearch(&tid, flight->members, flight->n_members, sizeof(tid), compare_tids)
		       ? ROLE_MEMBER
		       : ROLE_OTHER;
}

static uint64_t first_size(const struct flight *flight)
{
	uint64_t size = KEPT_FIRST;

	while (size > KEPT_LEAST && size * flight->n_cpus > KEPT_FIRST)
		size /= 2;
	return size;
}

/* Places are in use up to a whole round, so that those of a longer one follow them. Without memory for more
 * the oldest records are dropped. */
static void grow_kept(struct flight *flight, struct kept *kept)
{
	uint64_t size = kept->size ? 2 * kept->size : first_size(flight);
	struct flight_record *grown = NULL;

	if (!kept->size || flight->n_kept + kept->size <= KEPT_MAX)
		grown = reallocarray(kept->records, size, sizeof(*grown));
	if (!grown)
		return;
	flight->n_kept += size - kept->size;
	kept->records = grown;
	kept->count = kept->size;
	kept->size = size;
}

/* Returns the place of the next record; NULL without memory. */
static struct flight_record *kept_place(struct flight *flight, struct kept *kept, uint64_t at_ns)
{
	bool is_round = kept->size == 0 || (kept->count && kept->count % kept->size == 0);

	if (is_round && (kept->size == 0 || kept->records[0].at_ns + kept_ns > at_ns))
		grow_kept(flight, kept);
	kept->has_dropped |= kept->count >= kept->size;
	return kept->size ? &kept->records[kept->count++ % kept->size] : NULL;
}

static void keep(void *data, const struct flight_record *record)
{
	struct flight *flight = data;
	struct flight_record *kept = NULL;

	flight->cost.n_records++;
	if (record->cpu < CPUS_MAX && flight->since_ns[record->cpu])
		kept = kept_place(flight, &flight->kept[record->cpu], record->at_ns);
	if (!kept)
		return;
	*kept = *record;
	if (record->kind == FLIGHT_GAP && record->number == GAP_OVERWRITTEN) {
		if (!flight->loss.n_hidden)
			flight->loss = (struct flight_loss){.is_there = true, .cpu = record->cpu};
		kept->number = 0;
	}
	kept->prev_role = role_of(flight, record->prev_tid);
	kept->next_role = role_of(flight, record->next_tid);
}

static uint64_t own_cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return clock_ns(&used);
}

void flight_drain(struct flight *flight)
{
	uint64_t start_ns = own_cpu_ns();

	if (!flight->tier)
		return;
	flight->tier->drain(flight->state, keep, flight);
	flight->cost.cpu_ns += own_cpu_ns() - start_ns;
}

struct flight_loss flight_take_loss(struct flight *flight)
{
	struct flight_loss loss = flight->loss;

	flight->loss = (struct flight_loss){0};
	return loss;
}

struct flight_cost flight_cost(const struct flight *flight)
{
	return flight->cost;
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
	/* What others did meanwhile is left out, where there is still too much. */
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
	return record->kind == FLIGHT_SWITCH ? is_of_others(found, record)
					     : record->at_ns - record->from_ns < found->least_ns;
}

/* Returns false once there is no place but that of the gap. */
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
	const struct kept *kept;
	uint64_t next; /* number of the record after those that are left */
};

static struct walk walk_back(const struct flight *flight, uint32_t cpu)
{
	static const struct kept none = {0};
	const struct kept *kept = cpu < CPUS_MAX ? &flight->kept[cpu] : &none;

	return (struct walk){kept, kept->count};
}

/* Returns NULL at the end. */
static const struct flight_record *walk_next(struct walk *walk)
{
	const struct kept *kept = walk->kept;
	uint64_t first = kept->count > kept->size ? kept->count - kept->size : 0;

	return walk->next > first ? &kept->records[--walk->next % kept->size] : NULL;
}

/* Returns from when on the CPU's records are there. UINT64_MAX: they never were. */
static uint64_t known_since(const struct flight *flight, uint32_t cpu)
{
	uint64_t since_ns = cpu < CPUS_MAX && flight->since_ns[cpu] ? flight->since_ns[cpu] : UINT64_MAX;
	const struct kept *kept = since_ns < UINT64_MAX ? &flight->kept[cpu] : NULL;
	uint64_t oldest = kept && kept->count > kept->size ? kept->count : 0, oldest_ns = 0;

	if (kept && kept->has_dropped)
		oldest_ns = kept->size ? kept->records[oldest % kept->size].at_ns : UINT64_MAX;
	return oldest_ns > since_ns ? oldest_ns : since_ns;
}

static const uint64_t before_ns = 100000000; /* so long before a spike a stop of a member may have been */

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
	const struct flight *flight, const struct spike *spike, uint32_t cpu, int32_t tid)
{
	struct walk walk = walk_back(flight, cpu);
	const struct flight_record *record;

	while (tid && (record = switch_before(&walk, spike))) {
		if (record->prev_tid == tid)
			return record->prev_state & FLIGHT_STOPPED ? record : NULL;
		if (record->next_tid == tid)
			return NULL;
	}
	return NULL;
}

/* Returns the absence of a member that has most of the spike. */
static struct absence find_absence(
	const struct flight *flight, const struct spike *spike, const struct spike_end *end)
{
	uint64_t start_ns = spike_start_ns(spike), end_ns = spike_end_ns(spike), to_ns = end_ns, most_ns = 0;
	struct walk walk = walk_back(flight, (uint32_t)end->cpu);
	const struct flight_record *record;
	struct absence most = {0};

	while ((record = walk_next(&walk))) {
		if (record->at_ns > end_ns)
			continue;
		if (record->kind == FLIGHT_GAP)
			to_ns = record->from_ns < to_ns ? record->from_ns : to_ns;
		if (to_ns <= start_ns || record->at_ns + before_ns < start_ns)
			break;
		if (record->kind != FLIGHT_SWITCH || !has_tid(record, end->tid))
			continue;
		uint64_t from_ns = record->at_ns > start_ns ? record->at_ns : start_ns;

		if (record->prev_tid == end->tid && record->prev_state & (FLIGHT_STOPPED | FLIGHT_BLOCKED) &&
			to_ns > from_ns + most_ns) {
			most = (struct absence){record->at_ns, to_ns};
			most_ns = to_ns - from_ns;
		}
		to_ns = record->at_ns;
	}
	return most;
}

static bool is_realtime(int32_t tid, int32_t priority)
{
	return tid && priority < 100;
}

/* A task that has ended counts as one that was elsewhere. */
static bool is_pinned(int32_t tid, uint32_t cpu)
{
	struct cpus cpus;

	return task_get_affinity(tid, &cpus) == 0 && cpus_count(&cpus) == 1 && cpus_has(&cpus, cpu);
}

static bool leaves_runnable(const struct flight_record *record)
{
	return is_realtime(record->prev_tid, record->prev_priority) && !record->prev_state;
}

/* Returns the last switch before the spike by which a real-time task had to leave the CPU that wanted to go
 * on, if none comes after it up to the spike but those that it left for; else NULL. */
static const struct flight_record *find_throttled(
	const struct flight *flight, const struct spike *spike, uint32_t cpu)
{
	struct walk walk = walk_back(flight, cpu);
	const struct flight_record *record;
	int32_t slept = 0; /* who went to sleep last */

	while ((record = switch_before(&walk, spike))) {
		if (is_realtime(record->next_tid, record->next_priority) && record->next_tid != slept)
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

/* What others did on its CPU since a member was stopped is not needed. */
static void find_stops(
	const struct flight *flight, const struct spike *spike, uint32_t cpu, struct found *found)
{
	const struct spike_end *const ends[N_ENDS] = {&spike->sender, &spike->receiver};

	for (unsigned i = 0; i < N_ENDS && !found->is_full; i++) {
		const struct flight_record *stop =
			ends[i]->cpu == (int32_t)cpu ? find_stop(flight, spike, cpu, ends[i]->tid) : NULL;

		add_unless_there(found, stop);
	}
}

/* From the newest record on back: a CPU's are in order, so the first switch before the start is the last that
 * is needed, but for those by which the members were stopped. */
static void find_on_cpu(
	const struct flight *flight, const struct spike *spike, uint32_t cpu, struct found *found)
{
	uint64_t start_ns = spike_start_ns(spike), end_ns = spike_end_ns(spike),
		 since_ns = known_since(flight, cpu);
	struct walk walk = walk_back(flight, cpu);
	const struct flight_record *record;
	uint64_t from_ns = end_ns;
	bool goes_on = true;

	if (cpu < CPUS_MAX && flight->hid_until_ns[cpu] > start_ns)
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
		find_stops(flight, spike, cpu, found);
	if (!found->is_full)
		add_unless_there(found, find_throttled(flight, spike, cpu));
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
	const struct flight *flight, const struct spike *spike, uint32_t cpu, struct found *found)
{
	const struct spike_end *const ends[N_ENDS] = {&spike->sender, &spike->receiver};
	uint64_t start_ns = spike_start_ns(spike);

	for (unsigned i = 0; i < N_ENDS; i++) {
		struct absence *absence = &found->absences[i];

		if (ends[i]->cpu != (int32_t)cpu)
			continue;
		*absence = find_absence(flight, spike, ends[i]);
		if (absence->to_ns)
			add_gap(found, cpu, absence->from_ns > start_ns ? absence->from_ns + 1 : start_ns,
				absence->to_ns - 1, GAP_OF_OTHERS);
	}
	return found->absences[0].to_ns || found->absences[1].to_ns;
}

/* Each CPU has a half of the places. */
static size_t find_in_places(const struct flight *flight, const struct spike *spike, uint32_t cpu,
	struct flight_record *records, size_t max)
{
	static const uint64_t least_ns[] = {0, 10000, 100000};
	enum { N_LEAST = sizeof(least_ns) / sizeof(*least_ns) };
	struct found found = {.is_full = true};

	for (size_t i = 0; i < N_LEAST && found.is_full; i++) {
		found = (struct found){
			.records = records, .max = max, .least_ns = least_ns[i], .spike = spike};
		find_on_cpu(flight, spike, cpu, &found);
	}
	if (!found.is_full)
		return found.n;
	struct found members = {
		.records = records, .max = max, .least_ns = least_ns[N_LEAST - 1], .spike = spike};

	if (add_absences(flight, spike, cpu, &members)) {
		find_on_cpu(flight, spike, cpu, &members);
		return members.n;
	}
	return found.n;
}

size_t flight_find(
	const struct flight *flight, const struct spike *spike, struct flight_record *records, size_t max)
{
	const int32_t cpus[] = {spike->sender.cpu, spike->receiver.cpu};
	bool is_one = cpus[0] == cpus[1] || cpus[1] < 0;
	size_t n = 0;

	for (unsigned i = 0; i < (is_one ? 1 : 2); i++) {
		if (cpus[i] < 0)
			continue;
		size_t found =
			find_in_places(flight, spike, (uint32_t)cpus[i], records + n, is_one ? max : max / 2);

		qsort(records + n, found, sizeof(*records), compare_ends);
		note_pinned(records + n, found);
		n += found;
	}
	qsort(records, n, sizeof(*records), compare_ends);
	return n;
}

bool flight_is_recording(const struct flight *flight)
{
	return flight->tier;
}

const char *flight_tier_name(const struct flight *flight)
{
	return flight->tier ? flight->tier->name : "off";
}

const char *flight_lacks(const struct flight *flight)
{
	return flight->lacks.text;
}
