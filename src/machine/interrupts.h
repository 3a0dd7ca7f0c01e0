/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupts.h - how many interrupts the machine has had. */
#pragma once

#include <stdint.h>

/* Returns the interrupts of all CPUs since boot, as /proc/stat counts them; 0: not known. */
uint64_t interrupts_count(void);
