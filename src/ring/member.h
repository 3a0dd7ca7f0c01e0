/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member.h - runs one member of a ring. */
#pragma once

#include "src/ring/arena.h"

/* The signal that makes a waiting member read its commands. Its handler does nothing, and has no SA_RESTART.
 */
enum { MEMBER_WAKE = 23 /* SIGURG */ };

/* A token that is away for so long is lost; on channels that may lose it. */
enum { LOST_TOKEN_NS = 1000000000 };

/* Writes "mq:0.1": mechanism, ring and member. Of a long one the mechanism is cut, so that a search for
 * `:.*\.` finds it. Returns @name. */
enum { MEMBER_NAME_SIZE = 32 }; /* of which the kernel keeps 15 */
char *member_name(char name[MEMBER_NAME_SIZE], const char *mechanism, uint32_t ring, unsigned member);

/* Runs the member in the calling thread, from pinning to the end, which its stage then shows. */
void member_run(struct arena_member *member);
