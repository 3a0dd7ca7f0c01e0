/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_json.c - the options in force as JSON: "options" of reports and of a recording's header. */
#include "src/plan/config_json.h"

#include <string.h>

#include "src/base/json.h"
#include "src/machine/machine_json.h"
#include "src/plan/config.h"
#include "src/probe/probe.h"

static const struct {
	struct field field;
	bool if_set; /* left out if it is 0, false or NULL */
} options[] = {
	{FIELD_AS(struct config, pairs, "pairs"), true},
	{FIELD_AS(struct config, n_pairs, "max_pairs")},
	{FIELD_AS(struct config, ring_members, "ring_members"), true},
	{FIELD_AS(struct config, n_rings, "rings"), true},
	{FIELD_AS(struct config, fork, "fork")},
	{FIELD_AS(struct config, sweep, "sweep"), true},
	{FIELD_AS(struct config, hunt, "hunt"), true},
	{FIELD_AS(struct config, trial, "try"), true},
	{FIELD_AS(struct config, interval_ns, "interval_ns")},
	{FIELD_AS(struct config, distance_ns, "distance_ns")},
	{FIELD_AS(struct config, duration_ns, "max_duration_ns")},
	{FIELD_AS(struct config, loops, "loops")},
	{FIELD_AS(struct config, breaktrace_ns, "breaktrace_ns"), true},
	{FIELD_AS(struct config, spike_ns, "spike_ns"), true},
	{FIELD_AS(struct config, size, "size_bytes")},
	{FIELD_AS(struct config, work_size, "work_bytes")},
	{FIELD_AS(struct config, batch_laps, "batch_laps"), true},
	{FIELD_AS(struct config, side_by_side, "side_by_side")},
	{FIELD_AS(struct config, turn_ns, "turn_ns"), true},
	{FIELD_AS(struct config, force, "force")},
	{FIELD_AS(struct config, allow_rt_spin, "allow_rt_spin")},
	{FIELD_AS(struct config, strict, "strict")},
	{FIELD_AS(struct config, tool.priority_step, "priority_step"), true},
	{FIELD_AS(struct config, tool.burst, "burst"), true},
	{FIELD_AS(struct config, tool.timeout_ns, "timeout_ns"), true},
	{FIELD_AS(struct config, tool.hold_ns, "hold_ns"), true},
	{FIELD_AS(struct config, tool.unpinned, "unpinned"), true},
	{FIELD_AS(struct config, tool.alone, "alone"), true},
	{FIELD_AS(struct config, tool.first_ends, "first_ends"), true},
	{FIELD_AS(struct config, fail_above_ns, "fail_above_ns"), true},
	{FIELD_AS(struct config, tick_ns, "tick_ns")},
	{FIELD_AS(struct config, refresh_ns, "refresh_ns")},
	{FIELD_AS(struct config, auto_phase, "auto_phase")},
};

enum { N_OPTIONS = sizeof(options) / sizeof(*options) };

static bool is_set(const struct field *field, const struct config *config)
{
	return field_is_text(field) ? *field_text(field, config) : field_number(field, config) != 0;
}

struct json_object *config_json(const struct config *config)
{
	struct json_object *object = json_object_new_object(), *mechanisms = json_object_new_array();
	struct json_object *loads = config->n_loads ? json_object_new_array() : NULL;
	char memory[NUMA_POLICY_SIZE], load[LOAD_TEXT_SIZE];

	for (size_t i = 0; mechanisms && i < config->n_probes; i++)
		json_object_array_add(mechanisms, json_text(config->probes[i]->name));
	json_put(object, "mechanisms", mechanisms);
	for (size_t i = 0; loads && i < config->n_loads; i++)
		json_object_array_add(loads, json_text(load_format(&config->loads[i], load)));
	if (loads)
		json_put(object, "loads", loads);
	if (config->has_cpus)
		machine_json_put_cpus(object, "cpus", &config->cpus);
	if (config->has_housekeeping)
		machine_json_put_cpus(object, "housekeeping", &config->housekeeping);
	if (config->has_policy) {
		json_put_text(object, "policy", task_policy_name(config->policy.policy));
		json_put_int(object, "priority", config->policy.priority);
	}
	if (config->has_dma_latency)
		json_put_int(object, "dma_latency_us", config->dma_latency_us);
	json_put_text(object, "memory", numa_policy_format(config->memory, memory));
	json_put_text(object, "show", figure_name(config->figure));
	if (config->stamps != STAMPS_ALL)
		json_put_text(object, "stamps", stamps_name(config->stamps));
	if (config->sweep)
		json_put_uint(object, "at_once", config->at_once);
	for (size_t i = 0; i < N_OPTIONS; i++)
		if (!options[i].if_set || is_set(&options[i].field, config))
			json_put_field(object, &options[i].field, config);
	return object;
}

void config_json_read(struct json_object *object, struct config *config)
{
	const char *show = json_object_get_string(json_object_object_get(object, "show"));
	const char *stamps = json_object_get_string(json_object_object_get(object, "stamps"));

	for (size_t i = 0; i < N_OPTIONS; i++)
		if (!field_is_text(&options[i].field))
			json_read_field(object, &options[i].field, config);
	for (int i = 0; show && i < N_FIGURES_SHOWN; i++)
		if (strcmp(show, figure_name((enum figure)i)) == 0)
			config->figure = (enum figure)i;
	for (int i = 0; stamps && i < N_STAMPS; i++)
		if (strcmp(stamps, stamps_name((enum stamps)i)) == 0)
			config->stamps = (enum stamps)i;
}
