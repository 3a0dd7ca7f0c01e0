/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_ring.c - the events of perf of one CPU, and their ring. */
#include "src/flight/perf_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/memory.h"

/* The kernel takes a record's time before it moves the head. */
static const uint64_t under_way_ns = 50000;

struct perf_event_attr perf_ring_attr(uint32_t type, uint64_t config, uint64_t sample_type)
{
	return (struct perf_event_attr){.size = sizeof(struct perf_event_attr),
		.type = type,
		.config = config,
		.sample_type = sample_type,
		.sample_period = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_id_all = 1,
		.write_backward = 1};
}

bool perf_ring_is_in_pid_namespace(void)
{
	static const char first[] = "pid:[4026531836]"; /* PROC_PID_INIT_INO */
	char link[32] = "";

	return readlink("/proc/self/ns/pid", link, sizeof(link) - 1) > 0 && strcmp(link, first) != 0;
}

static int open_event(uint32_t cpu, const struct perf_event_attr *attr)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int perf_ring_open(struct perf_ring *ring, uint32_t cpu)
{
	const struct perf_event_attr dummy =
		perf_ring_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, PERF_SAMPLE_TIME);
	int fd = open_event(cpu, &dummy);

	*ring = (struct perf_ring){.cpu = cpu};
	if (fd < 0)
		return fd;
	ring->fds[ring->n_events++] = fd;
	void *memory = mmap(NULL, memory_page_size() + PERF_RING_SIZE, PROT_READ, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	ring->memory = memory;
	return 0;
}

/* It begins to record when its filter is set. */
static int start_event(const struct perf_ring *ring, int fd, const char *filter)
{
	if (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fds[0]) < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return -errno;
	return 0;
}

int perf_ring_add(struct perf_ring *ring, const struct perf_event_attr *attr, const char *filter)
{
	struct perf_event_attr stopped = *attr;

	if (ring->n_events == PERF_EVENTS_MAX)
		return -ENOSPC;
	stopped.disabled = 1;
	int fd = open_event(ring->cpu, &stopped);
	int r = fd < 0 ? fd : start_event(ring, fd, filter);

	if (r < 0) {
		if (fd >= 0)
			close(fd);
		return r;
	}
	ring->fds[ring->n_events++] = fd;
	return fd;
}

void perf_ring_remove(struct perf_ring *ring, int fd)
{
	for (size_t i = 1; i < ring->n_events; i++)
		if (ring->fds[i] == fd) {
			ring->fds[i] = ring->fds[--ring->n_events];
			close(fd);
			return;
		}
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->memory)
		munmap(ring->memory, memory_page_size() + PERF_RING_SIZE);
	while (ring->n_events)
		close(ring->fds[--ring->n_events]);
	ring->memory = NULL;
}

/* --- reading --- */

static uint64_t read_head(const struct perf_ring *ring)
{
	const struct perf_event_mmap_page *page = ring->memory;

	/* Acquire: the records up to the head are there. */
	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

static void copy_out(const struct perf_ring *ring, uint64_t from, void *to, size_t size)
{
	const char *bytes = (const char *)ring->memory + memory_page_size();
	size_t at = from % PERF_RING_SIZE, first = PERF_RING_SIZE - at;

	first = first < size ? first : size;
	memcpy(to, bytes + at, first);
	memcpy((char *)to + first, bytes, size - first);
}

/* The ring is written downwards. While it is read, more may be written, which overwrites its oldest records:
 * what reaches beyond a ring's length from the head, or that of the next record, is not what it was. Returns
 * false then. */
static bool copy_record(const struct perf_ring *ring, uint64_t at, char record[PERF_RECORD_SIZE])
{
	struct perf_event_header header;

	copy_out(ring, at, &header, sizeof(header));
	size_t size = header.size < PERF_RECORD_SIZE ? header.size : PERF_RECORD_SIZE;

	copy_out(ring, at, record, size);
	return at + size - read_head(ring) <= PERF_RING_SIZE - PERF_RECORD_SIZE;
}

void perf_ring_look_back(const struct perf_ring *ring,
	bool (*look)(void *data, const struct perf_event_header *header), void *data)
{
	_Alignas(8) char record[PERF_RECORD_SIZE];
	const struct perf_event_header *header = (const struct perf_event_header *)(const void *)record;

	/* Nothing was written from 0 upwards. */
	for (uint64_t at = read_head(ring); at && copy_record(ring, at, record); at += header->size)
		if (header->size < sizeof(*header) || !look(data, header))
			return;
}

/* Finds the new records, from the newest at @head to those of @until. Returns their number. */
static size_t find_records(
	const struct perf_ring *ring, uint64_t head, uint64_t until, uint64_t starts[PERF_BATCH], bool *lost)
{
	uint64_t at = head;
	size_t n = 0;

	while (n < PERF_BATCH && at != until) {
		struct perf_event_header header;

		copy_out(ring, at, &header, sizeof(header));
		if (header.size < sizeof(header) || until - at < header.size)
			break; /* what was overwritten */
		starts[n++] = at;
		at += header.size;
	}
	*lost |= at != until;
	return n;
}

void perf_ring_read(
	struct perf_ring *ring, void (*take)(void *data, const struct perf_event_header *header), void *data)
{
	static uint64_t starts[PERF_BATCH]; /* of the only thread that records */

	ring->read_ns = clock_now_ns();
	uint64_t head = read_head(ring), until = ring->head;

	if (until - head > PERF_RING_SIZE) {
		ring->has_lost = true;
		until = head + PERF_RING_SIZE;
	}
	size_t n = find_records(ring, head, until, starts, &ring->has_lost);

	while (n > 0) {
		_Alignas(8) char record[PERF_RECORD_SIZE];

		if (copy_record(ring, starts[--n], record))
			take(data, (const struct perf_event_header *)(const void *)record);
		else
			ring->has_lost = true;
	}
	ring->head = head;
}

uint64_t perf_ring_take_gap(struct perf_ring *ring, uint64_t at_ns, flight_take *take, void *data)
{
	at_ns = larger_ns(at_ns, ring->last_ns); /* a gap may have ended later, see under_way_ns */
	const struct flight_record gap = {.kind = FLIGHT_GAP,
		.cpu = ring->cpu,
		.from_ns = ring->last_ns,
		.number = ring->last_ns ? GAP_OVERWRITTEN : 0,
		.at_ns = at_ns};

	if (ring->has_lost)
		take(data, &gap);
	ring->has_lost = false;
	ring->last_ns = at_ns;
	return at_ns;
}

void perf_ring_end_gap(struct perf_ring *ring, flight_take *take, void *data)
{
	uint64_t until_ns = ring->read_ns - under_way_ns;

	if (ring->has_lost && ring->last_ns && until_ns > ring->last_ns)
		perf_ring_take_gap(ring, until_ns, take, data);
}
