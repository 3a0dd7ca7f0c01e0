/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_differences.c - what differs between two phases: options, machine and members. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/tally.h"
#include "src/model/comparison.h"
#include "src/model/comparison_lines.h"
#include "src/model/comparison_words.h"
#include "src/plan/config.h"
#include "src/probe/probe.h"
#include "src/report/phase_from_json.h"
#include "tests/unit/tap.h"

enum { RINGS = 2, MEMBERS = 3, FACTS_MAX = 8 };

struct fact {
	const char *name, *value;
};

/* Two rings of three members at SCHED_OTHER on CPU 0, under some facts. */
static struct compared_phase make_phase(unsigned number, const char *source, const struct fact *facts)
{
	struct compared_phase phase = {.source = strdup(source),
		.number = number,
		.rows = calloc(RINGS, sizeof(*phase.rows)),
		.n_rows = RINGS};

	for (size_t i = 0; i < RINGS; i++) {
		struct compared_row *row = &phase.rows[i];

		row->mechanism = strdup(i ? "pipe" : "mq");
		row->label = strdup("0>0>0");
		row->cpus = strdup("0 0 0");
		for (unsigned m = 0; m < MEMBERS; m++)
			CHECK(compared_row_add_member(row, (struct member_condition){{SCHED_OTHER}, 0}) == 0);
	}
	for (; facts->name; facts++)
		CHECK(compared_phase_add_fact(&phase, facts->name, facts->value) == 0);
	return phase;
}

static const struct fact no_facts[] = {{0}};

/* Compares the phases, and finishes them. Returns the differences in one line, or the refusal. */
static char *compare(struct compared_phase a, struct compared_phase b)
{
	struct comparison comparison;
	struct error_text reason;
	int r = comparison_begin(&comparison, &a, &b, &reason);
	char *differences = r == 0 ? comparison_differences(&comparison) : strdup(reason.text);
	char *line = comparison_differences_line(differences, SIZE_MAX);

	CHECK(r == 0 || r == -EINVAL, "%d", r);
	free(differences);
	comparison_finish(&comparison);
	compared_phase_finish(&a);
	compared_phase_finish(&b);
	return line;
}

static void facts_are_named_with_both_values(void)
{
	static const struct {
		struct fact a[FACTS_MAX], b[FACTS_MAX];
		const char *expected;
	} rows[] = {
		{{{0}}, {{0}}, "nothing recorded differs"},
		{{{"host.governor", "powersave"}}, {{"host.governor", "performance"}},
			"only this changed: governor powersave > performance"},
		{{{"host.smt", "true"}}, {{"host.smt", "false"}}, "only this changed: SMT on > off"},
		{{{"host.isolated", ""}}, {{"host.isolated", "2-3"}},
			"only this changed: isolated CPUs none > 2-3"},
		{{{"options.work_bytes", "0"}}, {{"options.work_bytes", "65536"}, {"options.cpus", "0"}},
			"differs in 2: work 0 > 64 KiB; cpus not given > 0"},
		{{{"options.stamps", "lap"}, {"options.batch_laps", "64"}}, {{0}},
			"these phases can't be compared: stamps: lap in A, all in B; "
			"batch: 64 laps in A, none in B"},
		{{{"host.tracing", "off"}}, {{"host.tracing", "function, events"}},
			"only this changed: tracing off > function, events"},
		{{{"host.tracing", "events"}}, {{"host.tracing", "function"}},
			"only this changed: tracing events > function"},
		{{{"host.tracing", "events"}}, {{0}}, "only this changed: tracing events > none"},
		{{{"host.sched_rivals", "none"}}, {{"host.sched_rivals", "hog FF80 on 0"}},
			"only this changed: real-time tasks of others none > hog FF80 on 0"},
		{{{0}}, {{"host.sched_rivals", "none"}}, "nothing recorded differs"}, /* of an older ipctop */
		/* ipctop's own mount of tracefs */
		{{{"host.tracing", "absent"}}, {{"host.tracing", "off"}}, "nothing recorded differs"},
		{{{"host.tracing", "absent"}, {"host.kernel_slow_tracers", "absent"}},
			{{"host.tracing", "not mounted"}, {"host.kernel_slow_tracers", "none"}},
			"nothing recorded differs"},
		{{{"host.irq_affinity.irqs", "24-30:0-1"}}, {{"host.irq_affinity.irqs", "24-27:0-1 28-30:0"}},
			"only this changed: 3 of 7 irqs CPUs 0-1 > CPU 0"},
		{{{"host.irq_affinity.irqs", "24-30:0"}}, {{"host.irq_affinity.irqs", "24-26:0 27-30:0"}},
			"nothing recorded differs"},
		{{{"host.irq_affinity.irqs", "7:0"}}, {{"host.irq_affinity.irqs", "not readable"}},
			"only this changed: irq affinity 7:0 > not readable"},
		{{{"host.irq_affinity.default", "3"}}, {{"host.irq_affinity.default", "1"}},
			"only this changed: default irq affinity 3 > 1"},
		{{{"options.loops", "0"}}, {{"options.loops", "7"}}, "nothing recorded differs"},
		{{{"host.clock_source", "tsc"}}, {{"host.clock_source", "hpet"}},
			"only this changed: clock source tsc > hpet"},
		{{{"host.dma_latency.us", "2000000000"}}, {{"host.dma_latency.us", "20"}},
			"only this changed: dma latency none > 20 us"},
		/* each ring has its own */
		{{{"options.interval_ns", "1000000"}}, {{"options.interval_ns", "1500"}},
			"nothing recorded differs"},
		{{{"options.tick_ns", "500000000"}}, {{"options.tick_ns", "12345678901"}},
			"only this changed: tick 500 ms > 12345678.901 us"},
		{{{"options.size_bytes", "1536"}}, {{"options.size_bytes", "1500"}},
			"only this changed: size 1.5 KiB > 1500 bytes"},
		{{{"options.side_by_side", "false"}}, {{"options.side_by_side", "true"}},
			"only this changed: side-by-side off > on"},
		{{{"host.sched_base_slice_ns", "2800000"}}, {{"host.sched_base_slice_ns", "absent"}},
			"only this changed: scheduler's base slice 2.8 ms > absent"},
		{{{"host.rt_throttling.runtime_us", "950000"}}, {{"host.rt_throttling.runtime_us", "-1"}},
			"only this changed: sched_rt_runtime_us 950000 > -1"},
		{{{"host.kernel_rcu_nocbs", "none"}}, {{"host.kernel_rcu_nocbs", "1-3"}},
			"only this changed: rcu_nocbs none > 1-3"},
		{{{"host.kernel_efi_runtime", "on"}}, {{"host.kernel_efi_runtime", "off"}},
			"only this changed: EFI runtime on > off"},
		{{{"host.loads", "none"}},
			{{"host.loads", "timers:0-1:100%"}, {"options.loads", "timers:100%"}},
			"only this changed: load none > timers:0-1:100%"},
		{{{"host.dma_latency.us", "2000000000"}},
			{{"host.dma_latency.us", "0"}, {"options.dma_latency_us", "0"}},
			"only this changed: dma latency none > 0"},
		{{{"host.name", "a"}}, {{"host.name", "b"}}, "only this changed: host a > b"},
		{{{"host.of_later", "1"}}, {{"host.of_later", "2"}}, "only this changed: of_later 1 > 2"},
		{{{"options.breaktrace_ns", "5000"}}, {{0}},
			"these phases can't be compared: -b: 5 us in A, none in B"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = compare(make_phase(1, "", rows[i].a), make_phase(2, "", rows[i].b));

		CHECK(strcmp(text, rows[i].expected) == 0, "%s", text);
		free(text);
	}
}

static void a_list_is_written_as_an_option_has_it(void)
{
	static const struct probe mq = {.name = "mq"}, pipe = {.name = "pipe"};
	const struct config config = {.n_probes = 2, .probes = {&mq, &pipe}};
	struct compared_phase phase = {0};

	CHECK(phase_from_json_add_options(&phase, &config) == 0);
	CHECK(strcmp(compared_phase_fact(&phase, "options.mechanisms"), "mq,pipe") == 0, "%s",
		compared_phase_fact(&phase, "options.mechanisms"));
	compared_phase_finish(&phase);
}

static void members_are_counted(void)
{
	static const struct {
		struct {
			unsigned ring, member;
			struct member_condition is;
		} changed[RINGS * MEMBERS];
		unsigned n;
		const char *expected;
	} rows[] = {
		{{{0, 1, {{SCHED_FIFO, 80}, 0}}}, 1, "only this changed: 1 of 6 members OTHER > FIFO:80"},
		{{{0, 1, {{SCHED_FIFO, 80}, 0}}, {1, 0, {{SCHED_FIFO, 80}, 0}}}, 2,
			"only this changed: 2 of 6 members OTHER > FIFO:80"},
		{{{0, 1, {{SCHED_FIFO, 80}, 0}}, {1, 0, {{SCHED_RR, 5}, 0}}}, 2,
			"only this changed: 2 of 6 members OTHER > 1 FIFO:80, 1 RR:5"},
		{{{0, 0, {{SCHED_OTHER}, 3}}, {1, 2, {{SCHED_OTHER}, -1}}}, 2,
			"only this changed: 2 of 6 members CPU 0 > 1 CPU 3, 1 several CPUs"},
		{{{0, 0, {{SCHED_BATCH}, 1}}}, 1,
			"differs in 2: 1 of 6 members OTHER > BATCH; 1 of 6 members CPU 0 > CPU 1"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct compared_phase a = make_phase(1, "", no_facts), b = make_phase(2, "", no_facts);

		for (unsigned n = 0; n < rows[i].n; n++)
			b.rows[rows[i].changed[n].ring].members[rows[i].changed[n].member] =
				rows[i].changed[n].is;
		char *text = compare(a, b);

		CHECK(strcmp(text, rows[i].expected) == 0, "%s", text);
		free(text);
	}
}

static void members_that_are_not_known_differ_in_nothing(void)
{
	struct compared_phase a = make_phase(1, "", no_facts), b = make_phase(2, "", no_facts);

	b.rows[0].n_members = 0;
	b.rows[1].members[0].policy = (struct task_policy){SCHED_FIFO, 1};
	char *text = compare(a, b);

	CHECK(strcmp(text, "only this changed: 1 of 3 members OTHER > FIFO:1") == 0, "%s", text);
	free(text);
}

static void intervals_are_counted(void)
{
	static const struct {
		uint64_t a[RINGS], b[RINGS];
		const char *expected;
	} rows[] = {
		{{1000000, 1000000}, {1000000, 1000000}, "nothing recorded differs"},
		{{1000000, 1000000}, {2000000, 2000000},
			"only this changed: 2 of 2 rings' intervals 1 ms > 2 ms"},
		{{1000000, 1000000}, {1000000, 250000},
			"only this changed: 1 of 2 rings' intervals 1 ms > 250 us"},
		{{0, 1000000}, {1500000, 2000000000},
			"only this changed: 2 of 2 rings' intervals 1 flood, 1 1 ms > 1 1.5 ms, 1 2 s"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct compared_phase a = make_phase(1, "", no_facts), b = make_phase(2, "", no_facts);

		for (size_t k = 0; k < RINGS; k++) {
			a.rows[k].interval_ns = rows[i].a[k];
			b.rows[k].interval_ns = rows[i].b[k];
		}
		char *text = compare(a, b);

		CHECK(strcmp(text, rows[i].expected) == 0, "%s", text);
		free(text);
	}
}

/* A mark gave two phases one name, and another interval was set between them. */
static void what_was_changed_between_phases_of_one_name_is_no_doing_of_the_machine(void)
{
	for (unsigned changed = 0; changed < 2; changed++) {
		struct compared_phase a = make_phase(1, "", no_facts), b = make_phase(2, "", no_facts);
		struct comparison comparison;
		struct error_text reason;

		a.like[a.n_like++] = 2;
		b.like[b.n_like++] = 1;
		b.rows[0].interval_ns = changed;
		CHECK(comparison_begin(&comparison, &a, &b, &reason) == 0);
		CHECK(comparison.are_replicates == !changed);
		comparison_finish(&comparison);
		compared_phase_finish(&a);
		compared_phase_finish(&b);
	}
}

/* Phases of one name: a setting is somebody's doing, a load or a task of others is the machine's. */
static void phases_are_replicates_unless_something_was_changed(void)
{
	static const struct {
		struct fact b[FACTS_MAX];
		double load;
		bool are_replicates;
		const char *expected;
	} rows[] = {
		{{{"host.governor", "a"}, {"host.sched_rivals", "none"}}, 0, true,
			"replicates: nothing was changed"},
		{{{"host.governor", "a"}, {"host.sched_rivals", "none"}}, 3.5, true,
			"replicates; differs in 1: load average 0.0 > 3.5"},
		{{{"host.governor", "a"}, {"host.sched_rivals", "hog FF80 on 0"}}, 3.5, true,
			"replicates; differs in 2: real-time tasks of others none > hog FF80 on 0; load average 0.0 > 3.5"},
		{{{"host.governor", "b"}, {"host.sched_rivals", "none"}}, 0, false,
			"only this changed: governor a > b"},
		{{{"host.governor", "b"}, {"host.sched_rivals", "none"}}, 3.5, false,
			"differs in 2: governor a > b; load average 0.0 > 3.5"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct compared_phase a = make_phase(1, "", rows[0].b), b = make_phase(2, "", rows[i].b);
		struct comparison comparison;
		struct error_text reason;

		a.like[a.n_like++] = 2;
		b.like[b.n_like++] = 1;
		b.load = rows[i].load;
		CHECK(comparison_begin(&comparison, &a, &b, &reason) == 0);
		char *differences = comparison_differences(&comparison);
		char *line = comparison_differences_line(differences, SIZE_MAX);

		CHECK(comparison.are_replicates == rows[i].are_replicates, "row %zu", i);
		CHECK(strcmp(line, rows[i].expected) == 0, "row %zu: %s", i, line);
		free(line);
		free(differences);
		comparison_finish(&comparison);
		compared_phase_finish(&a);
		compared_phase_finish(&b);
	}
}

/* Two rings, of which the first was opened anew: the phases have what is left of it, too. */
static void a_ring_that_is_opened_anew_is_compared_with_what_it_was(void)
{
	enum { ROWS = 3 };
	struct ring {
		bool is_absent;
		uint64_t size_bytes, interval_ns, active_ns;
		bool has_ended, was_added;
	};
	static const struct {
		const char *what;
		struct ring a[ROWS], b[ROWS];
		size_t n, row_a, row_b, only_a, only_b; /* rows: of the last pair that is compared */
		const char *expected;
	} rows[] = {
		{"the mark came first", {{false, 1, 1000, 500}, {false, 1, 1000, 500}, {true, 1, 2000}},
			{{false, 1, 1000, 500}, {false, 1, 1000, 3},
				{false, 1, 2000, 497, .was_added = true}},
			2, 1, 2, 0, 0, "only this changed: 1 of 2 rings' intervals 1 us > 2 us"},
		{"the mark came last",
			{{false, 1, 1000, 500}, {false, 1, 1000, 499},
				{false, 1, 2000, 1, .was_added = true}},
			{{false, 1, 1000, 500}, {true, 1, 1000}, {false, 1, 2000, 500}}, 2, 1, 2, 0, 0,
			"only this changed: 1 of 2 rings' intervals 1 us > 2 us"},
		{"the old one went on for a while",
			{{false, 1, 1000, 500}, {false, 1, 1000, 500}, {true, 1, 2000, .was_added = true}},
			{{false, 1, 1000, 500}, {false, 1, 1000, 200, true},
				{false, 1, 2000, 300, false, true}},
			2, 1, 2, 0, 0, "only this changed: 1 of 2 rings' intervals 1 us > 2 us"},
		{"the new one was there before the mark",
			{{false, 1, 1000, 500}, {false, 1, 1000, 300, true},
				{false, 1, 2000, 200, false, true}},
			{{false, 1, 1000, 500}, {true, 1, 1000, 0, true}, {false, 1, 2000, 500, false, true}},
			2, 1, 2, 0, 0, "only this changed: 1 of 2 rings' intervals 1 us > 2 us"},
		{"it has another size", {{false, 1, 1000, 500}, {false, 1, 1000, 500}, {true, 64, 1000}},
			{{false, 1, 1000, 500}, {false, 1, 1000, 2},
				{false, 64, 1000, 498, .was_added = true}},
			1, 0, 0, 1, 1, "only this changed: rings that the other phase lacks 1 > 1"},
		{"it got another size in the middle",
			{{false, 1, 1000, 500}, {false, 1, 1000, 500}, {true, 64, 1000}},
			{{false, 1, 1000, 500}, {false, 1, 1000, 240, true},
				{false, 64, 1000, 260, .was_added = true}},
			2, 1, 1, 0, 1, "only this changed: rings that the other phase lacks 0 > 1"},
		{"a ring of the same place rested",
			{{false, 1, 1000, 500}, {false, 1, 1000, 500}, {false, 64, 1000, 500}},
			{{false, 1, 1000, 500}, {false, 1, 1000, 0}, {false, 64, 1000, 500}}, 3, 2, 2, 0, 0,
			"nothing recorded differs"},
		{"a ring was added beside it",
			{{false, 1, 1000, 500}, {false, 1, 1000, 500}, {true, 1, 1000}},
			{{false, 1, 1000, 500}, {false, 1, 1000, 500}, {false, 1, 1000, 300}}, 2, 1, 1, 0, 1,
			"only this changed: rings that the other phase lacks 0 > 1"},
		{"none was in both", {{false, 1, 1000, 500}, {true, 1, 1000}, {true, 1, 1000}},
			{{true, 1, 1000}, {false, 1, 1000, 500}, {false, 1, 1000, 500}}, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct compared_phase phases[] = {make_phase(1, "", no_facts), make_phase(2, "", no_facts)};
		struct comparison comparison;
		struct error_text reason;

		for (size_t p = 0; p < 2; p++) {
			phases[p].rows = realloc(phases[p].rows, ROWS * sizeof(*phases[p].rows));
			phases[p].n_rows = ROWS;
			phases[p].rows[2] = (struct compared_row){.mechanism = strdup("pipe"),
				.label = strdup("0>0>0"),
				.cpus = strdup("0 0 0")};
			for (size_t k = 0; k < ROWS; k++) {
				const struct ring *ring = p ? &rows[i].b[k] : &rows[i].a[k];
				struct compared_row *row = &phases[p].rows[k];

				row->is_absent = ring->is_absent;
				row->size_bytes = ring->size_bytes;
				row->interval_ns = ring->interval_ns;
				row->active_ns = ring->active_ns;
				row->has_ended = ring->has_ended;
				row->was_added = ring->was_added;
			}
		}
		int r = comparison_begin(&comparison, &phases[0], &phases[1], &reason);

		CHECK(r == (rows[i].n ? 0 : -EINVAL) && comparison.n_rows == rows[i].n, "%s: %zu rows",
			rows[i].what, comparison.n_rows);
		if (r == 0) {
			const struct comparison_row *last = &comparison.rows[comparison.n_rows - 1];
			char *text = comparison_differences(&comparison);
			char *line = comparison_differences_line(text, SIZE_MAX);

			CHECK(last->a == &phases[0].rows[rows[i].row_a] &&
					last->b == &phases[1].rows[rows[i].row_b],
				"%s", rows[i].what);
			CHECK(comparison.n_only_a == rows[i].only_a && comparison.n_only_b == rows[i].only_b,
				"%s", rows[i].what);
			CHECK(strcmp(line, rows[i].expected) == 0, "%s: %s", rows[i].what, line);
			free(line);
			free(text);
		}
		comparison_finish(&comparison);
		compared_phase_finish(&phases[0]);
		compared_phase_finish(&phases[1]);
	}
}

static void what_is_left_out_is_counted(void)
{
	static const char *const expected[] = {"differs in 3: 3 more", "differs in 3: a 1 > 2; and 2 more",
		"differs in 3: a 1 > 2; b 3 > 4; and 1 more", "differs in 3: a 1 > 2; b 3 > 4; c 5 > 6"};
	static const char all[] = "differs in 3\na 1 > 2\nb 3 > 4\nc 5 > 6";

	CHECK(comparison_differences_count(all) == 3 && comparison_differences_count("none") == 0);
	for (size_t n = 0; n < 4; n++) {
		char *line = comparison_differences_line(all, n);

		CHECK(strcmp(line, expected[n]) == 0, "%s", line);
		free(line);
	}
}

static void phases_in_between_are_named(void)
{
	static const struct {
		unsigned a, b;
		const char *source;
		bool one_differs;
		const char *expected;
	} rows[] = {
		{1, 2, "", false, "2 things changed: any may be the cause."},
		{1, 3, "", false, "2 things changed: any may be the cause. Compare 1 with 2, 2 with 3."},
		{4, 1, "rec", false,
			"2 things changed: any may be the cause. Compare 1 with 2, 2 with 3, 3 "
			"with 4."},
		{1, 5, "rec", false,
			"2 things changed: any may be the cause. Compare 1 with 2, 2 with 3, 3 "
			"with 4, 4 with 5."},
		{1, 9, "rec", false,
			"2 things changed: any may be the cause. Compare 1 with 2, 2 with 3, 3 "
			"with 4, and so on to 8 with 9."},
		{1, 4, "other", false, "2 things changed: any may be the cause."},
		{1, 4, "", true, ""},
	};
	static const struct fact facts[] = {{"host.governor", "powersave"}, {"host.smt", "true"}, {0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool is_other = strcmp(rows[i].source, "other") == 0;
		struct compared_phase a = make_phase(rows[i].a, is_other ? "rec" : rows[i].source, no_facts),
				      b = make_phase(rows[i].b, rows[i].source, facts + rows[i].one_differs);
		struct comparison comparison;
		struct error_text reason;
		char advice[COMPARISON_WORDS_SIZE];

		CHECK(comparison_begin(&comparison, &a, &b, &reason) == 0);
		CHECK(strcmp(comparison_advice(&comparison, advice), rows[i].expected) == 0, "%s", advice);
		comparison_finish(&comparison);
		compared_phase_finish(&a);
		compared_phase_finish(&b);
	}
}

static void a_tally_names_four_values(void)
{
	static const struct {
		const char *values, *text, *value;
	} rows[] = {
		{"", "", ""},
		{"aa", "2 a", "a"},
		{"aba", "2 a, 1 b", "2 a, 1 b"},
		{"abcdefe", "1 a, 1 b, 1 c, 1 d, 3 others", "1 a, 1 b, 1 c, 1 d, 3 others"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tally tally = {0};
		char text[TALLY_TEXT_SIZE];

		for (const char *at = rows[i].values; *at; at++)
			CHECK(tally_add(&tally, (char[]){*at, '\0'}, 1) == 0);
		CHECK(strcmp(tally_text(&tally, text), rows[i].text) == 0, "%s", text);
		CHECK(strcmp(tally_value(&tally, text), rows[i].value) == 0, "%s", text);
		tally_finish(&tally);
	}
}

/* The lengths of both phases in seconds, the rates of interrupts, and the late ticks that were counted. */
static void load_interrupts_and_own_lateness_are_differences(void)
{
	static const char nothing[] = "nothing recorded differs";
	static const struct {
		unsigned a_s, b_s;
		double load_a, load_b, interrupts_a, interrupts_b;
		uint64_t late_a, late_b;
		const char *expected;
	} rows[] = {
		{10, 10, 0.5, 1.4, 500, 500, 0, 0, nothing},
		{10, 10, 10, 13, 500, 500, 2, 3, nothing},
		{10, 10, 0.5, 12.25, 500, 500, 0, 0, "only this changed: load average 0.5 > 12.2"},
		{1, 1, 0.5, 12.25, 500, 500, 0, 0, "only this changed: load average 0.5 > 12.2"},
		{10, 10, NAN, 12, 500, 500, 0, 0, nothing},
		{10, 60, 1, 1, 6246, 14821, 0, 0, "only this changed: interrupts a second 6246 > 14821"},
		{1, 60, 1, 1, 6246, 14821, 0, 0, nothing},
		{60, 4, 1, 1, 14821, 6246, 0, 0, nothing},
		{60, 60, 1, 1, 8000, 14821, 0, 0, nothing},
		{60, 60, 1, 1, 100, 900, 0, 0, nothing},
		{60, 60, 1, 1, NAN, 14821, 0, 0, nothing},
		{10, 10, 1, 1, 500, 500, 0, 4, "only this changed: late ticks of ipctop a second 0 > 0.4"},
		{10, 10, 1, 1, 500, 500, 0, 1, nothing},
		{4, 4, 1, 1, 500, 500, 0, 4, nothing},
		{5, 300, 1, 1, 500, 500, 0, 60, nothing}, /* A would have had one */
		{50, 300, 1, 1, 500, 500, 0, 60, "only this changed: late ticks of ipctop a second 0 > 0.2"},
		{50, 300, 1, 1, 500, 500, 10, 60, nothing},
		{300, 20, 1, 1, 500, 500, 300, 1,
			"only this changed: late ticks of ipctop a second 1 > 0.05"},
		{10, 10, 1, 1, 500, 500, UINT64_MAX, 40, nothing},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct compared_phase a = make_phase(1, "", no_facts), b = make_phase(2, "", no_facts);

		a.load = rows[i].load_a;
		b.load = rows[i].load_b;
		a.length_ns = rows[i].a_s * UINT64_C(1000000000);
		b.length_ns = rows[i].b_s * UINT64_C(1000000000);
		a.interrupts = rows[i].interrupts_a;
		b.interrupts = rows[i].interrupts_b;
		a.n_late = rows[i].late_a;
		b.n_late = rows[i].late_b;
		char *text = compare(a, b);

		CHECK(strcmp(text, rows[i].expected) == 0, "%s", text);
		free(text);
	}
}

static void the_headline_names_both_directions(void)
{
	struct verdict_summary summary = {.n_rows = 12, .worse = 1, .verdict = SHIFT_MIXED}, none = {0};
	double change = log(0.8);
	char text[COMPARISON_WORDS_SIZE];

	summary.marks[MARK_SHOWN] = (struct mark){SHIFT_BETTER, 0.001, true};
	summary.overall[MARK_SHOWN] = (struct shift_overall){change, change, change};
	comparison_headline(&summary, NULL, FIGURE_FIRST, text);
	CHECK(strcmp(text, "MIXED: worse 1 of 12 rows; better first hop p50 -20 %") == 0, "%s", text);
	summary = (struct verdict_summary){.n_rows = 12, .worse = 1, .verdict = SHIFT_WORSE};
	comparison_headline(&summary, NULL, FIGURE_FIRST, text);
	CHECK(strcmp(text, "WORSE: 1 of 12 rows") == 0, "%s", text);
	comparison_headline(&none, NULL, FIGURE_FIRST, text);
	CHECK(strcmp(text, "too few: no row is compared") == 0, "%s", text);
}

static void an_undecided_headline_names_the_largest_change_that_is_not_proved(void)
{
	const struct {
		const char *what;
		size_t n_rows;
		double missed, spikes, median;
		struct mark response, spiked;
		const char *wide, *narrow;
		enum shift_verdict of_row; /* of its response, without the correction */
		bool has_replicates;
	} rows[] = {
		{"a row missed slots", 4, 0.143, 0.3, 0.2, {SHIFT_UNDECIDED, 0.2}, {SHIFT_UNDECIDED, 0.1},
			"undecided: a row missed 0.0 > 14.3 %, in too few blocks to tell; longer phases may "
			"tell; how long is not known",
			"undecided: a row missed 0.0 > 14.3 %, in too few blocks to tell"},
		{"the only row did", 1, 0.143, 0, 0, {SHIFT_SAME, 1}, {SHIFT_SAME, 1},
			"undecided: missed 0.0 > 14.3 % in too few blocks to tell; longer phases may tell; "
			"how long is not known",
			"undecided: missed 0.0 > 14.3 % in too few blocks to tell"},
		{"rows did of which there are replicates", 4, 0.143, 0, 0, {SHIFT_SAME, 1}, {SHIFT_SAME, 1},
			"undecided: a row missed 0.0 > 14.3 %, in too few phases to tell; more phases of "
			"each may tell; how many is not known",
			"undecided: a row missed 0.0 > 14.3 %, in too few phases to tell", 0, true},
		{"the only row did, and is slower but for the correction", 1, 0.143, 0, 0,
			{SHIFT_UNDECIDED, 0.2}, {SHIFT_SAME, 1},
			"undecided: response p99 60 us > 90 us may be chance; longer phases may tell; how "
			"long is not known",
			"undecided: response p99 60 us > 90 us may be chance", SHIFT_WORSE},
		{"a row missed less than gets a verdict", 4, 0.0009, 0, 0.2, {SHIFT_UNDECIDED, 0.2},
			{SHIFT_SAME, 1},
			"undecided: response p99 +22 % may be chance; longer phases may tell; how long is "
			"not known",
			"undecided: response p99 +22 % may be chance"},
		{"the only row is slower", 1, 0, 0, 0, {SHIFT_UNDECIDED, 0.2}, {SHIFT_SAME, 1},
			"undecided: response p99 60 us > 90 us may be chance; longer phases may tell; how "
			"long is not known",
			"undecided: response p99 60 us > 90 us may be chance"},
		{"rows spiked", 4, 0, 0.3, 0.2, {SHIFT_SAME, 1}, {SHIFT_UNDECIDED, 0.1},
			"undecided: spikes of a row 0.1 > 0.3 /s in too few blocks to tell; longer phases "
			"may tell; how long is not known",
			"undecided: spikes of a row 0.1 > 0.3 /s in too few blocks to tell"},
		{"rows spiked hardly more", 4, 0, 0.12, 0, {SHIFT_SAME, 1}, {SHIFT_UNDECIDED, 0.1},
			"undecided: longer phases may tell; how long is not known",
			"undecided: longer phases may tell; how long is not known"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum mark_id p99 = (enum mark_id)(MARK_RESPONSE + SHIFT_P99);
		struct verdict_summary summary = {.n_rows = rows[i].n_rows,
			.n_tests = 8,
			.verdict = SHIFT_UNDECIDED,
			.row_missed_b = rows[i].missed,
			.spikes_a = 0.1,
			.spikes_b = rows[i].spikes,
			.has_replicates = rows[i].has_replicates};
		struct comparison_line line = {.verdict = SHIFT_UNDECIDED,
			.figures = {FIGURE_FIRST, FIGURE_RESPONSE},
			.a.slots = 1000,
			.b = {.slots = 1000, .missed = (uint64_t)(rows[i].missed * 1000)}};
		const struct comparison_line *only = rows[i].n_rows == 1 ? &line : NULL;
		char text[COMPARISON_WORDS_SIZE];

		line.a.percentile_ns[JUDGED_RESPONSE][SHIFT_P99] = 60000;
		line.b.percentile_ns[JUDGED_RESPONSE][SHIFT_P99] = 90000;
		line.marks[p99].verdict = rows[i].of_row;
		summary.marks[p99] = rows[i].response;
		summary.overall[p99] = (struct shift_overall){rows[i].median, 0, 1};
		summary.marks[MARK_SPIKES] = rows[i].spiked;
		comparison_headline(&summary, only, FIGURE_FIRST, text);
		CHECK(strcmp(text, rows[i].wide) == 0, "%s: %s", rows[i].what, text);
		comparison_headline_in(&summary, only, FIGURE_FIRST, 80, text);
		CHECK(strcmp(text, rows[i].narrow) == 0, "%s: %s", rows[i].what, text);
		summary.are_identical = true;
		comparison_headline_in(&summary, only, FIGURE_FIRST, 80, text);
		CHECK(strcmp(text, "undecided: nothing moved, A and B have the same samples") == 0, "%s",
			text);
		summary.are_identical = false;
		summary.n_tests = 0;
		comparison_headline_in(&summary, only, FIGURE_FIRST, 80, text);
		CHECK(strcmp(text, "undecided: without blocks nothing is judged") == 0, "%s", text);
	}
}

/* All rows have too few samples: of those that have some, the headline says what the one needs that has the
 * fewest blocks. */
static void too_few_samples_have_their_reason(void)
{
	struct comparison_row rows[3] = {0};
	struct comparison comparison = {
		.rows = rows, .n_rows = 3, .summary = {.n_rows = 3, .verdict = SHIFT_TOO_FEW}};
	char text[COMPARISON_WORDS_SIZE];

	for (size_t i = 0; i < 3; i++)
		rows[i].line.is_compared = true;
	strcpy(rows[0].line.few[MARK_SHOWN + SHIFT_P50], "B has no samples");
	strcpy(rows[1].line.few[MARK_SHOWN + SHIFT_P50], "3 of 8 blocks, 3 s more");
	strcpy(rows[2].line.few[MARK_SHOWN + SHIFT_P50], "2 of 8 blocks, 6 s more");
	rows[1].line.blocks_a = 6;
	rows[1].line.blocks_b = 3;
	rows[2].line.blocks_a = rows[2].line.blocks_b = 4;
	rows[0].line.a.n = rows[1].line.a.n = rows[1].line.b.n = rows[2].line.a.n = rows[2].line.b.n = 9;
	comparison_headline(&comparison.summary, comparison_quoted_row(&comparison), FIGURE_FIRST, text);
	CHECK(strcmp(text, "too few: 3 of 8 blocks, 3 s more") == 0, "%s", text);
	rows[2].line.blocks_a = 2;
	comparison_headline(&comparison.summary, comparison_quoted_row(&comparison), FIGURE_FIRST, text);
	CHECK(strcmp(text, "too few: 2 of 8 blocks, 6 s more") == 0, "%s", text);
	comparison.summary.verdict = SHIFT_UNDECIDED;
	CHECK(!comparison_quoted_row(&comparison));
	comparison.n_rows = 1;
	CHECK(comparison_quoted_row(&comparison) == &rows[0].line);

	/* One is not ready, and one is of a ring that A does not have. */
	struct comparison_line lines[] = {
		{.is_compared = true}, {.is_ready = true, .b.n = 9}, rows[0].line, rows[1].line};
	struct comparison_lines shown = {
		.lines = lines, .n_lines = 4, .n_rings = 4, .summary = comparison.summary};

	lines[2].is_ready = lines[3].is_ready = true;
	CHECK(!comparison_quoted_line(&shown));
	shown.summary.verdict = SHIFT_TOO_FEW;
	CHECK(comparison_quoted_line(&shown) == &lines[3]);
	shown.n_rings = 3;
	CHECK(comparison_quoted_line(&shown) == &lines[2]);
}

static void a_headline_has_as_many_marks_as_fit(void)
{
	struct verdict_summary summary = {.n_rows = 12, .verdict = SHIFT_WORSE, .missed_b = 0.04};
	static const struct {
		size_t width;
		const char *text;
	} rows[] = {
		{120, "WORSE: first hop p50 +22 % (half of the rows 0.0 to +172), response p50 +22 % (half "
		      "of the rows 0.0 to +172)"},
		{60, "WORSE: first hop p50 +22 % (half of the rows 0.0 to +172)"},
		{55, "WORSE: first hop p50 +22 %"},
		{1, "WORSE: first hop p50 +22 %"},
	};

	for (size_t mark = 0; mark < MARK_MISSED; mark += N_SHIFT_PERCENTILES) {
		summary.marks[mark] = (struct mark){SHIFT_WORSE, 0.001, true};
		summary.overall[mark] = (struct shift_overall){0.2, 0, 1};
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[COMPARISON_WORDS_SIZE];

		comparison_headline_in(&summary, NULL, FIGURE_FIRST, rows[i].width, text);
		CHECK(strcmp(text, rows[i].text) == 0, "%zu: %s", rows[i].width, text);
	}
}

static void the_counts_are_as_long_as_there_is_room(void)
{
	static const struct {
		size_t better, survive, width;
		const char *text;
		bool no_worse;
	} rows[] = {
		{31, 31, 80, "of 40 rows 31 better, 3 worse, 4 undecided, 2 too few"},
		{31, 31, 40, "of 40 rows 31b 3w 4? 2~"},
		{31, 9, 120,
			"of 40 rows 31 better, 3 worse, 4 undecided, 2 too few; 9 better, 3 worse after the "
			"correction for 96 tests"},
		{31, 9, 100,
			"of 40 rows 31 better, 3 worse, 4 undecided, 2 too few; corrected 9 better, 3 worse"},
		{31, 9, 80, "of 40 rows 31b 3w 4? 2~; corrected 9b 3w"},
		{31, 9, 10, "of 40 rows 31b 3w 4? 2~; corrected 9b 3w"},
		{31, 0, 120,
			"of 40 rows 31 better, 3 worse, 4 undecided, 2 too few; none by itself after the correction "
			"for 96 tests",
			.no_worse = true},
		{31, 0, 80, "of 40 rows 31 better, 3 worse, 4 undecided, 2 too few; corrected none",
			.no_worse = true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct verdict_summary summary = {.n_rows = 40,
			.verdicts = {[SHIFT_BETTER] = rows[i].better,
				[SHIFT_WORSE] = 3,
				[SHIFT_UNDECIDED] = 4,
				[SHIFT_TOO_FEW] = 2},
			.better = rows[i].survive,
			.worse = rows[i].no_worse ? 0 : 3,
			.n_tests = 96};
		char text[COMPARISON_WORDS_SIZE];

		CHECK(strcmp(comparison_rows(&summary, rows[i].width, text), rows[i].text) == 0, "%s", text);
	}
}

static void a_row_that_did_not_move_is_told_by_its_p50(void)
{
	static const enum shift_verdict verdicts[] = {SHIFT_TOO_FEW, SHIFT_SAME, SHIFT_UNDECIDED};

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(*verdicts); i++) {
		struct comparison_line line = {.verdict = verdicts[i]};

		for (size_t mark = 0; mark < N_MARKS; mark++)
			line.marks[mark] = (struct mark){verdicts[i], 0.5};
		CHECK(comparison_mark(&line) == MARK_SHOWN + SHIFT_P50, "%s",
			shift_verdict_words[verdicts[i]].name);
		line.verdict = line.marks[MARK_MISSED].verdict = SHIFT_WORSE;
		CHECK(comparison_mark(&line) == MARK_MISSED);
	}
}

static void an_undecided_row_says_what_each_percentile_is(void)
{
	static const struct {
		enum shift_verdict p50, p99, response_p50, response_p99;
		const char *few, *expected;
	} rows[] = {
		{SHIFT_UNDECIDED, SHIFT_UNDECIDED, SHIFT_UNDECIDED, SHIFT_UNDECIDED, "", "undecided"},
		{SHIFT_SAME, SHIFT_UNDECIDED, SHIFT_SAME, SHIFT_UNDECIDED, "",
			"undecided: same p50, response p50; undecided p99, response p99"},
		{SHIFT_SAME, SHIFT_TOO_FEW, SHIFT_UNDECIDED, SHIFT_TOO_FEW, "",
			"undecided: same p50; undecided response p50; too few p99, response p99"},
		{SHIFT_UNDECIDED, SHIFT_TOO_FEW, SHIFT_UNDECIDED, SHIFT_TOO_FEW, "",
			"undecided: too few p99, response p99"},
		{SHIFT_TOO_FEW, SHIFT_TOO_FEW, SHIFT_TOO_FEW, SHIFT_TOO_FEW, "A has no blocks",
			"undecided: A has no blocks"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct comparison_line line = {
			.verdict = SHIFT_UNDECIDED, .figures = {FIGURE_FIRST, FIGURE_RESPONSE}};
		char text[COMPARISON_WORDS_SIZE];

		line.marks[MARK_SHOWN + SHIFT_P50].verdict = rows[i].p50;
		line.marks[MARK_SHOWN + SHIFT_P99].verdict = rows[i].p99;
		line.marks[MARK_RESPONSE + SHIFT_P50].verdict = rows[i].response_p50;
		line.marks[MARK_RESPONSE + SHIFT_P99].verdict = rows[i].response_p99;
		snprintf(line.few[MARK_SHOWN + SHIFT_P50], sizeof(line.few[0]), "%s", rows[i].few);
		comparison_reasons(&line, N_MARKS, text);
		CHECK(strcmp(text, rows[i].expected) == 0, "%s", text);
	}
}

/* Wherever a row's reasons are: on the screen, in the text and in the JSON. */
static void what_does_not_survive_the_correction_may_be_chance(void)
{
	for (unsigned survives = 0; survives < 2; survives++) {
		struct comparison_line line = {.verdict = SHIFT_WORSE,
			.figures = {FIGURE_FIRST, FIGURE_RESPONSE},
			.a.slots = 1000,
			.b = {.slots = 1000, .missed = 40}};
		char text[COMPARISON_WORDS_SIZE];

		line.marks[MARK_MISSED] = (struct mark){SHIFT_WORSE, 0.01, survives};
		comparison_reasons(&line, N_MARKS, text);
		CHECK(strcmp(text, survives ? "worse: missed 0.0 > 4.0 %"
					    : "worse, may be chance: missed 0.0 > 4.0 %") == 0,
			"%s", text);
	}
}

int main(void)
{
	TEST(facts_are_named_with_both_values);
	TEST(load_interrupts_and_own_lateness_are_differences);
	TEST(a_list_is_written_as_an_option_has_it);
	TEST(members_are_counted);
	TEST(members_that_are_not_known_differ_in_nothing);
	TEST(intervals_are_counted);
	TEST(phases_are_replicates_unless_something_was_changed);
	TEST(what_was_changed_between_phases_of_one_name_is_no_doing_of_the_machine);
	TEST(a_ring_that_is_opened_anew_is_compared_with_what_it_was);
	TEST(what_is_left_out_is_counted);
	TEST(phases_in_between_are_named);
	TEST(a_tally_names_four_values);
	TEST(the_headline_names_both_directions);
	TEST(a_headline_has_as_many_marks_as_fit);
	TEST(an_undecided_headline_names_the_largest_change_that_is_not_proved);
	TEST(the_counts_are_as_long_as_there_is_room);
	TEST(too_few_samples_have_their_reason);
	TEST(a_row_that_did_not_move_is_told_by_its_p50);
	TEST(an_undecided_row_says_what_each_percentile_is);
	TEST(what_does_not_survive_the_correction_may_be_chance);
	return tap_done();
}
