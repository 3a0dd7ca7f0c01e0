/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.c - the pane with the last events. */
#include "ui/panes/events.h"

#include <stdlib.h>

#include "src/model/comparison_lines.h"
#include "src/model/session.h"

enum { TEXT_X = 17 /* after the time and the class */, EVENTS_MAX = 64 };

static void draw_event(
	const struct scene *scene, struct area area, const struct event *event, const char *text)
{
	const struct session *session = scene->session;
	enum style style = event_class(event) == CLASS_WARNING ? STYLE_WARNING : STYLE_PLAIN;
	struct area inner = {area.x + TEXT_X, area.y, area.width - TEXT_X, area.height};
	char head[64], clock[32];

	snprintf(head, sizeof(head), "%s %-7s ",
		units_clock(clock, sizeof(clock), session->wall_start_ns + event->at_ns - session->start_ns),
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

unsigned events_lines(const struct session *session, unsigned width, unsigned most)
{
	unsigned lines = 0;

	for (size_t i = session->n_events; i-- > 0 && lines < most;) {
		char *text = event_text(&session->events[i]);

		lines += text && width > TEXT_X ? canvas_wrap_lines(width - TEXT_X, text) : 1;
		free(text);
	}
	return smaller(lines, most);
}

void events_draw(const struct scene *scene, struct area area)
{
	const struct session *session = scene->session;
	const struct compared *compared = &scene->view->compared;
	unsigned lines[EVENTS_MAX], y = 1;
	char *texts[EVENTS_MAX], title[64];
	size_t room = area.height - 1 < EVENTS_MAX ? area.height - 1 : EVENTS_MAX;
	size_t n = session->n_events < room ? session->n_events : room;
	const struct event *events = n ? session->events + session->n_events - n : NULL;

	snprintf(title, sizeof(title),
		compared->offered_a == COMPARISON_FILE
			? " events (%llu): c compares phase %u with the baseline "
		: compared->offered_a ? " events (%llu): c compares phase %u with %u "
				      : " events (%llu) ",
		(unsigned long long)(session->n_events + session->events_dropped),
		(unsigned)compared->offered_b, (unsigned)compared->offered_a);
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
