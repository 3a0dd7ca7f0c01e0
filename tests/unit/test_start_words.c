/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_start_words.c - the script that starts the rings of a session again. */
#include <string.h>

#include "src/report/start_words.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static const char *program; /* NULL: PATH has it */

/* The caller frees it. */
static char *print_words(const struct fixture *f)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out || start_words_print(out, &f->session, &f->config, "off", program) < 0 || fclose(out) != 0)
		abort();
	return text;
}

static void check_words(const struct fixture *f, const char *const *parts)
{
	char *text = print_words(f);
	const char *at = text;

	for (; *parts && at; parts++) {
		at = strstr(at, *parts);
		CHECK(at, "'%s' is not, or in another order, in\n%s", *parts, text);
	}
	free(text);
}

static void rings_with_the_same_options_share_a_line(void)
{
	struct fixture *f = fixture_create(3, 1000000);

	f->config.tick_ns = 500000000;
	f->config.window = WINDOW_PHASE;
	f->config.auto_phase = true;
	f->session.machine.dma_latency_held_us = -1;
	fixture_feed(f);
	check_words(f, (const char *[]){"#!/bin/sh\n", "exec ipctop -m mq --pairs 0:0,1:1,2:2 -s ",
			       " -i 1000us --policy ",
			       " --show first --window phase --recorder off --tick 0.5 \"$@\"\n", NULL});
	f->session.rings[1].interval_ns = 500250;
	f->session.machine.dma_latency_held_us = 0;
	check_words(f, (const char *[]){"control=", "ipctop ctl \"$control\" add -m mq --pairs 1:1 -s ",
			       " -i 500.250us --policy ", "exec ipctop -m mq --pairs 0:0,2:2 -s ",
			       " --dma-latency 0 ", " --control \"$control\" \"$@\"\n", NULL});
	f->session.rings[1].ended_ns = 1;
	char *text = print_words(f);

	CHECK(!strstr(text, "control") && !strstr(text, "1:1"), "%s", text);
	free(text);
	fixture_destroy(f);
}

static void a_pair_that_is_there_twice_is_added(void)
{
	struct fixture *f = fixture_create(3, 1000000);

	f->config.tick_ns = 500000000;
	fixture_feed(f);
	for (unsigned m = 0; m < 2; m++)
		f->session.rings[1].members[m].moved_to = 1;
	check_words(f, (const char *[]){"ipctop ctl \"$control\" add -m mq --pairs 0:0 -s ",
			       "exec ipctop -m mq --pairs 0:0,2:2 -s ", NULL});
	f->session.rings[2].ended_ns = 1;
	check_words(f, (const char *[]){"ipctop ctl \"$control\" add -m mq --pairs 0:0 -s ",
			       "exec ipctop -m mq --pairs 0:0 -s ", NULL});
	fixture_destroy(f);
}

static void a_program_that_is_not_in_path_is_started_by_its_own(void)
{
	static const char word[] = "'/opt/it'\\''s here/ipctop'";
	struct fixture *f = fixture_create(2, 1000000);

	f->config.tick_ns = 500000000;
	fixture_feed(f);
	f->session.rings[1].interval_ns = 500250;
	f->session.rings[1].state = RING_PAUSED;
	program = "/opt/it's here/ipctop";
	char *text = print_words(f), *at = text;
	unsigned n = 0;

	for (; (at = strstr(at, word)); n++)
		at += strlen(word);
	CHECK(n == 4 && !strstr(text, " ipctop ctl ") && !strstr(text, "\tipctop ") &&
			!strstr(text, "exec ipctop"),
		"%u in\n%s", n, text);
	free(text);
	program = NULL;
	fixture_destroy(f);
}

static void members_have_the_policy_and_the_cpus_of_now(void)
{
	struct fixture *f = fixture_create(1, 0);

	f->config.tick_ns = 500000000;
	fixture_feed(f);
	for (unsigned m = 0; m < 2; m++)
		f->session.rings[0].members[m].policy = (struct task_policy){SCHED_RR, 7};
	f->session.rings[0].members[1].moved_to = 4;
	check_words(f, (const char *[]){"--pairs 0:3 ", " -i 0 --policy rr -p 7", NULL});
	fixture_destroy(f);
}

static void what_no_option_can_express_is_a_comment(void)
{
	struct fixture *f = fixture_create(3, 1000000);

	f->config.tick_ns = 500000000;
	fixture_feed(f);
	f->session.rings[0].members[0].policy = (struct task_policy){SCHED_FIFO, 80};
	f->session.rings[0].members[1].policy = (struct task_policy){SCHED_RR, 7};
	f->session.rings[1].members[1].moved_to = -1;
	f->session.rings[2].ended_ns = 1;
	f->session.rings[2].members[1].moved_to = -1;
	check_words(f, (const char *[]){"# ring 0, mq ", "several policies", "# ring 1, mq ",
			       "any of several CPUs", "\nexec ipctop ", NULL});
	char *text = print_words(f);

	CHECK(!strstr(text, "ring 2,"), "%s", text);
	free(text);
	f->config.hunt = true;
	f->session.rings[1].interval_ns = 500250;
	check_words(f, (const char *[]){"--hunt is left out.\n", "exec ipctop ", NULL});
	f->session.rings[1].ended_ns = 1;
	check_words(f, (const char *[]){"exec ipctop ", " --hunt ", NULL});
	fixture_destroy(f);
}

static void limits_and_other_options_are_those_of_the_run(void)
{
	struct fixture *f = fixture_create(1, 1000000);

	fixture_feed(f);
	f->config.tick_ns = 123456789;
	f->config.turn_ns = 1234567891;
	f->config.breaktrace_ns = 90000;
	f->config.spike_ns = 80500;
	f->config.fail_above_ns = 5000000;
	f->config.window = WINDOW_10S;
	f->config.strict = true;
	f->config.auto_phase = false;
	check_words(
		f, (const char *[]){"exec ipctop ", " --turns 1.234567891 ", " -b 90us ",
			   " --spike 80.500us ", " --no-auto-phase ", " --fail-above 5000us ",
			   " --window 10s ", " --recorder off ", " --strict ", " --tick 0.123456789 ", NULL});
	fixture_destroy(f);
}

static void paused_rings_are_paused_again(void)
{
	struct fixture *f = fixture_create(3, 1000000);

	f->config.tick_ns = 500000000;
	fixture_feed(f);
	f->session.rings[1].state = RING_PAUSED;
	f->session.rings[2].state = RING_PAUSED;
	f->session.rings[2].condition = CONDITION_WAITING;
	check_words(f, (const char *[]){"control=$word", "status | grep -q \"\\\"pid\\\":$$,\"",
			       "ipctop ctl \"$control\" pause 'mq:1>1'\n)", "exec ipctop ",
			       " --control \"$control\" \"$@\"\n", NULL});
	f->session.rings[0].state = RING_PAUSED;
	f->session.rings[2].condition = CONDITION_FINE;
	check_words(f, (const char *[]){"ipctop ctl \"$control\" pause all\n)", "exec ipctop ", NULL});
	f->session.rings[2].state = RING_RUNNING;
	for (unsigned m = 0; m < 2; m++)
		f->session.rings[2].members[m].moved_to = 2; /* two rings are mq:1>1 */
	check_words(f, (const char *[]){"# ring 1, mq ", "it is paused; here it runs", "pause 'mq:0>0'\n)",
			       "exec ipctop ", NULL});
	fixture_destroy(f);
}

static void nice_values_are_a_comment(void)
{
	struct fixture *f = fixture_create(2, 1000000);

	f->config.tick_ns = 500000000;
	fixture_feed(f);
	for (unsigned i = 0; i < 2; i++) {
		f->session.rings[i].asked = (struct task_policy){SCHED_OTHER, 0, 3};
		for (unsigned m = 0; m < 2; m++)
			f->session.rings[i].members[m].policy =
				(struct task_policy){SCHED_OTHER, 0, i ? 7 : 3};
	}
	check_words(f,
		(const char *[]){"# ring 1, mq 1>1: its members have nice value 7;", "exec ipctop ", NULL});
	char *text = print_words(f);

	CHECK(!strstr(text, "# ring 0,"), "%s", text);
	free(text);
	fixture_destroy(f);
}

static void nothing_is_started_again_where_no_ring_is_left(void)
{
	struct fixture *f = fixture_create(2, 1000000);

	f->config.tick_ns = 500000000;
	fixture_feed(f);
	f->session.rings[0].ended_ns = 1;
	CHECK(!start_words_are_empty(&f->session));
	f->session.rings[1].state = RING_FAILED;
	CHECK(start_words_are_empty(&f->session));
	check_words(f, (const char *[]){"#!/bin/sh\n# Starts nothing: no ring was left.\n",
			       "echo 'no ring was left when this was saved' >&2\nexit 1\n", NULL});
	fixture_destroy(f);
}

int main(void)
{
	TEST(rings_with_the_same_options_share_a_line);
	TEST(a_pair_that_is_there_twice_is_added);
	TEST(a_program_that_is_not_in_path_is_started_by_its_own);
	TEST(members_have_the_policy_and_the_cpus_of_now);
	TEST(what_no_option_can_express_is_a_comment);
	TEST(limits_and_other_options_are_those_of_the_run);
	TEST(paused_rings_are_paused_again);
	TEST(nice_values_are_a_comment);
	TEST(nothing_is_started_again_where_no_ring_is_left);
	return tap_done();
}
