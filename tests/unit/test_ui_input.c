/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a terminal sends as keys: whole, in parts, cut off, and of other terminals. */
#include <locale.h>
#include <string.h>

#include "tests/unit/tap.h"
#include "ui/draw/key_code.h"
#include "ui/term/input.h"

enum { MS = 1000000, EVENTS_MAX = 32, WAIT = 0x01 }; /* a byte of the cases that is none: 60 ms */

static struct input_event events[EVENTS_MAX];
static size_t n_events;

/* As a terminal that says in terminfo what it has of its own: some unlike all others. */
static struct input made(bool mouse)
{
	return (struct input){.mouse = mouse,
		.n_keys = 4,
		.keys = {{"\033OA", KEY_CODE_ARROW_UP}, {"\033[[A", KEY_CODE_F1}, {"\b", KEY_CODE_BACKSPACE},
			{"\033[26;7^", KEY_CODE_F10}}};
}

static void take_all(struct input *input, uint64_t now_ns)
{
	struct input_event event;

	while (input_next(input, now_ns, &event) && n_events < EVENTS_MAX)
		events[n_events++] = event;
}

/* Sent in pieces of @step bytes, a millisecond apart; then nothing more comes. */
static void send(struct input *input, const char *bytes, size_t n, size_t step)
{
	uint64_t now_ns = 1000 * (uint64_t)MS;

	n_events = 0;
	for (size_t at = 0; at < n;) {
		size_t piece = 0;

		now_ns += MS;
		while (at + piece < n && piece < step && bytes[at + piece] != WAIT)
			piece++;
		CHECK(input_add(input, bytes + at, piece, now_ns) == piece);
		take_all(input, now_ns);
		at += piece;
		if (at < n && bytes[at] == WAIT) {
			now_ns += 60 * (uint64_t)MS;
			take_all(input, now_ns);
			at++;
		}
	}
	take_all(input, now_ns + INPUT_PATIENCE_NS - 1);
	if (input_due_ns(input) != UINT64_MAX)
		take_all(input, input_due_ns(input));
	CHECK(input->n == 0 && input_due_ns(input) == UINT64_MAX);
}

static const struct {
	const char *bytes;
	uint32_t codes[6];
	bool mouse;
	unsigned x, y; /* of the last */
} cases[] = {
	{"q", {'q'}},
	{"jk", {'j', 'k'}},
	{"\r\t\x0c\x7f", {KEY_CODE_ENTER, '\t', KEY_CODE_CTRL_L, KEY_CODE_BACKSPACE}},
	/* the terminal's own, */
	{"\033OA\033[[A\b\033[26;7^", {KEY_CODE_ARROW_UP, KEY_CODE_F1, KEY_CODE_BACKSPACE, KEY_CODE_F10}},
	/* and what all have */
	{"\033[A\033[B\033OB", {KEY_CODE_ARROW_UP, KEY_CODE_ARROW_DOWN, KEY_CODE_ARROW_DOWN}},
	{"\033[D\033OD\033[C\033OC",
		{KEY_CODE_ARROW_LEFT, KEY_CODE_ARROW_LEFT, KEY_CODE_ARROW_RIGHT, KEY_CODE_ARROW_RIGHT}},
	{"\033[H\033OH\033[1~\033[7~", {KEY_CODE_FIRST, KEY_CODE_FIRST, KEY_CODE_FIRST, KEY_CODE_FIRST}},
	{"\033[F\033OF\033[4~\033[8~", {KEY_CODE_LAST, KEY_CODE_LAST, KEY_CODE_LAST, KEY_CODE_LAST}},
	{"\033[5~\033[6~", {KEY_CODE_PAGE_UP, KEY_CODE_PAGE_DOWN}},
	{"\033OP\033[11~\033[21~\033OM", {KEY_CODE_F1, KEY_CODE_F1, KEY_CODE_F10, KEY_CODE_ENTER}},
	{"\033OQ\033[12~\033[17~\t", {KEY_CODE_F2, KEY_CODE_F2, KEY_CODE_F6, KEY_CODE_TAB}},
	{"\033[18~\033[19~", {KEY_CODE_F7, KEY_CODE_F8}},
	/* Esc, and what is typed behind it */
	{"\033", {KEY_CODE_ESCAPE}},
	{"\033\033", {KEY_CODE_ESCAPE, KEY_CODE_ESCAPE}},
	{"\033q", {KEY_CODE_ESCAPE, 'q'}},
	{"\033[", {KEY_CODE_ESCAPE, '['}},
	{"\033O", {KEY_CODE_ESCAPE, 'O'}},
	{"\033\001[A", {KEY_CODE_ESCAPE, '[', 'A'}},
	{"\033\033[B", {KEY_CODE_ESCAPE, KEY_CODE_ARROW_DOWN}},
	{"\033\001\033[B", {KEY_CODE_ESCAPE, KEY_CODE_ARROW_DOWN}},
	/* keys of other terminals, focus, a report, a key with Ctrl: nothing, and no part of them is a key */
	{"\033[15~j", {'j'}},
	{"\033[1;6Qj", {'j'}},
	{"\033[1;5Aj", {'j'}},
	{"\033[[Ej", {'j'}},
	{"\033[Ij\033[Oj", {'j', 'j'}},
	{"\033[24;80Rj", {'j'}},
	{"\033OIj", {'j'}},
	{"\033O5Pj", {'j'}},
	{"\033[?62;1;4cj", {'j'}},
	{"\033[99999999999999999999Aj", {'j'}},
	{"\033[1;2;3;4;5;6~j", {'j'}},
	{"\033[11111111111111111111111111111111111111111111111111111111111111111111111111111111111111~j",
		{'j'}},
	/* cut off: nothing, and the next key is one */
	{"\033[<0;1\001h", {'h'}, true},
	{"\033[<0;1\001h", {'h'}},
	{"\033[1;\001h", {'h'}},
	{"\033[1\033[A", {KEY_CODE_ARROW_UP}},
	{"\033[<0;1\r", {KEY_CODE_ENTER}, true},
	{"\033[M \001h", {'h'}, true},
	{"\033[M \033[A", {KEY_CODE_ARROW_UP}, true},
	{"\033[1111111111111111111111111111111111111111111111111111111111111111111111111111111\001h", {'h'}},
	{"\033[111111111111111111111111111111111111111111111111111111111111111111111111111111\033[A",
		{KEY_CODE_ARROW_UP}},
	/* the mouse */
	{"\033[<0;10;5M", {KEY_CODE_CLICK}, true, 9, 4},
	{"\033[<0;300;200M\033[<0;300;200m", {KEY_CODE_CLICK}, true, 299, 199},
	{"\033[<64;1;1M\033[<65;2;3M", {KEY_CODE_WHEEL_UP, KEY_CODE_WHEEL_DOWN}, true, 1, 2},
	{"\033[<16;4;4M", {KEY_CODE_CLICK}, true, 3, 3},
	{"\033[<1;4;4M\033[<2;4;4M\033[<35;4;4M\033[<66;1;1M", {0}, true},
	{"\033[<0;0;1M\033[<0;1;0M\033[<0;1M\033[<;;M\033[<0;1;1;1M\033[<0;70000;1M", {0}, true},
	{"\033[<0;10;5Mj", {'j'}},
	{"\033[M *%\033[M#*%", {KEY_CODE_CLICK}, true, 9, 4},
	{"\033[M`!!\033[Ma!!", {KEY_CODE_WHEEL_UP, KEY_CODE_WHEEL_DOWN}, true, 0, 0},
	{"\033[M \377\377", {KEY_CODE_CLICK}, true, 222, 222},
	{"\033[Mj", {'j'}},
	/* text */
	{"\303\244\342\202\254\360\237\230\200", {0xe4, 0x20ac, 0x1f600}},
	{"\303\001h", {'h'}},
	{"\377\200h", {'h'}},
	{"\303h", {'h'}},
};

static void Keys_are_told_whether_they_come_at_once_or_in_parts(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t step = 1; step < 100; step = step < 4 ? step + 1 : step * 5) {
			struct input input = made(cases[i].mouse);
			size_t n = 0;

			while (n < 6 && cases[i].codes[n])
				n++;
			send(&input, cases[i].bytes, strlen(cases[i].bytes), step);
			CHECK(n_events == n, "%s by %zu: %zu events", cases[i].bytes + 1, step, n_events);
			for (size_t e = 0; e < n && e < n_events; e++)
				CHECK(events[e].code == cases[i].codes[e], "%s by %zu: event %zu is %x",
					cases[i].bytes + 1, step, e, events[e].code);
			if (cases[i].x && n_events == n)
				CHECK(events[n - 1].x == cases[i].x && events[n - 1].y == cases[i].y,
					"%s: %u %u", cases[i].bytes + 1, events[n - 1].x, events[n - 1].y);
		}
}

static void A_byte_of_zero_is_no_key_and_no_end(void)
{
	struct input input = made(false);

	send(&input, "a\0b", 3, 3);
	CHECK(n_events == 2 && events[0].code == 'a' && events[1].code == 'b');
}

static void What_is_not_whole_is_due_after_50_ms(void)
{
	struct input input = made(true);
	struct input_event event;

	CHECK(input_due_ns(&input) == UINT64_MAX);
	input_add(&input, "\033[<0", 4, 10 * MS);
	CHECK(!input_next(&input, 10 * MS, &event) && input_due_ns(&input) == 60 * MS);
	CHECK(!input_next(&input, 60 * MS - 1, &event) && input.n == 4);
	input_add(&input, ";1", 2, 40 * MS);
	CHECK(!input_next(&input, 60 * MS, &event) && input_due_ns(&input) == 90 * MS);
	input_add(&input, ";1M", 3, 89 * MS);
	CHECK(input_next(&input, 200 * MS, &event) && event.code == KEY_CODE_CLICK);
	CHECK(input_due_ns(&input) == UINT64_MAX);
}

/* More than fits: it is taken in turn, and nothing of it is lost. */
static void A_flood_of_keys_is_taken_in_pieces(void)
{
	static char many[4 * INPUT_SIZE];
	struct input input = made(false);
	size_t n = 0;

	memset(many, 'j', sizeof(many));
	for (size_t at = 0; at < sizeof(many);) {
		struct input_event event;
		size_t taken = input_add(&input, &many[at], sizeof(many) - at, MS);

		CHECK(taken > 0);
		for (at += taken; input_next(&input, MS, &event); n++)
			CHECK(event.code == 'j');
	}
	CHECK(n == sizeof(many));
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(Keys_are_told_whether_they_come_at_once_or_in_parts);
	TEST(A_byte_of_zero_is_no_key_and_no_end);
	TEST(What_is_not_whole_is_due_after_50_ms);
	TEST(A_flood_of_keys_is_taken_in_pieces);
	return tap_done();
}
