/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_lacks.h - why a mechanism can't be run here. */
#pragma once

#include <string.h>
#include <unistd.h>

#include "src/probe/probe.h"

/* Returns the reason, or NULL: it can be run. A bare chroot may have no /dev/shm. */
static const char *probe_lacks(const struct probe *probe)
{
	const char *missing = probe->missing ? probe->missing() : NULL;

	if (!missing && !strncmp(probe->name, "shm", 3) && access("/dev/shm", W_OK) != 0)
		return "needs /dev/shm";
	return missing;
}
