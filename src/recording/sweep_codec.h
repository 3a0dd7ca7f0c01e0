/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_codec.h - the matrix of a sweep, and what is measured of it, in a recording. Pure. */
#pragma once

#include "src/base/bytes.h"
#include "src/model/feed.h"
#include "src/model/matrix.h"

struct json_object;

/* The header has the matrix before anything was measured. Returns the object, or NULL without memory. */
struct json_object *sweep_json(const struct matrix *matrix);
/* Makes the matrix. Returns 0, -EINVAL or -ENOMEM. */
int sweep_json_read(struct json_object *object, struct matrix **matrix);

void sweep_encode(struct bytes *bytes, const struct feed_sweep *sweep, int n_kinds);
/* Decodes to @sweep, whose results are the caller's @results. The scan becomes bad for CPUs that a matrix of
 * @n_cpus does not have, and for times that are none. */
void sweep_decode(struct scan *scan, uint32_t n_cpus, int n_kinds, struct feed_sweep *sweep,
	struct sweep_result results[SWEEP_RESULTS_MAX]);

/* A checkpoint has all that was measured. */
void sweep_encode_all(struct bytes *bytes, const struct matrix *matrix);
/* Decodes to a matrix without measurements. @phase: the number of the current one, for recordings that have
 * only the last measurement of each pair. Returns 0 or -EINVAL. */
int sweep_decode_all(struct scan *scan, struct matrix *matrix, uint32_t phase);
