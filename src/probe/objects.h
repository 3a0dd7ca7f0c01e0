/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects.h - for probes: objects that outlive their process. Each is named after its owner, so that a later
 * start can remove it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "src/probe/hop.h"
#include "src/probe/owner.h"

enum { PROBE_DIR_SIZE = 88, PROBE_PATH_SIZE = PROBE_DIR_SIZE + 8 };
/* Makes a directory of mode 0700, whose name can't be guessed. Returns 0, or a negative errno with @path
 * empty.
 */
int probe_dir_make(const struct owner *owner, char path[PROBE_DIR_SIZE]);
/* Removes the directory with its files; an empty path is none. */
void probe_dir_remove(const char *path);
/* Has @make open the hop's ends at a path in a new directory, and removes both at once. @kind is handed on.
 * Returns what @make returns, or a negative errno. */
int probe_dir_use(struct hop *hop, int (*make)(struct hop *hop, const char *path, int kind), int kind);
/* A probe's remedies and sweep. */
extern const struct probe_remedy probe_dir_remedies[];
void probe_dir_sweep(const struct owner *dead);

enum { PROBE_NAME_SIZE = 1 + OWNER_TEXT };
/* Returns @name: one for each owner. */
char *probe_name(const struct owner *owner, char name[PROBE_NAME_SIZE]);
/* A probe's sweep; @path is the directory that lists the names, where it is mounted. */
void probe_name_sweep(const char *path, const struct owner *dead, int (*unlink_name)(const char *name));

struct ipc_perm;
struct hop_sysv {
	int id;
	bool is_open;
};
/* Read and write for the user. The right to execute means nothing here: with it, the mode is one that no
 * other program uses. */
enum { PROBE_SYSV_MODE = 0611 };
/* Makes the object by a key of its owner's: where the keeper was killed before it wrote the owner, the front
 * still finds the object. @get makes one of PROBE_SYSV_MODE and returns its id, or -1 with errno. The probe
 * writes the owner into it at once. */
int probe_sysv_make(struct hop *hop, int (*get)(key_t key));
/* Returns whether mode and user are those of ipctop's objects; other programs' may have them, too. */
bool probe_sysv_may_be_ours(const struct ipc_perm *perm);
/* Returns whether an object of ipctop's that names no owner was left behind: it has the key of @dead, or was
 * made more than a minute ago. @made_s: seconds of CLOCK_REALTIME. @dead may be NULL. */
bool probe_sysv_is_abandoned(const struct ipc_perm *perm, time_t made_s, const struct owner *dead);
