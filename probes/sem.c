/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sem - a POSIX semaphore that processes share. */
#include <errno.h>
#include <semaphore.h>

#include "src/probe/probe.h"

static int sem_probe_open(struct hop *hop)
{
	return sem_init(hop->state, 1, 0) < 0 ? -errno : 0;
}

static int sem_probe_send(struct hop *hop)
{
	return sem_post(hop->state) < 0 ? -errno : 0;
}

static int sem_probe_recv(struct hop *hop, const struct timespec *deadline)
{
	return (deadline ? sem_timedwait(hop->state, deadline) : sem_wait(hop->state)) < 0 ? -errno : 0;
}

const struct probe probe_sem = {
	.name = "sem",
	.title = "POSIX semaphore",
	.traits = PROBE_TOKEN_IN_STATE | PROBE_DEADLINE | PROBE_SWEEPS,
	.hop_size = sizeof(sem_t),
	.open = sem_probe_open,
	.send = sem_probe_send,
	.recv = sem_probe_recv,
};
