/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_filter.c - which rings the table has. */
#include <locale.h>
#include <sched.h>

#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/keys.h"
#include "ui/table/filter.h"

static void press(const char *keys)
{
	for (; *keys; keys++)
		keys_press(&seen.frame, (unsigned char)*keys);
}

/* 0>1 own mq, 1>2 smt signal starved, 2>3 node svsem failed, 3>0 l3 mq. */
static void open_four(void)
{
	static const struct {
		const char *mechanism;
		enum locality class;
	} rings[] = {{"mq", LOCALITY_OWN}, {"signal", LOCALITY_SMT}, {"svsem", LOCALITY_NODE},
		{"mq", LOCALITY_L3}};

	seen_init(4);
	for (unsigned i = 0; i < 4; i++) {
		struct session_ring *ring = &seen.session->rings[i];

		fake_replace(&ring->mechanism, rings[i].mechanism);
		ring->locality = rings[i].class;
		ring->cpus[0] = i;
		ring->cpus[1] = (i + 1) % 4;
	}
	seen.session->rings[1].condition = CONDITION_STARVED;
	seen.session->rings[2].state = RING_FAILED;
	seen.session->rings[2].members[1].policy = (struct task_policy){SCHED_OTHER, 0};
	for (unsigned m = 0; m < 2; m++)
		seen.session->rings[3].members[m].policy = (struct task_policy){SCHED_OTHER, 0};
	look(80, 24);
}

/* Ring 3 was removed, ring 2 has failed. */
static void rings_that_have_ended_are_hidden(void)
{
	static const struct {
		const char *text, *rings;
	} cases[] = {{"!gone", "012"}, {"!gone,done,failed", "01"}, {"gone", "3"}};

	open_four();
	seen.session->rings[3].state = RING_GONE;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char rings[8] = "";
		struct error_text reason;

		filter_parse(&seen.frame.view.filter, cases[i].text, &reason);
		for (unsigned r = 0; r < 4; r++)
			if (filter_passes(&seen.frame.view.filter, &seen.session->rings[r]))
				rings[strlen(rings)] = (char)('0' + r);
		CHECK(strcmp(rings, cases[i].rings) == 0, "'%s': %s", cases[i].text, rings);
	}
	seen_finish();
}

static void words_choose_rings(void)
{
	static const struct {
		const char *text, *rings; /* the ids that pass */
	} cases[] = {
		{"", "0123"},
		{"   ", "0123"},
		{"cpu:1", "01"},
		{"cpu:2-3", "123"},
		{"CPU:0,2", "0123"},
		{"cpu:7", ""},
		{"cpu:1 cpu:2", "1"},
		{"in:1", ""},
		{"in:1-2", "1"},
		{"IN:0,1,3", "03"},
		{"!in:0-2", "23"},
		{"in:0-1,smt", "01"},
		{"inside", ""},
		{"!cpu:1", "23"},
		{"mq", "03"},
		{"MQ", "03"},
		{"!mq", "12"},
		{"m", "023"},
		{"sv", "2"},
		{"s", "12"}, /* signal, starved, svsem */
		{"smt", "1"},
		{"SMT", "1"},
		{"L3", "3"},
		{"node", "2"},
		{"!own", "123"},
		{"cross", ""},
		{"starved", "1"},
		{"STARV", "1"},
		{"failed", "2"},
		{"running", "013"},
		{"3>0", "3"},
		{">0", "3"},
		{"!failed !smt", "03"},
		{"\tmq   cpu:3 ", "3"},
		{"mq signal", ""},
		{"mq,signal", "013"},
		{"MQ,svsem smt,own,l3", "03"},
		{"!mq,signal", "2"},
		{"smt,failed", "12"},
		{"cpu:1,2,smt", "012"},
		{"smt,cpu:3,0", "0123"},
		{"cpu:0,3>0", "03"}, /* not a list of CPUs */
		{"FF80", "012"},
		{"ff8", "012"},
		{"FIFO", "012"},
		{"fifo:80", "012"},
		{"!FIFO", "3"},
		{"OTH", "23"},
		{"other", "23"},
		{"oth,ff80 !mq", "12"},
		{"RR", ""},
		{"80", ""},
		{"f", "2"}, /* failed */
		{"\303\251", ""},
	};

	open_four();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char rings[8] = "";
		struct error_text reason;

		CHECK(filter_parse(&seen.frame.view.filter, cases[i].text, &reason) == 0, "'%s'",
			cases[i].text);
		filter_settle(&seen.frame.view.filter, seen.session);
		for (unsigned r = 0; r < 4; r++)
			if (filter_passes(&seen.frame.view.filter, &seen.session->rings[r]))
				rings[strlen(rings)] = (char)('0' + r);
		CHECK(strcmp(rings, cases[i].rings) == 0, "'%s': %s instead of %s", cases[i].text, rings,
			cases[i].rings);
	}
	seen_finish();
}

static void a_moved_ring_is_found_by_its_new_cpu(void)
{
	struct filter filter = {0};
	struct error_text reason;

	open_four();
	seen.session->rings[0].members[1].moved_to = 8;
	filter_parse(&filter, "cpu:7", &reason);
	CHECK(filter_passes(&filter, &seen.session->rings[0]) &&
		!filter_passes(&filter, &seen.session->rings[1]));
	seen.session->rings[0].members[0].moved_to = seen.session->rings[0].members[1].moved_to = -1;
	CHECK(!filter_passes(&filter, &seen.session->rings[0]), "any of several is none of them");
	filter_parse(&filter, "in:0-99", &reason);
	CHECK(!filter_passes(&filter, &seen.session->rings[0]) &&
		filter_passes(&filter, &seen.session->rings[1]));
	seen_finish();
}

static void a_place_replaces_the_one_before(void)
{
	static const struct {
		const char *before, *list, *after;
	} rows[] = {{"", "0-3", "in:0-3"}, {"in:1", "0-3", "in:0-3"},
		{" mq  in:1,2 !smt", "7", "mq !smt in:7"}, {"!in:1 IN:2 mq", NULL, "mq"},
		{"in:1,mq", "2", "in:1,mq in:2"}, {"inside", "2", "inside in:2"}, {"in:1", NULL, ""}};
	struct filter filter = {0};
	struct error_text reason;
	char long_list[FILTER_SIZE + 8];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(filter_parse(&filter, rows[i].before, &reason) == 0);
		CHECK(filter_set_inside(&filter, rows[i].list, &reason) == 0, "%s", reason.text);
		CHECK(strcmp(filter.text, rows[i].after) == 0, "'%s' > '%s'", rows[i].before, filter.text);
	}
	memset(long_list, '1', sizeof(long_list));
	long_list[sizeof(long_list) - 1] = '\0';
	filter_parse(&filter, "mq", &reason);
	CHECK(filter_set_inside(&filter, long_list, &reason) < 0 && strstr(reason.text, "too long"));
	CHECK(strcmp(filter.text, "mq") == 0, "%s", filter.text);
}

static void a_view_of_places_does_without_those_words(void)
{
	struct filter filter = {0};
	struct error_text reason;

	open_four();
	filter_parse(&filter, "mq in:3", &reason);
	filter_settle(&filter, seen.session);
	for (size_t i = 0; i < 4; i++) {
		CHECK(!filter_passes(&filter, &seen.session->rings[i]));
		CHECK(filter_passes_elsewhere(&filter, &seen.session->rings[i]) == (i == 0 || i == 3), "%zu",
			i);
	}
	seen_finish();
}

/* Of a mechanism that another one's name holds, the name is exact. */
static void a_mechanisms_name_is_no_text(void)
{
	struct filter filter = {0};
	struct error_text reason;

	open_four();
	fake_replace(&seen.session->rings[2].mechanism, "zmq");
	filter_parse(&filter, "mq", &reason);
	filter_settle(&filter, seen.session);
	CHECK(filter_passes(&filter, &seen.session->rings[0]) &&
		!filter_passes(&filter, &seen.session->rings[2]));
	fake_replace(&seen.session->rings[0].mechanism, "signal");
	fake_replace(&seen.session->rings[3].mechanism, "signal");
	filter_settle(&filter, seen.session);
	CHECK(filter_passes(&filter, &seen.session->rings[2]));
	seen_finish();
}

static void a_wrong_word_is_told_and_the_filter_stays(void)
{
	static const char *const texts[] = {
		"cpu:", "cpu:2-", "cpu:a", "in:3-1", "mq cpu:,", "!", "mq !", "!cpu:x", "mq,!smt"};

	open_four();
	press("/cpu:1\r");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		press("/");
		press(texts[i]);
		press("\r");
		look(80, 24);
		CHECK(keys_are_text(&seen.frame) && shows("show rings with"), "%s", texts[i]);
		CHECK(shows(strchr(texts[i], ':') ? "write a list of CPUs as in" : "! must be before a word"),
			"%s: %s", texts[i], seen.text);
		press("\177\177\177\177\177\177\177\177");
		look(80, 24);
		CHECK(shows("!gone") && !shows(" filter "), "nothing is wrong without words: %s", seen.text);
		press("\033");
		look(80, 24);
		CHECK(!keys_are_text(&seen.frame) && shows("filter cpu:1 (2 of 4)"), "%s", seen.text);
	}
	seen_finish();
}

static void the_table_follows_what_is_typed(void)
{
	open_four();
	press("/cpu:1\r/sv");
	look(80, 24);
	CHECK(keys_are_text(&seen.frame) && shows("filter sv (1 of 4)"), "%s", seen.text);
	press("\177\177");
	look(80, 24);
	CHECK(!shows(" filter ") && seen.frame.view.order.n_passed == 4, "%s", seen.text);
	press("cpu:2");
	look(80, 24);
	press("-");
	look(80, 24);
	CHECK(shows("write a list of CPUs") && shows("filter cpu:2 (2 of 4)"),
		"the last one that is right: %s", seen.text);
	press("\033");
	look(80, 24);
	CHECK(!keys_are_text(&seen.frame) && shows("filter cpu:1 (2 of 4)"), "%s", seen.text);
	press("/");
	look(80, 24);
	press("\033");
	look(80, 24);
	CHECK(shows("filter cpu:1 (2 of 4)"), "%s", seen.text);
	seen_finish();
}

static void the_table_has_the_rings_that_pass(void)
{
	open_four();
	CHECK(!shows("filter"));
	seen.frame.view.selected = 2;
	look(80, 24);
	CHECK(seen.frame.view.selected == 2);
	press("/node\r");
	look(80, 24);
	CHECK(shows("filter node (1 of 4)") && seen.frame.view.order.n_passed == 1, "%s", seen.text);
	CHECK(shows("2>3") && !shows(" 1>2 ") && seen.frame.view.selected == 2, "%s", seen.text);
	press("/!node\r");
	look(80, 24);
	CHECK(seen.frame.view.order.n_passed == 3 && seen.frame.view.selected != 2 && !shows(" 2>3 "), "%s",
		seen.text);
	seen.frame.view.selected = 3;
	look(80, 24);
	CHECK(seen.frame.view.selected == 3 && line_with(" 3>0 ")[0] == '>');
	press("/\r");
	look(80, 24);
	CHECK(!shows("filter") && seen.frame.view.order.n_passed == 4 && seen.frame.view.selected == 3);
	press("/cpu:99\r");
	look(80, 24);
	CHECK(shows("no ring passes the filter") && shows("(0 of 4)"), "%s", seen.text);
	press("jkGg");
	look(80, 24);
	press("/starved\r");
	look(80, 24);
	CHECK(seen.frame.view.order.n_passed == 1 && seen.frame.view.order.n == 2);
	seen.session->rings[1].condition = CONDITION_FINE;
	look(80, 24);
	CHECK(seen.frame.view.order.n_passed == 0, "a ring leaves when the word no longer holds");
	seen_finish();
}

static void the_header_says_at_every_width_that_rings_are_hidden(void)
{
	open_four();
	press("/!smt !svsem cpu:0-3,5,7,9,11,13,15,17,19,21,23,25,27,29\r");
	for (unsigned columns = FRAME_COLUMNS_MIN; columns < 200; columns++) {
		seen.frame.frozen = columns % 2;
		look(columns, columns % 3 ? 10 : 24);
		CHECK(shows("2 of 4"), "%u: %s", columns, seen.text);
	}
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(rings_that_have_ended_are_hidden);
	TEST(words_choose_rings);
	TEST(a_moved_ring_is_found_by_its_new_cpu);
	TEST(a_place_replaces_the_one_before);
	TEST(a_view_of_places_does_without_those_words);
	TEST(a_mechanisms_name_is_no_text);
	TEST(a_wrong_word_is_told_and_the_filter_stays);
	TEST(the_table_follows_what_is_typed);
	TEST(the_table_has_the_rings_that_pass);
	TEST(the_header_says_at_every_width_that_rings_are_hidden);
	return tap_done();
}
