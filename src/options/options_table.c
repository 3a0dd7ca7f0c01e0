/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_table.c - the table of all options, and how the values of most are read. */
#include "src/options/options_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/base/values.h"
#include "src/options/options.h"
#include "src/plan/plan.h"

enum { PRIORITY_MAX = 98, RENDER_MAX = 1000 };

char *options_shown(const char *value, char text[48])
{
	if (!*value)
		return strcpy(text, "''");
	snprintf(text, 48, "%.40s", value);
	text_clean(text);
	return strlen(value) > 40 ? strcat(text, "...") : text;
}

int options_refuse(const char *option, const char *value, const char *why, struct error_text *reason)
{
	char shown[48];

	return error_text_set(reason, -EINVAL, "%s %s: %s", option, options_shown(value, shown), why);
}

int options_ranged(const char *option, const char *value, const struct option_range *range, uint64_t *number,
	struct error_text *reason)
{
	uint64_t read;
	int r = range->units ? value_time(value, range->units, &read) : value_number(value, &read);
	char why[192];

	if (r == 0 && read >= range->min && read <= range->max) {
		*number = read;
		return 0;
	}
	snprintf(why, sizeof(why), "%s must be %s", range->what, range->allowed);
	return options_refuse(option, value, why, reason);
}

int options_refuse_value(const struct options_reading *reading, const char *value, const char *why)
{
	return options_refuse(reading->option, value, why, reading->reason);
}

static void *field_of(const struct options_reading *reading)
{
	return (char *)reading->config + reading->row->field;
}

static int read_flag(struct options_reading *reading, const char *value)
{
	*(bool *)field_of(reading) = reading->row->sets;
	return 0;
}

static int read_action(struct options_reading *reading, const char *value)
{
	reading->config->action = (enum config_action)reading->row->sets;
	return 0;
}

static int read_word(struct options_reading *reading, const char *value)
{
	if (!*value)
		return options_refuse_value(reading, value, "must not be empty");
	*(const char **)field_of(reading) = value;
	return 0;
}

/* A number or a time within the row's range. */
static int read_ranged(const struct options_reading *reading, const char *value, uint64_t *number)
{
	return options_ranged(reading->option, value, reading->row->range, number, reading->reason);
}

static int read_number(struct options_reading *reading, const char *value)
{
	return read_ranged(reading, value, field_of(reading));
}

void options_append_word(char *text, size_t size, const char *word)
{
	size_t length = strlen(text);

	snprintf(text + length, size - length, "%s%s", length ? ", " : "", word);
}

static int read_threads(struct options_reading *reading, const char *value)
{
	uint64_t number = 0;
	int r = value ? read_ranged(reading, value, &number) : 0;

	if (r == 0)
		reading->config->n_pairs = (unsigned)number;
	return r;
}

static int read_smp(struct options_reading *reading, const char *value)
{
	reading->smp = true;
	return 0;
}

static int read_priority(struct options_reading *reading, const char *value)
{
	uint64_t number = 0;
	int r = read_ranged(reading, value, &number);

	if (r < 0)
		return r;
	reading->priority = value;
	reading->config->has_policy = true;
	reading->config->policy.priority = (int32_t)number;
	return 0;
}

static int read_policy(struct options_reading *reading, const char *value)
{
	int policy = task_policy_parse(value);

	if (!strcmp(value, "deadline"))
		return options_refuse_value(reading, value,
			"the kernel pins no deadline task to one CPU: choose other, batch, idle, fifo or rr");
	if (policy < 0)
		return options_refuse_value(
			reading, value, "the policy must be other, batch, idle, fifo or rr");
	reading->policy = value;
	reading->config->has_policy = true;
	reading->config->policy.policy = policy;
	return 0;
}

static int read_dma_latency(struct options_reading *reading, const char *value)
{
	uint64_t number = 0;
	int r = read_ranged(reading, value, &number);

	if (r < 0)
		return r;
	reading->config->has_dma_latency = true;
	reading->config->dma_latency_us = (int32_t)number;
	return 0;
}

static int read_memory(struct options_reading *reading, const char *value)
{
	reading->config->has_memory = true;
	if (numa_policy_parse(value, &reading->config->memory) < 0)
		return options_refuse_value(reading, value,
			"the place must be receiver, sender, node:N, interleave or local, such as node:1");
	return 0;
}

static const char *figure_shown(unsigned i)
{
	return i < N_FIGURES_SHOWN ? figure_name((enum figure)i) : NULL;
}

/* The number of the name that @value is; @what bears these names. */
static int read_name(const struct options_reading *reading, const char *value, const char *what,
	const char *(*name)(unsigned i), unsigned *number)
{
	char names[64] = "", why[128];

	for (unsigned i = 0; name(i); i++) {
		if (!strcmp(value, name(i))) {
			*number = i;
			return 0;
		}
		options_append_word(names, sizeof(names), name(i));
	}
	snprintf(why, sizeof(why), "the %s must be one of %s", what, names);
	return options_refuse_value(reading, value, why);
}

static int read_show(struct options_reading *reading, const char *value)
{
	unsigned figure = 0;
	int r = read_name(reading, value, "figure", figure_shown, &figure);

	reading->config->figure = (enum figure)figure;
	reading->config->has_figure = true;
	return r;
}

static int read_fail_above(struct options_reading *reading, const char *value)
{
	reading->config->has_fail_above = true;
	return read_ranged(reading, value, &reading->config->fail_above_ns);
}

static int read_view(struct options_reading *reading, const char *value)
{
	return read_name(reading, value, "view", reading->names->view, &reading->config->screen);
}

static int read_speed(struct options_reading *reading, const char *value)
{
	reading->config->has_speed = true;
	return read_ranged(reading, value, &reading->config->speed_milli);
}

static int read_render(struct options_reading *reading, const char *value)
{
	struct config *config = reading->config;

	if (value_size(value, RENDER_MAX, &config->render_columns, &config->render_lines) < 0)
		return options_refuse_value(
			reading, value, "the size must be columns x lines such as 80x24, 1x1 to 1000x1000");
	return 0;
}

#define FIELD(name) .field = offsetof(struct config, name)

static const struct option_range threads = {
	"the number of pairs", 0, PLAN_RINGS_MAX, NULL, "0 (one for each CPU) to 4096"};
static const struct option_range priority = {"the priority", 0, PRIORITY_MAX, NULL, "0 to 98"};
static const struct option_range interval = {"the interval", 0, UINT64_C(60000000000), value_microseconds,
	"0 (flood) to 60s, in microseconds or with us, ms or s"};
static const struct option_range distance = {"the distance", 0, UINT64_C(60000000000), value_microseconds,
	"0 to 60s, in microseconds or with us, ms or s"};
static const struct option_range limit = {"the limit", 0, UINT64_C(60000000000), value_microseconds,
	"0 (none) to 60s, in microseconds or with us, ms or s"};
static const struct option_range duration = {"the duration", 0, UINT64_C(315360000000000000), value_seconds,
	"0 (endless) to 3650d, in seconds or with s, m, h or d"};
static const struct option_range turns = {"the length of a turn", 100000000, UINT64_C(3600000000000),
	value_seconds, "0.1 to 3600 seconds, or with s, m or h"};
static const struct option_range loops = {
	"the number of laps", 0, UINT64_C(1000000000000000), NULL, "0 (endless) to 1000000000000000"};
static const struct option_range dma_latency = {
	"the latency", 0, 2000000000, NULL, "0 to 2000000000 microseconds"};
static const struct option_range tick = {
	"the tick", 50000000, UINT64_C(10000000000), value_seconds, "0.05 to 10 seconds"};
static const struct option_range refresh = {
	"the refresh", 100000000, UINT64_C(3600000000000), value_seconds, "0.1 to 3600 seconds"};

static const struct option_range size = {"the size", 0, CONFIG_TOKEN_SIZE_MAX, value_bytes,
	"0 (the smallest token) to 1M, in bytes or with k or M"};
static const struct option_range work_range = {
	"the work", 0, UINT64_C(1024) << 20, value_kibibytes, "0 to 1024M, in KiB or with M"};

static const struct value_unit thousandths[] = {{"", 1000}, {"x", 1000}, {NULL, 0}};
static const struct option_range speed = {
	"the speed", 0, 1000000, thousandths, "0 (without waiting) to 1000, up to 3 decimals"};

const char *const options_groups[N_OPTION_GROUPS] = {
	[GROUP_WHAT] = "What is measured",
	[GROUP_HOW] = "How",
	[GROUP_SHOWN] = "What is shown",
	[GROUP_OTHER] = "Other",
};

/* clang-format off */
const struct option_row options_table[] = {
	{GROUP_WHAT, 'm', "mechanisms", "LIST", .read = options_read_mechanisms,
		.help = "which, such as mq,signal, or all (default mq)"},
	{GROUP_WHAT, 0, "pairs", "WHAT", .read = read_word, FIELD(pairs),
		.help = "own (default), smt, l2, l3, node, cross, locality,\n"
			"all, or sender:receiver such as 0:3,5:5"},
	{GROUP_WHAT, 0, "ring", "N[xM]", .read = options_read_ring,
		.help = "M rings of N members, from CPU to CPU, or with\n"
			"--pairs own on one CPU each"},
	{GROUP_WHAT, 'c', "cpus", "LIST", .read = options_read_cpus,
		.help = "CPUs to measure, such as 2-5,8"},
	{GROUP_WHAT, 'a', "affinity", "LIST", .optional = true, .read = options_read_affinity,
		.help = "the same; bare: all CPUs"},
	{GROUP_WHAT, 't', "threads", "NUM", .optional = true, .read = read_threads, .range = &threads,
		.help = "number of pairs; bare or 0: one for each CPU (default)"},
	{GROUP_WHAT, 'S', "smp", NULL, .read = read_smp,
		.help = "one pair on each CPU, all at one priority (default)"},
	{GROUP_WHAT, 'H', "housekeeping", "LIST", .read = options_read_housekeeping,
		.help = "CPUs for ipctop itself"},
	{GROUP_WHAT, 'f', "fork", NULL, .read = read_flag, FIELD(fork), .sets = true,
		.help = "members are processes, not threads"},
	{GROUP_WHAT, 's', "size", "BYTES", .read = read_number, FIELD(size), .range = &size,
		.help = "of each token, up to 1M; k is 1024 (default 0: the\nsmallest token)"},
	{GROUP_WHAT, 0, "work", "KIB", .read = read_number, FIELD(work_size), .range = &work_range,
		.help = "memory that each member sums before it passes the\ntoken on (default 0)"},

	{GROUP_HOW, 'p', "priority", "PRIO", .read = read_priority, .range = &priority,
		.help = "1 to 98: FIFO, or what --policy says; 0: none"},
	{GROUP_HOW, 0, "policy", "POLICY", .read = read_policy,
		.help = "other (default), batch, idle, fifo or rr"},
	{GROUP_HOW, 'i', "interval", "USEC", .read = read_number, FIELD(interval_ns), .range = &interval,
		.help = "from lap to lap, or with us, ms, s (default 1000);\n0: flood"},
	{GROUP_HOW, 'd', "distance", "USEC", .read = read_number, FIELD(distance_ns), .range = &distance,
		.help = "added to the interval from pair to pair (default 0)"},
	{GROUP_HOW, 'D', "duration", "TIME", .read = read_number, FIELD(duration_ns), .range = &duration,
		.help = "end after it: seconds, or with s, m, h, d"},
	{GROUP_HOW, 'l', "loops", "LOOPS", .read = read_number, FIELD(loops), .range = &loops,
		.help = "end after so many laps of each pair; 0: endless"},
	{GROUP_HOW, 'b', "breaktrace", "USEC", .read = read_number, FIELD(breaktrace_ns), .range = &limit,
		.help = "stop the kernel's tracing and end with 2 at the first\nsample of the figure shown above it; or with us, ms, s"},
	{GROUP_HOW, 0, "dma-latency", "USEC", .read = read_dma_latency, .range = &dma_latency,
		.help = "hold /dev/cpu_dma_latency at it: 0 keeps CPUs awake"},
	{GROUP_HOW, 0, "memory", "WHERE", .read = read_memory,
		.help = "NUMA node of hops' memory: receiver (default), sender,\n"
			"node:N, interleave or local"},
	{GROUP_HOW, 0, "side-by-side", NULL, .read = read_flag, FIELD(side_by_side), .sets = true,
		.help = "pairs that share a CPU run at once, not in turns"},
	{GROUP_HOW, 0, "turns", "SEC", .read = read_number, FIELD(turn_ns), .range = &turns,
		.help = "length of a turn, or with s, m (default 3s for\nall, 0.1s to 1s each, and eight intervals or more)"},
	{GROUP_HOW, 0, "force", NULL, .read = read_flag, FIELD(force), .sets = true,
		.help = "real-time flood on every CPU all the same"},
	{GROUP_HOW, 0, "allow-rt-spin", NULL, .read = read_flag, FIELD(allow_rt_spin), .sets = true,
		.help = "mechanisms whose members spin run at real-time\npriority too"},
	{GROUP_HOW, 0, "strict", NULL, .read = read_flag, FIELD(strict), .sets = true,
		.help = "end where a right or a limit is missing"},

	{GROUP_SHOWN, 0, "show", "FIGURE", .read = read_show,
		.help = "first (default), answer, lap or response"},
	{GROUP_SHOWN, 0, "fail-above", "USEC", .read = read_fail_above, .range = &limit,
		.help = "count samples above it; exit with 2 where there are\nany; or with us, ms, s"},
	{GROUP_SHOWN, 0, "view", "VIEW", .read = read_view,
		.help = "the screen's first: overview (default) or detail"},
	{GROUP_SHOWN, 0, "tick", "SEC", .read = read_number, FIELD(tick_ns), .range = &tick,
		.help = "from sample to sample (default 0.5)"},
	{GROUP_SHOWN, 0, "refresh", "SEC", .read = read_number, FIELD(refresh_ns), .range = &refresh,
		.help = "from one print or frame to the next (default 1)"},
	{GROUP_SHOWN, 0, "no-auto-phase", NULL, .read = read_flag, FIELD(auto_phase), .sets = false,
		.help = "a change of members' scheduling begins no phase"},
	{GROUP_SHOWN, 0, "batch", NULL, .read = read_flag, FIELD(batch), .sets = true,
		.help = "plain lines, as without a terminal"},
	{GROUP_SHOWN, 'q', "quiet", NULL, .read = read_flag, FIELD(quiet), .sets = true,
		.help = "only the summary at the end"},
	{GROUP_SHOWN, 0, "no-color", NULL, .read = read_flag, FIELD(color), .sets = false,
		.help = "no colors; so does NO_COLOR in the environment"},
	{GROUP_SHOWN, 'U', "ascii", NULL, .read = read_flag, FIELD(ascii), .sets = true,
		.help = "the screen in ASCII, whatever the locale says"},
	{GROUP_SHOWN, 0, "mouse", NULL, .read = read_flag, FIELD(mouse), .sets = true,
		.help = "a click selects or sorts, the wheel scrolls"},
	{GROUP_SHOWN, 0, "json", "FILE", .argv_only = true, .read = read_word, FIELD(json),
		.help = "write the result there at the end; -: to stdout"},
	{GROUP_SHOWN, 0, "render", "WxH", .argv_only = true, .read = read_render,
		.help = "print the screen once as text, such as 80x24, and end"},

	{GROUP_SHOWN, 0, "record", "FILE", .argv_only = true, .read = read_word, FIELD(record),
		.help = "write all that is seen there, tick by tick"},
	{GROUP_SHOWN, 0, "replay", "FILE", .argv_only = true, .read = read_word, FIELD(replay),
		.help = "show a recording in place of measuring"},
	{GROUP_SHOWN, 0, "speed", "X", .argv_only = true, .read = read_speed, .range = &speed,
		.help = "of --replay: 2 is twice as fast, 0 without waiting"},
	{GROUP_SHOWN, 0, "export-jsonl", NULL, .argv_only = true, .read = read_flag, FIELD(export_jsonl), .sets = true,
		.help = "print --replay's recording, a JSON object a line"},

	{GROUP_OTHER, 0, "config", "FILE", .argv_only = true, .read = read_word, FIELD(config_file),
		.help = "read options from it, a line each, such as quiet or\n"
			"interval 100 (default ~/.config/ipctop/config)"},
	{GROUP_OTHER, 0, "no-config", NULL, .argv_only = true, .read = read_flag, FIELD(no_config), .sets = true,
		.help = "read no such file"},
	{GROUP_OTHER, 0, "plan", NULL, .argv_only = true, .read = read_action, .sets = ACTION_PLAN,
		.help = "print the pairs and their turns, and end"},
	{GROUP_OTHER, 'h', "help", NULL, .argv_only = true, .read = read_action, .sets = ACTION_HELP,
		.help = "print this, and end"},
	{GROUP_OTHER, 'V', "version", NULL, .argv_only = true, .read = read_action, .sets = ACTION_VERSION,
		.help = "print the version, and end"},
	{.name = NULL},
};
/* clang-format on */
