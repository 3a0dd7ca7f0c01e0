/* SPDX-License-Identifier: GPL-2.0-or-later */
/* playback.c - a run of which all has been seen: the session's ticks come from a recording. */
#include "src/run/playback.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/plan/config.h"
#include "src/recording/replay.h"
#include "src/report/report_json.h"
#include "src/run/run.h"

/* Ticks end a little after their time: who goes back a second means the tick that was shown then. */
enum { SEEK_SLACK_NS = 20000000 };

int playback_start(
	struct run *run, struct config *config, const struct config *asked, struct error_text *reason)
{
	*config = *asked;
	*run = (struct run){.config = config};
	pthread_mutex_init(&run->lock, NULL);
	int r = commands_init(&run->commands);

	if (r < 0)
		return error_text_set(reason, r, "eventfd: %s", error_text_of_errno(r));
	r = replay_open(&run->replay, config->replay, reason);
	if (r < 0)
		return r;
	config->tick_ns = replay_config(run->replay)->tick_ns;
	if (!config->has_figure)
		config->figure = replay_config(run->replay)->figure;
	if (!config->has_fail_above)
		config->fail_above_ns = replay_config(run->replay)->fail_above_ns;
	r = replay_start(run->replay, &run->session);
	return r < 0 ? error_text_set(reason, r, "%s: no memory for its rings", config->replay) : 0;
}

/* Where the recording stands, and what is next. */
struct player {
	struct run *run;
	double speed;
	bool stays;
	bool (*updated)(void *data);
	void *data;
	uint64_t begun_ns, from_ns; /* when, on this clock, the recording's from_ns was shown */
	struct replay_item item;
	bool has_item, ended;
	int error;      /* of reading: then it has ended */
	unsigned steps; /* ticks that are taken though it is paused */
};

/* Until then, or for ever where it is UINT64_MAX, or until someone asks for something. Returns whether they
 * want the end. */
static bool is_ended(struct run *run, uint64_t until_ns)
{
	struct pollfd fds[] = {
		{.fd = run->guard.wanted, .events = POLLIN},
		{.fd = run->commands.wanted, .events = POLLIN},
	};
	uint64_t now_ns = clock_now_ns();
	struct timespec left = clock_timespec(until_ns > now_ns ? until_ns - now_ns : 0);

	if (ppoll(fds, 2, until_ns == UINT64_MAX ? NULL : &left, NULL) <= 0 || !fds[0].revents)
		return false;
	int signal = atomic_load(&run->guard.signal);

	if (signal)
		snprintf(run->ended_by, sizeof(run->ended_by), "signal SIG%s", sigabbrev_np(signal));
	else
		snprintf(run->ended_by, sizeof(run->ended_by), "quit");
	return true;
}

/* From here on time goes by as it did. */
static void begin_here(struct player *player)
{
	player->begun_ns = clock_now_ns();
	player->from_ns = session_position_ns(&player->run->session);
}

/* When, on this clock, the next item is to be shown. */
static uint64_t due_ns(const struct player *player)
{
	const double far_ns = 1e17; /* what anyone may write as a time must not overflow */
	uint64_t at_ns = player->item.feed.at_ns;

	if (player->steps)
		return 0;
	if (player->run->playing.paused || player->ended)
		return UINT64_MAX;
	if (player->speed <= 0 || at_ns <= player->from_ns)
		return 0;
	double after_ns = (double)(at_ns - player->from_ns) / player->speed;

	return player->begun_ns + (uint64_t)(after_ns < far_ns ? after_ns : far_ns);
}

/* Whoever looks is to see at once what has changed. */
static void tell(struct player *player, bool paused, uint64_t sought_ns)
{
	struct playing *playing = &player->run->playing;

	pthread_mutex_lock(&player->run->lock);
	playing->paused = paused;
	playing->ended = player->ended;
	playing->sought_ns = sought_ns;
	playing->n_obeyed++;
	pthread_mutex_unlock(&player->run->lock);
	if (player->stays)
		player->updated(player->data);
}

static uint64_t moved(uint64_t from_ns, int64_t by_ns, const struct playing *playing)
{
	uint64_t room_ns = from_ns - playing->start_ns;

	if (by_ns < 0)
		return room_ns > -(uint64_t)by_ns ? from_ns + (uint64_t)by_ns : playing->start_ns;
	return playing->end_ns - from_ns > (uint64_t)by_ns ? from_ns + (uint64_t)by_ns : playing->end_ns;
}

/* It takes a while, and who looks at the session must not wait for that: a new one is made. */
static int seek(struct player *player, int64_t by_ns)
{
	struct run *run = player->run;
	struct session found = {0}, before;
	/* Who leaves the end wants to look, and what is played fast would be there again at once. */
	bool paused = run->playing.paused || player->ended || player->speed <= 0;
	uint64_t from_ns = session_position_ns(&run->session);
	uint64_t at_ns =
		moved(from_ns < run->playing.end_ns ? from_ns : run->playing.end_ns, by_ns, &run->playing);

	tell(player, paused, at_ns);
	int r = replay_seek(run->replay, &found, at_ns + SEEK_SLACK_NS);

	player->has_item = false;
	player->ended = r < 0;
	player->steps = 0;
	if (r < 0) {
		session_finish(&found);
		return r;
	}
	pthread_mutex_lock(&run->lock);
	before = run->session;
	run->session = found;
	pthread_mutex_unlock(&run->lock);
	session_finish(&before);
	begin_here(player);
	tell(player, paused, 0);
	return 0;
}

static int obey(struct player *player, const struct command *command)
{
	struct run *run = player->run;
	bool paused = run->playing.paused;
	int r = 0;

	switch (command->kind) {
	case COMMAND_PHASE:
	case COMMAND_MARK:
		pthread_mutex_lock(&run->lock);
		r = session_phase(&run->session, command->kind == COMMAND_MARK ? command->name : NULL);
		pthread_mutex_unlock(&run->lock);
		break;
	case COMMAND_FREEZE:
		paused = !paused || player->steps;
		player->steps = 0;
		begin_here(player);
		break;
	case COMMAND_STEP:
		paused = true;
		player->steps++;
		break;
	case COMMAND_SEEK:
		return seek(player, command->by_ns);
	default:
		return 0;
	}
	tell(player, paused, 0);
	return r;
}

/* Returns whether someone asked for something. */
static bool obey_all(struct player *player)
{
	struct command command;
	bool any = false;

	for (; !player->error && commands_next(&player->run->commands, &command); any = true)
		player->error = obey(player, &command);
	return any;
}

/* Makes sure that there is an item, but for the end. */
static void look_ahead(struct player *player)
{
	int r = player->error ? player->error : 1;

	if (player->has_item || player->ended)
		return;
	if (!player->error)
		r = replay_next(player->run->replay, &player->item);
	player->has_item = r > 0;
	if (r > 0)
		return;
	player->error = r;
	player->ended = true;
	player->steps = 0;
	tell(player, player->run->playing.paused, 0);
}

/* Returns whether it was a tick. */
static bool feed(struct player *player)
{
	struct run *run = player->run;
	bool is_tick = player->item.feed.kind == FEED_TICK;

	pthread_mutex_lock(&run->lock);
	player->error = feed_session(&run->session, &player->item.feed);
	/* A recording that is still written has grown since it was opened. */
	if (run->session.now_ns > run->playing.end_ns)
		run->playing.end_ns = run->session.now_ns;
	pthread_mutex_unlock(&run->lock);
	player->has_item = false;
	player->steps -= is_tick && player->steps;
	return is_tick && !player->error;
}

static void play(struct player *player)
{
	struct run *run = player->run;

	for (;;) {
		look_ahead(player);
		if (player->ended && !player->stays)
			return;
		uint64_t until_ns = due_ns(player);

		if (is_ended(run, until_ns))
			return;
		bool news = obey_all(player);

		if (!news && player->has_item && clock_now_ns() >= until_ns)
			news = feed(player);
		if (news && !player->updated(player->data)) {
			snprintf(run->ended_by, sizeof(run->ended_by), "output closed");
			return;
		}
	}
}

/* The end is the recorded run's own. */
static void end(struct run *run, int error)
{
	const char *why = replay_ended_by(run->replay);

	if (error < 0) {
		run->record_failed = true;
		error_text_set(&run->record_reason, error, "%s: %s", run->config->replay, strerror(-error));
	}
	snprintf(run->ended_by, sizeof(run->ended_by), "%s", why ? why : "the recording is cut off");
}

void playback_loop(struct run *run, bool stays, bool (*updated)(void *data), void *data)
{
	const struct config *config = run->config;
	struct player player = {.run = run,
		.stays = stays,
		.updated = updated,
		.data = data,
		.speed = config->has_speed ? (double)config->speed_milli / 1000
			 : stays           ? 1
					   : 0};

	uint64_t start_ns = run->session.start_ns, end_ns = replay_end_ns(run->replay);

	pthread_mutex_lock(&run->lock);
	run->playing = (struct playing){
		.start_ns = start_ns, .end_ns = end_ns > start_ns ? end_ns : start_ns, .speed = player.speed};
	pthread_mutex_unlock(&run->lock);
	begin_here(&player);
	play(&player);
	if (!run->ended_by[0] || player.ended)
		end(run, player.error);
}

int playback_write_json(const struct run *run, const char *path, struct error_text *reason)
{
	return report_json_write_recorded(
		path, &run->session, replay_header(run->replay), run->ended_by, reason);
}

void playback_complain(const struct run *run, FILE *out)
{
	uint64_t first, n = replay_damages(run->replay, &first);
	struct error_text reason;

	if (run->record_failed)
		fprintf(out, "ipctop: %s\n", run->record_reason.text);
	if (!replay_ended_by(run->replay)) {
		error_text_set(
			&reason, 0, "%s: has no end: it is cut off, or still written", run->config->replay);
		fprintf(out, "ipctop: %s\n", reason.text);
	}
	if (n > 0) {
		error_text_set(&reason, 0, "%s: damaged at byte %llu%s: what is damaged was skipped",
			run->config->replay, (unsigned long long)first, n > 1 ? " and behind" : "");
		fprintf(out, "ipctop: %s\n", reason.text);
	}
}

void playback_finish(struct run *run)
{
	guard_finish(&run->guard);
	replay_close(run->replay);
	session_finish(&run->session);
	commands_finish(&run->commands);
	pthread_mutex_destroy(&run->lock);
}
