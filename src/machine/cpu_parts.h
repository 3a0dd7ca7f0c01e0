/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_parts.h - the parts of the machine that contain each CPU, as a fact that recordings have, too. Pure.
 */
#pragma once

#include <stddef.h>

struct fact_rows;
struct topology;
struct topology_cpu;

/* Returns a row for each CPU: "0,0,0,0,0" are its package, node, L3, L2 and core, as struct topology_cpu has
 * them; "-" where there is none. NULL without CPUs, or without memory. */
struct fact_rows *cpu_parts_of(const struct topology *topology);
/* Reads such rows, which need not come from ipctop: rows of another form are left out. Stores the CPUs by
 * number, which the caller frees; all that rows do not have is -1. Returns their number, or -ENOMEM. @rows
 * may be NULL. */
ptrdiff_t cpu_parts_read(const struct fact_rows *rows, struct topology_cpu **cpus);
