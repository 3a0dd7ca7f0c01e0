/* SPDX-License-Identifier: GPL-2.0-or-later */
/* footer.c - the key bar: the last line of the screen, which names the keys and can be clicked. */
#include "ui/views/footer.h"

#include <string.h>

#include "ui/views/keys.h"

/* A walk over the keys of the bar, from left to right. */
struct walk {
	const struct view_state *view;
	unsigned width; /* of the bar */
	size_t i;       /* the next row of the table */
	unsigned x;     /* where the next key begins */
};

static unsigned key_width(const struct key *key)
{
	return (unsigned)(strlen(key->short_name) + 1 + strlen(key->label) + 2);
}

/* The last key, quit, is always in the bar. The screen's last cell stays free: some terminals scroll when it
 * is written. Returns false at the end. */
static bool walk_next(struct walk *walk, struct key *key, unsigned *x)
{
	size_t last = keys_count() - 1;
	struct key quit = keys_at(last);
	unsigned end = walk->width > key_width(&quit) ? walk->width - key_width(&quit) + 1 : 0;

	if (walk->i > last)
		return false;
	do {
		*key = keys_at(walk->i++);
	} while (walk->i <= last && !keys_in_bar(key, walk->view));
	if (walk->i <= last && walk->x + key_width(key) > end) {
		*key = quit;
		walk->i = last + 1;
	}
	*x = walk->x;
	walk->x += key_width(key);
	return true;
}

static void draw_key(const struct scene *scene, struct area area, unsigned x, const struct key *key)
{
	for (const char *name = key->short_name; *name; name++, x++) /* of ASCII */
		canvas_put(scene->canvas, area, x, 0, (unsigned char)*name,
			*name == ' ' ? STYLE_PLAIN : STYLE_KEY);
	canvas_text(scene->canvas, area, x + 1, 0, STYLE_PLAIN, key->label);
}

/* While a prompt is open all other keys are text. */
static void draw_keys_of_prompt(const struct scene *scene, struct area area)
{
	static const struct key keys[] = {{.short_name = "Enter", .label = "Done"},
		{.short_name = "Esc", .label = "Close"}, {.short_name = "F10", .label = "Quit"}};
	unsigned x = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); x += key_width(&keys[i++]))
		draw_key(scene, area, x, &keys[i]);
}

void footer_draw(const struct scene *scene, struct area area)
{
	struct walk walk = {.view = scene->view, .width = area.width};
	struct key key;
	unsigned x;

	if (scene->view->prompt.open) {
		draw_keys_of_prompt(scene, area);
		return;
	}

	if (scene->view->message) {
		canvas_left(scene->canvas, area, 0, 0, area.width - 1, STYLE_WARNING, scene->view->message);
		return;
	}
	while (walk_next(&walk, &key, &x))
		draw_key(scene, area, x, &key);
}

/* "< > Sort" has two keys: each name acts as its own key, the label as that of the row. */
static uint32_t code_of(const struct view_state *view, const struct key *key, unsigned at)
{
	for (const char *name = key->short_name; *name;) {
		size_t begin = (size_t)(name - key->short_name), length = strcspn(name, " ");

		if (at >= begin && at < begin + length)
			return keys_named(view, name, length, key->codes[0]);
		name += length + strspn(name + length, " ");
	}
	return key->codes[0];
}

uint32_t footer_code_at(const struct view_state *view, unsigned x, unsigned y)
{
	struct walk walk = {.view = view, .width = view->body.width};
	struct key key;
	unsigned from;

	if (view->too_small || view->message || view->prompt.open || y != view->body.y + view->body.height)
		return KEY_CODE_NONE;
	while (walk_next(&walk, &key, &from))
		if (x >= from && x < from + key_width(&key) - 2) /* not the gap behind it */
			return code_of(view, &key, x - from);
	return KEY_CODE_NONE;
}
