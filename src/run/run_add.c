/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_add.c - rings that are added, and what a line of words for that means before it is sent. */
#include "src/run/run_add.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_rings.h"
#include "src/options/ring_words.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/run/run_hunt.h"
#include "src/run/run_rings.h"
#include "src/run/run_undo.h"

/* Checks what the plan's reader does not know of: limits of the machine, and rights. */
static int check_rings(const struct run *run, const struct plan *plan, struct error_text *why)
{
	for (size_t i = 0; i < plan->n_rings; i++)
		if (plan->rings[i].refusal)
			return error_text_set(
				why, -EINVAL, "%s: %s", plan->rings[i].mechanism, plan->rings[i].refusal);
	return run_rings_check_right(run, &plan->rings[0], why); /* all have one policy */
}

/* Checks the rings of the plan on CPUs of another one against it. */
static int check_beside_ring(const struct plan *plan, const struct plan_ring *other,
	const struct cpus *others, struct error_text *refusal)
{
	struct error_text why;

	for (size_t i = 0; i < plan->n_rings; i++) {
		struct cpus shared = plan_ring_cpus(&plan->rings[i], NULL);

		cpus_intersect(&shared, others);
		if (cpus_count(&shared) && run_rings_check_beside(&plan->rings[i], other, &why) < 0)
			return error_text_set(refusal, -EINVAL, "%s: %s", plan->rings[i].mechanism, why.text);
	}
	return 0;
}

/* Checks each ring of the plan against those that run; the plan's reader has done so among the plan's. */
static int check_beside(const struct run *run, const struct plan *plan, struct error_text *refusal)
{
	int r = 0;

	for (struct arena_ring *other = NULL; r == 0 && (other = arena_next(run->engine.arena, other));) {
		const struct cpus others = run_rings_cpus(other);

		if (!run_rings_is_over(other))
			r = check_beside_ring(plan, &other->plan, &others, refusal);
	}
	return r;
}

/* Checks floods of the plan together with those that run; the plan's reader has done so among the plan's. */
static int check_floods(
	const struct run *run, const struct plan *plan, struct cpus flooded, struct error_text *refusal)
{
	bool floods = false;

	for (size_t i = 0; i < plan->n_rings; i++) {
		if (plan->rings[i].interval_ns || !plan_ring_is_realtime(&plan->rings[i]))
			continue;
		const struct cpus cpus = plan_ring_cpus(&plan->rings[i], &plan->unpinned);

		cpus_unite(&flooded, &cpus);
		floods = true;
	}
	return floods ? run_rings_check_flooded(run, &flooded, refusal) : 0;
}

/* Adds all rings of the plan. Those before the first one that is refused are removed again. */
static int add_rings(
	struct run *run, const struct plan *plan, struct run_rings *rings, struct error_text *refusal)
{
	const struct plan_ring *added;
	struct error_text reason;
	int highest = 0, r = check_rings(run, plan, refusal);

	if (r == 0 && run->source.config->side_by_side)
		r = check_beside(run, plan, refusal);
	if (r == 0)
		r = check_floods(run, plan, run_rings_flooded(run, &(struct run_rings){0}), refusal);
	if (r < 0)
		return r;
	for (size_t i = 0; i < plan->n_rings; i++)
		if (plan_ring_is_realtime(&plan->rings[i]) && plan->rings[i].policy.priority > highest)
			highest = plan->rings[i].policy.priority;
	if (highest)
		input_thread_raise(&run->source.input, highest + 1);
	for (size_t i = 0; i < plan->n_rings && r == 0; i++) {
		r = engine_add_ring(&run->engine, &plan->rings[i], &added, refusal);
		if (r < 0)
			break;
		rings->ids[rings->n++] = added->id;
		r = run_rings_feed(run, added);
		if (r < 0)
			error_text_set(refusal, r, "no memory for the row of a ring");
	}
	for (size_t i = 0; r < 0 && i < rings->n; i++)
		engine_remove_ring(&run->engine, rings->ids[i], &reason);
	return r;
}

static const char *no_export(unsigned i)
{
	return NULL;
}

static struct options_names names_of(const struct run *run)
{
	return (struct options_names){.mechanisms = run->engine.keeper.registry, .export = no_export};
}

/* Reads the words of rings to be added. plan_finish() accepts the plan in any case. */
static int read_plan(const struct run *run, const char *line, struct plan *plan, struct error_text *reason)
{
	const struct options_names names = names_of(run);
	char words[COMMAND_WORDS_SIZE], name[] = "add", *argv[RING_WORDS_MAX + 2] = {name};

	*plan = (struct plan){0};
	if (run->source.config->sweep)
		return error_text_set(reason, -EINVAL, "a sweep runs no rings");
	int r = run_hunt_check_new_rings(run, reason);

	if (r < 0)
		return r;
	snprintf(words, sizeof(words), "%s", line);
	return ring_words_read(plan, 1 + ring_words_cut(words, argv + 1), argv, run->source.config,
		run->topology, &names, reason);
}

static int obey_add(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	struct error_text why = {""};
	struct plan plan;
	int r = read_plan(run, command->words, &plan, &why);
	struct run_rings rings = {.ids = calloc(plan.n_rings + 1, sizeof(*rings.ids))};

	if (r == 0 && !rings.ids)
		r = error_text_set(&why, -ENOMEM, "no memory for a list of rings");
	if (r == 0)
		r = add_rings(run, &plan, &rings, &why);
	if (r == 0) {
		run_rings_note(run, command, &rings, "was added", "were added");
		run_undo_note(run, UNDO_ADDED, &rings);
		*result = (struct command_result){.first_ring = rings.ids[0], .n_rings = (uint32_t)rings.n};
	}
	free(rings.ids);
	plan_finish(&plan);
	return r < 0 ? error_text_set(refusal, r, "add: %s", why.text) : 0;
}

static const struct option_row options_argument = {.name = "options", .argument = "OPTION..."};

const struct command_row command_add = {"add", "add rings, such as pipe 0:3 -s 4k", &options_argument,
	.kind = COMMAND_ADD, .takes_words = true, .acts = true, .in_run = obey_add};

/* --- what a line means, before it is sent --- */

/* The same as check_beside() for threads other than main, which may read only the session. */
static int check_beside_shown(const struct run *run, const struct plan *plan, struct error_text *refusal)
{
	const struct session *session = &run->source.session;
	int r = 0;

	for (size_t i = 0; run->source.config->side_by_side && r == 0 && i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		const struct plan_ring other = run_rings_shown_plan(run, ring);
		const struct cpus others = run_rings_shown_cpus(ring);

		if (!ring->ended_ns && other.probe)
			r = check_beside_ring(plan, &other, &others, refusal);
	}
	return r;
}

/* "CPU 2 with mq 2>2", "CPUs 2,10 with mq 2>2 and 3 more rings"; empty if no ring shares a CPU. */
static void write_sharers(const struct session *session, const struct cpus *cpus, char *text, size_t size)
{
	struct cpus shared = {0};
	const struct session_ring *first = NULL;
	char list[64], more[32] = "", name[SESSION_NAME_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		bool shares = false;

		for (unsigned m = 0; m < ring->n_members && !ring->ended_ns; m++)
			if (cpus_has(cpus, ring->cpus[m])) {
				cpus_add(&shared, ring->cpus[m]);
				shares = true;
			}
		first = shares && !first ? ring : first;
		n += shares;
	}
	*text = '\0';
	if (n > 1)
		snprintf(more, sizeof(more), " and %zu more", n - 1);
	if (n)
		snprintf(text, size, "CPU%s %s with %s%s", cpus_count(&shared) > 1 ? "s" : "",
			cpus_format(&shared, list, sizeof(list)), session_ring_name(first, name), more);
}

/* "mq 2>10, class smt, FIFO:80, 1 byte, every 1000 us" */
static void write_ring(const struct plan_ring *ring, char *text, size_t size)
{
	char label[64], policy[TASK_POLICY_SIZE] = "ipctop's policy", bytes[32] = "", every[48] = "flood";

	if (ring->has_policy)
		task_policy_describe(ring->policy, policy);
	if (ring->token_bytes)
		snprintf(bytes, sizeof(bytes), ", %llu byte%s", (unsigned long long)ring->token_bytes,
			ring->token_bytes == 1 ? "" : "s");
	if (ring->interval_ns)
		snprintf(every, sizeof(every), "every %.15g us", (double)ring->interval_ns / 1000);
	snprintf(text, size, "%s %s, class %s, %s%s, %s", ring->mechanism,
		plan_ring_label(ring, label, sizeof(label)), locality_name(ring->locality), policy, bytes,
		every);
}

/* " and 3 more rings", with -d " and 3 more rings, up to every 2500 us"; of one ring "". */
static void write_others(const struct plan *plan, char *text, size_t size)
{
	const struct plan_ring *first = &plan->rings[0];
	uint64_t longest_ns = first->interval_ns;
	char longest[48] = "";

	*text = '\0';
	for (size_t i = 1; i < plan->n_rings; i++)
		if (plan->rings[i].interval_ns > longest_ns)
			longest_ns = plan->rings[i].interval_ns;
	if (longest_ns > first->interval_ns)
		snprintf(longest, sizeof(longest), ", up to every %.15g us", (double)longest_ns / 1000);
	if (plan->n_rings > 1)
		snprintf(text, size, " and %zu more ring%s%s", plan->n_rings - 1,
			plan->n_rings == 2 ? "" : "s", longest);
}

static int foresee_turns(const struct source *source, const struct plan *plan, struct turns_foreseen *turns)
{
	struct turn_change *changes = calloc(plan->n_rings, sizeof(*changes));
	int r = changes ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < plan->n_rings; i++)
		changes[i].comes = &plan->rings[i];
	if (r == 0)
		r = session_turns_foresee(&source->session, ((const struct run *)source)->plan,
			source->config, changes, plan->n_rings, turns);
	free(changes);
	return r;
}

static int describe(const struct source *source, const struct plan *plan, struct error_text *text)
{
	struct cpus cpus = {0};
	char ring[160], sharers[160], others[96], turns[96];
	char length[RUN_SAY_SIZE], limit[RUN_SAY_SIZE] = "";
	struct turns_foreseen foreseen;

	for (size_t i = 0; i < plan->n_rings; i++) {
		const struct cpus of = plan_ring_cpus(&plan->rings[i], &plan->unpinned);

		cpus_unite(&cpus, &of);
	}
	if (foresee_turns(source, plan, &foreseen) < 0)
		return error_text_set(text, -ENOMEM, "no memory for turns");
	write_ring(&plan->rings[0], ring, sizeof(ring));
	write_others(plan, others, sizeof(others));
	write_sharers(&source->session, &cpus, sharers, sizeof(sharers));
	if (foreseen.n > foreseen.n_before)
		snprintf(turns, sizeof(turns), "turns %u -> %u", foreseen.n_before, foreseen.n);
	else
		snprintf(turns, sizeof(turns), "turn %u of %u", foreseen.first, foreseen.n);
	run_rings_say_turns(&source->session, &foreseen, length);
	for (size_t i = 0; i < plan->n_rings && !*limit; i++)
		run_rings_say_size(plan->rings[i].probe, plan->rings[i].token_bytes, limit);
	return error_text_set(text, 0, "%s%s. %s%s: %s.%s%s%s%s This begins no phase.", ring, others,
		*sharers ? "Shares " : "Shares no CPU", sharers, turns, *length ? " " : "", length,
		*limit ? " " : "", limit);
}

int run_add_describe(struct source *source, const char *line, struct error_text *text)
{
	const struct run *run = (const struct run *)source;
	struct plan plan;

	if (!line[strspn(line, " ")])
		return error_text_set(text, 0,
			"Type a mechanism, a place and options, such as mq 0>3 -s 4k -p 80, or mq smt. Enter closes.");
	int r = read_plan(run, line, &plan, text);

	if (r == 0)
		r = check_rings(run, &plan, text);
	if (r == 0) {
		pthread_mutex_lock(&source->lock);
		r = check_beside_shown(run, &plan, text);
		if (r == 0)
			r = check_floods(
				run, &plan, run_rings_shown_flooded(run, &(struct run_rings){0}), text);
		if (r == 0)
			r = describe(source, &plan, text);
		pthread_mutex_unlock(&source->lock);
	}
	plan_finish(&plan);
	return r;
}

void run_add_complete(
	const struct source *source, char *line, size_t line_size, char *found, size_t found_size)
{
	const struct run *run = (const struct run *)source;
	const struct options_names names = names_of(run);

	ring_words_complete(line, line_size, &names, run->topology, found, found_size);
}
