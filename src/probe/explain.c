/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - turns the errno of a probe into a sentence. */
#include <errno.h>
#include <string.h>

#include "src/probe/probe.h"

const char *probe_explain(const struct probe *probe, int error)
{
	const char *remedy = probe->explain ? probe->explain(error) : NULL;

	if (remedy)
		return remedy;
	if (error == -EMFILE)
		return "no descriptors left: raise RLIMIT_NOFILE (ulimit -n), or name fewer mechanisms or CPUs";
	return strerror(-error);
}
