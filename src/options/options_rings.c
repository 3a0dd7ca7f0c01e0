/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_rings.c - how the values of the options are read that say what rings there are, and where. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/base/values.h"
#include "src/options/options.h"
#include "src/options/options_table.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"

static int refuse_mechanism(const struct options_reading *reading, const char *name)
{
	char names[384] = "", why[432];

	for (const struct probe *const *probe = reading->names->mechanisms; *probe; probe++)
		options_append_word(names, sizeof(names), (*probe)->name);
	snprintf(why, sizeof(why), "no such mechanism: choose of %s, or all", names);
	return options_refuse_value(reading, name, why);
}

static bool is_named(const struct probe *probe, const char *name, size_t length)
{
	return !strncmp(probe->name, name, length) && !probe->name[length];
}

static void add_probe(struct config *config, const struct probe *probe)
{
	for (size_t i = 0; i < config->n_probes; i++)
		if (config->probes[i] == probe)
			return;
	if (config->n_probes < CONFIG_PROBES_MAX)
		config->probes[config->n_probes++] = probe;
}

static const char *why_missing(const struct probe *probe)
{
	return probe->missing ? probe->missing() : NULL;
}

/* All but those that are missing; `ipctop list` names these too. */
static int add_all_mechanisms(struct options_reading *reading)
{
	for (const struct probe *const *probe = reading->names->mechanisms; *probe; probe++)
		if (!why_missing(*probe))
			add_probe(reading->config, *probe);
	return 0;
}

static int add_mechanism(struct options_reading *reading, const char *name, size_t length)
{
	char shown[41];

	snprintf(shown, sizeof(shown), "%.*s", (int)length, name);
	for (const struct probe *const *probe = reading->names->mechanisms; *probe; probe++)
		if (is_named(*probe, name, length)) {
			if (why_missing(*probe))
				return options_refuse_value(reading, shown, why_missing(*probe));
			add_probe(reading->config, *probe);
			return 0;
		}
	return refuse_mechanism(reading, shown);
}

int options_read_mechanisms(struct options_reading *reading, const char *value)
{
	const char *name = value;

	reading->config->n_probes = 0;
	for (;; name++) {
		size_t length = strcspn(name, ",");
		bool all = length == 3 && !strncmp(name, "all", 3);

		if (length == 0)
			return refuse_mechanism(reading, value);
		int r = all ? add_all_mechanisms(reading) : add_mechanism(reading, name, length);

		if (r < 0)
			return r;
		name += length;
		if (!*name)
			return 0;
	}
}

static int read_list(const struct options_reading *reading, const char *value, struct cpus *cpus)
{
	struct cpus read = {0};

	if (cpus_parse(&read, value) < 0 || cpus_count(&read) == 0)
		return options_refuse_value(reading, value, "must be a list of CPUs such as 0-3,8");
	*cpus = read;
	return 0;
}

int options_read_cpus(struct options_reading *reading, const char *value)
{
	reading->cpus = value;
	reading->config->has_cpus = true;
	return read_list(reading, value, &reading->config->cpus);
}

int options_read_affinity(struct options_reading *reading, const char *value)
{
	reading->affinity = value ? value : "";
	reading->affinity_cpus = (struct cpus){0};
	return value ? read_list(reading, value, &reading->affinity_cpus) : 0;
}

int options_read_housekeeping(struct options_reading *reading, const char *value)
{
	reading->config->has_housekeeping = true;
	return read_list(reading, value, &reading->config->housekeeping);
}

static bool read_between(const char *text, uint64_t min, uint64_t max, unsigned *number)
{
	uint64_t read;

	if (value_number(text, &read) < 0 || read < min || read > max)
		return false;
	*number = (unsigned)read;
	return true;
}

/* "8" or "8x4": members, and rings. */
int options_read_ring(struct options_reading *reading, const char *value)
{
	size_t length = strcspn(value, "x");
	char members[16], shown[48];
	unsigned n_members = 0, n_rings = 0;
	bool good = length < sizeof(members);

	snprintf(members, sizeof(members), "%.*s", (int)length, value);
	good = good && read_between(members, 2, PLAN_RING_MEMBERS_MAX, &n_members);
	if (good && value[length])
		good = read_between(value + length + 1, 1, PLAN_RINGS_MAX, &n_rings);
	if (!good)
		return error_text_set(reading->reason, -EINVAL,
			"%s %s: the ring must be N or NxM: 2 to %d members, 1 to %d rings", reading->option,
			options_shown(value, shown), PLAN_RING_MEMBERS_MAX, PLAN_RINGS_MAX);
	reading->config->ring_members = n_members;
	reading->config->n_rings = n_rings;
	return 0;
}
