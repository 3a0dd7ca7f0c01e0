/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep.h - made-up sweeps: machines of hwloc's synthetic kind, and the first pairs of the plan
 * with made-up times, the same each time. */
#pragma once

#include <stdbool.h>

#include "src/model/session.h"

/* Makes the session of "sweep-8", "sweep-64", "sweep-128", "sweep-576", "sweep-576-all", or of two phases,
 * "sweep-8-changed" and the like, which the caller finishes. Returns false where there is no such sweep. Ends
 * the program without memory. */
bool made_sweep(struct session *session, const char *name);
/* Writes it as a recording, without the phases. Returns the same. */
bool made_sweep_record(const char *name, const char *path);
