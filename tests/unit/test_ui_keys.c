/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_keys.c - the rows' order, the selection, and what keys do. */
#include <locale.h>

#include "src/base/text.h"
#include "src/base/values.h"
#include "src/figures/shift.h"
#include "src/model/comparison_lines.h"
#include "src/model/session.h"
#include "src/run/command.h"
#include "tests/golden/sweep.h"
#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/keys.h"
#include "ui/views/act.h"
#include "ui/views/prompt.h"
#include "ui/views/setup.h"
#include "ui/views/views.h"

static bool order_is(const uint32_t *ids, size_t n)
{
	bool same = seen.frame.view.order.n == n;

	for (size_t i = 0; same && i < n; i++)
		same = seen.frame.view.order.rows[i].id == ids[i];
	return same;
}

static void sorting_puts_the_worst_first_and_the_unknown_last(void)
{
	static const struct {
		size_t column;
		bool inverted;
		uint32_t ids[4];
	} cases[] = {
		{COLUMN_PAIR, false, {0, 1, 2, 3}},
		{COLUMN_PAIR, true, {3, 2, 1, 0}},
		{COLUMN_MAX, false, {3, 2, 0, 1}},
		{COLUMN_MAX, true, {0, 2, 3, 1}},
		{COLUMN_P99, false, {3, 2, 0, 1}},
		{COLUMN_MIN, true, {0, 2, 3, 1}},
		{COLUMN_STATE, false, {2, 0, 1, 3}},
		{COLUMN_CUR, false, {0, 3, 2, 1}},
		{COLUMN_MISSED, false, {1, 0, 2, 3}},
	};

	seen_init(4);
	for (size_t f = 0; f < N_FIGURES; f++)
		hist_finish(&seen.session->rings[1].figures[f].hist);
	seen.session->rings[2].state = RING_FAILED;
	seen.session->rings[0].age_ns = 5000000000;
	seen.session->rings[1].missed = 7;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.frame.view.sort = cases[i].column;
		seen.frame.view.inverted = cases[i].inverted;
		look(120, 40);
		CHECK(order_is(cases[i].ids, 4), "case %zu: %u %u %u %u", i,
			(unsigned)seen.frame.view.order.rows[0].id,
			(unsigned)seen.frame.view.order.rows[1].id,
			(unsigned)seen.frame.view.order.rows[2].id,
			(unsigned)seen.frame.view.order.rows[3].id);
	}
	seen_finish();
}

static void windows_shorter_than_a_round_are_passed_over(void)
{
	static const struct {
		unsigned n_turns, turn_ms;
		const char *header, *after_w[5];
	} cases[] = {
		{1, 1000, "window all       ", {"1s", "10s", "60s", "phase", "all"}},
		{2, 500, "window all  turn 1/2", {"1s", "10s", "60s", "phase", "all"}},
		{12, 250, "window all  turn 1/12", {"10s", "60s", "phase", "all", "10s"}},
		{12, 1000, "window all  turn 1/12", {"60s", "phase", "all", "60s", "phase"}},
		{100, 1000, "window all  turn 1/100", {"phase", "all", "phase", "all", "phase"}},
	};

	seen_init(100);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake_turns(seen.session, cases[i].n_turns, (uint64_t)cases[i].turn_ms * 1000000, 0);
		seen.frame.view.window = WINDOW_ALL;
		look(66, 24);
		CHECK(shows(cases[i].header), "%s", line_with("window"));
		for (size_t w = 0; w < 5; w++) {
			keys_press(&seen.frame, 'w');
			CHECK(strcmp(window_name(seen.frame.view.window), cases[i].after_w[w]) == 0,
				"case %zu: %s", i, window_name(seen.frame.view.window));
		}
		seen.frame.view.window = WINDOW_1S;
		look(80, 24);
		CHECK(strcmp(window_name(seen.frame.view.window), i < 2 ? "1s" : cases[i].after_w[0]) == 0,
			"case %zu: another session's", i);
	}
	seen_finish();
}

static void the_sorted_column_is_marked(void)
{
	seen_init(4);
	look(120, 40);
	CHECK(shows("^PAIR"));
	for (size_t i = 0; i < N_COLUMNS; i++) {
		char title[40];

		if (!columns_table[i].value || !seen.frame.view.columns.width[i])
			continue;
		seen.frame.view.sort = i;
		seen.frame.view.inverted = false;
		look(120, 40);
		snprintf(title, sizeof(title), "%s%s", columns_table[i].largest_first ? "v" : "^",
			columns_table[i].title);
		CHECK(shows(title), "%s in %s", title, line_with("Avg"));
	}
	seen_finish();
}

static void selection_stays_on_its_ring(void)
{
	seen_init(50);
	look(80, 24);
	CHECK(seen.frame.view.selected == 0);
	for (int i = 0; i < 30; i++)
		keys_press(&seen.frame, 'j');
	look(80, 24);
	CHECK(seen.frame.view.selected == 30 && shows("> 30>31"), "%s", seen.text);
	seen.frame.view.sort = COLUMN_MAX;
	look(80, 24);
	CHECK(seen.frame.view.selected == 30 && seen.frame.view.position == 19 && shows("> 30>31"), "%s",
		seen.text);
	fake_sample(&seen.session->rings[30].figures[FIGURE_FIRST], 900000000, 1, 1);
	look(120, 40);
	CHECK(seen.frame.view.selected == 30 && seen.frame.view.position == 0 && shows("> 30>31"), "%s",
		seen.text);
	for (uint32_t i = 30; i < 50; i++) /* ring 30 is gone, and another one came */
		seen.session->rings[i].id = 1000 + i;
	look(80, 24);
	CHECK(seen.frame.view.position == 0 && seen.frame.view.selected == 1030);
	seen_finish();
}

static void selection_stops_at_the_ends_and_is_always_shown(void)
{
	static const struct {
		uint32_t key;
		uint32_t selected;
	} presses[] = {
		{'k', 0},
		{'G', 1023},
		{'j', 1023},
		{KEY_CODE_PAGE_DOWN, 1023},
		{KEY_CODE_ARROW_UP, 1022},
		{'g', 0},
		{KEY_CODE_PAGE_UP, 0},
		{KEY_CODE_LAST, 1023},
		{KEY_CODE_FIRST, 0},
		{KEY_CODE_ARROW_DOWN, 1},
	};

	seen_init(1024);
	look(80, 24);
	for (size_t i = 0; i < sizeof(presses) / sizeof(*presses); i++) {
		char mark[32];

		CHECK(keys_press(&seen.frame, presses[i].key).wish != SCREEN_NONE);
		look(80, 24);
		CHECK(seen.frame.view.selected == presses[i].selected, "press %zu: %u", i,
			(unsigned)seen.frame.view.selected);
		snprintf(
			mark, sizeof(mark), " %u>%u ", presses[i].selected, (presses[i].selected + 1) % 1024);
		CHECK(line_with(mark)[0] == '>', "'%s'", line_with(mark));
	}
	seen_finish();
	seen_init(0);
	look(80, 24);
	for (size_t i = 0; i < sizeof(presses) / sizeof(*presses); i++)
		keys_press(&seen.frame, presses[i].key);
	look(80, 24);
	CHECK(shows("no rings"));
	seen_finish();
}

static void moves_scroll_without_a_frame(void)
{
	static const uint32_t keys[] = {KEY_CODE_PAGE_DOWN, KEY_CODE_PAGE_DOWN, 'k', 'G', 'k',
		KEY_CODE_PAGE_UP, 'j', 'g', 'j', KEY_CODE_PAGE_DOWN, 'k', 0};
	size_t top[2];

	for (unsigned frames = 0; frames < 2; frames++) {
		seen_init(1024);
		look(80, 24);
		for (const uint32_t *key = keys; *key; key++) {
			keys_press(&seen.frame, *key);
			if (frames)
				look(80, 24);
		}
		look(80, 24);
		top[frames] = seen.frame.view.top;
		seen_finish();
	}
	CHECK(top[0] == top[1] && top[1] > 0, "%zu, %zu", top[0], top[1]);
}

static void figures_that_look_alike_are_one_press(void)
{
	static const char *const titles[] = {"lap [us]", "answer [us]", "lap [us]", "answer [us]"};

	seen_init(4);
	for (size_t i = 0; i < seen.session->n_rings; i++)
		seen.session->rings[i].interval_ns = 0;
	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++) {
		look(80, 24);
		CHECK(shows(titles[i]), "%zu: %s", i, seen.text);
		keys_press(&seen.frame, 'o');
	}
	for (size_t i = 0; i < seen.session->n_rings; i++)
		seen.session->rings[i].stamps = STAMPS_LAP;
	look(80, 24);
	keys_press(&seen.frame, 'o');
	look(80, 24);
	CHECK(shows("lap [us]"), "%s", seen.text);
	seen_finish();
}

static void keys_change_figure_unit_and_order(void)
{
	seen_init(4);
	look(80, 24);
	for (unsigned i = 1; i <= N_FIGURES_SHOWN; i++) {
		keys_press(&seen.frame, 'o');
		look(80, 24);
		CHECK(shows(figure_title(i % N_FIGURES_SHOWN)));
	}
	keys_press(&seen.frame, 'u');
	look(80, 24);
	CHECK(shows("[ms]"));
	keys_press(&seen.frame, 'u');
	look(80, 24);
	CHECK(shows("[ns]") && shows(" 1450 "));
	keys_press(&seen.frame, '<');
	CHECK(seen.frame.view.sort == COLUMN_MISSED, "%zu", seen.frame.view.sort);
	keys_press(&seen.frame, '>');
	keys_press(&seen.frame, '>');
	CHECK(seen.frame.view.sort == COLUMN_SCHED, "%zu", seen.frame.view.sort);
	keys_press(&seen.frame, 'I');
	CHECK(seen.frame.view.inverted);
	CHECK(keys_press(&seen.frame, '~').wish == SCREEN_REDRAW);
	look(80, 24);
	CHECK(shows("\nunknown\n"), "%s", seen.text);
	CHECK(keys_press(&seen.frame, 12).wish == SCREEN_REPAINT);
	CHECK(keys_press(&seen.frame, KEY_CODE_F10).command.kind == COMMAND_QUIT);
	seen_finish();
}

static void help_lists_every_key_and_closes(void)
{
	seen_init(4);
	look(80, 24);
	keys_press(&seen.frame, KEY_CODE_F1);
	look(80, 80);
	const struct key *keys = seen.frame.keys;

	const char *rows = strstr(seen.text, "\nROWS ");

	CHECK(rows && strstr(rows, "select the worst row") && !strstr(rows, "compare two phases"), "%s",
		seen.text);
	for (size_t i = 0; i < seen.frame.n_keys; i++)
		CHECK(!keys[i].names || (shows(keys[i].names) && shows(keys[i].help)), "%s", keys[i].names);
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	look(80, 24);
	CHECK(is_on_top("overview") && shows("PAIR"));
	keys_press(&seen.frame, '?');
	look(40, 10);
	CHECK(shows(keys[0].help) && !shows(keys[seen.frame.n_keys - 1].help));
	for (size_t i = 0; i < seen.frame.n_keys; i++) { /* what has no room is reached by scrolling */
		if (!keys[i].names)
			continue;
		keys_press(&seen.frame, 'g');
		look(40, 10);
		for (size_t line = 0; line < 2 * seen.frame.n_keys && !shows(keys[i].help); line++) {
			keys_press(&seen.frame, 'j');
			look(40, 10);
		}
		CHECK(shows(keys[i].help), "%s", keys[i].help);
	}
	CHECK(seen.frame.view.selected == 0);
	keys_press(&seen.frame, 'h');
	CHECK(is_on_top("overview"));
	seen_finish();
}

/* Scrolled to its end line by line, as on the smallest screen. */
static bool glossary_has(const char *text)
{
	keys_press(&seen.frame, 'g');
	for (unsigned line = 0; line < 300; line++) {
		look(40, 10);
		if (shows(text))
			return true;
		keys_press(&seen.frame, 'j');
	}
	return false;
}

static void every_column_figure_and_word_is_in_the_glossary(void)
{
	seen_init(4);
	keys_press(&seen.frame, KEY_CODE_F1);
	look(80, 24);
	CHECK(shows("[1 keys] 2 glossary"));
	keys_press(&seen.frame, KEY_CODE_ARROW_RIGHT);
	look(80, 24);
	CHECK(shows("1 keys [2 glossary]") && shows("FIGURES"), "%s", seen.text);
	for (size_t i = COLUMN_MARK + 1; i < N_COLUMNS; i++)
		CHECK(*columns_table[i].help && glossary_has(columns_table[i].title), "%s",
			columns_table[i].title);
	for (int f = 0; f < N_FIGURES; f++)
		CHECK(*figure_help((enum figure)f) && glossary_has(figure_name((enum figure)f)), "%d", f);
	for (int c = CONDITION_FINE + 1; c < N_CONDITIONS; c++)
		CHECK(*ring_condition_help((enum ring_condition)c) &&
				glossary_has(ring_condition_name((enum ring_condition)c)),
			"%d", c);
	for (int s = 0; s < N_RING_STATES; s++)
		CHECK(*ring_state_help((enum ring_state)s) &&
				glossary_has(ring_state_name((enum ring_state)s)),
			"%d", s);
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		CHECK(*token_fault_help((enum token_fault)f) &&
				glossary_has(token_fault_name((enum token_fault)f)),
			"%d", f);
	for (int v = 0; v < N_SHIFT_VERDICTS; v++)
		CHECK(*shift_verdict_words[v].help && glossary_has(shift_verdict_words[v].name), "%d", v);
	look(120, 100);
	CHECK(shows("  w  worse") && shows("  =  same"), "%s", seen.text);
	CHECK(shows("  worse w  the whole interval is above no change"));
	CHECK(shows("  better b  the whole interval is below no change"));
	keys_press(&seen.frame, '1');
	look(80, 24);
	CHECK(shows("[1 keys] 2 glossary"));
	keys_press(&seen.frame, '2');
	keys_press(&seen.frame, 'h');
	keys_press(&seen.frame, 'h');
	look(80, 24);
	CHECK(shows("[1 keys] 2 glossary"), "it opens with the keys");
	seen_finish();
}

/* Counts the keys with the code, among those that the view on top knows. */
static unsigned meanings(uint32_t code)
{
	unsigned n = 0;

	for (size_t i = 0; i < seen.frame.n_keys; i++) {
		const struct key *key = &seen.frame.keys[i];

		for (size_t c = 0; c < 4 && key->codes[c]; c++)
			n += key->codes[c] == code && keys_known(&seen.frame, key);
	}
	return n;
}

static void check_meanings(void)
{
	for (size_t i = 0; i < seen.frame.n_keys; i++) {
		const struct key *key = &seen.frame.keys[i];

		for (size_t c = 0; c < 4 && key->codes[c]; c++)
			CHECK(meanings(key->codes[c]) <= 1 &&
					(!keys_known(&seen.frame, key) || meanings(key->codes[c]) == 1),
				"%s in %s", key->names, view_top(&seen.frame)->name);
	}
}

static void no_key_does_two_things(void)
{
	seen_init(4);
	for (unsigned i = 0; i < views_n; i++) {
		look(80, 24);
		view_open(&seen.frame, views_table[i]);
		look(80, 24);
		check_meanings();
		keys_press(&seen.frame, 'h');
		check_meanings();
		keys_press(&seen.frame, KEY_CODE_F6);
		CHECK(is_on_top("list") || views_table[i]->ranking || views_table[i]->has_no_rings);
		check_meanings();
		keys_press(&seen.frame, KEY_CODE_ESCAPE);
		keys_press(&seen.frame, KEY_CODE_F2);
		CHECK(is_on_top("setup"));
		check_meanings();
		keys_press(&seen.frame, KEY_CODE_TAB);
		check_meanings();
		keys_press(&seen.frame, 'G');
		look(80, 24);
		CHECK(shows("Enter Write"));
		check_meanings();
	}
	seen_finish();
}

static void the_sign_of_the_freeze_stays_in_the_narrowest_header(void)
{
	seen_init(4);
	seen.frame.frozen = true;
	for (unsigned columns = FRAME_COLUMNS_MIN; columns < 120; columns++) {
		seen.frame.view.figure = columns % N_FIGURES_SHOWN;
		look(columns, FRAME_LINES_MIN);
		CHECK(shows("FROZEN 00:00 ago"), "%u: %s", columns, seen.text);
	}
	seen_finish();
}

static void a_frozen_display_and_a_replay_refuse_phases_until_the_next_key(void)
{
	static const struct {
		uint32_t key;
		bool is_replay;
		const char *sentence;
	} cases[] = {
		{'r', false, "\nfrozen: press Space first; phases begin in the present"},
		{'m', false, "\nfrozen: press Space first; phases begin in the present"},
		{'r', true, "\na replay has the phases of its recording alone: begin them while measuring"},
		{'m', true, "\na replay has the phases of its recording alone: begin them while measuring"},
	};

	seen_init(4);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.frame.frozen = !cases[i].is_replay;
		seen.frame.is_replay = cases[i].is_replay;
		CHECK(keys_press(&seen.frame, cases[i].key).wish == SCREEN_REDRAW && !is_on_top("prompt"));
		look(80, 24);
		CHECK(shows(cases[i].sentence), "%s", seen.text);
		CHECK(keys_press(&seen.frame, 1).wish == SCREEN_REDRAW); /* not a key */
		look(80, 24);
		CHECK(!shows(cases[i].sentence) && shows("\nunknown"), "%s", seen.text);
		keys_press(&seen.frame, KEY_CODE_ESCAPE);
		look(80, 24);
		CHECK(shows("\nF1 Help"), "%s", seen.text);
	}
	seen.frame.is_replay = false;
	CHECK(is_command(keys_press(&seen.frame, 'r').command, "phase") && !is_on_top("prompt"));
	CHECK(keys_press(&seen.frame, 'm').wish == SCREEN_REFIT && is_on_top("prompt"));
	seen_finish();
}

static void plus_and_minus_step_through_the_refreshes(void)
{
	static const struct {
		uint32_t key;
		const char *sign;
	} steps[] = {
		{'+', "LIVE 1.0s"},
		{'+', "LIVE 0.5s"},
		{'+', "LIVE 0.2s"},
		{'+', "LIVE 0.1s"},
		{'+', "LIVE 0.1s"},
		{'-', "LIVE 0.2s"},
		{'-', "LIVE 0.5s"},
		{'-', "LIVE 1.0s"},
		{'-', "LIVE 2.0s"},
		{'-', "LIVE 5.0s"},
		{'-', "LIVE 10.0s"},
		{'-', "LIVE 10.0s"},
	};
	static const struct {
		uint64_t from_ns;
		uint32_t key;
		uint64_t to_ns;
	} odd[] = {
		{60000000000, '-', 60000000000},
		{60000000000, '+', 10000000000},
		{700000000, '+', 500000000},
		{700000000, '-', 1000000000},
		{0, '+', 0},
		{0, '-', 0},
	};

	seen_init(1);
	seen.frame.refresh_ns = 2000000000;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		keys_press(&seen.frame, steps[i].key);
		look(80, 24);
		CHECK(shows(steps[i].sign), "step %zu: %s", i, line_with("LIVE"));
	}
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		seen.frame.refresh_ns = odd[i].from_ns;
		CHECK(keys_press(&seen.frame, odd[i].key).wish != SCREEN_NONE);
		CHECK(seen.frame.refresh_ns == odd[i].to_ns, "case %zu", i);
	}
	seen_finish();
}

enum { HEAD = 4 }; /* the table's line, at 80x24 */

static void the_mouse_selects_and_scrolls(void)
{
	static const struct {
		uint32_t code;
		unsigned x, y;
		uint32_t selected;
		size_t top, sort;
		bool inverted;
	} steps[] = {
		{KEY_CODE_CLICK, 10, HEAD + 3, 2, 0, COLUMN_PAIR, false},
		{KEY_CODE_CLICK, 79, HEAD + 1, 0, 0, COLUMN_PAIR, false},
		{KEY_CODE_CLICK, 10, HEAD - 1, 0, 0, COLUMN_PAIR, false},
		{KEY_CODE_CLICK, 7, 23, 0, 0, COLUMN_PAIR, false},
		{KEY_CODE_CLICK, 10, 900, 0, 0, COLUMN_PAIR, false},
		{KEY_CODE_WHEEL_DOWN, 10, 10, 3, 3, COLUMN_PAIR, false},
		{KEY_CODE_WHEEL_DOWN, 10, 10, 6, 6, COLUMN_PAIR, false},
		{KEY_CODE_CLICK, 10, HEAD + 2, 7, 6, COLUMN_PAIR, false},
		{KEY_CODE_WHEEL_UP, 10, 10, 7, 3, COLUMN_PAIR, false},
		{KEY_CODE_WHEEL_UP, 10, 10, 7, 0, COLUMN_PAIR, false},
		{KEY_CODE_WHEEL_UP, 10, 10, 7, 0, COLUMN_PAIR, false},
		{KEY_CODE_CLICK, 5, HEAD, 7, 0, COLUMN_PAIR, true},
		{KEY_CODE_CLICK, 5, HEAD, 7, 0, COLUMN_PAIR, false},
	};

	seen_init(50);
	look(80, 24);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct effect effect = frame_press(&seen.frame, steps[i].code, steps[i].x, steps[i].y);

		CHECK(effect.wish != SCREEN_NONE && seen.frame.view.sort == steps[i].sort &&
				seen.frame.view.inverted == steps[i].inverted,
			"step %zu: %zu", i, seen.frame.view.sort);
		if (steps[i].y != HEAD) {
			look(80, 24);
			CHECK(seen.frame.view.selected == steps[i].selected &&
					seen.frame.view.top == steps[i].top,
				"step %zu: %u, %zu", i, (unsigned)seen.frame.view.selected,
				seen.frame.view.top);
		}
	}
	for (unsigned i = 0; i < 40; i++)
		frame_press(&seen.frame, KEY_CODE_WHEEL_DOWN, 0, 0);
	look(80, 24);
	CHECK(seen.frame.view.top + seen.frame.view.page - 1 == seen.frame.view.order.n,
		"no further than the last page, whose last line counts the rows above");
	seen_finish();
}

static void a_click_on_a_head_sorts_by_it_and_another_inverts(void)
{
	seen_init(50);
	look(80, 24);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (!seen.frame.view.columns.width[i] || !columns_table[i].value || i == COLUMN_PAIR)
			continue;
		unsigned gap = seen.frame.view.columns.x[i] - 1,
			 last = gap + seen.frame.view.columns.width[i];

		frame_press(&seen.frame, KEY_CODE_CLICK, gap, HEAD);
		CHECK(seen.frame.view.sort == i && !seen.frame.view.inverted, "%s", columns_table[i].title);
		frame_press(&seen.frame, KEY_CODE_CLICK, last, HEAD);
		CHECK(seen.frame.view.sort == i && seen.frame.view.inverted, "%s", columns_table[i].title);
	}
	seen_finish();
}

static void the_mouse_leaves_what_lies_below_a_dialog_or_the_help(void)
{
	seen_init(50);
	look(40, 10);
	keys_press(&seen.frame, 'm');
	frame_press(&seen.frame, KEY_CODE_CLICK, 5, 2);
	look(40, 10);
	CHECK(is_on_top("prompt") && shows("\n  _\n") && !seen.frame.view.inverted);
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	keys_press(&seen.frame, 'h');
	look(40, 10);
	frame_press(&seen.frame, KEY_CODE_CLICK, 5, 3);
	frame_press(&seen.frame, KEY_CODE_WHEEL_DOWN, 5, 5);
	look(40, 10);
	CHECK(!shows(seen.frame.keys[1].help) && shows("show the selected pair alone") &&
			seen.frame.view.position == 0 && seen.frame.view.top == 0,
		"the help scrolls");
	seen_finish();
}

static void nothing_moves_the_table_behind_a_question(void)
{
	static const uint32_t moves[] = {'k', 'j', 'g', 'G', KEY_CODE_ARROW_UP, KEY_CODE_ARROW_DOWN,
		KEY_CODE_FIRST, KEY_CODE_LAST, KEY_CODE_PAGE_UP, KEY_CODE_PAGE_DOWN, KEY_CODE_WHEEL_UP,
		KEY_CODE_WHEEL_DOWN};

	seen_init(50);
	look(80, 24);
	for (int i = 0; i < 30; i++)
		keys_press(&seen.frame, 'j');
	keys_press(&seen.frame, 'x');
	look(80, 24);
	CHECK(is_on_top("act") && shows("Enter y Remove  Esc n Close  q Quit"), "%s", seen.text);
	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		frame_press(&seen.frame, moves[i], 5, 5);
		look(80, 24);
		CHECK(seen.frame.view.selected == 30 && is_on_top("act"), "move %zu", i);
	}
	CHECK(strcmp(keys_press(&seen.frame, 'y').command.words, "30") == 0);
	seen_finish();
}

static void the_key_bar_of_each_view_has_the_key_that_leaves_it(void)
{
	seen_init(2);
	for (unsigned i = 1; i < views_n; i++) {
		const struct key *key = &views_table[i]->key;
		char back[32];

		keys_press(&seen.frame, key->codes[0]);
		look(200, 60);
		snprintf(back, sizeof(back), "%s Back", key->names);
		CHECK(is_on_top(views_table[i]->name) && shows(back), "%s: %s", views_table[i]->name,
			seen.text);
		keys_press(&seen.frame, KEY_CODE_ESCAPE);
	}
	seen_finish();
}

static void each_command_of_a_key_has_a_row(void)
{
	seen_init(1);
	for (size_t i = 0; i < seen.frame.n_keys; i++) {
		const struct command *command = &seen.frame.keys[i].command;

		CHECK(!command->kind || command_row_of(command_rows, command),
			"key %s, which sends %s: no row of this name, or kind, in src/run",
			seen.frame.keys[i].names, command->row_name ? command->row_name : "a kind");
	}
	seen_finish();
}

static void the_help_goes_back_at_once_from_its_end(void)
{
	static const uint32_t on[] = {'G', KEY_CODE_PAGE_DOWN, 'j', KEY_CODE_WHEEL_DOWN};

	seen_init(4);
	for (size_t i = 0; i < sizeof(on) / sizeof(*on); i++) {
		keys_press(&seen.frame, 'h');
		look(40, 10);
		for (size_t k = 0; k < 2 * seen.frame.n_keys; k++)
			frame_press(&seen.frame, on[i], 5, 5);
		look(40, 10);
		CHECK(shows("  quit\n"), "case %zu:\n%s", i, seen.text);
		keys_press(&seen.frame, 'k');
		look(40, 10);
		CHECK(!shows("  quit\n") && shows("or a dialog"), "case %zu:\n%s", i, seen.text);
		keys_press(&seen.frame, 'h');
	}
	seen_finish();
}

/* Keys that come at once are pressed before the next screen. */
static void the_ends_of_a_matrix_are_places(void)
{
	static const struct {
		const char *keys, *row;
	} cases[] = {{"jG", ">   7 "}, {"GG", ">   7 "}, {"gG", ">   7 "}, {"Gk", ">   3 "}, {"Gg", ">   0 "},
		{"gj", ">   4 "}, {"Ggk", ">   0 "}};

	seen_init(1);
	struct session sweep;

	if (!made_sweep(&sweep, "sweep-8"))
		abort();
	seen.session = &sweep;
	keys_press(&seen.frame, 'M');
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		look(80, 24);
		for (const char *key = cases[i].keys; *key; key++)
			keys_press(&seen.frame, (unsigned char)*key);
		look(80, 24);
		CHECK(shows(cases[i].row), "%s:\n%s", cases[i].keys, seen.text);
	}
	session_finish(&sweep);
	seen_finish();
}

static bool selected_cell_is(const char *cell)
{
	const char *line = line_with(" age ");

	return strncmp(line, cell, strlen(cell)) == 0;
}

static void a_click_selects_a_cell_of_the_matrix(void)
{
	struct session sweep;
	char cell[32];

	seen_init(1);
	if (!made_sweep(&sweep, "sweep-8"))
		abort();
	seen.session = &sweep;
	keys_press(&seen.frame, 'M');
	look(120, 40);
	for (unsigned row = 0; row < 8; row++)
		for (unsigned column = 0; column < 8; column++) {
			frame_press(&seen.frame, KEY_CODE_CLICK, 6 + 6 * column + column % 6, 4 + row);
			look(120, 40);
			snprintf(cell, sizeof(cell), "%u>%u ", sweep.matrix->cpus[row].cpu,
				sweep.matrix->cpus[column].cpu);
			CHECK(row == column ? shows("with itself") : selected_cell_is(cell), "%s:\n%s", cell,
				seen.text);
		}
	session_finish(&sweep);
	seen_finish();
}

/* CPU 5 receives slowly; in the second phase it does not, and its hops to CPU 1 are slower. */
static void the_worst_cell_of_a_matrix_is_selected_by_key(void)
{
	static const struct {
		const char *sweep, *keys, *cell;
	} cases[] = {{"sweep-8", "!", "7>5 "}, {"sweep-8", "jj!", "7>5 "}, {"sweep-8-changed", "!", "5>6 "},
		{"sweep-8-changed", "c!c", "5>1 "}};
	struct session sweep;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen_init(1);
		if (!made_sweep(&sweep, cases[i].sweep))
			abort();
		seen.session = &sweep;
		keys_press(&seen.frame, 'M');
		look(120, 40);
		for (const char *key = cases[i].keys; *key; key++) {
			keys_press(&seen.frame, (unsigned char)*key);
			if (*key != 'j')
				look(120, 40);
		}
		CHECK(selected_cell_is(cases[i].cell), "case %zu:\n%s", i, seen.text);
		keys_press(&seen.frame, 'v');
		CHECK(seen.frame.message && strstr(seen.frame.message, "a sweep runs no rings"),
			"in no view");
		session_finish(&sweep);
		seen_finish();
	}
}

static void a_click_on_the_key_bar_is_its_key(void)
{
	static const struct {
		const char *word;
		uint32_t code;
	} cases[] = {{"F1", KEY_CODE_F1}, {"Help", 'h'}, {"Detail", KEY_CODE_ENTER}, {"< > Sort", '<'},
		{"> Sort", '>'}, {"Sort", '>'}, {"k j", 'k'}, {"j Move", 'j'}, {"Freeze", ' '},
		{"q Quit", 'q'}, {"Quit", 'q'}};
	const unsigned bar = 59;

	seen_init(4);
	look(200, 60);
	const char *line = line_with("F1 Help");

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *at = strstr(line, cases[i].word);
		unsigned x = at ? (unsigned)(at - line) : 999;

		CHECK(keys_bar_code(&seen.frame, x, bar) == cases[i].code, "%s", cases[i].word);
		CHECK(keys_bar_code(&seen.frame, x, bar - 1) == KEY_CODE_NONE, "%s", cases[i].word);
	}
	CHECK(keys_bar_code(&seen.frame, 199, bar) == KEY_CODE_NONE, "no key is there");
	keys_press(&seen.frame, KEY_CODE_F1);
	look(200, 60);
	line = line_with("F1 Back");
	CHECK(keys_bar_code(&seen.frame, (unsigned)(strstr(line, "Left") - line), bar) ==
		KEY_CODE_ARROW_LEFT);
	CHECK(keys_bar_code(&seen.frame, (unsigned)(strstr(line, "Right") - line), bar) ==
		KEY_CODE_ARROW_RIGHT);
	CHECK(!strstr(line, "Detail") && strstr(line, "Esc Close"), "only the keys of the help: %s", line);
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	keys_press(&seen.frame, 'm');
	CHECK(frame_press(&seen.frame, KEY_CODE_CLICK, 0, bar).wish == SCREEN_NONE, "text is being typed");
	seen_finish();
}

/* Where @word begins on the screen. Returns false if it is not there. */
static bool find_on_screen(const char *word, unsigned *x, unsigned *y)
{
	const char *at = strstr(seen.text, word);

	*x = *y = 0;
	for (const char *letter = seen.text; at && letter < at; letter++) {
		*x = *letter == '\n' ? 0 : *x + ((*letter & 0xc0) != 0x80);
		*y += *letter == '\n';
	}
	return at;
}

static void the_sort_column_is_chosen_from_a_list(void)
{
	unsigned x, y;

	seen_init(4);
	seen.frame.view.inverted = true;
	look(80, 24);
	keys_press(&seen.frame, KEY_CODE_F6);
	look(80, 24);
	CHECK(shows(" sort by ") && strncmp(strstr(line_with("> PAIR"), "> PAIR"), "> PAIR", 6) == 0, "%s",
		seen.text);
	for (size_t i = 0; columns_sortable(i) < N_COLUMNS; i++) {
		keys_press(&seen.frame, i ? KEY_CODE_ARROW_DOWN : KEY_CODE_FIRST);
		look(40, 10);
		CHECK(strstr(line_with("> "), columns_table[columns_sortable(i)].title), "%zu: %s", i,
			seen.text);
	}
	CHECK(seen.frame.view.sort == COLUMN_PAIR && seen.frame.view.position == 0, "nothing is chosen yet");
	keys_press(&seen.frame, KEY_CODE_ENTER);
	CHECK(!is_on_top("list") && seen.frame.view.sort == COLUMN_CHANGE && !seen.frame.view.inverted);
	CHECK(is_on_top("overview"), "Enter did not open the detail");
	keys_press(&seen.frame, KEY_CODE_F6);
	look(40, 10);
	CHECK(strstr(line_with("> "), columns_table[COLUMN_CHANGE].title), "%s", seen.text);
	keys_press(&seen.frame, 'k');
	keys_press(&seen.frame, 'o');
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	CHECK(!is_on_top("list") && seen.frame.view.sort == COLUMN_CHANGE &&
		seen.frame.view.figure == FIGURE_FIRST);
	keys_press(&seen.frame, KEY_CODE_F6);
	look(80, 40);
	CHECK(find_on_screen("MECH", &x, &y));
	frame_press(&seen.frame, KEY_CODE_CLICK, x, y);
	CHECK(!is_on_top("list") && seen.frame.view.sort == COLUMN_MECHANISM, "a click chooses a line");
	seen_finish();
}

/* The line of a setting, or of a column, is marked. */
static void go_to(const char *line)
{
	keys_press(&seen.frame, 'g');
	for (size_t i = 0; i < N_COLUMNS; i++) {
		look(40, 10);
		const char *marked = strstr(seen.text, "\n> ");

		if (marked && strncmp(marked + 3, line, strlen(line)) == 0)
			return;
		keys_press(&seen.frame, 'j');
	}
	CHECK(false, "no line %s", line);
}

/* Returns the names of all columns in their usual order, but with @moved before another one; N_COLUMNS:
 * nowhere.
 */
static const char *columns_but(size_t moved, size_t before)
{
	static char names[256];

	names[0] = '\0';
	for (size_t i = COLUMN_PAIR; i < N_COLUMNS; i++) {
		if (i == before)
			text_append(names, sizeof(names), ",", columns_name((unsigned)(moved - COLUMN_PAIR)));
		if (i != moved)
			text_append(names, sizeof(names), ",", columns_name((unsigned)(i - COLUMN_PAIR)));
	}
	return names;
}

static const char *setting_value(const char *word)
{
	static struct setting settings[SETTINGS_MAX];
	size_t n = setup_settings(&seen.frame, settings);

	for (size_t i = 0; i < n; i++)
		if (strcmp(settings[i].word, word) == 0)
			return settings[i].value;
	return "";
}

static void the_setup_changes_columns_and_settings(void)
{
	static const struct {
		const char *line, *word;
		uint32_t key;
		const char *value;
	} steps[] = {
		{"Sort", "sort", KEY_CODE_ARROW_RIGHT, "MECH"},
		{"Sort", "sort", KEY_CODE_ARROW_LEFT, "PAIR"},
		{"Sort", "sort", KEY_CODE_ARROW_LEFT, "change"},
		{"Unit", "unit", ' ', "ms"},
		{"Unit", "unit", KEY_CODE_ARROW_RIGHT, "ns"},
		{"Refresh", "refresh", KEY_CODE_ARROW_LEFT, "0.5"},
		{"Window", "window", KEY_CODE_ARROW_RIGHT, "all"},
		{"Window", "window", ' ', "1s"},
		{"Window", "window", ' ', "10s"},
		{"Figure", "show", KEY_CODE_ENTER, "answer"},
		{"Palette", "palette", ' ', "colour-blind"},
		{"Colors", "colors", ' ', "true"},
		{"Colors", "colors", KEY_CODE_ARROW_LEFT, "auto"},
		{"Colors", "colors", KEY_CODE_ARROW_LEFT, "none"},
		{"Signs", "ascii", ' ', ""},
		{"Mouse", "mouse", KEY_CODE_ARROW_LEFT, ""},
		{"Limit", "fail-above", KEY_CODE_ARROW_LEFT, "0"},
		{"Limit", "fail-above", KEY_CODE_ARROW_RIGHT, "1us"},
		{"Write", "unit", ' ', "ns"},
	};

	seen_init(4);
	look(80, 24);
	keys_press(&seen.frame, KEY_CODE_F2);
	setup_note_kept(&seen.frame);
	look(80, 24);
	CHECK(shows(" setup: ") && shows("[x] PAIR") && shows("ns [us] ms"), "%s", seen.text);
	CHECK(shows("changes act at once; the file keeps them. The row ends"), "%s", seen.text);
	for (size_t i = COLUMN_PAIR; i < N_COLUMNS; i++) {
		keys_press(&seen.frame, ' ');
		look(200, 60);
		CHECK(seen.frame.view.chosen.hidden[i] == (i != COLUMN_PAIR && i != COLUMN_CUR), "%zu", i);
		keys_press(&seen.frame, ' ');
		CHECK(columns_is_usual(&seen.frame.view.chosen));
		keys_press(&seen.frame, 'j');
	}
	keys_press(&seen.frame, ' ');
	CHECK(strcmp(setting_value("columns"), columns_but(COLUMN_TREND, N_COLUMNS)) == 0, "%s",
		setting_value("columns"));
	keys_press(&seen.frame, KEY_CODE_TAB);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		go_to(steps[i].line);
		if (strcmp(steps[i].line, "Write") != 0)
			CHECK(keys_press(&seen.frame, steps[i].key).wish == SCREEN_REFIT, "step %zu", i);
		CHECK(strcmp(setting_value(steps[i].word), steps[i].value) == 0, "step %zu: %s", i,
			setting_value(steps[i].word));
	}
	look(80, 24);
	CHECK(shows("not written to the file yet: 11 changes"), "%s", seen.text);
	CHECK(shows("Enter Write") && keys_press(&seen.frame, KEY_CODE_ENTER).wish == SCREEN_SAVE);
	setup_note_kept(&seen.frame);
	look(80, 24);
	CHECK(shows("changes act at once; the file keeps them. The row ends"), "%s", seen.text);
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	look(80, 24);
	CHECK(!is_on_top("setup") && shows("PAIR") && seen.frame.view.position == 0, "%s", seen.text);
	seen_finish();
}

/* Presses the key that a click on the word becomes. */
static struct effect click_on(const char *word)
{
	unsigned x, y;

	look(80, 24);
	if (!find_on_screen(word, &x, &y))
		return (struct effect){SCREEN_NONE};
	return frame_press(&seen.frame, KEY_CODE_CLICK, x, y);
}

static void clicks_in_the_setup_change_what_they_are_on(void)
{
	static const struct {
		const char *on;
		struct effect effect;
		const char *shown;
	} steps[] = {
		{"[x] CLASS", {SCREEN_REFIT}, "> [ ] CLASS"},
		{"[ ] CLASS", {SCREEN_REFIT}, "> [x] CLASS"},
		{" ms\n", {SCREEN_REFIT}, "ns us [ms]"},
		{"ns us", {SCREEN_REFIT}, "[ns] us ms"},
		{" 10\n", {SCREEN_REFIT}, "0.1 0.2 0.5 1 2 5 [10]"},
		{"0.1 0.2", {SCREEN_REFIT}, "[0.1] 0.2 0.5 1 2 5 10"},
		{"[0.1]", {SCREEN_REFIT}, "[0.1] 0.2 0.5 1 2 5 10"},
		{"Refresh", {SCREEN_REFIT}, "[0.1] 0.2 0.5 1 2 5 10"},
		{"10s", {SCREEN_REFIT}, "1s [10s] 60s"},
		{"Threshold", {SCREEN_REFIT}, "[5 % and 0.2 us]"},
		{"ASCII", {SCREEN_REFIT}, "UTF-8 [ASCII]"},
		{"on [off]", {SCREEN_REFIT}, "[on] off"},
		{"[none]", {.command = {COMMAND_BASELINE}}, "[phase 1]"},
		{"[phase 1]", {.command = {COMMAND_BASELINE}}, "[phase 2]"},
		{"Write the file", {SCREEN_SAVE}, "> Write the file"},
		{"next start", {SCREEN_REFIT}, "> Write the file"},
		{"Esc Close", {SCREEN_REFIT}, "PAIR"},
	};

	seen_init(4);
	session_phases_begin(seen.session, "first", 0);
	look(80, 24);
	keys_press(&seen.frame, KEY_CODE_F2);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct effect effect = click_on(steps[i].on);

		look(80, 24);
		CHECK(effect.wish == steps[i].effect.wish &&
				effect.command.kind == steps[i].effect.command.kind && shows(steps[i].shown),
			"%s: %d %d\n%s", steps[i].on, effect.wish, effect.command.kind, seen.text);
	}
	CHECK(!is_on_top("setup") && seen.frame.ascii && seen.frame.mouse);
	seen_finish();
}

/* A circle of none, the phases and the file, in both directions. */
static void the_baseline_goes_through_all_phases_and_the_file(void)
{
	static const uint32_t with_file[] = {3, 4, 5, COMPARISON_FILE, 0, 3};
	static const struct comparison_file file;
	struct compared compared = {.first = 3, .last = 5, .file = &file};

	for (size_t i = 0; i < 6; i++) {
		compared_step_baseline(&compared, 1);
		CHECK(compared.baseline == with_file[i], "%u", (unsigned)compared.baseline);
	}
	for (size_t i = 5; i-- > 0;) {
		compared_step_baseline(&compared, -1);
		CHECK(compared.baseline == with_file[i == 4 ? 4 : i], "%u", (unsigned)compared.baseline);
	}
	compared = (struct compared){.first = 1, .last = 1};
	compared_step_baseline(&compared, -1);
	CHECK(compared.baseline == 1);
	compared_step_baseline(&compared, -1);
	CHECK(compared.baseline == 0);
	compared = (struct compared){0};
	compared_step_baseline(&compared, 1);
	CHECK(compared.baseline == 0, "a session without phases");
}

static bool compares(uint32_t a, uint32_t b)
{
	look(80, 24);
	return seen.frame.view.compared.offered_a == a && seen.frame.view.compared.offered_b == b;
}

static void a_new_phase_is_offered_whatever_was_compared_before(void)
{
	seen_init(4);
	session_phases_begin(seen.session, "first", 0);
	session_phases_begin(seen.session, "second", 0);
	CHECK(compares(2, 3));
	keys_press(&seen.frame, 'c');
	CHECK(compares(2, 3));
	keys_press(&seen.frame, 'A');
	CHECK(compares(1, 3));
	keys_press(&seen.frame, 'c');
	CHECK(compares(1, 3), "the choice stays while there is no new phase");
	keys_press(&seen.frame, 'c');
	session_phases_begin(seen.session, "third", 0);
	CHECK(compares(1, 4), "and while the view is open");
	keys_press(&seen.frame, 'c');
	session_phases_begin(seen.session, "fourth", 0);
	CHECK(compares(4, 5));
	seen_finish();
}

static void any_limit_can_be_typed(void)
{
	static const struct {
		const char *typed;
		bool is_refused;
		uint64_t ns;
	} cases[] = {{"80\r", false, 80000}, {"1.5ms\r", false, 1500000}, {"0\n", false, 0},
		{"x\r", true, 50000}, {"\r", true, 50000}, {"61s\r", true, 50000}, {"7\033", false, 50000}};

	seen_init(1);
	keys_press(&seen.frame, KEY_CODE_F2);
	keys_press(&seen.frame, KEY_CODE_TAB);
	go_to("Limit");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.frame.view.limit_ns = 50000;
		keys_press(&seen.frame, i % 2 ? ' ' : KEY_CODE_ENTER);
		look(80, 24);
		CHECK(shows(" the limit ") && shows("such as 80, 80us or 1.5ms; 0: none"), "%s", seen.text);
		for (const char *key = cases[i].typed; *key; key++)
			keys_press(&seen.frame, (unsigned char)*key);
		look(80, 24);
		CHECK(seen.frame.view.limit_ns == cases[i].ns &&
				shows(" the limit ") == cases[i].is_refused &&
				shows("0 (none) to 60s, in microseconds") == cases[i].is_refused,
			"%s\n%s", cases[i].typed, seen.text);
		if (cases[i].is_refused)
			keys_press(&seen.frame, KEY_CODE_ESCAPE);
	}
	CHECK(is_on_top("setup"));
	seen_finish();
}

static void columns_of_figures_are_moved(void)
{
	seen_init(4);
	look(200, 60);
	keys_press(&seen.frame, KEY_CODE_F2);
	go_to("[x] p99");
	for (size_t i = 0; i < 5; i++)
		keys_press(&seen.frame, KEY_CODE_F7);
	look(200, 60);
	CHECK(shows("> [x] p99 "), "the mark stays on the column: %s", seen.text);
	CHECK(strcmp(setting_value("columns"), columns_but(COLUMN_P99, COLUMN_MIN)) == 0, "%s",
		setting_value("columns"));
	go_to("[x] Min");
	keys_press(&seen.frame, KEY_CODE_F8);
	go_to("[x] Cur");
	keys_press(&seen.frame, KEY_CODE_F8);
	look(80, 24);
	CHECK(shows("PAIR to Cur stay at the left"), "%s", seen.text);
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	look(200, 60);
	const char *head = line_with("PAIR"), *p99 = strstr(head, " p99 "), *p50 = strstr(head, " p50 "),
		   *min = strstr(head, " Min ");

	CHECK(p99 && p50 && min && p99 < p50 && p50 < min, "%s", head);
	for (size_t i = 0; i < 5; i++) /* CLASS, SCHED, STATE, Cur, p99 */
		keys_press(&seen.frame, '>');
	CHECK(seen.frame.view.sort == COLUMN_P99, "%zu", seen.frame.view.sort);
	seen_finish();
}

static void a_list_of_columns_has_their_order(void)
{
	static const struct {
		unsigned char numbers[4];
		size_t n;
		const char *columns;
	} cases[] = {
		{{0}, 0, "all"},
		{{12, 9}, 2, "PAIR,Cur,p99,Min"},
		{{12, 1, 0, 10}, 4, "PAIR,MECH,Cur,p99,p50"},
		{{20, 5, 2}, 3, "PAIR,ID,SIZE,Cur,n"},
	};

	seen_init(1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool has[N_COLUMNS] = {false};

		columns_choose(&seen.frame.view.chosen, cases[i].numbers, cases[i].n);
		CHECK(strcmp(setting_value("columns"), cases[i].columns) == 0, "%zu: %s", i,
			setting_value("columns"));
		for (size_t place = 0; place < N_COLUMNS; place++)
			has[seen.frame.view.chosen.order[place]] = true;
		for (size_t column = 0; column < N_COLUMNS; column++)
			CHECK(has[column], "%zu: column %zu has no place", i, column);
	}
	seen_finish();
}

static void a_limit_is_written_exactly(void)
{
	static const struct {
		uint64_t ns;
		const char *value;
	} cases[] = {{0, "0"}, {1, "0.001us"}, {999, "0.999us"}, {50000, "50us"}, {1234567, "1234.567us"},
		{1500000, "1.5ms"}, {12345678000, "12345.678ms"}, {60000000001, "60000000.001us"}};

	seen_init(1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t ns;

		seen.frame.view.limit_ns = cases[i].ns;
		CHECK(strcmp(setting_value("fail-above"), cases[i].value) == 0, "%s",
			setting_value("fail-above"));
		CHECK(value_time(setting_value("fail-above"), value_microseconds, &ns) == 0 &&
				ns == cases[i].ns,
			"%s", cases[i].value);
	}
	keys_press(&seen.frame, KEY_CODE_F2);
	keys_press(&seen.frame, KEY_CODE_TAB);
	go_to("Limit");
	look(80, 24);
	CHECK(shows(" Limit: samples above it") && shows("exit status 2"), "%s", seen.text);
	seen_finish();
}

static void a_comparison_is_not_sorted_by_keys(void)
{
	static const uint32_t codes[] = {'<', '>', KEY_CODE_F6, 'I'};

	seen_init(4);
	keys_press(&seen.frame, 'c');
	look(200, 60);
	CHECK(!shows("Sort") && !shows("Invert") && shows("A B Phases"), "%s", seen.text);
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		CHECK(keys_press(&seen.frame, codes[i]).wish == SCREEN_REDRAW && seen.frame.message,
			"key %zu", i);
	CHECK(seen.frame.view.sort == COLUMN_PAIR && !seen.frame.view.inverted && !is_on_top("list"));
	keys_press(&seen.frame, 'c');
	look(200, 60);
	CHECK(shows("< > Sort") && shows("I Invert"), "%s", seen.text);
	CHECK(keys_press(&seen.frame, 'I').wish == SCREEN_REFIT && seen.frame.view.inverted);
	seen_finish();
}

static const char *message_of(uint32_t key)
{
	keys_press(&seen.frame, key);
	look(80, 24);
	return seen.frame.message ? seen.frame.message : "";
}

static void actions_are_for_the_marked_rings_or_the_selected_one(void)
{
	seen_init(12);
	look(80, 24);
	struct effect effect = keys_press(&seen.frame, 'P');

	CHECK(effect.command.kind == COMMAND_PAUSE && !strcmp(effect.command.words, "0"));
	for (const char *key = "vvjvv"; *key; key++) { /* 0, 1; 3, 4 */
		keys_press(&seen.frame, (unsigned char)*key);
		look(80, 24);
	}
	keys_press(&seen.frame, 'j');
	look(80, 24);
	keys_press(&seen.frame, 'v');
	look(80, 24);
	effect = keys_press(&seen.frame, 'P');
	CHECK(!strcmp(effect.command.words, "0-1 3-4 6"), "%s", effect.command.words);
	CHECK(line_with(" 3>4 ")[1] == '*' && line_with(" 2>3 ")[1] == ' ', "%s", seen.text);
	keys_press(&seen.frame, 'C');
	look(80, 24);
	CHECK(shows(" policy of the members of 5 rings "), "%s", seen.text);
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	seen.session->rings[3].ended_ns = 1;
	look(80, 24);
	CHECK(keys_press(&seen.frame, 'x').command.kind == COMMAND_NONE);
	look(80, 24);
	CHECK(is_on_top("act") && shows("4 rings: 0-1 4 6"), "%s", seen.text);
	effect = keys_press(&seen.frame, 'n');
	CHECK(effect.command.kind == COMMAND_NONE && is_on_top("overview"));
	for (size_t i = 0; i < 2; i++) {
		keys_press(&seen.frame, 'x');
		look(80, 24);
		effect = keys_press(&seen.frame, i ? 'y' : KEY_CODE_ENTER);
		CHECK(effect.command.kind == COMMAND_REMOVE && !strcmp(effect.command.words, "0-1 4 6") &&
			is_on_top("overview"));
	}
	keys_press(&seen.frame, 'V');
	look(80, 24);
	CHECK(!seen.frame.view.marked.n);
	seen_finish();
	seen_init(2);
	look(80, 24);
	effect = keys_press(&seen.frame, KEY_CODE_F8);
	CHECK(effect.command.kind == COMMAND_PRIORITY && !strcmp(effect.command.name, "+1") &&
		!strcmp(effect.command.words, "0"));
	effect = keys_press(&seen.frame, KEY_CODE_F7);
	CHECK(!strcmp(effect.command.name, "-1"));
	keys_press(&seen.frame, 'C');
	for (const char *key = "rr:5"; *key; key++)
		keys_press(&seen.frame, (unsigned char)*key);
	effect = keys_press(&seen.frame, KEY_CODE_ENTER);
	CHECK(effect.command.kind == COMMAND_POLICY && !strcmp(effect.command.name, "rr:5") &&
		!strcmp(effect.command.words, "0"));
	prompt_take_reply(&seen.frame, NULL);
	keys_press(&seen.frame, 'a');
	CHECK(keys_press(&seen.frame, KEY_CODE_ENTER).command.kind == COMMAND_NONE);
	CHECK(is_command(keys_press(&seen.frame, 'U').command, "undo"));
	seen_finish();
	seen_init(1024);
	for (unsigned i = 0; i < 200; i++)
		fold_turn(&seen.frame.view.marked, 3 * i, true);
	look(80, 24);
	CHECK(strstr(message_of('P'), "too many gaps"));
	seen_finish();
}

static void views_without_rings_act_on_none(void)
{
	static const uint32_t acting[] = {
		'v', 'V', 'x', 'P', KEY_CODE_F7, KEY_CODE_F8, 'C', 'a', 'i', 'S', 's'};
	static const uint32_t of_rows[] = {'<', '>', KEY_CODE_F6, 'I'};

	for (const char *view = "tTK"; *view; view++) {
		seen_init(4);
		fake_turns(seen.session, 2, 1000000000, 0);
		keys_press(&seen.frame, (unsigned char)*view);
		look(200, 60);
		for (size_t i = 0; i < sizeof(acting) / sizeof(*acting); i++) {
			if (*view == 'K' && acting[i] == 'x') /* stops a trial */
				continue;
			CHECK(keys_press(&seen.frame, acting[i]).command.kind == COMMAND_NONE &&
					seen.frame.message && strstr(seen.frame.message, "selects no ring"),
				"%c: key %zu: %s", *view, i, seen.frame.message ? seen.frame.message : "-");
			CHECK(seen.frame.n_open == 1, "%c: key %zu", *view, i);
		}
		for (size_t i = 0; i < sizeof(of_rows) / sizeof(*of_rows); i++)
			keys_press(&seen.frame, of_rows[i]);
		CHECK(seen.frame.view.sort == COLUMN_PAIR && !seen.frame.view.inverted && !is_on_top("list"));
		CHECK(!seen.frame.view.marked.n);
		keys_press(&seen.frame, KEY_CODE_ESCAPE);
		look(80, 24);
		CHECK(keys_press(&seen.frame, 'P').command.kind == COMMAND_PAUSE);
		seen_finish();
	}
}

/* Has the next id, and the place of ring @of. */
static void add_again(size_t of)
{
	struct session_ring ring = fixture_ring(seen.fixture, seen.session->rings[of].mechanism);

	ring.id = seen.session->rings[seen.session->n_rings - 1].id + 1;
	fake_replace(&ring.label, seen.session->rings[of].label);
	CHECK(session_add_ring(seen.session, &ring) == 0);
	session_ring_finish(&ring);
}

static void selection_and_marks_follow_rings_that_are_opened_anew(void)
{
	seen_init(4);
	look(80, 24);
	for (const char *key = "jvji9\r"; *key; key++) { /* rings 1 and, selected, 3 */
		keys_press(&seen.frame, (unsigned char)*key);
		look(80, 24);
	}
	CHECK(seen.frame.view.selected == 3 && fold_is_turned(&seen.frame.view.marked, 1));
	add_again(1);
	look(80, 24);
	CHECK(seen.frame.view.selected == 3 && fold_is_turned(&seen.frame.view.marked, 4) &&
		seen.frame.view.marked.n == 1);
	add_again(3); /* somebody else's, after all of the command have come */
	look(80, 24);
	CHECK(seen.frame.view.selected == 3);
	CHECK(session_end_ring(seen.session, 3) == 0);
	look(80, 24);
	CHECK(seen.frame.view.selected == 5, "%u", (unsigned)seen.frame.view.selected);
	seen.frame.view.selected = 3; /* who looks back at what has ended stays there */
	look(80, 24);
	CHECK(seen.frame.view.selected == 3);
	seen_finish();
}

/* x on the marked rings, or else on ring 1, which is selected. Then ring 1 ends, maybe for another reason. */
static void the_selection_leaves_only_a_ring_whose_removal_was_asked_for(void)
{
	static const struct {
		unsigned marked; /* bits of the rings */
		bool is_refused, leaves;
	} cases[] = {
		{0, false, true},
		{1 << 1 | 1 << 3, false, true},
		{1 << 0 | 1 << 2, false, false},
		{0, true, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen_init(4);
		look(80, 24);
		keys_press(&seen.frame, 'j');
		look(80, 24);
		CHECK(seen.frame.view.selected == 1);
		for (unsigned ring = 0; ring < 4; ring++)
			if (cases[i].marked & 1U << ring)
				fold_turn(&seen.frame.view.marked, ring, true);
		look(80, 24);
		keys_press(&seen.frame, 'x');
		look(80, 24);
		CHECK(keys_press(&seen.frame, 'y').command.kind == COMMAND_REMOVE, "case %zu", i);
		if (cases[i].is_refused)
			act_take_refusal(&seen.frame);
		look(80, 24);
		CHECK(session_end_ring(seen.session, 1) == 0);
		look(80, 24);
		look(80, 24);
		CHECK((seen.frame.view.selected != 1) == cases[i].leaves, "case %zu: %u", i,
			(unsigned)seen.frame.view.selected);
		seen_finish();
	}
}

static void a_removed_ring_stays_selected_until_it_is_back(void)
{
	seen_init(4);
	for (size_t i = 1; i < 4; i++) /* a namesake beside it */
		fake_replace(&seen.session->rings[i].label, seen.session->rings[0].label);
	look(80, 24);
	look(80, 24); /* it is selected in the first frame */
	CHECK(seen.frame.view.selected == 0);
	CHECK(session_end_ring(seen.session, 0) == 0);
	look(80, 24);
	CHECK(seen.frame.view.selected == 0, "%u", (unsigned)seen.frame.view.selected);
	look(80, 24);
	add_again(0);
	look(80, 24);
	CHECK(seen.frame.view.selected == 4, "%u", (unsigned)seen.frame.view.selected);
	seen_finish();
}

static void replays_frozen_and_read_only_screens_refuse_to_act(void)
{
	static const uint32_t keys[] = {
		'n', 'x', 'P', 'C', 'a', 'i', 'S', 'L', 'e', 'U', KEY_CODE_F7, KEY_CODE_F8, 0};

	seen_init(4);
	look(80, 24);
	for (const uint32_t *key = keys; *key; key++) {
		seen.frame.is_replay = true;
		CHECK(strstr(message_of(*key),
			      *key == 'e' ? "is saved already" : "this key acts only on a run"),
			"%u", (unsigned)*key);
		seen.frame.is_replay = false;
		seen.frame.frozen = true;
		CHECK(strstr(message_of(*key), "frozen: "), "%u", (unsigned)*key);
		seen.frame.frozen = false;
		seen.frame.read_only = true;
		CHECK(strstr(message_of(*key), "--read-only is set"), "%u", (unsigned)*key);
		seen.frame.read_only = false;
		CHECK(is_on_top("overview"));
	}
	fake_turns(seen.session, 2, 1000000000, 0);
	seen.frame.read_only = true;
	for (const char *key = "srmE"; *key; key++)
		CHECK(strcmp(message_of((unsigned char)*key), "--read-only is set: keys change nothing") == 0,
			"%c: %s", *key, seen.frame.message);
	seen_finish();
}

static void one_phase_names_no_key_that_is_refused(void)
{
	seen_init(4);
	keys_press(&seen.frame, 'c');
	look(120, 40);
	CHECK(shows("There is one phase only: m or r begins another one"), "%s", seen.text);
	for (unsigned which = 0; which < 3; which++) {
		seen.frame.is_replay = which == 0;
		seen.frame.frozen = which == 1;
		seen.frame.read_only = which == 2;
		look(120, 40);
		CHECK(shows("There is one phase only") && !shows("m or r"), "%u: %s", which, seen.text);
	}
	seen_finish();
}

/* The key bar of a wide screen has all keys that can be in it. */
static bool bar_has(const char *key)
{
	return strstr(look(250, 40), key);
}

static void the_key_bar_offers_no_key_that_acts_where_none_may(void)
{
	static const char *const acting[] = {"Enter Try", "x Stop", "r Phase", "m Mark"};

	seen_init(4);
	keys_press(&seen.frame, 'K');
	CHECK(!bar_has("x Stop"), "nothing is tried");
	strcpy(seen.session->trial.tried, "swappiness=10");
	for (size_t i = 0; i < sizeof(acting) / sizeof(*acting); i++) {
		bool *const refusing[] = {&seen.frame.is_replay, &seen.frame.read_only, &seen.frame.frozen};

		for (size_t k = 0; k < sizeof(refusing) / sizeof(*refusing); k++) {
			CHECK(bar_has(acting[i]), "%s", acting[i]);
			*refusing[k] = true;
			CHECK(!bar_has(acting[i]), "%s, %zu", acting[i], k);
			*refusing[k] = false;
		}
	}
	seen.frame.hunts = true;
	CHECK(!bar_has("Enter Try") && bar_has("r Phase"));
	CHECK(strstr(message_of(KEY_CODE_ENTER), "--hunt compares phases") && is_on_top("knobs"));
	seen.frame.hunts = false;
	seen.frame.is_replay = true;
	keys_press(&seen.frame, 'h');
	CHECK(strstr(look(80, 200), "ACTING: not in a replay"));
	seen_finish();
}

static void keys_refuse_rings_that_have_no_members(void)
{
	static const uint32_t keys[] = {'P', 'C', 'a', KEY_CODE_F7, KEY_CODE_F8, 'x', 'i', 'S', 'v', 0};

	seen_init(4);
	CHECK(session_end_ring(seen.session, 0) == 0);
	seen.session->rings[1].state = RING_FAILED;
	look(80, 24);
	for (const uint32_t *key = keys; *key; key++) {
		seen.frame.view.selected = 0;
		look(80, 24);
		CHECK(strstr(message_of(*key), "was removed"), "%u: %s", (unsigned)*key, seen.text);
		CHECK(is_on_top("overview") && !seen.frame.view.marked.n);
	}
	for (size_t i = 0; keys[i] != 'x'; i++) {
		seen.frame.view.selected = 1;
		look(80, 24);
		CHECK(strstr(message_of(keys[i]), "has failed or is done"), "%zu: %s", i, seen.text);
		CHECK(is_on_top("overview"));
	}
	CHECK(!*message_of('x') && is_on_top("act"), "a row of a ring that failed can be removed");
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	keys_press(&seen.frame, 'j');
	CHECK(!*message_of('a') && is_on_top("prompt"));
	seen_finish();
}

static void a_hunt_refuses_what_it_keeps(void)
{
	static const uint32_t keys[] = {
		'n', 'x', 'P', 'C', 'a', 'i', 'S', 'L', 'l', 's', 'E', KEY_CODE_F7, KEY_CODE_F8, 0};

	seen_init(4);
	seen.frame.hunts = true;
	seen.session->rings[1].turn = 1;
	seen.session->n_turns = 2;
	seen.session->turn_ns = 1000000000;
	look(80, 24);
	for (const uint32_t *key = keys; *key; key++) {
		CHECK(strstr(message_of(*key), "--hunt compares phases"), "%u", (unsigned)*key);
		CHECK(is_on_top("overview"));
	}
	CHECK(!*message_of('M') && is_on_top("matrix"));
	seen_finish();
}

static int describe_long(void *data, const struct command *command, char *text, size_t size)
{
	snprintf(text, size, "%s",
		command->kind == COMMAND_REMOVE
			? "Each of the 2 turns becomes 1 s long, not 8 s."
			: "mq 0>0, class own, FIFO:80, 4096 bytes, every 1000 us. Shares CPU 0 "
			  "with pipe 0>0 and 3 more: turns 4 -> 5. mq may refuse this size: "
			  "/proc/sys/fs/mqueue/msgsize_max is 8192. This begins no phase.");
	return 0;
}

/* Without the edges of the dialog, which each line has. */
static bool shows_words(const char *words)
{
	char text[4096] = "";

	for (const char *at = strtok(seen.text, " |\n"); at; at = strtok(NULL, " |\n"))
		if (strlen(text) + strlen(at) + 2 < sizeof(text))
			strcat(strcat(text, at), " ");
	return strstr(text, words);
}

static void dialogs_show_their_whole_meaning(void)
{
	static const struct line_helper helper = {.describe = describe_long};

	seen_init(2);
	seen.frame.helper = &helper;
	look(40, 24);
	keys_press(&seen.frame, 'n');
	look(40, 24);
	CHECK(shows_words("msgsize_max is 8192. This begins no phase."), "%s", look(40, 24));
	look(40, 24);
	CHECK(shows_words("Enter adds them, Tab completes, Esc closes"), "%s", look(40, 24));
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	keys_press(&seen.frame, 'x');
	look(40, 24);
	CHECK(shows_words("Each of the 2 turns becomes 1 s long, not 8 s. "
			  "y removes (U undoes), n or Esc closes"),
		"%s", look(40, 24));
	seen_finish();
}

static void a_long_message_is_readable_as_a_whole(void)
{
	static const char last[] = "ends here";
	char message[256] = "";
	unsigned widths[] = {80, 120, 200};

	for (unsigned i = 0; i < 20; i++)
		strcat(message, "word after ");
	strcat(message, last);
	seen_init(40);
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		seen.frame.message = message;
		look(widths[i], 24);
		CHECK(shows("\nword after ") && shows(last), "%s", seen.text);
		CHECK(!seen.canvas.n_overlaps && !seen.canvas.n_cut, "%s", seen.text);
		seen.frame.message = NULL;
	}
	seen.frame.message = message;
	look(40, 10);
	CHECK(shows(last), "%s", seen.text);
	seen_finish();
}

static void a_long_refusal_in_a_dialog_is_readable_as_a_whole(void)
{
	seen_init(4);
	look(80, 24);
	keys_press(&seen.frame, '/');
	prompt_refuse(&seen.frame, "this is why the line has no effect, and this is how the missing right is "
				   "obtained: read the last word of the sentence, which is here");
	look(80, 24);
	CHECK(is_on_top("prompt") && shows("which is here"), "%s", seen.text);
	look(40, 10);
	CHECK(shows("which is here"), "%s", seen.text);
	seen_finish();
}

static int tell_meaning(void *data, const struct command *command, char *text, size_t size)
{
	snprintf(text, size, "It means %s.", command->words);
	return 0;
}

static void complete_letter(
	void *data, const struct command *command, char *line, size_t line_size, char *words, size_t size)
{
	snprintf(words, size, "%s", strcmp(line, "fo") == 0 ? "fork" : "fork files");
	snprintf(line, line_size, "%s", strcmp(line, "fo") == 0 ? "fork" : "f");
}

static void the_only_completion_shows_what_the_line_means(void)
{
	const struct line_helper helper = {.describe = tell_meaning, .complete = complete_letter};

	seen_init(4);
	seen.frame.helper = &helper;
	keys_press(&seen.frame, 'l');
	keys_press(&seen.frame, 'f');
	keys_press(&seen.frame, KEY_CODE_TAB);
	look(80, 24);
	CHECK(shows("fork files") && !shows("It means"), "%s", seen.text);
	keys_press(&seen.frame, 'o');
	keys_press(&seen.frame, KEY_CODE_TAB);
	look(80, 24);
	CHECK(shows("fork_") && shows("It means fork."), "%s", seen.text);
	seen_finish();
}

static void type_line(const char *line)
{
	for (; *line; line++)
		keys_press(&seen.frame, (unsigned char)*line);
}

static void a_dialog_waits_for_the_reply_and_a_refusal_is_corrected(void)
{
	static const uint32_t deaf[] = {'x', 'q', 'P', KEY_CODE_ENTER, KEY_CODE_BACKSPACE, KEY_CODE_F8};

	seen_init(4);
	look(80, 24);
	CHECK(!prompt_awaits_reply(&seen.frame));
	keys_press(&seen.frame, 'i');
	type_line("61s");
	CHECK(!prompt_awaits_reply(&seen.frame));
	CHECK(keys_press(&seen.frame, KEY_CODE_ENTER).command.kind == COMMAND_INTERVAL);
	for (size_t i = 0; i < sizeof(deaf) / sizeof(*deaf); i++) {
		struct effect effect = keys_press(&seen.frame, deaf[i]);

		CHECK(effect.wish == SCREEN_NONE && effect.command.kind == COMMAND_NONE, "%zu", i);
	}
	look(80, 24);
	CHECK(prompt_awaits_reply(&seen.frame) && is_on_top("prompt") && shows(" 61s..."), "%s", seen.text);
	prompt_take_reply(&seen.frame, "interval 61s: too long");
	look(80, 24);
	CHECK(!prompt_awaits_reply(&seen.frame) && shows(" 61s_") && shows("too long"), "%s", seen.text);
	for (unsigned i = 0; i < 3; i++)
		keys_press(&seen.frame, KEY_CODE_BACKSPACE);
	type_line("2ms");
	look(80, 24);
	CHECK(shows(" 2ms_") && !shows("too long"), "%s", seen.text);
	struct effect effect = keys_press(&seen.frame, KEY_CODE_ENTER);

	CHECK(effect.command.kind == COMMAND_INTERVAL && !strcmp(effect.command.name, "2ms"));
	prompt_take_reply(&seen.frame, NULL);
	CHECK(is_on_top("overview"));
	keys_press(&seen.frame, 'i');
	type_line("1\n\033");
	CHECK(is_on_top("overview") && !prompt_awaits_reply(&seen.frame), "Esc closes it without the reply");
	keys_press(&seen.frame, 'i');
	CHECK(is_on_top("prompt") && !prompt_awaits_reply(&seen.frame), "another one has sent nothing");
	seen_finish();
}

static void a_message_that_comes_over_a_dialog_shows_when_it_closes(void)
{
	seen_init(4);
	look(80, 24);
	keys_press(&seen.frame, 'i');
	seen.frame.message = "priority: refused";
	type_line("61s");
	look(80, 24);
	CHECK(!shows("priority: refused"), "%s", seen.text);
	keys_press(&seen.frame, KEY_CODE_ESCAPE);
	look(80, 24);
	CHECK(shows("priority: refused"), "%s", seen.text);
	keys_press(&seen.frame, 'j');
	look(80, 24);
	CHECK(!shows("priority: refused"), "%s", seen.text);
	seen_finish();
}

/* As it does with a view. */
static void the_key_that_opened_a_dialog_closes_it(void)
{
	static const struct {
		uint32_t code;
		const char *name, *bar;
	} cases[] = {{KEY_CODE_F1, "help", "F1 Back"}, {KEY_CODE_F2, "setup", "F2 Back"}};

	seen_init(4);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		look(80, 24);
		keys_press(&seen.frame, cases[i].code);
		look(80, 24);
		CHECK(is_on_top(cases[i].name) && shows(cases[i].bar), "%s", seen.text);
		keys_press(&seen.frame, cases[i].code);
		look(80, 24);
		CHECK(is_on_top("overview") && !seen.frame.message, "%s", seen.text);
	}
	seen_finish();
}

/* A run has no matrix, so its keys are those of all views. */
static void the_keys_of_the_matrix_need_one(void)
{
	seen_init(4);
	look(80, 24);
	keys_press(&seen.frame, 'M');
	look(80, 24);
	CHECK(is_on_top("matrix") && shows("no sweep") && !shows("Enter Pair"), "%s", seen.text);
	keys_press(&seen.frame, 'p');
	CHECK(seen.frame.message && strcmp(seen.frame.message, "unknown") == 0);
	keys_press(&seen.frame, 'c');
	CHECK(is_on_top("compare") && !seen.frame.message);
	seen_finish();
}

/* Elsewhere they would change what is not seen. */
static void keys_of_the_histogram_are_unknown_where_none_is_drawn(void)
{
	static const struct {
		uint32_t view; /* its key; 0: the overview */
		unsigned columns, lines;
		bool is_known;
	} cases[] = {
		{0, 80, 24, false},
		{0, 200, 60, true},
		{KEY_CODE_ENTER, 80, 24, true},
		{KEY_CODE_ENTER, 40, 10, false},
		{'c', 120, 40, false},
		{'t', 120, 40, false},
		{'T', 120, 40, false},
		{'K', 120, 40, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen_init(4);
		look(cases[i].columns, cases[i].lines);
		if (cases[i].view)
			keys_press(&seen.frame, cases[i].view);
		look(cases[i].columns, cases[i].lines);
		for (const char *key = "zZy"; *key; key++) {
			keys_press(&seen.frame, (unsigned char)*key);
			CHECK((seen.frame.message == NULL) == cases[i].is_known, "case %zu: %s", i,
				seen.frame.message ? seen.frame.message : "known");
		}
		CHECK(seen.frame.histogram.zoom == 0 && seen.frame.histogram.linear == cases[i].is_known,
			"case %zu", i);
		seen_finish();
	}
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(sorting_puts_the_worst_first_and_the_unknown_last);
	TEST(the_sorted_column_is_marked);
	TEST(windows_shorter_than_a_round_are_passed_over);
	TEST(selection_stays_on_its_ring);
	TEST(selection_stops_at_the_ends_and_is_always_shown);
	TEST(moves_scroll_without_a_frame);
	TEST(figures_that_look_alike_are_one_press);
	TEST(keys_change_figure_unit_and_order);
	TEST(the_sign_of_the_freeze_stays_in_the_narrowest_header);
	TEST(a_frozen_display_and_a_replay_refuse_phases_until_the_next_key);
	TEST(plus_and_minus_step_through_the_refreshes);
	TEST(help_lists_every_key_and_closes);
	TEST(every_column_figure_and_word_is_in_the_glossary);
	TEST(no_key_does_two_things);
	TEST(the_key_bar_of_each_view_has_the_key_that_leaves_it);
	TEST(each_command_of_a_key_has_a_row);
	TEST(the_help_goes_back_at_once_from_its_end);
	TEST(the_ends_of_a_matrix_are_places);
	TEST(a_click_selects_a_cell_of_the_matrix);
	TEST(the_worst_cell_of_a_matrix_is_selected_by_key);
	TEST(the_mouse_selects_and_scrolls);
	TEST(the_setup_changes_columns_and_settings);
	TEST(clicks_in_the_setup_change_what_they_are_on);
	TEST(the_baseline_goes_through_all_phases_and_the_file);
	TEST(a_new_phase_is_offered_whatever_was_compared_before);
	TEST(any_limit_can_be_typed);
	TEST(columns_of_figures_are_moved);
	TEST(a_list_of_columns_has_their_order);
	TEST(a_limit_is_written_exactly);
	TEST(a_comparison_is_not_sorted_by_keys);
	TEST(the_sort_column_is_chosen_from_a_list);
	TEST(a_click_on_the_key_bar_is_its_key);
	TEST(a_click_on_a_head_sorts_by_it_and_another_inverts);
	TEST(actions_are_for_the_marked_rings_or_the_selected_one);
	TEST(views_without_rings_act_on_none);
	TEST(selection_and_marks_follow_rings_that_are_opened_anew);
	TEST(the_selection_leaves_only_a_ring_whose_removal_was_asked_for);
	TEST(a_removed_ring_stays_selected_until_it_is_back);
	TEST(replays_frozen_and_read_only_screens_refuse_to_act);
	TEST(one_phase_names_no_key_that_is_refused);
	TEST(the_key_bar_offers_no_key_that_acts_where_none_may);
	TEST(keys_refuse_rings_that_have_no_members);
	TEST(a_hunt_refuses_what_it_keeps);
	TEST(dialogs_show_their_whole_meaning);
	TEST(a_long_message_is_readable_as_a_whole);
	TEST(a_long_refusal_in_a_dialog_is_readable_as_a_whole);
	TEST(the_only_completion_shows_what_the_line_means);
	TEST(the_key_that_opened_a_dialog_closes_it);
	TEST(the_keys_of_the_matrix_need_one);
	TEST(keys_of_the_histogram_are_unknown_where_none_is_drawn);
	TEST(a_dialog_waits_for_the_reply_and_a_refusal_is_corrected);
	TEST(a_message_that_comes_over_a_dialog_shows_when_it_closes);
	TEST(the_mouse_leaves_what_lies_below_a_dialog_or_the_help);
	TEST(nothing_moves_the_table_behind_a_question);
	return tap_done();
}
