/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint_phase.h - the phases of a session as bytes: the end of a checkpoint. Pure. */
#pragma once

#include "src/base/bytes.h"

struct session;

/* As checkpoint_encode() and checkpoint_decode(). */
void checkpoint_phases_encode(const struct session *session, struct bytes *bytes, size_t phases_max);
int checkpoint_phases_decode(struct session *session, struct scan *scan);
