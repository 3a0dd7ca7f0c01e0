/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listen_address.h - the address and port of a server, as text. Pure. */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

struct listen_address {
	union {
		struct sockaddr any; /* sa_family AF_UNSPEC: none */
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
	};
	socklen_t size;
};

/* Reads "127.0.0.1:9000", "[::1]:9000", or for 127.0.0.1 "9000" or ":9000"; ports 1 to 65535. Returns 0 or
 * -EINVAL. */
int listen_address_parse(struct listen_address *address, const char *text);
