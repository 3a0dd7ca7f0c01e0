/* SPDX-License-Identifier: GPL-2.0-or-later */
/* freeze.h - the session as it was when the display was frozen: keys work on it as on the live one. Pure. */
#pragma once

#include <stdbool.h>

#include "src/session.h"

struct view;

/* Zeroed: live. */
struct freeze {
	struct session session;
	bool taken; /* the session is a copy */
};

/* What @view is to show: @live, or where it is frozen the copy, taken now if there is none. The view is told
 * how old that is; without memory for a copy it is live again. */
const struct session *freeze_session(struct freeze *freeze, const struct session *live, struct view *view);
void freeze_finish(struct freeze *freeze);
