/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_copy.c - the model as it is at one moment, for who looks at that while the model goes on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/session.h"

/* Returns NULL without memory, or where @text is NULL. */
static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void *copy_array(const void *from, size_t n, size_t size)
{
	void *copy = calloc(n ? n : 1, size);

	if (copy && n)
		memcpy(copy, from, n * size);
	return copy;
}

static int copy_figures(struct session_ring *copy, const struct session_ring *ring)
{
	int r = 0;

	for (int i = 0; i < N_FIGURES; i++)
		copy->figures[i] = (struct session_figure){.last_ns = ring->figures[i].last_ns};
	for (int i = 0; i < N_FIGURES && r == 0; i++)
		r = hist_merge(&copy->figures[i].hist, &ring->figures[i].hist);
	return r;
}

/* Whatever it returns, @copy owns all that it points at. */
static int copy_ring(struct session_ring *copy, const struct session_ring *ring)
{
	*copy = *ring;
	copy->hops = NULL; /* nobody looks at them there */
	copy->mechanism = copy_text(ring->mechanism);
	copy->title = copy_text(ring->title);
	copy->label = copy_text(ring->label);
	copy->reason = copy_text(ring->reason);
	copy->cpus = copy_array(ring->cpus, ring->n_members, sizeof(*copy->cpus));
	copy->members = copy_array(ring->members, ring->n_members, sizeof(*copy->members));
	int r = copy_figures(copy, ring);

	if (!copy->mechanism || !copy->title || !copy->label || (ring->reason && !copy->reason) ||
		!copy->cpus || !copy->members)
		return -ENOMEM;
	return r;
}

static int copy_rings(struct session *copy, const struct session *session)
{
	copy->rings = calloc(session->n_rings ? session->n_rings : 1, sizeof(*copy->rings));
	if (!copy->rings)
		return -ENOMEM;
	for (size_t i = 0; i < session->n_rings; i++) {
		int r = copy_ring(&copy->rings[copy->n_rings++], &session->rings[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

static int copy_events(struct session *copy, const struct session *session)
{
	if (!session->n_events)
		return 0;
	copy->events = calloc(SESSION_EVENTS_MAX, sizeof(*copy->events));
	if (!copy->events)
		return -ENOMEM;
	for (; copy->n_events < session->n_events; copy->n_events++) {
		struct event *event = &copy->events[copy->n_events];

		*event = session->events[copy->n_events];
		event->text = copy_text(event->text);
		if (!event->text)
			return -ENOMEM;
	}
	return 0;
}

int session_copy(struct session *copy, const struct session *session)
{
	*copy = *session;
	copy->groups = NULL;
	copy->phases = (struct phases){0};
	copy->series = (struct series){0};
	copy->trails = (struct trails){0};
	copy->packing = (struct pack_sums){0};
	copy->sorting = (struct row_cells){0};
	copy->n_groups = 0;
	copy->rings = NULL;
	copy->events = NULL;
	copy->n_rings = copy->n_events = 0;
	int r = copy_rings(copy, session);

	if (r == 0)
		r = copy_events(copy, session);
	if (r < 0)
		session_finish(copy);
	return r;
}
