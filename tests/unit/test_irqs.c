/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_irqs.c - the CPUs of interrupts, read from a folder like /proc/irq, and compared. */
#include "src/machine/irqs.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/tally.h"
#include "tests/unit/tap.h"

static char folder[] = "/tmp/ipctop-irqs-XXXXXX";

static void run(const char *command)
{
	char line[IRQ_CPUS_SIZE + 256];

	snprintf(line, sizeof(line), "cd %s && %s", folder, command);
	CHECK(system(line) == 0, "%s", line);
}

static void set_irq(unsigned number, const char *cpus)
{
	char line[IRQ_CPUS_SIZE + 128];

	snprintf(line, sizeof(line), "mkdir -p %u && echo %s >%u/smp_affinity_list", number, cpus, number);
	run(line);
}

static const char *read_all(struct irqs *irqs, char map[IRQ_MAP_SIZE])
{
	irqs_read(irqs, folder, SIZE_MAX, map);
	return map;
}

static void interrupts_of_the_same_cpus_are_one_row(void)
{
	struct irqs irqs = {0};
	char map[IRQ_MAP_SIZE] = "";

	CHECK(strcmp(read_all(&irqs, map), "absent") == 0, "%s", map);
	run("mkdir 8 && touch default_smp_affinity"); /* an interrupt that belongs to one CPU has no file */
	CHECK(strcmp(read_all(&irqs, map), "absent") == 0, "%s", map);
	set_irq(9, "0-1");
	set_irq(10, "0-1");
	set_irq(100, "0-1");
	set_irq(11, "1");
	CHECK(strcmp(read_all(&irqs, map), "9-10:0-1 11:1 100:0-1") == 0, "%s", map);
	set_irq(11, "0-1");
	CHECK(strcmp(read_all(&irqs, map), "9-11:0-1 100:0-1") == 0, "%s", map);
	run("rm -r 9 10 11 100 8");
}

static void a_map_is_read_in_several_calls(void)
{
	struct irqs irqs = {0};
	char map[IRQ_MAP_SIZE] = "before";

	for (unsigned i = 0; i < 5; i++)
		set_irq(i, "0");
	for (int i = 0; i < 2; i++) {
		irqs_read(&irqs, folder, 2, map);
		CHECK(strcmp(map, "before") == 0, "%s", map);
	}
	irqs_read(&irqs, folder, 2, map);
	CHECK(strcmp(map, "0-4:0") == 0, "%s", map);
	set_irq(0, "1"); /* the next map has begun anew */
	for (int i = 0; i < 3; i++)
		irqs_read(&irqs, folder, 2, map);
	CHECK(strcmp(map, "0:1 1-4:0") == 0, "%s", map);
	irqs_finish(&irqs);
	run("rm -r 0 1 2 3 4");
}

static void files_that_may_not_be_read_are_named(void)
{
	struct irqs irqs = {0};
	char map[IRQ_MAP_SIZE];

	set_irq(7, "0");
	run("chmod 0 7/smp_affinity_list");
	if (geteuid() == 0)
		CHECK(seteuid(65534) == 0);
	CHECK(strcmp(read_all(&irqs, map), "not readable") == 0, "%s", map);
	if (getuid() == 0)
		CHECK(seteuid(0) == 0);
	run("rm -r 7");
}

static void a_map_without_room_says_so(void)
{
	struct irqs irqs = {0};
	char map[IRQ_MAP_SIZE], cpus[IRQ_CPUS_SIZE];
	size_t n = 0;

	memset(cpus, '1', sizeof(cpus)); /* long lists, each another one */
	for (unsigned i = 0; i < 10; i++) {
		snprintf(cpus + 1000, 8, "%u", i);
		set_irq(i, cpus);
	}
	read_all(&irqs, map);
	n = strlen(map);
	CHECK(n < sizeof(map) && n > 4 && strcmp(map + n - 4, " ...") == 0, "%zu", n);
	CHECK(strncmp(map, "0:1111", 6) == 0 && strstr(map, " 1:1111"));
	run("rm -r [0-9]");
}

static void each_interrupt_is_compared(void)
{
	static const struct {
		const char *was, *is;
		int r;
		size_t n, of;
		const char *was_text, *is_text;
	} rows[] = {
		{"1:0", "1:0", 0, 0, 1, "", ""},
		{"24-43:0-1", "24-41:0-1 42:0 43:0-1", 0, 1, 20, "CPUs 0-1", "CPU 0"},
		{"1-3:0-1 9:0", "1-3:0 9:0", 0, 3, 4, "CPUs 0-1", "CPU 0"},
		{"1:0 2:1", "1:1 2:0", 0, 2, 2, "1 CPU 0, 1 CPU 1", "1 CPU 1, 1 CPU 0"},
		{"1-2:0,2", "1-3:0,2", 0, 1, 3, "none", "CPUs 0,2"},
		{"5:0 7:0", "5:0", 0, 1, 2, "CPU 0", "none"},
		{"1:0 2:0 3:1", "1:1 ...", 0, 1, 1, "CPU 0", "CPU 1"},
		{"1:0 2:0 ...", "1:0 2:0 3:0", 0, 0, 2, "", ""},
		{"absent", "1:0", -EINVAL, 0, 0, "", ""},
		{"1:0", "not readable", -EINVAL, 0, 0, "", ""},
		{"1:0", "", -EINVAL, 0, 0, "", ""},
		{"0-4294967295:0", "1:0", -EINVAL, 0, 0, NULL, NULL}, /* of a foreign file */
		{"7", "7-", 0, 0, 1, "", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tally_change change = {0};
		char text[TALLY_TEXT_SIZE];
		int r = irqs_compare(rows[i].was, rows[i].is, &change);

		CHECK(r == rows[i].r, "row %zu: %d", i, r);
		if (rows[i].was_text) {
			CHECK(change.n == rows[i].n && change.of == rows[i].of, "row %zu: %zu of %zu", i,
				change.n, change.of);
			CHECK(strcmp(tally_value(&change.was, text), rows[i].was_text) == 0, "row %zu: %s", i,
				text);
			CHECK(strcmp(tally_value(&change.is, text), rows[i].is_text) == 0, "row %zu: %s", i,
				text);
		}
		tally_change_finish(&change);
	}
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	chmod(folder, 0755);
	TEST(interrupts_of_the_same_cpus_are_one_row);
	TEST(a_map_is_read_in_several_calls);
	TEST(files_that_may_not_be_read_are_named);
	TEST(a_map_without_room_says_so);
	TEST(each_interrupt_is_compared);
	run("rm -r \"$PWD\"");
	return tap_done();
}
