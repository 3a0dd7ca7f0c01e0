/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - the terminal: shows canvases, reads keys. The one user of curses.
 *
 * One thread at a time may call these. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/reason.h"
#include "ui/canvas.h"

struct screen;

/* The terminal on stdout; keys come from @input_fd, which stays the caller's. Writes nothing yet, so that it
 * waits for no reader. -ENOTTY, or -EINVAL where the terminal can't do what is needed, with the reason;
 * nothing is changed then. */
int screen_create(struct screen **screen, int input_fd, bool color, bool mouse, struct reason *reason);
/* Takes the terminal, once, before all that follows. May block as long as it does. */
void screen_take(struct screen *screen);
/* Gives the terminal back. */
void screen_destroy(struct screen *screen);

/* Gives it back for a while, and takes it again. */
void screen_suspend(struct screen *screen);
void screen_resume(struct screen *screen);
/* Is this the terminal's foreground process group? Only then may it be taken. */
bool screen_is_ours(void);

/* The terminal's size now; true where it differs from the time before. */
bool screen_resize(struct screen *screen, unsigned *columns, unsigned *lines);
/* @repaint: all of it, whatever is thought to be there. May block as long as the terminal does. */
void screen_show(struct screen *screen, const struct canvas *canvas, bool repaint);
/* The next key that is there, as in keys.h; KEY_CODE_NONE where there is none. Never waits, but 25 ms
 * after an escape. @x and @y are where the mouse was, and else stay as they were. */
uint32_t screen_key(struct screen *screen, unsigned *x, unsigned *y);
