/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch_filter.h - the filter of sched_switch, as the kernel reads it: which switches of a CPU are recorded.
 * Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SWITCH_FILTER_SIZE = 4096 }; /* the kernel reads one page */

/* Writes a filter that passes each switch from or to a task that is neither idle nor one of @tids, each
 * switch to idle of a task that did not go to sleep, and each one from a task that was stopped. Where @tids,
 * which ascend, are too many, those of neighbours become one range. Returns how many other tids are in such
 * ranges: they are not seen. */
size_t switch_filter(char filter[SWITCH_FILTER_SIZE], const int32_t *tids, size_t n);
