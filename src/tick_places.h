/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_places.h - where members were moved, and what was away, at the end of a tick's bytes. Pure. */
#pragma once

#include "src/tick_codec.h"

/* Of a ring: which members somebody has moved, and the class of the place. */
void places_encode(
	struct bytes *bytes, const struct tick_member *members, uint32_t n, enum locality locality);
/* Returns the class; 0 where none is moved. */
enum locality places_decode(struct scan *scan, struct tick_member *members, uint32_t n);

void tick_places_encode(struct bytes *bytes, const struct tick *tick);
/* The tick has its members. A tick without these bytes has nothing away, and nobody moved. */
void tick_places_decode(struct scan *scan, struct tick *tick);
