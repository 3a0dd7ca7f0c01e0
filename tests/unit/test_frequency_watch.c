/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_frequency_watch.c - the clock frequency of CPUs of a made-up machine. */
#include "src/engine/frequency_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/figures/spike.h"
#include "src/machine/cpus.h"
#include "tests/unit/tap.h"

static const uint64_t second_ns = 1000000000;
static char root[] = "/tmp/ipctop-frequency-XXXXXX";

/* @average, @current: what the files have; NULL: there is none. */
static void set(const char *average, const char *current)
{
	char line[1024];

	snprintf(line, sizeof(line),
		"cd %s && rm -rf sys && mkdir -p sys/devices/system/cpu/cpu1/cpufreq && "
		"cd sys/devices/system/cpu/cpu1/cpufreq && %s%s%s && %s%s%s",
		root, average ? "echo " : "true", average ? average : "", average ? " >cpuinfo_avg_freq" : "",
		current ? "echo " : "true", current ? current : "", current ? " >scaling_cur_freq" : "");
	CHECK(system(line) == 0, "%s", line);
}

static struct frequency_watch *watch_of(const char *release, const char *machine)
{
	struct frequency_watch *watch;
	struct utsname kernel;

	snprintf(kernel.release, sizeof(kernel.release), "%s", release);
	snprintf(kernel.machine, sizeof(kernel.machine), "%s", machine);
	CHECK(frequency_watch_create(&watch, root, &kernel) == 0);
	return watch;
}

static void what_is_measured_without_an_interrupt_is_read(void)
{
	const struct {
		const char *what, *release, *machine, *average, *current;
		uint32_t mhz;
	} cases[] = {
		{"measured by the tick", "6.18.44-fc", "x86_64", "3399713", "3399713", 3400},
		{"before the average had a file", "5.19.0", "x86_64", NULL, "800204", 800},
		{"where reading interrupts", "5.15.0-91-generic", "x86_64", NULL, "3399713", 0},
		{"in an older version", "4.19.0", "i686", NULL, "3399713", 0},
		{"in a version that is not known", "next", "x86_64", NULL, "3399713", 0},
		{"a request, as there was no tick", "6.18.44-fc", "x86_64", "800000", "800000", 0},
		{"on 32 bits, too", "6.1.0", "i686", NULL, "800000", 0},
		{"a processor at its highest frequency", "6.18.0", "aarch64", "2400000", "1500000", 2400},
		{"a request of one that measures nothing", "6.6.0", "aarch64", NULL, "1500000", 1500},
		{"no number", "6.18.0", "aarch64", "unknown", "unknown", 0},
		{"no file", "6.18.0", "x86_64", NULL, NULL, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct frequency_watch *watch = watch_of(cases[i].release, cases[i].machine);
		struct cpu_hints hints = {0};
		struct cpus cpus = {0};

		cpus_add(&cpus, 1);
		set(cases[i].average, cases[i].current);
		frequency_watch_add(watch, 1, &hints);
		CHECK(!hints.mhz && !hints.usual_mhz, "%s: read, with nothing to compare", cases[i].what);
		frequency_watch_look(watch, &cpus, second_ns);
		frequency_watch_add(watch, 1, &hints);
		CHECK(hints.mhz == cases[i].mhz && hints.usual_mhz == cases[i].mhz, "%s: %u %u",
			cases[i].what, hints.mhz, hints.usual_mhz);
		frequency_watch_destroy(watch);
	}
}

static void what_is_usual_follows_within_some_seconds(void)
{
	struct frequency_watch *watch = watch_of("6.18.0", "x86_64");
	struct cpus cpus = {0};
	struct cpu_hints hints = {0}, other = {0};
	uint64_t now_ns = second_ns;

	cpus_add(&cpus, 1);
	set(NULL, "3400123");
	frequency_watch_look(watch, &cpus, now_ns);
	set(NULL, "800123");
	for (int i = 0; i < 20; i++) /* within one second */
		frequency_watch_look(watch, &cpus, now_ns + second_ns / 20 * (uint64_t)i);
	frequency_watch_add(watch, 1, &hints);
	CHECK(hints.mhz == 800 && hints.usual_mhz == 3400, "%u %u", hints.mhz, hints.usual_mhz);

	frequency_watch_look(watch, &cpus, now_ns += second_ns);
	frequency_watch_add(watch, 1, &hints);
	CHECK(hints.usual_mhz > 3000 && hints.usual_mhz < 3400, "%u", hints.usual_mhz);
	for (int i = 0; i < 60; i++)
		frequency_watch_look(watch, &cpus, now_ns += second_ns);
	frequency_watch_add(watch, 1, &hints);
	CHECK(hints.usual_mhz >= 790 && hints.usual_mhz < 810, "%u", hints.usual_mhz);

	set(NULL, "800000"); /* nothing measured it, so nothing is known */
	frequency_watch_look(watch, &cpus, now_ns += second_ns);
	frequency_watch_add(watch, 1, &hints);
	CHECK(hints.mhz == 0 && hints.usual_mhz >= 790, "%u %u", hints.mhz, hints.usual_mhz);
	frequency_watch_add(watch, -1, &other); /* a member without a CPU of its own */
	CHECK(!other.mhz && !other.usual_mhz);
	frequency_watch_destroy(watch);
}

enum { MANY = 3 * FREQUENCIES_AT_ONCE };

/* Returns how many of the CPUs have a usual frequency. */
static unsigned count_known(struct frequency_watch *watch)
{
	unsigned n = 0;

	for (int32_t cpu = 0; cpu < MANY; cpu++) {
		struct cpu_hints hints = {0};

		frequency_watch_add(watch, cpu, &hints);
		n += hints.usual_mhz > 0;
	}
	return n;
}

static void many_cpus_are_read_a_part_at_each_call(void)
{
	struct frequency_watch *watch = watch_of("6.18.0", "x86_64");
	struct cpus cpus = {0};
	struct cpu_hints hints = {0};
	uint64_t now_ns = second_ns;
	char line[256];

	set(NULL, "3400123");
	for (unsigned cpu = 0; cpu < MANY; cpu++)
		cpus_add(&cpus, cpu);
	snprintf(line, sizeof(line),
		"cd %s/sys/devices/system/cpu && for i in $(seq 0 %d); do test $i = 1 || cp -r cpu1 cpu$i; done",
		root, MANY - 1);
	CHECK(system(line) == 0, "%s", line);
	for (unsigned n = 1; n <= MANY / FREQUENCIES_AT_ONCE; n++) {
		frequency_watch_look(watch, &cpus, now_ns += second_ns / 20);
		CHECK(count_known(watch) == n * FREQUENCIES_AT_ONCE, "%u", count_known(watch));
	}
	/* The round has ended, and the next one begins a second after it began. */
	set(NULL, "800123");
	frequency_watch_look(watch, &cpus, now_ns += second_ns / 20);
	frequency_watch_look(watch, &cpus, second_ns + second_ns);
	frequency_watch_add(watch, 1, &hints);
	CHECK(hints.usual_mhz == 3400, "%u", hints.usual_mhz);
	frequency_watch_look(watch, &cpus, second_ns + second_ns / 20 + second_ns);
	frequency_watch_add(watch, 1, &hints);
	CHECK(hints.usual_mhz < 3400, "%u", hints.usual_mhz);
	frequency_watch_destroy(watch);
}

int main(void)
{
	char line[128];

	CHECK(mkdtemp(root) != NULL);
	TEST(what_is_measured_without_an_interrupt_is_read);
	TEST(what_is_usual_follows_within_some_seconds);
	TEST(many_cpus_are_read_a_part_at_each_call);
	snprintf(line, sizeof(line), "rm -r %s", root);
	CHECK(system(line) == 0);
	return tap_done();
}
