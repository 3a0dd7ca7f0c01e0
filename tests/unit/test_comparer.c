/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_comparer.c - phases that a thread compares. */
#include "src/model/comparer.h"

#include <errno.h>
#include <math.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#include "src/report/phase_from_json.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { MS = 1000000, TICKS = 40 };

static void report_news(void *data)
{
	sem_post(data);
}

/* Two phases of 40 ticks; in the second the rings with odd numbers are half as fast again. @mark: of the
 * first; NULL: none begins it. */
static struct fixture *make_marked_phases(size_t n_rings, const char *mark)
{
	struct fixture *f = fixture_create(n_rings, MS);

	for (unsigned tick = 0; tick < 2 * TICKS; tick++) {
		if (tick == 0 && mark)
			CHECK(session_phases_begin(&f->session, mark, 0) == 0);
		if (tick == TICKS)
			CHECK(session_phases_begin(&f->session, "slower", 0) == 0);
		for (size_t i = 0; i < n_rings; i++) {
			uint64_t ns =
				(4000 + 13 * ((tick * 7 + i) % 5)) * (tick >= TICKS && i % 2 ? 3 : 2) / 2;

			fixture_sample(f, i, FIGURE_FIRST, ns, 300);
			fixture_sample(f, i, FIGURE_RESPONSE, 10 * ns, 300);
			fixture_sample(f, i, FIGURE_SERVED, 10 * ns, 300);
			f->rings[i].active_ns = FIXTURE_TICK_NS;
		}
		CHECK(fixture_feed(f) == 0);
	}
	CHECK(session_phases_settle(&f->session) == 0);
	return f;
}

static struct fixture *make_phases(size_t n_rings)
{
	return make_marked_phases(n_rings, NULL);
}

static const struct comparison_choice choice = {1, 2, FIGURE_FIRST, 5000};

/* Field by field: between these are bytes that nobody sets. */
static bool are_same_marks(const struct mark x[N_MARKS], const struct mark y[N_MARKS])
{
	for (size_t i = 0; i < N_MARKS; i++)
		if (x[i].verdict != y[i].verdict || x[i].probability != y[i].probability ||
			x[i].survives != y[i].survives)
			return false;
	return true;
}

static bool is_same_summary(const struct verdict_summary *x, const struct verdict_summary *y)
{
	return x->n_rows == y->n_rows && memcmp(x->verdicts, y->verdicts, sizeof(x->verdicts)) == 0 &&
	       x->worse == y->worse && x->better == y->better && x->n_tests == y->n_tests &&
	       x->verdict == y->verdict && are_same_marks(x->marks, y->marks) &&
	       memcmp(x->overall, y->overall, sizeof(x->overall)) == 0 && x->missed_a == y->missed_a &&
	       x->missed_b == y->missed_b && x->spikes_a == y->spikes_a && x->spikes_b == y->spikes_b &&
	       x->laps_a == y->laps_a && x->laps_b == y->laps_b && x->row_missed_a == y->row_missed_a &&
	       x->row_missed_b == y->row_missed_b;
}

static bool is_same_line(const struct comparison_line *x, const struct comparison_line *y)
{
	return x->is_ready == y->is_ready && memcmp(&x->a, &y->a, sizeof(x->a)) == 0 &&
	       memcmp(&x->b, &y->b, sizeof(x->b)) == 0 &&
	       memcmp(x->shifts, y->shifts, sizeof(x->shifts)) == 0 && x->verdict == y->verdict &&
	       are_same_marks(x->marks, y->marks) && x->over_ns == y->over_ns;
}

static void the_thread_finds_what_a_direct_comparison_does(void)
{
	struct fixture *f = make_phases(6);
	struct comparison_lines direct = {0}, lines = {0};
	const size_t first[] = {3, 1};
	struct comparer *comparer;
	sem_t news;

	sem_init(&news, 0, 0);
	CHECK(comparison_lines_make(&direct, &f->session, &choice, NULL) == 0 && direct.is_complete);
	CHECK(comparer_create(&comparer, report_news, &news) == 0);
	CHECK(comparer_ask(comparer, &f->session, false, &choice, first, 2, NULL) == 0);
	while (!lines.is_complete) {
		sem_wait(&news);
		CHECK(comparer_read(comparer, &lines) == 0);
		CHECK(lines.lines[3].is_ready && lines.lines[1].is_ready);
	}
	CHECK(lines.n_lines == direct.n_lines && lines.n_rings == 6);
	for (size_t i = 0; i < direct.n_lines; i++)
		CHECK(is_same_line(&lines.lines[i], &direct.lines[i]), "line %zu", i);
	CHECK(is_same_summary(&lines.summary, &direct.summary));
	CHECK(strcmp(lines.differences, "nothing recorded differs") == 0, "%s", lines.differences);
	CHECK(lines.summary.worse == 3 && lines.lines[1].verdict == SHIFT_WORSE &&
			lines.lines[0].verdict == SHIFT_SAME,
		"%zu worse", lines.summary.worse);
	comparer_destroy(comparer);
	comparison_lines_finish(&direct);
	comparison_lines_finish(&lines);
	sem_destroy(&news);
	fixture_destroy(f);
}

/* Nothing was changed between them, so nothing became worse, either. */
static void between_replicates_rows_have_moved(void)
{
	for (size_t n_rings = 2; n_rings <= 4; n_rings += 2) {
		struct fixture *f = make_marked_phases(n_rings, "slower");
		struct comparison_lines lines = {0};
		const struct comparison_choice replicates = {.a = 2, .b = 3, .figure = FIGURE_FIRST};
		char text[COMPARISON_WORDS_SIZE];

		CHECK(comparison_lines_make(&lines, &f->session, &replicates, NULL) == 0);
		CHECK(lines.summary.verdict == SHIFT_MOVED && !lines.summary.worse, "%s",
			shift_verdict_words[lines.summary.verdict].name);
		CHECK(strncmp(comparison_headline(
				      &lines.summary, comparison_quoted_line(&lines), lines.figure, text),
			      "the machine itself moved", 24) == 0,
			"%s", text);
		comparison_rows(&lines.summary, SIZE_MAX, text);
		CHECK(strcmp(text,
			      n_rings == 2 ? "of 2 rows 1 moved, 1 same" : "of 4 rows 2 moved, 2 same") == 0,
			"%s", text);
		CHECK(lines.lines[0].verdict == SHIFT_SAME && lines.lines[1].verdict == SHIFT_MOVED);
		for (size_t i = 0; i < lines.n_lines; i++)
			for (size_t mark = 0; mark < N_MARKS; mark++)
				CHECK(lines.lines[i].marks[mark].verdict < SHIFT_BETTER ||
						lines.lines[i].marks[mark].verdict == SHIFT_MOVED,
					"line %zu, mark %zu", i, mark);
		CHECK(strcmp(comparison_verdict(&lines.lines[1], text), "moved p50") == 0, "%s", text);
		comparison_reasons(&lines.lines[1], 1, text);
		CHECK(strncmp(text, "moved: first hop p50 4.0 us > 6.0 us", 36) == 0, "%s", text);
		comparison_lines_finish(&lines);
		fixture_destroy(f);
	}

	/* Where no mark of all rows together is proved, the rows are counted. */
	const struct verdict_summary rows_alone = {
		.verdict = SHIFT_MOVED, .n_rows = 4, .verdicts = {[SHIFT_MOVED] = 1}};
	char text[COMPARISON_WORDS_SIZE];

	comparison_headline(&rows_alone, NULL, FIGURE_FIRST, text);
	CHECK(strcmp(text, "the machine itself moved: 1 of 4 rows") == 0, "%s", text);
}

/* A phase of a mark: @at is the only ring's place in the tick. */
static void feed_phase(struct fixture *f, const char *mark, size_t at, uint64_t ns, unsigned missed)
{
	CHECK(session_phases_begin(&f->session, mark, 0) == 0);
	if (at && f->rings[0].id == 0) { /* the ring is opened anew, with another interval */
		const unsigned cpus[] = {0, 0};
		struct session_ring ring = {.id = 1,
			.added_ns = f->tick.start_ns,
			.mechanism = strdup("mq"),
			.title = strdup("a mechanism"),
			.label = strdup(f->session.rings[0].label),
			.interval_ns = 2 * MS,
			.asked = {SCHED_FIFO, 80}};

		CHECK(session_ring_init_members(&ring, cpus, 2) == 0);
		CHECK(session_end_ring(&f->session, 0) == 0);
		CHECK(session_add_ring(&f->session, &ring) == 0);
		session_ring_finish(&ring);
		fixture_remove(f, 0);
		fixture_add(f, 1);
	}
	for (unsigned tick = 0; tick < TICKS; tick++) {
		for (unsigned i = 0; i < 3; i++) {
			static const enum figure figures[] = {FIGURE_FIRST, FIGURE_RESPONSE, FIGURE_SERVED};

			fixture_sample(f, 0, figures[i], (i ? 10 : 1) * (ns + 13 * (tick * 7 % 5)), 300);
		}
		f->rings[0].active_ns = FIXTURE_TICK_NS;
		f->rings[0].laps = 300;
		f->rings[0].missed = missed;
		CHECK(fixture_feed(f) == 0);
	}
	CHECK(session_phases_settle(&f->session) == 0);
}

static void drop_blocks(struct phase *phase)
{
	while (phase->n_blocks)
		block_finish(&phase->blocks[--phase->n_blocks]);
	phase->lacks_blocks = true;
}

static void read_file(struct comparison_file *file, const struct fixture *f, const char *wanted)
{
	char path[] = "/tmp/test_comparer.XXXXXX";
	struct error_text reason;
	const struct phase_in_file in_file = {path, wanted, &choice.figure, 1};
	int fd = mkstemp(path);

	close(fd);
	CHECK(report_json_write(path, &f->session, &(struct report_origin){"end", &f->config, &f->topology},
		      &reason) == 0);
	CHECK(phase_from_json_read(file->phases, &in_file, &reason) == 0, "%s", reason.text);
	unlink(path);
}

/* Also if the first phases of both are named, or A is one of the summary. */
static void check_first_named(const struct fixture *f, const struct comparison_lines *wanted, size_t ring)
{
	for (unsigned of_file = 0; of_file < 2; of_file++) {
		struct comparison_lines lines = {0};
		struct comparison_file file = {0};
		const struct comparison_choice named = {.a = of_file ? COMPARISON_FILE : 2,
			.b = 3,
			.figure = FIGURE_FIRST,
			.limit_ns = 5000,
			.file = &file};

		read_file(&file, f, "2");
		CHECK(comparison_lines_make(&lines, &f->session, &named, NULL) == 0);
		CHECK(is_same_line(&wanted->lines[ring], &lines.lines[0]) &&
				is_same_summary(&wanted->summary, &lines.summary),
			"ring %zu, file %u", ring, of_file);
		CHECK(lines.a.active_ns == wanted->a.active_ns && lines.a.n == wanted->a.n);
		comparison_lines_finish(&lines);
		comparison_file_finish(&file);
	}
}

/* A, B, A, B; also if the ring was opened anew in between, the blocks of the first two are gone, or A is of
 * the summary. */
static void replicates_are_judged_together(void)
{
	for (size_t ring = 0; ring < 2; ring++) {
		struct fixture *f = fixture_create(1, MS);
		struct comparison_lines lines = {0}, again = {0}, beside = {0};
		struct comparison_file file = {0};
		const struct comparison_choice both = {
			.a = 4, .b = 5, .figure = FIGURE_FIRST, .limit_ns = 5000};
		struct comparison_choice with_file = both;

		feed_phase(f, "a", 0, 4000, 0);
		feed_phase(f, "b", 0, 6000, 12);
		feed_phase(f, "a", ring, 4000, 0);
		feed_phase(f, "b", ring, 6300, 10);
		CHECK(comparison_lines_make(&lines, &f->session, &both, NULL) == 0 && lines.is_complete, "%s",
			lines.refusal.text);
		const struct comparison_line *line = &lines.lines[ring];
		double p50_a = (double)line->a.percentile_ns[JUDGED_SHOWN][SHIFT_P50],
		       p50_b = (double)line->b.percentile_ns[JUDGED_SHOWN][SHIFT_P50];

		CHECK(strncmp(lines.differences, "2 x A, 2 x B; ", 14) == 0, "%s", lines.differences);
		CHECK(lines.a.n_like == 2 && lines.a.like[0] == 2 && lines.a.like[1] == 4 &&
			lines.b.n == 2 * 300 * TICKS &&
			lines.b.length_ns == UINT64_C(2) * TICKS * FIXTURE_TICK_NS);
		CHECK(line->a.n == 2 * 300 * TICKS && line->b.n == line->a.n, "ring %zu: %llu samples", ring,
			(unsigned long long)line->b.n);
		CHECK(line->b.missed == 22 * TICKS && line->b.slots == 622 * TICKS &&
			line->b.above == line->b.n);
		CHECK(fabs(p50_b - sqrt(6000. * 6300)) < 60, "%g ns", p50_b);
		CHECK(fabs(log(p50_b / p50_a) - line->shifts[JUDGED_SHOWN][SHIFT_P50].estimate) < 0.001);
		CHECK(line->verdict == SHIFT_WORSE && line->marks[MARK_SHOWN].verdict == SHIFT_WORSE &&
				line->marks[MARK_MISSED].verdict == SHIFT_WORSE,
			"ring %zu: %s", ring, shift_verdict_words[line->verdict].name);
		CHECK(line->is_of_replicates && line->rows_a[0] == 0 && line->rows_b[0] == 0 &&
			line->rows_a[1] == ring && line->rows_b[1] == ring && line->rows_a[2] == NOT_A_ROW);
		CHECK(line->a.n_least == 300 * TICKS);
		check_first_named(f, &lines, ring);
		read_file(&file, f, "4");
		with_file.a = COMPARISON_FILE;
		with_file.file = &file;
		CHECK(comparison_lines_make(&beside, &f->session, &with_file, NULL) == 0);
		CHECK(is_same_line(line, &beside.lines[ring]) &&
			is_same_summary(&lines.summary, &beside.summary));
		drop_blocks(&f->session.phases.list[1]);
		drop_blocks(&f->session.phases.list[2]);
		CHECK(comparison_lines_make(&again, &f->session, &both, NULL) == 0);
		CHECK(is_same_line(line, &again.lines[ring]) &&
			is_same_summary(&lines.summary, &again.summary));
		comparison_lines_finish(&lines);
		comparison_lines_finish(&beside);
		comparison_lines_finish(&again);
		comparison_file_finish(&file);
		fixture_destroy(f);
	}
}

/* The second ring is removed after the first two phases. */
static void time_of_replicates_is_the_mean_of_their_rings(void)
{
	struct fixture *f = fixture_create(2, MS);
	struct comparison_file file = {0};

	for (unsigned phase = 0; phase < 4; phase++) {
		CHECK(session_phases_begin(&f->session, phase % 2 ? "b" : "a", 0) == 0);
		if (phase == 2) {
			CHECK(session_end_ring(&f->session, 1) == 0);
			fixture_remove(f, 1);
		}
		for (unsigned tick = 0; tick < TICKS; tick++) {
			for (size_t i = 0; i < f->tick.n_rings; i++) {
				fixture_sample(f, i, FIGURE_FIRST, 4000, 300);
				f->rings[i].active_ns = FIXTURE_TICK_NS;
				f->rings[i].laps = 300;
			}
			CHECK(fixture_feed(f) == 0);
		}
		CHECK(session_phases_settle(&f->session) == 0);
	}
	read_file(&file, f, "2");
	for (unsigned of_file = 0; of_file < 2; of_file++) {
		struct comparison_lines lines = {0};
		const struct comparison_choice named = {
			.a = of_file ? COMPARISON_FILE : 2, .b = 3, .figure = FIGURE_FIRST, .file = &file};

		CHECK(comparison_lines_make(&lines, &f->session, &named, NULL) == 0 && lines.a.n_like == 2);
		CHECK(lines.a.active_ns == UINT64_C(3) * TICKS * FIXTURE_TICK_NS / 2 &&
				lines.a.n == 3 * 300 * TICKS,
			"file %u: %llu ns", of_file, (unsigned long long)lines.a.active_ns);
		comparison_lines_finish(&lines);
	}
	comparison_file_finish(&file);
	fixture_destroy(f);
}

/* One that was cut short has few blocks. The error of one that was stretched, as by a stop, is not that of
 * the others. */
static void blocks_are_of_a_replicate_of_usual_length(void)
{
	static const struct {
		uint64_t lengths_ns[4];
		size_t n, judging;
	} rows[] = {
		{{0}, 0, 0},
		{{5}, 1, 0},
		{{60, 5}, 2, 0},
		{{5, 60}, 2, 1},
		{{60, 40}, 2, 1},
		{{60, 60, 5}, 3, 1},
		{{60, 60, 60, 5}, 4, 2},
		{{2, 177, 2, 2}, 4, 3},
		{{2, 2, 177, 1}, 4, 3},
		{{20, 20, 177, 1}, 4, 1},
		{{20, 30, 177}, 3, 1},
		{{20, 177, 177}, 3, 2},
		{{20, 39, 177, 41}, 4, 3},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct compared_phase phase = {.n_like = rows[i].n};

		memcpy(phase.like_lengths_ns, rows[i].lengths_ns, sizeof(rows[i].lengths_ns));
		CHECK(compared_phase_judging(&phase) == rows[i].judging, "row %zu: %zu", i,
			compared_phase_judging(&phase));
	}
}

/* The mean of percentiles is as good as the one of the fewest samples. */
static void few_samples_of_one_replicate_are_doubtful(void)
{
	const struct comparison_side enough = {.n = 40000, .n_timed = 40000, .n_least = 20000},
				     few = {.n = 40000, .n_timed = 40000, .n_least = 900};

	CHECK(!comparison_is_doubtful(&enough, SHIFT_P99) && !comparison_is_doubtful(&enough, SHIFT_P999));
	CHECK(comparison_is_doubtful(&few, SHIFT_P99) && comparison_is_doubtful(&few, SHIFT_P999));
}

/* In the second phase nearly all laps are away, so it has few spikes. */
static void time_of_laps_that_are_away_has_no_spikes(void)
{
	struct fixture *f = fixture_create(1, MS);
	struct comparison_lines lines = {0};

	for (unsigned tick = 0; tick < 2 * TICKS; tick++) {
		bool is_second = tick >= TICKS, is_away = is_second && tick % 4;
		uint32_t n = is_second ? 10 : 500;

		if (tick == TICKS)
			CHECK(session_phases_begin(&f->session, "taken away", 0) == 0);
		for (unsigned i = 0; i < 2 && !is_away; i++) {
			enum figure figure = i ? FIGURE_RESPONSE : FIGURE_SERVED;

			fixture_sample(f, 0, figure, 40000 + 7 * (tick % 5), n);
			if (!is_second)
				fixture_sample(f, 0, figure, 900000, 4);
		}
		if (!is_away)
			fixture_sample(f, 0, FIGURE_FIRST, 4000 + 7 * (tick % 5), n);
		f->rings[0].active_ns = FIXTURE_TICK_NS;
		f->rings[0].laps = is_away ? 0 : n;
		f->rings[0].away = is_away ? 504 : 504 - n;
		CHECK(fixture_feed(f) == 0);
	}
	CHECK(session_phases_settle(&f->session) == 0);
	CHECK(comparison_lines_make(&lines, &f->session, &choice, NULL) == 0);
	const struct comparison_line *line = &lines.lines[0];

	CHECK(line->b.active_ns < UINT64_C(20) * FIXTURE_TICK_NS / 50, "%llu ns",
		(unsigned long long)line->b.active_ns);
	CHECK(line->over_ns == line->b.active_ns);
	CHECK(line->marks[MARK_SPIKES].verdict != SHIFT_BETTER && line->verdict != SHIFT_BETTER);
	comparison_lines_finish(&lines);
	fixture_destroy(f);
}

static void what_has_not_changed_is_not_compared_again(void)
{
	struct fixture *f = make_phases(2);
	struct comparison_lines lines = {0};
	struct comparer *comparer;
	int n_news;
	sem_t news;

	sem_init(&news, 0, 0);
	CHECK(comparer_create(&comparer, report_news, &news) == 0);
	CHECK(comparer_ask(comparer, &f->session, false, &choice, NULL, 0, NULL) == 0);
	sem_wait(&news);
	CHECK(comparer_ask(comparer, &f->session, false, &choice, NULL, 0, NULL) == 0);
	CHECK(comparer_ask(comparer, &f->session, false, &(struct comparison_choice){1, 9}, NULL, 0, NULL) ==
		-ENOENT);
	CHECK(comparer_read(comparer, &lines) == 0 && lines.is_complete);
	CHECK(sem_getvalue(&news, &n_news) == 0 && n_news == 0, "%d", n_news);
	comparer_destroy(comparer);
	comparison_lines_finish(&lines);
	sem_destroy(&news);
	fixture_destroy(f);
}

/* Returns whether the comparison is complete and begins so within 20 s. */
static bool awaits(struct comparer *comparer, sem_t *news, struct comparison_lines *lines, const char *begin)
{
	struct timespec deadline;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 20;
	while (!lines->is_complete || strncmp(lines->differences, begin, strlen(begin)) != 0)
		if (sem_timedwait(news, &deadline) < 0 || comparer_read(comparer, lines) < 0)
			return false;
	return true;
}

static void a_new_replicate_is_compared_too(void)
{
	for (int is_still = 0; is_still < 2; is_still++) {
		struct fixture *f = fixture_create(1, MS);
		struct comparison_lines lines = {0};
		const struct comparison_choice first = {.a = 2, .b = 3, .figure = FIGURE_FIRST};
		struct comparer *comparer;
		sem_t news;

		sem_init(&news, 0, 0);
		CHECK(comparer_create(&comparer, report_news, &news) == 0);
		feed_phase(f, "a", 0, 4000, 0);
		feed_phase(f, "b", 0, 6000, 12);
		CHECK(comparer_ask(comparer, &f->session, is_still, &first, NULL, 0, NULL) == 0);
		CHECK(awaits(comparer, &news, &lines, "nothing"), "%s", lines.differences);
		feed_phase(f, "a", 0, 4000, 0);
		feed_phase(f, "b", 0, 6000, 12);
		CHECK(comparer_ask(comparer, &f->session, is_still, &first, NULL, 0, NULL) == 0);
		CHECK(awaits(comparer, &news, &lines, "2 x A, 2 x B; "), "%s", lines.differences);
		comparer_destroy(comparer);
		comparison_lines_finish(&lines);
		sem_destroy(&news);
		fixture_destroy(f);
	}
}

/* Also if the tick waits, or begins no block: those of the second phase have two ticks by then. The phase may
 * be a replicate of that which was chosen. */
static void a_comparison_has_the_last_tick(void)
{
	for (int is_still = 0; is_still < 2; is_still++)
		for (int is_like = 0; is_like < 2; is_like++) {
			struct fixture *f = fixture_create(1, MS);
			struct comparison_lines lines = {0};
			const struct comparison_choice named = {.a = 2, .b = 3, .figure = FIGURE_FIRST};
			struct comparer *comparer;
			uint64_t n = (is_like ? 2 : 1) * 300 * TICKS;
			sem_t news;

			sem_init(&news, 0, 0);
			CHECK(comparer_create(&comparer, report_news, &news) == 0);
			for (int phase = 0; phase <= is_like; phase++) {
				feed_phase(f, "a", 0, 4000, 0);
				feed_phase(f, "b", 0, 4000, 0);
			}
			for (unsigned tick = 0; tick < TICKS; tick++, n += 300) {
				struct timespec deadline;

				clock_gettime(CLOCK_REALTIME, &deadline);
				deadline.tv_sec += 20;
				CHECK(comparer_ask(comparer, &f->session, is_still, &named, NULL, 0, NULL) ==
					0);
				while (!lines.n_lines || lines.lines[0].b.n != n || !lines.is_complete) {
					if (sem_timedwait(&news, &deadline) < 0)
						break;
					CHECK(comparer_read(comparer, &lines) == 0);
				}
				CHECK(lines.n_lines && lines.lines[0].b.n == n, "tick %u: %llu of %llu", tick,
					(unsigned long long)(lines.n_lines ? lines.lines[0].b.n : 0),
					(unsigned long long)n);
				fixture_sample(f, 0, FIGURE_FIRST, 4000, 300);
				f->rings[0].laps = 300;
				f->rings[0].active_ns = FIXTURE_TICK_NS;
				CHECK(fixture_feed(f) == 0);
			}
			comparer_destroy(comparer);
			comparison_lines_finish(&lines);
			sem_destroy(&news);
			fixture_destroy(f);
		}
}

static void feed_laps(struct fixture *f, unsigned n_ticks)
{
	for (unsigned tick = 0; tick < n_ticks; tick++) {
		for (size_t i = 0; i < f->tick.n_rings; i++) {
			fixture_sample(f, i, FIGURE_FIRST, 4000, 300);
			f->rings[i].active_ns = FIXTURE_TICK_NS;
			f->rings[i].laps = 300;
		}
		CHECK(fixture_feed(f) == 0);
	}
}

/* Ticks go on meanwhile. */
static void while_blocks_are_halved_a_comparison_has_the_last_tick(void)
{
	struct fixture *f = make_phases(1);
	struct phase *phase = phases_current(&f->session.phases);
	struct comparison_lines lines = {0};
	struct row_sums sums = {0};
	struct comparer *comparer;
	struct block sum;
	sem_t news;

	sem_init(&news, 0, 0);
	CHECK(comparer_create(&comparer, report_news, &news) == 0);
	CHECK(block_list_sum(&(struct block_list){.rest = phase->blocks, .n_rest = 2}, &sum, &sums) == 0);
	block_replace(&phase->blocks[0], &sum);
	block_finish(&phase->blocks[1]);
	memmove(&phase->blocks[1], &phase->blocks[2], (phase->n_blocks - 2) * sizeof(*phase->blocks));
	phase->n_blocks--;
	phase->n_halved = 1;
	for (uint64_t n = 300 * TICKS; n <= 300 * (TICKS + 1); n += 300) {
		struct timespec deadline;

		clock_gettime(CLOCK_REALTIME, &deadline);
		deadline.tv_sec += 20;
		CHECK(comparer_ask(comparer, &f->session, false, &choice, NULL, 0, NULL) == 0);
		while ((!lines.is_complete || lines.lines[0].b.n != n) &&
			sem_timedwait(&news, &deadline) == 0)
			CHECK(comparer_read(comparer, &lines) == 0);
		CHECK(lines.is_complete && lines.lines[0].b.n == n, "%llu of %llu",
			(unsigned long long)(lines.n_lines ? lines.lines[0].b.n : 0), (unsigned long long)n);
		CHECK(phase->n_halved == 1);
		feed_laps(f, 1);
	}
	comparer_destroy(comparer);
	comparison_lines_finish(&lines);
	row_sums_finish(&sums);
	sem_destroy(&news);
	fixture_destroy(f);
}

static void a_comparison_is_ended_in_the_middle(void)
{
	struct fixture *f = make_phases(200);
	const size_t first[] = {7};
	struct comparer *comparer;
	struct comparison_lines lines = {0};
	sem_t news;

	sem_init(&news, 0, 0);
	CHECK(comparer_create(&comparer, report_news, &news) == 0);
	CHECK(comparer_ask(comparer, &f->session, false, &choice, first, 1, NULL) == 0);
	sem_wait(&news);
	CHECK(comparer_read(comparer, &lines) == 0 && lines.lines[7].is_ready);
	comparer_destroy(comparer);
	CHECK(sem_trywait(&news) < 0 || lines.is_complete, "it went on to the end");
	comparison_lines_finish(&lines);
	sem_destroy(&news);
	fixture_destroy(f);
}

static void another_choice_takes_the_place_of_the_first(void)
{
	struct fixture *f = make_phases(100);
	struct comparison_choice back = {2, 1, FIGURE_FIRST, 0};
	struct comparison_lines lines = {0};
	struct comparer *comparer;
	sem_t news;

	sem_init(&news, 0, 0);
	CHECK(comparer_create(&comparer, report_news, &news) == 0);
	CHECK(comparer_ask(comparer, &f->session, false, &choice, NULL, 0, NULL) == 0);
	CHECK(comparer_ask(comparer, &f->session, false, &back, NULL, 0, NULL) == 0);
	while (!lines.is_complete || lines.choice.a != 2) {
		sem_wait(&news);
		CHECK(comparer_read(comparer, &lines) == 0);
	}
	CHECK(lines.lines[1].verdict == SHIFT_BETTER && lines.summary.better == 50);
	comparer_destroy(comparer);
	comparison_lines_finish(&lines);
	sem_destroy(&news);
	fixture_destroy(f);
}

static void a_phase_has_the_conditions_of_its_end(void)
{
	struct fixture *f = make_phases(2);
	struct comparison_lines lines = {0};
	struct machine machine = machine_copy(&f->session.machine);

	CHECK(f->session.phases.list[0].conditions.n_members == 4);
	machine.governor = fact_rows_parse("performance");
	CHECK(session_machine(&f->session, &machine, f->session.now_ns) == 0);
	f->session.rings[1].members[0].policy = (struct task_policy){SCHED_RR, 5};
	CHECK(comparison_lines_make(&lines, &f->session, &choice, NULL) == 0);
	CHECK(strncmp(lines.differences, "differs in 2\n", 13) == 0 &&
			strstr(lines.differences, "1 of 4 members FIFO:80 > RR:5") &&
			strstr(lines.differences, "> performance"),
		"%s", lines.differences);
	CHECK(strcmp(lines.advice, "2 things changed: any may be the cause.") == 0, "%s", lines.advice);
	comparison_lines_finish(&lines);
	f->session.rings[1].members[0].policy.policy = f->session.rings[1].members[1].policy.policy = -1;
	CHECK(comparison_lines_make(&lines, &f->session, &choice, NULL) == 0);
	CHECK(strcmp(lines.b.policies, "2 FIFO:80") == 0, "none started of ring 1: %s", lines.b.policies);
	comparison_lines_finish(&lines);
	machine_finish(&machine);
	fixture_destroy(f);
}

/* Phases of 20 s. */
static void blame_is_in_plain_numbers(void)
{
	struct fixture *f = make_phases(1);
	struct comparison_lines lines = {0};
	struct comparison_file file = {0};
	const struct comparison_choice with_file = {
		.a = COMPARISON_FILE, .b = choice.b, .figure = FIGURE_FIRST, .file = &file};

	f->session.phases.list[0].blames =
		(struct blame_sums){.list = {{.text = "cc1", .ns = 3200000000}}, .n = 1};
	f->session.phases.list[1].blames =
		(struct blame_sums){.list = {{.text = "cc1", .ns = 17000000}}, .n = 1};
	CHECK(comparison_lines_make(&lines, &f->session, &choice, NULL) == 0);
	CHECK(strcmp(lines.blame, "blame in ms/s: cc1 160 > 0.85") == 0, "%s", lines.blame);
	comparison_lines_finish(&lines);
	for (size_t i = 0; i < 2; i++)
		f->session.phases.list[i].blames = (struct blame_sums){
			.list = {{.text = "not recorded", .kind = CAUSE_UNSEEN, .ns = 3200000000}}, .n = 1};
	CHECK(comparison_lines_make(&lines, &f->session, &choice, NULL) == 0);
	CHECK(strcmp(lines.blame, "") == 0, "%s", lines.blame);
	comparison_lines_finish(&lines);
	read_file(&file, f, NULL); /* a summary has their kinds */
	CHECK(file.phases[0].blames.n == 1);
	CHECK(comparison_lines_make(&lines, &f->session, &with_file, NULL) == 0);
	CHECK(strcmp(lines.blame, "") == 0, "%s", lines.blame);
	comparison_lines_finish(&lines);
	comparison_file_finish(&file);
	fixture_destroy(f);
}

/* The filter's rings alone are compared, and counted. */
static void what_does_not_pass_the_filter_is_left_out(void)
{
	static const bool passes[] = {true, false, true, true};
	struct fixture *f = make_phases(4);
	struct comparison_choice filtered = choice;
	struct comparison_lines lines = {0};
	struct comparer *comparer;
	sem_t news;

	strcpy(filtered.filter, "!0>1");
	sem_init(&news, 0, 0);
	CHECK(comparer_create(&comparer, report_news, &news) == 0);
	CHECK(comparer_ask(comparer, &f->session, false, &choice, NULL, 0, NULL) == 0);
	sem_wait(&news);
	CHECK(comparer_read(comparer, &lines) == 0 && lines.summary.n_rows == 4 && lines.summary.worse == 2);
	CHECK(comparer_ask(comparer, &f->session, false, &filtered, NULL, 0, passes) == 0);
	while (lines.summary.n_rows != 3 || !lines.is_complete) {
		sem_wait(&news);
		CHECK(comparer_read(comparer, &lines) == 0);
	}
	CHECK(lines.summary.worse == 1 && !lines.lines[1].is_ready && lines.lines[3].verdict == SHIFT_WORSE);
	CHECK(lines.lines[4].b.n == 3 * 300 * TICKS && lines.lines[4].verdict == SHIFT_WORSE,
		"a group has the rings that pass");
	CHECK(lines.a.n == 3 * 300 * TICKS && lines.b.n == 3 * 300 * TICKS,
		"the phases' samples are those of the rings that pass: %llu", (unsigned long long)lines.b.n);
	comparer_destroy(comparer);
	comparison_lines_finish(&lines);
	sem_destroy(&news);
	fixture_destroy(f);
}

/* Both sides of a group have the same rings: those that are in the file, too. */
static void a_group_sums_the_rings_that_both_phases_have(void)
{
	struct fixture *f = make_phases(4), *older = make_phases(3);
	struct comparison_file file = {0};
	struct comparison_choice beside = {COMPARISON_FILE, 2, FIGURE_FIRST, 5000, &file};
	struct comparison_lines lines = {0};

	read_file(&file, older, NULL);
	CHECK(comparison_lines_make(&lines, &f->session, &beside, NULL) == 0 && lines.is_complete, "%s",
		lines.refusal.text);
	for (size_t i = lines.n_rings; i < lines.n_lines; i++) {
		const struct comparison_line *group = &lines.lines[i];

		CHECK(group->is_ready && group->a.n == 3 * 300 * TICKS && group->b.n == group->a.n,
			"group %zu: %llu > %llu", i - lines.n_rings, (unsigned long long)group->a.n,
			(unsigned long long)group->b.n);
		CHECK(group->b.above == group->a.above && group->b.max_ns == group->a.max_ns &&
			group->over_ns > 0);
	}
	CHECK(lines.n_lines > lines.n_rings);
	comparison_lines_finish(&lines);
	comparison_file_finish(&file);
	fixture_destroy(f);
	fixture_destroy(older);
}

static void a_group_is_judged_by_all_of_its_marks(void)
{
	struct fixture *f = fixture_create(3, MS);
	struct comparison_lines lines = {0};
	char words[COMPARISON_WORDS_SIZE];

	for (unsigned tick = 0; tick < 2 * TICKS; tick++) {
		if (tick == TICKS)
			CHECK(session_phases_begin(&f->session, "stalls", 0) == 0);
		for (size_t i = 0; i < 3; i++) {
			fixture_sample(f, i, FIGURE_FIRST, 4000, 300);
			fixture_sample(f, i, FIGURE_RESPONSE, 40000, 300);
			f->rings[i].laps = 300;
			f->rings[i].missed = tick >= TICKS ? 10 + tick % 3 : 0;
		}
		CHECK(fixture_feed(f) == 0);
	}
	CHECK(session_phases_settle(&f->session) == 0);
	CHECK(comparison_lines_make(&lines, &f->session, &choice, NULL) == 0);
	for (size_t i = lines.n_rings; i < lines.n_lines; i++) {
		const struct comparison_line *group = &lines.lines[i];

		CHECK(group->verdict == SHIFT_WORSE && group->marks[MARK_MISSED].survives &&
			group->a.slots == 3 * 300 * TICKS && group->b.missed > 3 * 10 * TICKS);
		CHECK(strcmp(comparison_reasons(group, N_MARKS, words), "worse: missed 0.0 > 3.5 %") == 0,
			"%s", words);
	}
	comparison_lines_finish(&lines);
	fixture_destroy(f);
}

/* Ticks of 0.5 s; with 0 samples in A, nothing tells how long A should have been. */
static void what_is_too_few_says_what_is_missing_and_how_long_it_takes(void)
{
	static const struct {
		unsigned ticks_a, ticks_b, samples_a;
		enum shift_percentile percentile;
		const char *few;
		unsigned n_turns; /* of 0.5 s; 0: no ring takes turns */
		unsigned n_gone;  /* rings that end with A */
		uint64_t active_in_a, missed_in_a;
		bool is_removed; /* as B ends */
	} rows[] = {
		{20, 5, 100, SHIFT_P50, "5 of 8 blocks, 2 s more"},
		{20, 5, 100, SHIFT_P50, "5 of 8 blocks, then B's ring was removed", .is_removed = true},
		{4, 20, 100, SHIFT_P50, "4 of 8 blocks, A needs 4 s"},
		{4, 6, 100, SHIFT_P50, "4 of 8 blocks, A needs 4 s, B 4 s"},
		{40, 40, 100, SHIFT_P999, "4 of 5 samples beyond p99.9, A needs 25 s, B 25 s"},
		{60, 20, 100, SHIFT_P999, "2 of 5 samples beyond p99.9, 15 s more"},
		{20, 20, 0, SHIFT_P50, "did not run in A"},
		{20, 20, 0, SHIFT_P50, "A has no samples", .active_in_a = FIXTURE_TICK_NS},
		{20, 20, 0, SHIFT_P50, "no lap served in A", 0, 0, FIXTURE_TICK_NS, 500},
		{4, 6, 100, SHIFT_P50, "4 of 8 blocks, A needs 4 s, B 4 s; fewer rings need less", 2},
		{4, 20, 100, SHIFT_P50, "4 of 8 blocks, A needs 8 s; fewer rings need less", 8},
		{20, 5, 100, SHIFT_P50, "5 of 8 blocks, 4 s more; fewer rings need less", 8},
		{20, 20, 0, SHIFT_P50, "no turn in A: 8 rounds take 96 s; fewer rings need less", 24},
		{20, 20, 0, SHIFT_P50, "no turn in A: 8 rounds take 96 s; fewer rings need less", 24, 23},
		{20, 20, 0, SHIFT_P50, "no lap served in A", 24, 0, FIXTURE_TICK_NS, 500},
		{20, 20, 0, SHIFT_P50, "did not run in A", 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture *f = fixture_create(rows[i].n_turns ? rows[i].n_turns : 1, MS);
		struct comparison_lines lines = {0};

		f->session.n_turns = (unsigned)f->session.n_rings;
		f->session.turn_ns = 500 * MS;
		for (unsigned turn = 0; turn < rows[i].n_turns; turn++)
			f->session.rings[turn].turn = turn;
		for (unsigned tick = 0; tick < rows[i].ticks_a + rows[i].ticks_b; tick++) {
			if (tick == rows[i].ticks_a)
				CHECK(session_phases_begin(&f->session, "b", 0) == 0);
			if (tick >= rows[i].ticks_a || rows[i].samples_a)
				fixture_sample(f, 0, FIGURE_FIRST, 4000, 100);
			f->rings[0].active_ns =
				tick < rows[i].ticks_a ? rows[i].active_in_a : FIXTURE_TICK_NS;
			f->rings[0].missed = tick < rows[i].ticks_a ? rows[i].missed_in_a : 0;
			f->rings[0].laps = rows[i].is_removed ? 100 : 0;
			CHECK(fixture_feed(f) == 0);
		}
		CHECK(session_phases_settle(&f->session) == 0);
		for (unsigned gone = 1; gone <= rows[i].n_gone; gone++)
			f->session.rings[gone].ended_ns = f->session.phases.list[0].end_ns + 1;
		if (rows[i].is_removed)
			f->session.rings[0].ended_ns = f->session.phases.list[1].end_ns;
		CHECK(comparison_lines_make(&lines, &f->session, &choice, NULL) == 0);
		CHECK(lines.lines[0].marks[rows[i].percentile].verdict == SHIFT_TOO_FEW &&
				strcmp(lines.lines[0].few[rows[i].percentile], rows[i].few) == 0,
			"row %zu: %s", i, lines.lines[0].few[rows[i].percentile]);
		comparison_lines_finish(&lines);
		fixture_destroy(f);
	}
}

/* Ring 0 has samples in each tick, ring 1 in every second one, ring 2 in none. */
static void headline_and_phases_count_the_same_blocks(void)
{
	struct fixture *f = fixture_create(3, MS);
	struct comparison_lines lines = {0};
	char text[COMPARISON_WORDS_SIZE];

	for (unsigned tick = 0; tick < 13; tick++) {
		if (tick == 6)
			CHECK(session_phases_begin(&f->session, "b", 0) == 0);
		for (size_t ring = 0; ring < 2; ring++)
			if (!ring || tick % 2)
				fixture_sample(f, ring, FIGURE_FIRST, 4000, 100);
		CHECK(fixture_feed(f) == 0);
	}
	CHECK(session_phases_settle(&f->session) == 0);
	CHECK(comparison_lines_make(&lines, &f->session, &choice, NULL) == 0);
	CHECK(lines.blocks_a.least == 3 && lines.blocks_a.most == 6, "%zu-%zu", lines.blocks_a.least,
		lines.blocks_a.most);
	CHECK(lines.blocks_b.least == 3 && lines.blocks_b.most == 7, "%zu-%zu", lines.blocks_b.least,
		lines.blocks_b.most);
	comparison_headline(&lines.summary, comparison_quoted_line(&lines), lines.figure, text);
	CHECK(strncmp(text, "too few: 3 of 8 blocks", 22) == 0, "%s", text);
	comparison_lines_finish(&lines);
	fixture_destroy(f);
}

/* Of a session, and of its summary. */
static void a_round_has_the_turns_whose_rings_are_in_the_phase(void)
{
	struct fixture *f = fixture_create(4, MS);
	struct comparison_file file = {0};

	f->session.n_turns = 4;
	f->session.turn_ns = 500 * MS;
	for (unsigned turn = 0; turn < 4; turn++)
		f->session.rings[turn].turn = turn;
	for (unsigned tick = 0; tick < 2 * TICKS; tick++) {
		if (tick == TICKS)
			CHECK(session_phases_begin(&f->session, "b", 0) == 0);
		fixture_sample(f, 0, FIGURE_FIRST, 4000, 100);
		f->rings[1].state = RING_FAILED; /* it could not be opened */
		CHECK(fixture_feed(f) == 0);
	}
	CHECK(session_phases_settle(&f->session) == 0);
	f->session.rings[2].ended_ns = f->session.phases.list[0].end_ns + 1;
	for (size_t i = 0; i < 2; i++) {
		const struct phase *phase = &f->session.phases.list[i];
		struct compared_phase described;
		uint64_t expected_ns = (i == 0 ? 3 : 2) * 500 * (uint64_t)MS;

		CHECK(compared_phase_describe(&described, &f->session, phase, FIGURE_FIRST, "") == 0);
		compared_phase_find_active(&described, &phase->sum);
		read_file(&file, f, i == 0 ? "1" : "2");
		CHECK(described.round_ns == expected_ns && file.phases[0].round_ns == expected_ns,
			"phase %zu: %llu, %llu", i, (unsigned long long)described.round_ns,
			(unsigned long long)file.phases[0].round_ns);
		compared_phase_finish(&described);
		comparison_file_finish(&file);
	}
	fixture_destroy(f);
}

static void phases_whose_blocks_are_gone_get_no_verdict(void)
{
	struct fixture *f = make_phases(2);
	struct comparison_lines lines = {0};

	f->session.phases.list[0].lacks_blocks = true;
	CHECK(comparison_lines_make(&lines, &f->session, &choice, NULL) == 0 && lines.is_complete);
	CHECK(strncmp(lines.advice, "Only the sum of A is kept", 25) == 0, "%s", lines.advice);
	CHECK(lines.blocks_a.most == 0 && lines.lines[1].verdict == SHIFT_UNDECIDED);
	CHECK(lines.lines[1].a.n == 300 * TICKS &&
			strcmp(lines.lines[1].few[SHIFT_P50], "A has no blocks") == 0,
		"%s", lines.lines[1].few[SHIFT_P50]);
	comparison_lines_finish(&lines);
	fixture_destroy(f);
}

/* Reads until it is stopped. */
static int read_forever(
	void *data, const struct phase *wanted, bool goes_on, const atomic_bool *stop, struct phase *read)
{
	sem_post(data);
	while (!atomic_load(stop))
		sched_yield();
	return -ECANCELED;
}

static void reading_a_phase_is_ended_in_the_middle(void)
{
	struct fixture *f = make_phases(2);
	struct comparer *comparer;
	sem_t reads, news;

	sem_init(&reads, 0, 0);
	sem_init(&news, 0, 0);
	f->session.phases.list[0].lacks_blocks = true;
	CHECK(comparer_create(&comparer, report_news, &news) == 0);
	comparer_set_source(comparer, &(struct phase_source){read_forever, &reads});
	CHECK(comparer_ask(comparer, &f->session, false, &choice, NULL, 0, NULL) == 0);
	sem_wait(&reads);
	CHECK(comparer_ask(comparer, &f->session, false, &(struct comparison_choice){2, 1}, NULL, 0, NULL) ==
		0);
	sem_wait(&reads); /* for the other choice */
	comparer_destroy(comparer);
	CHECK(sem_trywait(&news) < 0, "a comparison was published");
	sem_destroy(&reads);
	sem_destroy(&news);
	fixture_destroy(f);
}

static void a_ring_of_neither_phase_is_left_out_and_one_of_a_alone_has_its_figures(void)
{
	struct fixture *f = fixture_create(3, MS);
	struct comparison_lines lines = {0};
	const struct comparison_choice last_two = {2, 3, FIGURE_FIRST, 5000};

	for (unsigned gone = 0; gone < 2; gone++) { /* one in each of the first two phases */
		feed_laps(f, TICKS);
		CHECK(session_end_ring(&f->session, gone) == 0);
		fixture_remove(f, 0);
		CHECK(session_phases_begin(&f->session, "next", 0) == 0);
	}
	feed_laps(f, TICKS);
	CHECK(session_phases_settle(&f->session) == 0);
	CHECK(comparison_lines_make(&lines, &f->session, &last_two, NULL) == 0);
	CHECK(lines.lines[0].is_left_out && !lines.lines[1].is_left_out && !lines.lines[2].is_left_out);
	CHECK(lines.lines[1].a.n == 300 * TICKS && lines.lines[1].b.n == 0 && lines.lines[1].is_of_a &&
			!lines.lines[1].is_compared,
		"%llu", (unsigned long long)lines.lines[1].a.n);
	CHECK(lines.lines[2].a.n == 300 * TICKS && lines.lines[2].is_compared);
	comparison_lines_finish(&lines);
	fixture_destroy(f);
}

int main(void)
{
	TEST(the_thread_finds_what_a_direct_comparison_does);
	TEST(between_replicates_rows_have_moved);
	TEST(replicates_are_judged_together);
	TEST(time_of_replicates_is_the_mean_of_their_rings);
	TEST(blocks_are_of_a_replicate_of_usual_length);
	TEST(few_samples_of_one_replicate_are_doubtful);
	TEST(time_of_laps_that_are_away_has_no_spikes);
	TEST(what_has_not_changed_is_not_compared_again);
	TEST(a_new_replicate_is_compared_too);
	TEST(a_comparison_has_the_last_tick);
	TEST(while_blocks_are_halved_a_comparison_has_the_last_tick);
	TEST(a_comparison_is_ended_in_the_middle);
	TEST(another_choice_takes_the_place_of_the_first);
	TEST(a_phase_has_the_conditions_of_its_end);
	TEST(blame_is_in_plain_numbers);
	TEST(what_does_not_pass_the_filter_is_left_out);
	TEST(a_group_sums_the_rings_that_both_phases_have);
	TEST(a_group_is_judged_by_all_of_its_marks);
	TEST(what_is_too_few_says_what_is_missing_and_how_long_it_takes);
	TEST(headline_and_phases_count_the_same_blocks);
	TEST(a_round_has_the_turns_whose_rings_are_in_the_phase);
	TEST(phases_whose_blocks_are_gone_get_no_verdict);
	TEST(reading_a_phase_is_ended_in_the_middle);
	TEST(a_ring_of_neither_phase_is_left_out_and_one_of_a_alone_has_its_figures);
	return tap_done();
}
