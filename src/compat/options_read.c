/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_read.c - how the values of the tools' options are read, and the options that all of rt-tests have.
 */
#include <sched.h>
#include <string.h>

#include "src/base/values.h"
#include "src/compat/options.h"
#include "src/plan/plan.h"

static int refuse(const struct compat_reading *reading, const char *value, const char *why)
{
	return options_refuse(reading->option, value, why, reading->reason);
}

static void *field_of(const struct compat_reading *reading)
{
	return (char *)reading->settings + reading->row->field;
}

int compat_read_flag(struct compat_reading *reading, const char *value)
{
	*(bool *)field_of(reading) = true;
	return 0;
}

int compat_read_text(struct compat_reading *reading, const char *value)
{
	if (!*value)
		return refuse(reading, value, "must not be empty");
	*(const char **)field_of(reading) = value;
	return 0;
}

static int read_ranged(const struct compat_reading *reading, const char *value,
	const struct option_range *range, uint64_t *number)
{
	return options_ranged(reading->option, value, range, number, reading->reason);
}

int compat_read_number(struct compat_reading *reading, const char *value)
{
	return read_ranged(reading, value, reading->row->range, field_of(reading));
}

/* "-a 0" and "-t 0" mean all, "-a0" and "--affinity=0" CPU 0. */
static bool means_all(const struct compat_reading *reading, const char *value)
{
	return !value || (reading->apart && strspn(value, "0") == strlen(value));
}

int compat_read_cpu(struct compat_reading *reading, const char *value)
{
	static const struct option_range cpus = {
		.what = "the CPU", .max = CPUS_MAX - 1, .allowed = "a CPU's number, from 0 on"};
	struct compat_settings *settings = reading->settings;
	uint64_t cpu;

	settings->affinity = COMPAT_ALL_CPUS;
	if (means_all(reading, value))
		return 0;
	int r = read_ranged(reading, value, &cpus, &cpu);

	if (r < 0)
		return r;
	settings->affinity = COMPAT_LIST;
	settings->config.cpus = (struct cpus){0};
	cpus_add(&settings->config.cpus, (unsigned)cpu);
	return 0;
}

int compat_read_cpus(struct compat_reading *reading, const char *value)
{
	struct compat_settings *settings = reading->settings;

	settings->affinity = value ? COMPAT_LIST : COMPAT_ALL_CPUS;
	if (value && (cpus_parse(&settings->config.cpus, value) < 0 || !cpus_count(&settings->config.cpus)))
		return refuse(reading, value, "the CPUs must be a list like 0-3,8");
	return 0;
}

int compat_read_threads(struct compat_reading *reading, const char *value)
{
	uint64_t *threads = &reading->settings->threads;

	*threads = 0;
	reading->settings->has_threads = true;
	return means_all(reading, value) ? 0 : read_ranged(reading, value, reading->row->range, threads);
}

int compat_read_priority(struct compat_reading *reading, const char *value)
{
	static const struct option_range priorities = {
		.what = "the priority", .max = 99, .allowed = "0 (SCHED_OTHER), or 1 to 99 (SCHED_FIFO)"};
	struct task_policy *policy = &reading->settings->config.policy;
	uint64_t number;
	int r = read_ranged(reading, value, &priorities, &number);

	if (r == 0)
		*policy = (struct task_policy){number ? SCHED_FIFO : SCHED_OTHER, (int32_t)number};
	return r;
}

#define FIELD(member) .field = offsetof(struct compat_settings, member)

static const struct option_range durations = {.what = "the duration",
	.max = UINT64_C(366) * 86400 * 1000000000,
	.units = value_seconds,
	.allowed = "up to 366d, in seconds or with s, m, h or d"};
static const struct option_range loops = {
	.what = "the number of loops", .max = UINT64_C(1) << 48, .allowed = "0 (endless) to 2^48"};
static const struct option_range breaks = {.what = "the limit",
	.max = UINT64_C(60) * 1000000000,
	.units = value_microseconds,
	.allowed = "0 (none) to 60s, in microseconds or with us, ms or s"};

const struct compat_option compat_rt_options[] = {
	{'b', "breaktrace", "USEC", .help = "stop tracing and end when a latency is > USEC",
		.read = compat_read_number, FIELD(config.breaktrace_ns), .range = &breaks},
	{'D', "duration", "TIME", .help = "how long it runs: seconds, or with m, h or d",
		.read = compat_read_number, FIELD(config.duration_ns), .range = &durations},
	{'h', "help", .help = "print this help", .read = compat_read_flag, FIELD(help)},
	{0, "json", "FILENAME", .help = "write the results into FILENAME, as the tool does",
		.read = compat_read_text, FIELD(json)},
	{0, "ipctop-json", "FILENAME", .help = "and as ipctop does, with all that was seen",
		.read = compat_read_text, FIELD(config.json)},
	{'l', "loops", "LOOPS", .help = "number of loops; default=0 (endless)", .read = compat_read_number,
		FIELD(config.loops), .range = &loops},
	{'p', "priority", "PRIO", .help = "priority; default=0 (SCHED_OTHER)", .read = compat_read_priority},
	{'q', "quiet", .help = "print a summary only on exit", .read = compat_read_flag, FIELD(config.quiet)},
	{0},
};
