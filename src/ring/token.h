/* SPDX-License-Identifier: GPL-2.0-or-later */
/* token.h - the bytes of a token: its number, and a pattern that depends on it. Pure.
 *
 * The 32 bit number comes first, its lowest byte before the others. A token of one byte has the lowest byte
 * of the number, one of four bytes all of it; further bytes show damage. */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/tick.h"

struct token {
	uint64_t *words; /* the caller's, token_room() bytes */
	size_t n_words;
	uint64_t last_mask;   /* the bytes of the last word that belong to the token */
	uint32_t number_mask; /* the bits of the number that it has room for; 0: it has no bytes */
};

/* Kept by the sender of tokens. */
struct token_history {
	uint32_t number; /* of the last one; the first is 1 */
	uint64_t lost; /* a bit for each of the last tokens: declared lost, and not arrived since; bit 0: the
			  last one */
};

static inline size_t token_room(size_t size)
{
	return size ? (size + 7) / 8 * 8 : 8;
}

/* @size 0 is a token without bytes: every arrival is it. */
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

/* Returns the token's number; bits for which it has no room are those of @number. */
static inline uint32_t token_number(const struct token *token, uint32_t number)
{
	return (number & ~token->number_mask) | ((uint32_t)le64toh(token->words[0]) & token->number_mask);
}

/* Counts a token that is sent. */
static inline void token_next(struct token_history *history)
{
	history->lost <<= 1;
	history->number++;
}

/* Declares the last token lost. */
static inline void token_give_up(struct token_history *history)
{
	history->lost |= 1;
}

/* Judges a token that is not the last one as sent: an older one that has arrived before (repeated) or was
 * declared lost (reordered), or damaged. With one or two bytes, only the last 63 tokens are known. */
enum token_fault token_judge(const struct token *token, struct token_history *history);
