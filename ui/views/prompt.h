/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.h - a small dialog that asks for a line of text. Pure. */
#pragma once

#include "ui/views/view.h"

/* @done: called for Enter. Returns the command for the text, or COMMAND_NONE. @before: not NULL: done() is
 * called for each letter, too, and for Esc with this text. */
void prompt_open(struct frame *frame, const char *title, const char *hint, const char *before,
	struct command (*done)(struct frame *frame, const char *text));
/* The same for the line of a command: frame->helper completes it, and says below it what it means. */
void prompt_open_helped(struct frame *frame, enum command_kind kind, const char *title, const char *hint,
	struct command (*done)(struct frame *frame, const char *text));
/* Returns whether the helper refuses the line. */
bool prompt_is_refused(const struct frame *frame);
/* Called in done(): the dialog stays open, with the reason in place of the hint. */
void prompt_refuse(struct frame *frame, const char *why);
