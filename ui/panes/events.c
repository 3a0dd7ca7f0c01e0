/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.c - the pane with the last events. */
#include "ui/panes/events.h"

#include <stdlib.h>
#include <string.h>

#include "src/model/comparison_lines.h"
#include "src/model/session.h"
#include "ui/panes/spikes.h"

enum {
	TEXT_X = 17 /* after the time and the class */,
	EVENTS_MAX = 64,
	SPIKES_MAX = 5,
};
static const uint64_t recent_ns = 10000000000;

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
	return smaller(lines + smaller((unsigned)session->spikes.n_last, SPIKES_MAX), most);
}

/* "22:13:49 spike   mq 0>1 212.40us: stress-ng-cpu 4711 (FF90) held CPU 0 for 205 us". */
static void draw_spike(const struct scene *scene, struct area line, const struct kept_spike *kept)
{
	const struct session *session = scene->session;
	uint64_t at_ns = session->wall_start_ns + spike_start_ns(&kept->spike) - session->start_ns;
	char text[SPIKE_TEXT_SIZE], head[64], clock[32];

	snprintf(head, sizeof(head), "%s %-7s ", units_clock(clock, sizeof(clock), at_ns), "spike");
	canvas_left(scene->canvas, line, 0, 0, line.width, STYLE_PLAIN, head);
	if (line.width > TEXT_X)
		canvas_left(scene->canvas, line, TEXT_X, 0, line.width - TEXT_X, STYLE_PLAIN,
			spike_text(scene, kept, text));
}

/* What the pane shows: events, and spikes in half of the lines, or in those that events leave free. By time,
 * the oldest first. */
struct shown {
	const struct event *events;
	size_t n_events;
	size_t spikes[SPIKES_MAX]; /* of the last ones */
	size_t n_spikes;
	char *texts[EVENTS_MAX]; /* of the events */
	unsigned lines[EVENTS_MAX];
};

/* Where the spikes of the last ten seconds begin, or earlier if these are fewer than @most. */
static size_t first_recent(const struct session_spikes *spikes, size_t most)
{
	size_t first = spikes->n_last;

	while (first > 0 && spike_start_ns(&spikes->last[first - 1].spike) + recent_ns >=
				    spike_start_ns(&spikes->last[spikes->n_last - 1].spike))
		first--;
	if (spikes->n_last - first < most)
		first = spikes->n_last > most ? spikes->n_last - most : 0;
	return first;
}

static uint64_t length_of(const struct session_spikes *spikes, size_t i)
{
	return spike_length_ns(&spikes->last[i].spike);
}

static size_t shortest_of(const struct session_spikes *spikes, const size_t *picked, size_t n)
{
	size_t shortest = 0;

	for (size_t i = 1; i < n; i++)
		if (length_of(spikes, picked[i]) < length_of(spikes, picked[shortest]))
			shortest = i;
	return shortest;
}

/* Picks the longest of the recent ones. */
static void pick_spikes(struct shown *shown, const struct session_spikes *spikes, size_t most)
{
	for (size_t i = first_recent(spikes, most); i < spikes->n_last && most; i++) {
		if (shown->n_spikes == most) {
			size_t shortest = shortest_of(spikes, shown->spikes, most);

			if (length_of(spikes, i) <= length_of(spikes, shown->spikes[shortest]))
				continue;
			shown->n_spikes--;
			memmove(&shown->spikes[shortest], &shown->spikes[shortest + 1],
				(shown->n_spikes - shortest) * sizeof(*shown->spikes));
		}
		shown->spikes[shown->n_spikes++] = i;
	}
}

static void find_shown(struct shown *shown, const struct session *session, size_t room, unsigned width)
{
	size_t most_spikes = smaller((unsigned)session->spikes.n_last, SPIKES_MAX), used = 0;
	size_t for_events = room - smaller((unsigned)most_spikes, (unsigned)room / 2);
	size_t n = session->n_events < for_events ? session->n_events : for_events;

	*shown = (struct shown){.events = n ? session->events + session->n_events - n : NULL};
	while (shown->n_events < n &&
		(shown->texts[shown->n_events] = event_text(&shown->events[shown->n_events])))
		shown->n_events++;
	share_lines(shown->texts, shown->n_events, for_events, width, shown->lines);
	for (size_t i = 0; i < shown->n_events; i++)
		used += shown->lines[i];
	pick_spikes(shown, &session->spikes, smaller((unsigned)most_spikes, (unsigned)(room - used)));
}

static void draw_shown(const struct scene *scene, struct area area, struct shown *shown)
{
	const struct kept_spike *last = scene->session->spikes.last;
	size_t spike = 0, event = 0;
	unsigned y = 0;

	while (spike < shown->n_spikes || event < shown->n_events) {
		bool is_spike =
			spike < shown->n_spikes &&
			(event == shown->n_events || spike_start_ns(&last[shown->spikes[spike]].spike) <
							     shown->events[event].at_ns);
		struct area lines = {area.x, area.y + y, area.width, is_spike ? 1 : shown->lines[event]};

		if (is_spike) {
			draw_spike(scene, lines, &last[shown->spikes[spike++]]);
		} else {
			draw_event(scene, lines, &shown->events[event], shown->texts[event]);
			free(shown->texts[event++]);
		}
		y += lines.height;
	}
}

void events_draw(const struct scene *scene, struct area area)
{
	const struct session *session = scene->session;
	const struct compared *compared = &scene->view->compared;
	size_t room = area.height - 1 < EVENTS_MAX ? area.height - 1 : EVENTS_MAX;
	struct shown shown;
	char spikes[40] = "", title[128];

	if (session->spikes.blames.n_spikes)
		snprintf(spikes, sizeof(spikes), ", spikes (%llu)",
			(unsigned long long)session->spikes.blames.n_spikes);
	snprintf(title, sizeof(title),
		compared->offered_a == COMPARISON_FILE
			? " events (%llu)%s: c compares phase %u with the baseline "
		: compared->offered_a && session->matrix
			? " events (%llu)%s: M, then c compares phase %u with %u "
		: compared->offered_a ? " events (%llu)%s: c compares phase %u with %u "
				      : " events (%llu)%s ",
		(unsigned long long)(session->n_events + session->events_dropped), spikes,
		(unsigned)compared->offered_b, (unsigned)compared->offered_a);
	canvas_title(scene->canvas, area, title);
	find_shown(&shown, session, room, area.width - TEXT_X);
	draw_shown(scene, (struct area){area.x, area.y + 1, area.width, area.height - 1}, &shown);
}
