/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_codec.h - a spike and its records as bytes. Pure. */
#pragma once

#include "src/base/bytes.h"
#include "src/figures/spike.h"

void spike_encode(struct bytes *bytes, const struct spike_report *report);
/* Decodes to @report, whose records are the caller's @records. The scan becomes bad if they are more, or not
 * in order. */
void spike_decode(
	struct scan *scan, struct spike_report *report, struct flight_record records[SPIKE_RECORDS_MAX]);
