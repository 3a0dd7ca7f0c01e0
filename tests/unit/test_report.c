/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_report.c - the reports, as text and as JSON. Called with --print, it prints a report for
 * check_json.py to compare with the schema; with --names, for check_names.py, names that the schema lists. */
#include <json-c/json.h>

#include "src/model/feed.h"
#include "src/report/export.h"
#include "src/report/report_text.h"
#include "src/witness/witness.h"
#include "tests/unit/report_run.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

extern const struct export_format export_cyclictest, export_hgrm, export_jsonl, export_perfetto;

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
			"{\"runtime_us\":950000,\"period_us\":1000000,\"fair_server\":false,\"group_sched\":false,"
			"\"cgroup_refuses\":false}"},
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
		{"rings/0/away", "9"},
		{"rings/0/token", "{\"bytes\":0,\"checked\":false,\"lost\":2,\"repeated\":0,"
				  "\"reordered\":0,\"damaged\":1}"},
		{"rings/0/asked", "{\"policy\":\"fifo\",\"priority\":80,\"nice\":0}"},
		{"rings/0/members/1", "{\"planned_cpu\":0,\"pid\":4000,\"tid\":4002,\"cpu\":0,\"n_cpus\":1,"
				      "\"policy\":\"fifo\",\"priority\":80,\"nice\":0,\"differs\":false}"},
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
		{"rings/0/figures/first/percentiles", "{\"p50_ns\":1004,\"p90_ns\":1004,\"p99_ns\":1004}"},
		{"rings/0/figures/first/histogram", "[[1000,8,1985],[4992,64,14],[122880,1024,1]]"},
		{"rings/0/figures/lateness/percentiles", "{}"},
		{"rings/1/figures/first", "{\"count\":0,\"percentiles\":{},\"histogram\":[]}"},
	};

	check_json(cases, sizeof(cases) / sizeof(*cases));
}

static void json_tells_events(void)
{
	static const struct expected cases[] = {
		{"events/0/at_ns", "1000"}, /* of the breach, found later than the others */
		{"events/1/kind", "\"ring\""},
		{"events/1/ring", "1"},
		{"events/1/at_ns", "500000000"},
		{"events/2/kind", "\"warning\""},
		{"events/2/ring", "0"},
		{"events/2/text", "\"mq 0>0: 2 tokens lost, 1 damaged\""},
	};

	check_json(cases, sizeof(cases) / sizeof(*cases));
}

/* Not inlined: gcc 12 then takes what open_memstream() stored for the variable that it stored it in. */
__attribute__((noinline)) static char *captured_in(
	const struct session *session, enum window window, struct report_progress *progress)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (progress)
		report_line(out, session, FIGURE_FIRST, window, progress);
	else
		report_summary(out, session, FIGURE_FIRST, 50000);
	fclose(out);
	return text;
}

static char *captured(const struct session *session, struct report_progress *progress)
{
	return captured_in(session, WINDOW_PHASE, progress);
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

/* The width of the widest line. */
static size_t widest(const char *text)
{
	size_t width = 0;

	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (length > width)
			width = length;
	}
	return width;
}

static void the_summary_has_a_row_for_each_ring(void)
{
	static const struct {
		const char *word, *line;
	} cases[] = {
		{"mech", "mech pair sched n Max p99 p50 Resp99 RMax missed"},
		{"0>0", "mq 0>0 FF80 2000 123.46 1.004 1.004 700000~ 700000 7"},
		{" tokens", " 2 tokens lost, 1 damaged"},
		{"1>1", "mq 1>1 - 0 - - - - - 0"},
		{"failed", " failed: no queue: raise fs.mqueue.queues_max \xff"},
		{"2>2", "mq 2>2 FF80/OTH! 0 - - - - - 0 never ran"},
		{"3>3", "mq 3>3 FF80 0 - - - - - 0 starved"},
		{"isolated", "isolated none, nohz_full none, governor none, dma latency none"},
		{"~ fewer", "~ fewer than 10 samples beyond it: not to be trusted"},
		{"! differs", "! differs from the requested scheduling"},
		{"s, figure", "0.5 s, figure: first hop, times in us"},
		{"--fail", "--fail-above 50 us: 1 of 2000 samples, worst mq 0>0 123.456 us at 22:13:20"},
	};
	struct fixture *f = make_run();
	char *text = captured(&f->session, NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(strcmp(line_with(text, cases[i].word), cases[i].line) == 0, "%s",
			line_with(text, cases[i].word));
	CHECK(strstr(text, "ring: mq 1>1 failed: no queue"), "%s", text);
	CHECK(!strchr(text, '\033'));
	CHECK(widest(text) <= 80, "%zu: %s", widest(text), text);
	free(text);
	fixture_destroy(f);
}

static void one_slot_is_no_slots(void)
{
	static const struct {
		uint64_t rested, away;
		const char *rested_line, *away_line;
	} cases[] = {
		{0, 0, "", ""},
		{1, 1, "1 slot rested so that other tasks get the CPU: in no figure, and not missed",
			" 1 lap or slot away"},
		{2, 3, "2 slots rested so that other tasks get the CPU: in no figure, and not missed",
			" 3 laps and slots away"},
	};
	struct fixture *f = fixture_create(1, MS);

	fixture_feed(f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		f->session.rings[0].rested = cases[i].rested;
		f->session.rings[0].away = cases[i].away;
		f->session.rings[0].state = RING_DONE;
		char *text = captured(&f->session, NULL);

		CHECK(strcmp(line_with(text, "rested"), cases[i].rested_line) == 0, "%s", text);
		CHECK(strcmp(line_with(text, " away"), cases[i].away_line) == 0, "%s", text);
		free(text);
	}
	fixture_destroy(f);
}

static void sizes_that_differ_are_no_size_of_all(void)
{
	static const struct {
		uint32_t sizes[2];
		const char *words;
	} cases[] = {
		{{4096, 4096}, "times in us, token of 4096 bytes"},
		{{1, 65536}, "times in us, tokens of up to 65536 bytes"},
		{{0, 1}, "times in us"},
	};
	struct fixture *f = fixture_create(2, MS);

	fixture_feed(f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		f->session.rings[0].token_bytes = cases[i].sizes[0];
		f->session.rings[1].token_bytes = cases[i].sizes[1];
		char *text = captured(&f->session, NULL);
		const char *words = strstr(line_with(text, "s, figure"), "times in us");

		CHECK(words && strcmp(words, cases[i].words) == 0, "%s", line_with(text, "s, figure"));
		free(text);
	}
	fixture_destroy(f);
}

/* A run may end before all of its rings are open. */
static void a_ring_that_was_not_opened_says_so(void)
{
	static const enum ring_state states[] = {RING_PLANNED, RING_OPENING};
	struct fixture *f = fixture_create(2, MS);

	fixture_feed(f);
	for (size_t i = 0; i < 2; i++) {
		f->session.rings[1].state = states[i];
		char *text = captured(&f->session, NULL);

		CHECK(strcmp(line_with(text, "not opened"),
			      "mq 1>1 own FF80 0 - - - - - - - - 0 not opened") == 0,
			"%s", text);
		free(text);
	}
	fixture_destroy(f);
}

static size_t count_of(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* All that is not to be trusted in it is a hop's. A ring without samples has none to be listed. */
static void the_summary_has_the_hops_of_larger_rings(void)
{
	static const struct {
		const char *word, *line;
	} cases[] = {
		{"hops of", "hops of mq 0>1>2#0"},
		{"hop  ", "hop n Max p99.9 p99 p50 Min Avg"},
		{"0: ", "0: 0>1 20000 1.100 1.004 1.004 1.004 1.000 1.000"},
		{"1: ", "1: 1>2 5000 1.100 1.004~ 1.004 1.004 1.000 1.000"},
		{"2: ", "2: 2>0 0"},
		{"~ fewer", "~ fewer than 10 samples beyond it: not to be trusted"},
	};
	static const unsigned n[] = {20000, 5000, 0};
	unsigned cpus[] = {0, 1, 2};
	struct plan_ring ring = {.probe = &fixture_probe,
		.mechanism = fixture_probe.name,
		.title = fixture_probe.title,
		.cpus = cpus,
		.n_members = 3,
		.interval_ns = MS};
	struct plan_ring rings[] = {ring, ring};
	struct plan plan = {.rings = rings, .n_rings = 2, .n_turns = 1};
	struct session session;

	rings[1].id = 1;
	session_init(&session, &plan, &(struct topology){0}, &(struct config){0}, &(struct machine){0});
	for (unsigned h = 0; h < 3; h++) {
		struct hist *hist = &session.rings[0].hops[h].hist;

		CHECK(hist_add_cells(hist, &(struct hist_cell){hist_bucket(1000), n[h]}, 1) == 0);
		hist->sum_ns = 1000 * n[h];
		hist_extend(hist, 1000, 1100, 1);
	}
	char *text = captured(&session, NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(strcmp(line_with(text, cases[i].word), cases[i].line) == 0, "%s",
			line_with(text, cases[i].word));
	CHECK(count_of(text, "hops of ") == 1, "%s", text);
	free(text);
	session_finish(&session);
}

/* Of a ring whose name leaves no room for p99.9: @n samples, all of 12345678 ns. */
static char *summary_without_p999(uint32_t n)
{
	struct fixture *f = fixture_create(1, MS);
	struct session_ring *ring = &f->session.rings[0];
	static const enum figure figures[] = {FIGURE_FIRST, FIGURE_RESPONSE};

	fixture_feed(f);
	free(ring->label);
	ring->label = strdup("10000>11000>12000>13000");
	for (size_t i = 0; i < 2; i++) {
		struct hist *hist = &ring->figures[figures[i]].hist;

		CHECK(hist_add_cells(hist, &(struct hist_cell){hist_bucket(12345678), n}, 1) == 0);
		hist->sum_ns = UINT64_C(12345678) * n;
		hist_extend(hist, 12345678, 12345678, 1);
	}
	char *text = captured(&f->session, NULL);

	fixture_destroy(f);
	return text;
}

static void a_note_explains_only_signs_of_columns_that_fit(void)
{
	static const struct {
		uint32_t n;
		const char *line, *note;
	} cases[] = {
		{5000, "mq 10000>11000>12000>13000 FF80 5000 12346 12346 12346 12346 12346 0", ""},
		{500, "mq 10000>11000>12000>13000 FF80 500 12346 12346~ 12346 12346~ 12346 0",
			"~ fewer than 10 samples beyond it: not to be trusted"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = summary_without_p999(cases[i].n);

		CHECK(strcmp(line_with(text, "10000>"), cases[i].line) == 0, "%s", text);
		CHECK(strcmp(line_with(text, "~ fewer"), cases[i].note) == 0, "%s", text);
		free(text);
	}
}

static void batch_lines_have_a_head_and_tell_each_event_once(void)
{
	struct report_progress progress = {0};
	struct fixture *f;
	size_t heads = 0, events = 0;

	f = make_run();
	for (int block = 0; block < 40; block++) {
		char *text = captured(&f->session, &progress);

		heads += count_of(text, "Resp99");
		events += count_of(text, "ring: ");
		if (block == 0)
			CHECK(strcmp(line_with(text, "0>0   FF80"),
				      "22:13:20 mq 0>0 FF80 123.46 1.004 123.46 700000~ 700000 7 damaged") ==
					0,
				"%s", line_with(text, "0>0   FF80"));
		CHECK(strcmp(line_with(text, "3>3   FF80"),
			      "22:13:20 mq 3>3 FF80 >=1.2s - - - - 0 starved") == 0,
			"%s", line_with(text, "3>3   FF80"));
		CHECK(block % 20 ||
				strstr(text,
					"figure: first hop, window phase, times in us\ntime     mech pair "),
			"%s", text);
		CHECK(widest(text) <= 80, "%s", text);
		free(text);
	}
	CHECK(heads == 2, "%zu", heads);
	CHECK(events == 1, "%zu", events);
	fixture_destroy(f);
}

static void batch_lines_are_of_the_window(void)
{
	static const struct {
		enum window window;
		const char *line;
	} cases[] = {
		{WINDOW_1S, "22:13:24 mq 0>0 FF80 1.000 1.000~ 1.000 - - 2"},
		{WINDOW_PHASE, "22:13:24 mq 0>0 FF80 1.000 5.000~ 5.000 - - 3"},
		{WINDOW_ALL, "22:13:24 mq 0>0 FF80 1.000 90.000~ 90.000 - - 8"},
	};
	static const uint64_t samples_ns[] = {90000, 90000, 90000, 90000, 90000, 5000, 1000, 1000};
	struct fixture *f = fixture_create(1, MS);

	for (size_t i = 0; i < sizeof(samples_ns) / sizeof(*samples_ns); i++) {
		fixture_sample(f, 0, FIGURE_FIRST, samples_ns[i], 1);
		f->rings[0].missed = 1;
		fixture_feed(f);
		if (i == 4)
			session_phases_begin(&f->session, NULL, 0);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = captured_in(&f->session, cases[i].window, &(struct report_progress){0});

		CHECK(strcmp(line_with(text, "0>0   FF80"), cases[i].line) == 0, "%s", text);
		CHECK(strstr(text, window_name(cases[i].window)), "%s", text);
		free(text);
	}
	fixture_destroy(f);
}

/* The place of a word in the last line that has it. */
static size_t place_of(const char *text, const char *word)
{
	const char *at = NULL;

	for (const char *next = text; (next = strstr(next, word)); next++)
		at = next;
	for (const char *begin = at; at; begin--)
		if (begin == text || begin[-1] == '\n')
			return (size_t)(at - begin);
	return 0;
}

static void batch_lines_stay_aligned_whatever_the_figures_are(void)
{
	static const uint64_t samples_ns[] = {900, 99999, 999999, 65432100, 5000000000, 1000};
	struct report_progress progress = {0};
	struct fixture *f = fixture_create(2, MS);
	size_t heads = 0;

	for (size_t i = 0; i < sizeof(samples_ns) / sizeof(*samples_ns); i++) {
		fixture_sample(f, 1, FIGURE_FIRST, samples_ns[i], 1 + 90000 * (i == 0));
		fixture_sample(f, 1, FIGURE_RESPONSE, samples_ns[i], 1);
		f->members[2].policy.policy = i % 2 ? SCHED_RR : SCHED_FIFO;
		f->rings[1].condition = i == 4 ? CONDITION_THROTTLED : CONDITION_FINE;
		fixture_feed(f);
		char *text = captured(&f->session, &progress);

		heads += count_of(text, "Resp99");
		CHECK(place_of(text, "1>1 ") == 14 && place_of(text, i % 2 ? "RR80!" : "FF80") == 20, "%s",
			text);
		CHECK(widest(strstr(text, "mq  ")) <= 80, "%s", text);
		free(text);
	}
	CHECK(heads == 1, "%zu", heads);
	fixture_destroy(f);
}

static void the_summary_has_a_table_of_several_phases(void)
{
	static const struct {
		const char *word, *line;
	} cases[] = {
		{"phases,", "phases, all pairs together: first hop, times in us"},
		{"phase start", "phase start active n p50 p99 Max"},
		{" start\n", " 1 22:13:20 0.5s 30000 1.000 1.000 1.000 start"},
		{"~ 9", " 2 22:13:20 1.0s 40 9.000 9.000~ 9.000 a name"},
		{"mq 0>0: FIFO", " mq 0>0: FIFO:80 -> OTHER nice 19 and 1 more, or a longer na"},
	};
	struct fixture *f = fixture_create(2, MS);
	char *text;

	for (unsigned tick = 0; tick < 3; tick++) {
		f->rings[0].active_ns = f->rings[1].active_ns = FIXTURE_TICK_NS;
		for (size_t i = 0; i < 2; i++)
			fixture_sample(f, i, FIGURE_FIRST, tick ? 9000 : 1000, tick ? 10 : 15000);
		fixture_feed(f);
		if (tick == 0) {
			text = captured(&f->session, NULL);
			CHECK(!strstr(text, "phases,"), "%s", text);
			free(text);
			session_phases_begin(&f->session, "a name", 0);
		}
	}
	session_phases_begin(&f->session, "mq 0>0: FIFO:80 -> OTHER nice 19 and 1 more, or a longer na", 0);
	text = captured(&f->session, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(strcmp(line_with(text, cases[i].word), cases[i].line) == 0, "'%s' for '%s' in %s",
			line_with(text, cases[i].word), cases[i].word, text);
	CHECK(widest(text) <= 80, "%s", text);
	free(text);
	fixture_destroy(f);
}

/* Feeds a spike of the ring 0 that began @due_ms after the start; a task named @hog held CPU 0 all the time.
 * @length_ms 0: the spike is under way. */
static void feed_spike(struct fixture *f, uint64_t due_ms, uint64_t length_ms, const char *hog)
{
	uint64_t due_ns = f->session.start_ns + due_ms * MS, end_ns = due_ns + length_ms * MS;
	struct flight_record records[] = {
		{.kind = FLIGHT_SWITCH, .at_ns = due_ns, .next_tid = 4711, .next_priority = 9},
		{.kind = FLIGHT_SWITCH,
			.at_ns = end_ns,
			.prev_tid = 4711,
			.prev_priority = 9,
			.prev_state = FLIGHT_SLEEPS,
			.next_tid = 1,
			.next_role = ROLE_MEMBER},
	};
	struct spike_report report = {.spike = {.figure = FIGURE_RESPONSE,
					      .due_ns = due_ns,
					      .sent_ns = end_ns,
					      .received_ns = length_ms ? end_ns : 0,
					      .seen_ns = length_ms ? end_ns : due_ns + 1000 * MS,
					      .sender = {.tid = 1, .policy = {SCHED_FIFO, 80}},
					      .receiver = {.tid = 2, .policy = {SCHED_FIFO, 80}}},
		.records = records,
		.n_records = 2};

	snprintf(records[0].next_name, sizeof(records[0].next_name), "%s", hog);
	snprintf(records[1].prev_name, sizeof(records[1].prev_name), "%s", hog);
	CHECK(feed_session(&f->session,
		      &(struct feed_item){FEED_SPIKE, report.spike.seen_ns, .spike = &report}, NULL) == 0);
}

static void the_summary_ranks_causes_of_spikes_and_names_the_worst(void)
{
	struct fixture *f = fixture_create(1, MS);
	char *text;

	fixture_feed(f);
	text = captured(&f->session, NULL);
	CHECK(!strstr(text, "spike"), "%s", text);
	free(text);
	feed_spike(f, 10, 11, "sh");
	feed_spike(f, 30, 4, "chrt");
	feed_spike(f, 40, 5, "chrt");
	feed_spike(f, 50, 0, "chrt");
	f->session.spikes.blames.n_passed_over = 3;
	text = captured(&f->session, NULL);
	CHECK(strstr(text, "\nspikes 4, and 3 that are only counted: "), "%s", text);
	free(text);
	fixture_destroy(f);

	f = fixture_create(1, MS);
	fixture_feed(f);
	feed_spike(f, 10, 11, "sh");
	feed_spike(f, 30, 4, "chrt");
	feed_spike(f, 40, 5, "chrt");
	for (char hog[] = "a"; *hog < 'h'; ++*hog)
		feed_spike(f, 100 + 10 * (uint64_t)*hog, 1, hog);
	text = captured(&f->session, NULL);
	CHECK(strcmp(line_with(text, "spikes 10"),
		      "spikes 10: sh (RT90) 41 %, chrt (RT90) 33 %, a (RT90) 4 %, b (RT90) 4 %, c") == 0,
		"%s", text);
	CHECK(strcmp(line_with(text, "others"), " (RT90) 4 %, others 15 %") == 0, "%s", text);
	CHECK(strcmp(line_with(text, "worst spike"),
		      "worst spike at 22:13:20: mq 0>0, 11 ms: sh 4711 (RT90) held CPU 0 for 11 ms") == 0,
		"%s", text);
	CHECK(widest(text) <= 80, "%s", text);
	free(text);
	fixture_destroy(f);
}

static void batch_lines_have_each_new_worst_spike_once(void)
{
	static const struct {
		uint64_t lengths_ms[2];
		const char *line; /* "": none */
	} cases[] = {
		{{0, 0}, ""},
		{{2, 3}, "22:13:20 worst spike: mq 0>0, 3.0 ms: sh 4711 (RT90) held CPU 0 for 3.0 ms"},
		{{0, 0}, ""},
		{{3, 1}, ""},
		{{4, 0}, "22:13:20 worst spike: mq 0>0, 4.0 ms: sh 4711 (RT90) held CPU 0 for 4.0 ms"},
	};
	struct report_progress progress = {0};
	struct fixture *f = fixture_create(1, MS);

	fixture_feed(f);
	feed_spike(f, 500, 0, "sh"); /* is under way all the time */
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (size_t j = 0; j < 2; j++)
			if (cases[i].lengths_ms[j])
				feed_spike(f, 10 + 20 * i + 10 * j, cases[i].lengths_ms[j], "sh");
		char *text = captured(&f->session, &progress);

		CHECK(strcmp(line_with(text, "worst spike"), cases[i].line) == 0, "%zu: %s", i, text);
		free(text);
	}
	fixture_destroy(f);
}

/* Returns the CPU time of writing so many rings, each with a histogram of 200 buckets: the least of some. */
static double seconds_to_write(size_t n_rings)
{
	struct fixture *f = fixture_create(n_rings, 0);
	struct timespec before, after;
	struct error_text reason = {""};
	double least = 1e9;

	for (unsigned bucket = 640; bucket < 640 + 200; bucket++) {
		for (size_t i = 0; i < n_rings; i++)
			fixture_sample(f, i, FIGURE_LAP, hist_lower(bucket), 3);
		fixture_feed(f);
	}
	for (int i = 0; i < 3; i++) {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
		CHECK(write_run(f, "/dev/null", &reason) == 0, "%s", reason.text);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
		double seconds = (double)(after.tv_sec - before.tv_sec) +
				 (double)(after.tv_nsec - before.tv_nsec) / 1e9;

		least = seconds < least ? seconds : least;
	}
	fixture_destroy(f);
	return least;
}

/* Whatever the machine's speed. If each ring were searched for among all, it would be eight times as much. */
static void a_ring_takes_no_longer_among_a_thousand(void)
{
	double few = seconds_to_write(128) / 128, many = seconds_to_write(1024) / 1024;

	printf("# %.6f and %.6f s\n", few, many);
	CHECK(many < 4 * few, "%.6f and %.6f s", few, many);
}

static int print_report(void)
{
	struct fixture *f = make_run();
	struct error_text reason;
	int r = write_run(f, "-", &reason);

	fixture_destroy(f);
	return r < 0;
}

static unsigned count(const char *text, const char *words)
{
	unsigned n = 0;

	while ((text = strstr(text, words))) {
		text += strlen(words);
		n++;
	}
	return n;
}

/* A hog computes, takes turns with another task, and computes again; or members take these turns. */
static void check_export_of_turns(enum flight_kind kind, bool switch_first)
{
	bool are_members = kind == FLIGHT_MEMBERS;
	struct fixture *f = fixture_create(1, MS);
	uint64_t due_ns = FIXTURE_START_NS + 10 * MS;
	struct flight_record records[] = {{.at_ns = due_ns, .next_tid = 4711, .next_name = "hog"},
		{.at_ns = due_ns + MS, .prev_tid = 4711, .next_tid = 4712, .next_name = "other"},
		{.kind = kind,
			.from_ns = due_ns + MS,
			.until_ns = due_ns + 2 * MS,
			.at_ns = due_ns + 4 * MS,
			.prev_tid = 4711,
			.prev_name = "hog",
			.next_tid = 4712,
			.next_name = "other"},
		{.at_ns = due_ns + 4 * MS,
			.prev_tid = 4711,
			.prev_name = "hog",
			.next_tid = 1,
			.next_name = "origin"}};
	const struct flight_record turns = records[2];

	const struct spike_report report = {.spike = {.figure = FIGURE_RESPONSE,
						    .due_ns = due_ns,
						    .sent_ns = due_ns + 5 * MS,
						    .received_ns = due_ns + 5 * MS,
						    .seen_ns = due_ns + 5 * MS,
						    .sender = {.tid = 1},
						    .receiver = {.tid = 2, .cpu = 1}},
		.records = records,
		.n_records = sizeof(records) / sizeof(*records)};
	const struct feed_item item = {FEED_SPIKE, report.spike.seen_ns, .spike = &report};
	uint64_t n_events = 0;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (switch_first) {
		records[2] = records[3];
		records[3] = turns;
	}
	CHECK(fixture_feed(f) == 0 && feed_session(&f->session, &item, NULL) == 0);
	export_perfetto.print_item(
		out, &(struct export_item){.session = &f->session, .feed = &item}, &n_events);
	fclose(out);
	CHECK(count(text, "\"dur\":1000.000,\"name\":\"hog 4711\"") == 1, "%s", text);
	CHECK(count(text, "\"dur\":1000.000,\"name\":\"hog 4711 and other 4712 in turn\"") == !are_members,
		"%s", text);
	CHECK(count(text, "\"dur\":1000.000,\"name\":\"members of rings in turn\"") == are_members, "%s",
		text);
	CHECK(count(text, "\"dur\":2000.000,\"name\":\"hog 4711\"") == !are_members, "%s", text);
	CHECK(count(text, "\"dur\":1000.000,\"name\":\"origin 1\"") == 1, "%s", text);
	CHECK(count(text, "\"name\":\"other 4712\"") == 0, "%s", text);
	free(text);
	fixture_destroy(f);
}

/* Turns and the switch that ends them have the same time, and come in either order. */
static void an_export_names_both_tasks_while_they_take_turns(void)
{
	check_export_of_turns(FLIGHT_TURNS, false);
	check_export_of_turns(FLIGHT_TURNS, true);
	check_export_of_turns(FLIGHT_MEMBERS, false);
	check_export_of_turns(FLIGHT_MEMBERS, true);
}

/* Returns what the format makes of the responses of @f, and of the tick that it was last fed. */
static char *exported(const struct export_format *format, const struct fixture *f, const struct tick *tick)
{
	const struct feed_item item = {FEED_TICK, tick->end_ns, .tick = tick};
	uint64_t n_events = 0;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (format->print)
		format->print(out, &(struct export_view){&f->session, FIGURE_RESPONSE, 0});
	else
		format->print_item(
			out, &(struct export_item){.session = &f->session, .feed = &item}, &n_events);
	fclose(out);
	return text;
}

static void no_output_has_a_mean_that_is_not_known(void)
{
	static const struct {
		const struct export_format *format; /* NULL: JSON */
		const char *known, *unknown;
	} cases[] = {
		{NULL, "\"mean_ns\":", "\"max_at_ns\":499999000,\"percentiles\""},
		{&export_hgrm, "Mean    =   700000.000",
			"Mean    =            -, StdDeviation   =            -]"},
		{&export_cyclictest, "Avg Latencies: 700000\n", "Avg Latencies: -\n"},
		{&export_jsonl, "\"sum_ns\":14000000000", "\"response\":{\"count\":20,\"last_ns\":"},
	};

	for (unsigned round = 0; round < 2; round++) {
		struct fixture *f = fixture_create(1, MS);
		bool is_known = round;

		fixture_sample(f, 0, FIGURE_RESPONSE, 700 * MS, 20);
		if (!is_known)
			f->rings[0].figures[FIGURE_RESPONSE].sum_ns = HIST_SUM_UNKNOWN_NS;
		CHECK(session_feed(&f->session, &f->tick) == 0);
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			char *text = cases[i].format ? exported(cases[i].format, f, &f->tick) : print_json(f);

			CHECK((strstr(text, cases[i].known) != NULL) == is_known &&
					(strstr(text, cases[i].unknown) != NULL) == !is_known,
				"case %zu: %s", i, text);
			free(text);
		}
		fixture_destroy(f);
	}
}

static int print_names(void)
{
	printf("{\"cause_kind\": [");
	for (size_t i = 0; i < N_CAUSES; i++)
		printf("%s\"%s\"", i ? ", " : "", cause_names[i]);
	printf("], \"hint_kind\": [");
	for (size_t i = 0; hint_sources[i]; i++)
		printf("%s\"%s\"", i ? ", " : "", hint_sources[i]->kind);
	printf("]}\n");
	return 0;
}

int main(int argc, char *argv[])
{
	if (argc > 1 && strcmp(argv[1], "--print") == 0)
		return print_report();
	if (argc > 1 && strcmp(argv[1], "--names") == 0)
		return print_names();
	TEST(json_says_what_the_run_was);
	TEST(json_says_what_each_ring_was_and_did);
	TEST(json_holds_the_figures_that_were_fed);
	TEST(json_tells_events);
	TEST(the_summary_has_a_row_for_each_ring);
	TEST(one_slot_is_no_slots);
	TEST(sizes_that_differ_are_no_size_of_all);
	TEST(a_ring_that_was_not_opened_says_so);
	TEST(the_summary_has_the_hops_of_larger_rings);
	TEST(a_note_explains_only_signs_of_columns_that_fit);
	TEST(batch_lines_have_a_head_and_tell_each_event_once);
	TEST(batch_lines_are_of_the_window);
	TEST(batch_lines_stay_aligned_whatever_the_figures_are);
	TEST(the_summary_has_a_table_of_several_phases);
	TEST(the_summary_ranks_causes_of_spikes_and_names_the_worst);
	TEST(batch_lines_have_each_new_worst_spike_once);
	TEST(an_export_names_both_tasks_while_they_take_turns);
	TEST(no_output_has_a_mean_that_is_not_known);
	TEST(a_ring_takes_no_longer_among_a_thousand);
	return tap_done();
}
