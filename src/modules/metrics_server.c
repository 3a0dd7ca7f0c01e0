/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_server.c - an HTTP server that answers GET /metrics, by libmicrohttpd. */
#include "src/run/metrics_server.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/listen_address.h"
#include "src/machine/task.h"

/* Prometheus waits 10 s for a scrape, by default. Clients that stall lose their connections sooner. */
enum { CONNECTIONS_MAX = 64, IDLE_S = 5 };

struct metrics_server {
	metrics_render *render;
	void *data;
	atomic_bool ready;
	struct MHD_Daemon *daemon;
	int finish; /* eventfd: the thread's end */
	pthread_t thread;
};

/* --- answers --- */

static struct MHD_Response *make_text(const char *text)
{
	return MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
}

static struct MHD_Response *make_metrics(
	const struct metrics_server *server, struct MHD_Connection *connection)
{
	const char *accepted =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	bool openmetrics = accepted && strstr(accepted, "application/openmetrics-text");
	size_t size;
	char *text = server->render(server->data, openmetrics, &size);
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
	/* Acquire: pairs with the store of metrics_server_ready(). */
	if (!atomic_load_explicit(&server->ready, memory_order_acquire))
		return send_response(
			connection, MHD_HTTP_SERVICE_UNAVAILABLE, make_text("the rings are being started\n"));
	return send_response(connection, MHD_HTTP_OK, make_metrics(server, connection));
}

/* --- the thread --- */

/* How long poll(2) may wait, in ms; -1: without end, as no connection can become too old. */
static int patience_ms(struct MHD_Daemon *daemon)
{
	MHD_UNSIGNED_LONG_LONG left_ms;

	if (MHD_get_timeout(daemon, &left_ms) != MHD_YES)
		return -1;
	return left_ms > IDLE_S * 1000 ? IDLE_S * 1000 : (int)left_ms;
}

static unsigned count_connections(struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

	return info ? info->num_connections : 0;
}

/* With CONNECTIONS_MAX, or without a free descriptor, libmicrohttpd removes its listening socket from the
 * epoll set, and only the beginning of a later MHD_run() adds it again: so one that closed connections has
 * another. */
static void serve(struct MHD_Daemon *daemon)
{
	unsigned before;

	do {
		before = count_connections(daemon);
		MHD_run(daemon);
	} while (count_connections(daemon) < before);
}

static void *run_thread(void *data)
{
	struct metrics_server *server = data;
	struct pollfd fds[] = {
		{.fd = server->finish, .events = POLLIN},
		{.fd = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
			.events = POLLIN},
	};

	pthread_setname_np(pthread_self(), "metrics");
	task_set_policy(0, (struct task_policy){.policy = SCHED_OTHER});
	while (!(fds[0].revents & POLLIN)) {
		poll(fds, 2, patience_ms(server->daemon));
		serve(server->daemon);
	}
	return NULL;
}

/* --- start and stop --- */

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

/* Frees what metrics_server_start() has made so far. */
static void free_server(struct metrics_server *server)
{
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	if (server->finish > 0)
		close(server->finish);
	free(server);
}

static int start_server(struct metrics_server *server, const struct listen_address *address)
{
	int fd = open_socket(address);

	if (fd < 0)
		return fd;
	errno = 0;
	server->daemon = start_daemon(server, fd);
	if (!server->daemon) {
		int error = errno ? -errno : -ENOMEM;

		close(fd);
		return error;
	}
	server->finish = eventfd(0, EFD_CLOEXEC);
	return server->finish < 0 ? -errno : 0;
}

static const char *remedy_for(int error)
{
	return error == -EACCES          ? ": use a port from 1024 on, or run with CAP_NET_BIND_SERVICE"
	       : error == -EADDRNOTAVAIL ? ": use an address of this machine"
					 : "";
}

int metrics_server_start(struct metrics_server **server, const struct listen_address *address,
	const char *name, metrics_render *render, void *data, struct error_text *reason)
{
	struct metrics_server *made = calloc(1, sizeof(*made));
	int r = made ? 0 : -ENOMEM;

	if (made) {
		made->render = render;
		made->data = data;
		r = start_server(made, address);
	}
	const char *why = r < 0 ? error_text_of_errno(r) : NULL;

	if (r == 0 && (r = -pthread_create(&made->thread, NULL, run_thread, made)) < 0)
		why = task_no_thread(r, 0);
	if (r < 0) {
		if (made)
			free_server(made);
		return error_text_set(reason, r, "--metrics-listen %s: %s%s", name, why, remedy_for(r));
	}
	*server = made;
	return 0;
}

void metrics_server_ready(struct metrics_server *server)
{
	if (server)
		atomic_store_explicit(&server->ready, true, memory_order_release);
}

void metrics_server_stop(struct metrics_server *server)
{
	if (!server)
		return;
	eventfd_write(server->finish, 1);
	pthread_join(server->thread, NULL);
	free_server(server);
}
