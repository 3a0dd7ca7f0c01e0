/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_knobs.c - the knobs of the machine in a report. */
#include "ui/pictures/page_knobs.h"

#include <errno.h>
#include <stdlib.h>

#include "src/model/advice.h"
#include "src/model/matrix.h"
#include "src/model/session.h"
#include "ui/draw/html.h"

/* A sweep has no members that stay: its threads go to each of its CPUs. */
static struct advice_site site_of(const struct session *session)
{
	struct advice_site site;

	advice_site_of(&site, session);
	for (uint32_t i = 0; session->matrix && i < session->matrix->n_cpus; i++)
		cpus_add(&site.cpus, session->matrix->cpus[i].cpu);
	cpus_subtract(&site.others, &site.cpus);
	site.is_fair |= session->matrix != NULL;
	return site;
}

static bool has_value(const struct advice *advice)
{
	return advice->rank < ADVICE_DENIED;
}

static void print_costly(FILE *out, const struct advice *advice, const struct advice_site *site)
{
	const struct knob *knob = advice->knob;
	char text[ADVICE_TEXT_SIZE];

	html_begin_row(out);
	html_cell(out, advice_rank_word(advice->rank));
	html_cell(out, knob->name);
	html_cell(out, advice->found.value);
	html_cell(out, advice_cost_text(advice, text));
	html_line(out, "", knob->about);
	html_line(out, "good: ", knob->good);
	html_code(out, "now: ", advice_command(advice, site, advice_now(advice, site), text));
	html_code(out, "keep: ", advice_command(advice, site, knob->keep, text));
	html_end_row(out);
}

/* Returns how many there are. */
static size_t print_all_costly(FILE *out, const struct advice_list *advice, const struct advice_site *site)
{
	static const char *const heads[] = {"rank", "knob", "value", "what it costs, and the remedy", NULL};
	size_t n = 0;

	while (n < advice->n && advice->list[n].rank < ADVICE_INFORMS)
		n++;
	if (n)
		html_begin_table(out, "text", heads);
	for (size_t i = 0; i < n; i++)
		print_costly(out, &advice->list[i], site);
	if (n)
		html_end_table(out);
	else
		html_paragraph(out, "", "No knob is known to cost latency here.");
	return n;
}

static void print_others(FILE *out, const struct advice_list *advice, size_t first)
{
	static const char *const heads[] = {"rank", "knob", "value", NULL};
	char title[64];

	if (first == advice->n)
		return;
	snprintf(title, sizeof(title), "%zu other knobs", advice->n - first);
	html_begin_folded(out, title);
	html_begin_table(out, "text", heads);
	for (size_t i = first; i < advice->n; i++) {
		html_begin_row(out);
		html_cell(out, advice_rank_word(advice->list[i].rank));
		html_cell(out, advice->list[i].knob->name);
		html_cell(out, has_value(&advice->list[i]) ? advice->list[i].found.value : "");
		html_end_row(out);
	}
	html_end_table(out);
	html_end_folded(out);
}

int page_print_knobs(FILE *out, const struct session *session)
{
	const struct advice_site site = site_of(session);
	struct advice_list *advice = malloc(sizeof(*advice));
	char text[KNOB_LIST_SIZE + 64], cpus[KNOB_LIST_SIZE];

	if (!advice)
		return -ENOMEM;
	advice_make(advice, &site);
	html_heading(out, "Knobs");
	snprintf(text, sizeof(text), "For members on CPUs %s, the most costly first.",
		cpus_format(&site.cpus, cpus, sizeof(cpus)));
	html_paragraph(out, "", cpus_count(&site.cpus) ? text : "");
	print_others(out, advice, print_all_costly(out, advice, &site));
	free(advice);
	return 0;
}
