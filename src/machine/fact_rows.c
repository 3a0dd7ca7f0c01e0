/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fact_rows.c - a fact that each CPU, or each interrupt, has for itself. */
#include "src/machine/fact_rows.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/small_file.h"
#include "src/base/sort.h"

enum { VALUE_SIZE = 1024 };

const struct fact_rows_kind fact_rows_of_cpus = {.folder = "/sys/devices/system/cpu",
	.prefix = "cpu",
	.one = "CPU",
	.several = "CPUs",
	.is_brief = true};
const struct fact_rows_kind fact_rows_of_irqs = {.folder = "/proc/irq",
	.prefix = "",
	.one = "irq",
	.several = "irqs",
	.absent = "absent",
	.may_vanish = true,
	.has_cpu_lists = true};

const struct fact_rows_kind fact_rows_of_fair_servers = {.folder = "/sys/kernel/debug/sched/fair_server",
	.prefix = "cpu",
	.one = "CPU",
	.several = "CPUs",
	.is_brief = true};

/* Threads have folders there, too, though they are not listed. */
const struct fact_rows_kind fact_rows_of_members = {.folder = "/proc",
	.prefix = "",
	.one = "task",
	.several = "tasks",
	.is_given = true,
	.is_brief = true};

/* --- rows --- */

struct fact_rows *fact_rows_share(struct fact_rows *rows)
{
	if (rows) /* Relaxed: the caller's own use keeps them. */
		atomic_fetch_add_explicit(&rows->n_users, 1, memory_order_relaxed);
	return rows;
}

void fact_rows_release(struct fact_rows *rows)
{
	/* Acquire and release: what other users read is read before the last one frees it. */
	if (!rows || atomic_fetch_sub_explicit(&rows->n_users, 1, memory_order_acq_rel) > 1)
		return;
	for (size_t i = 0; i < rows->n; i++)
		free(rows->rows[i].value);
	free(rows->rows);
	free(rows->text);
	free(rows);
}

static struct fact_rows *create_rows(void)
{
	struct fact_rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		atomic_init(&rows->n_users, 1);
	return rows;
}

/* Appends a row, or makes the last one longer. @value: @length bytes. */
static int append_row(struct fact_rows *rows, unsigned first, unsigned last, const char *value, size_t length)
{
	struct fact_row *row = rows->n ? &rows->rows[rows->n - 1] : NULL;

	if (row && row->last + 1 == first && strlen(row->value) == length &&
		memcmp(row->value, value, length) == 0) {
		row->last = last;
		return 0;
	}
	struct fact_row *grown = realloc(rows->rows, (rows->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	rows->rows = grown;
	grown[rows->n] = (struct fact_row){first, last, strndup(value, length)};
	return grown[rows->n].value ? (rows->n++, 0) : -ENOMEM;
}

/* Gives the rows their text: @word if there are none. Returns @rows; NULL, after releasing them, without
 * memory. */
static struct fact_rows *end_rows(struct fact_rows *rows, const char *word)
{
	size_t size;
	FILE *out = open_memstream(&rows->text, &size);

	if (out && !rows->n)
		fputs(word, out);
	for (size_t i = 0; out && i < rows->n; i++) {
		const struct fact_row *row = &rows->rows[i];

		fprintf(out, "%s%u", i ? " " : "", row->first);
		if (row->last > row->first)
			fprintf(out, "-%u", row->last);
		fprintf(out, ":%s", row->value);
	}
	if (out && fclose(out) == 0)
		return rows;
	fact_rows_release(rows);
	return NULL;
}

/* Reads the number at *@at. Returns false, with *@at untouched, if there is none. */
static bool scan_number(const char **at, unsigned *number)
{
	char *end;
	unsigned long value = strtoul(*at, &end, 10);

	if (!isdigit((unsigned char)**at) || value >= UINT_MAX)
		return false;
	*number = (unsigned)value;
	*at = end;
	return true;
}

/* Returns 1 at the end of the text, 0 before it, or a negative errno: -EINVAL if the text has no row there.
 */
static int scan_row(struct fact_rows *rows, const char **at)
{
	unsigned first = 0, last = 0;

	rows->is_cut = rows->n && strcmp(*at, "...") == 0;
	if (rows->is_cut)
		return 1;
	if (!scan_number(at, &first))
		return -EINVAL;
	last = first;
	if (**at == '-' && (++*at, !scan_number(at, &last)))
		return -EINVAL;
	size_t length = **at == ':' ? strcspn(++*at, " ") : 0;

	if (!length || last < first || (rows->n && first <= rows->rows[rows->n - 1].last))
		return -EINVAL;
	int r = append_row(rows, first, last, *at, length);

	*at += length;
	*at += **at == ' ';
	return r < 0 ? r : !**at;
}

struct fact_rows *fact_rows_parse(const char *text)
{
	struct fact_rows *rows = *text ? create_rows() : NULL;
	const char *at = text;
	int r = 0;

	while (rows && r == 0)
		r = scan_row(rows, &at);
	if (r < 0) {
		fact_rows_release(rows);
		rows = r == -EINVAL ? create_rows() : NULL;
	}
	return rows ? end_rows(rows, text) : NULL;
}

static bool all_have_one_value(const struct fact_rows *rows)
{
	for (size_t i = 1; i < rows->n; i++)
		if (strcmp(rows->rows[i].value, rows->rows[0].value) != 0)
			return false;
	return rows->n > 0;
}

const char *fact_rows_text(const struct fact_rows_kind *kind, const struct fact_rows *rows)
{
	if (!rows)
		return "";
	return kind->is_brief && all_have_one_value(rows) ? rows->rows[0].value : rows->text;
}

const char *fact_rows_summary(const struct fact_rows *rows)
{
	if (!rows)
		return "";
	return !rows->n ? rows->text : all_have_one_value(rows) ? rows->rows[0].value : "mixed";
}

/* --- comparing --- */

/* "powersave"; of lists "CPU 0", "CPUs 0-1"; "none" where there is no value. */
static const char *value_word(
	const struct fact_rows_kind *kind, const struct fact_row *row, char word[VALUE_SIZE])
{
	if (!row)
		return "none";
	if (!kind->has_cpu_lists)
		return row->value;
	snprintf(word, VALUE_SIZE, "CPU%s %s", strpbrk(row->value, ",-") ? "s" : "", row->value);
	return word;
}

/* Adds numbers to those that changed. The last range grows if they continue it. */
static void name_changed(struct fact_rows_change *change, uint64_t first, uint64_t last)
{
	char range[48];
	int length = snprintf(range, sizeof(range), first == last ? "%s%llu" : "%s%llu-%llu",
		change->numbers_length ? "," : "", (unsigned long long)first, (unsigned long long)last);

	change->numbers_length += (size_t)length;
	if (change->numbers_length < sizeof(change->numbers))
		strcat(change->numbers, range);
	else
		change->numbers[0] = '\0';
}

/* Adds the CPUs that one list has and the other lacks. */
static void add_moved_cpus(
	struct fact_rows_change *change, const struct fact_row *was, const struct fact_row *is)
{
	struct cpus before = {0}, now = {0}, both;

	if (was && cpus_parse(&before, was->value) < 0)
		before = (struct cpus){0};
	if (is && cpus_parse(&now, is->value) < 0)
		now = (struct cpus){0};
	both = before;
	cpus_intersect(&both, &now);
	cpus_unite(&before, &now);
	cpus_subtract(&before, &both);
	cpus_unite(&change->cpus, &before);
}

/* Goes through two lists of rows together. */
struct row_walk {
	const struct fact_rows *was, *is;
	size_t next_was, next_is; /* indices of the rows that are not behind @at */
	uint64_t at;              /* all numbers below it are behind */
};

/* Numbers that have one value in each list. */
struct common_range {
	uint64_t first, last;
	const struct fact_row *was, *is; /* NULL: that list lacks the numbers */
};

/* Returns the first number of a row that is not behind; UINT64_MAX without a row. */
static uint64_t first_from(const struct fact_row *row, uint64_t at)
{
	return !row ? UINT64_MAX : row->first > at ? row->first : at;
}

/* Returns false at the end, or where a list was cut. */
static bool next_range(struct row_walk *walk, struct common_range *range)
{
	const struct fact_row *was = walk->next_was < walk->was->n ? &walk->was->rows[walk->next_was] : NULL;
	const struct fact_row *is = walk->next_is < walk->is->n ? &walk->is->rows[walk->next_is] : NULL;

	if ((!was && (!is || walk->was->is_cut)) || (!is && walk->is->is_cut))
		return false;
	uint64_t from_was = first_from(was, walk->at), from_is = first_from(is, walk->at);
	uint64_t first = from_was < from_is ? from_was : from_is;
	uint64_t last_was = from_was == first ? was->last : from_was - 1;
	uint64_t last_is = from_is == first ? is->last : from_is - 1;

	*range = (struct common_range){.first = first,
		.last = last_was < last_is ? last_was : last_is,
		.was = from_was == first ? was : NULL,
		.is = from_is == first ? is : NULL};
	walk->at = range->last + 1;
	walk->next_was += was && was->last < walk->at;
	walk->next_is += is && is->last < walk->at;
	return true;
}

int fact_rows_compare(const struct fact_rows_kind *kind, const struct fact_rows *was,
	const struct fact_rows *is, struct fact_rows_change *change)
{
	char was_word[VALUE_SIZE], is_word[VALUE_SIZE];
	struct row_walk walk = {.was = was, .is = is};
	struct common_range range, changed = {.first = UINT64_MAX}; /* UINT64_MAX: none is to be named */
	int r = 0;

	*change = (struct fact_rows_change){0};
	if (!was || !is || !was->n || !is->n)
		return -EINVAL;
	while (r == 0 && next_range(&walk, &range)) {
		if (!kind->may_vanish && (!range.was || !range.is))
			continue;
		const char *before = value_word(kind, range.was, was_word);
		const char *now = value_word(kind, range.is, is_word);

		r = tally_change_add(&change->counts, before, now, range.last - range.first + 1);
		if (strcmp(before, now) == 0)
			continue;
		if (kind->has_cpu_lists)
			add_moved_cpus(change, range.was, range.is);
		if (changed.first < UINT64_MAX && changed.last + 1 == range.first) {
			changed.last = range.last;
			continue;
		}
		if (changed.first < UINT64_MAX)
			name_changed(change, changed.first, changed.last);
		changed = range;
	}
	if (changed.first < UINT64_MAX)
		name_changed(change, changed.first, changed.last);
	return r;
}

/* --- reading --- */

static int list_numbers(struct fact_reader *reader, const struct fact_rows_kind *kind, const char *folder)
{
	size_t skipped = strlen(kind->prefix);

	if (kind->is_given) {
		reader->numbers = reader->n_given ? malloc(reader->n_given * sizeof(*reader->numbers)) : NULL;
		if (!reader->numbers)
			return reader->n_given ? -ENOMEM : 0;
		reader->n = reader->n_given;
		memcpy(reader->numbers, reader->given, reader->n * sizeof(*reader->numbers));
		return 0;
	}
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	int r = 0;

	if (!directory) {
		reader->is_denied = errno == EACCES || errno == EPERM;
		return 0;
	}
	while (r == 0 && (entry = readdir(directory))) {
		const char *number = entry->d_name + skipped;

		if (strncmp(entry->d_name, kind->prefix, skipped) != 0 || !isdigit((unsigned char)*number) ||
			(reader->without && cpus_has(reader->without, (unsigned)strtoul(number, NULL, 10))))
			continue;
		unsigned *numbers = realloc(reader->numbers, (reader->n + 1) * sizeof(*numbers));

		r = numbers ? 0 : -ENOMEM;
		if (!numbers)
			continue;
		reader->numbers = numbers;
		numbers[reader->n++] = (unsigned)strtoul(number, NULL, 10);
	}
	closedir(directory);
	sort_uints(reader->numbers, reader->n);
	return r;
}

/* Replaces *@to by what was read. */
static void end_reading(struct fact_reader *reader, const struct fact_rows_kind *kind, struct fact_rows **to)
{
	struct fact_rows *rows = reader->rows;
	const char *word = reader->is_denied ? "not readable" : kind->absent;

	reader->rows = NULL;
	if (!rows->n && !word) {
		fact_rows_release(rows);
		rows = NULL;
	} else {
		rows = end_rows(rows, word);
	}
	fact_rows_release(*to);
	*to = rows;
}

/* Returns as small_file_read_line(). */
static ssize_t read_file(const char *folder, const char *file, char *value, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return small_file_read_line(path, value, size);
}

void fact_reader_read(struct fact_reader *reader, const struct fact_rows_kind *kind, const char *folder,
	const char *file, fact_row_reader *read, size_t n_max, struct fact_rows **rows)
{
	int r = 0;

	if (!reader->rows) {
		reader->rows = create_rows();
		r = reader->rows ? list_numbers(reader, kind, folder) : -ENOMEM;
	}
	for (; r == 0 && reader->next < reader->n && n_max > 0; reader->next++, n_max--) {
		char row[PATH_MAX - 64], value[VALUE_SIZE];
		unsigned number = reader->numbers[reader->next];

		snprintf(row, sizeof(row), "%s/%s%u", folder, kind->prefix, number);
		ssize_t length =
			read ? read(row, value, sizeof(value)) : read_file(row, file, value, sizeof(value));

		reader->is_denied |= length == -EACCES || length == -EPERM;
		if (length > 0)
			r = append_row(reader->rows, number, number, value, (size_t)length);
	}
	if (r == 0 && reader->next == reader->n)
		end_reading(reader, kind, rows);
	if (r < 0 || reader->next == reader->n)
		fact_reader_finish(reader);
}

void fact_reader_finish(struct fact_reader *reader)
{
	fact_rows_release(reader->rows);
	free(reader->numbers);
	*reader = (struct fact_reader){0};
}
