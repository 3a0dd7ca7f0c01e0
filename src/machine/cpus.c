/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus.c - sets of CPUs, and the kernel's list format for them. */
#include "src/machine/cpus.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/small_file.h"
#include "src/base/values.h"

enum { N_WORDS = CPUS_MAX / 64, LIST_SIZE = CPUS_MAX / 2 * 5 /* "0,2,4,..." */ };

void cpus_add(struct cpus *set, unsigned cpu)
{
	set->word[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

void cpus_remove(struct cpus *set, unsigned cpu)
{
	set->word[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
}

bool cpus_has(const struct cpus *set, unsigned cpu)
{
	return cpu < CPUS_MAX && (set->word[cpu / 64] >> cpu % 64 & 1);
}

size_t cpus_count(const struct cpus *set)
{
	size_t count = 0;

	for (size_t i = 0; i < N_WORDS; i++)
		count += (size_t)__builtin_popcountll(set->word[i]);
	return count;
}

bool cpus_equal(const struct cpus *a, const struct cpus *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool cpus_subset(const struct cpus *a, const struct cpus *b)
{
	for (size_t i = 0; i < N_WORDS; i++)
		if (a->word[i] & ~b->word[i])
			return false;
	return true;
}

void cpus_intersect(struct cpus *set, const struct cpus *with)
{
	for (size_t i = 0; i < N_WORDS; i++)
		set->word[i] &= with->word[i];
}

void cpus_unite(struct cpus *set, const struct cpus *with)
{
	for (size_t i = 0; i < N_WORDS; i++)
		set->word[i] |= with->word[i];
}

void cpus_subtract(struct cpus *set, const struct cpus *without)
{
	for (size_t i = 0; i < N_WORDS; i++)
		set->word[i] &= ~without->word[i];
}

int cpus_next(const struct cpus *set, int after)
{
	unsigned from = (unsigned)(after + 1);

	for (size_t i = from / 64; i < N_WORDS; i++) {
		uint64_t word = set->word[i];

		if (i == from / 64)
			word &= UINT64_MAX << from % 64;
		if (word)
			return (int)(i * 64 + (size_t)__builtin_ctzll(word));
	}
	return -1;
}

static int read_number(const char **text, unsigned *number)
{
	uint64_t read;

	if (value_digits(text, &read) < 0 || read > CPUS_MAX)
		return -EINVAL;
	*number = (unsigned)read;
	return 0;
}

/* Reads ":USED/GROUP": of each GROUP CPUs of a range, the first USED are in the list. */
static int read_groups(const char **text, unsigned *used, unsigned *group)
{
	if (**text != ':')
		return 0;
	++*text;
	if (read_number(text, used) < 0 || **text != '/')
		return -EINVAL;
	++*text;
	return read_number(text, group) < 0 || *used == 0 || *used > *group ? -EINVAL : 0;
}

static int read_range(const char **text, struct cpus *set)
{
	unsigned first, last, used = 1, group = 1;

	if (read_number(text, &first) < 0)
		return -EINVAL;
	last = first;
	if (**text == '-') {
		++*text;
		if (read_number(text, &last) < 0 || read_groups(text, &used, &group) < 0)
			return -EINVAL;
	}
	if (last < first || last >= CPUS_MAX)
		return -EINVAL;
	for (unsigned cpu = first; cpu <= last; cpu++)
		if ((cpu - first) % group < used)
			cpus_add(set, cpu);
	return 0;
}

static const char *skip_space(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

int cpus_parse(struct cpus *set, const char *list)
{
	struct cpus read = {0};
	const char *text = skip_space(list);

	while (*text) {
		if (read_range(&text, &read) < 0)
			return -EINVAL;
		if (*skip_space(text) == '\0')
			break;
		if (*text++ != ',' || *text == '\0')
			return -EINVAL;
	}
	*set = read;
	return 0;
}

struct cpus cpus_parse_mask(const char *mask)
{
	struct cpus cpus = {0};
	unsigned cpu = 0;

	for (size_t at = strlen(mask); at-- > 0;) {
		char digit[2] = {mask[at]};
		unsigned long bits = strtoul(digit, NULL, 16);

		if (*digit == ',')
			continue;
		for (unsigned bit = 0; bit < 4 && cpu + bit < CPUS_MAX; bit++)
			if (bits & 1u << bit)
				cpus_add(&cpus, cpu + bit);
		cpu += 4;
	}
	return cpus;
}

bool cpus_read(struct cpus *set, const char *path)
{
	char list[LIST_SIZE];

	return small_file_read(path, list, sizeof(list)) > 0 && cpus_parse(set, list) == 0;
}

/* A partition's parent is a partition, too: there are none below other cgroups. */
void cpus_add_partitions(struct cpus *isolated, const char *cgroup)
{
	DIR *children = opendir(cgroup);
	char child[PATH_MAX], path[PATH_MAX + 32], type[64];
	const struct dirent *entry;

	while (children && (entry = readdir(children))) {
		struct cpus cpus = {0};

		if (entry->d_name[0] == '.' ||
			snprintf(child, sizeof(child), "%s/%s", cgroup, entry->d_name) >= PATH_MAX)
			continue;
		snprintf(path, sizeof(path), "%s/cpuset.cpus.partition", child);
		if (small_file_read_line(path, type, sizeof(type)) < 0 ||
			(strcmp(type, "root") != 0 && strcmp(type, "isolated") != 0))
			continue;
		snprintf(path, sizeof(path), "%s/cpuset.cpus.effective", child);
		if (strcmp(type, "isolated") == 0 && cpus_read(&cpus, path))
			cpus_unite(isolated, &cpus);
		cpus_add_partitions(isolated, child);
	}
	if (children)
		closedir(children);
}

/* Since Linux 6.7 one file names the CPUs of all isolated partitions. */
struct cpus cpus_isolated(void)
{
	struct cpus isolated = {0}, partitions = {0};

	cpus_read(&isolated, "/sys/devices/system/cpu/isolated");
	if (!cpus_read(&partitions, "/sys/fs/cgroup/cpuset.cpus.isolated"))
		cpus_add_partitions(&partitions, "/sys/fs/cgroup");
	cpus_unite(&isolated, &partitions);
	return isolated;
}

char *cpus_format(const struct cpus *set, char *text, size_t size)
{
	const size_t dots = sizeof(",...") - 1;
	size_t length = 0, cut = 0; /* cut: where the dots still fit */
	int first = cpus_next(set, -1);

	if (size > 0)
		*text = '\0';
	while (first >= 0) {
		int last = first;

		while (cpus_has(set, (unsigned)last + 1))
			last++;
		char range[32];
		size_t n = (size_t)snprintf(range, sizeof(range), last > first ? "%s%d-%d" : "%s%d",
			length > 0 ? "," : "", first, last);

		if (length + n >= size) {
			snprintf(text + cut, size - cut, "%s...", cut > 0 ? "," : "");
			break;
		}
		memcpy(text + length, range, n + 1);
		length += n;
		if (length + dots < size)
			cut = length;
		first = cpus_next(set, last);
	}
	return text;
}
