/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.h - what a line of the table stands for: a ring, a group or a hop, and the samples of it. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/session.h"
#include "ui/draw/units.h"
#include "ui/table/window_sums.h"

/* A ring or a group, seen under the figure asked for; or a hop, whose latency has no window. */
struct row {
	const struct session *session;
	const struct session_ring *ring;   /* NULL: it is a group, and */
	const struct session_group *group; /* this one */
	const struct session_hop *hop;     /* not NULL: it is this hop of the ring */
	struct windowed *windowed;
	const struct session_figure *shown; /* of all; in the window: row_hist(); a hop has none */
	enum figure figure;                 /* the one shown */
	bool other;                         /* it is not the one asked for */
	enum unit unit;
	uint64_t limit_ns; /* 0: none */
};

struct row row_of_ring(const struct session *session, struct windowed *windowed,
	const struct session_ring *ring, enum figure figure, enum unit unit);

struct row row_of_group(const struct session *session, struct windowed *windowed, size_t group,
	enum figure figure, enum unit unit);

struct row row_of_hop(
	const struct session *session, const struct session_ring *ring, unsigned hop, enum unit unit);

size_t row_index(const struct row *row); /* in the session; a hop's ring's */
unsigned row_hop(const struct row *row); /* which of its ring's, where it is one */
/* Of the window, summed up when it is asked for: that takes a while with many rings. */
const struct hist *row_hist(const struct row *row, enum figure figure);
