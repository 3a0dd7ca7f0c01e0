/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_cpus.c - sets of CPUs, their lists, and the sentences that travel with errors. */
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/error_text.h"
#include "src/machine/cpus.h"
#include "tests/unit/tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct cpus set_of(const char *list)
{
	struct cpus set = {0};

	CHECK(cpus_parse(&set, list) == 0, "%s", list);
	return set;
}

static void lists_are_read_as_the_kernel_writes_them(void)
{
	static const struct {
		const char *list, *same;
		size_t count;
	} rows[] = {
		{"", "", 0},
		{"\n", "", 0},
		{"0", "0", 1},
		{"0-3,8", "0-3,8", 5},
		{" 0-3,8\n", "0-3,8", 5},
		{"8,0-3", "0-3,8", 5},
		{"1,1,0-1", "0-1", 2},
		{"5-5", "5", 1},
		{"0-15:2/4", "0-1,4-5,8-9,12-13", 8},
		{"1-6:1/2,7", "1,3,5,7", 4},
		{"0-9:4/4", "0-9", 10},
		{"62-65", "62-65", 4},
		{"0-8191", "0-8191", 8192},
		{"007", "7", 1},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cpus set = set_of(rows[i].list);
		char text[64];

		cpus_format(&set, text, sizeof(text));
		CHECK(strcmp(text, rows[i].same) == 0, "'%s' became '%s'", rows[i].list, text);
		CHECK(cpus_count(&set) == rows[i].count, "'%s' has %zu", rows[i].list, cpus_count(&set));
	}
}

static void what_is_no_list_is_refused_and_changes_nothing(void)
{
	static const char *const lists[] = {
		"a",
		"-1",
		"1-",
		"3-1",
		",",
		"1,",
		",1",
		"1,,2",
		"1;2",
		"1 2",
		"1, 2",
		"1--2",
		"0x3",
		"1.5",
		"+1",
		"8192",
		"0-8192",
		"4294967296",
		"18446744073709551617",
		"0-7:",
		"0-7:2",
		"0-7:2/",
		"0-7:/4",
		"0-7:0/4",
		"0-7:5/4",
		"0-7:2/0",
		"3:1/2",
		"0-7:2/4x",
		"0-3 x",
		"all",
	};
	const struct cpus before = set_of("3,70");

	for (size_t i = 0; i < COUNT(lists); i++) {
		struct cpus set = before;

		CHECK(cpus_parse(&set, lists[i]) == -EINVAL, "'%s'", lists[i]);
		CHECK(cpus_equal(&set, &before), "'%s'", lists[i]);
	}
}

static void a_list_that_does_not_fit_ends_in_dots(void)
{
	static const struct {
		size_t size;
		const char *text;
	} rows[] = {
		{14, "0,10-11,20,30"},
		{13, "0,10-11,..."},
		{12, "0,10-11,..."},
		{11, "0,..."},
		{6, "0,..."},
		{5, "..."},
		{4, "..."},
		{3, ".."},
		{1, ""},
	};
	const struct cpus set = set_of("0,10-11,20,30");

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[32];

		memset(text, 'x', sizeof(text));
		CHECK(cpus_format(&set, text, rows[i].size) == text);
		CHECK(strcmp(text, rows[i].text) == 0, "%zu: '%s'", rows[i].size, text);
		CHECK(text[rows[i].size] == 'x', "%zu", rows[i].size);
	}
}

static void every_list_survives_being_written_and_read(void)
{
	uint64_t seed = 1;

	for (unsigned round = 0; round < 500; round++) {
		static char text[65536];
		struct cpus set = {0}, again = {0};

		for (unsigned i = 0; i < 200; i++) {
			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			cpus_add(&set, (unsigned)(seed >> 33) % (round % 2 ? 256 : CPUS_MAX));
		}
		CHECK(cpus_parse(&again, cpus_format(&set, text, sizeof(text))) == 0, "%s", text);
		CHECK(cpus_equal(&set, &again), "%s", text);
	}
}

static void members_are_walked_in_order(void)
{
	static const int expected[] = {0, 1, 63, 64, 127, 128, 8191, -1};
	const struct cpus set = set_of("0-1,63-64,127-128,8191"), none = {0};
	int cpu = -1;

	for (size_t i = 0; i < COUNT(expected); i++) {
		cpu = cpus_next(&set, cpu);
		CHECK(cpu == expected[i], "%d, not %d", cpu, expected[i]);
	}
	CHECK(cpus_next(&none, -1) == -1);
	CHECK(cpus_next(&set, 8191) == -1);
}

static void sets_are_added_to_and_compared(void)
{
	static const struct {
		const char *a, *b, *both, *either, *difference;
		bool subset;
	} rows[] = {
		{"0-3", "2-5", "2-3", "0-5", "0-1", false},
		{"2-3", "0-70", "2-3", "0-70", "", true},
		{"", "1", "", "1", "", true},
		{"64,8191", "0", "", "0,64,8191", "64,8191", false},
		{"5", "5", "5", "5", "", true},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct cpus a = set_of(rows[i].a), b = set_of(rows[i].b);
		const struct cpus both = set_of(rows[i].both), either = set_of(rows[i].either);
		const struct cpus difference = set_of(rows[i].difference);
		struct cpus set = a;

		cpus_intersect(&set, &b);
		CHECK(cpus_equal(&set, &both), "row %zu", i);
		set = a;
		cpus_unite(&set, &b);
		CHECK(cpus_equal(&set, &either), "row %zu", i);
		set = a;
		cpus_subtract(&set, &b);
		CHECK(cpus_equal(&set, &difference), "row %zu", i);
		CHECK(cpus_subset(&a, &b) == rows[i].subset, "row %zu", i);
	}
}

static void beyond_the_largest_number_there_is_no_member(void)
{
	struct cpus set = set_of("0-8191");

	CHECK(cpus_has(&set, 8191));
	CHECK(!cpus_has(&set, 8192));
	CHECK(!cpus_has(&set, UINT32_MAX));
	cpus_remove(&set, 8191);
	CHECK(!cpus_has(&set, 8191));
	CHECK(cpus_count(&set) == 8191);
}

static void a_reason_may_quote_itself_and_is_cut_with_dots(void)
{
	struct error_text reason;
	char longer[sizeof(reason.text) + 100];

	CHECK(error_text_set(&reason, -EINVAL, "no %s", "such CPU") == -EINVAL);
	CHECK(error_text_set(&reason, -EPERM, "row 3: %s", reason.text) == -EPERM);
	CHECK(strcmp(reason.text, "row 3: no such CPU") == 0, "%s", reason.text);
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	error_text_set(&reason, -EINVAL, "%s", longer);
	CHECK(strlen(reason.text) == sizeof(reason.text) - 1);
	CHECK(strcmp(reason.text + sizeof(reason.text) - 5, "x...") == 0, "%s", reason.text);
}

static void a_note_is_kept_once(void)
{
	struct notes notes = {0};

	CHECK(notes_add(&notes, "CPU %d is %s", 3, "busy") == 0);
	CHECK(notes_add(&notes, "CPU %d is %s", 4, "busy") == 0);
	CHECK(notes_add(&notes, "CPU 3 is busy%s", "") == 0);
	CHECK(notes.n == 2);
	CHECK(strcmp(notes.text[0], "CPU 3 is busy") == 0);
	CHECK(strcmp(notes.text[1], "CPU 4 is busy") == 0);
	notes_finish(&notes);
	CHECK(notes.n == 0 && notes.text == NULL);
}

/* Makes directories and files below @root: "path=text", or a path alone. */
static void make_tree(const char *root, const char *const *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *text = strchr(entries[i], '=');
		char path[256];

		snprintf(path, sizeof(path), "%s/%.*s", root,
			(int)(text ? (size_t)(text - entries[i]) : strlen(entries[i])), entries[i]);
		FILE *file = text ? fopen(path, "w") : NULL;

		CHECK(text ? file != NULL : mkdir(path, 0700) == 0, "%s", path);
		if (!file)
			continue;
		fprintf(file, "%s\n", text + 1);
		fclose(file);
	}
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	return remove(path);
}

/* As a kernel before 6.7 shows them. */
static void isolated_partitions_are_found_in_the_tree_of_cgroups(void)
{
	static const char *const entries[] = {
		"cpuset.cpus.effective=0-1",
		"member",
		"member/cpuset.cpus.partition=member",
		"member/cpuset.cpus.effective=0-1",
		"root",
		"root/cpuset.cpus.partition=root",
		"root/cpuset.cpus.effective=2",
		"root/isolated",
		"root/isolated/cpuset.cpus.partition=isolated",
		"root/isolated/cpuset.cpus.effective=4",
		"root/isolated/inner",
		"root/isolated/inner/cpuset.cpus.partition=isolated",
		"root/isolated/inner/cpuset.cpus.effective=5",
		"isolated",
		"isolated/cpuset.cpus.partition=isolated",
		"isolated/cpuset.cpus.effective=6-7,9",
		"invalid",
		"invalid/cpuset.cpus.partition=isolated invalid (Parent is not a partition root)",
		"invalid/cpuset.cpus.effective=0-1",
		"no-cpuset",
	};
	char root[] = "/tmp/ipctop-cgroups-XXXXXX", text[64];
	struct cpus isolated = set_of("12"), nothing = {0};

	CHECK(mkdtemp(root) != NULL);
	make_tree(root, entries, COUNT(entries));
	cpus_add_partitions(&isolated, root);
	cpus_format(&isolated, text, sizeof(text));
	CHECK(strcmp(text, "4-7,9,12") == 0, "%s", text);
	CHECK(nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
	cpus_add_partitions(&nothing, root);
	CHECK(cpus_count(&nothing) == 0);
}

int main(void)
{
	TEST(lists_are_read_as_the_kernel_writes_them);
	TEST(what_is_no_list_is_refused_and_changes_nothing);
	TEST(a_list_that_does_not_fit_ends_in_dots);
	TEST(every_list_survives_being_written_and_read);
	TEST(members_are_walked_in_order);
	TEST(sets_are_added_to_and_compared);
	TEST(isolated_partitions_are_found_in_the_tree_of_cgroups);
	TEST(beyond_the_largest_number_there_is_no_member);
	TEST(a_reason_may_quote_itself_and_is_cut_with_dots);
	TEST(a_note_is_kept_once);
	return tap_done();
}
