/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_settle.c - are the options good together? And what do those mean that depend on others? */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "src/options/options.h"
#include "src/options/options_table.h"
#include "src/probe/probe.h"

static int settle_policy(struct options_reading *reading)
{
	struct task_policy *policy = &reading->config->policy;

	if (!reading->policy)
		policy->policy = policy->priority ? SCHED_FIFO : SCHED_OTHER;
	if (task_policy_is_realtime(policy->policy) && !policy->priority)
		return error_text_set(reading->reason, -EINVAL, "--policy %s needs a priority: add -p 1..98",
			reading->policy);
	if (!task_policy_is_realtime(policy->policy) && policy->priority)
		return error_text_set(reading->reason, -EINVAL,
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
		return error_text_set(reading->reason, -EINVAL,
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

	if (reading->smp && config->pairs && strcmp(config->pairs, "own"))
		return error_text_set(reading->reason, -EINVAL,
			"--pairs %s: -S means --pairs own; leave one of them out",
			options_shown(config->pairs, shown));
	if (reading->smp && config->n_pairs)
		return error_text_set(reading->reason, -EINVAL,
			"-t %u: -S means one pair for each CPU; leave one of them out", config->n_pairs);
	return 0;
}

/* A ring goes from CPU to CPU, unless its members are to be on one. */
static int settle_ring(struct options_reading *reading)
{
	struct config *config = reading->config;
	char shown[48];

	if (!config->ring_members) {
		config->pairs = config->pairs ? config->pairs : "own";
		return 0;
	}
	if (reading->smp)
		return error_text_set(reading->reason, -EINVAL,
			"--ring: -S means one pair for each CPU; leave one of them out");
	if (config->n_pairs)
		return error_text_set(reading->reason, -EINVAL,
			"-t %u: --ring says how many rings, as in --ring %ux%u; leave -t out",
			config->n_pairs, config->ring_members, config->n_pairs);
	if (config->pairs && strcmp(config->pairs, "own"))
		return error_text_set(reading->reason, -EINVAL,
			"--pairs %s: the members of --ring stand on one CPU (--pairs own) or from CPU to "
			"CPU, as -c names them (without --pairs)",
			options_shown(config->pairs, shown));
	return 0;
}

static int settle_pace(struct options_reading *reading)
{
	const struct config *config = reading->config;

	if (!config->interval_ns && config->distance_ns)
		return error_text_set(
			reading->reason, -EINVAL, "-d: flood (-i 0) has no intervals to add a distance to");
	return 0;
}

/* The names of those that carry bytes, or of those that don't; returns how many. */
static size_t name_probes(const struct probe *const *probes, size_t n, bool carry, char *names, size_t size)
{
	size_t used = 0, named = 0;

	names[0] = '\0';
	for (size_t i = 0; i < n && probes[i] && used < size; i++) {
		if ((probes[i]->traits & PROBE_PAYLOAD ? true : false) != carry)
			continue;
		used += (size_t)snprintf(
			names + used, size - used, "%s%s", named++ ? "," : "", probes[i]->name);
	}
	return named;
}

static int settle_size(struct options_reading *reading)
{
	const struct config *config = reading->config;
	char without[200], with[200]; /* both fit into a reason */
	size_t n = name_probes(config->probes, config->n_probes, false, without, sizeof(without));

	if (!config->size || !n)
		return 0;
	name_probes(reading->names->mechanisms, SIZE_MAX, true, with, sizeof(with));
	return error_text_set(reading->reason, -EINVAL, "-s %llu: %s carr%s no bytes; choose of -m %s",
		(unsigned long long)config->size, without, n > 1 ? "y" : "ies", with);
}

/* The first option given that a replay has no use for, as "--name"; false: there is none. */
static bool find_useless(struct options_reading *reading)
{
	static const char *const useless[] = {"record", "tick", "plan"};
	static const char *const exported[] = {"replay", "export-jsonl", "config", "no-config"};
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
		snprintf(reading->option, sizeof(reading->option), "--%s", row->name);
		return true;
	}
	return false;
}

static int settle_replay(struct options_reading *reading)
{
	const struct config *config = reading->config;

	if (!config->replay && (config->has_speed || config->export_jsonl))
		return error_text_set(reading->reason, -EINVAL, "%s: needs a recording: add --replay FILE",
			config->has_speed ? "--speed" : "--export-jsonl");
	if (!config->replay)
		return 0;
	if (config->action == ACTION_LIST)
		return error_text_set(
			reading->reason, -EINVAL, "--replay: list shows no recording; leave one of them out");
	if (!find_useless(reading))
		return 0;
	return error_text_set(reading->reason, -EINVAL, "%s: %s; leave one of them out", reading->option,
		config->export_jsonl ? "--export-jsonl prints the whole recording as it is"
				     : "--replay measures nothing");
}

static int settle_record(struct options_reading *reading)
{
	const struct config *config = reading->config;

	if (config->record && config->action != ACTION_RUN)
		return error_text_set(reading->reason, -EINVAL, "--record: %s measures nothing to record",
			config->action == ACTION_PLAN ? "--plan" : "list");
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
		return error_text_set(
			reading->reason, -EINVAL, "--json: %s measures nothing that it could write", action);
	if (action && config->render_columns)
		return error_text_set(
			reading->reason, -EINVAL, "--render: %s has no screen to print", action);
	if (config->render_columns && config->json && !strcmp(config->json, "-"))
		return error_text_set(
			reading->reason, -EINVAL, "--json -: --render prints to stdout too; name a file");
	if (config->render_columns && (config->batch || config->quiet))
		return error_text_set(reading->reason, -EINVAL,
			"--render: prints the screen, which %s has not", config->quiet ? "-q" : "--batch");
	return 0;
}

static int settle_file(struct options_reading *reading)
{
	const struct config *config = reading->config;
	char shown[48];

	if (config->no_config && config->config_file)
		return error_text_set(reading->reason, -EINVAL,
			"--config %s: --no-config reads no file; leave one of them out",
			options_shown(config->config_file, shown));
	return 0;
}

int options_settle(struct options_reading *reading)
{
	static int (*const steps[])(struct options_reading * reading) = {settle_replay, settle_policy,
		settle_cpus, settle_smp, settle_ring, settle_size, settle_pace, settle_output, settle_record,
		settle_file};
	int r = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && r == 0; i++)
		r = steps[i](reading);
	return r;
}

int options_settle_line(struct options_reading *reading)
{
	int r = settle_cpus(reading);

	return r < 0 ? r : settle_smp(reading);
}
