/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_window_sums.c - what is shown of a window is what summing up all of it anew gives. */
#include "ui/table/window_sums.h"

#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { RINGS = 3 };

static uint64_t random_state = 1;

static uint64_t below(uint64_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % n;
}

enum { OCTAVE_BYTES = HIST_OCTAVE * sizeof(uint64_t) };

static const uint64_t *octave_counts(const struct hist *hist, unsigned octave)
{
	static const uint64_t none[HIST_OCTAVE];

	return hist->octave[octave] ? hist->octave[octave] : none;
}

static bool same(const struct hist *a, const struct hist *b)
{
	bool same = a->n == b->n && a->sum_ns == b->sum_ns && a->max_at_ns == b->max_at_ns &&
		    memcmp(a->octave_n, b->octave_n, sizeof(a->octave_n)) == 0;

	if (a->max_at_ns)
		same = same && a->min_ns == b->min_ns && a->max_ns == b->max_ns;
	for (unsigned i = 0; i < HIST_OCTAVES; i++)
		same = same && memcmp(octave_counts(a, i), octave_counts(b, i), OCTAVE_BYTES) == 0;
	return same;
}

static void check_row(const struct session *session, struct window_sums *sums, size_t row, enum window window)
{
	for (int f = 0; f < N_FIGURES; f++) {
		struct hist anew = {0};
		const struct hist *hist = window_sums_hist(sums, window, row, (enum figure)f);

		CHECK(session_add_figure(session, row, window, (enum figure)f, &anew) == 0);
		CHECK(same(hist, &anew), "%s, row %zu, figure %d, tick %zu: %llu for %llu samples",
			window_name(window), row, f, session->n_ticks, (unsigned long long)hist->n,
			(unsigned long long)anew.n);
		hist_finish(&anew);
	}
}

/* A part of the group of all rings. */
static void check_part(
	const struct session *session, struct window_sums *sums, const bool passes[RINGS], enum window window)
{
	enum figure figure = (enum figure)below(N_FIGURES);
	const struct hist *hist = window_sums_of_some(sums, window, 0, figure, passes);
	struct hist anew = {0};

	for (size_t i = 0; i < RINGS; i++)
		if (passes[i])
			CHECK(session_add_figure(session, i, window, figure, &anew) == 0);
	CHECK(same(hist, &anew), "%s, part %d%d%d, figure %d, tick %zu", window_name(window), passes[0],
		passes[1], passes[2], (int)figure, session->n_ticks);
	hist_finish(&anew);
}

/* Some rows more than once in a row, and mostly not all of them; now and then as many as sorting reads. */
static void check_sums(struct window_sums *sums, const struct session *session)
{
	const bool passes[RINGS] = {below(2), below(2), below(2)};

	window_sums_begin(sums, session);
	for (size_t n = below(10); n > 0; n--)
		check_part(session, sums, passes, (enum window)below(N_WINDOWS));
	for (size_t n = below(100) ? 12 : 400; n > 0; n--)
		check_row(session, sums, session_nth_row(session, below(session_rows(session))),
			(enum window)below(N_WINDOWS));
}

/* A response that was served is a response, too. */
static void add_samples(struct fixture *f, size_t ring, enum figure figure, uint64_t ns, uint32_t n)
{
	fixture_sample(f, ring, figure, ns, n);
	if (figure == FIGURE_SERVED)
		fixture_sample(f, ring, FIGURE_RESPONSE, ns, n);
}

/* Few values, so that the extremes of one tick are those of others, too. */
static void fill_ticks(struct fixture *f)
{
	uint64_t rank = below(8);

	for (size_t ring = 0; ring < RINGS && rank; ring++) {
		f->rings[ring].missed = below(5) / 3 * below(100);
		f->rings[ring].away = below(5) / 3 * below(100);
		for (int figure = 0; figure < N_FIGURES; figure++) {
			uint64_t ns = 100 << below(6);

			if (below(5) == 0 || (ring == 1 && rank < 4))
				continue;
			add_samples(f, ring, (enum figure)figure, ns, 1 + (uint32_t)below(300));
			if (below(2))
				add_samples(f, ring, (enum figure)figure, ns << (1 + below(9)), 1);
		}
	}
}

static void feed(struct fixture *f, uint64_t tick_ns)
{
	f->tick.end_ns = f->tick.start_ns + tick_ns;
	fill_ticks(f);
	CHECK(fixture_feed(f) == 0);
}

static void what_is_shown_is_the_sum_of_its_blocks(void)
{
	static const struct {
		uint64_t least_ms, most_ms;
		unsigned ticks;
		uint64_t looks; /* of so many ticks one is not looked at, about */
		uint64_t phase; /* and one begins a phase */
	} cases[] = {
		{500, 500, 600, 1000, 10000},
		{500, 500, 600, 4, 60},
		{200, 200, 1200, 20, 200},
		{50, 1000, 600, 8, 100},
		{100, 4000, 300, 8, 50},
		{500, 30000, 200, 3, 40},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(RINGS, 1000000);
		struct window_sums sums = {0};

		check_sums(&sums, &f->session);
		for (unsigned t = 0; t < cases[i].ticks; t++) {
			uint64_t more_ms = below(cases[i].most_ms - cases[i].least_ms + 1);

			feed(f, (cases[i].least_ms + more_ms) * 1000000);
			if (below(cases[i].phase) == 0)
				CHECK(session_phases_begin(&f->session, NULL, 0) == 0);
			if (below(cases[i].looks))
				check_sums(&sums, &f->session);
		}
		window_sums_finish(&sums);
		fixture_destroy(f);
	}
}

/* At the same place, and from the same time on, as a seek does. */
static void replace(struct fixture *f)
{
	struct fixture *other = fixture_create(RINGS, 1000000);

	session_finish(&f->session);
	f->session = other->session;
	f->tick.start_ns = other->tick.start_ns;
	free(other);
}

static void a_session_in_place_of_another_is_shown_alone(void)
{
	struct fixture *f = fixture_create(RINGS, 1000000);
	struct window_sums sums = {0};

	for (unsigned round = 0; round < 60; round++) {
		uint64_t unseen = 1 + below(80);

		replace(f);
		for (uint64_t t = 0; t < unseen; t++) {
			feed(f, FIXTURE_TICK_NS);
			if (below(30) == 0)
				CHECK(session_phases_begin(&f->session, NULL, 0) == 0);
		}
		for (uint64_t t = below(40); t-- > 0;) {
			check_sums(&sums, &f->session);
			feed(f, FIXTURE_TICK_NS);
		}
		check_sums(&sums, &f->session);
	}
	window_sums_finish(&sums);
	fixture_destroy(f);
}

int main(void)
{
	TEST(what_is_shown_is_the_sum_of_its_blocks);
	TEST(a_session_in_place_of_another_is_shown_alone);
	return tap_done();
}
