/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flight.h - the flight recorder: what ran on the CPUs of running rings in the last seconds.
 *
 * It takes the best way (tier.h) that the rights allow. It is the front's, and used by its main thread alone.
 * Nothing is paused, and no member takes part. */
#pragma once

#include <sys/types.h>

#include "src/flight/tier.h"

/* The value of --recorder; NULL past the last one. "auto" and "off" are the first two, then the best tier. */
const char *flight_word(unsigned i);
enum { FLIGHT_AUTO, FLIGHT_OFF, FLIGHT_BEST };

/* Returns why no tier is taken on this machine unless it is named; NULL: one is. */
const char *flight_danger(void);

struct flight;

/* @word: of flight_word(). @keeper is named as ipctop's own, as are the threads of this process. Records
 * nothing before flight_watch(). Returns 0 or -ENOMEM; flight_destroy() accepts NULL. */
int flight_create(struct flight **flight, unsigned word, pid_t keeper);
void flight_destroy(struct flight *flight);

/* Returns the word of the next tier down from the one that records: the last one is off, and auto follows.
 * Those that cost much are passed over. */
unsigned flight_next_word(const struct flight *flight);

/* Takes another tier, by the next flight_watch(); what it recorded so far is forgotten. */
void flight_switch(struct flight *flight, unsigned word);

/* Records from now on what runs on these CPUs: begins, or follows a change. Without the right to it, there is
 * a reason in flight_lacks(), and it is not tried again. */
void flight_watch(struct flight *flight, const struct flight_watch *watch);

/* Reads the records that were made since the last call. */
void flight_drain(struct flight *flight);

/* Whether records were overwritten before they were read, since the call before, and of which CPU last. Or,
 * once, how many tids of others are not recorded on a CPU, or HIDES_OUTSIDE. */
struct flight_loss {
	bool is_there;
	uint32_t cpu;
	size_t n_hidden; /* 0: records were overwritten */
};
struct flight_loss flight_take_loss(struct flight *flight);

/* Returns the records of the spike's CPUs from its start to its end, the last switch before it, that by which
 * a member was stopped in the 100 ms before it, if none that has the member came after that, and that by
 * which the CPU's real-time tasks were throttled, if that lasts: at most @max. Of too many the short
 * interrupts are dropped, then what others did while a member was stopped or blocked (GAP_OF_OTHERS), then
 * the oldest, for which there is a FLIGHT_GAP. Time that was not watched is one, too, and time in which some
 * tasks are not recorded (GAP_OF_HIDDEN). Where the tier knows that a CPU was idle when the lap was due, or
 * sent, a FLIGHT_IDLE says until when. */
size_t flight_find(
	const struct flight *flight, const struct spike *spike, struct flight_record *records, size_t max);

bool flight_is_recording(const struct flight *flight);
/* What recording has cost the front since the start, with all tiers: the CPU time of reading records, and how
 * many were read. What the kernel spends to make them, on the members' CPUs too, is in neither: it can't be
 * measured without making it larger. */
struct flight_cost {
	uint64_t cpu_ns, n_records;
};
struct flight_cost flight_cost(const struct flight *flight);
const char *flight_tier_name(const struct flight *flight); /* "bpf"; "off" if it does not record */
/* Returns a sentence that names the missing right and the remedy: of the best tier, if that is refused,
 * whether or not the next one records; "" if nothing is missing. */
const char *flight_lacks(const struct flight *flight);
