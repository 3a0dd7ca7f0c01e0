/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording.c - the module of --record. */
#include "src/recording/record.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "src/plan/config.h"
#include "src/run/source.h"

struct module_state {
	struct source *source;
	struct error_text reason; /* why it failed; "": it did not */
	bool has_warned;          /* of that */
};

static int check_file(const struct config *config, struct error_text *reason)
{
	return config->record ? record_check(config->record, reason) : 0;
}

static int open_recording(struct source *source, void **state, struct error_text *reason)
{
	if (!source->config->record)
		return 0;
	struct module_state *own = calloc(1, sizeof(*own));

	if (!own)
		return error_text_set(reason, -ENOMEM, "--record %s: no memory", source->config->record);
	own->source = source;
	*state = own;
	return 0;
}

static int finish_recording(struct module_state *own)
{
	struct recording *recording = own->source->recording;

	own->source->recording = NULL;
	return record_finish(recording, own->source->ended_by, &own->reason);
}

/* A run goes on without a recording that fails. */
static int record_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct module_state *own = state;
	struct source *source = own->source;

	if (item->kind == FEED_START)
		return record_start(&source->recording, source->config->record, &source->session,
			source->config, source->topology, reason);
	int r = record_feed(source->recording, item);

	if (r < 0) {
		finish_recording(own);
		*reason = own->reason;
		own->has_warned = true;
	}
	return r;
}

/* With -q the warning went to standard error when it came. */
static int end_recording(void *state, struct error_text *reason)
{
	struct module_state *own = state;
	bool is_known = own->has_warned && own->source->config->quiet;

	finish_recording(own);
	int r = *own->reason.text ? -EIO : 0;

	if (!is_known)
		*reason = own->reason;
	free(own);
	return r;
}

const struct module module_recording = {
	.check = check_file, .open = open_recording, .feed = record_item, .end = end_recording};
