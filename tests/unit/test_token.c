/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_token.c - the bytes of a token show its number, and whether it was lost, repeated or damaged. */
#include "src/ring/token.h"

#include "tests/unit/tap.h"

enum { ROOM = 4096 };

static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 100, 1024, 4095, 4096};

enum { N_SIZES = sizeof(sizes) / sizeof(*sizes) };

static _Alignas(8) unsigned char bytes[ROOM];

static void a_token_is_itself_and_no_other(void)
{
	static const uint32_t numbers[] = {1, 2, 100, 255, 256, 65536, UINT32_MAX};
	struct token token;

	for (size_t s = 0; s < N_SIZES; s++)
		for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
			token_init(&token, bytes, sizes[s]);
			token_write(&token, numbers[i]);
			CHECK(token_is(&token, numbers[i]), "%zu bytes", sizes[s]);
			CHECK(!token_is(&token, numbers[i] + 1), "%zu bytes", sizes[s]);
			CHECK(!token_is(&token, numbers[i] - 1), "%zu bytes", sizes[s]);
			CHECK(token_number(&token, numbers[i]) == numbers[i]);
		}
}

static void every_bit_of_it_counts_and_none_beyond(void)
{
	struct token token;

	for (size_t s = 0; s < N_SIZES; s++) {
		token_init(&token, bytes, sizes[s]);
		CHECK(token_room(sizes[s]) >= sizes[s] && token_room(sizes[s]) % 8 == 0);
		token_write(&token, 77);
		for (size_t bit = 0; bit < 8 * token_room(sizes[s]); bit++) {
			bytes[bit / 8] ^= 1 << bit % 8;
			CHECK(token_is(&token, 77) == (bit >= 8 * sizes[s]), "bit %zu of %zu bytes", bit,
				sizes[s]);
			bytes[bit / 8] ^= 1 << bit % 8;
		}
	}
}

static void a_token_without_bytes_is_whatever_comes(void)
{
	struct token token;

	token_init(&token, bytes, 0);
	for (uint32_t i = 0; i < 300; i++)
		CHECK(token_is(&token, i) && token_number(&token, i) == i);
}

/* A history of @n tokens, of which those @ages old are lost. */
static struct token_history history_of(uint32_t n, uint64_t lost_ages)
{
	struct token_history history = {.number = 1};

	for (uint32_t i = 1;; i++) {
		if (n - i < 64 && lost_ages >> (n - i) & 1)
			token_give_up(&history);
		if (i == n)
			return history;
		token_next(&history);
	}
}

static void old_tokens_are_told_apart(void)
{
	static const struct {
		const char *what;
		uint32_t sent, age;
		uint64_t lost;
		size_t size;
		enum token_fault is;
	} cases[] = {
		{"the one before, in a byte", 100, 1, 0, 1, FAULT_REPEATED},
		{"the one before, over the byte's edge", 256, 1, 0, 1, FAULT_REPEATED},
		{"the one before", 100, 1, 0, 100, FAULT_REPEATED},
		{"one declared lost, in a byte", 100, 1, 2, 1, FAULT_REORDERED},
		{"one declared lost", 100, 5, 1 << 5, 100, FAULT_REORDERED},
		{"another one than the lost one", 100, 4, 1 << 5, 100, FAULT_REPEATED},
		{"the oldest that a byte tells", 100, 63, UINT64_C(1) << 63, 1, FAULT_REORDERED},
		{"one that is too old for a byte", 100, 64, 0, 1, FAULT_DAMAGED},
		{"one that is very old, with its pattern", 1000, 900, 0, 100, FAULT_REPEATED},
		{"one that is sent later", 100, (uint32_t)-1, 0, 100, FAULT_DAMAGED},
		{"one that is sent later, in a byte", 100, (uint32_t)-1, 0, 1, FAULT_DAMAGED},
		{"one from before the first", 3, 3, 0, 1, FAULT_DAMAGED},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct token_history history = history_of(cases[i].sent, cases[i].lost);
		struct token token;

		token_init(&token, bytes, cases[i].size);
		token_write(&token, cases[i].sent - cases[i].age);
		CHECK(token_judge(&token, &history) == cases[i].is, "%s", cases[i].what);
	}
}

static void what_came_late_is_repeated_when_it_comes_again(void)
{
	struct token_history history = history_of(50, 1 << 2);
	struct token token;

	token_init(&token, bytes, 9);
	token_write(&token, 48);
	CHECK(token_judge(&token, &history) == FAULT_REORDERED);
	CHECK(token_judge(&token, &history) == FAULT_REPEATED);
}

static void a_flipped_bit_is_damage_wherever_it_is(void)
{
	struct token token;

	token_init(&token, bytes, 100);
	for (size_t bit = 0; bit < 800; bit++) {
		struct token_history history = history_of(70, ~UINT64_C(0));

		token_write(&token, 70);
		bytes[bit / 8] ^= 1 << bit % 8;
		CHECK(token_judge(&token, &history) == FAULT_DAMAGED, "bit %zu", bit);
		CHECK(history.lost == ~UINT64_C(0));
	}
}

int main(void)
{
	TEST(a_token_is_itself_and_no_other);
	TEST(every_bit_of_it_counts_and_none_beyond);
	TEST(a_token_without_bytes_is_whatever_comes);
	TEST(old_tokens_are_told_apart);
	TEST(what_came_late_is_repeated_when_it_comes_again);
	TEST(a_flipped_bit_is_damage_wherever_it_is);
	return tap_done();
}
