/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_state.c - the table's selected row and page, and how they follow the session. */
#include "ui/table/view_state.h"

#include <math.h>

#include "src/model/session.h"
#include "src/model/session_turns.h"

enum { CALM = 4 }; /* times the start of the usual octave */

void view_state_init(struct view_state *view, enum figure figure)
{
	*view = (struct view_state){
		.figure = figure,
		.unit = UNIT_US,
		.window = WINDOW_PHASE,
		.sort = COLUMN_PAIR,
		.page = 1,
		.calm_ns = 1 << 17, /* before the first response */
	};
	for (int i = 0; i < N_FIGURES_SHOWN; i++)
		view->shown_as[i] = (enum figure)i;
	columns_choose(&view->chosen, NULL, 0);
}

void view_state_set_table(struct view_state *view, const struct table_options *options)
{
	columns_choose(&view->chosen, options->columns, options->n_columns);
	view->sort = columns_sortable(options->sort);
	view->unit = options->unit;
	view->window = options->window;
}

void view_state_finish(struct view_state *view)
{
	order_finish(&view->order);
	fold_finish(&view->fold);
	fold_finish(&view->marked);
	window_sums_finish(&view->sums);
}

/* Returns the figure of all rings, or the one asked for if they differ. */
static enum figure common_figure(const struct session *session, enum figure asked)
{
	enum figure figure = asked;

	for (size_t i = 0; i < session->n_rings; i++) {
		enum figure shown = session_figure_of(&session->rings[i], asked);

		if (i > 0 && shown != figure)
			return asked;
		figure = shown;
	}
	return figure;
}

/* The scale of colors follows the mean octave of the run's responses, in a flood of its laps: unlike the
 * median, it does not jump where the rings are of two kinds. */
static void settle_scale(struct view_state *view, const struct session *session)
{
	enum figure figure = common_figure(session, FIGURE_RESPONSE);
	double mean = 0.0;

	if (!session->n_groups)
		return;
	const struct hist *hist = &session->groups[row_main_group(session)].figures[figure].hist;

	for (unsigned octave = 1; octave < HIST_OCTAVES && hist->n; octave++)
		mean += octave * (double)hist->octave_n[octave] / (double)hist->n;
	if (hist->n)
		view->calm_ns = CALM * hist_lower((unsigned)lround(fmax(mean, 1.0)) * HIST_OCTAVE);
}

/* Rings that have ended are marked no more. */
static void settle_marks(struct fold *marked, const struct session *session)
{
	for (size_t i = marked->n; i-- > 0;) {
		const struct session_ring *ring = session_find_ring(session, marked->turned[i]);

		if (!ring || ring->ended_ns)
			fold_turn(marked, marked->turned[i], false);
	}
}

void view_state_settle(struct view_state *view, const struct session *session)
{
	view->shortest_window = session_shortest_window(session);
	view->has_turns = session_round_ns(session) > 0;
	view->turn_held = session->turn_held;
	if (view->window < view->shortest_window)
		view->window = view->shortest_window;
	for (int figure = 0; figure < N_FIGURES_SHOWN; figure++)
		view->shown_as[figure] = common_figure(session, (enum figure)figure);
	view->shown = view->shown_as[view->figure];
	view->response = view->shown_as[FIGURE_RESPONSE];
	view->response_column = FIGURE_LAP;
	for (size_t i = 0; i < session->n_rings; i++)
		if (session_response_of(&session->rings[i]) == FIGURE_RESPONSE)
			view->response_column = FIGURE_RESPONSE;
	settle_scale(view, session);
	filter_settle(&view->filter, session);
	settle_marks(&view->marked, session);
	compared_settle(&view->compared, session);
	window_sums_begin(&view->sums, session);
	view->usual.n = 0;
}

void view_state_select(struct view_state *view, size_t position)
{
	const struct order *order = &view->order;

	view->has_selected = order->n > 0;
	view->position = position < order->n ? position : order->n ? order->n - 1 : 0;
	if (order->n)
		view->selected = order->rows[view->position].id;
}

/* Finds the selected row again, or selects the one in its place. The first selection is a ring. */
static void follow_selection(struct view_state *view)
{
	const struct order *order = &view->order;

	for (size_t i = 0; i < order->n; i++) {
		if (view->has_selected ? order->rows[i].id == view->selected : !order->rows[i].is_group) {
			view_state_select(view, i);
			return;
		}
	}
	view_state_select(view, view->position);
}

size_t view_state_room(size_t n, size_t page)
{
	return n <= page || page <= 1 ? page : page - 1;
}

static size_t rows_on_page(const struct view_state *view)
{
	return view_state_room(view->order.n, view->page);
}

size_t view_state_visible(const struct view_state *view)
{
	size_t left = view->top < view->order.n ? view->order.n - view->top : 0, room = rows_on_page(view);

	return left < room ? left : room;
}

size_t view_state_last_top(const struct view_state *view)
{
	size_t room = rows_on_page(view);

	return view->order.n > room ? view->order.n - room : 0;
}

size_t view_state_top(size_t top, size_t position, size_t n, size_t room)
{
	room = room ? room : 1;
	size_t last = n > room ? n - room : 0;

	if (position < top)
		top = position;
	if (position >= top + room)
		top = position + 1 - room;
	return top < last ? top : last;
}

/* Scrolls to the selected row. */
static void scroll(struct view_state *view)
{
	view->top = view_state_top(view->top, view->position, view->order.n, rows_on_page(view));
}

/* Selects the ring that waits the longest, or has the longest response in the window, in a flood the longest
 * lap. */
static void select_worst(struct view_state *view, const struct session *session)
{
	uint64_t worst_ns = 0;

	for (size_t i = 0; i < view->order.n; i++) {
		const struct order_row *of = &view->order.rows[i];

		if (of->is_group || of->is_hop)
			continue;
		struct row row = row_of(session, view, of);
		const struct hist *hist = row_hist(&row, session_figure_of(row.ring, FIGURE_RESPONSE));
		uint64_t ns = hist->n && hist->max_ns > row.ring->age_ns ? hist->max_ns : row.ring->age_ns;

		if (ns > worst_ns) {
			worst_ns = ns;
			view_state_select(view, i);
		}
	}
}

void view_state_fit(
	struct view_state *view, const struct session *session, unsigned columns, struct area table)
{
	view->table = table;
	view->columns = columns_fit(session, view->limit_ns, compared_has_baseline(&view->compared),
		&view->chosen, view->sort, columns);
	follow_selection(view);
	if (view->selects_worst)
		select_worst(view, session);
	view->selects_worst = false;
	if (!table.height)
		return;
	view->page = table.height > 1 ? table.height - 1 : 1;
	scroll(view);
}

size_t view_state_line_at(struct area area, size_t top, size_t n, unsigned x, unsigned y)
{
	size_t line = area_has(area, x, y) ? top + y - area.y : n;

	return line < n ? line : n;
}

size_t view_state_step(size_t position, long by, size_t last)
{
	size_t back = by < 0 ? -(size_t)by : 0, on = by > 0 ? (size_t)by : 0;

	position = position < last ? position : last;
	position = back > position ? 0 : position - back;
	return on > last - position ? last : position + on;
}

void view_state_move(struct view_state *view, long by)
{
	if (!view->order.n)
		return;
	view_state_select(view, view_state_step(view->position, by, view->order.n - 1));
	scroll(view);
}

static const struct order_row *selected_row(const struct view_state *view)
{
	static const struct order_row none;

	return view->position < view->order.n ? &view->order.rows[view->position] : &none;
}

/* Returns the row that is turned to fold or unfold @row: its ring, or its mechanism's line. */
static uint64_t turning_id(const struct order_row *row, bool hops)
{
	return hops ? row->ring_id : order_group_id(row->group);
}

static bool can_fold(const struct order_row *row, bool hops)
{
	return hops ? row->has_hops : row->group > 0;
}

void view_state_fold(struct view_state *view, bool all)
{
	const struct order_row *selected = selected_row(view), *rows = view->order.rows;
	size_t first = all ? 0 : view->position, end = all ? view->order.n : first + 1;
	bool hops = selected->has_hops;
	bool turned = true; /* all of them are: the key turns them back */

	for (size_t i = first; i < end && i < view->order.n; i++)
		if (can_fold(&rows[i], hops))
			turned &= fold_is_turned(&view->fold, turning_id(&rows[i], hops));
	for (size_t i = first; i < end && i < view->order.n; i++)
		if (can_fold(&rows[i], hops))
			fold_turn(&view->fold, turning_id(&rows[i], hops), !turned);
	if (can_fold(selected, hops) && hops == turned)
		view->selected = turning_id(selected, hops);
}

int64_t view_state_ring(const struct view_state *view)
{
	bool is_ring = view->position < view->order.n && !selected_row(view)->is_group;

	return is_ring ? (int64_t)selected_row(view)->ring_id : -1;
}

bool view_state_row(const struct scene *scene, struct row *row)
{
	if (scene->view->position >= scene->view->order.n)
		return false;
	*row = row_of(scene->session, scene->view, selected_row(scene->view));
	return true;
}
