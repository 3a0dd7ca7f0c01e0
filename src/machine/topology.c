/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology.c - reads the CPUs from hwloc, and the rights to them from the kernel. */
#include "src/machine/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/text.h"
#include "src/machine/task.h"

static const char *const locality_names[N_LOCALITIES] = {
	"own", "smt", "l2", "l3", "node", "package", "cross"};

const char *locality_name(enum locality locality)
{
	return locality < N_LOCALITIES ? locality_names[locality] : "-";
}

/* Returns the variable that describes another machine to hwloc, or NULL. */
static const char *foreign_variable(void)
{
	static const char *const names[] = {
		"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return names[i];
	}
	return NULL;
}

static int load(hwloc_topology_t *hwloc, struct error_text *reason)
{
	/* Keeps disallowed CPUs: the kernel is asked which are allowed. Leaves the binding alone: discovery
	 * on a CPU that a real-time task occupies would never end. */
	const unsigned long flags =
		HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
	const char *variable = foreign_variable();

	if (hwloc_topology_init(hwloc) < 0)
		return error_text_set(reason, -ENOMEM, "hwloc can't start: no memory");
	hwloc_topology_set_flags(*hwloc, flags);
	int r = hwloc_topology_load(*hwloc);

	/* If hwloc can't read a description, it describes this system without an error. */
	if (r == 0 && !(variable && hwloc_topology_is_thissystem(*hwloc) && !getenv("HWLOC_THISSYSTEM")))
		return 0;
	hwloc_topology_destroy(*hwloc);
	if (variable)
		return error_text_set(reason, -EINVAL, "%s=%s: hwloc can't read a topology from it", variable,
			getenv(variable));
	return error_text_set(reason, -EIO, "hwloc can't read this machine's topology");
}

/* Returns the lowest CPU of an object, which identifies it. hwloc's numbers do not: if cores are at several
 * depths of its tree (one offline thread is enough), the numbers of each depth start at 0. */
static int lowest_cpu(hwloc_topology_t hwloc, hwloc_obj_type_t type, hwloc_obj_t pu)
{
	hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(hwloc, type, pu);

	return object ? hwloc_bitmap_first(object->cpuset) : -1;
}

/* A CPU may have several NUMA nodes (its own, and a shared one of slower memory), which are no ancestors in
 * hwloc's tree. The nearest one has the fewest CPUs. */
static int node_of(hwloc_topology_t hwloc, hwloc_obj_t pu)
{
	int nearest = -1, fewest = 0;
	unsigned id;

	if (!pu->nodeset)
		return -1;
	hwloc_bitmap_foreach_begin(id, pu->nodeset) hwloc_obj_t node =
		hwloc_get_numanode_obj_by_os_index(hwloc, id);
	int count = node ? hwloc_bitmap_weight(node->cpuset) : 0;

	if (count > 0 && (nearest < 0 || count < fewest)) {
		nearest = (int)id;
		fewest = count;
	}
	hwloc_bitmap_foreach_end();
	return nearest;
}

static struct topology_cpu cpu_of(hwloc_topology_t hwloc, hwloc_obj_t pu)
{
	int core = lowest_cpu(hwloc, HWLOC_OBJ_CORE, pu);
	bool kinds = hwloc_cpukinds_get_nr(hwloc, 0) > 1;

	return (struct topology_cpu){
		.cpu = pu->os_index,
		.core = core >= 0 ? core : (int)pu->os_index, /* without cores in hwloc, each CPU is one */
		.l2 = lowest_cpu(hwloc, HWLOC_OBJ_L2CACHE, pu),
		.l3 = lowest_cpu(hwloc, HWLOC_OBJ_L3CACHE, pu),
		.node = node_of(hwloc, pu),
		.package = lowest_cpu(hwloc, HWLOC_OBJ_PACKAGE, pu),
		.kind = kinds ? hwloc_cpukinds_get_by_cpuset(hwloc, pu->cpuset, 0) : -1,
		.latency_row = -1,
	};
}

/* Writes the parts that contain a CPU, the machine first. */
static void read_parts(uint64_t *parts, hwloc_obj_t pu)
{
	size_t n = 0;

	for (hwloc_obj_t part = pu; part; part = part->parent)
		n++;
	for (hwloc_obj_t part = pu; part; part = part->parent)
		parts[--n] = part->gp_index + 1;
}

static int compare_cpus(const void *a, const void *b)
{
	const struct topology_cpu *left = a, *right = b;

	return (left->cpu > right->cpu) - (left->cpu < right->cpu);
}

/* Reads the CPUs of hwloc that are in @online. */
static int read_cpus(struct topology *topology, hwloc_topology_t hwloc, const struct cpus *online)
{
	int n = hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_PU);
	size_t room = (size_t)(n > 0 ? n : 1), n_parts = (size_t)hwloc_topology_get_depth(hwloc) + 1;

	topology->cpus = calloc(room, sizeof(*topology->cpus));
	topology->parts = calloc(room, n_parts * sizeof(*topology->parts));
	if (!topology->cpus || !topology->parts)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		hwloc_obj_t pu = hwloc_get_obj_by_type(hwloc, HWLOC_OBJ_PU, (unsigned)i);

		if (pu->os_index >= CPUS_MAX || !cpus_has(online, pu->os_index))
			continue;
		uint64_t *parts = &topology->parts[topology->n_cpus * n_parts];
		struct topology_cpu *cpu = &topology->cpus[topology->n_cpus++];

		read_parts(parts, pu);
		*cpu = cpu_of(hwloc, pu);
		cpu->parts = parts;
		cpus_add(&topology->online, pu->os_index);
	}
	qsort(topology->cpus, topology->n_cpus, sizeof(*topology->cpus), compare_cpus);
	return 0;
}

/* A node may have no CPU, or no memory. If a description of a machine has no sizes, all nodes count. */
static void read_nodes(struct topology *topology, hwloc_topology_t hwloc)
{
	struct cpus nodes = {0};
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_NUMANODE, node))) {
		if (node->os_index >= CPUS_MAX)
			continue;
		cpus_add(&nodes, node->os_index);
		if (node->attr->numanode.local_memory > 0)
			cpus_add(&topology->nodes, node->os_index);
	}
	if (cpus_count(&nodes) == 0)
		cpus_add(&nodes, 0);
	if (cpus_count(&topology->nodes) == 0)
		topology->nodes = nodes;
}

/* Reads what is known of each kind of core, such as "CoreType IntelAtom, FrequencyMaxMHz 3600". */
static int read_kinds(struct topology *topology, hwloc_topology_t hwloc)
{
	int n = hwloc_cpukinds_get_nr(hwloc, 0);

	if (n < 2)
		return 0;
	topology->kinds = calloc((size_t)n, sizeof(*topology->kinds));
	if (!topology->kinds)
		return -ENOMEM;
	for (int kind = 0; kind < n; kind++) {
		unsigned n_infos = 0;
		struct hwloc_info_s *infos = NULL;
		char *text = topology->kinds[kind];

		if (hwloc_cpukinds_get_info(hwloc, (unsigned)kind, NULL, NULL, &n_infos, &infos, 0) < 0)
			continue;
		for (unsigned i = 0; i < n_infos; i++) {
			text_append(text, TOPOLOGY_KIND_SIZE, ", ", infos[i].name);
			text_append(text, TOPOLOGY_KIND_SIZE, " ", infos[i].value);
		}
		text_clean(text);
	}
	return 0;
}

static bool has_cpus(const struct hwloc_distances_s *distances)
{
	for (unsigned i = 0; i < distances->nbobjs; i++)
		if (!distances->objs[i] || !distances->objs[i]->cpuset)
			return false;
	return distances->nbobjs > 0;
}

/* Finds the smallest object of the matrix that contains a CPU. */
static int latency_row_of(const struct hwloc_distances_s *distances, unsigned cpu)
{
	int smallest = -1, fewest = 0;

	for (unsigned i = 0; i < distances->nbobjs; i++) {
		int count = hwloc_bitmap_weight(distances->objs[i]->cpuset);

		if (hwloc_bitmap_isset(distances->objs[i]->cpuset, cpu) && (smallest < 0 || count < fewest)) {
			smallest = (int)i;
			fewest = count;
		}
	}
	return smallest;
}

static int copy_latencies(struct topology *topology, const struct hwloc_distances_s *distances)
{
	size_t n = distances->nbobjs;

	topology->latencies = calloc(n * n, sizeof(*topology->latencies));
	if (!topology->latencies)
		return -ENOMEM;
	for (size_t i = 0; i < n * n; i++)
		topology->latencies[i] = distances->values[i];
	topology->n_latencies = n;
	for (size_t i = 0; i < topology->n_cpus; i++)
		topology->cpus[i].latency_row = latency_row_of(distances, topology->cpus[i].cpu);
	return 0;
}

/* Reads the first matrix of latencies between parts that have CPUs: that of the NUMA nodes, as a rule. */
static int read_latencies(struct topology *topology, hwloc_topology_t hwloc)
{
	const unsigned long kind = HWLOC_DISTANCES_KIND_MEANS_LATENCY;
	unsigned n = 0;
	int r = 0;

	if (hwloc_distances_get(hwloc, &n, NULL, kind, 0) < 0 || n == 0)
		return 0;
	struct hwloc_distances_s **matrices = calloc(n, sizeof(*matrices));

	if (!matrices)
		return -ENOMEM;
	if (hwloc_distances_get(hwloc, &n, matrices, kind, 0) < 0)
		n = 0;
	for (unsigned i = 0; i < n; i++) {
		if (r == 0 && !topology->latencies && has_cpus(matrices[i]))
			r = copy_latencies(topology, matrices[i]);
		hwloc_distances_release(hwloc, matrices[i]);
	}
	free(matrices);
	return r;
}

/* Counts the different numbers, from 0 on, in the field at @offset. */
static size_t count_parts(const struct topology *topology, size_t offset)
{
	struct cpus parts = {0};

	for (size_t i = 0; i < topology->n_cpus; i++) {
		int part = *(const int *)((const char *)&topology->cpus[i] + offset);

		if (part >= 0 && part < CPUS_MAX)
			cpus_add(&parts, (unsigned)part);
	}
	return cpus_count(&parts);
}

static size_t at_least_one(size_t count)
{
	return count > 0 ? count : 1;
}

static void count_all_parts(struct topology *topology)
{
	topology->n_l3 = count_parts(topology, offsetof(struct topology_cpu, l3));
	topology->n_cores = count_parts(topology, offsetof(struct topology_cpu, core));
	topology->n_packages = at_least_one(count_parts(topology, offsetof(struct topology_cpu, package)));
	topology->n_nodes = at_least_one(count_parts(topology, offsetof(struct topology_cpu, node)));
	topology->n_kinds = at_least_one(count_parts(topology, offsetof(struct topology_cpu, kind)));
}

static const struct cpus *all_cpus(struct cpus *all)
{
	memset(all, 0xff, sizeof(*all));
	return all;
}

int topology_ask_allowed(struct cpus *allowed)
{
	struct cpus asked;
	ssize_t n;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	/* Another process does this, because the kernel remembers the affinity that a task has requested. */
	pid_t pid = fork();

	if (pid == 0) {
		/* Where this is refused, only the inherited affinity is allowed. */
		(void)sched_setaffinity(0, sizeof(asked), (const cpu_set_t *)all_cpus(&asked));
		memset(&asked, 0, sizeof(asked));
		n = sched_getaffinity(0, sizeof(asked), (cpu_set_t *)&asked) == 0
			    ? write(ends[1], &asked, sizeof(asked))
			    : 0;
		_exit(n != sizeof(asked));
	}
	int error = pid < 0 ? -errno : 0;

	close(ends[1]);
	while ((n = read(ends[0], &asked, sizeof(asked))) < 0 && errno == EINTR)
		;
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (error < 0)
		return error;
	if (n != sizeof(asked))
		return -EIO;
	*allowed = asked;
	return 0;
}

struct cpus topology_usable(
	const struct cpus *inherited, const struct cpus *allowed, const struct cpus *isolated)
{
	struct cpus not_isolated = *allowed, usable = *inherited;

	cpus_subtract(&not_isolated, isolated);
	if (cpus_equal(inherited, allowed) || cpus_equal(inherited, &not_isolated))
		return *allowed;
	cpus_intersect(&usable, allowed);
	return usable;
}

/* Reads which CPUs of this system this process may use. */
static int read_rights(struct topology *topology, struct error_text *reason)
{
	struct cpus inherited = {0};
	int r = topology_ask_allowed(&topology->allowed);

	if (r == 0 && sched_getaffinity(0, sizeof(inherited), (cpu_set_t *)&inherited) < 0)
		r = -errno;
	if (r == -EAGAIN && sched_getscheduler(0) == SCHED_DEADLINE) /* without SCHED_RESET_ON_FORK */
		return error_text_set(reason, r,
			"ipctop runs under SCHED_DEADLINE (chrt -d), where the kernel lets it create no process: start it without chrt -d, or with chrt --reset-on-fork");
	if (r < 0)
		return error_text_set(reason, r, "can't read which CPUs this process may use: %s",
			r == -EAGAIN ? task_no_more(r) : error_text_of_errno(r));
	topology->isolated = cpus_isolated();
	cpus_intersect(&inherited, &topology->online);
	cpus_intersect(&topology->allowed, &topology->online);
	cpus_intersect(&topology->isolated, &topology->online);
	topology->usable = topology_usable(&inherited, &topology->allowed, &topology->isolated);
	return 0;
}

int topology_init(struct topology *topology, struct error_text *reason)
{
	struct cpus online = {0};
	hwloc_topology_t hwloc;

	*topology = (struct topology){.foreign = foreign_variable()};
	int r = load(&hwloc, reason);

	if (r < 0)
		return r;
	if (!topology->foreign) {
		cpus_read(&online, "/sys/devices/system/cpu/online");
		cpus_read(&topology->offline, "/sys/devices/system/cpu/present");
		cpus_subtract(&topology->offline, &online);
	}
	if (cpus_count(&online) == 0)
		all_cpus(&online);
	r = read_cpus(topology, hwloc, &online);
	if (r == 0)
		r = read_kinds(topology, hwloc);
	if (r == 0)
		r = read_latencies(topology, hwloc);
	read_nodes(topology, hwloc);
	hwloc_topology_destroy(hwloc);
	if (r < 0)
		return error_text_set(reason, r, "no memory for the machine's topology");
	count_all_parts(topology);
	if (!topology->foreign)
		return read_rights(topology, reason);
	topology->allowed = topology->usable = topology->online;
	return 0;
}

int topology_check_online(const struct topology *topology, const char *option, const char *value,
	const struct cpus *cpus, struct error_text *reason)
{
	struct cpus offline = *cpus;
	char list[64];

	cpus_intersect(&offline, &topology->offline);
	if (cpus_count(&offline) == 0)
		return 0;
	bool several = cpus_count(&offline) > 1;

	return error_text_set(reason, -EINVAL,
		"%s %s: CPU%s %s %s offline: name others, or bring %s online (echo 1 > "
		"/sys/devices/system/cpu/cpu%d/online)",
		option, value, several ? "s" : "", cpus_format(&offline, list, sizeof(list)),
		several ? "are" : "is", several ? "them" : "it", cpus_next(&offline, -1));
}

void topology_finish(struct topology *topology)
{
	free(topology->cpus);
	free(topology->kinds);
	free(topology->latencies);
	free(topology->parts);
	*topology = (struct topology){0};
}

const struct topology_cpu *topology_find(const struct topology *topology, unsigned cpu)
{
	const struct topology_cpu wanted = {.cpu = cpu};

	return bsearch(&wanted, topology->cpus, topology->n_cpus, sizeof(wanted), compare_cpus);
}

static bool shared(int a, int b)
{
	return a >= 0 && a == b;
}

enum locality topology_cpu_locality(const struct topology_cpu *a, const struct topology_cpu *b)
{
	const bool shares[N_LOCALITIES] = {
		[LOCALITY_OWN] = a->cpu == b->cpu,
		[LOCALITY_SMT] = shared(a->core, b->core),
		[LOCALITY_L2] = shared(a->l2, b->l2),
		[LOCALITY_L3] = shared(a->l3, b->l3),
		[LOCALITY_NODE] = shared(a->node, b->node) && a->package == b->package,
		[LOCALITY_PACKAGE] = shared(a->package, b->package),
		[LOCALITY_CROSS] = true,
	};
	enum locality nearest = LOCALITY_OWN;

	while (!shares[nearest])
		nearest++;
	return nearest;
}

/* The latency of the way there and back, as the firmware has it; 0: not known, or within one part. */
static uint64_t latency_between(
	const struct topology *topology, const struct topology_cpu *a, const struct topology_cpu *b)
{
	size_t row = (size_t)a->latency_row, other = (size_t)b->latency_row, n = topology->n_latencies;

	if (a->latency_row < 0 || b->latency_row < 0 || row == other)
		return 0;
	return topology->latencies[row * n + other] + topology->latencies[other * n + row];
}

uint64_t topology_distance(
	const struct topology *topology, const struct topology_cpu *a, const struct topology_cpu *b)
{
	uint64_t latency = latency_between(topology, a, b);
	uint32_t common = 0, n_steps = 0;

	while (a->parts[common] && a->parts[common] == b->parts[common])
		common++;
	for (const uint64_t *part = &a->parts[common]; *part; part++)
		n_steps++;
	for (const uint64_t *part = &b->parts[common]; *part; part++)
		n_steps++;
	return (latency < UINT32_MAX ? latency : UINT32_MAX) << 32 | n_steps;
}

enum locality topology_locality(const struct topology *topology, unsigned a, unsigned b)
{
	return topology_cpu_locality(topology_find(topology, a), topology_find(topology, b));
}

unsigned topology_localities(const struct topology *topology, const struct cpus *cpus)
{
	const unsigned all = (1u << N_LOCALITIES) - 1;
	unsigned found = 0;

	for (size_t i = 0; i < topology->n_cpus && found != all; i++)
		for (size_t k = i; cpus_has(cpus, topology->cpus[i].cpu) && k < topology->n_cpus; k++)
			if (cpus_has(cpus, topology->cpus[k].cpu))
				found |= 1u << topology_cpu_locality(&topology->cpus[i], &topology->cpus[k]);
	return found;
}
