/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gap.c - the recorder did not see that time, or it is not known on which CPU the member was to run. */
#include "src/witness/witness.h"

static bool find_cause(const struct moment *moment, struct cause *cause)
{
	cause->kind = CAUSE_UNSEEN;
	return moment->cpu.is_unseen || moment->member.end->cpu < 0;
}

const struct witness witness_gap = {.find_cause = find_cause};
