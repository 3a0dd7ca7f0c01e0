/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.c - the pane with the last events. */
#include "ui/panes/events.h"

#include <stdlib.h>
#include <time.h>

#include "src/model/session.h"

enum { TEXT_X = 17 /* after the time and the class */, EVENTS_MAX = 64 };

static void draw_event(
	const struct scene *scene, struct area area, const struct event *event, const char *text)
{
	const struct session *session = scene->session;
	int64_t since_start_ns = (int64_t)(event->at_ns - session->start_ns);
	time_t wall_s = (time_t)(((int64_t)session->wall_start_ns + since_start_ns) / 1000000000);
	enum style style = event_class(event) == CLASS_WARNING ? STYLE_WARNING : STYLE_PLAIN;
	struct area inner = {area.x + TEXT_X, area.y, area.width - TEXT_X, area.height};
	char head[64];
	struct tm wall;

	localtime_r(&wall_s, &wall);
	snprintf(head, sizeof(head), "%02d:%02d:%02d %-7s ", wall.tm_hour, wall.tm_min, wall.tm_sec,
		event_class_name(event));
	canvas_text(scene->canvas, area, 0, 0, style, head);
	canvas_wrap(scene->canvas, inner, style, text);
}

/* Each of the @n events gets one line. Spare lines go to long texts, those of the newest events first. */
static void share_lines(char *const *texts, size_t n, size_t room, unsigned width, unsigned *lines)
{
	size_t spare = room - n;

	for (size_t i = n; i-- > 0;) {
		unsigned needs = canvas_wrap_lines(width, texts[i]);
		size_t more = needs > 1 ? needs - 1 : 0;

		more = more < spare ? more : spare;
		lines[i] = 1 + (unsigned)more;
		spare -= more;
	}
}

void events_draw(const struct scene *scene, struct area area)
{
	const struct session *session = scene->session;
	unsigned lines[EVENTS_MAX], y = 1;
	char *texts[EVENTS_MAX], title[64];
	size_t room = area.height - 1 < EVENTS_MAX ? area.height - 1 : EVENTS_MAX;
	size_t n = session->n_events < room ? session->n_events : room;
	const struct event *events = n ? session->events + session->n_events - n : NULL;

	snprintf(title, sizeof(title), " events (%llu) ",
		(unsigned long long)(session->n_events + session->events_dropped));
	canvas_title(scene->canvas, area, title);
	for (size_t i = 0; i < n; i++)
		if (!(texts[i] = event_text(&events[i])))
			n = i;
	share_lines(texts, n, room, area.width - TEXT_X, lines);
	for (size_t i = 0; i < n; y += lines[i++]) {
		draw_event(
			scene, (struct area){area.x, area.y + y, area.width, lines[i]}, &events[i], texts[i]);
		free(texts[i]);
	}
}
