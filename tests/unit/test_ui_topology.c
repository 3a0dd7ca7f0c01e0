/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_topology.c - the view of the machine's parts: what is inside each, folding, and the way to the
 * rings. */
#include <locale.h>

#include "src/machine/cpu_activity.h"
#include "src/model/spikes.h"
#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/draw/key_code.h"
#include "ui/frame/keys.h"

static void press(uint32_t code)
{
	keys_press(&seen.frame, code);
	look(100, 40);
}

/* Pairs on 8 CPUs of two packages: 0>0, 1>1, .. and the last one from 3 to 2, as the fixture's have both
 * members on one CPU. */
static void seen_init_on_8_cpus(size_t n_rings)
{
	seen_init(n_rings);
	struct session_ring *last = &seen.session->rings[n_rings - 1];

	last->cpus[0] = 3;
	last->cpus[1] = 2;
	fact_rows_release(seen.session->machine.cpu_parts);
	seen.session->machine.cpu_parts =
		fact_rows_parse("0-1:0,0,0,0,0 2-3:0,0,0,2,2 4-5:4,1,4,4,4 6-7:4,1,4,6,6");
	strcpy(seen.session->machine.isolated, "2-7");
	strcpy(seen.session->machine.nohz_full, "2-3");
	look(100, 40);
	press('T');
}

/* The line of a part, after its sign, without blanks in front. */
static const char *line_of(const char *name)
{
	const char *at = strstr(seen.text, name);

	return at ? line_with(name) : "";
}

static const char *marked(void)
{
	const char *line = marked_line();

	return *line ? line + 1 + strspn(line + 1, " -+") : line;
}

static bool marks(const char *name)
{
	return strncmp(marked(), name, strlen(name)) == 0;
}

/* The number in the column n of a part. */
static unsigned long samples_of(const char *name)
{
	const char *line = line_of(name);
	unsigned long n = 0;
	char spikes[16];
	const char *end = line + strlen(line);
	int words = 0;

	while (end > line && words < 2) {
		while (end > line && end[-1] == ' ')
			end--;
		while (end > line && end[-1] != ' ')
			end--;
		words++;
	}
	CHECK(sscanf(end, "%lu %15s", &n, spikes) == 2, "%s: %s", name, line);
	return n;
}

static unsigned long samples_of_ring(size_t i)
{
	return (unsigned long)seen.session->rings[i].figures[FIGURE_FIRST].hist.n;
}

static void each_part_sums_the_rings_inside(void)
{
	seen_init_on_8_cpus(5);
	CHECK(is_on_top("topology") && marks("machine"), "%s", seen.text);
	CHECK(shows("package 0 node 0 L3") && shows("package 1 node 1 L3") && shows("core 3 L2"), "%s",
		seen.text);
	unsigned long all = 0;

	for (size_t i = 0; i < 5; i++)
		all += samples_of_ring(i);
	CHECK(samples_of("machine ") == all, "%lu of %lu", samples_of("machine "), all);
	CHECK(samples_of("package 0 node") == all, "%s", seen.text);
	CHECK(samples_of("CPU 1 ") == samples_of_ring(1));
	CHECK(samples_of("core 0 L2") == samples_of_ring(0) + samples_of_ring(1));
	CHECK(samples_of("core 1 L2") == samples_of_ring(2) + samples_of_ring(3) + samples_of_ring(4));
	CHECK(samples_of("CPU 3 ") == samples_of_ring(3), "3>2 is in no CPU: %s", seen.text);
	CHECK(samples_of("package 1 node") == 0);
	seen_finish();
}

static void flags_say_how_many_cpus_are_isolated(void)
{
	seen_init_on_8_cpus(2);
	CHECK(strstr(line_of("machine "), " isol 6/8 n"), "%s", line_of("machine "));
	CHECK(strstr(line_of("CPU 2 "), " isol nohz "), "%s", line_of("CPU 2 "));
	CHECK(strstr(line_of("CPU 4 "), " isol  ") && !strstr(line_of("CPU 4 "), "nohz"), "%s",
		line_of("CPU 4 "));
	CHECK(!strstr(line_of("CPU 1 "), "isol"), "%s", line_of("CPU 1 "));
	strcpy(seen.session->machine.isolated, "0,2,4,...");
	look(100, 40);
	CHECK(strstr(line_of("CPU 2 "), " ? "), "a list that is cut: %s", line_of("CPU 2 "));
	seen_finish();
}

static void parts_are_folded_alone_or_all_of_a_level(void)
{
	seen_init_on_8_cpus(2);
	press('j');
	CHECK(marks("package 0 node 0 L3"), "%s", marked());
	press('f');
	CHECK(marks("package 0") && strchr(marked() - 2, '+') && !shows("CPU 0 ") && shows("CPU 4 "), "%s",
		seen.text);
	press('j');
	CHECK(marks("package 1 node 1 L3"), "%s", marked());
	press('k');
	press('f');
	CHECK(shows("CPU 0 "), "%s", seen.text);
	press('j');
	press('j');
	CHECK(marks("CPU 0"), "%s", marked());
	press('f');
	CHECK(marks("core 0 L2") && !shows("CPU 1 ") && shows("CPU 2 "), "of a CPU its core: %s", seen.text);
	press('F');
	CHECK(shows("CPU 0 ") && shows("CPU 7 "), "%s", seen.text);
	press('F');
	CHECK(!shows("CPU ") && shows("core 3 L2") && marks("core 0 L2"), "%s", seen.text);
	press('G');
	CHECK(marks("core 3 L2"), "%s", marked());
	press('k');
	press('k');
	CHECK(marks("package 1"), "%s", marked());
	press('f');
	press('g');
	CHECK(marks("machine"), "%s", marked());
	press('f');
	CHECK(!shows("package ") && marks("machine"), "%s", seen.text);
	press('f');
	CHECK(shows("package 1") && !shows("core 2"), "what was folded stays so: %s", seen.text);
	seen_finish();
}

static void enter_shows_the_rings_inside(void)
{
	seen_init_on_8_cpus(5);
	press('/');
	for (const char *at = "mq\r"; *at; at++)
		press((unsigned char)*at);
	for (int i = 0; i < 20 && !marks("core 1 L2"); i++)
		press('j');
	CHECK(shows(" core 1 L2, CPUs 2-3: Enter shows 3 pairs "), "%s", seen.text);
	press(KEY_CODE_ENTER);
	CHECK(is_on_top("overview") && shows("filter mq in:2-3 (3 of 5)"), "%s", seen.text);
	press('T');
	CHECK(marks("core 1 L2") && samples_of("CPU 0 ") == samples_of_ring(0), "the others stay: %s",
		seen.text);
	press('G');
	press(KEY_CODE_ENTER);
	CHECK(is_on_top("topology") && shows("no ring has all its members in CPU 7"), "%s", seen.text);
	press('g');
	press(KEY_CODE_ENTER);
	CHECK(is_on_top("overview") && shows("filter mq (5 of 5)"), "%s", seen.text);
	seen_finish();
}

/* The last pair is the slowest of the fixture's. */
static void the_worst_is_the_smallest_part_with_the_longest_time(void)
{
	seen_init_on_8_cpus(5);
	press('j');
	press('f');
	CHECK(!shows("core 1"), "%s", seen.text);
	press('!');
	CHECK(marks("core 1 L2") && shows("CPU 3 "), "%s", seen.text);
	fake_sample(&seen.session->rings[1].figures[FIGURE_FIRST], 900000000, 1, seen.session->now_ns);
	look(100, 40);
	press('!');
	CHECK(marks("CPU 1"), "%s", seen.text);
	seen_finish();
	seen_init_on_8_cpus(1);
	fake_replace(&seen.session->rings[0].label, "3>2");
	hist_reset(&seen.session->rings[0].figures[FIGURE_FIRST].hist);
	look(100, 40);
	press('!');
	CHECK(marks("machine"), "without a sample: %s", seen.text);
	seen_finish();
}

static void the_time_of_a_spike_is_that_of_its_cpus(void)
{
	struct kept_spike *spikes = calloc(SPIKES_KEPT, sizeof(*spikes));

	seen_init_on_8_cpus(2);
	for (size_t i = 0; i < 2; i++) {
		spikes[i].spike = (struct spike){.ring = (uint32_t)i,
			.due_ns = seen.session->now_ns - 9000000,
			.received_ns = seen.session->now_ns - 8000000};
		spikes[i].explanation = calloc(1, sizeof(*spikes[i].explanation));
		*spikes[i].explanation = (struct explanation){.length_ns = 200, .n_segments = 1};
		spikes[i].explanation->segments[0] = (struct segment){100, i ? 200 : 400, {.cpu = i ? 6 : 0}};
	}
	seen.session->spikes.last = spikes;
	seen.session->spikes.n_last = 2;
	look(100, 40);
	CHECK(shows("SPIKES: share of 2 spikes' time"), "%s", seen.text);
	CHECK(strstr(line_of("machine "), " 100%") && strstr(line_of("package 0"), " 75%") &&
			strstr(line_of("CPU 6 "), " 25%") && strstr(line_of("core 3 "), " 25%") &&
			strstr(line_of("CPU 1 "), " 0%"),
		"%s", seen.text);
	seen_finish();
}

/* CPU 0 does nothing, CPU 1 has a task of FIFO 90, and nothing is known of CPU 3. */
static void what_cpus_do_is_shown_while_it_is_known(void)
{
	struct cpu_now cpus[4] = {
		{true, 25, 0, 10, 3400, "C1_ACPI", "", {0}, 0},
		{true, 1000, 4, 2000, 0, "", "hog", {SCHED_FIFO, 90}, 3},
		{true, 500, 0, 0, 1200, "haltpoll idle", "make", {SCHED_OTHER, 0}, 1},
		{.interrupts_hz = UINT64_MAX},
	};
	const struct cpu_activity activity = {.cpus = cpus, .n = 4};

	seen_init_on_8_cpus(2);
	CHECK(!shows("BUSY%") && !shows("NOW"), "%s", seen.text);
	seen.frame.activity = &activity;
	look(200, 40);
	CHECK(shows(" BUSY%   MHz            IDLE  irq/s STEAL% RINGS"), "%s", seen.text);
	CHECK(strstr(line_of("CPU 0 "), "   2.5  3400         C1_ACPI     10    0.0 "), "%s",
		line_of("CPU 0 "));
	CHECK(strstr(line_of("CPU 1 "), " 100.0     -               -   2000    0.4 ") &&
			strstr(line_of("CPU 1 "), " hog FF90 +2"),
		"%s", line_of("CPU 1 "));
	CHECK(strstr(line_of("CPU 2 "), "  50.0  1200   haltpoll idle      0 ") &&
			strstr(line_of("CPU 2 "), " make"),
		"%s", line_of("CPU 2 "));
	CHECK(strstr(line_of("CPU 3 "), "     -     -               -      -      - "), "%s",
		line_of("CPU 3 "));
	CHECK(strstr(line_of("CPU 7 "), "     -     -               -      -      - "), "%s",
		line_of("CPU 7 "));
	CHECK(strstr(line_of("core 0 "), "  51.2                         2010    0.2 "), "%s",
		line_of("core 0 "));
	CHECK(strstr(line_of("core 1 "), "  50.0                            0 "),
		"of those that are known: %s", line_of("core 1 "));
	look(80, 24);
	CHECK(shows(" BUSY%  irq/s     p50     p99     Max       n SPIKES"), "%s", seen.text);
	look(90, 24);
	CHECK(shows(" BUSY%  irq/s     p50     p99     Max SPIKES NOW") &&
			strstr(line_of("CPU 1 "), " hog FF90 +2"),
		"%s", seen.text);
	for (unsigned columns = 40; columns <= 240; columns += 7)
		CHECK(look(columns, 24) && !seen.canvas.n_cut && !seen.canvas.n_overlaps, "%u\n%s", columns,
			seen.text);
	seen_finish();
}

static void boxes_are_below_the_tree_where_they_fit(void)
{
	struct cpu_now cpus[2] = {{true, 25, 0, 10, 3400, "C1", "", {0}, 0}, {.interrupts_hz = UINT64_MAX}};
	const struct cpu_activity activity = {.cpus = cpus, .n = 2};

	seen_init_on_8_cpus(5);
	look(160, 60);
	CHECK(shows("+package 0 node 0 L3-") && shows("|+core 0 L2-") && shows("++CPU 3------+|"), "%s",
		seen.text);
	CHECK(shows("||p99    1.51||p99") && !shows("|BUSY%"), "%s", seen.text);
	seen.frame.activity = &activity;
	look(160, 60);
	CHECK(shows("|BUSY%   2.5||BUSY%     -|"), "%s", seen.text);
	seen.frame.activity = NULL;
	press('j');
	press('f');
	look(160, 60);
	CHECK(shows("+package 0 node 0 L3++package 1 node 1 L3-") && !shows("CPU 3"),
		"what is folded is a box: %s", seen.text);
	press('k');
	press('f');
	look(160, 60);
	CHECK(!shows("+package"), "%s", seen.text);
	press('f');
	look(160, 16);
	CHECK(!shows("+package"), "%s", seen.text);
	look(30, 60);
	CHECK(!shows("+package"), "%s", seen.text);
	seen_finish();
}

/* 128 CPUs: small parts have no frames of their own, and the tree keeps some lines. */
static void boxes_of_many_cpus_leave_frames_out(void)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	seen_init(40);
	for (int i = 0; i < 128; i++)
		fprintf(out, "%s%d:%d,%d,%d,%d,%d", i ? " " : "", i, i / 64 * 64, i / 64, i / 16 * 16, i & ~1,
			i & ~1);
	fclose(out);
	seen.session->machine.cpu_parts = fact_rows_parse(text);
	free(text);
	look(100, 40);
	press('T');
	CHECK(!shows("+CPU"), "%s", seen.text);
	look(200, 60);
	CHECK(shows("+package 0 node 0-") && shows("+CPU 127-") && !shows("+core"), "%s", seen.text);
	CHECK(marks("machine") && shows("- L3 0"), "%s", seen.text);
	for (unsigned columns = 100; columns <= 300; columns += 23)
		CHECK(look(columns, 70) && !seen.canvas.n_cut && !seen.canvas.n_overlaps, "%u\n%s", columns,
			seen.text);
	seen_finish();
}

static void without_parts_it_says_so(void)
{
	seen_init(2);
	look(100, 40);
	press('T');
	CHECK(is_on_top("topology") && shows("the parts of the machine are not known"), "%s", seen.text);
	for (const char *keys = "jkGgfF\r"; *keys; keys++)
		press((unsigned char)*keys);
	CHECK(is_on_top("topology"));
	press('T');
	CHECK(is_on_top("overview"));
	seen_finish();
}

static void it_fits_any_screen(void)
{
	seen_init_on_8_cpus(5);
	for (unsigned columns = 20; columns <= 240; columns += 13)
		for (unsigned lines = 5; lines <= 80; lines += 5)
			CHECK(look(columns, lines) && !seen.canvas.n_cut && !seen.canvas.n_overlaps,
				"%u x %u: %u cut, %u over others\n%s", columns, lines, seen.canvas.n_cut,
				seen.canvas.n_overlaps, seen.text);
	seen_finish();
}

/* 576 CPUs: all of them are reached. */
static void a_large_machine_scrolls(void)
{
	size_t size, n = 0;
	char *text;
	FILE *out = open_memstream(&text, &size);

	seen_init(40);
	for (int i = 0; i < 576; i++)
		fprintf(out, "%s%d:%d,%d,%d,%d,%d", i ? " " : "", i, i / 288 * 288, i / 72, i / 12 * 12,
			i & ~1, i & ~1);
	fclose(out);
	seen.session->machine.cpu_parts = fact_rows_parse(text);
	free(text);
	look(100, 40);
	press('T');
	press('G');
	CHECK(marks("CPU 575"), "%s", seen.text);
	for (press('g'); !marks("CPU 575") && n < 2000; n++)
		press('j');
	CHECK(n + 1 == 1 + 2 + 8 + 48 + 288 + 576, "%zu lines", n + 1);
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(each_part_sums_the_rings_inside);
	TEST(flags_say_how_many_cpus_are_isolated);
	TEST(parts_are_folded_alone_or_all_of_a_level);
	TEST(enter_shows_the_rings_inside);
	TEST(the_worst_is_the_smallest_part_with_the_longest_time);
	TEST(the_time_of_a_spike_is_that_of_its_cpus);
	TEST(what_cpus_do_is_shown_while_it_is_known);
	TEST(boxes_are_below_the_tree_where_they_fit);
	TEST(boxes_of_many_cpus_leave_frames_out);
	TEST(without_parts_it_says_so);
	TEST(it_fits_any_screen);
	TEST(a_large_machine_scrolls);
	return tap_done();
}
