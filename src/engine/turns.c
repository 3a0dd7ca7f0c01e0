/* SPDX-License-Identifier: GPL-2.0-or-later */
/* turns.c - switches turns. */
#include "src/engine/turns.h"

void turns_init(struct turns *turns, unsigned n, uint64_t slice_ns, uint64_t now_ns)
{
	*turns = (struct turns){.n = n, .slice_ns = slice_ns, .since_ns = now_ns};
}

static unsigned next_with_work(const struct turns *turns, const bool *has_work)
{
	for (unsigned i = 1; i < turns->n; i++) {
		unsigned turn = (turns->current + i) % turns->n;

		if (has_work[turn])
			return turn;
	}
	return turns->current;
}

static unsigned next_turn(const struct turns *turns, const bool *has_work)
{
	return turns->is_held ? turns->held : next_with_work(turns, has_work);
}

enum turns_step turns_advance(struct turns *turns, uint64_t now_ns, bool all_paused, const bool *has_work)
{
	turns->is_held = turns->is_held && has_work[turns->held];
	if (!turns->leaving_since_ns) {
		bool over = turns->is_held || now_ns - turns->since_ns >= turns->slice_ns ||
			    !has_work[turns->current];

		if (!over || next_turn(turns, has_work) == turns->current)
			return TURNS_STAY;
		turns->leaving_since_ns = now_ns;
		return TURNS_PAUSE;
	}
	if (!all_paused && now_ns - turns->leaving_since_ns < TURNS_PATIENCE_NS)
		return TURNS_STAY;
	turns->current = next_turn(turns, has_work);
	turns->since_ns = now_ns;
	turns->leaving_since_ns = 0;
	return TURNS_RUN;
}

void turns_hold(struct turns *turns, int turn)
{
	turns->is_held = turn >= 0;
	turns->held = turn >= 0 ? (unsigned)turn : 0;
}

bool turns_holds_current(const struct turns *turns)
{
	return turns->is_held && turns->held == turns->current && !turns->leaving_since_ns;
}

uint64_t turns_next(const struct turns *turns, uint64_t now_ns)
{
	if (turns->n < 2)
		return UINT64_MAX;
	if (turns->leaving_since_ns)
		return now_ns + 1000000;
	if (turns_holds_current(turns)) /* its work may end */
		return now_ns + turns->slice_ns;
	uint64_t next = turns->since_ns + turns->slice_ns;

	return next > now_ns ? next : now_ns + 10000000;
}
