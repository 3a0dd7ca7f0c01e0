/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared.c - the phases that are compared, and their lines. */
#include "ui/table/compared.h"

#include <math.h>
#include <stdio.h>

#include "src/model/compared_phase.h"
#include "src/model/comparison_lines.h"
#include "src/model/session.h"
#include "ui/table/view_state.h"

bool compared_has_phase(const struct compared *compared, uint32_t number)
{
	if (number == COMPARISON_FILE)
		return compared->file;
	return number && number >= compared->first && number <= compared->last;
}

void compared_settle(struct compared *compared, const struct session *session)
{
	const struct phases *phases = &session->phases;
	bool has_phases = phases->n && !session->is_sweep; /* whose matrix compares its cells */

	compared->first = has_phases ? phases->list[0].number : 0;
	compared->last = has_phases ? phases->list[phases->n - 1].number : 0;
	compared->a = compared_has_baseline(compared) ? compared->baseline : 0;
	compared->b = compared->last;
}

/* In a circle: none, the phases, the file. */
void compared_step_baseline(struct compared *compared, int step)
{
	bool has_phases = compared->last;
	uint32_t before = has_phases ? compared->first - 1 : 0, after = has_phases ? compared->last + 1 : 1;
	uint32_t at = compared->baseline == COMPARISON_FILE              ? after
		      : compared_has_phase(compared, compared->baseline) ? compared->baseline
									 : before;

	if (step > 0)
		at = at == after || (at + 1 == after && !compared->file) ? before : at + 1;
	else
		at = at != before ? at - 1 : compared->file ? after : after - 1;
	compared->baseline = at == before ? 0 : at == after ? COMPARISON_FILE : at;
}

bool compared_has_baseline(const struct compared *compared)
{
	return compared_has_phase(compared, compared->baseline) && compared->baseline != compared->last;
}

bool compared_choice(const struct view_state *view, struct comparison_choice *choice)
{
	const struct compared *compared = &view->compared;

	*choice = (struct comparison_choice){
		compared->a, compared->b, view->shown, view->limit_ns, compared->file};
	snprintf(choice->filter, sizeof(choice->filter), "%s", view->filter.text);
	return compared->a;
}

const struct comparison_lines *compared_lines(const struct view_state *view)
{
	const struct comparison_lines *lines = view->compared.lines;
	struct comparison_choice choice;

	return compared_choice(view, &choice) && lines && comparison_choice_equal(&choice, &lines->choice)
		       ? lines
		       : NULL;
}

const struct comparison_line *compared_line(const struct view_state *view, size_t row)
{
	const struct comparison_lines *lines = compared_lines(view);
	const struct comparison_line *line = lines ? comparison_lines_find(lines, row) : NULL;

	return line && line->is_ready ? line : NULL;
}

bool compared_leaves_out(
	const struct view_state *view, const struct session *session, const struct session_ring *ring)
{
	const struct comparison_line *line = compared_line(view, ring->id);

	if (line)
		return line->is_left_out;
	const struct phase *a = phases_find(&session->phases, view->compared.a),
			   *b = phases_find(&session->phases, view->compared.b);

	return b && compared_phase_lacks(b, ring) && (!a || compared_phase_lacks(a, ring));
}

static enum style verdict_style(enum shift_verdict verdict, bool stands)
{
	static const enum style styles[] = {[SHIFT_TOO_FEW] = STYLE_UNDECIDED,
		[SHIFT_SAME] = STYLE_PLAIN,
		[SHIFT_WORSE] = STYLE_WORSE,
		[SHIFT_MIXED] = STYLE_WORSE,
		[SHIFT_BETTER] = STYLE_BETTER,
		[SHIFT_MOVED] = STYLE_UNDECIDED,
		[SHIFT_UNDECIDED] = STYLE_UNDECIDED};

	return stands ? styles[verdict] : STYLE_THIN;
}

enum style compared_style(const struct comparison_line *line)
{
	return verdict_style(line->verdict, comparison_stands(line));
}

enum style compared_mark_style(const struct mark *mark)
{
	return verdict_style(mark->verdict, mark->survives || mark->verdict < SHIFT_BETTER);
}

enum style compared_headline_style(const struct verdict_summary *summary)
{
	return summary->verdict < SHIFT_BETTER ? STYLE_STRONG : verdict_style(summary->verdict, true);
}

char *compared_change(
	const struct comparison_line *line, enum mark_id mark, bool group, char *text, size_t size)
{
	size_t figure = mark / N_SHIFT_PERCENTILES;
	enum shift_percentile q = mark_percentile(mark);

	if (mark >= MARK_MISSED) {
		snprintf(text, size, "%s", comparison_mark_name(mark));
		return text;
	}
	double a = (double)line->a.percentile_ns[figure][q], b = (double)line->b.percentile_ns[figure][q];
	double percent = group ? 100 * (b / a - 1) : 100 * expm1(line->shifts[figure][q].estimate);

	if (a <= 0 || b <= 0 || (!group && line->marks[mark].verdict == SHIFT_TOO_FEW))
		snprintf(text, size, "-");
	else if (percent > 999)
		snprintf(text, size, ">999%%");
	else
		snprintf(text, size, fabs(percent) < 0.5 ? "0%%" : "%+.0f%%", percent);
	return text;
}
