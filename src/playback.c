/* SPDX-License-Identifier: GPL-2.0-or-later */
/* playback.c - a run of which all has been seen: the session's ticks come from a recording. */
#include "src/playback.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "src/clock.h"
#include "src/config.h"
#include "src/replay.h"
#include "src/report_json.h"
#include "src/run.h"

int playback_start(struct run *run, struct config *config, const struct config *asked, struct reason *reason)
{
	*config = *asked;
	*run = (struct run){.config = config};
	pthread_mutex_init(&run->lock, NULL);
	int r = replay_open(&run->replay, config->replay, reason);

	if (r < 0)
		return r;
	config->tick_ns = replay_facts(run->replay)->tick_ns;
	if (!config->has_figure)
		config->figure = replay_facts(run->replay)->figure;
	r = replay_start(run->replay, &run->session);
	return r < 0 ? reason_set(reason, r, "%s: no memory for its rings", config->replay) : 0;
}

/* Until then, or for ever where it is UINT64_MAX, or until someone wants the end. Returns whether they do. */
static bool is_ended(struct run *run, uint64_t until_ns)
{
	struct pollfd wanted = {.fd = run->guard.wanted, .events = POLLIN};
	uint64_t now_ns = clock_now_ns();
	struct timespec left = clock_timespec(until_ns > now_ns ? until_ns - now_ns : 0);

	if (ppoll(&wanted, 1, until_ns == UINT64_MAX ? NULL : &left, NULL) <= 0)
		return false;
	int signal = atomic_load(&run->guard.signal);

	if (signal)
		snprintf(run->ended_by, sizeof(run->ended_by), "signal SIG%s", sigabbrev_np(signal));
	else
		snprintf(run->ended_by, sizeof(run->ended_by), "quit");
	return true;
}

/* When, on this clock, what the recording has at @at_ns is to be shown. */
static uint64_t due_ns(const struct run *run, double speed, uint64_t begun_ns, uint64_t at_ns)
{
	const double far_ns = 1e17; /* what anyone may write as a time must not overflow */

	if (speed <= 0 || at_ns <= run->session.start_ns)
		return 0;
	double after_ns = (double)(at_ns - run->session.start_ns) / speed;

	return begun_ns + (uint64_t)(after_ns < far_ns ? after_ns : far_ns);
}

/* The end is the recorded run's own. */
static void end(struct run *run, int error)
{
	const char *why = replay_ended_by(run->replay);

	if (error < 0) {
		run->record_failed = true;
		reason_set(&run->record_reason, error, "%s: %s", run->config->replay, strerror(-error));
	}
	snprintf(run->ended_by, sizeof(run->ended_by), "%s", why ? why : "the recording is cut off");
}

void playback_loop(struct run *run, bool stays, bool (*updated)(void *data), void *data)
{
	const struct config *config = run->config;
	double speed = config->has_speed ? (double)config->speed_milli / 1000 : stays ? 1 : 0;
	uint64_t begun_ns = clock_now_ns();
	struct replay_item item;
	int r;

	while ((r = replay_next(run->replay, &item)) > 0) {
		uint64_t until_ns = due_ns(run, speed, begun_ns, item.at_ns);

		while (!is_ended(run, until_ns) && clock_now_ns() < until_ns)
			;
		if (run->ended_by[0])
			return;
		pthread_mutex_lock(&run->lock);
		r = replay_feed(&item, &run->session);
		pthread_mutex_unlock(&run->lock);
		if (r < 0)
			break;
		if (item.kind == REPLAY_TICK && !updated(data)) {
			snprintf(run->ended_by, sizeof(run->ended_by), "output closed");
			return;
		}
	}
	if (stays)
		while (!is_ended(run, UINT64_MAX))
			;
	end(run, r);
}

int playback_write_json(const struct run *run, const char *path, struct reason *reason)
{
	return report_json_write_recorded(
		path, &run->session, replay_header(run->replay), run->ended_by, reason);
}

void playback_complain(const struct run *run, FILE *out)
{
	uint64_t first, n = replay_damages(run->replay, &first);

	if (run->record_failed)
		fprintf(out, "ipctop: %s\n", run->record_reason.text);
	if (n > 0)
		fprintf(out, "ipctop: %s: damaged at byte %llu%s: what is damaged was skipped\n",
			run->config->replay, (unsigned long long)first, n > 1 ? " and behind" : "");
}

void playback_finish(struct run *run)
{
	guard_finish(&run->guard);
	replay_close(run->replay);
	session_finish(&run->session);
	pthread_mutex_destroy(&run->lock);
}
