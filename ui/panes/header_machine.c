/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header_machine.c - the header's first question: can I trust this? */
#include <string.h>

#include "src/machine/cpus.h"
#include "src/model/session.h"
#include "ui/panes/header.h"

enum { NO_DMA_LATENCY = 2000000000, BRIEF_GOVERNOR = 4 };

void header_kernel(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%s", frame->session->machine.kernel);
}

/* "6.1.0-rt7" of "6.1.0-rt7-amd64". */
void header_brief_kernel(const struct frame *frame, char *text, size_t size)
{
	const char *kernel = frame->session->machine.kernel, *dash = strchr(kernel, '-');
	size_t n = dash ? strcspn(dash + 1, "-") + (size_t)(dash + 1 - kernel) : strlen(kernel);

	snprintf(text, size, "%.*s", (int)n, kernel);
}

void header_preemption(const struct frame *frame, char *text, size_t size)
{
	const char *model = frame->session->machine.preemption;

	snprintf(text, size, "%s%s", strncmp(model, "PREEMPT", 7) == 0 ? "" : "preempt ", model);
}

void header_governor(const struct frame *frame, char *text, size_t size)
{
	if (*frame->session->machine.governor)
		snprintf(text, size, "gov %s", frame->session->machine.governor);
}

void header_brief_governor(const struct frame *frame, char *text, size_t size)
{
	if (*frame->session->machine.governor)
		snprintf(text, size, "gov %.*s", BRIEF_GOVERNOR, frame->session->machine.governor);
}

static bool nohz_is_isolated(const struct machine *machine)
{
	return *machine->isolated && strcmp(machine->isolated, machine->nohz_full) == 0;
}

void header_isolated(const struct frame *frame, char *text, size_t size)
{
	const struct machine *machine = &frame->session->machine;

	snprintf(text, size, "isol%s %s", nohz_is_isolated(machine) ? "=nohz_full" : "",
		*machine->isolated ? machine->isolated : "none");
}

void header_brief_isolated(const struct frame *frame, char *text, size_t size)
{
	struct cpus isolated = {0};

	cpus_parse(&isolated, frame->session->machine.isolated);
	if (cpus_count(&isolated) > 1)
		snprintf(text, size, "isol %zu cpus", cpus_count(&isolated));
	else
		header_isolated(frame, text, size);
}

void header_nohz(const struct frame *frame, char *text, size_t size)
{
	const struct machine *machine = &frame->session->machine;

	if (*machine->nohz_full && !nohz_is_isolated(machine))
		snprintf(text, size, "nohz_full %s", machine->nohz_full);
}

void header_smt(const struct frame *frame, char *text, size_t size)
{
	if (frame->session->machine.smt >= 0)
		snprintf(text, size, "smt %s", frame->session->machine.smt ? "on" : "off");
}

void header_clock(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "clock %uns", frame->session->machine.clock_cost_ns);
}

void header_clock_source(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%s", frame->session->machine.clock_source);
}

void header_brief_dma(const struct frame *frame, char *text, size_t size)
{
	const struct machine *machine = &frame->session->machine;

	if (machine->dma_latency_held_us >= 0)
		snprintf(text, size, "dma %dus", (int)machine->dma_latency_held_us);
	else if (machine->dma_latency_state != MACHINE_VALUE)
		snprintf(text, size, "dma %s",
			machine->dma_latency_state == MACHINE_DENIED ? "denied" : "absent");
	else if (machine->dma_latency_us >= NO_DMA_LATENCY)
		snprintf(text, size, "dma none");
	else
		snprintf(text, size, "dma %dus", (int)machine->dma_latency_us);
}

void header_dma(const struct frame *frame, char *text, size_t size)
{
	header_brief_dma(frame, text, size);
	if (frame->session->machine.dma_latency_held_us >= 0)
		snprintf(text + strlen(text), size - strlen(text), " held");
}

/* How the members that run are scheduled, against what was asked. */
struct policies {
	size_t n, n_differ;
	bool alike;              /* in policy, priority and nice value, */
	struct task_policy each; /* which is this */
};

static struct policies look_at_members(const struct session *session)
{
	struct policies seen = {.alike = true};

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		for (unsigned m = 0; ring->members && m < ring->n_members; m++) {
			struct task_policy is = ring->members[m].policy;

			if (!ring->members[m].tid)
				continue;
			if (seen.n++ == 0)
				seen.each = is;
			seen.alike = seen.alike && task_policy_equal(is, seen.each);
			seen.n_differ += session_member_differs(ring, m);
		}
	}
	return seen;
}

void header_policy(const struct frame *frame, char *text, size_t size)
{
	const struct session *session = frame->session;
	struct policies seen = look_at_members(session);
	char asked[TASK_POLICY_SIZE], is[TASK_POLICY_SIZE];

	if (!session->n_rings)
		return;
	task_policy_describe(session->rings[0].asked, asked);
	task_policy_describe(seen.each, is);
	if (!seen.n)
		snprintf(text, size, "asked %s", asked);
	else if (!seen.n_differ)
		snprintf(text, size, "%s as asked", asked);
	else if (seen.alike && strcmp(asked, is) != 0)
		snprintf(text, size, "asked %s, all are %s", asked, is);
	else
		snprintf(text, size, "asked %s, %zu of %zu differ", asked, seen.n_differ, seen.n);
}

void header_brief_policy(const struct frame *frame, char *text, size_t size)
{
	const struct session *session = frame->session;
	struct policies seen = look_at_members(session);
	char asked[8], is[8];

	if (!session->n_rings)
		return;
	task_policy_format(session->rings[0].asked, asked);
	if (!seen.n_differ)
		snprintf(text, size, "%s%s", seen.n ? "" : "asked ", asked);
	else if (seen.alike && strcmp(asked, task_policy_format(seen.each, is)) != 0)
		snprintf(text, size, "%s! are %s", asked, is);
	else
		snprintf(text, size, "%s! %zu/%zu", asked, seen.n_differ, seen.n);
}

static void write_pace(const struct frame *frame, const char *every, char *text, size_t size)
{
	const struct session *session = frame->session;

	if (session->n_rings)
		units_pace(text, size, every, session->rings[0].interval_ns);
}

void header_pace(const struct frame *frame, char *text, size_t size)
{
	write_pace(frame, "every ", text, size);
}

void header_brief_pace(const struct frame *frame, char *text, size_t size)
{
	write_pace(frame, "", text, size);
}
