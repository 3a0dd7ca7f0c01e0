/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_server_missing.c - in place of metrics_server.c, where libmicrohttpd was missing. */
#include <errno.h>

#include "src/run/metrics_server.h"

int metrics_server_start(struct metrics_server **server, const struct listen_address *address,
	const char *name, metrics_render *render, void *data, struct error_text *reason)
{
	return error_text_set(reason, -ENOTSUP,
		"--metrics-listen %s: this ipctop was built without libmicrohttpd; install libmicrohttpd-dev and build it "
		"again, or use --metrics FILE",
		name);
}

void metrics_server_ready(struct metrics_server *server)
{
}

void metrics_server_stop(struct metrics_server *server)
{
}
