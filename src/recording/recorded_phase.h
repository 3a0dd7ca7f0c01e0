/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded_phase.h - reads one phase of a recording, to be compared. */
#pragma once

#include "src/base/error_text.h"
#include "src/model/compared_phase.h"

struct replay;
struct session;

/* Plays an open recording into @session, up to the end of the phase that @wanted names by number or name
 * (NULL: the last one), and on to the end for its replicates. @path: the file, for the reason. @figure: whose
 * blocks are read; N_FIGURES: of the one that the file shows. Returns 0 or a negative errno with its reason;
 * compared_phase_finish() and session_finish() accept what is left. */
int recorded_phase_read(struct compared_phase *compared, struct replay *replay, struct session *session,
	const char *path, const char *wanted, enum figure figure, struct error_text *reason);
