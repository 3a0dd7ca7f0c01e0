/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.c - the session as metrics, for Prometheus and what reads its formats. */
#include "src/report/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session.h"
#include "src/plan/plan_ring.h"

/* The upper bounds of the buckets of a latency, inclusive. They never change, so that machines can be added
 * up. All are below 1 s: from there on, programs write the same number in different ways ("1", "1.0"). */
/* clang-format off */
static const struct {
	uint64_t ns;
	const char *label; /* in s, as OpenMetrics writes it */
} bounds[] = {
	{100, "1e-07"}, {200, "2e-07"}, {500, "5e-07"},
	{1000, "1e-06"}, {2000, "2e-06"}, {5000, "5e-06"},
	{10000, "1e-05"}, {20000, "2e-05"}, {50000, "5e-05"},
	{100000, "0.0001"}, {200000, "0.0002"}, {500000, "0.0005"},
	{1000000, "0.001"}, {2000000, "0.002"}, {5000000, "0.005"},
	{10000000, "0.01"}, {20000000, "0.02"}, {50000000, "0.05"},
	{100000000, "0.1"}, {200000000, "0.2"}, {500000000, "0.5"},
};
/* clang-format on */

enum { N_BOUNDS = sizeof(bounds) / sizeof(*bounds) };

/* FIGURE_SERVED is left out: it is the response without missed laps. */
enum { N_LATENCIES = FIGURE_LATENESS + 1 };

enum { KIND_LABELS_SIZE = 96, RING_LABELS_SIZE = 288 };

struct writing {
	FILE *out;
	const struct session *session;
	const struct metrics_text *text;
	/* Of each ring. Owned. */
	size_t *first_alike; /* the first ring with the same mechanism and class */
	char (*labels)[RING_LABELS_SIZE];
};

/* --- labels --- */

static enum locality planned_class(const struct session_ring *ring)
{
	return ring->moved ? ring->planned_locality : ring->locality;
}

static const char *planned_cpu(const void *of, unsigned member, char text[16])
{
	const struct session_ring *ring = of;

	snprintf(text, 16, "%u", ring->cpus[member]);
	return text;
}

static const char *kind_labels(const struct session_ring *ring, char labels[KIND_LABELS_SIZE])
{
	snprintf(labels, KIND_LABELS_SIZE, "mechanism=\"%s\",class=\"%s\"", ring->mechanism,
		locality_name(planned_class(ring)));
	return labels;
}

/* Has the planned CPUs: with those of now, a member that is moved would begin another series. */
static void write_ring_labels(const struct session_ring *ring, char labels[RING_LABELS_SIZE])
{
	char cpus[128], kind[KIND_LABELS_SIZE];

	plan_ring_label_by(ring->n_members, planned_cpu, ring, cpus, sizeof(cpus));
	snprintf(labels, RING_LABELS_SIZE, "ring=\"%" PRIu32 "\",pair=\"%s\",%s", ring->id, cpus,
		kind_labels(ring, kind));
}

/* @value: any text of the machine, so quotes and backslashes are escaped. */
static void print_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', out);
		fputc(*value, out);
	}
	fputs("\",", out);
}

static bool are_alike(const struct session_ring *a, const struct session_ring *b)
{
	return planned_class(a) == planned_class(b) && strcmp(a->mechanism, b->mechanism) == 0;
}

static size_t find_first_alike(const struct writing *writing, size_t ring)
{
	const struct session_ring *rings = writing->session->rings;
	size_t first = 0;

	while (first < ring &&
		(writing->first_alike[first] != first || !are_alike(&rings[first], &rings[ring])))
		first++;
	return first;
}

/* Returns 0 or -ENOMEM; free_labels() accepts what is left. */
static int make_labels(struct writing *writing)
{
	size_t n = writing->session->n_rings;

	writing->first_alike = calloc(n ? n : 1, sizeof(*writing->first_alike));
	writing->labels = calloc(n ? n : 1, sizeof(*writing->labels));
	if (!writing->first_alike || !writing->labels)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		writing->first_alike[i] = find_first_alike(writing, i);
		write_ring_labels(&writing->session->rings[i], writing->labels[i]);
	}
	return 0;
}

static void free_labels(struct writing *writing)
{
	free(writing->first_alike);
	free(writing->labels);
}

/* --- families --- */

struct family {
	const char *name; /* without the suffix of its type */
	const char *type; /* of OpenMetrics */
	const char *help;
	void (*print)(const struct writing *writing, const struct family *family);
	size_t count; /* of print_count(): its offset in struct tick_counts */
};

static const char *suffix_of(const struct family *family)
{
	return strcmp(family->type, "counter") == 0 ? "_total"
	       : strcmp(family->type, "info") == 0  ? "_info"
						    : "";
}

/* The text format names what it introduces with its suffix, and has no info. */
static void print_family(const struct writing *writing, const struct family *family)
{
	bool is_open = writing->text->format == METRICS_OPENMETRICS;
	bool is_info = strcmp(family->type, "info") == 0;
	const char *suffix = is_open ? "" : suffix_of(family);

	fprintf(writing->out, "# HELP %s%s %s\n", family->name, suffix, family->help);
	fprintf(writing->out, "# TYPE %s%s %s\n", family->name, suffix,
		is_info && !is_open ? "gauge" : family->type);
	family->print(writing, family);
}

static void print_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, " %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

/* One line for each kind of ring. */
static void print_info(const struct writing *writing, const struct family *family)
{
	const struct session *session = writing->session;
	char labels[KIND_LABELS_SIZE];

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (writing->first_alike[i] != i)
			continue;
		fprintf(writing->out, "%s%s{version=\"%s\",", family->name, suffix_of(family),
			IPCTOP_VERSION);
		print_label(writing->out, "kernel", session->machine.kernel);
		print_label(writing->out, "preemption", session->machine.preemption);
		fprintf(writing->out, "policy=\"%s\",priority=\"%d\",%s} 1\n",
			task_policy_name(ring->asked.policy), ring->asked.priority,
			kind_labels(ring, labels));
	}
}

static void print_run_time(const struct writing *writing, const struct family *family)
{
	fprintf(writing->out, "%s%s", family->name, suffix_of(family));
	print_seconds(writing->out, session_position_ns(writing->session) - writing->session->start_ns);
}

static void print_own_cpu(const struct writing *writing, const struct family *family)
{
	fprintf(writing->out, "%s %.6f\n", family->name, writing->session->own_cpu_ppm / 1e6);
}

static void print_ring_number(
	const struct writing *writing, const struct family *family, size_t i, uint64_t number)
{
	fprintf(writing->out, "%s%s{%s} %" PRIu64 "\n", family->name, suffix_of(family), writing->labels[i],
		number);
}

static void print_count(const struct writing *writing, const struct family *family)
{
	for (size_t i = 0; i < writing->session->n_rings; i++) {
		const char *counts = (const char *)&writing->session->rings[i].counts;

		print_ring_number(writing, family, i, *(const uint64_t *)(counts + family->count));
	}
}

static void print_faults(const struct writing *writing, const struct family *family)
{
	for (size_t i = 0; i < writing->session->n_rings; i++)
		print_ring_number(writing, family, i, session_faults(&writing->session->rings[i]));
}

static void print_above_limit(const struct writing *writing, const struct family *family)
{
	const struct metrics_text *text = writing->text;

	for (size_t i = 0; i < writing->session->n_rings && text->limit_ns; i++) {
		const struct session_ring *ring = &writing->session->rings[i];
		enum figure figure = session_figure_of(ring, text->figure);

		print_ring_number(
			writing, family, i, hist_above(&ring->figures[figure].hist, text->limit_ns));
	}
}

static void print_age(const struct writing *writing, const struct family *family)
{
	for (size_t i = 0; i < writing->session->n_rings; i++) {
		fprintf(writing->out, "%s{%s}", family->name, writing->labels[i]);
		print_seconds(writing->out, writing->session->rings[i].age_ns);
	}
}

/* Prints only the current word: a line for each would make 15 series for each ring. */
static void print_state(const struct writing *writing, const struct family *family)
{
	for (size_t i = 0; i < writing->session->n_rings; i++) {
		const struct session_ring *ring = &writing->session->rings[i];
		const char *word = ring->state == RING_RUNNING || ring->condition == CONDITION_WAITING
					   ? ring_condition_name(ring->condition)
					   : "";

		fprintf(writing->out, "%s{%s,state=\"%s\"} 1\n", family->name, writing->labels[i],
			*word ? word : ring_state_name(ring->state));
	}
}

/* --- latencies --- */

struct distribution {
	uint64_t counts[N_BOUNDS + 1]; /* of each bucket alone; the last: above all bounds */
	uint64_t sum_ns;
};

/* A time is read as the middle of its bucket in @hist, so it may be off by 0.8 %. */
static void add_histogram(struct distribution *to, const struct hist *hist)
{
	size_t bound = 0;

	to->sum_ns = hist_add_sums(to->sum_ns, hist->sum_ns);
	for (unsigned o = 0; o < HIST_OCTAVES; o++)
		for (unsigned b = o * HIST_OCTAVE; hist->octave_n[o] && b < (o + 1) * HIST_OCTAVE; b++) {
			while (bound < N_BOUNDS && hist_middle(b) > bounds[bound].ns)
				bound++;
			to->counts[bound] += hist->octave[o][b % HIST_OCTAVE];
		}
}

static void print_distribution(FILE *out, const char *name, const char *labels, const struct distribution *of)
{
	uint64_t sum = 0;

	for (size_t i = 0; i <= N_BOUNDS; i++) {
		sum += of->counts[i];
		fprintf(out, "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", name, labels,
			i < N_BOUNDS ? bounds[i].label : "+Inf", sum);
	}
	fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, sum);
	if (of->sum_ns < HIST_SUM_UNKNOWN_NS) {
		fprintf(out, "%s_sum{%s}", name, labels);
		print_seconds(out, of->sum_ns);
	}
}

/* The laps of a batch are not timed one by one, so they are in no histogram. */
static bool has_figure(const struct session_ring *ring, enum figure figure)
{
	return !ring->batch_laps && session_figure_of(ring, figure) == figure;
}

/* Prints the latency of ring @i, or if @together, of all rings like it, which follow it. */
static void print_latency(const struct writing *writing, const struct family *family, size_t i,
	enum figure figure, bool together)
{
	const struct session_ring *rings = writing->session->rings;
	size_t end = together ? writing->session->n_rings : i + 1;
	struct distribution distribution = {0};
	char names[KIND_LABELS_SIZE], labels[RING_LABELS_SIZE + 32];

	snprintf(labels, sizeof(labels), "figure=\"%s\",%s", figure_name(figure),
		together ? kind_labels(&rings[i], names) : writing->labels[i]);
	for (size_t j = i; j < end; j++)
		if (writing->first_alike[j] == writing->first_alike[i])
			add_histogram(&distribution, &rings[j].figures[figure].hist);
	print_distribution(writing->out, family->name, labels, &distribution);
}

static void print_latencies(const struct writing *writing, const struct family *family)
{
	const struct session *session = writing->session;
	bool together = session->n_rings > METRICS_RINGS_MAX;

	for (size_t i = 0; i < session->n_rings; i++)
		for (int f = 0; f < N_LATENCIES; f++)
			if ((!together || writing->first_alike[i] == i) &&
				has_figure(&session->rings[i], (enum figure)f))
				print_latency(writing, family, i, (enum figure)f, together);
}

/* --- the table --- */

#define COUNT(member) print_count, offsetof(struct tick_counts, member)

/* Counts by kinds, which are the same in all runs: names of tasks would make series without end. */
static void print_spikes(const struct writing *writing, const struct family *family)
{
	const struct blame_sums *blames = &writing->session->spikes.blames;

	for (size_t i = 0; i <= N_CAUSES; i++)
		fprintf(writing->out, "%s%s{kind=\"%s\"} %" PRIu64 "\n", family->name, suffix_of(family),
			i < N_CAUSES ? cause_names[i] : "passed_over",
			i < N_CAUSES ? blames->kind_n[i] : blames->n_passed_over);
}

static void print_blamed(const struct writing *writing, const struct family *family)
{
	for (size_t i = 0; i < N_CAUSES; i++) {
		fprintf(writing->out, "%s%s{kind=\"%s\"}", family->name, suffix_of(family), cause_names[i]);
		print_seconds(writing->out, writing->session->spikes.blames.kind_ns[i]);
	}
}

static const struct family families[] = {
	{"ipctop", "info", "What is measured, and on which kernel.", print_info},
	{"ipctop_run_seconds", "counter", "How long this run has measured.", print_run_time},
	{"ipctop_own_cpu_ratio", "gauge",
		"The share of one CPU that ipctop itself takes, without its members.", print_own_cpu},
	{"ipctop_latency_seconds", "histogram", "Latencies of tokens, by figure.", print_latencies},
	{"ipctop_laps", "counter", "Laps that were measured.", COUNT(laps)},
	{"ipctop_missed", "counter", "Laps that could not start before the next one was due.", COUNT(missed)},
	{"ipctop_rested", "counter", "Laps that were due while the ring rested.", COUNT(rested)},
	{"ipctop_away", "counter", "Laps, and missed ones, while a member was not on its CPU.", COUNT(away)},
	{"ipctop_token_faults", "counter", "Tokens that were lost, repeated, reordered or damaged.",
		print_faults},
	{"ipctop_above_limit", "counter", "Samples above --fail-above, of the figure that --show names.",
		print_above_limit},
	{"ipctop_spikes", "counter", "Spikes, by the kinds of their causes.", print_spikes},
	{"ipctop_blamed_seconds", "counter", "Time of spikes, by the kinds of their causes.", print_blamed},
	{"ipctop_age_seconds", "gauge", "How long the current lap is overdue; 0: it is not.", print_age},
	{"ipctop_state", "gauge",
		"1 for the ring's condition, or else its state; ipctop_token_faults_total has faults of tokens.",
		print_state},
};

int metrics_print(FILE *out, const struct session *session, const struct metrics_text *text)
{
	struct writing writing = {.out = out, .session = session, .text = text};
	int r = make_labels(&writing);

	for (size_t i = 0; i < sizeof(families) / sizeof(*families) && r == 0; i++)
		print_family(&writing, &families[i]);
	fputs("# EOF\n", out);
	free_labels(&writing);
	return r;
}
