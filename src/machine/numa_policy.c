/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numa_policy.c - on which NUMA node the memory of a hop is to lie. */
#include "src/machine/numa_policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/base/values.h"
#include "src/figures/tick.h"

static const char *const words[] = {
	[PLACE_RECEIVER] = "receiver",
	[PLACE_SENDER] = "sender",
	[PLACE_NODE] = "node:",
	[PLACE_INTERLEAVE] = "interleave",
	[PLACE_LOCAL] = "local",
};

enum { N_WORDS = sizeof(words) / sizeof(*words) };

static int parse_node(const char *text, struct placement *placement)
{
	uint64_t node;

	if (value_number(text, &node) < 0 || node > INT32_MAX)
		return -EINVAL;
	*placement = (struct placement){PLACE_NODE, (uint32_t)node};
	return 0;
}

int placement_parse(const char *text, struct placement *placement)
{
	size_t prefix = strlen(words[PLACE_NODE]);

	if (!strncmp(text, words[PLACE_NODE], prefix))
		return parse_node(text + prefix, placement);
	for (int kind = 0; kind < N_WORDS; kind++)
		if (!strcmp(text, words[kind])) {
			*placement = (struct placement){.kind = (enum placement_kind)kind};
			return 0;
		}
	return -EINVAL;
}

char *placement_format(struct placement placement, char text[PLACEMENT_SIZE])
{
	if (placement.kind == PLACE_NODE)
		snprintf(text, PLACEMENT_SIZE, "node:%u", placement.node);
	else
		snprintf(text, PLACEMENT_SIZE, "%s", words[placement.kind]);
	return text;
}

int placement_node(struct placement placement, int sender_node, int receiver_node)
{
	switch (placement.kind) {
	case PLACE_RECEIVER:
		return receiver_node;
	case PLACE_SENDER:
		return sender_node;
	case PLACE_NODE:
		return (int)placement.node;
	case PLACE_INTERLEAVE:
		return MEMORY_INTERLEAVED;
	case PLACE_LOCAL:
		break;
	}
	return MEMORY_LOCAL;
}

int placement_common(const int *nodes, size_t n)
{
	int common = HOP_NODE_UNKNOWN;

	for (size_t i = 0; i < n; i++) {
		if (nodes[i] < 0)
			continue;
		if (common >= 0 && nodes[i] != common)
			return HOP_NODE_SEVERAL;
		common = nodes[i];
	}
	return common;
}
