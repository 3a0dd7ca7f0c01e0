/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - the pane with one row for each ring. */
#include "ui/panes/table.h"

#include <string.h>

#include "src/model/session_rows.h"
#include "ui/panes/second_strips.h"

static void draw_head(const struct scene *scene, struct area area)
{
	const struct view_state *view = scene->view;
	bool up = columns_table[view->sort].largest_first == view->inverted;
	const char *sign = scene->canvas->ascii ? (up ? "^" : "v") : (up ? "\u25b4" : "\u25be");

	canvas_restyle(scene->canvas, (struct area){area.x, area.y, area.width, 1}, STYLE_HEAD);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		const struct column *column = &columns_table[i];
		unsigned x = view->columns.x[i], width = view->columns.width[i];
		char title[48], name[32];

		if (width && i == COLUMN_TREND)
			trend_draw_scale(scene, (struct area){area.x + x, area.y, width, 1});
		if (!width || i == COLUMN_TREND)
			continue;
		snprintf(title, sizeof(title), "%s%s", i == view->sort ? sign : "",
			columns_title(i, view->limit_ns, name, sizeof(name)));
		(column->left ? canvas_left : canvas_right)(
			scene->canvas, area, x, 0, width, STYLE_HEAD, title);
	}
}

static void draw_cell(const struct scene *scene, struct area line, const struct row *row, size_t i)
{
	const struct column *column = &columns_table[i];
	unsigned x = scene->view->columns.x[i], width = scene->view->columns.width[i];
	struct cell_text cell = {
		.style = style_stronger(column->style, row->group ? column->group_style : STYLE_PLAIN)};

	column->cell(column, row, width, &cell);
	if (cell.style < STYLE_THIN && usual_is_exceeded(row, i))
		cell.style = STYLE_UNUSUAL;
	if (row_waits(row))
		cell.style = style_stronger(cell.style, STYLE_WAITING);
	if (column->left)
		canvas_left(scene->canvas, line, x, 0, width, cell.style, cell.text);
	else
		canvas_right(scene->canvas, line, x, 0, width, cell.style, cell.text);
}

/* Returns whether a row of this kind has the column. A group's name replaces the columns before Cur. */
static bool has_column(const struct row *row, size_t i)
{
	return row->hop ? columns_table[i].of_hops
			: row->ring || (columns_table[i].of_groups && i >= COLUMN_CUR);
}

static void draw_cells(const struct scene *scene, struct area line, const struct row *row)
{
	const struct columns *columns = &scene->view->columns;

	for (size_t i = 0; i < N_COLUMNS; i++)
		if (columns->width[i] && columns_table[i].cell && has_column(row, i))
			draw_cell(scene, line, row, i);
	if (columns->width[COLUMN_TREND] && has_column(row, COLUMN_TREND))
		trend_draw(scene,
			(struct area){
				line.x + columns->x[COLUMN_TREND], line.y, columns->width[COLUMN_TREND], 1},
			row);
}

/* If the table has no column for the state, its word replaces the latest sample, which is not current then.
 * Waiting rows are dim, and keep it. */
static void draw_word(const struct scene *scene, struct area line, const struct row *row)
{
	const struct columns *columns = &scene->view->columns;
	unsigned x = columns->x[COLUMN_CUR], width = columns->width[COLUMN_CUR];
	char state[ROW_STATE_SIZE];
	const char *word = row_state(row, state);

	if (columns->width[COLUMN_STATE] || !*word || row_waits(row) || (row->other && !row->ring->age_ns))
		return;
	canvas_blank(scene->canvas, (struct area){line.x + x, line.y, width, 1});
	canvas_right(scene->canvas, line, x, 0, width, row_state_style(row), word);
}

/* Replaces the columns from the state on, if the ring failed without a sample. */
static void draw_failure(const struct scene *scene, struct area line, const struct session_ring *ring)
{
	const struct columns *columns = &scene->view->columns;
	unsigned x = columns->width[COLUMN_STATE] ? columns->x[COLUMN_STATE] : columns->x[COLUMN_CUR];
	char text[512];

	snprintf(text, sizeof(text), "failed: %s", ring->reason ? ring->reason : "no reason is known");
	canvas_blank(scene->canvas, (struct area){line.x + x, line.y, line.width - x, 1});
	canvas_left(scene->canvas, line, x, 0, line.width - x, STYLE_WRONG, text);
}

static const char *title_of(const struct session *session, size_t group)
{
	for (size_t i = 0; i < session->n_rings; i++)
		if (session_row_is_in(session, &session->rings[i], group))
			return session->rings[i].title;
	return NULL;
}

/* "6 pairs", or with a filter "2 of 6 pairs", "5 pairs, 1 gone"; without @noun the number has none. */
static void write_group_size(char *text, size_t size, const struct row *row, const char *noun)
{
	char of[32] = "", gone[32] = "";

	if (row->n_passed < row->n_rings)
		snprintf(of, sizeof(of), "%zu of ", row->n_passed);
	if (row->n_gone)
		snprintf(gone, sizeof(gone), ", %zu gone", row->n_gone);
	snprintf(text, size, "%s%zu%s%s%s%s", of, row->n_rings, *noun ? " " : "", noun,
		*noun && row->n_rings != 1 ? "s" : "", gone);
}

/* Draws the longest form of the group's name that fits. */
static void draw_name(const struct scene *scene, struct area line, const struct row *row, const char *sign)
{
	const struct session_group *of = row->group;
	size_t group = (size_t)(of - scene->session->groups);
	const char *title = of->kind == GROUP_MECHANISM ? title_of(scene->session, group) : NULL;
	unsigned room = scene->view->columns.figures - 1;
	char names[4][192], pairs[64], numbers[48];
	size_t i = title && strcmp(title, of->name) != 0 ? 0 : 1; /* not "pipe: pipe" */

	write_group_size(pairs, sizeof(pairs), row, row_noun(scene->session));
	write_group_size(numbers, sizeof(numbers), row, "");
	snprintf(names[0], sizeof(names[0]), "%s%s: %s (%s)", sign, of->name, title ? title : "", pairs);
	snprintf(names[1], sizeof(names[1]), "%s%s (%s)", sign, of->name, pairs);
	snprintf(names[2], sizeof(names[2]), "%s%s (%s)", sign, of->name, numbers);
	snprintf(names[3], sizeof(names[3]), "%s%s", sign, of->name);
	while (i < 3 && canvas_measure(scene->canvas, names[i]) > room)
		i++;
	canvas_left(scene->canvas, line, 0, 0, room, STYLE_STRONG, names[i]);
}

static void draw_group(const struct scene *scene, struct area line, size_t group, const char *sign)
{
	struct row row =
		row_of(scene->session, scene->view, &(struct order_row){.is_group = true, .group = group});

	draw_cells(scene, line, &row);
	draw_name(scene, line, &row, sign);
}

const char *table_fold_sign(const struct scene *scene, bool folded)
{
	if (scene->canvas->ascii)
		return folded ? "  + " : "  - ";
	return folded ? "  \u25b8 " : "  \u25be ";
}

static const char *group_sign(const struct scene *scene, size_t group)
{
	const char *sign = table_fold_sign(scene, fold_is_turned(&scene->view->fold, order_group_id(group)));

	/* If the selection's mark has no column of its own, it needs one blank. */
	return scene->view->columns.width[COLUMN_MARK] ? sign : sign + 1;
}

/* Before the label, if there is room. */
static void draw_ring_sign(const struct scene *scene, struct area line, const struct order_row *row)
{
	const struct columns *columns = &scene->view->columns;
	const char *sign = table_fold_sign(scene, !fold_is_turned(&scene->view->fold, row->id)) + 2;
	const struct session_ring *ring = &scene->session->rings[row->index];
	char suffix[SESSION_SUFFIX_SIZE];
	unsigned taken = canvas_measure(scene->canvas, ring->label) +
			 (unsigned)strlen(session_ring_suffix(ring, suffix)) + 2;

	if (taken <= columns->width[COLUMN_PAIR])
		canvas_text(scene->canvas, line,
			columns->x[COLUMN_PAIR] + columns->width[COLUMN_PAIR] - taken, 0, STYLE_PLAIN, sign);
}

/* If the mark has no column, it replaces a blank before the label. */
static void draw_mark(const struct scene *scene, struct area line)
{
	const struct cell *first = &scene->canvas->cells[(size_t)line.y * scene->canvas->columns + line.x];

	canvas_select(scene->canvas, line, scene->view->columns.width[COLUMN_MARK] || first->rune == ' ');
}

/* Draws the sign of a ring that is marked for an action: beside that of the selection, or behind a label that
 * leaves no room there. */
static void draw_action_mark(const struct scene *scene, struct area line, const struct order_row *row)
{
	const struct cell *first = &scene->canvas->cells[(size_t)line.y * scene->canvas->columns + line.x];
	const struct columns *columns = &scene->view->columns;
	unsigned x = columns->x[COLUMN_PAIR] + columns->width[COLUMN_PAIR];

	if (row->is_group || row->is_hop || !fold_is_turned(&scene->view->marked, row->ring_id))
		return;
	if (columns->width[COLUMN_MARK] && first[1].rune == ' ')
		x = 1;
	else if (first->rune == ' ')
		x = 0;
	canvas_put(scene->canvas, line, x, 0, '*', STYLE_STRONG);
}

static void draw_row(
	const struct scene *scene, struct area line, const struct order_row *order_row, const void *data)
{
	struct row row = row_of(scene->session, scene->view, order_row);

	if (order_row->is_group) {
		draw_group(scene, line, order_row->group, group_sign(scene, order_row->group));
		return;
	}
	draw_cells(scene, line, &row);
	if (row.ring->state == RING_FAILED && !row.hop && !row.shown->hist.n)
		draw_failure(scene, line, row.ring);
	else if (!row.hop)
		draw_word(scene, line, &row);
	if (order_row->has_hops && !row.hop)
		draw_ring_sign(scene, line, order_row);
}

void table_draw_rows(const struct scene *scene, struct area rows, table_row_drawer *draw, const void *data)
{
	const struct view_state *view = scene->view;
	size_t end = view->top + view_state_visible(view);

	for (size_t at = view->top; at < end; at++) {
		struct area line = {rows.x, rows.y + (unsigned)(at - view->top), rows.width, 1};

		draw(scene, line, &view->order.rows[at], data);
		draw_action_mark(scene, line, &view->order.rows[at]);
		if (view->has_selected && at == view->position)
			draw_mark(scene, line);
	}
	canvas_hidden(scene->canvas, rows, 2, rows.height - 1, view->top, view->order.n - end);
}

void table_draw(const struct scene *scene, struct area area)
{
	draw_head(scene, area);
	if (!scene->view->order.n)
		canvas_text(scene->canvas, area, 1, 1, STYLE_PLAIN,
			scene->session->n_rings    ? "no ring passes the filter"
			: scene->session->is_sweep ? "a sweep runs no rings: M shows its matrix"
						   : "no rings");
	table_draw_rows(
		scene, (struct area){area.x, area.y + 1, area.width, area.height - 1}, draw_row, NULL);
}

size_t totals_of(const struct session *session, size_t groups[TOTALS_MAX])
{
	size_t n = 0;

	for (size_t g = 1; g < session->n_groups && n < TOTALS_MAX; g++)
		if (session->groups[g].kind == GROUP_ISOLATED ||
			session->groups[g].kind == GROUP_HOUSEKEEPING)
			groups[n++] = g;
	if (n == 0 && session->n_groups && session->n_rings > 1)
		groups[n++] = 0;
	return n;
}

void totals_draw(const struct scene *scene, struct area area)
{
	size_t groups[TOTALS_MAX], n = totals_of(scene->session, groups);

	for (unsigned y = 0; y < area.height && y < n; y++)
		draw_group(scene, (struct area){area.x, area.y + y, area.width, 1}, groups[y], "  ");
}
