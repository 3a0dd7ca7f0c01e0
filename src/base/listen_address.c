/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listen_address.c - the address and port of a server, as text. */
#include "src/base/listen_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/base/values.h"

enum { PORT_MAX = 65535 };

static int set_ipv4(struct listen_address *address, const char *host, uint16_t port)
{
	address->ipv4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
	address->size = sizeof(address->ipv4);
	return inet_pton(AF_INET, *host ? host : "127.0.0.1", &address->ipv4.sin_addr) == 1 ? 0 : -EINVAL;
}

static int set_ipv6(struct listen_address *address, const char *host, uint16_t port)
{
	address->ipv6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
	address->size = sizeof(address->ipv6);
	return inet_pton(AF_INET6, host, &address->ipv6.sin6_addr) == 1 ? 0 : -EINVAL;
}

int listen_address_parse(struct listen_address *address, const char *text)
{
	const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
	size_t length = colon ? (size_t)(colon - text) : 0;
	char host[INET6_ADDRSTRLEN + 2];
	uint64_t number;

	if (value_number(port, &number) < 0 || number < 1 || number > PORT_MAX || length >= sizeof(host))
		return -EINVAL;
	snprintf(host, sizeof(host), "%.*s", (int)length, text);
	if (host[0] != '[')
		return set_ipv4(address, host, (uint16_t)number);
	if (host[length - 1] != ']')
		return -EINVAL;
	host[length - 1] = '\0';
	return set_ipv6(address, host + 1, (uint16_t)number);
}
