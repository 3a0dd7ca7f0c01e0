/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_listen_address.c - addresses of a server, as text. */
#include <arpa/inet.h>
#include <string.h>

#include "src/base/listen_address.h"
#include "tests/unit/tap.h"

static void addresses_are_read_with_their_ports(void)
{
	static const struct {
		const char *text, *host; /* NULL: refused */
		int family;
		unsigned port;
	} cases[] = {
		{"9000", "127.0.0.1", AF_INET, 9000},
		{":9000", "127.0.0.1", AF_INET, 9000},
		{"1", "127.0.0.1", AF_INET, 1},
		{"65535", "127.0.0.1", AF_INET, 65535},
		{"0.0.0.0:80", "0.0.0.0", AF_INET, 80},
		{"192.168.0.7:9000", "192.168.0.7", AF_INET, 9000},
		{"[::1]:9000", "::1", AF_INET6, 9000},
		{"[::]:9000", "::", AF_INET6, 9000},
		{"[2001:db8::ffff:255.255.255.255]:9000", "2001:db8::ffff:ffff:ffff", AF_INET6, 9000},
		{""},
		{":"},
		{"0"},
		{"65536"},
		{"-1"},
		{"+1"},
		{" 1"},
		{"9000 "},
		{"90x"},
		{"x"},
		{"127.0.0.1"},
		{"127.0.0.1:"},
		{"127.0.0:9000"},
		{"127.0.0.256:9000"},
		{"localhost:9000"},
		{"::1:9000"},
		{"::1"},
		{"[::1]"},
		{"[::1:9000"},
		{"[]:9000"},
		{"[:9000"},
		{"[127.0.0.1]:9000"},
		{"[::1]x:9000"},
		{"[2001:db8:2001:db8:2001:db8:255.255.255.255:2001:db8:2001:db8]:9000"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct listen_address address;
		char host[INET6_ADDRSTRLEN] = "";
		int r = listen_address_parse(&address, cases[i].text);

		CHECK((r == 0) == (cases[i].host != NULL), "'%s'", cases[i].text);
		if (r < 0 || !cases[i].host)
			continue;
		bool is_ipv4 = cases[i].family == AF_INET;

		inet_ntop(cases[i].family,
			is_ipv4 ? (void *)&address.ipv4.sin_addr : (void *)&address.ipv6.sin6_addr, host,
			sizeof(host));
		CHECK(address.any.sa_family == cases[i].family && strcmp(host, cases[i].host) == 0,
			"'%s': %s", cases[i].text, host);
		CHECK(ntohs(is_ipv4 ? address.ipv4.sin_port : address.ipv6.sin6_port) == cases[i].port);
		CHECK(address.size == (is_ipv4 ? sizeof(address.ipv4) : sizeof(address.ipv6)));
	}
}

int main(void)
{
	TEST(addresses_are_read_with_their_ports);
	return tap_done();
}
