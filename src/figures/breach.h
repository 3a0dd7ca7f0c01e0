/* SPDX-License-Identifier: GPL-2.0-or-later */
/* breach.h - the first latency above the limit of -b: its member, and whether tracing was stopped. Pure. */
#pragma once

#include <stdint.h>

#include "src/figures/tick.h"

struct breach {
	uint32_t ring, member; /* the ring's id; the member that measured it */
	int32_t tid;
	enum figure figure;
	uint64_t latency_ns, limit_ns;
	uint64_t at_ns; /* CLOCK_MONOTONIC, when the latency ended */
	/* 0: tracing was stopped; -EALREADY: it was off before; -ENOENT: there is none, which only compat
	 * tools accept; else why it could not be stopped */
	int32_t error;
};

enum { BREACH_TEXT_SIZE = 128 };

/* "first hop 1234.567 us, limit 50.000 us". Returns @text. */
char *breach_text(enum figure figure, uint64_t latency_ns, uint64_t limit_ns, char text[BREACH_TEXT_SIZE]);
