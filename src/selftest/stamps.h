/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamps.h - compares the stamps of hops with the kernel's records of the switches to their members. */
#pragma once

#include "src/selftest/certificate.h"

struct selftest;

/* Takes some seconds. The tier `switches` of the flight recorder, which records all switches, must work.
 * Holds if the origin began to run between due and sent, and member 1 between sent and received, but for one
 * of ten: others may have kept a member from sleeping. Returns 0, -EINTR after a signal, or another negative
 * errno with its reason. */
int stamps_compare(const struct selftest *selftest, struct stamps_result *result, struct error_text *reason);
