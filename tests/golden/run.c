/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - runs that nobody measured. */
#include "tests/golden/run.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/machine/cpu_parts.h"
#include "src/model/feed.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "src/recording/record.h"
#include "tests/golden/story.h"

enum {
	TICK_NS = 500000000,
	TURN_TICKS = 2,
	TURN_OFFSET_NS = 300000000, /* a turn begins in the middle of a tick */
	INTERVAL_NS = 1000000,
	LAPS = TICK_NS / INTERVAL_NS,
	SHAPES = 24, /* values that the laps of a tick have */
};

#define START_NS UINT64_C(5000000000)
#define WALL_NS UINT64_C(1700000000123456789) /* 2023-11-14 22:13:20 */

static const struct probe probes[] = {
	{.name = "mq", .title = "POSIX message queue"},
	{.name = "svsem", .title = "SysV semaphore"},
	{.name = "signal", .title = "signal to a thread"},
};

struct made_run {
	const struct run_story *story;
	size_t n_pairs;
	unsigned n_cpus, first_cpu; /* of the machine; where the first pair is */
	char isolated[32];
	struct config config;
	struct topology topology;
	struct session session;
	struct tick tick;
	unsigned n_ticks; /* that have been told */
	uint64_t random;
};

static unsigned members_of(const struct run_story *story)
{
	return story->n_members ? story->n_members : 2;
}

const struct session *made_run_session(const struct made_run *run)
{
	return &run->session;
}

static void *allocate(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	if (!memory)
		abort();
	return memory;
}

static uint64_t random_below(struct made_run *run, uint64_t n)
{
	run->random ^= run->random << 13;
	run->random ^= run->random >> 7;
	run->random ^= run->random << 17;
	return run->random % n;
}

static bool befalls(const struct made_run *run, size_t pair, enum fate fate)
{
	for (size_t i = 0; i < sizeof(run->story->happenings) / sizeof(*run->story->happenings); i++) {
		const struct happening *happening = &run->story->happenings[i];

		if (happening->fate == fate && happening->pair == pair && run->n_ticks >= happening->from &&
			run->n_ticks < happening->to)
			return true;
	}
	return false;
}

/* --- the start --- */

static void plan_ring_init(struct made_run *run, struct plan_ring *ring, size_t i, unsigned *cpus)
{
	const struct run_story *story = run->story;
	unsigned cpu = (run->first_cpu + (unsigned)i) % run->n_cpus, n_members = members_of(story);

	cpus[0] = cpu;
	cpus[1] = i % 3 == 0 || (cpu ^ 1) >= run->n_cpus ? cpu : cpu ^ 1;
	for (unsigned m = 0; n_members > 2 && m < n_members; m++)
		cpus[m] = (cpu + m) % run->n_cpus;
	*ring = (struct plan_ring){.id = (uint32_t)i,
		.probe = &probes[i % story->n_probes],
		.mechanism = probes[i % story->n_probes].name,
		.title = probes[i % story->n_probes].title,
		.cpus = cpus,
		.n_members = n_members,
		.locality = i % 3 == 0 ? LOCALITY_OWN : (enum locality)(i % N_LOCALITIES),
		.turn = (unsigned)i % story->n_turns,
		.has_policy = true,
		.policy = run->config.policy,
		.interval_ns = befalls(run, i, FATE_FLOOD) ? 0 : INTERVAL_NS};
}

/* Cores of two CPUs with an L2, four CPUs to an L3, and two packages, each a node; small machines have one.
 */
static struct fact_rows *make_parts(const struct made_run *run)
{
	unsigned in_package = ((run->n_cpus + 1) / 2 + 3) / 4 * 4;
	struct topology topology = {
		.cpus = allocate(run->n_cpus, sizeof(*topology.cpus)), .n_cpus = run->n_cpus};

	for (unsigned cpu = 0; cpu < run->n_cpus; cpu++)
		topology.cpus[cpu] = (struct topology_cpu){.cpu = cpu,
			.core = (int)(cpu & ~1u),
			.l2 = (int)(cpu & ~1u),
			.l3 = (int)(cpu & ~3u),
			.package = (int)(cpu / in_package * in_package),
			.node = (int)(cpu / in_package)};
	struct fact_rows *parts = cpu_parts_of(&topology);

	free(topology.cpus);
	return parts;
}

/* All may be ahead of the first one by a little, or behind it. */
static struct fact_rows *make_skew(const struct made_run *run)
{
	char text[64];

	snprintf(text, sizeof(text), "0:0..0ns 1-%u:-85..92ns", (unsigned)run->n_cpus - 1);
	return fact_rows_parse(text);
}

static struct machine first_machine(const struct made_run *run)
{
	struct machine machine = {.host = "host42",
		.kernel = "6.1.0-rt7-amd64",
		.preemption = "PREEMPT_RT",
		.governor = fact_rows_parse("powersave"),
		.clock_source = "tsc",
		.smt = 1,
		.dma_latency_state = MACHINE_VALUE,
		.dma_latency_us = 0,
		.dma_latency_held_us = 0,
		.rt_runtime_us = 950000,
		.rt_period_us = 1000000,
		.clock_cost_ns = 27,
		.clock_step_ns = -1,
		.clock_skew = make_skew(run),
		.cpu_parts = make_parts(run),
		.n_cpus = run->n_cpus,
		.n_cores = run->n_cpus / 2,
		.n_packages = 1,
		.n_nodes = 1,
		.watchdog = "1",
		.nmi_watchdog = "0",
		.timer_migration = "1",
		.stat_interval = "1",
		.thp = "always",
		.swap = "1 area",
		.memlock = "unlimited",
		.skew_tick = "none",
		.rivals = "none",
		.irqbalance = "running",
		.irq_threads = "3, at most FF50 (irq/24-virtio0 on 0-3)",
		.tick_hz = "1000",
		.smis = "2",
		.cpu_quota = "none",
		.workqueue_cpus = "ffff",
		.base_slice_ns = "not readable",
		.hypervisor = "none"};

	snprintf(machine.recorder, sizeof(machine.recorder), "%s",
		run->story->recorder ? run->story->recorder : "");
	snprintf(machine.isolated, sizeof(machine.isolated), "%s", run->isolated);
	snprintf(machine.nohz_full, sizeof(machine.nohz_full), "%s", run->isolated);
	return machine;
}

static void make_session(struct made_run *run)
{
	size_t n = run->n_pairs;
	struct machine machine = first_machine(run);
	struct plan plan = {.n_rings = n, .n_turns = run->story->n_turns, .slice_ns = TURN_TICKS * TICK_NS};
	unsigned n_members = members_of(run->story), *cpus = allocate(n * n_members, sizeof(*cpus));

	plan.rings = allocate(n, sizeof(*plan.rings));
	for (size_t i = 0; i < n; i++)
		plan_ring_init(run, &plan.rings[i], i, cpus + i * n_members);
	int r = session_init(&run->session, &plan, &run->topology, &run->config, &machine);

	machine_finish(&machine);
	if (r < 0)
		abort();
	run->session.wall_start_ns = WALL_NS;
	run->session.start_ns = START_NS;
	free(plan.rings);
	free(cpus);
}

static void make_tick(struct made_run *run)
{
	unsigned n_members = members_of(run->story);
	size_t n = run->n_pairs, n_all = n * n_members;
	size_t n_hops = n_members > 2 ? n_all : 0;

	run->tick = (struct tick){.end_ns = START_NS,
		.rings = allocate(n, sizeof(*run->tick.rings)),
		.n_rings = n,
		.members = allocate(n_all, sizeof(*run->tick.members)),
		.n_members = n_all,
		.hops = allocate(n_hops + 1, sizeof(*run->tick.hops)),
		.n_hops = n_hops,
		.cells = allocate(n * N_FIGURES * (SHAPES + 1) + n_hops * SHAPES, sizeof(*run->tick.cells))};
	for (size_t i = 0; i < n; i++) {
		run->tick.rings[i] = (struct tick_ring){.id = (uint32_t)i,
			.first_member = n_members * i,
			.n_members = n_members,
			.first_hop = n_hops ? n_members * i : 0,
			.n_hops = n_hops ? n_members : 0};
		for (size_t m = 0; m < n_members; m++)
			run->tick.members[n_members * i + m] = (struct tick_member){.pid = 4000 + (int32_t)i,
				.tid = 5000 + (int32_t)(n_members * i + m),
				.policy = {SCHED_FIFO, 80},
				.cpu = (int32_t)run->session.rings[i].cpus[m],
				.n_cpus = 1};
	}
	for (size_t h = 0; h < n_hops; h++)
		run->tick.hops[h].node = HOP_NODE_UNKNOWN;
}

/* The upper half of the CPUs is isolated. */
static void place_pairs(struct made_run *run, unsigned n_cpus)
{
	run->n_cpus = n_cpus;
	run->first_cpu = n_cpus - (unsigned)(run->n_pairs % n_cpus);
	snprintf(run->isolated, sizeof(run->isolated), "%u-%u", n_cpus / 2, n_cpus - 1);
}

struct made_run *made_run_create(const struct run_story *story, size_t n_pairs, unsigned n_cpus)
{
	struct made_run *run = allocate(1, sizeof(*run));

	run->story = story;
	run->n_pairs = n_pairs ? n_pairs : story->n_pairs;
	run->n_cpus = story->n_cpus;
	snprintf(run->isolated, sizeof(run->isolated), "%s", story->isolated);
	if (n_cpus)
		place_pairs(run, n_cpus);
	run->random = 88172645463325252u;
	run->config = (struct config){.has_policy = true,
		.policy = {SCHED_FIFO, 80},
		.interval_ns = INTERVAL_NS,
		.tick_ns = TICK_NS,
		.refresh_ns = 1000000000,
		.auto_phase = true,
		.has_fail_above = story->limit_ns > 0,
		.fail_above_ns = story->limit_ns,
		.stamps = story->stamps,
		.batch_laps = story->batch_laps,
		.n_probes = story->n_probes,
		.has_dma_latency = true};
	for (size_t i = 0; i < story->n_probes; i++)
		run->config.probes[i] = &probes[i];
	if (cpus_parse(&run->topology.isolated, run->isolated) < 0)
		abort();
	make_session(run);
	make_tick(run);
	return run;
}

void made_run_destroy(struct made_run *run)
{
	session_finish(&run->session);
	free(run->tick.rings);
	free(run->tick.members);
	free(run->tick.hops);
	free(run->tick.cells);
	free(run);
}

/* --- a tick --- */

/* Of the first hop's, in percent. */
static const unsigned parts[N_FIGURES] = {
	[FIGURE_FIRST] = 100,
	[FIGURE_ANSWER] = 72,
	[FIGURE_LAP] = 190,
	[FIGURE_RESPONSE] = 260,
	[FIGURE_LATENESS] = 160,
	[FIGURE_SERVED] = 260,
};

struct sample {
	uint64_t ns;
	uint32_t n;
};

static void add_cell(struct made_run *run, struct tick_figure *figure, struct sample sample)
{
	unsigned bucket = hist_bucket(sample.ns);
	struct hist_cell *next = &run->tick.cells[run->tick.n_cells];

	if (figure->n_cells && next[-1].bucket == bucket) {
		next[-1].count += sample.n;
	} else {
		*next = (struct hist_cell){.bucket = bucket, .count = sample.n};
		run->tick.n_cells++;
		figure->n_cells++;
	}
	figure->sum_ns += sample.ns * sample.n;
	if (!figure->has_extremes)
		figure->min_ns = sample.ns;
	figure->max_ns = sample.ns;
	figure->has_extremes = true;
}

/* @samples rise. */
static void fill_figure(struct made_run *run, struct tick_figure *figure, unsigned part,
	const struct sample *samples, size_t n)
{
	*figure = (struct tick_figure){.first_cell = run->tick.n_cells, .last_ns = figure->last_ns};
	for (size_t i = 0; i < n; i++)
		add_cell(run, figure, (struct sample){samples[i].ns * part / 100, samples[i].n});
	if (!n)
		return;
	figure->last_ns = samples[random_below(run, n < 3 ? n : 3)].ns * part / 100;
	figure->max_at_ns = run->tick.start_ns + random_below(run, TICK_NS);
}

/* Most laps near the least of them, a few far off; more of those on a pair that has spikes. */
static void make_samples(struct made_run *run, size_t pair, uint32_t laps, struct sample samples[SHAPES])
{
	uint64_t base_ns = 1800 + 170 * (pair % 13) + 2600 * (pair % 3) + random_below(run, 120);
	uint64_t reach = 3 + random_below(run, 5) + (random_below(run, 40) == 0 ? 40 : 0);

	if (run->n_ticks < 120) /* the first minute is slower */
		base_ns += base_ns / 3;
	if (befalls(run, pair, FATE_SPIKES))
		reach += 60 + (random_below(run, 12) == 0 ? 400 : 0);
	for (uint64_t k = 0; k < SHAPES; k++) {
		uint64_t step = k * k * k;

		samples[k].ns = base_ns + base_ns * k / 100 + base_ns * step * reach / 40000;
		samples[k].n = k + 1 < SHAPES ? (uint32_t)(laps / (2 + k * k / 3)) : 1;
		samples[k].n = samples[k].n < laps ? samples[k].n : laps;
		laps -= samples[k].n;
	}
	samples[0].n += laps;
}

/* Each hop is slower than the one before it. */
static void fill_hops(
	struct made_run *run, const struct tick_ring *ring, const struct sample *samples, size_t n)
{
	for (unsigned h = 0; h < ring->n_hops; h++)
		fill_figure(run, &run->tick.hops[ring->first_hop + h].figure, 60 + 13 * h, samples, n);
}

/* Batches have no single laps. */
static void fill_batches(struct made_run *run, struct tick_figure *figure, struct sample lap)
{
	*figure =
		(struct tick_figure){.sum_ns = lap.ns * lap.n, .first_cell = run->tick.n_cells, .n_cells = 1};
	run->tick.cells[run->tick.n_cells++] = (struct hist_cell){.bucket = HIST_UNTIMED, .count = lap.n};
}

static void fill_figures(struct made_run *run, size_t pair, uint32_t laps, uint64_t missed)
{
	struct tick_ring *ring = &run->tick.rings[pair];
	const struct session_ring *of = &run->session.rings[pair];
	struct sample samples[SHAPES];

	make_samples(run, pair, laps, samples);
	if (of->batch_laps) {
		fill_batches(run, &ring->figures[FIGURE_LAP],
			(struct sample){samples[3].ns * parts[FIGURE_LAP] / 100, laps});
		return;
	}
	for (int f = 0; f < N_FIGURES; f++) {
		bool has = laps && figure_at((enum figure)f, of->interval_ns, of->stamps) == (enum figure)f;

		fill_figure(run, &ring->figures[f], parts[f], samples, has ? SHAPES : 0);
	}
	fill_hops(run, ring, samples, laps ? SHAPES : 0);
	if (missed && of->stamps == STAMPS_ALL) /* behind all others, as they are longer */
		fill_figure(run, &ring->figures[FIGURE_RESPONSE], 100,
			&(struct sample){ring->age_ns + INTERVAL_NS, (uint32_t)missed}, 1);
}

static void set_policy(struct made_run *run, size_t pair, struct task_policy policy)
{
	const struct tick_ring *ring = &run->tick.rings[pair];

	for (size_t m = 0; m < ring->n_members; m++)
		run->tick.members[ring->first_member + m].policy = policy;
}

static void fill_ring(struct made_run *run, size_t pair)
{
	struct tick_ring *ring = &run->tick.rings[pair];
	bool failed = befalls(run, pair, FATE_FAILED), starved = befalls(run, pair, FATE_STARVED);
	bool waits = run->session.rings[pair].turn != run->tick.turn;
	bool runs = !failed && !starved && !waits;
	uint32_t laps = !runs ? 0 : run->story->batch_laps ? LAPS * run->story->batch_laps : LAPS;

	ring->state = failed ? RING_FAILED : RING_RUNNING;
	ring->condition = failed || runs ? CONDITION_FINE : starved ? CONDITION_STARVED : CONDITION_WAITING;
	ring->reason = failed ? "mq_open: No space left on device: fs.mqueue.queues_max is 256" : NULL;
	ring->active_ns = failed || waits ? 0 : TICK_NS;
	ring->age_ns = starved ? ring->age_ns + TICK_NS : 0;
	ring->missed = starved ? LAPS - 1 : 0;
	ring->warmup_laps = runs && run->n_ticks < run->story->n_turns * TURN_TICKS ? 10 : 0;
	ring->laps = laps -= (uint32_t)ring->warmup_laps;
	if (befalls(run, pair, FATE_REFUSED))
		set_policy(run, pair, (struct task_policy){SCHED_OTHER, 0});
	if (befalls(run, pair, FATE_CHRT))
		set_policy(run, pair, (struct task_policy){SCHED_RR, 5});
	if (befalls(run, pair, FATE_RENICE))
		set_policy(run, pair, (struct task_policy){SCHED_OTHER, 0, 19});
	fill_figures(run, pair, laps, ring->missed);
}

static void feed(struct made_run *run, struct recording *recording, const struct feed_item *item)
{
	if (feed_session(&run->session, item, NULL) < 0)
		abort();
	if (record_feed(recording, item) < 0) {
		struct error_text reason;

		record_finish(recording, "", &reason);
		fprintf(stderr, "%s\n", reason.text);
		exit(1);
	}
}

static unsigned governor_tick(const struct made_run *run)
{
	return run->story->governor_tick ? run->story->governor_tick : 120;
}

static void change_governor(struct made_run *run, struct recording *recording)
{
	struct machine machine = machine_copy(&run->session.machine);

	fact_rows_release(machine.governor);
	machine.governor = fact_rows_parse("performance");
	feed(run, recording, &(struct feed_item){FEED_MACHINE, run->tick.start_ns, .machine = &machine});
	machine_finish(&machine);
}

static void make_marks(struct made_run *run, struct recording *recording)
{
	for (size_t i = 0; i < sizeof(run->story->marks) / sizeof(*run->story->marks); i++) {
		if (!run->story->marks[i].tick || run->story->marks[i].tick != run->n_ticks)
			continue;
		feed(run, recording,
			&(struct feed_item){FEED_EVENT, run->session.now_ns,
				.event = &(struct event){.at_ns = run->session.now_ns,
					.kind = EVENT_PHASE,
					.ring = -1,
					.member = -1,
					.text = run->story->marks[i].name}});
	}
}

/* Each time it comes, it is longer: by up to 40 %. */
static uint64_t spike_time(const struct made_run *run, const struct made_spike *made, uint64_t ns)
{
	unsigned n = made->every ? (run->n_ticks - made->from) / made->every : 0;

	return (int64_t)ns < 0 ? ns : ns * (100 + n * 13 % 40) / 100;
}

static struct spike_end spike_end(const struct made_run *run, size_t pair, unsigned m)
{
	const struct tick_member *member = &run->tick.members[run->tick.rings[pair].first_member + m];

	return (struct spike_end){member->tid, member->cpu, member->policy};
}

/* A negative tid is the pair's own member. */
static void set_member(const struct spike_end *end, int32_t *tid, enum flight_role *role)
{
	if (*tid >= 0)
		return;
	*tid = end->tid;
	*role = ROLE_MEMBER;
}

static void make_spike(struct made_run *run, const struct made_spike *made, struct recording *recording)
{
	uint64_t due_ns = run->tick.start_ns + 50000000 + 10000000 * made->pair;
	struct spike_end ends[2] = {spike_end(run, made->pair, 0), spike_end(run, made->pair, 1)};
	struct flight_record records[MADE_RECORDS_MAX];
	struct spike_report report = {
		.spike = {.ring = (uint32_t)made->pair,
			.token = run->n_ticks,
			.figure = FIGURE_RESPONSE,
			.due_ns = due_ns,
			.sent_ns = made->sent_ns ? due_ns + spike_time(run, made, made->sent_ns) : 0,
			.received_ns =
				made->received_ns ? due_ns + spike_time(run, made, made->received_ns) : 0,
			.seen_ns = due_ns + made->seen_ns,
			.limit_ns = made->limit_ns,
			.sender = ends[0],
			.receiver = ends[1],
			.n_rings = made->n_rings,
			.n_late = made->n_late,
			.sender_hints = made->hints[0],
			.receiver_hints = made->hints[1]},
		.records = records};

	for (; report.n_records < MADE_RECORDS_MAX && made->records[report.n_records].at_ns;
		report.n_records++) {
		struct flight_record *record = &records[report.n_records];

		*record = made->records[report.n_records];
		const struct spike_end *end = &ends[record->cpu];

		record->cpu = (uint32_t)end->cpu;
		record->at_ns = due_ns + spike_time(run, made, record->at_ns);
		record->from_ns = record->from_ns ? due_ns + spike_time(run, made, record->from_ns) : 0;
		set_member(end, &record->prev_tid, &record->prev_role);
		set_member(end, &record->next_tid, &record->next_role);
	}
	feed(run, recording, &(struct feed_item){FEED_SPIKE, report.spike.seen_ns, .spike = &report});
}

static void make_spikes(struct made_run *run, struct recording *recording)
{
	for (size_t i = 0; i < run->story->n_spikes; i++) {
		const struct made_spike *made = &run->story->spikes[i];

		if (run->n_ticks == made->from || (made->every && run->n_ticks > made->from &&
							  (run->n_ticks - made->from) % made->every == 0))
			make_spike(run, made, recording);
	}
}

bool made_run_step(struct made_run *run, struct recording *recording)
{
	struct tick *tick = &run->tick;

	if (run->n_ticks == run->story->n_ticks)
		return false;
	tick->start_ns = tick->end_ns;
	tick->end_ns += TICK_NS;
	tick->n_cells = 0;
	tick->turn = run->n_ticks / TURN_TICKS % run->story->n_turns;
	tick->turn_since_ns = tick->start_ns + TURN_OFFSET_NS - run->n_ticks % TURN_TICKS * (uint64_t)TICK_NS;
	tick->own_cpu_ppm = 1000 * (uint32_t)(2 + run->n_ticks % 3);
	if (run->story->n_spikes && strcmp(run->story->recorder, "off") != 0) {
		tick->recorder_ns = TICK_NS / 500;
		tick->n_recorded = 1234;
	}
	snprintf(tick->loadavg, sizeof(tick->loadavg), "%u.%02u 2.80 1.95 4/812 %u", run->n_ticks / 100,
		run->n_ticks % 100, 12345 + run->n_ticks / 4);
	make_marks(run, recording);
	if (run->n_ticks == governor_tick(run))
		change_governor(run, recording);
	for (size_t i = 0; i < tick->n_rings; i++)
		fill_ring(run, i);
	make_spikes(run, recording);
	feed(run, recording, &(struct feed_item){FEED_TICK, tick->end_ns, .tick = tick});
	run->n_ticks++;
	return true;
}

void made_run_record(const struct run_story *story, const char *path)
{
	struct made_run *run = made_run_create(story, 0, 0);
	struct recording *recording = NULL;
	struct error_text reason;
	int r = record_start(&recording, path, &run->session, &run->config, &run->topology, &reason);

	while (r == 0 && made_run_step(run, recording))
		;
	if (r == 0)
		r = record_finish(recording, "duration", &reason);
	if (r < 0) {
		fprintf(stderr, "%s\n", reason.text);
		exit(1);
	}
	made_run_destroy(run);
}
