/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf_missing.c - in place of bpf.c, where libbpf, clang or bpftool was missing. */
#include <errno.h>

#include "src/flight/tier.h"

static int refuse(void **state, const struct flight_watch *watch, struct error_text *reason)
{
	return error_text_set(reason, -ENOSYS,
		"this build has no BPF: install libbpf-dev, clang and bpftool and build it again");
}

const struct flight_tier flight_bpf = {
	.name = "bpf",
	.open = refuse,
};
