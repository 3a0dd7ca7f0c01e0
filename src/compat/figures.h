/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figures.h - figures of a ring as several front ends print them. */
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

/* In whole microseconds, rounded down, up, and to the nearest, so that the mean is between the other two;
 * 0 without samples. */
uint64_t compat_min_us(const struct hist *hist);
uint64_t compat_max_us(const struct hist *hist);
uint64_t compat_mean_us(const struct hist *hist);

/* The member's priority, or before that is known the priority that was asked for. */
int compat_priority(const struct session_ring *ring, unsigned member);
/* The CPU to which the member is pinned, or on which it ran last. */
int compat_cpu(const struct session_ring *ring, unsigned member);

/* The tools print the latency from the actual send. Returns the difference between the maxima of response and
 * latency if one is more than twice the other, else 0. */
uint64_t compat_gap_ns(const struct hist *response, const struct hist *latency);
/* Prints that difference on stderr, as a "# ..." line. @n: the number of such rings; this is the worst. */
void compat_print_gap(const char *name, const struct hist *response, const struct hist *latency, size_t n);
