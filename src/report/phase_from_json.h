/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_from_json.h - phases for a comparison, from JSON. */
#pragma once

#include "src/base/error_text.h"
#include "src/model/compared_phase.h"

struct json_object;
struct config;

/* Adds the options of a recording's header, by their names in a JSON summary. Returns 0 or -ENOMEM. */
int phase_from_json_add_recorded_options(struct compared_phase *compared, const char *header);

/* Adds the options in force, by their names in a JSON summary. Returns 0 or -ENOMEM. */
int phase_from_json_add_options(struct compared_phase *compared, const struct config *config);

/* Takes a phase of a parsed JSON summary. Returns 0, -EINVAL if it is none, -ENOENT if it has no such phase,
 * -ENODATA if it does not have what the phase was measured under, or -ENOMEM; see phase_from_json_read(). */
int phase_from_json_take(struct compared_phase *compared, struct json_object *document, const char *path,
	const char *wanted, enum figure figure);

/* Reads a phase of a JSON summary; the first of @phases must outlive the others. Returns 0, or a negative
 * errno with a reason that names the file; compared_phase_finish() accepts what is left. */
int phase_from_json_read(
	struct compared_phase *phases, const struct phase_in_file *file, struct error_text *reason);
