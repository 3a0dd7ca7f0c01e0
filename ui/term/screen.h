/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - shows canvases on the terminal on stdout. The only user of curses, which writes to memory; the
 * bytes are sent when the terminal accepts them.
 *
 * One thread at a time may call these functions. */
#pragma once

#include <stdbool.h>

#include "src/base/error_text.h"
#include "ui/draw/canvas.h"
#include "ui/draw/palette.h"
#include "ui/term/input.h"

struct screen;

/* Opens the terminal on stdout, and neither writes nor changes anything. @no_color: COLORS_AUTO is none.
 * Returns 0, -ENOTTY, or -EINVAL with the reason if the terminal lacks a capability. */
int screen_create(
	struct screen **screen, enum colors colors, bool no_color, bool mouse, struct error_text *reason);
/* Takes the terminal: once, before the functions below. */
void screen_take(struct screen *screen);
/* Gives the terminal back. */
void screen_destroy(struct screen *screen);

/* Give it back for a while, and take it again. A stalled terminal delays screen_suspend() and
 * screen_destroy() by 60 ms, and loses the remaining output. */
void screen_suspend(struct screen *screen);
void screen_resume(struct screen *screen);

/* Reads the terminal's size. Returns whether it has changed. */
bool screen_resize(struct screen *screen, unsigned *columns, unsigned *lines);
/* Sets the colors of the next frames. Without colors every palette is mono. Returns the depth drawn with. */
enum depth screen_use_colors(struct screen *screen, enum palette palette, enum colors colors);
/* Turns the mouse's reports on or off, and sets whether the input has them. */
void screen_use_mouse(struct screen *screen, bool on, struct input *input);
/* @repaint: draws all cells, whatever the terminal shows. */
void screen_show(struct screen *screen, const struct canvas *canvas, bool repaint);
/* Returns the descriptor to poll for POLLOUT, before screen_send(), while bytes are unsent; -1: none are. */
int screen_behind(const struct screen *screen);
void screen_send(struct screen *screen);

/* Sets the terminal's key sequences, and whether the mouse is on. */
void screen_tell_input(const struct screen *screen, struct input *input);
