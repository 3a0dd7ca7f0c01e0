/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json_parts.c - the machine and the options in the JSON report. */
#include "src/report/report_json_parts.h"

#include "src/machine/machine_json.h"
#include "src/plan/config.h"
#include "src/probe/probe.h"

static void put_how(struct json_object *object, const struct config *config)
{
	char memory[NUMA_POLICY_SIZE];

	if (config->has_policy) {
		json_put_text(object, "policy", task_policy_name(config->policy.policy));
		json_put_int(object, "priority", config->policy.priority);
	}
	json_put_uint(object, "interval_ns", config->interval_ns);
	json_put_uint(object, "distance_ns", config->distance_ns);
	json_put_uint(object, "max_duration_ns", config->duration_ns);
	json_put_uint(object, "loops", config->loops);
	if (config->breaktrace_ns)
		json_put_uint(object, "breaktrace_ns", config->breaktrace_ns);
	json_put_uint(object, "size_bytes", config->size);
	json_put_uint(object, "work_bytes", config->work_size);
	if (config->has_dma_latency)
		json_put_int(object, "dma_latency_us", config->dma_latency_us);
	json_put_text(object, "memory", numa_policy_format(config->memory, memory));
	json_put_bool(object, "side_by_side", config->side_by_side);
	if (config->turn_ns)
		json_put_uint(object, "turn_ns", config->turn_ns);
	json_put_bool(object, "force", config->force);
	json_put_bool(object, "allow_rt_spin", config->allow_rt_spin);
	json_put_bool(object, "strict", config->strict);
}

/* Only front ends ask for these. */
static void put_asked(struct json_object *object, const struct config *config)
{
	const struct {
		const char *key;
		uint64_t value;
	} asked[] = {
		{"priority_step", (uint64_t)config->tool.priority_step},
		{"burst", config->tool.burst},
		{"timeout_ns", config->tool.timeout_ns},
		{"hold_ns", config->tool.hold_ns},
	};

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		if (asked[i].value)
			json_put_uint(object, asked[i].key, asked[i].value);
	if (config->tool.unpinned)
		json_put_bool(object, "unpinned", true);
	if (config->tool.alone)
		json_put_bool(object, "alone", true);
	if (config->tool.first_ends)
		json_put_bool(object, "first_ends", true);
}

struct json_object *json_options(const struct config *config)
{
	struct json_object *object = json_object_new_object(), *mechanisms = json_object_new_array();

	for (size_t i = 0; mechanisms && i < config->n_probes; i++)
		json_object_array_add(mechanisms, json_text(config->probes[i]->name));
	json_put(object, "mechanisms", mechanisms);
	if (config->pairs)
		json_put_text(object, "pairs", config->pairs);
	if (config->has_cpus)
		machine_json_put_cpus(object, "cpus", &config->cpus);
	if (config->has_housekeeping)
		machine_json_put_cpus(object, "housekeeping", &config->housekeeping);
	json_put_uint(object, "max_pairs", config->n_pairs);
	if (config->ring_members)
		json_put_uint(object, "ring_members", config->ring_members);
	if (config->n_rings)
		json_put_uint(object, "rings", config->n_rings);
	json_put_bool(object, "fork", config->fork);
	put_how(object, config);
	put_asked(object, config);
	json_put_text(object, "show", figure_name(config->figure));
	if (config->fail_above_ns)
		json_put_uint(object, "fail_above_ns", config->fail_above_ns);
	json_put_uint(object, "tick_ns", config->tick_ns);
	json_put_uint(object, "refresh_ns", config->refresh_ns);
	json_put_bool(object, "auto_phase", config->auto_phase);
	return object;
}
