/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_report.c - the reports, as text and as JSON. Called with --print, it prints a report for
 * check_json.py to compare with the schema. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/report_json.h"
#include "src/report_text.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { MS = 1000000, NOBODY = 65534 };

/* Four rings: one with 2,000 samples, one that failed, one that never ran, one starved. */
static struct fixture *make_run(void)
{
	struct fixture *f = fixture_create(4, MS);

	fixture_sample(f, 0, FIGURE_FIRST, 1000, 1985);
	fixture_sample(f, 0, FIGURE_FIRST, 5000, 14);
	fixture_sample(f, 0, FIGURE_FIRST, 123456, 1);
	fixture_sample(f, 0, FIGURE_LATENESS, 300, 5);
	f->rings[0].laps = 2000;
	f->rings[0].warmup_laps = 100;
	f->rings[0].missed = 7;
	f->rings[1].state = RING_FAILED;
	f->rings[1].reason = "no queue: raise fs.mqueue.queues_max \xff";
	f->members[2] = f->members[3] = (struct tick_member){.policy = {.policy = -1}, .cpu = -1};
	f->rings[2].condition = CONDITION_NEVER_RAN;
	f->members[5].policy = (struct task_policy){SCHED_OTHER, 0};
	f->rings[3].condition = CONDITION_STARVED;
	f->rings[3].age_ns = 1200 * MS;
	f->rings[0].faults[FAULT_DAMAGED] = 1;
	f->rings[0].faults[FAULT_LOST] = 2;
	fixture_feed(f);
	f->config.fail_above_ns = 50000;
	f->config.breaktrace_ns = 100000;
	session_breach(&f->session, &(struct breach){.ring = 2,
					    .member = 1,
					    .tid = 4711,
					    .figure = FIGURE_FIRST,
					    .latency_ns = 123456,
					    .limit_ns = 100000,
					    .at_ns = FIXTURE_START_NS + 1000});
	cpus_add(&f->topology.online, 0);
	f->topology.n_cpus = 1;
	return f;
}

static char *print_json(const struct fixture *f)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK(report_json_print(out, &f->session, &f->config, &f->topology, "quit") == 0);
	fclose(out);
	return text;
}

/* "rings/0/figures/first/count", or NULL. */
static struct json_object *at(struct json_object *object, const char *path)
{
	char key[64];

	while (object && *path) {
		size_t length = strcspn(path, "/");

		snprintf(key, sizeof(key), "%.*s", (int)length, path);
		path += length + (path[length] == '/');
		if (json_object_is_type(object, json_type_array))
			object = json_object_array_get_idx(object, (size_t)atoi(key));
		else if (!json_object_object_get_ex(object, key, &object))
			object = NULL;
	}
	return object;
}

struct expected {
	const char *path, *value; /* NULL: absent */
};

static void check_json(const struct expected *expected, size_t n)
{
	struct fixture *f = make_run();
	char *text = print_json(f);
	struct json_object *document = json_tokener_parse(text);

	CHECK(document, "%s", text);
	for (size_t i = 0; i < n; i++) {
		struct json_object *found = at(document, expected[i].path);
		int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
		const char *value = found ? json_object_to_json_string_ext(found, flags) : NULL;

		CHECK(!value == !expected[i].value && (!value || strcmp(value, expected[i].value) == 0),
			"%s is %s", expected[i].path, value ? value : "absent");
	}
	json_object_put(document);
	free(text);
	fixture_destroy(f);
}

static void json_says_what_the_run_was(void)
{
	static const struct expected cases[] = {
		{"schema_version", "1"},
		{"start_time", "\"2023-11-14T22:13:20.123456789Z\""},
		{"end_time", "\"2023-11-14T22:13:20.623456789Z\""},
		{"duration_ns", "500000000"},
		{"ended_by", "\"quit\""},
		{"host/name", "\"host\""},
		{"host/smt", NULL},
		{"host/dma_latency", "{\"state\":\"value\",\"us\":2000000000}"},
		{"host/rt_throttling",
			"{\"runtime_us\":950000,\"period_us\":1000000,\"fair_server\":false,\"cgroup_refuses\":false}"},
		{"topology/online", "\"0\""},
		{"options/mechanisms", "[\"mq\"]"},
		{"options/policy", "\"fifo\""},
		{"options/interval_ns", "1000000"},
		{"options/fail_above_ns", "50000"},
		{"options/breaktrace_ns", "100000"},
		{"breach", "{\"at_ns\":1000,\"ring\":2,\"mechanism\":\"mq\",\"label\":\"2>2\","
			   "\"member\":1,\"tid\":4711,\"figure\":\"first\",\"latency_ns\":123456,"
			   "\"limit_ns\":100000,\"tracing_stopped\":true}"},
		{"clock_read_cost_ns", "25"},
	};

	check_json(cases, sizeof(cases) / sizeof(*cases));
}

static void json_says_what_each_ring_was_and_did(void)
{
	static const struct expected cases[] = {
		{"rings/0/label", "\"0>0\""},
		{"rings/0/class", "\"own\""},
		{"rings/0/state", "\"running\""},
		{"rings/0/condition", "\"fine\""},
		{"rings/0/reason", NULL},
		{"rings/0/laps", "2000"},
		{"rings/0/warmup_laps", "100"},
		{"rings/0/missed", "7"},
		{"rings/0/token", "{\"bytes\":0,\"checked\":false,\"lost\":2,\"repeated\":0,"
				  "\"reordered\":0,\"damaged\":1}"},
		{"rings/0/asked", "{\"policy\":\"fifo\",\"priority\":80}"},
		{"rings/0/members/1", "{\"planned_cpu\":0,\"pid\":4000,\"tid\":4002,\"cpu\":0,\"n_cpus\":1,"
				      "\"policy\":\"fifo\",\"priority\":80,\"differs\":false}"},
		{"rings/1/state", "\"failed\""},
		{"rings/1/reason", "\"no queue: raise fs.mqueue.queues_max \xef\xbf\xbd\""},
		{"rings/1/members/0", "{\"planned_cpu\":1,\"differs\":false}"},
		{"rings/2/condition", "\"never ran\""},
		{"rings/2/members/1/policy", "\"other\""},
		{"rings/2/members/1/differs", "true"},
		{"rings/3/condition", "\"starved\""},
		{"rings/3/age_ns", "1200000000"},
		{"rings/4", NULL},
	};

	check_json(cases, sizeof(cases) / sizeof(*cases));
}

static void json_holds_the_figures_that_were_fed(void)
{
	static const struct expected cases[] = {
		{"rings/0/figures/first/count", "2000"},
		{"rings/0/figures/first/min_ns", "1000"},
		{"rings/0/figures/first/max_ns", "123456"},
		{"rings/0/figures/first/max_at_ns", "499999000"},
		{"rings/0/figures/first/mean_ns", "1089.228"},
		/* 5,000 ns lie in the bucket from 4,992 on, 64 wide; two samples lie beyond 99.9 %. */
		{"rings/0/figures/first/percentiles", "{\"50\":1004,\"90\":1004,\"99\":1004}"},
		{"rings/0/figures/first/histogram", "[[1000,8,1985],[4992,64,14],[122880,1024,1]]"},
		{"rings/0/figures/lateness/percentiles", "{}"},
		{"rings/1/figures/first", "{\"count\":0,\"percentiles\":{},\"histogram\":[]}"},
	};

	check_json(cases, sizeof(cases) / sizeof(*cases));
}

static void json_tells_events(void)
{
	static const struct expected cases[] = {
		{"events/0/kind", "\"ring\""},
		{"events/0/ring", "1"},
		{"events/0/at_ns", "500000000"},
		{"events/1/kind", "\"warning\""},
		{"events/1/ring", "0"},
		{"events/1/text", "\"mq 0>0: 2 tokens lost, 1 damaged\""},
	};

	check_json(cases, sizeof(cases) / sizeof(*cases));
}

static bool same_text(const char *path, const char *text)
{
	size_t length = strlen(text);
	char *found = calloc(1, length + 2);
	FILE *in = fopen(path, "r");
	bool same = in && fread(found, 1, length + 1, in) == length && strcmp(found, text) == 0;

	if (in)
		fclose(in);
	free(found);
	return same;
}

/* Is anything in it but @name? */
static bool holds_more_than(const char *directory, const char *name)
{
	char command[512];

	snprintf(command, sizeof(command), "test -n \"$(ls -A '%s' | grep -vFx '%s')\"", directory, name);
	return system(command) == 0;
}

static int write_run(const struct fixture *f, const char *path, struct reason *reason)
{
	return report_json_write(path, &f->session, &f->config, &f->topology, "quit", reason);
}

static void a_file_is_written_whole_with_the_usual_mode(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64], link[64];
	struct fixture *f = make_run();
	char *text = print_json(f);
	struct reason reason = {""};
	struct stat status;

	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a.json", directory);
	snprintf(link, sizeof(link), "%s/b.json", directory);
	umask(022);
	CHECK(report_json_check(path, &reason) == 0, "%s", reason.text);
	CHECK(access(path, F_OK) < 0, "a check makes nothing");
	CHECK(write_run(f, path, &reason) == 0, "%s", reason.text);
	CHECK(same_text(path, text));
	CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0644);
	chmod(path, 0600);
	CHECK(report_json_check(path, &reason) == 0 && same_text(path, text), "a check leaves the old file");
	CHECK(symlink("a.json", link) == 0);
	CHECK(write_run(f, link, &reason) == 0, "%s", reason.text);
	CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600, "the old file's mode stays");
	CHECK(lstat(link, &status) == 0 && S_ISLNK(status.st_mode), "a link is followed, not replaced");
	unlink(link);
	CHECK(!holds_more_than(directory, "a.json"));
	unlink(path);
	rmdir(directory);
	free(text);
	fixture_destroy(f);
}

static void what_can_not_be_written_is_named(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", missing[64];
	struct fixture *f = make_run();
	const struct {
		const char *path;
		int check, write;
	} cases[] = {
		{"/dev/full", 0, -ENOSPC},
		{missing, -ENOENT, -ENOENT},
		{directory, -EISDIR, -EISDIR},
		{"/dev/null/x.json", -ENOTDIR, -ENOTDIR},
		{"/dev/null", 0, 0},
	};

	CHECK(mkdtemp(directory));
	snprintf(missing, sizeof(missing), "%s/none/x.json", directory);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct reason checked = {""}, written = {""};
		int check = report_json_check(cases[i].path, &checked);
		int write = write_run(f, cases[i].path, &written);

		CHECK(check == cases[i].check, "%s: %d %s", cases[i].path, check, checked.text);
		CHECK(write == cases[i].write, "%s: %d %s", cases[i].path, write, written.text);
		CHECK(!check || strstr(checked.text, cases[i].path), "%s", checked.text);
		CHECK(!write || strstr(written.text, cases[i].path), "%s", written.text);
	}
	CHECK(!holds_more_than(directory, ""));
	CHECK(rmdir(directory) == 0);
	fixture_destroy(f);
}

/* A disk that fills up in the middle. */
static void a_full_disk_leaves_the_old_file_alone(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64], command[128];
	struct fixture *f = fixture_create(512, MS);
	struct reason reason = {""};
	FILE *old;

	CHECK(mkdtemp(directory));
	snprintf(command, sizeof(command), "mount -t tmpfs -o size=16k tmpfs %s 2>/dev/null", directory);
	if (system(command) != 0) {
		printf("# no right to mount\n");
	} else {
		snprintf(path, sizeof(path), "%s/a.json", directory);
		old = fopen(path, "w");
		fputs("old", old);
		fclose(old);
		CHECK(write_run(f, path, &reason) == -ENOSPC, "%s", reason.text);
		CHECK(strstr(reason.text, path) && strstr(reason.text, "No space"), "%s", reason.text);
		CHECK(same_text(path, "old"));
		CHECK(!holds_more_than(directory, "a.json"));
		snprintf(command, sizeof(command), "umount %s", directory);
		CHECK(system(command) == 0);
	}
	CHECK(rmdir(directory) == 0);
	fixture_destroy(f);
}

/* In a process that is not root: what the errors are of files that their owner protected. */
static int try_protected(const struct fixture *f, const char *path)
{
	struct reason reason = {""};
	int status;
	pid_t child = fork();

	if (child == 0) {
		bool plain = geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0;

		_exit(!plain || report_json_check(path, &reason) != -EACCES || !strstr(reason.text, path) ||
			write_run(f, path, &reason) != -EACCES || !strstr(reason.text, path));
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void protected_files_and_directories_stay(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64], other[64];
	struct fixture *f = make_run();

	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a.json", directory);
	snprintf(other, sizeof(other), "%s/b.json", directory);
	close(open(path, O_WRONLY | O_CREAT, 0444));
	CHECK(chmod(directory, 0777) == 0);
	CHECK(try_protected(f, path) == 0, "a read-only file");
	CHECK(same_text(path, ""));
	CHECK(chmod(directory, 0555) == 0);
	CHECK(try_protected(f, other) == 0, "a read-only directory");
	CHECK(chmod(directory, 0777) == 0);
	CHECK(!holds_more_than(directory, "a.json"));
	unlink(path);
	rmdir(directory);
	fixture_destroy(f);
}

/* Not inlined: gcc 12 then takes what open_memstream() stored for the variable that it stored it in. */
__attribute__((noinline)) static char *captured(
	const struct session *session, struct report_progress *progress)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (progress)
		report_line(out, session, FIGURE_FIRST, progress);
	else
		report_summary(out, session, FIGURE_FIRST);
	fclose(out);
	return text;
}

/* The line of @text that holds @word, with each run of spaces as one. */
static char *line_with(const char *text, const char *word)
{
	const char *found = strstr(text, word);
	static char line[512];
	char *end = line;

	while (found && found > text && found[-1] != '\n')
		found--;
	for (; found && *found && *found != '\n' && end < line + sizeof(line) - 1; found++)
		if (*found != ' ' || end == line || end[-1] != ' ')
			*end++ = *found;
	*end = '\0';
	return line;
}

static void the_summary_has_a_row_for_each_ring(void)
{
	static const struct {
		const char *word, *line;
	} cases[] = {
		{"mech", "mech pair class sched figure n Max p99.9 p99 p50 Min Avg Late99 missed"},
		{"0>0", "mq 0>0 own FF80 first 2000 123.456 5.024~ 1.004 1.004 1.000 1.089 0.300~ 7 2 tokens lost, "
			"1 damaged"},
		{"1>1", "mq 1>1 own - first 0 - - - - - - - 0 failed: no queue: raise fs.mqueue.queues_max \xff"},
		{"2>2", "mq 2>2 own FF80/OTH! first 0 - - - - - - - 0 never ran"},
		{"3>3", "mq 3>3 own FF80 first 0 - - - - - - - 0 starved"},
		{"isolated", "isolated none, nohz_full none, governor none, dma latency none"},
		{"~ fewer", "~ fewer than 10 samples beyond it: not to be trusted"},
		{"! not", "! not what was asked"},
		{"s, figure", "0.5 s, figure: first hop, times in us"},
	};
	struct fixture *f = make_run();
	char *text = captured(&f->session, NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(strcmp(line_with(text, cases[i].word), cases[i].line) == 0, "%s",
			line_with(text, cases[i].word));
	CHECK(strstr(text, "ring: mq 1>1 failed: no queue"), "%s", text);
	CHECK(!strchr(text, '\033'));
	free(text);
	fixture_destroy(f);
}

/* All that is not to be trusted in it is a hop's. */
static void the_summary_has_the_hops_of_larger_rings(void)
{
	static const struct {
		const char *word, *line;
	} cases[] = {
		{"hops of", "hops of mq 0>1>2"},
		{"hop  ", "hop n Max p99.9 p99 p50 Min Avg"},
		{"0: ", "0: 0>1 20000 1.100 1.004 1.004 1.004 1.000 1.000"},
		{"1: ", "1: 1>2 5000 1.100 1.004~ 1.004 1.004 1.000 1.000"},
		{"2: ", "2: 2>0 0"},
		{"~ fewer", "~ fewer than 10 samples beyond it: not to be trusted"},
	};
	static const unsigned n[] = {20000, 5000, 0};
	unsigned cpus[] = {0, 1, 2};
	struct plan_ring ring = {.probe = &fixture_probe, .cpus = cpus, .n_members = 3, .interval_ns = MS};
	struct plan plan = {.rings = &ring, .n_rings = 1, .n_turns = 1};
	struct session session;

	session_init(&session, &plan, &(struct topology){0}, &(struct config){0}, &(struct machine){0});
	for (unsigned h = 0; h < 3; h++) {
		struct hist *hist = &session.rings[0].hops[h].hist;

		CHECK(hist_add(hist, hist_bucket(1000), n[h]) == 0);
		hist->sum_ns = 1000 * n[h];
		hist_extend(hist, 1000, 1100, 1);
	}
	char *text = captured(&session, NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(strcmp(line_with(text, cases[i].word), cases[i].line) == 0, "%s",
			line_with(text, cases[i].word));
	free(text);
	session_finish(&session);
}

static size_t count_of(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

static void batch_lines_have_a_head_and_tell_each_event_once(void)
{
	struct report_progress progress = {0};
	struct fixture *f;
	size_t heads = 0, events = 0;

	setenv("TZ", "UTC", 1);
	f = make_run();
	for (int block = 0; block < 40; block++) {
		char *text = captured(&f->session, &progress);

		heads += count_of(text, "Late99");
		events += count_of(text, "ring: ");
		if (block == 0)
			CHECK(strcmp(line_with(text, "0>0  own"),
				      "22:13:20 mq 0>0 own FF80 first 123.456 1.000 1.089 "
				      "1.004 123.456 0.300~ 7 2 tokens lost, 1 damaged") == 0,
				"%s", line_with(text, "0>0  own"));
		CHECK(strcmp(line_with(text, "3>3  own"),
			      "22:13:20 mq 3>3 own FF80 first >=1200000.000 - - - - - 0 starved") == 0,
			"%s", line_with(text, "3>3  own"));
		free(text);
	}
	CHECK(heads == 2, "%zu", heads);
	CHECK(events == 1, "%zu", events);
	fixture_destroy(f);
}

static void a_thousand_rings_are_written_in_bounded_time(void)
{
	struct fixture *f = fixture_create(1024, 0);
	struct timespec before, after;
	struct reason reason = {""};

	for (unsigned bucket = 640; bucket < 640 + 200; bucket++) {
		for (size_t i = 0; i < 1024; i++)
			fixture_sample(f, i, FIGURE_LAP, hist_lower(bucket), 3);
		fixture_feed(f);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	CHECK(write_run(f, "/dev/null", &reason) == 0, "%s", reason.text);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	double seconds =
		(double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;

	printf("# %.3f s\n", seconds);
	CHECK(seconds < 10, "%.3f s", seconds);
	fixture_destroy(f);
}

static int print_report(void)
{
	struct fixture *f = make_run();
	struct reason reason;
	int r = write_run(f, "-", &reason);

	fixture_destroy(f);
	return r < 0;
}

int main(int argc, char *argv[])
{
	if (argc > 1 && strcmp(argv[1], "--print") == 0)
		return print_report();
	TEST(json_says_what_the_run_was);
	TEST(json_says_what_each_ring_was_and_did);
	TEST(json_holds_the_figures_that_were_fed);
	TEST(json_tells_events);
	TEST(a_file_is_written_whole_with_the_usual_mode);
	TEST(what_can_not_be_written_is_named);
	if (geteuid() == 0)
		TEST(a_full_disk_leaves_the_old_file_alone);
	else
		tap_skip("a full disk leaves the old file alone", "mounts a small file system, as root");
	TEST(protected_files_and_directories_stay);
	TEST(the_summary_has_a_row_for_each_ring);
	TEST(the_summary_has_the_hops_of_larger_rings);
	TEST(batch_lines_have_a_head_and_tell_each_event_once);
	TEST(a_thousand_rings_are_written_in_bounded_time);
	return tap_done();
}
