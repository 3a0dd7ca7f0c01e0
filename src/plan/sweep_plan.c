/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_plan.c - which pairs of CPUs a sweep measures, and in which order. */
#include "src/plan/sweep_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"

enum { WIDEST_SHARE = 4 }; /* one pair of so many is measured once more after a round */

/* --- the order of CPUs --- */

static int compare_cpus(const void *a, const void *b)
{
	const struct topology_cpu *x = *(const struct topology_cpu *const *)a,
				  *y = *(const struct topology_cpu *const *)b;
	const int64_t steps[][2] = {{x->package, y->package}, {x->node, y->node}, {x->l3, y->l3},
		{x->l2, y->l2}, {x->core, y->core}, {x->cpu, y->cpu}};
	int order = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && order == 0; i++)
		order = sort_compare(steps[i][0], steps[i][1]);
	return order;
}

/* Numbers the parts: the next CPU begins a new one where it differs from the CPU before. */
static struct sweep_cpu numbered_after(
	const struct sweep_cpu *last, const struct topology_cpu *before, const struct topology_cpu *cpu)
{
	struct sweep_cpu next = {.cpu = cpu->cpu};

	if (!before)
		return next;
	bool package = cpu->package != before->package, node = package || cpu->node != before->node;

	next.package = last->package + package;
	next.node = last->node + node;
	next.l3 = last->l3 + (node || cpu->l3 != before->l3);
	/* A CPU without a known core is a core of its own. */
	next.core = last->core + (cpu->core < 0 || cpu->core != before->core);
	return next;
}

uint32_t sweep_cpus_sort(struct sweep_cpu **list, const struct topology *topology, const struct cpus *cpus)
{
	size_t n = cpus_count(cpus);
	const struct topology_cpu **found = calloc(n + 1, sizeof(*found));
	uint32_t n_found = 0;

	*list = calloc(n + 1, sizeof(**list));
	if (!found || !*list) {
		free(found);
		free(*list);
		*list = NULL;
		return 0;
	}
	for (int cpu = cpus_next(cpus, -1); cpu >= 0; cpu = cpus_next(cpus, cpu))
		if ((found[n_found] = topology_find(topology, (unsigned)cpu)))
			n_found++;
	qsort(found, n_found, sizeof(*found), compare_cpus);
	for (uint32_t i = 0; i < n_found; i++)
		(*list)[i] = numbered_after(i ? &(*list)[i - 1] : NULL, i ? found[i - 1] : NULL, found[i]);
	free(found);
	return n_found;
}

unsigned sweep_most_at_once(const struct topology *topology, const struct cpus *cpus)
{
	struct sweep_cpu *list;
	uint32_t n = sweep_cpus_sort(&list, topology, cpus);
	unsigned n_cores = n ? list[n - 1].core + 1 : 0;

	free(list);
	return n < 2 ? 0 : n_cores < 4 ? 1 : n_cores / 2;
}

/* --- passes --- */

/* CPUs that a pass takes as one: those from @first on. */
struct group {
	uint32_t first, n;
};

static unsigned part_of(const struct sweep_plan *plan, uint32_t index, enum sweep_pass pass)
{
	return pass == SWEEP_CACHES  ? plan->cpus[index].l3
	       : pass == SWEEP_CORES ? plan->cpus[index].core
				     : index;
}

static uint32_t find_groups(const struct sweep_plan *plan, enum sweep_pass pass, struct group *groups)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->n_cpus; i++) {
		if (i == 0 || part_of(plan, i, pass) != part_of(plan, i - 1, pass))
			groups[n++] = (struct group){.first = i};
		groups[n - 1].n++;
	}
	return n;
}

/* Adds a pair that was not measured yet. */
static void add_pair(struct sweep_plan *plan, uint32_t a, uint32_t b)
{
	if (!plan->measured[sweep_pair_index(a, b)])
		plan->order[plan->n_order++] = (struct sweep_pair){a < b ? a : b, a < b ? b : a};
}

/* Different CPUs stand for a group, so that one that is slow does not make its whole group so. */
static void add_groups(struct sweep_plan *plan, const struct group *groups, uint32_t x, uint32_t y)
{
	add_pair(plan, groups[x].first + y % groups[x].n, groups[y].first + x % groups[y].n);
}

/* The circle method: one of @n (even) groups stays, and the others turn round it. */
static void add_matching(
	struct sweep_plan *plan, const struct group *groups, uint32_t n_groups, uint32_t n, uint32_t turn)
{
	uint32_t ring = n - 1;

	if (n - 1 < n_groups)
		add_groups(plan, groups, turn, n - 1);
	for (uint32_t i = 1; i < n / 2; i++)
		add_groups(plan, groups, (turn + i) % ring, (turn + ring - i) % ring);
}

static void add_groups_pass(struct sweep_plan *plan, struct group *groups)
{
	uint32_t n = find_groups(plan, plan->pass, groups), even = n + n % 2;

	for (uint32_t i = 0; i < n; i++)
		if (groups[i].n > 1)
			add_pair(plan, groups[i].first, groups[i].first + 1);
	for (uint32_t turn = 0; turn + 1 < even; turn++)
		add_matching(plan, groups, n, even, turn);
}

static void add_all_pairs(struct sweep_plan *plan)
{
	for (uint32_t b = 1; b < plan->n_cpus; b++)
		for (uint32_t a = 0; a < b; a++)
			plan->order[plan->n_order++] = (struct sweep_pair){a, b};
}

static int compare_ages(const void *a, const void *b, void *data)
{
	const struct sweep_pair *x = a, *y = b;
	const struct sweep_plan *plan = data;
	uint64_t x_at = plan->measured[sweep_pair_index(x->a, x->b)],
		 y_at = plan->measured[sweep_pair_index(y->a, y->b)];

	return (x_at > y_at) - (x_at < y_at);
}

static int compare_spreads(const void *a, const void *b, void *data)
{
	const struct sweep_pair *x = a, *y = b;
	const struct sweep_plan *plan = data;
	float x_wide = plan->spread[sweep_pair_index(x->a, x->b)],
	      y_wide = plan->spread[sweep_pair_index(y->a, y->b)];

	return x_wide != y_wide ? (x_wide < y_wide) - (x_wide > y_wide) : compare_ages(a, b, data);
}

static void make_pass(struct sweep_plan *plan)
{
	plan->n_order = plan->n_taken = 0;
	if (plan->pass <= SWEEP_CPUS) {
		struct group *groups = (struct group *)(void *)(plan->order + plan->n_pairs);

		add_groups_pass(plan, groups);
		return;
	}
	add_all_pairs(plan);
	qsort_r(plan->order, plan->n_order, sizeof(*plan->order),
		plan->pass == SWEEP_OLDEST ? compare_ages : compare_spreads, plan);
	if (plan->pass == SWEEP_WIDEST)
		plan->n_order = (plan->n_pairs + WIDEST_SHARE - 1) / WIDEST_SHARE;
}

/* A pass may have no pair: without level 3 caches or siblings, two of them are the same. */
static void next_pass(struct sweep_plan *plan)
{
	do {
		plan->n_rounds += plan->pass == SWEEP_CPUS || plan->pass == SWEEP_OLDEST;
		plan->pass = plan->pass == SWEEP_CPUS     ? SWEEP_WIDEST
			     : plan->pass == SWEEP_WIDEST ? SWEEP_OLDEST
			     : plan->pass == SWEEP_OLDEST ? SWEEP_WIDEST
							  : plan->pass + 1;
		make_pass(plan);
	} while (!plan->n_order);
}

int sweep_plan_init(struct sweep_plan *plan, const struct topology *topology, const struct cpus *cpus)
{
	*plan = (struct sweep_plan){0};
	plan->n_cpus = sweep_cpus_sort(&plan->cpus, topology, cpus);
	if (plan->n_cpus < 2)
		return -ENOMEM;
	plan->n_pairs = (size_t)plan->n_cpus * (plan->n_cpus - 1) / 2;
	/* The groups of a pass are behind its pairs. */
	plan->order = calloc(plan->n_pairs + plan->n_cpus, sizeof(*plan->order));
	plan->measured = calloc(plan->n_pairs, sizeof(*plan->measured));
	plan->spread = calloc(plan->n_pairs, sizeof(*plan->spread));
	plan->core_is_busy = calloc(plan->n_cpus, sizeof(*plan->core_is_busy));
	if (!plan->order || !plan->measured || !plan->spread || !plan->core_is_busy)
		return -ENOMEM;
	make_pass(plan);
	return 0;
}

void sweep_plan_finish(struct sweep_plan *plan)
{
	free(plan->cpus);
	free(plan->order);
	free(plan->measured);
	free(plan->spread);
	free(plan->core_is_busy);
	*plan = (struct sweep_plan){0};
}

/* --- pairs --- */

static bool is_free(const struct sweep_plan *plan, const struct sweep_pair *pair)
{
	return !plan->core_is_busy[plan->cpus[pair->a].core] && !plan->core_is_busy[plan->cpus[pair->b].core];
}

static void set_busy(struct sweep_plan *plan, const struct sweep_pair *pair, bool busy)
{
	plan->core_is_busy[plan->cpus[pair->a].core] = busy;
	plan->core_is_busy[plan->cpus[pair->b].core] = busy;
}

/* Pairs that are passed over stay first. */
bool sweep_plan_take(struct sweep_plan *plan, struct sweep_pair *pair)
{
	size_t i = plan->n_taken, end = i + 4 * (size_t)plan->n_cpus;

	if (end > plan->n_order)
		end = plan->n_order;
	while (i < end && !is_free(plan, &plan->order[i]))
		i++;
	if (i == end)
		return false;
	*pair = plan->order[i];
	memmove(&plan->order[plan->n_taken + 1], &plan->order[plan->n_taken],
		(i - plan->n_taken) * sizeof(*plan->order));
	plan->order[plan->n_taken++] = *pair;
	plan->n_measuring++;
	set_busy(plan, pair, true);
	return true;
}

void sweep_plan_put_back(struct sweep_plan *plan, const struct sweep_pair *pair, float spread)
{
	size_t index = sweep_pair_index(pair->a, pair->b);

	set_busy(plan, pair, false);
	plan->n_measuring--;
	plan->measured[index] = ++plan->n_measured;
	plan->spread[index] = spread;
	/* A pass begins when the one before is complete, so n_rounds is exact. */
	if (plan->n_taken == plan->n_order && !plan->n_measuring)
		next_pass(plan);
}
