/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_rows.h - what a tick says of each row, as the session feeds it. Pure. */
#pragma once

struct session;
struct span;
struct tick;

/* Adds a tick that fits to the sums and trails of rings and groups, and packs it: the span is the caller's,
 * and NULL where this returns -ENOMEM in place of 0. */
int session_rows_feed(struct session *session, const struct tick *tick, struct span **span);
