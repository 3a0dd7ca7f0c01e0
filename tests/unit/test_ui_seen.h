/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_seen.h - a session made by hand, and what the screen shows of it as text. */
#pragma once

#include "tests/unit/test_ui_session.h"
#include "ui/table/view.h"
#include "ui/views/frame.h"

/* The views by their numbers. */
enum { SCREEN_OVERVIEW, SCREEN_DETAIL };

/* A screen that is drawn as text. */
struct screen_fixture {
	struct session session;
	struct view view;
	struct canvas canvas;
	char text[400000];
};

static struct screen_fixture seen;

static void seen_init(size_t n_rings)
{
	fake_session(&seen.session, n_rings);
	view_init(&seen.view, FIGURE_FIRST, 1000000000);
	if (canvas_init(&seen.canvas, 1, 1, true) < 0)
		abort();
}

static void seen_finish(void)
{
	session_finish(&seen.session);
	view_finish(&seen.view);
	canvas_finish(&seen.canvas);
}

__attribute__((unused)) static const char *look(unsigned columns, unsigned lines)
{
	FILE *out = fmemopen(seen.text, sizeof(seen.text), "w");

	fake_groups(&seen.session);

	if (!out || frame_make(&seen.session, &seen.view, &seen.canvas, columns, lines) < 0)
		abort();
	canvas_print(&seen.canvas, out);
	fclose(out);
	return seen.text;
}

__attribute__((unused)) static bool shows(const char *text)
{
	return strstr(seen.text, text) != NULL;
}

/* The line that holds a text, or "". */
__attribute__((unused)) static const char *line_with(const char *text)
{
	static char line[1024];
	const char *at = strstr(seen.text, text);
	size_t length;

	line[0] = '\0';
	if (!at)
		return line;
	while (at > seen.text && at[-1] != '\n')
		at--;
	length = strcspn(at, "\n");
	length = length < sizeof(line) - 1 ? length : sizeof(line) - 1;
	memcpy(line, at, length);
	line[length] = '\0';
	return line;
}
