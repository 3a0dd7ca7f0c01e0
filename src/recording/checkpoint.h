/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint.h - a session as bytes, so that a recording need not be read from its start. Pure.
 *
 * What a session holds of its rings' plan and of the machine is not in it: that is the header's, and in
 * entries of its own. */
#pragma once

#include "src/base/bytes.h"

struct session;

/* Phases that end before it are left out, the oldest first, where they would take more than @phases_max. */
void checkpoint_encode(const struct session *session, struct bytes *bytes, size_t phases_max);
/* Into a session that was just begun. Returns 0, -ENOMEM, or -EINVAL with a session of which nothing but
 * session_finish() is to be asked. */
int checkpoint_decode(struct session *session, struct scan *scan);
