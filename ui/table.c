/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - the pane with one row for each ring. */
#include <string.h>

#include "ui/view.h"

static void draw_head(const struct frame *frame, struct area area)
{
	const struct view *view = frame->view;
	bool up = columns_table[view->sort].largest_first == view->inverted;
	const char *sign = frame->canvas->ascii ? (up ? "^" : "v") : (up ? "\u25b4" : "\u25be");

	canvas_restyle(frame->canvas, (struct area){area.x, area.y, area.width, 1}, STYLE_HEAD);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		const struct column *column = &columns_table[i];
		unsigned x = view->columns.x[i], width = view->columns.width[i];
		char title[32];

		if (!width)
			continue;
		if (i != view->sort) {
			(column->left ? canvas_left : canvas_right)(
				frame->canvas, area, x, 0, width, STYLE_HEAD, column->title);
		} else {
			unsigned gap = x > 0; /* the sign stands before its title, and may take it */

			snprintf(title, sizeof(title), "%s%s", sign, column->title);
			(column->left ? canvas_left : canvas_right)(
				frame->canvas, area, x - gap, 0, width + gap, STYLE_HEAD, title);
		}
	}
}

static void draw_cell(const struct frame *frame, struct area line, const struct row *row, size_t column)
{
	unsigned x = frame->view->columns.x[column], width = frame->view->columns.width[column];
	unsigned gap = columns_table[column].percentile > 0.0; /* the mark of doubt may take it */
	struct cell_text cell = {.style = STYLE_PLAIN};

	if (!width || !columns_table[column].cell)
		return;
	columns_table[column].cell(&columns_table[column], row, width, &cell);
	if (columns_table[column].left)
		canvas_left(frame->canvas, line, x, 0, width, cell.style, cell.text);
	else
		canvas_right(frame->canvas, line, x - gap, 0, width + gap, cell.style, cell.text);
}

/* Where there is no column for the state, its word stands over Cur and Min, with the age if there is one. */
static void draw_word(const struct frame *frame, struct area line, const struct row *row)
{
	const struct columns *columns = &frame->view->columns;
	unsigned x = columns->x[COLUMN_CUR], width = columns->x[COLUMN_MIN] + columns->width[COLUMN_MIN] - x;
	const char *word = columns_state(row), *age = "";
	char text[48], age_text[16];
	int room;

	if (columns->width[COLUMN_STATE] || !*word || (row->other && !row->ring->age_ns))
		return;
	if (row->ring->age_ns)
		age = units_age(age_text, sizeof(age_text), row->ring->age_ns) + strlen(">=");
	room = (int)(width - strlen(age) - (*age != '\0'));
	snprintf(text, sizeof(text), "%.*s%s%s", room, word, *age ? " " : "", age);
	canvas_blank(frame->canvas, (struct area){line.x + x, line.y, width, 1}, STYLE_PLAIN);
	canvas_right(frame->canvas, line, x, 0, width, STYLE_WARNING, text);
}

/* Over all that tells of scheduling and figures; what the ring is stays. */
static void draw_failure(const struct frame *frame, struct area line, const struct session_ring *ring)
{
	const struct columns *columns = &frame->view->columns;
	unsigned x = columns->width[COLUMN_STATE] ? columns->x[COLUMN_STATE] : columns->x[COLUMN_CUR];
	char text[512];

	snprintf(text, sizeof(text), "failed: %s", ring->reason ? ring->reason : "no reason is known");
	canvas_blank(frame->canvas, (struct area){line.x + x, line.y, line.width - x, 1}, STYLE_PLAIN);
	canvas_left(frame->canvas, line, x, 0, line.width - x, STYLE_BAD, text);
}

static void draw_row(
	const struct frame *frame, struct area line, const struct session_ring *ring, bool selected)
{
	struct row row = columns_row(frame->session, ring, frame->view->shown, frame->view->unit);

	for (size_t i = 0; i < N_COLUMNS; i++)
		draw_cell(frame, line, &row, i);
	if (ring->state == RING_FAILED)
		draw_failure(frame, line, ring);
	else
		draw_word(frame, line, &row);
	if (!selected)
		return;
	canvas_restyle(frame->canvas, line, STYLE_SELECTED);
	/* Where the mark has no column, it takes a blank before the label. */
	if (frame->view->columns.width[COLUMN_MARK] ||
		(ring->label && strlen(ring->label) < frame->view->columns.width[COLUMN_PAIR]))
		canvas_put(frame->canvas, line, 0, 0, '>', STYLE_SELECTED);
}

void table_draw(const struct frame *frame, struct area area)
{
	const struct view *view = frame->view;

	draw_head(frame, area);
	if (!view->order.n)
		canvas_text(frame->canvas, area, 1, 1, STYLE_PLAIN, "no rings");
	for (unsigned y = 1; y < area.height && view->top + y - 1 < view->order.n; y++) {
		size_t at = view->top + y - 1;
		struct area line = {area.x, area.y + y, area.width, 1};

		draw_row(frame, line, &frame->session->rings[view->order.rows[at].index],
			view->has_selected && at == view->position);
	}
}
