/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_json.h - the parts of a recording that are JSON: its header, and the facts of the machine. */
#pragma once

#include "src/base/error_text.h"
#include "src/figures/tick.h"

struct bytes;
struct config;
struct machine;
struct scan;
struct session;
struct session_ring;
struct topology;

/* Write a text. Set bytes->failed if memory runs out. */
void record_json_header(struct bytes *bytes, const struct session *session, const struct config *config,
	const struct topology *topology, bool has_matrix);
void record_json_machine(struct bytes *bytes, const struct machine *machine);

/* Makes a session as at the start, and the config of config_json_read(), from a header, which may be hostile.
 * Returns 0 or a negative errno with its reason; session_finish() accepts what is left. */
int record_json_read(
	const char *header, struct session *session, struct config *config, struct error_text *reason);
/* Writes a ring that was added, as it was before its first tick. */
void record_json_ring(struct bytes *bytes, const struct session_ring *ring);
/* Reads it. Returns 0, -ENOMEM or -EINVAL; session_ring_finish() accepts what is left. */
int record_json_read_ring(struct scan *scan, struct session_ring *ring);
/* Reads a text of record_json_machine(). Returns 0 or -EINVAL, with @machine unchanged. */
int record_json_read_machine(struct scan *scan, struct machine *machine);
