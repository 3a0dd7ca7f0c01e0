/* SPDX-License-Identifier: GPL-2.0-or-later */
/* footer.c - the key bar: the last line of the screen, which names the keys and can be clicked. */
#include "ui/frame/footer.h"

#include <string.h>

#include "ui/frame/keys.h"

/* A walk over the keys of the bar, from left to right. */
struct walk {
	const struct frame *frame;
	unsigned width; /* of the bar */
	size_t i;       /* the next row of the table */
	unsigned x;     /* where the next key begins */
};

static unsigned key_width(const struct key *key)
{
	return (unsigned)(strlen(key->short_name) + 1 + strlen(key->label) + 2);
}

/* The last key, quit, is always in the bar. The screen's last cell stays free: some terminals scroll when it
 * is written. Returns NULL at the end. */
static const struct key *walk_next(struct walk *walk, unsigned *x)
{
	const struct key *keys = walk->frame->keys;
	size_t last = walk->frame->n_keys - 1;

	while (last > 0 && !keys_in_bar(walk->frame, &keys[last]))
		last--;
	unsigned end = walk->width > key_width(&keys[last]) ? walk->width - key_width(&keys[last]) + 1 : 0;

	while (walk->i < last && !keys_in_bar(walk->frame, &keys[walk->i]))
		walk->i++;
	if (walk->i > last)
		return NULL;
	if (walk->x + key_width(&keys[walk->i]) > end)
		walk->i = last;
	const struct key *key = &keys[walk->i++];

	*x = walk->x;
	walk->x += key_width(key);
	return key;
}

static void draw_key(const struct scene *scene, struct area area, unsigned x, const struct key *key)
{
	for (const char *name = key->short_name; *name; name++, x++) /* of ASCII */
		canvas_put(scene->canvas, area, x, 0, (unsigned char)*name,
			*name == ' ' ? STYLE_PLAIN : STYLE_KEY);
	canvas_text(scene->canvas, area, x + 1, 0, STYLE_PLAIN, key->label);
}

void footer_draw(const struct scene *scene, struct area area)
{
	struct walk walk = {.frame = scene->frame, .width = area.width};
	const char *message = view_top(scene->frame)->type ? NULL : scene->frame->message;
	const struct key *key;
	unsigned x;

	if (message)
		canvas_left(scene->canvas, area, 0, 0, area.width - 1, STYLE_WARNING, message);
	else
		while ((key = walk_next(&walk, &x)))
			draw_key(scene, area, x, key);
}

/* "< > Sort" has two keys: each name acts as its own key, the label as that of the row. */
static uint32_t code_of(const struct frame *frame, const struct key *key, unsigned at)
{
	for (const char *name = key->short_name; *name;) {
		size_t begin = (size_t)(name - key->short_name), length = strcspn(name, " ");

		if (at >= begin && at < begin + length)
			return keys_named(frame, name, length, key->codes[0]);
		name += length + strspn(name + length, " ");
	}
	return key->codes[0];
}

uint32_t footer_code_at(const struct frame *frame, unsigned x, unsigned y)
{
	struct walk walk = {.frame = frame, .width = frame->body.width};
	const struct key *key;
	unsigned from;

	if (frame->too_small || frame->message || y != frame->body.y + frame->body.height)
		return KEY_CODE_NONE;
	while ((key = walk_next(&walk, &from)))
		if (x >= from && x < from + key_width(key) - 2) /* not the gap behind it */
			return code_of(frame, key, x - from);
	return KEY_CODE_NONE;
}
