/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysv.c - for probes: SysV objects, which outlive all processes and have a key in place of a name. */
#include "src/probe/sysv.h"

#include <errno.h>
#include <sys/ipc.h>
#include <unistd.h>

enum { KEYS = 1 << (32 - OWNER_KEY_BITS) };

int probe_sysv_make(struct hop *hop, int (*get)(key_t key))
{
	struct hop_sysv *sysv = hop->state;
	int id = -1;

	for (unsigned i = 0; id < 0 && i < KEYS; i++) {
		unsigned number = (hop->id + i) % KEYS;
		key_t key = (key_t)(number << OWNER_KEY_BITS | owner_key(&hop->owner));

		id = key == IPC_PRIVATE ? -1 : get(key);
		if (id < 0 && key != IPC_PRIVATE && errno != EEXIST)
			return -errno;
	}
	if (id < 0) /* more hops than keys: such an object is found by the owner in it alone */
		id = get(IPC_PRIVATE);
	if (id < 0)
		return -errno;
	*sysv = (struct hop_sysv){.id = id, .is_open = true};
	return 0;
}

bool probe_sysv_may_be_ours(const struct ipc_perm *perm)
{
	return (perm->mode & 0777) == 0600 && perm->cuid == geteuid();
}

bool probe_sysv_has_key_of(const struct ipc_perm *perm, const struct owner *owner)
{
	return ((unsigned)perm->__key & ((1 << OWNER_KEY_BITS) - 1)) == owner_key(owner);
}
