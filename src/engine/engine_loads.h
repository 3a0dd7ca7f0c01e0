/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine_loads.h - loads beside the measurement, which the keeper opens and ends. */
#pragma once

#include "src/engine/engine.h"

/* Gives the loads of the config their boards; engine_start() opens them. Returns 0, or a negative errno
 * with a sentence if one can't be opened. */
int engine_prepare_loads(struct engine *engine, struct error_text *reason);

/* Makes the keeper open a load. Returns 0, or a negative errno with a sentence: then nothing was opened. */
int engine_open_load(struct engine *engine, const struct load *load, struct error_text *reason);
/* Makes the keeper end an open load. */
void engine_close_load(struct engine *engine, struct load_board *board);

/* Returns whether nothing is left of loads that were closed. */
bool engine_loads_are_gone(const struct engine *engine);

/* Returns the open load after @before, NULL if there is none; the first one after NULL. */
struct load_board *engine_next_load(const struct engine *engine, const struct load_board *before);
/* Returns whether an open load has ended without a command, with the reason. It is to be closed. */
bool engine_load_has_ended(const struct load_board *board, struct error_text *reason);

/* Writes the open loads: "fork:0-3:100% fifo:0:50%", or "none". Returns @text. */
char *engine_loads_text(const struct engine *engine, char text[LOADS_TEXT_SIZE]);
