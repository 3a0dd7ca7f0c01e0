/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_history.c - any moment that is kept can be seen again, and what is kept has a bound. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/model/feed.h"
#include "src/model/session.h"
#include "src/recording/history.h"
#include "src/recording/phase_reader.h"
#include "src/recording/record.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { RINGS = 16, SPREAD = 4, SPREAD_WIDE = 60 };

/* A tick of which every ring has @spread samples, more or less far apart. */
static void fill_tick(struct fixture *f, unsigned i, unsigned spread)
{
	for (size_t r = 0; r < f->tick.n_rings; r++) {
		for (unsigned s = 0; s < spread; s++)
			fixture_sample(f, r, FIGURE_FIRST, 1000 + 37 * i % 5000 + 400 * s, 100 + s);
		f->rings[r].laps = 100 * spread;
		f->rings[r].active_ns = FIXTURE_TICK_NS;
	}
}

static void feed_item(
	struct fixture *f, struct history *history, struct recording *file, const struct feed_item *item)
{
	CHECK(feed_session(&f->session, item, NULL) == 0);
	bool is_recorded = record_feed(file, item) == 0;

	history_feed(history, item, file && is_recorded);
}

static void feed_spread(
	struct fixture *f, struct history *history, struct recording *file, unsigned i, unsigned spread)
{
	fill_tick(f, i, spread);
	feed_item(f, history, file, &(struct feed_item){FEED_TICK, f->tick.end_ns, .tick = &f->tick});
	fixture_next(f);
}

static void feed(struct fixture *f, struct history *history, struct recording *file, unsigned i)
{
	feed_spread(f, history, file, i, SPREAD);
}

/* What the file in memory takes; 0 where there is none. Needs no /proc: no other file here lacks a name. */
static uint64_t memory_bytes(void)
{
	uint64_t bytes = 0;
	struct stat status;

	for (int fd = STDERR_FILENO + 1; fd < 256; fd++)
		if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0)
			bytes = (uint64_t)status.st_blocks * 512;
	return bytes;
}

static struct history *create(struct fixture *f, const char *path)
{
	struct history *history = NULL;

	CHECK(history_create(&history, path, &f->session, &f->config, &f->topology) == 0);
	return history;
}

static void check_told(struct history *history, uint64_t at_ns, const char *expected)
{
	struct session session = {0};

	CHECK(history_seek(history, &session, &at_ns) == 0);
	char *text = session_text(&session);

	CHECK(strcmp(text, expected) == 0, "%llu: %.200s", (unsigned long long)at_ns, text);
	free(text);
	session_finish(&session);
}

/* Sought in memory, and in the file that it is recorded to. */
static void a_moment_is_as_it_was_with_its_phases_and_events(void)
{
	char path[] = "/tmp/ipctop-test-history.XXXXXX";
	int fd = mkstemp(path);

	close(fd);
	for (int with_file = 0; with_file < 2; with_file++) {
		struct fixture *f = fixture_create(RINGS, 1000000);
		struct recording *file = NULL;
		struct error_text reason;
		char *then[3] = {NULL};
		uint64_t then_ns[3];

		f->session.start_ns = FIXTURE_START_NS;
		if (with_file)
			record_start(&file, path, &f->session, &f->config, &f->topology, &reason);
		struct history *history = create(f, with_file ? path : NULL);

		for (unsigned i = 0; i < 900; i++) {
			feed(f, history, file, i);
			if (i % 250 == 100) {
				struct event phase = fixture_phase(f, "a name");

				feed_item(f, history, file,
					&(struct feed_item){FEED_EVENT, phase.at_ns, .event = &phase});
			}
			if (i % 350 == 0) {
				then[i / 350] = session_text(&f->session);
				then_ns[i / 350] = f->session.now_ns;
			}
		}
		char *now = session_text(&f->session);

		CHECK((memory_bytes() > 0) == !with_file);
		for (int back = 2; back >= 0; back--) {
			check_told(history, then_ns[back], then[back]);
			check_told(history, then_ns[back] + FIXTURE_TICK_NS / 2, then[back]);
			free(then[back]);
		}
		check_told(history, UINT64_MAX, now);
		free(now);
		history_destroy(history);
		record_finish(file, "end", &reason);
		fixture_destroy(f);
	}
	unlink(path);
}

/* The machine has been up for long, and the moment lies just behind the first checkpoint. */
static void a_moment_has_its_windows_too(void)
{
	char path[] = "/tmp/ipctop-test-history.XXXXXX";

	close(mkstemp(path));
	for (int with_file = 0; with_file < 2; with_file++) {
		struct fixture *f = fixture_create(2, 1000000);
		struct recording *file = NULL;
		struct error_text reason;
		struct session session = {0};
		struct tick_counts then = {0}, found = {0};

		f->session.start_ns = f->tick.start_ns = UINT64_C(1000000000000);
		f->tick.end_ns = f->tick.start_ns + FIXTURE_TICK_NS;
		if (with_file)
			record_start(&file, path, &f->session, &f->config, &f->topology, &reason);
		struct history *history = create(f, with_file ? path : NULL);

		for (unsigned i = 0; i < 260; i++)
			feed(f, history, file, i);
		uint64_t at_ns = f->session.now_ns;

		session_add_counts(&f->session, 0, WINDOW_60S, &then);
		CHECK(history_seek(history, &session, &at_ns) == 0 && session.n_ticks == 260);
		session_add_counts(&session, 0, WINDOW_60S, &found);
		CHECK(then.laps > 100 * 100 * SPREAD && found.laps == then.laps, "%llu of %llu",
			(unsigned long long)found.laps, (unsigned long long)then.laps);
		session_finish(&session);
		history_destroy(history);
		record_finish(file, "end", &reason);
		fixture_destroy(f);
	}
	unlink(path);
}

static bool is_same_row(const struct block *x, const struct block *y, size_t row)
{
	struct scan in_x = block_row(x, row), in_y = block_row(y, row);
	size_t n = (size_t)(in_x.end - in_x.at);

	return n == (size_t)(in_y.end - in_y.at) && (n == 0 || memcmp(in_x.at, in_y.at, n) == 0);
}

static void check_same_phase(const struct phase *read, const struct phase *phase)
{
	CHECK(!read->lacks_blocks && read->start_ns == phase->start_ns && read->end_ns == phase->end_ns);
	CHECK(read->n_blocks == phase->n_blocks && read->block_ticks == phase->block_ticks,
		"%u blocks of %u ticks, not %u of %u", read->n_blocks, (unsigned)read->block_ticks,
		phase->n_blocks, (unsigned)phase->block_ticks);
	for (unsigned b = 0; b < phase->n_blocks && b < read->n_blocks; b++)
		for (size_t i = 0; i < phase->sum.n_rows; i++)
			CHECK(read->blocks[b].n_ticks == phase->blocks[b].n_ticks &&
					is_same_row(&read->blocks[b], &phase->blocks[b],
						phase->sum.ends->at[i].row),
				"block %u, row %zu", b, i);
	for (size_t i = 0; i < phase->sum.n_rows; i++)
		CHECK(is_same_row(&read->sum, &phase->sum, phase->sum.ends->at[i].row), "row %zu", i);
}

static void read_and_check(const struct phase_source *source, const struct phase *phase)
{
	struct phase read = {0};

	CHECK(source->read(source->data, phase, false, NULL, &read) == 0);
	check_same_phase(&read, phase);
	phase_finish(&read);
}

/* From memory, and from the file; as it was when the session was sought, too. */
static void a_phase_is_read_again_with_its_blocks(void)
{
	char path[] = "/tmp/ipctop-test-history.XXXXXX";

	close(mkstemp(path));
	for (int with_file = 0; with_file < 2; with_file++) {
		struct fixture *f = fixture_create(RINGS, 1000000);
		struct recording *file = NULL;
		struct error_text reason;
		struct session session = {0};
		uint64_t then_ns = 0;

		f->session.start_ns = FIXTURE_START_NS;
		if (with_file)
			record_start(&file, path, &f->session, &f->config, &f->topology, &reason);
		struct history *history = create(f, with_file ? path : NULL);
		const struct phase_source source = history_phases(history);
		const atomic_bool stop = true;

		for (unsigned i = 0; i < 700; i++) {
			struct event phase = fixture_phase(f, "a name");

			feed(f, history, file, i);
			phase.at_ns = f->session.now_ns;
			if (i == 20 || i == 320 || i == 360)
				feed_item(f, history, file,
					&(struct feed_item){FEED_EVENT, phase.at_ns, .event = &phase});
			if (i == 340)
				then_ns = f->session.now_ns;
		}
		CHECK(session_phases_settle(&f->session) == 0);
		const struct phases *phases = &f->session.phases;

		CHECK(phases->n == 4);
		for (unsigned i = 0; i < 3 * phases->n; i++)
			read_and_check(&source, &phases->list[i * 3 % phases->n]);
		struct phase read = {0}, part = phases->list[1];

		/* A part of a phase, as one that goes on. */
		part.start_ns += UINT64_C(70) * FIXTURE_TICK_NS;
		part.end_ns = part.start_ns + UINT64_C(30) * FIXTURE_TICK_NS;
		CHECK(source.read(source.data, &part, false, NULL, &read) == 0 && read.n_blocks == 30 &&
				read.sum.n_ticks == 30,
			"%u", read.n_blocks);
		phase_finish(&read);
		read = (struct phase){0};
		part.end_ns++;
		CHECK(source.read(source.data, &part, false, &stop, &read) == -ECANCELED);
		phase_finish(&read);

		CHECK(history_seek(history, &session, &then_ns) == 0 && session.phases.n == 3);
		const struct phase *sought = phases_current(&session.phases);

		read = (struct phase){0};
		CHECK(source.read(source.data, sought, true, NULL, &read) == 0 && read.n_blocks == 20 &&
				read.sum.n_ticks == 20,
			"%u", read.n_blocks);
		phase_finish(&read);
		then_ns = f->session.now_ns;
		CHECK(history_seek(history, &session, &then_ns) == 0 && session.phases.n == 4);
		CHECK(session.phases.list[1].lacks_blocks && !session.phases.list[2].lacks_blocks);
		read = (struct phase){0};
		CHECK(source.read(source.data, &session.phases.list[1], false, NULL, &read) == 0);
		check_same_phase(&read, &phases->list[1]);
		phase_finish(&read);
		session_finish(&session);
		history_destroy(history);
		record_finish(file, "end", &reason);
		fixture_destroy(f);
	}
	unlink(path);
}

/* As where a playback goes on after a seek. */
static void a_phase_that_goes_on_is_read_on(void)
{
	char path[] = "/tmp/ipctop-test-history.XXXXXX";
	struct fixture *f = fixture_create(RINGS, 1000000);
	struct phase_reader reader = {.replay.file.fd = -1};
	struct recording *file = NULL;
	struct error_text reason;

	close(mkstemp(path));
	f->session.start_ns = FIXTURE_START_NS;
	record_start(&file, path, &f->session, &f->config, &f->topology, &reason);
	for (unsigned i = 0; i < 90; i++) {
		struct phase read = {0};

		feed(f, NULL, file, i);
		if (i == 40)
			CHECK(replay_open(&reader.replay, path, &reason) == 0);
		if (i < 40 || i % 7)
			continue;
		const struct phase *phase = phases_current(&f->session.phases);

		CHECK(session_phases_settle(&f->session) == 0);
		CHECK(replay_index_extend(&reader.replay.index, &reader.replay.file) == 0);
		CHECK(phase_reader_read(&reader, phase, true, NULL, &read) == 0);
		CHECK(reader.session.n_ticks == i + 1);
		check_same_phase(&read, phase);
		phase_finish(&read);
	}
	phase_reader_close(&reader);
	record_finish(file, "end", &reason);
	fixture_destroy(f);
	unlink(path);
}

static void memory_has_a_bound_and_the_first_moment_is_the_oldest_kept(void)
{
	struct fixture *f = fixture_create(64, 1000000);
	struct history *history;
	struct session session = {0};
	uint64_t most = 0, first_ns = 0;

	f->session.start_ns = FIXTURE_START_NS;
	history = create(f, NULL);
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t bytes;

		feed_spread(f, history, NULL, i, SPREAD_WIDE);
		bytes = i % 20 ? 0 : memory_bytes();
		most = bytes > most ? bytes : most;
	}
	CHECK(most > HISTORY_BYTES / 2 && most <= HISTORY_BYTES + (4 << 20), "%llu",
		(unsigned long long)most);
	CHECK(history_seek(history, &session, &first_ns) == 0);
	CHECK(first_ns > FIXTURE_START_NS && session.now_ns == first_ns && session.n_ticks > 100);
	CHECK(session.rings[63].laps == 100 * SPREAD_WIDE * session.n_ticks);
	session_finish(&session);
	const struct phase_source source = history_phases(history);
	struct phase read = {0};

	CHECK(source.read(source.data, &f->session.phases.list[0], false, NULL, &read) == -ENOENT,
		"its first ticks are gone");
	phase_finish(&read);
	history_destroy(history);
	CHECK(memory_bytes() == 0);
	fixture_destroy(f);
}

static void where_the_file_fails_memory_goes_on(void)
{
	char path[] = "/tmp/ipctop-test-history.XXXXXX";
	struct fixture *f = fixture_create(2, 1000000);
	struct recording *file = NULL;
	struct error_text reason;
	struct session session = {0};
	uint64_t at_ns;

	int fd = mkstemp(path);

	f->session.start_ns = FIXTURE_START_NS;
	record_start(&file, path, &f->session, &f->config, &f->topology, &reason);
	struct history *history = create(f, path);
	struct rlimit before, none;

	for (unsigned i = 0; i < 10; i++)
		feed(f, history, file, i);
	at_ns = f->session.now_ns;
	CHECK(history_seek(history, &session, &at_ns) == 0 && session.n_ticks == 10);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	none = (struct rlimit){(rlim_t)lseek(fd, 0, SEEK_END), before.rlim_max};
	CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
	feed(f, history, file, 10);
	CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
	for (unsigned i = 11; i < 20; i++)
		feed(f, history, file, i);
	char *now = session_text(&f->session);

	check_told(history, f->session.now_ns, now);
	CHECK(history_seek(history, &session, &at_ns) == 0 && session.n_ticks == 11, "%zu", session.n_ticks);
	CHECK(at_ns == session.now_ns);
	free(now);
	session_finish(&session);
	history_destroy(history);
	record_finish(file, "end", &reason);
	CHECK(record_start(&file, "/dev/null", &f->session, &f->config, &f->topology, &reason) == 0);
	history = create(f, "/dev/null");
	CHECK(memory_bytes() > 0);
	history_destroy(history);
	record_finish(file, "end", &reason);
	fixture_destroy(f);
	close(fd);
	unlink(path);
}

static atomic_bool done;

static void *look_back(void *data)
{
	struct session session = {0};

	for (uint64_t n = 0; !atomic_load(&done); n++) {
		uint64_t at_ns = FIXTURE_START_NS + n * 7919 % 2000 * FIXTURE_TICK_NS;
		int r = history_seek(data, &session, &at_ns);

		CHECK(r == 0 || r == -ENOENT, "%d", r);
		if (r == 0 && session.n_ticks)
			CHECK(session.rings[0].laps == 100 * SPREAD * session.n_ticks &&
				session.n_ticks == (session.now_ns - FIXTURE_START_NS) / FIXTURE_TICK_NS);
	}
	session_finish(&session);
	return NULL;
}

static void *read_phases(void *data)
{
	const struct phase_source source = history_phases(data);

	for (uint64_t n = 0; !atomic_load(&done); n++) {
		struct phase read = {0},
			     wanted = {.start_ns = FIXTURE_START_NS + n * 7919 % 2000 * FIXTURE_TICK_NS};

		wanted.end_ns = wanted.start_ns + 30 * (uint64_t)FIXTURE_TICK_NS;
		int r = source.read(source.data, &wanted, false, &done, &read);

		CHECK(r == 0 || r == -ENOENT || r == -ECANCELED, "%d", r);
		if (r == 0)
			CHECK(read.sum.n_ticks <= 30 && !read.lacks_blocks);
		phase_finish(&read);
	}
	return NULL;
}

static void it_is_read_while_it_is_written(void)
{
	struct fixture *f = fixture_create(RINGS, 1000000);
	pthread_t thread, other;

	f->session.start_ns = FIXTURE_START_NS;
	struct history *history = create(f, NULL);

	pthread_create(&thread, NULL, look_back, history);
	pthread_create(&other, NULL, read_phases, history);
	for (unsigned i = 0; i < 2000; i++)
		feed(f, history, NULL, i);
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	pthread_join(other, NULL);
	history_destroy(history);
	fixture_destroy(f);
}

int main(void)
{
	TEST(a_moment_is_as_it_was_with_its_phases_and_events);
	TEST(a_moment_has_its_windows_too);
	TEST(a_phase_is_read_again_with_its_blocks);
	TEST(a_phase_that_goes_on_is_read_on);
	TEST(memory_has_a_bound_and_the_first_moment_is_the_oldest_kept);
	TEST(where_the_file_fails_memory_goes_on);
	TEST(it_is_read_while_it_is_written);
	return tap_done();
}
