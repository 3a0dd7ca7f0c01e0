/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numa_policy.h - on which NUMA node the memory of a hop is to lie: --memory. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum placement_kind { PLACE_RECEIVER, PLACE_SENDER, PLACE_NODE, PLACE_INTERLEAVE, PLACE_LOCAL };

struct placement {
	enum placement_kind kind;
	uint32_t node; /* of PLACE_NODE */
};

enum { PLACEMENT_SIZE = 24 };

/* "receiver", "sender", "node:3", "interleave", "local". Returns 0, or -EINVAL with @placement untouched. */
int placement_parse(const char *text, struct placement *placement);
/* The same word. Returns @text. */
char *placement_format(struct placement placement, char text[PLACEMENT_SIZE]);

/* What memory is asked for in place of a node's number. */
enum { MEMORY_INTERLEAVED = -1, MEMORY_LOCAL = -2 };

/* The node that a hop between these is to lie on, or one of the above. */
int placement_node(struct placement placement, int sender_node, int receiver_node);

/* Where pages lie, each by a node's number, or a negative errno where that is not known: the node that they
 * have in common, HOP_NODE_SEVERAL or HOP_NODE_UNKNOWN. Those that are not known count for nothing. */
int placement_common(const int *nodes, size_t n);
