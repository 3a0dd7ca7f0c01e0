/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fact_files.c - the files of a fact that can be written. */
#include "src/machine/fact_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/small_file.h"
#include "src/base/text.h"

/* --- the values that they take --- */

/* Values that the file itself does not list: words, or another file that has them. */
static const struct {
	const char *key, *words, *file;
} choices[] = {
	{"governor", NULL, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_available_governors"},
	{"energy_preference", NULL,
		"/sys/devices/system/cpu/cpu0/cpufreq/energy_performance_available_preferences"},
	{"clock_source", NULL, "/sys/devices/system/clocksource/clocksource0/available_clocksource"},
	{"watchdog", "0 1", NULL},
	{"nmi_watchdog", "0 1", NULL},
	{"timer_migration", "0 1", NULL},
	{"numa_balancing", "0 1 2", NULL},
	{"autogroup", "0 1", NULL},
	{"kptr_restrict", "0 1 2", NULL},
	{"khugepaged_defrag", "0 1", NULL},
	{"ksm", "0 1 2", NULL},
	{"mce_ignore_ce", "0 1", NULL},
};

static const char *const form_choices[] = {
	[SETTING_PARITY] = "RUN_TO_PARITY NO_RUN_TO_PARITY",
	[SETTING_SWITCH] = "on off",
	[SETTING_PARTITION] = "member root isolated",
	[SETTING_HELD] = NULL,
};

/* Reads a line of words, the one in use in brackets: "always [madvise] never". */
static void read_choices(const char *path, char words[FACT_CHOICES_SIZE])
{
	char line[FACT_CHOICES_SIZE], *rest;

	small_file_read_line(path, line, sizeof(line));
	text_clean(line);
	for (char *word = strtok_r(line, " \t[]()", &rest); word; word = strtok_r(NULL, " \t[]()", &rest))
		text_append(words, FACT_CHOICES_SIZE, " ", word);
}

void fact_choices(const struct machine_fact *fact, char words[FACT_CHOICES_SIZE])
{
	char path[PATH_MAX];

	words[0] = '\0';
	if (form_choices[fact->form])
		snprintf(words, FACT_CHOICES_SIZE, "%s", form_choices[fact->form]);
	else if (fact->form == SETTING_CHOICE && fact->file)
		read_choices(fact->file, words);
	else if (fact->form == SETTING_CHOICE && fact->find_file && !fact->find_file(path, sizeof(path)))
		read_choices(path, words);
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++)
		if (strcmp(choices[i].key, fact->field.key) != 0)
			continue;
		else if (choices[i].file)
			read_choices(choices[i].file, words);
		else
			snprintf(words, FACT_CHOICES_SIZE, "%s", choices[i].words);
}

/* --- the list of them --- */

struct file_list {
	struct setting_file *files; /* owned */
	size_t n;
	int error; /* of the last file that could not be read */
};

static bool has_file(const struct file_list *list, const char *path)
{
	size_t i = 0;

	while (i < list->n && strcmp(list->files[i].path, path) != 0)
		i++;
	return i < list->n;
}

/* CPUs that share a frequency policy have links to one file: it is listed once, by its own name. */
static int add_file(struct file_list *list, const char *path, enum setting_form form)
{
	struct setting_file file = {.form = form};
	char own_path[PATH_MAX];
	int r = realpath(path, own_path) ? setting_file_read(own_path, form, file.was) : -errno;

	if (r < 0)
		list->error = r;
	if (r < 0 || has_file(list, own_path))
		return 0;
	struct setting_file *grown = realloc(list->files, (list->n + 1) * sizeof(*grown));

	list->files = grown ? grown : list->files;
	file.path = strdup(own_path);
	if (!grown || !file.path) {
		free(file.path);
		return -ENOMEM;
	}
	list->files[list->n++] = file;
	return 0;
}

static int add_row(struct file_list *list, const struct machine_fact *fact, unsigned number)
{
	char path[PATH_MAX];

	snprintf(
		path, sizeof(path), "%s/%s%u/%s", fact->rows->folder, fact->rows->prefix, number, fact->file);
	return add_file(list, path, fact->form);
}

/* The number of a folder's name after the prefix; negative: it has none. */
static long number_of(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);
	char *end;

	if (strncmp(name, prefix, length) != 0 || name[length] < '0' || name[length] > '9')
		return -1;
	long number = strtol(name + length, &end, 10);

	return *end ? -1 : number;
}

static int compare_rows(const struct dirent **a, const struct dirent **b)
{
	size_t x = strlen((*a)->d_name), y = strlen((*b)->d_name);

	return x == y ? strcmp((*a)->d_name, (*b)->d_name) : (x > y) - (x < y);
}

static int add_folders(struct file_list *list, const struct machine_fact *fact, const struct cpus *numbers)
{
	struct dirent **entries = NULL;
	int n = scandir(fact->rows->folder, &entries, NULL, compare_rows), r = 0;

	if (n < 0)
		list->error = -errno;
	for (int i = 0; i < n; i++) {
		long number = number_of(entries[i]->d_name, fact->rows->prefix);
		bool is_meant = number >= 0 &&
				(!numbers || (number < CPUS_MAX && cpus_has(numbers, (unsigned)number)));

		if (r == 0 && is_meant)
			r = add_row(list, fact, (unsigned)number);
		free(entries[i]);
	}
	free(entries);
	return r;
}

static int add_all(struct file_list *list, const struct machine_fact *fact, const struct cpus *numbers,
	const unsigned *members, size_t n_members)
{
	char path[PATH_MAX];
	int r = 0;

	if (fact->rows && !fact->rows->is_given)
		return add_folders(list, fact, numbers);
	for (size_t i = 0; i < n_members && fact->rows && r == 0; i++)
		r = add_row(list, fact, members[i]);
	if (fact->rows)
		return r;
	if (!fact->find_file)
		return add_file(list, fact->file, fact->form);
	r = fact->find_file(path, sizeof(path));
	if (r == 0)
		return add_file(list, path, fact->form);
	list->error = r;
	return 0;
}

int fact_files_list(struct setting_file **files, size_t *n, const struct machine_fact *fact,
	const struct cpus *numbers, const unsigned *members, size_t n_members, struct error_text *reason)
{
	struct file_list list = {.error = -ENOENT};
	int r = add_all(&list, fact, numbers, members, n_members);

	*files = list.files;
	*n = list.n;
	if (r < 0)
		return error_text_set(reason, r, "no memory for its files");
	if (list.n)
		return 0;
	const char *why = fact->why_none ? fact->why_none(list.error) : NULL;

	return error_text_set(reason, list.error, "%s",
		why ? why
		: list.error == -EACCES || list.error == -EPERM
			? "it is not readable here: sudo ipctop try ..."
		: list.error == -E2BIG || list.error == -EILSEQ ? "its value is too long, or not plain text"
		: list.error == -ENODATA
			? "it is empty here, and the kernel would refuse to make it empty again: write its CPUs into it first"
		: list.error == -ENXIO
			? "the cgroup in which ipctop runs does not have it: the root has none, another one only if its parent's cgroup.subtree_control has cpuset"
			: "this machine, or this kernel, does not have it");
}
