/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner.h - the process that owns an object, in the name or tag of that object. */
#pragma once

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The process that owns an object. The start time distinguishes it from later processes of the same pid. SysV
 * objects hold these bytes, and programs of 32 and 64 bits remove each other's, so the layout is the same. */
struct owner {
	pid_t pid;
	alignas(8) uint64_t start_time; /* field 22 of /proc/PID/stat */
	uint64_t space;                 /* a hash of the boot, the pid and the time namespace; 0: not known */
};

_Static_assert(sizeof(struct owner) == 24, "the same on each machine");

/* Returns whether the owner provably has ended: its pid is free, or names a process with another start time.
 * Owners of another boot or namespace count as alive, and so do all where /proc can't be read. */
bool owner_is_dead(const struct owner *owner);
/* The same, or @owner equals @dead (NULL: none), which is known to be dead. */
bool owner_has_left(const struct owner *owner, const struct owner *dead);
bool owner_equal(const struct owner *a, const struct owner *b);
/* Returns the calling process. */
struct owner owner_self(void);
/* Returns whether /proc is mounted and shows this process's pid namespace; that of a parent namespace has
 * other processes under the same numbers. */
bool owner_proc_is_own(void);

/* Returns a hash of OWNER_KEY_BITS bits, for keys of SysV objects. */
enum { OWNER_KEY_BITS = 22 };
unsigned owner_key(const struct owner *owner);

/* Writes "ipctop.PID.START.SPACE", the beginning of the object's name. Returns @text. */
enum { OWNER_TEXT = 56 };
char *owner_format(const struct owner *owner, char text[OWNER_TEXT]);
/* Reads an owner from the beginning of @name. Returns false where there is none. */
bool owner_parse(const char *name, struct owner *owner);
