/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faulty_program.c - the program with the faulty mechanism in place of all others, for system tests.
 *
 * IPCTOP_FAULT="damaged 40 2 0": what befalls each how-manieth token, how often, of which hop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/faulty.h"

const struct probe *const probe_registry[] = {&probe_faulty, NULL};

__attribute__((constructor)) static void read_environment(void)
{
	const char *wanted = getenv("IPCTOP_FAULT");
	unsigned every, times, hop;
	char name[16];

	if (!wanted)
		return;
	if (sscanf(wanted, "%15s %u %u %u", name, &every, &times, &hop) != 4)
		abort();
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		if (!strcmp(name, token_fault_name((enum token_fault)f)))
			faulty_set((enum token_fault)f, every, times, hop);
}
