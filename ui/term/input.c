/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.c - decodes the bytes of a terminal as keys and mouse events.
 *
 * A sequence may arrive in parts. If its end does not arrive in time, it is dropped; Esc alone, and Esc with
 * a bracket, then are keys. */
#include "ui/term/input.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "ui/draw/key_code.h"

enum { ESCAPE = 27 };

/* Numbers of the mouse's buttons: bits for modifier keys, the wheel's two. */
enum { MOUSE_MODIFIERS = 4 | 8 | 16, MOUSE_LEFT = 0, MOUSE_WHEEL_UP = 64, MOUSE_WHEEL_DOWN = 65 };

/* Sequences of xterm, tmux, the Linux console and similar terminals, whatever TERM is. */
static const struct input_key common[] = {
	{"\033[A", KEY_CODE_ARROW_UP},
	{"\033OA", KEY_CODE_ARROW_UP},
	{"\033[B", KEY_CODE_ARROW_DOWN},
	{"\033OB", KEY_CODE_ARROW_DOWN},
	{"\033[D", KEY_CODE_ARROW_LEFT},
	{"\033OD", KEY_CODE_ARROW_LEFT},
	{"\033[C", KEY_CODE_ARROW_RIGHT},
	{"\033OC", KEY_CODE_ARROW_RIGHT},
	{"\033[H", KEY_CODE_FIRST},
	{"\033OH", KEY_CODE_FIRST},
	{"\033[1~", KEY_CODE_FIRST},
	{"\033[7~", KEY_CODE_FIRST},
	{"\033[F", KEY_CODE_LAST},
	{"\033OF", KEY_CODE_LAST},
	{"\033[4~", KEY_CODE_LAST},
	{"\033[8~", KEY_CODE_LAST},
	{"\033[5~", KEY_CODE_PAGE_UP},
	{"\033[6~", KEY_CODE_PAGE_DOWN},
	{"\033OM", KEY_CODE_ENTER},
	{"\033OP", KEY_CODE_F1},
	{"\033[11~", KEY_CODE_F1},
	{"\033OQ", KEY_CODE_F2},
	{"\033[12~", KEY_CODE_F2},
	{"\033[17~", KEY_CODE_F6},
	{"\033[18~", KEY_CODE_F7},
	{"\033[19~", KEY_CODE_F8},
	{"\033[21~", KEY_CODE_F10},
};

enum { N_COMMON = sizeof(common) / sizeof(*common) };

/* Numbers and signs, before a sequence's last byte. */
static bool is_inside(unsigned char byte)
{
	return byte >= ' ' && byte <= '?';
}

static bool is_last(unsigned char byte)
{
	return byte >= '@' && byte <= '~';
}

/* Returns the length of the longest known sequence at the start of the bytes, the terminal's own first;
 * @longer: a longer one may follow. */
static size_t find_key(const struct input *input, uint32_t *code, bool *longer)
{
	size_t found = 0;

	*longer = false;
	for (size_t i = 0; i < input->n_keys + N_COMMON; i++) {
		const struct input_key *key =
			i < input->n_keys ? &input->keys[i] : &common[i - input->n_keys];
		size_t length = strlen(key->bytes), n = length < input->n ? length : input->n;

		if (!length || memcmp(key->bytes, input->bytes, n) != 0)
			continue;
		*longer |= length > n;
		if (length == n && length > found) {
			found = length;
			*code = key->code;
		}
	}
	return found;
}

/* @x and @y count from 1. */
static void set_mouse(unsigned button, unsigned x, unsigned y, struct input_event *event)
{
	uint32_t code = KEY_CODE_NONE;

	button &= ~(unsigned)MOUSE_MODIFIERS;
	if (button == MOUSE_LEFT)
		code = KEY_CODE_CLICK;
	else if (button == MOUSE_WHEEL_UP)
		code = KEY_CODE_WHEEL_UP;
	else if (button == MOUSE_WHEEL_DOWN)
		code = KEY_CODE_WHEEL_DOWN;
	if (code != KEY_CODE_NONE && x && y)
		*event = (struct input_event){code, x - 1, y - 1};
}

/* A whole sequence that is no key: "ESC [ < 0 ; 10 ; 5 M" is the mouse's, all others are ignored. */
static void decode_mouse(const struct input *input, size_t length, struct input_event *event)
{
	char text[32], last; /* more than a mouse event takes */
	unsigned button, x, y;

	snprintf(text, sizeof(text), "%.*s", (int)length, (const char *)input->bytes);
	if (input->mouse && sscanf(text, "\033[<%3u;%4u;%4u%c", &button, &x, &y, &last) == 4 && last == 'M')
		set_mouse(button, x, y, event);
}

/* The older encoding of the mouse: three bytes after "ESC [ M", each plus 32. */
static size_t decode_old_mouse(const struct input *input, bool expired, struct input_event *event)
{
	const unsigned char *numbers = &input->bytes[3];

	for (size_t i = 3; i < 6; i++) {
		if (i == input->n)
			return expired ? i : 0;
		if (input->bytes[i] < ' ')
			return i;
	}
	set_mouse(numbers[0] - 32u, numbers[1] - 32u, numbers[2] - 32u, event);
	return 6;
}

/* Decodes bytes that begin with Esc. Returns their number; 0: more are needed. */
static size_t decode_escape(const struct input *input, bool expired, struct input_event *event)
{
	const unsigned char *bytes = input->bytes;
	size_t at = 2;

	if (input->n > 1 && bytes[1] != '[' && bytes[1] != 'O') {
		event->code = KEY_CODE_ESCAPE;
		return 1;
	}
	if (input->n <= 2) {
		event->code = expired ? KEY_CODE_ESCAPE : KEY_CODE_NONE;
		return expired;
	}
	if (input->mouse && bytes[1] == '[' && bytes[2] == 'M')
		return decode_old_mouse(input, expired, event);
	if (bytes[1] == '[' && bytes[2] == '[') /* the Linux console's F1 to F5 */
		at++;
	while (at < input->n && is_inside(bytes[at]))
		at++;
	if (at == input->n) /* a sequence that fills the buffer is dropped */
		return expired || at == sizeof(input->bytes) ? at : 0;
	if (!is_last(bytes[at]))
		return at;
	decode_mouse(input, at + 1, event);
	return at + 1;
}

/* A letter, or a control character. */
static size_t decode_letter(const struct input *input, bool expired, struct input_event *event)
{
	mbstate_t state = {0};
	wchar_t letter;
	size_t n = mbrtowc(&letter, (const char *)input->bytes, input->n, &state);

	if (n == (size_t)-2)
		return expired ? input->n : 0;
	if (n == (size_t)-1 || n == 0) /* neither a letter nor a key: the byte 0 */
		return 1;
	if ((uint32_t)letter < KEY_CODE_ARROW_UP)
		event->code = (uint32_t)letter;
	return n;
}

/* Returns how many bytes were used; 0: more are needed. */
static size_t decode(const struct input *input, bool expired, struct input_event *event)
{
	uint32_t code = KEY_CODE_NONE;
	bool longer;

	size_t known = find_key(input, &code, &longer);

	if (longer && !expired)
		return 0;
	if (known) {
		event->code = code;
		return known;
	}
	return input->bytes[0] == ESCAPE ? decode_escape(input, expired, event)
					 : decode_letter(input, expired, event);
}

size_t input_add(struct input *input, const void *bytes, size_t n, uint64_t now_ns)
{
	size_t room = sizeof(input->bytes) - input->n;

	n = n < room ? n : room;
	memcpy(&input->bytes[input->n], bytes, n);
	input->n += n;
	input->last_ns = now_ns;
	return n;
}

bool input_next(struct input *input, uint64_t now_ns, struct input_event *event)
{
	bool expired = now_ns >= input->last_ns + INPUT_PATIENCE_NS;

	*event = (struct input_event){0};
	while (input->n && event->code == KEY_CODE_NONE) {
		size_t taken = decode(input, expired, event);

		if (!taken)
			return false;
		input->n -= taken;
		memmove(input->bytes, &input->bytes[taken], input->n);
	}
	return event->code != KEY_CODE_NONE;
}

uint64_t input_due_ns(const struct input *input)
{
	return input->n ? input->last_ns + INPUT_PATIENCE_NS : UINT64_MAX;
}
