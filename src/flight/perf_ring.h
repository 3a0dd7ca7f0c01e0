/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_ring.h - the events of perf of one CPU, which share a ring of memory that the kernel writes backward:
 * new records overwrite the oldest, so nobody has to read in time, and nothing is paused. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/flight/tier.h"

enum {
	PERF_EVENTS_MAX = 20,
	PERF_RING_SIZE = 512 << 10, /* with a page before it, what perf_event_mlock_kb allows everybody */
	PERF_RECORD_SIZE = 512,     /* the longest that is read */
	PERF_BATCH = 8192,          /* records that are read at once; older ones are lost */
};

struct perf_ring {
	uint32_t cpu;
	int fds[PERF_EVENTS_MAX]; /* the first one has the memory, and records nothing */
	size_t n_events;
	void *memory;     /* NULL: not open */
	uint64_t head;    /* as last read */
	uint64_t last_ns; /* of the records that were handed over */
	bool has_lost;    /* records since then; perf_ring_take_gap() says so */
	uint64_t read_ns; /* when the last reading began */
};

/* Makes a ring without events. Returns 0 or a negative errno; perf_ring_close() accepts what is left. */
int perf_ring_open(struct perf_ring *ring, uint32_t cpu);
/* Adds an event. @filter: of a tracepoint; NULL: none. Returns its descriptor, the ring's, or a negative
 * errno. */
int perf_ring_add(struct perf_ring *ring, const struct perf_event_attr *attr, const char *filter);
void perf_ring_remove(struct perf_ring *ring, int fd);
void perf_ring_close(struct perf_ring *ring);

/* Then records have tids of the first namespace, or none of tasks outside of this one. */
bool perf_ring_is_in_pid_namespace(void);

/* What all events have: the clock, the direction, and no record but their own. */
struct perf_event_attr perf_ring_attr(uint32_t type, uint64_t config, uint64_t sample_type);

/* Shows the records from the newest one back, as long as @look returns true. */
void perf_ring_look_back(const struct perf_ring *ring,
	bool (*look)(void *data, const struct perf_event_header *header), void *data);
/* Hands over the new records, the oldest first. Sets has_lost before the first one that comes after a loss.
 */
void perf_ring_read(
	struct perf_ring *ring, void (*take)(void *data, const struct perf_event_header *header), void *data);
/* Takes the gap before a record at @at_ns, if some were lost, and sets last_ns: for each record that has a
 * time. Returns the record's time, which is never before the end of a gap that was taken. */
uint64_t perf_ring_take_gap(struct perf_ring *ring, uint64_t at_ns, flight_take *take, void *data);
/* After a reading: takes the gap up to its begin, if its last records were lost: all were overwritten while
 * the reader had no CPU. The next record may come too late for a spike that is explained now. */
void perf_ring_end_gap(struct perf_ring *ring, flight_take *take, void *data);
