/* SPDX-License-Identifier: GPL-2.0-or-later */
/* views.h - the views: each draws all of the screen between the header and the footer. Pure.
 *
 * A view is a file that defines `const struct view_kind view_NAME`, and its name in ui/meson.build, from
 * which the table is made. */
#pragma once

#include "ui/table/view_state.h"
#include "ui/views/keys.h"

struct view_kind {
	const char *name;                         /* for --view */
	struct key key;                           /* opens it; in the view, goes back to the overview */
	unsigned (*header_lines)(unsigned lines); /* of a screen with so many */
	void (*draw)(const struct scene *scene, struct area body);
	/* Optional: where its table has the rows of the view state, below a line of titles; else as the
	 * overview has it. */
	struct area (*table)(const struct session *session, const struct view_state *view, struct area body);
	bool compares; /* shows a comparison of two phases */
	/* Optional. Without @wheel the wheel moves the selection by a row. */
	void (*click)(struct view_state *view, unsigned x, unsigned y);
	void (*wheel)(struct view_state *view, long lines);
};

extern const struct view_kind *const views_table[]; /* the overview first */
extern const unsigned views_n;

/* The name of view number @i; NULL past the last one. */
const char *views_name(unsigned i);
