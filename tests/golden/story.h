/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story.h - what a made-up run tells: its machine, its pairs, and what befalls them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/figures/spike.h"
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

enum { MADE_RECORDS_MAX = 8 };

/* A spike of a pair, at one tick and every few ticks from then on. Its times are ns after it was due, and
 * the CPU of a record is 0 for that of the pair's first member, 1 for that of the other one. */
struct made_spike {
	size_t pair;
	unsigned from, every;                   /* ticks; every 0: once */
	uint64_t sent_ns, received_ns, seen_ns; /* received 0: it is under way */
	uint64_t limit_ns;
	struct flight_record records[MADE_RECORDS_MAX]; /* those after the last have no time */
	uint32_t n_rings, n_late;                       /* as in struct spike */
	struct cpu_hints hints[2];                      /* of the CPU of each member */
};

struct run_story {
	const char *name;
	size_t n_pairs;
	unsigned n_members; /* of each; 0: two */
	unsigned n_turns, n_ticks;
	size_t n_probes; /* mechanisms, one after the other */
	const char *isolated;
	unsigned n_cpus;
	const char *recorder;            /* the flight recorder's tier; NULL: not known */
	const struct made_spike *spikes; /* NULL: none */
	size_t n_spikes;
	uint64_t limit_ns;              /* of --fail-above; 0: none */
	enum stamps stamps;             /* STAMPS_LAP: laps alone */
	uint32_t batch_laps;            /* of a flood; 0: each lap has its stamps */
	struct happening happenings[8]; /* those after the last are FATE_NONE */
	unsigned governor_tick; /* when the governor is changed, beside a mark: else that begins a phase; 0:
				   120 */
	struct {
		unsigned tick;
		const char *name; /* NULL: none */
	} marks[4];
};
