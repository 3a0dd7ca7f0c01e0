/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pinning.c - finds members that were moved, and pins those that the kernel moved. */
#include "src/engine/pinning.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/bytes.h"
#include "src/base/text.h"
#include "src/machine/topology.h"
#include "src/ring/missed_slots.h"

enum { NAMED_MAX = 3 };

/* Never 0. */
static uint64_t hash_cpus(const struct cpus *cpus)
{
	uint64_t hash = bytes_check(cpus->word, sizeof(cpus->word));

	return hash ? hash : 1;
}

/* @pid 0: this process. */
static void read_cpuset(pid_t pid, struct pinning_cpuset *cpuset)
{
	cpuset_of(pid, cpuset->path);
	cpuset->cpus = (struct cpus){0};
	cpuset->knows_cpus = cpuset_read(cpuset->path, &cpuset->cpus);
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
	const uint64_t *before = pinned->cpusets;

	return (before[0] && before[0] != cpuset) || (before[1] && before[1] != cpuset);
}

static void follow_move(struct pinned *is, struct tick_member *member)
{
	is->away = false;
	is->moved_to = member->moved_to = member->n_cpus == 1 ? member->cpu + 1 : -1;
}

/* The CPU leaves the online set somewhat later than the kernel moves its tasks. */
static enum ring_condition why_away(
	const struct pinning *pinning, const struct pinning_cpuset *cpuset, unsigned planned)
{
	bool is_online = pinning->knows_online && cpus_has(&pinning->online, planned);
	bool is_excluded = is_online && cpuset->knows_cpus && !cpus_has(&cpuset->cpus, planned);

	return is_excluded ? CONDITION_EXCLUDED : CONDITION_OFFLINE;
}

/* Returns whether it was done: if the CPU is gone again, the next tick finds out. */
static bool pin_again(
	struct pinned_ring *pinned, struct pinned *is, struct tick_member *member, unsigned planned)
{
	if (task_pin(member->tid, planned) < 0)
		return false;
	pinned->was_reset |= !is->away;
	*is = (struct pinned){.online = number_of_online(planned)};
	member->cpu = (int32_t)planned;
	member->n_cpus = 1;
	return true;
}

/* The kernel moved the member, or a user did. Returns whether it was pinned again. */
static bool judge_stray(struct pinning *pinning, struct pinned_ring *pinned,
	const struct arena_member *shared, struct tick_member *member, const struct cpus *affinity,
	bool unchanged)
{
	struct pinned *is = &pinned->members[arena_member_index(shared)];
	const unsigned planned = shared->cpu;
	struct pinning_cpuset cpuset;

	read_cpuset(member->pid, &cpuset);
	struct cpus allowed = find_allowed(pinning, &cpuset);
	bool was_offline = is->online && is->online != number_of_online(planned);
	bool taken = is->away || was_offline || has_changed(pinned, cpuset.hash);

	pinned->cpuset = cpuset.hash;
	pinned->apart = strcmp(cpuset.path, pinning->own.path) != 0;
	if (!(is->away && unchanged) && !is_kernels(affinity, &allowed)) {
		if (is_somebodys(pinning, member->tid, &cpuset, affinity))
			follow_move(is, member);
		return false;
	}
	if (!cpus_has(&allowed, planned)) {
		is->away = true;
		is->why = why_away(pinning, &cpuset, planned);
		return false;
	}
	if (!taken) {
		follow_move(is, member);
		return false;
	}
	return pin_again(pinned, is, member, planned);
}

bool pinning_judge(struct pinning *pinning, struct pinned_ring *pinned, const struct arena_member *shared,
	struct tick_member *member, const struct cpus *affinity)
{
	struct pinned *is = &pinned->members[arena_member_index(shared)];
	uint64_t before = is->affinity;

	if (member->n_cpus == 1 && member->cpu == (int64_t)shared->cpu) {
		*is = (struct pinned){.online = is->online ? is->online : number_of_online(shared->cpu)};
		member->moved_to = 0;
		return false;
	}
	member->moved_to = is->moved_to;
	is->affinity = hash_cpus(affinity);
	bool unchanged = is->affinity == before;

	if (!is->moved_to)
		return judge_stray(pinning, pinned, shared, member, affinity, unchanged);
	if (!unchanged && member->n_cpus > 0)
		follow_move(is, member);
	return false;
}

/* Returns a member's place; PLACE_ANY: any of several CPUs. */
static int32_t place_of(const struct pinned_ring *pinned, const struct arena_ring *ring, unsigned m)
{
	int32_t moved_to = pinned->members[m].moved_to;

	if (!moved_to)
		return (int32_t)ring->members[m].cpu;
	return moved_to > 0 ? moved_to - 1 : PLACE_ANY;
}

static enum locality find_locality(const struct pinned_ring *pinned, const struct arena_ring *ring)
{
	const struct topology *topology = ring->arena->topology;
	enum locality farthest = LOCALITY_OWN;

	for (unsigned m = 0; m < ring->n_members; m++) {
		int32_t from = place_of(pinned, ring, m);
		int32_t to = place_of(pinned, ring, (m + 1) % ring->n_members);

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
void pinning_describe(const struct pinned_ring *pinned, const struct arena_ring *ring,
	const struct tick_member *members, struct error_text *reason)
{
	char list[(NAMED_MAX + 1) * 48] = "", word[48];
	unsigned first = 0, n = 0;

	for (unsigned m = 0; m < ring->n_members; m++) {
		struct task_stat stat;

		if (!pinned->members[m].away || n++ >= NAMED_MAX)
			continue;
		first = n == 1 ? m : first;
		if (task_read_stat(members[m].pid, members[m].tid, &stat) < 0 ||
			stat.cpu == (int64_t)ring->members[m].cpu)
			snprintf(word, sizeof(word), "member %u has not run since", m);
		else
			snprintf(word, sizeof(word), "member %u runs on CPU %d", m, stat.cpu);
		text_append(list, sizeof(list), ", ", word);
	}
	snprintf(word, sizeof(word), " and %u more", n - NAMED_MAX);
	snprintf(reason->text, sizeof(reason->text), "CPU %u is %s: %s%s; laps are away until it is back",
		ring->members[first].cpu,
		pinned->members[first].why == CONDITION_OFFLINE ? "offline" : "not in the cpuset", list,
		n > NAMED_MAX ? word : "");
}

void pinning_sum_up(const struct pinning *pinning, struct pinned_ring *pinned, const struct arena_ring *ring)
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
			 !cpus_has(&pinning->online, ring->members[m].cpu))
			pinned->condition = CONDITION_OFFLINE; /* it has not started, or will be moved */
	}
	pinned->locality = moved ? find_locality(pinned, ring) : 0;
	pinned->was_reset = false;
	pinned->cpusets[1] = pinned->cpusets[0];
	if (pinned->cpuset)
		pinned->cpusets[0] = pinned->cpuset;
	else if (!pinned->apart)
		pinned->cpusets[0] = pinning->own.hash;
	pinned->cpuset = 0;
}

void pinning_publish(const struct pinned_ring *pinned, struct arena_ring *ring, uint64_t now_ns)
{
	int32_t before = atomic_load_explicit(&ring->members[0].place, memory_order_relaxed);

	/* Slots that are overdue by now are missed, or away, by the state until now. */
	if ((before == PLACE_AWAY) != pinned->is_away)
		missed_slots_end_phase(ring, now_ns);
	for (unsigned m = 0; m < ring->n_members; m++) {
		struct arena_member *member = &ring->members[m];
		int32_t place = pinned->is_away ? PLACE_AWAY : place_of(pinned, ring, m);

		if (atomic_load_explicit(&member->place, memory_order_relaxed) != place)
			member->moved_ns = now_ns;
		atomic_store_explicit(&member->place, place, memory_order_relaxed);
	}
}
