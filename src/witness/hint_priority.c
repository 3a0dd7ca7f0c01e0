/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint_priority.c - a task that the member can't take the CPU from. Whether it ran is not known. */
#include <stdio.h>

#include "src/witness/witness.h"

static bool find_hint(const struct spike *spike, bool is_sender, char text[128])
{
	const struct spike_end *end;
	const struct cpu_hints *hints = hint_cpu(spike, is_sender, &end);
	char priority[POLICY_SIZE];

	if (!hints || !hints->top_tid || hints->top_priority > spike_end_priority(end))
		return false;
	snprintf(text, 128, "%s %d%s %s the highest priority on CPU %d %s", hints->top_name,
		(int)hints->top_tid, witness_format_priority(priority, hints->top_priority),
		hints->top_is_past ? "had" : "has", (int)end->cpu, hints->top_is_past ? "meanwhile" : "now");
	return true;
}

const struct hint_source hint_priority = {"priority", find_hint};
