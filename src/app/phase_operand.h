/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_operand.h - reads a phase from a JSON summary or a recording. */
#pragma once

#include "src/base/error_text.h"
#include "src/model/compared_phase.h"

/* @operand: FILE, or FILE:PHASE with a phase of a recording by number or name; the last one otherwise.
 * @figure: whose blocks are read; N_FIGURES: of the one that the file shows. Returns 0, or a negative errno
 * with a reason that names the file; compared_phase_finish() accepts what is left. */
int phase_operand_load(
	struct compared_phase *compared, const char *operand, enum figure figure, struct error_text *reason);
