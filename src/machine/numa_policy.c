/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numa_policy.c - the NUMA node for the memory of a hop. */
#include "src/machine/numa_policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/base/values.h"

static const char *const words[] = {
	[NUMA_RECEIVER] = "receiver",
	[NUMA_SENDER] = "sender",
	[NUMA_NODE] = "node:",
	[NUMA_INTERLEAVE] = "interleave",
	[NUMA_LOCAL] = "local",
};

enum { N_WORDS = sizeof(words) / sizeof(*words) };

static int parse_node(const char *text, struct numa_policy *policy)
{
	uint64_t node;

	if (value_number(text, &node) < 0 || node > INT32_MAX)
		return -EINVAL;
	*policy = (struct numa_policy){NUMA_NODE, (uint32_t)node};
	return 0;
}

int numa_policy_parse(const char *text, struct numa_policy *policy)
{
	size_t prefix = strlen(words[NUMA_NODE]);

	if (!strncmp(text, words[NUMA_NODE], prefix))
		return parse_node(text + prefix, policy);
	for (int kind = 0; kind < N_WORDS; kind++)
		if (!strcmp(text, words[kind])) {
			*policy = (struct numa_policy){.kind = (enum numa_policy_kind)kind};
			return 0;
		}
	return -EINVAL;
}

const char *numa_policy_word(unsigned i)
{
	return i < N_WORDS ? words[i] : NULL;
}

char *numa_policy_format(struct numa_policy policy, char text[NUMA_POLICY_SIZE])
{
	if (policy.kind == NUMA_NODE)
		snprintf(text, NUMA_POLICY_SIZE, "node:%u", policy.node);
	else
		snprintf(text, NUMA_POLICY_SIZE, "%s", words[policy.kind]);
	return text;
}

int numa_policy_node(struct numa_policy policy, int sender_node, int receiver_node)
{
	switch (policy.kind) {
	case NUMA_RECEIVER:
		return receiver_node;
	case NUMA_SENDER:
		return sender_node;
	case NUMA_NODE:
		return (int)policy.node;
	case NUMA_INTERLEAVE:
		return MEMORY_INTERLEAVED;
	case NUMA_LOCAL:
		break;
	}
	return MEMORY_LOCAL;
}

int numa_policy_common_node(const int *nodes, size_t n)
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
