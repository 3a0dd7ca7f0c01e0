/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dashboard.h - the live screen: a thread that shows the session on the terminal and obeys keys.
 *
 * The locale (LC_CTYPE), set by the caller, decides between UTF-8 and ASCII, unless the config wants ASCII.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/figures/tick.h"
#include "ui/draw/palette.h"
#include "ui/table/view_state.h"
#include "ui/views/line_helper.h"

struct command;
struct baseline;
struct history;
struct phase_source;
struct playback_state;
struct session;
struct setting;
struct dashboard;

/* All are called from the dashboard's thread, which holds no lock. */
struct dashboard_config {
	enum figure figure;
	unsigned view; /* the first one: an index of views_table */
	uint64_t refresh_ns;
	const struct baseline *baseline; /* the caller's; that of the start */
	uint64_t limit_ns;               /* samples above it are counted; 0: none */
	enum palette palette;
	enum colors colors;
	struct table_options table;
	bool no_color; /* COLORS_AUTO is none */
	bool mouse;
	bool read_only;                   /* keys that act are refused */
	bool hunts;                       /* the run compares loads: keys that change anything else are */
	const struct line_helper *helper; /* the caller's; NULL: none */
	bool ascii;                       /* even if the locale has UTF-8 */
	int keys;                         /* a descriptor that does not block: what the terminal sends */
	/* See struct input_hooks: kept up to date. */
	_Atomic uint64_t *q_quits_after;
	const struct playback_state *playing; /* of a playback; @lock guards it */
	/* Takes commands that are not the screen's, with their number as the client. Returns 0, or a negative
	 * errno with a sentence. */
	int (*command)(void *data, const struct command *command, struct error_text *refusal);
	/* Writes the settings into the configuration file, and sets the sentence to what it did, or why not.
	 * Returns 0 if the file has them, or a negative errno. */
	int (*save)(
		void *data, const struct setting *settings, size_t n_settings, struct error_text *sentence);
	/* Called when the terminal was taken, or given back; rescue_read() returns what restores it. */
	void (*taken)(void *data, bool taken);
	void *data;
};

/* Prepares the terminal on stdout, and the thread. @lock guards the session: held while a frame is composed,
 * never while it is written. Returns -EINVAL with the reason where TERM is unknown or lacks a capability. */
int dashboard_start(struct dashboard **dashboard, const struct session *session, pthread_mutex_t *lock,
	const struct dashboard_config *config, struct error_text *reason);
/* Takes the terminal, and shows the session. @history: the session's, or NULL. @phases: where its phases are
 * read. */
void dashboard_show(struct dashboard *dashboard, struct history *history, const struct phase_source *phases);
/* Prints the last frame as text. The caller does not hold the session's lock. */
void dashboard_print(struct dashboard *dashboard, FILE *out);
/* Takes the reply to a command. @refusal: why it was refused, which the screen shows; NULL: it was obeyed,
 * and the screen shows what it has @said, if anything. */
void dashboard_reply(struct dashboard *dashboard, uint64_t number, const struct error_text *refusal,
	const struct error_text *said);
/* Announces new data; never blocks. */
void dashboard_notify(struct dashboard *dashboard);
void dashboard_resized(struct dashboard *dashboard); /* SIGWINCH: the same, and draws all of it anew */
/* Ctrl-Z: gives the terminal back, stops the process (SIGSTOP to itself), takes it again after SIGCONT. */
void dashboard_suspend(struct dashboard *dashboard);
/* Gives the terminal back; a stalled one delays this by at most 120 ms. */
void dashboard_stop(struct dashboard *dashboard);
