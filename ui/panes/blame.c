/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blame.c - the causes of spikes, by the time that they took. */
#include "ui/panes/blame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session.h"

enum {
	TITLE_WIDTH = 6,
	SHARE_WIDTH = 6,
	BAR_WIDTH = 16,
	TIME_WIDTH = 8,
	COUNT_WIDTH = 6,
	GAP = 1,
	TEXT_X = SHARE_WIDTH + GAP + BAR_WIDTH + GAP + TIME_WIDTH + GAP + COUNT_WIDTH + 2 * GAP,
};

bool blame_passes(const struct view_state *view, const struct session *session, uint32_t ring)
{
	const struct session_ring *of = session_find_ring(session, ring);

	if (!view->filter.n_terms)
		return true;
	return of && filter_passes(&view->filter, of);
}

uint64_t blame_window_start(enum window window, const struct session *session)
{
	const struct phase *phase = phases_current(&session->phases);
	uint64_t length_ns = window_ns(window), now_ns = session_position_ns(session);

	if (window == WINDOW_PHASE)
		return phase ? phase->start_ns : 0;
	return length_ns && now_ns > length_ns ? now_ns - length_ns : 0;
}

/* Returns the next kept spike of the window and the filter from @*at on; NULL after the last. */
static const struct kept_spike *next_kept(
	enum window window, const struct view_state *view, const struct session *session, size_t *at)
{
	const struct session_spikes *spikes = &session->spikes;
	uint64_t start_ns = blame_window_start(window, session);

	while (*at < spikes->n_last) {
		const struct kept_spike *kept = &spikes->last[(*at)++];

		if (spike_end_ns(&kept->spike) >= start_ns && blame_passes(view, session, kept->spike.ring))
			return kept;
	}
	return NULL;
}

/* "window 60s, filtered, of the last 100". */
static void name_kept(struct blame_shown *blame, enum window window, const struct view_state *view,
	const struct session *session)
{
	const struct session_spikes *spikes = &session->spikes;
	uint64_t start_ns = blame_window_start(window, session);
	bool is_full = spikes->n_last == SPIKES_KEPT && spike_end_ns(&spikes->last[0].spike) >= start_ns;
	char all[32] = "";

	if (is_full)
		snprintf(all, sizeof(all), ", of the last %d", SPIKES_KEPT);
	snprintf(blame->of, sizeof(blame->of), "window %s%s%s", window_name(window),
		view->filter.n_terms ? ", filtered" : "", all);
}

static void sum_kept(struct blame_shown *blame, enum window window, const struct view_state *view,
	const struct session *session)
{
	const struct kept_spike *kept;
	size_t at = 0;

	while ((kept = next_kept(window, view, session, &at)))
		blame_sums_add(&blame->sums, kept->explanation);
	name_kept(blame, window, view, session);
}

/* --- by CPU --- */

enum { ENDS = 2 /* CPUs of a spike, at most */ };

struct cpu_sums {
	struct cpu_sum {
		uint32_t cpu;
		uint64_t ns, n;
	} list[ENDS * SPIKES_KEPT];
	size_t n;
};

static struct cpu_sum *find_cpu(struct cpu_sums *sums, uint32_t cpu)
{
	size_t i = 0;

	while (i < sums->n && sums->list[i].cpu != cpu)
		i++;
	if (i == sums->n)
		sums->list[sums->n++] = (struct cpu_sum){.cpu = cpu};
	return &sums->list[i];
}

static void add_segments(struct cpu_sums *sums, const struct explanation *explanation)
{
	uint32_t before = CAUSE_BOTH_CPUS, seen[ENDS] = {CAUSE_BOTH_CPUS, CAUSE_BOTH_CPUS};

	for (size_t i = 0; i < explanation->n_segments; i++) {
		const struct segment *segment = &explanation->segments[i];
		struct cpu_sum *sum = find_cpu(sums, segment->cause.cpu);

		sum->ns += segment->to_ns - segment->from_ns;
		if (segment->cause.cpu != seen[0] && segment->cause.cpu != seen[1]) {
			sum->n++;
			seen[before != CAUSE_BOTH_CPUS] = segment->cause.cpu;
		}
		before = segment->cause.cpu;
	}
}

static int compare_cpus(const void *left, const void *right)
{
	const struct cpu_sum *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

/* "CPU 3: " and the cause that took most there. */
static struct blamed blamed_cpu(const struct cpu_sum *sum, enum window window, const struct view_state *view,
	const struct session *session)
{
	struct blamed blamed = {.ns = sum->ns, .n = sum->n};
	struct blame_sums causes = {.n = 0};
	const struct kept_spike *kept;
	size_t at = 0;

	while ((kept = next_kept(window, view, session, &at)))
		for (size_t i = 0; i < kept->explanation->n_segments; i++) {
			const struct segment *segment = &kept->explanation->segments[i];

			if (segment->cause.cpu == sum->cpu)
				blame_sums_add_cause(
					&causes, &segment->cause, segment->to_ns - segment->from_ns);
		}
	blamed.kind = causes.list[0].kind;
	snprintf(blamed.text, sizeof(blamed.text), "CPU %u: %.36s", (unsigned)sum->cpu, causes.list[0].text);
	return blamed;
}

void blame_make_by_cpu(
	struct blame_shown *blame, const struct view_state *view, const struct session *session)
{
	enum window window = session_window(session, view->window);
	struct cpu_sums sums = {.n = 0};
	const struct kept_spike *kept;
	size_t at = 0;

	*blame = (struct blame_shown){.by_cpu = true};
	while ((kept = next_kept(window, view, session, &at))) {
		add_segments(&sums, kept->explanation);
		blame->sums.n_spikes++;
		blame->sums.ns += kept->explanation->length_ns;
	}
	qsort(sums.list, sums.n, sizeof(*sums.list), compare_cpus);
	for (size_t i = 0; i < sums.n && i < BLAMED_MAX; i++)
		blame->sums.list[blame->sums.n++] = blamed_cpu(&sums.list[i], window, view, session);
	name_kept(blame, window, view, session);
}

/* --- all --- */

void blame_make(struct blame_shown *blame, const struct view_state *view, const struct session *session)
{
	enum window window = session_window(session, view->window);
	const struct phase *phase = phases_current(&session->phases);

	*blame = (struct blame_shown){0};
	if (view->filter.n_terms || window < WINDOW_PHASE) {
		sum_kept(blame, window, view, session);
	} else if (view->window == WINDOW_PHASE && phase) { /* of one phase, session_window() is all */
		blame->sums = phase->blames;
		snprintf(blame->of, sizeof(blame->of), "phase %u", (unsigned)phase->number);
	} else {
		blame->sums = session->spikes.blames;
		snprintf(blame->of, sizeof(blame->of), "window all");
	}
}

static void write_share(const struct blame_sums *sums, const struct blamed *blamed, char *text, size_t size)
{
	double percent = sums->ns ? 100.0 * (double)blamed->ns / (double)sums->ns : 0.0;

	if (percent < 0.5 && blamed->ns)
		snprintf(text, size, "<1 %%");
	else
		snprintf(text, size, "%.0f %%", percent);
}

/* Returns whether a cause was named: a spike that nothing recorded blames nobody. */
static bool names_causes(const struct blame_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		if (sums->list[i].kind > CAUSE_UNSEEN)
			return true;
	return false;
}

enum { LACK_SIZE = sizeof(((struct machine *)0)->recorder_lacks) + 16 };

static bool lacks_recorder(const struct session *session, const struct blame_sums *sums)
{
	return strcmp(session->machine.recorder, "off") == 0 && !names_causes(sums);
}

/* Writes why there is nothing to rank. Returns false if there is something. */
static bool find_lack(const struct session *session, const struct blame_sums *sums, char text[LACK_SIZE])
{
	const char *lacks = session->machine.recorder_lacks;

	if (lacks_recorder(session, sums))
		snprintf(text, LACK_SIZE, "no recorder: %s",
			*lacks ? lacks : "nothing is recorded, so spikes have no cause");
	else if (!sums->n_spikes)
		snprintf(text, LACK_SIZE, "nobody: no spike in this window");
	else
		return false;
	return true;
}

static bool draw_lack(const struct scene *scene, struct area area, const struct blame_sums *sums)
{
	char text[LACK_SIZE];

	if (!find_lack(scene->session, sums, text))
		return false;
	canvas_wrap(scene->canvas, area, lacks_recorder(scene->session, sums) ? STYLE_WARNING : STYLE_PLAIN,
		text);
	return true;
}

unsigned blame_lack_lines(const struct session *session, const struct blame_shown *blame, unsigned width)
{
	char text[LACK_SIZE];

	return find_lack(session, &blame->sums, text) ? canvas_wrap_lines(width - TITLE_WIDTH, text) : 0;
}

void blame_draw_brief(const struct scene *scene, struct area area, const struct blame_shown *blame)
{
	struct canvas *canvas = scene->canvas;
	struct area line = {area.x, area.y, area.width, 1};
	unsigned x = canvas_text(canvas, line, 0, 0, STYLE_STRONG, "blame ");

	if (draw_lack(scene, (struct area){area.x + x, area.y, area.width - x, area.height}, &blame->sums))
		return;
	for (size_t i = 0; i < blame->sums.n; i++) {
		const struct blamed *blamed = &blame->sums.list[i];
		char share[16], text[CAUSE_TEXT_SIZE + 32];

		write_share(&blame->sums, blamed, share, sizeof(share));
		snprintf(text, sizeof(text), "%s%s %s", i ? ", " : "", blamed->text, share);
		if (i && x + canvas_measure(canvas, text) > line.width)
			return;
		canvas_left(canvas, line, x, 0, line.width - x, STYLE_PLAIN, text);
		x += canvas_measure(canvas, text);
	}
}

static void draw_blamed(const struct scene *scene, struct area line, const struct blame_sums *sums,
	const struct blamed *blamed)
{
	struct canvas *canvas = scene->canvas;
	char text[32];
	unsigned x = 0;

	write_share(sums, blamed, text, sizeof(text));
	canvas_right(canvas, line, x, 0, SHARE_WIDTH, STYLE_PLAIN, text);
	x += SHARE_WIDTH + GAP;
	if (sums->ns)
		canvas_bar(canvas, line, x, 0, BAR_WIDTH, (double)blamed->ns / (double)sums->ns, STYLE_BAR);
	x += BAR_WIDTH + GAP;
	canvas_right(canvas, line, x, 0, TIME_WIDTH, STYLE_PLAIN,
		units_time(text, sizeof(text), TIME_WIDTH, blamed->ns, scene->view->unit));
	x += TIME_WIDTH + GAP;
	canvas_right(canvas, line, x, 0, COUNT_WIDTH, STYLE_PLAIN,
		units_count(text, sizeof(text), COUNT_WIDTH, blamed->n));
	canvas_left(canvas, line, TEXT_X, 0, line.width - TEXT_X, STYLE_PLAIN, blamed->text);
}

static void draw_head(const struct scene *scene, struct area line, bool by_cpu)
{
	struct canvas *canvas = scene->canvas;
	unsigned x = SHARE_WIDTH + GAP + BAR_WIDTH + GAP;

	canvas_restyle(canvas, line, STYLE_HEAD);
	canvas_right(canvas, line, 0, 0, SHARE_WIDTH, STYLE_HEAD, "SHARE");
	canvas_right(canvas, line, x, 0, TIME_WIDTH, STYLE_HEAD, unit_name(scene->view->unit));
	canvas_right(canvas, line, x + TIME_WIDTH + GAP, 0, COUNT_WIDTH, STYLE_HEAD, "SPIKES");
	canvas_left(canvas, line, TEXT_X, 0, line.width - TEXT_X, STYLE_HEAD,
		by_cpu ? "CPU, AND ITS LARGEST CAUSE" : "CAUSE");
}

void blame_draw_table(const struct scene *scene, struct area area, const struct blame_shown *blame)
{
	const struct blame_sums *sums = &blame->sums;
	char title[160], passed_over[64] = "", count[32];
	struct area line = {area.x, area.y + 1, area.width, 1};

	if (sums->n_passed_over)
		snprintf(passed_over, sizeof(passed_over), ", and %s not looked at",
			units_count(count, sizeof(count), 7, sums->n_passed_over));
	snprintf(title, sizeof(title), " blame%s, %s: %llu spike%s%s: # by %s ",
		blame->by_cpu ? " by CPU" : "", blame->of, (unsigned long long)sums->n_spikes,
		sums->n_spikes == 1 ? "" : "s", passed_over, blame->by_cpu ? "cause" : "CPU");
	canvas_title(scene->canvas, area, title);
	if (draw_lack(scene, (struct area){area.x + 1, area.y + 1, area.width - 1, area.height - 1}, sums))
		return;
	draw_head(scene, line, blame->by_cpu);
	for (size_t i = 0; i < sums->n && i + BLAME_HEAD_LINES < area.height; i++) {
		line.y++;
		draw_blamed(scene, line, sums, &sums->list[i]);
	}
}
