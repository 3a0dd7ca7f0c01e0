/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_complete.c - what the word at the cursor of a command line may become. */
#include <stdlib.h>
#include <string.h>

#include "src/options/complete.h"
#include "src/options/given_options.h"
#include "src/options/option.h"
#include "src/options/options.h"
#include "tests/unit/option_names.h"
#include "tests/unit/tap.h"

enum { WORDS_MAX = 8 };

struct parts {
	char text[128];
	char *words[WORDS_MAX];
	struct complete_line line;
};

/* Splits @text at spaces; the last word, which may be empty, is at the cursor. */
static void split(struct parts *parts, const char *text)
{
	char *at = parts->text;
	size_t n = 0;

	snprintf(parts->text, sizeof(parts->text), "%s", text);
	for (char *space; (space = strchr(at, ' ')); at = space + 1) {
		*space = '\0';
		parts->words[n++] = at;
	}
	parts->line = (struct complete_line){options_tables, &known, parts->words, n, at};
}

/* Completes the line, and returns the words without their helps, a space after each; the caller's to free. */
static char *complete(const char *text, enum complete_more *more)
{
	char *printed = NULL, *words;
	struct parts parts;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	split(&parts, text);
	*more = complete_option(&parts.line, out);
	fclose(out);
	words = calloc(1, size + 1);
	for (char *line = strtok(printed, "\n"); line; line = strtok(NULL, "\n"))
		sprintf(words + strlen(words), "%.*s ", (int)strcspn(line, "\t"), line);
	free(printed);
	return words;
}

static void options_and_values_are_offered_where_they_may_be(void)
{
	static const struct {
		const char *line, *words;
		enum complete_more more;
	} rows[] = {
		{"--rep", "--report --replay "},
		{"-q --sh", "--show "},
		{"--zzz", ""},
		{"--show ", "first answer lap response "},
		{"--show l", "lap "},
		{"--show=l", "--show=lap "},
		{"--show=", "--show=first --show=answer --show=lap --show=response "},
		{"--stamps ", "all lap "},
		{"-m s", "signal svsem "},
		{"--mechanisms mq,s", "mq,signal mq,svsem "},
		{"--mechanisms=mq,s", "--mechanisms=mq,signal --mechanisms=mq,svsem "},
		{"-m ", "mq signal svsem all "},
		{"--columns Cur,p", "Cur,p99.9 "},
		{"--view ", "overview detail "},
		{"--palette d", "default dark "},
		{"--sort n", "n "},
		{"--unit ", "ns us ms "},
		{"--policy ", "other batch idle fifo rr "},
		{"--memory ", "receiver sender node: interleave local "},
		{"--pairs l", "l2 l3 "},
		{"--pairs c", "cross classes "},
		{"-q -", NULL},
		{"--json ", "", COMPLETE_FILES},
		{"--json=no", "", COMPLETE_FILES},
		{"--export c", "csv= "},
		{"--export=", "--export=csv= --export=jsonl= "},
		{"--export csv=f", "", COMPLETE_FILES},
		{"--export=csv=f", "", COMPLETE_FILES},
		{"-p ", ""},
		{"-p 80 ", "", COMPLETE_WORDS},
		{"", "", COMPLETE_WORDS},
		{"--affinity ", "", COMPLETE_WORDS},
		{"--zzz ", "", COMPLETE_WORDS},
		{"--zzz=", ""},
		{"- ", "", COMPLETE_WORDS},
		{"-", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum complete_more more;
		char *words = complete(rows[i].line, &more);

		CHECK(more == rows[i].more, "'%s' %d", rows[i].line, more);
		CHECK(rows[i].words ? !strcmp(words, rows[i].words) : strlen(words) > 200, "'%s': '%s'",
			rows[i].line, words);
		free(words);
	}
}

static void every_option_is_offered_with_its_help(void)
{
	char *printed = NULL;
	const struct option_row *row;
	struct parts parts;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	split(&parts, "--");
	complete_option(&parts.line, out);
	fclose(out);
	for (size_t i = 0; (row = option_at(options_tables, i)); i++) {
		char line[160];
		int start = snprintf(line, sizeof(line), "--%s\t", row->name);

		snprintf(line + start, sizeof(line) - (size_t)start, "%s\n", row->help);
		for (char *at = line; *at; at++)
			*at = *at == '\n' && at[1] ? ' ' : *at;
		CHECK(strstr(printed, line), "lacks %s", line);
	}
	free(printed);
}

static void words_that_are_neither_options_nor_values_are_counted(void)
{
	static const struct {
		const char *line;
		size_t n;
	} rows[] = {{"", 0}, {"list", 0}, {"list ", 1}, {"-q ", 0}, {"-p 80 ", 0}, {"--json a ", 0},
		{"-q list -", 1}, {"--json=a b ", 1}, {"-p 80 list ", 1}, {"export -q csv ", 2}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct parts parts;

		split(&parts, rows[i].line);
		CHECK(complete_n_words(&parts.line) == rows[i].n, "'%s'", rows[i].line);
	}
}

/* "node:" wants a number, "csv=" may be any name; the plan reads the words of --pairs. */
static void every_value_that_is_offered_is_accepted(void)
{
	struct given_options given = {.names = &known};
	struct error_text reason = {""};
	struct option_reading reading = {"ipctop", options_tables, &given, &reason};
	const char *word;
	char value[40];
	size_t n = 0;

	for (size_t i = 0; (reading.row = option_at(options_tables, i)); i++)
		for (unsigned w = 0; reading.row->value && (word = reading.row->value(&known, w)); w++, n++) {
			const char *end =
				strcmp(word, "node:") == 0 ? "0" : strchr(reading.row->argument, '=');

			snprintf(value, sizeof(value), "%s%s", word, end ? end : "");
			CHECK(option_read_value(&reading, value) == 0, "%s", reason.text);
		}
	CHECK(n > 30);
}

int main(void)
{
	TEST(options_and_values_are_offered_where_they_may_be);
	TEST(every_option_is_offered_with_its_help);
	TEST(words_that_are_neither_options_nor_values_are_counted);
	TEST(every_value_that_is_offered_is_accepted);
	return tap_done();
}
