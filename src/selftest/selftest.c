/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selftest.c - measures the parts of the certificate one after the other, and prints each: a line for a
 * result, and one below it where there is more to say. */
#include "src/selftest/selftest.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/task.h"
#include "src/machine/topology.h"
#include "src/selftest/measuring.h"
#include "src/selftest/stamps.h"
#include "src/selftest/tiers.h"
#include "src/selftest/troubles.h"

/* --- the clock: a read, and two CPUs --- */

enum { READS = 1000000, WAYS = 1000, PRIORITY = 50 };
/* For the ways between two CPUs; the last one for plain tasks, beside which others run. */
static const uint64_t usual_ns = 10000000, longest_ns = 30000000, longest_shared_ns = 300000000;
static const uint64_t rest_ns = 10000000; /* after them: others get these CPUs */

/* Holds if no read is earlier than the one before. */
static void read_clock(struct clock_result *result)
{
	uint64_t start_ns = clock_now_ns(), before_ns = start_ns;

	*result = (struct clock_result){.n_reads = READS, .step_ns = UINT64_MAX};
	for (unsigned i = 0; i < READS; i++) {
		uint64_t now_ns = clock_now_ns();

		if (now_ns < before_ns)
			result->n_backward++;
		else if (now_ns > before_ns && now_ns - before_ns < result->step_ns)
			result->step_ns = now_ns - before_ns;
		before_ns = now_ns;
	}
	result->cost_ns = (double)(before_ns - start_ns) / READS;
	result->outcome = result->n_backward ? OUTCOME_FAILED : OUTCOME_HELD;
}

/* Returns whether threads may run before those of others. */
static bool may_run_first(void)
{
	struct task_policy own;
	int r = task_get_policy(0, &own);

	if (r == 0)
		r = task_set_policy(0, (struct task_policy){.policy = SCHED_FIFO, .priority = PRIORITY});
	if (r == 0)
		task_set_policy(0, own);
	return r == 0;
}

static int64_t width_ns(const struct clock_pair *pair)
{
	return pair->there_ns + pair->back_ns;
}

static bool is_wrong(const struct clock_pair *pair)
{
	return pair->n && (pair->there_ns < 0 || pair->back_ns < 0);
}

static void judge(struct skew_result *result)
{
	result->outcome = OUTCOME_HELD;
	for (size_t i = 0; i < result->n_pairs; i++) {
		const struct clock_pair *pair = &result->pairs[i];

		if (is_wrong(pair))
			result->outcome = OUTCOME_FAILED;
		if (!pair->n || (result->widest && is_wrong(result->widest)))
			continue;
		if (!result->widest || is_wrong(pair) || width_ns(pair) > width_ns(result->widest))
			result->widest = pair;
	}
	if (result->widest)
		return;
	result->outcome = OUTCOME_LEFT_OUT;
	error_text_set(&result->reason, 0, "no two CPUs ran at the same time: end what keeps them busy");
}

/* Passes a word between the first usable CPU and each other one, about 10 ms for each; holds if no word
 * arrives before it is sent. */
static void compare_clocks(const struct selftest *selftest, struct skew_result *result)
{
	const struct cpus *usable = &selftest->topology->usable;
	const struct clock_pace pace = {.usual_ns = usual_ns,
		.longest_ns = may_run_first() ? longest_ns : longest_shared_ns,
		.ways = WAYS,
		.priority = PRIORITY};
	const struct timespec rest = clock_timespec(rest_ns);
	int first = cpus_next(usable, -1), r = 0;

	*result = (struct skew_result){.outcome = OUTCOME_LEFT_OUT};
	if (cpus_count(usable) < 2) {
		error_text_set(&result->reason, 0, "there is one CPU: nothing to compare");
		return;
	}
	result->pairs = calloc(cpus_count(usable), sizeof(*result->pairs));
	if (!result->pairs) {
		error_text_set(&result->reason, 0, "%s", error_text_of_errno(-ENOMEM));
		return;
	}
	for (int cpu = first; (cpu = cpus_next(usable, cpu)) >= 0 && r == 0;) {
		struct clock_pair *pair = &result->pairs[result->n_pairs];

		*pair = (struct clock_pair){.a = (unsigned)first, .b = (unsigned)cpu};
		r = clock_pair_measure(pair, &pace);
		result->n_pairs += r == 0;
		nanosleep(&rest, NULL);
	}
	if (r < 0)
		error_text_set(&result->reason, 0, "no thread could be pinned: %s", error_text_of_errno(r));
	else
		judge(result);
}

/* --- rights --- */

static bool may_lock_memory(struct error_text *reason)
{
	const size_t size = 1 << 20; /* of a few members' stacks */
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int r = memory == MAP_FAILED ? -errno : mlock(memory, size) < 0 ? -errno : 0;

	if (memory != MAP_FAILED)
		munmap(memory, size);
	if (r < 0)
		error_text_set(reason, r,
			"memory can't be locked (%s): run with CAP_IPC_LOCK, or raise the limit memlock (ulimit -l)",
			error_text_of_errno(r));
	return r == 0;
}

static bool may_hold_idle_states(struct error_text *reason)
{
	static const char path[] = "/dev/cpu_dma_latency";
	int r = access(path, W_OK) < 0 ? -errno : 0;

	if (r == -ENOENT)
		error_text_set(reason, r, "there is no %s: this kernel or container lacks it", path);
	else if (r < 0)
		error_text_set(reason, r, "%s can't be written (%s): run as root, or change its mode", path,
			error_text_of_errno(r));
	return r == 0;
}

static const struct right {
	const char *name, *serves;
	bool (*is_there)(struct error_text *reason);
} rights[] = {
	{"realtime", "members of real-time policies, and hogs above them", measuring_has_realtime},
	{"memory", "members whose memory is locked", may_lock_memory},
	{"idle", "--dma-latency, which holds idle states off", may_hold_idle_states},
	{"cgroup", "the troubles quota and throttling", cgroup_may_make},
};

/* The tiers of the recorder were tried before. */
static void read_rights(struct certificate *certificate)
{
	for (size_t i = 0; i < sizeof(rights) / sizeof(*rights); i++) {
		struct right_result *result = &certificate->rights[certificate->n_rights++];

		*result = (struct right_result){.name = rights[i].name, .serves = rights[i].serves};
		result->is_there = rights[i].is_there(&result->reason);
	}
}

/* --- the text --- */

const char *const outcome_names[N_OUTCOMES] = {
	[OUTCOME_HELD] = "held", [OUTCOME_FAILED] = "failed", [OUTCOME_LEFT_OUT] = "left out"};

struct outcome_counts certificate_count(const struct certificate *certificate)
{
	struct outcome_counts counts = {{0}};

	counts.n[certificate->clock.outcome]++;
	counts.n[certificate->skew.outcome]++;
	counts.n[certificate->stamps.outcome]++;
	for (size_t i = 0; i < certificate->n_troubles; i++)
		counts.n[certificate->troubles[i].outcome]++;
	for (size_t i = 0; i < certificate->n_tiers; i++)
		counts.n[certificate->tiers[i].outcome]++;
	return counts;
}

void certificate_finish(struct certificate *certificate)
{
	free(certificate->skew.pairs);
	machine_finish(&certificate->machine);
	*certificate = (struct certificate){0};
}

/* "hog         held      ", which the sentence about it follows. */
static void print_row(FILE *out, const char *name, enum outcome outcome)
{
	fprintf(out, "%-11s %-9s ", name, outcome_names[outcome]);
}

static void print_left_out(FILE *out, const struct error_text *reason)
{
	fprintf(out, "%s\n", reason->text);
}

static void print_head(FILE *out, const struct certificate *certificate)
{
	const struct machine *machine = &certificate->machine;
	time_t began = (time_t)certificate->began_s;
	struct tm when;
	char date[32];

	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&began, &when));
	fprintf(out, "ipctop %s self-test of %s, %s\nkernel %s, preemption %s, clock %s, %zu CPU%s\n\n",
		IPCTOP_VERSION, machine->host, date, machine->kernel, machine->preemption,
		machine->clock_source, machine->n_cpus, machine->n_cpus == 1 ? "" : "s");
}

static void print_clock(FILE *out, const struct certificate *certificate)
{
	const struct clock_result *clock = &certificate->clock;

	print_row(out, "clock", clock->outcome);
	fprintf(out, "a read takes %.1f ns, the smallest step is %llu ns; %llu of %llu reads went backward\n",
		clock->cost_ns, (unsigned long long)clock->step_ns, (unsigned long long)clock->n_backward,
		(unsigned long long)clock->n_reads);
}

static void print_skew(FILE *out, const struct certificate *certificate)
{
	const struct skew_result *skew = &certificate->skew;
	const struct clock_pair *widest = skew->widest;

	print_row(out, "skew", skew->outcome);
	if (!widest) {
		print_left_out(out, &skew->reason);
		return;
	}
	fprintf(out, "CPU %u is ahead of CPU %u by %lld to %lld ns: %lld ns there and %lld ns back at least",
		widest->b, widest->a, (long long)-widest->back_ns, (long long)widest->there_ns,
		(long long)widest->there_ns, (long long)widest->back_ns);
	fprintf(out, skew->n_pairs > 1 ? ", the widest of %zu pairs\n" : "\n", skew->n_pairs);
}

static void print_stamps(FILE *out, const struct certificate *certificate)
{
	const struct stamps_result *stamps = &certificate->stamps;

	print_row(out, "stamps", stamps->outcome);
	if (stamps->outcome == OUTCOME_LEFT_OUT)
		print_left_out(out, &stamps->reason);
	else
		fprintf(out,
			"%llu of %llu switches of the kernel to a member, of %llu hops, are between the stamps;\n%22s"
			"received follows the switch by %.1f us in the median, by %.1f us at most\n",
			(unsigned long long)(stamps->n_woken - stamps->n_wrong),
			(unsigned long long)stamps->n_woken, (unsigned long long)stamps->n_hops, "",
			(double)stamps->median_ns / 1e3, (double)stamps->max_ns / 1e3);
}

static void print_trouble(FILE *out, const struct trouble_result *trouble)
{
	print_row(out, trouble->name, trouble->outcome);
	if (trouble->outcome == OUTCOME_LEFT_OUT) {
		print_left_out(out, &trouble->reason);
		return;
	}
	fprintf(out, "%s, %u times: %u found, %u named", trouble->title, trouble->n, trouble->n_found,
		trouble->n_named);
	if (trouble->n_measured)
		fprintf(out, ", %u with its length (%.1f of %.1f ms)", trouble->n_long,
			(double)trouble->found_ns / 1e6, (double)trouble->injected_ns / 1e6);
	if (trouble->n_drowned)
		fprintf(out, "; %u drowned", trouble->n_drowned);
	fprintf(out, "\n%22s%s: %s\n", "", trouble->tier,
		trouble->n_found ? trouble->explanation : "nothing");
}

static void print_tiers(FILE *out, const struct certificate *certificate)
{
	for (size_t i = 0; i < certificate->n_tiers; i++) {
		const struct tier_result *tier = &certificate->tiers[i];

		print_row(out, tier->name, tier->outcome);
		if (tier->outcome == OUTCOME_LEFT_OUT)
			print_left_out(out, &tier->reason);
		else
			fprintf(out,
				"as recorder, an answer on one CPU takes %.3f of its time without (%.3f to %.3f, %u "
				"blocks, %.2f us)\n",
				tier->ratio, tier->low, tier->high, tier->n, tier->median_ns / 1e3);
	}
}

static void print_rights(FILE *out, const struct certificate *certificate)
{
	fputs("\nRights:\n", out);
	for (size_t i = 0; i < certificate->n_rights; i++) {
		const struct right_result *right = &certificate->rights[i];

		fprintf(out, "%-11s %-9s %s\n", right->name, right->is_there ? "there" : "missing",
			right->is_there ? right->serves : right->reason.text);
	}
}

static void print_end(FILE *out, const struct certificate *certificate)
{
	struct outcome_counts counts = certificate_count(certificate);

	fprintf(out, "\n%u held, %u failed, %u left out, in %.0f s\n", counts.n[OUTCOME_HELD],
		counts.n[OUTCOME_FAILED], counts.n[OUTCOME_LEFT_OUT], (double)certificate->took_ns / 1e9);
}

/* --- all of it --- */

/* From the start, when the last trouble is over; the tiers are measured after that. */
static const uint64_t troubles_end_ns = 40000000000, quick_troubles_end_ns = 14500000000;

/* What is printed can be read while the next part is measured. */
static void print_part(const struct selftest *selftest, const struct certificate *certificate,
	void (*print)(FILE *out, const struct certificate *certificate))
{
	if (!selftest->out)
		return;
	print(selftest->out, certificate);
	fflush(selftest->out);
}

/* Returns until when a trouble may be tried: it shares what is left of the time with those that follow it. */
static uint64_t until_ns_of(size_t trouble, uint64_t end_ns)
{
	struct error_text reason;
	uint64_t n = 1, now_ns = clock_now_ns();

	while (troubles[++trouble])
		n += !troubles[trouble]->is_possible || troubles[trouble]->is_possible(&reason);
	return now_ns < end_ns ? now_ns + (end_ns - now_ns) / n : now_ns;
}

static int try_troubles(const struct selftest *selftest, struct certificate *certificate, uint64_t end_ns,
	struct error_text *reason)
{
	int r = 0;

	for (size_t i = 0; troubles[i] && r == 0; i++) {
		struct trouble_result *result = &certificate->troubles[certificate->n_troubles++];

		r = trouble_try(selftest, troubles[i], until_ns_of(i, end_ns), result, reason);
		if (r < 0 || !selftest->out)
			continue;
		print_trouble(selftest->out, result);
		fflush(selftest->out);
	}
	return r;
}

int selftest_run(const struct selftest *selftest, struct certificate *certificate, struct error_text *reason)
{
	uint64_t start_ns = clock_now_ns();

	*certificate = (struct certificate){.is_quick = selftest->is_quick, .began_s = (uint64_t)time(NULL)};
	machine_read(&certificate->machine, selftest->topology);
	print_part(selftest, certificate, print_head);
	read_clock(&certificate->clock);
	print_part(selftest, certificate, print_clock);
	compare_clocks(selftest, &certificate->skew);
	print_part(selftest, certificate, print_skew);
	int r = stamps_compare(selftest, &certificate->stamps, reason);

	if (r < 0)
		return r;
	print_part(selftest, certificate, print_stamps);
	r = try_troubles(selftest, certificate,
		start_ns + (selftest->is_quick ? quick_troubles_end_ns : troubles_end_ns), reason);
	if (r == 0)
		r = tiers_measure(selftest, certificate, reason);
	if (r < 0)
		return r;
	print_part(selftest, certificate, print_tiers);
	read_rights(certificate);
	print_part(selftest, certificate, print_rights);
	certificate->took_ns = clock_now_ns() - start_ns;
	print_part(selftest, certificate, print_end);
	return 0;
}
