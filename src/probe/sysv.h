/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysv.h - for probes: a hop that is a SysV object. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "src/probe/hop.h"

struct ipc_perm;
struct hop_sysv {
	int id;
	bool is_open;
};
/* Makes the object by a key of its owner's. @get makes one and returns its id, or -1 with errno. */
int probe_sysv_make(struct hop *hop, int (*get)(key_t key));
/* Returns whether mode and user are those of ipctop's objects. */
bool probe_sysv_may_be_ours(const struct ipc_perm *perm);
bool probe_sysv_has_key_of(const struct ipc_perm *perm, const struct owner *owner);
