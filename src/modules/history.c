/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.c - the module that keeps the past of a run for the screen. */
#include "src/recording/history.h"

#include "src/plan/config.h"
#include "src/run/source.h"

static int open_history(struct source *source, void **state, struct error_text *reason)
{
	*state = source->replay ? NULL : source;
	return 0;
}

/* Without memory for a history, only the present can be shown. */
static void begin_history(struct source *source)
{
	const struct config *config = source->config;

	if (source->stays)
		history_create(&source->history, config->record, &source->session, config, source->topology);
	source->phases = history_phases(source->history);
}

static int keep_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct source *source = state;

	if (item->kind == FEED_START)
		begin_history(source);
	else
		history_feed(source->history, item, source->recording != NULL);
	return 0;
}

/* The run ends it: what other modules print at the end may read it. */
const struct module module_history = {.open = open_history, .feed = keep_item};
