/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_preview.c - what the dialogs say that an action changes beyond what was typed. */
#include <string.h>

#include "src/model/session_turns.h"
#include "src/run/command.h"
#include "src/run/run_preview.h"
#include "src/run/run_rings.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static void more_turns_leave_each_ring_less_of_the_time(void)
{
	static const struct {
		struct turns_foreseen turns;
		const char *text;
	} cases[] = {
		{{.n_before = 1, .n = 1, .turn_ns = 500000000}, ""},
		{{.n_before = 2, .n = 2, .turn_ns = 500000000}, ""},
		{{.n_before = 1, .n = 2, .turn_ns = 500000000},
			"Rings then take turns of 0.5 s: each measures half of the time."},
		{{.n_before = 1, .n = 4, .turn_ns = 2000000000},
			"Rings then take turns of 2 s: each measures 1/4 of the time."},
		{{.n_before = 2, .n = 3, .turn_ns = 500000000},
			"Each ring then measures 1/3 of the time, not half."},
		{{.n_before = 3, .n = 2, .turn_ns = 500000000},
			"Each ring then measures half of the time, not 1/3."},
		{{.n_before = 3, .n = 3, .turn_ns = 8008000000},
			"Each of the 3 turns becomes 8.008 s long, not 0.5 s."},
		{{.n_before = 2, .n = 3, .turn_ns = 8008000000},
			"Each ring then measures 1/3 of the time, not half. "
			"Each of the 3 turns becomes 8.008 s long, not 0.5 s."},
		{{.n_before = 2, .n = 1, .turn_ns = 8008000000},
			"There are no turns any more: each ring measures all of the time."},
	};
	struct session session = {.turn_ns = 500000000};
	char text[RUN_SAY_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		run_rings_say_turns(&session, &cases[i].turns, text);
		CHECK(strcmp(text, cases[i].text) == 0, "case %zu: '%s'", i, text);
	}
}

/* Three pairs, each on a CPU of its own; CPUs 2 and 3 of four are isolated. */
static void members_that_leave_or_enter_isolated_cpus_are_named(void)
{
	static const struct {
		const char *rings, *value, *text;
	} cases[] = {
		{"2", "0", "Shares CPU 0 with mq 0>0, which runs in the same turn. Leaves isolated CPU 2."},
		{"0", "3", "Enters isolated CPU 3."},
		{"2", "3", ""},
		{"2", "3>2", ""},
		{"2", "2-3", ""},
		{"1", "1>3", "Enters isolated CPU 3."},
		{"all", "3", "Shares CPU 3 with mq 1>1, which runs in the same turn. Enters isolated CPU 3."},
		{"0-1", "2-3",
			"Shares CPUs 2-3 with mq 1>1, which runs in the same turn. Enters isolated CPUs 2-3."},
		{"all", "0", "Shares CPU 0 with mq 1>1, which runs in the same turn. Leaves isolated CPU 2."},
		{"2", "1-2",
			"Shares CPU 1 with mq 1>1, which runs in the same turn. May leave isolated CPU 2."},
		{"0", "0,3", "May enter isolated CPU 3."},
		{"2", "2:", ""},
		{"2", "", ""},
	};
	struct fixture *f = fixture_create(3, 1000000);
	struct run run = {.topology = &f->topology};
	struct error_text text;

	fixture_feed(f);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		cpus_add(&f->topology.allowed, cpu);
	strcpy(f->session.machine.isolated, "2-3");
	run.source.session = f->session;
	run.source.config = &f->config;
	run.source.commands = command_rows;
	pthread_mutex_init(&run.source.lock, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct command command = {COMMAND_CPUS};

		strcpy(command.words, cases[i].rings);
		strcpy(command.name, cases[i].value);
		CHECK(run_preview_value(&run.source, &command, &text) == 0, "case %zu", i);
		CHECK(strcmp(text.text, cases[i].text) == 0, "case %zu: '%s'", i, text.text);
	}
	strcpy(run.source.session.machine.isolated, "");
	struct command command = {COMMAND_CPUS, .name = "1", .words = "2"};

	run_preview_value(&run.source, &command, &text);
	CHECK(!strstr(text.text, "isolated"), "'%s'", text.text);
	pthread_mutex_destroy(&run.source.lock);
	fixture_destroy(f);
}

int main(void)
{
	TEST(more_turns_leave_each_ring_less_of_the_time);
	TEST(members_that_leave_or_enter_isolated_cpus_are_named);
	return tap_done();
}
