/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selftest.h - tries on this machine what ipctop relies on, and what it says about troubles. */
#pragma once

#include "src/selftest/certificate.h"

struct probe;
struct topology;

struct selftest {
	const struct topology *topology;     /* the caller's */
	const struct probe *const *registry; /* the same */
	bool is_quick;                       /* about 20 s; else a minute */
	unsigned recorder;                   /* an index of flight_word(): it explains the troubles */
	FILE *out; /* each part is printed here when it is measured; NULL: nowhere */
};

/* Measures all parts. The caller has no threads. Returns 0, -EINTR after a signal, or another negative errno
 * with its reason; certificate_finish() accepts what is left. */
int selftest_run(const struct selftest *selftest, struct certificate *certificate, struct error_text *reason);
