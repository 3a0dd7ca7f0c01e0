/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svsem - SysV semaphores: the sender adds one, the receiver subtracts it.
 *
 * A set outlives its users and has no name for an owner: the values of further semaphores hold the owner. */
#include <errno.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>

#include "src/probe/probe.h"

enum {
	TOKEN, /* the one that is passed */
	MAGIC,
	OWNER, /* a byte each, because a value is at most 32767 */
	N_SEMAPHORES = OWNER + sizeof(struct owner),
	MAGIC_VALUE = 0x4952, /* "IR" */
};

_Static_assert(N_SEMAPHORES == 26, "svsem_remedies says so");

/* The fourth argument of semctl(); its caller has to define it. */
union semun {
	int val;
	struct semid_ds *buf;
	unsigned short *array;
	struct seminfo *info;
};

static void write_owner(const struct owner *owner, unsigned short values[N_SEMAPHORES])
{
	values[MAGIC] = MAGIC_VALUE;
	for (size_t i = 0; i < sizeof(*owner); i++)
		values[OWNER + i] = ((const unsigned char *)owner)[i];
}

static struct owner read_owner(const unsigned short values[N_SEMAPHORES])
{
	struct owner owner;

	for (size_t i = 0; i < sizeof(owner); i++)
		((unsigned char *)&owner)[i] = (unsigned char)values[OWNER + i];
	return owner;
}

static int make_set(key_t key)
{
	return semget(key, N_SEMAPHORES, IPC_CREAT | IPC_EXCL | PROBE_SYSV_MODE);
}

static int svsem_open(struct hop *hop)
{
	const struct hop_sysv *svsem = hop->state;
	unsigned short values[N_SEMAPHORES] = {0};
	int r = probe_sysv_make(hop, make_set);

	if (r < 0)
		return r == -EINVAL ? -E2BIG : r;
	write_owner(&hop->owner, values);
	return semctl(svsem->id, 0, SETALL, (union semun){.array = values}) < 0 ? -errno : 0;
}

static int svsem_attach(struct hop *hop, enum hop_end end)
{
	const struct hop_sysv *svsem = hop->state;

	hop->local = (void *)(intptr_t)svsem->id;
	return 0;
}

static int add_to_token(struct hop *hop, short by)
{
	struct sembuf operation = {.sem_num = TOKEN, .sem_op = by};

	return semop((int)(intptr_t)hop->local, &operation, 1) < 0 ? -errno : 0;
}

static int svsem_send(struct hop *hop)
{
	return add_to_token(hop, 1);
}

static int svsem_recv(struct hop *hop, const struct timespec *deadline)
{
	return add_to_token(hop, -1);
}

static void svsem_remove(struct hop *hop)
{
	struct hop_sysv *svsem = hop->state;

	if (svsem->is_open)
		semctl(svsem->id, 0, IPC_RMID);
	svsem->is_open = false;
}

/* An owner may have been killed right after semget(): then the set names none. */
static bool is_left_behind(int id, const struct semid_ds *set, const struct owner *dead)
{
	static const unsigned short untouched[N_SEMAPHORES];
	unsigned short values[N_SEMAPHORES];

	if (set->sem_nsems != N_SEMAPHORES || !probe_sysv_may_be_ours(&set->sem_perm))
		return false;
	if (semctl(id, 0, GETALL, (union semun){.array = values}) < 0)
		return false;
	struct owner owner = read_owner(values);

	if (values[MAGIC] == MAGIC_VALUE)
		return owner_has_left(&owner, dead);
	return !memcmp(values, untouched, sizeof(values)) &&
	       probe_sysv_is_abandoned(&set->sem_perm, set->sem_ctime, dead);
}

static void svsem_sweep(const struct owner *dead)
{
	struct seminfo info;
	struct semid_ds set;
	int highest = semctl(0, 0, SEM_INFO, (union semun){.info = &info});

	for (int i = 0; i <= highest; i++) {
		int id = semctl(i, 0, SEM_STAT, (union semun){.buf = &set});

		if (id >= 0 && is_left_behind(id, &set, dead))
			semctl(id, 0, IPC_RMID);
	}
}

static const struct probe_remedy svsem_remedies[] = {
	{{-E2BIG}, "a set may not have the 26 semaphores that it needs: raise SEMMSL, the first number of "
		   "/proc/sys/kernel/sem (sysctl -w kernel.sem=250)"},
	{{-ENOSPC}, "no more SysV semaphores are allowed: raise SEMMNI or SEMMNS in /proc/sys/kernel/sem"},
	{{-ENOSYS}, "this kernel has no SysV semaphores (CONFIG_SYSVIPC)"},
	{.text = NULL},
};

const struct probe probe_svsem = {
	.name = "svsem",
	.title = "SysV semaphore",
	.hop_size = sizeof(struct hop_sysv),
	.open = svsem_open,
	.attach = svsem_attach,
	.send = svsem_send,
	.recv = svsem_recv,
	.remove = svsem_remove,
	.sweep = svsem_sweep,
	.remedies = {svsem_remedies},
};
