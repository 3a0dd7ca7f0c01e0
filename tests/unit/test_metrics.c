/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_metrics.c - the session as metrics. Called with prometheus, openmetrics or json, it prints the same
 * run for check_metrics.py. */
#include "src/report/metrics.h"
#include "tests/unit/report_run.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static char *print_metrics(const struct fixture *f, enum metrics_format format)
{
	const struct metrics_text text = {format, FIGURE_FIRST, f->config.fail_above_ns};
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	CHECK(metrics_print(out, &f->session, &text) == 0);
	fclose(out);
	return printed;
}

#define GOLDEN_KIND "mechanism=\"mq\",class=\"own\""
#define GOLDEN_RING "ring=\"0\",pair=\"0>0\"," GOLDEN_KIND
#define BUCKET(le, count)                                                                                    \
	"ipctop_latency_seconds_bucket{figure=\"lap\"," GOLDEN_RING ",le=\"" le "\"} " count "\n"
#define COUNTER(name, help, count)                                                                           \
	"# HELP ipctop_" name "_total " help "\n# TYPE ipctop_" name "_total counter\nipctop_" name          \
	"_total{" GOLDEN_RING "} " count "\n"

/* Of each kind of cause. */
#define NO_SPIKES(kind, name, words) "ipctop_spikes_total{kind=\"" name "\"} 0\n"
#define NO_TIME(kind, name, words) "ipctop_blamed_seconds_total{kind=\"" name "\"} 0.000000000\n"

/* clang-format off */
/* In parts, because compilers need not take longer strings. */
static const char *const golden[] = {
	"# HELP ipctop_info What is measured, and on which kernel.\n"
	"# TYPE ipctop_info gauge\n"
	"ipctop_info{version=\"" IPCTOP_VERSION "\",kernel=\"6.1 \\\"a\\\\b\\\"\",preemption=\"full\","
		"policy=\"fifo\",priority=\"80\"," GOLDEN_KIND "} 1\n"
	"# HELP ipctop_run_seconds_total How long this run has measured.\n"
	"# TYPE ipctop_run_seconds_total counter\n"
	"ipctop_run_seconds_total 0.500000000\n"
	"# HELP ipctop_own_cpu_ratio The share of one CPU that ipctop itself takes, without its members.\n"
	"# TYPE ipctop_own_cpu_ratio gauge\n"
	"ipctop_own_cpu_ratio 0.002500\n"
	"# HELP ipctop_latency_seconds Latencies of tokens, by figure.\n"
	"# TYPE ipctop_latency_seconds histogram\n",
	BUCKET("1e-07", "0") BUCKET("2e-07", "0") BUCKET("5e-07", "3") BUCKET("1e-06", "3") BUCKET("2e-06", "3")
	BUCKET("5e-06", "3") BUCKET("1e-05", "3") BUCKET("2e-05", "3") BUCKET("5e-05", "3") BUCKET("0.0001", "7")
	BUCKET("0.0002", "7") BUCKET("0.0005", "7") BUCKET("0.001", "7") BUCKET("0.002", "7") BUCKET("0.005", "7")
	BUCKET("0.01", "7") BUCKET("0.02", "7") BUCKET("0.05", "7") BUCKET("0.1", "7") BUCKET("0.2", "7")
	BUCKET("0.5", "7") BUCKET("+Inf", "8"),
	"ipctop_latency_seconds_count{figure=\"lap\"," GOLDEN_RING "} 8\n"
	"ipctop_latency_seconds_sum{figure=\"lap\"," GOLDEN_RING "} 2.000240900\n",
	COUNTER("laps", "Laps that were measured.", "8")
	COUNTER("missed", "Laps that could not start before the next one was due.", "0")
	COUNTER("rested", "Laps that were due while the ring rested.", "12")
	COUNTER("away", "Laps, and missed ones, while a member was not on its CPU.", "0")
	COUNTER("token_faults", "Tokens that were lost, repeated, reordered or damaged.", "3")
	COUNTER("above_limit", "Samples above --fail-above, of the figure that --show names.", "5"),
	"# HELP ipctop_spikes_total Spikes, by the kinds of their causes.\n"
	"# TYPE ipctop_spikes_total counter\n"
	CAUSES(NO_SPIKES)
	"ipctop_spikes_total{kind=\"passed_over\"} 2\n",
	"# HELP ipctop_blamed_seconds_total Time of spikes, by the kinds of their causes.\n"
	"# TYPE ipctop_blamed_seconds_total counter\n"
	CAUSES(NO_TIME)
	"# HELP ipctop_age_seconds How long the current lap is overdue; 0: it is not.\n"
	"# TYPE ipctop_age_seconds gauge\n"
	"ipctop_age_seconds{" GOLDEN_RING "} 0.020000000\n"
	"# HELP ipctop_state 1 for the ring's condition, or else its state; "
		"ipctop_token_faults_total has faults of tokens.\n"
	"# TYPE ipctop_state gauge\n"
	"ipctop_state{" GOLDEN_RING ",state=\"starved\"} 1\n"
	"# EOF\n",
};
/* clang-format on */

/* One pair in a flood, of which only the lap is stamped: it has one latency. */
static struct fixture *make_flood(void)
{
	struct fixture *f = fixture_create(1, 0);

	f->session.rings[0].stamps = STAMPS_LAP;
	snprintf(f->session.machine.kernel, sizeof(f->session.machine.kernel), "6.1 \"a\\b\"");
	f->config.fail_above_ns = 50000;
	fixture_sample(f, 0, FIGURE_LAP, 300, 3);
	fixture_sample(f, 0, FIGURE_LAP, 60000, 4);
	fixture_sample(f, 0, FIGURE_LAP, 2000000000, 1);
	f->rings[0].laps = 8;
	f->rings[0].rested = 12;
	f->rings[0].faults[FAULT_REPEATED] = 3;
	f->rings[0].condition = CONDITION_STARVED;
	f->rings[0].age_ns = 20 * MS;
	f->tick.own_cpu_ppm = 2500;
	f->session.spikes.blames.n_passed_over = 2;
	fixture_feed(f);
	return f;
}

static void the_text_is_as_expected(void)
{
	struct fixture *f = make_flood();
	char *text = print_metrics(f, METRICS_PROMETHEUS);
	const char *at = text;

	for (size_t i = 0; i < sizeof(golden) / sizeof(*golden); i++) {
		CHECK(strncmp(at, golden[i], strlen(golden[i])) == 0, "part %zu: expected %s, is %s", i,
			golden[i], at);
		at += strnlen(at, strlen(golden[i]));
	}
	CHECK(*at == '\0', "more: %s", at);
	free(text);
	fixture_destroy(f);
}

static size_t count_lines(const char *text, const char *beginning)
{
	size_t n = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		n += strncmp(line, beginning, strlen(beginning)) == 0;
	return n;
}

static void spikes_are_counted_by_the_kinds_of_their_causes(void)
{
	struct fixture *f = make_flood();

	f->session.spikes.blames.kind_n[CAUSE_TASK] = 7;
	f->session.spikes.blames.kind_ns[CAUSE_IRQ] = 1500 * MS;
	char *text = print_metrics(f, METRICS_PROMETHEUS);

	CHECK(strstr(text, "\nipctop_spikes_total{kind=\"task\"} 7\n"), "%s", text);
	CHECK(strstr(text, "\nipctop_blamed_seconds_total{kind=\"irq\"} 1.500000000\n"), "%s", text);
	free(text);
	fixture_destroy(f);
}

static void openmetrics_differs_in_the_names_of_families_alone(void)
{
	static const struct {
		const char *line;
		size_t prometheus, openmetrics;
	} cases[] = {
		{"# TYPE ipctop info\n", 0, 1},
		{"# TYPE ipctop_info gauge\n", 1, 0},
		{"# TYPE ipctop_laps counter\n", 0, 1},
		{"# TYPE ipctop_laps_total counter\n", 1, 0},
		{"# TYPE ipctop_latency_seconds histogram\n", 1, 1},
		{"ipctop_laps_total{" GOLDEN_RING "} 8\n", 1, 1},
		{"ipctop_", 36 + 2 * N_CAUSES, 36 + 2 * N_CAUSES},
		{"# EOF\n", 1, 1},
	};
	struct fixture *f = make_flood();
	char *prometheus = print_metrics(f, METRICS_PROMETHEUS),
	     *open = print_metrics(f, METRICS_OPENMETRICS);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(count_lines(prometheus, cases[i].line) == cases[i].prometheus, "%s", cases[i].line);
		CHECK(count_lines(open, cases[i].line) == cases[i].openmetrics, "%s", cases[i].line);
	}
	free(prometheus);
	free(open);
	fixture_destroy(f);
}

static void a_ring_has_the_latencies_that_it_measures(void)
{
	static const struct {
		uint64_t interval_ns;
		enum stamps stamps;
		uint32_t batch_laps;
		const char *figures; /* in order */
	} cases[] = {
		{MS, STAMPS_ALL, 0, "first answer lap response lateness "},
		{0, STAMPS_ALL, 0, "answer lap "},
		{MS, STAMPS_LAP, 0, "lap lateness "},
		{0, STAMPS_LAP, 0, "lap "},
		{0, STAMPS_LAP, 64, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(1, cases[i].interval_ns);
		const char *start = "ipctop_latency_seconds_sum{figure=\"";
		char figures[128] = "";

		f->session.rings[0].stamps = cases[i].stamps;
		f->session.rings[0].batch_laps = cases[i].batch_laps;
		char *text = print_metrics(f, METRICS_PROMETHEUS);

		for (const char *at = text; (at = strstr(at, start)); at++)
			snprintf(figures + strlen(figures), sizeof(figures) - strlen(figures), "%.*s ",
				(int)strcspn(at + strlen(start), "\""), at + strlen(start));
		CHECK(strcmp(figures, cases[i].figures) == 0, "case %zu: %s", i, figures);
		free(text);
		fixture_destroy(f);
	}
}

static void a_sum_that_is_not_known_is_left_out(void)
{
	for (unsigned is_known = 0; is_known < 2; is_known++) {
		struct fixture *f = fixture_create(1, MS);

		fixture_sample(f, 0, FIGURE_RESPONSE, 3 * MS, 2);
		if (!is_known)
			f->rings[0].figures[FIGURE_RESPONSE].sum_ns = HIST_SUM_UNKNOWN_NS;
		fixture_feed(f);
		char *text = print_metrics(f, METRICS_PROMETHEUS);

		CHECK(strstr(text, "ipctop_latency_seconds_count{figure=\"response\""), "%s", text);
		CHECK((strstr(text, "ipctop_latency_seconds_sum{figure=\"response\"") != NULL) == is_known,
			"%s", text);
		CHECK(strstr(text, "ipctop_latency_seconds_sum{figure=\"lap\""), "%s", text);
		free(text);
		fixture_destroy(f);
	}
}

/* Of each ring, or of all rings of a mechanism and class, with the same samples. */
static void many_rings_share_their_latencies(void)
{
	for (size_t n = METRICS_RINGS_MAX; n <= METRICS_RINGS_MAX + 1; n++) {
		bool together = n > METRICS_RINGS_MAX;
		struct fixture *f = fixture_create(n, MS);
		char line[160];

		for (size_t i = 0; i < n; i++)
			fixture_sample(f, i, FIGURE_FIRST, 3000, 2);
		f->session.rings[1].locality = LOCALITY_SMT;
		fixture_feed(f);
		char *text = print_metrics(f, METRICS_PROMETHEUS);

		CHECK(count_lines(text, "ipctop_latency_seconds_count{") == 5 * (together ? 2 : n));
		CHECK(count_lines(text, "ipctop_info{") == 2, "of each class");
		CHECK(count_lines(text, "ipctop_laps_total{") == n &&
			count_lines(text, "ipctop_state{") == n);
		snprintf(line, sizeof(line),
			"ipctop_latency_seconds_bucket{figure=\"first\"," GOLDEN_KIND ",le=\"5e-06\"} %zu\n",
			2 * n - 2);
		CHECK(count_lines(text, line) == together, "%s", line);
		CHECK(count_lines(text, "ipctop_latency_seconds_count{figure=\"first\",mechanism=\"mq\","
					"class=\"smt\"} 2\n") == together);
		free(text);
		fixture_destroy(f);
	}
}

/* As ipctop(1) has it: of the run, of each kind of ring, of each ring, and of the latencies. */
static void the_number_of_series_is_bounded(void)
{
	static const size_t counts[] = {1, METRICS_RINGS_MAX, METRICS_RINGS_MAX + 1, 1024};
	enum { MECHANISMS = 26, KINDS = MECHANISMS * N_LOCALITIES };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		size_t n = counts[i], kinds = n < KINDS ? n : KINDS;
		struct fixture *f = fixture_create(n, MS);

		f->config.fail_above_ns = 50000;
		for (size_t ring = 0; ring < n; ring++) {
			f->session.rings[ring].mechanism[0] = (char)('a' + ring % MECHANISMS);
			f->session.rings[ring].locality = (enum locality)(ring % N_LOCALITIES);
		}
		char *text = print_metrics(f, METRICS_PROMETHEUS);
		size_t expected =
			3 + 2 * N_CAUSES + kinds + 8 * n + 120 * (n > METRICS_RINGS_MAX ? kinds : n);

		CHECK(count_lines(text, "ipctop_") == expected, "%zu rings: %zu series, not %zu", n,
			count_lines(text, "ipctop_"), expected);
		free(text);
		fixture_destroy(f);
	}
}

static void a_state_is_the_word_of_the_row(void)
{
	static const struct {
		enum ring_state state;
		enum ring_condition condition;
		const char *word;
	} cases[] = {
		{RING_OPENING, CONDITION_FINE, "opening"},
		{RING_RUNNING, CONDITION_FINE, "running"},
		{RING_RUNNING, CONDITION_NEVER_RAN, "never ran"},
		{RING_RUNNING, CONDITION_STOPPED, "stopped"},
		{RING_PAUSED, CONDITION_WAITING, "waiting"},
		{RING_PAUSED, CONDITION_FINE, "paused"},
		{RING_DONE, CONDITION_FINE, "done"},
		{RING_FAILED, CONDITION_FINE, "failed"},
	};
	struct fixture *f = fixture_create(1, MS);
	char line[160];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		f->session.rings[0].state = cases[i].state;
		f->session.rings[0].condition = cases[i].condition;
		char *text = print_metrics(f, METRICS_PROMETHEUS);

		snprintf(line, sizeof(line), "ipctop_state{" GOLDEN_RING ",state=\"%s\"} 1\n", cases[i].word);
		CHECK(count_lines(text, line) == 1 && count_lines(text, "ipctop_state{") == 1, "%s", line);
		free(text);
	}
	fixture_destroy(f);
}

static void labels_stay_when_members_are_moved(void)
{
	struct fixture *f = fixture_create(1, MS);
	char *before = print_metrics(f, METRICS_PROMETHEUS);

	f->members[1].moved_to = 1 + 7;
	f->rings[0].locality = LOCALITY_CROSS;
	fixture_feed(f);
	char *after = print_metrics(f, METRICS_PROMETHEUS);

	CHECK(strcmp(f->session.rings[0].label, "0>7") == 0, "%s", f->session.rings[0].label);
	CHECK(count_lines(before, "ipctop_laps_total{" GOLDEN_RING "} 0\n") == 1);
	CHECK(count_lines(after, "ipctop_laps_total{" GOLDEN_RING "} 0\n") == 1, "%s", after);
	free(before);
	free(after);
	fixture_destroy(f);
}

static int print_run(const char *what)
{
	struct fixture *f = make_run();
	char *text = strcmp(what, "json") == 0
			     ? print_json(f)
			     : print_metrics(f, strcmp(what, "openmetrics") == 0 ? METRICS_OPENMETRICS
										 : METRICS_PROMETHEUS);

	fputs(text, stdout);
	free(text);
	fixture_destroy(f);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return print_run(argv[1]);
	TEST(the_text_is_as_expected);
	TEST(spikes_are_counted_by_the_kinds_of_their_causes);
	TEST(openmetrics_differs_in_the_names_of_families_alone);
	TEST(a_ring_has_the_latencies_that_it_measures);
	TEST(a_sum_that_is_not_known_is_left_out);
	TEST(many_rings_share_their_latencies);
	TEST(the_number_of_series_is_bounded);
	TEST(a_state_is_the_word_of_the_row);
	TEST(labels_stay_when_members_are_moved);
	return tap_done();
}
