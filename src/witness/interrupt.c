/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt.c - an interrupt or softirq, for which the task of that CPU had to wait. */
#include <stdio.h>

#include "src/witness/witness.h"

static bool look(const struct moment *moment, struct cause *cause)
{
	static const enum cause_kind kinds[N_FLIGHT_KINDS] = {
		[FLIGHT_TIMER] = CAUSE_TIMER,
		[FLIGHT_IRQ] = CAUSE_IRQ,
		[FLIGHT_IPI] = CAUSE_IPI,
		[FLIGHT_SOFTIRQ] = CAUSE_SOFTIRQ,
		[FLIGHT_NMI] = CAUSE_NMI,
	};
	const struct flight_record *interrupt = moment->cpu.interrupt;

	if (!interrupt)
		return false;
	cause->kind = kinds[interrupt->kind];
	cause->number = interrupt->number;
	snprintf(cause->name, sizeof(cause->name), "%s", interrupt->next_name);
	return true;
}

const struct witness witness_interrupt = {.look = look};
