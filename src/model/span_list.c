/* SPDX-License-Identifier: GPL-2.0-or-later */
/* span_list.c - spans that follow one another. */
#include "src/model/span_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int span_list_add(struct span_list *list, struct span *span)
{
	if (list->n == list->room) {
		size_t room = list->room ? list->room * 2 : 32;
		struct span **spans = realloc(list->spans, room * sizeof(*spans));

		if (!spans)
			return -ENOMEM;
		list->spans = spans;
		list->room = room;
	}
	list->spans[list->n++] = span_ref(span);
	return 0;
}

void span_list_clear(struct span_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		span_unref(list->spans[i]);
	list->n = 0;
}

void span_list_finish(struct span_list *list)
{
	span_list_clear(list);
	free(list->spans);
	*list = (struct span_list){0};
}

bool span_list_equal(const struct span_list *a, const struct span_list *b)
{
	return a->n == b->n && (!a->n || memcmp(a->spans, b->spans, a->n * sizeof(*a->spans)) == 0);
}

static void drop(struct span_list *list, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		span_unref(list->spans[i]);
	list->n -= n;
	memmove(list->spans + first, list->spans + first + n, (list->n - first) * sizeof(*list->spans));
}

/* How many of @list, from @first on, are all of the ticks that @merged is of; 0 where they are not. */
static size_t count_merged(const struct span_list *list, size_t first, const struct span *merged)
{
	uint32_t ticks = 0;
	size_t i = first;

	if (list->spans[first]->start_ns != merged->start_ns)
		return 0;
	while (i < list->n && ticks < merged->n_ticks)
		ticks += list->spans[i++]->n_ticks;
	return ticks == merged->n_ticks && list->spans[i - 1]->end_ns == merged->end_ns ? i - first : 0;
}

static bool drop_merged(struct span_list *left, const struct span *merged)
{
	for (size_t first = 0; first < left->n; first++) {
		size_t n = count_merged(left, first, merged);

		if (n)
			drop(left, first, n);
		if (n)
			return true;
	}
	return false;
}

/* Both rise in time: the one that ends first is passed. Counts those that they have in common. */
static int compare(const struct span_list *before, const struct span_list *now, struct span_list *came,
	struct span_list *left, size_t *common)
{
	size_t i = 0, j = 0;
	int r = 0;

	while (r == 0 && (i < before->n || j < now->n)) {
		struct span *old = i < before->n ? before->spans[i] : NULL;
		struct span *new = j < now->n ? now->spans[j] : NULL;
		bool same = old == new, passes_old = !same &&old && (!new || old->end_ns <= new->end_ns);

		if (passes_old)
			r = span_list_add(left, old);
		else if (!same)
			r = span_list_add(came, new);
		*common += same;
		i += same || passes_old;
		j += !passes_old;
	}
	return r;
}

int span_list_change(const struct span_list *before, const struct span_list *now, struct span_list *came,
	struct span_list *left)
{
	size_t common = 0;
	int r = compare(before, now, came, left, &common);

	if (r < 0 || !common)
		return r;
	for (size_t i = 0; i < came->n;) {
		if (drop_merged(left, came->spans[i]))
			drop(came, i, 1);
		else
			i++;
	}
	return 1;
}
