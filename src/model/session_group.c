/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_group.c - the groups of a session's rings. */
#include "src/model/session_group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_group(struct session *session, enum group_kind kind, const char *name)
{
	struct session_group *groups =
		realloc(session->groups, (session->n_groups + 1) * sizeof(*session->groups));

	if (!groups)
		return -ENOMEM;
	session->groups = groups;
	groups[session->n_groups] = (struct session_group){.kind = kind, .name = name};
	for (size_t i = 0; i < session->n_rings; i++)
		groups[session->n_groups].n_rings +=
			session_row_is_in(session, &session->rings[i], session->n_groups);
	session->n_groups++;
	return 0;
}

static int add_isolation(struct session *session)
{
	size_t n_isolated = 0;
	int r;

	for (size_t i = 0; i < session->n_rings; i++)
		n_isolated += session->rings[i].isolated;
	if (n_isolated == 0 || n_isolated == session->n_rings)
		return 0;
	r = add_group(session, GROUP_ISOLATED, "isolated");
	return r < 0 ? r : add_group(session, GROUP_HOUSEKEEPING, "housekeeping");
}

static bool has_mechanism(const struct session *session, const char *mechanism)
{
	for (size_t i = 0; i < session->n_groups; i++)
		if (session->groups[i].kind == GROUP_MECHANISM &&
			strcmp(session->groups[i].name, mechanism) == 0)
			return true;
	return false;
}

static size_t count_mechanisms(const struct session *session)
{
	size_t n = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		size_t j = i;

		while (j > 0 && strcmp(session->rings[j - 1].mechanism, session->rings[i].mechanism) != 0)
			j--;
		n += j == 0;
	}
	return n;
}

/* A group of one ring would say its row once more. */
static int add_mechanisms(struct session *session)
{
	size_t n = count_mechanisms(session);
	bool wanted = n > 1 && n < session->n_rings;
	int r = 0;

	for (size_t i = 0; wanted && i < session->n_rings && r == 0; i++)
		if (!has_mechanism(session, session->rings[i].mechanism))
			r = add_group(session, GROUP_MECHANISM, session->rings[i].mechanism);
	return r;
}

int session_rows_init(struct session *session)
{
	int r = add_group(session, GROUP_ALL, "all");

	if (r == 0)
		r = add_isolation(session);
	if (r == 0)
		r = add_mechanisms(session);
	return r < 0 ? r : second_stats_init(&session->seconds, session_rows(session));
}

void session_rows_finish(struct session *session)
{
	for (size_t i = 0; i < session->n_groups; i++) {
		for (int f = 0; f < N_FIGURES; f++)
			hist_finish(&session->groups[i].figures[f].hist);
		row_sums_finish(&session->groups[i].tick);
	}
	free(session->groups);
	session->groups = NULL;
	session->n_groups = 0;
}

bool session_row_is_in(const struct session *session, const struct session_ring *ring, size_t group)
{
	switch (session->groups[group].kind) {
	case GROUP_ISOLATED:
		return ring->isolated;
	case GROUP_HOUSEKEEPING:
		return !ring->isolated;
	case GROUP_MECHANISM:
		return strcmp(session->groups[group].name, ring->mechanism) == 0;
	case GROUP_ALL:
		break;
	}
	return true;
}

size_t session_rows(const struct session *session)
{
	return session->n_rings + session->n_groups;
}

struct session_figure *session_row_figures(struct session *session, size_t row)
{
	return row < session->n_rings ? session->rings[row].figures
				      : session->groups[row - session->n_rings].figures;
}

const struct session_figure *session_row_figure(const struct session *session, size_t row, enum figure figure)
{
	return row < session->n_rings ? &session->rings[row].figures[figure]
				      : &session->groups[row - session->n_rings].figures[figure];
}

struct tick_counts *session_row_counts(const struct session *session, size_t row)
{
	return row < session->n_rings ? &session->rings[row].counts
				      : &session->groups[row - session->n_rings].counts;
}
