/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_faults.h - tokens that were lost, repeated, reordered or damaged. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/tick.h"

struct session;
struct session_ring;

uint64_t session_faults(const struct session_ring *ring); /* of all kinds */
/* The worst kind that the ring had. To be asked only where it had any. */
enum token_fault session_worst_fault(const struct session_ring *ring);

/* Is what was measured nothing to rely on: have all rings failed, or had one a fault? */
bool session_has_failed(const struct session *session);
