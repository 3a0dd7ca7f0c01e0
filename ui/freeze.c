/* SPDX-License-Identifier: GPL-2.0-or-later */
/* freeze.c - the session as it was when the display was frozen. */
#include "ui/freeze.h"

#include "ui/view.h"

void freeze_finish(struct freeze *freeze)
{
	if (freeze->taken)
		session_finish(&freeze->session);
	freeze->taken = false;
}

const struct session *freeze_session(struct freeze *freeze, const struct session *live, struct view *view)
{
	if (!view->frozen)
		freeze_finish(freeze);
	else if (!freeze->taken)
		view->frozen = freeze->taken = session_copy(&freeze->session, live) == 0;
	if (!freeze->taken)
		return live;
	view->frozen_age_ns = live->now_ns - freeze->session.now_ns;
	return &freeze->session;
}
