/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smi.c - counts system management interrupts. */
#include "src/machine/smi.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/machine/cpus.h"
#include "src/machine/task.h"

#define PMU "/sys/bus/event_source/devices/msr"

/* Returns a CPU that ipctop itself may use, and that is not isolated if there is one. */
static int choose_cpu(void)
{
	struct cpus own, isolated = cpus_isolated();

	if (task_get_affinity(0, &own) < 0)
		return 0;
	int first = cpus_next(&own, -1);

	cpus_subtract(&own, &isolated);
	return cpus_count(&own) ? cpus_next(&own, -1) : first;
}

int smi_open_counter(const char *event)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	char path[128], line[32];
	unsigned number;
	ssize_t length = small_file_read_line(PMU "/type", line, sizeof(line));

	if (length < 0)
		return (int)length;
	attr.type = (uint32_t)strtoul(line, NULL, 10);
	snprintf(path, sizeof(path), PMU "/events/%s", event);
	length = small_file_read_line(path, line, sizeof(line));
	if (length < 0 || sscanf(line, "event=%x", &number) != 1)
		return length < 0 ? (int)length : -ENOENT;
	attr.config = number;
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, choose_cpu(), -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

long long smi_read_counter(int fd)
{
	uint64_t count = 0;
	ssize_t n = read(fd, &count, sizeof(count));

	return n == (ssize_t)sizeof(count) ? (long long)count : n < 0 ? -errno : -EIO;
}

void smi_read(char *word, size_t size)
{
	static int counter = -EAGAIN; /* stays open: it counts from its opening on */

	if (counter == -EAGAIN)
		counter = smi_open_counter("smi");
	long long n = counter < 0 ? counter : smi_read_counter(counter);

	if (n < 0)
		snprintf(word, size, "%s", small_file_state_word((ssize_t)n));
	else if (n == 0)
		snprintf(word, size, "none");
	else
		snprintf(word, size, "%lld", n);
}
