/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded_phase.h - reads one phase of a recording, to be compared. */
#pragma once

#include "src/base/error_text.h"
#include "src/model/compared_phase.h"

struct replay;

/* Plays an open recording to the end of the phase, and on to its own end for the phase's replicates. The
 * first of @phases must outlive the others. @machine: as it was at the end of the phase; the caller finishes
 * it. Returns 0 or a negative errno with its reason; compared_phase_finish() and machine_finish() accept what
 * is left. */
int recorded_phase_read(struct compared_phase *phases, const struct phase_in_file *file,
	struct replay *replay, struct machine *machine, struct error_text *reason);
