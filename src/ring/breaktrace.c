/* SPDX-License-Identifier: GPL-2.0-or-later */
/* breaktrace.c - -b: the member that measures the first latency above a limit stops the kernel's tracing. */
#include "src/ring/breaktrace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/plan/config.h"
#include "src/ring/member_loop.h"

static const char *const folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* --- the front's --- */

static int open_file(const char *folder, const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	int fd = open(path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void read_word(const char *folder, const char *name, char *word, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (small_file_read_line(path, word, size) <= 0)
		snprintf(word, size, "?");
}

static int refuse(const char *folder, const char *name, int error, struct error_text *reason)
{
	if (error == -ENOENT)
		return error_text_set(reason, error,
			"-b: no %s in %s or %s: mount it as root (mount -t tracefs tracefs %s)", name,
			folders[0], folders[1], folders[0]);
	return error_text_set(reason, error, "-b: %s/%s: %s%s", folder, name, error_text_of_errno(error),
		error == -EACCES  ? " (run as root, or give this user write access to it)"
		: error == -EPERM ? " (the kernel's lockdown forbids it)"
				  : "");
}

/* Opens tracing_on in the first folder that has it, or that refuses for another reason than ENOENT. */
static int open_tracing_on(const char **folder, struct error_text *reason)
{
	int fd = -ENOENT;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders) && fd == -ENOENT; i++) {
		*folder = folders[i];
		fd = open_file(*folder, "tracing_on", O_WRONLY);
	}
	return fd < 0 ? refuse(*folder, "tracing_on", fd, reason) : fd;
}

int breaktrace_open(struct breaktrace *breaktrace, const struct config *config, struct tracing *found,
	struct error_text *reason)
{
	const char *folder;

	*found = (struct tracing){0};
	if (!config->breaktrace_ns)
		return 0;
	*breaktrace = (struct breaktrace){.limit_ns = config->breaktrace_ns,
		.figure = config->figure,
		.at_origin = config->tool.break_at_origin,
		.tracing_on = -1,
		.trace_marker = -1,
		.told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	if (breaktrace->told < 0)
		return error_text_set(reason, -errno, "eventfd: %s", error_text_of_errno(-errno));
	int fd = open_tracing_on(&folder, reason);

	if (fd < 0)
		return fd;
	breaktrace->tracing_on = fd;
	fd = open_file(folder, "trace_marker", O_WRONLY);
	if (fd < 0)
		return refuse(folder, "trace_marker", fd, reason);
	breaktrace->trace_marker = fd;
	snprintf(found->folder, sizeof(found->folder), "%s", folder);
	read_word(folder, "tracing_on", found->on, sizeof(found->on));
	read_word(folder, "current_tracer", found->tracer, sizeof(found->tracer));
	return 0;
}

const char *breaktrace_found(const struct tracing *found, char text[TRACING_TEXT_SIZE])
{
	text[0] = '\0';
	if (found->folder[0])
		snprintf(text, TRACING_TEXT_SIZE, "tracing_on is %s, current_tracer is %s (%s)", found->on,
			found->tracer, found->folder);
	return text;
}

void breaktrace_close(struct breaktrace *breaktrace)
{
	int *const fds[] = {&breaktrace->tracing_on, &breaktrace->trace_marker, &breaktrace->told};

	for (size_t i = 0; breaktrace->limit_ns && i < sizeof(fds) / sizeof(*fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

bool breaktrace_happened(const struct breaktrace *breaktrace, struct breach *breach)
{
	/* Acquire: pairs with the release in breaktrace_stop(). */
	if (atomic_load_explicit(&breaktrace->state, memory_order_acquire) != BREACH_TOLD)
		return false;
	*breach = breaktrace->breach;
	return true;
}

/* --- a member's --- */

static void disarm(struct member_loop *l)
{
	for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
		l->limit_ns[f] = UINT64_MAX;
}

void breaktrace_arm(struct member_loop *l)
{
	const struct breaktrace *breaktrace = &l->head->breaktrace;
	enum figure figure = figure_at(breaktrace->figure, l->ring->interval_ns);

	disarm(l);
	if (!breaktrace->limit_ns || (breaktrace->at_origin && l->slot != arena_member(l->arena, l->ring, 0)))
		return;
	for (unsigned s = 0; s < N_FIGURE_SOURCES; s++)
		if (figure_sources[s].figure == figure)
			l->limit_ns[figure_sources[s].live] = breaktrace->limit_ns;
	if (figure == FIGURE_LAP)
		l->limit_ns[LIVE_OWN_LAP] = breaktrace->limit_ns;
}

/* Writes the line first: once tracing is off, the kernel refuses it with EBADF. Returns the breach's error.
 */
static int stop_tracing(const struct breaktrace *breaktrace, const char *mechanism, const char *label,
	const struct breach *breach)
{
	char line[256], text[BREACH_TEXT_SIZE];
	int length = snprintf(line, sizeof(line), "ipctop: %s %s member %u (tid %d): %s\n", mechanism, label,
		(unsigned)breach->member, (int)breach->tid,
		breach_text(breach->figure, breach->latency_ns, breach->limit_ns, text));
	bool was_off = write(breaktrace->trace_marker, line, (size_t)length) < 0 && errno == EBADF;

	if (write(breaktrace->tracing_on, "0", 1) != 1)
		return -errno;
	return was_off ? -EALREADY : 0;
}

/* Only the first breach of all members counts. */
static void report_breach(const struct arena *arena, const struct ring_slot *ring, const char *mechanism,
	unsigned member, uint64_t ns, uint64_t at_ns)
{
	struct breaktrace *breaktrace = &arena->head->breaktrace;
	const uint64_t one = 1;
	uint32_t none = BREACH_NONE;

	/* A locked instruction: several members may get here at the same time. */
	if (!atomic_compare_exchange_strong(&breaktrace->state, &none, BREACH_CLAIMED))
		return;
	struct breach breach = {.ring = ring->id,
		.member = member,
		.tid = atomic_load_explicit(&arena_member(arena, ring, member)->tid, memory_order_relaxed),
		.figure = figure_at(breaktrace->figure, ring->interval_ns),
		.latency_ns = ns,
		.limit_ns = breaktrace->limit_ns,
		.at_ns = at_ns};

	breach.error = stop_tracing(breaktrace, mechanism, ring->label, &breach);
	breaktrace->breach = breach;
	/* Release: pairs with the load in breaktrace_happened(). */
	atomic_store_explicit(&breaktrace->state, BREACH_TOLD, memory_order_release);
	ssize_t written = write(breaktrace->told, &one, sizeof(one));

	(void)written; /* a counter of 1 is never full */
}

__attribute__((cold, noinline)) void breaktrace_stop(struct member_loop *l, uint64_t ns, uint64_t at_ns)
{
	disarm(l);
	report_breach(l->arena, l->ring, l->probe->name,
		(unsigned)(l->slot - arena_member(l->arena, l->ring, 0)), ns, at_ns);
}

void breaktrace_check_wait(const struct arena *arena, const struct ring_slot *ring, const char *mechanism,
	uint64_t waited_ns, uint64_t at_ns)
{
	const struct breaktrace *breaktrace = &arena->head->breaktrace;

	if (breaktrace->limit_ns && waited_ns > breaktrace->limit_ns &&
		figure_at(breaktrace->figure, ring->interval_ns) == FIGURE_RESPONSE)
		report_breach(arena, ring, mechanism, 0, waited_ns, at_ns);
}
