/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.c - which views and dialogs are open. */
#include "ui/views/view.h"

void *view_own(const struct frame *frame, const struct view_kind *kind)
{
	size_t i = 0;

	while (frame->kinds[i] != kind)
		i++;
	return frame->own[i];
}

const struct view_kind *view_top(const struct frame *frame)
{
	return frame->open[frame->n_open - 1];
}

void view_open(struct frame *frame, const struct view_kind *kind)
{
	if (!kind->is_dialog)
		frame->n_open = 0;
	else if (frame->n_open == VIEWS_OPEN_MAX)
		return;
	frame->open[frame->n_open++] = kind;
	if (kind->open)
		kind->open(frame);
}

void view_close(struct frame *frame)
{
	frame->n_open -= frame->n_open > 1;
}

bool view_moves(const struct frame *frame)
{
	const struct view_kind *top = view_top(frame);

	return top->move || !top->is_dialog;
}

void view_move(struct frame *frame, long by)
{
	const struct view_kind *top = view_top(frame);

	if (top->move)
		top->move(frame, by);
	else if (view_moves(frame))
		view_state_move(&frame->view, by);
}
