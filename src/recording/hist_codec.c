/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist_codec.c - histograms as bytes, for those that others may have written. */
#include "src/recording/hist_codec.h"

#include <errno.h>

void hist_encode(struct bytes *bytes, const struct hist *hist)
{
	unsigned before = 0;

	bytes_uint(bytes, hist->n);
	if (hist->max_at_ns) {
		bytes_uint(bytes, hist->max_at_ns);
		bytes_uint(bytes, hist->min_ns);
		bytes_uint(bytes, hist->max_ns);
	} else {
		bytes_uint(bytes, 0);
	}
	bytes_uint(bytes, hist->sum_ns);
	for (unsigned o = 0; o < HIST_OCTAVES; o++)
		for (unsigned b = o * HIST_OCTAVE; hist->octave_n[o] && b < (o + 1) * HIST_OCTAVE; b++) {
			uint64_t count = hist_count(hist, b);

			if (!count)
				continue;
			bytes_uint(bytes, b - before + 1);
			bytes_uint(bytes, count);
			before = b;
		}
	bytes_uint(bytes, 0);
}

int hist_decode(struct scan *scan, struct hist *hist)
{
	uint64_t n = scan_uint(scan), step, bucket = 0;

	hist->max_at_ns = scan_uint(scan);
	if (hist->max_at_ns) {
		hist->min_ns = scan_uint(scan);
		hist->max_ns = scan_uint(scan);
	}
	hist->sum_ns = scan_uint(scan);
	while ((step = scan_below(scan, HIST_BUCKETS + 1)) != 0) {
		bucket += step - 1;
		if (bucket >= HIST_BUCKETS)
			return -EINVAL;
		int r = hist_add(hist, (unsigned)bucket, scan_uint(scan));

		if (r < 0)
			return r;
	}
	return scan->bad || hist->n != n ? -EINVAL : 0;
}
