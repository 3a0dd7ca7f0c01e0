/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flight.c - the flight recorder: chooses the tier, and hands its records on to be kept. */
#include "src/flight/flight.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/base/sorted.h"
#include "src/base/thread.h"
#include "src/flight/kept.h"
#include "src/machine/cpus.h"

enum { OWN_MAX = 16 };

/* A tier that is being closed, by a thread of its own if that is slow. */
struct closing {
	const struct flight_tier *tier;
	void *state;
	pthread_t thread;
	bool has_thread;
};

struct flight {
	unsigned word;
	const struct flight_tier *tier; /* NULL: it does not record */
	void *state;
	struct closing closing; /* the one before */
	bool tried;
	struct flight_member *members; /* owned; by tid, ascending */
	size_t n_members;
	int32_t own[OWN_MAX]; /* tids: the keeper's, and those of this process */
	size_t n_own;
	struct error_text lacks;
	struct flight_cost cost;
	struct flight_loss loss;
	bool has_told_hidden;
	struct kept kept;
};

const char *flight_word(unsigned i)
{
	static const char *const words[] = {"auto", "off"};

	if (i < FLIGHT_BEST)
		return words[i];
	const struct flight_tier *tier = flight_tiers[i - FLIGHT_BEST];

	return tier ? tier->name : NULL;
}

int flight_create(struct flight **flight, unsigned word, pid_t keeper)
{
	*flight = calloc(1, sizeof(**flight));
	if (!*flight)
		return -ENOMEM;
	(*flight)->word = word;
	(*flight)->own[0] = keeper;
	return 0;
}

unsigned flight_next_word(const struct flight *flight)
{
	unsigned i = 0;

	if (!flight->tier)
		return FLIGHT_AUTO;
	while (flight_tiers[i] != flight->tier)
		i++;
	for (i++; flight_tiers[i]; i++)
		if (!flight_tiers[i]->is_costly)
			return FLIGHT_BEST + i;
	return FLIGHT_OFF;
}

static void *close_tier(void *data)
{
	const struct closing *closing = data;

	closing->tier->close(closing->state);
	return NULL;
}

static void await_closing(struct flight *flight)
{
	if (flight->closing.has_thread)
		pthread_join(flight->closing.thread, NULL);
	flight->closing.has_thread = false;
}

static void stop(struct flight *flight)
{
	kept_finish(&flight->kept);
	if (!flight->tier)
		return;
	await_closing(flight);
	struct closing *closing = &flight->closing;

	*closing = (struct closing){.tier = flight->tier, .state = flight->state};
	closing->has_thread =
		flight->tier->is_slow_to_close && thread_start(&closing->thread, close_tier, closing) == 0;
	if (!closing->has_thread)
		close_tier(closing);
	flight->tier = NULL;
	flight->state = NULL;
}

void flight_switch(struct flight *flight, unsigned word)
{
	stop(flight);
	flight->word = word;
	flight->tried = flight->has_told_hidden = false;
	flight->lacks.text[0] = '\0';
}

void flight_destroy(struct flight *flight)
{
	if (!flight)
		return;
	stop(flight);
	await_closing(flight);
	free(flight->members);
	free(flight);
}

static bool is_wanted(const struct flight *flight, unsigned i)
{
	return flight->word == FLIGHT_AUTO ? !flight_tiers[i]->is_costly : flight->word == FLIGHT_BEST + i;
}

/* QEMU's CPUs without KVM. Attaching to tracepoints hung such machines, above all with PREEMPT_RT: not this
 * process, but the kernel. */
const char *flight_danger(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strncmp(line, "model name", strlen("model name")) == 0 && strstr(line, "QEMU TCG");
	if (file)
		fclose(file);
	return found ? "this CPU is emulated, and recording has hung such machines" : NULL;
}

/* Records have the kernel's time. A time namespace may shift that of this process. */
static bool is_clock_shifted(void)
{
	char line[80];
	long long s, ns;

	small_file_read_line("/proc/self/timens_offsets", line, sizeof(line));
	return sscanf(line, "monotonic %lld %lld", &s, &ns) == 2 && (s || ns);
}

/* The reason of the best one that is refused is kept, also where the next one records: that one is to be
 * mended. */
static void start(struct flight *flight, const struct flight_watch *watch)
{
	struct error_text reason;
	const char *danger = flight->word == FLIGHT_AUTO ? flight_danger() : NULL;

	flight->tried = true;
	if (is_clock_shifted()) {
		error_text_set(&flight->lacks, -ENOTSUP,
			"this time namespace shifts the monotonic clock, and records have the kernel's time: run "
			"ipctop outside of it");
		return;
	}
	if (danger) {
		error_text_set(&flight->lacks, -ENOTSUP, "%s: choose a --recorder to try it", danger);
		return;
	}
	for (unsigned i = 0; flight_tiers[i] && !flight->tier; i++) {
		if (!is_wanted(flight, i))
			continue;
		if (flight->closing.tier == flight_tiers[i]) /* two of it may be more than the limits allow */
			await_closing(flight);
		if (flight_tiers[i]->open(&flight->state, watch, &reason) == 0) {
			flight->tier = flight_tiers[i];
		} else if (!flight->lacks.text[0]) {
			flight->lacks = reason;
		}
	}
}

/* Threads that start later are found at the next change. */
static void find_own_tasks(struct flight *flight)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;

	flight->n_own = 1;
	while (folder && (entry = readdir(folder)) && flight->n_own < OWN_MAX)
		if (entry->d_name[0] != '.')
			flight->own[flight->n_own++] = atoi(entry->d_name);
	if (folder)
		closedir(folder);
}

static void note_hidden(struct flight *flight, uint64_t now_ns)
{
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++) {
		struct kept_cpu *kept = &flight->kept.cpus[cpu];
		size_t n = flight->tier && flight->tier->hides && kept->since_ns
				   ? flight->tier->hides(flight->state, cpu)
				   : 0;

		if (n)
			kept->hid_until_ns = UINT64_MAX;
		else if (kept->hid_until_ns == UINT64_MAX)
			kept->hid_until_ns = now_ns;
		if (n && !flight->has_told_hidden)
			flight->loss = (struct flight_loss){true, cpu, n};
		flight->has_told_hidden |= n > 0;
	}
}

/* Without memory, members of other rings are tasks like any others. */
static void note_watch(struct flight *flight, const struct flight_watch *watch)
{
	uint64_t now_ns = clock_now_ns();

	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		kept_watch(&flight->kept, cpu, flight->tier && cpus_has(watch->cpus, cpu), now_ns);
	note_hidden(flight, now_ns);
	free(flight->members);
	flight->members = calloc(watch->n_members + 1, sizeof(*flight->members));
	flight->n_members = flight->members ? watch->n_members : 0;
	if (flight->n_members)
		memcpy(flight->members, watch->members, flight->n_members * sizeof(*flight->members));
	find_own_tasks(flight);
}

void flight_watch(struct flight *flight, const struct flight_watch *watch)
{
	struct error_text reason;

	if (!flight->tried && flight->word != FLIGHT_OFF) {
		start(flight, watch);
	} else if (flight->tier && flight->tier->follow(flight->state, watch, &reason) < 0) {
		flight->lacks = reason;
		stop(flight);
	}
	note_watch(flight, watch);
}

/* Returns NULL if it is none. */
static const struct flight_member *find_member(const struct flight *flight, int32_t tid)
{
	size_t i = SORTED_INDEX(flight->members, flight->n_members, struct flight_member, tid, (uint32_t)tid);

	return i < flight->n_members && flight->members[i].tid == tid ? &flight->members[i] : NULL;
}

static enum flight_role role_of(const struct flight *flight, int32_t tid)
{
	for (size_t i = 0; i < flight->n_own; i++)
		if (flight->own[i] == tid)
			return ROLE_OWN;
	return find_member(flight, tid) ? ROLE_MEMBER : ROLE_OTHER;
}

static void keep(void *data, const struct flight_record *record)
{
	struct flight *flight = data;
	struct flight_record *kept = kept_add(&flight->kept, record);

	flight->cost.n_records++;
	if (!kept)
		return;
	if (record->kind == FLIGHT_GAP && record->number == GAP_OVERWRITTEN) {
		if (!flight->loss.n_hidden)
			flight->loss = (struct flight_loss){.is_there = true, .cpu = record->cpu};
		kept->number = 0;
	}
	kept->prev_role = role_of(flight, record->prev_tid);
	kept->next_role = role_of(flight, record->next_tid);
}

void flight_drain(struct flight *flight)
{
	uint64_t start_ns = clock_thread_ns();

	if (!flight->tier)
		return;
	flight->tier->drain(flight->state, keep, flight);
	flight->cost.cpu_ns += clock_thread_ns() - start_ns;
}

struct flight_loss flight_take_loss(struct flight *flight)
{
	struct flight_loss loss = flight->loss;

	flight->loss = (struct flight_loss){0};
	return loss;
}

struct flight_cost flight_cost(const struct flight *flight)
{
	return flight->cost;
}

/* The time in which a task was called, and ran. */
struct call {
	uint64_t at_ns, ran_ns;
};

/* Adds the time in which an end's CPU was idle as that was called, if it was idle until then alone. Returns
 * how many records there are. */
static size_t add_idle(const struct flight *flight, const struct spike_end *end, struct call call,
	struct flight_record *records, size_t n, size_t max)
{
	struct flight_record idle;

	if (n == max || end->cpu < 0 || end->moved_ns > call.at_ns || !call.at_ns || !flight->tier ||
		!flight->tier->find_idle ||
		!flight->tier->find_idle(flight->state, (uint32_t)end->cpu, call.at_ns, call.ran_ns, &idle) ||
		idle.at_ns > call.ran_ns)
		return n;
	size_t i = n;

	for (; i > 0 && records[i - 1].at_ns > idle.at_ns; i--)
		records[i] = records[i - 1];
	records[i] = idle;
	return n + 1;
}

/* Makes a peer of a member that another one may follow without a record. The ring of one that has ended
 * meanwhile is not known. Of a ring that has just begun, its first records were read before it was known. */
static void note_peer(
	const struct flight *flight, const struct spike *spike, int32_t tid, enum flight_role *role)
{
	const struct flight_member *member = *role == ROLE_OWN ? NULL : find_member(flight, tid);
	bool is_apart = flight->tier && flight->tier->tells_rings_apart;

	if (member)
		*role = ROLE_MEMBER;
	if (*role == ROLE_MEMBER && (!is_apart || !member || member->ring == spike->ring))
		*role = ROLE_PEER;
}

size_t flight_find(
	const struct flight *flight, const struct spike *spike, struct flight_record *records, size_t max)
{
	size_t n = kept_find(&flight->kept, spike, records, max);

	for (size_t i = 0; i < n; i++) {
		note_peer(flight, spike, records[i].prev_tid, &records[i].prev_role);
		note_peer(flight, spike, records[i].next_tid, &records[i].next_role);
	}
	/* In a flood it is not known who was called, and of a hop that is not the first not always when. */
	if (!spike->due_ns || spike->sent_ns == spike->due_ns || spike->hop_from_ns)
		return n;
	uint64_t end_ns = spike_end_ns(spike), sent_ns = spike->sent_ns;

	n = add_idle(flight, &spike->sender, (struct call){spike->due_ns, sent_ns ? sent_ns : end_ns},
		records, n, max);
	return add_idle(flight, &spike->receiver, (struct call){sent_ns, end_ns}, records, n, max);
}

bool flight_is_recording(const struct flight *flight)
{
	return flight->tier;
}

const char *flight_tier_name(const struct flight *flight)
{
	return flight->tier ? flight->tier->name : "off";
}

const char *flight_lacks(const struct flight *flight)
{
	return flight->lacks.text;
}
