/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_phase.c - when a phase begins, what it holds, and what all that may take. */
#include "src/model/phase.h"
#include "src/model/session.h"

#include <malloc.h>
#include <stdlib.h>

#include "src/model/feed.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { MS = 1000000 };

static const struct phase *phase_at(const struct fixture *f, size_t index)
{
	return &f->session.phases.list[index];
}

static uint64_t samples_of(const struct fixture *f, size_t index, size_t ring)
{
	struct block_list blocks = session_phase_blocks(&f->session, phase_at(f, index));
	struct hist hist = {0};
	uint64_t n;

	block_list_add_figure(&blocks, ring, FIGURE_FIRST, &hist);
	n = hist.n;
	hist_finish(&hist);
	return n;
}

/* With the ticks that wait. */
static uint64_t samples_of_blocks(const struct fixture *f, size_t index, size_t ring)
{
	const struct phase *phase = phase_at(f, index);
	const struct block_list blocks = {.rest = phase->blocks, .n_rest = phase->n_blocks};
	struct block_list waiting = session_phase_blocks(&f->session, phase);
	struct hist hist = {0};
	uint64_t n;

	waiting.first = (struct block){0};
	block_list_add_figure(&blocks, ring, FIGURE_FIRST, &hist);
	block_list_add_figure(&waiting, ring, FIGURE_FIRST, &hist);
	n = hist.n;
	hist_finish(&hist);
	return n;
}

static void feed(struct fixture *f, unsigned ticks)
{
	for (unsigned i = 0; i < ticks; i++) {
		fixture_sample(f, 0, FIGURE_FIRST, 1400 + 10 * (f->session.n_ticks % 40), 10);
		CHECK(fixture_feed(f) == 0);
	}
}

static void each_tick_is_in_one_phase(void)
{
	struct fixture *f = fixture_create(1, MS);

	feed(f, 30);
	CHECK(session_phases_begin(&f->session, NULL, 0) == 0);
	feed(f, 7);
	CHECK(session_phases_begin(&f->session, "irq to 0-1", 0) == 0);
	CHECK(f->session.phases.n == 3);
	CHECK(f->session.rings[0].figures[FIGURE_FIRST].phase_max_at_ns == 0);
	feed(f, 100);
	CHECK(samples_of(f, 0, 0) == 300 && samples_of(f, 1, 0) == 70);
	CHECK(samples_of(f, 2, 0) == 1000);
	CHECK(phase_at(f, 0)->cause == PHASE_START && strcmp(phase_at(f, 0)->name, "start") == 0);
	CHECK(phase_at(f, 1)->cause == PHASE_KEY && strcmp(phase_at(f, 1)->name, "") == 0);
	CHECK(phase_at(f, 2)->cause == PHASE_MARK && strcmp(phase_at(f, 2)->name, "irq to 0-1") == 0);
	CHECK(phase_at(f, 0)->start_ns == FIXTURE_START_NS);
	CHECK(phase_at(f, 0)->end_ns == FIXTURE_START_NS + UINT64_C(30) * FIXTURE_TICK_NS);
	CHECK(phase_at(f, 1)->start_ns == phase_at(f, 0)->end_ns);
	CHECK(phase_at(f, 2)->start_ns == phase_at(f, 1)->end_ns && phase_at(f, 2)->number == 3);
	CHECK(f->session.n_events == 2 && f->session.events[1].kind == EVENT_PHASE);
	CHECK(strcmp(fixture_event(f, 1), "phase 2") == 0 &&
			strcmp(fixture_event(f, 0), "phase 3 'irq to 0-1'") == 0,
		"%s", fixture_event(f, 0));
	CHECK(f->session.rings[0].figures[FIGURE_FIRST].hist.n == 1370, "all stays all");
	fixture_destroy(f);
}

static void a_key_before_the_first_tick_is_a_phase_of_its_own(void)
{
	struct fixture *f = fixture_create(1, MS);

	f->session.start_ns = FIXTURE_START_NS;
	CHECK(session_phases_begin(&f->session, "early", 0) == 0);
	feed(f, 1);
	CHECK(f->session.phases.n == 2);
	CHECK(phase_at(f, 0)->end_ns == FIXTURE_START_NS && phase_at(f, 1)->start_ns == FIXTURE_START_NS);
	CHECK(samples_of(f, 0, 0) == 0 && samples_of(f, 1, 0) == 10);
	fixture_destroy(f);
}

static void a_change_of_scheduling_begins_one_phase_a_second(void)
{
	static const struct {
		bool wanted;
		unsigned apart; /* ticks, from the first change to the second */
		size_t phases;
		const char *name; /* of the second one */
	} cases[] = {{true, 0, 2, "mq 1>1 member 0: CPU 1 -> any of 2 CPUs and 1 more"},
		{true, 1, 2, "mq 0>0: FIFO:80 -> OTHER and 1 more"}, {true, 2, 3, "mq 0>0: FIFO:80 -> OTHER"},
		{true, 9, 3, "mq 0>0: FIFO:80 -> OTHER"}, {false, 9, 1}, {false, 0, 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(2, MS);

		f->session.auto_phase = cases[i].wanted;
		feed(f, 3);
		CHECK(f->session.phases.n == 1);
		f->members[0].policy = f->members[1].policy = (struct task_policy){SCHED_OTHER, 0};
		for (unsigned t = 0; t < cases[i].apart; t++)
			feed(f, 1);
		f->members[2].cpu = -1;
		f->members[2].n_cpus = 2;
		feed(f, 5);
		CHECK(f->session.phases.n == cases[i].phases, "case %zu: %zu", i, f->session.phases.n);
		CHECK(f->session.n_events == 2, "a phase of a change is no event of its own");
		if (cases[i].wanted) {
			CHECK(phase_at(f, 1)->cause == PHASE_CHANGE);
			CHECK(strcmp(phase_at(f, 1)->name, cases[i].name) == 0, "case %zu: %s", i,
				phase_at(f, 1)->name);
			CHECK(samples_of(f, 0, 0) == 40, "the tick with the change is of the old one");
		}
		fixture_destroy(f);
	}
}

static void a_change_of_many_rings_names_a_phase_by_the_number_of_members(void)
{
	struct fixture *f = fixture_create(120, MS);

	feed(f, 1);
	for (size_t m = 0; m < 240; m++)
		f->members[m].policy = (struct task_policy){SCHED_RR, 5, 0};
	feed(f, 1);
	CHECK(strcmp(phase_at(f, 1)->name, "240 of 240 members: FIFO:80 -> RR:5") == 0, "%s",
		phase_at(f, 1)->name);
	CHECK(strcmp(fixture_event(f, 0), "240 of 240 members: FIFO:80 -> RR:5") == 0, "%s",
		fixture_event(f, 0));
	feed(f, 2);
	for (size_t m = 0; m < 240; m++)
		f->members[m].policy = (struct task_policy){SCHED_OTHER, 0, 19};
	feed(f, 1);
	CHECK(strcmp(phase_at(f, 2)->name, "240 of 240 members: RR:5 -> OTHER nice 19") == 0, "%s",
		phase_at(f, 2)->name);
	/* A mark has its own name, also if a change follows at once. */
	CHECK(session_phases_begin(&f->session, "mine", 0) == 0);
	f->members[0].policy = (struct task_policy){SCHED_FIFO, 80, 0};
	feed(f, 1);
	CHECK(f->session.phases.n == 4 && strcmp(phase_at(f, 3)->name, "mine") == 0, "%s",
		phase_at(f, 3)->name);
	feed(f, 2);
	for (size_t i = 100; i < 120; i++)
		CHECK(session_end_ring(&f->session, (uint32_t)i) == 0);
	for (size_t m = 2; m < 42; m++)
		f->members[m].policy = (struct task_policy){SCHED_RR, 6, 0};
	feed(f, 1);
	CHECK(strcmp(phase_at(f, 4)->name, "40 of 200 members: OTHER nice 19 -> RR:6") == 0,
		"those of removed rings do not count: %s", phase_at(f, 4)->name);
	CHECK(strcmp(fixture_event(f, 0), "40 of 200 members: OTHER nice 19 -> RR:6") == 0, "%s",
		fixture_event(f, 0));
	fixture_destroy(f);
}

/* A loop over the members may last for longer than a tick. */
static void the_same_change_in_two_ticks_is_one_in_the_name(void)
{
	struct fixture *f = fixture_create(3, MS);

	feed(f, 1);
	for (size_t m = 0; m < 6; m++) {
		f->members[m].policy = (struct task_policy){SCHED_RR, 5, 0};
		if (m == 1 || m == 4)
			feed(f, 1);
	}
	CHECK(f->session.phases.n == 2 &&
			strcmp(phase_at(f, 1)->name, "5 of 6 members: FIFO:80 -> RR:5") == 0,
		"%s", phase_at(f, 1)->name);
	fixture_destroy(f);
}

static void a_change_taken_back_and_made_again_has_no_more_members_than_there_are(void)
{
	static const struct task_policy policies[] = {
		{SCHED_RR, 5, 0}, {SCHED_FIFO, 80, 0}, {SCHED_RR, 5, 0}};
	struct fixture *f = fixture_create(4, MS);

	feed(f, 1);
	for (size_t i = 0; i < 3; i++) {
		for (size_t m = 0; m < 8; m++)
			f->members[m].policy = policies[i];
		f->tick.end_ns = f->tick.start_ns + FIXTURE_TICK_NS / 5;
		feed(f, 1);
	}
	CHECK(strcmp(phase_at(f, 1)->name, "8 of 8 members: FIFO:80 -> RR:5 and 1 more") == 0, "%s",
		phase_at(f, 1)->name);
	fixture_destroy(f);
}

/* All have the same length, but for the last one. */
static void check_blocks(const struct fixture *f, size_t index, unsigned ticks)
{
	const struct phase *phase = phase_at(f, index);

	CHECK(phase->n_blocks <= PHASE_BLOCKS_MAX);
	for (unsigned b = 0; b < phase->n_blocks; b++) {
		uint32_t n_ticks = phase->blocks[b].n_ticks;

		CHECK(b + 1 == phase->n_blocks ? n_ticks <= phase->block_ticks
					       : n_ticks == phase->block_ticks,
			"%u ticks, block %u of %u: %u of %u", ticks, b, phase->n_blocks, n_ticks,
			phase->block_ticks);
		CHECK(b == 0 || phase->blocks[b].start_ns == phase->blocks[b - 1].end_ns);
	}
	CHECK(samples_of(f, index, 0) == 10 * ticks);
	CHECK(!phase->lacks_blocks);
	CHECK(samples_of_blocks(f, index, 0) == 10 * ticks, "%u ticks: %llu", ticks,
		(unsigned long long)samples_of_blocks(f, index, 0));
}

static void blocks_double_when_there_are_too_many(void)
{
	static const unsigned lengths[] = {1, 2, 63, 64, 65, 66, 90, 126, 128, 131, 500, 2000, 7200};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct fixture *f = fixture_create(1, MS);

		for (unsigned t = 1; t <= lengths[i]; t++) {
			feed(f, 1);
			if (t < 300 || t % 100 == 0)
				check_blocks(f, 0, t);
		}
		session_phases_begin(&f->session, NULL, 0);
		CHECK(lengths[i] > PHASE_BLOCKS_MAX ? phase_at(f, 0)->n_blocks >= PHASE_BLOCKS_MAX / 2
						    : phase_at(f, 0)->n_blocks == lengths[i],
			"%u ticks: %u", lengths[i], phase_at(f, 0)->n_blocks);
		check_blocks(f, 0, lengths[i]);
		feed(f, 100);
		check_blocks(f, 0, lengths[i]);
		check_blocks(f, 1, 100);
		fixture_destroy(f);
	}
}

/* As in a run, where others read the session. */
static void a_session_is_fed_and_merged_under_its_lock(void)
{
	struct fixture *f = fixture_create(1, MS);
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	for (unsigned t = 1; t <= 300; t++) {
		const struct feed_item item = {FEED_TICK, .tick = &f->tick};

		fixture_sample(f, 0, FIGURE_FIRST, 1400 + 10 * (f->session.n_ticks % 40), 10);
		CHECK(feed_session(&f->session, &item, &lock) == 0 && pthread_mutex_trylock(&lock) == 0);
		fixture_next(f);
		pthread_mutex_unlock(&lock);
		CHECK(f->session.phases.n_waiting < PHASE_WAITING_MAX);
		CHECK(f->session.series.n_ticks <= 35, "%zu", f->session.series.n_ticks);
		if (t == 150)
			CHECK(session_phases_begin(&f->session, NULL, 0) == 0);
		check_blocks(f, 0, t < 150 ? t : 150);
		if (t > 150)
			check_blocks(f, 1, t - 150);
	}
	fixture_destroy(f);
}

static void phases_as_short_as_a_tick_are_whole(void)
{
	static const unsigned lengths[] = {1, 2, 3, 11, 70};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct fixture *f = fixture_create(1, MS);

		for (unsigned p = 0; p < 100; p++) {
			feed(f, lengths[i]);
			CHECK(session_phases_begin(&f->session, NULL, 0) == 0);
		}
		feed(f, 200);
		for (unsigned p = 0; p < 100; p++)
			check_blocks(f, p, lengths[i]);
		fixture_destroy(f);
	}
}

static void sample_as_live(struct fixture *f, size_t ring, uint64_t *seed);

/* A phase may end while they are made fewer. All lengths but the first only with IPCTOP_FULL. */
static void large_blocks_are_made_fewer_and_alike(void)
{
	enum { PAIRS = 700 };
	static const unsigned lengths[] = {51, 70, 50, 55};
	size_t n_lengths = getenv("IPCTOP_FULL") ? 4 : 1;

	for (size_t i = 0; i < n_lengths; i++) {
		struct fixture *f = fixture_create(PAIRS, MS);
		unsigned length = lengths[i];
		uint64_t seed = length;

		for (unsigned t = 0; t < length; t++) {
			for (size_t ring = 0; ring < PAIRS; ring++)
				sample_as_live(f, ring, &seed);
			CHECK(fixture_feed(f) == 0);
		}
		CHECK(session_phases_begin(&f->session, NULL, 0) == 0);
		const struct phase *phase = phase_at(f, 0);

		CHECK(phase->n_halved == 0 && phase->n_blocks >= PHASE_BLOCKS_MIN);
		CHECK(phase->block_ticks > 1, "%u ticks", length);
		for (unsigned b = 0; b + 1 < phase->n_blocks; b++)
			CHECK(phase->blocks[b].n_ticks == phase->block_ticks, "%u ticks, block %u: %u of %u",
				length, b, phase->blocks[b].n_ticks, phase->block_ticks);
		fixture_destroy(f);
	}
}

static void too_many_phases_forget_the_oldest_with_a_note(void)
{
	struct fixture *f = fixture_create(1, MS);

	for (unsigned i = 0; i < PHASES_MAX + 4; i++) {
		char name[16];

		feed(f, 1);
		snprintf(name, sizeof(name), "n%u", i + 2);
		CHECK(session_phases_begin(&f->session, name, 0) == 0);
	}
	CHECK(f->session.phases.n == PHASES_MAX && f->session.phases.dropped == 5);
	CHECK(strcmp(phase_at(f, 0)->name, "n6") == 0 && phase_at(f, 0)->number == 6);
	CHECK(phases_current(&f->session.phases)->number == PHASES_MAX + 5);
	unsigned notes = 0;

	for (size_t i = 0; i < f->session.n_events; i++)
		notes += f->session.events[i].kind == EVENT_PHASES_FULL;
	CHECK(notes == 1, "%u", notes);
	fixture_destroy(f);
}

static void a_name_that_is_too_long_ends_with_a_whole_letter(void)
{
	struct fixture *f = fixture_create(1, MS);
	char name[200] = "x";

	for (unsigned i = 0; i < 50; i++)
		strcat(name, "é");
	CHECK(session_phases_begin(&f->session, name, 0) == 0);
	CHECK(strlen(phase_at(f, 1)->name) == PHASE_NAME_SIZE - 1);
	CHECK(strncmp(phase_at(f, 1)->name, name, PHASE_NAME_SIZE - 1) == 0);
	memmove(name, name + 1, sizeof(name) - 1);
	CHECK(session_phases_begin(&f->session, name, 0) == 0);
	CHECK(strlen(phase_at(f, 2)->name) == PHASE_NAME_SIZE - 2);
	fixture_destroy(f);
}

/* What a ring at 1 kHz does in a tick: a dense middle, and a tail; other buckets in each tick. */
static void sample_as_live(struct fixture *f, size_t ring, uint64_t *seed)
{
	static const enum figure figures[] = {
		FIGURE_FIRST, FIGURE_ANSWER, FIGURE_LAP, FIGURE_RESPONSE, FIGURE_LATENESS, FIGURE_SERVED};

	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		uint64_t base = 1200 + 400 * figures[i];
		struct tick_figure *figure = &f->rings[ring].figures[figures[i]];

		figure->first_cell = f->tick.n_cells;
		for (unsigned k = 0; k < 90; k++) {
			*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			uint64_t ns = base + (*seed >> 33) % base;

			if (k % 10 == 0)
				ns <<= (*seed >> 20) % 6;
			f->cells[f->tick.n_cells++] = (struct hist_cell){hist_bucket(ns), 1 + k % 10};
			figure->sum_ns += ns;
			figure->max_ns = ns > figure->max_ns ? ns : figure->max_ns;
		}
		figure->n_cells = 90;
		figure->min_ns = base;
		figure->max_at_ns = f->tick.end_ns;
		figure->has_extremes = true;
	}
}

/* The last three phases and the baseline have blocks, and as many others as the bound allows. */
static void old_phases_keep_their_blocks_while_there_is_room(void)
{
	enum { PAIRS = 15, TICKS = 20, PHASES = 160 };
	struct fixture *f = fixture_create(PAIRS, MS);
	size_t bytes = 0, most = 0, n_with_blocks = 0;
	uint64_t seed = 1;

	f->session.phases.baseline = 2;
	for (unsigned i = 0; i < PHASES * TICKS; i++) {
		for (size_t ring = 0; ring < PAIRS; ring++)
			sample_as_live(f, ring, &seed);
		CHECK(fixture_feed(f) == 0);
		if (i % TICKS == TICKS - 1)
			CHECK(session_phases_begin(&f->session, NULL, 0) == 0);
	}
	for (size_t i = 0; i < PHASES; i++) {
		const struct phase *phase = phase_at(f, i);

		CHECK(phase->lacks_blocks == !phase->n_blocks && phase->sum.n_ticks == TICKS);
		CHECK(i < 2 || !phase->lacks_blocks || phase_at(f, i - 1)->lacks_blocks || i == 2, "%zu", i);
		n_with_blocks += !phase->lacks_blocks;
		size_t of_phase = phase->blocks ? PHASE_BLOCKS_MAX * sizeof(*phase->blocks) : 0;

		for (unsigned b = 0; b < phase->n_blocks; b++)
			of_phase += block_bytes(&phase->blocks[b]);
		bytes += phase->number == 2 ? 0 : of_phase;
		most = of_phase > most ? of_phase : most;
	}
	CHECK(phase_at(f, 0)->lacks_blocks && !phase_at(f, 1)->lacks_blocks && phase_at(f, 2)->lacks_blocks);
	CHECK(bytes <= PHASES_BLOCKS_BYTES && bytes > PHASES_BLOCKS_BYTES - 2 * most,
		"%zu bytes in %zu phases", bytes, n_with_blocks);
	fixture_destroy(f);
}

enum {
	HOUR = 3600 * 2,
	PAIR_BYTES = 320 * 1024, /* of few; of more than a hundred their phase's blocks have a bound */
	PAIR_AND_PHASES_BYTES =
		3072 * 1024 /* with its part of a session, and of the sums of all kept phases */
};

/* Returns 0 where the C library doesn't count. */
static size_t allocated(void)
{
#ifdef __GLIBC__
	return mallinfo2().uordblks;
#else
	return 0;
#endif
}

/* What each hour's ticks took at most, with a phase each so many ticks, or none. Address sanitizers and musl
 * count nothing there; then there is nothing to compare. */
static void run_hours(size_t n_rings, unsigned phase_ticks, unsigned hours, size_t *most)
{
	size_t before = allocated();
	struct fixture *f = fixture_create(n_rings, MS);
	size_t fixture = sizeof(*f);
	uint64_t seed = n_rings;

	for (unsigned t = 0; t < hours * HOUR; t++) {
		for (size_t ring = 0; ring < n_rings; ring++)
			sample_as_live(f, ring, &seed);
		if (fixture_feed(f) < 0)
			abort();
		if (phase_ticks && t % phase_ticks == phase_ticks - 1 &&
			session_phases_begin(&f->session, NULL, 0) < 0)
			abort();
		size_t now = before ? allocated() - before - fixture : 0;

		if (now > most[t / HOUR])
			most[t / HOUR] = now;
	}
	CHECK(phases_current(&f->session.phases)->n_blocks <= PHASE_BLOCKS_MAX);
	fixture_destroy(f);
}

/* The last case, whose phases are dropped after hours, only with IPCTOP_FULL. */
static void memory_is_flat_and_has_a_bound(void)
{
	static const struct {
		const char *what;
		size_t pairs;
		unsigned phase_ticks, hours;
		bool is_flat; /* as there are no more phases than an hour before */
	} cases[] = {{"one phase", 2, 0, 2, true}, {"a phase each 28 minutes", 2, 28 * 120, 2, false},
		{"a phase each minute", 2, 120, 6, true}};
	size_t n_cases = sizeof(cases) / sizeof(*cases) - !getenv("IPCTOP_FULL");
	bool counts = allocated() > 0;

	for (size_t i = 0; i < n_cases; i++) {
		size_t most[8] = {0}, last = cases[i].hours - 1;

		run_hours(cases[i].pairs, cases[i].phase_ticks, cases[i].hours, most);
		printf("# %s, %zu pairs: %zu KiB after an hour,", cases[i].what, cases[i].pairs,
			most[0] / 1024);
		printf(" %zu after %zu, %zu after %u\n", most[last - 1] / 1024, last, most[last] / 1024,
			cases[i].hours);
		CHECK(most[last] <= cases[i].pairs * PAIR_AND_PHASES_BYTES + PHASES_BLOCKS_BYTES, "%s",
			cases[i].what);
		CHECK(!counts || !cases[i].is_flat || most[last] <= most[last - 1] + most[last - 1] / 20,
			"%s", cases[i].what);
	}
}

/* A pair more, beside what a session takes whatever it has. */
static void a_pair_takes_what_it_may(void)
{
	size_t one[1] = {0}, two[1] = {0};

	run_hours(1, 0, 1, one);
	run_hours(2, 0, 1, two);
	printf("# %zu KiB a pair\n", (two[0] - one[0]) / 1024);
	CHECK(two[0] == 0 || two[0] - one[0] <= PAIR_BYTES, "%zu", two[0] - one[0]);
}

/* The numbers of the phases like each one, newest first. */
static void phases_of_one_mark_or_configuration_are_replicates(void)
{
	static const struct {
		const char *mark; /* NULL: a change to the policy begins it */
		int priority;
		const char *like;
	} phases[] = {
		{NULL, 80, "1 3"}, /* the start */
		{NULL, 0, "2"},
		{NULL, 80, "1 3"},
		{"quiet", 80, "4 6"},
		{"loud", 80, "5"},
		{"quiet", 0, "4 6"},
	};
	struct fixture *f = fixture_create(1, MS);

	f->session.auto_phase = true;
	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		if (phases[i].mark)
			CHECK(session_phases_begin(&f->session, phases[i].mark, 0) == 0);
		for (unsigned m = 0; m < 2; m++)
			f->members[m].policy = (struct task_policy){
				phases[i].priority ? SCHED_FIFO : SCHED_OTHER, phases[i].priority, 0};
		f->session.auto_phase = !phases[i].mark;
		/* Tasks of others are no setting. */
		snprintf(f->session.machine.rivals, sizeof(f->session.machine.rivals), "hog FF80 on %zu", i);
		feed(f, 4);
	}
	CHECK(f->session.phases.n == 6, "%zu", f->session.phases.n);
	for (size_t i = 0; i < f->session.phases.n; i++) {
		uint32_t numbers[PHASES_MAX];
		char text[64] = "", word[16];
		size_t n = phases_like(&f->session.phases, phase_at(f, i), numbers, PHASES_MAX);

		for (size_t k = 0; k < n; k++) {
			snprintf(word, sizeof(word), "%s%u", k ? " " : "", (unsigned)numbers[k]);
			strcat(text, word);
		}
		CHECK(strcmp(text, phases[i].like) == 0, "phase %zu: %s", i + 1, text);
		CHECK(phases_like(&f->session.phases, phase_at(f, i), numbers, 1) == 1 &&
			numbers[0] == i + 1);
	}
	fixture_destroy(f);
}

static void a_figure_of_the_machine_is_what_its_summary_says(void)
{
	for (uint64_t i = 1; i < 2000; i++) {
		struct phase phase = {.end_ns = 3000ULL * MS + 7 * i,
			.interrupts = 36001 + 13 * i,
			.load_sum = 101 + 7 * i,
			.n_loads = 3};
		/* As a struct keeps them: some processors compute with more digits. */
		volatile double load = phase_load(&phase), interrupts = phase_interrupts(&phase), read;
		char text[32];

		snprintf(text, sizeof(text), "%.2f", load);
		read = strtod(text, NULL);
		CHECK(read == load, "%s", text);
		snprintf(text, sizeof(text), "%.1f", interrupts);
		read = strtod(text, NULL);
		CHECK(read == interrupts, "%s", text);
	}
}

int main(void)
{
	TEST(each_tick_is_in_one_phase);
	TEST(a_key_before_the_first_tick_is_a_phase_of_its_own);
	TEST(a_change_of_scheduling_begins_one_phase_a_second);
	TEST(a_change_of_many_rings_names_a_phase_by_the_number_of_members);
	TEST(the_same_change_in_two_ticks_is_one_in_the_name);
	TEST(a_change_taken_back_and_made_again_has_no_more_members_than_there_are);
	TEST(blocks_double_when_there_are_too_many);
	TEST(a_session_is_fed_and_merged_under_its_lock);
	TEST(phases_as_short_as_a_tick_are_whole);
	TEST(large_blocks_are_made_fewer_and_alike);
	TEST(too_many_phases_forget_the_oldest_with_a_note);
	TEST(old_phases_keep_their_blocks_while_there_is_room);
	TEST(a_name_that_is_too_long_ends_with_a_whole_letter);
	TEST(memory_is_flat_and_has_a_bound);
	TEST(a_pair_takes_what_it_may);
	TEST(phases_of_one_mark_or_configuration_are_replicates);
	TEST(a_figure_of_the_machine_is_what_its_summary_says);
	return tap_done();
}
