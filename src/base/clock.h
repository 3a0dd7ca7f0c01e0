/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the one clock of all figures: CLOCK_MONOTONIC, in ns. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return clock_ns(&now);
}

/* The CPU time that the calling thread has taken. */
static inline uint64_t clock_thread_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return clock_ns(&used);
}

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

static inline uint64_t smaller_ns(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

static inline uint64_t larger_ns(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}
