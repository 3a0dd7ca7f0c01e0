/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - ipctop's options: their tables, their own readers, and the order of defaults, file and argv. */
#include "src/options/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/listen_address.h"
#include "src/base/text.h"
#include "src/flight/flight.h"
#include "src/load/load.h"
#include "src/options/config_file.h"
#include "src/options/given_options.h"
#include "src/options/option.h"
#include "src/plan/plan.h"
#include "src/plan/plan_places.h"
#include "src/probe/probe.h"

enum { PRIORITY_MAX = 98, RENDER_MAX = 1000 };

/* --- mechanisms --- */

static int refuse_mechanism(const struct option_reading *reading, const char *name)
{
	const struct given_options *given = reading->target;
	char names[384] = "";

	for (const struct probe *const *probe = given->names->mechanisms; *probe; probe++)
		text_append(names, sizeof(names), ", ", (*probe)->name);
	return option_refuse(reading, name, "no such mechanism: choose from %s, or all", names);
}

static void append_probe(struct config *config, const struct probe *probe)
{
	for (size_t i = 0; i < config->n_probes; i++)
		if (config->probes[i] == probe)
			return;
	if (config->n_probes < CONFIG_PROBES_MAX)
		config->probes[config->n_probes++] = probe;
}

/* "all" leaves out mechanisms that this machine lacks, as `ipctop list` shows. */
static int read_mechanism(struct option_reading *reading, const char *name)
{
	struct given_options *given = reading->target;
	bool all = !strcmp(name, "all"), known = all;

	for (const struct probe *const *probe = given->names->mechanisms; *probe; probe++) {
		const char *missing = (*probe)->missing ? (*probe)->missing() : NULL;
		bool named = !strcmp((*probe)->name, name);

		if (named && missing)
			return option_refuse(reading, name, "%s", missing);
		if ((all && !missing) || named)
			append_probe(&given->config, *probe);
		known |= named;
	}
	return known ? 0 : refuse_mechanism(reading, name);
}

static int read_mechanisms(struct option_reading *reading, const char *value)
{
	const char *name = value;

	for (((struct given_options *)reading->target)->config.n_probes = 0;; name++) {
		size_t length = strcspn(name, ",");
		char word[OPTION_SHOWN_SIZE];

		if (length == 0)
			return refuse_mechanism(reading, value);
		snprintf(word, sizeof(word), "%.*s", (int)length, name);
		int r = read_mechanism(reading, word);

		name += length;
		if (r < 0 || !*name)
			return r;
	}
}

/* --- other values --- */

/* "8" or "8x4": members, and rings. */
static int read_ring(struct option_reading *reading, const char *value)
{
	struct config *config = &((struct given_options *)reading->target)->config;
	unsigned n_members = 0, n_rings = 0;
	uint64_t number;

	if (value_number(value, &number) == 0 && number <= PLAN_RING_MEMBERS_MAX)
		n_members = (unsigned)number;
	else
		(void)value_size(value, PLAN_RINGS_MAX, &n_members, &n_rings);
	if (n_members < 2 || n_members > PLAN_RING_MEMBERS_MAX)
		return option_refuse(reading, value,
			"the ring must be N or NxM: 2 to %d members, 1 to %d rings", PLAN_RING_MEMBERS_MAX,
			PLAN_RINGS_MAX);
	config->ring_members = n_members;
	config->n_rings = n_rings;
	return 0;
}

static int read_policy(struct option_reading *reading, const char *value)
{
	int policy = task_policy_parse(value);

	if (!strcmp(value, "deadline"))
		return option_refuse(reading, value,
			"the kernel can't pin a deadline task to one CPU: choose other, batch, idle, fifo or rr");
	if (policy < 0)
		return option_refuse(reading, value, "the policy must be other, batch, idle, fifo or rr");
	((struct given_options *)reading->target)->config.policy.policy = policy;
	return 0;
}

static int read_memory(struct option_reading *reading, const char *value)
{
	if (numa_policy_parse(value, &((struct given_options *)reading->target)->config.memory) == 0)
		return 0;
	return option_refuse(reading, value,
		"the place must be receiver, sender, node:N, interleave or local, such as node:1");
}

/* Case does not matter. Returns a number past the last one if there is no such value. */
static unsigned value_index(const char *(*value)(const struct options_names *names, unsigned i),
	const struct options_names *names, const char *word)
{
	unsigned i = 0;

	while (value(names, i) && strcasecmp(value(names, i), word) != 0)
		i++;
	return i;
}

static void list_values(const struct option_reading *reading, char *list, size_t size)
{
	const struct options_names *names = ((struct given_options *)reading->target)->names;

	list[0] = '\0';
	for (unsigned i = 0; reading->row->value(names, i); i++)
		text_append(list, size, ", ", reading->row->value(names, i));
}

/* Stores the index of @word among the row's values; the row's range has the title. */
static int read_name(struct option_reading *reading, const char *word)
{
	const struct option_row *row = reading->row;
	const struct options_names *names = ((struct given_options *)reading->target)->names;
	unsigned i = value_index(row->value, names, word);
	char list[200];

	if (row->value(names, i)) {
		*(unsigned *)((char *)reading->target + row->field) = i;
		return 0;
	}
	list_values(reading, list, sizeof(list));
	return option_refuse(reading, word, "%s must be one of %s", row->range.title, list);
}

static int read_load(struct option_reading *reading, const char *value)
{
	struct config *config = &((struct given_options *)reading->target)->config;
	struct error_text why;

	if (config->n_loads == LOADS_MAX)
		return option_refuse(reading, value, "at most %d loads are open at once", LOADS_MAX);
	if (load_parse(&config->loads[config->n_loads], value, &why) < 0)
		return option_refuse(reading, value, "%s", why.text);
	config->n_loads++;
	return 0;
}

static int read_columns(struct option_reading *reading, const char *value)
{
	struct given_options *given = reading->target;
	struct config *config = &given->config;
	char list[200];

	config->n_columns = 0;
	for (const char *at = value; strcmp(value, "all") != 0;) {
		size_t length = strcspn(at, ",");
		char word[OPTION_SHOWN_SIZE];

		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		unsigned i = value_index(reading->row->value, given->names, word);

		if (!reading->row->value(given->names, i)) {
			list_values(reading, list, sizeof(list));
			return option_refuse(reading, word, "no such column: choose from %s, or all", list);
		}
		if (config->n_columns < CONFIG_COLUMNS_MAX &&
			!memchr(config->columns, (int)i, config->n_columns))
			config->columns[config->n_columns++] = (unsigned char)i;
		at += length;
		if (!*at++)
			break;
	}
	return 0;
}

static const char *export_value(const struct options_names *names, unsigned i)
{
	return names->export(i);
}

static void list_formats(const struct options_names *names, char *list, size_t size)
{
	list[0] = '\0';
	for (unsigned i = 0; names->export(i); i++)
		text_append(list, size, ", ", names->export(i));
}

/* FORMAT=FILE */
static int read_export(struct option_reading *reading, const char *value)
{
	struct given_options *given = reading->target;
	size_t length = strcspn(value, "=");
	char word[OPTION_SHOWN_SIZE], list[200];

	snprintf(word, sizeof(word), "%.*s", (int)length, value);
	unsigned i = value_index(export_value, given->names, word);

	if (given->names->export(i) && value[length] == '=') {
		const char *before = given->config.exports[i];

		given->config.exports[i] = value + length + 1;
		return before ? option_refuse(reading, value, "%s already has a file: %s", word, before) : 0;
	}
	list_formats(given->names, list, sizeof(list));
	return option_refuse(
		reading, value, "must be FORMAT=FILE, such as csv=result.csv; FORMAT is one of %s", list);
}

static int read_render(struct option_reading *reading, const char *value)
{
	struct config *config = &((struct given_options *)reading->target)->config;

	if (value_size(value, RENDER_MAX, &config->render_columns, &config->render_lines) == 0)
		return 0;
	return option_refuse(
		reading, value, "the size must be columns x lines, such as 80x24, from 1x1 to 1000x1000");
}

static int read_listen(struct option_reading *reading, const char *value)
{
	struct config *config = &((struct given_options *)reading->target)->config;

	config->metrics_listen = value;
	if (listen_address_parse(&config->metrics_address, value) == 0)
		return 0;
	return option_refuse(reading, value,
		"must be a port, 1 to 65535, or a numeric address with a port, such as 9000, 0.0.0.0:9000 or "
		"[::1]:9000");
}

/* --- the words that a value may be --- */

const char *options_figure(const struct options_names *names, unsigned i)
{
	return i < N_FIGURES_SHOWN ? figure_name((enum figure)i) : NULL;
}

static const char *stamps_value(const struct options_names *names, unsigned i)
{
	return i < N_STAMPS ? stamps_name((enum stamps)i) : NULL;
}

static const char *mechanism_value(const struct options_names *names, unsigned i)
{
	return names->mechanisms[i] ? names->mechanisms[i]->name : NULL;
}

static const char *view_value(const struct options_names *names, unsigned i)
{
	return names->view(i);
}

static const char *palette_value(const struct options_names *names, unsigned i)
{
	return names->palette(i);
}

static const char *colors_value(const struct options_names *names, unsigned i)
{
	return names->colors(i);
}

static int read_no_color(struct option_reading *reading, const char *value)
{
	struct given_options *given = reading->target;

	given->config.colors = value_index(colors_value, given->names, "none");
	return 0;
}

static const char *column_value(const struct options_names *names, unsigned i)
{
	return names->column(i);
}

static const char *sort_value(const struct options_names *names, unsigned i)
{
	return names->sort(i);
}

static const char *unit_value(const struct options_names *names, unsigned i)
{
	return names->unit(i);
}

const char *options_recorder(const struct options_names *names, unsigned i)
{
	return flight_word(i);
}

static const char *window_value(const struct options_names *names, unsigned i)
{
	return names->window(i);
}

static const char *policy_value(const struct options_names *names, unsigned i)
{
	return task_policy_word(i);
}

static const char *memory_value(const struct options_names *names, unsigned i)
{
	return numa_policy_word(i);
}

static const char *load_value(const struct options_names *names, unsigned i)
{
	return load_kinds[i] ? load_kinds[i]->name : NULL;
}

static const char *pairs_value(const struct options_names *names, unsigned i)
{
	return names->localities ? plan_places_word_of(names->localities, i) : plan_places_word(i);
}

/* --- the tables --- */

#define FIELD(member) OPTION_FIELD(struct given_options, member)
#define CONFIG(member) OPTION_FIELD(struct given_options, config.member)
#define HAS(member) .has = offsetof(struct given_options, member)

static const struct value_unit thousandths[] = {{"", 1000}, {"x", 1000}, {NULL, 0}};

/* clang-format off */
static const struct option_row what_is_measured[] = {
	{'m', "mechanisms", "LIST", "the mechanisms, such as mq,signal, or all (default mq)", read_mechanisms,
		.value = mechanism_value, .is_list = true},
	{0, "pairs", "WHAT", "own (default), smt, l2, l3, node, package, cross,\n"
		"classes, all, or sender:receiver such as 0:3,5:5", option_read_text, CONFIG(pairs),
		.value = pairs_value},
	{0, "ring", "N[xM]", "M rings of N members, from CPU to CPU, or with\n"
		"--pairs own on one CPU each", read_ring},
	{'c', "cpus", "LIST", "CPUs to measure, such as 2-5,8", option_read_cpus, CONFIG(cpus), HAS(has_list)},
	{'a', "affinity", "LIST", "the same; bare: all CPUs", option_read_cpus, FIELD(affinity),
		HAS(has_affinity), .optional = true},
	{'t', "threads", "NUM", "number of pairs; bare or 0: one for each CPU (default)", option_read_number,
		CONFIG(n_pairs), .optional = true,
		.range = {"the number of pairs", 0, PLAN_RINGS_MAX, NULL, "0 (one for each CPU) to 4096"}},
	{'S', "smp", NULL, "one pair on each CPU, all at one priority (default)", option_read_true, FIELD(smp)},
	{'H', "housekeeping", "LIST", "CPUs for ipctop itself", option_read_cpus, CONFIG(housekeeping),
		HAS(config.has_housekeeping)},
	{0, "sweep", NULL, "each CPU with each other one in turn, as a matrix,\ninstead of pairs", option_read_true,
		CONFIG(sweep), .argv_only = true},
	{'f', "fork", NULL, "members are processes, not threads", option_read_true, CONFIG(fork)},
	{'s', "size", "BYTES", "size of each token, up to 1M; k is 1024 (default 0:\nthe smallest token)",
		option_read_number, CONFIG(size), .range = {"the size", 0, CONFIG_TOKEN_SIZE_MAX, value_bytes,
			"0 (the smallest token) to 1M, in bytes or with k or M"}},
	{0, "work", "KIB", "memory that each member sums before it passes the\ntoken on (default 0)",
		option_read_number, CONFIG(work_size), .range = {"the work", 0, UINT64_C(1024) << 20,
			value_kibibytes, "0 to 1024M, in KiB or with M"}},
	{0},
};

static const struct option_row how[] = {
	{'p', "priority", "PRIO", "1 to 98: FIFO, or what --policy says; 0: none", option_read_number,
		CONFIG(policy.priority), HAS(config.has_policy),
		.range = {"the priority", 0, PRIORITY_MAX, NULL, "0 to 98 (99 is ipctop's own)"}},
	{0, "policy", "POLICY", "other (default), batch, idle, fifo or rr", read_policy, HAS(config.has_policy),
		.value = policy_value},
	{'i', "interval", "USEC", "time between laps, or with us, ms, s (default 1000);\n0: flood",
		option_read_number, CONFIG(interval_ns), .range = {"the interval", 0, OPTION_SECONDS(60),
			value_microseconds, "0 (flood) to 60s, in microseconds or with us, ms or s"}},
	{'d', "distance", "USEC", "added to the interval from pair to pair (default 0)", option_read_number,
		CONFIG(distance_ns), .range = {"the distance", 0, OPTION_SECONDS(60), value_microseconds,
			"0 to 60s, in microseconds or with us, ms or s"}},
	{'D', "duration", "TIME", "end after this time: seconds, or with s, m, h, d", option_read_number,
		CONFIG(duration_ns), .range = {"the duration", 0, OPTION_SECONDS(3650) * 86400, value_seconds,
			"0 (endless) to 3650d, in seconds or with s, m, h or d"}},
	{'l', "loops", "LOOPS", "end after this many laps of each pair, or rounds of\n--sweep; 0: endless", option_read_number,
		CONFIG(loops), .range = {"the number of laps", 0, UINT64_C(1000000000000000), NULL,
			"0 (endless) to 1000000000000000"}},
	{'b', "breaktrace", "USEC",
		"stop the kernel's tracing and end with 2 at the first\n"
		"sample of the figure shown above it; or with us, ms, s",
		option_read_number, CONFIG(breaktrace_ns), .range = {"the limit", 0, OPTION_SECONDS(60),
			value_microseconds, "0 (none) to 60s, in microseconds or with us, ms or s"}},
	{0, "spike", "USEC",
		"explain responses above this limit; or with us, ms, s\n(default 0: each ring finds its own)",
		option_read_number, CONFIG(spike_ns), .range = {"the limit", 0, OPTION_SECONDS(60),
			value_microseconds, "0 (each ring finds its own) to 60s, in microseconds or with us, ms or s"}},
	{0, "recorder", "WHICH", "how to record what ran meanwhile",
		read_name, CONFIG(recorder), .range = {"the recorder"}, .value = options_recorder, .after_first = " (default)"},
	{0, "stamps", "WHICH", "all (default), or lap: only the origin reads the\nclock, so no hop and no response is measured",
		read_name, CONFIG(stamps), HAS(has_stamps), .range = {"the stamps"}, .value = stamps_value},
	{0, "batch", "LAPS", "one stamp for this many laps of a flood, at most\n1 ms; then only the mean of the lap is measured",
		option_read_number, CONFIG(batch_laps), .range = {"the number of laps", 1, 1000000, NULL,
			"1 to 1000000"}},
	{0, "at-once", "PAIRS", "that --sweep measures at the same time (default 1)", option_read_number,
		CONFIG(at_once), .argv_only = true, .range = {"the number of pairs", 1, CPUS_MAX / 2, NULL,
			"1 to 4096"}},
	{0, "dma-latency", "USEC", "hold /dev/cpu_dma_latency at this value: 0 keeps\nCPUs awake", option_read_number,
		CONFIG(dma_latency_us), HAS(config.has_dma_latency),
		.range = {"the latency", 0, 2000000000, NULL, "0 to 2000000000 microseconds"}},
	{0, "load", "LOAD", "disturb the measurement: KIND[:CPUS][:INTENSITY], such\n"
		"as fork:0-3:50; may be given several times", read_load,
		.value = load_value, .argv_only = true},
	{0, "hunt", NULL, "open one load after the other, then end: which load\nhurts which pair most", option_read_true,
		CONFIG(hunt), .argv_only = true},
	{0, "memory", "WHERE", "NUMA node of hops' memory: receiver (default), sender,\n"
		"node:N, interleave or local", read_memory, HAS(config.has_memory),
		.value = memory_value},
	{0, "side-by-side", NULL, "pairs that share a CPU run at once, not in turns", option_read_true,
		CONFIG(side_by_side)},
	{0, "turns", "SEC", "length of a turn, or with s, m (default 3s for\n"
		"all, 0.1s to 1s each, and eight intervals or more)", option_read_number, CONFIG(turn_ns),
		.range = {"the length of a turn", OPTION_SECONDS(1) / 10, OPTION_SECONDS(3600), value_seconds,
			"0.1 to 3600 seconds, or with s, m or h"}},
	{0, "force", NULL, "allow a real-time flood on every CPU", option_read_true, CONFIG(force)},
	{0, "allow-rt-spin", NULL, "let mechanisms whose members spin run at real-time\npriority",
		option_read_true, CONFIG(allow_rt_spin)},
	{0, "strict", NULL, "end with an error if a right or a limit is missing", option_read_true, CONFIG(strict)},
	{0},
};

static const struct option_row what_is_shown[] = {
	{0, "show", "FIGURE", "first (default), answer, lap or response", read_name, CONFIG(figure),
		HAS(config.has_figure), .range = {"the figure"}, .value = options_figure},
	{0, "fail-above", "USEC", "count samples above this limit, and exit with 2 if\nthere are any; or with us, ms, s",
		option_read_number, CONFIG(fail_above_ns), HAS(config.has_fail_above),
		.range = {"the limit", 0, OPTION_SECONDS(60), value_microseconds,
			"0 (none) to 60s, in microseconds or with us, ms or s"}},
	{0, "view", "VIEW", "the first view", read_name, CONFIG(view), HAS(config.has_view),
		.range = {"the view"}, .value = view_value, .after_first = " (default)"},
	{0, "columns", "LIST", "columns of the table, from left to right, such as\np50,p99,n; or all (default)", read_columns,
		.value = column_value, .is_list = true},
	{0, "sort", "COLUMN", "the order of the table's rows (default pair)", read_name, CONFIG(sort),
		.range = {"the column"}, .value = sort_value},
	{0, "unit", "UNIT", "unit of times on the screen: ns, us (default) or ms", read_name, CONFIG(unit),
		.range = {"the unit"}, .value = unit_value},
	{0, "window", "WINDOW", "the samples shown: of the last 1s, 10s or 60s, of the\nphase (default), or all", read_name,
		CONFIG(window), .range = {"the window"}, .value = window_value},
	{0, "tick", "SEC", "time between two samples (default 0.5)", option_read_number, CONFIG(tick_ns),
		.range = {"the tick", OPTION_SECONDS(1) / 20, OPTION_SECONDS(10), value_seconds, "0.05 to 10 seconds"},
		.measures = true},
	{0, "refresh", "SEC", "time between two prints or frames (default 1)", option_read_number,
		CONFIG(refresh_ns), .range = {"the refresh", OPTION_SECONDS(1) / 10, OPTION_SECONDS(3600), value_seconds,
			"0.1 to 3600 seconds"}},
	{0, "no-auto-phase", NULL, "a change of members' scheduling begins no phase", option_read_false,
		CONFIG(auto_phase)},
	{0, "plain", NULL, "plain lines, as without a terminal", option_read_true, CONFIG(plain)},
	{'q', "quiet", NULL, "only the summary at the end", option_read_true, CONFIG(quiet)},
	{0, "palette", "NAME", "the colors: default, colour-blind or mono", read_name, CONFIG(palette),
		.range = {"the palette"}, .value = palette_value},
	{0, "colors", "WHICH", "auto (default: what the terminal has), true, 256, 16\nor none", read_name,
		CONFIG(colors), .range = {"the colors"}, .value = colors_value},
	{0, "no-color", NULL, "the same as --colors none; so is NO_COLOR in the\nenvironment", read_no_color},
	{'U', "ascii", NULL, "the screen in ASCII, whatever the locale says", option_read_true, CONFIG(ascii)},
	{0, "mouse", NULL, "a click selects, sorts or is a key, the wheel scrolls", option_read_true, CONFIG(mouse)},
	{0, "json", "FILE", "write the result to FILE at the end; -: to stdout", option_read_text, CONFIG(json),
		.argv_only = true},
	{0, "json-blocks", NULL, "--json with the blocks of all figures, so that any can\nbe the shown one of ipctop compare",
		option_read_true, CONFIG(json_blocks), .argv_only = true},
	{0, "metrics", "FILE", "write metrics for Prometheus to FILE at each refresh", option_read_text,
		CONFIG(metrics), .argv_only = true, .measures = true},
	{0, "metrics-listen", "AT", "let Prometheus scrape them at this port of 127.0.0.1,\n"
		"or at ADDRESS:PORT such as 0.0.0.0:9000", read_listen, .argv_only = true,
		.measures = true},
	{0, "control", "PATH", "obey ipctop ctl at this Unix socket, which only this\nuser may connect to", option_read_text,
		CONFIG(control), .argv_only = true},
	{0, "on-spike", "CMD", "start this command of the shell for a spike, which is\nits input as JSON; at most one a second", option_read_text,
		CONFIG(on_spike), .argv_only = true, .measures = true},
	{0, "read-only", NULL, "keys and --control look, and change nothing", option_read_true, CONFIG(read_only)},
	{0, "baseline", "FILE", "compare with this phase, also at the end: FILE is\nthat of --json or --record, or FILE:PHASE",
		option_read_text, CONFIG(baseline), .argv_only = true},
	{0, "render", "WxH", "print the screen once as text, such as 80x24, and end", read_render,
		.argv_only = true},
	{0, "svg", NULL, "--render as a picture", option_read_true, CONFIG(svg), .argv_only = true},
	{0, "plot", "FILE", "write percentiles, histogram, heat map and the longest\nspike, or the matrix, to FILE as a picture (SVG)",
		option_read_text, CONFIG(plot), .argv_only = true},
	{'o', "report", "FILE", "write a report (HTML) to FILE at the end", option_read_text, CONFIG(report),
		.argv_only = true},
	{0, "record", "FILE", "write the whole run to FILE, tick by tick", option_read_text, CONFIG(record),
		.argv_only = true, .measures = true},
	{0, "replay", "FILE", "show a recording instead of measuring", option_read_text, CONFIG(replay),
		.argv_only = true},
	{0, "speed", "X", "speed of --replay: 2 is twice as fast, 0 does not wait", option_read_number,
		CONFIG(speed_milli), HAS(config.has_speed), .argv_only = true, .range = {"the speed", 0, 1000000,
			thousandths, "0 (without waiting) to 1000, up to 3 decimals"}},
	{0, "export", "FORMAT=FILE", "also write the result to FILE in another format;\n-: to stdout",
		read_export, .argv_only = true, .value = export_value, .after_first = ""},
	{0},
};

static const struct option_row other[] = {
	{0, "config", "FILE", "read options from FILE, one a line, such as quiet or\ninterval 100 (default ~/.config/ipctop/config)", option_read_text, CONFIG(config_file),
		.argv_only = true},
	{0, "no-config", NULL, "read no configuration file", option_read_true, CONFIG(no_config), .argv_only = true},
	{0, "plan", NULL, "print the pairs and their turns, and end", option_read_enum, CONFIG(action),
		.sets = ACTION_PLAN, .argv_only = true, .measures = true},
	{'h', "help", NULL, "print this, and end", option_read_enum, CONFIG(action), .sets = ACTION_HELP,
		.ends = true, .argv_only = true},
	{'V', "version", NULL, "print the version, and end", option_read_enum, CONFIG(action),
		.sets = ACTION_VERSION, .ends = true, .argv_only = true},
	{0},
};
/* clang-format on */

const struct option_row *const options_tables[] = {
	[OPTIONS_WHAT] = what_is_measured,
	[OPTIONS_HOW] = how,
	[OPTIONS_SHOWN] = what_is_shown,
	[OPTIONS_OTHER] = other,
	[N_OPTIONS_TABLES] = NULL,
};

/* --- verbs that are read with the options of a run --- */

static int read_list(struct given_options *given, char *const *words, struct error_text *reason)
{
	char shown[OPTION_SHOWN_SIZE];

	if (words[1])
		return error_text_set(
			reason, -EINVAL, "%s: list takes no arguments", option_shown(words[1], shown));
	if (given->config.action == ACTION_PLAN)
		return error_text_set(reason, -EINVAL, "--plan: list prints no plan; leave one of them out");
	given->config.action = ACTION_LIST;
	return 0;
}

/* The same as "--replay RECORDING -q --export FORMAT=-". */
static int read_export_verb(struct given_options *given, char *const *words, struct error_text *reason)
{
	struct config *config = &given->config;
	unsigned format = words[1] ? value_index(export_value, given->names, words[1]) : 0;
	char list[200], shown[OPTION_SHOWN_SIZE];

	list_formats(given->names, list, sizeof(list));
	if (words[1] && !given->names->export(format))
		return error_text_set(reason, -EINVAL, "export %s: no such format: choose from %s",
			option_shown(words[1], shown), list);
	if (!words[1] || !words[2] || words[3])
		return error_text_set(reason, -EINVAL, "export: takes a format (%s) and a recording", list);
	if (config->replay)
		return error_text_set(reason, -EINVAL,
			"--replay %s: export has a recording; leave --replay out",
			option_shown(config->replay, shown));
	if (config->exports[format])
		return error_text_set(reason, -EINVAL, "--export %s=%s: export prints this format to stdout",
			words[1], config->exports[format]);
	config->action = ACTION_EXPORT;
	config->exports[format] = "-";
	config->replay = words[2];
	config->quiet = true;
	return 0;
}

/* The format, and then the recording. */
static enum complete_more complete_export(const struct complete_line *line, FILE *out)
{
	size_t n = complete_n_words(line);

	for (unsigned i = 0; n == 1 && line->names->export(i); i++)
		complete_word(line, line->names->export(i), NULL, out);
	return n == 2 ? COMPLETE_FILES : COMPLETE_NOTHING;
}

/* The same as "--replay RECORDING -q --report FILE". */
static int read_report(struct given_options *given, char *const *words, struct error_text *reason)
{
	struct config *config = &given->config;
	char shown[OPTION_SHOWN_SIZE];

	if (!words[1] || words[2])
		return error_text_set(reason, -EINVAL, "report: takes a recording, and -o FILE");
	if (config->replay)
		return error_text_set(reason, -EINVAL,
			"--replay %s: report has a recording; leave --replay out",
			option_shown(config->replay, shown));
	if (!config->report)
		return error_text_set(reason, -EINVAL,
			"report %s: the output file is missing; add -o FILE.html",
			option_shown(words[1], shown));
	config->action = ACTION_REPORT;
	config->replay = words[1];
	config->quiet = true;
	return 0;
}

static enum complete_more complete_report(const struct complete_line *line, FILE *out)
{
	return complete_n_words(line) == 1 ? COMPLETE_FILES : COMPLETE_NOTHING;
}

static const struct own_verb {
	const char *name, *words, *purpose;
	int (*read)(struct given_options *given, char *const *words, struct error_text *reason);
	enum complete_more (*complete)(
		const struct complete_line *line, FILE *out); /* NULL: no word follows */
} own_verbs[] = {
	{"list", "", "the mechanisms that can run, loads, and tools", read_list},
	{"export", "FORMAT RECORDING", "a recording in another program's format", read_export_verb,
		complete_export},
	{"report", "RECORDING -o FILE", "a recording as a page with pictures", read_report, complete_report},
};
enum { N_OWN_VERBS = sizeof(own_verbs) / sizeof(*own_verbs) };

static const struct own_verb *find_own_verb(const char *word)
{
	for (size_t i = 0; i < N_OWN_VERBS; i++)
		if (strcmp(own_verbs[i].name, word) == 0)
			return &own_verbs[i];
	return NULL;
}

/* Returns the name of verb @i of all, and sets the words that may follow it, and its purpose; NULL past the
 * last one. */
static const char *verb_at(
	const struct options_names *names, unsigned i, const char **words, const char **purpose)
{
	if (i >= N_OWN_VERBS)
		return names->verb(i - N_OWN_VERBS, words, purpose);
	*words = own_verbs[i].words;
	*purpose = own_verbs[i].purpose;
	return own_verbs[i].name;
}

/* Whether main() would have obeyed it as the first word. */
static bool is_first_word(const struct options_names *names, const char *word)
{
	const char *name, *following, *purpose;

	for (unsigned i = 0; (name = names->verb(i, &following, &purpose)); i++)
		if (strcmp(name, word) == 0)
			return true;
	for (unsigned i = 0; (name = names->tool(i, &purpose)); i++)
		if (strcmp(name, word) == 0)
			return true;
	return false;
}

static int read_verb(struct given_options *given, char *const *words, struct error_text *reason)
{
	const struct own_verb *verb = *words ? find_own_verb(*words) : NULL;
	const char *name, *following, *purpose;
	char list[256] = "", shown[OPTION_SHOWN_SIZE];

	if (!*words)
		return 0;
	if (verb)
		return verb->read(given, words, reason);
	if (is_first_word(given->names, *words))
		return error_text_set(
			reason, -EINVAL, "%s: must be the first word; its options follow it", *words);
	for (unsigned i = 0; (name = verb_at(given->names, i, &following, &purpose)); i++)
		text_append(list, sizeof(list), ", ", name);
	return error_text_set(reason, -EINVAL,
		"%s: no such command; the commands are %s and the tools that ipctop list names",
		option_shown(*words, shown), list);
}

enum complete_more options_complete_words(const struct complete_line *line, FILE *out)
{
	const struct own_verb *verb = line->n_words ? find_own_verb(line->words[0]) : NULL;
	const char *name, *following, *purpose;

	if (verb && verb->complete)
		return verb->complete(line, out);
	if (complete_n_words(line))
		return COMPLETE_NOTHING;
	for (unsigned i = 0; (name = verb_at(line->names, i, &following, &purpose)); i++)
		complete_word(line, name, purpose, out);
	for (unsigned i = 0; (name = line->names->tool(i, &purpose)); i++)
		complete_word(line, name, purpose, out);
	return COMPLETE_NOTHING;
}

/* --- defaults, file, argv --- */

static struct given_options defaults(const struct options_names *names)
{
	const char *no_color = getenv("NO_COLOR");
	struct given_options given = {.names = names,
		.config = {
			.policy = {.policy = -1},
			.interval_ns = 1000000,
			.at_once = 1,
			.tick_ns = 500000000,
			.refresh_ns = 1000000000,
			.unit = value_index(unit_value, names, "us"),
			.window = value_index(window_value, names, "phase"),
			.auto_phase = true,
			.no_color = no_color && *no_color,
		}};

	for (const struct probe *const *probe = names->mechanisms; *probe; probe++)
		if (!strcmp((*probe)->name, "mq"))
			append_probe(&given.config, *probe);
	return given;
}

/* Those of options in argv. */
static void forget_lines(struct config_file *file, const struct option_reading *reading)
{
	bool has_cpus = option_is_given(reading, "cpus") || option_is_given(reading, "affinity");

	for (size_t i = 0; i < OPTION_ROWS_MAX; i++)
		if (reading->given[i])
			file->lines[i] = 0;
	if (has_cpus)
		file->lines[option_index(options_tables, "-c")] =
			file->lines[option_index(options_tables, "-a")] = 0;
}

bool options_name_line(const struct config_file *file, struct error_text *reason)
{
	size_t row = option_index(options_tables, reason->text);
	size_t line = option_at(options_tables, row) ? file->lines[row] : 0;

	if (!line && row == option_index(options_tables, "-c")) /* sentences call -a so, too */
		line = file->lines[option_index(options_tables, "-a")];
	if (line)
		error_text_set(reason, 0, "%s:%zu: %s", file->name, line, reason->text);
	return line;
}

int options_parse(struct config *config, struct config_file *file, int argc, char **argv,
	const struct options_names *names, struct error_text *reason)
{
	struct given_options given = defaults(names);
	struct option_reading reading = {"ipctop", options_tables, &given, reason};
	int r = file->text ? config_file_read(file, &reading, given_options_check_line) : 0;

	/* From here on these four say what argv has. */
	given.has_list = given.has_affinity = given.smp = given.has_stamps = false;
	if (r == 0)
		r = option_read_argv(&reading, argc, argv);
	if (r == 0) {
		forget_lines(file, &reading);
		given_options_give_way(&reading);
		r = read_verb(&given, reading.words, reason);
	}
	if (r == 0 && (r = given_options_settle(&reading)) < 0 && file->text &&
		!options_name_line(file, reason))
		error_text_set(reason, r, "%s (with the options of %s)", reason->text, file->name);
	*config = given.config;
	return r < 0 ? r : 0;
}

/* Reads argv twice: the first time only to find --config. */
int options_load(struct config *config, struct config_file *file, int argc, char **argv,
	const struct options_names *names, struct error_text *reason)
{
	struct given_options given = defaults(names);
	struct option_reading reading = {"ipctop", options_tables, &given, reason};
	int r = option_read_argv(&reading, argc, argv);

	*file = (struct config_file){0};
	if (r == 0 && !given.config.no_config)
		r = config_file_load(file, given.config.config_file, reason);
	return r < 0 ? r : options_parse(config, file, argc, argv, names, reason);
}

/* --- --help --- */

enum { HELP_COLUMN = 26, USAGE_COLUMN = 32 };

static void print_usage(FILE *out, const struct options_names *names)
{
	const char *name, *words, *purpose;

	fputs("Usage: ipctop [OPTION...]       measure, and show live\n", out);
	for (unsigned i = 0; (name = verb_at(names, i, &words, &purpose)); i++) {
		int n = fprintf(out, "       ipctop %s%s%s", name, *words ? " " : "", words);

		fprintf(out, "%*s  %s\n", n < USAGE_COLUMN - 2 ? USAGE_COLUMN - 2 - n : 0, "", purpose);
	}
	fputs("       ipctop TOOL [OPTION...]  as another tool, with its options and output\n", out);
}

void options_help(FILE *out, const struct options_names *names)
{
	static const char *const titles[] = {"What is measured", "How", "What is shown", "Other"};

	print_usage(out, names);
	fputs("\nMeasures how long a token takes from one thread or process to the next.\n", out);
	for (size_t table = 0; table < N_OPTIONS_TABLES; table++) {
		fprintf(out, "\n%s:\n", titles[table]);
		for (const struct option_row *row = options_tables[table]; row->name; row++)
			option_print(out, row, names, HELP_COLUMN);
	}
}
