/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spikes.h - the selected spike, which the list of spikes and the dialog over it share. Pure. */
#pragma once

#include "src/model/spikes.h"
#include "ui/views/view.h"

extern const struct view_kind view_spikes;

/* Returns a copy of the last spike that was selected; NULL if none was. */
const struct kept_spike *spikes_selected(const struct frame *frame);
void spikes_pin(struct frame *frame);                  /* follows the newest, or the longest, no more */
const char *spikes_refusal(const struct frame *frame); /* why none is selected; NULL: one is */
void spikes_move(struct frame *frame, long by);        /* the selection */
