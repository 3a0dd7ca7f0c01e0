/* SPDX-License-Identifier: GPL-2.0-or-later */
/* playback.c - plays a recording: its items feed the session in place of a run's. */
#include "src/run/playback.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/model/session_events.h"

/* Ticks end a little late: a second back means the tick that was shown then. */
enum { SEEK_SLACK_NS = 20000000 };

/* Waits until @until_ns (UINT64_MAX: for ever), or until there is a command. */
static void wait_until(const struct playback *playback, uint64_t until_ns)
{
	struct pollfd wanted = {.fd = playback->source.commands.wanted, .events = POLLIN};
	uint64_t now_ns = clock_now_ns();
	struct timespec left = clock_timespec(until_ns > now_ns ? until_ns - now_ns : 0);

	ppoll(&wanted, 1, until_ns == UINT64_MAX ? NULL : &left, NULL);
}

/* Playing continues at the recorded pace from here. */
static void begin_here(struct playback *playback)
{
	playback->begun_ns = clock_now_ns();
	playback->from_ns = session_position_ns(&playback->source.session);
}

/* Returns when, on this clock, the next item must be shown. */
static uint64_t due_ns(const struct playback *playback)
{
	const struct playing *playing = &playback->source.playing;
	const double far_ns = 1e17; /* a recording may have any time: avoid an overflow */
	uint64_t at_ns = playback->item.feed.at_ns;

	if (playback->steps)
		return 0;
	if (playing->paused || playback->ended)
		return UINT64_MAX;
	if (playing->speed <= 0 || at_ns <= playback->from_ns)
		return 0;
	double after_ns = (double)(at_ns - playback->from_ns) / playing->speed;

	return playback->begun_ns + (uint64_t)(after_ns < far_ns ? after_ns : far_ns);
}

/* Sets the state of playing, and shows it at once. */
static void set_playing(struct playback *playback, bool paused, uint64_t sought_ns)
{
	struct source *source = &playback->source;

	pthread_mutex_lock(&source->lock);
	source->playing.paused = paused;
	source->playing.ended = playback->ended;
	source->playing.sought_ns = sought_ns;
	source->playing.n_obeyed++;
	pthread_mutex_unlock(&source->lock);
	if (source->stays)
		source_updated(source);
}

static uint64_t moved(uint64_t from_ns, int64_t by_ns, const struct playing *playing)
{
	uint64_t room_ns = from_ns - playing->start_ns;

	if (by_ns < 0)
		return room_ns > -(uint64_t)by_ns ? from_ns + (uint64_t)by_ns : playing->start_ns;
	return playing->end_ns - from_ns > (uint64_t)by_ns ? from_ns + (uint64_t)by_ns : playing->end_ns;
}

/* Makes a new session, so that the screen need not wait for the old one meanwhile. */
static int seek(struct playback *playback, int64_t by_ns)
{
	struct source *source = &playback->source;
	const struct playing *playing = &source->playing;
	struct session found = {0}, before;
	/* Otherwise it would return to the end at once, as at full speed. */
	bool paused = playing->paused || playback->ended || playing->speed <= 0;
	uint64_t from_ns = session_position_ns(&source->session);
	uint64_t at_ns = moved(from_ns < playing->end_ns ? from_ns : playing->end_ns, by_ns, playing);

	set_playing(playback, paused, at_ns);
	int r = replay_seek(playback->replay, &found, at_ns + SEEK_SLACK_NS);

	playback->has_item = false;
	playback->ended = r < 0;
	playback->steps = 0;
	if (r < 0) {
		session_finish(&found);
		return r;
	}
	pthread_mutex_lock(&source->lock);
	before = source->session;
	source->session = found;
	pthread_mutex_unlock(&source->lock);
	session_finish(&before);
	begin_here(playback);
	set_playing(playback, paused, 0);
	return 0;
}

static int obey(struct playback *playback, const struct command *command)
{
	struct source *source = &playback->source;
	const struct event phase = {.kind = EVENT_PHASE,
		.ring = -1,
		.member = -1,
		.text = command->kind == COMMAND_MARK ? command->name : NULL};
	bool paused = source->playing.paused;
	int r = 0;

	switch (command->kind) {
	case COMMAND_PHASE:
	case COMMAND_MARK:
		r = source_feed(source, &(struct feed_item){FEED_EVENT, .event = &phase});
		break;
	case COMMAND_FREEZE:
		paused = !paused || playback->steps;
		playback->steps = 0;
		begin_here(playback);
		break;
	case COMMAND_STEP:
		paused = true;
		playback->steps++;
		break;
	case COMMAND_SEEK:
		return seek(playback, command->by_ns);
	default:
		return 0;
	}
	set_playing(playback, paused, 0);
	return r;
}

/* Returns whether there was a command. */
static bool obey_commands(struct playback *playback)
{
	struct command command;
	bool any = false;

	for (; source_obey(&playback->source, &command); any = true)
		if (!playback->error)
			playback->error = obey(playback, &command);
	return any;
}

/* Makes sure that there is an item, or that it has ended. */
static void read_next(struct playback *playback)
{
	int r = playback->error;

	if (playback->has_item || playback->ended)
		return;
	if (!r)
		r = replay_next(playback->replay, &playback->item);
	playback->has_item = r > 0;
	if (r > 0)
		return;
	playback->error = r;
	playback->ended = true;
	playback->steps = 0;
	set_playing(playback, playback->source.playing.paused, 0);
}

/* Returns whether the item was a tick. */
static bool feed(struct playback *playback)
{
	struct source *source = &playback->source;
	bool is_tick = playback->item.feed.kind == FEED_TICK;

	playback->error = source_feed(source, &playback->item.feed);
	playback->has_item = false;
	playback->steps -= is_tick && playback->steps;
	/* The recording has grown: a run still writes it. */
	if (source->session.now_ns > source->playing.end_ns) {
		pthread_mutex_lock(&source->lock);
		source->playing.end_ns = source->session.now_ns;
		pthread_mutex_unlock(&source->lock);
	}
	return is_tick && !playback->error;
}

static double speed(const struct source *source)
{
	if (source->config->has_speed)
		return (double)source->config->speed_milli / 1000;
	return source->stays ? 1 : 0;
}

static void play(struct source *source)
{
	struct playback *playback = (struct playback *)source;
	uint64_t start_ns = source->session.start_ns, end_ns = replay_end_ns(playback->replay);

	pthread_mutex_lock(&source->lock);
	source->playing = (struct playing){.start_ns = start_ns,
		.end_ns = end_ns > start_ns ? end_ns : start_ns,
		.speed = speed(source)};
	pthread_mutex_unlock(&source->lock);
	begin_here(playback);
	for (;;) {
		read_next(playback);
		if (playback->ended && !source->stays)
			break;
		uint64_t until_ns = due_ns(playback);

		wait_until(playback, until_ns);
		bool news = obey_commands(playback);

		if (source->ended_by[0])
			break;
		if (!news && playback->has_item && clock_now_ns() >= until_ns)
			news = feed(playback);
		if (news)
			source_updated(source);
		if (source->ended_by[0]) /* the output is closed: there is nothing to wait for */
			break;
	}
	/* The end is the recorded run's own. */
	const char *why = replay_ended_by(playback->replay);

	if (playback->ended)
		source->ended_by[0] = '\0';
	source_end(source, why ? why : "the recording is cut off");
}

static int start(struct source *source, struct error_text *reason)
{
	struct playback *playback = (struct playback *)source;
	int r = replay_start(playback->replay, &source->session);

	return r < 0 ? error_text_set(reason, r, "%s: no memory for its rings", source->config->replay) : 0;
}

int playback_init(struct playback *playback, const struct config *asked, struct error_text *reason)
{
	*playback = (struct playback){.config = *asked};
	struct config *config = &playback->config;
	int r = source_init(&playback->source, config, reason);

	if (r == 0)
		r = replay_open(&playback->replay, config->replay, reason);
	if (r < 0)
		return r;
	playback->source.start = start;
	playback->source.loop = play;
	const struct config *recorded = replay_config(playback->replay);

	config->tick_ns = recorded->tick_ns;
	if (!config->has_figure)
		config->figure = recorded->figure;
	if (!config->has_fail_above)
		config->fail_above_ns = recorded->fail_above_ns;
	return 0;
}

void playback_finish(struct playback *playback)
{
	replay_close(playback->replay);
	source_finish(&playback->source);
}

void playback_complain(const struct playback *playback, FILE *out)
{
	const char *path = playback->config.replay;
	uint64_t first, n = replay_damages(playback->replay, &first);
	struct error_text reason;

	if (playback->error < 0) {
		error_text_set(&reason, playback->error, "%s: %s", path, strerror(-playback->error));
		fprintf(out, "ipctop: %s\n", reason.text);
	}
	if (!replay_ended_by(playback->replay)) {
		error_text_set(&reason, 0, "%s: has no end: it is cut off, or still written", path);
		fprintf(out, "ipctop: %s\n", reason.text);
	}
	if (n > 0) {
		error_text_set(&reason, 0, "%s: damaged at byte %llu%s: what is damaged was skipped", path,
			(unsigned long long)first, n > 1 ? " and behind" : "");
		fprintf(out, "ipctop: %s\n", reason.text);
	}
}
