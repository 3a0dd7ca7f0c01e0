/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_scene.c - what the pictures of a page show: the whole session, or its last phase beside another one.
 */
#include "ui/pictures/page_scene.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/comparison_lines.h"
#include "src/model/matrix.h"
#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "src/model/trial.h"
#include "ui/draw/units.h"

enum { KEY_STEP = 102 }; /* pixels from one step of a key to the next */

const struct hist *picture_samples(const struct picture_scene *scene)
{
	return &session_row_figures(scene->session, scene->group)[scene->view->shown].hist;
}

bool picture_has_seconds(const struct picture_scene *scene)
{
	return scene->session->seconds.start_ns > 0 && picture_samples(scene)->n > 0;
}

double picture_height(const struct picture *picture, const struct picture_scene *scene, double width)
{
	return picture->measure ? picture->measure(scene, width) : picture->height;
}

struct svg_box picture_frame(
	FILE *out, struct svg_box box, const char *title, double left, double right, double bottom)
{
	char cut[SVG_TEXT_SIZE];

	svg_text(out, box.x, box.y + 16, SVG_START, "ink title",
		svg_cut(title, SVG_FONT_TITLE, box.width, cut));
	return (struct svg_box){box.x + left, box.y + PICTURE_TITLE, box.width - left - right,
		box.height - PICTURE_TITLE - bottom};
}

char *picture_time(char *text, size_t size, uint64_t ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	double value = (double)ns;
	size_t unit = 0;

	for (; value >= 999.5 && unit < 3; unit++)
		value /= 1000;
	snprintf(text, size, "%.*f %s",
		unit == 0 || value >= 99.95 ? 0
		: value >= 9.995            ? 1
					    : 2,
		value, units[unit]);
	return text;
}

void picture_draw_key(const struct picture_scene *scene, FILE *out, double x, double y,
	const uint64_t edges[STYLE_STEPS - 1],
	void (*draw)(const struct picture_scene *scene, FILE *out, struct svg_box box, unsigned step))
{
	char text[48], edge[32];

	for (unsigned step = 1; step <= STYLE_STEPS; step++, x += KEY_STEP) {
		bool is_last = step == STYLE_STEPS;

		draw(scene, out, (struct svg_box){x, y - 9, 10, 10}, step);
		snprintf(text, sizeof(text), "%s %s", is_last ? "from" : "below",
			picture_time(edge, sizeof(edge), edges[is_last ? step - 2 : step - 1]));
		svg_text(out, x + 15, y, SVG_START, "ink small", text);
	}
}

const char *picture_lack(const struct picture_scene *scene)
{
	const struct matrix *matrix = scene->session->matrix;

	if (matrix)
		return matrix->n_measured ? NULL : "No pair of CPUs was measured.";
	bool has_any = false;

	for (int f = 0; f < N_FIGURES; f++)
		has_any |= session_row_figures(scene->session, scene->group)[f].hist.n > 0;
	return picture_samples(scene)->n ? NULL
	       : has_any                 ? "No sample of this figure has a time of its own."
					 : "There are no samples.";
}

/* --- two phases --- */

/* Is the row of a phase of a file that of the ring, or of its namesake, with the figure which is shown? */
static bool is_row_of(
	const struct page_scene *page, const struct compared_row *row, const struct session_ring *ring)
{
	return row->mechanism && strcmp(row->mechanism, ring->mechanism) == 0 &&
	       strcmp(row->label, ring->label) == 0 &&
	       row->figures.at[JUDGED_SHOWN] == session_figure_of(ring, page->view.shown);
}

/* Adds the samples of all rings in a phase of a file; of none, if a ring is not there. */
static int add_file(struct page_scene *page, const struct compared_phase *phase, struct hist *hist)
{
	const struct session *session = page->scene.session;
	bool *is_ours = calloc(phase->n_rows + 1, sizeof(*is_ours)), has_all = true;
	int r = is_ours ? 0 : -ENOMEM;

	for (size_t i = 0; is_ours && i < session->n_rings; i++) {
		bool has_it = false;

		for (size_t row = 0; row < phase->n_rows; row++) {
			bool is_its = is_row_of(page, &phase->rows[row], &session->rings[i]);

			is_ours[row] |= is_its;
			has_it |= is_its;
		}
		has_all &= has_it;
	}
	for (size_t row = 0; r == 0 && has_all && row < phase->n_rows; row++)
		if (is_ours[row])
			r = hist_merge(hist, &compared_row_sum(&phase->rows[row])->hists[JUDGED_SHOWN]);
	free(is_ours);
	return r;
}

/* Adds a phase and its replicates, which a comparison puts together, too. */
static int add_phases(struct page_scene *page, const struct phase *phase, struct hist *hist)
{
	const struct session *session = page->scene.session;
	uint32_t numbers[REPLICATES_MAX];
	size_t n = phases_like(&session->phases, phase, numbers, REPLICATES_MAX);
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		const struct block_list blocks =
			session_phase_blocks(session, phases_find(&session->phases, numbers[i]));

		r = block_list_add_figure(&blocks, page->scene.group, page->view.shown, hist);
	}
	return r;
}

struct page_phases page_phases_of(const struct session *session, const struct baseline *baseline)
{
	const struct phases *phases = &session->phases;
	struct page_phases found = {.b = phases_current(phases),
		.a = baseline ? phases_find(phases, baseline->number) : NULL,
		.is_file = baseline && baseline->number == COMPARISON_FILE};

	if (found.is_file || (found.a && found.a != found.b))
		return found;
	found.trial = trial_last(session, &found.a, &found.b);
	if (found.trial)
		return found;
	found.a = phases->n > 1 ? &phases->list[phases->n - 2] : NULL;
	found.b = phases_current(phases);
	return found;
}

static int find_phases(struct page_scene *page, const struct page_choice *choice)
{
	const struct page_phases phases = page_phases_of(page->scene.session, choice->baseline);
	int r;

	if (!phases.b || (!phases.a && !phases.is_file))
		return 0;
	if (phases.is_file)
		r = add_file(page, &choice->baseline->file.phases[page->view.shown], &page->a);
	else
		r = add_phases(page, phases.a, &page->a);
	if (r == 0)
		r = add_phases(page, phases.b, &page->b);
	if (r < 0)
		return r;
	if (!page->a.n || !page->b.n)
		return 0;
	snprintf(page->names[0], PHASE_NAME_SIZE, "%s", phases.is_file ? "baseline" : phases.a->name);
	snprintf(page->names[1], PHASE_NAME_SIZE, "%s", phases.b->name);
	page->scene.a = &page->a;
	page->scene.b = &page->b;
	page->scene.name_a = page->names[0];
	page->scene.name_b = page->names[1];
	return 0;
}

int page_scene_init(struct page_scene *page, const struct session *session, const struct page_choice *choice)
{
	*page = (struct page_scene){
		.scene = {.session = session, .view = &page->view, .palette = (enum palette)choice->palette}};
	view_state_init(&page->view, choice->figure);
	view_state_settle(&page->view, session);
	page->scene.group = session->groups[row_main_group(session)].row;
	const enum figure figures[] = {page->view.shown, FIGURE_LATENESS, page->view.response};
	size_t n = page->view.shown == page->view.response ? 2 : 3;
	int r = time_columns_init(&page->columns, session, page->scene.group, figures, n);

	page->scene.columns = &page->columns;
	return r == 0 ? find_phases(page, choice) : r;
}

void page_scene_finish(struct page_scene *page)
{
	hist_finish(&page->a);
	hist_finish(&page->b);
	time_columns_finish(&page->columns);
	view_state_finish(&page->view);
}

/* --- the title --- */

enum { NAMES_MAX = 6 }; /* of mechanisms: more would leave the line no room for when and where it was */

/* "mq: a sweep of 8 CPUs" */
static void write_sweep(const struct matrix *matrix, char text[PAGE_TITLE_SIZE])
{
	snprintf(text, PAGE_TITLE_SIZE, "%s: a sweep of %u CPUs", matrix->mechanism, matrix->n_cpus);
}

/* "mq, pipe: 4 pairs, every 1ms", or "23 mechanisms: 124 pairs, every 1ms" */
static void write_rings(const struct session *session, char text[PAGE_TITLE_SIZE])
{
	char pace[32], rest[PAGE_TITLE_SIZE];
	const struct session_ring *first = session->n_rings ? &session->rings[0] : NULL;
	bool is_mixed = false;

	text[0] = '\0';
	if (session->n_mechanisms > NAMES_MAX)
		snprintf(text, PAGE_TITLE_SIZE, "%zu mechanisms", session->n_mechanisms);
	for (size_t i = 0; i < session->n_mechanisms && session->n_mechanisms <= NAMES_MAX; i++)
		text_append(text, PAGE_TITLE_SIZE / 2, ", ", session->mechanisms[i]);
	for (size_t i = 1; i < session->n_rings; i++)
		is_mixed |= session->rings[i].interval_ns != first->interval_ns;
	if (is_mixed)
		snprintf(pace, sizeof(pace), "mixed intervals");
	else if (first)
		units_pace(pace, sizeof(pace), "every ", first->interval_ns);
	size_t n = session_group_size(session, 0);

	snprintf(rest, sizeof(rest), "%zu %s%s%s%s", n, row_noun(session), n == 1 ? "" : "s",
		first ? ", " : "", first ? pace : "");
	text_append(text, PAGE_TITLE_SIZE, ": ", rest);
}

char *page_title(const struct session *session, char text[PAGE_TITLE_SIZE])
{
	uint64_t seconds = (session_position_ns(session) - session->start_ns + 500000000) / 1000000000;
	char where[PAGE_TITLE_SIZE];

	if (session->matrix)
		write_sweep(session->matrix, text);
	else
		write_rings(session, text);
	snprintf(where, sizeof(where), "%llu s on %s, Linux %s", (unsigned long long)seconds,
		session->machine.host, session->machine.kernel);
	text_append(text, PAGE_TITLE_SIZE, ", ", where);
	return text;
}
