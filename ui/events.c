/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.c - the pane with what happened last. */
#include <time.h>

#include "src/session.h"
#include "ui/view.h"

static void draw_event(const struct frame *frame, struct area area, unsigned y, const struct event *event)
{
	const struct session *session = frame->session;
	int64_t since_start_ns = (int64_t)(event->at_ns - session->start_ns);
	time_t wall_s = (time_t)(((int64_t)session->wall_start_ns + since_start_ns) / 1000000000);
	enum style style = event->kind == EVENT_WARNING ? STYLE_WARNING : STYLE_PLAIN;
	char text[512];
	struct tm wall;

	localtime_r(&wall_s, &wall);
	snprintf(text, sizeof(text), "%02d:%02d:%02d %-7s %s", wall.tm_hour, wall.tm_min, wall.tm_sec,
		event_kind_name(event->kind), event->text ? event->text : "");
	canvas_left(frame->canvas, area, 0, y, area.width, style, text);
}

void events_draw(const struct frame *frame, struct area area)
{
	const struct session *session = frame->session;
	size_t room = area.height - 1;
	size_t n = session->n_events < room ? session->n_events : room;
	char title[64];

	snprintf(title, sizeof(title), " events (%llu) ",
		(unsigned long long)(session->n_events + session->events_dropped));
	canvas_title(frame->canvas, area, title);
	for (size_t i = 0; i < n; i++)
		draw_event(frame, area, (unsigned)i + 1, &session->events[session->n_events - n + i]);
}
