/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tools.h - the front ends' rows; for compat.c alone. */
#pragma once

struct compat_tool;

extern const struct compat_tool compat_ipc_bench, compat_lat_ctx, compat_pmqtest, compat_ptsematest,
	compat_signaltest, compat_sigwaittest, compat_svsematest;
