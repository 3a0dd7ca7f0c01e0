/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_place.h - where a ring's members are meant to be, once somebody has moved some of them. Pure. */
#pragma once

#include "src/model/session.h"

/* The ring's label and class follow its members, which were brought up to date before. @locality: of where
 * they are now, where any was moved. Returns 0 or -ENOMEM. */
int session_place_update(struct session_ring *ring, enum locality locality);
