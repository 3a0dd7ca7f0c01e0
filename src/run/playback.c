/* SPDX-License-Identifier: GPL-2.0-or-later */
/* playback.c - plays a recording: its items feed the session in place of a run's. */
#include "src/run/playback.h"

#include <errno.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/base/regular_file.h"
#include "src/model/session.h"
#include "src/report/export.h"

/* Ticks end a little late: a second back means the tick that was shown then. */
enum { SEEK_SLACK_NS = 20000000 };

/* Playing continues at the recorded pace from here. */
static void begin_here(struct playback *playback)
{
	playback->begun_ns = clock_now_ns();
	playback->from_ns = session_position_ns(&playback->source.session);
}

/* Returns when, on this clock, the next item must be shown. */
static uint64_t due_ns(const struct playback *playback)
{
	const struct playback_state *playing = &playback->source.playing;
	const double far_ns = 1e17; /* a hostile recording may have any time: avoid an overflow */
	uint64_t at_ns = playback->replay.item.feed.at_ns;

	if (playback->ended || (playing->paused && !playback->steps))
		return UINT64_MAX;
	if (playback->steps || playing->speed <= 0 || at_ns <= playback->from_ns)
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
	source_feed(source, &(struct feed_item){FEED_PLAYBACK, session_position_ns(&source->session)});
}

static uint64_t moved_position(uint64_t from_ns, int64_t by_ns, const struct playback_state *playing)
{
	uint64_t room_ns = from_ns - playing->start_ns;

	if (by_ns < 0)
		return room_ns > -(uint64_t)by_ns ? from_ns + (uint64_t)by_ns : playing->start_ns;
	return playing->end_ns - from_ns > (uint64_t)by_ns ? from_ns + (uint64_t)by_ns : playing->end_ns;
}

/* A read that COMMAND_QUIT ended is no error, and the command, which comes next, ends the playing. */
static void read_next(struct playback *playback)
{
	int r = playback->error ? playback->error : replay_next(&playback->replay);

	playback->ended = r <= 0 && r != -ECANCELED;
	if (!playback->ended) {
		playback->error = 0;
		return;
	}
	struct source *source = &playback->source;

	/* At the end no tick comes that would bring those that wait into their phase. */
	pthread_mutex_lock(&source->lock);
	int settled = session_phases_settle(&source->session);

	pthread_mutex_unlock(&source->lock);
	playback->error = r < 0 ? r : settled;
	playback->steps = 0;
	set_playing(playback, source->playing.paused, 0);
}

static int refuse_after_error(const struct playback *playback, struct error_text *refusal)
{
	return error_text_set(refusal, playback->error, "%s: %s", playback->config.replay,
		error_text_of_errno(playback->error));
}

/* Makes a new session: the screen shows the old one meanwhile. */
static void seek_by(struct playback *playback, int64_t by_ns)
{
	struct source *source = &playback->source;
	const struct playback_state *playing = &source->playing;
	struct session found = {0}, before;
	/* Otherwise it would return to the end at once, as at full speed. */
	bool paused = playing->paused || playback->ended || playing->speed <= 0;
	uint64_t from_ns = session_position_ns(&source->session);
	uint64_t at_ns =
		moved_position(from_ns < playing->end_ns ? from_ns : playing->end_ns, by_ns, playing);

	set_playing(playback, paused, at_ns);
	playback->error = replay_seek(&playback->replay, &found, at_ns + SEEK_SLACK_NS);
	playback->steps = 0;
	if (playback->error) {
		before = found;
	} else {
		pthread_mutex_lock(&source->lock);
		before = source->session;
		found.phases.baseline = before.phases.baseline;
		source->session = found;
		pthread_mutex_unlock(&source->lock);
		begin_here(playback);
	}
	session_finish(&before);
	read_next(playback);
	set_playing(playback, paused, 0);
}

/* --- commands --- */

static int obey_freeze(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct playback *playback = (struct playback *)source;
	bool paused = !source->playing.paused || playback->steps;

	if (playback->error)
		return refuse_after_error(playback, refusal);
	playback->steps = 0;
	begin_here(playback);
	set_playing(playback, paused, 0);
	return 0;
}

const struct command_row command_freeze = {
	"freeze", "pause or resume a replay", .kind = COMMAND_FREEZE, .in_replay = obey_freeze};

static int obey_step(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct playback *playback = (struct playback *)source;

	if (playback->error)
		return refuse_after_error(playback, refusal);
	playback->steps += !playback->ended;
	set_playing(playback, true, 0);
	return 0;
}

const struct command_row command_step = {
	"step", "pause a replay, and show its next tick", .kind = COMMAND_STEP, .in_replay = obey_step};

static int obey_seek(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct playback *playback = (struct playback *)source;

	if (playback->error)
		return refuse_after_error(playback, refusal);
	seek_by(playback, command->by_ns);
	return 0;
}

static int read_seek(struct option_reading *reading, const char *value)
{
	struct command *command = reading->target;
	bool back = *value == '-';
	uint64_t by_ns;

	if (value_time(value + (back || *value == '+'), value_seconds, &by_ns) < 0 || by_ns > INT64_MAX)
		return option_refuse(reading, value, "must be a time, such as -10s, +1m or 5");
	command->by_ns = back ? -(int64_t)by_ns : (int64_t)by_ns;
	return 0;
}

static const struct option_row seek_argument = {.name = "by", .argument = "TIME", .read = read_seek};

const struct command_row command_seek = {"seek", "move a replay on by TIME, or back by -TIME", &seek_argument,
	.kind = COMMAND_SEEK, .in_replay = obey_seek};

/* Feeds the item, and reads the next one. */
static void feed_next(struct playback *playback)
{
	struct source *source = &playback->source;
	bool is_tick = playback->replay.item.feed.kind == FEED_TICK;

	playback->error = source_feed(source, &playback->replay.item.feed);
	playback->steps -= is_tick && playback->steps;
	/* The recording has grown: a run still writes it. */
	if (source->session.now_ns > source->playing.end_ns) {
		pthread_mutex_lock(&source->lock);
		source->playing.end_ns = source->session.now_ns;
		pthread_mutex_unlock(&source->lock);
	}
	read_next(playback);
}

static void play_due_items(struct source *source)
{
	struct playback *playback = (struct playback *)source;
	const struct config *config = source->config;
	uint64_t start_ns = source->session.start_ns, end_ns = playback->replay.index.end_ns;

	pthread_mutex_lock(&source->lock);
	source->playing = (struct playback_state){.start_ns = start_ns,
		.end_ns = end_ns > start_ns ? end_ns : start_ns,
		.speed = config->has_speed ? (double)config->speed_milli / 1000 : source->stays};
	pthread_mutex_unlock(&source->lock);
	begin_here(playback);
	read_next(playback);
	while (!source->ended_by[0] && (!playback->ended || source->stays)) {
		uint64_t until_ns = due_ns(playback);

		source_begin_round(source, &playback->loop);
		loop_wake(&playback->loop, until_ns, NULL, NULL);
		loop_wait(&playback->loop);
		if (!source_obey(source) && !playback->ended && clock_now_ns() >= until_ns)
			feed_next(playback);
	}
	/* The end is the recorded run's own. */
	const char *why = playback->replay.index.ended_by;

	if (playback->ended)
		source->ended_by[0] = '\0';
	source_end(source, why ? why : "the recording is cut off");
}

/* Opens the recording a second time, when a phase is read first. */
static int read_phase(
	void *data, const struct phase *wanted, bool goes_on, const atomic_bool *stop, struct phase *read)
{
	struct playback *playback = data;
	struct phase_reader *reader = &playback->phases;
	struct error_text reason;
	int r = phase_reader_find(reader, wanted, read);

	if (r != -ENOENT)
		return r;
	if (reader->replay.file.fd < 0) {
		int fd = regular_file_open(playback->config.replay, &reason);

		r = fd < 0 ? fd : replay_open_fd(&reader->replay, fd, playback->config.replay, &reason);
		if (r < 0)
			return r;
		reader->replay.file.stop = &playback->source.quits;
	}
	r = replay_index_extend(&reader->replay.index, &reader->replay.file);
	return r == 0 ? phase_reader_read(reader, wanted, goes_on, stop, read) : r;
}

static int start_playing(struct source *source, struct error_text *reason)
{
	struct playback *playback = (struct playback *)source;
	int r = replay_start(&playback->replay, &source->session);

	if (r < 0)
		return error_text_set(reason, r, "%s: no memory for its rings", source->config->replay);
	return source_feed_start(source, reason);
}

/* A run refuses before it starts what needs rings, or a matrix; so does a playback. */
static int check_sweep(const struct config *asked, const struct replay *replay, struct error_text *reason)
{
	bool is_sweep = replay->config.sweep, has_first = replay->n_swept_kinds > SWEEP_FIRST_THERE;

	if (is_sweep && asked->baseline)
		return error_text_set(reason, -EINVAL,
			"--baseline: %s is of a sweep, which has no rings; choose --export matrix=FILE or --json",
			asked->replay);
	if (is_sweep && config_asks_figure_of_rings(asked))
		return error_text_set(reason, -EINVAL,
			"--show %s: %s is of a sweep, which has no intervals; choose %sanswer, for its hops, or lap",
			figure_name(asked->figure), asked->replay, has_first ? "first, " : "");
	if (is_sweep && config_sweeps_first_hops(asked) && !has_first)
		return error_text_set(reason, -EINVAL,
			"--show first: %s is of a sweep that did not measure first hops; choose answer, for its "
			"hops, or lap",
			asked->replay);
	for (unsigned i = 0; export_name(i); i++) {
		bool is_matrix = strcmp(export_name(i), "matrix") == 0;

		if (!asked->exports[i] || is_matrix == is_sweep)
			continue;
		return error_text_set(reason, -EINVAL,
			is_sweep ? "export %s: %s is of a sweep, which has no rings; choose matrix"
				 : "export %s: %s has no matrix, as it is not of a sweep",
			export_name(i), asked->replay);
	}
	return 0;
}

int playback_init(struct playback *playback, const struct config *asked, struct error_text *reason)
{
	*playback = (struct playback){.config = *asked, .replay.file.fd = -1, .phases.replay.file.fd = -1};
	struct config *config = &playback->config;
	int r = source_init(&playback->source, config, reason);

	if (r == 0)
		r = replay_open(&playback->replay, config->replay, reason);
	if (r == 0)
		r = check_sweep(config, &playback->replay, reason);
	if (r < 0)
		return r;
	playback->replay.file.stop = &playback->source.quits;
	playback->source.replay = &playback->replay;
	playback->source.start = start_playing;
	playback->source.loop = play_due_items;
	playback->source.phases = (struct phase_source){read_phase, playback};
	const struct config *recorded = &playback->replay.config;

	config->tick_ns = recorded->tick_ns;
	if (!config->has_figure)
		config->figure = recorded->figure;
	if (!config->has_view && recorded->sweep)
		config->view = config->sweep_view;
	if (!config->has_fail_above)
		config->fail_above_ns = recorded->fail_above_ns;
	return 0;
}

void playback_finish(struct playback *playback)
{
	replay_close(&playback->replay);
	phase_reader_close(&playback->phases);
	source_finish(&playback->source);
}

void playback_complain(const struct playback *playback, FILE *out)
{
	const char *path = playback->config.replay;
	struct error_text sentence;

	if (playback->error < 0) {
		error_text_set(&sentence, 0, "%s: %s", path, strerror(-playback->error));
		fprintf(out, "ipctop: %s\n", sentence.text);
	}
	replay_complain(&playback->replay, path, out);
}
