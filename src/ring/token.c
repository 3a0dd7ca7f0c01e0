/* SPDX-License-Identifier: GPL-2.0-or-later */
/* token.c - judges a token with other bytes than expected. */
#include "src/ring/token.h"

enum { KEPT = 64 }; /* tokens that the history knows */

void token_init(struct token *token, void *buffer, size_t size)
{
	size_t room = token_room(size), beyond = room - size;

	*token = (struct token){
		.words = buffer,
		.n_words = room / 8,
		.last_mask = size ? htole64(~UINT64_C(0) >> 8 * beyond) : 0,
		.number_mask = size >= 4 ? UINT32_MAX : (UINT32_C(1) << 8 * size) - 1,
	};
}

enum token_fault token_judge(const struct token *token, struct token_history *history)
{
	uint32_t age = (history->number - token_number(token, history->number)) & token->number_mask;
	/* Where there is a pattern, it proves that this token was sent. */
	uint32_t oldest = token->n_words > 1 ? INT32_MAX : KEPT - 1;

	if (age == 0 || age > oldest || age >= history->number || !token_is(token, history->number - age))
		return FAULT_DAMAGED;
	if (age >= KEPT || !(history->lost >> age & 1))
		return FAULT_REPEATED;
	history->lost &= ~(UINT64_C(1) << age);
	return FAULT_REORDERED;
}
