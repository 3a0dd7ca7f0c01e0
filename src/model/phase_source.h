/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_source.h - where phases are read again whose blocks the session does not have. */
#pragma once

#include <stdatomic.h>

#include "src/model/phase.h"

struct phase_source {
	/* Reads the ticks of @wanted, from its start to its end, to @read, an empty phase. @goes_on: the
	 * phase is a current one, so it may be wanted again with later ticks. Returns 0, -ENOENT if the ticks
	 * are not there, -ECANCELED once @stop, which may be NULL, is true, or another negative errno;
	 * phase_finish() accepts what is left. Slow: it takes a thread of its own, always the same one. */
	int (*read)(void *data, const struct phase *wanted, bool goes_on, const atomic_bool *stop,
		struct phase *read);
	void *data;
};
