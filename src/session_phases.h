/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_phases.h - phases and windows, as the session feeds them. Pure. */
#pragma once

struct session;
struct span;

/* A tick that has been fed to the rows, packed; takes references. Returns 0 or -ENOMEM. */
int session_phases_feed(struct session *session, struct span *span);
/* The scheduling of members changed in the last tick. Begins a phase, one for all changes within a second,
 * where that is wanted. Returns 0 or -ENOMEM. */
int session_phases_change(struct session *session, const char *what);
