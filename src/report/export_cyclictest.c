/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_cyclictest.c - the file of cyclictest's --histfile, in microseconds: rings are its threads. */
#include <errno.h>
#include <stdlib.h>

#include "src/model/session.h"
#include "src/report/export.h"

enum { LINES_MAX = 10000 }; /* microseconds; longer samples are overflows */

#define UNKNOWN UINT64_MAX /* a sum of a column that is printed as "-" */

/* A ring. A sample counts in the middle of its bucket. Above 65 us a bucket is wider than a line. */
struct column {
	const struct hist *hist;
	unsigned bucket;  /* the next one to be printed */
	uint64_t printed; /* samples */
};

static uint64_t microsecond_of(const struct hist *hist, unsigned bucket)
{
	return hist_clamped(hist, hist_middle(bucket)) / 1000;
}

/* Returns the samples of the next microsecond, which is @us. */
static uint64_t count_samples(struct column *column, uint64_t us)
{
	uint64_t count = 0;

	for (; column->bucket < HIST_BUCKETS; column->bucket++) {
		uint64_t in_bucket = hist_count(column->hist, column->bucket);

		if (in_bucket && microsecond_of(column->hist, column->bucket) > us)
			break;
		count += in_bucket;
	}
	column->printed += count;
	return count;
}

static uint64_t lines_of(const struct column *columns, size_t n)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < n; i++) {
		const struct hist *hist = columns[i].hist;

		if (hist->n && hist->max_ns / 1000 + 1 > lines)
			lines = hist->max_ns / 1000 + 1;
	}
	return lines < LINES_MAX ? lines : LINES_MAX;
}

static void print_columns(FILE *out, const struct session *session, enum figure figure)
{
	char name[SESSION_NAME_SIZE];

	fprintf(out, "# ipctop: us; columns:");
	for (size_t i = 0; i < session->n_rings; i++)
		fprintf(out, "%s %s %s", i ? "," : "", session_ring_name(&session->rings[i], name),
			figure_title(session_figure_of(&session->rings[i], figure)));
	fprintf(out, "\n");
}

static void print_lines(FILE *out, struct column *columns, size_t n)
{
	uint64_t lines = lines_of(columns, n);

	fprintf(out, "# Histogram\n");
	for (uint64_t us = 0; us < lines; us++) {
		fprintf(out, "%06llu ", (unsigned long long)us);
		for (size_t i = 0; i < n; i++)
			fprintf(out, "%s%06llu", i ? "\t" : "",
				(unsigned long long)count_samples(&columns[i], us));
		fprintf(out, "\n");
	}
}

static uint64_t printed(const struct column *column)
{
	return column->printed;
}

static uint64_t min_us(const struct column *column)
{
	return column->hist->n ? column->hist->min_ns / 1000 : 0;
}

static uint64_t mean_us(const struct column *column)
{
	if (hist_samples(column->hist) && !hist_has_mean(column->hist))
		return UNKNOWN;
	return (uint64_t)hist_mean(column->hist) / 1000;
}

static uint64_t max_us(const struct column *column)
{
	return column->hist->n ? column->hist->max_ns / 1000 : 0;
}

static uint64_t overflows(const struct column *column)
{
	return column->hist->n - column->printed;
}

static void print_sums(FILE *out, const struct column *columns, size_t n)
{
	static const struct {
		const char *title;
		int digits;
		uint64_t (*value)(const struct column *column);
	} sums[] = {
		{"Total", 9, printed},
		{"Min Latencies", 5, min_us},
		{"Avg Latencies", 5, mean_us},
		{"Max Latencies", 5, max_us},
		{"Histogram Overflows", 5, overflows},
	};

	for (size_t row = 0; row < sizeof(sums) / sizeof(*sums); row++) {
		fprintf(out, "# %s:", sums[row].title);
		for (size_t i = 0; i < n; i++) {
			uint64_t value = sums[row].value(&columns[i]);

			if (value == UNKNOWN)
				fprintf(out, " -");
			else
				fprintf(out, " %0*llu", sums[row].digits, (unsigned long long)value);
		}
		fprintf(out, "\n");
	}
}

/* cyclictest names the first overflows by their cycles, which ipctop does not know, and counts the others. */
static void print_overflows(FILE *out, const struct column *columns, size_t n)
{
	fprintf(out, "# Histogram Overflow at cycle number:\n");
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "# Thread %zu:", i);
		if (overflows(&columns[i]))
			fprintf(out, " # %05llu others", (unsigned long long)overflows(&columns[i]));
		fprintf(out, "\n");
	}
	fprintf(out, "\n");
}

static int print_all(FILE *out, const struct export_view *view)
{
	const struct session *session = view->session;
	size_t n = session->n_rings;
	struct column *columns = calloc(n + 1, sizeof(*columns));

	if (!columns)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct session_ring *ring = &session->rings[i];

		columns[i].hist = &ring->figures[session_figure_of(ring, view->figure)].hist;
	}
	print_columns(out, session, view->figure);
	print_lines(out, columns, n);
	print_sums(out, columns, n);
	print_overflows(out, columns, n);
	free(columns);
	return 0;
}

const struct export_format export_cyclictest = {"cyclictest", .print = print_all};
