/* SPDX-License-Identifier: GPL-2.0-or-later */
/* man_test.c - the man page and the program's tables name the same options, keys, columns and words.
 *
 * Usage: man_test ipctop.1 [VERB...] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/compat/tools.h"
#include "src/figures/tick.h"
#include "src/flight/flight.h"
#include "src/load/load.h"
#include "src/options/option.h"
#include "src/options/options.h"
#include "src/probe/probe.h"
#include "src/report/export.h"
#include "src/run/command.h"
#include "src/selftest/troubles.h"
#include "tests/man_option.h"
#include "tests/read_file.h"
#include "tests/unit/tap.h"
#include "ui/frame/frame.h"
#include "ui/table/columns.h"
#include "ui/views/views.h"

static char *page;   /* in mdoc */
static char **verbs; /* of the program; ended by NULL */

static struct frame frame;

/* Where the section's text begins; @end is where it ends. NULL: there is none. */
static const char *find_section(const char *title, const char **end)
{
	char heading[64];

	snprintf(heading, sizeof(heading), "\n.Sh %s\n", title);
	const char *section = strstr(page, heading);

	if (!section)
		return NULL;
	section += strlen(heading) - 1;
	*end = strstr(section, "\n.Sh ");
	if (!*end)
		*end = section + strlen(section);
	return section;
}

/* Does @line stand as a line of its own in the section? */
static bool section_has(const char *title, const char *line)
{
	const char *end, *at = find_section(title, &end);

	for (; at && (at = strstr(at, line)) && at < end; at++)
		if (at[-1] == '\n' && at[strlen(line)] == '\n')
			return true;
	return false;
}

/* Has the section an item of this word, alone or among others: ".It Sy Min , Sy Avg"? */
static bool section_lists(const char *title, const char *word)
{
	const char *end, *line = find_section(title, &end);
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "Sy %s", word);
	while (line && (line = strstr(line, "\n.It ")) && line < end) {
		line++;
		const char *line_end = line + strcspn(line, "\n");

		for (const char *at = line; (at = strstr(at, wanted)) && at < line_end; at++)
			if (at[strlen(wanted)] == '\n' || !strncmp(at + strlen(wanted), " ,", 2))
				return true;
	}
	return false;
}

static void write_option(const struct option_row *row, char *line, size_t size)
{
	write_man_option(row->letter, row->name, row->argument, row->optional, line, size);
}

static void every_option_is_in_the_man_page_with_its_argument(void)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(options_tables, i)); i++) {
		char line[128];

		write_option(row, line, sizeof(line));
		CHECK(section_has("OPTIONS", line), "lacks '%s'", line);
	}
}

static void every_option_that_no_file_may_have_is_named_there(void)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(options_tables, i)); i++) {
		char line[128], listed[128];

		snprintf(line, sizeof(line), ".Cm %s", row->name);
		snprintf(listed, sizeof(listed), ".Cm %s ,", row->name);
		CHECK((section_has("CONFIGURATION FILE", line) ||
			      section_has("CONFIGURATION FILE", listed)) == row->argv_only,
			"%s", row->name);
	}
}

static void every_option_in_the_man_page_is_one_of_the_program(void)
{
	size_t items = 0;

	for (const char *at = page; (at = strstr(at, "\n.It Fl ")); items++) {
		size_t length = strcspn(++at, "\n");
		const struct option_row *row;
		bool known = false;

		for (size_t i = 0; !known && (row = option_at(options_tables, i)); i++) {
			char line[128];

			write_option(row, line, sizeof(line));
			known = strlen(line) == length && !strncmp(line, at, length);
		}
		CHECK(known, "'%.*s'", (int)length, at);
	}
	CHECK(items > 0);
}

/* "h, ?, F1" is ".It Ic h , \&? , F1" in mdoc. */
static void write_key(const struct key *key, char *line, size_t size)
{
	size_t at = (size_t)snprintf(line, size, ".It Ic ");

	for (const char *name = key->names; *name && at + 4 < size; name++) {
		const char *before = *name == ',' ? " " : strchr("?!.[]", *name) ? "\\&" : "";

		at += (size_t)snprintf(line + at, size - at, "%s%c", before, *name);
	}
}

static void every_key_is_in_the_man_page(void)
{
	for (size_t i = 0; i < frame.n_keys; i++) {
		char line[128];

		if (!frame.keys[i].names)
			continue;
		write_key(&frame.keys[i], line, sizeof(line));
		CHECK(section_has("KEYS", line), "lacks '%s'", line);
	}
}

static void every_key_in_the_man_page_is_one_of_the_program(void)
{
	size_t items = 0;

	for (const char *at = page; (at = strstr(at, "\n.It Ic ")); items++) {
		size_t length = strcspn(++at, "\n");
		bool known = false;

		for (size_t i = 0; i < frame.n_keys && !known; i++) {
			char line[128];

			if (!frame.keys[i].names)
				continue;
			write_key(&frame.keys[i], line, sizeof(line));
			known = strlen(line) == length && !strncmp(line, at, length);
		}
		CHECK(known, "'%.*s'", (int)length, at);
	}
	CHECK(items > 0);
}

static void every_column_is_in_the_man_page(void)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		CHECK(!*columns_table[i].title || section_lists("COLUMNS", columns_table[i].title),
			"lacks %s", columns_table[i].title);
}

/* Where the text of an item begins, such as "Fl -view Ar VIEW"; @end is where the next item of its list, or
 * the list, ends. NULL: there is none. */
static const char *find_item(const char *title, const char **end)
{
	char heading[64];

	snprintf(heading, sizeof(heading), "\n.It %s\n", title);
	const char *item = strstr(page, heading);

	if (!item)
		return NULL;
	item += strlen(heading) - 1;
	*end = strstr(item, "\n.It Fl ");
	if (!*end)
		*end = item + strlen(item);
	return item;
}

/* Has the text a line with this word after a macro: ".Cm auto , off", ".It Cm fork", ".It Sy hog"? */
static bool has_word(const char *text, const char *end, const char *word)
{
	size_t length = strlen(word);

	for (const char *line = text; line && line < end; line = strchr(line + 1, '\n')) {
		const char *at = line + 1 + strcspn(line + 1, " \n"),
			   *line_end = line + 1 + strcspn(line + 1, "\n");

		if (strncmp(line, "\n.Cm ", 5) != 0 && strncmp(line, "\n.It ", 5) != 0)
			continue;
		while ((at = strstr(at, word)) && at < line_end) {
			if (at[-1] == ' ' && strchr(" \n", at[length]))
				return true;
			at += length;
		}
	}
	return false;
}

static const char *load_name(unsigned i)
{
	return load_kinds[i] ? load_kinds[i]->name : NULL;
}

static const char *trouble_name(unsigned i)
{
	return troubles[i] ? troubles[i]->name : NULL;
}

static const char *command_name(unsigned i)
{
	return command_rows[i] ? command_rows[i]->name : NULL;
}

static const char *tool_name(unsigned i)
{
	const char *purpose;

	return tools_name(i, &purpose);
}

static const char *verb_name(unsigned i)
{
	return verbs[i];
}

/* Mechanisms of sweeps alone: a build without a library lacks some others. */
static const char *swept_name(unsigned i)
{
	size_t at = 0;

	while (probe_registry[at] && (!(probe_registry[at]->traits & PROBE_SWEEPS) || i-- > 0))
		at++;
	return probe_registry[at] ? probe_registry[at]->name : NULL;
}

static void every_name_of_a_table_is_where_the_man_page_lists_it(void)
{
	static const struct {
		const char *place;
		const char *(*name)(unsigned i);
	} tables[] = {
		{"Fl -view Ar VIEW", views_name},
		{"Fl -load Ar LOAD", load_name},
		{"Fl -recorder Ar WHICH", flight_word},
		{"EXPORTS", export_name},
		{"SELF-TEST", trouble_name},
		{"CONTROL SOCKET", command_name},
		{"DESCRIPTION", tool_name},
		{"SYNOPSIS", verb_name},
		{"THE MATRIX", swept_name},
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		const char *end = NULL, *name, *place = tables[i].place;
		const char *text =
			strncmp(place, "Fl ", 3) == 0 ? find_item(place, &end) : find_section(place, &end);

		CHECK(text, "no '%s'", place);
		for (unsigned n = 0; text && (name = tables[i].name(n)); n++)
			CHECK(has_word(text, end, name), "%s lacks %s", place, name);
		CHECK(!has_word(text, end, "no-such-name"));
	}
}

static void every_word_of_a_row_is_in_the_man_page(void)
{
	for (int condition = CONDITION_FINE + 1; condition < N_CONDITIONS; condition++)
		CHECK(section_lists("WORDS", ring_condition_name((enum ring_condition)condition)), "lacks %s",
			ring_condition_name((enum ring_condition)condition));
	CHECK(section_lists("WORDS", ring_state_name(RING_FAILED)));
	CHECK(section_lists("WORDS", ring_state_name(RING_DONE)));
	CHECK(!section_lists("WORDS", "PAIR"), "words of another section count");
}

static void every_figure_is_in_the_man_page(void)
{
	for (int figure = 0; figure < N_FIGURES; figure++)
		CHECK(section_lists("DESCRIPTION", figure_name((enum figure)figure)), "lacks %s",
			figure_name((enum figure)figure));
}

int main(int argc, char **argv)
{
	page = argc > 1 ? read_file(argv[1]) : NULL;
	verbs = argv + 2;
	if (!page || frame_init(&frame, FIGURE_FIRST, 0) < 0) {
		printf("Bail out! usage: man_test ipctop.1 [VERB...]\n");
		return 1;
	}
	TEST(every_option_is_in_the_man_page_with_its_argument);
	TEST(every_option_that_no_file_may_have_is_named_there);
	TEST(every_option_in_the_man_page_is_one_of_the_program);
	TEST(every_key_is_in_the_man_page);
	TEST(every_key_in_the_man_page_is_one_of_the_program);
	TEST(every_column_is_in_the_man_page);
	TEST(every_name_of_a_table_is_where_the_man_page_lists_it);
	TEST(every_word_of_a_row_is_in_the_man_page);
	TEST(every_figure_is_in_the_man_page);
	free(page);
	return tap_done();
}
