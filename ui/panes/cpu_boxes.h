/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_boxes.h - the parts of a machine as boxes within each other: each CPU with its p99 and its load. Pure.
 */
#pragma once

#include "src/model/cpu_tree.h"
#include "ui/table/view_state.h"

struct cpu_activity;

struct cpu_boxes {
	const struct cpu_tree *tree; /* has parts */
	const struct cpu_part_sums *sums;
	const struct fold *folded;           /* by the ids of parts: what is inside of these is not shown */
	const struct cpu_activity *activity; /* NULL: not known */
	/* The parts from this level on have no boxes, but the CPUs: see cpu_boxes_fit(). */
	enum cpu_level unframed;
};

/* Chooses the smallest parts that have boxes of their own where all fit into an area of this width; packages
 * always have. Returns how many lines they take, at most @lines; 0: they don't fit. */
unsigned cpu_boxes_fit(struct cpu_boxes *boxes, unsigned width, unsigned lines);
/* @selected: a part, whose name is marked. */
void cpu_boxes_draw(
	const struct scene *scene, struct area area, const struct cpu_boxes *boxes, size_t selected);
