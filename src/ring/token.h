/* SPDX-License-Identifier: GPL-2.0-or-later */
/* token.h - what a token's bytes say: which one it is, in a pattern that no other has. Pure.
 *
 * Its 32 bit number comes first, the lowest byte before the others; all that follows depends on it.
 * So one byte tells the number's lowest, four all of it, and more that nothing was damaged. */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/tick.h"

struct token {
	uint64_t *words; /* the caller's, token_room() bytes */
	size_t n_words;
	uint64_t last_mask;   /* those bytes of the last word that are the token's */
	uint32_t number_mask; /* those of its number that it has room for; 0: it carries nothing */
};

/* Of the tokens that were sent, by whoever sends them. */
struct token_history {
	uint32_t number; /* of the last one; the first is 1 */
	uint64_t lost; /* a bit each: it was declared lost, and has not come since; bit 0 is the last one's */
};

static inline size_t token_room(size_t size)
{
	return size ? (size + 7) / 8 * 8 : 8;
}

/* @size 0 is a token without bytes: whatever came is it. */
void token_init(struct token *token, void *buffer, size_t size);

/* Odd, with a last half of 1: the word's first half is the number. */
#define TOKEN_KEY UINT64_C(0x9e3779b900000001)
#define TOKEN_STEP UINT64_C(0xd1b54a32d192ed03)

static inline uint64_t token_word(uint32_t number, size_t i)
{
	return htole64(number * TOKEN_KEY + i * TOKEN_STEP);
}

static inline void token_write(const struct token *token, uint32_t number)
{
	for (size_t i = 0; i < token->n_words; i++)
		token->words[i] = token_word(number, i);
}

static inline bool token_is(const struct token *token, uint32_t number)
{
	size_t last = token->n_words - 1;
	uint64_t wrong = (token->words[last] ^ token_word(number, last)) & token->last_mask;

	for (size_t i = 0; i < last; i++)
		wrong |= token->words[i] ^ token_word(number, i);
	return wrong == 0;
}

/* As much of its number as it tells; the rest is that of @number. */
static inline uint32_t token_number(const struct token *token, uint32_t number)
{
	return (number & ~token->number_mask) | ((uint32_t)le64toh(token->words[0]) & token->number_mask);
}

/* One more is sent. */
static inline void token_next(struct token_history *history)
{
	history->lost <<= 1;
	history->number++;
}

/* The last one is not expected any more. */
static inline void token_give_up(struct token_history *history)
{
	history->lost |= 1;
}

/* What came is not the last one as it was sent: it is one before it, that had come already (repeated) or was
 * declared lost (reordered), or it is damaged. A token of a byte or two tells old ones of at most 63 tokens.
 */
enum token_fault token_judge(const struct token *token, struct token_history *history);
