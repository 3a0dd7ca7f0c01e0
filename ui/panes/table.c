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

		if (!width)
			continue;
		columns_title(i, view->limit_ns, name, sizeof(name));
		if (i != view->sort) {
			(column->left ? canvas_left : canvas_right)(
				scene->canvas, area, x, 0, width, STYLE_HEAD, name);
		} else {
			unsigned gap = x > 0; /* the sign is before its title, and may take it */

			snprintf(title, sizeof(title), "%s%s", sign, name);
			(column->left ? canvas_left : canvas_right)(
				scene->canvas, area, x - gap, 0, width + gap, STYLE_HEAD, title);
		}
	}
}

static void draw_cell(const struct scene *scene, struct area line, const struct row *row, size_t i)
{
	const struct column *column = &columns_table[i];
	unsigned x = scene->view->columns.x[i], width = scene->view->columns.width[i];
	unsigned gap = column->statistic.percentile > 0.0; /* the mark of doubt may take it */
	struct cell_text cell = {.style = column->style};

	column->cell(column, row, width, &cell);
	if (row_waits(row) && (cell.style == STYLE_PLAIN || cell.style == STYLE_STRONG))
		cell.style = STYLE_DIM;
	if (column->left)
		canvas_left(scene->canvas, line, x, 0, width, cell.style, cell.text);
	else
		canvas_right(scene->canvas, line, x - gap, 0, width + gap, cell.style, cell.text);
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
	if (columns->width[COLUMN_SPARK] && has_column(row, COLUMN_SPARK))
		second_strips_sparkline(scene,
			(struct area){
				line.x + columns->x[COLUMN_SPARK], line.y, columns->width[COLUMN_SPARK], 1},
			row_index(row), row->figure);
}

/* If the table has no column for the state, its word replaces the latest sample, which is not current then.
 */
static void draw_word(const struct scene *scene, struct area line, const struct row *row)
{
	const struct columns *columns = &scene->view->columns;
	unsigned x = columns->x[COLUMN_CUR], width = columns->x[COLUMN_MIN] + columns->width[COLUMN_MIN] - x;
	char text[48], age_text[16], state[ROW_STATE_SIZE];
	const char *word = row_state(row, state), *age = "";
	int room;

	if (columns->width[COLUMN_STATE] || !*word || (row->other && !row->ring->age_ns))
		return;
	if (row->ring->age_ns)
		age = units_age(age_text, sizeof(age_text), row->ring->age_ns) + strlen(">=");
	room = (int)(width - strlen(age) - (*age != '\0'));
	snprintf(text, sizeof(text), "%.*s%s%s", room, word, *age ? " " : "", age);
	canvas_blank(scene->canvas, (struct area){line.x + x, line.y, width, 1}, STYLE_PLAIN);
	canvas_right(scene->canvas, line, x, 0, width,
		row_waits(row) && !session_faults(row->ring) ? STYLE_DIM : STYLE_WARNING, text);
}

/* Replaces the columns from the state on, if the ring failed without a sample. */
static void draw_failure(const struct scene *scene, struct area line, const struct session_ring *ring)
{
	const struct columns *columns = &scene->view->columns;
	unsigned x = columns->width[COLUMN_STATE] ? columns->x[COLUMN_STATE] : columns->x[COLUMN_CUR];
	char text[512];

	snprintf(text, sizeof(text), "failed: %s", ring->reason ? ring->reason : "no reason is known");
	canvas_blank(scene->canvas, (struct area){line.x + x, line.y, line.width - x, 1}, STYLE_PLAIN);
	canvas_left(scene->canvas, line, x, 0, line.width - x, STYLE_WRONG, text);
}

static const char *title_of(const struct session *session, size_t group)
{
	for (size_t i = 0; i < session->n_rings; i++)
		if (session_row_is_in(session, &session->rings[i], group))
			return session->rings[i].title;
	return NULL;
}

/* The longest name of the group that has room. */
static void draw_name(const struct scene *scene, struct area line, size_t group, const char *sign)
{
	const struct session *session = scene->session;
	const struct session_group *of = &session->groups[group];
	const char *title = of->kind == GROUP_MECHANISM ? title_of(session, group) : NULL;
	const char *noun = row_noun(session), *s = of->n_rings == 1 ? "" : "s";
	unsigned room = scene->view->columns.x[COLUMN_MIN] - 1;
	char names[4][192];
	size_t i = title && strcmp(title, of->name) != 0 ? 0 : 1; /* pipe: pipe says no more */

	snprintf(names[0], sizeof(names[0]), "%s%s: %s (%zu %s%s)", sign, of->name, title ? title : "",
		of->n_rings, noun, s);
	snprintf(names[1], sizeof(names[1]), "%s%s (%zu %s%s)", sign, of->name, of->n_rings, noun, s);
	snprintf(names[2], sizeof(names[2]), "%s%s (%zu)", sign, of->name, of->n_rings);
	snprintf(names[3], sizeof(names[3]), "%s%s", sign, of->name);
	while (i < 3 && canvas_measure(scene->canvas, names[i]) > room)
		i++;
	canvas_left(scene->canvas, line, 0, 0, room, STYLE_STRONG, names[i]);
}

static void draw_group(const struct scene *scene, struct area line, size_t group, const char *sign)
{
	struct row row = row_of_group(scene->session, scene->view, group);

	draw_cells(scene, line, &row);
	draw_name(scene, line, group, sign);
}

static const char *fold_sign(const struct scene *scene, bool folded)
{
	if (scene->canvas->ascii)
		return folded ? "  + " : "  - ";
	return folded ? "  \u25b8 " : "  \u25be ";
}

static const char *group_sign(const struct scene *scene, size_t group)
{
	const char *sign = fold_sign(scene, fold_hides_rings(&scene->view->fold, group));

	/* If the selection's mark has no column of its own, it needs one blank. */
	return scene->view->columns.width[COLUMN_MARK] ? sign : sign + 1;
}

/* Before the label, if there is room. */
static void draw_ring_sign(const struct scene *scene, struct area line, const struct order_row *row)
{
	const struct columns *columns = &scene->view->columns;
	const char *sign = fold_sign(scene, !fold_shows_hops(&scene->view->fold, row->index)) + 2;
	const char *label = scene->session->rings[row->index].label;
	unsigned taken = canvas_measure(scene->canvas, label ? label : "?") + 2;

	if (taken <= columns->width[COLUMN_PAIR])
		canvas_text(scene->canvas, line,
			columns->x[COLUMN_PAIR] + columns->width[COLUMN_PAIR] - taken, 0, STYLE_PLAIN, sign);
}

/* If the mark has no column, it replaces a blank before the label. */
static void draw_mark(const struct scene *scene, struct area line)
{
	const struct cell *first = &scene->canvas->cells[(size_t)line.y * scene->canvas->columns + line.x];

	canvas_restyle(scene->canvas, line, STYLE_SELECTED);
	if (scene->view->columns.width[COLUMN_MARK] || first->rune == ' ')
		canvas_put(scene->canvas, line, 0, 0, '>', STYLE_SELECTED);
}

static void draw_row(
	const struct scene *scene, struct area line, const struct order_row *order_row, bool selected)
{
	struct row row = row_of(scene->session, scene->view, order_row);

	if (order_row->is_group) {
		draw_group(scene, line, order_row->group, group_sign(scene, order_row->group));
	} else {
		draw_cells(scene, line, &row);
		if (row.ring->state == RING_FAILED && !row.hop)
			draw_failure(scene, line, row.ring);
		else if (!row.hop)
			draw_word(scene, line, &row);
		if (order_row->has_hops && !row.hop)
			draw_ring_sign(scene, line, order_row);
	}
	if (selected)
		draw_mark(scene, line);
}

void table_draw(const struct scene *scene, struct area area)
{
	const struct view_state *view = scene->view;

	draw_head(scene, area);
	if (!view->order.n)
		canvas_text(scene->canvas, area, 1, 1, STYLE_PLAIN,
			scene->session->n_rings ? "no ring passes the filter" : "no rings");
	for (unsigned y = 1; y < area.height && view->top + y - 1 < view->order.n; y++) {
		size_t at = view->top + y - 1;
		struct area line = {area.x, area.y + y, area.width, 1};

		draw_row(scene, line, &view->order.rows[at], view->has_selected && at == view->position);
	}
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
