/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mechanisms.c - `ipctop list`: the mechanisms, and for each whether it can run here; and the loads. */
#include "src/report/mechanisms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/load/load.h"

/* Opens a hop of one byte, as a run does. */
static int open_hop(const struct probe *probe, uint32_t id)
{
	int fds[HOP_FDS] = {0};
	struct hop hop = {.fds = fds, .owner = owner_self(), .id = id, .size = 1};

	hop.state = calloc(1, probe->hop_size ? probe->hop_size : 1);
	if (!hop.state)
		return -ENOMEM;
	int r = probe->open(&hop);

	probe_close(probe, &hop);
	free(hop.state);
	return r;
}

void mechanisms_list(const struct probe *const *registry, FILE *out)
{
	int name = 0, title = 0; /* the widths of the columns */

	for (size_t i = 0; registry[i]; i++) {
		name = (int)strlen(registry[i]->name) > name ? (int)strlen(registry[i]->name) : name;
		title = (int)strlen(registry[i]->title) > title ? (int)strlen(registry[i]->title) : title;
	}
	for (uint32_t i = 0; registry[i]; i++) {
		const struct probe *probe = registry[i];
		const char *missing = probe->missing ? probe->missing() : NULL;
		int r = missing ? 0 : open_hop(probe, i);
		const char *why = r < 0 ? probe_explain(probe, r) : missing;

		fprintf(out, "%-*s  %-*s  %s%s\n", name, probe->name, title, probe->title,
			why ? "can't run: " : "can run", why ? why : "");
	}
}

void loads_list(FILE *out)
{
	for (size_t i = 0; load_kinds[i]; i++)
		fprintf(out, "--load %-8s  %s\n", load_kinds[i]->name, load_kinds[i]->title);
}
