/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output_direct.c - for C libraries whose standard streams can't be replaced (musl): output waits for a
 * terminal that stalls. */
#include <stdio.h>

#include "src/run/output.h"

void output_begin(void)
{
}

bool output_keeps_up(void)
{
	return true;
}

bool output_end(void)
{
	return fflush(stdout) == 0;
}
