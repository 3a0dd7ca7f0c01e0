/* SPDX-License-Identifier: GPL-2.0-or-later */
/* idle_search.h - finds the time in which a CPU was idle as a task was called there. Pure. */
#pragma once

#include <stdint.h>

struct idle_search {
	uint64_t at_ns, until_ns; /* when the task was called, and when it ran */
	uint64_t later_from_ns;   /* when the time after the next one began; UINT64_MAX: there is none */
};

enum idle_found {
	IDLE_IS_EARLIER, /* go on */
	IDLE_IS_THIS,
	IDLE_IS_NONE, /* it was not idle then, or it was so again before the task ran */
};

/* Looks at a time in which the CPU was idle. They come from the last one back. */
enum idle_found idle_search_look(struct idle_search *search, uint64_t from_ns, uint64_t to_ns);
