/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_kept.c - which records are kept, and which of them a spike gets, by records that are made up. */
#include "src/flight/kept.h"

#include <stdlib.h>
#include <unistd.h>

#include "src/machine/task.h"
#include "tests/unit/tap.h"

enum { US = 1000, MS = 1000000, CPU = 3, MEMBER = 100, OTHER = 101, HOG = 4711, FIFO_90 = 9, FAIR = 120 };
static const uint64_t second_ns = 1000000000, start_ns = 10000000000; /* of spikes */

static struct kept *new_kept(void)
{
	struct kept *kept = calloc(1, sizeof(*kept));

	kept_watch(kept, CPU, true, 1);
	return kept;
}

static void delete_kept(struct kept *kept)
{
	kept_finish(kept);
	CHECK(kept->room == 0 && kept->n_cpus == 0);
	free(kept);
}

static void keep(struct kept *kept, const struct flight_record *record)
{
	kept_add(kept, record);
}

/* Tasks of lower tids are FIFO 90; 0 is idle. */
enum { FAIR_TIDS = 10000 };

static struct flight_record switch_at(int64_t us, int32_t prev, int32_t next, uint32_t prev_state)
{
	return (struct flight_record){.kind = FLIGHT_SWITCH,
		.cpu = CPU,
		.at_ns = (uint64_t)((int64_t)start_ns + us * US),
		.prev_tid = prev,
		.next_tid = next,
		.prev_priority = prev < FAIR_TIDS ? FIFO_90 : FAIR,
		.next_priority = next < FAIR_TIDS ? FIFO_90 : FAIR,
		.prev_state = prev_state};
}

static struct flight_record gap_at(int64_t from_us, int64_t to_us)
{
	return (struct flight_record){.kind = FLIGHT_GAP,
		.cpu = CPU,
		.from_ns = (uint64_t)((int64_t)start_ns + from_us * US),
		.at_ns = (uint64_t)((int64_t)start_ns + to_us * US)};
}

static struct spike spike_of(uint64_t from_ns, uint64_t length_ns)
{
	return (struct spike){.due_ns = from_ns,
		.sent_ns = from_ns + 1,
		.received_ns = from_ns + length_ns,
		.sender = {.tid = MEMBER, .cpu = CPU},
		.receiver = {.tid = OTHER, .cpu = CPU}};
}

static const struct flight_record *find_at(const struct flight_record *records, size_t n, uint64_t at_ns)
{
	for (size_t i = 0; i < n; i++)
		if (records[i].kind == FLIGHT_SWITCH && records[i].at_ns == at_ns)
			return &records[i];
	return NULL;
}

static bool has_gap(const struct flight_record *records, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (records[i].kind == FLIGHT_GAP && records[i].number == number)
			return true;
	return false;
}

/* --- what is kept --- */

static bool is_known_at(const struct kept *kept, uint64_t at_ns)
{
	struct flight_record records[SPIKE_RECORDS_MAX];
	struct spike spike = spike_of(at_ns, 100 * US);

	return !has_gap(records, kept_find(kept, &spike, records, SPIKE_RECORDS_MAX), 0);
}

static uint64_t storm(struct kept *kept, uint64_t from_ns, uint64_t length_ns, uint64_t each_ns)
{
	uint64_t ns = from_ns;

	for (; ns < from_ns + length_ns; ns += each_ns)
		keep(kept, &(struct flight_record){.kind = FLIGHT_SWITCH, .cpu = CPU, .at_ns = ns});
	return ns;
}

static void two_seconds_are_kept_however_much_happens(void)
{
	static const struct {
		uint64_t each_ns, size;
	} cases[] = {{1000 * US, KEPT_FIRST}, {40 * US, KEPT_FIRST}, {10 * US, 4 * KEPT_FIRST}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kept *kept = new_kept();
		uint64_t end_ns = storm(kept, start_ns, 6 * second_ns, cases[i].each_ns);

		CHECK(kept->room == cases[i].size, "%zu: %zu", i, kept->room);
		CHECK(is_known_at(kept, end_ns - 2 * second_ns), "%zu", i);
		CHECK(is_known_at(kept, start_ns) == (6 * second_ns / cases[i].each_ns < cases[i].size));
		delete_kept(kept);
	}
}

static void a_storm_drops_no_record_of_another_cpu(void)
{
	struct kept *kept = new_kept();
	struct flight_record records[8];
	struct spike spike = spike_of(start_ns + 4 * second_ns, 100 * US);

	kept_watch(kept, CPU + 1, true, 1);
	keep(kept, &(struct flight_record){.kind = FLIGHT_SWITCH, .cpu = CPU + 1, .at_ns = start_ns});
	storm(kept, start_ns, 4 * second_ns, 10 * US);
	spike.sender.cpu = spike.receiver.cpu = CPU + 1;
	CHECK(kept_find(kept, &spike, records, 8) == 1 && records[0].at_ns == start_ns);
	delete_kept(kept);
}

static void all_cpus_together_have_a_limit(void)
{
	struct kept *kept = new_kept();
	uint64_t end_ns = storm(kept, start_ns, second_ns, second_ns / (2 * KEPT_MAX));

	CHECK(kept->room == KEPT_MAX, "%zu", kept->room);
	CHECK(!is_known_at(kept, start_ns) && is_known_at(kept, end_ns - second_ns / 3));
	delete_kept(kept);
}

static void a_cpu_that_is_not_watched_has_no_records(void)
{
	struct kept *kept = new_kept();
	struct flight_record record = {.cpu = CPU + 1, .at_ns = start_ns}, of_none = {.cpu = UINT32_MAX};

	CHECK(!kept_add(kept, &record) && !kept_add(kept, &of_none));
	CHECK(is_known_at(kept, start_ns));
	kept_watch(kept, CPU, false, start_ns);
	record.cpu = CPU;
	CHECK(!is_known_at(kept, start_ns) && !kept_add(kept, &record));
	delete_kept(kept);
}

/* --- what a spike gets --- */

/* Whether the spike gets the switch by which the hog left, before others. */
static void the_switch_that_began_throttling_is_found(void)
{
	enum { SH = FAIR_TIDS, CC = FAIR_TIDS + 1, MAX = 4 };
	const struct {
		const char *what;
		bool is_found;
		struct flight_record records[MAX]; /* up to the first that is at 0 */
	} cases[] = {
		{"the hog left for an ordinary task", true,
			{switch_at(-50000, HOG, SH, 0), switch_at(-40000, SH, CC, 0),
				switch_at(-30000, CC, 0, FLIGHT_SLEEPS)}},
		{"another hog came, and is there", false,
			{switch_at(-50000, HOG, SH, 0), switch_at(-40000, SH, HOG + 1, 0)}},
		{"a member came, and went to sleep", true,
			{switch_at(-50000, HOG, MEMBER, 0), switch_at(-40000, MEMBER, SH, FLIGHT_SLEEPS),
				switch_at(-30000, SH, 0, FLIGHT_SLEEPS)}},
		{"the member came again after an ordinary task", false,
			{switch_at(-50000, HOG, MEMBER, 0), switch_at(-40000, MEMBER, SH, FLIGHT_SLEEPS),
				switch_at(-30000, SH, MEMBER, 0),
				switch_at(-20000, MEMBER, SH, FLIGHT_SLEEPS)}},
		{"the member came again from idle", false,
			{switch_at(-50000, HOG, MEMBER, 0), switch_at(-40000, MEMBER, SH, FLIGHT_SLEEPS),
				switch_at(-30000, SH, 0, FLIGHT_SLEEPS),
				switch_at(-20000, MEMBER, SH, FLIGHT_SLEEPS)}},
		{"the hog slept", false,
			{switch_at(-50000, HOG, SH, FLIGHT_SLEEPS), switch_at(-40000, SH, CC, 0),
				switch_at(-30000, CC, 0, FLIGHT_SLEEPS)}},
		{"it is too long ago", false,
			{switch_at(-150000, HOG, SH, 0), switch_at(-40000, SH, CC, 0),
				switch_at(-30000, CC, 0, FLIGHT_SLEEPS)}},
		{"after it comes a gap", false,
			{switch_at(-50000, HOG, SH, 0), gap_at(-45000, -44000), switch_at(-40000, SH, CC, 0),
				switch_at(-30000, CC, 0, FLIGHT_SLEEPS)}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kept *kept = new_kept();
		struct flight_record found[SPIKE_RECORDS_MAX];
		struct spike spike = spike_of(start_ns, 50 * MS);

		for (size_t r = 0; r < MAX && cases[i].records[r].at_ns; r++)
			keep(kept, &cases[i].records[r]);
		size_t n = kept_find(kept, &spike, found, SPIKE_RECORDS_MAX);

		CHECK((find_at(found, n, cases[i].records[0].at_ns) != NULL) == cases[i].is_found, "%s",
			cases[i].what);
		delete_kept(kept);
	}
}

/* Such a task may run nowhere else, so it still waits. This process stands in for it. */
static void whether_it_still_waits_is_noted(void)
{
	struct cpus before = {0};
	unsigned cpu;

	CHECK(task_get_affinity(0, &before) == 0);
	cpu = (unsigned)cpus_next(&before, -1);
	for (int is_pinned = 0; is_pinned < 2; is_pinned++) {
		struct kept *kept = calloc(1, sizeof(*kept));
		struct flight_record record = switch_at(-50000, HOG, 0, 0), found[4];
		struct spike spike = spike_of(start_ns, 50 * MS);

		if (is_pinned ? task_pin(0, cpu) < 0 : cpus_count(&before) == 1) {
			free(kept);
			continue;
		}
		kept_watch(kept, cpu, true, 1);
		record.cpu = cpu;
		record.prev_tid = getpid();
		spike.sender.cpu = spike.receiver.cpu = (int32_t)cpu;
		keep(kept, &record);
		CHECK(kept_find(kept, &spike, found, 4) == 1);
		CHECK(found[0].number == (is_pinned ? SWITCH_PINNED : 0), "%d", is_pinned);
		delete_kept(kept);
	}
	task_set_affinity(0, &before);
}

/* Its record is kept while those of other tasks, which ran meanwhile, are dropped. */
static void a_stop_is_found_however_much_others_did(void)
{
	static const struct {
		uint32_t state;
		int64_t at_us; /* of the stop */
		bool is_found;
		int32_t receiver_cpu; /* to which it was moved, if that is not the sender's */
	} cases[] = {
		{FLIGHT_STOPPED, -10, true, CPU},
		{FLIGHT_STOPPED, 50, true, CPU},
		{FLIGHT_BLOCKED, 50, true, CPU},
		{FLIGHT_SLEEPS, 50, false, CPU},
		{0, 50, false, CPU},
		{FLIGHT_STOPPED, -10, true, CPU + 1},
		{FLIGHT_STOPPED, 50, true, CPU + 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kept *kept = new_kept();
		struct flight_record found[SPIKE_RECORDS_MAX],
			stop = switch_at(cases[i].at_us, OTHER, FAIR_TIDS, cases[i].state),
			back = switch_at(90000, FAIR_TIDS, OTHER, 0);
		struct spike spike = spike_of(start_ns, 100 * MS);

		kept_watch(kept, (uint32_t)cases[i].receiver_cpu, true, 1);
		spike.receiver.cpu = cases[i].receiver_cpu;
		spike.receiver.moved_ns = spike.receiver.cpu == CPU ? 0 : start_ns + 70 * MS;
		keep(kept, &stop);
		for (int64_t us = 100; us < 90000; us += 50) {
			struct flight_record other = switch_at(us, FAIR_TIDS, FAIR_TIDS + 1, 0);

			keep(kept, &other);
		}
		keep(kept, &back);
		size_t n = kept_find(kept, &spike, found, SPIKE_RECORDS_MAX);

		CHECK((find_at(found, n, stop.at_ns) != NULL) == cases[i].is_found, "%zu", i);
		CHECK(find_at(found, n, back.at_ns) && has_gap(found, n, GAP_OF_OTHERS) == cases[i].is_found);
		CHECK(has_gap(found, n, 0) != cases[i].is_found, "%zu", i);
		delete_kept(kept);
	}
}

static void what_was_before_a_gap_is_not_the_last_switch(void)
{
	struct kept *kept = new_kept();
	struct flight_record records[] = {switch_at(-50, 0, HOG, 0), gap_at(-40, -30)}, found[4];
	struct spike spike = spike_of(start_ns, 50 * MS);

	keep(kept, &records[0]);
	CHECK(kept_find(kept, &spike, found, 4) == 1);
	keep(kept, &records[1]);
	CHECK(kept_find(kept, &spike, found, 4) == 0);
	delete_kept(kept);
}

int main(void)
{
	TEST(two_seconds_are_kept_however_much_happens);
	TEST(a_storm_drops_no_record_of_another_cpu);
	TEST(all_cpus_together_have_a_limit);
	TEST(a_cpu_that_is_not_watched_has_no_records);
	TEST(the_switch_that_began_throttling_is_found);
	TEST(whether_it_still_waits_is_noted);
	TEST(a_stop_is_found_however_much_others_did);
	TEST(what_was_before_a_gap_is_not_the_last_switch);
	return tap_done();
}
