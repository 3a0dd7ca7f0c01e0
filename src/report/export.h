/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export.h - a session in the formats of other programs.
 *
 * A format is a file that defines `const struct export_format export_NAME`, and its name in src/meson.build.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "src/figures/tick.h"
#include "src/plan/config.h"

struct feed_item;
struct report_origin;
struct session;

/* The part of a session that a format prints. */
struct export_view {
	const struct session *session;
	enum figure figure; /* the one that --show names */
	size_t row;         /* of formats with .one_row: a ring, or the session's n_rings: all together */
};

/* An item of the feed. The session has it already. */
struct export_item {
	const struct session *session;
	const struct feed_item *feed;
	bool damaged;    /* in a recording: the entry at this offset could not be read */
	uint64_t offset; /* bytes */
};

/* Errors of writing stay with the stream. A format has either .print, or the others. */
struct export_format {
	const char *name;
	bool one_row; /* a file has the histogram of one row */
	/* Prints everything, at the end. Returns 0 or -ENOMEM. */
	int (*print)(FILE *out, const struct export_view *view);
	/* Print the header before the first item, then each item, and at the end .print_end, if there is one.
	 * @n_events: how many events the session had made after the item before; 0 at first. */
	void (*print_header)(FILE *out, const struct session *session, const struct report_origin *origin);
	void (*print_item)(FILE *out, const struct export_item *item, uint64_t *n_events);
	void (*print_end)(FILE *out);
};

/* Prints the session's events after the first @n_events as jsonl has them, and counts them there. */
void export_jsonl_events(FILE *out, const struct session *session, uint64_t *n_events);
/* The same of reports of spikes, as far as they are kept: of one that was under way, only the last. */
void export_jsonl_spikes(FILE *out, const struct session *session, uint64_t *n_reports);

extern const struct export_format *const export_formats[]; /* ended by NULL */
const char *export_name(unsigned index);                   /* NULL past the last one */
