/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_reader.c - reads phases with all their blocks from a recording. */
#include "src/recording/phase_reader.h"

#include <errno.h>

int phase_reader_find(const struct phase_reader *reader, const struct phase *wanted, struct phase *read)
{
	for (size_t i = 0; i < PHASES_READ_KEPT; i++) {
		const struct phase *kept = &reader->kept[i];

		if (kept->n_blocks && kept->start_ns == wanted->start_ns && kept->end_ns == wanted->end_ns)
			return phase_copy(read, kept);
	}
	return -ENOENT;
}

/* The session begins a phase of its own there, so that it has the blocks of the wanted phase alone. */
static int go_to_start(struct phase_reader *reader, const struct phase *wanted)
{
	struct session *session = &reader->session;
	const struct replay_index *index = &reader->replay.index;

	if (!index->n || index->checkpoints[0].at_ns > wanted->start_ns)
		return -ENOENT;
	reader->start_ns = wanted->start_ns;
	int r = replay_seek(&reader->replay, session, wanted->start_ns);

	if (r < 0)
		return r;
	if (session_position_ns(session) != wanted->start_ns)
		return -ENOENT;
	session->auto_phase = false;
	return session->phases.n ? session_phases_begin(session, NULL, 0) : 0;
}

static bool is_before(const struct phase_reader *reader, const struct phase *wanted)
{
	return reader->session.phases.n && reader->start_ns == wanted->start_ns &&
	       reader->session.now_ns <= wanted->end_ns;
}

static bool begins_phase(const struct feed_item *item)
{
	return item->kind == FEED_EVENT && item->event->kind == EVENT_PHASE;
}

/* Feeds the items up to the end of the phase. */
static int feed_phase(struct phase_reader *reader, const struct phase *wanted, const atomic_bool *stop)
{
	struct replay *replay = &reader->replay;
	int r;

	while ((r = replay_next_up_to(replay, wanted->end_ns)) > 0) {
		if (stop && atomic_load(stop))
			return -ECANCELED;
		r = begins_phase(&replay->item.feed)
			    ? 0
			    : feed_session(&reader->session, &replay->item.feed, NULL);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : session_phases_settle(&reader->session);
}

static int keep_phase(struct phase_reader *reader, const struct phase *phase)
{
	struct phase *kept = &reader->kept[reader->n_read++ % PHASES_READ_KEPT];

	phase_finish(kept);
	*kept = (struct phase){0};
	return phase_copy(kept, phase);
}

/* Spikes of the phase may have been seen after its end: the wanted one has them. */
static int copy_phase(
	struct phase_reader *reader, const struct phase *wanted, bool goes_on, struct phase *read)
{
	struct phase *phase = phases_current(&reader->session.phases);

	if (!phase || phase->lacks_blocks)
		return -ENOENT;
	phase->blames = wanted->blames;
	int r = phase_copy(read, phase);

	return r == 0 && !goes_on ? keep_phase(reader, phase) : r;
}

int phase_reader_read(struct phase_reader *reader, const struct phase *wanted, bool goes_on,
	const atomic_bool *stop, struct phase *read)
{
	int r = is_before(reader, wanted) ? 0 : go_to_start(reader, wanted);

	if (r == 0)
		r = feed_phase(reader, wanted, stop);
	if (r == 0)
		r = copy_phase(reader, wanted, goes_on, read);
	if (r < 0 || !goes_on)
		session_finish(&reader->session);
	return r;
}

void phase_reader_close(struct phase_reader *reader)
{
	replay_close(&reader->replay);
	session_finish(&reader->session);
	for (size_t i = 0; i < PHASES_READ_KEPT; i++)
		phase_finish(&reader->kept[i]);
	*reader = (struct phase_reader){.replay.file.fd = -1};
}
