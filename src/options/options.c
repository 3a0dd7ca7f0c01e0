/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - ipctop's own command line: getopt_long(3) over the table, and combinations. */
#include "src/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/options/config_file.h"
#include "src/options/options_table.h"
#include "src/probe/probe.h"

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
		return error_text_set(reading->reason, -EINVAL, "%s: may mean %s", shown, names);
	return error_text_set(
		reading->reason, -EINVAL, "%s: no such option; ipctop --help lists them", shown);
}

/* What getopt_long complained of: @what is its '?' or ':'. */
static int refuse_option(struct options_reading *reading, int what, char *const *argv)
{
	if (optopt == 0)
		return refuse_long(reading, argv[optind - 1]);
	name_option(reading, optopt);
	if (what == ':')
		return error_text_set(reading->reason, -EINVAL, "%s needs a value: %s %s", reading->option,
			reading->option, find_row(optopt)->argument);
	if (optopt >= LONG_OPTION)
		return error_text_set(reading->reason, -EINVAL, "%s takes no value", reading->option);
	return error_text_set(
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
		return error_text_set(reading->reason, -EINVAL,
			"%s: no such command: there are list and the tools that --help names",
			options_shown(*words, shown));
	if (words[1])
		return error_text_set(reading->reason, -EINVAL, "%s: list takes no other word",
			options_shown(words[1], shown));
	if (config->action == ACTION_PLAN)
		return error_text_set(
			reading->reason, -EINVAL, "--plan: list prints no plan; leave one of them out");
	config->action = ACTION_LIST;
	return 0;
}

static void set_defaults(struct config *config, const struct probe *const *registry)
{
	const char *no_color = getenv("NO_COLOR");

	*config = (struct config){
		.policy = {SCHED_OTHER, 0},
		.interval_ns = 1000000,
		.tick_ns = 500000000,
		.refresh_ns = 1000000000,
		.auto_phase = true,
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

static int read_file(struct options_reading *reading, struct config_file *file)
{
	int r = config_file_read(file, reading, options_settle_line);

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

static bool all_carry_bytes(const struct config *config)
{
	bool all = true;

	for (size_t i = 0; i < config->n_probes; i++)
		all &= (config->probes[i]->traits & PROBE_PAYLOAD) != 0;
	return all;
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
	if (is_given(reading, "ring") && !is_given(reading, "pairs") && config->pairs &&
		strcmp(config->pairs, "own"))
		config->pairs = NULL;
	if (is_given(reading, "ring") && !is_given(reading, "threads"))
		config->n_pairs = 0;
	if ((reading->smp || is_given(reading, "threads")) && !is_given(reading, "ring"))
		config->ring_members = config->n_rings = 0;
	if (is_given(reading, "interval") && !is_given(reading, "distance") && !config->interval_ns)
		config->distance_ns = 0;
	if (is_given(reading, "mechanisms") && !is_given(reading, "size") && !all_carry_bytes(config))
		config->size = 0;
	if (config->render_columns) {
		config->batch = config->batch && is_given(reading, "batch");
		config->quiet = config->quiet && is_given(reading, "quiet");
	}
}

int options_parse_over(struct config *config, struct config_file *file, int argc, char **argv,
	const struct options_names *names, struct error_text *reason)
{
	struct options_reading reading = {.config = config, .names = names, .reason = reason};
	int r = 0;

	set_defaults(config, names->mechanisms);
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
	r = options_settle(&reading);
	if (r < 0 && file->text) {
		struct error_text why = *reason;

		error_text_set(reason, r, "%s (with the options of %s)", why.text, file->name);
	}
	return r;
}

int options_parse(struct config *config, int argc, char **argv, const struct options_names *names,
	struct error_text *reason)
{
	struct config_file none = {0};

	return options_parse_over(config, &none, argc, argv, names, reason);
}

/* argv is read twice: first for the file that it asks for, then over that. */
int options_load(struct config *config, struct config_file *file, int argc, char **argv,
	const struct options_names *names, struct error_text *reason)
{
	struct options_reading reading = {.config = config, .names = names, .reason = reason};
	int r;

	*file = (struct config_file){0};
	set_defaults(config, names->mechanisms);
	r = read_options(&reading, argc, argv);
	if (r == 0 && !ends_here(config) && !config->no_config)
		r = config_file_load(file, config->config_file, reason);
	if (r < 0 || ends_here(config))
		return r;
	return options_parse_over(config, file, argc, argv, names, reason);
}
