/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_preview.c - what an action would do beyond what was typed. */
#include "src/run/run_preview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/values.h"
#include "src/model/session.h"
#include "src/model/session_turns.h"
#include "src/probe/probe.h"
#include "src/run/run_acts.h"
#include "src/run/run_rings.h"

static void preview_interval(const struct session *session, const char *value, char text[RUN_SAY_SIZE])
{
	uint64_t interval_ns;
	unsigned n;

	session_turn_place(session, 0, &n);
	if (value_time(value, value_microseconds, &interval_ns) == 0)
		run_rings_say_turns(session, n, interval_ns, text);
}

static const struct probe *probe_of(const struct run *run, const struct session_ring *ring)
{
	const struct probe *const *probes = run->engine.keeper.registry;

	while (*probes && strcmp((*probes)->name, ring->mechanism) != 0)
		probes++;
	return *probes;
}

static void preview_size(
	const struct run *run, const struct run_rings *rings, const char *value, char text[RUN_SAY_SIZE])
{
	uint64_t bytes;

	if (value_time(value, value_bytes, &bytes) < 0)
		return;
	for (size_t i = 0; i < rings->n && !*text; i++) {
		const struct session_ring *ring = session_find_ring(&run->source.session, rings->ids[i]);
		const struct probe *probe = ring ? probe_of(run, ring) : NULL;

		if (probe)
			run_rings_say_size(probe, bytes, text);
	}
}

static bool is_chosen(const struct run_rings *rings, uint32_t id)
{
	size_t i = 0;

	while (i < rings->n && rings->ids[i] != id)
		i++;
	return i < rings->n;
}

/* Returns false if the value has no CPUs for this ring. A ring that is not chosen stays where it is. */
static bool find_cpus(const struct session_ring *ring, bool chosen, const char *value, struct cpus *all)
{
	struct cpus cpus;

	*all = (struct cpus){0};
	for (unsigned m = 0; m < ring->n_members; m++) {
		int64_t place = session_member_place(ring, m);

		if (chosen && run_acts_read_cpus(value, m, ring->n_members, &cpus) < 0)
			return false;
		if (chosen)
			cpus_unite(all, &cpus);
		else if (place >= 0)
			cpus_add(all, (unsigned)place);
	}
	return true;
}

/* Rings of one turn run at the same time: members stay in their turn when they move. */
static void preview_cpus(const struct session *session, const struct run_rings *rings, const char *value,
	char text[RUN_SAY_SIZE])
{
	struct cpus cpus, of_other;
	char list[64];

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (ring->ended_ns || !is_chosen(rings, ring->id) || !find_cpus(ring, true, value, &cpus))
			continue;
		for (size_t k = 0; k < session->n_rings; k++) {
			const struct session_ring *other = &session->rings[k];

			if (k == i || other->ended_ns || other->turn != ring->turn ||
				!find_cpus(other, is_chosen(rings, other->id), value, &of_other))
				continue;
			cpus_intersect(&of_other, &cpus);
			if (!cpus_count(&of_other))
				continue;
			snprintf(text, RUN_SAY_SIZE,
				"Shares CPU%s %s with %s %s, which runs in the same turn.",
				cpus_count(&of_other) > 1 ? "s" : "",
				cpus_format(&of_other, list, sizeof(list)), other->mechanism, other->label);
			return;
		}
	}
}

void run_preview_value(struct source *source, const struct command *command, struct error_text *text)
{
	const struct run *run = (const struct run *)source;
	const struct session *session = &source->session;
	struct run_rings rings = {0};
	struct error_text refusal;
	char sentence[RUN_SAY_SIZE] = "";

	pthread_mutex_lock(&source->lock);
	if (run_rings_choose(&rings, source, command, &refusal) == 0) {
		if (command->kind == COMMAND_INTERVAL)
			preview_interval(session, command->name, sentence);
		else if (command->kind == COMMAND_SIZE)
			preview_size(run, &rings, command->name, sentence);
		else
			preview_cpus(session, &rings, command->name, sentence);
	}
	pthread_mutex_unlock(&source->lock);
	free(rings.ids);
	error_text_set(text, 0, "%s", sentence);
}
