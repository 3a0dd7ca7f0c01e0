/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_rings.c - the rings that commands name; checks of new rings; removing, pausing and resuming. */
#include "src/run/run_rings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/base/values.h"
#include "src/engine/engine_rings.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/plan/plan_refuse.h"
#include "src/run/run_hunt.h"
#include "src/run/run_items.h"
#include "src/run/run_undo.h"

enum { NAMED_MAX = 3 };

/* --- the rings that a command names --- */

/* Returns whether the names are equal; ':' is '>', which a shell would take for itself. */
static bool is_named(const char *name, const char *as)
{
	while (*name && (*name == *as || (*name == ':' && *as == '>'))) {
		name++;
		as++;
	}
	return *name == *as;
}

const struct session_ring *run_rings_find(
	const struct session *session, const char *name, struct error_text *refusal)
{
	const struct session_ring *found = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		char id[16], words[128], suffixed[sizeof(words) + sizeof(id)];

		snprintf(id, sizeof(id), "%u", (unsigned)ring->id);
		snprintf(words, sizeof(words), "%s:%s", ring->mechanism, ring->label);
		/* An event of before may have the id, though the ring has no namesake any more. */
		snprintf(suffixed, sizeof(suffixed), "%s#%s", words, id);
		if (ring->ended_ns ||
			(strcmp(name, id) != 0 && !is_named(name, words) && !is_named(name, suffixed)))
			continue;
		found = ring;
		n++;
	}
	if (n == 1)
		return found;
	if (n)
		error_text_set(refusal, -EINVAL,
			"%s: %u rings have this name; the command rings prints their ids", name, n);
	else
		error_text_set(refusal, -ENOENT,
			"%s: there is no such ring; the command rings prints their names", name);
	return NULL;
}

/* Rings that a command names, by their indices in the session. */
struct choice {
	const struct session *session;
	bool *chosen; /* owned */
	bool *closes; /* owned; the run removes it, which the session learns with a tick */
};

static void choice_finish(struct choice *choice)
{
	free(choice->chosen);
	free(choice->closes);
}

/* @run: NULL: what it removes is not asked for, as only its own thread may. */
static int choice_init(struct choice *choice, const struct session *session, const struct run *run)
{
	*choice = (struct choice){session, calloc(session->n_rings + 1, sizeof(*choice->chosen)),
		calloc(session->n_rings + 1, sizeof(*choice->closes))};
	if (!choice->chosen || !choice->closes)
		return -ENOMEM;
	for (struct arena_ring *shared = NULL; run && (shared = arena_next(run->engine.arena, shared));) {
		const struct session_ring *ring = session_find_ring(session, shared->plan.id);

		if (ring)
			choice->closes[ring - session->rings] = shared->is_removed;
	}
	return 0;
}

/* Chooses rings with these ids that have not ended. Returns their number. */
static size_t choose_between(struct choice *choice, uint64_t first, uint64_t last)
{
	size_t n = 0;

	for (size_t i = 0; i < choice->session->n_rings; i++) {
		const struct session_ring *ring = &choice->session->rings[i];

		if (ring->ended_ns || choice->closes[i] || ring->id < first || ring->id > last)
			continue;
		choice->chosen[i] = true;
		n++;
	}
	return n;
}

/* The same for those of a mechanism; NULL: all. */
static size_t choose_mechanism(struct choice *choice, const char *mechanism)
{
	size_t n = 0;

	for (size_t i = 0; i < choice->session->n_rings; i++) {
		const struct session_ring *ring = &choice->session->rings[i];

		if (ring->ended_ns || choice->closes[i] ||
			(mechanism && strcmp(ring->mechanism, mechanism) != 0))
			continue;
		choice->chosen[i] = true;
		n++;
	}
	return n;
}

/* "4-7" */
static bool read_range(const char *word, uint64_t *first, uint64_t *last)
{
	return value_digits(&word, first) == 0 && *word == '-' && value_number(word + 1, last) == 0;
}

static int choose_word(struct choice *choice, const char *word, struct error_text *refusal)
{
	const struct session_ring *ring;
	uint64_t first, last;

	if (read_range(word, &first, &last))
		return choose_between(choice, first, last)
			       ? 0
			       : error_text_set(refusal, -ENOENT, "%s: there is no such ring", word);
	if (choose_mechanism(choice, strcmp(word, "all") == 0 ? NULL : word))
		return 0;
	ring = run_rings_find(choice->session, word, refusal);
	if (!ring)
		return -ENOENT;
	choice->chosen[ring - choice->session->rings] = true;
	return 0;
}

static int choose_words(struct choice *choice, const struct command *command, struct error_text *refusal)
{
	char words[COMMAND_WORDS_SIZE], *rest;
	int r = 0;

	memcpy(words, command->words, sizeof(words));
	for (char *word = strtok_r(words, " ", &rest); word && r == 0; word = strtok_r(NULL, " ", &rest))
		r = choose_word(choice, word, refusal);
	return r;
}

/* Returns whether the argument names a ring, and not the words: they were written the other way round. */
static bool is_turned_around(const struct session *session, const struct command *command)
{
	struct error_text ignored;

	return command->sender == COMMAND_BY_SOCKET && run_rings_find(session, command->name, &ignored);
}

static int choose_rings(struct run_rings *rings, const struct source *source, const struct run *run,
	const struct command *command, struct error_text *refusal)
{
	const struct session *session = &source->session;
	struct choice choice;
	struct error_text why;
	int r = choice_init(&choice, session, run);

	*rings = (struct run_rings){.ids = calloc(session->n_rings + 1, sizeof(*rings->ids))};
	if (r < 0 || !rings->ids)
		r = error_text_set(&why, -ENOMEM, "no memory for a list of rings");
	else if (*command->words)
		r = choose_words(&choice, command, &why);
	else if (command->ring < 0 ||
		 !choose_between(&choice, (uint64_t)command->ring, (uint64_t)command->ring))
		r = error_text_set(&why, -ENOENT, "the ring has ended");
	for (size_t i = 0; r == 0 && i < session->n_rings; i++)
		if (choice.chosen[i])
			rings->ids[rings->n++] = session->rings[i].id;
	choice_finish(&choice);
	const struct command_row *row = command_row_of(source->commands, command);
	char usage[COMMAND_USAGE_SIZE];

	if (r == -ENOENT && is_turned_around(session, command))
		error_text_set(refusal, r, "%s: %s; the words are: %s", row->name, why.text,
			command_usage(row, usage));
	else if (r < 0)
		error_text_set(refusal, r, "%s: %s", row->name, why.text);
	return r;
}

int run_rings_choose(struct run_rings *rings, const struct source *source, const struct command *command,
	struct error_text *refusal)
{
	return choose_rings(rings, source, (const struct run *)source, command, refusal);
}

int run_rings_choose_shown(struct run_rings *rings, const struct source *source,
	const struct command *command, struct error_text *refusal)
{
	return choose_rings(rings, source, NULL, command, refusal);
}

struct arena_ring *run_rings_shared(const struct run *run, uint32_t id)
{
	for (struct arena_ring *ring = NULL; (ring = arena_next(run->engine.arena, ring));)
		if (ring->plan.id == id)
			return ring;
	return NULL;
}

bool run_rings_is_over(const struct arena_ring *ring)
{
	return ring->is_removed || ring_state_has_ended(arena_state(ring));
}

struct cpus run_rings_cpus(const struct arena_ring *ring)
{
	struct cpus cpus = {0};

	for (unsigned m = 0; m < ring->n_members; m++) {
		int32_t place = atomic_load_explicit(&ring->members[m].place, memory_order_relaxed);
		pid_t tid = place == PLACE_ANY ? run_rings_tid(ring, m) : 0;
		struct cpus any;

		if (tid && task_get_affinity(tid, &any) == 0)
			cpus_unite(&cpus, &any);
		else
			cpus_add(&cpus, place >= 0 ? (unsigned)place : ring->members[m].cpu);
	}
	return cpus;
}

bool run_rings_have(const struct run_rings *rings, uint32_t id)
{
	for (size_t i = 0; i < rings->n; i++)
		if (rings->ids[i] == id)
			return true;
	return false;
}

/* Members that are still starting get the policy of the plan. */
bool run_rings_are_realtime(const struct arena_ring *ring)
{
	struct task_policy policy;

	for (unsigned m = 0; m < ring->n_members; m++) {
		pid_t tid = run_rings_tid(ring, m);

		if (tid && task_get_policy(tid, &policy) == 0 ? task_policy_is_realtime(policy.policy)
							      : plan_ring_is_realtime(&ring->plan))
			return true;
	}
	return false;
}

struct cpus run_rings_flooded(const struct run *run, const struct run_rings *except)
{
	struct cpus all = {0};

	for (struct arena_ring *ring = NULL; (ring = arena_next(run->engine.arena, ring));) {
		if (ring->interval_ns || run_rings_is_over(ring) || run_rings_have(except, ring->plan.id) ||
			!run_rings_are_realtime(ring))
			continue;
		const struct cpus cpus = run_rings_cpus(ring);

		cpus_unite(&all, &cpus);
	}
	return all;
}

int run_rings_check_flooded(const struct run *run, const struct cpus *cpus, struct error_text *why)
{
	if (run->source.config->force || !cpus_subset(&run->plan->housekeeping, cpus))
		return 0;
	return error_text_set(why, -EINVAL,
		"a flood at real-time priority could leave no CPU to the rest of the system: keep one free "
		"with -H, or use --force");
}

int run_rings_check_beside(
	const struct plan_ring *ring, const struct plan_ring *other, struct error_text *why)
{
	const char *own = plan_refuse_beside(ring), *others = plan_refuse_beside(other);

	if (own)
		return error_text_set(why, -EINVAL, "%s", own);
	return others ? error_text_set(why, -EINVAL, "ring %u, %s, is there: %s", (unsigned)other->id,
				other->mechanism, others)
		      : 0;
}

pid_t run_rings_tid(const struct arena_ring *ring, unsigned member)
{
	enum ring_state state = arena_state(ring);
	bool runs = !ring->is_removed && (state == RING_RUNNING || state == RING_PAUSED);

	/* Acquire: pairs with the member's store, as in the sampler. */
	/* Of one that ends, the tid may name another task by now. */
	runs = runs && member < ring->n_members &&
	       atomic_load_explicit(&ring->command, memory_order_relaxed) != RING_COMMAND_STOP &&
	       atomic_load_explicit(&ring->members[member].stage, memory_order_relaxed) < MEMBER_ENDED;
	return runs ? atomic_load_explicit(&ring->members[member].tid, memory_order_acquire) : 0;
}

void run_rings_name(const struct session *session, const struct run_rings *rings, char *text, size_t size)
{
	char name[SESSION_NAME_SIZE];
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < rings->n && n < NAMED_MAX; i++) {
		const struct session_ring *ring = session_find_ring(session, rings->ids[i]);

		if (!ring)
			continue;
		text_append(text, size, ", ", session_ring_name(ring, name));
		n++;
	}
	snprintf(name, sizeof(name), "and %zu more ring%s", rings->n - n, rings->n == n + 1 ? "" : "s");
	if (rings->n > n)
		text_append(text, size, " ", name);
}

void run_rings_note(struct run *run, const struct command *command, const struct run_rings *rings,
	const char *one, const char *many)
{
	char names[512], text[600];

	run_rings_name(&run->source.session, rings, names, sizeof(names));
	if (rings->n == 1)
		snprintf(text, sizeof(text), "ring %u, %s, %s", (unsigned)rings->ids[0], names, one);
	else
		snprintf(text, sizeof(text), "%s %s", names, many);
	run_feed_text(run, command->at_ns, EVENT_NOTE, text);
}

/* --- rings come --- */

int run_rings_feed(struct run *run, const struct plan_ring *added)
{
	const struct source *source = &run->source;
	struct session_ring ring;
	int r = session_ring_init(
		&ring, added, (uint32_t)cpus_count(&run->plan->unpinned), run->topology, source->config);

	ring.added_ns = clock_now_ns();
	if (task_policy_obeys_nice(ring.asked.policy))
		ring.asked.nice = task_own_nice();
	if (r == 0)
		source_feed(&run->source, &(struct feed_item){FEED_RING, ring.added_ns, .ring = &ring});
	session_ring_finish(&ring);
	return session_find_ring(&source->session, added->id) ? 0 : -ENOMEM;
}

int run_rings_check_right(const struct run *run, const struct plan_ring *ring, struct error_text *why)
{
	int r = plan_ring_is_realtime(ring) ? task_try_realtime(ring->policy) : 0;

	if (r == -EPERM)
		arena_describe(
			run->engine.arena->rt_runtime_zero ? SHORT_OF_RT_RUNTIME : SHORT_OF_REALTIME, why);
	else if (r < 0)
		error_text_set(why, r, "%s", strerror(-r));
	return r;
}

/* --- what threads other than main may read --- */

const struct probe *run_rings_probe(const struct run *run, const struct session_ring *ring)
{
	const struct probe *const *probes = run->engine.keeper.registry;

	while (*probes && strcmp((*probes)->name, ring->mechanism) != 0)
		probes++;
	return *probes;
}

struct plan_ring run_rings_shown_plan(const struct run *run, const struct session_ring *ring)
{
	return (struct plan_ring){.id = ring->id,
		.probe = run_rings_probe(run, ring),
		.mechanism = ring->mechanism,
		.policy = ring->asked};
}

struct cpus run_rings_shown_cpus(const struct session_ring *ring)
{
	struct cpus cpus = {0}, any;

	for (unsigned m = 0; m < ring->n_members; m++) {
		int64_t place = session_member_place(ring, m);
		pid_t tid = place < 0 ? ring->members[m].tid : 0;

		if (tid && task_get_affinity(tid, &any) == 0)
			cpus_unite(&cpus, &any);
		else
			cpus_add(&cpus, place >= 0 ? (unsigned)place : ring->cpus[m]);
	}
	return cpus;
}

/* Until the first tick the members have the policy that was requested. */
bool run_rings_are_shown_realtime(const struct session_ring *ring)
{
	for (unsigned m = 0; m < ring->n_members; m++) {
		int policy = ring->members[m].policy.policy;

		if (task_policy_is_realtime(policy < 0 ? ring->asked.policy : policy))
			return true;
	}
	return false;
}

struct cpus run_rings_shown_flooded(const struct run *run, const struct run_rings *except)
{
	const struct session *session = &run->source.session;
	struct cpus all = {0};

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (ring->interval_ns || ring->ended_ns || run_rings_have(except, ring->id) ||
			!run_rings_are_shown_realtime(ring))
			continue;
		const struct cpus cpus = run_rings_shown_cpus(ring);

		cpus_unite(&all, &cpus);
	}
	return all;
}

/* --- sentences of previews --- */

enum { SHARE_SIZE = 16 };

/* "half", "1/3" */
static const char *share_of_time(unsigned n_turns, char text[SHARE_SIZE])
{
	if (n_turns == 2)
		return "half";
	snprintf(text, SHARE_SIZE, "1/%u", n_turns);
	return text;
}

void run_rings_say_turns(
	const struct session *session, const struct turns_foreseen *turns, char text[RUN_SAY_SIZE])
{
	char length[80] = "", is[SHARE_SIZE], was[SHARE_SIZE];
	double turn_s = (double)turns->turn_ns / 1e9;
	bool began = turns->n_before > 1;

	text[0] = '\0';
	if (turns->n < 2) {
		if (began)
			snprintf(text, RUN_SAY_SIZE,
				"There are no turns any more: each ring measures all of the time.");
		return;
	}
	if (began && turns->turn_ns != session->turn_ns)
		snprintf(length, sizeof(length), "Each of the %u turns becomes %g s long, not %g s.",
			turns->n, turn_s, (double)session->turn_ns / 1e9);
	if (!began)
		snprintf(text, RUN_SAY_SIZE, "Rings then take turns of %g s: each measures %s of the time.",
			turn_s, share_of_time(turns->n, is));
	else if (turns->n != turns->n_before)
		snprintf(text, RUN_SAY_SIZE, "Each ring then measures %s of the time, not %s.",
			share_of_time(turns->n, is), share_of_time(turns->n_before, was));
	if (*length)
		text_append(text, RUN_SAY_SIZE, " ", length);
}

void run_rings_say_size(const struct probe *probe, uint64_t bytes, char text[RUN_SAY_SIZE])
{
	char line[32];
	uint64_t most;

	text[0] = '\0';
	if (probe->size_file && small_file_read_line(probe->size_file, line, sizeof(line)) >= 0 &&
		value_number(line, &most) == 0 && bytes > most)
		snprintf(text, RUN_SAY_SIZE, "%s may refuse this size: %s is %llu.", probe->name,
			probe->size_file, (unsigned long long)most);
}

/* --- rings go, pause and go on --- */

static const struct {
	int (*does)(struct engine *engine, uint32_t id, struct error_text *reason);
	const char *one, *many; /* the event's words */
} acts[N_RINGS_ACTS] = {
	[RINGS_REMOVE] = {engine_remove_ring, "is removed", "are removed"},
	[RINGS_PAUSE] = {engine_pause_ring, "is paused", "are paused"},
	[RINGS_RESUME] = {engine_resume_ring, "goes on", "go on"},
};

int run_rings_obey(struct run *run, const struct command *command, struct run_rings *rings,
	enum rings_act act, struct error_text *refusal)
{
	struct run_rings done = {.ids = rings->ids};
	struct error_text why;
	int r = 0;

	for (size_t i = 0; i < rings->n; i++) {
		uint32_t id = rings->ids[i];
		int failed = acts[act].does(&run->engine, id, &why);

		if (failed == 0)
			done.ids[done.n++] = id;
		else if (r == 0)
			r = error_text_set(refusal, failed, "%s: %s",
				source_command_name(&run->source, command), why.text);
	}
	rings->n = done.n;
	if (!done.n)
		return r;
	run_rings_note(run, command, &done, acts[act].one, acts[act].many);
	return 0;
}

/* @act: RINGS_PAUSE or RINGS_RESUME. */
static int pause_or_resume(struct run *run, const struct command *command, struct run_rings *rings,
	enum rings_act act, struct error_text *refusal)
{
	int r = run_hunt_check_change(run, refusal);

	if (r == 0)
		r = run_rings_obey(run, command, rings, act, refusal);
	if (r == 0)
		run_undo_note(run, act == RINGS_PAUSE ? UNDO_PAUSED : UNDO_RESUMED, rings);
	return r;
}

/* A key resumes rings that are all paused. */
static int obey_pause(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	struct run_rings rings;
	int r = run_rings_choose(&rings, source, command, refusal);
	bool resumes = r == 0 && command->sender == COMMAND_BY_KEY;

	for (size_t i = 0; resumes && i < rings.n; i++)
		resumes = engine_is_paused(&run->engine, rings.ids[i]);
	if (r == 0)
		r = pause_or_resume(run, command, &rings, resumes ? RINGS_RESUME : RINGS_PAUSE, refusal);
	free(rings.ids);
	return r;
}

const struct command_row command_pause = {"pause", "pause rings; their members wait", .kind = COMMAND_PAUSE,
	.takes_rings = true, .acts = true, .in_run = obey_pause};

static int obey_resume(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run_rings rings;
	int r = run_rings_choose(&rings, source, command, refusal);

	if (r == 0)
		r = pause_or_resume((struct run *)source, command, &rings, RINGS_RESUME, refusal);
	free(rings.ids);
	return r;
}

const struct command_row command_resume = {
	"resume", "resume paused rings", .takes_rings = true, .acts = true, .in_run = obey_resume};
