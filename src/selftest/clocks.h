/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clocks.h - measures the clock: cost and resolution of a read, and how far CPUs may differ. */
#pragma once

#include "src/selftest/certificate.h"

struct selftest;

/* Holds if no read is earlier than the one before. */
void clocks_read(struct clock_result *result);
/* Passes a word between the first usable CPU and each other one, about 10 ms for each; holds if no word
 * arrives before it is sent. */
void clocks_compare(const struct selftest *selftest, struct skew_result *result);
