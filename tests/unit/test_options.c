/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_options.c - what argv becomes, and which sentence a wrong one gets. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/options/config_file.h"
#include "src/options/option.h"
#include "src/options/options.h"
#include "tests/unit/option_names.h"
#include "tests/unit/tap.h"

/* Splits @line at spaces ('' is an empty word) and parses it. */
static int parse(const char *line, struct config *config, struct error_text *reason)
{
	static char text[512], name[] = "ipctop", empty[] = ""; /* the config points into them */
	struct config_file none = {.text = NULL};
	char *argv[64] = {name};
	int argc = 1;

	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = strcmp(word, "''") ? word : empty;
	strcpy(reason->text, "");
	return options_parse(config, &none, argc, argv, &known, reason);
}

static void without_options_the_defaults_hold(void)
{
	struct config config;
	struct error_text reason;

	unsetenv("NO_COLOR");
	CHECK(parse("", &config, &reason) == 0);
	CHECK(config.action == ACTION_RUN);
	CHECK(config.n_probes == 1 && config.probes[0] == &mq);
	CHECK(!strcmp(config.pairs, "own"));
	CHECK(!config.has_cpus && !config.has_housekeeping && !config.n_pairs && !config.fork);
	CHECK(!config.has_policy && config.policy.policy == SCHED_OTHER && config.policy.priority == 0);
	CHECK(config.interval_ns == 1000000 && config.distance_ns == 0);
	CHECK(config.duration_ns == 0 && config.loops == 0 && !config.has_dma_latency);
	CHECK(config.breaktrace_ns == 0);
	CHECK(!config.side_by_side && !config.force && !config.strict);
	CHECK(!config.has_memory && config.memory.kind == NUMA_RECEIVER);
	CHECK(config.figure == FIGURE_FIRST && config.view == 0);
	CHECK(config.tick_ns == 500000000 && config.refresh_ns == 1000000000);
	CHECK(!config.plain && !config.quiet && !config.colors && !config.no_color && !config.ascii &&
		!config.json && !config.render_columns);
}

/* Each row: the same config, said in several ways. */
/* Neither is there, or both are and say the same. */
static bool same_word(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void ways_to_say_the_same_give_the_same_config(void)
{
	static const char *const rows[][6] = {
		{"-p 80", "-p80", "--priority 80", "--prio=80", "--policy fifo -p 80", "-p 1 -p 80"},
		{"-i 100", "-i100us", "--interval=0.1ms", "--interval 0.0001s", "-i 100.0"},
		{"-D 90", "-D 90s", "-D1.5m", "--duration=0.025h"},
		{"-D 2d", "-D 48h", "--dur 172800"},
		{"-c 0-3", "-a 0-3", "-a0-3", "--affinity 0,1,2,3", "--affinity=0-3", "-c 0-3 -a 0-3"},
		{"", "-a", "-t", "-t 0", "-S",
			"-a -t -S -i 1000 -d 0 -l 0 -D 0 -m mq --pairs own --show first"},
		{"-t 4", "-t4", "--threads 4", "--threads=4", "-t 9 -t 4"},
		{"-Sp98 -i100 -d0", "-S -p 98 -i 100 -d 0"},
		{"-m all", "-m mq,signal,svsem", "-m mq -m all", "-m mq,all,mq"},
		{"-p 0", "--policy other", "--policy other -p 0", "-p 5 -p 0"},
		{"-f", "--fork", "-f -f"},
		{"-s 4096", "-s4k", "--size 4k", "--size=4096", "-s 1M -s 4k"},
		{"--work 64", "--work=64k", "--work 1M --work 64"},
		{"-m signal -s 0", "-m signal"},
		{"-b 20", "-b20us", "--breaktrace=0.02ms", "--break 20", "-b 5 -b 20"},
		{"", "-b 0"},
		{"-q", "--quiet"},
		{"list", "-- list"},
		{"-a 2 list", "list -a 2", "list -a2"},
		{"--tick 0.05", "--tick=0.05s"},
		{"-h", "--help", "-h -p 999", "-h foo"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t j = 1; j < 6 && rows[i][j]; j++) {
			struct config first, other;
			struct error_text reason;

			memset(&first, 0, sizeof(first));
			memset(&other, 0, sizeof(other));
			CHECK(parse(rows[i][0], &first, &reason) == 0, "'%s': %s", rows[i][0], reason.text);
			CHECK(parse(rows[i][j], &other, &reason) == 0, "'%s': %s", rows[i][j], reason.text);
			CHECK(same_word(first.pairs, other.pairs), "'%s'", rows[i][j]);
			CHECK(first.action == other.action && first.n_probes == other.n_probes &&
					!memcmp(first.probes, other.probes, sizeof(first.probes)) &&
					first.has_cpus == other.has_cpus &&
					cpus_equal(&first.cpus, &other.cpus) &&
					first.n_pairs == other.n_pairs && first.fork == other.fork &&
					first.has_policy == other.has_policy &&
					first.policy.policy == other.policy.policy &&
					first.policy.priority == other.policy.priority &&
					first.interval_ns == other.interval_ns &&
					first.distance_ns == other.distance_ns &&
					first.duration_ns == other.duration_ns &&
					first.breaktrace_ns == other.breaktrace_ns &&
					first.loops == other.loops && first.figure == other.figure &&
					first.tick_ns == other.tick_ns && first.plain == other.plain &&
					first.quiet == other.quiet,
				"'%s' and '%s'", rows[i][0], rows[i][j]);
		}
}

static void a_ring_goes_from_cpu_to_cpu_unless_pairs_are_named(void)
{
	static const struct {
		const char *line, *pairs;
		unsigned members, rings;
	} rows[] = {
		{"", "own", 0, 0},
		{"--ring 2", NULL, 2, 0},
		{"--ring 8x4", NULL, 8, 4},
		{"--ring 2048x4096", NULL, 2048, 4096},
		{"--ring 3 --pairs own", "own", 3, 0},
		{"--pairs own --ring 8x4 --ring 3", "own", 3, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct config config;
		struct error_text reason;

		CHECK(parse(rows[i].line, &config, &reason) == 0, "'%s': %s", rows[i].line, reason.text);
		CHECK(config.ring_members == rows[i].members && config.n_rings == rows[i].rings, "'%s'",
			rows[i].line);
		CHECK(rows[i].pairs ? config.pairs && !strcmp(config.pairs, rows[i].pairs) : !config.pairs,
			"'%s'", rows[i].line);
	}
}

static void each_option_reaches_its_field(void)
{
	struct config config;
	struct error_text reason;

	CHECK(parse("-m svsem,mq --pairs 0:3,5:5 -c 0-3,5 -H 7 -t 6 -f --policy rr -p 7 -i 2ms -d 10 -D 3m "
		    "-l 12345678901 --dma-latency 0 --memory node:3 --side-by-side --turns 1.5m --allow-rt-spin --force --strict -b 50 --show response --view detail --fail-above 1.5ms --tick 0.25 "
		    "--refresh 2.5 --plain --palette dark --no-color -U --mouse --json out.json",
		      &config, &reason) == 0,
		"%s", reason.text);
	CHECK(config.n_probes == 2 && config.probes[0] == &svsem && config.probes[1] == &mq);
	CHECK(!strcmp(config.pairs, "0:3,5:5"));
	CHECK(config.has_cpus && cpus_count(&config.cpus) == 5 && cpus_has(&config.cpus, 5));
	CHECK(config.has_housekeeping && cpus_count(&config.housekeeping) == 1 &&
		cpus_has(&config.housekeeping, 7));
	CHECK(config.n_pairs == 6 && config.fork);
	CHECK(config.has_policy && config.policy.policy == SCHED_RR && config.policy.priority == 7);
	CHECK(config.interval_ns == 2000000 && config.distance_ns == 10000);
	CHECK(config.duration_ns == UINT64_C(180000000000) && config.loops == UINT64_C(12345678901));
	CHECK(config.has_dma_latency && config.dma_latency_us == 0);
	CHECK(config.has_memory && config.memory.kind == NUMA_NODE && config.memory.node == 3);
	CHECK(config.side_by_side && config.turn_ns == UINT64_C(90000000000));
	CHECK(config.force && config.strict && config.allow_rt_spin && config.breaktrace_ns == 50000);
	CHECK(config.figure == FIGURE_RESPONSE && config.view == 1);
	CHECK(config.has_fail_above && config.fail_above_ns == 1500000);
	CHECK(config.tick_ns == 250000000 && config.refresh_ns == UINT64_C(2500000000));
	CHECK(config.mouse && config.palette == 1);
	CHECK(config.n_columns == 0 && config.sort == 0 && config.unit == 1 && config.window == 1,
		"the defaults");
	CHECK(config.plain && !config.quiet && config.colors == 2 && config.ascii &&
		!strcmp(config.json, "out.json"));

	CHECK(parse("--columns N,cur,n --sort P99.9 --unit ms --window 10s", &config, &reason) == 0, "%s",
		reason.text);
	CHECK(config.n_columns == 2 && config.columns[0] == 3 && config.columns[1] == 1 && config.sort == 2 &&
		config.unit == 2 && config.window == 0);
	CHECK(parse("--columns cur --columns all", &config, &reason) == 0 && config.n_columns == 0);
	CHECK(parse("--no-color --colors true", &config, &reason) == 0 && config.colors == 1);
	CHECK(parse("--colors true --no-color", &config, &reason) == 0 && config.colors == 2);
	CHECK(parse("-s 1M --work 1024M", &config, &reason) == 0);
	CHECK(config.size == 1 << 20 && config.work_size == 1 << 30);
	CHECK(parse("-q --json -", &config, &reason) == 0 && config.quiet && !strcmp(config.json, "-"));
	CHECK(parse("--render 120x40", &config, &reason) == 0);
	CHECK(config.render_columns == 120 && config.render_lines == 40);
	CHECK(parse("--plan", &config, &reason) == 0 && config.action == ACTION_PLAN);
	CHECK(parse("-V", &config, &reason) == 0 && config.action == ACTION_VERSION);
	CHECK(parse("-h", &config, &reason) == 0 && config.action == ACTION_HELP);
	CHECK(parse("--export csv=a=b --export jsonl=-", &config, &reason) == 0, "%s", reason.text);
	CHECK(!strcmp(config.exports[0], "a=b") && !strcmp(config.exports[1], "-"));
	CHECK(parse("--no-config export csv x --show lap", &config, &reason) == 0, "%s", reason.text);
	CHECK(config.action == ACTION_EXPORT && config.no_config && config.quiet &&
		config.figure == FIGURE_LAP && !strcmp(config.replay, "x") &&
		!strcmp(config.exports[0], "-") && !config.exports[1]);
	CHECK(parse("list", &config, &reason) == 0 && config.action == ACTION_LIST);
	CHECK(parse("--stamps lap", &config, &reason) == 0 && config.stamps == STAMPS_LAP &&
		config.figure == FIGURE_LAP && !config.batch_laps);
	CHECK(parse("--batch 64 -i 0", &config, &reason) == 0 && config.batch_laps == 64 &&
		config.stamps == STAMPS_LAP && config.figure == FIGURE_LAP && !config.plain);
	CHECK(parse("-i 0 --batch=7 --show lap", &config, &reason) == 0 && config.batch_laps == 7);
	CHECK(parse("-c 3 -c 1", &config, &reason) == 0 && cpus_count(&config.cpus) == 1);
	CHECK(parse("--policy idle", &config, &reason) == 0 && config.policy.policy == SCHED_IDLE);
}

static void no_color_in_the_environment_counts_unless_empty(void)
{
	struct config config;
	struct error_text reason;

	setenv("NO_COLOR", "1", 1);
	CHECK(parse("", &config, &reason) == 0 && config.no_color && !config.colors);
	setenv("NO_COLOR", "", 1);
	CHECK(parse("", &config, &reason) == 0 && !config.no_color);
	unsetenv("NO_COLOR");
}

static const char interval[] = "the interval must be 0 (flood) to 60s, in microseconds or with us, ms or s";
static const char duration[] = "the duration must be 0 (endless) to 3650d, in seconds or with s, m, h or d";
static const char loops[] = "the number of laps must be 0 (endless) to 1000000000000000";
static const char bytes[] = "the size must be 0 (the smallest token) to 1M, in bytes or with k or M";
static const char work[] = "the work must be 0 to 1024M, in KiB or with M";
static const char limit[] = "the limit must be 0 (none) to 60s, in microseconds or with us, ms or s";
static const char turns[] = "the length of a turn must be 0.1 to 3600 seconds, or with s, m or h";
static const char list[] = "must be a list of CPUs such as 0-3,8";
static const char mechanisms[] = "no such mechanism: choose from mq, signal, svsem, or all";
static const char ring[] = "the ring must be N or NxM: 2 to 2048 members, 1 to 4096 rings";
static const char screen[] = "the size must be columns x lines, such as 80x24, from 1x1 to 1000x1000";

static const struct {
	const char *line, *value, *why; /* the sentence is "value: why" */
} wrong_lines[] = {
	{"-D abc", "-D abc", duration},
	{"-D ''", "-D ''", duration},
	{"-D 5ms", "-D 5ms", duration},
	{"-D -1", "-D -1", duration},
	{"-D 3651d", "-D 3651d", duration},
	{"-D 99999999999999999999", "-D 99999999999999999999", duration},
	{"-D 9999999999999999d", "-D 9999999999999999d", duration},
	{"--dur=1x", "--duration 1x", duration},
	{"-i -5", "-i -5", interval},
	{"-i 1e3", "-i 1e3", interval},
	{"-i 0x10", "-i 0x10", interval},
	{"-i +5", "-i +5", interval},
	{"-i 5.", "-i 5.", interval},
	{"-i 61s", "-i 61s", interval},
	{"-i 0.0001", "-i 0.0001", interval},
	{"--interval 5m", "--interval 5m", interval},
	{"-d x", "-d x", "the distance must be 0 to 60s, in microseconds or with us, ms or s"},
	{"-p 99", "-p 99", "the priority must be 0 to 98 (99 is ipctop's own)"},
	{"-p 120", "-p 120", "the priority must be 0 to 98 (99 is ipctop's own)"},
	{"-p -1", "-p -1", "the priority must be 0 to 98 (99 is ipctop's own)"},
	{"-p 4294967297", "-p 4294967297", "the priority must be 0 to 98 (99 is ipctop's own)"},
	{"-p 18446744073709551617", "-p 18446744073709551617",
		"the priority must be 0 to 98 (99 is ipctop's own)"},
	{"--prio 5x", "--priority 5x", "the priority must be 0 to 98 (99 is ipctop's own)"},
	{"-l 1.5", "-l 1.5", loops},
	{"--turns 0", "--turns 0", turns},
	{"--turns 0.09", "--turns 0.09", turns},
	{"--turns 2h", "--turns 2h", turns},
	{"--turns 1x", "--turns 1x", turns},
	{"-l ''", "-l ''", loops},
	{"-t 5000", "-t 5000", "the number of pairs must be 0 (one for each CPU) to 4096"},
	{"-t2x", "-t 2x", "the number of pairs must be 0 (one for each CPU) to 4096"},
	{"--dma-latency -1", "--dma-latency -1", "the latency must be 0 to 2000000000 microseconds"},
	{"-b -1", "-b -1", limit},
	{"-b 61s", "-b 61s", limit},
	{"--breaktrace 5m", "--breaktrace 5m", limit},
	{"--fail-above x", "--fail-above x", limit},
	{"--tick 0.01", "--tick 0.01", "the tick must be 0.05 to 10 seconds"},
	{"--tick .", "--tick .", "the tick must be 0.05 to 10 seconds"},
	{"--refresh 2h", "--refresh 2h", "the refresh must be 0.1 to 3600 seconds"},
	{"--view matrix", "--view matrix", "the view must be one of overview, detail"},
	{"--colors pink", "--colors pink", "the colors must be one of auto, true, none"},
	{"--palette pink", "--palette pink", "the palette must be one of default, dark"},
	{"--columns cur,min", "--columns min", "no such column: choose from PAIR, Cur, p99.9, n, or all"},
	{"--columns cur,", "--columns ''", "no such column: choose from PAIR, Cur, p99.9, n, or all"},
	{"--sort min", "--sort min", "the column must be one of PAIR, Cur, p99.9, n"},
	{"--unit s", "--unit s", "the unit must be one of ns, us, ms"},
	{"--show p99", "--show p99", "the figure must be one of first, answer, lap, response"},
	{"--show lateness", "--show lateness", "the figure must be one of first, answer, lap, response"},
	{"-m foo", "-m foo", mechanisms},
	{"-m m", "-m m", mechanisms},
	{"-m mq,nope,signal", "-m nope", mechanisms},
	{"-m mq,", "-m mq,", mechanisms},
	{"-m ''", "-m ''", mechanisms},
	{"-c ''", "-c ''", list},
	{"-c 9-1", "-c 9-1", list},
	{"-a 0-3x", "-a 0-3x", list},
	{"-aall", "-a all", list},
	{"-H 99999", "-H 99999", list},
	{"--json ''", "--json ''", "must not be empty"},
	{"--pairs ''", "--pairs ''", "must not be empty"},
	{"--render 80", "--render 80", screen},
	{"--render 0x24", "--render 0x24", screen},
	{"--render 80x24x", "--render 80x24x", screen},
	{"--render 1001x1", "--render 1001x1", screen},
	{"--ring 1", "--ring 1", ring},
	{"--ring 2049", "--ring 2049", ring},
	{"--ring 3x", "--ring 3x", ring},
	{"--ring x3", "--ring x3", ring},
	{"--ring 3x0", "--ring 3x0", ring},
	{"--ring 3x4097", "--ring 3x4097", ring},
	{"--ring 3x4x5", "--ring 3x4x5", ring},
	{"--ring 4294967298", "--ring 4294967298", ring},
	{"--policy foo", "--policy foo", "the policy must be other, batch, idle, fifo or rr"},
	{"--policy deadline", "--policy deadline",
		"the kernel can't pin a deadline task to one CPU: choose other, batch, idle, fifo or rr"},
	{"-s 1025k", "-s 1025k", bytes},
	{"-s 1m", "-s 1m", bytes},
	{"-s -1", "-s -1", bytes},
	{"-s 1.5k", "-s 1.5k", bytes},
	{"-s 2M", "-s 2M", bytes},
	{"--work 1025M", "--work 1025M", work},
	{"--work 99999999999999999999", "--work 99999999999999999999", work},
	{"-z", "-z", "no such option; ipctop --help lists them"},
	{"-fz", "-z", "no such option; ipctop --help lists them"},
	{"--foo=1", "--foo", "no such option; ipctop --help lists them"},
	{"--re 1", "--re",
		"ambiguous, it may mean --recorder, --refresh, --read-only, --render, --report, --record, --replay"},
	{"--batch 0 -i 0", "--batch 0", "the number of laps must be 1 to 1000000"},
	{"--stamps hop", "--stamps hop", "the stamps must be one of all, lap"},
	{"-p", "-p needs a value", "-p PRIO"},
	{"--json", "--json needs a value", "--json FILE"},
	{"foo", "foo",
		"no such command; the commands are list, export, report, averb and the tools that ipctop list names"},
	{"-a all", "all",
		"no such command; the commands are list, export, report, averb and the tools that ipctop list names"},
	{"''", "''",
		"no such command; the commands are list, export, report, averb and the tools that ipctop list names"},
	{"-f averb", "averb", "must be the first word; its options follow it"},
	{"-f atool", "atool", "must be the first word; its options follow it"},
	{"list more", "more", "list takes no arguments"},
};

static void wrong_input_gets_one_sentence_with_option_value_and_bounds(void)
{
	for (size_t i = 0; i < sizeof(wrong_lines) / sizeof(*wrong_lines); i++) {
		struct config config;
		struct error_text reason;
		char sentence[300];

		snprintf(sentence, sizeof(sentence), "%s: %s", wrong_lines[i].value, wrong_lines[i].why);
		CHECK(parse(wrong_lines[i].line, &config, &reason) == -EINVAL, "'%s'", wrong_lines[i].line);
		CHECK(!strcmp(reason.text, sentence), "'%s' gave '%s'", wrong_lines[i].line, reason.text);
	}
}

static void combinations_without_a_sense_are_refused(void)
{
	static const struct {
		const char *line, *sentence;
	} rows[] = {
		{"-c 0 -a 1", "-a 1: -c 0 names other CPUs; leave one of them out"},
		{"-a -c 0", "-a (all): -c 0 names other CPUs; leave one of them out"},
		{"--policy fifo", "--policy fifo needs a priority: add -p 1..98"},
		{"--policy rr -p 0", "--policy rr needs a priority: add -p 1..98"},
		{"--policy other -p 50", "-p 50: --policy other has no priorities; only fifo and rr have"},
		{"-p 1 --policy idle", "-p 1: --policy idle has no priorities; only fifo and rr have"},
		{"-S --pairs smt", "--pairs smt: -S means --pairs own; leave one of them out"},
		{"-S -t 3", "-t 3: -S means one pair for each CPU; leave one of them out"},
		{"--ring 3 -S", "--ring: -S means one pair for each CPU; leave one of them out"},
		{"--ring 3 -t 2", "-t 2: --ring says how many rings, as in --ring 3x2; leave -t out"},
		{"--ring 3 --pairs smt", "--pairs smt: the members of a ring run on one CPU (--pairs own), "
					 "or on the CPUs of -c in turn (without --pairs)"},
		{"-i 0 -d 5", "-d: flood (-i 0) has no intervals to add a distance to"},
		{"--batch 5 -i 10", "--batch 5: a paced lap has its own stamps; add -i 0 for a flood"},
		{"--batch 5 -i 0 -b 9", "--batch 5: -b needs the time of each lap; leave one of them out"},
		{"--batch 5 -i 0 --fail-above 9",
			"--batch 5: --fail-above needs the time of each lap; leave one of them out"},
		{"--batch 5 -i 0 --baseline x", "--batch 5: --baseline compares percentiles, which only "
						"single laps have; leave one of them out"},
		{"--batch 5 -i 0 --stamps all", "--batch 5: --stamps all stamps each hop; leave one of them "
						"out, or choose --stamps lap"},
		{"--batch 5 -i 0 --show answer",
			"--show answer: --batch stamps no hop, so only the lap is measured; choose lap"},
		{"--stamps lap --show first",
			"--show first: --stamps lap stamps no hop, so only the lap is measured; choose lap"},
		{"--replay x --batch 5", "--batch: --replay measures nothing; leave one of them out"},
		{"--replay x --stamps lap", "--stamps: --replay measures nothing; leave one of them out"},
		{"--json - --render 80x24", "--json -: --render prints to stdout too; name a file"},
		{"--plain --render 80x24", "--render: --plain has no screen to print"},
		{"--svg", "--svg: no screen is printed; add --render WxH"},
		{"report", "report: takes a recording, and -o FILE"},
		{"report x", "report x: the output file is missing; add -o FILE.html"},
		{"report x -o y --replay z", "--replay z: report has a recording; leave --replay out"},
		{"--plan --plot x", "--plot: --plan measures nothing, so there is nothing to write"},
		{"-q --render 80x24", "--render: -q has no screen to print"},
		{"list --plan", "--plan: list prints no plan; leave one of them out"},
		{"list --json x", "--json: list measures nothing, so there is nothing to write"},
		{"--plan --json -", "--json: --plan measures nothing, so there is nothing to write"},
		{"--replay x --memory local", "--memory: --replay measures nothing; leave one of them out"},
		{"--replay x -p 3", "--priority: --replay measures nothing; leave one of them out"},
		{"--replay x --interval 3", "--interval: --replay measures nothing; leave one of them out"},
		{"--replay x --record y", "--record: --replay measures nothing; leave one of them out"},
		{"export", "export: takes a format (csv, jsonl) and a recording"},
		{"export csv", "export: takes a format (csv, jsonl) and a recording"},
		{"--export csv=y export csv x", "--export csv=y: export prints this format to stdout"},
		{"--export csv=y --export csv=x", "--export csv=x: csv already has a file: y"},
		{"export csv x y", "export: takes a format (csv, jsonl) and a recording"},
		{"export xml x", "export xml: no such format: choose from csv, jsonl"},
		{"--replay y export csv x", "--replay y: export has a recording; leave --replay out"},
		{"--record y export csv x", "--record: export measures nothing; leave one of them out"},
		{"--plan export csv x", "--plan: export measures nothing; leave one of them out"},
		{"--json - export csv x", "--export csv=-: --json - prints to stdout too; name a file"},
		{"--export jsonl=- --export csv=-",
			"--export jsonl=-: --export csv=- prints to stdout too; name a file"},
		{"--render 80x24 --export csv=-",
			"--export csv=-: --render prints to stdout too; name a file"},
		{"list --export csv=x", "--export: list measures nothing, so there is nothing to write"},
		{"--plan --export csv=x", "--export: --plan measures nothing, so there is nothing to write"},
		{"--speed 2", "--speed: needs a recording: add --replay FILE"},
		{"--replay x list", "--replay: list shows no recording; leave one of them out"},
		{"--record x --plan", "--record: --plan measures nothing, so there is nothing to record"},
		{"--plan --render 80x24", "--render: --plan has no screen to print"},
		{"--fork=3", "--fork takes no value"},
		{"-m signal -s 100", "-s 100: signal carries no bytes; choose from -m mq"},
		{"-m all -s 1k", "-s 1024: signal,svsem carry no bytes; choose from -m mq"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct config config;
		struct error_text reason;

		CHECK(parse(rows[i].line, &config, &reason) == -EINVAL, "'%s'", rows[i].line);
		CHECK(!strcmp(reason.text, rows[i].sentence), "'%s' gave '%s'", rows[i].line, reason.text);
	}
}

static void values_from_outside_are_shown_short_and_printable(void)
{
	struct config config;
	struct error_text reason;

	CHECK(parse("-p \x1b[31m\x07", &config, &reason) == -EINVAL);
	CHECK(!strcmp(reason.text, "-p ?[31m?: the priority must be 0 to 98 (99 is ipctop's own)"), "%s",
		reason.text);
	CHECK(parse("-\x1b", &config, &reason) == -EINVAL);
	CHECK(!strncmp(reason.text, "-?: ", 4), "%s", reason.text);
	CHECK(parse("-p 11111111111111111111111111111111111111111111111111111111111111", &config, &reason) <
		0);
	CHECK(!strcmp(reason.text,
		      "-p 1111111111111111111111111111111111111111...: the priority must be 0 to 98 (99 is ipctop's own)"),
		"%s", reason.text);
}

static void there_is_room_for_all_options(void)
{
	size_t n = 0;

	while (option_at(options_tables, n))
		n++;
	CHECK(n <= OPTION_ROWS_MAX, "%zu", n);
}

static void help_names_every_option_in_80_columns(void)
{
	const struct option_row *row;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	options_help(out, &known);
	fclose(out);
	for (size_t i = 0; (row = option_at(options_tables, i)); i++) {
		char wanted[64];

		if (row->letter)
			snprintf(wanted, sizeof(wanted), "  -%c, --%s", row->letter, row->name);
		else
			snprintf(wanted, sizeof(wanted), "      --%s", row->name);
		CHECK(strstr(text, wanted), "%s", wanted);
	}
	CHECK(strstr(text, ": overview (default) or detail\n"));
	CHECK(!strstr(text, "atool"), "the list has the tools");
	CHECK(strstr(text, "\n       ipctop averb A B         whether B is worse\n"));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		CHECK(strcspn(line, "\n") <= 80, "%.*s", (int)strcspn(line, "\n"), line);
	free(text);
}

static void no_letter_and_no_name_stands_twice_in_the_table(void)
{
	const struct option_row *a, *b;

	for (size_t i = 0; (a = option_at(options_tables, i)); i++)
		for (size_t j = i + 1; (b = option_at(options_tables, j)); j++) {
			CHECK(strcmp(a->name, b->name), "--%s", a->name);
			CHECK(!a->letter || a->letter != b->letter, "-%c", a->letter);
		}
}

int main(void)
{
	TEST(without_options_the_defaults_hold);
	TEST(ways_to_say_the_same_give_the_same_config);
	TEST(a_ring_goes_from_cpu_to_cpu_unless_pairs_are_named);
	TEST(each_option_reaches_its_field);
	TEST(no_color_in_the_environment_counts_unless_empty);
	TEST(wrong_input_gets_one_sentence_with_option_value_and_bounds);
	TEST(combinations_without_a_sense_are_refused);
	TEST(values_from_outside_are_shown_short_and_printable);
	TEST(help_names_every_option_in_80_columns);
	TEST(no_letter_and_no_name_stands_twice_in_the_table);
	TEST(there_is_room_for_all_options);
	return tap_done();
}
