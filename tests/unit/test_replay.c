/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_replay.c - a recording gives the session that was recorded, and no bytes do harm. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/model/session.h"
#include "src/recording/checkpoint.h"
#include "src/recording/entry.h"
#include "src/recording/record.h"
#include "src/recording/replay.h"
#include "src/recording/tick_codec.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static char path[] = "/tmp/ipctop-test-replay.XXXXXX";
static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

static void disturb(struct fixture *f, size_t i)
{
	static const char *const reasons[] = {NULL, "no right to it", "\" \\ \u00fc \u2192"};
	struct tick_ring *ring = &f->rings[i];

	ring->laps = random_below(1000);
	ring->missed = random_below(3);
	ring->away = random_below(4) ? 0 : random_below(200);
	ring->locality = (enum locality)random_below(N_LOCALITIES + 1);
	for (int fault = 0; fault < N_TOKEN_FAULTS; fault++)
		ring->faults[fault] = random_below(8) ? 0 : random_below(300);
	ring->active_ns = random_below(FIXTURE_TICK_NS);
	ring->age_ns = random_below(4) ? 0 : random_below(UINT64_C(1) << 40);
	ring->state = random_below(6) ? RING_RUNNING : (enum ring_state)random_below(RING_GONE + 1);
	ring->condition = (enum ring_condition)random_below(N_CONDITIONS);
	ring->reason = reasons[random_below(3)];
	if (random_below(5) == 0)
		f->members[ring->first_member].policy = (struct task_policy){(int32_t)random_below(7) - 1,
			(int32_t)random_below(99), (int32_t)random_below(40) - 20};
	if (random_below(9) == 0)
		f->members[ring->first_member + 1].cpu = (int32_t)random_below(5) - 1;
	if (random_below(7) == 0)
		f->members[ring->first_member + 1].moved_to = (int32_t)random_below(4) - 1;
	uint64_t served_ns = 0;

	for (int figure = (int)random_below(N_FIGURES); figure > 0; figure--) {
		uint64_t ns = random_below(UINT64_C(1) << random_below(40));
		uint32_t n = 1 + (uint32_t)random_below(1000);

		fixture_sample(f, i, (enum figure)figure, ns, n);
		if (figure == FIGURE_SERVED)
			served_ns = ns;
		if (figure == FIGURE_RESPONSE && served_ns) /* those that were served are responses, too */
			fixture_sample(f, i, FIGURE_RESPONSE, served_ns, 1);
	}
	ring->figures[FIGURE_LATENESS].min_is_wait =
		ring->figures[FIGURE_LATENESS].has_extremes && random_below(2);
}

/* A tick of random rings; some do nothing. */
static void random_tick(struct fixture *f)
{
	f->tick.own_cpu_ppm = (uint32_t)random_below(1000000);
	f->tick.recorder_ns = random_below(1000000);
	f->tick.n_recorded = random_below(100000);
	if (random_below(2))
		snprintf(f->tick.loadavg, sizeof(f->tick.loadavg), "%d.00", (int)random_below(10));
	for (size_t i = 0; i < f->tick.n_rings; i++)
		if (random_below(3))
			disturb(f, i);
}

static void feed(struct fixture *f, struct recording *recording, const struct feed_item *item)
{
	CHECK(feed_session(&f->session, item, NULL) == 0);
	CHECK(record_feed(recording, item) == 0);
}

/* A spike of one of many tasks, some of it in a gap; every other one was reported while it was under way. */
static void random_spike(struct fixture *f, struct recording *recording)
{
	uint64_t due_ns = f->session.now_ns - 1 - random_below(FIXTURE_TICK_NS),
		 length_ns = 1000 + random_below(1 << 28);
	struct flight_record records[2] = {{.kind = FLIGHT_SWITCH, .at_ns = due_ns, .next_tid = 4711},
		{.kind = FLIGHT_GAP,
			.from_ns = due_ns + 1 + random_below(length_ns / 2),
			.at_ns = due_ns + length_ns}};
	struct spike_report report = {.spike = {.ring = f->rings[0].id,
					      .figure = FIGURE_RESPONSE,
					      .due_ns = due_ns,
					      .seen_ns = due_ns + length_ns / 2,
					      .n_passed_over = (uint32_t)random_below(3),
					      .sender = {100, 0, {0}},
					      .receiver = {101, 1, {0}}},
		.records = records,
		.n_records = 2};

	snprintf(records[0].next_name, sizeof(records[0].next_name), "hog %u", (unsigned)random_below(40));
	if (random_below(2))
		feed(f, recording, &(struct feed_item){FEED_SPIKE, f->session.now_ns, .spike = &report});
	report.spike.received_ns = due_ns + length_ns;
	feed(f, recording, &(struct feed_item){FEED_SPIKE, f->session.now_ns, .spike = &report});
}

static void breach(struct fixture *f, struct recording *recording)
{
	const struct event event = {.at_ns = f->session.now_ns - 1,
		.kind = EVENT_BREACH,
		.ring = (int32_t)f->rings[f->tick.n_rings - 1].id,
		.member = 1,
		.tid = 4711,
		.figure = FIGURE_RESPONSE,
		.ns = UINT64_C(1) << 40,
		.limit_ns = 50000,
		.error = -EBADF};

	feed(f, recording, &(struct feed_item){FEED_EVENT, event.at_ns, .event = &event});
}

/* Adds a ring, or removes one. */
static void come_or_go(struct fixture *f, struct recording *recording)
{
	static const char *const mechanisms[] = {"mq", "pipe", "shm"};
	uint64_t at_ns = f->session.now_ns;

	if (random_below(2) && f->tick.n_rings > 1) {
		size_t i = random_below(f->tick.n_rings);
		const struct session_ring ring = {.id = f->rings[i].id};

		feed(f, recording, &(struct feed_item){FEED_RING_END, at_ns, .ring = &ring});
		fixture_remove(f, i);
	} else if (f->next_id < FIXTURE_RINGS_MAX) {
		struct session_ring ring = fixture_ring(f, mechanisms[random_below(3)]);

		feed(f, recording, &(struct feed_item){FEED_RING, at_ns, .ring = &ring});
		fixture_add(f, ring.id);
		session_ring_finish(&ring);
	}
}

/* Records @n random ticks with what lies between them; @middle, where it is not NULL, is what was told when
 * half of them were, and @at_ns when that was. */
static struct fixture *record_with(size_t n_rings, int n, bool come_and_go, char **middle, uint64_t *at_ns)
{
	struct fixture *f = fixture_create(n_rings, 1000000);
	struct recording *recording = NULL;
	struct error_text reason;

	f->session.start_ns = FIXTURE_START_NS;
	CHECK(record_start(&recording, path, &f->session, &f->config, &f->topology, &reason) == 0);
	const struct event event = {
		.at_ns = FIXTURE_START_NS, .kind = EVENT_WARNING, .ring = -1, .member = -1, .text = "a note"};

	feed(f, recording, &(struct feed_item){FEED_EVENT, FIXTURE_START_NS, .event = &event});
	for (int i = 0; i < n; i++) {
		struct machine machine = f->session.machine;

		machine.rt_runtime_us = (int64_t)random_below(2) - 1;
		feed(f, recording,
			&(struct feed_item){FEED_MACHINE, f->tick.end_ns - 1, .machine = &machine});
		random_tick(f);
		feed(f, recording, &(struct feed_item){FEED_TICK, f->tick.end_ns, .tick = &f->tick});
		if (random_below(60) == 0) {
			static const char *const names[] = {NULL, "", "quiet irqs"};
			struct event phase = fixture_phase(f, names[random_below(3)]);

			feed(f, recording, &(struct feed_item){FEED_EVENT, phase.at_ns, .event = &phase});
		}
		if (come_and_go && random_below(5) == 0)
			come_or_go(f, recording);
		if (random_below(2))
			random_spike(f, recording);
		if (i == n / 4)
			breach(f, recording);
		if (middle && i == n / 2) {
			*middle = session_text(&f->session);
			*at_ns = f->tick.end_ns;
		}
		fixture_next(f);
	}
	CHECK(record_finish(recording, "duration", &reason) == 0);
	return f;
}

static struct fixture *record(size_t n_rings, int n, char **middle, uint64_t *at_ns)
{
	return record_with(n_rings, n, false, middle, at_ns);
}

static struct replay open_it(void)
{
	struct replay replay;
	struct error_text reason = {""};

	CHECK(replay_open(&replay, path, &reason) == 0, "%s", reason.text);
	return replay;
}

/* Feeds all that is left; returns how many ticks. */
static int feed_all(struct replay *replay, struct session *session)
{
	int n = 0;

	while (replay_next(replay) > 0) {
		CHECK(feed_session(session, &replay->item.feed, NULL) == 0);
		n += replay->item.feed.kind == FEED_TICK;
	}
	return n;
}

static void check_same(const struct session *session, const char *expected)
{
	char *text = session_text(session);

	size_t at = 0;

	while (text[at] && text[at] == expected[at])
		at++;
	at = at > 60 ? at - 60 : 0;
	CHECK(strcmp(text, expected) == 0, "%.160s instead of %.160s", text + at,
		strlen(expected) > at ? expected + at : "");
	free(text);
}

static void random_ticks_give_an_equal_session(void)
{
	for (size_t n_rings = 1; n_rings < 20; n_rings += 6) {
		struct fixture *f = record(n_rings, 300, NULL, NULL);
		char *expected = session_text(&f->session);
		struct replay replay = open_it();
		struct session session;

		CHECK(replay_start(&replay, &session) == 0);
		CHECK(feed_all(&replay, &session) == 300);
		check_same(&session, expected);
		CHECK(strcmp(replay.index.ended_by, "duration") == 0);
		session_finish(&session);
		replay_close(&replay);
		free(expected);
		fixture_destroy(f);
	}
}

static void a_seek_gives_what_reading_from_the_start_does(void)
{
	char *middle = NULL;
	uint64_t at_ns = 0;
	struct fixture *f = record(7, 1200, &middle, &at_ns);
	char *last = session_text(&f->session);
	struct replay replay = open_it();
	struct session session = {0};

	CHECK(replay_seek(&replay, &session, at_ns) == 0);
	check_same(&session, middle);
	CHECK(feed_all(&replay, &session) == 599);
	check_same(&session, last);
	CHECK(replay_seek(&replay, &session, UINT64_MAX) == 0);
	check_same(&session, last);
	CHECK(replay_seek(&replay, &session, 0) == 0 && session.n_ticks == 0);
	session_finish(&session);
	replay_close(&replay);
	free(middle);
	free(last);
	fixture_destroy(f);
}

/* The run looks for spikes once more when its rings have ended, which may take long. */
static void a_seek_to_the_end_has_the_spikes_after_the_last_tick(void)
{
	struct fixture *f = fixture_create(1, 1000000);
	struct recording *recording = NULL;
	struct error_text reason;
	struct session session = {0};

	f->session.start_ns = FIXTURE_START_NS;
	CHECK(record_start(&recording, path, &f->session, &f->config, &f->topology, &reason) == 0);
	for (int i = 0; i < 3; i++) {
		const struct spike_report report = {
			.spike = {.due_ns = f->tick.end_ns - 5000000, .seen_ns = f->tick.end_ns + 900000000}};

		feed(f, recording, &(struct feed_item){FEED_TICK, f->tick.end_ns, .tick = &f->tick});
		feed(f, recording, &(struct feed_item){FEED_SPIKE, report.spike.seen_ns, .spike = &report});
		fixture_next(f);
	}
	CHECK(record_finish(recording, "duration", &reason) == 0);
	struct replay replay = open_it();
	uint64_t end_ns = replay.index.end_ns;

	CHECK(replay_seek(&replay, &session, end_ns) == 0 && session.spikes.blames.n_spikes == 3, "%llu",
		(unsigned long long)session.spikes.blames.n_spikes);
	CHECK(session.spikes.blames.ns == f->session.spikes.blames.ns && replay_next(&replay) == 0);
	CHECK(replay_seek(&replay, &session, end_ns - 1) == 0 && session.n_ticks == 2 &&
			session.spikes.blames.n_spikes == 1,
		"%llu", (unsigned long long)session.spikes.blames.n_spikes);
	session_finish(&session);
	replay_close(&replay);
	fixture_destroy(f);
}

/* One, four and seven at first; four only with IPCTOP_FULL. */
static void rings_that_come_and_go_are_in_it(void)
{
	for (size_t n_rings = 1; n_rings < 8; n_rings += getenv("IPCTOP_FULL") ? 3 : 6) {
		char *middle = NULL;
		uint64_t at_ns = 0;
		struct fixture *f = record_with(n_rings, 1200, true, &middle, &at_ns);
		char *last = session_text(&f->session);
		struct replay replay = open_it();
		struct session session = {0};

		CHECK(f->next_id > 50, "%u rings", f->next_id);
		CHECK(replay_start(&replay, &session) == 0 && feed_all(&replay, &session) == 1200);
		check_same(&session, last);
		CHECK(replay_seek(&replay, &session, at_ns) == 0);
		check_same(&session, middle);
		CHECK(feed_all(&replay, &session) == 599);
		check_same(&session, last);
		session_finish(&session);
		replay_close(&replay);
		free(middle);
		free(last);
		fixture_destroy(f);
	}
}

/* As a recording that a command saves: rings of the start have ended before it, others were added. */
static void a_recording_may_begin_later_than_the_run(void)
{
	struct fixture *f = record_with(5, 300, true, NULL, NULL);
	struct recording *recording = NULL;
	struct error_text reason;
	struct session session;

	CHECK(record_start(&recording, path, &f->session, &f->config, &f->topology, &reason) == 0);
	for (int i = 0; i < 40; i++) {
		random_tick(f);
		feed(f, recording, &(struct feed_item){FEED_TICK, f->tick.end_ns, .tick = &f->tick});
		if (random_below(5) == 0)
			come_or_go(f, recording);
		fixture_next(f);
	}
	CHECK(record_finish(recording, "saved", &reason) == 0);
	char *last = session_text(&f->session);
	struct replay replay = open_it();

	CHECK(replay_start(&replay, &session) == 0 && session.n_ticks == 300);
	CHECK(feed_all(&replay, &session) == 40 && replay.n_damages == 0);
	check_same(&session, last);
	session_finish(&session);
	replay_close(&replay);
	free(last);
	fixture_destroy(f);
}

/* --- the states of rings, which a tick omits if they are as in the tick before --- */

/* Encodes the fixture's tick with its first @n_rings, and decodes it. Returns the last ring. */
static struct tick_ring pass(
	struct fixture *f, size_t n_rings, struct tick_codec *writer, struct tick_codec *reader)
{
	const struct block rows = {0};
	struct bytes bytes = {0};
	struct tick tick = f->tick, read;

	tick.n_rings = n_rings;
	tick_encode(writer, &tick, &rows, &bytes);
	struct scan scan = {bytes.data, bytes.data + bytes.n, false};

	CHECK(!bytes.failed && tick_decode(reader, &scan, &read) == 0 && read.n_rings == n_rings);
	bytes_finish(&bytes);
	return read.rings[n_rings - 1];
}

static void a_seek_forgets_states_that_were_read_before(void)
{
	struct fixture *f = fixture_create(2, 1000000);
	struct tick_codec writer, reader;

	CHECK(tick_codec_init(&writer, &f->session) == 0 && tick_codec_init(&reader, &f->session) == 0);
	f->rings[1].reason = "later";
	struct tick_ring ring = pass(f, 2, &writer, &reader);

	CHECK(ring.state == RING_RUNNING && ring.n_members == 2 && strcmp(ring.reason, "later") == 0);
	tick_codec_restart(&reader);
	ring = pass(f, 2, &writer, &reader);
	CHECK(ring.state == RING_PLANNED && ring.n_members == 0 && !ring.reason);
	tick_codec_finish(&writer);
	tick_codec_finish(&reader);
	fixture_destroy(f);
}

static void after_a_restart_each_ring_is_written_with_its_state(void)
{
	struct fixture *f = fixture_create(2, 1000000);
	struct tick_codec writer, reader;

	CHECK(tick_codec_init(&writer, &f->session) == 0 && tick_codec_init(&reader, &f->session) == 0);
	pass(f, 2, &writer, &reader);
	tick_codec_restart(&writer);
	tick_codec_restart(&reader);
	pass(f, 1, &writer, &reader);
	CHECK(pass(f, 2, &writer, &reader).n_members == 2);
	tick_codec_finish(&writer);
	tick_codec_finish(&reader);
	fixture_destroy(f);
}

/* The writer of a sample adds to the sum before it counts it. */
static void a_hop_whose_sample_is_just_being_counted_keeps_its_sum(void)
{
	struct fixture *f = fixture_create(1, 1000000);
	struct tick_hop hops[] = {{.figure.sum_ns = 1234}, {0}};
	struct tick_codec writer, reader;

	CHECK(tick_codec_init(&writer, &f->session) == 0 && tick_codec_init(&reader, &f->session) == 0);
	f->rings[0].n_hops = 2;
	f->tick.hops = hops;
	f->tick.n_hops = 2;
	struct tick_ring ring = pass(f, 1, &writer, &reader);

	CHECK(ring.n_hops == 2 && reader.hops[ring.first_hop].figure.sum_ns == 1234);
	f->rings[0].n_hops = 0;
	tick_codec_finish(&writer);
	tick_codec_finish(&reader);
	fixture_destroy(f);
}

/* --- any bytes --- */

static char *contents;
static size_t length;

static void load(void)
{
	FILE *file = fopen(path, "re");

	free(contents);
	contents = calloc(1, 1 << 20);
	length = fread(contents, 1, 1 << 20, file);
	fclose(file);
}

static void store(const char *bytes, size_t n)
{
	FILE *file = fopen(path, "we");

	fwrite(bytes, 1, n, file);
	fclose(file);
}

/* Ticks that could be read, or -1 where it is refused. */
static int readable(uint64_t *damages)
{
	struct replay replay;
	struct error_text reason;
	struct session session;
	int n;

	*damages = 0;
	if (replay_open(&replay, path, &reason) < 0) {
		replay_close(&replay);
		return -1;
	}
	replay_start(&replay, &session);
	n = feed_all(&replay, &session);
	*damages = replay.n_damages;
	session_finish(&session);
	replay_close(&replay);
	return n;
}

/* Samples of the bytes: neither number is a divisor of the size of an entry's head. */
static size_t sample_step(void)
{
	return getenv("IPCTOP_FULL") ? 5 : 31;
}

static void a_recording_cut_anywhere_loses_what_is_behind_alone(void)
{
	fixture_destroy(record(2, 12, NULL, NULL));
	load();
	int before = -1;

	for (size_t n = 0; n <= length; n += sample_step()) {
		uint64_t damages;

		store(contents, n);
		int ticks = readable(&damages);

		CHECK(ticks >= before && ticks <= before + 1, "%zu bytes: %d ticks after %d", n, ticks,
			before);
		CHECK(damages == 0, "%zu bytes", n);
		before = ticks;
	}
	CHECK(before == 12);
}

static void a_flipped_byte_is_told_and_costs_one_tick(void)
{
	fixture_destroy(record(2, 12, NULL, NULL));
	load();
	size_t head = (size_t)(strchr(contents, '\n') - contents) + 1;
	struct entry_head header;

	CHECK(entry_read_head((const uint8_t *)contents + head, &header) && header.kind == ENTRY_HEADER);
	for (size_t i = head + ENTRY_HEAD_SIZE + header.length; i < length; i += sample_step()) {
		uint64_t damages;

		char flip = (char)(1 + random_below(255));

		contents[i] ^= flip;
		store(contents, length);
		contents[i] ^= flip;
		int ticks = readable(&damages);

		CHECK(ticks >= 11, "byte %zu: %d ticks", i, ticks);
		CHECK(damages == 1, "byte %zu: %d", i, (int)damages);
	}
}

/* The time that it takes must not grow with the square of their number. */
static void what_only_looks_like_heads_is_one_damage(void)
{
	static const char mark[] = {'\xa5', 'i', 'p', '\xf1'};
	const size_t n = 3 * sizeof(mark) << 15;
	uint64_t damages;

	fixture_destroy(record(2, 12, NULL, NULL));
	load();
	size_t head = (size_t)(strchr(contents, '\n') - contents) + 1;
	struct entry_head header;

	CHECK(entry_read_head((const uint8_t *)contents + head, &header));
	size_t first = head + ENTRY_HEAD_SIZE + header.length;
	char *bytes = malloc(length + n + 2);

	memcpy(bytes, contents, first);
	for (size_t i = 0; i < n; i++)
		bytes[first + i] = mark[i % sizeof(mark)];
	memcpy(bytes + first + n, mark, 2);
	memcpy(bytes + first + n + 2, contents + first, length - first);
	store(bytes, length + n + 2);
	free(bytes);
	CHECK(readable(&damages) == 12 && damages == 1);
}

static int figure_of_phase(const struct session *session, size_t phase, struct hist *hist)
{
	struct block_list blocks = session_phase_blocks(session, &session->phases.list[phase]);

	return block_list_add_figure(&blocks, 0, FIGURE_FIRST, hist);
}

static void a_checkpoint_without_the_length_of_turns_leaves_that_of_the_start(void)
{
	for (uint64_t turn_ns = 0; turn_ns <= 2000000000; turn_ns += 2000000000) { /* 0: before 5.10 */
		struct fixture *f = fixture_create(2, 1000000), *again = fixture_create(2, 1000000);
		struct bytes bytes = {0};

		f->session.turn_ns = turn_ns;
		again->session.turn_ns = UINT64_C(4000000000);
		checkpoint_encode(&f->session, &bytes, SIZE_MAX, true);
		struct scan scan = {bytes.data, bytes.data + bytes.n, false};

		CHECK(checkpoint_decode(&again->session, &scan) == 0);
		CHECK(again->session.turn_ns == (turn_ns ? turn_ns : UINT64_C(4000000000)), "%llu ns",
			(unsigned long long)again->session.turn_ns);
		bytes_finish(&bytes);
		fixture_destroy(again);
		fixture_destroy(f);
	}
}

static void add_spike(struct fixture *f, uint64_t due_ns)
{
	const struct spike_report report = {
		.spike = {.figure = FIGURE_RESPONSE, .due_ns = due_ns, .received_ns = due_ns + 1000}};

	CHECK(spikes_add(&f->session.spikes, &report, NULL, NULL) == 0);
}

/* Each began before the one that was reported before it. */
static void after_a_seek_the_spikes_are_dropped_that_the_run_drops(void)
{
	struct fixture *f = fixture_create(1, 1000000), *again = fixture_create(1, 1000000);
	struct bytes bytes = {0};

	CHECK(fixture_feed(f) == 0);
	for (uint64_t i = 0; i < SPIKES_KEPT; i++)
		add_spike(f, FIXTURE_START_NS + (SPIKES_KEPT - i) * 1000000);
	checkpoint_encode(&f->session, &bytes, SIZE_MAX, true);
	struct scan scan = {bytes.data, bytes.data + bytes.n, false};

	CHECK(checkpoint_decode(&again->session, &scan) == 0);
	add_spike(f, FIXTURE_START_NS);
	add_spike(again, FIXTURE_START_NS);
	const struct session_spikes *is = &f->session.spikes, *seek = &again->session.spikes;

	CHECK(is->n_last == SPIKES_KEPT && seek->n_last == SPIKES_KEPT);
	for (size_t i = 0; i < SPIKES_KEPT; i++)
		CHECK(is->last[i].spike.due_ns == seek->last[i].spike.due_ns, "%zu", i);
	bytes_finish(&bytes);
	fixture_destroy(again);
	fixture_destroy(f);
}

/* What it says is to be read in the memory and the time of what it is. */
static void a_checkpoint_of_large_numbers_is_read_and_gone_on_from(void)
{
	static const uint64_t large[] = {UINT64_MAX, UINT32_MAX, UINT64_C(1) << 62};
	struct fixture *f = fixture_create(2, 1000000), *again = fixture_create(2, 1000000);
	struct bytes bytes = {0};
	struct hist hist = {0};

	CHECK(fixture_feed(f) == 0);
	f->session.n_ticks = UINT32_MAX;
	f->session.spikes.blames.kind_n[CAUSE_IRQ] = UINT64_MAX;
	f->session.rings[1].refused = true;
	for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++)
		CHECK(hist_add_cells(&f->session.rings[i % 2].figures[FIGURE_FIRST].hist,
			      &(struct hist_cell){100 * (unsigned)i, large[i]}, 1) == 0);
	f->session.phases.list[0].sum.n_ticks = UINT32_MAX;
	checkpoint_encode(&f->session, &bytes, SIZE_MAX, true);
	CHECK(!bytes.failed);
	struct scan scan = {bytes.data, bytes.data + bytes.n, false};

	CHECK(checkpoint_decode(&again->session, &scan) == 0);
	CHECK(again->session.spikes.blames.kind_n[CAUSE_IRQ] == UINT64_MAX);
	CHECK(!again->session.rings[0].refused && again->session.rings[1].refused);
	for (int i = 0; i < 100; i++) {
		CHECK(fixture_feed(again) == 0);
		CHECK(i != 50 || session_phases_begin(&again->session, "next", 0) == 0);
	}
	CHECK(figure_of_phase(&again->session, 0, &hist) == 0);
	CHECK(hist_count(&hist, 0) == large[0] && hist_count(&hist, 200) == large[2]);
	hist_finish(&hist);
	bytes_finish(&bytes);
	fixture_destroy(again);
	fixture_destroy(f);
}

static void a_file_that_fails_is_an_error_from_then_on(void)
{
	struct fixture *f = fixture_create(2, 1000000);
	struct recording *recording = NULL;
	struct rlimit before, none;
	struct error_text reason;

	f->session.start_ns = FIXTURE_START_NS;
	CHECK(record_start(&recording, path, &f->session, &f->config, &f->topology, &reason) == 0);
	CHECK(fixture_feed(f) == 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	none = (struct rlimit){0, before.rlim_max};
	CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
	const struct event full = fixture_phase(f, "full");

	CHECK(record_feed(recording, &(struct feed_item){FEED_EVENT, full.at_ns, .event = &full}) == -EFBIG);
	CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
	CHECK(record_feed(recording, &(struct feed_item){FEED_TICK, f->tick.end_ns, .tick = &f->tick}) ==
		-EFBIG);
	CHECK(record_finish(recording, "end", &reason) == -EFBIG);
	fixture_destroy(f);
}

static void versions_are_read_by_their_rules(void)
{
	static const struct {
		const char *line;
		bool good;
		const char *says;
	} rows[] = {
		{"ipctop recording 5.0\n", true, ""},
		{"ipctop recording 5.8\n", true, ""},
		{"ipctop recording 6.0\n", false, "is in format 6.0; this ipctop reads 5.x"},
		{"ipctop recording 4.0\n", false, "is in format 4.0; this ipctop reads 5.x"},
		{"ipctop recording 5.0 \n", false, "not a recording of ipctop"},
		{"", false, "not a recording of ipctop"},
	};
	fixture_destroy(record(1, 3, NULL, NULL));
	load();
	const char *rest = strchr(contents, '\n') + 1;
	size_t n_rest = length - (size_t)(rest - contents);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct replay replay;
		struct error_text reason = {""};
		struct bytes bytes = {0};

		bytes_add(&bytes, rows[i].line, strlen(rows[i].line));
		bytes_add(&bytes, rest, n_rest);
		store((const char *)bytes.data, bytes.n);
		bytes_finish(&bytes);
		bool good = replay_open(&replay, path, &reason) == 0;

		CHECK(good == rows[i].good, "%s", rows[i].line);
		CHECK(strstr(reason.text, rows[i].says) != NULL || good, "%s", reason.text);
		replay_close(&replay);
	}
}

static void entries_of_unknown_kinds_are_skipped(void)
{
	struct bytes bytes = {0};
	struct entry_head header;
	uint64_t damages;

	fixture_destroy(record(1, 3, NULL, NULL));
	load();
	size_t line = (size_t)(strchr(contents, '\n') - contents) + 1;

	CHECK(entry_read_head((const uint8_t *)contents + line, &header));
	size_t first = line + ENTRY_HEAD_SIZE + header.length;

	bytes_add(&bytes, contents, first);
	size_t begun = entry_begin(&bytes);

	bytes_text(&bytes, "from the future");
	entry_end(&bytes, begun, (enum entry_kind)99, 0);
	bytes_add(&bytes, contents + first, length - first);
	store((const char *)bytes.data, bytes.n);
	bytes_finish(&bytes);
	CHECK(readable(&damages) == 3 && damages == 0);
}

static void a_recording_without_its_end_ends_with_its_last_tick(void)
{
	struct fixture *f = record(1, 70, NULL, NULL);

	load();
	store(contents, length - 1);
	struct replay replay = open_it();

	CHECK(replay.index.end_ns == f->session.now_ns);
	replay_close(&replay);
	fixture_destroy(f);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	TEST(random_ticks_give_an_equal_session);
	TEST(a_seek_gives_what_reading_from_the_start_does);
	TEST(a_seek_to_the_end_has_the_spikes_after_the_last_tick);
	TEST(rings_that_come_and_go_are_in_it);
	TEST(a_recording_may_begin_later_than_the_run);
	TEST(a_seek_forgets_states_that_were_read_before);
	TEST(after_a_restart_each_ring_is_written_with_its_state);
	TEST(a_hop_whose_sample_is_just_being_counted_keeps_its_sum);
	TEST(a_recording_cut_anywhere_loses_what_is_behind_alone);
	TEST(a_flipped_byte_is_told_and_costs_one_tick);
	TEST(what_only_looks_like_heads_is_one_damage);
	TEST(a_checkpoint_without_the_length_of_turns_leaves_that_of_the_start);
	TEST(after_a_seek_the_spikes_are_dropped_that_the_run_drops);
	TEST(a_checkpoint_of_large_numbers_is_read_and_gone_on_from);
	TEST(a_file_that_fails_is_an_error_from_then_on);
	TEST(versions_are_read_by_their_rules);
	TEST(entries_of_unknown_kinds_are_skipped);
	TEST(a_recording_without_its_end_ends_with_its_last_tick);
	unlink(path);
	free(contents);
	return tap_done();
}
