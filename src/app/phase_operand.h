/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_operand.h - reads a phase from a JSON summary or a recording. */
#pragma once

#include "src/base/error_text.h"
#include "src/model/compared_phase.h"

/* Reads a phase once for each of @n figures; the first of @phases must outlive the others. @operand: FILE, or
 * FILE:PHASE with a phase by number or name; the last one otherwise. @figures: whose blocks are read;
 * N_FIGURES: of the one that the file shows. Returns 0, or a negative errno with a reason that names the
 * file; compared_phase_finish() accepts what is left. */
int phase_operand_load(struct compared_phase *phases, const enum figure *figures, size_t n,
	const char *operand, struct error_text *reason);
