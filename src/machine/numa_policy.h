/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numa_policy.h - on which NUMA node the memory of a hop is to lie: --memory. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum numa_policy_kind { NUMA_RECEIVER, NUMA_SENDER, NUMA_NODE, NUMA_INTERLEAVE, NUMA_LOCAL };

struct numa_policy {
	enum numa_policy_kind kind;
	uint32_t node; /* of NUMA_NODE */
};

enum { NUMA_POLICY_SIZE = 24 };

/* "receiver", "sender", "node:3", "interleave", "local". Returns 0, or -EINVAL with @policy untouched. */
int numa_policy_parse(const char *text, struct numa_policy *policy);
/* The same word. Returns @text. */
char *numa_policy_format(struct numa_policy policy, char text[NUMA_POLICY_SIZE]);

/* What memory is asked for in place of a node's number. */
enum { MEMORY_INTERLEAVED = -1, MEMORY_LOCAL = -2 };

/* The node that a hop between these is to lie on, or one of the above. */
int numa_policy_node(struct numa_policy policy, int sender_node, int receiver_node);

/* Where the memory of a hop is, if it is not on one known node. */
enum { HOP_NODE_UNKNOWN = -1, HOP_NODE_SEVERAL = -2 };

/* Where pages lie, each by a node's number, or a negative errno where that is not known: the node that they
 * have in common, HOP_NODE_SEVERAL or HOP_NODE_UNKNOWN. Those that are not known count for nothing. */
int numa_policy_common_node(const int *nodes, size_t n);
