/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - ipctop's own command line: getopt_long(3) over the table, and combinations. */
#include "src/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/config_file.h"
#include "src/options_table.h"
#include "src/probe.h"

enum {
	ROWS_MAX = 64,
	LONG_OPTION = 256, /* + the row: what getopt_long returns, so that long and short ones differ */
};

/* What getopt_long wants, made from the table. */
struct getopt_tables {
	char letters[2 + ROWS_MAX * 3];
	struct option names[ROWS_MAX + 1];
};

static void make_tables(struct getopt_tables *tables)
{
	char *letter = tables->letters;
	int n = 0;

	*tables = (struct getopt_tables){0};
	*letter++ = ':'; /* a missing argument is told apart from an unknown option */
	for (const struct option_row *row = options_table; row->name && n < ROWS_MAX; row++, n++) {
		int argument = !row->argument  ? no_argument
			       : row->optional ? optional_argument
					       : required_argument;

		tables->names[n] = (struct option){row->name, argument, NULL, LONG_OPTION + n};
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		for (int i = 0; i < argument; i++)
			*letter++ = ':';
	}
}

static const struct option_row *find_row(int value)
{
	if (value >= LONG_OPTION)
		return &options_table[value - LONG_OPTION];
	for (const struct option_row *row = options_table; row->name; row++)
		if (row->letter == value)
			return row;
	return NULL;
}

static void name_option(struct options_reading *reading, int value)
{
	const struct option_row *row = find_row(value);

	if (value >= LONG_OPTION)
		snprintf(reading->option, sizeof(reading->option), "--%s", row->name);
	else
		snprintf(reading->option, sizeof(reading->option), "-%c", isprint(value) ? value : '?');
}

/* The long option @text, "--re" or "--re=1", that getopt_long did not find: unknown or ambiguous. */
static int refuse_long(const struct options_reading *reading, const char *text)
{
	size_t length = strcspn(text + 2, "=");
	char names[128] = "", shown[48], written[64];

	for (const struct option_row *row = options_table; row->name; row++)
		if (!strncmp(row->name, text + 2, length)) {
			size_t used = strlen(names);

			snprintf(names + used, sizeof(names) - used, "%s--%s", used ? ", " : "", row->name);
		}
	snprintf(written, sizeof(written), "%.*s", (int)length + 2, text);
	options_shown(written, shown);
	if (*names)
		return reason_set(reading->reason, -EINVAL, "%s: may mean %s", shown, names);
	return reason_set(reading->reason, -EINVAL, "%s: no such option; ipctop --help lists them", shown);
}

/* What getopt_long complained of: @what is its '?' or ':'. */
static int refuse_option(struct options_reading *reading, int what, char *const *argv)
{
	if (optopt == 0)
		return refuse_long(reading, argv[optind - 1]);
	name_option(reading, optopt);
	if (what == ':')
		return reason_set(reading->reason, -EINVAL, "%s needs a value: %s %s", reading->option,
			reading->option, find_row(optopt)->argument);
	if (optopt >= LONG_OPTION)
		return reason_set(reading->reason, -EINVAL, "%s takes no value", reading->option);
	return reason_set(
		reading->reason, -EINVAL, "%s: no such option; ipctop --help lists them", reading->option);
}

/* An optional value is glued to its option, or the next argument where that starts with a digit. */
static const char *value_of(const struct option_row *row, int argc, char *const *argv)
{
	if (row->optional && !optarg && optind < argc && isdigit((unsigned char)*argv[optind]))
		return argv[optind++];
	return optarg;
}

static int read_options(struct options_reading *reading, int argc, char **argv)
{
	struct getopt_tables tables;
	int value, r;

	make_tables(&tables);
	opterr = 0;
	optind = 0; /* glibc and musl: start anew */
	while ((value = getopt_long(argc, argv, tables.letters, tables.names, NULL)) != -1) {
		if (value == '?' || value == ':')
			return refuse_option(reading, value, argv);
		reading->row = find_row(value);
		name_option(reading, value);
		reading->given |= UINT64_C(1) << (reading->row - options_table);
		r = reading->row->read(reading, value_of(reading->row, argc, argv));
		if (r < 0)
			return r;
		if (reading->config->action == ACTION_HELP || reading->config->action == ACTION_VERSION)
			return 0;
	}
	return 0;
}

/* Words that are no options: "list", once. */
static int read_command(struct options_reading *reading, char *const *words)
{
	struct config *config = reading->config;
	char shown[48];

	if (!*words)
		return 0;
	if (strcmp(*words, "list"))
		return reason_set(reading->reason, -EINVAL, "%s: no such command; the only one is list",
			options_shown(*words, shown));
	if (words[1])
		return reason_set(reading->reason, -EINVAL, "%s: list takes no other word",
			options_shown(words[1], shown));
	if (config->action == ACTION_PLAN)
		return reason_set(
			reading->reason, -EINVAL, "--plan: list prints no plan; leave one of them out");
	config->action = ACTION_LIST;
	return 0;
}

static int settle_policy(struct options_reading *reading)
{
	struct task_policy *policy = &reading->config->policy;

	if (!reading->policy)
		policy->policy = policy->priority ? SCHED_FIFO : SCHED_OTHER;
	if (task_policy_is_realtime(policy->policy) && !policy->priority)
		return reason_set(reading->reason, -EINVAL, "--policy %s needs a priority: add -p 1..98",
			reading->policy);
	if (!task_policy_is_realtime(policy->policy) && policy->priority)
		return reason_set(reading->reason, -EINVAL,
			"-p %s: --policy %s has no priorities, only fifo and rr do", reading->priority,
			reading->policy);
	return 0;
}

static int settle_cpus(struct options_reading *reading)
{
	struct config *config = reading->config;
	char affinity[48], cpus[48];

	if (!reading->affinity)
		return 0;
	if (reading->cpus && !cpus_equal(&config->cpus, &reading->affinity_cpus))
		return reason_set(reading->reason, -EINVAL,
			"-a %s: -c %s names other CPUs; leave one of them out",
			*reading->affinity ? options_shown(reading->affinity, affinity) : "(all)",
			options_shown(reading->cpus, cpus));
	config->has_cpus = *reading->affinity;
	config->cpus = reading->affinity_cpus;
	return 0;
}

static int settle_smp(struct options_reading *reading)
{
	const struct config *config = reading->config;
	char shown[48];

	if (reading->smp && strcmp(config->pairs, "own"))
		return reason_set(reading->reason, -EINVAL,
			"--pairs %s: -S means --pairs own; leave one of them out",
			options_shown(config->pairs, shown));
	if (reading->smp && config->n_pairs)
		return reason_set(reading->reason, -EINVAL,
			"-t %u: -S means one pair for each CPU; leave one of them out", config->n_pairs);
	return 0;
}

static int settle_pace(struct options_reading *reading)
{
	const struct config *config = reading->config;

	if (!config->interval_ns && config->distance_ns)
		return reason_set(
			reading->reason, -EINVAL, "-d: flood (-i 0) has no intervals to add a distance to");
	return 0;
}

/* The first option given that a replay has no use for, as "--name"; false: there is none. */
static bool find_useless(struct options_reading *reading)
{
	static const char *const useless[] = {"record", "tick", "plan"};
	static const char *const exported[] = {"replay", "export-jsonl"};
	bool exports = reading->config->export_jsonl;

	for (int i = 0; options_table[i].name; i++) {
		const struct option_row *row = &options_table[i];
		bool bad = exports || row->group == GROUP_WHAT || row->group == GROUP_HOW;

		for (size_t j = 0; j < sizeof(useless) / sizeof(*useless); j++)
			bad |= !strcmp(row->name, useless[j]);
		for (size_t j = 0; j < sizeof(exported) / sizeof(*exported); j++)
			bad &= strcmp(row->name, exported[j]) != 0;
		if (!bad || !(reading->given >> i & 1))
			continue;
		name_option(reading, LONG_OPTION + i);
		return true;
	}
	return false;
}

static int settle_replay(struct options_reading *reading)
{
	const struct config *config = reading->config;

	if (!config->replay && (config->has_speed || config->export_jsonl))
		return reason_set(reading->reason, -EINVAL, "%s: needs a recording: add --replay FILE",
			config->has_speed ? "--speed" : "--export-jsonl");
	if (!config->replay)
		return 0;
	if (config->action == ACTION_LIST)
		return reason_set(
			reading->reason, -EINVAL, "--replay: list shows no recording; leave one of them out");
	if (!find_useless(reading))
		return 0;
	return reason_set(reading->reason, -EINVAL, "%s: %s; leave one of them out", reading->option,
		config->export_jsonl ? "--export-jsonl prints the whole recording as it is"
				     : "--replay measures nothing");
}

static int settle_record(struct options_reading *reading)
{
	const struct config *config = reading->config;
	char shown[48];

	if (config->record && config->action != ACTION_RUN)
		return reason_set(reading->reason, -EINVAL, "--record: %s measures nothing to record",
			config->action == ACTION_PLAN ? "--plan" : "list");
	if (config->record && config->json && !strcmp(config->record, config->json))
		return reason_set(reading->reason, -EINVAL,
			"--record %s: --json writes there; name another file",
			options_shown(config->record, shown));
	return 0;
}

/* What writes to stdout, or what measures nothing, goes with little else. */
static int settle_output(struct options_reading *reading)
{
	const struct config *config = reading->config;
	const char *action = config->action == ACTION_PLAN   ? "--plan"
			     : config->action == ACTION_LIST ? "list"
							     : NULL;

	if (action && config->json)
		return reason_set(
			reading->reason, -EINVAL, "--json: %s measures nothing that it could write", action);
	if (action && config->render_columns)
		return reason_set(reading->reason, -EINVAL, "--render: %s has no screen to print", action);
	if (config->render_columns && config->json && !strcmp(config->json, "-"))
		return reason_set(
			reading->reason, -EINVAL, "--json -: --render prints to stdout too; name a file");
	if (config->render_columns && (config->batch || config->quiet))
		return reason_set(reading->reason, -EINVAL, "--render: prints the screen, which %s has not",
			config->quiet ? "-q" : "--batch");
	return 0;
}

static int settle_file(struct options_reading *reading)
{
	const struct config *config = reading->config;
	char shown[48];

	if (config->no_config && config->config_file)
		return reason_set(reading->reason, -EINVAL,
			"--config %s: --no-config reads no file; leave one of them out",
			options_shown(config->config_file, shown));
	return 0;
}

/* Are the options good together? And what do those mean that depend on others? */
static int settle(struct options_reading *reading)
{
	static int (*const steps[])(struct options_reading * reading) = {settle_replay, settle_policy,
		settle_cpus, settle_smp, settle_pace, settle_output, settle_record, settle_file};
	int r = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && r == 0; i++)
		r = steps[i](reading);
	return r;
}

static void set_defaults(struct config *config, const struct probe *const *registry)
{
	const char *no_color = getenv("NO_COLOR");

	*config = (struct config){
		.pairs = "own",
		.policy = {SCHED_OTHER, 0},
		.interval_ns = 1000000,
		.tick_ns = 500000000,
		.refresh_ns = 1000000000,
		.color = !no_color || !*no_color,
	};
	for (; *registry; registry++)
		if (!strcmp((*registry)->name, "mq"))
			config->probes[config->n_probes++] = *registry;
}

static bool ends_here(const struct config *config)
{
	return config->action == ACTION_HELP || config->action == ACTION_VERSION;
}

/* --- a file's options, and argv's over them --- */

/* After each line: what contradicts a line before it. The rest depends on argv too. */
static int check_line(struct options_reading *reading)
{
	int r = settle_cpus(reading);

	return r < 0 ? r : settle_smp(reading);
}

static int read_file(struct options_reading *reading, struct config_file *file)
{
	int r = config_file_read(file, reading, check_line);

	/* Done with, so that it contradicts nothing in argv. */
	reading->cpus = reading->affinity = NULL;
	reading->smp = false;
	return r;
}

static bool is_given(const struct options_reading *reading, const char *name)
{
	for (const struct option_row *row = options_table; row->name; row++)
		if (!strcmp(row->name, name))
			return reading->given >> (row - options_table) & 1;
	return false;
}

/* What the file says gives way where argv says what does not go with it. */
static void give_way(struct options_reading *reading)
{
	struct config *config = reading->config;
	bool realtime = task_policy_is_realtime(config->policy.policy);

	if (is_given(reading, "policy") && !is_given(reading, "priority") && !realtime)
		config->policy.priority = 0;
	if (is_given(reading, "priority") && !is_given(reading, "policy") &&
		realtime != (config->policy.priority > 0))
		reading->policy = NULL;
	if (reading->smp && !is_given(reading, "pairs"))
		config->pairs = "own";
	if (reading->smp && !is_given(reading, "threads"))
		config->n_pairs = 0;
	if (is_given(reading, "interval") && !is_given(reading, "distance") && !config->interval_ns)
		config->distance_ns = 0;
	if (config->render_columns) {
		config->batch = config->batch && is_given(reading, "batch");
		config->quiet = config->quiet && is_given(reading, "quiet");
	}
}

int options_parse_over(struct config *config, struct config_file *file, int argc, char **argv,
	const struct probe *const *registry, struct reason *reason)
{
	struct options_reading reading = {.config = config, .registry = registry, .reason = reason};
	int r = 0;

	set_defaults(config, registry);
	if (file->text)
		r = read_file(&reading, file);
	if (r == 0)
		r = read_options(&reading, argc, argv);
	if (r < 0 || ends_here(config))
		return r;
	give_way(&reading);
	r = read_command(&reading, argv + optind);
	if (r < 0)
		return r;
	r = settle(&reading);
	if (r < 0 && file->text) {
		struct reason why = *reason;

		reason_set(reason, r, "%s (with the options of %s)", why.text, file->name);
	}
	return r;
}

int options_parse(struct config *config, int argc, char **argv, const struct probe *const *registry,
	struct reason *reason)
{
	struct config_file none = {0};

	return options_parse_over(config, &none, argc, argv, registry, reason);
}

/* argv is read twice: first for the file that it asks for, then over that. */
int options_load(struct config *config, struct config_file *file, int argc, char **argv,
	const struct probe *const *registry, struct reason *reason)
{
	struct options_reading reading = {.config = config, .registry = registry, .reason = reason};
	int r;

	*file = (struct config_file){0};
	set_defaults(config, registry);
	r = read_options(&reading, argc, argv);
	if (r == 0 && !ends_here(config) && !config->no_config)
		r = config_file_load(file, config->config_file, reason);
	if (r < 0 || ends_here(config))
		return r;
	return options_parse_over(config, file, argc, argv, registry, reason);
}
