/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_events_own.h - one notice: what finding it and telling it share. */
#pragma once

#include <stdint.h>

struct session_ring;

enum notice_kind {
	NOTICE_FAILED,
	NOTICE_BACK,
	NOTICE_FAULTS,
	NOTICE_NOT_ASKED,
	NOTICE_REASON,
	NOTICE_CHANGED,
	NOTICE_BEGAN,
	NOTICE_ENDED,
	NOTICE_LATE_LAPS
};

struct notice {
	enum notice_kind kind;
	const struct session_ring *ring;
	int member; /* -1: the ring as a whole */
	int32_t tid;
	uint64_t wait_ns; /* 0: none to be told */
	char *what;       /* owned */
};
