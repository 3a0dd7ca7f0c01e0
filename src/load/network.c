/* SPDX-License-Identifier: GPL-2.0-or-later */
/* network.c - sends packets over the loopback to itself: softirqs deliver them. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "src/load/load_process.h"

enum { PACKETS = 16, BYTES = 1024 };

/* Connected to itself, it gets no packet of others. */
static int begin(struct load_worker *worker)
{
	static int fd; /* of this process */
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sockaddr *own = (struct sockaddr *)&address;
	socklen_t size = sizeof(address);

	worker->data = &fd;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, own, size) < 0 || getsockname(fd, own, &size) < 0 ||
		connect(fd, own, size) < 0)
		return load_worker_fail(worker, -errno, "no socket of the loopback");
	return 0;
}

/* A packet that gets no buffer is lost. */
static int work(struct load_worker *worker)
{
	int fd = *(int *)worker->data;
	char bytes[BYTES] = "";

	for (size_t i = 0; i < PACKETS; i++)
		if (send(fd, bytes, sizeof(bytes), 0) < 0 && errno != EAGAIN && errno != ENOBUFS)
			return load_worker_fail(worker, -errno, "no packet over the loopback");
	while (recv(fd, bytes, sizeof(bytes), 0) > 0)
		;
	return 0;
}

const struct load_kind load_network = {
	.name = "network", .title = "loopback network: UDP packets of 1 KiB", .begin = begin, .work = work};
