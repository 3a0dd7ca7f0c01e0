/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hop_trial.c - hops that are opened only to learn whether they can be. */
#include "src/probe/hop_trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { STATE_ALIGNMENT = 64 };

struct tried_hop {
	struct tried_hop *before; /* owned */
	const struct probe *probe;
	struct hop hop;
	int fds[HOP_FDS];
	void *state; /* owned */
};

static int open_one(struct hop_trial *trial, const struct probe *probe, size_t bytes)
{
	size_t size = (probe->hop_size / STATE_ALIGNMENT + 1) * STATE_ALIGNMENT;
	struct tried_hop *tried = malloc(sizeof(*tried));
	void *state = aligned_alloc(STATE_ALIGNMENT, size);

	if (!tried || !state) {
		free(tried);
		free(state);
		return -ENOMEM;
	}
	*tried = (struct tried_hop){.before = trial->last, .probe = probe, .state = memset(state, 0, size)};
	tried->hop = (struct hop){.state = tried->state,
		.fds = tried->fds,
		.owner = trial->owner,
		.id = (uint32_t)trial->n++,
		.size = bytes};
	trial->last = tried; /* one that fails halfway is closed, too */
	trial->bytes += bytes;
	return probe->open(&tried->hop);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t most_hops(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) < 0
		       ? HOP_TRIAL_MAX
		       : smaller(HOP_TRIAL_MAX, (size_t)limit.rlim_cur / (2 * HOP_FDS));
}

/* Returns how many of @n more there is room for. */
static size_t find_room(const struct hop_trial *trial, size_t n, size_t bytes)
{
	size_t room = bytes ? (HOP_TRIAL_BYTES - trial->bytes) / bytes : n, most = most_hops();

	return smaller(n, smaller(room, most > trial->n ? most - trial->n : 0));
}

size_t hop_trial_room(size_t n, size_t bytes)
{
	return find_room(&(struct hop_trial){.n = 0}, n, bytes);
}

int hop_trial_open(struct hop_trial *trial, const struct probe *probe, size_t bytes, unsigned n)
{
	size_t room = find_room(trial, n, bytes);
	int r = 0;

	if (probe->missing && probe->missing())
		return 0;
	if (!trial->n)
		trial->owner = owner_self();
	for (size_t i = 0; i < room && r == 0; i++)
		r = open_one(trial, probe, bytes);
	return r == -EMFILE ? 0 : r;
}

void hop_trial_finish(struct hop_trial *trial)
{
	while (trial->last) {
		struct tried_hop *tried = trial->last;

		trial->last = tried->before;
		probe_close(tried->probe, &tried->hop);
		free(tried->state);
		free(tried);
	}
	*trial = (struct hop_trial){.n = 0};
}
