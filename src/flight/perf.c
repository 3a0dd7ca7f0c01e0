/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.c - the tier of perf's tracepoints: sched_switch with a filter of each CPU's own, interrupts and idle
 * times by their entry and exit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/flight/idle_search.h"
#include "src/flight/perf_ring.h"
#include "src/flight/switch_filter.h"
#include "src/flight/tier.h"
#include "src/flight/trace_format.h"
#include "src/machine/cpus.h"

static const uint64_t shortest_ns = 2000; /* interrupts of the idle CPU below it are dropped */

enum { DEPTH_MAX = 8, SWITCH_BLOCKED = 2, SWITCH_STOPS = 4 | 8, SWITCH_EXITS = 0x10 | 0x20 };

/* After sched_switch, which is the first, each entry is followed by its exit. Not irq_work: perf may not
 * sample its exit. */
static const struct tracepoint {
	const char *event;
	enum flight_kind kind;
	const char *number; /* the field that has it */
} tracepoints[] = {
	{"sched/sched_switch", FLIGHT_SWITCH, NULL},
	{"irq/irq_handler_entry", FLIGHT_IRQ, "irq"},
	{"irq/irq_handler_exit", FLIGHT_IRQ, "irq"},
	{"irq/softirq_entry", FLIGHT_SOFTIRQ, "vec"},
	{"irq/softirq_exit", FLIGHT_SOFTIRQ, "vec"},
	{"irq_vectors/local_timer_entry", FLIGHT_TIMER, "vector"},
	{"irq_vectors/local_timer_exit", FLIGHT_TIMER, "vector"},
	{"irq_vectors/call_function_single_entry", FLIGHT_IPI, "vector"},
	{"irq_vectors/call_function_single_exit", FLIGHT_IPI, "vector"},
	{"irq_vectors/call_function_entry", FLIGHT_IPI, "vector"},
	{"irq_vectors/call_function_exit", FLIGHT_IPI, "vector"},
};

enum { N_TRACEPOINTS = sizeof(tracepoints) / sizeof(*tracepoints) };

struct interrupt {
	size_t tracepoint; /* of its entry */
	uint64_t from_ns;
	uint32_t number;
	int32_t tid; /* who was interrupted */
	char name[16];
};

struct perf_cpu {
	struct perf_ring ring;
	struct perf_ring idles; /* when it was idle: read where a spike asks for it */
	struct interrupt stack[DEPTH_MAX];
	size_t depth;
	int switches;                    /* the event of sched_switch; 0: none yet */
	char filter[SWITCH_FILTER_SIZE]; /* of it */
	size_t n_hidden;                 /* tids of others that it leaves out */
};

struct perf {
	uint16_t ids[N_TRACEPOINTS]; /* 0: the kernel does not have it */
	struct trace_field common_pid, prev_pid, prev_prio, prev_state, prev_comm, next_pid, next_prio,
		next_comm;
	struct trace_field number[N_TRACEPOINTS], irq_name;
	uint16_t idle_id; /* of cpu_idle; 0: the kernel does not have it */
	struct trace_field idle_state;
	struct perf_cpu *cpus[CPUS_MAX]; /* owned; NULL: not recorded */
};

/* --- opening --- */

static void find_switch_fields(struct perf *perf, const char *text)
{
	perf->common_pid = trace_field_find(text, "common_pid");
	perf->prev_pid = trace_field_find(text, "prev_pid");
	perf->prev_prio = trace_field_find(text, "prev_prio");
	perf->prev_state = trace_field_find(text, "prev_state");
	perf->prev_comm = trace_field_find(text, "prev_comm");
	perf->next_pid = trace_field_find(text, "next_pid");
	perf->next_prio = trace_field_find(text, "next_prio");
	perf->next_comm = trace_field_find(text, "next_comm");
}

/* Only sched_switch must exist. */
static int read_formats(struct perf *perf, int folder)
{
	struct trace_format format;
	int first = 0;

	for (size_t i = 0; i < N_TRACEPOINTS; i++) {
		int r = trace_format_read(&format, folder, tracepoints[i].event);

		if (i == 0)
			first = r;
		if (r < 0)
			continue;
		perf->ids[i] = format.id;
		if (i == 0)
			find_switch_fields(perf, format.text);
		if (tracepoints[i].number)
			perf->number[i] = trace_field_find(format.text, tracepoints[i].number);
		if (strcmp(tracepoints[i].event, "irq/irq_handler_entry") == 0)
			perf->irq_name = trace_field_find(format.text, "name");
	}
	if (trace_format_read(&format, folder, "power/cpu_idle") == 0) {
		perf->idle_id = format.id;
		perf->idle_state = trace_field_find(format.text, "state");
	}
	return first;
}

static struct perf_event_attr attr_of(uint16_t id)
{
	return perf_ring_attr(PERF_TYPE_TRACEPOINT, id, PERF_SAMPLE_TIME | PERF_SAMPLE_RAW);
}

static void close_cpu(struct perf *perf, uint32_t cpu)
{
	if (perf->cpus[cpu]) {
		perf_ring_close(&perf->cpus[cpu]->ring);
		perf_ring_close(&perf->cpus[cpu]->idles);
	}
	free(perf->cpus[cpu]);
	perf->cpus[cpu] = NULL;
}

/* The filter of one CPU has the members that may run there. That of an event can't be changed: a new event
 * takes its place. */
static int set_filter(const struct perf *perf, struct perf_cpu *cpu, const struct flight_watch *watch)
{
	struct perf_event_attr attr = attr_of(perf->ids[0]);
	int32_t *tids = calloc(watch->n_members + 1, sizeof(*tids));
	char filter[SWITCH_FILTER_SIZE];
	size_t n = 0;

	if (!tids)
		return -ENOMEM;
	for (size_t i = 0; i < watch->n_members; i++)
		if (watch->members[i].cpu < 0 || (uint32_t)watch->members[i].cpu == cpu->ring.cpu)
			tids[n++] = watch->members[i].tid;
	cpu->n_hidden = switch_filter(filter, tids, n);
	free(tids);
	if (strcmp(filter, cpu->filter) == 0)
		return 0;
	int fd = perf_ring_add(&cpu->ring, &attr, filter);

	if (fd < 0)
		return fd;
	if (cpu->switches)
		perf_ring_remove(&cpu->ring, cpu->switches);
	cpu->switches = fd;
	memcpy(cpu->filter, filter, sizeof(filter));
	return 0;
}

/* Without interrupts, as where descriptors run out, tasks are still recorded. */
static int open_cpu(struct perf *perf, uint32_t number, const struct flight_watch *watch)
{
	struct perf_cpu *cpu = calloc(1, sizeof(*cpu));
	struct perf_event_attr attr;

	if (!cpu)
		return -ENOMEM;
	perf->cpus[number] = cpu;
	int r = perf_ring_open(&cpu->ring, number);

	if (r == 0)
		r = set_filter(perf, cpu, watch);
	for (size_t i = 1; i < N_TRACEPOINTS && r == 0; i++) {
		attr = attr_of(perf->ids[i]);
		if (perf->ids[i])
			perf_ring_add(&cpu->ring, &attr, NULL);
	}
	if (r < 0)
		close_cpu(perf, number);
	return r;
}

/* Idle times have a ring of their own: there are so many that they would overwrite what is drained. Where the
 * limit on locked memory leaves no room for it, they are not known. */
static void open_idles(const struct perf *perf, struct perf_cpu *cpu)
{
	struct perf_event_attr attr = attr_of(perf->idle_id);

	if (!perf->idle_id || cpu->idles.memory)
		return;
	if (perf_ring_open(&cpu->idles, cpu->ring.cpu) < 0 || perf_ring_add(&cpu->idles, &attr, NULL) < 0)
		perf_ring_close(&cpu->idles);
}

/* A CPU that is offline (-ENODEV) may come back. */
static int follow(void *state, const struct flight_watch *watch, struct error_text *reason)
{
	struct perf *perf = state;
	int r = 0;

	for (uint32_t cpu = 0; cpu < CPUS_MAX && r == 0; cpu++) {
		if (!cpus_has(watch->cpus, cpu))
			close_cpu(perf, cpu);
		else if (perf->cpus[cpu])
			r = set_filter(perf, perf->cpus[cpu], watch);
		else
			r = open_cpu(perf, cpu, watch);
		r = r == -ENODEV ? 0 : r;
	}
	for (uint32_t cpu = 0; cpu < CPUS_MAX && r == 0; cpu++)
		if (perf->cpus[cpu])
			open_idles(perf, perf->cpus[cpu]);
	if (r == 0)
		return 0;
	return error_text_set(reason, r, "perf: %s%s", error_text_of_errno(r),
		r == -EACCES || r == -EPERM ? ": run as root, or with CAP_PERFMON" : "");
}

static void close_perf(void *state)
{
	struct perf *perf = state;

	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		close_cpu(perf, cpu);
	free(perf);
}

/* Opening and closing sched_switch hung emulated machines with Debian's 6.1-rt after a few rounds; others
 * never. */
static bool is_preempt_rt(void)
{
	char word[8];

	return small_file_read_line("/sys/kernel/realtime", word, sizeof(word)) > 0 && word[0] == '1';
}

static int open_perf(void **state, const struct flight_watch *watch, struct error_text *reason)
{
	if (perf_ring_is_in_pid_namespace())
		return error_text_set(reason, -ENOTSUP,
			"tracepoints have tids of the whole machine: run it outside of this pid namespace");
	if (is_preempt_rt())
		return error_text_set(reason, -ENOTSUP,
			"perf's tracepoints have hung PREEMPT_RT kernels: build with libbpf, or choose --recorder switches");
	struct perf *perf = calloc(1, sizeof(*perf));
	int folder = perf ? trace_folder_open() : -ENOMEM;
	int r = folder < 0 ? folder : read_formats(perf, folder);

	if (folder >= 0)
		close(folder);
	if (r < 0)
		error_text_set(reason, r, "tracefs can't be read: %s%s", error_text_of_errno(r),
			r == -EACCES || r == -EPERM
				? ": run as root, or with CAP_PERFMON and a tracefs that this user may read"
				: ": mount -t tracefs tracefs /sys/kernel/tracing");
	else
		r = follow(perf, watch, reason);
	if (r < 0) {
		if (perf)
			close_perf(perf);
		return r;
	}
	*state = perf;
	return 0;
}

/* --- reading --- */

struct reading {
	struct perf *perf;
	struct perf_cpu *cpu;
	flight_take *take;
	void *data;
};

/* A record with PERF_SAMPLE_TIME and PERF_SAMPLE_RAW. */
struct sample {
	struct perf_event_header header;
	uint64_t at_ns;
	uint32_t size;
	char raw[];
};

static uint32_t state_of(int64_t state)
{
	if (state & SWITCH_BLOCKED)
		return FLIGHT_BLOCKED;
	if (state & SWITCH_STOPS)
		return FLIGHT_STOPPED;
	if (state & SWITCH_EXITS)
		return FLIGHT_EXITS;
	return state & 1 ? FLIGHT_SLEEPS : state & 0xff ? FLIGHT_OTHERWISE : 0;
}

static void take_switch(const struct reading *reading, uint64_t at_ns, const struct sample *sample, size_t n)
{
	const struct perf *perf = reading->perf;
	struct flight_record record = {.kind = FLIGHT_SWITCH,
		.cpu = reading->cpu->ring.cpu,
		.at_ns = at_ns,
		.prev_tid = (int32_t)trace_number(perf->prev_pid, sample->raw, n),
		.next_tid = (int32_t)trace_number(perf->next_pid, sample->raw, n),
		.prev_priority = (int32_t)trace_number(perf->prev_prio, sample->raw, n),
		.next_priority = (int32_t)trace_number(perf->next_prio, sample->raw, n),
		.prev_state = state_of(trace_number(perf->prev_state, sample->raw, n))};

	trace_text(perf->prev_comm, sample->raw, n, record.prev_name, sizeof(record.prev_name));
	trace_text(perf->next_comm, sample->raw, n, record.next_name, sizeof(record.next_name));
	reading->take(reading->data, &record);
}

static void begin_interrupt(const struct reading *reading, size_t tracepoint, uint64_t at_ns,
	const struct sample *sample, size_t n)
{
	const struct perf *perf = reading->perf;
	struct perf_cpu *cpu = reading->cpu;

	if (cpu->depth == DEPTH_MAX) /* exits were lost */
		cpu->depth = 0;
	struct interrupt *interrupt = &cpu->stack[cpu->depth++];

	*interrupt = (struct interrupt){.tracepoint = tracepoint,
		.from_ns = at_ns,
		.number = (uint32_t)trace_number(perf->number[tracepoint], sample->raw, n),
		.tid = (int32_t)trace_number(perf->common_pid, sample->raw, n)};
	switch (tracepoints[tracepoint].kind) {
	case FLIGHT_IRQ:
		trace_text(perf->irq_name, sample->raw, n, interrupt->name, sizeof(interrupt->name));
		break;
	case FLIGHT_SOFTIRQ:
		snprintf(interrupt->name, sizeof(interrupt->name), "%s",
			trace_softirq_name(interrupt->number));
		break;
	case FLIGHT_IPI:
		snprintf(interrupt->name, sizeof(interrupt->name), "%s", trace_ipi_name(interrupt->number));
		break;
	default:
		break;
	}
}

/* An exit without its entry is ignored, and so are entries above it, whose exits were lost. */
static void end_interrupt(const struct reading *reading, size_t tracepoint, uint64_t at_ns)
{
	struct perf_cpu *cpu = reading->cpu;
	size_t at = cpu->depth;

	while (at > 0 && cpu->stack[at - 1].tracepoint != tracepoint - 1)
		at--;
	if (at == 0)
		return;
	cpu->depth = at - 1;
	const struct interrupt *interrupt = &cpu->stack[cpu->depth];
	struct flight_record record = {.kind = tracepoints[tracepoint].kind,
		.cpu = cpu->ring.cpu,
		.at_ns = at_ns,
		.from_ns = interrupt->from_ns,
		.number = interrupt->number,
		.prev_tid = interrupt->tid};

	snprintf(record.next_name, sizeof(record.next_name), "%s", interrupt->name);
	if (interrupt->tid || at_ns - interrupt->from_ns >= shortest_ns)
		reading->take(reading->data, &record);
}

/* Returns the length of the raw part; 0: it is no sample. */
static size_t raw_size(const struct perf_event_header *header)
{
	const struct sample *sample = (const struct sample *)(const void *)header;
	size_t n = header->size - offsetof(struct sample, raw);

	if (header->type != PERF_RECORD_SAMPLE || header->size < offsetof(struct sample, raw))
		return 0;
	return sample->size < n ? sample->size : n;
}

static void take_sample(void *data, const struct perf_event_header *header)
{
	struct reading *reading = data;
	const struct sample *sample = (const struct sample *)(const void *)header;
	size_t i = 0, n = raw_size(header);
	uint16_t id;

	if (n < sizeof(id))
		return;
	memcpy(&id, sample->raw, sizeof(id));
	while (i < N_TRACEPOINTS && reading->perf->ids[i] != id)
		i++;
	if (reading->cpu->ring.has_lost)
		reading->cpu->depth = 0; /* exits were lost */
	uint64_t at_ns = perf_ring_take_gap(&reading->cpu->ring, sample->at_ns, reading->take, reading->data);

	if (i == 0)
		take_switch(reading, at_ns, sample, n);
	else if (i < N_TRACEPOINTS && i % 2)
		begin_interrupt(reading, i, at_ns, sample, n);
	else if (i < N_TRACEPOINTS)
		end_interrupt(reading, i, at_ns);
}

static void drain_perf(void *state, flight_take *take, void *data)
{
	struct perf *perf = state;

	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++) {
		struct reading reading = {perf, perf->cpus[cpu], take, data};

		if (!reading.cpu)
			continue;
		perf_ring_read(&reading.cpu->ring, take_sample, &reading);
		if (reading.cpu->ring.has_lost)
			reading.cpu->depth = 0; /* exits were lost */
		perf_ring_end_gap(&reading.cpu->ring, take, data);
	}
}

/* --- idle CPUs --- */

struct idle_look {
	const struct perf *perf;
	struct idle_search search;
	uint64_t left_ns; /* when the CPU left the state that the next record is about; 0: it did not */
	enum idle_found found;
	struct flight_record *record;
};

/* A record has the state before the CPU takes it, and another number after it has left it. */
static bool look_at_idle(void *data, const struct perf_event_header *header)
{
	const uint32_t leaves = UINT32_MAX;
	struct idle_look *look = data;
	const struct sample *sample = (const struct sample *)(const void *)header;
	size_t n = raw_size(header);
	uint32_t state = (uint32_t)trace_number(look->perf->idle_state, sample->raw, n);

	if (state == leaves)
		look->left_ns = sample->at_ns;
	if (state == leaves || !n)
		return true;
	look->record->from_ns = sample->at_ns;
	look->record->at_ns = look->left_ns;
	look->record->number = state;
	look->left_ns = 0;
	look->found = idle_search_look(&look->search, look->record->from_ns, look->record->at_ns);
	return look->found == IDLE_IS_EARLIER;
}

static bool perf_find_idle(
	const void *state, uint32_t cpu, uint64_t at_ns, uint64_t until_ns, struct flight_record *record)
{
	const struct perf *perf = state;
	struct idle_look look = {perf, {at_ns, until_ns, UINT64_MAX}, 0, IDLE_IS_EARLIER, record};

	if (!perf->cpus[cpu] || !perf->cpus[cpu]->idles.memory)
		return false;
	*record = (struct flight_record){.kind = FLIGHT_IDLE, .cpu = cpu};
	perf_ring_look_back(&perf->cpus[cpu]->idles, look_at_idle, &look);
	if (look.found != IDLE_IS_THIS)
		return false;
	trace_idle_name(cpu, record->number, record->next_name, sizeof(record->next_name));
	return true;
}

static size_t perf_hides(const void *state, uint32_t cpu)
{
	const struct perf *perf = state;

	return perf->cpus[cpu] ? perf->cpus[cpu]->n_hidden : 0;
}

static size_t perf_memory(const void *state)
{
	const struct perf *perf = state;
	size_t n = 0;

	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		if (perf->cpus[cpu])
			n += perf->cpus[cpu]->idles.memory ? 2 : 1;
	return n * PERF_RING_SIZE;
}

/* The last event of each tracepoint waits for the grace periods of RCU: 50 ms each, and there are 12. */
const struct flight_tier flight_perf = {.name = "perf",
	.is_slow_to_close = true,
	.open = open_perf,
	.follow = follow,
	.drain = drain_perf,
	.find_idle = perf_find_idle,
	.hides = perf_hides,
	.memory = perf_memory,
	.close = close_perf};
