/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pinning.c - finds members that were moved, and pins those that the kernel moved. */
#include "src/engine/pinning.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/bytes.h"
#include "src/base/small_file.h"
#include "src/machine/topology.h"
#include "src/ring/missed_slots.h"

enum { NAMED_MAX = 3 };

int pinning_init_ring(struct pinned_ring *pinned, const struct ring_slot *ring)
{
	*pinned = (struct pinned_ring){.members = calloc(ring->n_members, sizeof(*pinned->members))};
	return pinned->members ? 0 : -ENOMEM;
}

void pinning_finish_ring(struct pinned_ring *pinned)
{
	free(pinned->members);
	*pinned = (struct pinned_ring){0};
}

/* Never 0. */
static uint64_t hash_cpus(const struct cpus *cpus)
{
	uint64_t hash = bytes_check(cpus->word, sizeof(cpus->word));

	return hash ? hash : 1;
}

/* Tries the mounts of cgroup v2, of v1, and of both together. Without one, the cpuset's CPUs are not known.
 */
static bool read_cpus(const char *cpuset, struct cpus *cpus)
{
	static const struct {
		const char *mount, *file;
	} places[] = {
		{"/sys/fs/cgroup", "cpuset.cpus.effective"},
		{"/sys/fs/cgroup/cpuset", "cpuset.effective_cpus"},
		{"/sys/fs/cgroup/unified", "cpuset.cpus.effective"},
	};
	char path[CPUSET_PATH_MAX + 64];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%s%s/%s", places[i].mount, cpuset, places[i].file);
		if (cpus_read(cpus, path))
			return true;
	}
	return false;
}

/* @pid 0: this process. */
static void read_cpuset(pid_t pid, struct pinning_cpuset *cpuset)
{
	char path[64];

	snprintf(path, sizeof(path), pid ? "/proc/%d/cpuset" : "/proc/self/cpuset", (int)pid);
	small_file_read_line(path, cpuset->path, sizeof(cpuset->path));
	cpuset->cpus = (struct cpus){0};
	cpuset->knows_cpus = read_cpus(strcmp(cpuset->path, "/") ? cpuset->path : "", &cpuset->cpus);
	const uint64_t both[] = {bytes_check(cpuset->path, strlen(cpuset->path)), hash_cpus(&cpuset->cpus)};

	cpuset->hash = bytes_check(both, sizeof(both));
}

void pinning_tick(struct pinning *pinning)
{
	read_cpuset(0, &pinning->own);
	pinning->knows_online = cpus_read(&pinning->online, "/sys/devices/system/cpu/online");
	pinning->asked = pinning->asked_again = false;
}

/* Returns the CPUs to which a member could be pinned. For ipctop's own cpuset the kernel answers, which also
 * knows when a CPU is about to go offline. */
static struct cpus find_allowed(struct pinning *pinning, const struct pinning_cpuset *of)
{
	struct cpus allowed = of->cpus;

	if (of->knows_cpus && strcmp(of->path, pinning->own.path) != 0) {
		if (pinning->knows_online)
			cpus_intersect(&allowed, &pinning->online);
		return allowed;
	}
	if (!pinning->asked)
		pinning->asked = topology_ask_allowed(&pinning->allowed) == 0;
	return pinning->asked ? pinning->allowed : allowed;
}

/* The kernel makes this folder again, with a new inode number, each time the CPU comes online: so a CPU that
 * went offline and returned between two ticks is noticed. */
static uint64_t number_of_online(unsigned cpu)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology", cpu);
	return stat(path, &status) == 0 ? status.st_ino : 0;
}

static bool is_planned(
	const struct ring_slot *ring, const struct arena *arena, unsigned m, const struct tick_member *member)
{
	return member->n_cpus == 1 && member->cpu == (int64_t)arena_member(arena, ring, m)->cpu;
}

/* The kernel gives all CPUs of a set, or none; any other affinity was chosen by a user. */
static bool is_kernels(const struct cpus *affinity, const struct cpus *allowed)
{
	return cpus_count(affinity) == 0 || (cpus_count(allowed) > 0 && cpus_subset(allowed, affinity));
}

/* Reads the sets again, so that a change of them between two reads is not taken for a user's choice. */
static bool is_somebodys(
	struct pinning *pinning, pid_t tid, const struct pinning_cpuset *cpuset, const struct cpus *affinity)
{
	struct cpus again;

	if (!pinning->asked_again)
		pinning->asked = false;
	pinning->asked_again = true;
	struct cpus allowed = find_allowed(pinning, cpuset);

	return task_get_affinity(tid, &again) == 0 && cpus_equal(&again, affinity) &&
	       !is_kernels(affinity, &allowed);
}

static bool has_changed(const struct pinned_ring *pinned, uint64_t cpuset)
{
	for (size_t i = 0; i < 2; i++)
		if (pinned->cpusets[i] && pinned->cpusets[i] != cpuset)
			return true;
	return false;
}

static void move(struct pinned *is, struct tick_member *member)
{
	is->away = false;
	is->moved_to = member->moved_to = member->n_cpus == 1 ? member->cpu + 1 : -1;
}

bool pinning_judge(struct pinning *pinning, const struct arena *arena, const struct ring_slot *ring,
	struct pinned_ring *pinned, unsigned m, struct tick_member *member, const struct cpus *affinity)
{
	const unsigned planned = arena_member(arena, ring, m)->cpu;
	struct pinned *is = &pinned->members[m];
	uint64_t before = is->affinity;

	member->moved_to = is->moved_to;
	if (is_planned(ring, arena, m, member)) {
		*is = (struct pinned){.online = is->online ? is->online : number_of_online(planned)};
		member->moved_to = 0;
		return false;
	}
	is->affinity = hash_cpus(affinity);
	if (is->moved_to) {
		if (is->affinity != before && member->n_cpus > 0)
			move(is, member);
		return false;
	}

	struct pinning_cpuset cpuset;

	read_cpuset(member->pid, &cpuset);
	struct cpus allowed = find_allowed(pinning, &cpuset);
	bool unchanged = is->away && is->affinity == before;
	bool was_offline = is->online && is->online != number_of_online(planned);
	bool taken = is->away || was_offline || has_changed(pinned, cpuset.hash);

	pinned->looked_at = cpuset.hash;
	pinned->apart = strcmp(cpuset.path, pinning->own.path) != 0;
	if (!unchanged && !is_kernels(affinity, &allowed)) {
		if (is_somebodys(pinning, member->tid, &cpuset, affinity))
			move(is, member);
		return false;
	}
	if (!cpus_has(&allowed, planned)) {
		bool is_online = pinning->knows_online && cpus_has(&pinning->online, planned);

		is->away = true;
		/* The CPU leaves the online set somewhat later than the kernel moves its tasks. */
		is->why = is_online && cpuset.knows_cpus && !cpus_has(&cpuset.cpus, planned)
				  ? CONDITION_EXCLUDED
				  : CONDITION_OFFLINE;
		return false;
	}
	if (!taken) {
		move(is, member);
		return false;
	}
	if (task_pin(member->tid, planned) < 0) /* the CPU is gone again: the next tick finds out */
		return false;
	pinned->was_reset |= !is->away;
	*is = (struct pinned){.online = number_of_online(planned)};
	member->cpu = (int32_t)planned;
	member->n_cpus = 1;
	return true;
}

/* Returns a member's place; PLACE_ANY: any of several CPUs. */
static int32_t place_of(
	const struct arena *arena, const struct ring_slot *ring, const struct pinned_ring *pinned, unsigned m)
{
	int32_t moved_to = pinned->members[m].moved_to;

	if (!moved_to)
		return (int32_t)arena_member(arena, ring, m)->cpu;
	return moved_to > 0 ? moved_to - 1 : PLACE_ANY;
}

static enum locality find_locality(const struct topology *topology, const struct arena *arena,
	const struct ring_slot *ring, const struct pinned_ring *pinned)
{
	enum locality farthest = LOCALITY_OWN;

	for (unsigned m = 0; m < ring->n_members; m++) {
		int32_t from = place_of(arena, ring, pinned, m);
		int32_t to = place_of(arena, ring, pinned, (m + 1) % ring->n_members);

		/* A CPU that came online later is not in the topology. */
		if (from < 0 || to < 0 || !topology_find(topology, (unsigned)from) ||
			!topology_find(topology, (unsigned)to))
			return N_LOCALITIES;
		enum locality hop = topology_locality(topology, (unsigned)from, (unsigned)to);

		farthest = hop > farthest ? hop : farthest;
	}
	return farthest;
}

/* Writes "CPU 5 is offline: member 0 runs on CPU 3, member 1 on CPU 2". */
static void describe(const struct arena *arena, const struct ring_slot *ring, struct pinned_ring *pinned,
	const struct tick_member *members)
{
	const struct pinned *first = NULL;
	unsigned n = 0;
	char *text = pinned->reason.text;
	size_t size = sizeof(pinned->reason.text), length = 0;

	for (unsigned m = 0; m < ring->n_members; m++) {
		const struct pinned *is = &pinned->members[m];
		struct task_stat stat;

		if (!is->away || n++ >= NAMED_MAX)
			continue;
		if (!first)
			length = (size_t)snprintf(text, size,
				"CPU %u is %s:", arena_member(arena, ring, m)->cpu,
				is->why == CONDITION_OFFLINE ? "offline" : "not in the cpuset");
		int cpu = task_read_stat(members[m].pid, members[m].tid, &stat) < 0 ? -1 : stat.cpu;

		length += (size_t)snprintf(text + length, size - length, "%s member %u", first ? "," : "", m);
		if (cpu < 0 || cpu == (int64_t)arena_member(arena, ring, m)->cpu)
			length += (size_t)snprintf(text + length, size - length, " has not run since");
		else
			length += (size_t)snprintf(text + length, size - length, " runs on CPU %d", cpu);
		first = is;
	}
	if (n > NAMED_MAX)
		length += (size_t)snprintf(text + length, size - length, " and %u more", n - NAMED_MAX);
	snprintf(text + length, size - length, "; laps are away until it is back");
}

void pinning_sum_up(const struct pinning *pinning, const struct arena *arena, const struct ring_slot *ring,
	struct pinned_ring *pinned, const struct tick_member *members)
{
	bool moved = false;

	pinned->condition = pinned->was_reset ? CONDITION_EXCLUDED : CONDITION_FINE;
	pinned->is_away = false;
	for (unsigned m = 0; m < ring->n_members; m++) {
		const struct pinned *is = &pinned->members[m];

		moved |= is->moved_to != 0;
		pinned->is_away |= is->away;
		if (is->away)
			pinned->condition = is->why;
		else if (!is->moved_to && pinning->knows_online &&
			 !cpus_has(&pinning->online, arena_member(arena, ring, m)->cpu))
			pinned->condition = CONDITION_OFFLINE; /* it has not started, or will be moved */
	}
	pinned->locality = moved ? find_locality(pinning->topology, arena, ring, pinned) : 0;
	if (pinned->is_away)
		describe(arena, ring, pinned, members);
	pinned->was_reset = false;
	pinned->cpusets[1] = pinned->cpusets[0];
	if (pinned->looked_at)
		pinned->cpusets[0] = pinned->looked_at;
	else if (!pinned->apart)
		pinned->cpusets[0] = pinning->own.hash;
	pinned->looked_at = 0;
}

void pinning_tell_tick(const struct pinned_ring *pinned, struct tick_ring *out)
{
	out->locality = pinned->locality;
	if (pinned->is_away && out->state != RING_FAILED)
		out->reason = pinned->reason.text;
}

void pinning_tell_members(
	const struct arena *arena, struct ring_slot *ring, const struct pinned_ring *pinned, uint64_t now_ns)
{
	int32_t before = atomic_load_explicit(&arena_member(arena, ring, 0)->place, memory_order_relaxed);

	/* Slots that are overdue by now are missed, or away, by the state until now. */
	if ((before == PLACE_AWAY) != pinned->is_away)
		missed_slots_end_phase(arena, ring, now_ns);
	for (unsigned m = 0; m < ring->n_members; m++)
		atomic_store_explicit(&arena_member(arena, ring, m)->place,
			pinned->is_away ? PLACE_AWAY : place_of(arena, ring, pinned, m),
			memory_order_relaxed);
}
