/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner.c - whose an object is, and whether they still live. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "src/probe.h"
#include "src/task.h"

struct owner owner_self(void)
{
	struct task_stat stat;
	pid_t pid = getpid();

	if (task_read_stat(pid, pid, &stat) < 0)
		stat.start_time = 0;
	return (struct owner){.pid = pid, .start_time = stat.start_time};
}

bool owner_is_dead(const struct owner *owner)
{
	struct task_stat stat;
	int r = task_read_stat(owner->pid, owner->pid, &stat);

	if (r == 0) /* a zombie holds nothing any more */
		return stat.start_time != owner->start_time || stat.state == 'Z' || stat.state == 'X';
	return r == -ENOENT && kill(owner->pid, 0) < 0 && errno == ESRCH;
}

char *owner_format(const struct owner *owner, char text[OWNER_TEXT])
{
	snprintf(text, OWNER_TEXT, "ipctop.%d.%llu", owner->pid, (unsigned long long)owner->start_time);
	return text;
}

bool owner_parse(const char *name, struct owner *owner)
{
	unsigned long long start_time;

	if (sscanf(name, "ipctop.%d.%llu", &owner->pid, &start_time) != 2)
		return false;
	owner->start_time = start_time;
	return true;
}
