/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock_skew.h - how far the clocks of CPUs differ, as far as words between them tell: no word arrives before
 * it is sent. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cpus;
struct fact_rows;

/* How far the clocks of two CPUs may differ, by the fastest way of a word there and back: that of CPU b is
 * ahead of that of CPU a by -back_ns to there_ns. */
struct clock_pair {
	unsigned a, b;
	int64_t there_ns, back_ns; /* the minima; below 0: the clocks differ by more */
	uint64_t n;                /* ways there and back; 0: not measured */
};

struct clock_pace {
	uint64_t usual_ns, longest_ns; /* for the ways; the last one where others have the CPUs */
	unsigned ways;                 /* at least, if there is time */
	int priority;                  /* SCHED_FIFO, where it is allowed; 0: the caller's policy */
};

/* Measures @pair, whose CPUs are given, by two threads. Returns 0, with n 0 if they got no CPU in time: they
 * end by themselves then. Returns a negative errno if no thread could be started or pinned. */
int clock_pair_measure(struct clock_pair *pair, const struct clock_pace *pace);

/* Measures CPUs against the first one of them for about 0.4 ms each, and begins none after 0.1 s. Returns by
 * how much each is ahead, as "0:0..0ns 1:-85..92ns", without those that were busy; NULL: nothing is known.
 * The caller releases it. */
struct fact_rows *clock_skew_read(const struct cpus *cpus);
/* Finds by how much CPU @b is ahead of CPU @a. Returns whether that is known. */
bool clock_skew_between(
	const struct fact_rows *rows, unsigned a, unsigned b, int64_t *least_ns, int64_t *most_ns);
