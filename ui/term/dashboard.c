/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dashboard.c - the live screen's thread, and the functions that others call. */
#include "ui/term/dashboard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/loop.h"
#include "src/base/thread.h"
#include "src/base/tty.h"
#include "src/machine/cpu_activity.h"
#include "src/machine/cpus.h"
#include "src/machine/task.h"
#include "src/model/commands.h"
#include "src/model/comparer.h"
#include "src/model/playback_state.h"
#include "src/model/session.h"
#include "ui/frame/frame.h"
#include "ui/frame/keys.h"
#include "ui/term/input.h"
#include "ui/term/rescue.h"
#include "ui/term/screen.h"
#include "ui/term/shown_session.h"
#include "ui/views/act.h"
#include "ui/views/prompt.h"
#include "ui/views/setup.h"
#include "ui/views/views.h"

enum {
	BACKGROUND_NS = 200000000, /* between two checks whether the terminal may be taken again */
	ACTIVITY_NS = 950000000,   /* between two readings, of frames that come each second */
	PATIENCE_MS = 200,         /* for the thread to give the terminal back */
};

enum wish { WISH_RUN, WISH_SUSPEND, WISH_STOP };

struct dashboard {
	const struct session *session;
	pthread_mutex_t *session_lock;
	struct dashboard_config config;
	pthread_t thread;
	int event_fd; /* readable: there is news */
	int given_fd; /* eventfd: readable while @given */
	_Atomic bool resized;
	_Atomic bool compared_more; /* rows of the comparison are ready */

	/* The thread's own. */
	struct screen *screen;
	struct frame frame;
	struct canvas canvas;
	struct shown_session shown_session;
	struct comparer *comparer;        /* owned */
	struct comparison_lines compared; /* that views show */
	struct input input;
	struct cpu_activity activity;
	struct error_text message; /* the view's: why the last command was refused, or what it has said */
	uint64_t n_sent;           /* commands: each has its number */
	uint64_t asked;            /* the number of the one whose reply the prompt awaits */
	uint64_t removal;          /* the number of the last one that removes rings */
	uint64_t shown_ns;         /* the time of the last frame */
	uint64_t shown_events;     /* count_events() of the last frame */
	uint64_t n_keys;           /* bytes that it has read */
	bool keys_open, has_figure;
	bool news;    /* that is not drawn yet */
	bool repaint; /* draws the whole terminal again */
	bool stale;   /* a change by a key or a new size is not drawn yet */
	bool unfit;   /* a key has changed the view, which was not fitted to the session since */

	pthread_mutex_t mutex; /* guards what follows */
	enum wish wish;
	bool shown;             /* the thread may take the terminal */
	bool given;             /* the terminal was given back, by the thread or for it */
	uint64_t n_replied;     /* the number of the last command with a reply; they come in order */
	uint64_t n_told;        /* of the last one whose reply has a sentence; 0: the thread has taken it */
	bool is_answer;         /* it was obeyed, and not refused */
	struct error_text told; /* the sentence */
};

static bool has_figure(const struct session *session)
{
	for (size_t f = 0; session->n_groups && f < N_FIGURES; f++)
		if (hist_samples(&session->groups[0].figures[f].hist))
			return true;
	return false;
}

/* Counts all events so far. A new one is drawn at once. */
static uint64_t count_events(const struct dashboard *dashboard)
{
	const struct session *session = dashboard->session;
	const struct playback_state *playing = dashboard->config.playing;

	return session->n_events + session->events_dropped + (playing ? playing->n_obeyed << 32 : 0);
}

static bool has_event(struct dashboard *dashboard)
{
	pthread_mutex_lock(dashboard->session_lock);
	uint64_t events = count_events(dashboard);
	pthread_mutex_unlock(dashboard->session_lock);
	return events != dashboard->shown_events;
}

/* Called after keys and changes of size, which change the meaning of q. */
static void publish_q(struct dashboard *dashboard)
{
	if (dashboard->config.q_quits_after)
		atomic_store(dashboard->config.q_quits_after,
			keys_are_text(&dashboard->frame) ? UINT64_MAX : dashboard->n_keys);
}

/* Shows the lines that are ready. */
static void read_comparison(struct dashboard *dashboard)
{
	if (comparer_read(dashboard->comparer, &dashboard->compared) == 0)
		dashboard->frame.view.compared.lines = &dashboard->compared;
}

enum { VISIBLE_MAX = 256 };

/* Hands the phases over to the thread that compares them, the visible rows first. The caller holds the
 * session's lock. */
static void ask_for_comparison(struct dashboard *dashboard, const struct session *shown)
{
	const struct frame *frame = &dashboard->frame;
	const struct view_state *view = &frame->view;
	struct comparison_choice choice;
	size_t visible[VISIBLE_MAX], n = 0;
	bool is_still =
		frame->frozen || (frame->is_replay && (frame->playing.paused || frame->playing.ended));

	if (!compared_choice(view, &choice) || view->order.n_rings != shown->n_rings)
		return;
	for (size_t i = view->top; i < view->order.n && i < view->top + view->page && n < VISIBLE_MAX; i++)
		visible[n++] = view->order.rows[i].index;
	comparer_ask(dashboard->comparer, shown, is_still, &choice, visible, n, view->order.passes);
}

/* Reads what the CPUs do, for a view that shows it. The caller does not hold the session's lock. */
static void read_activity(struct dashboard *dashboard)
{
	struct frame *frame = &dashboard->frame;
	struct cpu_activity *activity = &dashboard->activity;
	uint64_t now_ns = clock_now_ns();

	frame->activity = NULL;
	if (dashboard->config.playing || frame->frozen || !frame->open[0]->shows_activity) {
		cpu_activity_finish(activity);
		return;
	}
	frame->activity = activity;
	if (now_ns - activity->read_ns < ACTIVITY_NS)
		return;
	struct cpus spared = cpus_isolated(), nohz_full = {0};

	cpus_read(&nohz_full, "/sys/devices/system/cpu/nohz_full");
	cpus_unite(&spared, &nohz_full);
	cpu_activity_read(activity, "", &spared, now_ns);
}

static void draw_frame(struct dashboard *dashboard)
{
	unsigned columns, lines;
	int r;

	read_comparison(dashboard);
	read_activity(dashboard);
	screen_resize(dashboard->screen, &columns, &lines);
	dashboard->frame.depth =
		screen_use_colors(dashboard->screen, dashboard->frame.palette, dashboard->frame.colors);
	dashboard->canvas.ascii = dashboard->frame.ascii || dashboard->frame.ascii_locale;
	pthread_mutex_lock(dashboard->session_lock);
	const struct session *shown = shown_session_now(&dashboard->shown_session, &dashboard->frame);

	r = frame_make(shown, &dashboard->frame, &dashboard->canvas, columns, lines);
	dashboard->unfit = false;
	if (r == 0)
		ask_for_comparison(dashboard, shown);
	dashboard->has_figure = dashboard->has_figure || has_figure(dashboard->session);
	dashboard->shown_events = count_events(dashboard);
	pthread_mutex_unlock(dashboard->session_lock);
	publish_q(dashboard);
	if (r == 0) {
		screen_use_mouse(dashboard->screen, dashboard->frame.mouse, &dashboard->input);
		screen_show(dashboard->screen, &dashboard->canvas, dashboard->repaint);
		dashboard->repaint = false;
	}
	dashboard->shown_ns = clock_now_ns();
}

/* In the key bar, until the next key. */
static void show_message(struct dashboard *dashboard, bool is_answer)
{
	dashboard->frame.message = dashboard->message.text;
	dashboard->frame.is_answer = is_answer;
	dashboard->stale = true;
}

/* The dialog that sent the command shows its refusal, or else the key bar does. */
static void show_refusal(struct dashboard *dashboard, uint64_t number)
{
	if (number == dashboard->removal)
		act_take_refusal(&dashboard->frame);
	if (!prompt_awaits_reply(&dashboard->frame) || number != dashboard->asked) {
		show_message(dashboard, false);
		return;
	}
	prompt_take_reply(&dashboard->frame, dashboard->message.text);
	dashboard->frame.message = NULL; /* an answer of before had the same place */
	dashboard->stale = true;
}

static void send_command(struct dashboard *dashboard, const struct command *command)
{
	struct command numbered = *command;

	numbered.client = ++dashboard->n_sent;
	if (prompt_awaits_reply(&dashboard->frame))
		dashboard->asked = numbered.client;
	if (command->kind == COMMAND_REMOVE)
		dashboard->removal = numbered.client;
	if (dashboard->config.command(dashboard->config.data, &numbered, &dashboard->message) < 0)
		show_refusal(dashboard, numbered.client);
}

static void obey_effect(struct dashboard *dashboard, const struct effect *effect)
{
	enum screen_wish wish = effect->wish;

	dashboard->stale |= wish != SCREEN_NONE;
	dashboard->unfit |= wish != SCREEN_NONE && wish != SCREEN_REDRAW;
	dashboard->repaint |= wish == SCREEN_REPAINT;
	if (wish == SCREEN_SAVE)
		setup_save(&dashboard->frame, dashboard->config.save, dashboard->config.data);
	if (effect->command.kind == COMMAND_NONE)
		return;
	pthread_mutex_lock(dashboard->session_lock);
	bool obeyed = shown_session_obey(&dashboard->shown_session, &dashboard->frame, &effect->command);
	pthread_mutex_unlock(dashboard->session_lock);
	if (!obeyed)
		send_command(dashboard, &effect->command);
}

/* Fits the view to what the key before has changed there: of keys that come faster than frames, each means
 * what it would mean after a frame. What the main thread was asked for may come later. */
static void fit_view(struct dashboard *dashboard)
{
	const struct canvas *canvas = &dashboard->canvas;

	if (!dashboard->unfit || canvas->lines < FRAME_LINES_MIN) /* no frame yet, or no key has a meaning */
		return;
	pthread_mutex_lock(dashboard->session_lock);
	const struct session *shown = shown_session_now(&dashboard->shown_session, &dashboard->frame);

	(void)frame_update(&dashboard->frame, shown, canvas->columns, canvas->lines);
	dashboard->unfit = false;
	pthread_mutex_unlock(dashboard->session_lock);
}

static void obey_event(struct dashboard *dashboard, const struct input_event *event)
{
	fit_view(dashboard);
	struct effect effect = frame_press(&dashboard->frame, event->code, event->x, event->y);

	obey_effect(dashboard, &effect);
}

/* Reads the pipe before the clock, so that no sequence whose end is in the pipe is cut off; only a part of
 * it, so that a flood of keys does not delay the thread's end. */
static void obey_keys(struct dashboard *dashboard)
{
	char bytes[INPUT_SIZE / 2];
	ssize_t n = read(dashboard->config.keys, bytes, sizeof(bytes));
	uint64_t now_ns = clock_now_ns();
	struct input_event event;

	if (n > 0) {
		dashboard->n_keys += (uint64_t)n;
		input_add(&dashboard->input, bytes, (size_t)n, now_ns);
	}
	while (input_next(&dashboard->input, now_ns, &event))
		obey_event(dashboard, &event);
	publish_q(dashboard);
}

static void report_given(struct dashboard *dashboard)
{
	pthread_mutex_lock(&dashboard->mutex);
	dashboard->given = true;
	eventfd_write(dashboard->given_fd, 1);
	pthread_mutex_unlock(&dashboard->mutex);
}

/* Gives back or takes the terminal. The lock is not held meanwhile, because this may take long. */
static enum wish obey_wish(struct dashboard *dashboard, bool *holds)
{
	pthread_mutex_lock(&dashboard->mutex);
	enum wish wish = dashboard->wish;
	bool give = wish == WISH_SUSPEND && !dashboard->given;
	bool take = wish == WISH_RUN && dashboard->given && tty_is_in_foreground(STDOUT_FILENO);

	if (take) {
		dashboard->given = false;
		eventfd_read(dashboard->given_fd, &(eventfd_t){0});
	}
	*holds = wish == WISH_RUN && !dashboard->given;
	pthread_mutex_unlock(&dashboard->mutex);

	if (give) {
		dashboard->config.taken(dashboard->config.data, false);
		screen_suspend(dashboard->screen);
		report_given(dashboard);
	}
	if (take) {
		screen_resume(dashboard->screen);
		dashboard->repaint = true;
		dashboard->shown_ns = 0;
		dashboard->config.taken(dashboard->config.data, true);
	}
	return wish;
}

static void take_news(void *data, short revents)
{
	struct dashboard *dashboard = data;

	eventfd_read(dashboard->event_fd, &(eventfd_t){0});
	dashboard->news = true;
}

/* The keys are read by obey_keys(). */
static void note_keys(void *data, short revents)
{
	struct dashboard *dashboard = data;

	if (!(revents & POLLIN))
		dashboard->keys_open = false;
}

static void send_rest(void *data, short revents)
{
	screen_send(((struct dashboard *)data)->screen);
}

/* Waits for a key, for news, for room at the terminal, or until @until_ns. @holds: the thread has the
 * terminal, and reads keys. */
static void wait_for_news(struct dashboard *dashboard, bool holds, uint64_t until_ns)
{
	struct loop loop;

	loop_begin(&loop);
	loop_watch(&loop, dashboard->event_fd, POLLIN, take_news, dashboard);
	if (holds && dashboard->keys_open)
		loop_watch(&loop, dashboard->config.keys, POLLIN, note_keys, dashboard);
	loop_watch(&loop, screen_behind(dashboard->screen), POLLOUT, send_rest, dashboard);
	loop_wake(&loop, until_ns, NULL, NULL);
	loop_wait(&loop);
}

static void draw_anew(struct dashboard *dashboard)
{
	dashboard->stale = dashboard->news = false;
	draw_frame(dashboard);
	if (shown_session_seek(&dashboard->shown_session, &dashboard->frame))
		draw_frame(dashboard);
}

static void take_replies(struct dashboard *dashboard)
{
	pthread_mutex_lock(&dashboard->mutex);
	uint64_t replied = dashboard->n_replied, told = dashboard->n_told;
	bool is_answer = dashboard->is_answer;

	if (told)
		dashboard->message = dashboard->told;
	dashboard->n_told = 0;
	pthread_mutex_unlock(&dashboard->mutex);
	if (told && is_answer)
		show_message(dashboard, true);
	else if (told)
		show_refusal(dashboard, told);
	if (prompt_awaits_reply(&dashboard->frame) && replied >= dashboard->asked) {
		prompt_take_reply(&dashboard->frame, NULL);
		dashboard->stale = true;
	}
}

/* One round: obeys, waits, and draws if that is due and the last frame was sent. Returns false to end. */
static bool run_once(struct dashboard *dashboard)
{
	unsigned columns, lines;
	bool holds;
	enum wish wish = obey_wish(dashboard, &holds);

	if (wish == WISH_STOP)
		return false;
	if (!holds) {
		wait_for_news(
			dashboard, false, wish == WISH_RUN ? clock_now_ns() + BACKGROUND_NS : UINT64_MAX);
		return true;
	}
	uint64_t due_ns = dashboard->shown_ns + (dashboard->has_figure ? dashboard->frame.refresh_ns : 0);
	uint64_t wake_ns = input_due_ns(&dashboard->input);

	if (dashboard->news && screen_behind(dashboard->screen) < 0 && due_ns < wake_ns)
		wake_ns = due_ns;
	wait_for_news(dashboard, true, wake_ns);
	obey_keys(dashboard);
	take_replies(dashboard);
	dashboard->stale |= screen_resize(dashboard->screen, &columns, &lines);

	dashboard->stale |= atomic_exchange(&dashboard->compared_more, false);
	/* Even if the size is as before: it may have been smaller in between. */
	dashboard->repaint |= atomic_exchange(&dashboard->resized, false);
	if (screen_behind(dashboard->screen) < 0 &&
		(dashboard->stale || dashboard->repaint ||
			(dashboard->news && (clock_now_ns() >= due_ns || has_event(dashboard)))))
		draw_anew(dashboard);
	return true;
}

/* Obeys keys meanwhile. Returns for WISH_STOP, too: the terminal is then taken and given back. */
static void wait_until_shown(struct dashboard *dashboard)
{
	for (;;) {
		pthread_mutex_lock(&dashboard->mutex);
		bool go_on = dashboard->shown || dashboard->wish == WISH_STOP;
		pthread_mutex_unlock(&dashboard->mutex);
		if (go_on)
			return;
		wait_for_news(dashboard, true, input_due_ns(&dashboard->input));
		obey_keys(dashboard);
	}
}

static void *dashboard_thread(void *data)
{
	struct dashboard *dashboard = data;

	pthread_setname_np(pthread_self(), "screen");
	screen_tell_input(dashboard->screen, &dashboard->input);
	wait_until_shown(dashboard);
	screen_take(dashboard->screen);
	dashboard->news = true;
	while (run_once(dashboard))
		;
	screen_destroy(dashboard->screen); /* here, where SIGTTOU is blocked */
	dashboard->screen = NULL;
	return NULL;
}

/* Called by the thread that compares. */
static void comparison_has_news(void *data)
{
	struct dashboard *dashboard = data;

	atomic_store(&dashboard->compared_more, true);
	dashboard_notify(dashboard);
}

static void free_dashboard(struct dashboard *dashboard)
{
	comparer_destroy(dashboard->comparer);
	comparison_lines_finish(&dashboard->compared);
	cpu_activity_finish(&dashboard->activity);
	shown_session_finish(&dashboard->shown_session);
	frame_finish(&dashboard->frame);
	canvas_finish(&dashboard->canvas);
	if (dashboard->screen)
		screen_destroy(dashboard->screen);
	rescue_finish();
	if (dashboard->event_fd >= 0)
		close(dashboard->event_fd);
	if (dashboard->given_fd >= 0)
		close(dashboard->given_fd);
	pthread_mutex_destroy(&dashboard->mutex);
	free(dashboard);
}

static int init_frame(struct frame *frame, const struct dashboard_config *config)
{
	int r = frame_init(frame, config->figure, config->refresh_ns);

	if (r < 0)
		return r;
	view_state_set_table(&frame->view, &config->table);
	frame->view.limit_ns = config->limit_ns;
	frame->view.compared.baseline = config->baseline->number;
	if (config->baseline->number)
		frame->view.compared.file = &config->baseline->file;
	view_open(frame, views_table[config->view]);
	frame->palette = config->palette;
	frame->colors = config->colors;
	frame->ascii = config->ascii;
	frame->ascii_locale = frame_is_ascii();
	frame->mouse = config->mouse;
	frame->read_only = config->read_only;
	frame->hunts = config->hunts;
	frame->helper = config->helper;
	setup_note_kept(frame);
	return 0;
}

int dashboard_start(struct dashboard **out, const struct session *session, pthread_mutex_t *lock,
	const struct dashboard_config *config, struct error_text *reason)
{
	struct dashboard *dashboard = calloc(1, sizeof(*dashboard));
	pthread_mutexattr_t attributes;
	int r;

	if (!dashboard)
		return error_text_set(reason, -ENOMEM, "there is no memory for the screen");
	dashboard->session = session;
	dashboard->session_lock = lock;
	dashboard->config = *config;
	dashboard->shown_session = (struct shown_session){.live = session, .playing = config->playing};
	dashboard->keys_open = true;
	dashboard->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	dashboard->given_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	pthread_mutexattr_init(
		&attributes); /* the main thread, which may have real-time priority, takes it, too */
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&dashboard->mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	tzset(); /* now, because it reads a file */
	r = dashboard->event_fd < 0 || dashboard->given_fd < 0
		    ? error_text_set(reason, -errno, "eventfd: %s", strerror(errno))
		    : canvas_init(&dashboard->canvas, 1, 1, false);
	if (r == 0 && (r = init_frame(&dashboard->frame, config)) < 0)
		error_text_set(reason, r, "there is no memory for the screen");
	if (r == 0)
		r = screen_create(
			&dashboard->screen, config->colors, config->no_color, config->mouse, reason);
	if (r == 0 && (r = comparer_create(&dashboard->comparer, comparison_has_news, dashboard)) < 0)
		error_text_set(
			reason, r, "the thread that compares can't be started: %s", task_no_thread(r, 0));
	if (r == 0 && (r = thread_start(&dashboard->thread, dashboard_thread, dashboard)) < 0)
		error_text_set(reason, r, "the screen's thread can't be started: %s", task_no_thread(r, 0));
	if (r < 0) {
		free_dashboard(dashboard);
		return r;
	}
	*out = dashboard;
	return 0;
}

void dashboard_show(struct dashboard *dashboard, struct history *history, const struct phase_source *phases)
{
	/* Keys may be obeyed before the first frame, so the history is read under the session's lock. */
	pthread_mutex_lock(dashboard->session_lock);
	dashboard->shown_session.history = history;
	pthread_mutex_unlock(dashboard->session_lock);
	comparer_set_source(dashboard->comparer, phases); /* its thread does not read it before */
	pthread_mutex_lock(&dashboard->mutex);
	dashboard->shown = true;
	pthread_mutex_unlock(&dashboard->mutex);
	dashboard_notify(dashboard);
}

/* Frames are made under the session's lock. */
void dashboard_print(struct dashboard *dashboard, FILE *out)
{
	pthread_mutex_lock(dashboard->session_lock);
	if (dashboard->canvas.cells)
		canvas_print(&dashboard->canvas, out);
	pthread_mutex_unlock(dashboard->session_lock);
}

void dashboard_reply(struct dashboard *dashboard, uint64_t number, const struct error_text *refusal,
	const struct error_text *said)
{
	pthread_mutex_lock(&dashboard->mutex);
	bool has_unread = dashboard->n_told && !dashboard->is_answer;

	dashboard->n_replied = number;
	if (refusal || (*said->text && !has_unread)) {
		dashboard->told = refusal ? *refusal : *said;
		dashboard->n_told = number;
		dashboard->is_answer = !refusal;
	}
	pthread_mutex_unlock(&dashboard->mutex);
	dashboard_notify(dashboard);
}

void dashboard_notify(struct dashboard *dashboard)
{
	eventfd_write(dashboard->event_fd, 1); /* only a full counter refuses: the thread is awake then */
}

void dashboard_resized(struct dashboard *dashboard)
{
	atomic_store(&dashboard->resized, true);
	dashboard_notify(dashboard);
}

/* --- giving back the terminal --- */

static void set_wish(struct dashboard *dashboard, enum wish wish)
{
	pthread_mutex_lock(&dashboard->mutex);
	dashboard->wish = wish;
	pthread_mutex_unlock(&dashboard->mutex);
	dashboard_notify(dashboard);
}

void dashboard_suspend(struct dashboard *dashboard)
{
	struct pollfd given = {.fd = dashboard->given_fd, .events = POLLIN};

	set_wish(dashboard, WISH_SUSPEND);
	if (poll(&given, 1, PATIENCE_MS) <= 0) {
		rescue_now();
		report_given(dashboard);
	}
	/* To this thread, so that it does not go on before all threads have stopped. */
	pthread_kill(pthread_self(), SIGSTOP);
	set_wish(dashboard, WISH_RUN);
}

void dashboard_stop(struct dashboard *dashboard)
{
	set_wish(dashboard, WISH_STOP);
	pthread_join(dashboard->thread, NULL);
	free_dashboard(dashboard);
}
