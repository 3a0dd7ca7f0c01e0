/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_keys.c - the rows' order, the selection, and what keys do. */
#include <locale.h>

#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/views/keys.h"
#include "ui/views/mouse.h"
#include "ui/views/views.h"

static bool order_is(const uint32_t *ids, size_t n)
{
	bool same = seen.view.order.n == n;

	for (size_t i = 0; same && i < n; i++)
		same = seen.view.order.rows[i].id == ids[i];
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
		seen.view.sort = cases[i].column;
		seen.view.inverted = cases[i].inverted;
		look(120, 40);
		CHECK(order_is(cases[i].ids, 4), "case %zu: %u %u %u %u", i,
			(unsigned)seen.view.order.rows[0].id, (unsigned)seen.view.order.rows[1].id,
			(unsigned)seen.view.order.rows[2].id, (unsigned)seen.view.order.rows[3].id);
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

	seen_init(2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake_turns(seen.session, cases[i].n_turns, (uint64_t)cases[i].turn_ms * 1000000, 0);
		seen.view.window = WINDOW_ALL;
		look(66, 24);
		CHECK(shows(cases[i].header), "%s", line_with("window"));
		for (size_t w = 0; w < 5; w++) {
			keys_press(&seen.view, 'w');
			CHECK(strcmp(window_name(seen.view.window), cases[i].after_w[w]) == 0, "case %zu: %s",
				i, window_name(seen.view.window));
		}
		seen.view.window = WINDOW_1S;
		look(80, 24);
		CHECK(strcmp(window_name(seen.view.window), i < 2 ? "1s" : cases[i].after_w[0]) == 0,
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

		if (!columns_table[i].value || !seen.view.columns.width[i])
			continue;
		seen.view.sort = i;
		seen.view.inverted = false;
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
	CHECK(seen.view.selected == 0);
	for (int i = 0; i < 30; i++)
		keys_press(&seen.view, 'j');
	look(80, 24);
	CHECK(seen.view.selected == 30 && shows("> 30>31"), "%s", seen.text);
	seen.view.sort = COLUMN_MAX;
	look(80, 24);
	CHECK(seen.view.selected == 30 && seen.view.position == 19 && shows("> 30>31"), "%s", seen.text);
	fake_sample(&seen.session->rings[30].figures[FIGURE_FIRST], 900000000, 1, 1);
	look(120, 40);
	CHECK(seen.view.selected == 30 && seen.view.position == 0 && shows("> 30>31"), "%s", seen.text);
	seen.session->rings[30].id = 1000; /* gone, and another one came */
	look(80, 24);
	CHECK(seen.view.position == 0 && seen.view.selected == 1000);
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

		CHECK(keys_press(&seen.view, presses[i].key).kind != COMMAND_NONE);
		look(80, 24);
		CHECK(seen.view.selected == presses[i].selected, "press %zu: %u", i,
			(unsigned)seen.view.selected);
		snprintf(
			mark, sizeof(mark), " %u>%u ", presses[i].selected, (presses[i].selected + 1) % 1024);
		CHECK(line_with(mark)[0] == '>', "'%s'", line_with(mark));
	}
	seen_finish();
	seen_init(0);
	look(80, 24);
	for (size_t i = 0; i < sizeof(presses) / sizeof(*presses); i++)
		keys_press(&seen.view, presses[i].key);
	look(80, 24);
	CHECK(shows("no rings"));
	seen_finish();
}

static void keys_change_figure_unit_and_order(void)
{
	seen_init(4);
	look(80, 24);
	for (unsigned i = 1; i <= N_FIGURES_SHOWN; i++) {
		keys_press(&seen.view, 'o');
		look(80, 24);
		CHECK(shows(figure_title(i % N_FIGURES_SHOWN)));
	}
	keys_press(&seen.view, 'u');
	look(80, 24);
	CHECK(shows("[ms]"));
	keys_press(&seen.view, 'u');
	look(80, 24);
	CHECK(shows("[ns]") && shows(" 1400 "));
	keys_press(&seen.view, '<');
	CHECK(seen.view.sort == COLUMN_MISSED, "%zu", seen.view.sort);
	keys_press(&seen.view, '>');
	keys_press(&seen.view, '>');
	CHECK(seen.view.sort == COLUMN_CLASS, "%zu", seen.view.sort);
	keys_press(&seen.view, 'I');
	CHECK(seen.view.inverted);
	CHECK(keys_press(&seen.view, 'Z').kind == COMMAND_NONE);
	CHECK(keys_press(&seen.view, 12).kind == COMMAND_REPAINT);
	CHECK(keys_press(&seen.view, KEY_CODE_F10).kind == COMMAND_QUIT);
	seen_finish();
}

static void help_lists_every_key_and_closes(void)
{
	seen_init(4);
	look(80, 24);
	keys_press(&seen.view, KEY_CODE_F1);
	look(80, 40);
	for (size_t i = 0; i < keys_count(); i++)
		CHECK(shows(keys_at(i).names) && shows(keys_at(i).help), "%s", keys_at(i).names);
	keys_press(&seen.view, KEY_CODE_ESCAPE);
	look(80, 24);
	CHECK(!seen.view.help && shows("PAIR"));
	keys_press(&seen.view, '?');
	look(40, 10);
	CHECK(shows(keys_at(0).help) && !shows(keys_at(keys_count() - 1).help));
	for (size_t i = 0; i < keys_count(); i++) { /* what has no room is reached by scrolling */
		if (!shows(keys_at(i).help))
			keys_press(&seen.view, 'j');
		look(40, 10);
		CHECK(shows(keys_at(i).help), "%s", keys_at(i).help);
	}
	CHECK(seen.view.selected == 0);
	keys_press(&seen.view, 'h');
	CHECK(!seen.view.help);
	seen_finish();
}

/* Has a key the code, among those that a view knows? */
static unsigned meanings(const struct view_state *view, uint32_t code)
{
	unsigned n = 0;

	for (size_t i = 0; i < keys_count(); i++) {
		struct key key = keys_at(i);

		for (size_t c = 0; c < 4 && key.codes[c]; c++)
			n += key.codes[c] == code && keys_known(&key, view);
	}
	return n;
}

static void no_key_does_two_things(void)
{
	struct view_state view = {0};

	for (; view.screen < views_n; view.screen++)
		for (size_t i = 0; i < keys_count(); i++)
			for (size_t c = 0; c < 4 && keys_at(i).codes[c]; c++)
				CHECK(meanings(&view, keys_at(i).codes[c]) == 1, "%s in %s", keys_at(i).names,
					views_name(view.screen));
}

static void the_sign_of_the_freeze_stays_in_the_narrowest_header(void)
{
	seen_init(4);
	seen.view.frozen = true;
	for (unsigned columns = FRAME_COLUMNS_MIN; columns < 120; columns++) {
		seen.view.figure = columns % N_FIGURES_SHOWN;
		look(columns, FRAME_LINES_MIN);
		CHECK(shows("FROZEN 00:00 ago"), "%u: %s", columns, seen.text);
	}
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
	seen.view.refresh_ns = 2000000000;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		keys_press(&seen.view, steps[i].key);
		look(80, 24);
		CHECK(shows(steps[i].sign), "step %zu: %s", i, line_with("LIVE"));
	}
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		seen.view.refresh_ns = odd[i].from_ns;
		CHECK(keys_press(&seen.view, odd[i].key).kind != COMMAND_NONE);
		CHECK(seen.view.refresh_ns == odd[i].to_ns, "case %zu", i);
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
		{KEY_CODE_CLICK, 10, 23, 0, 0, COLUMN_PAIR, false},
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
		bool obeyed = mouse_obey(&seen.view, steps[i].code, steps[i].x, steps[i].y);

		CHECK(obeyed && seen.view.sort == steps[i].sort && seen.view.inverted == steps[i].inverted,
			"step %zu: %zu", i, seen.view.sort);
		if (steps[i].y != HEAD) {
			look(80, 24);
			CHECK(seen.view.selected == steps[i].selected && seen.view.top == steps[i].top,
				"step %zu: %u, %zu", i, (unsigned)seen.view.selected, seen.view.top);
		}
	}
	CHECK(!mouse_obey(&seen.view, 'j', 0, 0));
	for (unsigned i = 0; i < 40; i++)
		mouse_obey(&seen.view, KEY_CODE_WHEEL_DOWN, 0, 0);
	look(80, 24);
	CHECK(seen.view.top + seen.view.page == seen.view.order.n, "no further than the last page");
	seen_finish();
}

static void a_click_on_a_head_sorts_by_it_and_another_inverts(void)
{
	seen_init(50);
	look(80, 24);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (!seen.view.columns.width[i] || !columns_table[i].value || i == COLUMN_PAIR)
			continue;
		mouse_obey(&seen.view, KEY_CODE_CLICK, seen.view.columns.x[i], HEAD);
		CHECK(seen.view.sort == i && !seen.view.inverted, "%s", columns_table[i].title);
		mouse_obey(&seen.view, KEY_CODE_CLICK, seen.view.columns.x[i], HEAD);
		CHECK(seen.view.sort == i && seen.view.inverted, "%s", columns_table[i].title);
	}
	seen_finish();
}

static void the_mouse_leaves_what_lies_below_a_dialog_or_the_help(void)
{
	seen_init(50);
	look(40, 10);
	keys_press(&seen.view, 'm');
	CHECK(mouse_obey(&seen.view, KEY_CODE_CLICK, 5, 2) && seen.view.prompt.open &&
		!*seen.view.prompt.text && !seen.view.inverted);
	keys_press(&seen.view, KEY_CODE_ESCAPE);
	keys_press(&seen.view, 'h');
	mouse_obey(&seen.view, KEY_CODE_CLICK, 5, 3);
	mouse_obey(&seen.view, KEY_CODE_WHEEL_DOWN, 5, 5);
	CHECK(seen.view.help_top == 3 && seen.view.position == 0 && seen.view.top == 0, "the help scrolls");
	seen_finish();
}

static void the_help_goes_back_at_once_from_its_end(void)
{
	static const uint32_t on[] = {'G', KEY_CODE_PAGE_DOWN, 'j', KEY_CODE_WHEEL_DOWN};

	seen_init(4);
	for (size_t i = 0; i < sizeof(on) / sizeof(*on); i++) {
		keys_press(&seen.view, 'h');
		look(40, 10);
		for (size_t k = 0; k < 2 * keys_count(); k++)
			if (!mouse_obey(&seen.view, on[i], 5, 5))
				keys_press(&seen.view, on[i]);
		look(40, 10);
		CHECK(shows("no samples"), "case %zu:\n%s", i, seen.text);
		keys_press(&seen.view, 'k');
		look(40, 10);
		CHECK(!shows("no samples") && shows("the age of"), "case %zu:\n%s", i, seen.text);
		keys_press(&seen.view, 'h');
	}
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(sorting_puts_the_worst_first_and_the_unknown_last);
	TEST(the_sorted_column_is_marked);
	TEST(windows_shorter_than_a_round_are_passed_over);
	TEST(selection_stays_on_its_ring);
	TEST(selection_stops_at_the_ends_and_is_always_shown);
	TEST(keys_change_figure_unit_and_order);
	TEST(the_sign_of_the_freeze_stays_in_the_narrowest_header);
	TEST(plus_and_minus_step_through_the_refreshes);
	TEST(help_lists_every_key_and_closes);
	TEST(no_key_does_two_things);
	TEST(the_help_goes_back_at_once_from_its_end);
	TEST(the_mouse_selects_and_scrolls);
	TEST(a_click_on_a_head_sorts_by_it_and_another_inverts);
	TEST(the_mouse_leaves_what_lies_below_a_dialog_or_the_help);
	return tap_done();
}
