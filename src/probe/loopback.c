/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loopback.c - for probes: checks for the loopback interface, and names the remedy. */
#include "src/probe/loopback.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANY_PORT = 9 }; /* nothing is sent there */

int probe_loopback_check(void)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(ANY_PORT), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	int r = connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;

	close(fd);
	return r;
}

const struct probe_remedy probe_loopback_remedies[] = {
	{{-EADDRNOTAVAIL, -ENETUNREACH, -ENETDOWN},
		"no loopback interface with 127.0.0.1: bring it up (ip link set lo up)"},
	{{-EAFNOSUPPORT}, "this kernel has no IPv4 (CONFIG_INET)"},
	{.text = NULL},
};
