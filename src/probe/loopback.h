/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loopback.h - for probes: the network interface of 127.0.0.1. */
#pragma once

#include "src/probe/hop.h"

/* Returns 0, or an errno where 127.0.0.1 can't be reached; for mechanisms that would try for ever. */
int probe_loopback_check(void);
/* A probe's remedies. */
extern const struct probe_remedy probe_loopback_remedies[];
