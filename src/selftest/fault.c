/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fault.c - memory of a member is moved to the disk, so that its next lap waits for pages. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/plan/config.h"
#include "src/selftest/troubles.h"

enum { WORK_SIZE = 1 << 20, AREAS_MAX = 64, LASTS_NS = 200000000 };
static const unsigned long least_faults = 32;

/* The member reads this memory in each lap. */
static void configure(struct config *config)
{
	config->fork = true;
	config->work_size = WORK_SIZE;
	config->interval_ns = 0;
}

/* Pages that are kept in memory, or compressed there, come back without a wait. */
static bool is_possible(struct error_text *reason)
{
	FILE *file = fopen("/proc/swaps", "re");
	char line[256];
	bool has_disk = false, has_any = false;

	for (unsigned i = 0; file && fgets(line, sizeof(line), file); i++)
		if (i) {
			has_any = true;
			has_disk |= !strstr(line, "zram");
		}
	if (file)
		fclose(file);
	if (!has_disk)
		error_text_set(reason, -ENOTSUP, "%s: it needs swap on a disk (swapon)",
			has_any ? "swap is in memory, so pages come back at once" : "there is no swap");
	return has_disk;
}

/* Returns the number of areas of anonymous memory of their own that are as large as the work. */
static int find_areas(pid_t pid, struct iovec areas[AREAS_MAX])
{
	char path[64], line[512], rights[8], name[256];
	unsigned long from, to;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *file = fopen(path, "re");

	while (file && n < AREAS_MAX && fgets(line, sizeof(line), file)) {
		name[0] = '\0';
		if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %255s", &from, &to, rights, name) < 3)
			continue;
		if (strcmp(rights, "rw-p") == 0 && !name[0] && to - from >= WORK_SIZE)
			areas[n++] = (struct iovec){(void *)from, to - from};
	}
	if (file)
		fclose(file);
	return n;
}

/* Returns how often the process waited for a page of the disk. */
static unsigned long disk_faults(pid_t pid)
{
	char path[64], text[1024];
	unsigned long n = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	small_file_read(path, text, sizeof(text));
	const char *rest = strrchr(text, ')');

	if (rest)
		sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %lu", &n);
	return n;
}

static int move_memory(struct stage *stage, int fd)
{
	struct iovec areas[AREAS_MAX];
	int n = find_areas(stage->members[1], areas);

	if (syscall(SYS_process_madvise, fd, areas, (size_t)n, MADV_PAGEOUT, 0) >= 0)
		return 0;
	return error_text_set(&stage->reason, -errno,
		"the member's memory could not be moved: %s: run as root", error_text_of_errno(-errno));
}

/* Pages that are still in memory when they are read again come back without a wait. */
static int inflict(struct stage *stage, struct injection *injection)
{
	pid_t member = stage->members[1];
	int fd = (int)syscall(SYS_pidfd_open, member, 0), r;
	unsigned n = 0;
	bool has_waited;

	do {
		unsigned long before = disk_faults(member);

		*injection = (struct injection){.from_ns = clock_now_ns()};
		r = move_memory(stage, fd);
		stage_sleep(LASTS_NS);
		injection->to_ns = clock_now_ns();
		has_waited = disk_faults(member) >= before + least_faults;
	} while (r == 0 && !has_waited && stage_may_retry(stage, ++n));
	if (r == 0 && !has_waited)
		r = error_text_set(&stage->reason, -EAGAIN, "the pages came back without the disk");
	if (fd >= 0)
		close(fd);
	return r;
}

const struct trouble trouble_fault = {
	.name = "fault",
	.title = "memory of a member is moved to the disk",
	.kinds = 1 << CAUSE_BLOCKED,
	.n = 10,
	.n_quick = 3,
	.unlocks = true,
	.configure = configure,
	.is_possible = is_possible,
	.inflict = inflict,
};
