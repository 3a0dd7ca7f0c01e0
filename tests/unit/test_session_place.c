/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_session_place.c - members that somebody moved, and those whose CPU was taken from them. */
#include "src/base/bytes.h"
#include "src/model/session.h"
#include "src/recording/checkpoint.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { MS = 1000000 };

static void move(struct fixture *f, size_t member, int32_t cpu, uint32_t n_cpus)
{
	f->members[member].cpu = cpu;
	f->members[member].n_cpus = n_cpus;
	f->members[member].moved_to = cpu >= 0 ? cpu + 1 : -1;
}

static void take_cpu(struct fixture *f, size_t ring, enum ring_condition condition)
{
	f->rings[ring].condition = condition;
	for (size_t m = 2 * ring; m < 2 * ring + 2; m++) {
		f->members[m].cpu = -1;
		f->members[m].n_cpus = 7;
	}
}

static void give_back(struct fixture *f, size_t ring)
{
	f->rings[ring].condition = CONDITION_FINE;
	for (size_t m = 2 * ring; m < 2 * ring + 2; m++) {
		f->members[m].cpu = (int32_t)ring;
		f->members[m].n_cpus = 1;
	}
}

static void a_ring_is_called_by_the_place_of_its_members(void)
{
	static const struct {
		int32_t moved_to[2];
		enum locality locality;
		const char *label, *class, *hop;
	} cases[] = {
		{{0, 0}, 0, "1>1", "own", "1: 1>1"},
		{{0, 1}, LOCALITY_L3, "1>0", "l3", "1: 0>1"},
		{{4, 1}, LOCALITY_SMT, "3>0", "smt", "1: 0>3"},
		{{0, -1}, N_LOCALITIES, "1>*", "-", "1: *>1"},
		{{-1, -1}, N_LOCALITIES, "*>*", "-", "1: *>*"},
		{{0, 0}, 0, "1>1", "own", "1: 1>1"},
	};
	struct fixture *f = fixture_create(2, MS);
	const struct session_ring *ring = &f->session.rings[1];
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (size_t m = 0; m < 2; m++)
			f->members[2 + m].moved_to = cases[i].moved_to[m];
		f->rings[1].locality = cases[i].locality;
		fixture_feed(f);
		CHECK(strcmp(ring->label, cases[i].label) == 0, "%s: %s", cases[i].label, ring->label);
		CHECK(strcmp(locality_name(ring->locality), cases[i].class) == 0, "%s: %s", cases[i].label,
			locality_name(ring->locality));
		session_hop_label(ring, 1, text, sizeof(text));
		CHECK(strcmp(text, cases[i].hop) == 0, "%s: %s", cases[i].label, text);
		CHECK(ring->cpus[0] == 1 && ring->cpus[1] == 1, "the planned ones stay");
		CHECK(strcmp(f->session.rings[0].label, "0>0") == 0);
	}
	fixture_destroy(f);
}

static void a_move_is_an_event_and_begins_a_phase(void)
{
	struct fixture *f = fixture_create(2, MS);

	f->rings[1].away = 3;
	fixture_sample(f, 1, FIGURE_LAP, 1000, 5);
	fixture_feed(f);
	move(f, 3, 0, 1);
	f->rings[1].locality = LOCALITY_L3;
	f->rings[1].away = 4;
	fixture_feed(f);
	CHECK(f->session.n_events == 1 && f->session.phases.n == 2);
	CHECK(strcmp(fixture_event(f, 0), "mq 1>1 member 1 (tid 4004): CPU 1 -> CPU 0") == 0, "%s",
		fixture_event(f, 0));
	CHECK(strcmp(f->session.phases.list[1].name, "mq 1>1 member 1: CPU 1 -> CPU 0") == 0, "%s",
		f->session.phases.list[1].name);
	f->rings[1].away = 0;
	fixture_sample(f, 1, FIGURE_LAP, 9000, 5);
	fixture_feed(f);
	struct row_sums first = {0}, second = {0};
	struct block_list phases[] = {session_phase_blocks(&f->session, &f->session.phases.list[0]),
		session_phase_blocks(&f->session, &f->session.phases.list[1])};

	CHECK(block_list_sum_row(&phases[0], 1, &first) == 0);
	CHECK(block_list_sum_row(&phases[1], 1, &second) == 0);
	CHECK(first.hists[FIGURE_LAP].max_ns == 1000 && first.counts.away == 7,
		"what was away is the old phase's");
	CHECK(second.hists[FIGURE_LAP].min_ns == 9000 && second.counts.away == 0);
	CHECK(f->session.rings[1].away == 7 && f->session.groups[0].away == 7);
	CHECK(session_member_differs(&f->session.rings[1], 1) &&
		!session_member_is_away(&f->session.rings[1], 1));
	row_sums_finish(&first);
	row_sums_finish(&second);
	fixture_destroy(f);
}

static void a_cpu_that_is_taken_and_given_back_is_no_change_of_the_members(void)
{
	static const struct {
		enum ring_condition condition;
		const char *began, *ended;
	} cases[] = {
		{CONDITION_OFFLINE,
			"mq 1>1 is offline: laps of members whose CPU is gone are away, in no figure",
			"mq 1>1 is no longer offline"},
		{CONDITION_EXCLUDED,
			"mq 1>1 is excluded: a cpuset took members from their CPU; their laps are away, in no "
			"figure",
			"mq 1>1 is no longer excluded"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(2, MS);
		const struct session_ring *ring = &f->session.rings[1];

		fixture_feed(f);
		take_cpu(f, 1, cases[i].condition);
		f->rings[1].away = 100;
		fixture_feed(f);
		CHECK(f->session.n_events == 1 && strcmp(fixture_event(f, 0), cases[i].began) == 0, "%s",
			fixture_event(f, 0));
		CHECK(strcmp(ring->label, "1>1") == 0 && session_member_is_away(ring, 0) &&
			ring->away == 100);
		give_back(f, 1);
		fixture_feed(f);
		CHECK(f->session.n_events == 2 && strcmp(fixture_event(f, 0), cases[i].ended) == 0, "%s",
			fixture_event(f, 0));
		CHECK(f->session.phases.n == 1 && !session_member_is_away(ring, 0));
		fixture_destroy(f);
	}
}

static void who_is_moved_while_it_is_away_has_a_new_place(void)
{
	struct fixture *f = fixture_create(2, MS);

	fixture_feed(f);
	take_cpu(f, 1, CONDITION_OFFLINE);
	fixture_feed(f);
	move(f, 2, 0, 1);
	move(f, 3, 0, 1);
	f->rings[1].condition = CONDITION_FINE;
	fixture_feed(f);
	CHECK(strcmp(f->session.rings[1].label, "0>0") == 0, "%s", f->session.rings[1].label);
	CHECK(strcmp(fixture_event(f, 1), "mq 1>1: any of 7 CPUs -> CPU 0") == 0 ||
			strcmp(fixture_event(f, 0), "mq 1>1: any of 7 CPUs -> CPU 0") == 0,
		"%s, %s", fixture_event(f, 1), fixture_event(f, 0));
	CHECK(f->session.phases.n == 2);
	fixture_destroy(f);
}

/* A seek reads one that was made at any time: while members are away, or moved. */
static void a_checkpoint_has_conditions_and_places(void)
{
	for (int condition = CONDITION_FINE; condition < N_CONDITIONS; condition++) {
		struct fixture *f = fixture_create(2, MS), *again = fixture_create(2, MS);
		struct bytes bytes = {0};

		fixture_feed(f);
		take_cpu(f, 0, (enum ring_condition)condition);
		f->rings[0].away = 12;
		move(f, 3, 0, 1);
		f->rings[1].locality = LOCALITY_L3;
		fixture_feed(f);
		checkpoint_encode(&f->session, &bytes, SIZE_MAX, true);
		struct scan scan = {.at = bytes.data, .end = bytes.data + bytes.n};
		int r = checkpoint_decode(&again->session, &scan);
		char *before = session_text(&f->session), *after = session_text(&again->session);

		CHECK(r == 0 && !scan.bad, "%s: %d", ring_condition_name((enum ring_condition)condition), r);
		CHECK(strcmp(before, after) == 0, "%s", ring_condition_name((enum ring_condition)condition));
		CHECK(again->session.rings[0].trouble == f->session.rings[0].trouble);
		CHECK(strcmp(again->session.rings[1].label, "1>0") == 0, "%s", again->session.rings[1].label);
		free(before);
		free(after);
		bytes_finish(&bytes);
		fixture_destroy(again);
		fixture_destroy(f);
	}
}

int main(void)
{
	TEST(a_ring_is_called_by_the_place_of_its_members);
	TEST(a_move_is_an_event_and_begins_a_phase);
	TEST(a_cpu_that_is_taken_and_given_back_is_no_change_of_the_members);
	TEST(who_is_moved_while_it_is_away_has_a_new_place);
	TEST(a_checkpoint_has_conditions_and_places);
	return tap_done();
}
