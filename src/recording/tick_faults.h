/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_faults.h - lost, repeated, reordered and damaged tokens, at the end of a tick's bytes. Pure. */
#pragma once

#include "src/base/bytes.h"
#include "src/figures/tick.h"

/* They are rare: those rings that have any, by their place in the tick. */
void tick_faults_encode(struct bytes *bytes, const struct tick *tick);
/* Into the tick's rings. */
void tick_faults_decode(struct scan *scan, struct tick *tick);
