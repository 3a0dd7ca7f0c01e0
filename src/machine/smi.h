/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smi.h - system management interrupts: the firmware stops all CPUs, and the kernel sees nothing of it. */
#pragma once

#include <stddef.h>

/* Writes how many there were since the first call of this process: "none", "3"; "absent" if the processor
 * does not count them, "not readable" without the right to. Perf counts them on one CPU, which is not
 * isolated: reading may interrupt it. */
void smi_read(char *word, size_t size);

/* The same of any event of perf's PMU for model-specific registers, such as "smi". Returns its descriptor,
 * which the caller closes, or a negative errno. */
int smi_open_counter(const char *event);
/* Returns the count, or a negative errno. */
long long smi_read_counter(int fd);
