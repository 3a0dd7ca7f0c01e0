/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch_filter.c - the filter of sched_switch. */
#include "src/flight/switch_filter.h"

#include "src/base/text.h"

/* "&&(prev_pid<1234567||prev_pid>1234567)", for both tasks of a switch. */
enum { RANGE_LENGTH = 80, RANGES_MAX = (SWITCH_FILTER_SIZE - 96) / RANGE_LENGTH };

struct range {
	int32_t first, last;
};

/* Makes one range of the two neighbours that have the fewest tids between them. Returns how many those are.
 */
static size_t merge_nearest(struct range *ranges, size_t *n)
{
	size_t nearest = 0, gap;

	for (size_t i = 1; i + 1 < *n; i++)
		if (ranges[i + 1].first - ranges[i].last < ranges[nearest + 1].first - ranges[nearest].last)
			nearest = i;
	gap = (size_t)(ranges[nearest + 1].first - ranges[nearest].last - 1);
	ranges[nearest].last = ranges[nearest + 1].last;
	for (size_t i = nearest + 1; i + 1 < *n; i++)
		ranges[i] = ranges[i + 1];
	--*n;
	return gap;
}

static void append_foreign(
	char filter[SWITCH_FILTER_SIZE], const char *task, const struct range *ranges, size_t n)
{
	text_print(filter, SWITCH_FILTER_SIZE, "(%s_pid!=0", task);
	for (size_t i = 0; i < n; i++)
		text_print(filter, SWITCH_FILTER_SIZE, "&&(%s_pid<%d||%s_pid>%d)", task, ranges[i].first,
			task, ranges[i].last);
	text_print(filter, SWITCH_FILTER_SIZE, ")");
}

/* In the kernel's prev_state, 1 is a task that waits for an event, 4 and 8 are those that are stopped. */
size_t switch_filter(char filter[SWITCH_FILTER_SIZE], const int32_t *tids, size_t n)
{
	struct range ranges[RANGES_MAX + 1];
	size_t n_ranges = 0, unseen = 0;

	for (size_t i = 0; i < n; i++) {
		if (n_ranges && tids[i] <= ranges[n_ranges - 1].last + 1)
			ranges[n_ranges - 1].last = tids[i];
		else
			ranges[n_ranges++] = (struct range){tids[i], tids[i]};
		if (n_ranges > RANGES_MAX)
			unseen += merge_nearest(ranges, &n_ranges);
	}
	filter[0] = '\0';
	append_foreign(filter, "prev", ranges, n_ranges);
	text_print(filter, SWITCH_FILTER_SIZE, "||");
	append_foreign(filter, "next", ranges, n_ranges);
	text_print(filter, SWITCH_FILTER_SIZE, "||(next_pid==0&&prev_state!=1)||prev_state&12");
	return unseen;
}
