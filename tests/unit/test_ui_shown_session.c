/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_shown_session.c - what is on the screen: now, or a moment of the past, and the sign that says
 * which. */
#include <locale.h>

#include "src/model/commands.h"
#include "src/model/feed.h"
#include "src/model/playback_state.h"
#include "src/recording/history.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/frame.h"
#include "ui/frame/keys.h"
#include "ui/term/shown_session.h"

static struct {
	struct fixture *fixture;
	struct history *history;
	struct commands commands;
	struct playback_state playing;
	struct shown_session moment;
	struct frame frame;
	struct canvas canvas;
	char text[40000];
} seen;

/* One tick of half a second, with one sample. */
static void feed(uint64_t ns)
{
	struct fixture *f = seen.fixture;

	fixture_sample(f, 0, FIGURE_FIRST, ns, 1);
	const struct feed_item item = {FEED_TICK, f->tick.end_ns, .tick = &f->tick};

	feed_session(&f->session, &item, NULL);
	history_feed(seen.history, &item, false);
	fixture_next(f);
}

static void init_shown(bool with_history)
{
	struct fixture *f = seen.fixture = fixture_create(2, 1000000);

	f->session.start_ns = FIXTURE_START_NS;
	f->session.wall_start_ns = 0;
	if (with_history)
		CHECK(history_create(&seen.history, NULL, &f->session, &f->config, &f->topology) == 0);
	CHECK(commands_init(&seen.commands) == 0);
	seen.moment = (struct shown_session){.live = &f->session, .history = seen.history};
	if (frame_init(&seen.frame, FIGURE_FIRST, 1000000000) < 0)
		abort();
	seen.frame.view.unit = UNIT_NS;
	if (canvas_init(&seen.canvas, 1, 1, true) < 0)
		abort();
}

static void finish(void)
{
	shown_session_finish(&seen.moment);
	history_destroy(seen.history);
	seen.history = NULL;
	commands_finish(&seen.commands);
	frame_finish(&seen.frame);
	canvas_finish(&seen.canvas);
	fixture_destroy(seen.fixture);
}

static void draw_frame(void)
{
	FILE *out = fmemopen(seen.text, sizeof(seen.text), "w");

	if (!out || frame_make(shown_session_now(&seen.moment, &seen.frame), &seen.frame, &seen.canvas, 100,
			    24) < 0)
		abort();
	canvas_print(&seen.canvas, out);
	fclose(out);
}

/* Keys, and what is shown after them. */
static void press(const char *keys)
{
	for (; *keys; keys++) {
		const struct command command = keys_press(&seen.frame, (uint32_t)*keys).command;

		if (command.kind && !shown_session_obey(&seen.moment, &seen.frame, &command))
			commands_put(&seen.commands, &command);
	}
	draw_frame();
	if (shown_session_seek(&seen.moment, &seen.frame))
		draw_frame();
}

static bool shows(const char *text)
{
	return strstr(seen.text, text) != NULL;
}

static void space_freezes_and_keys_work_on_it(void)
{
	init_shown(true);
	for (int i = 0; i < 20; i++)
		feed(3000);
	press("");
	CHECK(shows("LIVE 1.0s") && !shows("FROZEN"), "%s", seen.text);
	press(" ");
	CHECK(shows("FROZEN 00:00 ago  00:00:10") && !shows("LIVE"), "%s", seen.text);
	for (int i = 0; i < 1508; i++)
		feed(i == 0 ? 77777 : 3000);
	press("");
	CHECK(shows("FROZEN 12:34 ago  00:00:10") && !shows("77777"), "%s", seen.text);
	press("jIo");
	CHECK(shows("answer [ns]") && shows("FROZEN") && !shows("77777"), "%s", seen.text);
	press("h");
	CHECK(shows(" help") && shows("FROZEN"));
	press("hooo ");
	CHECK(shows("LIVE 1.0s") && !shows("FROZEN") && shows("77777"), "%s", seen.text);
	press(" ");
	CHECK(shows("FROZEN 00:00 ago  00:12:44") && shows("77777"), "%s", seen.text);
	finish();
}

static void brackets_go_through_the_past(void)
{
	static const struct {
		const char *keys, *shown;
		bool worst;
	} steps[] = {
		{"[", "FROZEN 00:01 ago  00:00:59", true},
		{"[[[", "FROZEN 00:04 ago  00:00:56", true},
		{"{{", "FROZEN 00:24 ago  00:00:36", true},
		{"{", "FROZEN 00:34 ago  00:00:26", false},
		{"}", "FROZEN 00:24 ago  00:00:36", true},
		{"{]]]]", "FROZEN 00:30 ago  00:00:30", false},
		{"]", "FROZEN 00:29 ago  00:00:31", true},
		{"{{{{{{{{{{", "FROZEN 00:59 ago  00:00:00 the first kept", false},
		{"]", "FROZEN 00:58 ago  00:00:01", false},
		{"{{{{{{{{{{]]", "FROZEN 00:57 ago  00:00:02", false}, /* not before the oldest */
		{"}}}}}}}}}}", "FROZEN 00:00 ago  00:01:00", true},    /* not beyond the newest */
		{"]", "FROZEN 00:00 ago  00:01:00", true},
		{" ", "LIVE", true},
	};

	init_shown(true);
	for (int i = 0; i < 120; i++)
		feed(i == 60 ? 77777 : 3000);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		press(steps[i].keys);
		CHECK(shows(steps[i].shown) && shows("77777") == steps[i].worst, "step %zu, %s: %s", i,
			steps[i].keys, seen.text);
	}
	finish();
}

static void what_can_not_be_shown_is_said(void)
{
	init_shown(false);
	feed(3000);
	for (int i = 0; i < 2; i++) {
		press(i ? "[" : " ");
		CHECK(shows("NO HISTORY") && shows("LIVE"), "%s", seen.text);
	}
	finish();
}

static void in_a_replay_keys_are_commands_and_the_sign_is_the_players(void)
{
	static const struct {
		const char *key;
		enum command_kind kind;
		int64_t by_ns;
	} keys[] = {
		{" ", COMMAND_FREEZE, 0},
		{".", COMMAND_STEP, 0},
		{"[", COMMAND_SEEK, -1000000000},
		{"}", COMMAND_SEEK, 10000000000},
		{"{{]", COMMAND_SEEK, -19000000000},
	};
	static const struct {
		struct playback_state playing;
		const char *shown;
	} signs[] = {
		{{.speed = 1}, "REPLAY x1  00:00:05/01:00:00"},
		{{.speed = 2.5}, "REPLAY x2.5  00:00:05/01:00:00"},
		{{.speed = 0}, "REPLAY full speed  00:00:05/01:00:00"},
		{{.speed = 1, .paused = true}, "PAUSED  00:00:05/01:00:00"},
		{{.speed = 1, .paused = true, .ended = true}, "END  00:00:05/01:00:00"},
		{{.speed = 1, .sought_ns = FIXTURE_START_NS + UINT64_C(61000000000)},
			"REPLAY x1  00:01:01/01:00:00"},
	};
	struct command command;

	init_shown(false);
	seen.moment.playing = &seen.playing;
	for (int i = 0; i < 10; i++)
		feed(3000);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		press(keys[i].key);
		CHECK(commands_next(&seen.commands, &command) && command.kind == keys[i].kind &&
				command.by_ns == keys[i].by_ns && !commands_next(&seen.commands, &command),
			"key %s", keys[i].key);
	}
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		seen.playing = signs[i].playing;
		seen.playing.start_ns = FIXTURE_START_NS;
		seen.playing.end_ns = FIXTURE_START_NS + UINT64_C(3600000000000);
		press("");
		CHECK(shows(signs[i].shown) && !shows("LIVE") && !shows("FROZEN"), "%s", seen.text);
	}
	finish();
}

/* Many may come between two frames. */
static void keys_are_obeyed_in_their_order(void)
{
	static const enum command_kind kinds[] = {COMMAND_STEP, COMMAND_FREEZE, COMMAND_SEEK, COMMAND_FREEZE};
	struct command command;

	init_shown(true);
	for (int i = 0; i < 20; i++)
		feed(3000);
	press("[ ");
	CHECK(shows("LIVE") && !shows("FROZEN"), "%s", seen.text);
	press(" [");
	CHECK(shows("FROZEN 00:01 ago"), "%s", seen.text);
	press(" ");
	seen.moment.playing = &seen.playing;
	press(". { ");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		CHECK(commands_next(&seen.commands, &command) && command.kind == kinds[i], "%zu", i);
	CHECK(!commands_next(&seen.commands, &command));
	finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(space_freezes_and_keys_work_on_it);
	TEST(brackets_go_through_the_past);
	TEST(what_can_not_be_shown_is_said);
	TEST(in_a_replay_keys_are_commands_and_the_sign_is_the_players);
	TEST(keys_are_obeyed_in_their_order);
	return tap_done();
}
