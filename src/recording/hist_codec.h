/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist_codec.h - histograms as bytes, for those that others may have written. Pure. */
#pragma once

#include "src/base/bytes.h"
#include "src/figures/hist.h"

void hist_encode(struct bytes *bytes, const struct hist *hist);
/* Into an empty one. Returns 0, -ENOMEM, or -EINVAL for what is none. */
int hist_decode(struct scan *scan, struct hist *hist);
