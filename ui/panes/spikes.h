/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spikes.h - a spike as a line: when, which ring, how long, and why. Pure. */
#pragma once

#include "src/model/spikes.h"
#include "ui/table/view_state.h"

/* The columns of such lines, from left to right. Narrow areas have no time. */
struct spike_columns {
	unsigned time_x, time_width; /* width 0: no time */
	unsigned ring_x, ring_width;
	unsigned length_x, length_width;
	unsigned sign_x; /* of the length, on the scale of trends */
	unsigned text_x;
};

/* @x: where the first column begins, in an area of @width. */
struct spike_columns spike_columns(const struct scene *scene, unsigned x, unsigned width);
void spike_head_draw(const struct scene *scene, struct area line, const struct spike_columns *columns);
void spike_draw(const struct scene *scene, struct area line, const struct spike_columns *columns,
	const struct kept_spike *spike);

/* "mq 0>1", or "0>1" if there is one mechanism. Returns @text. */
enum { SPIKE_RING_SIZE = 96 };
char *spike_ring(const struct scene *scene, const struct spike *spike, char text[SPIKE_RING_SIZE]);
/* "mq 0>1 212.40us: stress-ng-cpu 4711 (FF90) held CPU 0 for 205 us". Returns @text. */
enum { SPIKE_TEXT_SIZE = SPIKE_RING_SIZE + EXPLANATION_TEXT_SIZE + 32 };
char *spike_text(const struct scene *scene, const struct kept_spike *kept, char text[SPIKE_TEXT_SIZE]);
