/* SPDX-License-Identifier: GPL-2.0-or-later */
/* audit_text.c - the knobs of a machine as text: those that are not good with their remedy. */
#include "src/report/audit_text.h"

#include "src/model/advice.h"

enum { INDENT = 4 };

static void print_title(FILE *out, const struct advice_list *advice, const struct advice_site *site)
{
	char cpus[KNOB_LIST_SIZE];
	const char *between = ": ";

	fprintf(out, "%s, kernel %s, advice for members on CPUs %s", site->machine->host,
		site->machine->kernel, cpus_format(&site->cpus, cpus, sizeof(cpus)));
	for (enum advice_rank rank = 0; rank < N_ADVICE_RANKS; rank++) {
		if (!advice->n_ranks[rank])
			continue;
		fprintf(out, "%s%zu %s", between, advice->n_ranks[rank], advice_rank_word(rank));
		between = ", ";
	}
	fputc('\n', out);
}

static void print_field(FILE *out, const char *name, const char *text)
{
	if (*text)
		fprintf(out, "%*s%-6s %s\n", INDENT, "", name, text);
}

static void print_knob(FILE *out, const struct advice *advice, const struct advice_site *site)
{
	const struct knob *knob = advice->knob;
	char text[ADVICE_TEXT_SIZE];
	bool has_value = advice->rank < ADVICE_DENIED;

	fprintf(out, "  %-14s %s%s%s\n", advice_rank_word(advice->rank), knob->name, has_value ? ": " : "",
		has_value ? advice->found.value : "");
	if (advice->rank == ADVICE_UNMOUNTED)
		print_field(out, "now", advice_now(advice, site));
	if (advice->rank > ADVICE_INFORMS)
		return;
	print_field(out, "is", knob->about);
	print_field(out, "good", knob->good);
	print_field(out, "cost", advice_cost_text(advice, text));
	if (advice->rank == ADVICE_INFORMS)
		return;
	print_field(out, "now", advice_command(advice, site, advice_now(advice, site), text));
	print_field(out, "keep", advice_command(advice, site, knob->keep, text));
}

void audit_print(FILE *out, const struct advice_list *advice, const struct advice_site *site)
{
	print_title(out, advice, site);
	for (size_t i = 0; i < advice->n; i++) {
		const struct advice *one = &advice->list[i];

		if (!i || one->knob->group != advice->list[i - 1].knob->group)
			fprintf(out, "\n%s\n", knob_group_name(one->knob->group));
		print_knob(out, one, site);
	}
}
