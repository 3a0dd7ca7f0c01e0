/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_svg.c - all pictures of a session as one file of SVG. */
#include <errno.h>

#include "src/model/session.h"
#include "ui/pictures/page_scene.h"

enum { WIDTH = 800, MARGIN = 16, HEAD = 34, GAP = 14 };

static bool is_shown(const struct picture *picture, const struct picture_scene *scene)
{
	return !picture->is_there || picture->is_there(scene);
}

static double height_of(const struct picture_scene *scene)
{
	double height = HEAD + MARGIN;

	for (const struct picture *const *picture = pictures_table; *picture; picture++)
		if (is_shown(*picture, scene))
			height += picture_height(*picture, scene, WIDTH - 2 * MARGIN) + GAP;
	return height;
}

static void draw_pictures(const struct picture_scene *scene, FILE *out)
{
	char title[PAGE_TITLE_SIZE], cut[SVG_TEXT_SIZE];
	const char *lack = picture_lack(scene);
	double y = HEAD;

	svg_begin(out, WIDTH, height_of(scene), page_title(scene->session, title));
	svg_text(out, MARGIN, 22, SVG_START, "ink", svg_cut(title, SVG_FONT_PLAIN, WIDTH - 2 * MARGIN, cut));
	if (lack)
		svg_text(out, MARGIN, y + 8, SVG_START, "faint", lack);
	for (const struct picture *const *picture = pictures_table; *picture; picture++) {
		if (!is_shown(*picture, scene))
			continue;
		struct svg_box box = {MARGIN, y, WIDTH - 2 * MARGIN, 0};

		box.height = picture_height(*picture, scene, box.width);
		(*picture)->draw(scene, out, box);
		y += box.height + GAP;
	}
	svg_end(out);
}

int page_print_svg(const struct session *session, const struct page_choice *choice, FILE *out)
{
	struct page_scene page;
	int r = page_scene_init(&page, session, choice);

	if (r == 0)
		draw_pictures(&page.scene, out);
	page_scene_finish(&page);
	return r < 0 ? r : ferror(out) ? -EIO : 0;
}
