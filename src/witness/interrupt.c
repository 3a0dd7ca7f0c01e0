/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt.c - an interrupt or softirq, for which the task of that CPU had to wait. Or the time between two,
 * if the next one began before the kernel could switch to the member: whose timer has fired, or whose CPU was
 * in an idle state, and had no time to leave it. A CPU that polls leaves idle at once. */
#include <stdio.h>
#include <string.h>

#include "src/witness/witness.h"

/* The state that polls has one of these names, or with `idle=poll` no name and the number 0. */
static bool polls(const struct flight_record *idle)
{
	return strcmp(idle->next_name, "POLL") == 0 || strcmp(idle->next_name, "snooze") == 0 ||
	       (!*idle->next_name && !idle->number);
}

static bool leaves_no_time(const struct moment *moment)
{
	if (moment->cpu.idle && !moment->cpu.task.tid)
		return !polls(moment->cpu.idle);
	return moment->cpu.timer_fired && moment_outranks_task(moment) && moment->is_sender &&
	       !moment->is_sent;
}

static bool find_cause(const struct moment *moment, struct cause *cause)
{
	static const enum cause_kind kinds[N_FLIGHT_KINDS] = {
		[FLIGHT_TIMER] = CAUSE_TIMER,
		[FLIGHT_IRQ] = CAUSE_IRQ,
		[FLIGHT_IPI] = CAUSE_IPI,
		[FLIGHT_SOFTIRQ] = CAUSE_SOFTIRQ,
		[FLIGHT_NMI] = CAUSE_NMI,
	};
	const struct flight_record *interrupt = moment->cpu.interrupt;

	if (!interrupt && leaves_no_time(moment))
		interrupt = moment->cpu.next_interrupt;
	if (!interrupt)
		return false;
	cause->kind = kinds[interrupt->kind];
	cause->number = interrupt->number;
	snprintf(cause->name, sizeof(cause->name), "%s", interrupt->next_name);
	return true;
}

const struct witness witness_interrupt = {.find_cause = find_cause};
