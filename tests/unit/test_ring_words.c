/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ring_words.c - the words that describe rings to be added, over the options of the run. */
#include <string.h>

#include "src/options/ring_words.h"
#include "tests/unit/option_names.h"
#include "tests/unit/plan_rows.h"
#include "tests/unit/tap.h"

enum { WORDS_MAX = 16 };

/* "mq 2>1 fifo:80 4096 every 500000, ..." */
static void write_plan(const struct plan *plan, char *text, size_t size)
{
	char label[64];

	text[0] = '\0';
	for (size_t i = 0; i < plan->n_rings; i++) {
		const struct plan_ring *ring = &plan->rings[i];
		size_t length = strlen(text);

		snprintf(text + length, size - length, "%s%s %s %s:%d %llu every %llu", i ? ", " : "",
			ring->mechanism, plan_ring_label(ring, label, sizeof(label)),
			ring->has_policy ? task_policy_name(ring->policy.policy) : "-",
			(int)ring->policy.priority, (unsigned long long)ring->token_bytes,
			(unsigned long long)ring->interval_ns);
	}
}

static void words_become_rings_or_a_sentence(void)
{
	static const struct row machine = {"pack:1 core:4 pu:1"};
	static const struct {
		const char *words, *rings, *reason;
	} rows[] = {
		{"", "mq 0>0 fifo:80 64 every 1000000, mq 1>1 fifo:80 64 every 1000000, "
		     "mq 2>2 fifo:80 64 every 1000000, mq 3>3 fifo:80 64 every 1000000"},
		{"--pairs 0:3", "mq 0>3 fifo:80 64 every 1000000"},
		{"-m svsem --pairs 0:3 -s 0", "svsem 0>3 fifo:80 0 every 1000000"},
		{"-m svsem --pairs 0:3", "svsem 0>3 fifo:80 0 every 1000000"},
		{"-m mq --pairs 2:1 -s 4k -p 0 -i 500", "mq 2>1 other:0 4096 every 500000"},
		{"--pairs 0:1,2:3 -p 10 --policy rr",
			"mq 0>1 rr:10 64 every 1000000, mq 2>3 rr:10 64 every 1000000"},
		{"--ring 3 -c 0-2", "mq 0>1>2 fifo:80 64 every 1000000"},
		{"-m nothing", NULL, "-m nothing: no such mechanism"},
		{"--pairs 0:9", NULL, "--pairs 0:9"},
		{"-D 1m", NULL, "--duration: it applies to the whole run"},
		{"--json x", NULL, "--json: it applies to the whole run"},
		{"--help", NULL, "--help: it applies to the whole run"},
		{"svsem 0>3", "svsem 0>3 fifo:80 0 every 1000000"},
		{"0>3 -s 4k mq", "mq 0>3 fifo:80 4096 every 1000000"},
		{"mq,svsem 2>2 -s 0 -p 10",
			"mq 2>2 fifo:10 1 every 1000000, svsem 2>2 fifo:10 0 every 1000000"},
		{"0>1>3", "mq 0>1>3 fifo:80 64 every 1000000"},
		{"svsem 0:3", "svsem 0>3 fifo:80 0 every 1000000"},
		{"0:1:3", "mq 0>1>3 fifo:80 64 every 1000000"},
		{"0>3,2:2", "mq 0>3 fifo:80 64 every 1000000, mq 2>2 fifo:80 64 every 1000000"},
		{"mq:0", NULL, "--pairs mq:0"},
		{"mq:0:3", NULL, "--pairs mq:0:3: allowed are"},
		{"0>3>1", NULL, "0>3>1: must be CPUs that ascend"},
		{"0>x>1", NULL, "0>x>1: must be CPUs that ascend"},
		{"0>x", NULL, "0>x: must be pairs of CPUs, such as 0>3"},
		{"mq 0>", NULL, "0>: must be pairs of CPUs, such as 0>3"},
		{"mq 0:3,", NULL, "0:3,: must be pairs of CPUs, such as 0>3"},
		{"mq 0>3,5", NULL, "0>3,5: must be pairs of CPUs, such as 0>3"},
		{"0>9", NULL, "--pairs 0:9"},
		{"svsem own -c 2", "svsem 2>2 fifo:80 0 every 1000000"},
		{"cross svsem", NULL, "--pairs cross: "},
		{"svsem all -c 1-2",
			"svsem 1>1 fifo:80 0 every 1000000, svsem 1>2 fifo:80 0 every 1000000, svsem 2>1 fifo:80 0 every 1000000, svsem 2>2 fifo:80 0 every 1000000"},
		{"mq own 0>1", NULL, "0>1: pairs are given already"},
		{"mq 0>1 smt", NULL, "smt: pairs are given already"},
		{"nothing", NULL, "-m nothing: no such mechanism"},
		{"mq svsem", NULL,
			"svsem: a mechanism is given already; several are one word, such as mq,svsem"},
		{"svsem -m mq", NULL,
			"svsem: a mechanism is given already; several are one word, such as mq,svsem"},
		{"0>1 2>3", NULL, "2>3: pairs are given already; several are one word, such as 0>1,2>3"},
		{"--pairs 0:1 2:3", NULL,
			"2:3: pairs are given already; several are one word, such as 0>1,2>3"},
		{"0>1>2 1>2>3", NULL, "1>2>3: a ring is given already; add one of these after the other"},
		{"-c 0-3 1>2>3", NULL, "1>2>3: CPUs are given already; leave -c out"},
		{"-s 4k -m svsem", NULL, "-s 4096"},
		{"--pairs 3:3", NULL, "-H 3: CPU 3"},
	};
	struct topology topology;
	struct config running = {.n_probes = 1,
		.probes = {&mq},
		.pairs = "1:2",
		.n_pairs = 7,
		.size = 64,
		.has_policy = true,
		.policy = {SCHED_FIFO, 80},
		.interval_ns = 1000000,
		.tick_ns = 500000000,
		.json = "-",
		.render_columns = 80};

	if (!machine_of(&machine, &topology))
		return;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error_text reason = {""};
		char add[] = "add", *argv[WORDS_MAX] = {add}, words[128], text[512];
		int argc = 1;
		struct plan plan;

		snprintf(words, sizeof(words), "%s", rows[i].words);
		for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
			argv[argc++] = word;
		running.has_housekeeping = rows[i].reason && !strncmp(rows[i].reason, "-H", 2);
		running.housekeeping = set_of("3");
		int r = ring_words_read(&plan, argc, argv, &running, &topology, &known, &reason);

		write_plan(&plan, text, sizeof(text));
		if (rows[i].rings)
			CHECK(r == 0 && !strcmp(text, rows[i].rings), "%s: %s%s", rows[i].words, text,
				reason.text);
		else
			CHECK(r < 0 && strstr(reason.text, rows[i].reason), "%s: %s", rows[i].words,
				reason.text);
		plan_finish(&plan);
	}
	topology_finish(&topology);
}

static void a_line_is_completed_as_far_as_it_is_clear(void)
{
	static const struct {
		const char *line, *becomes, *found;
	} rows[] = {
		{"sv", "svsem ", "svsem"},
		{"mq --pol", "mq --policy ", "--policy"},
		{"mq --policy ", "mq --policy ", "other batch idle fifo rr"},
		{"mq --policy f", "mq --policy fifo ", "fifo"},
		{"mq,sv", "mq,svsem ", "mq,svsem"},
		{"mq --p", "mq --p", "--pairs --priority --policy"},
		{"mq --pa", "mq --pairs ", "--pairs"},
		{"mq --json", "mq --json", ""},
		{"nothing", "nothing", ""},
		{"mq 0>3 -s 4", "mq 0>3 -s 4", ""},
		{"mq ", "mq ", "own smt l3 classes all 0> 1> 10>"},
		{"mq cr", "mq cr", ""},
		{"mq --pairs ", "mq --pairs ", "own smt l3 classes all"},
		{"mq --pairs cr", "mq --pairs cr", ""},
		{"mq cl", "mq classes ", "classes"},
		{"-m mq a", "-m mq all ", "all"},
		{"mq l", "mq l3 ", "l3"},
		{"mq 0", "mq 0>", "0>"},
		{"mq 1", "mq 1", "1> 10>"},
		{"mq 0>", "mq 0>", "0>0 0>1 0>10"},
		{"0:0", "0:0 ", "0:0"},
		{"mq 0>1,", "mq 0>1,", "0>1,0> 0>1,1> 0>1,10>"},
		{"mq 0>1,10>0", "mq 0>1,10>0 ", "0>1,10>0"},
		{"mq 0>1>", "mq 0>1>10 ", "0>1>10"},
		{"0>10>", "0>10>", ""},
		{"mq 0>1 -", "mq 0>1 --",
			"--mechanisms --pairs --ring --cpus --threads --size --priority "
			"--policy --interval --distance"},
		{"mq --pairs smt ", "mq --pairs smt --",
			"--mechanisms --pairs --ring --cpus --threads --size "
			"--priority --policy --interval --distance"},
		{"mq 0>3 p", "mq 0>3 p", ""},
		{"0>3 sv", "0>3 svsem ", "svsem"},
		{"a", "all ", "all"},
	};

	/* CPUs 0 and 1 are a core's, and 0 and 10 share a level 3 cache. CPU 2, of another package, is not
	 * allowed. */
	struct topology_cpu cpus[] = {
		{0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}, {2, 2, 2, 2, 2, 1}, {10, 10, 10, 0, 0, 0}};
	const struct topology topology = {.cpus = cpus, .n_cpus = COUNT(cpus), .allowed = set_of("0,1,10")};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[64], found[128];

		snprintf(text, sizeof(text), "%s", rows[i].line);
		ring_words_complete(text, sizeof(text), &known, &topology, found, sizeof(found));
		CHECK(!strcmp(text, rows[i].becomes) && !strcmp(found, rows[i].found), "%s: '%s' '%s'",
			rows[i].line, text, found);
	}
}

int main(void)
{
	TEST(a_line_is_completed_as_far_as_it_is_clear);
	TEST(words_become_rings_or_a_sentence);
	return tap_done();
}
