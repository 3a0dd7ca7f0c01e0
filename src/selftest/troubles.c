/* SPDX-License-Identifier: GPL-2.0-or-later */
/* troubles.c - how a trouble is tried. */
#include "src/selftest/troubles.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/text.h"
#include "src/flight/flight.h"
#include "src/selftest/measuring.h"
#include "src/selftest/selftest.h"

enum {
	REST_NS = 300000000, /* after the last one: until its spike is reported */
	END_NS = 800000000   /* with the end of the run */
};
static const uint64_t spike_ns = 1000000, interval_ns = 500000, longest_ns = 60000000000;

/* --- the run --- */

struct trying {
	struct stage *stage;
	pid_t child;
	uint64_t end_ns; /* of the run; 0: the trouble goes on */
};

static bool find_members(struct stage *stage, const struct tick *tick)
{
	const struct tick_ring *ring = tick->n_rings ? &tick->rings[0] : NULL;

	if (!ring || ring->state != RING_RUNNING || !ring->laps || ring->n_members != TROUBLE_MEMBERS)
		return false;
	for (unsigned i = 0; i < TROUBLE_MEMBERS; i++)
		stage->members[i] = tick->members[ring->first_member + i].pid;
	return true;
}

/* A child that was killed ends its trouble. */
static void look_for_child(const struct trying *trying)
{
	struct stage *stage = trying->stage;
	siginfo_t ended = {0};

	if (waitid(P_PID, (id_t)trying->child, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || !ended.si_pid ||
		atomic_load(&stage->state) == STAGE_ENDED)
		return;
	error_text_set(&stage->reason, -ECHILD, "the process that inflicts it was killed");
	atomic_store(&stage->state, STAGE_ENDED);
}

static void take_tick(void *data, struct source *source, const struct feed_item *item)
{
	struct trying *trying = data;
	struct stage *stage = trying->stage;

	if (item->kind != FEED_TICK)
		return;
	/* What can't be named is not inflicted. */
	if (strcmp(source->session.machine.recorder, flight_word(FLIGHT_OFF)) == 0) {
		source_end(source, "recorder");
		return;
	}
	look_for_child(trying);
	if (atomic_load(&stage->state) == STAGE_WAITS && find_members(stage, item->tick))
		atomic_store(&stage->state, STAGE_RUNS);
	else if (atomic_load(&stage->state) == STAGE_ENDED && !trying->end_ns)
		trying->end_ns = item->at_ns + REST_NS;
	if (trying->end_ns && item->at_ns >= trying->end_ns)
		source_end(source, "trouble");
}

/* --- the verdict --- */

/* What spikes said about the time of an injection. */
struct saying {
	uint64_t covered_ns; /* of that time, by spikes */
	uint64_t said_ns;    /* of it, by what was injected */
	uint64_t within_ns;  /* of it, by interrupts of what was injected, which took longer by them */
	uint64_t others_ns;  /* of it, by anything else */
	const struct kept_spike *longest, *clearest; /* clearest: of most of said_ns; NULL: of none */
	uint64_t longest_ns, clearest_ns;            /* of that spike, in that time; of said_ns */
};

static uint64_t overlap_ns(uint64_t from_ns, uint64_t to_ns, const struct injection *injection)
{
	uint64_t from = from_ns > injection->from_ns ? from_ns : injection->from_ns;
	uint64_t to = to_ns < injection->to_ns ? to_ns : injection->to_ns;

	return to > from ? to - from : 0;
}

static bool is_meant(
	const struct cause *cause, const struct trouble *trouble, const struct injection *injection)
{
	return trouble->kinds >> cause->kind & 1 && (!injection->tid || cause->tid == injection->tid);
}

static void add_segment(struct saying *saying, const struct segment *segment, const struct trouble *trouble,
	const struct injection *injection)
{
	uint64_t ns = overlap_ns(segment->from_ns, segment->to_ns, injection);

	if (is_meant(&segment->cause, trouble, injection))
		saying->said_ns += ns;
	else if (segment->cause.kind != CAUSE_UNEXPLAINED && segment->cause.kind != CAUSE_UNSEEN)
		saying->others_ns += ns;
}

static bool is_interrupt(const struct cause *cause)
{
	static const uint32_t kinds =
		1 << CAUSE_IRQ | 1 << CAUSE_TIMER | 1 << CAUSE_IPI | 1 << CAUSE_SOFTIRQ | 1 << CAUSE_NMI;

	return kinds >> cause->kind & 1;
}

/* Adds the interrupts between the first and the last segment of what was injected. */
static void add_interrupts(struct saying *saying, const struct explanation *explanation,
	const struct trouble *trouble, const struct injection *injection)
{
	uint64_t since_ns = 0; /* after the last such segment */
	bool has_begun = false;

	for (size_t i = 0; i < explanation->n_segments; i++) {
		const struct segment *segment = &explanation->segments[i];
		uint64_t ns = overlap_ns(segment->from_ns, segment->to_ns, injection);

		if (!ns)
			continue;
		if (is_meant(&segment->cause, trouble, injection)) {
			saying->within_ns += since_ns;
			since_ns = 0;
			has_begun = true;
		} else if (has_begun && is_interrupt(&segment->cause)) {
			since_ns += ns;
		}
	}
}

/* A spike that was reported while it lasted is in the list once. */
static struct saying find_saying(
	const struct session *session, const struct trouble *trouble, const struct injection *injection)
{
	struct saying saying = {0};

	for (size_t i = 0; i < session->spikes.n_last; i++) {
		const struct kept_spike *kept = &session->spikes.last[i];
		const struct explanation *explanation = kept->explanation;
		uint64_t ns = overlap_ns(spike_start_ns(&kept->spike), spike_end_ns(&kept->spike), injection);

		uint64_t said_before_ns = saying.said_ns;

		saying.covered_ns += ns;
		for (size_t s = 0; s < explanation->n_segments; s++)
			add_segment(&saying, &explanation->segments[s], trouble, injection);
		add_interrupts(&saying, explanation, trouble, injection);
		if (saying.said_ns - said_before_ns > saying.clearest_ns) {
			saying.clearest_ns = saying.said_ns - said_before_ns;
			saying.clearest = kept;
		}
		if (ns > saying.longest_ns) {
			saying.longest_ns = ns;
			saying.longest = kept;
		}
	}
	return saying;
}

/* Within 5 % or 100 us. */
static bool is_near(uint64_t a_ns, uint64_t b_ns)
{
	uint64_t off_ns = a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;

	return off_ns <= 100000 || off_ns <= b_ns / 20;
}

/* Others disturbed the pair, too: for longer, so that most of the spike was at another time; or so much that
 * the recorder lost records, or that spikes were only counted. */
static bool is_drowned(const struct session *session, const struct saying *saying)
{
	const struct kept_spike *longest = saying->longest;

	if (!longest)
		return session->spikes.blames.n_passed_over > 0;
	return !longest->explanation->is_complete ||
	       spike_length_ns(&longest->spike) > saying->longest_ns * 3 / 2 + spike_ns;
}

static void judge_injection(const struct session *session, const struct trouble *trouble,
	const struct injection *injection, struct trouble_result *result)
{
	struct saying saying = find_saying(session, trouble, injection);
	uint64_t length_ns = injection->length_ns ? injection->length_ns : saying.covered_ns;

	if (is_drowned(session, &saying)) {
		result->n_drowned++;
		return;
	}
	result->n++;
	if (!saying.longest)
		return;
	/* While a quota keeps the pair from running, others may have the CPU: no length is known then. */
	bool is_named = saying.said_ns > saying.covered_ns / 4 &&
			(saying.said_ns > saying.others_ns || !injection->has_length);

	result->n_found++;
	/* One that names the trouble, where there is any. */
	if (is_named || !result->n_named)
		explanation_text(
			(is_named ? saying.clearest : saying.longest)->explanation, result->explanation);
	result->n_named += is_named;
	if (!injection->has_length)
		return;
	result->n_measured++;
	uint64_t found_ns = saying.said_ns;

	/* More of them would be another trouble. */
	found_ns += saying.within_ns < found_ns / 10 ? saying.within_ns : found_ns / 10;

	result->n_long += is_near(found_ns, length_ns);
	result->injected_ns += length_ns;
	result->found_ns += found_ns;
}

/* Appends what had most of the time of all spikes, besides the trouble itself, if it was a fifth or more:
 * "...: ipctop-fifo (RT50) had 83 % of the time of all spikes". */
static void name_busiest(
	const struct session *session, const struct trouble *trouble, struct error_text *reason)
{
	const struct blame_sums *blames = &session->spikes.blames;
	char child[16];

	trouble_child_name(trouble, child);
	for (size_t i = 0; i < blames->n; i++) {
		const struct blamed *blamed = &blames->list[i];

		bool is_own = blamed->kind == CAUSE_TASK ? strncmp(blamed->text, child, strlen(child)) == 0
							 : trouble->kinds >> blamed->kind & 1;

		if (is_own || blamed_is_others(blamed))
			continue;
		if (blamed->ns * 5 < blames->ns)
			return;
		text_print(reason->text, sizeof(reason->text), ": %s had %.0f %% of the time of all spikes",
			blamed->text, 100 * (double)blamed->ns / (double)blames->ns);
		return;
	}
}

/* All must be found; one of four to ten may be misjudged, as others run on the machine, too. */
static void judge(const struct session *session, const struct trouble *trouble, const struct stage *stage,
	struct trouble_result *result)
{
	for (unsigned i = 0; i < atomic_load(&stage->n_done); i++)
		judge_injection(session, trouble, &stage->injections[i], result);
	unsigned n = result->n, allowed = n < 4 ? 0 : n < 10 ? 1 : n / 10;

	if (*stage->reason.text || !n) {
		result->outcome = OUTCOME_LEFT_OUT;
		error_text_set(&result->reason, 0, "%s",
			*stage->reason.text ? stage->reason.text
			: result->n_drowned
				? "others disturbed the pair for longer than the trouble, or too much for the recorder"
				: "the pair did not run in time");
		if (!stage->error || stage->error == -EBUSY)
			name_busiest(session, trouble, &result->reason);
	} else if (result->n_found < n || result->n_named + allowed < n ||
		   result->n_long + allowed < result->n_measured) {
		result->outcome = OUTCOME_FAILED;
	} else {
		result->outcome = OUTCOME_HELD;
	}
}

/* --- memory that is not locked --- */

struct lock_rights {
	struct rlimit limit;
	struct __user_cap_data_struct capabilities[2];
	bool are_taken;
};

static struct __user_cap_header_struct cap_header(void)
{
	return (struct __user_cap_header_struct){.version = _LINUX_CAPABILITY_VERSION_3};
}

/* Takes the rights to lock memory from this process, and those that it forks. */
static void take_lock_rights(struct lock_rights *rights)
{
	struct __user_cap_header_struct header = cap_header();
	struct __user_cap_data_struct lower[2];

	if (getrlimit(RLIMIT_MEMLOCK, &rights->limit) < 0 ||
		syscall(SYS_capget, &header, rights->capabilities) < 0)
		return;
	memcpy(lower, rights->capabilities, sizeof(lower));
	lower[0].effective &= ~(1u << CAP_IPC_LOCK);
	rights->are_taken = syscall(SYS_capset, &header, lower) == 0 &&
			    setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){0, rights->limit.rlim_max}) == 0;
}

static void return_lock_rights(const struct lock_rights *rights)
{
	struct __user_cap_header_struct header = cap_header();

	if (!rights->are_taken)
		return;
	setrlimit(RLIMIT_MEMLOCK, &rights->limit);
	syscall(SYS_capset, &header, rights->capabilities);
}

/* --- one trouble --- */

static struct config config_of(const struct selftest *selftest, const struct trouble *trouble, unsigned cpu)
{
	struct config config =
		measuring_config(selftest, trouble->mechanism ? trouble->mechanism : "pipe", cpu);

	config.interval_ns = interval_ns;
	config.spike_ns = spike_ns;
	config.duration_ns = longest_ns;
	if (trouble->configure)
		trouble->configure(&config);
	return config;
}

static void note_tier(struct flight *flight, struct trouble_result *result)
{
	snprintf(result->tier, sizeof(result->tier), "%s", flight_tier_name(flight));
	if (strcmp(result->tier, flight_word(FLIGHT_OFF)) != 0)
		return;
	result->outcome = OUTCOME_LEFT_OUT;
	error_text_set(&result->reason, 0,
		"what runs beside the pair is not recorded, so no culprit can be named%s%s",
		*flight_lacks(flight) ? ": " : "", flight_lacks(flight));
}

static int try_on_stage(const struct selftest *selftest, const struct trouble *trouble, struct stage *stage,
	struct trouble_result *result, struct error_text *reason)
{
	struct config config = config_of(selftest, trouble, stage->cpu);
	struct trying trying = {.stage = stage};
	struct lock_rights rights = {0};
	struct measuring *measuring = calloc(1, sizeof(*measuring));
	pid_t child = measuring ? trouble_child_start(stage, trouble) : -ENOMEM;

	if (child < 0) {
		free(measuring);
		return error_text_set(reason, child, "the trouble %s could not be started: %s", trouble->name,
			error_text_of_errno(child));
	}
	trying.child = child;
	*measuring = (struct measuring){.selftest = selftest, .take = take_tick, .data = &trying};
	if (trouble->unlocks)
		take_lock_rights(&rights);
	int r = measuring_run(measuring, &config, reason);

	trouble_child_end(child);
	cgroup_remove_left(stage);
	return_lock_rights(&rights);
	if (r == 0) {
		judge(&measuring->run.source.session, trouble, stage, result);
		note_tier(measuring->run.flight, result);
	}
	measuring_finish(measuring);
	free(measuring);
	return r;
}

int trouble_try(const struct selftest *selftest, const struct trouble *trouble, uint64_t until_ns,
	struct trouble_result *result, struct error_text *reason)
{
	*result = (struct trouble_result){
		.name = trouble->name, .title = trouble->title, .outcome = OUTCOME_LEFT_OUT};
	if (trouble->is_possible && !trouble->is_possible(&result->reason))
		return 0;
	struct stage *stage =
		mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (stage == MAP_FAILED)
		return error_text_set(reason, -errno, "no memory");
	stage->cpu = (unsigned)cpus_next(&selftest->topology->usable, -1);
	stage->n = selftest->is_quick ? trouble->n_quick : trouble->n;
	stage->until_ns = until_ns - END_NS;
	stage->front = getpid();
	int r = try_on_stage(selftest, trouble, stage, result, reason);

	munmap(stage, sizeof(*stage));
	return r;
}
