/* SPDX-License-Identifier: GPL-2.0-or-later */
/* footer.c - the key bar: the last line of the screen, which names the keys and can be clicked. */
#include "ui/views/footer.h"

#include <string.h>

#include "ui/views/keys.h"

/* A key without a label shares the next one's: "< > Sort". */
static unsigned key_width(const struct key *key)
{
	return (unsigned)(strlen(key->short_name) + 1 + (*key->label ? strlen(key->label) + 2 : 0));
}

static unsigned draw_key(const struct scene *scene, struct area area, unsigned x, const struct key *key)
{
	x = canvas_text(scene->canvas, area, x, 0, STYLE_KEY, key->short_name) + 1;
	return *key->label ? canvas_text(scene->canvas, area, x, 0, STYLE_PLAIN, key->label) + 2 : x;
}

/* The last key, quit, always has its place, and leaves the screen's last cell free: a terminal may only get
 * a letter there by pushing it. */
void footer_draw(const struct scene *scene, struct area area)
{
	struct key last = keys_at(keys_count() - 1), key, sharing;
	unsigned x = 0, end = area.width > key_width(&last) ? area.width - key_width(&last) + 1 : 0;
	bool shares = false;

	for (size_t i = 0; i + 1 < keys_count(); i++) {
		key = keys_at(i);
		if (!key.short_name || !keys_known(&key, scene->view))
			continue;
		if (x + key_width(&key) + (shares ? key_width(&sharing) : 0) > end)
			break;
		if (shares)
			x = draw_key(scene, area, x, &sharing);
		shares = !*key.label;
		if (shares)
			sharing = key;
		else
			x = draw_key(scene, area, x, &key);
	}
	draw_key(scene, area, x, &last);
}
