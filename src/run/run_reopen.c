/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_reopen.c - rings that are opened anew with another interval or size, or after they were removed; and
 * the dma latency. */
#include "src/run/run_reopen.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/base/values.h"
#include "src/engine/engine_rings.h"
#include "src/plan/config.h"
#include "src/plan/plan_refuse.h"
#include "src/probe/hop_trial.h"
#include "src/run/run_hunt.h"
#include "src/run/run_items.h"
#include "src/run/run_try.h"

static const uint64_t INTERVAL_MAX_NS = UINT64_C(60000000000);
enum { DMA_LATENCY_MAX_US = 2000000000 };

/* --- the plan of the new ring --- */

/* The new ring has the policy and the CPUs that the members have now, where all have one policy, and each
 * has one CPU. */
static void follow_members(struct plan_ring *plan, const struct arena_ring *ring)
{
	struct task_policy first = {.policy = -1}, policy;
	bool one_policy = true;

	for (unsigned m = 0; m < ring->n_members; m++) {
		pid_t tid = run_rings_tid(ring, m);
		struct cpus cpus;

		if (!tid || task_get_policy(tid, &policy) < 0)
			return;
		first = m == 0 ? policy : first;
		one_policy &= task_policy_equal(policy, first);
		if (task_get_affinity(tid, &cpus) == 0 && cpus_count(&cpus) == 1)
			plan->cpus[m] = (unsigned)cpus_next(&cpus, -1);
	}
	if (one_policy && (plan->has_policy || first.policy != SCHED_OTHER)) {
		plan->has_policy = true;
		plan->policy = first;
	}
}

/* The members may have moved: the class of the farthest hop. */
static enum locality class_of(const struct run *run, const struct plan_ring *plan)
{
	enum locality farthest = LOCALITY_OWN, hop;

	for (unsigned m = 0; m < plan->n_members; m++) {
		hop = topology_locality(run->topology, plan->cpus[m], plan->cpus[(m + 1) % plan->n_members]);
		farthest = hop > farthest ? hop : farthest;
	}
	return farthest;
}

static void set_value(struct plan_ring *plan, enum command_kind kind, uint64_t value)
{
	if (kind == COMMAND_INTERVAL)
		plan->interval_ns = value;
	else
		plan->token_bytes = value ? value : 1;
}

static uint64_t value_of(const struct plan_ring *plan, enum command_kind kind)
{
	return kind == COMMAND_INTERVAL ? plan->interval_ns : plan->token_bytes;
}

/* Checks what the plan of the first rings is checked for. @kind: the command that changed the ring.
 * @flooded: the CPUs of the other rings that then flood at real-time priority. */
static int check_plan(const struct run *run, const struct plan_ring *ring, enum command_kind kind,
	const struct cpus *flooded, struct error_text *why)
{
	struct config config = *run->source.config;
	struct plan_ring alone = *ring;
	struct plan plan = *run->plan;

	alone.turn = 0;
	plan.rings = &alone;
	plan.n_rings = plan.n_turns = 1;
	plan.measured = plan_ring_cpus(ring, &plan.unpinned);
	cpus_unite(&plan.measured, flooded);
	config.interval_ns = ring->interval_ns;
	if (ring->has_policy)
		config.policy = ring->policy;
	if (kind == COMMAND_SIZE && !(ring->probe->traits & PROBE_PAYLOAD))
		return error_text_set(why, -EINVAL, "%s carries no bytes", ring->mechanism);
	if (config.batch_laps && ring->interval_ns)
		return error_text_set(
			why, -EINVAL, "its laps are stamped in batches, which only a flood (0) allows");
	int r = plan_refuse(&plan, &config, why);

	if (r == 0)
		r = plan_check_realtime(&plan, &config, why);
	return r < 0 ? r : run_rings_check_right(run, ring, why);
}

/* Makes the plan of the ring as its members are now; its cpus are the caller's to free, in either case. */
static int plan_as_now(
	const struct run *run, const struct arena_ring *ring, struct plan_ring *plan, struct error_text *why)
{
	*plan = ring->plan;
	plan->cpus = malloc(ring->n_members * sizeof(*plan->cpus));
	if (!plan->cpus)
		return error_text_set(why, -ENOMEM, "no memory");
	memcpy(plan->cpus, ring->plan.cpus, ring->n_members * sizeof(*plan->cpus));
	follow_members(plan, ring);
	if (!plan->unpinned)
		plan->locality = class_of(run, plan);
	return 0;
}

/* The same of the ring with another value. */
static int plan_anew(const struct run *run, const struct arena_ring *ring, enum command_kind kind,
	uint64_t value, const struct cpus *flooded, struct plan_ring *plan, struct error_text *why)
{
	int r = plan_as_now(run, ring, plan, why);

	if (r < 0)
		return r;
	set_value(plan, kind, value);
	return check_plan(run, plan, kind, flooded, why);
}

/* --- opened anew --- */

/* Writes the names of the new rings; of a single one without its id, as the event has that and the one
 * before.
 */
static void name_anew(const struct session *session, const struct run_rings *anew, char *names, size_t size)
{
	const struct session_ring *ring = anew->n == 1 ? session_find_ring(session, anew->ids[0]) : NULL;

	if (ring)
		snprintf(names, size, "%s %s", ring->mechanism, ring->label);
	else
		run_rings_name(session, anew, names, size);
}

/* Makes one event of all rings: "ring 0, mq 0>1, is opened anew as ring 2: interval 500", or "mq 0>1, mq 1>1
 * and 4 more rings are opened anew: interval 500". @was: the id before, of a single ring. */
static void note_anew(struct run *run, const struct command *command, enum command_kind kind, uint32_t was,
	const struct run_rings *anew, const char *value)
{
	const char *name = source_command_name(&run->source, &(struct command){.kind = kind});
	char names[512], text[700];

	if (!anew->n)
		return;
	name_anew(&run->source.session, anew, names, sizeof(names));
	if (anew->n == 1)
		snprintf(text, sizeof(text), "ring %u, %s, is opened anew as ring %u: %s %s", (unsigned)was,
			names, (unsigned)anew->ids[0], name, value);
	else
		snprintf(text, sizeof(text), "%s are opened anew: %s %s", names, name, value);
	run_feed_text(run, command->at_ns, EVENT_NOTE, text);
}

/* Replaces the ring of *@id, which becomes the id of the new one. */
static int open_anew(
	struct run *run, enum command_kind kind, uint32_t *id, uint64_t value, struct error_text *why)
{
	struct arena_ring *ring = run_rings_shared(run, *id);
	const struct plan_ring *added;
	struct plan_ring plan = {0};
	const struct cpus flooded = run_rings_flooded(run, &(struct run_rings){id, 1});
	int r = ring ? plan_anew(run, ring, kind, value, &flooded, &plan, why)
		     : error_text_set(why, -ENOENT, "there is no ring %u", (unsigned)*id);
	bool paused = r == 0 && ring->is_paused;

	if (r == 0)
		r = engine_replace_ring(&run->engine, *id, &plan, &added, why);
	free(plan.cpus);
	if (r < 0)
		return r;
	*id = added->id;
	if (paused)
		engine_pause_ring(&run->engine, *id, why);
	r = run_rings_feed(run, added);
	return r < 0 ? error_text_set(why, r, "no memory for the row of ring %u", (unsigned)*id) : 0;
}

/* The rings that are there end only once the new ones were added, so a size that the mechanism refuses would
 * cost them. The limits of a mechanism depend on rights, and on what others have open, so only opening hops
 * shows them. All that have room (hop_trial.h) are open at once, as those of the rings will be. Rings that
 * were removed are left out. @sizes: by ring; NULL: all get @bytes. */
static int try_sizes(const struct run *run, const struct undo *list, const uint64_t *sizes, uint64_t bytes,
	struct error_text *why)
{
	struct hop_trial trial = {.n = 0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->rings.n; i++) {
		const struct arena_ring *ring = run_rings_shared(run, list->rings.ids[i]);
		uint64_t size = sizes ? sizes[i] : bytes;

		if (!ring || ring->is_removed)
			continue;
		r = hop_trial_open(&trial, ring->probe, size ? size : 1, ring->n_members);
		if (r < 0)
			error_text_set(why, r, "ring %u: %s: %s", (unsigned)list->rings.ids[i],
				ring->plan.mechanism, probe_explain(ring->probe, r));
	}
	hop_trial_finish(&trial);
	return r;
}

/* Returns 0 if the new value suits all rings, and sets what each has. */
static int check_all(struct run *run, struct undo *list, uint64_t value, struct error_text *why)
{
	struct cpus flooded = run_rings_flooded(run, &list->rings);
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->rings.n; i++) {
		const struct arena_ring *ring = run_rings_shared(run, list->rings.ids[i]);
		struct plan_ring plan = {0};
		struct error_text cause;

		if (!ring || ring->is_removed)
			return error_text_set(
				why, -ENOENT, "there is no ring %u", (unsigned)list->rings.ids[i]);
		list->values[i] = value_of(&ring->plan, list->reopened);
		r = plan_anew(run, ring, list->reopened, value, &flooded, &plan, &cause);
		if (r < 0)
			error_text_set(why, r, "ring %u: %s", (unsigned)list->rings.ids[i], cause.text);
		if (r == 0 && !plan.interval_ns && plan_ring_is_realtime(&plan)) {
			const struct cpus cpus = plan_ring_cpus(&plan, &run->plan->unpinned);

			cpus_unite(&flooded, &cpus);
		}
		free(plan.cpus);
	}
	return r == 0 && list->reopened == COMMAND_SIZE ? try_sizes(run, list, NULL, value, why) : r;
}

/* Opens the command's rings anew, or none if the value does not suit one of them. */
static int reopen(struct run *run, const struct command *command, uint64_t value, struct error_text *refusal)
{
	const char *name = source_command_name(&run->source, command);
	struct undo list = {.kind = UNDO_REOPENED, .reopened = command->kind};
	struct error_text why;
	size_t done = 0;
	int r = run_rings_choose(&list.rings, &run->source, command, refusal);

	if (r == 0 && (r = run_hunt_check_new_rings(run, &why)) < 0)
		error_text_set(refusal, r, "%s: %s", name, why.text);
	if (r < 0) {
		run_undo_finish(&list);
		return r;
	}
	list.values = calloc(list.rings.n + 1, sizeof(*list.values));
	r = list.values ? check_all(run, &list, value, &why) : error_text_set(&why, -ENOMEM, "no memory");
	uint32_t first = list.rings.n ? list.rings.ids[0] : 0;

	while (r == 0 && done < list.rings.n)
		if ((r = open_anew(run, command->kind, &list.rings.ids[done], value, &why)) == 0)
			done++;
	list.rings.n = done;
	note_anew(run, command, command->kind, first, &list.rings, command->name);
	if (done)
		run_undo_keep(run, &list);
	else
		run_undo_finish(&list);
	return r < 0 ? error_text_set(refusal, r, "%s: %s", name, why.text) : 0;
}

/* Some rings were opened. Makes a warning of the reason why the last one of the others was not. Returns 0. */
static int warn_of_rest(
	struct run *run, const struct command *command, int error, const struct error_text *reason)
{
	if (error < 0)
		run_feed_text(run, command->at_ns, EVENT_WARNING, reason->text);
	return 0;
}

int run_undo_check_reopened(const struct run *run, const struct undo *undo, struct error_text *refusal)
{
	struct error_text why;
	int r = undo->reopened == COMMAND_SIZE ? try_sizes(run, undo, undo->values, 0, &why) : 0;

	return r < 0 ? error_text_set(refusal, r, "undo: %s", why.text) : 0;
}

int run_undo_reopened(
	struct run *run, const struct command *command, struct undo *undo, struct error_text *refusal)
{
	struct run_rings anew = {.ids = undo->rings.ids};
	uint32_t was = 0;
	bool all_equal = true;
	char value[64] = "as before";
	struct error_text why;
	int r = 0;

	for (size_t i = 0; i < undo->rings.n; i++) {
		uint32_t id = undo->rings.ids[i], before = id;
		int failed = open_anew(run, undo->reopened, &id, undo->values[i], &why);

		all_equal &= undo->values[i] == undo->values[0];
		if (failed < 0) {
			r = error_text_set(refusal, failed, "undo: ring %u: %s", (unsigned)before, why.text);
			continue;
		}
		was = before;
		anew.ids[anew.n++] = id;
	}
	if (all_equal && undo->reopened == COMMAND_INTERVAL)
		snprintf(value, sizeof(value), "%.12gus, as before", (double)undo->values[0] / 1000);
	else if (all_equal)
		snprintf(value, sizeof(value), "%llu, as before", (unsigned long long)undo->values[0]);
	note_anew(run, command, undo->reopened, was, &anew, value);
	return anew.n ? warn_of_rest(run, command, r, refusal) : r;
}

/* --- rings that were removed --- */

/* Keeps the plans of the rings in the list, by which an undo opens them again after they were removed. */
static int keep_plans(struct run *run, struct undo *list, struct error_text *why)
{
	int r = 0;

	list->plans = calloc(list->rings.n + 1, sizeof(*list->plans));
	list->were_paused = calloc(list->rings.n + 1, sizeof(*list->were_paused));
	if (!list->plans || !list->were_paused)
		return error_text_set(why, -ENOMEM, "no memory for a list of rings");
	for (size_t i = 0; i < list->rings.n && r == 0; i++) {
		const struct arena_ring *ring = run_rings_shared(run, list->rings.ids[i]);

		if (!ring)
			continue;
		list->were_paused[list->n_plans] = ring->is_paused;
		r = plan_as_now(run, ring, &list->plans[list->n_plans++], why);
	}
	return r;
}

/* Returns whether the ring was removed, and not only meant to be. */
static bool was_removed(const struct undo *undo, uint32_t id)
{
	for (size_t i = 0; i < undo->rings.n; i++)
		if (undo->rings.ids[i] == id)
			return true;
	return false;
}

/* The plan has what its members were changed to before they went, so it is checked anew. */
static int add_again(
	struct run *run, const struct plan_ring *plan, bool paused, uint32_t *id, struct error_text *why)
{
	const struct plan_ring *added;
	const struct cpus flooded = run_rings_flooded(run, &(struct run_rings){0});
	int r = check_plan(run, plan, COMMAND_REMOVE, &flooded, why);

	if (r == 0)
		r = engine_add_ring(&run->engine, plan, &added, why);
	if (r < 0)
		return r;
	*id = added->id;
	if (paused)
		engine_pause_ring(&run->engine, *id, why);
	return run_rings_feed(run, added) < 0
		       ? error_text_set(why, -ENOMEM, "no memory for the row of a ring")
		       : 0;
}

static int remove_rings(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	struct undo list = {.kind = UNDO_REMOVED};
	int r = run_rings_choose(&list.rings, source, command, refusal);

	if (r == 0)
		r = run_hunt_check_change(run, refusal);
	if (r == 0)
		r = keep_plans(run, &list, refusal);
	if (r == 0)
		r = run_rings_obey(run, command, &list.rings, RINGS_REMOVE, refusal);
	if (r == 0)
		run_undo_keep(run, &list);
	else
		run_undo_finish(&list);
	return r;
}

const struct command_row command_remove = {"remove", "end rings; their rows stay", .kind = COMMAND_REMOVE,
	.takes_rings = true, .acts = true, .in_run = remove_rings};

int run_undo_removed(
	struct run *run, const struct command *command, struct undo *undo, struct error_text *refusal)
{
	struct run_rings anew = {.ids = calloc(undo->n_plans + 1, sizeof(*anew.ids))};
	char names[512], text[700];
	struct error_text why;
	uint32_t was = 0;
	int r = anew.ids ? 0 : error_text_set(refusal, -ENOMEM, "undo: no memory for a list of rings");

	for (size_t i = 0; anew.ids && i < undo->n_plans; i++) {
		const struct plan_ring *plan = &undo->plans[i];

		if (!was_removed(undo, plan->id))
			continue;
		int failed = add_again(run, plan, undo->were_paused[i], &anew.ids[anew.n], &why);

		if (failed < 0) {
			r = error_text_set(
				refusal, failed, "undo: ring %u: %s", (unsigned)plan->id, why.text);
			continue;
		}
		was = plan->id;
		anew.n++;
	}
	name_anew(&run->source.session, &anew, names, sizeof(names));
	if (anew.n == 1)
		snprintf(text, sizeof(text), "ring %u, %s, was removed, and is back as ring %u",
			(unsigned)was, names, (unsigned)anew.ids[0]);
	else
		snprintf(text, sizeof(text), "%s were removed, and are back", names);
	if (anew.n)
		run_feed_text(run, command->at_ns, EVENT_NOTE, text);
	r = anew.n ? warn_of_rest(run, command, r, refusal) : r;
	free(anew.ids);
	return r;
}

int run_reopen_read_interval(const char *text, uint64_t *interval_ns, struct error_text *reason)
{
	if (value_time(text, value_microseconds, interval_ns) == 0 && *interval_ns <= INTERVAL_MAX_NS)
		return 0;
	return error_text_set(reason, -EINVAL,
		"interval %s: must be 0 (flood) to 60s, in microseconds or with us, ms or s", text);
}

int run_reopen_read_size(const char *text, uint64_t *bytes, struct error_text *reason)
{
	if (value_time(text, value_bytes, bytes) == 0 && *bytes <= CONFIG_TOKEN_SIZE_MAX)
		return 0;
	return error_text_set(reason, -EINVAL,
		"size %s: must be 0 (the smallest token) to 1M, in bytes or with k or M", text);
}

static int set_interval(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	uint64_t interval_ns;
	int r = run_reopen_read_interval(command->name, &interval_ns, refusal);

	return r < 0 ? r : reopen((struct run *)source, command, interval_ns, refusal);
}

static const struct option_row interval_argument = {
	.name = "interval", .argument = "TIME", .read = command_read_value};

const struct command_row command_interval = {"interval", "open rings anew with this interval, such as 500us",
	&interval_argument, .kind = COMMAND_INTERVAL, .takes_rings = true, .acts = true,
	.in_run = set_interval};

static int set_size(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	uint64_t size;
	int r = run_reopen_read_size(command->name, &size, refusal);

	return r < 0 ? r : reopen((struct run *)source, command, size, refusal);
}

static const struct option_row size_argument = {
	.name = "size", .argument = "BYTES", .read = command_read_value};

const struct command_row command_size = {"size", "open rings anew with tokens of this size, such as 4k",
	&size_argument, .kind = COMMAND_SIZE, .takes_rings = true, .acts = true, .in_run = set_size};

/* --- dma latency --- */

/* @us: -1: it is held no longer. */
static int set_dma_latency(
	struct run *run, const struct command *command, int32_t us, struct error_text *refusal)
{
	struct error_text why;
	char text[64] = "the dma latency is held no longer";

	if (run_hunt_check_change(run, &why) < 0)
		return error_text_set(refusal, -EBUSY, "dma-latency: %s", why.text);
	if (run_try_holds_dma_latency(run))
		return error_text_set(refusal, -EBUSY, "dma-latency: it is being tried");
	int r = engine_hold_dma_latency(&run->engine, us, &why);

	if (r < 0)
		return error_text_set(refusal, r, "dma-latency: %s", why.text);
	run->machine.dma_latency_held_us = us;
	if (us >= 0)
		snprintf(text, sizeof(text), "the dma latency is held at %d us", (int)us);
	run_feed_text(run, command->at_ns, EVENT_NOTE, text);
	run_feed_fact(run, machine_fact_reported("dma_latency.us"), clock_now_ns());
	return 0;
}

bool run_reopen_read_dma_latency(const char *text, int32_t *us)
{
	uint64_t number = 0;
	bool is_off = strcmp(text, "off") == 0;

	if (!is_off && (value_number(text, &number) < 0 || number > DMA_LATENCY_MAX_US))
		return false;
	*us = is_off ? -1 : (int32_t)number;
	return true;
}

static int hold_dma_latency(struct source *source, const struct command *command,
	struct command_result *result, struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	struct undo undo = {.kind = UNDO_DMA_LATENCY, .was_us = run->machine.dma_latency_held_us};

	if (!run_reopen_read_dma_latency(command->name, &undo.is_us))
		return error_text_set(refusal, -EINVAL,
			"dma-latency %s: must be 0 to 2000000000 microseconds, or off", command->name);
	if (undo.is_us < 0 && undo.was_us < 0)
		return error_text_set(refusal, -ENOENT, "dma-latency off: it is not held");
	int r = set_dma_latency(run, command, undo.is_us, refusal);

	if (r == 0)
		run_undo_keep(run, &undo);
	return r;
}

static const struct option_row dma_latency_argument = {
	.name = "dma-latency", .argument = "USEC", .read = command_read_value};

const struct command_row command_dma_latency = {"dma-latency",
	"hold /dev/cpu_dma_latency at this value, or off", &dma_latency_argument, .kind = COMMAND_DMA_LATENCY,
	.acts = true, .in_run = hold_dma_latency, .refusal = "a replay changes nothing on this machine"};

int run_undo_dma_latency(
	struct run *run, const struct command *command, const struct undo *undo, struct error_text *refusal)
{
	return set_dma_latency(run, command, undo->was_us, refusal);
}
