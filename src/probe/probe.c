/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.c - the steps of all probes: the descriptors of a hop, its end, and why a call failed. */
#include "src/probe/probe.h"

#include <errno.h>
#include <string.h>

void probe_close(const struct probe *probe, struct hop *hop)
{
	if (probe->release)
		probe->release(hop);
	if (probe->remove)
		probe->remove(hop);
}

const char *probe_explain(const struct probe *probe, int error)
{
	const char *remedy = probe->explain ? probe->explain(error) : NULL;

	if (remedy)
		return remedy;
	if (error == -EMFILE)
		return "no descriptors left: raise RLIMIT_NOFILE (ulimit -n), or name fewer mechanisms or CPUs";
	return strerror(-error);
}
