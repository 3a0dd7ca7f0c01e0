/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numa_policy.h - the NUMA node for the memory of a hop: --memory. Pure. */
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
/* Returns word @i of these, "node:" without its number; NULL past the last one. */
const char *numa_policy_word(unsigned i);
/* Writes the same word. Returns @text. */
char *numa_policy_format(struct numa_policy policy, char text[NUMA_POLICY_SIZE]);

/* Values in place of a node's number. */
enum { MEMORY_INTERLEAVED = -1, MEMORY_LOCAL = -2 };

/* Returns the node for a hop between these two, or one of the above. */
int numa_policy_node(struct numa_policy policy, int sender_node, int receiver_node);

/* Values for a hop whose memory is not on one known node. */
enum { HOP_NODE_UNKNOWN = -1, HOP_NODE_SEVERAL = -2 };

/* Returns the node that @n pages have in common, HOP_NODE_SEVERAL or HOP_NODE_UNKNOWN. @nodes: of each page;
 * negative ones are not known, and ignored. */
int numa_policy_common_node(const int *nodes, size_t n);
