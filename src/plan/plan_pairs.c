/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_pairs.c - the choices of --pairs. */
#include "src/plan/plan_pairs.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/plan.h"

struct pair {
	unsigned cpus[2]; /* the origin first */
};

struct choice {
	const char *name;
	const struct config *config;
	const struct topology *topology;
	const struct topology_cpu **cpus; /* owned; the candidates, by number */
	size_t n;
	const struct cpus *candidates;
	enum locality locality; /* that was chosen, where it was a class */
	struct plan_places *places;
	struct notes *notes;
	struct error_text *reason;
};

static int no_memory(struct choice *choice)
{
	return error_text_set(
		choice->reason, -ENOMEM, "--pairs %.40s: no memory for so many pairs", choice->name);
}

/* Makes room for @n pairs, or as many as -t wants of them. */
static int reserve(struct choice *choice, size_t n)
{
	const struct config *config = choice->config;
	size_t wanted = config->n_pairs > 0 && config->n_pairs < n ? config->n_pairs : n;
	size_t n_rings = wanted * config->n_probes;

	if (n_rings > PLAN_RINGS_MAX)
		return error_text_set(choice->reason, -E2BIG,
			"--pairs %.40s: %zu rings are more than the %d that one run can have; "
			"name fewer CPUs (-c), pairs (-t) or mechanisms (-m)",
			choice->name, n_rings, PLAN_RINGS_MAX);
	*choice->places = (struct plan_places){calloc(wanted + 1, 2 * sizeof(unsigned)), wanted, 2};
	return choice->places->cpus ? 0 : no_memory(choice);
}

static void set_pair(struct choice *choice, size_t i, unsigned origin, unsigned other)
{
	choice->places->cpus[2 * i] = origin;
	choice->places->cpus[2 * i + 1] = other;
}

/* -t may ask for more pairs than there are CPUs; they go round. */
static int choose_own(struct choice *choice)
{
	unsigned wanted = choice->config->n_pairs;
	int r = reserve(choice, wanted > 0 ? wanted : choice->n);

	for (size_t i = 0; r == 0 && i < choice->places->n; i++)
		set_pair(choice, i, choice->cpus[i % choice->n]->cpu, choice->cpus[i % choice->n]->cpu);
	return r;
}

static int choose_all(struct choice *choice)
{
	int r = reserve(choice, choice->n * choice->n);

	for (size_t i = 0; r == 0 && i < choice->places->n; i++)
		set_pair(choice, i, choice->cpus[i / choice->n]->cpu, choice->cpus[i % choice->n]->cpu);
	return r;
}

/* Finds the lowest pair of each class; returns the classes found, as bits. */
static unsigned find_lowest(
	const struct topology_cpu *const *cpus, size_t n, struct pair lowest[N_LOCALITIES])
{
	const unsigned all = (1u << N_LOCALITIES) - 1;
	unsigned found = 0;

	for (size_t i = 0; i < n && found != all; i++)
		for (size_t k = i; k < n && found != all; k++) {
			enum locality locality = topology_cpu_locality(cpus[i], cpus[k]);

			if (!(found >> locality & 1))
				lowest[locality] = (struct pair){{cpus[i]->cpu, cpus[k]->cpu}};
			found |= 1u << locality;
		}
	return found;
}

static int choose_locality(struct choice *choice)
{
	struct pair lowest[N_LOCALITIES];
	unsigned found = find_lowest(choice->cpus, choice->n, lowest);
	int r = reserve(choice, (size_t)__builtin_popcount(found));

	for (size_t i = 0, k = 0; r == 0 && i < choice->places->n; k++)
		if (found >> k & 1)
			set_pair(choice, i++, lowest[k].cpus[0], lowest[k].cpus[1]);
	return r;
}

static char *format_classes(unsigned found, char *text, size_t size)
{
	size_t length = 0;

	for (unsigned k = 0; k < N_LOCALITIES; k++)
		if (found >> k & 1)
			length += (size_t)snprintf(text + length, size - length, "%s%s",
				length > 0 ? ", " : "", locality_name(k));
	return text;
}

static void list_cpus(const struct topology *topology, const struct cpus *wanted,
	const struct topology_cpu **cpus, size_t *n)
{
	*n = 0;
	for (size_t i = 0; i < topology->n_cpus; i++)
		if (!wanted || cpus_has(wanted, topology->cpus[i].cpu))
			cpus[(*n)++] = &topology->cpus[i];
}

/* Is it the machine that lacks the class, or only the CPUs to be measured? */
static int refuse_class(struct choice *choice)
{
	unsigned found = find_lowest(choice->cpus, choice->n, (struct pair[N_LOCALITIES]){0});
	char classes[64], cpus[64];

	list_cpus(choice->topology, NULL, choice->cpus, &choice->n);
	unsigned machine = find_lowest(choice->cpus, choice->n, (struct pair[N_LOCALITIES]){0});

	if (!(machine >> choice->locality & 1))
		return error_text_set(choice->reason, -EINVAL,
			"--pairs %s: this machine has no such pair; it has %s", choice->name,
			format_classes(machine, classes, sizeof(classes)));
	return error_text_set(choice->reason, -EINVAL,
		"--pairs %s: the CPUs to be measured (%s) have no such pair; they have %s", choice->name,
		cpus_format(choice->candidates, cpus, sizeof(cpus)),
		format_classes(found, classes, sizeof(classes)));
}

static int note_unmatched(struct choice *choice, const bool *matched)
{
	struct cpus unmatched = {0};
	char text[64];

	for (size_t i = 0; i < choice->n; i++)
		if (!matched[i])
			cpus_add(&unmatched, choice->cpus[i]->cpu);
	if (cpus_count(&unmatched) == 0)
		return 0;
	if (notes_add(choice->notes, "--pairs %s: no CPU is so near to CPU%s %s: left out", choice->name,
		    cpus_count(&unmatched) > 1 ? "s" : "", cpus_format(&unmatched, text, sizeof(text))) < 0)
		return no_memory(choice);
	return 0;
}

struct match {
	const struct topology_cpu *const *cpus;
	size_t n;
	/* By index of a CPU; groups and clusters go by the index of their lowest CPU. */
	size_t *group, *cluster; /* that it is in */
	size_t *head, *left;     /* of a cluster: its lowest CPU that is free, and how many are */
	size_t *next;            /* the next CPU of its cluster */
	size_t *uses;            /* pairs of leftovers that it serves */
	struct pair *found;
	size_t n_found;
	bool *matched;
};

static void find_groups(const struct match *match, enum locality farthest, size_t *firsts, size_t *of)
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

static void queue_clusters(struct match *match)
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

static size_t next_of_cluster(struct match *match, size_t cluster)
{
	size_t cpu = match->head[cluster];

	match->head[cluster] = match->next[cpu];
	match->left[cluster]--;
	return cpu;
}

static void append_pair(struct match *match, size_t a, size_t b)
{
	unsigned low = match->cpus[a < b ? a : b]->cpu, high = match->cpus[a < b ? b : a]->cpu;

	match->found[match->n_found++] = (struct pair){{low, high}};
	match->matched[a] = match->matched[b] = true;
}

static void match_group(struct match *match, size_t group)
{
	for (;;) {
		size_t one = fullest(match, group, SIZE_MAX);
		size_t other = one == SIZE_MAX ? SIZE_MAX : fullest(match, group, one);

		if (other == SIZE_MAX)
			return;
		size_t a = next_of_cluster(match, one);

		append_pair(match, a, next_of_cluster(match, other));
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
		append_pair(match, i, partner);
	}
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *left = a, *right = b;

	return (left->cpus[0] > right->cpus[0]) - (left->cpus[0] < right->cpus[0]);
}

/* Finds as many disjoint pairs of exactly that class as the CPUs allow, by number; after them, for each CPU
 * left over, one with a CPU that already has a pair. CPUs that are at most as far apart as the class are a
 * group, those that are nearer are a cluster in it. Two CPUs of a group are of the class if their clusters
 * differ, so one CPU each from the two fullest clusters gives the largest matching. @cpus by number; @found
 * has room for @n pairs. @matched: whether a CPU is in a pair. Returns the number of pairs or -ENOMEM. */
static long match_class(const struct topology_cpu *const *cpus, size_t n, enum locality locality,
	struct pair *found, bool *matched)
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
	find_groups(&match, locality, numbers, match.group);
	find_groups(&match, locality - 1, numbers, match.cluster);
	queue_clusters(&match);
	for (size_t i = 0; i < n; i++)
		if (match.group[i] == i)
			match_group(&match, i);
	qsort(found, match.n_found, sizeof(*found), compare_pairs);
	match_leftovers(&match);
	free(numbers);
	return (long)match.n_found;
}

static int choose_class(struct choice *choice)
{
	struct pair *found = calloc(choice->n + 1, sizeof(*found));
	bool *matched = calloc(choice->n + 1, sizeof(*matched));
	long n = found && matched ? match_class(choice->cpus, choice->n, choice->locality, found, matched)
				  : -1;
	int r = n < 0 ? no_memory(choice) : n == 0 ? refuse_class(choice) : reserve(choice, (size_t)n);

	if (r == 0) {
		memcpy(choice->places->cpus, found, choice->places->n * sizeof(*found));
		r = note_unmatched(choice, matched);
	}
	free(found);
	free(matched);
	return r;
}

bool plan_pairs_explicit(const char *pairs)
{
	return isdigit((unsigned char)*pairs);
}

static int refuse_word(struct choice *choice)
{
	return error_text_set(choice->reason, -EINVAL,
		"--pairs %.40s: allowed are own, smt, l2, l3, node, cross, locality, all, "
		"or pairs of CPUs such as 0:3,5:5",
		choice->name);
}

static bool read_cpu(const char **text, unsigned *cpu)
{
	if (!isdigit((unsigned char)**text))
		return false;
	for (*cpu = 0; isdigit((unsigned char)**text); (*text)++) {
		if (*cpu > UINT_MAX / 100)
			return false;
		*cpu = *cpu * 10 + (unsigned)(**text - '0');
	}
	return true;
}

static bool read_pair(const char **text, unsigned pair[2])
{
	if (!read_cpu(text, &pair[0]) || *(*text)++ != ':' || !read_cpu(text, &pair[1]))
		return false;
	if (**text == '\0')
		return true;
	return *(*text)++ == ',' && **text != '\0';
}

static int check_pair(struct choice *choice, size_t i)
{
	const unsigned *pair = &choice->places->cpus[2 * i];
	struct cpus both = {0};
	char text[64];

	for (unsigned end = 0; end < 2; end++)
		if (pair[end] < CPUS_MAX)
			cpus_add(&both, pair[end]);
	snprintf(text, sizeof(text), "%u:%u", pair[0], pair[1]);
	int r = topology_check_online(choice->topology, "--pairs", text, &both, choice->reason);

	if (r < 0)
		return r;
	for (unsigned end = 0; end < 2; end++)
		if (!cpus_has(choice->candidates, pair[end]))
			return error_text_set(choice->reason, -EINVAL,
				"--pairs %u:%u: CPU %u is not among %s (%s)", pair[0], pair[1], pair[end],
				choice->config->has_cpus ? "those of -c" : "the CPUs allowed to this process",
				cpus_format(choice->candidates, text, sizeof(text)));
	for (size_t k = 0; k < i; k++)
		if (memcmp(&choice->places->cpus[2 * k], pair, 2 * sizeof(*pair)) == 0)
			return error_text_set(choice->reason, -EINVAL,
				"--pairs %u:%u: this pair is named twice", pair[0], pair[1]);
	return 0;
}

/* All are read before -t cuts them: a mistake in the others is still one. */
static int choose_explicit(struct choice *choice)
{
	const char *text = choice->name;
	struct plan_places *places = choice->places;
	size_t n = 1;

	for (const char *c = text; *c; c++)
		n += *c == ',';
	int r = reserve(choice, n);
	size_t wanted = places->n;
	unsigned *all = r == 0 ? reallocarray(places->cpus, n, 2 * sizeof(*all)) : NULL;

	if (!all)
		return r < 0 ? r : no_memory(choice);
	*places = (struct plan_places){all, n, 2};
	for (size_t i = 0; r == 0 && i < n; i++)
		r = read_pair(&text, &all[2 * i]) ? check_pair(choice, i) : refuse_word(choice);
	places->n = wanted;
	return r;
}

static const struct {
	const char *name;
	int (*choose)(struct choice *choice);
	enum locality locality;
} choices[] = {
	{"own", choose_own, LOCALITY_OWN},
	{"smt", choose_class, LOCALITY_SMT},
	{"l2", choose_class, LOCALITY_L2},
	{"l3", choose_class, LOCALITY_L3},
	{"node", choose_class, LOCALITY_NODE},
	{"cross", choose_class, LOCALITY_CROSS},
	{"locality", choose_locality, LOCALITY_OWN},
	{"all", choose_all, LOCALITY_OWN},
};

static int choose(struct choice *choice)
{
	if (plan_pairs_explicit(choice->name))
		return choose_explicit(choice);
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
		if (strcmp(choice->name, choices[i].name) != 0)
			continue;
		choice->locality = choices[i].locality;
		return choices[i].choose(choice);
	}
	return refuse_word(choice);
}

int plan_pairs_place(struct plan_places *places, const struct config *config, const struct topology *topology,
	const struct cpus *candidates, struct notes *notes, struct error_text *reason)
{
	struct choice choice = {
		.name = config->pairs ? config->pairs : "own",
		.config = config,
		.topology = topology,
		.candidates = candidates,
		.places = places,
		.notes = notes,
		.reason = reason,
	};

	choice.cpus = calloc(topology->n_cpus + 1, sizeof(*choice.cpus));
	if (!choice.cpus)
		return no_memory(&choice);
	list_cpus(topology, candidates, choice.cpus, &choice.n);
	int r = choose(&choice);

	free(choice.cpus);
	return r;
}
