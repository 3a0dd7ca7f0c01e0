/* SPDX-License-Identifier: GPL-2.0-or-later */
/* playback_state.h - how a recording is played, for whoever shows it. Read and written under the session's
 * lock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct playing {
	uint64_t start_ns, end_ns; /* of the recording, CLOCK_MONOTONIC */
	double speed;              /* 0: as fast as it can be read */
	bool paused, ended;
	uint64_t sought_ns; /* the moment that is looked for; 0: none is */
	uint64_t n_obeyed;  /* counts what was asked for: then there is something new to be seen */
};
