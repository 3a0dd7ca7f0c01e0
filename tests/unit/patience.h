/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patience.h - waits for rings that end by themselves. */
#pragma once

#include <stdbool.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/engine/engine.h"

static bool wait_until_done(const struct engine *engine)
{
	uint64_t deadline_ns = clock_now_ns() + 300000000000u; /* an emulated machine is that slow */

	while (!engine_is_done(engine)) {
		if (clock_now_ns() > deadline_ns)
			return false;
		usleep(1000);
	}
	return true;
}
