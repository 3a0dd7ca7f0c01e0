/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_session_rows.c - which groups a session has, and that each is the sum of its rings in every window.
 */
#include <errno.h>

#include "src/model/session.h"
#include "src/model/session_rows.h"

#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { RINGS = 6, MS = 1000000 };

/* Rings of these mechanisms, isolated where the letter is a capital. */
static struct fixture *with_rings(const char *letters)
{
	struct fixture *f = fixture_create(strlen(letters), MS);

	for (size_t i = 0; letters[i]; i++) {
		f->session.rings[i].isolated = letters[i] < 'a';
		f->session.rings[i].mechanism[0] = (char)(letters[i] | 32);
	}
	second_stats_finish(&f->session.seconds);
	session_rows_finish(&f->session);
	CHECK(session_rows_init(&f->session) == 0);
	return f;
}

static void groups_exist_where_they_tell_something(void)
{
	static const struct {
		const char *rings, *groups;
	} cases[] = {
		{"p", "all:1"},
		{"pp", "all:2"},
		{"PP", "all:2"},
		{"Pp", "all:2 isolated:1 housekeeping:1"},
		{"pms", "all:3"},
		{"pmms", "all:4 pq:1 mq:2 sq:1"},
		{"PpMmmm", "all:6 isolated:2 housekeeping:4 pq:2 mq:4"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = with_rings(cases[i].rings);
		char text[256] = "";

		for (size_t g = 0; g < f->session.n_groups; g++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s:%zu", g ? " " : "",
				f->session.groups[g].name, session_group_size(&f->session, g));
		CHECK(strcmp(text, cases[i].groups) == 0, "%s: %s", cases[i].rings, text);
		CHECK(session_rows(&f->session) == strlen(cases[i].rings) + f->session.n_groups);
		fixture_destroy(f);
	}
}

static bool same(const struct hist *a, const struct hist *b)
{
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		if (hist_count(a, i) != hist_count(b, i))
			return false;
	return a->n == b->n && a->sum_ns == b->sum_ns &&
	       (!a->n || (a->min_ns == b->min_ns && a->max_ns == b->max_ns && a->max_at_ns == b->max_at_ns));
}

static void check_sums(const struct fixture *f, size_t group, enum window window)
{
	const struct session *session = &f->session;
	size_t row = session->groups[group].row;

	for (int figure = 0; figure < N_FIGURES; figure++) {
		struct hist whole = {0}, parts = {0};
		struct tick_counts counts = {0}, part_counts = {0};

		CHECK(session_add_figure(session, row, window, (enum figure)figure, &whole) == 0);
		session_add_counts(session, row, window, &counts);
		for (size_t i = 0; i < session->n_rings; i++) {
			if (!session_row_is_in(session, &session->rings[i], group))
				continue;
			CHECK(session_add_figure(session, session->rings[i].id, window, (enum figure)figure,
				      &parts) == 0);
			session_add_counts(session, session->rings[i].id, window, &part_counts);
		}
		CHECK(same(&whole, &parts), "%s, %s, %s: %llu of %llu", session->groups[group].name,
			window_name(window), figure_name((enum figure)figure), (unsigned long long)whole.n,
			(unsigned long long)parts.n);
		CHECK(memcmp(&counts, &part_counts, sizeof(counts)) == 0 && counts.laps > 0);
		hist_finish(&whole);
		hist_finish(&parts);
	}
}

/* A few samples, in any order, of a few rings: others pause. */
static void sample(struct fixture *f, unsigned *seed)
{
	for (size_t ring = 0; ring < f->session.n_rings; ring++) {
		*seed = *seed * 1103515245 + 12345;
		if (ring && *seed >> 30 == 0)
			continue;
		for (unsigned i = 0; i < 4; i++) {
			*seed = *seed * 1103515245 + 12345;
			fixture_sample(f, ring, i < 2 ? FIGURE_FIRST : FIGURE_LAP,
				500 + (*seed >> 16) % 3000 * (ring + 1), 1 + *seed % 7);
		}
		f->rings[ring].laps = 5 + *seed % 3;
		f->rings[ring].missed = *seed % 2;
		f->rings[ring].active_ns = FIXTURE_TICK_NS;
	}
}

static void a_group_is_the_sum_of_its_rings_in_each_window(void)
{
	static const char *const sets[] = {"pp", "Pppp", "pmsp", "PpMmsS"};

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		struct fixture *f = with_rings(sets[i]);
		unsigned seed = 7;

		for (unsigned t = 0; t < 180; t++) {
			sample(f, &seed);
			CHECK(fixture_feed(f) == 0);
			if (t == 100)
				CHECK(session_phases_begin(&f->session, "second", 0) == 0);
		}
		for (size_t g = 0; g < f->session.n_groups; g++)
			for (int window = 0; window < N_WINDOWS; window++)
				check_sums(f, g, (enum window)window);
		fixture_destroy(f);
	}
}

static void a_group_has_a_current_figure_and_seconds(void)
{
	struct fixture *f = with_rings("PpM");

	fixture_sample(f, 0, FIGURE_FIRST, 1500, 3);
	fixture_sample(f, 1, FIGURE_FIRST, 9000, 4);
	fixture_sample(f, 2, FIGURE_FIRST, 2500, 5);
	CHECK(fixture_feed(f) == 0);
	static const uint64_t last_ns[] = {9000, 2500, 9000, 9000, 2500};
	static const uint32_t n[] = {12, 8, 4, 7, 5};

	CHECK(f->session.n_groups == sizeof(n) / sizeof(*n));
	for (size_t g = 0; g < f->session.n_groups; g++) {
		const struct second *second =
			second_stats_at(&f->session.seconds, f->session.groups[g].row, FIGURE_FIRST, 0);

		CHECK(f->session.groups[g].figures[FIGURE_FIRST].hist.last_ns == last_ns[g], "%zu", g);
		CHECK(second && second->n == n[g] && second->max == hist_bucket(last_ns[g]) + 1, "%zu", g);
	}
	fixture_sample(f, 2, FIGURE_FIRST, 1200, 1);
	CHECK(fixture_feed(f) == 0);
	CHECK(f->session.groups[0].figures[FIGURE_FIRST].hist.last_ns == 1200);
	CHECK(f->session.groups[2].figures[FIGURE_FIRST].hist.last_ns == 9000, "no sample: as before");
	fixture_destroy(f);
}

/* In a recording, that may be anyone's, cells come in any order, many times, or for nothing. */
static void cells_in_any_order_are_right(void)
{
	struct fixture *f = with_rings("pm");
	static const uint64_t times[] = {9000, 1500, 1500, 70000, 0, UINT64_MAX, 1500, 128};

	f->rings[0].laps = f->rings[1].laps = 1;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		fixture_sample(f, 1, FIGURE_FIRST, times[i], i == 3 ? 0 : UINT32_MAX);
	f->rings[0].figures[FIGURE_FIRST] = f->rings[1].figures[FIGURE_FIRST];
	CHECK(fixture_feed(f) == 0);
	for (size_t i = 0; i < session_rows(&f->session); i++) {
		size_t row = session_nth_row(&f->session, i);
		uint64_t each = row == GROUP_ROW ? UINT64_C(2) * UINT32_MAX : UINT32_MAX;

		for (int window = 0; window < N_WINDOWS; window++) {
			struct hist hist = {0};

			CHECK(session_add_figure(
				      &f->session, row, (enum window)window, FIGURE_FIRST, &hist) == 0);
			CHECK(hist.n == 7 * each && hist_count(&hist, hist_bucket(1500)) == 3 * each, "%zu",
				row);
			CHECK(hist_count(&hist, hist_bucket(9000)) == each && hist_count(&hist, 0) == each);
			CHECK(hist_count(&hist, HIST_BUCKETS - 1) == each);
			CHECK(hist_count(&hist, hist_bucket(70000)) == 0);
			hist_finish(&hist);
		}
	}
	for (size_t g = 0; g < f->session.n_groups; g++)
		check_sums(f, g, WINDOW_10S);
	fixture_destroy(f);
}

static void feed_ticks(struct fixture *f, unsigned n)
{
	for (unsigned t = 0; t < n; t++) {
		for (size_t i = 0; i < f->tick.n_rings; i++) {
			f->rings[i].laps = t;
			fixture_sample(f, i, FIGURE_FIRST, 1000 + 37 * t + 500 * i, 3);
		}
		CHECK(fixture_feed(f) == 0);
	}
}

static struct session_ring *add_new_ring(struct fixture *f, const char *mechanism)
{
	struct session_ring ring = fixture_ring(f, mechanism);
	uint32_t id = ring.id;

	CHECK(session_add_ring(&f->session, &ring) == 0);
	session_ring_finish(&ring);
	fixture_add(f, id);
	return session_find_ring(&f->session, id);
}

static void a_group_that_comes_later_has_its_rings_past(void)
{
	struct fixture *f = fixture_create(2, MS);
	struct event phase;

	feed_ticks(f, 50);
	phase = fixture_phase(f, "second");
	CHECK(session_phases_begin(&f->session, phase.text, 0) == 0);
	feed_ticks(f, 50);
	CHECK(f->session.n_groups == 1);
	add_new_ring(f, "pipe");
	CHECK(f->session.n_groups == 3 && f->session.groups[2].row == GROUP_ROW + 4);
	feed_ticks(f, 5);
	for (size_t g = 0; g < 3; g++)
		for (int w = 0; w < N_WINDOWS; w++)
			check_sums(f, g, (enum window)w);
	CHECK(session_group_size(&f->session, 1) == 2 &&
		f->session.groups[1].figures[FIGURE_FIRST].hist.n == 630);
	CHECK(second_stats_at(&f->session.seconds, GROUP_ROW + 3, FIGURE_FIRST, 20)->n == 12);
	add_new_ring(f, "pipe")->isolated = true;
	CHECK(session_rows_init(&f->session) == 0 && f->session.n_groups == 5);
	CHECK(f->session.groups[1].kind == GROUP_ISOLATED && f->session.groups[4].row == GROUP_ROW + 4);
	feed_ticks(f, 5);
	for (size_t g = 0; g < 5; g++)
		for (int w = 0; w < N_WINDOWS; w++)
			check_sums(f, g, (enum window)w);
	fixture_destroy(f);
}

static bool is_named(const struct session *session, uint32_t id, const char *as)
{
	char name[SESSION_NAME_SIZE];

	return strcmp(session_ring_name(session_find_ring(session, id), name), as) == 0;
}

static void rings_of_one_mechanism_and_place_have_their_ids_in_their_names(void)
{
	struct fixture *f = fixture_create(3, MS);

	feed_ticks(f, 2);
	CHECK(is_named(&f->session, 0, "mq 0>0") && is_named(&f->session, 2, "mq 2>2"));
	struct session_ring ring = fixture_ring(f, "mq");

	free(ring.label);
	ring.label = strdup("0>0");
	CHECK(session_add_ring(&f->session, &ring) == 0);
	session_ring_finish(&ring);
	CHECK(is_named(&f->session, 0, "mq 0>0#0") && is_named(&f->session, 3, "mq 0>0#3"));
	CHECK(is_named(&f->session, 1, "mq 1>1"), "others keep theirs");
	CHECK(add_new_ring(f, "pipe")->id == 4 && !session_find_ring(&f->session, 4)->has_namesake);

	/* A member that moves makes and ends namesakes. */
	for (unsigned m = 0; m < 2; m++)
		f->members[f->rings[1].first_member + m].moved_to = 3;
	feed_ticks(f, 1);
	CHECK(is_named(&f->session, 1, "mq 2>2#1") && is_named(&f->session, 2, "mq 2>2#2"));
	for (unsigned m = 0; m < 2; m++)
		f->members[f->rings[1].first_member + m].moved_to = 0;
	feed_ticks(f, 1);
	CHECK(is_named(&f->session, 1, "mq 1>1") && is_named(&f->session, 2, "mq 2>2"));

	/* An ended ring is one, until its row goes. */
	CHECK(session_end_ring(&f->session, 0) == 0);
	fixture_remove(f, 0);
	feed_ticks(f, 1);
	CHECK(is_named(&f->session, 3, "mq 0>0#3"));
	for (unsigned i = 0; i < PHASES_MAX; i++) {
		struct event phase = fixture_phase(f, "next");

		CHECK(session_phases_begin(&f->session, phase.text, 0) == 0);
		feed_ticks(f, 1);
	}
	CHECK(!session_find_ring(&f->session, 0) && is_named(&f->session, 3, "mq 0>0"));
	fixture_destroy(f);
}

static void an_ended_ring_stays_until_the_last_phase_that_has_it_is_dropped(void)
{
	struct fixture *f = fixture_create(3, MS);
	struct hist hist = {0};

	feed_ticks(f, 20);
	CHECK(session_end_ring(&f->session, 1) == 0 && session_end_ring(&f->session, 1) == -EINVAL);
	CHECK(session_end_ring(&f->session, 9) == -EINVAL);
	fixture_remove(f, 1);
	feed_ticks(f, 20);
	const struct session_ring *ended = session_find_ring(&f->session, 1);

	CHECK(ended && ended->state == RING_GONE && ended->figures[FIGURE_FIRST].hist.n == 60);
	CHECK(session_group_size(&f->session, 0) == 2,
		"its figures stay, but it is no ring of the group now");
	CHECK(session_add_figure(&f->session, 1, WINDOW_60S, FIGURE_FIRST, &hist) == 0 && hist.n == 60);
	CHECK(add_new_ring(f, "mq")->id == 3 && f->session.n_rings == 4 &&
		session_group_size(&f->session, 0) == 3);
	for (unsigned i = 0; i < PHASES_MAX; i++) {
		CHECK(session_find_ring(&f->session, 1), "phase %u", i);
		CHECK(session_phases_begin(&f->session, NULL, 0) == 0);
		feed_ticks(f, 2);
	}
	CHECK(!session_find_ring(&f->session, 1) && f->session.n_rings == 3 &&
		session_group_size(&f->session, 0) == 3);
	CHECK(!second_stats_at(&f->session.seconds, 1, FIGURE_FIRST, 0));
	check_sums(f, 0, WINDOW_PHASE);
	CHECK(f->rings[2].id == 3 && session_find_ring(&f->session, 3) == &f->session.rings[2]);
	hist_finish(&hist);
	fixture_destroy(f);
}

/* A slot that is passed over just after its due has waited for less than any hop takes: in a tick with such
 * slots alone, in one with most of them, in a phase after one with shorter responses. */
static void check_min_beside_waits(enum figure figure)
{
	static const struct {
		uint64_t served_ns, waits_ns[3]; /* 0: no sample */
		uint64_t min_ns, max_ns, sum_ns; /* of the phase */
	} ticks[] = {
		{3876, {20000, 3803}, 3876, 20000, 27679},
		{0, {3803}, 3876, 20000, 31555},
		{0, {3803}, 3876, 3876, 3876}, /* here the second phase begins */
		{5000, {1000, 1001, 1002}, 5000, 5000, 23876},
		{4000, {0}, 4000, 5000, 27876},
		{0, {30000, 100}, 4000, 30000, 57976},
		{9000, {2000, 30000}, 4000, 30000, 98976},
	};
	struct fixture *f = fixture_create(2, 1000000);
	uint64_t least_ns = 0;

	for (size_t t = 0; t < sizeof(ticks) / sizeof(*ticks); t++) {
		struct tick_figure served = {
			.min_ns = ticks[t].served_ns, .has_extremes = ticks[t].served_ns};

		if (t == 2)
			session_phases_begin(&f->session, NULL, 0);
		if (ticks[t].served_ns)
			fixture_sample(f, 1, figure, ticks[t].served_ns, 1);
		for (size_t i = 0; i < 3; i++)
			if (ticks[t].waits_ns[i])
				fixture_sample(f, 1, figure, ticks[t].waits_ns[i], 1);
		tick_figure_bound_waits(&f->rings[1].figures[figure], f->cells, &served, &least_ns);
		if (ticks[t].served_ns && figure == FIGURE_RESPONSE)
			fixture_sample(f, 1, FIGURE_SERVED, ticks[t].served_ns, 1);
		fixture_feed(f);
		for (size_t row = 1; row <= GROUP_ROW; row += GROUP_ROW - 1) {
			struct hist hist = {0};

			session_add_figure(&f->session, row, WINDOW_PHASE, figure, &hist);
			CHECK(hist.min_ns == ticks[t].min_ns && hist.max_ns == ticks[t].max_ns &&
					hist.sum_ns == ticks[t].sum_ns,
				"%s, tick %zu, row %zu: %llu to %llu, %llu", figure_name(figure), t, row,
				(unsigned long long)hist.min_ns, (unsigned long long)hist.max_ns,
				(unsigned long long)hist.sum_ns);
			hist_finish(&hist);
		}
	}
	fixture_destroy(f);
}

static void no_wait_of_a_missed_slot_is_the_shortest_sample(void)
{
	check_min_beside_waits(FIGURE_RESPONSE);
	check_min_beside_waits(FIGURE_LATENESS);
}

int main(void)
{
	TEST(groups_exist_where_they_tell_something);
	TEST(a_group_is_the_sum_of_its_rings_in_each_window);
	TEST(a_group_has_a_current_figure_and_seconds);
	TEST(cells_in_any_order_are_right);
	TEST(a_group_that_comes_later_has_its_rings_past);
	TEST(no_wait_of_a_missed_slot_is_the_shortest_sample);
	TEST(rings_of_one_mechanism_and_place_have_their_ids_in_their_names);
	TEST(an_ended_ring_stays_until_the_last_phase_that_has_it_is_dropped);
	return tap_done();
}
