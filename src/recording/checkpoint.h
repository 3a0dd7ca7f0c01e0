/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint.h - a session as bytes, from which the reading of a recording can begin. Pure.
 *
 * The plan of the first rings is not in it: the header of the recording has that. */
#pragma once

#include "src/base/bytes.h"

struct session;

/* Omits the oldest phases if their packed rows would take more than @phases_max bytes. */
void checkpoint_encode(
	const struct session *session, struct bytes *bytes, size_t phases_max, bool has_matrix);
/* Decodes into a session of record_json_read(). Returns 0, -ENOMEM or -EINVAL; after an error, only
 * session_finish() accepts the session. */
int checkpoint_decode(struct session *session, struct scan *scan);
