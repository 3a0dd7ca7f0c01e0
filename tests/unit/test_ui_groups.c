/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_groups.c - mechanisms that fold, totals below the table, and the limit in the header. */
#include <locale.h>

#include "src/model/session.h"
#include "tests/unit/screen_fixture.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/keys.h"
#include "ui/views/prompt.h"

static void press(const char *keys)
{
	for (; *keys; keys++) {
		keys_press(&seen.frame, (unsigned char)*keys);
		look(80, 24);
	}
}

/* Six rings: 0, 3 mq; 1, 4 svsem; 2, 5 signal. */
static void open_six(void)
{
	static const char *const names[] = {"mq", "svsem", "signal"};

	seen_init(6);
	for (unsigned i = 0; i < 6; i++) {
		fake_replace(&seen.session->rings[i].mechanism, names[i % 3]);
		fake_replace(&seen.session->rings[i].title, i % 3 ? names[i % 3] : "POSIX message queue");
	}
	look(80, 24);
}

/* The rows from the top: a ring's number, a hop's letter, or the first letter but one of a group: q, v, i. */
static bool order_is(const char *wanted)
{
	const struct order *order = &seen.frame.view.order;
	char is[32] = "";

	for (size_t i = 0; i < order->n && i < sizeof(is) - 1; i++)
		is[i] = order->rows[i].is_group ? seen.session->groups[order->rows[i].group].name[1]
			: order->rows[i].is_hop ? (char)('A' + order->rows[i].hop)
						: (char)('0' + order->rows[i].id);
	if (strcmp(is, wanted) != 0)
		printf("# %s instead of %s\n", is, wanted);
	return strcmp(is, wanted) == 0;
}

static void mechanisms_have_a_line_and_their_rows_below(void)
{
	static const struct {
		size_t sort;
		bool inverted;
		const char *order;
	} cases[] = {
		{COLUMN_PAIR, false, "q03v14i25"},
		{COLUMN_PAIR, true, "q30v41i52"},
		{COLUMN_MAX, false, "i52v41q30"},
		{COLUMN_MAX, true, "q03v14i25"},
		{COLUMN_MIN, true, "q03v14i25"},
		{COLUMN_MECHANISM, false, "q03i25v14"},
		{COLUMN_MECHANISM, true, "v14i25q03"},
		{COLUMN_CUR, false, "q30v41i52"},
	};

	open_six();
	CHECK(shows(" - mq (2 pairs) ") && shows(" - svsem (2 pairs) "), "%s", seen.text);
	look(120, 40);
	CHECK(shows(" - mq: POSIX message queue (2 pairs) "), "%s", seen.text);
	look(80, 24);
	CHECK(shows("  all (6 pairs) "), "%s", seen.text);
	CHECK(seen.frame.view.selected == 0 && line_with(" 0>1 ")[0] == '>', "a ring is selected at first");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.frame.view.sort = cases[i].sort;
		seen.frame.view.inverted = cases[i].inverted;
		look(80, 24);
		CHECK(order_is(cases[i].order), "case %zu", i);
		CHECK(seen.frame.view.selected == 0);
	}
	look(40, 10);
	CHECK(shows(" - mq (2") && shows(" - svsem ("), "%s", seen.text);
	seen_finish();
}

static void removed_rings_are_last(void)
{
	open_six();
	seen.session->rings[0].ended_ns = seen.session->rings[1].ended_ns = 1;
	look(80, 24);
	CHECK(order_is("q30v41i25"));
	seen.frame.view.inverted = true;
	look(80, 24);
	CHECK(order_is("q30v41i52"));
	seen_finish();
}

static void names_that_differ_at_their_ends_are_whole(void)
{
	seen_init(2);
	fake_replace(&seen.session->rings[0].mechanism, "zmq-req-ipc");
	fake_replace(&seen.session->rings[1].mechanism, "zmq-req-tcp");
	look(80, 24);
	CHECK(strstr(line_with(" 0>1 "), " zmq-req-ipc ") && strstr(line_with(" 1>0 "), " zmq-req-tcp "),
		"%s", seen.text);
	seen_finish();
}

static void one_mechanism_has_no_line(void)
{
	seen_init(3);
	look(80, 24);
	CHECK(order_is("012") && !shows(" - ") && shows("  all (3 pairs)"));
	press("fF");
	CHECK(order_is("012") && !fold_is_turned(&seen.frame.view.fold, order_group_id(0)));
	seen_finish();
	seen_init(1);
	look(80, 24);
	CHECK(!shows("all (1"), "one pair is its own total");
	seen_finish();
}

static void rows_fold_into_their_mechanisms_line(void)
{
	static const struct {
		const char *keys, *order;
		uint32_t selected;
	} steps[] = {
		{"jjj", "q03v14i25", 1},
		{"f", "q03vi25", UINT32_MAX},
		{"I", "q30vi52", UINT32_MAX},
		{"I", "q03vi25", UINT32_MAX},
		{"f", "q03v14i25", UINT32_MAX},
		{"j", "q03v14i25", 1},
		{"F", "qvi", UINT32_MAX},
		{"j", "qvi", UINT32_MAX},
		{"F", "q03v14i25", UINT32_MAX},
		{"f", "q03v14i", UINT32_MAX},
		{"F", "qvi", UINT32_MAX},
		{"gF", "q03v14i25", UINT32_MAX},
		{"j", "q03v14i25", 0},
	};

	open_six();
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		press(steps[i].keys);
		CHECK(order_is(steps[i].order), "step %zu", i);
		CHECK(steps[i].selected == UINT32_MAX ? seen.frame.view.selected > 6
						      : seen.frame.view.selected == steps[i].selected,
			"step %zu: %u", i, (unsigned)seen.frame.view.selected);
	}
	press("jjjff");
	CHECK(line_with(" - svsem")[0] == '>', "%s", seen.text);
	press("f");
	CHECK(strstr(line_with("svsem ("), "> + svsem"), "%s", seen.text);
	look(80, 24);
	CHECK(seen.frame.view.order.rows[seen.frame.view.position].is_group,
		"the selection stays on its line");
	seen.frame.refresh_ns = 0;
	look(200, 60);
	CHECK(shows(" all pairs svsem  first hop  n "), "the histogram is the group's:\n%s", seen.text);
	seen_finish();
}

/* Ring 0 of mq is a pair; 1 of svsem has three hops, 3 of mq four. */
static void open_rings(void)
{
	open_six();
	fake_members(&seen.session->rings[1], 3);
	fake_members(&seen.session->rings[3], 4);
	look(80, 24);
}

static void a_ring_unfolds_to_its_hops(void)
{
	static const struct {
		const char *keys, *order;
		size_t selected; /* position */
	} steps[] = {
		{"", "q03v14i25", 1},
		{"j", "q03v14i25", 2},
		{"f", "q03ABCDv14i25", 2},
		{"jj", "q03ABCDv14i25", 4},
		{"I", "q3DCBA0v41i52", 4}, /* hop B has moved, and is selected still */
		{"I", "q03ABCDv14i25", 4},
		{"f", "q03v14i25", 2}, /* a hop folds into its ring */
		{"F", "q03ABCDv1ABC4i25", 2},
		{"jf", "q03v1ABC4i25", 2}, /* one alone again */
		{"F", "q03ABCDv1ABC4i25", 2},
		{"jjjF", "q03v14i25", 2},
		{"kf", "qv14i25", 0}, /* a pair folds its mechanism */
		{"f", "q03v14i25", 0},
		{"jjff", "q03v14i25", 2},
		{"fkkf", "qv14i25", 0}, /* hops go, and come again, with their ring */
		{"f", "q03ABCDv14i25", 0},
	};

	open_rings();
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		press(steps[i].keys);
		CHECK(order_is(steps[i].order) && seen.frame.view.position == steps[i].selected,
			"step %zu: %zu", i, seen.frame.view.position);
		CHECK(seen.frame.view.order.n_passed == 6, "step %zu: %zu", i,
			seen.frame.view.order.n_passed);
	}
	seen_finish();
}

/* A long run has had more rings than there can be at once. */
static void a_ring_with_a_large_id_unfolds(void)
{
	open_six();
	fake_members(&seen.session->rings[5], 3);
	seen.session->rings[5].id = (uint32_t)GROUP_ROW - 1;
	press("Gf");
	CHECK(seen.frame.view.order.n == 9 + 3 && seen.frame.view.order.rows[9].is_hop, "%zu rows",
		seen.frame.view.order.n);
	press("f");
	CHECK(seen.frame.view.order.n == 9, "%zu rows", seen.frame.view.order.n);
	seen_finish();
}

static void hops_are_sorted_below_their_ring(void)
{
	static const struct {
		size_t sort;
		bool inverted;
		const char *order;
	} cases[] = {
		{COLUMN_PAIR, false, "q03ABCDv1ABC4i25"},
		{COLUMN_MAX, false, "i52v41ABCq3ABCD0"},
		{COLUMN_MAX, true, "q03DCBAv1CBA4i25"},
		{COLUMN_P99, true, "q03DCBAv1CBA4i25"},
		{COLUMN_CUR, true, "q03DCBAv1CBA4i25"},
		/* Columns that hops have not leave them in the ring's order. */
		{COLUMN_MISSED, false, "q03ABCDv1ABC4i25"},
		{COLUMN_MISSED, true, "q03ABCDv1ABC4i25"},
		{COLUMN_STATE, true, "q03ABCDv1ABC4i25"},
	};

	open_rings();
	press("jF");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.frame.view.sort = cases[i].sort;
		seen.frame.view.inverted = cases[i].inverted;
		look(80, 24);
		CHECK(order_is(cases[i].order), "case %zu", i);
		CHECK(seen.frame.view.selected == 3);
	}
	seen_finish();
}

/* A hop has its latency of all the run, whatever figure, window and limit are shown, and nothing else. */
static void a_hops_row_tells_what_is_known_of_it(void)
{
	open_rings();
	seen.session->rings[3].age_ns = 2000000000;
	seen.frame.view.limit_ns = 2000;
	press("jf");
	look(200, 60);
	CHECK(strstr(line_with(" 1: 1>2 "), "   3.00     3.00     3.00     3.00    ~3.00    ~3.00     3.00"),
		"%s", line_with(" 1: 1>2 "));
	static char before[1024];

	snprintf(before, sizeof(before), "%s", line_with(" 1: 1>2 "));
	size_t length = strlen(before);

	CHECK(length > 2 && strcmp(before + length - 3, " 20") == 0, "%s", before);
	press("ow");
	look(200, 60);
	CHECK(strcmp(before, line_with(" 1: 1>2 ")) == 0, "%s", line_with(" 1: 1>2 "));
	CHECK(line_with("- 3>4")[0] == '>' && shows("+ 1>2 ") && !shows("+ 0>1 "), "%s", seen.text);
	press("jj");
	look(200, 60);
	CHECK(line_with(" 1: 1>2 ")[0] == '>');
	CHECK(shows(" hop 1: 1>2 of 3>4 mq  n 20 in all "), "%s", seen.text);
	look(40, 10);
	CHECK(shows("1: 1>2"), "%s", seen.text);
	seen_finish();
}

static void hops_are_in_no_sum_and_pass_with_their_ring(void)
{
	char totals[1024];

	open_rings();
	snprintf(totals, sizeof(totals), "%s", line_with("  all (6 pairs)"));
	press("jF");
	CHECK(strcmp(totals, line_with("  all (6 pairs)")) == 0, "%s", line_with("  all (6 pairs)"));
	press("/svsem\r");
	CHECK(order_is("v1ABC4") && shows("(2 of 6)"), "%s", seen.text);
	press("/3>4\r");
	CHECK(order_is("q3ABCD"), "%s", seen.text);
	seen_finish();
}

/* The ring of a selected hop; its hops stand beside the members that send. */
static void the_detail_of_a_ring_tells_of_its_hops(void)
{
	open_rings();
	press("jfj");
	keys_press(&seen.frame, KEY_CODE_ENTER);
	look(200, 60);
	CHECK(shows(" 3>4 "), "%s", seen.text);
	for (unsigned h = 0; h < 4; h++) {
		char wanted[80];

		snprintf(wanted, sizeof(wanted), "  hop %u: %u>%u  p50 %u.00  p99 ~%u.00  max %u.00", h, h,
			(h + 1) % 4, 4 - h, 4 - h, 4 - h);
		CHECK(shows(wanted), "%s is not there", wanted);
	}
	look(80, 24);
	CHECK(!shows("hop 0:") && shows("chrt -f -p 80 300"), "%s", seen.text);
	seen_finish();
}

/* Returns the figures of a line, from Min on: groups have no Cur. */
static const char *figures_of(const char *label)
{
	static char figures[1024];
	const char *line = line_with(label);
	unsigned x = seen.frame.view.columns.x[COLUMN_MIN];

	snprintf(figures, sizeof(figures), "%s", strlen(line) > x ? line + x : "");
	return figures;
}

static void lines_of_groups_sum_the_rings_that_pass(void)
{
	char ring[1024];

	open_six();
	for (unsigned i = 0; i < 6; i++) {
		seen.session->rings[i].missed = 7 + i;
		seen.session->rings[i].isolated = i >= 3;
	}
	press("/!3>4\r");
	CHECK(shows(" - mq: POSIX message queue (1 of 2 p") || shows(" - mq (1 of 2 pairs) "), "%s",
		seen.text);
	CHECK(shows(" - svsem (2 pairs) ") && shows("  isolated (2 of 3 pairs) ") &&
			shows("  housekeeping (3 pairs) "),
		"%s", seen.text);
	snprintf(ring, sizeof(ring), "%s", figures_of(" 0>1 "));
	CHECK(*ring && strcmp(ring, figures_of(" - mq")) == 0, "'%s' '%s'", ring, figures_of(" - mq"));
	press("/4>5\r");
	snprintf(ring, sizeof(ring), "%s", figures_of(" 4>5 svsem "));
	CHECK(strstr(ring, " 11") && strcmp(ring, figures_of(" isolated")) == 0, "'%s' '%s'", ring,
		figures_of(" isolated"));
	CHECK(shows("  housekeeping (0 of 3 pairs) ") && strstr(figures_of(" housekeeping"), " - "), "%s",
		seen.text);
	look(200, 60);
	CHECK(shows("  isolated (1 of 3 pairs) "), "%s", seen.text);
	press("/\r");
	CHECK(shows("  isolated (3 pairs) ") && !shows(" of "), "%s", seen.text);
	seen_finish();
}

static void lines_of_groups_count_the_rings_that_are_there(void)
{
	open_six();
	for (unsigned i = 0; i < 6; i++)
		seen.session->rings[i].isolated = i >= 3;
	CHECK(session_end_ring(seen.session, 4) == 0);
	look(200, 60);
	CHECK(shows(" 4>5 ") && shows("  5 pairs  "), "%s", seen.text);
	CHECK(shows("  isolated (2 pairs, 1 gone) ") && shows("  housekeeping (3 pairs) ") && !shows(" of "),
		"%s", seen.text);
	press("/!3>4\r");
	CHECK(shows("filter !3>4 (4 of 5)") && shows("  isolated (1 of 2, 1 gone) "), "%s", seen.text);
	seen_finish();
}

static void the_filter_leaves_out_lines_without_rings(void)
{
	open_six();
	press("/!mq !2>3\r");
	CHECK(order_is("v14i5") && shows("(3 of 6)"), "%s", seen.text);
	press("F");
	CHECK(order_is("vi") && shows("(3 of 6)"), "%s", seen.text);
	press("/zzz\r");
	CHECK(order_is("") && shows("no ring passes"));
	seen_finish();
}

static void totals_are_pinned_and_apart_for_isolated_cpus(void)
{
	seen_init(100);
	look(80, 24);
	CHECK(shows("  all (100 pairs) "), "%s", seen.text);
	for (unsigned i = 0; i < 100; i++)
		seen.session->rings[i].isolated = i >= 60;
	look(80, 24);
	CHECK(shows("  isolated (40 pairs) ") && shows("  housekeeping (60 pairs) ") && !shows("all (100"),
		"%s", seen.text);
	CHECK(strstr(line_with("  isolated"), " 195.20 ") && strstr(line_with("  housekeeping"), " 155.20 "),
		"%s", seen.text);
	keys_press(&seen.frame, 'G');
	look(80, 24);
	CHECK(shows("  isolated (40 pairs) ") && shows(" 99>0 ") && !shows(" 60>61 "), "%s", seen.text);
	look(80, 15);
	CHECK(!shows("  isolated (40"), "%s", seen.text);
	look(200, 60);
	CHECK(shows("isolated pairs, first hop"), "%s", seen.text);
	seen_finish();
}

/* Of the phase, on the screen; by the window, in the column. */
static void samples_above_the_limit_stand_in_the_phase_line(void)
{
	struct fixture *f = fixture_create(2, 1000000);
	char text[20000] = "";

	if (frame_init(&seen.frame, FIGURE_FIRST, 1000000000) < 0 ||
		canvas_init(&seen.canvas, 1, 1, true) < 0)
		abort();
	seen.frame.view.limit_ns = 50000;
	seen.frame.view.window = WINDOW_ALL;
	for (unsigned i = 0; i < 8; i++) {
		fixture_sample(f, 0, FIGURE_FIRST, 96200, 3);
		fixture_sample(f, 1, FIGURE_FIRST, 1000, 5);
		fixture_sample(f, 1, FIGURE_LATENESS, 90000, 5);
		fixture_sample(f, 1, FIGURE_RESPONSE, 91000, 5);
		fixture_feed(f);
		if (i == 5)
			session_phases_begin(&f->session, "b", 0);
	}
	FILE *out = fmemopen(text, sizeof(text), "w");

	frame_make(&f->session, &seen.frame, &seen.canvas, 100, 30);
	canvas_print(&seen.canvas, out);
	fclose(out);
	CHECK(strstr(text, "PHASE 2 'b' 1s  worst response 1>1 91.00 at 22:13:23  >50us in phase: 6"), "%s",
		text);
	CHECK(strstr(text, " 96.20     24 "), "%s", text);
	fixture_destroy(f);
	frame_finish(&seen.frame);
	canvas_finish(&seen.canvas);
}

static struct command command_of(uint32_t code)
{
	struct effect effect = keys_press(&seen.frame, code);

	look(80, 24);
	return effect.command;
}

static void keys_act_on_the_rings_below_a_group(void)
{
	open_six();
	seen.session->rings[4].ended_ns = 1;
	press("k");
	CHECK(line_with(" - mq (2")[0] == '>', "%s", seen.text);
	CHECK(!strcmp(command_of('P').words, "0 3"));
	CHECK(!strcmp(command_of(KEY_CODE_F7).words, "0 3") && !strcmp(command_of(KEY_CODE_F8).words, "0 3"));
	for (const char *key = "CaiS"; *key; key++) {
		press((const char[]){*key, 0});
		press("9");
		struct command command = command_of(KEY_CODE_ENTER);

		CHECK(!strcmp(command.words, "0 3") && !strcmp(command.name, "9"), "%c: '%s'", *key,
			command.words);
		prompt_take_reply(&seen.frame, NULL);
		look(80, 24);
	}
	press("x");
	CHECK(shows("2 rings: 0 3"), "%s", seen.text);
	CHECK(!strcmp(command_of(KEY_CODE_ENTER).words, "0 3"));
	press("jjj"); /* svsem, of which one was removed */
	CHECK(!strcmp(command_of('P').words, "1"));
	press("f");
	CHECK(command_of('P').kind == COMMAND_NONE && shows("unfold it (f)"), "%s", seen.text);
	press("fv");
	CHECK(seen.frame.view.marked.n == 1);
	press("g");
	CHECK(!strcmp(command_of('P').words, "1"), "marks go first");
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(mechanisms_have_a_line_and_their_rows_below);
	TEST(removed_rings_are_last);
	TEST(names_that_differ_at_their_ends_are_whole);
	TEST(one_mechanism_has_no_line);
	TEST(rows_fold_into_their_mechanisms_line);
	TEST(a_ring_unfolds_to_its_hops);
	TEST(a_ring_with_a_large_id_unfolds);
	TEST(hops_are_sorted_below_their_ring);
	TEST(a_hops_row_tells_what_is_known_of_it);
	TEST(hops_are_in_no_sum_and_pass_with_their_ring);
	TEST(the_detail_of_a_ring_tells_of_its_hops);
	TEST(the_filter_leaves_out_lines_without_rings);
	TEST(lines_of_groups_sum_the_rings_that_pass);
	TEST(lines_of_groups_count_the_rings_that_are_there);
	TEST(totals_are_pinned_and_apart_for_isolated_cpus);
	TEST(samples_above_the_limit_stand_in_the_phase_line);
	TEST(keys_act_on_the_rings_below_a_group);
	return tap_done();
}
