/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.c - decodes the bytes of a terminal as keys and mouse events.
 *
 * A sequence may arrive in parts. If its end does not arrive in time, it is dropped; Esc alone, and Esc with
 * a bracket, then are keys. */
#include "ui/term/input.h"

#include <string.h>
#include <wchar.h>

#include "ui/views/keys.h"

enum { ESCAPE = 27, SEQUENCE_MAX = 64, NUMBERS_MAX = 4, NUMBER_MAX = 65535 };

/* Numbers of the mouse's buttons: bits for modifier keys, the wheel's two. */
enum { MOUSE_MODIFIERS = 4 | 8 | 16, MOUSE_LEFT = 0, MOUSE_WHEEL_UP = 64, MOUSE_WHEEL_DOWN = 65 };

/* Sequences of xterm, tmux, the Linux console and similar terminals, whatever TERM is. */
static const struct {
	unsigned number; /* before the last byte; 0: none */
	char last;
	bool after_o, after_bracket;
	uint32_t code;
} common[] = {
	{0, 'A', true, true, KEY_CODE_ARROW_UP},
	{0, 'B', true, true, KEY_CODE_ARROW_DOWN},
	{0, 'H', true, true, KEY_CODE_FIRST},
	{0, 'F', true, true, KEY_CODE_LAST},
	{0, 'M', true, false, KEY_CODE_ENTER},
	{0, 'P', true, false, KEY_CODE_F1},
	{1, '~', false, true, KEY_CODE_FIRST},
	{4, '~', false, true, KEY_CODE_LAST},
	{5, '~', false, true, KEY_CODE_PAGE_UP},
	{6, '~', false, true, KEY_CODE_PAGE_DOWN},
	{7, '~', false, true, KEY_CODE_FIRST},
	{8, '~', false, true, KEY_CODE_LAST},
	{11, '~', false, true, KEY_CODE_F1},
	{21, '~', false, true, KEY_CODE_F10},
};

static bool is_expired(const struct input *input, uint64_t now_ns)
{
	return now_ns >= input->last_ns + INPUT_PATIENCE_NS;
}

/* Numbers and signs, before a sequence's last byte. */
static bool is_inside(unsigned char byte)
{
	return byte >= ' ' && byte <= '?';
}

static bool is_last(unsigned char byte)
{
	return byte >= '@' && byte <= '~';
}

/* Returns the length of the longest of the terminal's own sequences at the start of the bytes; @longer: a
 * longer one may follow. */
static size_t find_own(const struct input *input, uint32_t *code, bool *longer)
{
	size_t found = 0;

	*longer = false;
	for (size_t i = 0; i < input->n_keys; i++) {
		size_t length = strlen(input->keys[i].bytes), n = length < input->n ? length : input->n;

		if (!length || memcmp(input->keys[i].bytes, input->bytes, n) != 0)
			continue;
		*longer |= length > n;
		if (length == n && length > found) {
			found = length;
			*code = input->keys[i].code;
		}
	}
	return found;
}

/* Reads "0;10;5". Returns how many numbers, or 0 for any other text. */
static size_t read_numbers(const unsigned char *bytes, size_t n, unsigned numbers[NUMBERS_MAX])
{
	size_t count = 1;

	numbers[0] = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned *last = &numbers[count - 1];

		if (bytes[i] >= '0' && bytes[i] <= '9') {
			*last = *last * 10 + (bytes[i] - '0');
			if (*last > NUMBER_MAX)
				return 0;
		} else if (bytes[i] == ';' && count < NUMBERS_MAX) {
			numbers[count++] = 0;
		} else {
			return 0;
		}
	}
	return count;
}

/* @x and @y count from 1. */
static void tell_mouse(unsigned button, unsigned x, unsigned y, struct input_event *event)
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

/* Decodes a whole sequence. A key with Shift, Ctrl or Alt has two numbers, and is ignored. */
static void tell_sequence(const struct input *input, size_t length, struct input_event *event)
{
	const unsigned char *inside = &input->bytes[2];
	unsigned char last = input->bytes[length - 1];
	unsigned numbers[NUMBERS_MAX];
	size_t n = length - 3;

	if (n && *inside == '<') {
		if (input->mouse && last == 'M' && read_numbers(inside + 1, n - 1, numbers) == 3)
			tell_mouse(numbers[0], numbers[1], numbers[2], event);
		return;
	}
	if (read_numbers(inside, n, numbers) != 1)
		return;
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++) {
		bool after = input->bytes[1] == 'O' ? common[i].after_o : common[i].after_bracket;

		if (after && common[i].last == (char)last && common[i].number == numbers[0])
			event->code = common[i].code;
	}
}

/* The older encoding of the mouse: three bytes after "ESC [ M", each plus 32. */
static size_t take_old_mouse(const struct input *input, bool expired, struct input_event *event)
{
	const unsigned char *said = &input->bytes[3];

	for (size_t i = 3; i < 6; i++) {
		if (i == input->n)
			return expired ? i : 0;
		if (input->bytes[i] < ' ')
			return i;
	}
	tell_mouse(said[0] - 32u, said[1] - 32u, said[2] - 32u, event);
	return 6;
}

/* Decodes bytes that begin with Esc. Returns their number; 0: more are needed. */
static size_t take_escape(struct input *input, bool expired, struct input_event *event)
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
		return take_old_mouse(input, expired, event);
	if (bytes[1] == '[' && bytes[2] == '[') /* the Linux console's F1 to F5 */
		at++;
	while (at < input->n && is_inside(bytes[at]))
		at++;
	if (at > SEQUENCE_MAX)
		input->skipping = true;
	if (at == input->n)
		return expired || input->skipping ? at : 0;
	if (input->skipping || !is_last(bytes[at]))
		return at;
	tell_sequence(input, at + 1, event);
	return at + 1;
}

/* A letter, or a control character. */
static size_t take_letter(const struct input *input, bool expired, struct input_event *event)
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

static size_t take_rest(struct input *input, bool expired)
{
	size_t at = 0;

	while (at < input->n && is_inside(input->bytes[at]))
		at++;
	input->skipping = at == input->n && !expired;
	return at < input->n && is_last(input->bytes[at]) ? at + 1 : at;
}

/* Returns how many bytes were used; 0: more are needed. */
static size_t take(struct input *input, bool expired, struct input_event *event)
{
	uint32_t code = KEY_CODE_NONE;
	bool longer;

	if (input->skipping)
		return take_rest(input, expired);
	size_t own = find_own(input, &code, &longer);

	if (longer && !expired)
		return 0;
	if (own) {
		event->code = code;
		return own;
	}
	return input->bytes[0] == ESCAPE ? take_escape(input, expired, event)
					 : take_letter(input, expired, event);
}

size_t input_add(struct input *input, const void *bytes, size_t n, uint64_t now_ns)
{
	size_t room = sizeof(input->bytes) - input->n;

	if (is_expired(input, now_ns))
		input->skipping = false;
	n = n < room ? n : room;
	memcpy(&input->bytes[input->n], bytes, n);
	input->n += n;
	input->last_ns = now_ns;
	return n;
}

bool input_next(struct input *input, uint64_t now_ns, struct input_event *event)
{
	bool expired = is_expired(input, now_ns);

	*event = (struct input_event){0};
	while (input->n && event->code == KEY_CODE_NONE) {
		bool skips = input->skipping;
		size_t taken = take(input, expired, event);

		if (!taken && !skips)
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
