/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resident.h - how much memory a test has in use. */
#pragma once

#include <stdio.h>
#include <unistd.h>

/* Of this process. */
static long resident_kib(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*d %ld", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}
