/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_format.c - the kernel's tracepoints, and the fields of their records. */
#include "src/flight/trace_format.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/machine/tracing.h"

/* A mount that is attached nowhere goes with its descriptor. */
static int mount_detached(void)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), fd = -1;

	if (context < 0)
		return -errno;
	if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	int error = errno;

	close(context);
	return fd < 0 ? -error : fd;
}

int trace_folder_open(void)
{
	int fd = open(tracing_folder(), O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && faccessat(fd, "events", R_OK, 0) == 0)
		return fd;
	int error = errno;

	if (fd >= 0)
		close(fd);
	fd = mount_detached();
	return fd < 0 && error == EACCES ? -error : fd;
}

static ssize_t read_file(int folder, const char *event, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "events/%s/%s", event, name);
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ssize_t n = small_file_read_fd(fd, text, size);

	close(fd);
	return n;
}

int trace_format_read(struct trace_format *format, int folder, const char *event)
{
	char id[16];
	ssize_t n = read_file(folder, event, "id", id, sizeof(id));

	if (n >= 0)
		n = read_file(folder, event, "format", format->text, sizeof(format->text));
	if (n < 0)
		return (int)n;
	format->id = (uint16_t)atoi(id);
	return 0;
}

/* A line is "field:TYPE NAME;" or "field:TYPE NAME[16];", then offset and size. */
struct trace_field trace_field_find(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += length) {
		const char *after = at + length;
		unsigned offset, size;

		if (at == text || at[-1] != ' ' || (*after != ';' && *after != '['))
			continue;
		after = strchr(after, ';');
		if (after && sscanf(after, "; offset:%u; size:%u;", &offset, &size) == 2)
			return (struct trace_field){offset, size};
	}
	return (struct trace_field){0, 0};
}

static bool has_field(struct trace_field field, size_t n)
{
	return field.size && field.offset <= n && field.size <= n - field.offset;
}

int64_t trace_number(struct trace_field field, const void *record, size_t n)
{
	const char *at = (const char *)record + field.offset;
	int64_t whole = 0;
	int32_t word;

	if (!has_field(field, n))
		return 0;
	if (field.size == sizeof(whole)) {
		memcpy(&whole, at, sizeof(whole));
		return whole;
	}
	if (field.size != sizeof(word))
		return 0;
	memcpy(&word, at, sizeof(word));
	return word;
}

char *trace_text(struct trace_field field, const void *record, size_t n, char *copy, size_t size)
{
	if (field.size == sizeof(uint32_t)) { /* its length, and where it is */
		uint32_t place = (uint32_t)trace_number(field, record, n);

		field = (struct trace_field){place & 0xffff, place >> 16};
	}
	if (!has_field(field, n))
		field.size = 0;
	snprintf(copy, size, "%.*s", (int)field.size, (const char *)record + field.offset);
	return text_clean(copy);
}

const char *trace_softirq_name(uint32_t vector)
{
	static const char *const names[] = {
		"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"};

	return vector < sizeof(names) / sizeof(*names) ? names[vector] : "";
}

const char *trace_ipi_name(uint32_t vector)
{
	/* call_function: on one CPU, on several. */
	static const struct {
		uint32_t vector;
		const char *name;
	} names[] = {{0xf6, "irq_work"}, {0xfb, "call_function"}, {0xfc, "call_function"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].vector == vector)
			return names[i].name;
	return "";
}

void trace_idle_name(uint32_t cpu, uint32_t state, char *name, size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/name", (unsigned)cpu,
		(unsigned)state);
	small_file_read_line(path, name, size);
	text_clean(name);
}
