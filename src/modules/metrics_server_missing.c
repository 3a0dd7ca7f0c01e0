/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_server_missing.c - in place of metrics_server.c, where libmicrohttpd was missing. */
#include <errno.h>

#include "src/plan/config.h"
#include "src/run/source.h"

static int open_server(struct source *source, void **state, struct error_text *reason)
{
	const char *address = source->config->metrics_listen;

	if (!address)
		return 0;
	return error_text_set(reason, -ENOTSUP,
		"--metrics-listen %s: this ipctop was built without libmicrohttpd; install libmicrohttpd-dev and build it "
		"again, or use --metrics FILE",
		address);
}

const struct module module_metrics_server = {.open = open_server};
