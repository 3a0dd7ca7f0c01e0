/* SPDX-License-Identifier: GPL-2.0-or-later */
/* act.h - keys that act on rings: the marked ones, or else the selected one, or those of the selected
 * mechanism that are shown. Pure. */
#pragma once

#include "ui/views/view.h"

/* The keys that act, in all views. */
extern const struct key act_keys[];
extern const size_t n_act_keys;

/* Why keys that change what a hunt keeps have no effect now; NULL: they have. Of those that add rings, in a
 * sweep, too. */
const char *act_refuse_kept(const struct frame *frame);
const char *act_refuse_add(const struct frame *frame);
/* Returns why no ring is selected in the view on the screen, or NULL. */
const char *act_refuse_view(const struct frame *frame);
/* The removal that was sent last is refused: the selection stays where it is. */
void act_take_refusal(struct frame *frame);
/* Returns the sentence for a row whose ring was removed, or NULL. */
const char *act_refuse_removed(const struct frame *frame);
