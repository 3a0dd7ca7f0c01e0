/* SPDX-License-Identifier: GPL-2.0-or-later */
/* footer.c - the pane that names the keys. */
#include <string.h>

#include "ui/table/view.h"
#include "ui/views/keys.h"

static bool in_footer(const struct frame *frame, const struct key *key)
{
	return key->short_name != NULL && keys_known(key, frame->view);
}

/* A key without a label shares the next one's: "< > Sort". */
static unsigned key_width(const struct key *key)
{
	return (unsigned)(strlen(key->short_name) + 1 + (*key->label ? strlen(key->label) + 2 : 0));
}

static unsigned draw_key(const struct frame *frame, struct area area, unsigned x, const struct key *key)
{
	x = canvas_text(frame->canvas, area, x, 0, STYLE_KEY, key->short_name) + 1;
	return *key->label ? canvas_text(frame->canvas, area, x, 0, STYLE_PLAIN, key->label) + 2 : x;
}

/* The last key, quit, always has its place, and leaves the screen's last cell free: a terminal may only get
 * a letter there by pushing it. */
void footer_draw(const struct frame *frame, struct area area)
{
	const struct key *last = &keys_table[keys_n - 1];
	unsigned x = 0, end = area.width > key_width(last) ? area.width - key_width(last) + 1 : 0;

	for (size_t i = 0; i + 1 < keys_n; i++) {
		unsigned width = 0;
		size_t first = i;

		if (!in_footer(frame, &keys_table[i]))
			continue;
		while (in_footer(frame, &keys_table[i]) && !*keys_table[i].label && i + 2 < keys_n)
			width += key_width(&keys_table[i++]);
		if (!in_footer(frame, &keys_table[i]) || x + width + key_width(&keys_table[i]) > end)
			break;
		for (; first <= i; first++)
			x = draw_key(frame, area, x, &keys_table[first]);
	}
	draw_key(frame, area, x, last);
}
