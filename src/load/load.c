/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load.c - the words of a load. */
#include "src/load/load.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/base/values.h"
#include "src/machine/memory.h"
#include "src/machine/task.h"

const struct load_kind *load_kind_named(const char *name)
{
	for (size_t i = 0; load_kinds[i]; i++)
		if (strcmp(load_kinds[i]->name, name) == 0)
			return load_kinds[i];
	return NULL;
}

/* --- words --- */

static int refuse_kind(struct error_text *reason)
{
	char names[128] = "";

	for (size_t i = 0; load_kinds[i]; i++)
		text_append(names, sizeof(names), ", ", load_kinds[i]->name);
	return error_text_set(reason, -EINVAL, "no such load: choose from %s", names);
}

static bool is_percent(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && text[length - 1] == '%';
}

static int read_percent(struct load *load, char *text, struct error_text *reason)
{
	uint64_t percent;

	if (is_percent(text))
		text[strlen(text) - 1] = '\0';
	if (value_number(text, &percent) < 0 || percent < 1 || percent > 100)
		return error_text_set(reason, -EINVAL, "the intensity must be 1 to 100 percent");
	load->percent = (unsigned)percent;
	return 0;
}

/* Cuts the text at its colons. */
int load_parse(struct load *load, const char *text, struct error_text *reason)
{
	char words[512], *parts[3] = {words, NULL, NULL};
	size_t n = 1;

	*load = (struct load){.percent = 100};
	if (strlen(text) >= sizeof(words))
		return error_text_set(
			reason, -EINVAL, "a load has at most %zu characters", sizeof(words) - 1);
	strcpy(words, text);
	for (char *at = words; (at = strchr(at, ':')); *at++ = '\0') {
		if (n == 3)
			return error_text_set(
				reason, -EINVAL, "must be KIND[:CPUS][:INTENSITY], such as fork:0-3:50");
		parts[n++] = at + 1;
	}
	load->kind = load_kind_named(parts[0]);
	if (!load->kind)
		return refuse_kind(reason);
	if (n == 2 && is_percent(parts[1]))
		return read_percent(load, parts[1], reason);
	/* "fork::50" has no list. */
	if (n > 1 && (n == 2 || *parts[1]) &&
		(cpus_parse(&load->cpus, parts[1]) < 0 || !cpus_count(&load->cpus)))
		return error_text_set(reason, -EINVAL, "the CPUs must be a list such as 0-3,8");
	return n == 3 ? read_percent(load, parts[2], reason) : 0;
}

char *load_format(const struct load *load, char text[LOAD_TEXT_SIZE])
{
	char list[64];

	cpus_format(&load->cpus, list, sizeof(list));
	snprintf(
		text, LOAD_TEXT_SIZE, "%s%s%s:%u%%", load->kind->name, *list ? ":" : "", list, load->percent);
	return text;
}

/* --- can it be opened? --- */

static int check_realtime(struct error_text *reason)
{
	int r = task_try_realtime((struct task_policy){.policy = SCHED_FIFO, .priority = LOAD_PRIORITY});

	return r == 0 ? 0
		      : error_text_set(reason, r,
				"no right to FIFO:%d (%s): run as root, with CAP_SYS_NICE, or raise the limit "
				"rtprio to %d (ulimit -r)",
				LOAD_PRIORITY, error_text_of_errno(r), LOAD_PRIORITY);
}

static int settle_cpus(struct load *load, const struct cpus *allowed, struct error_text *reason)
{
	struct cpus beyond = load->cpus;
	char list[64], those[64];

	if (!cpus_count(&load->cpus))
		load->cpus = *allowed;
	cpus_subtract(&beyond, allowed);
	if (cpus_count(&beyond))
		return error_text_set(reason, -EINVAL, "CPU %s is not allowed here (of %s)",
			cpus_format(&beyond, list, sizeof(list)), cpus_format(allowed, those, sizeof(those)));
	if (load->kind->is_joint && cpus_count(allowed) < 2)
		return error_text_set(reason, -ENOTSUP,
			"it interrupts its CPUs from another one, and only CPU %s is allowed here",
			cpus_format(allowed, those, sizeof(those)));
	return 0;
}

int load_settle(struct load *load, const struct cpus *allowed, struct error_text *reason)
{
	int r = settle_cpus(load, allowed, reason);

	if (r == 0 && load->kind->is_fifo)
		r = check_realtime(reason);
	return r == 0 ? memory_check_room((uint64_t)load->kind->bytes * cpus_count(&load->cpus), "it takes",
				"fewer CPUs", reason)
		      : r;
}
