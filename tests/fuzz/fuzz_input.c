/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_input.c - any bytes from a terminal: keys, and the same ones in whichever pieces they come.
 *
 * The first byte says whether the mouse is on, the second one how long the pieces are. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "ui/frame/keys.h"
#include "ui/term/input.h"

enum { EVENTS_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool true_one, const char *what)
{
	if (true_one)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

/* All at the same time, but for the end, which does not come. Returns how many events there were. */
static size_t decode(const uint8_t *bytes, size_t n, size_t step, bool mouse, struct input_event *events)
{
	struct input input = {.mouse = mouse,
		.n_keys = 3,
		.keys = {
			{"\033OA", KEY_CODE_ARROW_UP}, {"\033[[A", KEY_CODE_F1}, {"\b", KEY_CODE_BACKSPACE}}};
	size_t n_events = 0;

	for (size_t at = 0; at < n;) {
		size_t taken = input_add(&input, bytes + at, n - at < step ? n - at : step, 1);

		require(taken > 0, "there is room when all is decoded");
		for (at += taken; input_next(&input, 1, &events[n_events]); n_events++)
			require(n_events + 1 < EVENTS_MAX, "an event has a byte");
	}
	while (input_next(&input, 1 + INPUT_PATIENCE_NS, &events[n_events]))
		n_events++;
	require(input.n == 0 && input_due_ns(&input) == UINT64_MAX, "what does not end is dropped");
	require(n_events <= n, "an event has a byte");
	return n_events;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct input_event whole[EVENTS_MAX], pieces[EVENTS_MAX];

	setlocale(LC_CTYPE, "C.UTF-8");
	if (size < 2 || size > EVENTS_MAX / 2)
		return 0;
	bool mouse = data[0] & 1;
	size_t n = decode(data + 2, size - 2, INPUT_SIZE, mouse, whole);

	require(decode(data + 2, size - 2, data[1] % 16 + 1, mouse, pieces) == n, "pieces are as many keys");
	for (size_t i = 0; i < n; i++) {
		require(whole[i].code != KEY_CODE_NONE && whole[i].code <= KEY_CODE_WHEEL_DOWN,
			"it is a key");
		require(whole[i].code == pieces[i].code && whole[i].x == pieces[i].x &&
				whole[i].y == pieces[i].y,
			"pieces are the same keys");
	}
	return 0;
}
