/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.c - the steps of all probes: the descriptors of a hop, its end, and why a call failed. */
#include "src/probe/probe.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int probe_attach(const struct probe *probe, struct hop *hop, enum hop_end end)
{
	hop->fd = hop->fds[end] ? hop->fds[end] : hop->fds[HOP_RECEIVER];
	return probe->attach ? probe->attach(hop, end) : 0;
}

void probe_release(const struct probe *probe, struct hop *hop)
{
	for (int i = 0; i < HOP_FDS; i++)
		if (hop->fds[i] > 0)
			close(hop->fds[i]);
	if (probe->release)
		probe->release(hop);
}

void probe_close(const struct probe *probe, struct hop *hop)
{
	probe_release(probe, hop);
	if (probe->remove)
		probe->remove(hop);
}

const char *probe_remedy(const struct probe *probe, int error)
{
	for (size_t i = 0; i < sizeof(probe->remedies) / sizeof(*probe->remedies); i++)
		for (const struct probe_remedy *remedy = probe->remedies[i]; remedy && remedy->text; remedy++)
			for (size_t k = 0; k < sizeof(remedy->errors) / sizeof(*remedy->errors); k++)
				if (remedy->errors[k] == error)
					return remedy->text;
	return NULL;
}

const char *probe_explain(const struct probe *probe, int error)
{
	const char *remedy = probe_remedy(probe, error);

	if (remedy)
		return remedy;
	if (error == -EMFILE)
		return "no descriptors left: raise RLIMIT_NOFILE (ulimit -n), or name fewer mechanisms or CPUs";
	return strerror(-error);
}
