/* SPDX-License-Identifier: GPL-2.0-or-later */
/* breaktrace.c - -b: the member that measures the first latency above a limit stops the kernel's tracing. */
#include "src/ring/breaktrace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/machine/tracing.h"
#include "src/ring/member_loop.h"

/* --- the front's --- */

static void read_word(const char *folder, const char *name, char *word, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (small_file_read_line(path, word, size) <= 0)
		snprintf(word, size, "?");
}

static int set_refusal(const char *folder, const char *name, int error, struct error_text *reason)
{
	if (error == -ENOENT)
		return error_text_set(reason, error,
			"-b: no %s in %s or %s: mount it as root (mount -t tracefs tracefs %s)", name,
			tracing_folders[0], tracing_folders[1], tracing_folders[0]);
	return error_text_set(reason, error, "-b: %s/%s: %s%s", folder, name, error_text_of_errno(error),
		error == -EACCES  ? " (run as root, or give this user write access to it)"
		: error == -EPERM ? " (the kernel's lockdown forbids it)"
				  : "");
}

static int open_file(const char *folder, const char *name, int *fd, struct error_text *reason)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	*fd = open(path, O_WRONLY | O_CLOEXEC);
	return *fd < 0 ? set_refusal(folder, name, -errno, reason) : 0;
}

int breaktrace_open(struct arena *arena, struct tracing *found, struct error_text *reason)
{
	struct breaktrace *breaktrace = &arena->breaktrace;

	*found = (struct tracing){0};
	if (!arena->config->breaktrace_ns)
		return 0;
	*breaktrace = (struct breaktrace){
		.tracing_on = -1, .trace_marker = -1, .told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	if (breaktrace->told < 0)
		return error_text_set(reason, -errno, "eventfd: %s", error_text_of_errno(-errno));
	const char *folder = tracing_folder();
	int r = open_file(folder, "tracing_on", &breaktrace->tracing_on, reason);

	if (r == 0)
		r = open_file(folder, "trace_marker", &breaktrace->trace_marker, reason);
	if (r < 0)
		return r;
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

void breaktrace_close(struct arena *arena)
{
	const int fds[] = {
		arena->breaktrace.tracing_on, arena->breaktrace.trace_marker, arena->breaktrace.told};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] > 0)
			close(fds[i]);
	arena->breaktrace = (struct breaktrace){0};
}

bool breaktrace_began(const struct arena *arena)
{
	/* Acquire: if no member has claimed the breach yet, none has written to tracing_on before. */
	return atomic_load_explicit(&arena->breaktrace.state, memory_order_acquire) != BREACH_NONE;
}

bool breaktrace_happened(const struct arena *arena, struct breach *breach)
{
	/* Acquire: pairs with the release in breaktrace_stop(). */
	if (atomic_load_explicit(&arena->breaktrace.state, memory_order_acquire) != BREACH_TOLD)
		return false;
	*breach = arena->breaktrace.breach;
	return true;
}

/* --- a member's --- */

static void disarm(struct member_loop *l)
{
	for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
		l->breach_ns[f] = UINT64_MAX;
}

/* The figure of the config's --show, as this ring has it. */
static enum figure figure_of(const struct arena_ring *ring)
{
	const struct config *config = ring->arena->config;

	return figure_at(config->figure, ring->interval_ns, config->stamps);
}

void breaktrace_arm(struct member_loop *l)
{
	const struct config *config = l->arena->config;
	enum figure figure = figure_of(l->ring);

	disarm(l);
	if (!config->breaktrace_ns || (config->tool.break_at_origin && l->shared != l->ring->members))
		return;
	for (unsigned s = 0; s < N_FIGURE_SOURCES; s++)
		if (figure_sources[s].figure == figure)
			l->breach_ns[figure_sources[s].live] = config->breaktrace_ns;
	if (figure == FIGURE_LAP)
		l->breach_ns[LIVE_OWN_LAP] = config->breaktrace_ns;
}

/* Writes the line first: once tracing is off, the kernel refuses it with EBADF. Returns the breach's error.
 */
static int stop_tracing(const struct arena_ring *ring, const struct breach *breach)
{
	const struct breaktrace *breaktrace = &ring->arena->breaktrace;

	if (breaktrace->trace_marker < 0)
		return -ENOENT;
	char line[256], label[64], text[BREACH_TEXT_SIZE];
	int length = snprintf(line, sizeof(line), "ipctop: %s %s member %u (tid %d): %s\n", ring->probe->name,
		plan_ring_label(&ring->plan, label, sizeof(label)), (unsigned)breach->member,
		(int)breach->tid, breach_text(breach->figure, breach->latency_ns, breach->limit_ns, text));
	bool was_off = write(breaktrace->trace_marker, line, (size_t)length) < 0 && errno == EBADF;

	if (write(breaktrace->tracing_on, "0", 1) != 1)
		return -errno;
	return was_off ? -EALREADY : 0;
}

/* Only the first breach of all members counts. */
static void report_breach(const struct arena_ring *ring, unsigned member, uint64_t ns, uint64_t at_ns)
{
	struct breaktrace *breaktrace = &ring->arena->breaktrace;
	uint32_t none = BREACH_NONE;

	/* A locked instruction: several members may get here at the same time. */
	if (!atomic_compare_exchange_strong(&breaktrace->state, &none, BREACH_CLAIMED))
		return;
	struct breach breach = {.ring = ring->plan.id,
		.member = member,
		.tid = atomic_load_explicit(&ring->members[member].tid, memory_order_relaxed),
		.figure = figure_of(ring),
		.latency_ns = ns,
		.limit_ns = ring->arena->config->breaktrace_ns,
		.at_ns = at_ns};

	breach.error = stop_tracing(ring, &breach);
	breaktrace->breach = breach;
	/* Release: pairs with the load in breaktrace_happened(). */
	atomic_store_explicit(&breaktrace->state, BREACH_TOLD, memory_order_release);
	eventfd_write(breaktrace->told, 1);
}

__attribute__((cold, noinline)) void breaktrace_stop(struct member_loop *l, uint64_t ns, uint64_t at_ns)
{
	disarm(l);
	report_breach(l->ring, arena_member_index(l->shared), ns, at_ns);
}

void breaktrace_check_wait(const struct arena_ring *ring, uint64_t waited_ns, uint64_t at_ns)
{
	uint64_t limit_ns = ring->arena->config->breaktrace_ns;

	if (limit_ns && waited_ns > limit_ns && figure_of(ring) == FIGURE_RESPONSE)
		report_breach(ring, 0, waited_ns, at_ns);
}
