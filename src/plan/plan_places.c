/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_places.c - places rings (--ring) or pairs (--pairs) on the CPUs that may be measured. */
#include "src/plan/plan_places.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/base/values.h"
#include "src/plan/plan.h"

/* --- --ring --- */

static int check_ring(
	const struct plan_places *places, const struct config *config, struct error_text *reason)
{
	size_t rings = places->n * config->n_probes, members = rings * places->n_members;

	if (rings > PLAN_RINGS_MAX)
		return error_text_set(reason, -E2BIG,
			"--ring %ux%zu: %zu rings are more than the %d that one run can have; "
			"name fewer rings or mechanisms (-m)",
			places->n_members, places->n, rings, PLAN_RINGS_MAX);
	if (members > PLAN_MEMBERS_MAX)
		return error_text_set(reason, -E2BIG,
			"--ring %ux%zu: %zu members are more than the %d that one run can have; "
			"name smaller or fewer rings, or fewer mechanisms (-m)",
			places->n_members, places->n, members, PLAN_MEMBERS_MAX);
	return 0;
}

/* Places each member on the next CPU, or with --pairs own each ring on the next. After the last CPU comes the
 * first again. */
static int place_rings(struct plan_places *places, const struct config *config, const struct cpus *candidates,
	struct error_text *reason)
{
	bool own = config->pairs && strcmp(config->pairs, "own") == 0;
	size_t n_cpus = (size_t)cpus_count(candidates), n = config->n_rings ? config->n_rings
							    : own           ? n_cpus
									    : 1;
	int cpu = -1;

	*places = (struct plan_places){.n = n, .n_members = config->ring_members};
	int r = check_ring(places, config, reason);

	if (r < 0)
		return r;
	places->cpus = reallocarray(NULL, n + 1, places->n_members * sizeof(*places->cpus));
	if (!places->cpus)
		return error_text_set(reason, -ENOMEM, "no memory for %zu rings of %u", n, places->n_members);
	for (size_t i = 0; i < n * places->n_members; i++) {
		if (!own || i % places->n_members == 0) {
			cpu = cpus_next(candidates, cpu);
			cpu = cpu < 0 ? cpus_next(candidates, -1) : cpu;
		}
		places->cpus[i] = (unsigned)cpu;
	}
	return 0;
}

/* --- --pairs --- */

struct pair {
	unsigned cpus[2]; /* the origin first */
};

/* A CPU that may be measured. To pair CPUs of a class, CPUs that are at most as far apart as the class form a
 * group, and CPUs of a group that are nearer form a cluster. Both are named by the index of their lowest CPU.
 */
enum { GROUP, CLUSTER };

struct candidate {
	const struct topology_cpu *cpu;
	size_t part[2];
	size_t left; /* of the cluster that it names: CPUs without a pair */
	size_t uses; /* its pairs with CPUs that were left over */
	bool paired;
};

struct pairing {
	const char *name; /* of --pairs */
	const struct config *config;
	const struct topology *topology;
	const struct cpus *measurable;
	struct candidate *cpus; /* owned; by number */
	size_t n;
	struct plan_places *places;
	struct notes *notes;
	struct error_text *reason;
};

static int no_memory(const struct pairing *pairing)
{
	return error_text_set(
		pairing->reason, -ENOMEM, "--pairs %.40s: no memory for so many pairs", pairing->name);
}

/* Cuts the number of pairs to -t. */
static int limit_pairs(const struct pairing *pairing, size_t *n)
{
	const struct config *config = pairing->config;

	if (config->n_pairs > 0 && config->n_pairs < *n)
		*n = config->n_pairs;
	if (*n * config->n_probes <= PLAN_RINGS_MAX)
		return 0;
	return error_text_set(pairing->reason, -E2BIG,
		"--pairs %.40s: %zu rings are more than the %d that one run can have; "
		"name fewer CPUs (-c), pairs (-t) or mechanisms (-m)",
		pairing->name, *n * config->n_probes, PLAN_RINGS_MAX);
}

static int reserve_pairs(const struct pairing *pairing, size_t n)
{
	*pairing->places = (struct plan_places){.cpus = calloc(n + 1, sizeof(struct pair)), .n_members = 2};
	return pairing->places->cpus ? 0 : no_memory(pairing);
}

static void append_pair(const struct pairing *pairing, unsigned origin, unsigned other)
{
	struct plan_places *places = pairing->places;

	places->cpus[2 * places->n] = origin;
	places->cpus[2 * places->n + 1] = other;
	places->n++;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *left = a, *right = b;

	for (unsigned end = 0; end < 2; end++)
		if (left->cpus[end] != right->cpus[end])
			return left->cpus[end] > right->cpus[end] ? 1 : -1;
	return 0;
}

/* Pairs each CPU with itself, as often as -t asks. */
static int pair_with_themselves(const struct pairing *pairing)
{
	size_t wanted = pairing->config->n_pairs, n = wanted ? wanted : pairing->n;
	int r = limit_pairs(pairing, &n);

	if (r == 0)
		r = reserve_pairs(pairing, n);
	for (size_t i = 0; r == 0 && i < n; i++) {
		unsigned cpu = pairing->cpus[i % pairing->n].cpu->cpu;

		append_pair(pairing, cpu, cpu);
	}
	return r;
}

/* Returns a step whose multiples visit each of @n CPUs once, and soon all parts of the machine. */
static size_t find_stride(size_t n)
{
	size_t stride = n * 5 / 8;

	for (size_t divisor = 2; divisor <= n; divisor++)
		if (n % divisor == 0 && stride % divisor == 0) {
			stride++;
			divisor = 1;
		}
	return stride;
}

/* Pairs each CPU with each. If -t asks for fewer pairs, their origins are spread over all CPUs, and so are
 * the ways from origin to receiver. */
static int pair_all(const struct pairing *pairing)
{
	const struct candidate *cpus = pairing->cpus;
	size_t n_cpus = pairing->n, n = n_cpus * n_cpus, stride = find_stride(n_cpus);
	int r = limit_pairs(pairing, &n);

	if (r == 0)
		r = reserve_pairs(pairing, n);
	for (size_t i = 0; r == 0 && i < n; i++) {
		size_t origin = i * n_cpus / n;

		append_pair(pairing, cpus[origin].cpu->cpu, cpus[(origin + i * stride) % n_cpus].cpu->cpu);
	}
	if (r == 0)
		qsort(pairing->places->cpus, n, sizeof(struct pair), compare_pairs);
	return r;
}

/* The nearest and the farthest pair of a class between two kinds of core; the lowest of equals. */
struct extremes {
	bool found;
	struct pair nearest, farthest;
	uint64_t least, most; /* distances */
};

static void update_extremes(struct extremes *extremes, struct pair pair, uint64_t distance)
{
	if (!extremes->found || distance < extremes->least) {
		extremes->nearest = pair;
		extremes->least = distance;
	}
	if (!extremes->found || distance > extremes->most) {
		extremes->farthest = pair;
		extremes->most = distance;
	}
	extremes->found = true;
}

/* Fills a table with a cell for each class and two kinds of core, of which the first is not above the second.
 */
static void find_extremes(const struct pairing *pairing, struct extremes *table, size_t n_kinds)
{
	for (size_t i = 0; i < pairing->n; i++)
		for (size_t k = i; k < pairing->n; k++) {
			const struct topology_cpu *a = pairing->cpus[i].cpu, *b = pairing->cpus[k].cpu;
			size_t row = topology_cpu_locality(a, b);
			size_t low = (size_t)((a->kind < b->kind ? a : b)->kind + 1);
			size_t high = (size_t)((a->kind < b->kind ? b : a)->kind + 1);

			update_extremes(&table[(row * n_kinds + low) * n_kinds + high],
				(struct pair){{a->cpu, b->cpu}}, topology_distance(pairing->topology, a, b));
		}
}

static size_t count_kinds(const struct pairing *pairing)
{
	int highest = -1;

	for (size_t i = 0; i < pairing->n; i++)
		highest = pairing->cpus[i].cpu->kind > highest ? pairing->cpus[i].cpu->kind : highest;
	return (size_t)highest + 2; /* with -1, for none */
}

static int pair_each_class(const struct pairing *pairing)
{
	size_t n_kinds = count_kinds(pairing), n = N_LOCALITIES * n_kinds * n_kinds;
	struct extremes *table = calloc(n, sizeof(*table));
	int r = reserve_pairs(pairing, 2 * n);

	if (r == 0 && !table)
		r = no_memory(pairing);
	if (r == 0)
		find_extremes(pairing, table, n_kinds);
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct extremes *cell = &table[i];

		if (cell->found)
			append_pair(pairing, cell->nearest.cpus[0], cell->nearest.cpus[1]);
		if (cell->found && cell->most > cell->least)
			append_pair(pairing, cell->farthest.cpus[0], cell->farthest.cpus[1]);
	}
	free(table);
	return r < 0 ? r : limit_pairs(pairing, &pairing->places->n);
}

static char *format_classes(unsigned found, char *text, size_t size)
{
	text[0] = '\0';
	for (unsigned k = 0; k < N_LOCALITIES; k++)
		if (found >> k & 1)
			text_append(text, size, ", ", locality_name(k));
	return text;
}

static void list_candidates(struct pairing *pairing, const struct cpus *wanted)
{
	const struct topology *topology = pairing->topology;

	pairing->n = 0;
	for (size_t i = 0; i < topology->n_cpus; i++)
		if (cpus_has(wanted, topology->cpus[i].cpu))
			pairing->cpus[pairing->n++].cpu = &topology->cpus[i];
}

/* Names the classes of the machine. If @locality is one of them, it names the classes of the CPUs to be
 * measured. */
static int refuse_class(const struct pairing *pairing, enum locality locality)
{
	unsigned found = topology_localities(pairing->topology, pairing->measurable),
		 machine = topology_localities(pairing->topology, &pairing->topology->online);
	char classes[64], cpus[64];

	if (!(machine >> locality & 1))
		return error_text_set(pairing->reason, -EINVAL,
			"--pairs %s: this machine has no such pair; it has %s", pairing->name,
			format_classes(machine, classes, sizeof(classes)));
	return error_text_set(pairing->reason, -EINVAL,
		"--pairs %s: the CPUs to be measured (%s) have no such pair; they have %s", pairing->name,
		cpus_format(pairing->measurable, cpus, sizeof(cpus)),
		format_classes(found, classes, sizeof(classes)));
}

static int note_unpaired(const struct pairing *pairing)
{
	struct cpus unpaired = {0};
	char text[64];

	for (size_t i = 0; i < pairing->n; i++)
		if (!pairing->cpus[i].paired)
			cpus_add(&unpaired, pairing->cpus[i].cpu->cpu);
	if (cpus_count(&unpaired) == 0)
		return 0;
	if (notes_add(pairing->notes, "--pairs %s: left out CPU%s %s: no other CPU is in this class",
		    pairing->name, cpus_count(&unpaired) > 1 ? "s" : "",
		    cpus_format(&unpaired, text, sizeof(text))) < 0)
		return no_memory(pairing);
	return 0;
}

static void find_parts(const struct pairing *pairing, int kind, enum locality farthest)
{
	struct candidate *cpus = pairing->cpus;

	for (size_t i = 0; i < pairing->n; i++) {
		size_t k = 0;

		while (k < i && (cpus[k].part[kind] != k ||
					topology_cpu_locality(cpus[k].cpu, cpus[i].cpu) > farthest))
			k++;
		cpus[i].part[kind] = k;
	}
}

/* Returns the lowest unpaired CPU of the fullest cluster of @group, other than @except; SIZE_MAX: none. */
static size_t next_of_fullest(const struct pairing *pairing, size_t group, size_t except)
{
	const struct candidate *cpus = pairing->cpus;
	size_t best = SIZE_MAX;

	for (size_t i = group; i < pairing->n; i++)
		if (cpus[i].part[GROUP] == group && cpus[i].part[CLUSTER] != except && !cpus[i].paired &&
			(best == SIZE_MAX ||
				cpus[cpus[i].part[CLUSTER]].left > cpus[cpus[best].part[CLUSTER]].left))
			best = i;
	return best;
}

static void append_match(const struct pairing *pairing, size_t a, size_t b)
{
	struct candidate *cpus = pairing->cpus;

	append_pair(pairing, cpus[a < b ? a : b].cpu->cpu, cpus[a < b ? b : a].cpu->cpu);
	cpus[a].paired = cpus[b].paired = true;
}

static void match_group(const struct pairing *pairing, size_t group)
{
	struct candidate *cpus = pairing->cpus;

	for (;;) {
		size_t one = next_of_fullest(pairing, group, SIZE_MAX);
		size_t other =
			one < SIZE_MAX ? next_of_fullest(pairing, group, cpus[one].part[CLUSTER]) : SIZE_MAX;

		if (other == SIZE_MAX)
			return;
		append_match(pairing, one, other);
		cpus[cpus[one].part[CLUSTER]].left--;
		cpus[cpus[other].part[CLUSTER]].left--;
	}
}

/* Pairs each CPU that was left over with the CPU of another cluster of its group that serves the fewest such,
 * the lowest of equals. */
static void match_leftovers(const struct pairing *pairing)
{
	struct candidate *cpus = pairing->cpus;

	for (size_t i = 0; i < pairing->n; i++) {
		size_t best = SIZE_MAX;

		for (size_t k = 0; !cpus[i].paired && k < pairing->n; k++)
			if (cpus[k].part[GROUP] == cpus[i].part[GROUP] &&
				cpus[k].part[CLUSTER] != cpus[i].part[CLUSTER] &&
				(best == SIZE_MAX || cpus[k].uses < cpus[best].uses))
				best = k;
		if (best == SIZE_MAX)
			continue;
		cpus[best].uses++;
		append_match(pairing, i, best);
	}
}

/* Makes as many disjoint pairs of the class as the CPUs allow, by number, and after them one for each CPU
 * that is left over, with a CPU that has a pair. Two CPUs of a group are of the class if their clusters
 * differ, so one CPU each from the two fullest clusters gives the largest matching. */
static int pair_class(struct pairing *pairing, enum locality locality)
{
	struct candidate *cpus = pairing->cpus;
	struct plan_places *places = pairing->places;
	int r = reserve_pairs(pairing, pairing->n);

	if (r < 0)
		return r;
	find_parts(pairing, GROUP, locality);
	find_parts(pairing, CLUSTER, locality - 1);
	for (size_t i = 0; i < pairing->n; i++)
		cpus[cpus[i].part[CLUSTER]].left++;
	for (size_t i = 0; i < pairing->n; i++)
		if (cpus[i].part[GROUP] == i)
			match_group(pairing, i);
	qsort(places->cpus, places->n, sizeof(struct pair), compare_pairs);
	match_leftovers(pairing);
	if (places->n == 0)
		return refuse_class(pairing, locality);
	r = limit_pairs(pairing, &places->n);
	return r < 0 ? r : note_unpaired(pairing);
}

bool plan_places_are_named(const char *pairs)
{
	return isdigit((unsigned char)*pairs);
}

const char *plan_places_word(unsigned i)
{
	static const char *const of_several_classes[] = {"classes", "all", NULL};

	return i < N_LOCALITIES        ? locality_name((enum locality)i)
	       : i <= N_LOCALITIES + 2 ? of_several_classes[i - N_LOCALITIES]
				       : NULL;
}

const char *plan_places_word_of(unsigned localities, unsigned i)
{
	unsigned k = 0;

	for (; k < N_LOCALITIES; k++)
		if (localities >> k & 1 && i-- == 0)
			return plan_places_word(k);
	return plan_places_word(k + i);
}

static int refuse_word(const struct pairing *pairing)
{
	char words[128] = "";

	for (unsigned i = 0; plan_places_word(i); i++)
		text_append(words, sizeof(words), ", ", plan_places_word(i));
	return error_text_set(pairing->reason, -EINVAL,
		"--pairs %.40s: allowed are %s, or pairs of CPUs such as 0:3,5:5", pairing->name, words);
}

static bool read_pair(const char **text, unsigned pair[2])
{
	for (unsigned end = 0; end < 2; end++) {
		uint64_t cpu;

		if ((end > 0 && *(*text)++ != ':') || value_digits(text, &cpu) < 0 || cpu > INT32_MAX)
			return false;
		pair[end] = (unsigned)cpu;
	}
	return **text == '\0' || (*(*text)++ == ',' && **text != '\0');
}

static int check_pair(const struct pairing *pairing, const unsigned pair[2])
{
	const struct plan_places *places = pairing->places;
	struct cpus both = {0};
	char text[64];

	for (unsigned end = 0; end < 2; end++)
		if (pair[end] < CPUS_MAX)
			cpus_add(&both, pair[end]);
	snprintf(text, sizeof(text), "%u:%u", pair[0], pair[1]);
	int r = topology_check_online(pairing->topology, "--pairs", text, &both, pairing->reason);

	if (r < 0)
		return r;
	for (unsigned end = 0; end < 2; end++)
		if (!cpus_has(pairing->measurable, pair[end]))
			return error_text_set(pairing->reason, -EINVAL,
				"--pairs %u:%u: CPU %u is not among %s (%s)", pair[0], pair[1], pair[end],
				pairing->config->has_cpus ? "those of -c"
							  : "the CPUs allowed to this process",
				cpus_format(pairing->measurable, text, sizeof(text)));
	for (size_t i = 0; i < places->n; i++)
		if (memcmp(&places->cpus[2 * i], pair, 2 * sizeof(*pair)) == 0)
			return error_text_set(pairing->reason, -EINVAL,
				"--pairs %u:%u: this pair is named twice", pair[0], pair[1]);
	return 0;
}

/* Reads and checks all pairs, also those that -t leaves out. */
static int pair_as_named(const struct pairing *pairing)
{
	const char *text = pairing->name;
	size_t n = 1;

	for (const char *c = text; *c; c++)
		n += *c == ',';
	size_t wanted = n;
	int r = limit_pairs(pairing, &wanted);

	if (r == 0)
		r = reserve_pairs(pairing, n);
	for (size_t i = 0; r == 0 && i < n; i++) {
		unsigned pair[2];

		r = read_pair(&text, pair) ? check_pair(pairing, pair) : refuse_word(pairing);
		if (r == 0)
			append_pair(pairing, pair[0], pair[1]);
	}
	pairing->places->n = wanted;
	return r;
}

static int pair_by_name(struct pairing *pairing)
{
	const char *name = pairing->name;

	if (plan_places_are_named(name))
		return pair_as_named(pairing);
	if (!strcmp(name, "own"))
		return pair_with_themselves(pairing);
	if (!strcmp(name, "all"))
		return pair_all(pairing);
	if (!strcmp(name, "classes") || !strcmp(name, "locality")) /* as in 0.1.0 */
		return pair_each_class(pairing);
	for (enum locality locality = LOCALITY_SMT; locality < N_LOCALITIES; locality++)
		if (!strcmp(name, locality_name(locality)))
			return pair_class(pairing, locality);
	return refuse_word(pairing);
}

static int place_pairs(struct plan_places *places, const struct config *config,
	const struct topology *topology, const struct cpus *candidates, struct notes *notes,
	struct error_text *reason)
{
	struct pairing pairing = {
		.name = config->pairs ? config->pairs : "own",
		.config = config,
		.topology = topology,
		.measurable = candidates,
		.cpus = calloc(topology->n_cpus + 1, sizeof(*pairing.cpus)),
		.places = places,
		.notes = notes,
		.reason = reason,
	};

	if (!pairing.cpus)
		return no_memory(&pairing);
	list_candidates(&pairing, candidates);
	int r = pair_by_name(&pairing);

	free(pairing.cpus);
	return r;
}

int plan_places_init(struct plan_places *places, const struct config *config, const struct topology *topology,
	const struct cpus *candidates, struct notes *notes, struct error_text *reason)
{
	*places = (struct plan_places){0};
	if (config->ring_members)
		return place_rings(places, config, candidates, reason);
	return place_pairs(places, config, topology, candidates, notes, reason);
}

void plan_places_finish(struct plan_places *places)
{
	free(places->cpus);
	*places = (struct plan_places){0};
}
