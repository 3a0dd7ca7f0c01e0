/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spikes.h - the spikes of a session, explained, and what they blame. Pure.
 *
 * The last and the longest are kept, with the records that explain them; all are counted by cause. */
#pragma once

#include <stdint.h>

#include "src/figures/spike.h"
#include "src/witness/explanation.h"

enum { SPIKES_KEPT = 100, BLAMED_MAX = 16 };

struct kept_spike {
	struct spike spike;
	uint64_t number;               /* of its report, from 1 on */
	struct flight_record *records; /* owned */
	size_t n_records;
	struct explanation *explanation; /* owned; apart, as lists of spikes are searched and moved */
};

/* The time that spikes took by one cause. */
struct blamed {
	char text[CAUSE_TEXT_SIZE]; /* of cause_text(); "others": of those that have no room */
	enum cause_kind kind;
	uint64_t ns;
	uint64_t n; /* spikes */
};

/* Causes of spikes, sorted by their time, the longest first. Zeroed is empty. */
struct blame_sums {
	struct blamed list[BLAMED_MAX];
	size_t n;
	uint64_t n_spikes, n_passed_over; /* explained ones; others, that are counted alone */
	uint64_t ns;                      /* of the explained ones */
	/* By kinds of causes, of spikes that have ended, so they only grow: the time, and the spikes whose
	 * verdict the kind is. */
	uint64_t kind_ns[N_CAUSES], kind_n[N_CAUSES];
};

/* Lists are owned, SPIKES_KEPT long, and NULL while they are empty. */
struct session_spikes {
	struct kept_spike *last;  /* those reported last, by their start */
	struct kept_spike *worst; /* the longest first */
	size_t n_last, n_worst;
	uint64_t n_reports; /* so far, those of spikes under way too */
	struct blame_sums blames;
};

/* Returns the spike that was reported last, if it is among the kept ones; else NULL. */
const struct kept_spike *spikes_reported(const struct session_spikes *spikes);
/* Returns the report of the same spike that came while it was under way; NULL if none is kept. */
const struct kept_spike *spikes_find(const struct session_spikes *spikes, const struct spike *spike);
/* Returns the kept spike of this response or lap; NULL if there is none. */
const struct kept_spike *spikes_at(
	const struct session_spikes *spikes, uint32_t ring, uint64_t received_ns, uint64_t length_ns);
/* Explains a spike and keeps it. A report that came while it was under way is replaced by this one. @phase is
 * that of this time, and @phase_before the one that has that report; both may be NULL. Returns 0, or -ENOMEM
 * with nothing changed. */
int spikes_add(struct session_spikes *spikes, const struct spike_report *report, struct blame_sums *phase,
	struct blame_sums *phase_before);
/* Puts back a spike of a checkpoint, which counts the blames itself. Return 0 or -ENOMEM. */
int spikes_restore_last(struct session_spikes *spikes, const struct spike_report *report);
int spikes_restore_worst(struct session_spikes *spikes, const struct spike_report *report);
void spikes_finish(struct session_spikes *spikes);

/* Is this the sum of the causes that have no room? */
bool blamed_is_others(const struct blamed *blamed);
void blame_sums_add(struct blame_sums *sums, const struct explanation *explanation);
void blame_sums_merge(struct blame_sums *sums, const struct blame_sums *more); /* of two phases */
/* Adds to one cause alone. */
void blame_sums_add_cause(struct blame_sums *sums, const struct cause *cause, uint64_t ns);
