/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frequency_watch.c - follows the clock frequency of the members' CPUs.
 *
 * The kernel's two files give what the CPU's last tick measured, and interrupt nothing. Where that is older
 * than 20 ms, as of an idle CPU or one without a tick (nohz_full), and where the processor measures nothing,
 * they give the last request. Of x86 that is no evidence: its drivers with a choice of their own never set it
 * anew, and intel_pstate has the lowest frequency there. */
#include "src/engine/frequency_watch.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "src/base/small_file.h"
#include "src/figures/spike.h"
#include "src/machine/cpus.h"

enum { MHZ_KHZ = 1000, SLOWNESS = 8 /* rounds, until what is usual has followed */ };
static const uint64_t second_ns = 1000000000;
static const char *const files[] = {"cpuinfo_avg_freq", "scaling_cur_freq"};

struct frequency_watch {
	const char *root;
	bool interrupts; /* reading interrupts the CPU: so nothing is read */
	bool has_stale_requests;
	uint64_t round_ns;            /* when the last round began; 0: none has */
	int last_cpu;                 /* that was read in this round; -1: it has ended */
	uint32_t usual_mhz[CPUS_MAX]; /* 0: not known */
};

/* Before Linux 5.19 x86 reads its counters on the CPU itself, by smp_call_function_single() in
 * arch_freq_get_on_cpu(); since then by the tick. */
static bool interrupts_cpus(const struct utsname *kernel)
{
	unsigned major, minor;

	return sscanf(kernel->release, "%u.%u", &major, &minor) != 2 || major < 5 ||
	       (major == 5 && minor < 19);
}

static bool is_x86(const struct utsname *kernel)
{
	const char *machine = kernel->machine; /* "x86_64", "i686" */

	return strncmp(machine, "x86", 3) == 0 || (machine[0] == 'i' && strcmp(machine + 2, "86") == 0);
}

int frequency_watch_create(struct frequency_watch **watch, const char *root, const struct utsname *kernel)
{
	*watch = calloc(1, sizeof(**watch));
	if (!*watch)
		return -ENOMEM;
	(*watch)->root = root;
	(*watch)->interrupts = interrupts_cpus(kernel);
	(*watch)->has_stale_requests = is_x86(kernel);
	(*watch)->last_cpu = -1;
	return 0;
}

void frequency_watch_destroy(struct frequency_watch *watch)
{
	free(watch);
}

/* Returns 0 where it is not known. What is measured is hardly ever a whole number of MHz, and a request is.
 */
static uint32_t read_mhz(const struct frequency_watch *watch, unsigned cpu)
{
	char path[PATH_MAX], line[32];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !watch->interrupts; i++) {
		snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%u/cpufreq/%s", watch->root, cpu,
			files[i]);
		long long khz =
			small_file_read_line(path, line, sizeof(line)) > 0 ? strtoll(line, NULL, 10) : -1;

		if (khz > 0 && khz < UINT32_MAX && !(watch->has_stale_requests && khz % MHZ_KHZ == 0))
			return (uint32_t)((khz + MHZ_KHZ / 2) / MHZ_KHZ);
	}
	return 0;
}

void frequency_watch_look(struct frequency_watch *watch, const struct cpus *cpus, uint64_t now_ns)
{
	int cpu = watch->last_cpu;

	if (cpu < 0 && watch->round_ns && now_ns < watch->round_ns + second_ns)
		return;
	if (cpu < 0)
		watch->round_ns = now_ns;
	for (unsigned n = 0; n < FREQUENCIES_AT_ONCE && (cpu = cpus_next(cpus, cpu)) >= 0; n++) {
		uint32_t *usual = &watch->usual_mhz[cpu], mhz = read_mhz(watch, (unsigned)cpu);

		if (mhz)
			*usual = *usual ? (*usual * (SLOWNESS - 1) + mhz) / SLOWNESS : mhz;
	}
	watch->last_cpu = cpu;
}

void frequency_watch_add(struct frequency_watch *watch, int32_t cpu, struct cpu_hints *hints)
{
	if (cpu < 0 || cpu >= CPUS_MAX)
		return;
	hints->usual_mhz = watch->usual_mhz[cpu];
	if (hints->usual_mhz) /* else there is nothing to compare with, and mostly no file */
		hints->mhz = read_mhz(watch, (unsigned)cpu);
}
