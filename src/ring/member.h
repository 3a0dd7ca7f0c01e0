/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member.h - runs one member of a ring. */
#pragma once

#include "src/ring/arena.h"

/* The signal that makes a waiting member read its commands. Its handler does nothing, and has no SA_RESTART.
 */
enum { MEMBER_WAKE = 23 /* SIGURG */ };

/* A token that is away for so long is lost; on channels that may lose it. */
enum { LOST_TOKEN_NS = 1000000000 };

/* Runs the member in the calling thread, from pinning to the end, which its stage then shows. */
void member_run(struct member_slot *member);
