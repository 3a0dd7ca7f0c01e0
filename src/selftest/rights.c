/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rights.c - which rights this process has, and the remedy for those that it lacks. */
#include "src/selftest/rights.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/machine/memory.h"
#include "src/selftest/measuring.h"
#include "src/selftest/troubles.h"

static bool may_lock_memory(struct error_text *reason)
{
	const size_t size = 1 << 20; /* of a few members' stacks */
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r = memory == MAP_FAILED ? -errno : mlock(memory, size) < 0 ? -errno : 0;

	if (memory != MAP_FAILED)
		munmap(memory, size);
	if (r < 0)
		error_text_set(reason, r,
			"memory can't be locked (%s): run with CAP_IPC_LOCK, or raise the limit memlock (ulimit -l)",
			error_text_of_errno(r));
	return r == 0;
}

static bool may_hold_idle_states(struct error_text *reason)
{
	static const char path[] = "/dev/cpu_dma_latency";
	int r = access(path, W_OK) < 0 ? -errno : 0;

	if (r == -ENOENT)
		error_text_set(reason, r, "there is no %s: this kernel or container lacks it", path);
	else if (r < 0)
		error_text_set(reason, r, "%s can't be written (%s): run as root, or change its mode", path,
			error_text_of_errno(r));
	return r == 0;
}

static const struct right {
	const char *name, *serves;
	bool (*is_there)(struct error_text *reason);
} rights[] = {
	{"realtime", "members of real-time policies, and hogs above them", measuring_has_realtime},
	{"memory", "members whose memory is locked", may_lock_memory},
	{"idle", "--dma-latency, which holds idle states off", may_hold_idle_states},
	{"cgroup", "the troubles quota and throttling", cgroup_may_make},
};

void rights_read(struct certificate *certificate)
{
	for (size_t i = 0; i < sizeof(rights) / sizeof(*rights); i++) {
		struct right_result *result = &certificate->rights[certificate->n_rights++];

		*result = (struct right_result){.name = rights[i].name, .serves = rights[i].serves};
		result->is_there = rights[i].is_there(&result->reason);
	}
}
