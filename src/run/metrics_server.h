/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_server.h - an HTTP server that answers GET /metrics, in a thread of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/base/error_text.h"

struct listen_address;
struct metrics_server;

/* Returns the metrics, in OpenMetrics if that is wanted, as text of @size bytes for free(3); NULL: no
 * memory. It is called in the server's thread. */
typedef char *metrics_render(void *data, bool openmetrics, size_t *size);

/* Listens, and starts the thread, which answers with status 503 until metrics_server_ready(). It runs at
 * SCHED_OTHER, on the CPUs of the caller, and then answers with what @render makes. @name: the address, for
 * the reason. Returns 0, or a negative errno with its reason. */
int metrics_server_start(struct metrics_server **server, const struct listen_address *address,
	const char *name, metrics_render *render, void *data, struct error_text *reason);
/* From here on @render may be called. */
void metrics_server_ready(struct metrics_server *server);
/* Ends the thread, and closes all connections. NULL: does nothing. */
void metrics_server_stop(struct metrics_server *server);
