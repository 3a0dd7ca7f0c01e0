/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_rows.h - the rows of a session: its rings, then the groups of rings. Pure. */
#pragma once

struct block;
struct session;
struct tick;

/* Adds a tick that fits to the sums and stats of rings and groups, and packs it into @block, which is the
 * caller's. Returns 0, or -ENOMEM with no block. */
int session_rows_feed(struct session *session, const struct tick *tick, struct block *block);
