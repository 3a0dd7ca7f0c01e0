/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_pictures.c - pictures at 800 pixels: texts that fit, and columns of seconds. */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/run.h"
#include "tests/golden/sweep.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"
#include "ui/pictures/page.h"
#include "ui/pictures/picture.h"
#include "ui/pictures/scale.h"

enum { WIDTH = 800 };

static void times_of_an_axis_are_short(void)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {
		{1, "1 ns"},
		{200, "200 ns"},
		{999, "999 ns"},
		{1000, "1 us"},
		{1500, "1.5 us"},
		{9960, "10 us"},
		{12500, "12 us"},
		{65e6, "65 ms"},
		{2e9, "2 s"},
		{500e9, "500 s"},
		{1000e9, "1000 s"},
		{5000e9, "5000 s"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[32];

		scale_time(text, sizeof(text), cases[i].ns);
		CHECK(strcmp(text, cases[i].text) == 0, "case %zu: %s", i, text);
	}
}

static void texts_are_cut_to_their_width(void)
{
	static const struct {
		const char *text;
		enum svg_font font;
		double width;
		const char *cut;
	} cases[] = {
		{"", SVG_FONT_PLAIN, 0, ""},
		{"iiii", SVG_FONT_PLAIN, 100, "iiii"},
		{"iiii", SVG_FONT_PLAIN, 13.5, "iiii"}, /* 0.28 of 12 pixels each */
		{"iiiiiiiiii", SVG_FONT_PLAIN, 20, "ii\u2026"},
		{"mmmmmmmmmm", SVG_FONT_PLAIN, 40, "mm\u2026"},
		{"mmmmmmmmmm", SVG_FONT_TITLE, 40, "m\u2026"},
		{"\u4e2d\u4e2d\u4e2d\u4e2d", SVG_FONT_PLAIN, 36, "\u4e2d\u4e2d\u2026"},
		{"abc", SVG_FONT_PLAIN, 5, "\u2026"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char cut[SVG_TEXT_SIZE];

		svg_cut(cases[i].text, cases[i].font, cases[i].width, cut);
		CHECK(strcmp(cut, cases[i].cut) == 0, "case %zu: %s", i, cut);
	}
}

static void a_text_longer_than_its_memory_is_cut_between_letters(void)
{
	char text[4 * SVG_TEXT_SIZE + 1], cut[SVG_TEXT_SIZE];

	for (size_t i = 0; i + 1 < sizeof(text); i += 2)
		memcpy(text + i, "\u00e9", 3);
	svg_cut(text, SVG_FONT_SMALL, 1e6, cut);
	size_t length = strlen(cut);

	CHECK(length > SVG_TEXT_SIZE - 12 && length % 2 == 1); /* the ellipsis has three bytes */
	CHECK(strcmp(cut + length - 3, "\u2026") == 0);
}

static struct made_run *run_of(const char *story)
{
	struct made_run *run = made_run_create(run_story(story), 0, 0);

	while (made_run_step(run, NULL))
		;
	return run;
}

static char *draw(const struct session *session)
{
	const struct page_choice choice = {.figure = FIGURE_FIRST};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out || page_print_svg(session, &choice, out) < 0 || fclose(out) != 0)
		abort();
	return text;
}

/* Each text of a picture, as a browser draws it in a wide font, is within the picture. */
static void check_texts(const char *svg)
{
	for (const char *at = svg; (at = strstr(at, "<text x=\"")); at++) {
		double x = strtod(at + strlen("<text x=\""), NULL);
		const char *begin = strchr(at, '>') + 1, *end = strstr(begin, "</text>");
		char *text = strndup(begin, (size_t)(end - begin)), *class = strstr(at, "class=\"");
		bool is_title = strncmp(class, "class=\"ink title", 16) == 0;
		double width = svg_text_width(text, is_title ? SVG_FONT_TITLE : SVG_FONT_SMALL);
		bool is_start = strstr(at, "anchor=\"start") && strstr(at, "anchor=\"start") < begin;

		CHECK(!is_start || x + width <= WIDTH, "%g + %g: %s", x, width, text);
		free(text);
	}
}

static void a_long_name_does_not_run_over_the_edge(void)
{
	char name[] = "WWWWWWWWWW - MMMMMMMMMM - WWWWWWWWWW - MMMMMMMMMM - WWWWWWWWWW - MMMMMMMMMM";
	struct made_run *run = run_of("spikes");
	struct session_ring *rings = made_run_session(run)->rings;
	char *labels[64], *svg;
	size_t n = made_run_session(run)->n_rings;

	for (size_t i = 0; i < n; i++) {
		labels[i] = rings[i].label;
		rings[i].label = name;
	}
	svg = draw(made_run_session(run));
	CHECK(strstr(svg, "The longest spike: mq WWW"));
	check_texts(svg);
	for (size_t i = 0; i < n; i++)
		rings[i].label = labels[i];
	free(svg);
	made_run_destroy(run);
}

static void a_long_name_of_a_phase_does_not_hide_the_curves(void)
{
	struct made_run *run = run_of("spikes");
	struct phase *phases = made_run_session(run)->phases.list;
	char *svg, *at;

	memset(phases[0].name, 'W', PHASE_NAME_SIZE - 1);
	svg = draw(made_run_session(run));
	at = strstr(svg, ">A: WWW");
	CHECK(at && strchr(at, '<') && strncmp(strchr(at, '<') - 3, "\u2026", 3) == 0, "it is cut");
	if (at) {
		char *text = strndup(at + 1, strcspn(at + 1, "<"));

		CHECK(svg_text_width(text, SVG_FONT_SMALL) < WIDTH * 0.45, "%s", text);
		free(text);
	}
	free(svg);
	made_run_destroy(run);
}

/* Otherwise the line would be cut before the host. */
static void many_mechanisms_are_counted_in_the_head(void)
{
	static char names[7][2] = {"a", "b", "c", "d", "e", "f", "g"};
	struct made_run *run = run_of("spikes");
	struct session session = *made_run_session(run);

	for (size_t i = 0; i < 7; i++)
		session.mechanisms[i] = names[i];
	for (session.n_mechanisms = 6; session.n_mechanisms <= 7; session.n_mechanisms++) {
		char *svg = draw(&session);

		CHECK(strstr(svg, session.n_mechanisms > 6 ? ">7 mechanisms: " : ">a, b, c, d, e, f: "));
		free(svg);
	}
	made_run_destroy(run);
}

static void a_run_without_samples_says_so(void)
{
	struct made_run *run = made_run_create(run_story("spikes"), 0, 0);
	char *svg = draw(made_run_session(run));

	CHECK(strstr(svg, "There are no samples."));
	free(svg);
	made_run_destroy(run);
}

static char *report(const struct session *session)
{
	const struct page_choice choice = {.figure = FIGURE_FIRST};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out || page_print_html(session, &choice, out) < 0 || fclose(out) != 0)
		abort();
	return text;
}

static void a_report_says_how_many_repeats_would_do(void)
{
	struct session sweep;

	if (!made_sweep(&sweep, "sweep-8-changed"))
		abort();
	char *page = report(&sweep);

	CHECK(strstr(page, "Changes from phase 1 (A) to phase 2 (B)"));
	CHECK(strstr(page, ">hop p50: 12 repeats would show 5 %, A has 5, B 4</p>"));
	free(page);
	session_finish(&sweep);
}

/* Of two rings, of which one did not run in A. */
static void a_report_says_what_a_ring_of_too_few_samples_lacks(void)
{
	struct fixture *f = fixture_create(2, 1000000);

	for (unsigned tick = 0; tick < 80; tick++) {
		if (tick == 40)
			CHECK(session_phases_begin(&f->session, "later", 0) == 0);
		for (size_t i = 0; i < (tick < 40 ? 1 : 2); i++) {
			fixture_sample(f, i, FIGURE_FIRST, 4000, 300);
			fixture_sample(f, i, FIGURE_RESPONSE, 4000, 300);
			f->rings[i].active_ns = FIXTURE_TICK_NS;
		}
		CHECK(fixture_feed(f) == 0);
	}
	CHECK(session_phases_settle(&f->session) == 0);
	char *page = report(&f->session);

	CHECK(strstr(page, "too few: did not run in A</p>"), "%s", strstr(page, "<h2>Verdict"));
	free(page);
	fixture_destroy(f);
}

int main(void)
{
	TEST(times_of_an_axis_are_short);
	TEST(texts_are_cut_to_their_width);
	TEST(a_text_longer_than_its_memory_is_cut_between_letters);
	TEST(a_long_name_does_not_run_over_the_edge);
	TEST(a_long_name_of_a_phase_does_not_hide_the_curves);
	TEST(many_mechanisms_are_counted_in_the_head);
	TEST(a_run_without_samples_says_so);
	TEST(a_report_says_how_many_repeats_would_do);
	TEST(a_report_says_what_a_ring_of_too_few_samples_lacks);
	return tap_done();
}
