/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cause_words.c - causes and explanations in words. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/witness/witness.h"

#define CAUSE_NAME(kind, name, words) [CAUSE_##kind] = name,
#define CAUSE_WORDS(kind, name, words) [CAUSE_##kind] = words,

const char *const cause_names[N_CAUSES] = {CAUSES(CAUSE_NAME)};
static const char *const cause_words[N_CAUSES] = {CAUSES(CAUSE_WORDS)};

enum { TIME_SIZE = EXPLANATION_TIME_SIZE, SHARE_SIZE = EXPLANATION_SHARE_SIZE };

static const double explained_least = 0.7; /* of the length */

char *explanation_time(char text[TIME_SIZE], uint64_t ns)
{
	double us = (double)ns / 1e3;

	if (us < 9.95)
		snprintf(text, TIME_SIZE, "%.1f us", us);
	else if (us < 999.5)
		snprintf(text, TIME_SIZE, "%.0f us", us);
	else if (us < 999.5e3)
		snprintf(text, TIME_SIZE, us < 9950 ? "%.1f ms" : "%.0f ms", us / 1e3);
	else
		snprintf(text, TIME_SIZE, "%.1f s", us / 1e6);
	return text;
}

char *explanation_share(char text[SHARE_SIZE], uint64_t part_ns, uint64_t whole_ns)
{
	char part[TIME_SIZE], whole[TIME_SIZE];
	char *unit = strchr(explanation_time(part, part_ns), ' ');

	if (strcmp(unit, strchr(explanation_time(whole, whole_ns), ' ')) == 0)
		*unit = '\0';
	snprintf(text, SHARE_SIZE, "%s of %s", part, whole);
	return text;
}

char *witness_format_priority(char text[POLICY_SIZE], int32_t priority)
{
	text[0] = '\0';
	if (priority < 0)
		snprintf(text, POLICY_SIZE, " (DL)");
	else if (priority < PRIORITY_FAIR)
		snprintf(text, POLICY_SIZE, " (RT%d)", PRIORITY_FAIR - 1 - priority);
	else if (priority != PRIORITY_FAIR + 20)
		snprintf(text, POLICY_SIZE, " (nice %d)", priority - PRIORITY_FAIR - 20);
	return text;
}

/* Context switch records have no names. */
static const char *name_of(const struct cause *cause)
{
	return *cause->name ? cause->name : "a task";
}

static const char *const throttlings[N_THROTTLINGS] = {
	[THROTTLED_BY_QUOTA] = "quota",
	[THROTTLED_FOR_FAIR] = "fair server or RT limit",
	[THROTTLED_FOR_NOBODY] = "RT limit",
	[THROTTLED_BY_DEADLINE] = "deadline budget",
};

/* "NAME (RT90)", "NAME and NAME (FF90)". */
static void write_task(const struct cause *cause, const char *priority, char text[CAUSE_TEXT_SIZE])
{
	snprintf(text, CAUSE_TEXT_SIZE, "%s%s%s%s", name_of(cause), cause->partner_tid ? " and " : "",
		cause->partner_name, priority);
}

char *cause_text(const struct cause *cause, char text[CAUSE_TEXT_SIZE])
{
	const char *words = cause_words[cause->kind];
	char priority[POLICY_SIZE];
	const char *and = cause->partner_tid ? " and " : "";

	switch (cause->kind) {
	case CAUSE_TASK:
	case CAUSE_RING:
		write_task(cause, witness_format_priority(priority, cause->priority), text);
		break;
	case CAUSE_TIMER_LATE:
	case CAUSE_WAKE_LATE:
	case CAUSE_NOT_PREEMPTED:
		snprintf(text, CAUSE_TEXT_SIZE, "%s (%s%s%s ran)", words, name_of(cause), and,
			cause->partner_name);
		break;
	case CAUSE_IRQ:
		snprintf(text, CAUSE_TEXT_SIZE, "irq %u%s%s", (unsigned)cause->number,
			*cause->name ? " " : "", cause->name);
		break;
	case CAUSE_LEAVING_IDLE:
		snprintf(text, CAUSE_TEXT_SIZE, *cause->name ? "%s (%s)" : "%s", words, cause->name);
		break;
	case CAUSE_SOFTIRQ:
	case CAUSE_IPI:
		snprintf(text, CAUSE_TEXT_SIZE, "%s%s%s", words, *cause->name ? " " : "", cause->name);
		break;
	case CAUSE_THROTTLED:
		snprintf(text, CAUSE_TEXT_SIZE, "%s (%s)", words, throttlings[cause->number % N_THROTTLINGS]);
		break;
	default:
		snprintf(text, CAUSE_TEXT_SIZE, "%s", words);
	}
	return text;
}

enum { TASK_SIZE = 128, CPU_SIZE = 24 };

#define append(text, ...) text_print(text, EXPLANATION_TEXT_SIZE, __VA_ARGS__)

/* " (FF90)", " (RR90)"; " (RT90)" where the policy is not known. Returns @text. */
static char *format_policy(char text[POLICY_SIZE], const struct cause *cause)
{
	witness_format_priority(text, cause->priority);
	if (strncmp(text, " (RT", 4) == 0 && (cause->policy == SCHED_FIFO || cause->policy == SCHED_RR))
		memcpy(text + 2, cause->policy == SCHED_FIFO ? "FF" : "RR", 2);
	return text;
}

/* "NAME TID (FF90)"; "NAME TID and NAME TID (FF90), in turn,". */
static char *format_task(char text[TASK_SIZE], const struct cause *cause)
{
	char priority[POLICY_SIZE], tid[16] = "", partner[48] = "";

	if (cause->partner_tid && cause->tid)
		snprintf(partner, sizeof(partner), " and %s %d", cause->partner_name, cause->partner_tid);
	else if (cause->partner_tid)
		snprintf(partner, sizeof(partner), " and %s", cause->partner_name);
	if (cause->tid)
		snprintf(tid, sizeof(tid), " %d", cause->tid);
	snprintf(text, TASK_SIZE, "%s%s%s%s%s", name_of(cause), tid, partner, format_policy(priority, cause),
		*partner ? ", in turn," : "");
	return text;
}

static char *format_cpu(char text[CPU_SIZE], const struct cause *cause)
{
	if (cause->cpu == CAUSE_BOTH_CPUS)
		snprintf(text, CPU_SIZE, "both CPUs");
	else
		snprintf(text, CPU_SIZE, "CPU %u", (unsigned)cause->cpu);
	return text;
}

/* Appends "and 41 us between interrupts". */
static void describe_between(const struct blame *blame, const char *before, char text[EXPLANATION_TEXT_SIZE])
{
	char time[TIME_SIZE];

	if (blame->between_ns)
		append(text, "%s and %s between interrupts", before,
			explanation_time(time, blame->between_ns));
}

/* "NAME TID (FF90) held CPU 0 for 205 us". */
static void describe(const struct blame *blame, char text[EXPLANATION_TEXT_SIZE])
{
	const struct cause *cause = &blame->cause;
	char time[TIME_SIZE], task[TASK_SIZE], cpu[CPU_SIZE], words[CAUSE_TEXT_SIZE], to[16] = "";

	explanation_time(time, blame->ns - blame->between_ns);
	format_task(task, cause);
	format_cpu(cpu, cause);
	switch (cause->kind) {
	case CAUSE_TASK:
	case CAUSE_RING:
		snprintf(text, EXPLANATION_TEXT_SIZE, "%s held %s for %s", task, cpu, time);
		break;
	case CAUSE_OWN:
		snprintf(text, EXPLANATION_TEXT_SIZE, "ipctop itself (%s) held %s for %s", name_of(cause),
			cpu, time);
		break;
	case CAUSE_TIMER_LATE:
	case CAUSE_WAKE_LATE:
		snprintf(text, EXPLANATION_TEXT_SIZE, "%s by %s, while %s ran on %s",
			cause_words[cause->kind], time, task, cpu);
		break;
	case CAUSE_NOT_PREEMPTED:
		snprintf(text, EXPLANATION_TEXT_SIZE, "%s ran on %s for %s, and was not preempted", task, cpu,
			time);
		break;
	case CAUSE_LEAVING_IDLE:
		snprintf(text, EXPLANATION_TEXT_SIZE,
			*cause->name ? "%s took %s to leave idle (%s)" : "%s took %s to leave idle", cpu,
			time, cause->name);
		break;
	case CAUSE_NOT_WOKEN:
		snprintf(text, EXPLANATION_TEXT_SIZE, "not woken for %s: %s had no other task", time, cpu);
		break;
	case CAUSE_THROTTLED:
		snprintf(text, EXPLANATION_TEXT_SIZE, "%s for %s: the kernel gave %s to %s",
			cause_text(cause, words), time, cpu, *cause->name ? cause->name : "nobody");
		break;
	case CAUSE_MIGRATED:
		if (cause->number && cause->cpu != CAUSE_BOTH_CPUS)
			snprintf(to, sizeof(to), " to %u", (unsigned)cause->number - 1);
		snprintf(text, EXPLANATION_TEXT_SIZE, "migrated from %s%s, which took %s", cpu, to, time);
		break;
	case CAUSE_STOPPED:
	case CAUSE_BLOCKED:
		snprintf(text, EXPLANATION_TEXT_SIZE, "%s for %s", cause_text(cause, words), time);
		break;
	default:
		snprintf(
			text, EXPLANATION_TEXT_SIZE, "%s took %s of %s", cause_text(cause, words), time, cpu);
		describe_between(blame, ",", text);
	}
}

static bool is_known(const struct cause *cause)
{
	return cause->kind != CAUSE_UNEXPLAINED && cause->kind != CAUSE_UNSEEN;
}

/* Appends the known causes from @first on: "; hog (FF90) 62 us, timer interrupt 9 us", at most @n. */
static void describe_parts(
	const struct explanation *explanation, size_t first, unsigned n, char text[EXPLANATION_TEXT_SIZE])
{
	char time[TIME_SIZE], words[CAUSE_TEXT_SIZE], priority[POLICY_SIZE];
	const char *between = ";";

	for (size_t i = first; i < explanation->n_blames && n; i++) {
		const struct blame *blame = &explanation->blames[i];

		if (!is_known(&blame->cause))
			continue;
		cause_text(&blame->cause, words);
		if (blame->cause.kind == CAUSE_TASK || blame->cause.kind == CAUSE_RING)
			write_task(&blame->cause, format_policy(priority, &blame->cause), words);
		append(text, "%s %s %s", between, words,
			explanation_time(time, blame->ns - blame->between_ns));
		describe_between(blame, "", text);
		between = ",";
		n--;
	}
}

static bool is_explained(const struct explanation *explanation)
{
	return explanation->explained_ns &&
	       (double)explanation->explained_ns >= explained_least * (double)explanation->length_ns;
}

/* There is one. */
static size_t largest_cause(const struct explanation *explanation)
{
	size_t most = 0;

	while (!is_known(&explanation->blames[most].cause))
		most++;
	return most;
}

const struct cause *explanation_cause(const struct explanation *explanation)
{
	return is_explained(explanation) ? &explanation->blames[largest_cause(explanation)].cause : NULL;
}

/* A hypervisor may have had the CPU then: it was idle, or its task should have given way. */
static bool may_be_hypervisor(enum cause_kind kind)
{
	return kind == CAUSE_LEAVING_IDLE || kind == CAUSE_NOT_WOKEN || kind == CAUSE_NOT_PREEMPTED ||
	       kind == CAUSE_TIMER_LATE || kind == CAUSE_WAKE_LATE;
}

/* The cause that took most, and the next one if that is not enough. */
static void describe_most(const struct explanation *explanation, char text[EXPLANATION_TEXT_SIZE])
{
	size_t most = largest_cause(explanation);

	describe(&explanation->blames[most], text);
	if (may_be_hypervisor(explanation->blames[most].cause.kind) && explanation->is_guest &&
		!explanation->steal_ns)
		append(text, ", in a virtual machine");
	if ((double)explanation->blames[most].ns < explained_least * (double)explanation->length_ns)
		describe_parts(explanation, most + 1, 1, text);
}

static uint64_t unseen_ns(const struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->n_blames; i++)
		if (explanation->blames[i].cause.kind == CAUSE_UNSEEN)
			return explanation->blames[i].ns;
	return 0;
}

/* "unexplained 41 of 62 us", or what the recorder did not see if that is more. */
static void describe_rest(const struct explanation *explanation, char text[EXPLANATION_TEXT_SIZE])
{
	uint64_t rest_ns = explanation->length_ns - explanation->explained_ns,
		 unseen = unseen_ns(explanation);
	bool is_unseen = unseen > rest_ns / 2;
	char share[SHARE_SIZE];

	append(text, "%s %s", is_unseen ? "not recorded" : "unexplained",
		explanation_share(share, is_unseen ? unseen : rest_ns, explanation->length_ns));
}

/* "hints: all 4 rings of CPU 0 were late at once, and no other; ..." */
static void describe_hints(const struct explanation *explanation, char text[EXPLANATION_TEXT_SIZE])
{
	if (explanation->n_hints)
		append(text, "%s%s", *text ? "; " : "", explanation->n_hints > 1 ? "hints: " : "hint: ");
	for (size_t i = 0; i < explanation->n_hints; i++)
		append(text, "%s%s", i ? "; " : "", explanation->hints[i].text);
}

char *explanation_text(const struct explanation *explanation, char text[EXPLANATION_TEXT_SIZE])
{
	char time[TIME_SIZE];

	text[0] = '\0';
	if (is_explained(explanation)) {
		describe_most(explanation, text);
	} else if (unseen_ns(explanation) < explanation->length_ns) {
		describe_rest(explanation, text);
		describe_parts(explanation, 0, 2, text);
	} else if (!explanation->n_hints) {
		append(text, "nothing was recorded");
	}
	describe_hints(explanation, text);
	if (explanation->steal_ns)
		append(text, "; the hypervisor took %s in those seconds",
			explanation_time(time, explanation->steal_ns));
	if (explanation->n_smis)
		append(text, "; the firmware took all CPUs %u time%s in those seconds (SMI)",
			(unsigned)explanation->n_smis, explanation->n_smis == 1 ? "" : "s");
	return text;
}
