/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupts.c - how many interrupts the machine has had. */
#include "src/machine/interrupts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The line follows one of each CPU, and goes on with a number for each interrupt. */
uint64_t interrupts_count(void)
{
	FILE *file = fopen("/proc/stat", "re");
	char *line = NULL;
	size_t room = 0;
	uint64_t n = 0;

	while (file && !n && getline(&line, &room, file) > 0)
		if (sscanf(line, "intr %" SCNu64, &n) != 1)
			n = 0;
	free(line);
	if (file)
		fclose(file);
	return n;
}
