/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figures.h - the figures that several front ends print of a ring. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct hist;
struct session_ring;

/* The tools' clocks have microseconds. */
static inline uint64_t compat_us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

/* Down and up to whole microseconds, so that every sample and the mean lie between them, as they do where
 * the clock has microseconds; 0 where there is no sample. */
uint64_t compat_min_us(const struct hist *hist);
uint64_t compat_max_us(const struct hist *hist);
uint64_t compat_mean_us(const struct hist *hist); /* rounded */

/* The member's priority, as it is or, before that is known, as it was asked for. */
int compat_priority(const struct session_ring *ring, unsigned member);
/* The CPU to which it is pinned, or on which it ran last. */
int compat_cpu(const struct session_ring *ring, unsigned member);

/* What the tools print is the latency from the actual send. Where it and the response differ by more than
 * twofold in their maxima: by how much; else 0. */
uint64_t compat_gap_ns(const struct hist *response, const struct hist *latency);
/* Says so on stderr, as a "# ..." line. @n: how many such there are, of which this is the worst. */
void compat_tell_gap(const char *name, const struct hist *response, const struct hist *latency, size_t n);
