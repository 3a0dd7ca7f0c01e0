/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - shows canvases on the terminal. The one user of curses, which writes to memory: its bytes go on
 * when the terminal takes them (wire.h).
 *
 * One thread at a time may call these. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "ui/draw/canvas.h"
#include "ui/term/input.h"

struct screen;

/* The terminal on stdout. -ENOTTY, or -EINVAL where the terminal can't do what is needed, with the reason;
 * nothing is written or changed then, and but for restore.h nothing yet. */
int screen_create(struct screen **screen, bool color, bool mouse, struct error_text *reason);
/* Takes the terminal, once, before all that follows. */
void screen_take(struct screen *screen);
/* Gives the terminal back. */
void screen_destroy(struct screen *screen);

/* Gives it back for a while, and takes it again. Like screen_destroy(), this waits for 60 ms at most. */
void screen_suspend(struct screen *screen);
void screen_resume(struct screen *screen);
/* Is this the terminal's foreground process group? Only then may it be taken. */
bool screen_is_ours(void);

/* The terminal's size now; true where it differs from the time before. */
bool screen_resize(struct screen *screen, unsigned *columns, unsigned *lines);
/* @repaint: all of it, whatever is thought to be there. */
void screen_show(struct screen *screen, const struct canvas *canvas, bool repaint);
/* What to poll for POLLOUT, and then to call screen_send(), while the terminal has not taken all that was
 * shown; -1 where it has. */
int screen_behind(const struct screen *screen);
void screen_send(struct screen *screen);

/* Fills in what this terminal sends for keys, and whether the mouse is on. */
void screen_tell_input(const struct screen *screen, struct input *input);
