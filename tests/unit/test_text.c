/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_text.c - text of others reaches a terminal only as what it is: text.
 *
 * `test_text --hostile N FILE` writes a recording with commands for a terminal in every text that it has, for
 * tests of the program; N is the kind of command. It fails where there are no more kinds. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/error_text.h"
#include "src/base/text.h"
#include "src/model/feed.h"
#include "src/recording/entry.h"
#include "src/recording/record.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static void what_commands_a_terminal_becomes_question_marks(void)
{
	static const struct {
		const char *text, *clean;
	} rows[] = {
		{"", ""},
		{"plain", "plain"},
		{"d\u00e9j\u00e0 vu \u2192 \u65e5\U0001f600", "d\u00e9j\u00e0 vu \u2192 \u65e5\U0001f600"},
		{"\x1b]0;title\a", "?]0;title?"},
		{"a\r\n\tb\x7f", "a???b?"},
		{"\x9b"
		 "31m",
			"?31m"}, /* C1 as a byte */
		{"\xc2\x80|\xc2\x9b"
		 "31m|\xc2\x9f",
			"?|?31m|?"},                             /* C1 in UTF-8 */
		{"\u061c|\u200e|\u200f|\u200d", "?|?|?|\u200d"}, /* marks of a direction, and a joiner */
		{"\u202a\u202b\u202c\u202d\u202e", "?????"},
		{"\u2066\u2067\u2068\u2069|\u206a", "????|\u206a"},
		{"\u2027\u2028\u2029\u202f", "\u2027??\u202f"},
		{"\xff|\xc3|\xe2\x82|\xf0\x9f\x98", "?|?|??|???"},         /* cut off */
		{"\xc0\x9b|\xe0\x82\x9b|\xf0\x80\x82\x9b", "??|???|????"}, /* longer than need be */
		{"\xed\xa0\x80|\xf4\x90\x80\x80|\xf8", "???|????|?"},      /* surrogate, too large, no lead */
		{"\ufffd", "\ufffd"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[64];

		strcpy(text, rows[i].text);
		CHECK(text_clean(text) == text && strcmp(text, rows[i].clean) == 0, "row %zu: '%s'", i, text);
	}
}

static void words_are_found_whole(void)
{
	CHECK(text_has_word("cpu,cpuacct", "cpu", ",") && text_has_word("cpuacct,cpu", "cpu", ","));
	CHECK(!text_has_word("cpuacct,cpuset", "cpu", ",") && !text_has_word("", "cpu", ","));
	CHECK(text_has_word(" a\n b", "b", " \n") && !text_has_word("ab", "b", " \n"));
}

static void a_sentence_quotes_no_command(void)
{
	struct notes notes = {0};
	struct error_text reason;

	CHECK(error_text_set(&reason, -ENOENT, "can't read %s", "/tmp/\x1b[2J\u202e") == -ENOENT);
	CHECK(strcmp(reason.text, "can't read /tmp/?[2J?") == 0, "%s", reason.text);
	error_text_set(&reason, 0, "%0600d\u00e9", 0);
	CHECK(strcmp(reason.text + 508, "...") == 0);
	CHECK(notes_add(&notes, "%s", "a\x1b") == 0 && notes_add(&notes, "%s", "a\x02") == 0);
	CHECK(notes.n == 1 && strcmp(notes.text[0], "a?") == 0);
	notes_finish(&notes);
}

/* --- a recording --- */

/* What is recorded in each text beside the text's name, and what takes its place in the file. */
#define PLACE "@@@@@@@@"
enum { PLACE_SIZE = sizeof(PLACE) - 1 };

static const char hostile[][PLACE_SIZE + 1] = {
	"\x1b]0;own\a",
	"\x9b"
	"2J own ",
	"\xc2\x9b"
	"2J own",
	"\u202e own ",
	"\u2067 own ",
	"\u200f own ",
	"\xe0\x82\x9b own ", /* a C1 that is longer than need be */
	"\xff\xfe own  ",
	"\r\n\t\x7f own",
	"\\u001b[m", /* escapes, where it is JSON */
	"\\u009b2J",
	"\\u202eow",
};

static void set_machine(struct machine *machine)
{
	strcpy(machine->host, "(host" PLACE);
	strcpy(machine->kernel, "(kernel" PLACE);
	strcpy(machine->preemption, "(preempt" PLACE);
	strcpy(machine->isolated, "(isolated" PLACE);
	strcpy(machine->nohz_full, "(nohz" PLACE);
	machine->governor = fact_rows_parse("(governor" PLACE);
	strcpy(machine->clock_source, "(clock" PLACE);
	strcpy(machine->tracing, "(tracing" PLACE);
	machine->irq_affinity = fact_rows_parse("(irqs" PLACE);
	machine->idle_states = fact_rows_parse("(idle" PLACE);
	strcpy(machine->irq_default, "(irq" PLACE);
	strcpy(machine->own_cpus, "(own" PLACE);
}

static void set_ring(struct session_ring *ring)
{
	free(ring->mechanism);
	free(ring->title);
	free(ring->label);
	ring->mechanism = strdup("(mech" PLACE);
	ring->title = strdup("(title" PLACE);
	ring->label = strdup("(label" PLACE);
}

static int feed(struct fixture *f, struct recording *recording, const struct feed_item *item)
{
	int r = feed_session(&f->session, item, NULL);

	return r < 0 ? r : record_feed(recording, item);
}

/* The checkpoint behind the last tick has all of it once more. */
static int record(const char *path)
{
	struct fixture *f = fixture_create(3, 1000000);
	const struct event event = {.at_ns = FIXTURE_START_NS,
		.kind = EVENT_WARNING,
		.ring = -1,
		.member = -1,
		.text = "(event" PLACE};
	struct recording *recording = NULL;
	struct error_text reason = {""};
	struct machine later;

	f->config.pairs = "(pairs" PLACE;
	f->session.start_ns = FIXTURE_START_NS;
	set_machine(&f->session.machine);
	set_ring(&f->session.rings[0]);
	later = machine_copy(&f->session.machine);
	fact_rows_release(later.governor);
	later.governor = fact_rows_parse("(later" PLACE);
	int r = record_start(&recording, path, &f->session, &f->config, &f->topology, &reason);

	for (int i = 0; i < 300 && r == 0; i++) {
		snprintf(f->tick.loadavg, sizeof(f->tick.loadavg), "(load" PLACE);
		f->rings[1].state = i ? RING_FAILED : RING_RUNNING;
		f->rings[1].reason = i ? "(reason" PLACE : NULL;
		if (i == 2) {
			const struct event mark = fixture_phase(f, "(mark" PLACE);

			feed(f, recording, &(struct feed_item){FEED_EVENT, event.at_ns, .event = &event});
			feed(f, recording, &(struct feed_item){FEED_EVENT, mark.at_ns, .event = &mark});
			feed(f, recording,
				&(struct feed_item){FEED_MACHINE, f->session.now_ns, .machine = &later});
		}
		r = feed(f, recording, &(struct feed_item){FEED_TICK, f->tick.end_ns, .tick = &f->tick});
		fixture_next(f);
	}
	if (r == 0)
		r = record_finish(recording, "(end" PLACE, &reason);
	fixture_destroy(f);
	if (r < 0)
		fprintf(stderr, "%s\n", reason.text);
	return r;
}

static void replace(uint8_t *payload, size_t n, const char *command)
{
	uint8_t *at = payload;

	while ((at = memmem(at, n - (size_t)(at - payload), PLACE, PLACE_SIZE)))
		memcpy(at, command, PLACE_SIZE);
}

/* No recording would write that: each entry of @bytes is made anew around the same number of bytes. */
static void make_hostile(struct bytes *hostile_bytes, uint8_t *bytes, size_t n, const char *command)
{
	size_t at = (size_t)((uint8_t *)memchr(bytes, '\n', n) - bytes) + 1;
	struct entry_head head;

	bytes_add(hostile_bytes, bytes, at);
	while (n - at >= ENTRY_HEAD_SIZE && entry_read_head(bytes + at, &head)) {
		size_t begun = entry_begin(hostile_bytes);

		at += ENTRY_HEAD_SIZE;
		replace(bytes + at, head.length, command);
		bytes_add(hostile_bytes, bytes + at, head.length);
		entry_end(hostile_bytes, begun, (enum entry_kind)head.kind, head.at_ns);
		at += head.length;
	}
	bytes_add(hostile_bytes, bytes + at, n - at);
}

static int write_hostile(size_t kind, const char *path)
{
	struct bytes bytes = {0};
	uint8_t *recording = calloc(1, 1 << 20);

	if (kind >= sizeof(hostile) / sizeof(*hostile) || !recording || record(path) < 0)
		return EXIT_FAILURE;
	FILE *file = fopen(path, "r+e");
	size_t n = fread(recording, 1, 1 << 20, file);

	make_hostile(&bytes, recording, n, hostile[kind]);
	rewind(file);
	bool good = bytes.n == n && fwrite(bytes.data, 1, n, file) == n;

	good &= fclose(file) == 0;
	bytes_finish(&bytes);
	free(recording);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void words_are_joined_and_cut_to_the_text(void)
{
	static const struct {
		const char *word, *text;
	} rows[] = {
		{"one", "one"},
		{"two", "one, two"},
		{"three", "one, two,"},
		{"four", "one, two,"},
	};
	char text[10] = "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		text_append(text, sizeof(text), ", ", rows[i].word);
		CHECK(strcmp(text, rows[i].text) == 0, "%s gave %s", rows[i].word, text);
	}
}

static void what_is_printed_after_a_text_is_cut_to_its_room(void)
{
	char text[] = "0123456789";

	text[0] = '\0';
	text_print(text, 8, "%s", "");
	CHECK(strcmp(text, "") == 0, "%s", text);
	text_print(text, 8, "%d %s", 17, "b");
	text_print(text, 8, "%s", "c");
	CHECK(strcmp(text, "17 bc") == 0, "%s", text);
	text_print(text, 8, "%s", "defg");
	CHECK(strcmp(text, "17 bcde") == 0, "%s", text);
	text_print(text, 8, "%s", "h");
	CHECK(strcmp(text, "17 bcde") == 0 && strcmp(text + 8, "89") == 0, "%s", text);
}

static void a_word_is_completed_as_far_as_it_is_clear(void)
{
	static const char words[] = "always defer defer+madvise madvise never";
	static const struct {
		const char *line, *completed, *found;
	} cases[] = {
		{"", "", words},
		{"a", "always", "always"},
		{"d", "defer", "defer defer+madvise"},
		{"defer", "defer", "defer defer+madvise"},
		{"defer+", "defer+madvise", "defer+madvise"},
		{"x", "x", ""},
		{"neverx", "neverx", ""},
	};
	char line[32], found[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strcpy(line, cases[i].line);
		text_complete(line, sizeof(line), words, found, sizeof(found));
		CHECK(strcmp(line, cases[i].completed) == 0 && strcmp(found, cases[i].found) == 0,
			"'%s': '%s', '%s'", cases[i].line, line, found);
	}
	strcpy(line, "d");
	text_complete(line, 5, words, found, sizeof(found));
	CHECK(strcmp(line, "d") == 0, "there is no room: '%s'", line);
	text_complete(line, sizeof(line), "", found, sizeof(found));
	CHECK(strcmp(line, "d") == 0 && !*found, "'%s', '%s'", line, found);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--hostile") == 0)
		return write_hostile((size_t)strtoul(argv[2], NULL, 10), argv[3]);
	TEST(what_commands_a_terminal_becomes_question_marks);
	TEST(words_are_found_whole);
	TEST(a_sentence_quotes_no_command);
	TEST(words_are_joined_and_cut_to_the_text);
	TEST(what_is_printed_after_a_text_is_cut_to_its_room);
	TEST(a_word_is_completed_as_far_as_it_is_clear);
	return tap_done();
}
