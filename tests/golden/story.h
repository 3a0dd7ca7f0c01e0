/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story.h - what a made-up run tells: its machine, its pairs, and what befalls them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/figures/tick.h"

/* What befalls a pair, from one tick on and up to another. */
enum fate {
	FATE_NONE,
	FATE_REFUSED,
	FATE_FAILED,
	FATE_STARVED,
	FATE_SPIKES,
	FATE_CHRT,
	FATE_RENICE,
	FATE_FLOOD
};

struct happening {
	size_t pair;
	enum fate fate;
	unsigned from, to; /* ticks */
};

struct run_story {
	const char *name;
	size_t n_pairs;
	unsigned n_members; /* of each; 0: two */
	unsigned n_turns, n_ticks;
	size_t n_probes; /* mechanisms, one after the other */
	const char *isolated;
	unsigned n_cpus;
	uint64_t limit_ns;              /* of --fail-above; 0: none */
	enum stamps stamps;             /* STAMPS_LAP: laps alone */
	uint32_t batch_laps;            /* of a flood; 0: each lap has its stamps */
	struct happening happenings[8]; /* those after the last are FATE_NONE */
	struct {
		unsigned tick;
		const char *name; /* NULL: none */
	} marks[4];
};
