/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.c - the pane with what happened last. */
#include <time.h>

#include "src/model/session.h"
#include "ui/table/view.h"

enum { TEXT_X = 17 /* behind the time and the kind */, EVENTS_MAX = 64 };

static const char *text_of(const struct event *event)
{
	return event->text ? event->text : "";
}

static void draw_event(const struct frame *frame, struct area area, const struct event *event)
{
	const struct session *session = frame->session;
	int64_t since_start_ns = (int64_t)(event->at_ns - session->start_ns);
	time_t wall_s = (time_t)(((int64_t)session->wall_start_ns + since_start_ns) / 1000000000);
	enum style style = event->kind == EVENT_WARNING ? STYLE_WARNING : STYLE_PLAIN;
	struct area inner = {area.x + TEXT_X, area.y, area.width - TEXT_X, area.height};
	char head[64];
	struct tm wall;

	localtime_r(&wall_s, &wall);
	snprintf(head, sizeof(head), "%02d:%02d:%02d %-7s ", wall.tm_hour, wall.tm_min, wall.tm_sec,
		event_kind_name(event->kind));
	canvas_text(frame->canvas, area, 0, 0, style, head);
	canvas_wrap(frame->canvas, inner, style, text_of(event));
}

/* The lines of the last @n events, more than one where there is room for it: the newest first. */
static void share_lines(const struct session *session, size_t n, size_t room, unsigned width, unsigned *lines)
{
	size_t spare = room - n;

	for (size_t i = n; i-- > 0;) {
		const struct event *event = &session->events[session->n_events - n + i];
		unsigned needs = canvas_wrap_lines(width, text_of(event));
		size_t more = needs > 1 ? needs - 1 : 0;

		more = more < spare ? more : spare;
		lines[i] = 1 + (unsigned)more;
		spare -= more;
	}
}

void events_draw(const struct frame *frame, struct area area)
{
	const struct session *session = frame->session;
	unsigned lines[EVENTS_MAX], y = 1;
	size_t room = area.height - 1 < EVENTS_MAX ? area.height - 1 : EVENTS_MAX;
	size_t n = session->n_events < room ? session->n_events : room;
	char title[64];

	snprintf(title, sizeof(title), " events (%llu) ",
		(unsigned long long)(session->n_events + session->events_dropped));
	canvas_title(frame->canvas, area, title);
	share_lines(session, n, room, area.width - TEXT_X, lines);
	for (size_t i = 0; i < n; y += lines[i++])
		draw_event(frame, (struct area){area.x, area.y + y, area.width, lines[i]},
			&session->events[session->n_events - n + i]);
}
