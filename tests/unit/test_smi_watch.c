/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_smi_watch.c - how many interrupts of the firmware there were since a time. No test can make some:
 * another counter of the same PMU stands in for theirs. */
#include <unistd.h>

#include "src/base/clock.h"
#include "src/engine/smi_watch.h"
#include "tests/unit/tap.h"

static const uint64_t second_ns = 1000000000;

static void what_came_since_a_reading_before_is_told(void)
{
	struct smi_watch watch;
	uint64_t start_ns = clock_now_ns();

	smi_watch_open(&watch, "tsc");
	CHECK(smi_watch_since(&watch, start_ns) == 0); /* nothing was read before */
	smi_watch_look(&watch);

	CHECK(watch.last.at_ns >= start_ns && smi_watch_since(&watch, start_ns) == 0);
	usleep(20000);
	CHECK(smi_watch_since(&watch, clock_now_ns()) > 0);
	smi_watch_look(&watch); /* too early, unless the machine stood still */
	CHECK(watch.before.at_ns == 0 || watch.last.at_ns > watch.before.at_ns + second_ns);
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
