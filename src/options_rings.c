/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_rings.c - how the values of the options are read that say what rings there are. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/options_table.h"
#include "src/plan.h"
#include "src/values.h"

static bool read_between(const char *text, uint64_t min, uint64_t max, unsigned *number)
{
	uint64_t read;

	if (value_number(text, &read) < 0 || read < min || read > max)
		return false;
	*number = (unsigned)read;
	return true;
}

/* "8" or "8x4": members, and rings. */
int options_read_ring(struct options_reading *reading, const char *value)
{
	size_t length = strcspn(value, "x");
	char members[16], shown[48];
	unsigned n_members = 0, n_rings = 0;
	bool good = length < sizeof(members);

	snprintf(members, sizeof(members), "%.*s", (int)length, value);
	good = good && read_between(members, 2, PLAN_RING_MEMBERS_MAX, &n_members);
	if (good && value[length])
		good = read_between(value + length + 1, 1, PLAN_RINGS_MAX, &n_rings);
	if (!good)
		return reason_set(reading->reason, -EINVAL,
			"%s %s: the ring must be N or NxM: 2 to %d members, 1 to %d rings", reading->option,
			options_shown(value, shown), PLAN_RING_MEMBERS_MAX, PLAN_RINGS_MAX);
	reading->config->ring_members = n_members;
	reading->config->n_rings = n_rings;
	return 0;
}
