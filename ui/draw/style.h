/* SPDX-License-Identifier: GPL-2.0-or-later */
/* style.h - the meaning of a cell. Its look in each palette is in palette.c. */
#pragma once

#include <stdbool.h>

enum { STYLE_STEPS = 7 }; /* of a gradient */

/* No style adds information to the text. The first ones are sorted by strength: if a cell has two of these
 * meanings, the later one is shown. */
enum style {
	STYLE_PLAIN,
	STYLE_STRONG,    /* figures and words that matter most in a line */
	STYLE_THIN,      /* a percentile with too few samples beyond it */
	STYLE_WAITING,   /* of a ring that waits for its turn */
	STYLE_UNUSUAL,   /* a time far above that of its class or of the baseline; missed laps */
	STYLE_UNDECIDED, /* verdicts of a comparison */
	STYLE_BETTER,
	STYLE_WORSE,
	STYLE_ABOVE_LIMIT, /* a time above the user's limit */
	STYLE_WRONG,       /* not as asked: a ring's state, a member's scheduling, an input */
	STYLE_WARNING,     /* an event, or a field of the header */
	STYLE_TITLE,       /* a section's first line */
	STYLE_HEAD,        /* the columns' titles */
	STYLE_BAR,
	STYLE_BAR_A, /* of the two phases of a comparison */
	STYLE_BAR_B,
	STYLE_SELECTED,
	STYLE_KEY,    /* a key's name in the key bar */
	STYLE_REPLAY, /* the past is shown, in place of the present */
	/* Text on step 1 of a gradient, least to most; the other steps follow. */
	STYLE_STEP_1,
	/* One of the signs ░▒▓█ or ▁▂▃▄▅▆▇█ on it, which shades the cell, or fills it from below. */
	STYLE_SHADE_1 = STYLE_STEP_1 + STYLE_STEPS,
	/* The sign ▀ of two steps, or of one above nothing: only where there are 256 colors. */
	STYLE_HALVES = STYLE_SHADE_1 + STYLE_STEPS,
	N_STYLES = STYLE_HALVES + STYLE_STEPS * (STYLE_STEPS + 1),
};

/* The style of a sign on a step. A letter covers little of its cell, and stays readable. */
static inline enum style style_of_step(unsigned step, bool is_letter)
{
	return (enum style)((is_letter ? STYLE_STEP_1 : STYLE_SHADE_1) + step - 1);
}

/* The style of half blocks. @sign: the step in the color of the sign; @other: the step beside it, 0: none. */
static inline enum style style_of_halves(unsigned sign, unsigned other)
{
	return (enum style)(STYLE_HALVES + (sign - 1) * (STYLE_STEPS + 1) + other);
}

static inline enum style style_stronger(enum style a, enum style b)
{
	return a > b ? a : b;
}
