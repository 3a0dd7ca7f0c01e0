/* SPDX-License-Identifier: GPL-2.0-or-later */
/* given_options.c - checks combinations of options, and completes the config. */
#include "src/options/given_options.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/base/whole_file.h"
#include "src/flight/flight.h"
#include "src/options/option.h"
#include "src/probe/probe.h"

/* --- which rings --- */

static int settle_cpus(struct given_options *given, const struct option_reading *reading)
{
	struct config *config = &given->config;
	char affinity[OPTION_SHOWN_SIZE] = "(all)", list[OPTION_SHOWN_SIZE];

	if (given->has_affinity && given->has_list && !cpus_equal(&config->cpus, &given->affinity)) {
		if (cpus_count(&given->affinity))
			cpus_format(&given->affinity, affinity, sizeof(affinity));
		return error_text_set(reading->reason, -EINVAL,
			"-a %s: -c %s names other CPUs; leave one of them out", affinity,
			cpus_format(&config->cpus, list, sizeof(list)));
	}
	if (given->has_affinity)
		config->cpus = given->affinity;
	if (given->has_affinity || given->has_list)
		config->has_cpus = cpus_count(&config->cpus) > 0;
	return 0;
}

static bool pairs_own(const struct config *config)
{
	return !config->pairs || !strcmp(config->pairs, "own");
}

static int check_smp(struct given_options *given, const struct option_reading *reading)
{
	const struct config *config = &given->config;
	char shown[OPTION_SHOWN_SIZE];

	if (given->smp && !pairs_own(config))
		return error_text_set(reading->reason, -EINVAL,
			"--pairs %s: -S means --pairs own; leave one of them out",
			option_shown(config->pairs, shown));
	if (given->smp && config->n_pairs)
		return error_text_set(reading->reason, -EINVAL,
			"-t %u: -S means one pair for each CPU; leave one of them out", config->n_pairs);
	return 0;
}

/* Without --pairs, a ring goes from CPU to CPU; with --pairs own, its members share one. */
static int settle_ring(struct given_options *given, const struct option_reading *reading)
{
	struct config *config = &given->config;
	char shown[OPTION_SHOWN_SIZE];

	if (!config->ring_members && !config->pairs)
		config->pairs = "own";
	if (!config->ring_members)
		return 0;
	if (given->smp)
		return error_text_set(reading->reason, -EINVAL,
			"--ring: -S means one pair for each CPU; leave one of them out");
	if (config->n_pairs)
		return error_text_set(reading->reason, -EINVAL,
			"-t %u: --ring says how many rings, as in --ring %ux%u; leave -t out",
			config->n_pairs, config->ring_members, config->n_pairs);
	if (!pairs_own(config))
		return error_text_set(reading->reason, -EINVAL,
			"--pairs %s: the members of a ring run on one CPU (--pairs own), or on the CPUs of -c in turn (without --pairs)",
			option_shown(config->pairs, shown));
	return 0;
}

/* Lists mechanisms with @payload (PROBE_PAYLOAD), or without it (0). Returns their number. */
static size_t name_probes(
	const struct probe *const *probes, size_t n, uint32_t payload, char *names, size_t size)
{
	size_t named = 0;

	names[0] = '\0';
	for (size_t i = 0; i < n && probes[i]; i++)
		if ((probes[i]->traits & PROBE_PAYLOAD) == payload) {
			text_append(names, size, ",", probes[i]->name);
			named++;
		}
	return named;
}

static int check_size(struct given_options *given, const struct option_reading *reading)
{
	const struct config *config = &given->config;
	char without[200], with[200]; /* both fit into a reason */
	size_t n = name_probes(config->probes, config->n_probes, 0, without, sizeof(without));

	if (!config->size || !n)
		return 0;
	name_probes(given->names->mechanisms, SIZE_MAX, PROBE_PAYLOAD, with, sizeof(with));
	return error_text_set(reading->reason, -EINVAL, "-s %llu: %s carr%s no bytes; choose from -m %s",
		(unsigned long long)config->size, without, n > 1 ? "y" : "ies", with);
}

/* --- a sweep --- */

/* A sweep has no rings. */
static const char *const ring_options[] = {"pairs", "ring", "threads", "smp", "fork", "work", "interval",
	"distance", "breaktrace", "spike", "recorder", "stamps", "batch", "memory", "side-by-side", "turns",
	"force", "hunt", "fail-above", "json-blocks", "baseline", "metrics", "metrics-listen", "on-spike",
	NULL};

/* Names the mechanisms that sweeps measure, but for those with a trait of @without. */
static void name_swept(const struct given_options *given, unsigned without, char *names, size_t size)
{
	for (const struct probe *const *probe = given->names->mechanisms; *probe; probe++)
		if ((*probe)->traits & PROBE_SWEEPS && !((*probe)->traits & without))
			text_append(names, size, ", ", (*probe)->name);
}

static int refuse_mechanism(const struct option_reading *reading)
{
	const struct given_options *given = reading->target;
	const struct config *config = &given->config;
	char names[200] = "";

	name_swept(given, 0, names, sizeof(names));
	return error_text_set(reading->reason, -EINVAL, "-m %s%s: --sweep measures one mechanism of %s",
		config->probes[0]->name, config->n_probes > 1 ? ",..." : "", names);
}

static int refuse_first_hops(const struct option_reading *reading)
{
	const struct given_options *given = reading->target;
	char names[200] = "";

	name_swept(given, PROBE_SPINS, names, sizeof(names));
	return error_text_set(reading->reason, -EINVAL,
		"--show first: no member of -m %s sleeps; choose answer, for its hops, or lap, or one mechanism of "
		"%s",
		given->config.probes[0]->name, names);
}

/* The matrix is written by JSON and by an export of its own. */
static int check_exports(const struct given_options *given, const struct option_reading *reading)
{
	const struct config *config = &given->config;

	for (unsigned i = 0; given->names->export(i); i++) {
		const char *name = given->names->export(i);
		bool is_matrix = !strcmp(name, "matrix");

		if (config->exports[i] && is_matrix && !config->sweep && !config->replay)
			return error_text_set(reading->reason, -EINVAL,
				"--export matrix: only a sweep has a matrix; add --sweep");
		if (config->exports[i] && !is_matrix && config->sweep)
			return error_text_set(reading->reason, -EINVAL,
				"--export %s: --sweep runs no rings; choose --export matrix=FILE or --json",
				name);
	}
	return 0;
}

/* Refuses what a sweep does not have. */
static int check_sweep(const struct given_options *given, const struct option_reading *reading)
{
	const struct config *config = &given->config;

	for (size_t i = 0; ring_options[i]; i++)
		if (option_is_given(reading, ring_options[i]))
			return error_text_set(reading->reason, -EINVAL,
				"--%s: --sweep runs no rings; leave one of them out", ring_options[i]);
	if (config->action == ACTION_PLAN)
		return error_text_set(reading->reason, -EINVAL,
			"--plan: --sweep runs no rings, so there are none to print; leave one of them out");
	if (config->n_probes != 1 || !(config->probes[0]->traits & PROBE_SWEEPS))
		return refuse_mechanism(reading);
	if (config_asks_figure_of_rings(config))
		return error_text_set(reading->reason, -EINVAL,
			"--show %s: a sweep has no intervals; choose first, answer, for its hops, or lap, or leave "
			"out --sweep",
			figure_name(config->figure));
	if (config_sweeps_first_hops(config) && config->probes[0]->traits & PROBE_SPINS)
		return refuse_first_hops(reading);
	return 0;
}

static int settle_sweep(struct given_options *given, const struct option_reading *reading)
{
	struct config *config = &given->config;
	int r;

	if (!config->sweep && option_is_given(reading, "at-once"))
		return error_text_set(reading->reason, -EINVAL,
			"--at-once %u: only a sweep measures pairs at once; add --sweep", config->at_once);
	config->has_figure_of_line = option_is_given(reading, "show");
	if (config->sweep && (r = check_sweep(given, reading)) < 0)
		return r;
	for (unsigned i = 0; (config->sweep || config->replay) && given->names->view(i); i++)
		if (!strcmp(given->names->view(i), "matrix"))
			config->sweep_view = i;
	if (config->sweep) {
		if (!config->has_view)
			config->view = config->sweep_view;
		/* The file has these for rings. */
		config->recorder = FLIGHT_OFF;
		config->breaktrace_ns = config->fail_above_ns = config->work_size = 0;
		config->stamps = STAMPS_ALL;
		config->batch_laps = 0;
		if (!config->has_figure_of_line && config->figure != FIGURE_LAP)
			config->figure = FIGURE_ANSWER;
	}
	return check_exports(given, reading);
}

/* --- a hunt --- */

enum {
	HUNT_TICK_NS = 100000000
}; /* for the interval of a factor: a phase of some seconds has blocks enough */

/* It opens all loads itself, for some seconds each, and compares the phases that these begin. */
static const char *const options_beside_hunt[] = {"load", "loops", "no-auto-phase", NULL};

static int settle_hunt(struct given_options *given, const struct option_reading *reading)
{
	struct config *config = &given->config;

	if (!config->hunt)
		return 0;
	for (size_t i = 0; options_beside_hunt[i]; i++)
		if (option_is_given(reading, options_beside_hunt[i]))
			return error_text_set(reading->reason, -EINVAL,
				"--%s: --hunt opens one load after the other, and compares their phases; "
				"leave one of them out",
				options_beside_hunt[i]);
	if (option_is_given(reading, "batch"))
		return error_text_set(reading->reason, -EINVAL,
			"--batch: --hunt compares percentiles of single laps; leave one of them out");
	/* Of the file. */
	config->auto_phase = true;
	config->loops = config->batch_laps = 0;
	if (!option_is_given(reading, "tick"))
		config->tick_ns = HUNT_TICK_NS;
	return 0;
}

/* --- scheduling --- */

static int settle_scheduling(struct given_options *given, const struct option_reading *reading)
{
	struct config *config = &given->config;
	struct task_policy *policy = &config->policy;

	if (policy->policy < 0)
		policy->policy = policy->priority ? SCHED_FIFO : SCHED_OTHER;
	if (task_policy_is_realtime(policy->policy) && !policy->priority)
		return error_text_set(reading->reason, -EINVAL, "--policy %s needs a priority: add -p 1..98",
			task_policy_name(policy->policy));
	if (!task_policy_is_realtime(policy->policy) && policy->priority)
		return error_text_set(reading->reason, -EINVAL,
			"-p %d: --policy %s has no priorities; only fifo and rr have", policy->priority,
			task_policy_name(policy->policy));
	if (!config->interval_ns && config->distance_ns)
		return error_text_set(
			reading->reason, -EINVAL, "-d: flood (-i 0) has no intervals to add a distance to");
	return 0;
}

/* --- stamps --- */

static int refuse_batch(const struct option_reading *reading, const char *why)
{
	const struct given_options *given = reading->target;

	return error_text_set(reading->reason, -EINVAL, "--batch %u: %s", given->config.batch_laps, why);
}

/* Each option that reads single laps is refused, since a batch has none. */
static int settle_batch(struct given_options *given, const struct option_reading *reading)
{
	struct config *config = &given->config;

	if (!config->batch_laps)
		return 0;
	if (given->has_stamps && config->stamps == STAMPS_ALL)
		return refuse_batch(reading,
			"--stamps all stamps each hop; leave one of them out, or choose --stamps lap");
	if (config->interval_ns)
		return refuse_batch(reading, "a paced lap has its own stamps; add -i 0 for a flood");
	if (config->breaktrace_ns)
		return refuse_batch(reading, "-b needs the time of each lap; leave one of them out");
	if (config->fail_above_ns)
		return refuse_batch(
			reading, "--fail-above needs the time of each lap; leave one of them out");
	if (config->baseline)
		return refuse_batch(reading, "--baseline compares percentiles, which only single laps have; "
					     "leave one of them out");
	config->stamps = STAMPS_LAP;
	return 0;
}

/* Without hops the figure is the lap, unless --show names another one. */
static int settle_stamps(struct given_options *given, const struct option_reading *reading)
{
	struct config *config = &given->config;
	int r = settle_batch(given, reading);

	if (r < 0 || config->stamps == STAMPS_ALL)
		return r;
	if (config->has_figure && config->figure != FIGURE_LAP)
		return error_text_set(reading->reason, -EINVAL,
			"--show %s: %s stamps no hop, so only the lap is measured; choose lap",
			figure_name(config->figure), config->batch_laps ? "--batch" : "--stamps lap");
	config->figure = FIGURE_LAP;
	return 0;
}

/* --- replay and output --- */

/* Returns the first option in argv that a replay can't obey; NULL: there is none. */
static const char *useless_option(const struct option_reading *reading)
{
	size_t i = 0;

	for (size_t table = 0; reading->tables[table]; table++)
		for (const struct option_row *row = reading->tables[table]; row->name; row++, i++)
			if (reading->given[i] && (table <= OPTIONS_HOW || row->measures))
				return row->name;
	return NULL;
}

static int check_replay(struct given_options *given, const struct option_reading *reading)
{
	const struct config *config = &given->config;

	if (!config->replay && config->has_speed)
		return error_text_set(
			reading->reason, -EINVAL, "--speed: needs a recording: add --replay FILE");
	if (!config->replay)
		return 0;
	if (config->action == ACTION_LIST)
		return error_text_set(
			reading->reason, -EINVAL, "--replay: list shows no recording; leave one of them out");
	const char *useless = useless_option(reading);

	if (!useless)
		return 0;
	return error_text_set(reading->reason, -EINVAL, "--%s: %s measures nothing; leave one of them out",
		useless,
		config->action == ACTION_EXPORT   ? "export"
		: config->action == ACTION_REPORT ? "report"
						  : "--replay");
}

/* Only one of --render, --json - and the exports may write to stdout. */
static int check_stdout(struct given_options *given, const struct option_reading *reading)
{
	const struct config *config = &given->config;
	char writer[OPTION_SHOWN_SIZE] = "", next[OPTION_SHOWN_SIZE];

	if (config->render_columns)
		snprintf(writer, sizeof(writer), "--render");
	for (unsigned i = 0; i == 0 || given->names->export(i - 1); i++) {
		const char *path = i ? config->exports[i - 1] : config->json;

		if (!whole_file_is_stdout(path))
			continue;
		if (i == 0)
			snprintf(next, sizeof(next), "--json -");
		else
			snprintf(next, sizeof(next), "--export %s=-", given->names->export(i - 1));
		if (*writer)
			return error_text_set(reading->reason, -EINVAL,
				"%s: %s prints to stdout too; name a file", next, writer);
		snprintf(writer, sizeof(writer), "%s", next);
	}
	return 0;
}

static bool has_exports(const struct config *config)
{
	for (size_t i = 0; i < CONFIG_EXPORTS_MAX; i++)
		if (config->exports[i])
			return true;
	return false;
}

/* --plan and list measure nothing. */
static int check_output(struct given_options *given, const struct option_reading *reading)
{
	const struct config *config = &given->config;
	const char *action = config->action == ACTION_PLAN   ? "--plan"
			     : config->action == ACTION_LIST ? "list"
							     : NULL;
	char shown[OPTION_SHOWN_SIZE];

	const char *output = config->json          ? "json"
			     : config->plot        ? "plot"
			     : config->report      ? "report"
			     : config->metrics     ? "metrics"
			     : has_exports(config) ? "export"
						   : NULL;

	if (action && output)
		return error_text_set(reading->reason, -EINVAL,
			"--%s: %s measures nothing, so there is nothing to write", output, action);
	if (action && config->metrics_listen)
		return error_text_set(reading->reason, -EINVAL,
			"--metrics-listen: %s measures nothing, so there is nothing to scrape", action);
	if (config->json_blocks && !config->json)
		return error_text_set(
			reading->reason, -EINVAL, "--json-blocks: no JSON is written; add --json FILE");
	if (config->svg && !config->render_columns)
		return error_text_set(
			reading->reason, -EINVAL, "--svg: no screen is printed; add --render WxH");
	if (action && config->render_columns)
		return error_text_set(
			reading->reason, -EINVAL, "--render: %s has no screen to print", action);
	if (config->render_columns && (config->plain || config->quiet))
		return error_text_set(reading->reason, -EINVAL, "--render: %s has no screen to print",
			config->quiet ? "-q" : "--plain");
	if (action && config->record)
		return error_text_set(reading->reason, -EINVAL,
			"--record: %s measures nothing, so there is nothing to record", action);
	if (config->no_config && config->config_file)
		return error_text_set(reading->reason, -EINVAL,
			"--config %s: --no-config reads no file; leave one of them out",
			option_shown(config->config_file, shown));
	return 0;
}

int given_options_settle(const struct option_reading *reading)
{
	static int (*const steps[])(struct given_options * given, const struct option_reading *reading) = {
		check_replay, settle_sweep, settle_hunt, settle_scheduling, settle_stamps, settle_cpus,
		check_smp, settle_ring, check_size, check_output, check_stdout};
	int r = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && r == 0; i++)
		r = steps[i](reading->target, reading);
	return r;
}

/* --- options of the file, and of argv, which wins --- */

int given_options_check_line(const struct option_reading *reading)
{
	int r = settle_cpus(reading->target, reading);

	return r < 0 ? r : check_smp(reading->target, reading);
}

/* Stamps and batches of the file to what argv measures, and the file's figure to stamps of argv. */
static void stamps_give_way(const struct option_reading *reading, struct config *config)
{
	bool batch = option_is_given(reading, "batch"), stamps = option_is_given(reading, "stamps");
	bool show = option_is_given(reading, "show"), has_hops = show && config->figure != FIGURE_LAP;

	if (!batch && (config->interval_ns || has_hops || (stamps && config->stamps == STAMPS_ALL)))
		config->batch_laps = 0;
	if (!stamps && has_hops)
		config->stamps = STAMPS_ALL;
	if (!show && (config->stamps == STAMPS_LAP || config->batch_laps))
		config->has_figure = false;
}

void given_options_give_way(const struct option_reading *reading)
{
	struct given_options *given = reading->target;
	struct config *config = &given->config;
	bool realtime = task_policy_is_realtime(config->policy.policy);
	bool policy = option_is_given(reading, "policy"), priority = option_is_given(reading, "priority");
	bool pairs = option_is_given(reading, "pairs"), threads = option_is_given(reading, "threads");
	bool ring = option_is_given(reading, "ring");
	char names[200];

	if (policy && !priority && !realtime)
		config->policy.priority = 0;
	if (priority && !policy && realtime != (config->policy.priority > 0))
		config->policy.policy = -1;
	if (given->smp && !pairs)
		config->pairs = "own";
	if (ring && !pairs && !pairs_own(config))
		config->pairs = NULL;
	if ((given->smp || ring) && !threads)
		config->n_pairs = 0;
	if ((given->smp || threads) && !ring)
		config->ring_members = config->n_rings = 0;
	if (option_is_given(reading, "interval") && !option_is_given(reading, "distance") &&
		!config->interval_ns)
		config->distance_ns = 0;
	stamps_give_way(reading, config);
	if (option_is_given(reading, "mechanisms") && !option_is_given(reading, "size") &&
		name_probes(config->probes, config->n_probes, 0, names, sizeof(names)))
		config->size = 0;
	if (config->render_columns) {
		config->plain = config->plain && option_is_given(reading, "plain");
		config->quiet = config->quiet && option_is_given(reading, "quiet");
	}
}
