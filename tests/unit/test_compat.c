/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_compat.c - the grammar that the compat tools' options share, and what they become. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/compat/compat.h"
#include "src/compat/tools.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "tests/unit/tap.h"

enum { WORDS_MAX = 16 };

/* What a line of words said. */
struct said {
	char text[256];
	char *words[WORDS_MAX + 1];
	struct compat compat;
	struct error_text reason;
	int result;
};

/* Splits @line at its spaces; its first word is the tool. */
static void said(struct said *said, const char *line)
{
	char *rest = said->text;
	int n = 0;

	*said = (struct said){.compat.registry = probe_registry};
	snprintf(said->text, sizeof(said->text), "%s", line);
	for (char *word; n < WORDS_MAX && (word = strsep(&rest, " "));)
		said->words[n++] = word;
	said->compat.tool = tools_find(n, said->words);
	char **words = said->words;

	if (!strcmp(words[0], "ipctop")) /* as compat_main() has it */
		words++, n--;
	for (unsigned cpu = 0; cpu < 4; cpu++)
		cpus_add(&said->compat.topology.usable, cpu);
	said->compat.topology.allowed = said->compat.topology.usable;
	said->compat.settings = *said->compat.tool->defaults;
	said->result = compat_read(&said->compat, n, words, &said->reason);
	if (said->result == 0)
		said->result = said->compat.tool->settle(&said->compat, &said->reason);
}

static void a_tool_is_found_by_what_it_is_called_and_by_the_first_word(void)
{
	static const struct {
		const char *words[3], *tool;
	} cases[] = {
		{{"pmqtest", "-q"}, "pmqtest"},
		{{"/usr/bin/svsematest"}, "svsematest"},
		{{"./ipctop", "signaltest", "-q"}, "signaltest"},
		{{"ipctop", "-q"}, NULL},
		{{"ipctop", "list"}, NULL},
		{{"ipctop", "./pmqtest"}, NULL},
		{{"ipctop", "pmq"}, NULL},
		{{"ipctop"}, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int n = 0;

		while (n < 3 && cases[i].words[n])
			n++;
		const struct compat_tool *tool = tools_find(n, (char *const *)cases[i].words);

		CHECK(cases[i].tool ? tool && !strcmp(tool->name, cases[i].tool) : !tool, "%s %s",
			cases[i].words[0], cases[i].words[1] ? cases[i].words[1] : "");
	}
}

static void places_are_read_in_every_spelling(void)
{
	static const struct {
		const char *line;
		unsigned n_rings;
		bool unpinned;
		int cpu; /* -1: all */
	} cases[] = {
		{"pmqtest", 1, true, -1},
		{"pmqtest -a", 1, false, -1},
		{"pmqtest -a 0", 1, false, -1},
		{"pmqtest -a0", 1, false, 0},
		{"pmqtest -a 3", 1, false, 3},
		{"pmqtest -a3 -t7", 7, false, 3},
		{"pmqtest --affinity 0 -t 0", 4, false, -1},
		{"pmqtest --affinity=0 -t", 4, false, 0},
		{"pmqtest --aff=2 --thr=9", 9, false, 2},
		{"pmqtest -t", 4, true, -1},
		{"pmqtest -t 2", 2, true, -1},
		{"pmqtest --threads 3 -a -q", 3, false, -1},
		{"pmqtest -S", 4, false, -1},
		{"svsematest -a 1 -t 2 -S", 4, false, -1},
		{"svsematest -a -t -p99 -i100 -d25 -l1000000", 4, false, -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct said s;

		said(&s, cases[i].line);
		const struct config *config = &s.compat.settings.config;

		CHECK(s.result == 0, "%s: %s", cases[i].line, s.reason.text);
		CHECK(config->n_rings == cases[i].n_rings, "%s: %u", cases[i].line, config->n_rings);
		CHECK(config->tool.unpinned == cases[i].unpinned, "%s", cases[i].line);
		CHECK((config->has_cpus ? cpus_next(&config->cpus, -1) : -1) == cases[i].cpu, "%s",
			cases[i].line);
	}
}

static void times_and_numbers_are_read_in_every_spelling(void)
{
	static const struct {
		const char *line;
		uint64_t interval_us, distance_us, duration_s, loops, break_us;
		int priority;
	} cases[] = {
		{"pmqtest", 1000, 500, 0, 0, 0, 0},
		{"pmqtest -Sp99 -i100 -d0", 100, 0, 0, 0, 0, 99},
		{"svsematest -a -b 20us -f -i 100 -l 100 -S", 100, 500, 0, 100, 20, 0},
		{"pmqtest --loops=1000 --interval=1000 --prio=99", 1000, 500, 0, 1000, 0, 99},
		{"pmqtest -q -S -p 98 -D 5m --json=F", 1000, 500, 300, 0, 0, 98},
		{"svsematest -q -t -a -p 98 -D 5m --json=F", 1000, 500, 300, 0, 0, 98},
		{"ptsematest --i 2ms --dist 1 --du 1h --l 7 --br=3", 2000, 1, 3600, 7, 3, 0},
		{"sigwaittest --int=5 --prior 1 -D1d", 5, 500, 86400, 0, 0, 1},
		{"sigwaittest -D 90 -d 1ms", 1000, 1000, 90, 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct said s;

		said(&s, cases[i].line);
		const struct config *config = &s.compat.settings.config;

		CHECK(s.result == 0, "%s: %s", cases[i].line, s.reason.text);
		CHECK(config->interval_ns == cases[i].interval_us * 1000 &&
				config->distance_ns == cases[i].distance_us * 1000 &&
				config->duration_ns == cases[i].duration_s * 1000000000 &&
				config->loops == cases[i].loops &&
				config->breaktrace_ns == cases[i].break_us * 1000,
			"%s", cases[i].line);
		CHECK(config->has_policy && config->policy.priority == cases[i].priority &&
				config->policy.policy == (cases[i].priority ? SCHED_FIFO : SCHED_OTHER),
			"%s", cases[i].line);
	}
}

static void what_belongs_to_one_tool_is_read(void)
{
	struct said s;

	said(&s, "pmqtest -T 1 -f 2");
	CHECK(s.result == 0 && s.compat.settings.config.tool.timeout_ns == 1000000000 &&
		s.compat.settings.config.tool.hold_ns == 2000000000 &&
		!s.compat.settings.config.tool.timeout_fails);
	said(&s, "pmqtest --timeout=3");
	CHECK(s.result == 0 && s.compat.settings.config.tool.timeout_fails &&
		!s.compat.settings.config.tool.hold_ns);
	said(&s, "svsematest --fork");
	CHECK(s.result == 0 && s.compat.settings.config.fork);
	said(&s, "sigwaittest -f 1 -l 5");
	CHECK(s.result == 0 && s.compat.settings.config.fork && s.compat.settings.config.loops == 5);
	said(&s, "signaltest -q -D 1m -a -m -p 98 -t 2 --json=F");
	CHECK(s.result == 0 && s.compat.settings.config.ring_members == 2 &&
		s.compat.settings.config.tool.burst == 16 && !strcmp(s.compat.settings.json, "F"));
	said(&s, "signaltest -a 1-2 -t 8 -v");
	CHECK(s.result == 0 && s.compat.settings.config.ring_members == 8 &&
		cpus_count(&s.compat.settings.config.cpus) == 2 && s.compat.settings.config.tool.lap_log);
	said(&s, "signaltest -a 0 --prio 99 --ipctop-json=G");
	CHECK(s.result == 0 && cpus_count(&s.compat.settings.config.cpus) == 1 &&
		!strcmp(s.compat.settings.config.json, "G"));
}

static const struct {
	const char *line, *named, *why;
} refused[] = {
	{"pmqtest -p 100", "-p 100", "0 (SCHED_OTHER), or 1 to 99"},
	{"pmqtest -p x", "-p x", "0 (SCHED_OTHER), or 1 to 99"},
	{"pmqtest -i -5", "-i -5", "0 to 3600s"},
	{"pmqtest -D abc", "-D abc", "in seconds"},
	{"pmqtest -D 5x", "-D 5x", "in seconds"},
	{"pmqtest -a 4", "-a 4", "allowed to this process are 0-3"},
	{"pmqtest -ax", "-a x", "a CPU's number"},
	{"pmqtest -t0", "-t 0", "1 to 4096"},
	{"pmqtest -t 5000", "-t 5000", "1 to 4096"},
	{"pmqtest -l -1", "-l -1", "2^48"},
	{"pmqtest -f 1", "-f", "add -T"},
	{"pmqtest -T 0", "-T 0", "more than 0"},
	{"pmqtest -b", "-b", "needs a value: -b USEC"},
	{"pmqtest --json", "--json", "needs a value: --json FILENAME"},
	{"pmqtest -x", "-x", "no such option"},
	{"pmqtest --bogus", "--bogus", "no such option; pmqtest --help lists them"},
	{"pmqtest --d 5", "--d", "ambiguous, it may mean --duration, --distance"},
	{"pmqtest --dis=x", "--distance x", "0 to 60s"},
	{"pmqtest --quiet=3", "--quiet", "takes no value"},
	{"pmqtest more", "more", "takes only options"},
	{"svsematest -T 1", "-T", "no such option"},
	{"ptsematest -f", "-f", "no such option"},
	{"svsematest -fr0", "-r", "no such option"},
	{"svsematest -f x", "x", "takes only options"},
	{"svsematest --fork=1", "--fork", "takes no value"},
	{"signaltest -t 1", "-t 1", "2 to 2048"},
	{"signaltest -a 7", "-a 7", "allowed to this process are 0-3"},
	{"signaltest -a 0-x", "-a 0-x", "a list of CPUs such as"},
	{"ipc-bench", "the method is missing", "shm, mq, domain"},
	{"ipc-bench udp", "udp", "the method must be"},
	{"ipc-bench pipe fifo", "fifo", "one method at a time"},
	{"ipc-bench pipe --tcp", "--tcp", "for zeromq"},
	{"ipc-bench pipe -s 0", "-s 0", "1 to 1M"},
	{"ipc-bench pipe -s 2M", "-s 2M", "1 to 1M"},
	{"ipc-bench pipe -c 0", "-c 0", "1 to 2^48"},
	{"ipc-bench pipe -c -1", "-c -1", "1 to 2^48"},
	{"ipc-bench shm --cpus 2", "shm", "need a CPU each; --cpus names one"},
	{"ipc-bench pipe --cpus 9", "--cpus 9", "allowed to this process are 0-3"},
	{"lat_ctx", "the numbers of processes are missing", "2 to 2048"},
	{"lat_ctx -s 0", "the numbers of processes are missing", "2 to 2048"},
	{"lat_ctx 1", "1", "2 to 2048"},
	{"lat_ctx 2 2049", "2049", "2 to 2048"},
	{"lat_ctx 2 x", "x", "2 to 2048"},
	{"lat_ctx -P 0 2", "-P 0", "1 to 256"},
	{"lat_ctx -N 1001 2", "-N 1001", "1 to 1000"},
	{"lat_ctx -W -1 2", "-W -1", "0 to 3600s"},
	{"lat_ctx -s 2G 2", "-s 2G", "0 to 1024M"},
	{"lat_ctx --cpus 4 2", "--cpus 4", "allowed to this process are 0-3"},
	{"lat_ctx --cpus x 2", "--cpus x", "a list of CPUs such as"},
	{"lat_ctx -x 2", "-x", "no such option"},
};

static void bad_values_are_refused_by_name(void)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct said s;

		said(&s, refused[i].line);
		CHECK(s.result == -EINVAL, "%s", refused[i].line);
		CHECK(!strncmp(s.reason.text, refused[i].named, strlen(refused[i].named)) &&
				strstr(s.reason.text, refused[i].why),
			"%s: %s", refused[i].line, s.reason.text);
	}
}

static void rings_of_lat_ctx_are_read(void)
{
	static const struct {
		const char *line;
		uint64_t parallel, warmup_us, repetitions, size;
		const char *first, *last;
		bool unpinned;
	} cases[] = {
		{"lat_ctx -s 0 2 4 8 16 20", 1, 0, 11, 0, "2", "20", true},
		{"lat_ctx 2048", 1, 0, 11, 0, "2048", "2048", true},
		{"lat_ctx -P 2 -W 5000 -N 3 -s 64 2", 2, 5000, 3, 64 << 10, "2", "2", true},
		{"lat_ctx 2 -P2 -s1M 3", 2, 0, 11, 1 << 20, "2", "3", true},
		{"lat_ctx --cpus 1 --json=F 7", 1, 0, 11, 0, "7", "7", false},
		{"ipctop lat_ctx --cpus=0,2 --repetitions=1 2 2", 1, 0, 1, 0, "2", "2", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct said s;

		said(&s, cases[i].line);
		const struct compat_settings *settings = &s.compat.settings;

		CHECK(s.result == 0, "%s: %s", cases[i].line, s.reason.text);
		CHECK(settings->threads == cases[i].parallel &&
				settings->warmup_ns == cases[i].warmup_us * 1000 &&
				settings->repetitions == cases[i].repetitions &&
				settings->config.work_size == cases[i].size &&
				settings->config.tool.unpinned == cases[i].unpinned,
			"%s", cases[i].line);
		size_t n = 0;

		while (s.result == 0 && settings->words[n])
			n++;
		CHECK(n && !strcmp(settings->words[0], cases[i].first) &&
				!strcmp(settings->words[n - 1], cases[i].last),
			"%s", cases[i].line);
	}
}

static void methods_of_ipc_bench_are_read(void)
{
	static const struct {
		const char *line, *method;
		uint64_t count, size; /* 0: what is the default */
		bool unpinned;
	} cases[] = {
		{"ipc-bench domain -c 1000000 -s 100", "domain", 1000000, 100, true},
		{"ipc-bench -c 7 all", "all", 7, 0, true},
		{"ipc-bench --count=1 --size 1M shm --cpus 0,1", "shm", 1, 1 << 20, false},
		{"ipc-bench zeromq --tcp", "zeromq", 1000, 0, true},
		{"ipctop ipc-bench eventfd", "eventfd", 1000, 0, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct said s;

		said(&s, cases[i].line);
		const struct config *config = &s.compat.settings.config;

		if (s.result < 0 && strstr(s.reason.text, "built without libzmq"))
			continue;
		CHECK(s.result == 0, "%s: %s", cases[i].line, s.reason.text);
		CHECK(config->loops == cases[i].count && config->size == cases[i].size && config->fork &&
				config->ring_members == 2 && !config->interval_ns &&
				config->tool.unpinned == cases[i].unpinned,
			"%s", cases[i].line);
		CHECK(s.compat.settings.words && !strcmp(s.compat.settings.words[0], cases[i].method), "%s",
			cases[i].line);
	}
}

/* How many options of the tool have this letter. */
static unsigned count_letter(const struct compat_tool *tool, char letter)
{
	const struct option_row *row;
	unsigned n = 0;

	for (size_t i = 0; (row = option_at(tool->options, i)); i++)
		n += row->letter == letter;
	return n;
}

/* Or this long name. */
static unsigned count_name(const struct compat_tool *tool, const char *name)
{
	const struct option_row *row;
	unsigned n = 0;

	for (size_t i = 0; (row = option_at(tool->options, i)); i++)
		n += !strcmp(row->name, name) || (row->alias && !strcmp(row->alias, name));
	return n;
}

static void no_letter_and_no_name_of_a_tool_stands_twice(void)
{
	const struct option_row *row;

	for (const struct compat_tool *const *tool = compat_tools; *tool; tool++)
		for (size_t i = 0; (row = option_at((*tool)->options, i)); i++) {
			CHECK(!row->letter || count_letter(*tool, row->letter) == 1, "%s -%c", (*tool)->name,
				row->letter);
			CHECK(count_name(*tool, row->name) == 1, "%s --%s", (*tool)->name, row->name);
			CHECK(!row->alias || count_name(*tool, row->alias) == 1, "%s --%s", (*tool)->name,
				row->alias);
			CHECK(row->read || !row->argument, "%s --%s", (*tool)->name, row->name);
		}
}

static void help_names_every_option(void)
{
	for (const struct compat_tool *const *tool = compat_tools; *tool; tool++) {
		const struct option_row *row;
		char *help = NULL, name[64];
		size_t size;
		FILE *out = open_memstream(&help, &size);

		compat_help(*tool, out);
		fclose(out);
		for (size_t i = 0; (row = option_at((*tool)->options, i)); i++) {
			snprintf(name, sizeof(name), " --%s%s", row->name, row->argument ? "" : " ");
			CHECK(strstr(help, name), "%s --%s", (*tool)->name, row->name);
		}
		free(help);
	}
}

/* Priorities go down to 1, intervals up, and pairs go round the CPUs, all at once. */
static void pairs_are_planned_as_the_tools_do(void)
{
	struct notes notes = {0};
	struct plan plan;
	struct said s;

	said(&s, "svsematest -a -t 6 -p 3 -i 100 -d 25");
	s.compat.settings.config.probes[0] = compat_probe(&s.compat, "svsem");
	s.compat.settings.config.n_probes = 1;
	struct topology topology = {0};
	int r = topology_init(&topology, &s.reason);

	topology.usable = topology.allowed;
	if (r == 0)
		r = plan_init(&plan, &s.compat.settings.config, &topology, NULL, &notes, &s.reason);
	CHECK(r == 0 && plan.n_rings == 6 && plan.n_turns == 1, "%s", s.reason.text);
	for (size_t i = 0; r == 0 && i < plan.n_rings; i++) {
		const struct plan_ring *ring = &plan.rings[i];

		CHECK(ring->interval_ns == (100 + 25 * i) * 1000);
		CHECK(ring->policy.policy == SCHED_FIFO && ring->policy.priority == (i < 2 ? 3 - (int)i : 1));
		CHECK(ring->cpus[0] == ring->cpus[1] && !ring->unpinned);
	}
	if (r == 0)
		plan_finish(&plan);
	topology_finish(&topology);
	notes_finish(&notes);
}

int main(void)
{
	TEST(a_tool_is_found_by_what_it_is_called_and_by_the_first_word);
	TEST(places_are_read_in_every_spelling);
	TEST(times_and_numbers_are_read_in_every_spelling);
	TEST(what_belongs_to_one_tool_is_read);
	TEST(bad_values_are_refused_by_name);
	TEST(methods_of_ipc_bench_are_read);
	TEST(rings_of_lat_ctx_are_read);
	TEST(no_letter_and_no_name_of_a_tool_stands_twice);
	TEST(help_names_every_option);
	TEST(pairs_are_planned_as_the_tools_do);
	return tap_done();
}
