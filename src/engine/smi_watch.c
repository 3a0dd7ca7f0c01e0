/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smi_watch.c - follows how many system management interrupts there were. */
#include "src/engine/smi_watch.h"

#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/smi.h"

static const uint64_t second_ns = 1000000000, again_ns = 10000000; /* reading interrupts a CPU */

static struct smi_reading read_now(const struct smi_watch *watch)
{
	long long n = watch->counter < 0 ? -1 : smi_read_counter(watch->counter);

	return n < 0 ? (struct smi_reading){0} : (struct smi_reading){clock_now_ns(), (uint64_t)n};
}

void smi_watch_open(struct smi_watch *watch, const char *event)
{
	*watch = (struct smi_watch){.counter = smi_open_counter(event)};
}

void smi_watch_close(struct smi_watch *watch)
{
	if (watch->counter >= 0)
		close(watch->counter);
	watch->counter = -1;
}

void smi_watch_look(struct smi_watch *watch)
{
	if (watch->counter < 0 || clock_now_ns() < watch->last.at_ns + second_ns)
		return;
	watch->before = watch->last;
	watch->last = read_now(watch);
}

uint32_t smi_watch_since(struct smi_watch *watch, uint64_t since_ns)
{
	struct smi_reading from = watch->last.at_ns > since_ns ? watch->before : watch->last;

	if (clock_now_ns() > watch->now.at_ns + again_ns)
		watch->now = read_now(watch);
	return from.at_ns && watch->now.n > from.n ? (uint32_t)(watch->now.n - from.n) : 0;
}
