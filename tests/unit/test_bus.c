/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_bus.c - each module gets each kind of item, in the same order; and a module that fails is no secret.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/loop.h"
#include "src/run/bus.h"
#include "tests/unit/tap.h"

enum { N_LOGS = 3, LOG_SIZE = 64, N_KINDS = FEED_STOP + 1 };

/* What a module got: the kind of each item, and of warnings their text. */
struct log {
	enum feed_kind kinds[LOG_SIZE];
	char texts[LOG_SIZE][16];
	size_t n;
	int fails_at;     /* a kind; -1: never */
	const char *says; /* its reason then */
	bool ended;
};

static struct log logs[N_LOGS];
static size_t n_opened;
static bool second_refuses;

static int open_log(struct source *source, void **state, struct error_text *reason)
{
	if (second_refuses && n_opened == 1)
		return error_text_set(reason, -EPERM, "no");
	*state = &logs[n_opened++];
	return 0;
}

static int open_nothing(struct source *source, void **state, struct error_text *reason)
{
	return 0;
}

static int log_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct log *log = state;
	bool is_warning = item->kind == FEED_EVENT && item->event->kind == EVENT_WARNING;

	log->kinds[log->n] = item->kind;
	snprintf(log->texts[log->n], sizeof(log->texts[0]), "%s", is_warning ? item->event->text : "");
	log->n++;
	return (int)item->kind == log->fails_at ? error_text_set(reason, -EIO, "%s", log->says) : 0;
}

static int end_log(void *state, struct error_text *reason)
{
	struct log *log = state;

	log->ended = true;
	return log->fails_at == N_KINDS ? error_text_set(reason, -EIO, "%s", log->says) : 0;
}

static const struct module module_log = {.open = open_log, .feed = log_item, .end = end_log};
static const struct module module_closed = {.open = open_nothing, .feed = log_item, .end = end_log};
static const struct module *const modules[] = {&module_log, &module_closed, &module_log, &module_log, NULL};

static size_t n_complaints;

static void complain(const struct error_text *reason)
{
	n_complaints++;
}

static void open_logs(struct bus *bus)
{
	struct error_text reason;

	*bus = (struct bus){0};
	memset(logs, 0, sizeof(logs));
	for (size_t i = 0; i < N_LOGS; i++)
		logs[i].fails_at = -1;
	n_opened = n_complaints = 0;
	CHECK(bus_open(bus, modules, NULL, &reason) == 0);
}

/* Feeds one item of each kind. */
static void feed_all_kinds(struct bus *bus)
{
	const struct event note = {.kind = EVENT_NOTE, .ring = -1, .member = -1, .text = "note"};
	static struct tick tick;
	static struct machine machine;
	struct error_text reason;

	for (int kind = 0; kind < N_KINDS; kind++) {
		struct feed_item item = {.kind = (enum feed_kind)kind, .at_ns = (uint64_t)kind};

		if (kind == FEED_EVENT)
			item.event = &note;
		else if (kind == FEED_TICK)
			item.tick = &tick;
		else if (kind == FEED_MACHINE)
			item.machine = &machine;
		bus_feed(bus, &item, &reason);
	}
}

static bool logs_are_equal(void)
{
	for (size_t i = 1; i < N_LOGS; i++)
		if (logs[i].n != logs[0].n ||
			memcmp(logs[i].kinds, logs[0].kinds, sizeof(logs[0].kinds)) != 0 ||
			memcmp(logs[i].texts, logs[0].texts, sizeof(logs[0].texts)) != 0)
			return false;
	return true;
}

static void each_module_gets_each_kind_of_item_in_the_same_order(void)
{
	struct bus bus;

	open_logs(&bus);
	feed_all_kinds(&bus);
	CHECK(logs[0].n == N_KINDS && logs_are_equal());
	CHECK(bus_end(&bus, complain) && n_complaints == 0);
	CHECK(logs[0].ended && logs[1].ended && logs[2].ended);
}

static void the_warning_of_a_module_follows_its_item_for_all_modules(void)
{
	for (size_t who = 0; who < N_LOGS; who++)
		for (int kind = 0; kind < N_KINDS; kind++) {
			struct bus bus;

			open_logs(&bus);
			logs[who].fails_at = kind;
			logs[who].says = "full";
			feed_all_kinds(&bus);
			if (kind == FEED_START)
				CHECK(logs[who].n == N_KINDS &&
						(who == N_LOGS - 1 || logs[who + 1].n < N_KINDS),
					"the run does not begin");
			else
				CHECK(logs_are_equal() && logs[0].n == N_KINDS + 1 &&
						logs[0].kinds[kind + 1] == FEED_EVENT &&
						strcmp(logs[0].texts[kind + 1], "full") == 0,
					"module %zu, kind %d", who, kind);
			bus_end(&bus, complain);
		}
}

static void all_modules_that_fail_are_heard_and_those_without_a_reason_are_not(void)
{
	struct bus bus;

	open_logs(&bus);
	for (size_t i = 0; i < N_LOGS; i++)
		logs[i].fails_at = FEED_TICK;
	logs[0].says = "a";
	logs[1].says = "";
	logs[2].says = "c";
	feed_all_kinds(&bus);
	CHECK(logs[0].n == N_KINDS + 2 && logs_are_equal());
	CHECK(strcmp(logs[0].texts[1], "a") == 0 && strcmp(logs[0].texts[2], "c") == 0);
	bus_end(&bus, complain);
}

static void a_module_that_can_not_end_is_complained_of(void)
{
	struct bus bus;

	open_logs(&bus);
	logs[1].fails_at = N_KINDS;
	logs[1].says = "full";
	CHECK(!bus_end(&bus, complain) && n_complaints == 1 && logs[2].ended);
	CHECK(bus_end(&bus, complain) && n_complaints == 1, "once");
}

static void what_was_opened_before_a_refusal_is_ended(void)
{
	struct bus bus = {0};
	struct error_text reason;

	memset(logs, 0, sizeof(logs));
	n_opened = 0;
	second_refuses = true;
	CHECK(bus_open(&bus, modules, NULL, &reason) == -EPERM && strcmp(reason.text, "no") == 0);
	second_refuses = false;
	CHECK(bus_end(&bus, complain) && logs[0].ended && !logs[1].ended);
}

/* --- the thread for clients --- */

static int asked, answered;

static void answer(void *data, short revents)
{
	eventfd_t count;

	eventfd_read(asked, &count);
	eventfd_write(answered, count);
}

static int open_clients(struct source *source, void **state, struct error_text *reason)
{
	*state = &asked;
	return 0;
}

static void watch_clients(void *state, struct loop *loop)
{
	loop_watch(loop, asked, POLLIN, answer, NULL);
}

static void a_module_with_clients_is_called_in_a_thread_of_its_own(void)
{
	static const struct module module = {.open = open_clients, .watch = watch_clients};
	static const struct module *const list[] = {&module, NULL};
	struct bus bus = {0};
	struct error_text reason;
	eventfd_t count = 0;

	asked = eventfd(0, EFD_NONBLOCK);
	answered = eventfd(0, 0);
	CHECK(bus_open(&bus, list, NULL, &reason) == 0);
	for (eventfd_t i = 1; i < 100; i++) {
		eventfd_write(asked, i);
		CHECK(eventfd_read(answered, &count) == 0 && count == i);
	}
	CHECK(bus_end(&bus, complain));
	close(asked);
	close(answered);
}

int main(void)
{
	TEST(each_module_gets_each_kind_of_item_in_the_same_order);
	TEST(the_warning_of_a_module_follows_its_item_for_all_modules);
	TEST(all_modules_that_fail_are_heard_and_those_without_a_reason_are_not);
	TEST(a_module_that_can_not_end_is_complained_of);
	TEST(what_was_opened_before_a_refusal_is_ended);
	TEST(a_module_with_clients_is_called_in_a_thread_of_its_own);
	return tap_done();
}
