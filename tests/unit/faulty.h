/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faulty.h - a mechanism that loses, doubles, reorders or damages tokens on demand. For tests alone. */
#pragma once

#include "src/figures/tick.h"
#include "src/probe/probe.h"

extern const struct probe probe_faulty;
extern const struct probe *const faulty_registry[];

/* Before a run: each @every-th token of the hop @hop gets this fault, @times times. */
void faulty_set(enum token_fault fault, unsigned every, unsigned times, unsigned hop);
/* Each send takes so long. */
void faulty_set_delay(unsigned us);
