/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_spikes.c - the members' logs of spikes, and the spikes that a session keeps. */
#include <stdio.h>
#include <string.h>

#include "src/model/spikes.h"
#include "src/ring/spike_log.h"
#include "tests/unit/tap.h"

/* --- logs --- */

static void a_log_hands_over_each_spike_once(void)
{
	struct spike_log log = {0};
	struct spike_log_entry entry;
	uint64_t n_read = 0, n_lost = 0;

	CHECK(!spike_log_read(&log, &n_read, &n_lost, &entry));
	for (unsigned i = 1; i <= 3; i++)
		spike_log_add(&log, &(struct spike_log_entry){.due_ns = 10 * i,
					    .sent_ns = 20 * i,
					    .received_ns = 30 * i,
					    .token = i,
					    .hop = 2 * i,
					    .hop_from_ns = 15 * i,
					    .hop_to_ns = 25 * i});
	for (unsigned i = 1; i <= 3; i++)
		CHECK(spike_log_read(&log, &n_read, &n_lost, &entry) && entry.due_ns == 10 * i &&
			entry.sent_ns == 20 * i && entry.received_ns == 30 * i && entry.token == i &&
			entry.hop == 2 * i && entry.hop_from_ns == 15 * i && entry.hop_to_ns == 25 * i);
	CHECK(!spike_log_read(&log, &n_read, &n_lost, &entry) && n_lost == 0);
}

/* The oldest place may be in the making, so it is given up, too. */
static void a_log_counts_what_was_overwritten(void)
{
	struct spike_log log = {0};
	struct spike_log_entry entry;
	uint64_t n_read = 0, n_lost = 0, n = 0;

	for (unsigned i = 0; i < 2 * SPIKE_LOG_SIZE; i++)
		spike_log_add(&log, &(struct spike_log_entry){.token = i});
	while (spike_log_read(&log, &n_read, &n_lost, &entry))
		CHECK(entry.token == SPIKE_LOG_SIZE + 1 + n++);
	CHECK(n == SPIKE_LOG_SIZE - 1 && n_lost == SPIKE_LOG_SIZE + 1);
}

/* --- what is kept --- */

enum { MS = 1000000 };

/* A hog holds the CPU from 1 ms after due on; length 0: it goes on. */
static struct spike_report report_of(
	uint64_t due_ms, uint64_t length_ms, const char *hog, struct flight_record records[2])
{
	uint64_t due_ns = due_ms * MS, end_ns = due_ns + length_ms * MS;

	records[0] = (struct flight_record){.at_ns = due_ns, .next_tid = 4711, .next_priority = 9};
	records[1] =
		(struct flight_record){.at_ns = end_ns, .prev_tid = 4711, .next_tid = 1, .prev_priority = 9};
	snprintf(records[0].next_name, sizeof(records[0].next_name), "%s", hog);
	snprintf(records[1].prev_name, sizeof(records[1].prev_name), "%s", hog);
	return (struct spike_report){.spike = {.ring = 3,
					     .figure = FIGURE_RESPONSE,
					     .due_ns = due_ns,
					     .sent_ns = end_ns,
					     .received_ns = end_ns,
					     .seen_ns = end_ns + MS,
					     .sender = {.tid = 1, .policy = {.policy = 1, .priority = 80}},
					     .receiver = {.tid = 2, .policy = {.policy = 1, .priority = 80}}},
		.records = records,
		.n_records = 2};
}

static int add(struct session_spikes *spikes, struct blame_sums *phase, uint64_t due_ms, uint64_t length_ms,
	const char *hog)
{
	struct flight_record records[2];
	struct spike_report report = report_of(due_ms, length_ms, hog, records);

	return spikes_add(spikes, &report, phase, phase);
}

static void the_last_and_the_longest_are_kept(void)
{
	struct session_spikes spikes = {0};

	for (unsigned i = 0; i < 3 * SPIKES_KEPT; i++) /* lengths 1, 2, .. and down again */
		CHECK(add(&spikes, NULL, 1000 + 1000 * i, i < 150 ? i + 1 : 300 - i, "hog") == 0);
	CHECK(spikes.n_last == SPIKES_KEPT && spikes.n_worst == SPIKES_KEPT);
	for (unsigned i = 0; i < SPIKES_KEPT; i++)
		CHECK(spikes.last[i].spike.due_ns == (uint64_t)(1000 + 1000 * (200 + i)) * MS);
	CHECK(spike_length_ns(&spikes.worst[0].spike) == 150 * MS);
	for (unsigned i = 1; i < SPIKES_KEPT; i++)
		CHECK(spike_length_ns(&spikes.worst[i].spike) <= spike_length_ns(&spikes.worst[i - 1].spike));
	CHECK(spike_length_ns(&spikes.worst[SPIKES_KEPT - 1].spike) == 101 * MS);
	CHECK(spikes.blames.n_spikes == 3 * SPIKES_KEPT);
	CHECK(sizeof(*spikes.last) < 512, "each new spike moves the others: %zu bytes", sizeof(*spikes.last));
	spikes_finish(&spikes);
}

/* A stall is reported when it ends, after what began and ended meanwhile elsewhere. */
static void the_last_ones_are_in_the_order_of_their_start(void)
{
	static const uint64_t starts_ms[] = {5000, 6000, 1000, 7000, 2000};
	static const uint64_t sorted_ms[] = {1000, 2000, 5000, 6000, 7000};
	struct session_spikes spikes = {0};

	CHECK(!spikes_reported(&spikes));
	for (unsigned i = 0; i < 5; i++) {
		CHECK(add(&spikes, NULL, starts_ms[i], 10, "hog") == 0);
		const struct kept_spike *reported = spikes_reported(&spikes);

		CHECK(reported && reported->spike.due_ns == starts_ms[i] * MS, "%u", i);
	}
	for (unsigned i = 0; i < 5; i++)
		CHECK(spikes.last[i].spike.due_ns == sorted_ms[i] * MS, "%u", i);
	for (unsigned i = 0; i < SPIKES_KEPT; i++)
		add(&spikes, NULL, 10000 + i, 10, "hog");
	CHECK(spikes.n_last == SPIKES_KEPT && spikes.last[0].spike.due_ns == 10000 * (uint64_t)MS,
		"the first reports go first");
	add(&spikes, NULL, 500, 10, "hog");
	CHECK(spikes.last[0].spike.due_ns == 500 * (uint64_t)MS &&
			spikes.last[1].spike.due_ns == 10001 * (uint64_t)MS,
		"what is found late is kept, too");
	spikes_finish(&spikes);
}

static void a_spike_that_goes_on_is_one(void)
{
	struct session_spikes spikes = {0};
	struct blame_sums phase = {0};

	add(&spikes, &phase, 1000, 200, "hog");
	add(&spikes, &phase, 1000, 400, "hog");
	add(&spikes, &phase, 1000, 500, "hog");
	CHECK(spikes.n_last == 1 && spikes.n_worst == 1);
	CHECK(spike_length_ns(&spikes.worst[0].spike) == 500 * MS);
	CHECK(spikes.blames.n_spikes == 1 && phase.n_spikes == 1 && phase.ns == 500 * MS);
	CHECK(phase.n == 1 && phase.list[0].n == 1 && phase.list[0].ns == 500 * MS, "%zu causes", phase.n);
	spikes_finish(&spikes);
}

static uint64_t all_kinds(const struct blame_sums *sums)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < N_CAUSES; i++)
		ns += sums->kind_ns[i];
	return ns;
}

/* While it is under way, its cause may change. */
static void kinds_count_what_has_ended_so_they_never_fall(void)
{
	struct flight_record records[2];
	struct session_spikes spikes = {0};
	uint64_t before = 0;

	for (unsigned i = 1; i <= 4; i++) {
		struct spike_report report = report_of(1000, 200 * i, "hog", records);

		if (i == 2)
			report.n_records = 0;
		if (i < 4)
			report.spike.received_ns = 0;
		CHECK(spikes_add(&spikes, &report, NULL, NULL) == 0);
		CHECK(spikes.blames.n_spikes == 1);
		CHECK(spikes.blames.kind_n[CAUSE_TASK] == (i == 4));
		CHECK(all_kinds(&spikes.blames) >= before && (i == 4 || !all_kinds(&spikes.blames)));
		before = all_kinds(&spikes.blames);
	}
	CHECK(spikes.blames.kind_ns[CAUSE_TASK] == 800 * MS && before == 800 * MS);
	spikes_finish(&spikes);
}

static void a_spike_counts_by_the_cause_that_its_verdict_names(void)
{
	static const struct {
		unsigned held_ms; /* of 500 */
		bool has_gap;
		enum cause_kind kind;
	} cases[] = {
		{500, false, CAUSE_TASK},
		{400, false, CAUSE_TASK},
		{100, false, CAUSE_NOT_WOKEN},
		{0, true, CAUSE_UNSEEN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct flight_record records[2];
		struct session_spikes spikes = {0};
		struct spike_report report = report_of(1000, 500, "hog", records);

		records[0].at_ns += (500 - cases[i].held_ms) * MS;
		if (cases[i].has_gap) {
			records[0] = (struct flight_record){.kind = FLIGHT_GAP, .at_ns = 1500 * MS};
			report.n_records = 1;
		}
		CHECK(spikes_add(&spikes, &report, NULL, NULL) == 0);
		CHECK(spikes.blames.kind_n[cases[i].kind] == 1, "case %zu", i);
		spikes_finish(&spikes);
	}
}

static void a_spike_across_a_border_counts_in_the_later_phase_alone(void)
{
	struct flight_record records[2];
	struct session_spikes spikes = {0};
	struct blame_sums phases[2] = {{.n = 0}};
	struct spike_report report = report_of(1000, 200, "hog", records);

	report.spike.received_ns = 0;
	CHECK(spikes_add(&spikes, &report, &phases[0], NULL) == 0);
	CHECK(phases[0].n_spikes == 1);
	report = report_of(1000, 500, "hog", records);
	CHECK(spikes_find(&spikes, &report.spike) != NULL);
	CHECK(spikes_add(&spikes, &report, &phases[1], &phases[0]) == 0);
	CHECK(phases[0].n_spikes == 0 && phases[0].ns == 0 && phases[0].n == 0);
	CHECK(phases[1].n_spikes == 1 && phases[1].ns == 500 * MS && phases[1].list[0].n == 1);
	CHECK(spikes.blames.n_spikes == 1 && spikes.blames.ns == 500 * MS);
	spikes_finish(&spikes);
}

/* Others have come since its first report. */
static void a_long_spike_is_found_among_the_longest(void)
{
	struct session_spikes spikes = {0};

	add(&spikes, NULL, 1000, 5000, "hog");
	for (unsigned i = 0; i < SPIKES_KEPT; i++)
		add(&spikes, NULL, 2000 + 10 * i, 1, "hog");
	CHECK(spikes.last[0].spike.due_ns != 1000 * (uint64_t)MS);
	add(&spikes, NULL, 1000, 9000, "hog");
	CHECK(spikes.blames.n_spikes == SPIKES_KEPT + 1, "%llu", (unsigned long long)spikes.blames.n_spikes);
	CHECK(spikes.blames.ns == (9000 + SPIKES_KEPT) * (uint64_t)MS);
	spikes_finish(&spikes);
}

static void blame_is_summed_by_cause(void)
{
	struct session_spikes spikes = {0};
	struct blame_sums phase = {0};

	add(&spikes, &phase, 1000, 3, "kworker/0:1");
	add(&spikes, &phase, 2000, 5, "stress-ng-cpu");
	add(&spikes, &phase, 3000, 4, "kworker/0:1");
	CHECK(phase.n == 2 && phase.ns == 12 * MS);
	CHECK(strstr(phase.list[0].text, "kworker") && phase.list[0].n == 2 && phase.list[0].ns == 7 * MS,
		"%s", phase.list[0].text);
	CHECK(strstr(phase.list[1].text, "stress-ng") && phase.list[1].n == 1);
	spikes_finish(&spikes);
}

static void many_causes_are_summed_up_as_others(void)
{
	struct session_spikes spikes = {0};
	uint64_t ns = 0;
	char hog[16];

	for (unsigned i = 0; i < 3 * BLAMED_MAX; i++) {
		snprintf(hog, sizeof(hog), "hog-%u", i);
		add(&spikes, NULL, 1000 + i, 2, hog);
	}
	CHECK(spikes.blames.n == BLAMED_MAX && strcmp(spikes.blames.list[0].text, "others") == 0);
	for (size_t i = 0; i < spikes.blames.n; i++)
		ns += spikes.blames.list[i].ns;
	CHECK(ns == (uint64_t)3 * BLAMED_MAX * 2 * MS);
	add(&spikes, NULL, 2000, 500, "late and large");
	CHECK(strstr(spikes.blames.list[0].text, "late and large") && spikes.blames.list[0].ns == 500 * MS,
		"%s", spikes.blames.list[0].text);
	CHECK(spikes.blames.n == BLAMED_MAX);
	spikes_finish(&spikes);
}

/* One has as many causes as there is room for beside the others, the other one only others, which are longer.
 */
static void others_of_two_phases_are_one(void)
{
	struct blame_sums sums = {0}, full = {.n = BLAMED_MAX - 1},
			  more = {.list = {{.text = "others", .ns = 5 * MS, .n = 2}}, .n = 1};

	for (size_t i = 0; i < full.n; i++) {
		full.list[i].ns = MS;
		snprintf(full.list[i].text, sizeof(full.list[i].text), "hog-%zu", i);
	}
	blame_sums_merge(&sums, &full);
	blame_sums_merge(&sums, &more);
	CHECK(sums.n == BLAMED_MAX && blamed_is_others(&sums.list[0]) && sums.list[0].ns == 5 * MS &&
		sums.list[0].n == 2);
	for (size_t i = 1; i < sums.n; i++)
		CHECK(sums.list[i].ns == MS && !blamed_is_others(&sums.list[i]), "%s", sums.list[i].text);
}

static void a_spike_is_read_as_it_was_written(void)
{
	struct flight_record written[2], read[SPIKE_RECORDS_MAX];
	struct spike_report report = report_of(1000, 5, "hog", written), decoded;
	struct bytes bytes = {0};

	/* By it a rival is named, or is not (witness.h). */
	report.spike.sender.policy.nice = 5;
	report.spike.receiver.policy.nice = -7;
	spike_encode(&bytes, &report);
	struct scan scan = {bytes.data, bytes.data + bytes.n, false};

	spike_decode(&scan, &decoded, read);
	CHECK(!scan.bad && scan.at == scan.end && decoded.n_records == 2);
	CHECK(memcmp(&decoded.spike, &report.spike, sizeof(report.spike)) == 0);
	CHECK(memcmp(read, written, sizeof(written)) == 0);
	for (size_t n = 0; n < bytes.n; n++) { /* cut off anywhere */
		scan = (struct scan){bytes.data, bytes.data + n, false};
		spike_decode(&scan, &decoded, read);
		CHECK(scan.bad, "%zu bytes", n);
	}
	bytes_finish(&bytes);
}

int main(void)
{
	TEST(a_log_hands_over_each_spike_once);
	TEST(a_log_counts_what_was_overwritten);
	TEST(the_last_and_the_longest_are_kept);
	TEST(the_last_ones_are_in_the_order_of_their_start);
	TEST(a_spike_that_goes_on_is_one);
	TEST(kinds_count_what_has_ended_so_they_never_fall);
	TEST(a_spike_counts_by_the_cause_that_its_verdict_names);
	TEST(a_spike_across_a_border_counts_in_the_later_phase_alone);
	TEST(a_long_spike_is_found_among_the_longest);
	TEST(blame_is_summed_by_cause);
	TEST(many_causes_are_summed_up_as_others);
	TEST(others_of_two_phases_are_one);
	TEST(a_spike_is_read_as_it_was_written);
	return tap_done();
}
