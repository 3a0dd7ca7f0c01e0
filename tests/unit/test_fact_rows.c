/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_fact_rows.c - facts of CPUs and interrupts, read from folders as in /sys and /proc/irq, and compared.
 */
#include "src/machine/fact_rows.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/tap.h"

static char folder[] = "/tmp/ipctop-rows-XXXXXX";

static void run(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", folder, command);
	CHECK(system(line) == 0, "%s", line);
}

static void set_irq(unsigned number, const char *cpus)
{
	char line[128];

	snprintf(line, sizeof(line), "mkdir -p %u && echo %s >%u/smp_affinity_list", number, cpus, number);
	run(line);
}

static void read_irqs(struct fact_reader *reader, size_t n_max, struct fact_rows **rows)
{
	fact_reader_read(reader, &fact_rows_of_irqs, folder, "smp_affinity_list", NULL, n_max, rows);
}

static void check_text(const struct fact_rows *rows, const char *text)
{
	CHECK(strcmp(rows ? rows->text : "", text) == 0, "%s", rows ? rows->text : "");
}

static void interrupts_of_the_same_cpus_are_one_row(void)
{
	struct fact_reader reader = {0};
	struct fact_rows *rows = NULL;

	read_irqs(&reader, SIZE_MAX, &rows);
	check_text(rows, "absent");
	run("mkdir 8 && touch default_smp_affinity"); /* an interrupt that belongs to one CPU has no file */
	read_irqs(&reader, SIZE_MAX, &rows);
	check_text(rows, "absent");
	set_irq(9, "0-1");
	set_irq(10, "0-1");
	set_irq(100, "0-1");
	set_irq(11, "1");
	read_irqs(&reader, SIZE_MAX, &rows);
	check_text(rows, "9-10:0-1 11:1 100:0-1");
	set_irq(11, "0-1");
	read_irqs(&reader, SIZE_MAX, &rows);
	check_text(rows, "9-11:0-1 100:0-1");
	fact_rows_release(rows);
	run("rm -r 9 10 11 100 8");
}

static void rows_are_read_in_several_calls(void)
{
	struct fact_reader reader = {0};
	struct fact_rows *rows = fact_rows_parse("before");

	for (unsigned i = 0; i < 5; i++)
		set_irq(i, "0");
	for (int i = 0; i < 2; i++) {
		read_irqs(&reader, 2, &rows);
		check_text(rows, "before");
	}
	read_irqs(&reader, 2, &rows);
	check_text(rows, "0-4:0");
	set_irq(0, "1"); /* the reader has begun anew */
	for (int i = 0; i < 3; i++)
		read_irqs(&reader, 2, &rows);
	check_text(rows, "0:1 1-4:0");
	read_irqs(&reader, 2, &rows);
	fact_reader_finish(&reader);
	fact_rows_release(rows);
	run("rm -r 0 1 2 3 4");
}

static void files_that_may_not_be_read_are_named(void)
{
	struct fact_reader reader = {0};
	struct fact_rows *rows = NULL;

	set_irq(7, "0");
	run("chmod 0 7/smp_affinity_list");
	if (geteuid() == 0)
		CHECK(seteuid(65534) == 0);
	read_irqs(&reader, SIZE_MAX, &rows);
	check_text(rows, "not readable");
	if (getuid() == 0)
		CHECK(seteuid(0) == 0);
	fact_rows_release(rows);
	run("rm -r 7");
}

static void governors_are_read_by_cpu(void)
{
	static const struct {
		const char *command, *recorded, *text, *summary;
	} rows[] = {
		{"mkdir -p cpufreq cpu0/cpufreq cpu1/cpufreq cpu10/cpufreq cpu2", "", "", ""},
		{"echo powersave | tee cpu0/cpufreq/governor cpu1/cpufreq/governor cpu10/cpufreq/governor",
			"0-1:powersave 10:powersave", "powersave", "powersave"},
		{"echo performance >cpu1/cpufreq/governor", "0:powersave 1:performance 10:powersave",
			"0:powersave 1:performance 10:powersave", "mixed"},
	};
	struct fact_reader reader = {0};
	struct fact_rows *read = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char line[256];

		snprintf(line, sizeof(line), "{ %s; } >/dev/null", rows[i].command);
		run(line);
		fact_reader_read(
			&reader, &fact_rows_of_cpus, folder, "cpufreq/governor", NULL, SIZE_MAX, &read);
		const char *text = fact_rows_text(&fact_rows_of_cpus, read);

		check_text(read, rows[i].recorded);
		CHECK(strcmp(text, rows[i].text) == 0, "%s", text);
		CHECK(strcmp(fact_rows_summary(read), rows[i].summary) == 0, "%s", fact_rows_summary(read));
	}
	fact_rows_release(read);
	run("rm -r cpu*");
}

static void texts_of_others_are_read(void)
{
	static const struct {
		const char *text;
		size_t n;
		const char *again; /* what its rows are written as; NULL: the same */
	} rows[] = {
		{"1:0", 1, NULL},
		{"1:a 2:a 3:b", 2, "1-2:a 3:b"},
		{"1-3:0,2 9:x", 2, NULL},
		{"powersave", 0, NULL},
		{"7", 0, NULL},
		{"7-", 0, NULL},
		{"7-:0", 0, NULL},
		{"9-7:0", 0, NULL},
		{"1:", 0, NULL},
		{"2:0 1:0", 0, NULL},
		{"1:0 1:1", 0, NULL},
		{"1:0 word", 0, NULL},
		{"1:0 ...", 1, "1:0"},
		{"0-4294967294:0", 1, NULL},
		{"0-4294967295:0", 0, NULL},
		{"99999999999999999999:0", 0, NULL},
	};

	CHECK(!fact_rows_parse(""));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fact_rows *read = fact_rows_parse(rows[i].text);

		CHECK(read->n == rows[i].n, "row %zu: %zu", i, read->n);
		check_text(read, rows[i].again ? rows[i].again : rows[i].text);
		fact_rows_release(read);
	}
}

static void each_row_is_compared(void)
{
	static const struct fact_rows_kind *const irqs = &fact_rows_of_irqs, *const cpus = &fact_rows_of_cpus;
	static const struct {
		const struct fact_rows_kind *const *kind;
		const char *was, *is;
		int r;
		size_t n, of;
		const char *was_text, *is_text, *numbers;
	} rows[] = {
		{&irqs, "1:0", "1:0", 0, 0, 1, "", "", ""},
		{&irqs, "24-43:0-1", "24-41:0-1 42:0 43:0-1", 0, 1, 20, "CPUs 0-1", "CPU 0", "42"},
		{&irqs, "1-3:0-1 9:0", "1-3:0 9:0", 0, 3, 4, "CPUs 0-1", "CPU 0", "1-3"},
		{&irqs, "1:0 2:1", "1:1 2:0", 0, 2, 2, "1 CPU 0, 1 CPU 1", "1 CPU 1, 1 CPU 0", "1-2"},
		{&irqs, "1-2:0,2", "1-3:0,2", 0, 1, 3, "none", "CPUs 0,2", "3"},
		{&irqs, "5:0 7:0", "5:0", 0, 1, 2, "CPU 0", "none", "7"},
		{&irqs, "1:0 2:0 3:1", "1:1 ...", 0, 1, 1, "CPU 0", "CPU 1", "1"},
		{&irqs, "1:0 2:0 ...", "1:0 2:0 3:0", 0, 0, 2, "", "", ""},
		{&irqs, "absent", "1:0", -EINVAL, 0, 0, "", "", ""},
		{&irqs, "1:0", "not readable", -EINVAL, 0, 0, "", "", ""},
		{&irqs, "1:0", "", -EINVAL, 0, 0, "", "", ""},
		{&irqs, "0-4294967294:0", "1:0", 0, 4294967294, 4294967295, "CPU 0", "none",
			"0,2-4294967294"},
		{&cpus, "0-7:a", "0-1:a 2-3:b 4:a 5-7:b", 0, 5, 8, "a", "b", "2-3,5-7"},
		{&cpus, "0-3:a", "0:b 2:b", 0, 2, 2, "a", "b", "0,2"}, /* 1 and 3 went offline */
		{&cpus, "0-1:a 4:b", "0-4:a", 0, 1, 3, "b", "a", "4"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fact_rows *was = fact_rows_parse(rows[i].was), *is = fact_rows_parse(rows[i].is);
		struct fact_rows_change change;
		char text[TALLY_TEXT_SIZE];
		int r = fact_rows_compare(*rows[i].kind, was, is, &change);

		CHECK(r == rows[i].r, "row %zu: %d", i, r);
		CHECK(change.counts.n == rows[i].n && change.counts.of == rows[i].of, "row %zu: %zu of %zu",
			i, change.counts.n, change.counts.of);
		CHECK(strcmp(tally_value(&change.counts.was, text), rows[i].was_text) == 0, "row %zu: %s", i,
			text);
		CHECK(strcmp(tally_value(&change.counts.is, text), rows[i].is_text) == 0, "row %zu: %s", i,
			text);
		CHECK(strcmp(change.numbers, rows[i].numbers) == 0, "row %zu: %s", i, change.numbers);
		tally_change_finish(&change.counts);
		fact_rows_release(was);
		fact_rows_release(is);
	}
}

static void a_list_that_would_be_too_long_is_left_out(void)
{
	struct fact_rows *rows[2] = {NULL, NULL};
	struct fact_rows_change change;

	for (unsigned i = 0; i < 2; i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		for (unsigned cpu = 0; cpu < 576; cpu++)
			fprintf(out, "%s%u:%c", cpu ? " " : "", cpu, "ab"[i && cpu % 2]);
		fclose(out);
		rows[i] = fact_rows_parse(text);
		free(text);
	}
	CHECK(fact_rows_compare(&fact_rows_of_cpus, rows[0], rows[1], &change) == 0);
	CHECK(change.counts.n == 288 && change.counts.of == 576 && !*change.numbers, "%s", change.numbers);
	tally_change_finish(&change.counts);
	fact_rows_release(rows[0]);
	fact_rows_release(rows[1]);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	chmod(folder, 0755);
	TEST(interrupts_of_the_same_cpus_are_one_row);
	TEST(rows_are_read_in_several_calls);
	TEST(files_that_may_not_be_read_are_named);
	TEST(governors_are_read_by_cpu);
	TEST(texts_of_others_are_read);
	TEST(each_row_is_compared);
	TEST(a_list_that_would_be_too_long_is_left_out);
	run("rm -r \"$PWD\"");
	return tap_done();
}
