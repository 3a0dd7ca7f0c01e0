/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_conditions.c - the machine's settings and the members' scheduling in a phase. */
#include "src/model/phase_conditions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session.h"
#include "src/model/session_rows.h"

static int reserve_members(struct phase_conditions *conditions, size_t n)
{
	if (n == conditions->n_members)
		return 0;
	free(conditions->members);
	conditions->members = calloc(n, sizeof(*conditions->members));
	conditions->n_members = conditions->members ? n : 0;
	return conditions->members ? 0 : -ENOMEM;
}

int phase_conditions_take(struct phase_conditions *conditions, const struct session *session)
{
	size_t at = 0;

	machine_finish(&conditions->machine);
	conditions->machine = machine_copy(&session->machine);
	if (reserve_members(conditions, session_n_members(session)) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		for (unsigned m = 0; m < ring->n_members; m++)
			conditions->members[at++] = (struct member_condition){
				ring->members[m].policy, session_member_place(ring, m)};
	}
	return 0;
}

static bool machines_are_alike(const struct machine *x, const struct machine *y)
{
	char word_x[MACHINE_WORD_SIZE], word_y[MACHINE_WORD_SIZE];

	for (size_t i = 0; i < machine_n_facts; i++) {
		const struct machine_fact *fact = &machine_facts[i];

		if (fact->report && !fact->drifts &&
			strcmp(machine_word(x, fact, word_x), machine_word(y, fact, word_y)) != 0)
			return false;
	}
	return true;
}

static bool members_are_alike(const struct member_condition *x, const struct member_condition *y)
{
	return task_policy_equal(x->policy, y->policy) && x->place == y->place;
}

bool phase_conditions_equal(const struct phase_conditions *x, const struct phase_conditions *y)
{
	bool equal = x->n_members && x->n_members == y->n_members;

	for (size_t i = 0; i < x->n_members && equal; i++)
		equal = members_are_alike(&x->members[i], &y->members[i]);
	return equal && machines_are_alike(&x->machine, &y->machine);
}

int phase_conditions_copy(struct phase_conditions *copy, const struct phase_conditions *conditions)
{
	copy->machine = machine_copy(&conditions->machine);
	if (reserve_members(copy, conditions->n_members) < 0)
		return -ENOMEM;
	if (copy->n_members)
		memcpy(copy->members, conditions->members, copy->n_members * sizeof(*copy->members));
	return 0;
}

void phase_conditions_finish(struct phase_conditions *conditions)
{
	machine_finish(&conditions->machine);
	free(conditions->members);
	*conditions = (struct phase_conditions){0};
}
