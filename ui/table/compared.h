/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared.h - which phases are compared, and the lines of the comparison that are ready. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/verdict_summary.h"
#include "ui/draw/canvas.h"

struct comparison_choice;
struct comparison_file;
struct comparison_line;
struct comparison_lines;
struct session;
struct session_ring;
struct view_state;

struct compared {
	const struct comparison_file *file;   /* of --baseline; NULL: none */
	uint32_t baseline;                    /* 0: none */
	const struct comparison_lines *lines; /* what was compared last; NULL: nothing */

	/* Set by compared_settle(). */
	uint32_t first, last; /* the phases of the session */
	/* The phases that are compared: the baseline and the current one, unless the view on the screen
	 * chooses others. 0: none. */
	uint32_t a, b;

	/* Set by the view that compares: the phases it shows, or would show. 0: the session has no two. */
	uint32_t offered_a, offered_b;
};

/* Follows the session. */
void compared_settle(struct compared *compared, const struct session *session);
/* Returns whether a phase can be compared: the session has it, or it is the file's. */
bool compared_has_phase(const struct compared *compared, uint32_t number);
/* Makes the next one of all phases and the file the baseline (@step 1), or the one before (-1); none is
 * among them. */
void compared_step_baseline(struct compared *compared, int step);

bool compared_has_baseline(const struct compared *compared); /* other than the current phase */
/* Returns whether something is to be compared. */
bool compared_choice(const struct view_state *view, struct comparison_choice *choice);
/* Returns the lines if they are those of the choice, or NULL. */
const struct comparison_lines *compared_lines(const struct view_state *view);
/* Returns the line of a row of the session; NULL while it is not ready. */
const struct comparison_line *compared_line(const struct view_state *view, size_t row);
/* Returns whether the comparison has no row of a ring: neither phase has it, or B has the ring that took its
 * place. */
bool compared_leaves_out(
	const struct view_state *view, const struct session *session, const struct session_ring *ring);
/* Writes the change of a percentile: "+79%", ">999%", or "-" where there are too few samples; of others the
 * mark's name. Returns @text. */
char *compared_change(
	const struct comparison_line *line, enum mark_id mark, bool group, char *text, size_t size);
/* Return the style of a row's verdict, and of a mark: dim if it does not survive the correction for many. */
enum style compared_style(const struct comparison_line *line);
enum style compared_mark_style(const struct mark *mark);
enum style compared_headline_style(const struct verdict_summary *summary);
