/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint_interrupts.c - a CPU had far more interrupts or softirqs than usual. */
#include <stdio.h>

#include "src/witness/witness.h"

enum { TIMES_USUAL = 3, LEAST_HZ = 2000 };

static bool write_hint(
	int32_t cpu, const char *what, uint32_t hz, uint32_t usual_hz, const char *name, char text[128])
{
	if (!usual_hz || hz < LEAST_HZ || hz / TIMES_USUAL < usual_hz)
		return false;
	snprintf(text, 128, "CPU %d had %u %s a second in that tick, usually %u; most were %s", (int)cpu,
		(unsigned)hz, what, (unsigned)usual_hz, name);
	return true;
}

static bool find_interrupts(const struct spike *spike, bool is_sender, char text[128])
{
	const struct spike_end *end;
	const struct cpu_hints *hints = hint_cpu(spike, is_sender, &end);

	return hints && write_hint(end->cpu, "interrupts", hints->interrupts_hz, hints->usual_interrupts_hz,
				hints->interrupt_name, text);
}

static bool find_softirqs(const struct spike *spike, bool is_sender, char text[128])
{
	const struct spike_end *end;
	const struct cpu_hints *hints = hint_cpu(spike, is_sender, &end);

	return hints && write_hint(end->cpu, "softirqs", hints->softirqs_hz, hints->usual_softirqs_hz,
				hints->softirq_name, text);
}

const struct hint_source hint_interrupts = {"interrupts", find_interrupts};
const struct hint_source hint_softirqs = {"softirqs", find_softirqs};
