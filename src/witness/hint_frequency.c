/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint_frequency.c - a CPU had less than half of its usual clock frequency. It was read after the spike. */
#include <stdio.h>

#include "src/witness/witness.h"

static bool find_hint(const struct spike *spike, bool is_sender, char text[128])
{
	const struct spike_end *end;
	const struct cpu_hints *hints = hint_cpu(spike, is_sender, &end);

	if (!hints || !hints->mhz || hints->mhz >= hints->usual_mhz / 2)
		return false;
	snprintf(text, 128, "CPU %d ran at %u MHz when the spike was found, usually at %u MHz", (int)end->cpu,
		(unsigned)hints->mhz, (unsigned)hints->usual_mhz);
	return true;
}

const struct hint_source hint_frequency = {"frequency", find_hint, .is_beside_records = true};
