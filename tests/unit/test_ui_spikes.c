/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_spikes.c - the view of spikes, the dialog that takes one apart, and where else spikes are shown. */
#include <locale.h>
#include <sched.h>

#include "src/model/feed.h"
#include "src/model/spikes.h"
#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/keys.h"
#include "ui/panes/heat.h"

enum { HOG = 4711 };

#define US UINT64_C(1000)

/* Of the sender's CPU, for spikes that are added. */
static struct cpu_hints hints;
static const struct spike_end sender = {.tid = 200, .cpu = 3, .policy = {SCHED_FIFO, 80}};
static const struct spike_end receiver = {.tid = 201, .cpu = 4, .policy = {SCHED_FIFO, 80}};

/* A spike of a ring @ago_ms ago, for which a task held the CPU of the sender; NULL: nothing was recorded. */
static void add_spike(uint32_t ring, uint64_t ago_ms, uint64_t length_us, const char *hog)
{
	uint64_t due_ns = seen.session->now_ns - ago_ms * 1000 * US;
	struct flight_record records[] = {
		{.kind = FLIGHT_SWITCH,
			.cpu = 3,
			.at_ns = due_ns - 5 * US,
			.next_tid = HOG,
			.next_priority = 9,
			.prev_name = "swapper/3",
			.prev_priority = 120},
		{.kind = FLIGHT_SWITCH,
			.cpu = 3,
			.at_ns = due_ns + (length_us - 10) * US,
			.prev_tid = HOG,
			.prev_priority = 9,
			.prev_state = FLIGHT_SLEEPS,
			.next_tid = sender.tid,
			.next_priority = 19,
			.next_role = ROLE_MEMBER},
	};
	struct spike_report report = {.spike = {.ring = ring,
					      .figure = FIGURE_RESPONSE,
					      .due_ns = due_ns,
					      .sent_ns = due_ns + (length_us - 6) * US,
					      .received_ns = due_ns + length_us * US,
					      .seen_ns = due_ns + length_us * US,
					      .limit_ns = 20 * US,
					      .sender = sender,
					      .sender_hints = hints,
					      .receiver = receiver},
		.records = records,
		.n_records = hog ? 2 : 1};

	if (!hog)
		records[0] = (struct flight_record){
			.kind = FLIGHT_GAP, .cpu = 3, .at_ns = due_ns + length_us * US};
	if (hog) {
		snprintf(records[0].next_name, sizeof(records[0].next_name), "%s", hog);
		snprintf(records[1].prev_name, sizeof(records[1].prev_name), "%s", hog);
	}
	const struct feed_item item = {FEED_SPIKE, report.spike.seen_ns, .spike = &report};

	if (feed_session(seen.session, &item, NULL) < 0)
		abort();
}

/* @n spikes of the rings in turn, a second apart, of 100 us and more: the first is the longest. */
static void seen_init_with(unsigned n)
{
	seen_init(4);
	for (unsigned i = 0; i < n; i++)
		add_spike(i % 4, 1000 * (n - i), 100 + n - i, i % 2 ? "hog-b" : "hog-a");
	look(80, 24);
	keys_press(&seen.frame, 't');
	look(80, 24);
}

static bool marks(const char *text)
{
	return strstr(marked_line(), text) != NULL;
}

static void press(uint32_t code)
{
	keys_press(&seen.frame, code);
	look(80, 24);
}

static void a_line_has_time_ring_length_and_cause(void)
{
	seen_init(4);
	add_spike(1, 2000, 212, "stress-ng-cpu");
	add_spike(2, 1000, 150, NULL);
	look(80, 24);
	press('t');
	CHECK(is_on_top("spikes"), "%s", view_top(&seen.frame)->name);
	CHECK(strcmp(line_with("1>2"),
		      "  22:14:19 1>2   212.00 # stress-ng-cpu 4711 (RT90) held CPU 3 for 202 us") == 0,
		"%s", seen.text);
	CHECK(marks("2>3   150.00 # hint: late start on CPU 3"), "the newest is selected: %s", seen.text);
	CHECK(shows(" 2 spikes, the newest last: < > sorts by length "), "%s", seen.text);
	press('t');
	CHECK(is_on_top("overview"));
	seen_finish();
}

static void the_selection_stays_while_others_come(void)
{
	char before[256];

	seen_init_with(10);
	CHECK(marks("3>0") || marks("1>2"), "%s", seen.text);
	press(KEY_CODE_ARROW_UP);
	press('k');
	snprintf(before, sizeof(before), "%s", marked_line());
	CHECK(*before);
	for (unsigned i = 0; i < 30; i++)
		add_spike(i % 4, 500 - i, 90, "new");
	look(80, 24);
	CHECK(strcmp(marked_line(), before) == 0, "%s is now %s", before, marked_line());
	for (unsigned i = 0; i < SPIKES_KEPT; i++)
		add_spike(i % 4, 400 - i, 80, "newer");
	look(80, 24);
	CHECK(marks("newer") || marks("new"), "it is kept no more: %s", seen.text);
	seen_finish();
}

/* Somebody reads it. */
static void a_spike_that_is_taken_apart_stays(void)
{
	seen_init_with(10);
	press(KEY_CODE_ENTER);
	CHECK(is_on_top("spike") && shows("response 101us"), "%s", seen.text);
	for (unsigned i = 0; i < 2 * SPIKES_KEPT; i++) {
		add_spike(i % 4, 400 - i, 300, "newer");
		look(80, 24);
	}
	CHECK(shows("response 101us") && shows("hog-b") && shows("recorded: 2"), "%s", seen.text);
	press(KEY_CODE_ESCAPE);
	CHECK(marks("newer"), "%s", seen.text);
	seen_finish();
}

/* What is under way is reported again, with a longer age. */
static void a_spike_that_is_reported_again_stays_selected(void)
{
	seen_init_with(5);
	press('k');
	press('k');
	CHECK(marks("103.00"), "%s", seen.text);
	add_spike(2, 3000, 900, "hog-a");
	look(80, 24);
	CHECK(marks("900.00") && shows(" 5 spikes"), "%s", seen.text);
	seen_finish();
}

static void the_newest_is_followed_from_the_end(void)
{
	seen_init_with(30);
	add_spike(0, 500, 77, "new");
	look(80, 24);
	CHECK(marks(" 77.00"), "%s", seen.text);
	press(KEY_CODE_FIRST);
	CHECK(marks("130.00"), "%s", seen.text);
	press(KEY_CODE_LAST);
	add_spike(0, 400, 78, "new");
	look(80, 24);
	CHECK(marks(" 78.00"), "%s", seen.text);
	press(KEY_CODE_PAGE_UP);
	CHECK(!marks(" 78.00") && !marks(" 77.00") && *marked_line(), "%s", seen.text);
	press(KEY_CODE_PAGE_DOWN);
	CHECK(marks(" 78.00"), "%s", seen.text);
	seen_finish();
}

static void one_key_sorts_by_length_and_one_finds_the_longest(void)
{
	seen_init_with(30);
	press('!');
	CHECK(marks("130.00") && shows("the newest last"), "%s", seen.text);
	press('>');
	CHECK(marks("130.00") && shows("the longest of this run first: < > sorts by time"), "%s", seen.text);
	press('j');
	CHECK(marks("129.00"), "%s", seen.text);
	press('<');
	CHECK(marks("101.00") && shows("the newest last"), "%s", seen.text);
	for (unsigned i = 0; i < SPIKES_KEPT; i++)
		add_spike(i % 4, 400 - i, 80, "newer");
	look(80, 24);
	press('!');
	CHECK(marks("130.00") && shows("the longest of this run first"), "not among the last ones: %s",
		seen.text);
	press(KEY_CODE_F6);
	CHECK(shows("the newest last"), "%s", seen.text);
	seen_finish();
}

static void the_longest_are_those_of_the_window(void)
{
	seen_init_with(4);
	add_spike(0, 30000, 9000, "old");
	add_spike(1, 500, 700, "young");
	seen.frame.view.window = WINDOW_60S;
	look(80, 24);
	press('!');
	CHECK(marks("9000.0") && shows("the newest last"), "%s", seen.text);
	seen.frame.view.window = WINDOW_10S;
	look(80, 24);
	press('!');
	CHECK(marks("700.00") && shows("9000.0"), "%s", seen.text);
	press('<');
	CHECK(marks("700.00") && shows("the longest of the last 10s first") && !shows("9000.0"), "%s",
		seen.text);
	seen_finish();
}

static void the_filter_of_rows_hides_spikes_and_their_blame(void)
{
	struct error_text reason;

	seen_init_with(8);
	CHECK(shows("blame hog-a (RT90)") && shows("hog-b (RT90)"), "%s", seen.text);
	if (filter_parse(&seen.frame.view.filter, "1>2", &reason) < 0)
		abort();
	look(80, 24);
	CHECK(shows(" 2 of 8 spikes") && shows("1>2") && !shows("3>0") && !shows("hog-a"), "%s", seen.text);
	CHECK(shows("blame hog-b (RT90) 9"), "%s", seen.text);
	if (filter_parse(&seen.frame.view.filter, "none", &reason) < 0)
		abort();
	look(80, 24);
	CHECK(shows("no spike of the rings that the filter shows") && !*marked_line(), "%s", seen.text);
	seen_finish();
}

static void the_blame_is_of_the_window(void)
{
	seen_init(4);
	add_spike(0, 30000, 1000, "old");
	add_spike(0, 5000, 300, "young");
	look(80, 24);
	press('t');
	seen.frame.view.window = WINDOW_10S;
	CHECK(strstr(look(80, 24), "blame young (RT90) 97 %"), "%s", seen.text);
	seen.frame.view.window = WINDOW_60S;
	CHECK(strstr(look(80, 24), "blame old (RT90) 76 %, young (RT90) 22 %"), "%s", seen.text);
	seen.frame.view.window = WINDOW_ALL;
	CHECK(strstr(look(80, 24), "blame old (RT90) 76 %, young (RT90) 22 %"), "%s", seen.text);
	seen.frame.view.window = WINDOW_1S;
	CHECK(strstr(look(80, 24), "blame nobody: no spike in this window"), "%s", seen.text);
	seen.frame.view.window = WINDOW_ALL;
	CHECK(strstr(look(120, 40), " blame, window all: 2 spikes: # by CPU "), "%s", seen.text);
	CHECK(strstr(line_with("  76 %"), "1  old (RT90)"), "%s", seen.text);
	seen_finish();
}

/* Both are of the CPU of the sender, but for the end of each. */
static void one_key_ranks_cpus(void)
{
	seen_init(4);
	seen.frame.view.window = WINDOW_ALL;
	add_spike(0, 3000, 1000, "old");
	add_spike(1, 2000, 300, "young");
	look(80, 24);
	press('t');
	look(120, 40);
	keys_press(&seen.frame, '#');
	CHECK(strstr(look(120, 40), " blame by CPU, window all: 2 spikes: # by cause "), "%s", seen.text);
	CHECK(strstr(line_with("CPU 3: "), " 1288.0      2  CPU 3: old (RT90)"), "%s", seen.text);
	CHECK(strstr(line_with("CPU 4: "), "  12.00      2  CPU 4: unexplained"), "%s", seen.text);
	CHECK(strstr(look(80, 24), "blame CPU 3: old (RT90) 99 %"), "%s", seen.text);
	press('#');
	CHECK(shows("blame old (RT90) 76 %"), "%s", seen.text);
	seen_finish();
}

static void an_empty_list_says_why(void)
{
	seen_init(4);
	look(80, 24);
	press('t');
	CHECK(shows("no spike yet: the limit of a ring is that of --spike, or without it 20 us"), "%s",
		seen.text);
	keys_press(&seen.frame, KEY_CODE_ENTER);
	CHECK(seen.frame.message && is_on_top("spikes"));
	struct effect effect = keys_press(&seen.frame, '@');

	CHECK(effect.command.kind == COMMAND_NONE);
	snprintf(seen.session->machine.recorder, sizeof(seen.session->machine.recorder), "off");
	look(80, 24);
	CHECK(shows("nothing is recorded, so spikes have no cause"), "%s", seen.text);
	seen_finish();
}

/* Its end is the remedy. */
static void why_nothing_is_recorded_is_said_in_full(void)
{
	static const struct {
		unsigned columns, lines;
	} sizes[] = {{80, 24}, {80, 40}, {200, 60}};
	const char *end;

	seen_init(4);
	snprintf(seen.session->machine.recorder, sizeof(seen.session->machine.recorder), "off");
	snprintf(seen.session->machine.recorder_lacks, sizeof(seen.session->machine.recorder_lacks), "%s",
		"the kernel refuses BPF, though this process has the rights: a container has to be "
		"started with CAP_BPF and CAP_PERFMON, in the host's user namespace");
	look(80, 24);
	press('t');
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		look(sizes[i].columns, sizes[i].lines);
		end = strstr(seen.text, "namespace");
		CHECK(shows("no recorder: the kernel refuses BPF") && end && !strstr(end + 1, "namespace"),
			"%s", seen.text);
	}
	seen_finish();
}

static void enter_takes_a_spike_apart(void)
{
	seen_init_with(6);
	press('k');
	press(KEY_CODE_ENTER);
	CHECK(is_on_top("spike"));
	CHECK(shows("3>4 at 22:14:19") && shows("response 102us, above 20us"), "%s", seen.text);
	CHECK(shows("sent +96us by tid 200 (FF80) on CPU 3"), "%s", seen.text);
	CHECK(shows("due") && shows("sent") && shows("received") && shows("^0 "), "%s", seen.text);
	CHECK(shows(" CPU 3    AAAAAAAAAAAA"), "%s", seen.text);
	CHECK(shows("hog-a (RT90), tid 4711") && shows("recorded: 2"), "%s", seen.text);
	CHECK(shows("Enter Back") && shows("Left Right Spike"), "%s", seen.text);
	press(KEY_CODE_ARROW_RIGHT);
	CHECK(shows("response 101us"), "the next one: %s", seen.text);
	press(KEY_CODE_ARROW_LEFT);
	CHECK(shows("response 102us"), "%s", seen.text);
	press('j');
	CHECK(shows("response 102us"), "all of it is visible: %s", seen.text);
	press(KEY_CODE_ARROW_RIGHT);
	press(KEY_CODE_ENTER);
	CHECK(is_on_top("spikes") && marks("101.00"), "%s", seen.text);
	press(KEY_CODE_ENTER);
	press(KEY_CODE_ESCAPE);
	CHECK(is_on_top("spikes"));
	press(KEY_CODE_ESCAPE);
	CHECK(is_on_top("overview"));
	press(KEY_CODE_ENTER);
	CHECK(is_on_top("detail"), "Enter has its own meaning elsewhere");
	seen_finish();
}

/* A spike of 106 us, of which member 1 had the token from @hop_from_us to @hop_to_us. */
static void add_spike_of_hop(uint64_t hop_from_us, uint64_t hop_to_us)
{
	uint64_t due_ns = seen.session->now_ns - 1000 * US;
	struct spike_report report = {.spike = {.ring = 1,
					      .figure = FIGURE_RESPONSE,
					      .due_ns = due_ns,
					      .sent_ns = due_ns + 100 * US,
					      .received_ns = due_ns + 106 * US,
					      .seen_ns = due_ns + 107 * US,
					      .limit_ns = 20 * US,
					      .hop = 1,
					      .hop_from_ns = due_ns + hop_from_us * US,
					      .hop_to_ns = due_ns + hop_to_us * US,
					      .sender = sender,
					      .receiver = receiver}};
	const struct feed_item item = {FEED_SPIKE, report.spike.seen_ns, .spike = &report};

	CHECK(feed_session(seen.session, &item, NULL) == 0);
}

static void when_a_hop_was_over_it_was_passed_on_or_received(void)
{
	static const struct {
		uint64_t hop_from_us, hop_to_us;
		const char *sent, *over;
	} rows[] = {
		{40, 90, "sent +40us by tid 200", "passed on +90us by tid 201"},
		{0, 90, "sent before due by tid 200", "passed on +90us by tid 201"},
		{40, 106, "sent +40us by tid 200", "received +106us by tid 201"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		seen_init_with(0);
		add_spike_of_hop(rows[i].hop_from_us, rows[i].hop_to_us);
		look(80, 24);
		press(KEY_CODE_ENTER);
		look(120, 40);
		CHECK(is_on_top("spike") && shows(rows[i].sent) && shows(rows[i].over), "%s", seen.text);
		seen_finish();
	}
}

/* A spike with 100 records, one each us; the number of a record is its task's. */
static void add_long_spike(void)
{
	static struct flight_record records[100];
	uint64_t due_ns = seen.session->now_ns - 1000 * US;

	for (unsigned i = 0; i < 100; i++) {
		records[i] = (struct flight_record){.kind = FLIGHT_SWITCH,
			.cpu = 3,
			.at_ns = due_ns + i * US,
			.prev_tid = 1000 + (int)i,
			.prev_priority = 120,
			.next_tid = 1001 + (int)i,
			.next_priority = 120};
		snprintf(records[i].prev_name, sizeof(records[i].prev_name), "task");
		snprintf(records[i].next_name, sizeof(records[i].next_name), "task");
	}
	struct spike_report report = {.spike = {.ring = 1,
					      .figure = FIGURE_RESPONSE,
					      .due_ns = due_ns,
					      .sent_ns = due_ns + 100 * US,
					      .received_ns = due_ns + 106 * US,
					      .seen_ns = due_ns + 106 * US,
					      .limit_ns = 20 * US,
					      .sender = sender,
					      .receiver = receiver},
		.records = records,
		.n_records = 100};
	const struct feed_item item = {FEED_SPIKE, report.spike.seen_ns, .spike = &report};

	CHECK(feed_session(seen.session, &item, NULL) == 0);
}

/* The number behind "... " and before a word in the last line of the list; 0: there is none. */
static unsigned hidden(const char *word)
{
	const char *at = line_with("... ");
	unsigned number, other;
	char is[8], after[8] = "";
	int n = sscanf(at, " ... %u %7[a-z], %u %7s", &number, is, &other, after);

	return n >= 2 && strcmp(is, word) == 0 ? number : n == 4 && strcmp(after, word) == 0 ? other : 0;
}

static void what_was_recorded_scrolls_and_says_how_much_is_hidden(void)
{
	static const struct {
		unsigned columns, lines;
	} sizes[] = {{80, 24}, {120, 40}, {60, 15}, {40, 10}};

	seen_init_with(6);
	add_long_spike();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		unsigned columns = sizes[i].columns, lines = sizes[i].lines, below, page, pages = 1;

		look(columns, lines);
		keys_press(&seen.frame, KEY_CODE_LAST);
		keys_press(&seen.frame, KEY_CODE_ENTER);
		look(columns, lines);
		below = hidden("below");
		CHECK(is_on_top("spike") && below > 60 && !hidden("above"), "%u: %s", below, seen.text);
		keys_press(&seen.frame, KEY_CODE_ARROW_DOWN);
		look(columns, lines);
		CHECK(hidden("below") == below - 1 && hidden("above") == 1, "%s", seen.text);
		keys_press(&seen.frame, KEY_CODE_PAGE_DOWN);
		look(columns, lines);
		page = hidden("above") - 1;
		CHECK(page >= 1 && page <= lines, "%u: %s", page, seen.text);
		keys_press(&seen.frame, KEY_CODE_PAGE_UP);
		keys_press(&seen.frame, 'k');
		look(columns, lines);
		CHECK(hidden("below") == below && !hidden("above"), "%s", seen.text);
		for (; hidden("below") && pages < 200; pages++) {
			keys_press(&seen.frame, KEY_CODE_PAGE_DOWN);
			look(columns, lines);
		}
		CHECK(shows("task 1099 > task 1100") || columns < 60, "no page skips a line: %s", seen.text);
		keys_press(&seen.frame, KEY_CODE_FIRST);
		frame_press(&seen.frame, KEY_CODE_WHEEL_DOWN, 5, 5);
		look(columns, lines);
		CHECK(hidden("above") == WHEEL_LINES, "%s", seen.text);
		keys_press(&seen.frame, KEY_CODE_LAST);
		look(columns, lines);
		CHECK(hidden("above") == below && !hidden("below"), "%s", seen.text);
		keys_press(&seen.frame, KEY_CODE_ARROW_LEFT);
		look(columns, lines);
		keys_press(&seen.frame, KEY_CODE_ARROW_RIGHT);
		look(columns, lines);
		CHECK(hidden("below") == below && !hidden("above"), "it begins anew: %s", seen.text);
		keys_press(&seen.frame, KEY_CODE_ESCAPE);
	}
	seen_finish();
}

static void the_axis_shows_all_cpus_or_says_how_many_more_there_are(void)
{
	static const uint32_t cpus[] = {3, 7, 5};
	static const struct {
		unsigned columns, lines, n_cpus; /* of the screen; of the spike */
		const char *first, *second, *third;
	} rows[] = {
		{40, 10, 2, "\n CPU 3  ", "\n CPU 7  ", "\n          ^0"},
		{40, 10, 3, "\n CPU 3  ", "\n CPU 7  ", "\n +1 CPU   ^0"},
		{80, 24, 3, "\n CPU 3  ", "\n CPU 7  ", "\n CPU 5  "},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		seen_init_with(6);
		struct kept_spike *kept = &seen.session->spikes.last[seen.session->spikes.n_last - 1];

		kept->explanation->n_segments = rows[i].n_cpus;
		for (unsigned at = 0; at < rows[i].n_cpus; at++)
			kept->explanation->segments[at] =
				(struct segment){.from_ns = kept->spike.due_ns + at * 10 * US,
					.to_ns = kept->spike.due_ns + (at + 1) * 10 * US,
					.cause = {.kind = CAUSE_UNEXPLAINED, .cpu = cpus[at]}};
		press(KEY_CODE_ENTER);
		look(rows[i].columns, rows[i].lines);
		CHECK(shows(rows[i].first) && shows(rows[i].second) && shows(rows[i].third), "row %zu: %s", i,
			seen.text);
		seen_finish();
	}
}

static void a_hint_beside_records_leaves_them_their_place(void)
{
	seen_init(4);
	hints = (struct cpu_hints){.mhz = 800, .usual_mhz = 3400};
	add_spike(1, 2000, 212, "stress-ng-cpu");
	look(80, 24);
	press('t');
	press(KEY_CODE_ENTER);
	CHECK(shows("stress-ng-cpu 4711 (RT90) held CPU 3 for 202 us; hint: CPU 3 ran at 800 MHz") &&
			shows("recorded: 2") && !shows("as nothing was recorded"),
		"%s", seen.text);
	hints = (struct cpu_hints){0};
	seen_finish();
}

/* Its CPU's records were overwritten, but for some. */
static void of_a_spike_without_a_cause_the_records_are_shown_that_there_are(void)
{
	uint64_t due_ns;

	seen_init(4);
	due_ns = seen.session->now_ns - 1000 * US;
	const struct flight_record records[] = {
		{.kind = FLIGHT_TIMER, .cpu = 3, .at_ns = due_ns + 9 * US, .from_ns = due_ns + US},
		{.kind = FLIGHT_GAP, .cpu = 3, .at_ns = due_ns + 100 * US}};
	struct spike_report report = {.spike = {.ring = 1,
					      .figure = FIGURE_RESPONSE,
					      .due_ns = due_ns,
					      .sent_ns = due_ns + 100 * US,
					      .received_ns = due_ns + 100 * US,
					      .seen_ns = due_ns + 100 * US,
					      .sender = sender,
					      .receiver = receiver},
		.records = records,
		.n_records = 2};
	const struct feed_item item = {FEED_SPIKE, report.spike.seen_ns, .spike = &report};

	CHECK(feed_session(seen.session, &item, NULL) == 0);
	look(80, 24);
	press('t');
	press(KEY_CODE_ENTER);
	CHECK(shows("hints, as records are missing: none") && shows("recorded: 2"), "%s", seen.text);
	add_spike(2, 0, 150, NULL);
	press(KEY_CODE_ESCAPE);
	press('j');
	press(KEY_CODE_ENTER);
	CHECK(shows("hints, as nothing was recorded: none") && !shows("recorded: 1"), "%s", seen.text);
	seen_finish();
}

static void a_key_seeks_the_moment_of_the_spike(void)
{
	seen_init_with(6);
	press(KEY_CODE_FIRST);
	struct effect effect = keys_press(&seen.frame, '@');

	CHECK(effect.command.kind == COMMAND_SEEK && effect.command.by_ns == -5000000000 + 106000, "%lld",
		(long long)effect.command.by_ns);
	seen_finish();
}

static void a_click_selects_and_a_second_one_takes_apart(void)
{
	seen_init_with(6);
	frame_press(&seen.frame, KEY_CODE_CLICK, 5, 4);
	look(80, 24);
	CHECK(marks("105.00"), "%s", seen.text);
	frame_press(&seen.frame, KEY_CODE_CLICK, 5, 4);
	look(80, 24);
	CHECK(is_on_top("spike") && shows("response 105us"), "%s", seen.text);
	seen_finish();
}

/* The longest of the last ten seconds, beside as many events. */
static void overview_and_detail_show_the_longest_recent_ones(void)
{
	seen_init(4);
	add_spike(0, 30000, 9000, "old");
	for (unsigned i = 0; i < 40; i++)
		add_spike(i % 4, 9000 - 100 * i, i == 7 ? 500 : 100 + i % 3, i == 7 ? "longest" : "hog");
	look(80, 24);
	CHECK(shows(" events (0), spikes (41) ") && shows("500.00us: longest") && !shows("old"), "%s",
		seen.text);
	for (unsigned i = 0; i < 40; i++)
		fake_event(seen.session, EVENT_WARNING, -1, "members are throttled");
	look(80, 24);
	CHECK(shows("members are throttled") && shows("500.00us: longest"), "%s", seen.text);
	press(KEY_CODE_ENTER);
	CHECK(is_on_top("detail") && shows("last spike 22:14:"), "%s", seen.text);
	seen_finish();
}

static unsigned count_seconds(size_t row, const bool *passes, unsigned *first)
{
	bool seconds[SECONDS_KEPT];
	unsigned n = 0;

	heat_spike_seconds(seen.session, row, passes, seconds);
	for (unsigned back = SECONDS_KEPT; back-- > 0;)
		if (seconds[back]) {
			*first = back;
			n++;
		}
	return n;
}

/* The newest second began just now; a spike whose cause is not known has no mark. */
static void seconds_with_a_known_cause_are_marked(void)
{
	bool passes[4] = {true, false, true, true};
	unsigned first = 0;
	char title[128];

	seen_init(4);
	size_t all = seen.session->groups[0].row;
	seen.session->seconds.start_ns = seen.session->now_ns - UINT64_C(20000000000);
	seen.session->seconds.first = seen.session->seconds.second = 20;
	add_spike(1, 900, 200, "hog");
	add_spike(1, 800, 200, "hog");
	add_spike(1, 2500, 200, "hog");
	add_spike(2, 4500, 200, "hog");
	add_spike(3, 5500, 200, NULL);
	CHECK(count_seconds(1, NULL, &first) == 2 && first == 1, "from %u", first);
	CHECK(count_seconds(2, NULL, &first) == 1 && first == 5, "at %u", first);
	CHECK(count_seconds(3, NULL, &first) == 0 && count_seconds(0, NULL, &first) == 0);
	CHECK(count_seconds(all, NULL, &first) == 3 && first == 1);
	CHECK(count_seconds(all, passes, &first) == 1 && first == 5, "without ring 1");
	look(120, 40);
	CHECK(shows("^ phases, * spikes with a cause "), "%s", seen.text);
	press(KEY_CODE_ENTER);
	CHECK(is_on_top("detail") && !shows("* spikes with a cause"), "that of ring 0: %s", seen.text);
	heat_write_title(seen.session, 1, 120, "lap, us: ", true, title, sizeof(title));
	CHECK(strcmp(title, " lap, us: a column a second of its turns, ^ phases, * spikes with a cause ") ==
			0,
		"%s", title);
	heat_write_title(seen.session, 1, 70, "lap, us: ", true, title, sizeof(title));
	CHECK(strcmp(title, " lap, us: seconds of its turns, ^ phases, * spikes with a cause ") == 0, "%s",
		title);
	seen_finish();
}

/* Also where later spikes took their places among those that are kept. */
static void all_seconds_of_the_heat_map_keep_their_marks(void)
{
	unsigned first = 0;

	seen_init(4);
	seen.session->now_ns += UINT64_C(300000000000);
	seen.session->seconds.start_ns = seen.session->now_ns - UINT64_C(300000000000);
	seen.session->seconds.first = seen.session->seconds.second = 300;
	for (unsigned s = 299; s > 0; s--)
		add_spike(1, s * 1000, 900 - s, "hog");
	for (unsigned i = 0; i < 300; i++)
		add_spike(2, 500, 1000, "hog");
	CHECK(count_seconds(1, NULL, &first) == SECONDS_KEPT - 1 && first == 1, "%u, from %u",
		count_seconds(1, NULL, &first), first);
	seen_finish();
}

static void the_header_names_the_recorder_where_there_is_room(void)
{
	seen_init(4);
	snprintf(seen.session->machine.recorder, sizeof(seen.session->machine.recorder), "bpf");
	CHECK(strstr(look(200, 60), "recorder bpf"), "%s", seen.text);
	CHECK(!strstr(look(80, 24), "recorder"), "%s", seen.text);
	seen_finish();
}

static void the_header_says_why_the_longest_response_was_long(void)
{
	seen_init(4);
	add_spike(1, 2000, 300, "hog");
	const struct spike *spike = &seen.session->spikes.last[0].spike;
	struct session_figure *worst = &seen.session->rings[1].figures[FIGURE_RESPONSE];

	worst->phase_max_ns = UINT64_C(1) << 50;
	worst->phase_max_at_ns = spike->received_ns;
	CHECK(!strstr(look(200, 60), "why: "), "it is another one: %s", seen.text);
	worst->phase_max_ns = spike_length_ns(spike);
	for (unsigned i = 0; i < 4; i++)
		if (i != 1)
			seen.session->rings[i].figures[FIGURE_RESPONSE].phase_max_ns = 1;
	CHECK(strstr(look(200, 60), "worst response 1>2 300.00 at 22:14:1") && shows("  why: hog (RT90)"),
		"%s", seen.text);
	seen.session->spikes.last[0].explanation->explained_ns = 0;
	seen.session->spikes.worst[0].explanation->explained_ns = 0;
	CHECK(strstr(look(200, 60), "  why: unexplained"), "%s", seen.text);
	seen.session->spikes.last[0].explanation->is_complete = false;
	seen.session->spikes.worst[0].explanation->is_complete = false;
	CHECK(!strstr(look(200, 60), "why: "), "%s", seen.text);
	seen_finish();
}

/* Rings that are gone, causes without records, all lengths. */
static void every_size_is_drawn_within_its_bounds(void)
{
	static const unsigned widths[] = {39, 40, 41, 59, 60, 80, 120, 159, 160, 200, 300};
	static const unsigned heights[] = {9, 10, 11, 12, 13, 16, 24, 29, 30, 40, 60, 100};

	seen_init(4);
	for (unsigned i = 0; i < SPIKES_KEPT + 9; i++)
		add_spike(i % 6, 40000 - i, i % 7 ? 20 + i * i * i : UINT64_C(3000000000),
			i % 5 ? "kworker/u16:3-ev" : NULL);
	look(80, 24);
	keys_press(&seen.frame, 't');
	for (unsigned w = 0; w < sizeof(widths) / sizeof(*widths); w++) {
		for (unsigned h = 0; h < sizeof(heights) / sizeof(*heights); h++) {
			seen.canvas.ascii = (w + h) % 2;
			for (unsigned i = 0; i < 8; i++) {
				keys_press(&seen.frame, "k!>\rjg<\r"[i]);
				look(widths[w], heights[h]);
				for (size_t c = 0; c < (size_t)widths[w] * heights[h]; c++)
					CHECK(seen.canvas.cells[c].style < N_STYLES);
				CHECK(widths[w] < 40 || heights[h] < 10 ||
						(!seen.canvas.n_cut && !seen.canvas.n_overlaps),
					"%ux%u, %u cut, %u over others:\n%s", widths[w], heights[h],
					seen.canvas.n_cut, seen.canvas.n_overlaps, seen.text);
			}
		}
	}
	seen_finish();
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		abort();
	TEST(a_line_has_time_ring_length_and_cause);
	TEST(the_selection_stays_while_others_come);
	TEST(a_spike_that_is_taken_apart_stays);
	TEST(a_spike_that_is_reported_again_stays_selected);
	TEST(the_newest_is_followed_from_the_end);
	TEST(one_key_sorts_by_length_and_one_finds_the_longest);
	TEST(the_longest_are_those_of_the_window);
	TEST(the_filter_of_rows_hides_spikes_and_their_blame);
	TEST(the_blame_is_of_the_window);
	TEST(one_key_ranks_cpus);
	TEST(an_empty_list_says_why);
	TEST(why_nothing_is_recorded_is_said_in_full);
	TEST(enter_takes_a_spike_apart);
	TEST(when_a_hop_was_over_it_was_passed_on_or_received);
	TEST(what_was_recorded_scrolls_and_says_how_much_is_hidden);
	TEST(the_axis_shows_all_cpus_or_says_how_many_more_there_are);
	TEST(a_hint_beside_records_leaves_them_their_place);
	TEST(of_a_spike_without_a_cause_the_records_are_shown_that_there_are);
	TEST(a_key_seeks_the_moment_of_the_spike);
	TEST(a_click_selects_and_a_second_one_takes_apart);
	TEST(overview_and_detail_show_the_longest_recent_ones);
	TEST(seconds_with_a_known_cause_are_marked);
	TEST(all_seconds_of_the_heat_map_keep_their_marks);
	TEST(the_header_names_the_recorder_where_there_is_room);
	TEST(the_header_says_why_the_longest_response_was_long);
	TEST(every_size_is_drawn_within_its_bounds);
	return tap_done();
}
