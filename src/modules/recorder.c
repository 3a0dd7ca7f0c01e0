/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorder.c - the module of --record. */
#include "src/recording/record.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "src/plan/config.h"
#include "src/run/source.h"

struct recording {
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
	struct recording *recording = calloc(1, sizeof(*recording));

	if (!recording)
		return error_text_set(reason, -ENOMEM, "--record %s: no memory", source->config->record);
	recording->source = source;
	*state = recording;
	return 0;
}

static int finish_recorder(struct recording *recording)
{
	struct recorder *recorder = recording->source->recorder;

	recording->source->recorder = NULL;
	return record_finish(recorder, recording->source->ended_by, &recording->reason);
}

/* A run goes on without a recorder that fails. */
static int record_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct recording *recording = state;
	struct source *source = recording->source;

	if (item->kind == FEED_START)
		return record_start(&source->recorder, source->config->record, &source->session,
			source->config, source->topology, reason);
	int r = record_feed(source->recorder, item);

	if (r < 0) {
		finish_recorder(recording);
		*reason = recording->reason;
		recording->has_warned = true;
	}
	return r;
}

/* With -q the warning went to standard error when it came. */
static int end_recording(void *state, struct error_text *reason)
{
	struct recording *recording = state;
	bool is_known = recording->has_warned && recording->source->config->quiet;

	finish_recorder(recording);
	int r = *recording->reason.text ? -EIO : 0;

	if (!is_known)
		*reason = recording->reason;
	free(recording);
	return r;
}

const struct module module_recorder = {
	"recorder", .check = check_file, .open = open_recording, .feed = record_item, .end = end_recording};
