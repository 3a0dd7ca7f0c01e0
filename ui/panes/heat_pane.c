/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heat_pane.c - the pane with the heat map of all rings: of isolated CPUs where there are others too. */
#include "src/model/session.h"
#include "ui/panes/heat.h"
#include "ui/table/view.h"

void heat_pane_draw(const struct frame *frame, struct area area)
{
	const struct session *session = frame->session;
	size_t group = main_group(session);
	struct area inner = {area.x, area.y + 1, area.width - (area.x + area.width < frame->canvas->columns),
		area.height - 1};
	char title[96];

	snprintf(title, sizeof(title), " %s %ss, %s, a column a second, ^ phases ",
		group ? "isolated" : "all", columns_noun(session), figure_title(frame->view->shown));
	canvas_title(frame->canvas, area, title);
	if (session->n_groups)
		heat_draw(frame, inner, session->n_rings + group, frame->view->shown);
}
