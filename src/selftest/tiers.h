/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tiers.h - measures what each tier of the flight recorder costs the members. */
#pragma once

#include "src/selftest/certificate.h"

struct selftest;

/* Fills the certificate's tiers. One pair floods; within its run the tiers and no recorder take turns.
 * Where it might hang the machine (flight_danger()), none is tried. Returns 0, -EINTR after a signal, or
 * another negative errno with its reason. */
int tiers_measure(
	const struct selftest *selftest, struct certificate *certificate, struct error_text *reason);
