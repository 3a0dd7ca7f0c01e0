/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice.c - the knobs of a machine, judged for the members of a run. */
#include "src/model/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/matrix.h"
#include "src/model/session.h"

enum { PPM = 1000000 };

const char *advice_rank_word(enum advice_rank rank)
{
	static const char *const words[N_ADVICE_RANKS] = {
		[ADVICE_SEEN] = "seen",
		[ADVICE_COSTS] = "costs",
		[ADVICE_MAY_COST] = "may cost",
		[ADVICE_NO_EFFECT] = "no effect seen",
		[ADVICE_INFORMS] = "informs",
		[ADVICE_GOOD] = "good",
		[ADVICE_DENIED] = "not readable",
		[ADVICE_UNMOUNTED] = "not mounted",
		[ADVICE_RUN_ONLY] = "in a run",
		[ADVICE_ABSENT] = "absent",
	};

	return words[rank];
}

static void add_policy(struct advice_site *site, struct task_policy policy)
{
	bool is_realtime = task_policy_is_realtime(policy.policy);

	site->is_realtime |= is_realtime;
	site->is_fair |= !is_realtime;
	if (policy.priority > 0 && (!site->least_priority || policy.priority < site->least_priority))
		site->least_priority = policy.priority;
}

void advice_site_of(struct advice_site *site, const struct session *session)
{
	const struct matrix *matrix = session->matrix;

	*site = (struct advice_site){.machine = &session->machine, .blames = &session->spikes.blames};
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		for (unsigned m = 0; m < ring->n_members && !ring->ended_ns; m++) {
			int64_t place = session_member_place(ring, m);

			if (place >= 0 && place < CPUS_MAX)
				cpus_add(&site->cpus, (unsigned)place);
			add_policy(site, ring->members[m].tid ? ring->members[m].policy : ring->asked);
		}
	}
	for (uint32_t i = 0; matrix && i < matrix->n_cpus; i++)
		if (matrix->cpus[i].cpu < CPUS_MAX)
			cpus_add(&site->cpus, matrix->cpus[i].cpu);
	if (matrix && matrix->policy.policy >= 0)
		add_policy(site, matrix->policy);
	if (!*session->machine.online || cpus_parse(&site->others, session->machine.online) < 0)
		for (unsigned cpu = 0; cpu < session->machine.n_cpus && cpu < CPUS_MAX; cpu++)
			cpus_add(&site->others, cpu);
	cpus_subtract(&site->others, &site->cpus);
}

/* --- what was seen --- */

/* Has @text one of the words of @named, with '|' between them? */
static bool names_one_of(const char *text, const char *named)
{
	while (*named) {
		char word[32];
		size_t length = strcspn(named, "|");

		snprintf(word, sizeof(word), "%.*s", (int)length, named);
		if (strstr(text, word))
			return true;
		named += length + (named[length] == '|');
	}
	return false;
}

/* Texts of tasks begin with it behind their name, see witness_format_priority(). */
static const char realtime_task[] = "(RT|(DL";

static uint64_t seen_of(const struct knob *knob, const struct blame_sums *blames)
{
	uint64_t ns = 0;

	for (int kind = 0; kind < N_CAUSES && !knob->named; kind++)
		if (knob->causes & 1u << kind)
			ns += blames->kind_ns[kind];
	for (size_t i = 0; i < blames->n && knob->named; i++)
		if (knob->causes & 1u << blames->list[i].kind &&
			names_one_of(blames->list[i].text, knob->named))
			ns += blames->list[i].ns;
	for (size_t i = 0; i < blames->n && knob->of_fair; i++) {
		const struct blamed *blamed = &blames->list[i];

		if (blamed->kind == CAUSE_TASK && names_one_of(blamed->text, realtime_task))
			ns -= blamed->ns < ns ? blamed->ns : ns;
	}
	return ns;
}

/* A run blames somebody if a recorder saw a part of its spikes. */
static bool has_blames(const struct blame_sums *blames)
{
	bool has = false;

	for (int kind = 0; blames && kind < N_CAUSES; kind++)
		has |= kind != CAUSE_UNSEEN && blames->kind_ns[kind];
	return has;
}

static enum advice_rank rank_of(const struct advice *advice, bool has_seen)
{
	switch (advice->found.state) {
	case KNOB_INFORM:
		return advice->seen_ns ? ADVICE_SEEN : ADVICE_INFORMS;
	case KNOB_GOOD:
		return ADVICE_GOOD;
	case KNOB_DENIED:
		return ADVICE_DENIED;
	case KNOB_UNMOUNTED:
		return ADVICE_UNMOUNTED;
	case KNOB_RUN_ONLY:
		return ADVICE_RUN_ONLY;
	case KNOB_ABSENT:
		return ADVICE_ABSENT;
	default:
		break;
	}
	if (advice->seen_ns)
		return ADVICE_SEEN;
	if (has_seen && advice->knob->causes)
		return ADVICE_NO_EFFECT;
	return advice->knob->cost_ns ? ADVICE_COSTS : ADVICE_MAY_COST;
}

/* --- the list --- */

static const char unmounted[] = "not mounted";

/* The words that facts have in place of a value. */
static enum knob_state state_of_word(const char *word)
{
	if (strcmp(word, "not readable") == 0)
		return KNOB_DENIED;
	if (strcmp(word, unmounted) == 0)
		return KNOB_UNMOUNTED;
	return !*word || strcmp(word, "absent") == 0 || strcmp(word, "unknown") == 0 || strcmp(word, "?") == 0
		       ? KNOB_ABSENT
		       : KNOB_INFORM;
}

static bool is_in_tracefs(const struct machine_fact *fact)
{
	return strcmp(fact->field.key, "tracing") == 0 || strcmp(fact->field.key, "slow_tracers") == 0;
}

/* Says why a knob is absent that is there. */
static enum knob_state state_of_absent(const struct machine_fact *fact, const struct advice_site *site)
{
	const char *path = fact->rows ? fact->rows->folder : fact->file;

	if (path && strncmp(path, "/sys/kernel/debug/", strlen("/sys/kernel/debug/")) == 0 &&
		strcmp(site->machine->debugfs, unmounted) == 0)
		return KNOB_UNMOUNTED;
	if (is_in_tracefs(fact) && strcmp(site->machine->tracing, unmounted) == 0)
		return KNOB_UNMOUNTED;
	return fact->rows && fact->rows->is_given && !site->blames ? KNOB_RUN_ONLY : KNOB_ABSENT;
}

static void find_cost(const struct knob *knob, const struct advice_site *site, struct knob_finding *found)
{
	const struct machine_fact *fact = knob_fact(knob);
	const struct fact_rows *rows = fact->rows ? machine_rows_of(site->machine, fact) : NULL;
	char word[MACHINE_WORD_SIZE];

	machine_word(site->machine, fact, word);
	if (fact->rows)
		snprintf(word, sizeof(word), "%s", rows ? fact_rows_summary(rows) : "absent");
	snprintf(found->value, sizeof(found->value), "%s", word);
	found->state = state_of_word(word);
	if (found->state == KNOB_ABSENT)
		found->state = state_of_absent(fact, site);
	if (found->state == KNOB_INFORM && knob->judge)
		knob->judge(knob, site, found);
}

static int compare_advice(const void *left, const void *right)
{
	const struct advice *a = left, *b = right;

	if (a->rank != b->rank)
		return (a->rank > b->rank) - (a->rank < b->rank);
	if (a->seen_ns != b->seen_ns)
		return (a->seen_ns < b->seen_ns) - (a->seen_ns > b->seen_ns);
	if (a->found.state != b->found.state)
		return (a->found.state > b->found.state) - (a->found.state < b->found.state);
	if (a->knob->cost_ns != b->knob->cost_ns)
		return (a->knob->cost_ns < b->knob->cost_ns) - (a->knob->cost_ns > b->knob->cost_ns);
	return (a->knob > b->knob) - (a->knob < b->knob);
}

/* Knobs whose causes have the same words. */
static void count_shares(struct advice_list *advice)
{
	for (size_t i = 0; i < advice->n; i++)
		for (size_t j = 0; j < advice->n; j++)
			if (advice->list[i].rank == ADVICE_SEEN && advice->list[j].rank == ADVICE_SEEN)
				advice->list[i].n_shared += strcmp(advice->list[i].knob->blamed,
								    advice->list[j].knob->blamed) == 0;
}

void advice_make(struct advice_list *advice, const struct advice_site *site)
{
	*advice = (struct advice_list){.has_blames = has_blames(site->blames)};
	for (; advice->n < knobs_n; advice->n++) {
		struct advice *one = &advice->list[advice->n];

		one->knob = &knobs[advice->n];
		find_cost(one->knob, site, &one->found);
		bool may_cause = one->found.state == KNOB_BAD || one->found.state == KNOB_INFORM;

		if (advice->has_blames && may_cause && !one->found.no_effect) {
			one->seen_ns = seen_of(one->knob, site->blames);
			one->seen_ppm =
				(uint32_t)((double)PPM * (double)one->seen_ns / (double)site->blames->ns);
		}
		one->rank = rank_of(one, advice->has_blames);
		advice->n_ranks[one->rank]++;
	}
	count_shares(advice);
	qsort(advice->list, advice->n, sizeof(*advice->list), compare_advice);
}

const char *advice_no_effect(const struct machine_fact *fact, const struct advice_site *site)
{
	const char *reason = NULL;

	for (size_t i = 0; i < knobs_n && !reason; i++) {
		struct knob_finding found = {0};

		if (knob_fact(&knobs[i]) != fact)
			continue;
		find_cost(&knobs[i], site, &found);
		reason = found.no_effect;
	}
	return reason;
}

static int compare_groups(const void *left, const void *right)
{
	const struct advice *a = left, *b = right;

	if (a->group_first != b->group_first)
		return a->group_first < b->group_first ? -1 : 1;
	return compare_advice(a, b);
}

void advice_group(struct advice_list *advice)
{
	size_t first[N_KNOB_GROUPS];

	for (size_t i = advice->n; i-- > 0;)
		first[advice->list[i].knob->group] = i;
	for (size_t i = 0; i < advice->n; i++)
		advice->list[i].group_first = first[advice->list[i].knob->group];
	qsort(advice->list, advice->n, sizeof(*advice->list), compare_groups);
}

static bool can_change(const struct knob *knob)
{
	return knob->now ||
	       (knob->keep && strncmp(knob->keep, KNOB_BOOT_PREFIX, strlen(KNOB_BOOT_PREFIX)) == 0);
}

bool advice_has_cost(const struct advice_list *advice)
{
	for (size_t i = 0; i < advice->n; i++)
		if (advice->list[i].rank <= ADVICE_COSTS && can_change(advice->list[i].knob))
			return true;
	return false;
}

/* --- in words --- */

static char *write_shared(const struct advice *advice, char shared[32])
{
	*shared = '\0';
	if (advice->n_shared > 1)
		snprintf(shared, 32, ", shared by %u knobs", advice->n_shared);
	return shared;
}

char *advice_cost_text(const struct advice *advice, char text[ADVICE_TEXT_SIZE])
{
	const struct knob *knob = advice->knob;
	const char *published = knob->cost                        ? knob->cost
				: advice->rank == ADVICE_MAY_COST ? "no figure is published"
								  : "";
	char shared[32];

	write_shared(advice, shared);
	if (advice->found.no_effect)
		snprintf(text, ADVICE_TEXT_SIZE, "nothing here: %s", advice->found.no_effect);
	else if (advice->seen_ppm >= PPM / 100)
		snprintf(text, ADVICE_TEXT_SIZE, "%s cost %u %% of all spikes here%s", knob->blamed,
			(unsigned)((advice->seen_ppm + PPM / 200) / (PPM / 100)), shared);
	else if (advice->seen_ns)
		snprintf(text, ADVICE_TEXT_SIZE, "%s cost less than 1 %% of all spikes here%s", knob->blamed,
			shared);
	else if (advice->rank == ADVICE_NO_EFFECT)
		snprintf(text, ADVICE_TEXT_SIZE, "no effect seen here%s%s", *published ? "; elsewhere: " : "",
			published);
	else
		snprintf(text, ADVICE_TEXT_SIZE, "%s", published);
	return text;
}

char *advice_cost_brief(const struct advice *advice, char text[ADVICE_TEXT_SIZE])
{
	char shared[32];

	if (advice->rank != ADVICE_SEEN)
		return advice_cost_text(advice, text);
	snprintf(text, ADVICE_TEXT_SIZE, "%s%s", advice->knob->blamed, write_shared(advice, shared));
	return text;
}

const char *advice_now(const struct advice *advice, const struct advice_site *site)
{
	const struct knob *knob = advice->knob;

	if (advice->rank == ADVICE_UNMOUNTED)
		return is_in_tracefs(knob_fact(knob)) ? "mount -t tracefs none /sys/kernel/tracing"
						      : "mount -t debugfs none /sys/kernel/debug";
	return knob->of_cgroups && strcmp(site->machine->cgroups, "v1") == 0 ? knob->now_v1 : knob->now;
}

/* The mask of /proc/irq: groups of 32 CPUs, the highest first. */
static void write_mask(const struct cpus *set, char *text, size_t size)
{
	*text = '\0';
	for (size_t word = CPUS_MAX / 32; word-- > 0;) {
		uint32_t bits = (uint32_t)(set->word[word / 2] >> (word % 2 * 32));

		if (bits || *text || !word)
			text_print(text, size, *text ? ",%08x" : "%x", (unsigned)bits);
	}
}

/* "71 72 75"; a list that is too long ends in ",...". */
static void write_tids(const struct fact_rows *members, char *text, size_t size)
{
	*text = '\0';
	for (size_t i = 0; members && i < members->n; i++)
		for (unsigned tid = members->rows[i].first; tid <= members->rows[i].last; tid++) {
			if (strlen(text) + 16 > size) {
				text_print(text, size, ",...");
				return;
			}
			text_print(text, size, "%s%u", *text ? " " : "", tid);
		}
	if (!*text)
		snprintf(text, size, "TID...");
}

/* Writes "/a/b.service" and "b.service" if all members are there; "" for the root. */
static void write_cgroup(const struct fact_rows *members, char *cgroup, size_t size, char *unit)
{
	const char *path = members && members->n ? fact_rows_summary(members) : "mixed";
	const char *name = strrchr(path, '/'), *kind = name ? strrchr(name, '.') : NULL;
	bool is_unit = kind && (strcmp(kind, ".service") == 0 || strcmp(kind, ".slice") == 0 ||
				       strcmp(kind, ".scope") == 0);

	/* A blank is kept as '_'; nothing else of a name may mean more to a shell. */
	bool is_plain = !path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
					   "/@:.-_")];

	snprintf(cgroup, size, "%s", *path != '/' || !is_plain ? "/CGROUP" : path[1] ? path : "");
	snprintf(unit, size, "%s", is_unit && is_plain ? name + 1 : "UNIT");
}

char *advice_command(const struct advice *advice, const struct advice_site *site, const char *command,
	char text[ADVICE_TEXT_SIZE])
{
	char cpus[KNOB_LIST_SIZE], others[KNOB_LIST_SIZE], mask[CPUS_MAX / 32 * 9 + 1];
	char tids[ADVICE_TEXT_SIZE], cgroup[KNOB_VALUE_SIZE], unit[KNOB_VALUE_SIZE];
	const struct {
		const char *word, *text;
	} words[] = {{"{cpus}", cpus}, {"{others}", others}, {"{mask}", mask}, {"{tids}", tids},
		{"{cgroup}", cgroup}, {"{unit}", unit}};

	if (command &&
		(strstr(command, "{others}") || strstr(command, "{mask}") || strstr(command, "{cpus}")) &&
		!cpus_count(&site->others)) {
		snprintf(text, ADVICE_TEXT_SIZE, "# members have all CPUs: leave some to others first (-c)");
		return text;
	}
	cpus_format(&site->cpus, cpus, sizeof(cpus));
	cpus_format(&site->others, others, sizeof(others));
	write_mask(&site->others, mask, sizeof(mask));
	write_tids(site->machine->member_cgroup, tids, sizeof(tids));
	write_cgroup(site->machine->member_cgroup, cgroup, sizeof(cgroup), unit);
	*text = '\0';
	while (command && *command && strlen(text) + 1 < ADVICE_TEXT_SIZE) {
		const char *put = NULL;

		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (strncmp(command, words[i].word, strlen(words[i].word)) == 0) {
				put = words[i].text;
				command += strlen(words[i].word);
				break;
			}
		if (put)
			text_print(text, ADVICE_TEXT_SIZE, "%s", put);
		else
			text_print(text, ADVICE_TEXT_SIZE, "%c", *command++);
	}
	if ((command && *command) || strstr(text, ",...")) /* it would do something else */
		snprintf(text, ADVICE_TEXT_SIZE, "# the list of CPUs or tasks is too long for a line");
	return text;
}
