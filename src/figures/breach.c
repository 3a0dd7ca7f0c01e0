/* SPDX-License-Identifier: GPL-2.0-or-later */
/* breach.c - the first latency above the limit of -b, as text and as bytes. */
#include "src/figures/breach.h"

#include <stdio.h>

#include "src/base/bytes.h"

char *breach_text(
	const struct breach *breach, const char *mechanism, const char *label, char text[BREACH_TEXT_SIZE])
{
	snprintf(text, BREACH_TEXT_SIZE, "%s %s member %u (tid %d): %s %llu.%03llu us, limit %llu.%03llu us",
		mechanism, label, (unsigned)breach->member, (int)breach->tid, figure_title(breach->figure),
		(unsigned long long)(breach->latency_ns / 1000),
		(unsigned long long)(breach->latency_ns % 1000),
		(unsigned long long)(breach->limit_ns / 1000), (unsigned long long)(breach->limit_ns % 1000));
	return text;
}

void breach_encode(struct bytes *bytes, const struct breach *breach)
{
	bytes_uint(bytes, breach->at_ns);
	bytes_uint(bytes, breach->ring);
	bytes_uint(bytes, breach->member);
	bytes_int(bytes, breach->tid);
	bytes_uint(bytes, breach->figure);
	bytes_uint(bytes, breach->latency_ns);
	bytes_uint(bytes, breach->limit_ns);
	bytes_int(bytes, breach->error);
}

void breach_decode(struct scan *scan, size_t n_rings, struct breach *breach)
{
	breach->at_ns = scan_uint(scan);
	breach->ring = (uint32_t)scan_below(scan, n_rings);
	breach->member = (uint32_t)scan_below(scan, UINT32_MAX);
	breach->tid = scan_int32(scan);
	breach->figure = (enum figure)scan_below(scan, N_FIGURES);
	breach->latency_ns = scan_uint(scan);
	breach->limit_ns = scan_uint(scan);
	breach->error = scan_int32(scan);
}
