/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_lines.c - compares two phases of a session line by line. */
#include "src/model/comparison_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sorted.h"
#include "src/model/compared_phase.h"
#include "src/model/session.h"
#include "src/model/session_rows.h"

bool comparison_choice_equal(const struct comparison_choice *x, const struct comparison_choice *y)
{
	return x->a == y->a && x->b == y->b && x->file == y->file && x->figure == y->figure &&
	       x->limit_ns == y->limit_ns && strcmp(x->filter, y->filter) == 0;
}

int comparison_lines_copy_head(struct comparison_lines *copy, const struct comparison_lines *lines)
{
	char *differences = lines->differences ? strdup(lines->differences) : NULL;

	if (lines->differences && !differences)
		return -ENOMEM;
	free(copy->differences);
	copy->differences = differences;
	copy->choice = lines->choice;
	copy->figure = lines->figure;
	copy->a = lines->a;
	copy->b = lines->b;
	copy->refusal = lines->refusal;
	memcpy(copy->advice, lines->advice, sizeof(copy->advice));
	memcpy(copy->blame, lines->blame, sizeof(copy->blame));
	memcpy(copy->alone, lines->alone, sizeof(copy->alone));
	return 0;
}

const struct comparison_line *comparison_lines_find(const struct comparison_lines *lines, size_t row)
{
	size_t at = SORTED_INDEX(lines->lines, lines->n_lines, struct comparison_line, row, row);

	return at < lines->n_lines && lines->lines[at].row == row ? &lines->lines[at] : NULL;
}

const struct comparison_line *comparison_only_line(const struct comparison_lines *lines)
{
	for (size_t i = 0; lines->summary.n_rows == 1 && i < lines->n_rings; i++)
		if (lines->lines[i].is_ready && lines->lines[i].is_compared)
			return &lines->lines[i];
	return NULL;
}

/* Returns the line that is quoted for what too few samples lack (comparison_line_to_quote()), or NULL. */
static const struct comparison_line *comparison_few_line(const struct comparison_lines *lines)
{
	const struct comparison_line *line = NULL;

	for (size_t i = 0; i < lines->n_rings; i++)
		if (lines->lines[i].is_ready)
			line = comparison_line_to_quote(line, &lines->lines[i]);
	return line;
}

const char *comparison_few_text(const struct comparison_lines *lines)
{
	const struct comparison_line *line =
		lines->summary.verdict == SHIFT_TOO_FEW ? NULL : comparison_few_line(lines);

	return line ? line->few[MARK_SHOWN + SHIFT_P50] : "";
}

const struct comparison_line *comparison_quoted_line(const struct comparison_lines *lines)
{
	const struct comparison_line *line = comparison_only_line(lines);
	bool are_few = lines->summary.verdict == SHIFT_TOO_FEW;

	return line || !are_few ? line : comparison_few_line(lines);
}

int comparison_lines_copy(struct comparison_lines *copy, const struct comparison_lines *lines)
{
	struct comparison_line *own = realloc(copy->lines, (lines->n_lines + 1) * sizeof(*own));

	if (!own)
		return -ENOMEM;
	copy->lines = own;
	if (lines->n_lines)
		memcpy(own, lines->lines, lines->n_lines * sizeof(*own));
	copy->n_lines = lines->n_lines;
	copy->n_rings = lines->n_rings;
	copy->is_complete = lines->is_complete;
	copy->blocks_a = lines->blocks_a;
	copy->blocks_b = lines->blocks_b;
	copy->summary = lines->summary;
	return comparison_lines_copy_head(copy, lines);
}

void comparison_lines_finish(struct comparison_lines *lines)
{
	free(lines->lines);
	free(lines->differences);
	*lines = (struct comparison_lines){0};
}

void comparison_file_finish(struct comparison_file *file)
{
	for (size_t i = N_FIGURES_SHOWN; i-- > 0;) /* the first one last */
		compared_phase_finish(&file->phases[i]);
	compared_phase_finish(&file->own);
}

/* --- the snapshot --- */

static bool is_with_file(const struct comparison_choice *choice)
{
	return choice->file && choice->a == COMPARISON_FILE;
}

static const struct compared_phase *file_phase(const struct comparison_snapshot *snapshot)
{
	return &snapshot->choice.file->phases[snapshot->choice.figure];
}

/* Adds the options of the run, as a file has them. */
static int add_options(struct compared_phase *described, const struct compared_phase *own)
{
	int r = 0;

	for (size_t i = 0; i < own->n_facts && r == 0; i++)
		r = compared_phase_add_fact(described, own->facts[i].name, own->facts[i].value);
	return r;
}

static int take_replicates(struct replicate_sum **like, struct phase *judging,
	struct compared_phase *described, const struct session *session, uint32_t number)
{
	const struct phases *phases = &session->phases;
	uint32_t numbers[REPLICATES_MAX];
	size_t n = phases_like(phases, phases_find(phases, number), numbers, REPLICATES_MAX);

	*like = calloc(n + 1, sizeof(**like));
	if (!*like)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct phase *phase = phases_find(phases, numbers[i]);

		(*like)[i] = (struct replicate_sum){
			block_share(&phase->sum), phase->start_ns, phase->end_ns, NULL};
		compared_phase_add_replicate(
			described, numbers[i], phase->end_ns - phase->start_ns, &phase->blames);
	}
	uint32_t judges = described->like[compared_phase_judging(described)];

	return judges == number ? 0 : phase_copy(judging, phases_find(phases, judges));
}

/* Finds which rows they have in place of those of the phase. */
static int find_replicated_rows(struct replicate_sum *like, const struct compared_phase *described)
{
	int r = 0;

	for (size_t i = 0; i < described->n_like && r == 0; i++) {
		like[i].rows = calloc(described->n_rows + 1, sizeof(*like[i].rows));
		r = like[i].rows ? replicate_find_rows(described, described, like[i].start_ns, like[i].end_ns,
					   &like[i].sum, like[i].rows)
				 : -ENOMEM;
	}
	return r;
}

static int take_phase(struct phase *copy, struct phase *judging, struct compared_phase *described,
	struct replicate_sum **like, const struct session *session, uint32_t number,
	const struct comparison_choice *choice)
{
	const struct phase *phase = phases_find(&session->phases, number);

	if (!phase)
		return -ENOENT;
	int r = phase_copy(copy, phase);

	if (r == 0 && phase == phases_current(&session->phases))
		r = phase_conditions_take(&copy->conditions, session);
	if (r == 0)
		r = compared_phase_describe(described, session, copy, choice->figure, "");
	return r == 0 ? take_replicates(like, judging, described, session, number) : r;
}

static int take_waiting(struct comparison_snapshot *snapshot, const struct session *session)
{
	struct block_list ticks = series_last_blocks(&session->series, session->phases.n_waiting);

	snapshot->waiting = calloc(ticks.n_rest + 1, sizeof(*snapshot->waiting));
	if (!snapshot->waiting)
		return -ENOMEM;
	for (; snapshot->n_waiting < ticks.n_rest; snapshot->n_waiting++)
		snapshot->waiting[snapshot->n_waiting] = block_share(&ticks.rest[snapshot->n_waiting]);
	return 0;
}

int comparison_snapshot_take(struct comparison_snapshot *snapshot, const struct session *session,
	const struct comparison_choice *choice)
{
	*snapshot = (struct comparison_snapshot){.choice = *choice,
		.rows = calloc(session_rows(session) + 1, sizeof(*snapshot->rows)),
		.is_in_group = calloc(session->n_groups * session->n_rings + 1, sizeof(bool)),
		.n_rows = session_rows(session)};
	if (!snapshot->rows || !snapshot->is_in_group)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_rows; i++)
		snapshot->rows[i] = session_nth_row(session, i);
	for (size_t g = 0; g < session->n_groups; g++)
		for (size_t i = 0; i < session->n_rings; i++)
			snapshot->is_in_group[g * session->n_rings + i] =
				session_row_is_in(session, &session->rings[i], g);
	int r = is_with_file(choice) ? 0
				     : take_phase(&snapshot->a, &snapshot->judging_a, &snapshot->described_a,
					       &snapshot->like_a, session, choice->a, choice);

	uint32_t current = session->phases.n ? phases_current(&session->phases)->number : 0;

	snapshot->current = current;
	if (r == 0)
		r = take_phase(&snapshot->b, &snapshot->judging_b, &snapshot->described_b, &snapshot->like_b,
			session, choice->b, choice);
	return r == 0 ? take_waiting(snapshot, session) : r;
}

/* Adds the ticks that wait to a copy of the current phase. */
static int add_waiting_to_phase(
	struct phase *phase, const struct comparison_snapshot *snapshot, const struct block *waited)
{
	struct block_list both = {.first = phase->sum, .rest = waited, .n_rest = 1};
	struct phases alone = {.list = phase, .n = 1};
	struct row_sums sums = {0};
	struct block sum;

	if (phase->number != snapshot->current || phase->lacks_blocks)
		return 0;
	int r = block_list_sum(&both, &sum, &sums);

	if (r == 0) {
		block_replace(&phase->sum, &sum);
		r = phases_add_to_blocks(&alone, snapshot->waiting, snapshot->n_waiting, waited, &sums, NULL);
	}
	row_sums_finish(&sums);
	return r;
}

static int add_waiting_to_like(struct replicate_sum *like, const struct compared_phase *described,
	const struct comparison_snapshot *snapshot, const struct block *waited)
{
	struct row_sums sums = {0};
	int r = 0;

	for (size_t i = 0; i < described->n_like && r == 0; i++) {
		struct block_list both = {.first = like[i].sum, .rest = waited, .n_rest = 1};
		struct block sum;

		if (described->like[i] != snapshot->current)
			continue;
		r = block_list_sum(&both, &sum, &sums);
		if (r == 0)
			block_replace(&like[i].sum, &sum);
	}
	row_sums_finish(&sums);
	return r;
}

static int add_waiting(struct comparison_snapshot *snapshot, struct phase *const *phases, size_t n_phases)
{
	struct block_list ticks = {.rest = snapshot->waiting, .n_rest = snapshot->n_waiting};
	struct row_sums sums = {0};
	struct block waited = {0};
	int r = ticks.n_rest ? block_list_sum(&ticks, &waited, &sums) : 0;

	for (size_t i = 0; i < n_phases && ticks.n_rest && r == 0; i++)
		r = add_waiting_to_phase(phases[i], snapshot, &waited);
	if (r == 0 && ticks.n_rest && snapshot->like_a)
		r = add_waiting_to_like(snapshot->like_a, &snapshot->described_a, snapshot, &waited);
	if (r == 0 && ticks.n_rest)
		r = add_waiting_to_like(snapshot->like_b, &snapshot->described_b, snapshot, &waited);
	block_finish(&waited);
	row_sums_finish(&sums);
	return r;
}

static void drop_blocks(struct phase *phase)
{
	while (phase->n_blocks)
		block_finish(&phase->blocks[--phase->n_blocks]);
}

/* Takes over the ticks of a phase that was read, and its conditions if they are not known. */
static void replace_ticks(struct phase *phase, struct phase *read)
{
	drop_blocks(phase);
	free(phase->blocks);
	phase->blocks = read->blocks;
	phase->n_blocks = read->n_blocks;
	phase->n_halved = read->n_halved;
	phase->block_ticks = read->block_ticks;
	phase->lacks_blocks = false;
	if (!phase->conditions.n_members) {
		phase_conditions_finish(&phase->conditions);
		phase->conditions = read->conditions;
		read->conditions = (struct phase_conditions){0};
	}
	read->blocks = NULL;
	read->n_blocks = 0;
	block_replace(&phase->sum, &read->sum);
}

/* @current: the number of the session's current phase, which goes on. */
static int read_ticks(
	struct phase *phase, uint32_t current, const struct phase_source *source, const atomic_bool *stop)
{
	struct phase read = {0};

	if (!phase->lacks_blocks)
		return 0;
	int r = source && source->read
			? source->read(source->data, phase, phase->number == current, stop, &read)
			: -ENOENT;

	if (r == 0)
		replace_ticks(phase, &read);
	else
		drop_blocks(phase); /* of a part of it */
	phase_finish(&read);
	return r == -ENOMEM || r == -ECANCELED ? r : 0;
}

static int add_conditions(
	struct compared_phase *described, const struct phase *phase, const struct comparison_choice *choice)
{
	int r = 0;

	if (!phase->conditions.n_members)
		return 0;
	if (is_with_file(choice))
		r = add_options(described, &choice->file->own);
	if (r == 0)
		r = compared_phase_add_members(described, &phase->conditions);
	return r == 0 ? compared_phase_add_machine(described, &phase->conditions.machine) : r;
}

int comparison_snapshot_read(
	struct comparison_snapshot *snapshot, const struct phase_source *source, const atomic_bool *stop)
{
	struct phase *const phases[] = {
		&snapshot->a, &snapshot->b, &snapshot->judging_a, &snapshot->judging_b};
	size_t n_a =
		is_with_file(&snapshot->choice) ? file_phase(snapshot)->n_like : snapshot->described_a.n_like;

	if (n_a < 2 || snapshot->described_b.n_like < 2) { /* they are compared alone */
		phase_finish(&snapshot->judging_a);
		phase_finish(&snapshot->judging_b);
	}
	int r = add_waiting(snapshot, phases, sizeof(phases) / sizeof(*phases));
	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases) && r == 0; i++)
		r = read_ticks(phases[i], snapshot->current, source, stop);
	compared_phase_find_active(&snapshot->described_a, &snapshot->a.sum);
	compared_phase_find_active(&snapshot->described_b, &snapshot->b.sum);
	if (r == 0)
		r = find_replicated_rows(snapshot->like_a, &snapshot->described_a);
	if (r == 0)
		r = find_replicated_rows(snapshot->like_b, &snapshot->described_b);
	if (r == 0 && !is_with_file(&snapshot->choice))
		r = add_conditions(&snapshot->described_a, &snapshot->a, &snapshot->choice);
	return r == 0 ? add_conditions(&snapshot->described_b, &snapshot->b, &snapshot->choice) : r;
}

static void finish_like(struct replicate_sum *like, size_t n)
{
	for (size_t i = 0; like && i < n; i++) {
		block_finish(&like[i].sum);
		free(like[i].rows);
	}
	free(like);
}

void comparison_snapshot_finish(struct comparison_snapshot *snapshot)
{
	finish_like(snapshot->like_a, snapshot->described_a.n_like);
	finish_like(snapshot->like_b, snapshot->described_b.n_like);
	phase_finish(&snapshot->a);
	phase_finish(&snapshot->b);
	phase_finish(&snapshot->judging_a);
	phase_finish(&snapshot->judging_b);
	compared_phase_finish(&snapshot->described_a);
	compared_phase_finish(&snapshot->described_b);
	while (snapshot->n_waiting)
		block_finish(&snapshot->waiting[--snapshot->n_waiting]);
	free(snapshot->waiting);
	free(snapshot->first);
	free(snapshot->passes);
	free(snapshot->is_in_group);
	free(snapshot->rows);
	*snapshot = (struct comparison_snapshot){0};
}

/* --- what is above the lines --- */

/* Does a row of the phase count? @passes: by index; NULL: all do. */
static bool row_passes(const bool *passes, size_t row)
{
	return !passes || passes[row];
}

/* "32 FIFO:80, 4 OTHER"; without members that never started, as of a ring that could not be opened. */
static int describe_policies(
	const struct compared_phase *phase, const bool *passes, char text[TALLY_TEXT_SIZE])
{
	struct tally policies = {0};
	char policy[TASK_POLICY_SIZE];
	int r = 0;

	for (size_t i = 0; i < phase->n_rows; i++)
		for (size_t m = 0; m < phase->rows[i].n_members && !phase->rows[i].is_absent && r == 0; m++)
			if (phase->rows[i].members[m].policy.policy >= 0 && row_passes(passes, i))
				r = tally_add(&policies,
					task_policy_describe(phase->rows[i].members[m].policy, policy), 1);
	tally_text(&policies, text);
	tally_finish(&policies);
	return r;
}

/* Adds the mean of the rings that were active at all. */
static void add_active(struct comparison_phase *described, uint64_t active_ns, size_t n_active)
{
	described->active_ns += n_active ? active_ns / n_active : 0;
}

/* Adds what a ring did in a phase. */
static int add_activity(struct comparison_phase *described, uint64_t *row_ns, const struct block *sum,
	size_t row, enum figure figure)
{
	struct scan packed = block_row(sum, row);
	struct tick_counts counts = {0};
	struct hist hist = {0};
	int r = packed_row_add_figure(packed, figure, &hist);

	packed_row_add_counts(packed, &counts);
	described->n += hist_samples(&hist);
	*row_ns += tick_counts_in_place_ns(&counts);
	hist_finish(&hist);
	return r;
}

/* @like: makes time and samples those of all replicates; NULL: of the phase. */
static int describe_activity(struct comparison_phase *described, const struct block *sum,
	const struct replicate_sum *like, const struct compared_phase *compared, const bool *passes)
{
	uint64_t active_ns = 0;
	size_t n_active = 0;
	int r = 0;

	described->n = described->active_ns = 0;
	for (size_t i = 0; i < compared->n_rows && r == 0; i++) {
		enum figure figure = compared->rows[i].figures.at[JUDGED_SHOWN];
		uint64_t row_ns = 0;

		if (!row_passes(passes, i))
			continue;
		if (!like)
			r = add_activity(described, &row_ns, sum, compared->rows[i].row, figure);
		for (size_t k = 0; like && k < compared->n_like && r == 0; k++)
			if (like[k].rows[i] != SIZE_MAX)
				r = add_activity(described, &row_ns, &like[k].sum, like[k].rows[i], figure);
		active_ns += row_ns;
		n_active += row_ns > 0;
	}
	add_active(described, active_ns, n_active);
	return r;
}

static int describe_phase(struct comparison_phase *described, const struct phase *phase,
	const struct compared_phase *compared, const bool *passes)
{
	*described = (struct comparison_phase){.number = phase->number,
		.start_ns = phase->start_ns,
		.length_ns = phase->end_ns - phase->start_ns};
	phase_copy_name(described->name, phase->name);
	int r = describe_activity(described, &phase->sum, NULL, compared, passes);

	return r == 0 ? describe_policies(compared, passes, described->policies) : r;
}

static void describe_file_samples(struct comparison_phase *described, const struct compared_phase *phase,
	bool of_replicates, const bool *passes)
{
	uint64_t active_ns = 0;
	size_t n_active = 0;

	described->n = described->active_ns = 0;
	for (size_t i = 0; i < phase->n_rows; i++) {
		const struct compared_row *row = &phase->rows[i];
		const struct judged_block *blocks = of_replicates ? row->like : compared_row_sum(row);
		size_t n_blocks = of_replicates ? row->n_like : 1;
		uint64_t row_ns = 0;

		for (size_t k = 0; k < n_blocks && row_passes(passes, i); k++) {
			described->n += hist_samples(&blocks[k].hists[JUDGED_SHOWN]);
			row_ns += blocks[k].active_ns;
		}
		active_ns += row_ns;
		n_active += row_ns > 0;
	}
	add_active(described, active_ns, n_active);
}

static int describe_file(
	struct comparison_phase *described, const struct compared_phase *phase, const bool *passes)
{
	const char *slash = strrchr(phase->source, '/');

	*described = (struct comparison_phase){
		.number = COMPARISON_FILE, .number_in_file = phase->number, .length_ns = phase->length_ns};
	phase_copy_name(described->name, slash ? slash + 1 : phase->source);
	describe_file_samples(described, phase, false, passes);
	return describe_policies(phase, passes, described->policies);
}

static int describe_phases(struct comparison_lines *lines, const struct comparison_snapshot *snapshot,
	const bool *passes_a, const bool *passes_b)
{
	int r = is_with_file(&snapshot->choice)
			? describe_file(&lines->a, file_phase(snapshot), passes_a)
			: describe_phase(&lines->a, &snapshot->a, &snapshot->described_a, passes_a);

	return r == 0 ? describe_phase(&lines->b, &snapshot->b, &snapshot->described_b, passes_b) : r;
}

static void take_numbers(struct comparison_phase *described, const struct compared_phase *compared)
{
	memcpy(described->like, compared->like, compared->n_like * sizeof(*compared->like));
	described->n_like = compared->n_like;
	described->length_ns = compared->like_ns;
}

/* Describes the replicates of both phases, if these are compared with them. */
static int describe_all_replicates(struct comparison_lines *lines, const struct comparison *comparison,
	const struct comparison_snapshot *snapshot, const bool *passes_a, const bool *passes_b)
{
	int r = 0;

	if (!comparison->has_replicates)
		return 0;
	take_numbers(&lines->a, comparison->a);
	take_numbers(&lines->b, comparison->b);
	if (is_with_file(&snapshot->choice))
		describe_file_samples(&lines->a, comparison->a, true, passes_a);
	else
		r = describe_activity(&lines->a, NULL, snapshot->like_a, comparison->a, passes_a);
	return r == 0 ? describe_activity(&lines->b, NULL, snapshot->like_b, comparison->b, passes_b) : r;
}

/* Describes the phases by the rings that pass the filter. A row of a file passes with the ring that it is
 * compared with; those of a phase have the numbers of the rings. */
static int describe_passing(struct comparison_lines *lines, const struct comparison *comparison,
	const struct comparison_snapshot *snapshot)
{
	const bool *passes_b = snapshot->passes;
	bool *passes_a = NULL;

	if (passes_b) {
		passes_a = calloc(comparison->a->n_rows + 1, sizeof(*passes_a));
		if (!passes_a)
			return -ENOMEM;
		for (size_t i = 0; i < comparison->a->n_rows && !is_with_file(&snapshot->choice); i++)
			passes_a[i] = i < comparison->b->n_rows && passes_b[i];
		for (size_t i = 0; i < comparison->n_rows; i++)
			passes_a[comparison->rows[i].a - comparison->a->rows] =
				passes_b[comparison->rows[i].b - comparison->b->rows];
	}
	int r = passes_b ? describe_phases(lines, snapshot, passes_a, passes_b) : 0;

	if (r == 0)
		r = describe_all_replicates(lines, comparison, snapshot, passes_a, passes_b);
	free(passes_a);
	return r;
}

/* Without a phase's blocks there is no verdict, so nothing else can be advised. */
static void advise_recording(struct comparison_lines *lines, const struct comparison_snapshot *snapshot)
{
	bool a = snapshot->a.lacks_blocks, b = snapshot->b.lacks_blocks;

	snprintf(lines->advice, sizeof(lines->advice),
		"Only the sum of %s is kept, so there is no verdict: --record keeps all.",
		a && b ? "both"
		: a    ? "A"
		       : "B");
}

/* A summary has blocks of the figure that was shown, and of the response. */
static void advise_blocks(struct comparison_lines *lines, const struct compared_phase *file)
{
	bool has_samples = false, has_blocks = false;

	for (size_t i = 0; i < file->n_rows; i++) {
		const struct compared_row *row = &file->rows[i];

		has_samples |= compared_row_sum(row)->hists[JUDGED_SHOWN].n > 0;
		for (size_t k = 0; k < row->blocks.n; k++)
			has_blocks |= row->blocks.list[k].hists[JUDGED_SHOWN].n > 0;
	}
	if (has_samples && !has_blocks)
		snprintf(lines->advice, sizeof(lines->advice),
			"A has no blocks of this figure, so there is no verdict: --json-blocks writes them.");
}

static int describe_differences(struct comparison_lines *lines, const struct comparison *comparison,
	const struct comparison_snapshot *snapshot)
{
	if ((!is_with_file(&snapshot->choice) && !snapshot->a.conditions.n_members) ||
		!snapshot->b.conditions.n_members) {
		lines->differences = strdup("after a seek it is not known what differs");
	} else {
		lines->differences = comparison_differences(comparison);
		comparison_advice(comparison, lines->advice);
		comparison_blame(comparison, lines->blame);
	}
	if (is_with_file(&snapshot->choice))
		advise_blocks(lines, file_phase(snapshot));
	if (snapshot->a.lacks_blocks || snapshot->b.lacks_blocks)
		advise_recording(lines, snapshot);
	return lines->differences ? 0 : -ENOMEM;
}

int comparison_lines_begin(struct comparison_lines *lines, struct comparison *comparison,
	const struct comparison_snapshot *snapshot)
{
	const struct compared_phase *a =
		is_with_file(&snapshot->choice) ? file_phase(snapshot) : &snapshot->described_a;

	*lines = (struct comparison_lines){.choice = snapshot->choice,
		.lines = calloc(snapshot->n_rows + 1, sizeof(*lines->lines)),
		.n_lines = snapshot->n_rows,
		.n_rings = snapshot->described_b.n_rows};
	for (size_t i = 0; lines->lines && i < lines->n_lines; i++)
		lines->lines[i].row = (uint32_t)snapshot->rows[i];
	int r = lines->lines ? describe_phases(lines, snapshot, NULL, NULL) : -ENOMEM;

	if (r == 0)
		r = comparison_begin(comparison, a, &snapshot->described_b, &lines->refusal);
	if (r == -EINVAL)
		return 0;
	*lines->refusal.text = '\0';
	comparison_alone(comparison, lines->alone);
	lines->figure = comparison->figure;
	if (r == 0)
		r = describe_passing(lines, comparison, snapshot);
	comparison->limit_ns = snapshot->choice.limit_ns;
	if (r == 0)
		r = comparison_add_groups(
			comparison, snapshot->is_in_group, snapshot->n_rows - snapshot->described_b.n_rows);
	return r == 0 ? describe_differences(lines, comparison, snapshot) : r;
}

/* --- lines --- */

static struct comparison_row *find_row(struct comparison *comparison, const struct compared_row *b)
{
	for (size_t i = 0; i < comparison->n_rows; i++)
		if (comparison->rows[i].b == b)
			return &comparison->rows[i];
	return NULL;
}

static struct comparison_side side_alone(const struct compared_row *row, uint64_t limit_ns)
{
	return comparison_side_of(row, compared_row_sum(row)->hists[JUDGED_SHOWN].max_ns, limit_ns);
}

/* A ring that only one of the phases has. @a: NULL: A does not have it. */
static void fill_alone(struct comparison_line *line, const struct compared_row *a,
	const struct compared_row *b, uint64_t limit_ns)
{
	*line = (struct comparison_line){.b = side_alone(b, limit_ns),
		.is_of_a = a && b->is_absent,
		.is_left_out = !a && b->is_absent,
		.few = {"A does not have it"}};
	if (!b->is_absent)
		return;
	if (a)
		line->a = side_alone(a, limit_ns);
	snprintf(line->few[MARK_SHOWN], sizeof(line->few[MARK_SHOWN]), "B does not have it");
}

/* @like: NULL: the line is of the phase alone. */
static void find_rows_of(uint32_t rows[REPLICATES_MAX], const struct compared_phase *phase,
	const struct compared_row *row, const struct replicate_sum *like)
{
	size_t index = row ? (size_t)(row - phase->rows) : 0;

	for (size_t i = 0; i < REPLICATES_MAX; i++)
		rows[i] = NOT_A_ROW;
	if (row && !like)
		rows[0] = (uint32_t)row->row;
	for (size_t i = 0; row && like && i < phase->n_like; i++)
		if (like[i].rows[index] != SIZE_MAX)
			rows[i] = (uint32_t)like[i].rows[index];
}

/* @a: NULL: there is none. */
static void find_rows(struct comparison_line *line, const struct comparison *comparison,
	const struct comparison_snapshot *snapshot, const struct compared_row *a,
	const struct compared_row *b)
{
	bool all = line->is_of_replicates;

	find_rows_of(line->rows_a, comparison->a, a, all ? snapshot->like_a : NULL);
	find_rows_of(line->rows_b, comparison->b, b, all ? snapshot->like_b : NULL);
	if (a && is_with_file(&snapshot->choice))
		line->rows_a[0] = (uint32_t)(a - comparison->a->rows);
}

/* Both phases of a session have the same rows. */
static int add_alone(struct comparison_line *line, const struct comparison *comparison,
	struct comparison_snapshot *snapshot, size_t ring)
{
	bool has_a = !is_with_file(&snapshot->choice) && comparison->only_a[ring];
	struct compared_row *a = has_a ? &snapshot->described_a.rows[ring] : NULL;
	const struct compared_row *b = &snapshot->described_b.rows[ring];
	int r = a ? compared_row_read(a, &snapshot->a, a->row) : 0;

	if (r == 0) {
		fill_alone(line, a, b, comparison->limit_ns);
		find_rows(line, comparison, snapshot, a, b->is_absent ? NULL : b);
	}
	if (a)
		compared_row_drop_samples(a);
	return r;
}

static int read_like(struct compared_phase *described, size_t index, const struct replicate_sum *like,
	const struct phase *judging)
{
	struct compared_row *row = &described->rows[index];
	int r = 0;

	for (size_t i = 0; i < described->n_like && r == 0; i++)
		r = compared_row_add_like(row, &like[i].sum, like[i].rows[index]);
	bool has_other = r == 0 && judging->number;
	size_t there = has_other ? like[compared_phase_judging(described)].rows[index] : SIZE_MAX;

	return there == SIZE_MAX ? r
				 : compared_blocks_read(judging, there, &row->figures, &row->judging.list,
					   &row->judging.n);
}

/* A's row of a file has its samples already. */
static int read_a(struct comparison_snapshot *snapshot, const struct compared_row *a)
{
	size_t index = (size_t)(a - snapshot->described_a.rows);

	if (is_with_file(&snapshot->choice))
		return 0;
	int r = compared_row_read(&snapshot->described_a.rows[index], &snapshot->a, a->row);

	return r == 0 ? read_like(&snapshot->described_a, index, snapshot->like_a, &snapshot->judging_a) : r;
}

static void drop_a(struct comparison_snapshot *snapshot, const struct compared_row *a)
{
	if (!is_with_file(&snapshot->choice))
		compared_row_drop_samples(&snapshot->described_a.rows[a - snapshot->described_a.rows]);
}

static int add_ring(struct comparison_line *line, struct comparison *comparison,
	struct comparison_snapshot *snapshot, size_t ring)
{
	struct compared_row *b = &snapshot->described_b.rows[ring];
	struct comparison_row *row = find_row(comparison, b);
	int r = compared_row_read(b, &snapshot->b, b->row);

	if (r == 0 && row)
		r = read_like(&snapshot->described_b, ring, snapshot->like_b, &snapshot->judging_b);
	if (r == 0 && row)
		r = read_a(snapshot, row->a);
	if (r == 0 && row)
		r = comparison_judge_row(comparison, row);
	if (r == 0 && row) {
		*line = row->line;
		find_rows(line, comparison, snapshot, row->a, b);
	} else if (r == 0) {
		r = add_alone(line, comparison, snapshot, ring);
	}
	if (row)
		drop_a(snapshot, row->a);
	compared_row_drop_samples(b);
	return r;
}

int comparison_lines_add(struct comparison_lines *lines, struct comparison *comparison,
	struct comparison_snapshot *snapshot, size_t row)
{
	struct comparison_line *line = &lines->lines[row];

	if (row >= lines->n_rings || (snapshot->passes && !snapshot->passes[row]))
		return 0;
	int r = add_ring(line, comparison, snapshot, row);

	line->row = (uint32_t)snapshot->rows[row];
	line->is_ready = r == 0;
	return r;
}

static void extend_range(struct block_range *range, size_t n)
{
	if (!n)
		return;
	range->least = !range->least || n < range->least ? n : range->least;
	range->most = n > range->most ? n : range->most;
}

int comparison_lines_end(
	struct comparison_lines *lines, struct comparison *comparison, const atomic_bool *stop)
{
	int r = comparison_summarize(comparison, stop);

	for (size_t i = 0; i < comparison->n_rows; i++) {
		size_t ring = (size_t)(comparison->rows[i].b - comparison->b->rows);

		memcpy(lines->lines[ring].marks, comparison->rows[i].line.marks, sizeof(lines->lines->marks));
		extend_range(&lines->blocks_a, comparison->rows[i].line.blocks_a);
		extend_range(&lines->blocks_b, comparison->rows[i].line.blocks_b);
	}
	for (size_t row = lines->n_rings; row < lines->n_lines && r == 0; row++) {
		struct comparison_line *line = &lines->lines[row];
		uint32_t number = line->row;

		if (stop && atomic_load(stop))
			return -ECANCELED;
		r = comparison_judge_group(comparison, row - lines->n_rings, line);
		line->row = number;
		for (size_t i = 0; i < REPLICATES_MAX; i++)
			line->rows_a[i] = line->rows_b[i] = number;
	}
	lines->summary = comparison->summary;
	lines->is_complete = r == 0;
	return r;
}

static int make_all(struct comparison_lines *lines, struct comparison_snapshot *snapshot)
{
	struct comparison comparison = {0};
	int r = comparison_lines_begin(lines, &comparison, snapshot);

	for (size_t row = 0; row < lines->n_lines && r == 0 && !*lines->refusal.text; row++)
		r = comparison_lines_add(lines, &comparison, snapshot, row);
	if (r == 0 && !*lines->refusal.text)
		r = comparison_lines_end(lines, &comparison, NULL);
	comparison_finish(&comparison);
	return r;
}

int comparison_lines_make(struct comparison_lines *lines, const struct session *session,
	const struct comparison_choice *choice, const struct phase_source *source)
{
	struct comparison_snapshot snapshot;
	int r = comparison_snapshot_take(&snapshot, session, choice);

	if (r == 0)
		r = comparison_snapshot_read(&snapshot, source, NULL);
	if (r == 0)
		r = make_all(lines, &snapshot);
	comparison_snapshot_finish(&snapshot);
	return r;
}
