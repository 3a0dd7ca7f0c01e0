/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint_stamps.c - by its stamps the lap was sent late, or a hop was slow. */
#include <stdio.h>

#include "src/witness/witness.h"

static void append_cpu(const struct spike_end *end, const char *word, char text[32])
{
	text[0] = '\0';
	if (end->cpu >= 0)
		snprintf(text, 32, " %s CPU %d", word, (int)end->cpu);
}

static void write_hop(const struct spike *spike, uint64_t ns, char text[128])
{
	char share[EXPLANATION_SHARE_SIZE], from[32], to[32];

	append_cpu(&spike->sender, "from", from);
	append_cpu(&spike->receiver, "to", to);
	snprintf(text, 128, "slow hop%s%s, %s", from, to,
		explanation_share(share, ns, spike_length_ns(spike)));
}

/* A lap under way has no stamps yet. Of one whose hops are not known the start is. */
static bool find_hint(const struct spike *spike, bool is_sender, char text[128])
{
	if (!is_sender || !spike->received_ns)
		return false;
	if (spike->hop_from_ns && spike->hop_to_ns > spike->hop_from_ns) {
		write_hop(spike, spike->hop_to_ns - spike->hop_from_ns, text);
		return true;
	}
	if (!spike->due_ns || spike->sent_ns < spike->due_ns)
		return false;
	uint64_t late_ns = spike->sent_ns - spike->due_ns, length_ns = spike_length_ns(spike);
	char share[EXPLANATION_SHARE_SIZE], from[32];

	if (late_ns < length_ns - late_ns) {
		if (spike->figure == FIGURE_LAP)
			return false;
		write_hop(spike, length_ns - late_ns, text);
		return true;
	}
	append_cpu(&spike->sender, "on", from);
	snprintf(text, 128, "late start%s, %s", from, explanation_share(share, late_ns, length_ns));
	return true;
}

const struct hint_source hint_stamps = {"stamps", find_hint};
