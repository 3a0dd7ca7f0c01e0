/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dashboard.h - the live screen: a thread that shows the session on the terminal and obeys keys.
 *
 * The caller has called setlocale(LC_CTYPE, ""): bars are UTF-8 or ASCII as it says, unless ASCII is asked
 * for. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

#include "src/base/error_text.h"
#include "src/figures/tick.h"

struct commands;
struct history;
struct playing;
struct session;
struct dashboard;

/* All are called from the dashboard's thread, which holds no lock. */
struct dashboard_config {
	enum figure figure;
	unsigned screen; /* the view that it starts with: its place in views_table */
	uint64_t refresh_ns;
	uint64_t limit_ns; /* samples above it are counted; 0: none */
	bool color, mouse;
	bool ascii;                    /* also where the locale has UTF-8 */
	int input_fd;                  /* keys, as bytes, copied there from the terminal; does not block */
	void (*quit)(void *);          /* called once when the user quits */
	struct commands *commands;     /* where keys put what others are to obey */
	const struct playing *playing; /* in a replay; guarded as the session is */
	/* From now on letters are text, or keys; said after each key too, and where nothing changed. */
	void (*typing)(void *data, bool typing);
	/* The terminal is given back now, or was taken again: dashboard_restore_bytes() has what it needs. */
	void (*taken)(void *data, bool taken);
	void *data;
};

/* Makes the terminal on stdout ready, and the thread. @lock guards the session: held while a frame is
 * composed, never while it is written. -EINVAL where TERM is unknown or can't be drawn on, with the reason.
 */
int dashboard_start(struct dashboard **dashboard, const struct session *session, pthread_mutex_t *lock,
	const struct dashboard_config *config, struct error_text *reason);
/* Takes the terminal, and shows what the session is. @history: the session's, or NULL. */
void dashboard_show(struct dashboard *dashboard, struct history *history);
/* New data; never blocks. */
void dashboard_notify(struct dashboard *dashboard);
void dashboard_resized(struct dashboard *dashboard); /* SIGWINCH: the same, and draws all of it anew */
/* Ctrl-Z: gives the terminal back, stops the process (SIGSTOP to itself), takes it again after SIGCONT. */
void dashboard_suspend(struct dashboard *dashboard);
/* Gives the terminal back; one that is stalled delays it by no more than 120 ms. */
void dashboard_stop(struct dashboard *dashboard);

/* For a crash: async-signal-safe; harmless where no terminal is taken. */
void dashboard_restore(void);
/* The bytes and termios that make the terminal whole, for whoever outlives this process; n = 0 where
 * none is taken. */
size_t dashboard_restore_bytes(char *bytes, size_t size, struct termios *termios);
