/* SPDX-License-Identifier: GPL-2.0-or-later */
/* breach.h - the first latency above the limit of -b: whose it was, and what became of it. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/figures/tick.h"

struct bytes;
struct scan;

struct breach {
	uint32_t ring, member; /* the ring's id; the member that measured it */
	int32_t tid;
	enum figure figure;
	uint64_t latency_ns, limit_ns;
	uint64_t at_ns; /* CLOCK_MONOTONIC, when the latency ended */
	int32_t error;  /* 0: tracing was stopped; -EALREADY: it was off before; else why it could not be */
};

enum { BREACH_TEXT_SIZE = 256 };

/* "mq 0>1 member 1 (tid 4711): first hop 1234.567 us, limit 50.000 us". Returns @text. */
char *breach_text(
	const struct breach *breach, const char *mechanism, const char *label, char text[BREACH_TEXT_SIZE]);

/* As bytes of a recording. What is decoded is a breach of one of @n_rings rings, or makes @scan bad. */
void breach_encode(struct bytes *bytes, const struct breach *breach);
void breach_decode(struct scan *scan, size_t n_rings, struct breach *breach);
