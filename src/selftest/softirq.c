/* SPDX-License-Identifier: GPL-2.0-or-later */
/* softirq.c - one packet over the loopback for thousands of sockets: a softirq delivers it to all of them. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/selftest/measuring.h"
#include "src/selftest/troubles.h"

/* The child runs below the pair, and above plain tasks. */
enum { PRIORITY = 1, STEP = 1000, WANTED_NS = 4000000, LEAST_NS = 2000000, SETTLE_NS = 15000000 };

/* No router forwards packets to this group (RFC 5771). */
static struct in_addr group_address(void)
{
	return (struct in_addr){htonl(0xe00000fd)};
}

/* The first one sends, too. With SO_REUSEPORT the kernel compares it with one other socket of this port, with
 * SO_REUSEADDR with all of them, which takes seconds for thousands. @port: in network order; 0: any. Returns
 * a descriptor, or a negative errno. */
static int open_socket(in_port_t port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = port};
	const struct ip_mreq membership = {group_address(), {htonl(INADDR_LOOPBACK)}};
	const int yes = 1, small = 1;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)) == 0 &&
		bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
		(port || (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &membership.imr_interface,
				  sizeof(membership.imr_interface)) == 0 &&
				 setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership,
					 sizeof(membership)) == 0)))
		return fd;
	int r = -errno;

	close(fd);
	return r;
}

static in_port_t port_of(int fd)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t size = sizeof(address);

	getsockname(fd, (struct sockaddr *)&address, &size);
	return address.sin_port;
}

static int make_sockets(struct stage *stage)
{
	for (unsigned i = 0; i < STEP && stage->n_fds < FDS_MAX; i++) {
		int fd = open_socket(stage->n_fds ? port_of(stage->fds[0]) : 0);

		if (fd < 0)
			return fd;
		stage->fds[stage->n_fds++] = fd;
	}
	return stage->n_fds < FDS_MAX ? 0 : -EMFILE;
}

static int send_packet(struct stage *stage, struct injection *injection)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = port_of(stage->fds[0]), .sin_addr = group_address()};

	uint64_t waited_ns = stage_waited_ns();

	*injection = (struct injection){.from_ns = clock_now_ns(), .has_length = true};
	ssize_t n = sendto(stage->fds[0], "", 1, 0, (const struct sockaddr *)&to, sizeof(to));

	injection->to_ns = clock_now_ns();
	injection->waited_ns = stage_waited_ns() - waited_ns;
	return n < 0 ? error_text_set(&stage->reason, -errno, "no packet over the loopback: %s",
			       error_text_of_errno(-errno))
		     : 0;
}

static int begin(struct stage *stage)
{
	int r = stage_run_at(stage, PRIORITY);

	if (r < 0)
		return r;
	r = stage_open_until(stage, make_sockets, send_packet, WANTED_NS, SETTLE_NS);
	if (r < 0 || stage->usual_ns >= LEAST_NS)
		return r;
	return error_text_set(&stage->reason, -EMFILE,
		"a packet for %u sockets took %llu us, too short to be a spike: raise the limit of open files "
		"(ulimit -n)",
		stage->n_fds, (unsigned long long)stage->usual_ns / 1000);
}

const struct trouble trouble_softirq = {
	.name = "softirq",
	.title = "a packet over the loopback for thousands of sockets",
	.kinds = 1 << CAUSE_SOFTIRQ,
	.n = 20,
	.n_quick = 10,
	.is_possible = measuring_has_realtime,
	.begin = begin,
	.inflict = send_packet,
	.wants_quiet = true,
	.end = stage_close_fds,
};
