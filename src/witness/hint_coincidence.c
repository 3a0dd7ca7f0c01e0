/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint_coincidence.c - the rings of one CPU, of one core, or all rings were late at once, and only those. */
#include <stdio.h>

#include "src/witness/witness.h"

enum { LATE_MIN = 2 };

const struct cpu_hints *hint_cpu(const struct spike *spike, bool is_sender, const struct spike_end **end)
{
	*end = is_sender ? &spike->sender : &spike->receiver;
	if ((*end)->cpu < 0 || (!is_sender && spike->receiver.cpu == spike->sender.cpu))
		return NULL;
	return is_sender ? &spike->sender_hints : &spike->receiver_hints;
}

/* Some rings ran elsewhere, and were not late. */
static bool is_only(const struct spike *spike, uint32_t n_rings, uint32_t n_late)
{
	return n_late >= LATE_MIN && n_late == n_rings && n_late == spike->n_late && n_late < spike->n_rings;
}

/* "all 4 rings". Returns @text. */
static char *format_all(uint32_t n, char text[32])
{
	if (n == 2)
		snprintf(text, 32, "both rings");
	else
		snprintf(text, 32, "all %u rings", (unsigned)n);
	return text;
}

static bool find_all_late(const struct spike *spike, char text[128])
{
	char all[32];

	if (spike->n_late < LATE_MIN || spike->n_late != spike->n_rings)
		return false;
	snprintf(text, 128, "%s were late at once", format_all(spike->n_rings, all));
	return true;
}

static bool find_hint(const struct spike *spike, bool is_sender, char text[128])
{
	const struct spike_end *end;
	const struct cpu_hints *hints = hint_cpu(spike, is_sender, &end);
	char all[32];

	if (hints && is_only(spike, hints->n_rings, hints->n_late))
		snprintf(text, 128, "%s of CPU %d were late at once, and no other",
			format_all(hints->n_rings, all), (int)end->cpu);
	else if (hints && is_only(spike, hints->n_core_rings, hints->n_core_late))
		snprintf(text, 128, "%s of the core of CPU %d were late at once, and no other",
			format_all(hints->n_core_rings, all), (int)end->cpu);
	else
		return is_sender && find_all_late(spike, text);
	return true;
}

const struct hint_source hint_coincidence = {"coincidence", find_hint};
