/* SPDX-License-Identifier: GPL-2.0-or-later */
/* playback_state.h - the state of a playback, for screens. Read and written under the session's lock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct playback_state {
	uint64_t start_ns, end_ns; /* of the recording, CLOCK_MONOTONIC */
	double speed;              /* 0: without pauses */
	bool paused, ended;
	uint64_t sought_ns; /* where a seek goes; 0: no seek */
	uint64_t n_obeyed;  /* number of obeyed commands: after each the screen is drawn anew */
};
