/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selftest.c - measures the parts of the certificate, one after the other. */
#include "src/selftest/selftest.h"

#include <errno.h>
#include <time.h>

#include "src/base/clock.h"
#include "src/selftest/clocks.h"
#include "src/selftest/rights.h"
#include "src/selftest/stamps.h"
#include "src/selftest/tiers.h"
#include "src/selftest/troubles.h"

/* What is printed can be read while the next part is measured. */
static void print_part(const struct selftest *selftest, const struct certificate *certificate,
	void (*print)(FILE *out, const struct certificate *certificate))
{
	if (!selftest->out)
		return;
	print(selftest->out, certificate);
	fflush(selftest->out);
}

static int try_troubles(
	const struct selftest *selftest, struct certificate *certificate, struct error_text *reason)
{
	int r = 0;

	for (size_t i = 0; troubles[i] && i < TROUBLES_MAX && r == 0; i++) {
		struct trouble_result *result = &certificate->troubles[certificate->n_troubles++];

		r = trouble_try(selftest, troubles[i], result, reason);
		if (r < 0 || !selftest->out)
			continue;
		certificate_print_trouble(selftest->out, result);
		fflush(selftest->out);
	}
	return r;
}

int selftest_run(const struct selftest *selftest, struct certificate *certificate, struct error_text *reason)
{
	uint64_t start_ns = clock_now_ns();

	*certificate = (struct certificate){.is_quick = selftest->is_quick, .began_s = (uint64_t)time(NULL)};
	machine_read(&certificate->machine, selftest->topology);
	print_part(selftest, certificate, certificate_print_head);
	clocks_read(&certificate->clock);
	print_part(selftest, certificate, certificate_print_clock);
	clocks_compare(selftest, &certificate->skew);
	print_part(selftest, certificate, certificate_print_skew);
	int r = stamps_compare(selftest, &certificate->stamps, reason);

	if (r < 0)
		return r;
	print_part(selftest, certificate, certificate_print_stamps);
	r = try_troubles(selftest, certificate, reason);
	if (r == 0)
		r = tiers_measure(selftest, certificate, reason);
	if (r < 0)
		return r;
	print_part(selftest, certificate, certificate_print_tiers);
	rights_read(certificate);
	print_part(selftest, certificate, certificate_print_rights);
	certificate->took_ns = clock_now_ns() - start_ns;
	print_part(selftest, certificate, certificate_print_end);
	return 0;
}
