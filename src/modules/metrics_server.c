/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_server.c - the module of --metrics-listen: an HTTP server that answers GET /metrics, by
 * libmicrohttpd.
 *
 * It answers with status 503 until the rings run. */
#include <errno.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/loop.h"
#include "src/plan/config.h"
#include "src/report/metrics.h"
#include "src/run/source.h"

/* Prometheus waits 10 s for a scrape, by default. Clients that stall lose their connections sooner. */
enum { CONNECTIONS_MAX = 64, IDLE_S = 5 };

struct metrics_server {
	struct source *source;
	atomic_bool ready;
	struct MHD_Daemon *daemon;
};

/* --- answers --- */

static struct MHD_Response *make_text(const char *text)
{
	return MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
}

/* Returns the metrics as text of @size bytes for free(3), or NULL without memory. */
static char *render_metrics(struct source *source, bool openmetrics, size_t *size)
{
	const struct config *config = source->config;
	const struct metrics_text wanted = {openmetrics ? METRICS_OPENMETRICS : METRICS_PROMETHEUS,
		config->figure, config->fail_above_ns};
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		return NULL;
	pthread_mutex_lock(&source->lock);
	int r = metrics_print(out, &source->session, &wanted);

	pthread_mutex_unlock(&source->lock);
	if (fclose(out) == 0 && r == 0)
		return text;
	free(text);
	return NULL;
}

static struct MHD_Response *make_metrics(
	const struct metrics_server *server, struct MHD_Connection *connection)
{
	const char *accepted =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	bool openmetrics = accepted && strstr(accepted, "application/openmetrics-text");
	size_t size;
	char *text = render_metrics(server->source, openmetrics, &size);
	struct MHD_Response *response =
		text ? MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE) : NULL;

	if (text && !response)
		free(text);
	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
			openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				    : "text/plain; version=0.0.4; charset=utf-8");
	return response;
}

static enum MHD_Result send_response(
	struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
	if (!response) /* libmicrohttpd then closes the connection */
		return MHD_NO;
	enum MHD_Result result = MHD_queue_response(connection, status, response);

	MHD_destroy_response(response);
	return result;
}

/* RFC 9110 wants the methods that are allowed with status 405. */
static struct MHD_Response *make_allowed(void)
{
	struct MHD_Response *response = make_text("only GET and HEAD\n");

	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	return response;
}

static enum MHD_Result answer(void *data, struct MHD_Connection *connection, const char *path,
	const char *method, const char *version, const char *upload, size_t *upload_size, void **state)
{
	struct metrics_server *server = data;
	bool goes_on = !*state || *upload_size > 0;

	*state = server;
	*upload_size = 0; /* a request's body is dropped */
	if (goes_on)      /* an answer before the request's end would end the connection */
		return MHD_YES;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return send_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, make_allowed());
	if (strcmp(path, "/metrics") != 0)
		return send_response(
			connection, MHD_HTTP_NOT_FOUND, make_text("the metrics are at /metrics\n"));
	/* Acquire: pairs with the store of take_item(). */
	if (!atomic_load_explicit(&server->ready, memory_order_acquire))
		return send_response(
			connection, MHD_HTTP_SERVICE_UNAVAILABLE, make_text("the rings are being started\n"));
	return send_response(connection, MHD_HTTP_OK, make_metrics(server, connection));
}

/* --- the loop --- */

/* When libmicrohttpd wants to look at its connections; UINT64_MAX: none can become too old. */
static uint64_t next_look_ns(struct MHD_Daemon *daemon)
{
	MHD_UNSIGNED_LONG_LONG left_ms;

	if (MHD_get_timeout(daemon, &left_ms) != MHD_YES)
		return UINT64_MAX;
	return clock_now_ns() + (left_ms > IDLE_S * 1000 ? IDLE_S * 1000 : left_ms) * 1000000;
}

static unsigned count_connections(struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

	return info ? info->num_connections : 0;
}

/* With CONNECTIONS_MAX, or without a free descriptor, libmicrohttpd removes its listening socket from the
 * epoll set, and only the beginning of a later MHD_run() adds it again: so one that closed connections has
 * another. */
static void serve_clients(void *data, short revents)
{
	struct MHD_Daemon *daemon = data;
	unsigned before;

	do {
		before = count_connections(daemon);
		MHD_run(daemon);
	} while (count_connections(daemon) < before);
}

static void watch_clients(void *state, struct loop *loop)
{
	struct metrics_server *server = state;
	struct MHD_Daemon *daemon = server->daemon;

	loop_watch(loop, MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, POLLIN,
		serve_clients, daemon);
	loop_wake(loop, next_look_ns(daemon), serve_clients, daemon);
}

/* --- open, feed, end --- */

/* Returns a socket that listens, or a negative errno. */
static int open_socket(const struct listen_address *address)
{
	int on = 1, fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)); /* old connections don't matter */
	if (bind(fd, &address->any, address->size) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	int error = -errno;

	close(fd);
	return error;
}

static struct MHD_Daemon *start_daemon(struct metrics_server *server, int socket)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer, server, MHD_OPTION_LISTEN_SOCKET,
		socket, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)IDLE_S, MHD_OPTION_END);
}

static int start_listening(struct metrics_server *server, const struct listen_address *address)
{
	int fd = open_socket(address);

	if (fd < 0)
		return fd;
	errno = 0;
	server->daemon = start_daemon(server, fd);
	if (server->daemon)
		return 0;
	int error = errno ? -errno : -ENOMEM;

	close(fd);
	return error;
}

static const char *remedy_for(int error)
{
	return error == -EACCES          ? ": use a port from 1024 on, or run with CAP_NET_BIND_SERVICE"
	       : error == -EADDRNOTAVAIL ? ": use an address of this machine"
					 : "";
}

static int open_server(struct source *source, void **state, struct error_text *reason)
{
	const struct config *config = source->config;

	if (!config->metrics_listen)
		return 0;
	struct metrics_server *server = calloc(1, sizeof(*server));
	int r = server ? 0 : -ENOMEM;

	*state = server;
	if (server) {
		server->source = source;
		r = start_listening(server, &config->metrics_address);
	}
	return r < 0 ? error_text_set(reason, r, "--metrics-listen %s: %s%s", config->metrics_listen,
			       error_text_of_errno(r), remedy_for(r))
		     : 0;
}

static int take_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct metrics_server *server = state;

	if (item->kind == FEED_START)
		atomic_store_explicit(&server->ready, true, memory_order_release);
	return 0;
}

static int end_server(void *state, struct error_text *reason)
{
	struct metrics_server *server = state;

	if (server->daemon)
		MHD_stop_daemon(server->daemon); /* closes all connections */
	free(server);
	return 0;
}

const struct module module_metrics_server = {
	.open = open_server, .watch = watch_clients, .feed = take_item, .end = end_server};
