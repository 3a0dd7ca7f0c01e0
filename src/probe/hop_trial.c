/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hop_trial.c - hops that are opened only to learn whether they can be. */
#include "src/probe/hop_trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_ALIGNMENT = 64 };

static int open_one(struct hop_trial *trial, const struct probe *probe, size_t bytes)
{
	size_t size = (probe->hop_size / STATE_ALIGNMENT + 1) * STATE_ALIGNMENT;
	struct tried_hop *tried = &trial->hops[trial->n];

	*tried = (struct tried_hop){.probe = probe, .state = aligned_alloc(STATE_ALIGNMENT, size)};
	if (!tried->state)
		return -ENOMEM;
	memset(tried->state, 0, size);
	tried->hop = (struct hop){.state = tried->state,
		.fds = tried->fds,
		.owner = trial->owner,
		.id = (uint32_t)trial->n++, /* one that fails halfway is closed, too */
		.size = bytes};
	return probe->open(&tried->hop);
}

int hop_trial_open(struct hop_trial *trial, const struct probe *probe, size_t bytes, unsigned n)
{
	int r = 0;

	if (trial->n == HOP_TRIAL_MAX || (probe->missing && probe->missing()))
		return 0;
	if (!trial->n)
		trial->owner = owner_self();
	for (unsigned i = 0; i < n && trial->n < HOP_TRIAL_MAX && r == 0; i++)
		r = open_one(trial, probe, bytes);
	return r == -EMFILE ? 0 : r;
}

void hop_trial_finish(struct hop_trial *trial)
{
	while (trial->n > 0) {
		struct tried_hop *tried = &trial->hops[--trial->n];

		probe_close(tried->probe, &tried->hop);
		free(tried->state);
	}
}
