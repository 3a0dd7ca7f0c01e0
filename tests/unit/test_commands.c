/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_requests.c - what is asked for arrives once, in order, and a queue that is full loses no more. */
#include <poll.h>
#include <string.h>

#include "src/model/commands.h"
#include "tests/unit/tap.h"

static bool is_readable(const struct requests *requests)
{
	struct pollfd fd = {.fd = requests->wanted, .events = POLLIN};

	return poll(&fd, 1, 0) == 1;
}

static void they_come_in_order_and_once(void)
{
	struct requests requests;
	struct request request;

	CHECK(requests_init(&requests) == 0 && !is_readable(&requests));
	requests_phase(&requests, "quiet irqs");
	requests_phase(&requests, NULL);
	requests_play(&requests, REQUEST_STEP, 0);
	CHECK(is_readable(&requests));
	CHECK(requests_take(&requests, &request) && request.kind == REQUEST_PHASE && request.has_name);
	CHECK(strcmp(request.name, "quiet irqs") == 0);
	CHECK(requests_take(&requests, &request) && request.kind == REQUEST_PHASE && !request.has_name);
	CHECK(is_readable(&requests));
	CHECK(requests_take(&requests, &request) && request.kind == REQUEST_STEP);
	CHECK(!requests_take(&requests, &request) && !is_readable(&requests));
	requests_finish(&requests);
}

static void seeks_in_a_row_become_one(void)
{
	struct requests requests;
	struct request request;

	CHECK(requests_init(&requests) == 0);
	for (int i = 0; i < 1000; i++)
		requests_play(&requests, REQUEST_SEEK, i % 4 ? -3 : 10);
	requests_play(&requests, REQUEST_PAUSE, 0);
	requests_play(&requests, REQUEST_SEEK, 7);
	CHECK(requests_take(&requests, &request) && request.kind == REQUEST_SEEK && request.by_ns == 250);
	CHECK(requests_take(&requests, &request) && request.kind == REQUEST_PAUSE);
	CHECK(requests_take(&requests, &request) && request.kind == REQUEST_SEEK && request.by_ns == 7);
	CHECK(!requests_take(&requests, &request));
	requests_finish(&requests);
}

static void it_is_bounded_and_goes_on_after_it_was_full(void)
{
	struct requests requests;
	struct request request;
	int n = 0;

	CHECK(requests_init(&requests) == 0);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 3 * REQUESTS_MAX; i++)
			requests_play(&requests, REQUEST_STEP, i);
		for (n = 0; requests_take(&requests, &request); n++)
			CHECK(request.by_ns == n);
		CHECK(n == REQUESTS_MAX);
	}
	requests_finish(&requests);
}

static void a_long_name_is_cut_between_letters(void)
{
	struct requests requests;
	struct request request;
	char name[256] = "";

	for (int i = 0; i < 60; i++)
		strcat(name, "\u00e4");
	CHECK(requests_init(&requests) == 0);
	requests_phase(&requests, name);
	CHECK(requests_take(&requests, &request) && strlen(request.name) == 62);
	CHECK(strncmp(request.name, name, 62) == 0);
	requests_finish(&requests);
}

int main(void)
{
	TEST(they_come_in_order_and_once);
	TEST(seeks_in_a_row_become_one);
	TEST(it_is_bounded_and_goes_on_after_it_was_full);
	TEST(a_long_name_is_cut_between_letters);
	return tap_done();
}
