/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.h - all pictures of a session below one another: as a file of SVG, or in a report of HTML. Pure. */
#pragma once

#include <stdio.h>

#include "src/figures/tick.h"

struct baseline;
struct phase_source;
struct session;

struct page_choice {
	enum figure figure;
	unsigned palette;                  /* enum palette */
	const struct baseline *baseline;   /* the phase A; number 0: the one before the last */
	const struct phase_source *phases; /* of those that the session does not have any more; NULL: none */
};

/* Return 0, -ENOMEM, or -EIO after an error of writing. The session's last ticks must be in its phases
 * (session_phases_settle()). */
int page_print_svg(const struct session *session, const struct page_choice *choice, FILE *out);
/* What was measured where, the verdict of the last phase, whom spikes blame, the pictures, the rings, the
 * machine and the events: one file, which needs no other. */
int page_print_html(const struct session *session, const struct page_choice *choice, FILE *out);
