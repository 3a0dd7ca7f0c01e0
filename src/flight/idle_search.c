/* SPDX-License-Identifier: GPL-2.0-or-later */
/* idle_search.c - finds the time in which a CPU was idle as a task was called there. */
#include "src/flight/idle_search.h"

enum idle_found idle_search_look(struct idle_search *search, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns <= search->at_ns)
		return to_ns >= search->at_ns && search->later_from_ns >= search->until_ns ? IDLE_IS_THIS
											   : IDLE_IS_NONE;
	search->later_from_ns = from_ns;
	return IDLE_IS_EARLIER;
}
