/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded_phase.h - reads one phase of a recording, to be compared. */
#pragma once

#include "src/base/error_text.h"
#include "src/model/compared_phase.h"

struct replay;

/* Plays an open recording to the end of the phase that @wanted names by number or name (NULL: the last one),
 * and on to its own end for the phase's replicates. Reads the phase once for each of @n figures; the first of
 * @phases must outlive the others. @machine: as it was at the end of the phase; the caller finishes it.
 * @path: the file, for the reason. @figures: whose blocks are read; N_FIGURES: of the one that the file
 * shows. Returns 0 or a negative errno with its reason; compared_phase_finish() and machine_finish() accept
 * what is left. */
int recorded_phase_read(struct compared_phase *phases, const enum figure *figures, size_t n,
	struct machine *machine, struct replay *replay, const char *path, const char *wanted,
	struct error_text *reason);
