/* SPDX-License-Identifier: GPL-2.0-or-later */
/* act.h - keys that act on rings: the marked ones, or else the selected one, or those of the selected
 * mechanism that are shown. Pure. */
#pragma once

#include "ui/views/view.h"

/* Mark the selected row, or unmark it, and go to the next one; on the line of a mechanism all of its rings
 * that are shown. @all: unmark all. */
void act_mark(struct frame *frame, long all);

/* Why keys that act have no effect now; NULL: they have. Of those that change what a hunt keeps, also in a
 * hunt; that add rings, in a sweep, too; on rings, if none is meant that is there; on running members, if the
 * selected ring has none. */
const char *act_refuse(const struct frame *frame);
const char *act_refuse_kept(const struct frame *frame);
const char *act_refuse_add(const struct frame *frame);
const char *act_refuse_rings(const struct frame *frame);
const char *act_refuse_members(const struct frame *frame);
/* Returns the sentence for a row whose ring was removed, or NULL. */
const char *act_refuse_removed(const struct frame *frame);

void act_remove(struct frame *frame, long argument); /* asks before */
struct command act_pause(const struct frame *frame);
struct command act_raise(const struct frame *frame), act_lower(const struct frame *frame);
void act_ask(struct frame *frame, long kind);     /* for the value of a command */
void act_add(struct frame *frame, long argument); /* these two ask for a line */
void act_load(struct frame *frame, long argument);
