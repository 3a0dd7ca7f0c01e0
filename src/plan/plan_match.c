/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_match.c - as many disjoint pairs of one class as the CPUs allow.
 *
 * CPUs that are at most as far apart as the class make a group; those that are nearer make a cluster
 * in it. Within a group, two CPUs are of the class when their clusters differ, so taking one CPU each
 * from the two fullest clusters gives the largest matching. */
#include "src/plan/plan_pairs.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

struct match {
	const struct topology_cpu *const *cpus;
	size_t n;
	/* By index of a CPU; groups and clusters go by the index of their lowest CPU. */
	size_t *group, *cluster; /* that it is in */
	size_t *head, *left;     /* of a cluster: its lowest CPU that is free, and how many are */
	size_t *next;            /* the next CPU of its cluster */
	size_t *uses;            /* pairs of leftovers that it serves */
	struct plan_pair *found;
	size_t n_found;
	bool *matched;
};

static void gather(const struct match *match, enum locality farthest, size_t *firsts, size_t *of)
{
	size_t n_firsts = 0;

	for (size_t i = 0; i < match->n; i++) {
		size_t k = 0;

		while (k < n_firsts &&
			topology_cpu_locality(match->cpus[firsts[k]], match->cpus[i]) > farthest)
			k++;
		if (k == n_firsts)
			firsts[n_firsts++] = i;
		of[i] = firsts[k];
	}
}

static void line_up(struct match *match)
{
	for (size_t i = match->n; i-- > 0;) {
		size_t cluster = match->cluster[i];

		match->next[i] = match->left[cluster] > 0 ? match->head[cluster] : SIZE_MAX;
		match->head[cluster] = i;
		match->left[cluster]++;
	}
}

/* The cluster of @group, other than @except, with most CPUs left, the lowest of equals; or SIZE_MAX. */
static size_t fullest(const struct match *match, size_t group, size_t except)
{
	size_t best = SIZE_MAX;

	for (size_t i = group; i < match->n; i++) {
		if (match->group[i] != group || match->cluster[i] != i || i == except || match->left[i] == 0)
			continue;
		if (best == SIZE_MAX || match->left[i] > match->left[best] ||
			(match->left[i] == match->left[best] && match->head[i] < match->head[best]))
			best = i;
	}
	return best;
}

static size_t take(struct match *match, size_t cluster)
{
	size_t cpu = match->head[cluster];

	match->head[cluster] = match->next[cpu];
	match->left[cluster]--;
	return cpu;
}

static void add(struct match *match, size_t a, size_t b)
{
	unsigned low = match->cpus[a < b ? a : b]->cpu, high = match->cpus[a < b ? b : a]->cpu;

	match->found[match->n_found++] = (struct plan_pair){{low, high}};
	match->matched[a] = match->matched[b] = true;
}

static void match_group(struct match *match, size_t group)
{
	for (;;) {
		size_t one = fullest(match, group, SIZE_MAX);
		size_t other = one == SIZE_MAX ? SIZE_MAX : fullest(match, group, one);

		if (other == SIZE_MAX)
			return;
		size_t a = take(match, one);

		add(match, a, take(match, other));
	}
}

/* The partner that serves the fewest leftovers, the lowest of equals; or SIZE_MAX. */
static size_t partner_of(const struct match *match, size_t cpu)
{
	size_t best = SIZE_MAX;

	for (size_t i = match->group[cpu]; i < match->n; i++) {
		if (match->group[i] != match->group[cpu] || match->cluster[i] == match->cluster[cpu])
			continue;
		if (best == SIZE_MAX || match->uses[i] < match->uses[best])
			best = i;
	}
	return best;
}

static void match_leftovers(struct match *match)
{
	for (size_t i = 0; i < match->n; i++) {
		size_t partner = match->matched[i] ? SIZE_MAX : partner_of(match, i);

		if (partner == SIZE_MAX)
			continue;
		match->uses[partner]++;
		add(match, i, partner);
	}
}

static int compare_pairs(const void *a, const void *b)
{
	const struct plan_pair *left = a, *right = b;

	return (left->cpus[0] > right->cpus[0]) - (left->cpus[0] < right->cpus[0]);
}

long plan_match(const struct topology_cpu *const *cpus, size_t n, enum locality locality,
	struct plan_pair *found, bool *matched)
{
	size_t *numbers = calloc(7 * (n > 0 ? n : 1), sizeof(*numbers));
	struct match match = {.cpus = cpus, .n = n, .found = found, .matched = matched};

	if (!numbers)
		return -ENOMEM;
	match.group = numbers + n;
	match.cluster = numbers + 2 * n;
	match.head = numbers + 3 * n;
	match.left = numbers + 4 * n;
	match.next = numbers + 5 * n;
	match.uses = numbers + 6 * n;
	gather(&match, locality, numbers, match.group);
	gather(&match, locality - 1, numbers, match.cluster);
	line_up(&match);
	for (size_t i = 0; i < n; i++)
		if (match.group[i] == i)
			match_group(&match, i);
	qsort(found, match.n_found, sizeof(*found), compare_pairs);
	match_leftovers(&match);
	free(numbers);
	return (long)match.n_found;
}
