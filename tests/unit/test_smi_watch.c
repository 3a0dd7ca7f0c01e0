/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_smi_watch.c - counts of firmware interrupts are told to whom they may concern. Another counter of the
 * same PMU stands in for theirs, which no test can make grow. */
#include <unistd.h>

#include "src/base/clock.h"
#include "src/engine/smi_watch.h"
#include "tests/unit/tap.h"

static void what_came_since_a_reading_before_is_told(void)
{
	struct smi_watch watch;
	uint64_t start_ns = clock_now_ns();

	smi_watch_open(&watch, "tsc");
	CHECK(smi_watch_since(&watch, start_ns) == 0); /* nothing was read before */
	smi_watch_look(&watch);
	uint64_t first_n = watch.last.n;

	CHECK(watch.last.at_ns >= start_ns && smi_watch_since(&watch, start_ns) == 0);
	usleep(20000);
	CHECK(smi_watch_since(&watch, clock_now_ns()) > 0);
	smi_watch_look(&watch); /* too early */
	CHECK(watch.last.n == first_n || watch.before.n == first_n);
	smi_watch_close(&watch);
}

static void where_they_are_not_counted_there_were_none(void)
{
	struct smi_watch watch;

	smi_watch_open(&watch, "there is no such event");
	CHECK(watch.counter < 0);
	smi_watch_look(&watch);
	CHECK(smi_watch_since(&watch, clock_now_ns()) == 0);
	smi_watch_close(&watch);
}

int main(void)
{
	struct smi_watch watch;

	smi_watch_open(&watch, "tsc");
	if (watch.counter >= 0)
		TEST(what_came_since_a_reading_before_is_told);
	else
		tap_skip("what_came_since_a_reading_before_is_told",
			"needs perf's PMU msr, and the right to it");
	smi_watch_close(&watch);
	TEST(where_they_are_not_counted_there_were_none);
	return tap_done();
}
