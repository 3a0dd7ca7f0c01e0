/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_events_tell.c - notices in words, as events; the same for many rings is told once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/model/session_events_own.h"

/* "mq 0>0" + one + what, "mq 0>0, mq 1>1" + many + what. */
static const struct {
	enum event_kind event;
	const char *one, *many;
} kinds[] = {
	[NOTICE_FAILED] = {EVENT_RING, " failed: ", " failed: "},
	[NOTICE_BACK] = {EVENT_RING, " runs again", " run again"},
	[NOTICE_FAULTS] = {EVENT_WARNING, ": ", ": "},
	[NOTICE_NOT_ASKED] = {EVENT_WARNING, " runs ", " run "},
	[NOTICE_REASON] = {EVENT_WARNING, ": ", ": "},
	[NOTICE_CHANGED] = {EVENT_CHANGE, ": ", ": "},
	[NOTICE_BEGAN] = {EVENT_WARNING, " is ", " are "},
	[NOTICE_ENDED] = {EVENT_NOTE, " is no longer ", " are no longer "},
	[NOTICE_LATE_LAPS] = {EVENT_WARNING, ": ", ": "},
};

enum { NAMED_MAX = 3 }; /* more rings than this are counted, not named */

static int compare_notices(const void *a, const void *b)
{
	const struct notice *x = a, *y = b;
	int order = x->kind != y->kind ? (x->kind > y->kind ? 1 : -1) : strcmp(x->what, y->what);

	if (order)
		return order;
	if (x->ring->id != y->ring->id)
		return x->ring->id > y->ring->id ? 1 : -1;
	return x->member - y->member;
}

static bool same_notice(const struct notice *a, const struct notice *b)
{
	return a->kind == b->kind && strcmp(a->what, b->what) == 0;
}

static const char *wait_text(uint64_t ns, char text[64])
{
	static const struct {
		uint64_t from_ns;
		const char *unit;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (ns >= units[i].from_ns) {
			snprintf(text, 64, "; the wait grew to %.3f %s",
				(double)ns / (double)units[i].from_ns, units[i].unit);
			return text;
		}
	text[0] = '\0';
	return text;
}

/* "mq 0>0, mq 1>1", "mq 0>0, mq 1>1, mq 2>2 and 1021 more rings". */
static void write_names(FILE *out, const struct notice *group, size_t n, size_t n_rings)
{
	size_t named = 0;

	for (size_t i = 0; i < n && named < NAMED_MAX; i++) {
		if (i > 0 && group[i].ring == group[i - 1].ring)
			continue;
		fprintf(out, "%s%s %s", named++ ? ", " : "", group[i].ring->mechanism, group[i].ring->label);
	}
	if (n_rings > named)
		fprintf(out, " and %zu more ring%s", n_rings - named, n_rings - named == 1 ? "" : "s");
}

static void write_group(FILE *out, const struct notice *group, size_t n, size_t n_rings)
{
	const struct session_ring *ring = group[0].ring;
	uint64_t wait_ns = 0;
	char wait[64];

	for (size_t i = 0; i < n; i++)
		wait_ns = group[i].wait_ns > wait_ns ? group[i].wait_ns : wait_ns;
	write_names(out, group, n, n_rings);
	if (n_rings == 1 && group[0].member >= 0 && n < ring->n_members) {
		for (size_t i = 0; i < n; i++)
			fprintf(out, "%s member %d (tid %d)", i ? "," : "", group[i].member,
				(int)group[i].tid);
	}
	fprintf(out, "%s%s%s", n_rings == 1 ? kinds[group[0].kind].one : kinds[group[0].kind].many,
		group[0].what, wait_text(wait_ns, wait));
}

static int tell_group(struct session *session, uint64_t at_ns, const struct notice *group, size_t n)
{
	size_t n_rings = 1, size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);
	int r;

	if (!out)
		return -ENOMEM;
	for (size_t i = 1; i < n; i++)
		n_rings += group[i].ring != group[i - 1].ring;
	write_group(out, group, n, n_rings);
	if (fclose(out) != 0) {
		free(text);
		return -ENOMEM;
	}
	r = session_event(session, at_ns, kinds[group[0].kind].event,
		n_rings == 1 ? (int64_t)group[0].ring->id : -1, "%s", text);
	free(text);
	return r;
}

int notices_tell(struct notices_of_tick *notices, struct session *session, uint64_t at_ns)
{
	int r = 0;

	if (notices->n > 1)
		qsort(notices->list, notices->n, sizeof(*notices->list), compare_notices);
	for (size_t first = 0, next; first < notices->n && r == 0; first = next) {
		for (next = first + 1; next < notices->n; next++)
			if (!same_notice(&notices->list[first], &notices->list[next]))
				break;
		r = tell_group(session, at_ns, &notices->list[first], next - first);
	}
	return r;
}
