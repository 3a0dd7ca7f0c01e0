/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.h - a small dialog that asks for a line of text. Pure. */
#pragma once

#include "ui/views/view.h"

/* @done: called for Enter. Returns the command for the text, or COMMAND_NONE, which closes the dialog. So
 * does COMMAND_MARK; with any other the dialog waits for the reply.
 * @before: not NULL: done() is called for each letter, too, and for Esc with this text. */
void prompt_open(struct frame *frame, const char *title, const char *hint, const char *before,
	struct command (*done)(struct frame *frame, const char *text));
/* The same for a command's line, which frame->helper completes and explains below it. But for rings to add
 * and for loads, the line is the command's value. */
void prompt_open_helped(struct frame *frame, const struct command *about, const char *title, const char *hint,
	struct command (*done)(struct frame *frame, const char *text));
/* Returns whether the helper refuses the line. */
bool prompt_is_refused(const struct frame *frame);
/* Returns whether the dialog has sent a command. It stays open, and takes no key but Esc, until
 * prompt_take_reply(). */
bool prompt_awaits_reply(const struct frame *frame);
/* Closes the dialog that awaits the reply. @refusal: not NULL: it stays open instead, with the sentence in
 * place of the hint, and the text can be corrected. */
void prompt_take_reply(struct frame *frame, const char *refusal);
/* Called in done(): the dialog stays open, with the reason in place of the hint. */
void prompt_refuse(struct frame *frame, const char *why);
