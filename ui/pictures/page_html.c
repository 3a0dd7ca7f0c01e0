/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_html.c - a session as a report that a person can mail: one file of HTML, without scripts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/model/comparison_lines.h"
#include "src/model/session_events.h"
#include "src/model/session_phases.h"
#include "src/model/session_rows.h"
#include "ui/draw/units.h"
#include "ui/pictures/page_scene.h"

enum { SPIKES_SHOWN = 20, EVENTS_SHOWN = 100, PICTURE_WIDTH = 800, TIME_WIDTH = 6 };

static const char style[] =
	"body{font:15px/1.5 system-ui,sans-serif;max-width:832px;margin:2em auto;padding:0 16px;background:#fff;color:#1a1a1a}\n"
	"h1{font-size:1.5em;margin:0}h2{font-size:1.15em;margin:2em 0 .5em}\n"
	"table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;display:block;overflow-x:auto}\n"
	"td,th{padding:2px 12px 2px 0;text-align:right;white-space:nowrap;border-bottom:1px solid #dcdcdc}\n"
	"td:first-child,th:first-child,.text td,.text th{text-align:left}.text td:last-child{white-space:normal}\n"
	"svg{max-width:100%;height:auto;display:block;margin:1em 0}.verdict{font-size:1.15em;font-weight:600}\n"
	"@media (prefers-color-scheme:dark){body{background:#16181c;color:#e8e8e8}td,th{border-color:#33363d}}\n";

/* --- tables --- */

/* Begins a table. @class: "text" where all cells are texts, or "". @heads: ended by NULL. */
static void begin_table(FILE *out, const char *class, const char *const *heads)
{
	fprintf(out, "<table class=\"%s\">\n<tr>", class);
	for (; *heads; heads++) {
		fputs("<th>", out);
		svg_escape(out, *heads);
	}
	fputs("</tr>\n", out);
}

static void end_table(FILE *out)
{
	fputs("</table>\n", out);
}

static void print_cell(FILE *out, const char *text)
{
	fputs("<td>", out);
	svg_escape(out, text);
}

static void print_time(FILE *out, bool is_known, uint64_t ns)
{
	char text[32];

	print_cell(out, is_known ? units_time(text, sizeof(text), TIME_WIDTH, ns, UNIT_US) : "-");
}

static void print_count(FILE *out, uint64_t count)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)count);
	print_cell(out, text);
}

static void print_paragraph(FILE *out, const char *class, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "<p class=\"%s\">", class);
	svg_escape(out, text);
	fputs("</p>\n", out);
}

static void print_heading(FILE *out, const char *text)
{
	fprintf(out, "<h2>%s</h2>\n", text);
}

/* --- sections --- */

static void print_head(FILE *out, const struct session *session)
{
	char title[PAGE_TITLE_SIZE], when[64];
	time_t seconds = (time_t)(session->wall_start_ns / 1000000000);
	struct tm here;

	fputs("<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>ipctop: ",
		out);
	svg_escape(out, page_title(session, title));
	fprintf(out, "</title>\n<style>\n%s", style);
	svg_style_sheet(out);
	fputs("</style></head>\n<body>\n<h1>ipctop</h1>\n", out);
	print_paragraph(out, "", title);
	localtime_r(&seconds, &here);
	strftime(when, sizeof(when), "Measured from %Y-%m-%d %H:%M:%S %z on.", &here);
	print_paragraph(out, "", when);
}

static void print_lines(FILE *out, const struct comparison_lines *lines)
{
	char text[COMPARISON_WORDS_SIZE];
	const struct comparison_line *only = comparison_only_line(lines);
	char *differences;

	if (lines->refusal.text[0]) {
		print_paragraph(out, "", lines->refusal.text);
		return;
	}
	print_paragraph(out, "verdict",
		comparison_headline(&lines->summary, comparison_quoted_line(lines), lines->figure, text));
	if (!only)
		print_paragraph(out, "", comparison_rows(&lines->summary, SIZE_MAX, text));
	differences = lines->differences ? comparison_differences_line(lines->differences, SIZE_MAX) : NULL;
	print_paragraph(out, "", differences ? differences : "");
	free(differences);
	print_paragraph(out, "", lines->advice);
	print_paragraph(out, "", lines->blame);
}

/* Of the last phase, beside the baseline or the phase before it. */
static int print_verdict(FILE *out, const struct session *session, const struct page_choice *page)
{
	const struct phase *b = phases_current(&session->phases), *a = page_phase_a(session, page->baseline);
	bool is_file = page->baseline && page->baseline->number == COMPARISON_FILE;
	struct comparison_choice choice = {.a = is_file ? COMPARISON_FILE
						: a     ? a->number
							: 0,
		.b = b ? b->number : 0,
		.figure = page->figure,
		.file = is_file ? &page->baseline->file : NULL};
	struct comparison_lines lines = {0};
	char title[96];

	if (!choice.a || !choice.b)
		return 0;
	int r = comparison_lines_make(&lines, session, &choice, page->phases);

	if (r == 0) {
		snprintf(title, sizeof(title),
			is_file ? "Verdict: the baseline and phase %u" : "Verdict: phases %u and %u",
			is_file ? choice.b : choice.a, choice.b);
		print_heading(out, title);
		print_lines(out, &lines);
	}
	comparison_lines_finish(&lines);
	return r == -ENOENT ? 0 : r;
}

static int print_phase(FILE *out, const struct page_scene *page, const struct phase *phase)
{
	const struct block_list blocks = session_phase_blocks(page->scene.session, phase);
	struct hist shown = {0}, response = {0};
	char name[PHASE_NAME_SIZE + 16], length[32];
	int r = block_list_add_figure(&blocks, page->scene.group, page->view.shown, &shown);

	if (r == 0)
		r = block_list_add_figure(&blocks, page->scene.group, page->view.response, &response);
	if (r == 0) {
		snprintf(name, sizeof(name), "%u %s", phase->number, phase->name);
		snprintf(length, sizeof(length), "%.1f", (double)(phase->end_ns - phase->start_ns) / 1e9);
		fputs("<tr>", out);
		print_cell(out, name);
		print_cell(out, length);
		print_count(out, shown.n);
		print_time(out, shown.n, hist_percentile(&shown, 50.0));
		print_time(out, shown.n, hist_percentile(&shown, 99.0));
		print_time(out, response.n, hist_percentile(&response, 99.0));
		print_time(out, response.n, response.max_ns);
		fputs("</tr>\n", out);
	}
	hist_finish(&shown);
	hist_finish(&response);
	return r;
}

static int print_phases(FILE *out, const struct page_scene *page)
{
	static const char *const heads[] = {
		"phase", "s", "n", "p50 us", "p99 us", "response p99 us", "response Max us", NULL};
	const struct phases *phases = &page->scene.session->phases;
	int r = 0;

	if (phases->n < 2)
		return 0;
	print_heading(out, "Phases");
	begin_table(out, "", heads);
	for (size_t i = 0; i < phases->n && r == 0; i++)
		r = print_phase(out, page, &phases->list[i]);
	end_table(out);
	return r;
}

static void print_blame(FILE *out, const struct session *session)
{
	static const char *const heads[] = {"cause", "%", "time", "spikes", NULL};
	const struct blame_sums *sums = &session->spikes.blames;
	char text[48];

	if (!sums->n_spikes)
		return;
	print_heading(out, "What spikes were caused by");
	begin_table(out, "", heads);
	for (size_t i = 0; i < sums->n; i++) {
		fputs("<tr>", out);
		print_cell(out, sums->list[i].text);
		snprintf(text, sizeof(text), "%.0f",
			sums->ns ? 100.0 * (double)sums->list[i].ns / (double)sums->ns : 0.0);
		print_cell(out, text);
		print_cell(out, picture_time(text, sizeof(text), sums->list[i].ns));
		print_count(out, sums->list[i].n);
		fputs("</tr>\n", out);
	}
	end_table(out);
}

static void print_spikes(FILE *out, const struct session *session)
{
	static const char *const heads[] = {"at", "ring", "length", "why", NULL};
	const struct session_spikes *spikes = &session->spikes;
	char text[EXPLANATION_TEXT_SIZE], when[16], length[32], name[96];

	if (!spikes->n_worst)
		return;
	print_heading(out, "The longest spikes");
	begin_table(out, "text", heads);
	for (size_t i = 0; i < spikes->n_worst && i < SPIKES_SHOWN; i++) {
		const struct kept_spike *kept = &spikes->worst[i];
		const struct session_ring *ring = session_find_ring(session, kept->spike.ring);

		fputs("<tr>", out);
		print_cell(out,
			units_clock(when, sizeof(when),
				session->wall_start_ns + spike_start_ns(&kept->spike) - session->start_ns));
		snprintf(name, sizeof(name), "%s %s", ring ? ring->mechanism : "?", ring ? ring->label : "?");
		print_cell(out, name);
		print_cell(out, picture_time(length, sizeof(length), spike_length_ns(&kept->spike)));
		print_cell(out, explanation_text(&kept->explanation, text));
		fputs("</tr>\n", out);
	}
	end_table(out);
}

static void print_pictures(FILE *out, const struct picture_scene *scene)
{
	for (const struct picture *const *picture = pictures_table; *picture; picture++) {
		if ((*picture)->is_there && !(*picture)->is_there(scene))
			continue;
		svg_begin_part(out, PICTURE_WIDTH, (*picture)->height, "picture");
		(*picture)->draw(scene, out, (struct svg_box){0, 0, PICTURE_WIDTH, (*picture)->height});
		svg_end(out);
	}
}

static void print_ring(FILE *out, const struct page_scene *page, const struct session_ring *ring)
{
	enum figure shown = session_figure_of(ring, page->view.shown);
	const struct hist *hist = &ring->figures[shown].hist;
	const struct hist *response = &ring->figures[session_figure_of(ring, FIGURE_RESPONSE)].hist;
	char name[96];

	snprintf(name, sizeof(name), "%s %s", ring->mechanism, ring->label);
	fputs("<tr>", out);
	print_cell(out, name);
	print_cell(out, figure_title(shown));
	print_count(out, hist_samples(hist));
	print_time(out, hist->n, hist->min_ns);
	print_time(out, hist->n, hist_percentile(hist, 50.0));
	print_time(out, hist->n, hist_percentile(hist, 99.0));
	print_time(out, hist->n && hist_beyond(hist->n, 99.9) >= HIST_BEYOND_TRUSTED,
		hist_percentile(hist, 99.9));
	print_time(out, hist->n, hist->max_ns);
	print_time(out, response->n, hist_percentile(response, 99.0));
	print_time(out, response->n, response->max_ns);
	print_count(out, ring->missed);
	fputs("</tr>\n", out);
}

static void print_rings(FILE *out, const struct page_scene *page)
{
	static const char *const heads[] = {"ring", "figure", "n", "Min us", "p50 us", "p99 us", "p99.9 us",
		"Max us", "response p99", "response Max", "missed", NULL};
	const struct session *session = page->scene.session;

	print_heading(out, "Rings");
	begin_table(out, "", heads);
	for (size_t i = 0; i < session->n_rings; i++)
		print_ring(out, page, &session->rings[i]);
	end_table(out);
}

static void print_machine(FILE *out, const struct session *session)
{
	static const char *const heads[] = {"fact", "value", NULL};
	char word[MACHINE_WORD_SIZE];

	print_heading(out, "The machine");
	begin_table(out, "text", heads);
	for (size_t i = 0; i < machine_n_facts; i++) {
		const struct machine_fact *fact = &machine_facts[i];

		if (!fact->report || !*machine_word(&session->machine, fact, word))
			continue;
		fputs("<tr>", out);
		print_cell(out, fact->title ? fact->title : fact->report);
		print_cell(out, word);
		fputs("</tr>\n", out);
	}
	end_table(out);
}

static void print_events(FILE *out, const struct session *session)
{
	static const char *const heads[] = {"at", "event", NULL};
	size_t first = session->n_events > EVENTS_SHOWN ? session->n_events - EVENTS_SHOWN : 0;
	char when[16];

	if (!session->n_events)
		return;
	print_heading(out, "Events");
	begin_table(out, "text", heads);
	for (size_t i = first; i < session->n_events; i++) {
		const struct event *event = &session->events[i];
		char *text = event_text(event);

		fputs("<tr>", out);
		print_cell(out, units_clock(when, sizeof(when),
					session->wall_start_ns + event->at_ns - session->start_ns));
		print_cell(out, text ? text : "no memory for it");
		fputs("</tr>\n", out);
		free(text);
	}
	end_table(out);
}

int page_print_html(const struct session *session, const struct page_choice *choice, FILE *out)
{
	struct page_scene page;
	int r = page_scene_init(&page, session, choice);

	if (r == 0) {
		print_head(out, session);
		r = print_verdict(out, session, choice);
	}
	if (r == 0)
		r = print_phases(out, &page);
	if (r == 0) {
		print_blame(out, session);
		print_heading(out, "Pictures");
		if (!picture_samples(&page.scene)->n)
			print_paragraph(out, "", "No sample of this figure has a time of its own.");
		print_pictures(out, &page.scene);
		print_rings(out, &page);
		print_spikes(out, session);
		print_machine(out, session);
		print_events(out, session);
		fputs("</body>\n</html>\n", out);
	}
	page_scene_finish(&page);
	return r < 0 ? r : ferror(out) ? -EIO : 0;
}
