/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bus.c - hands each item of the feed to all modules, and runs the thread of those that have clients. */
#include "src/run/bus.h"

#include <errno.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/loop.h"
#include "src/machine/task.h"
#include "src/model/event.h"

int bus_check(const struct module *const *modules, const struct config *config, struct error_text *reason)
{
	int r = 0;

	for (; *modules && r == 0; modules++)
		if ((*modules)->check)
			r = (*modules)->check(config, reason);
	return r;
}

/* --- the thread for clients --- */

static void end_thread(void *ends, short revents)
{
	*(bool *)ends = true;
}

static void *serve_clients(void *data)
{
	struct bus *bus = data;
	struct loop loop;
	bool ends = false;

	pthread_setname_np(pthread_self(), "clients");
	task_set_policy(0, (struct task_policy){.policy = SCHED_OTHER});
	while (!ends) {
		loop_begin(&loop);
		loop_watch(&loop, bus->finish, POLLIN, end_thread, &ends);
		for (size_t i = 0; i < bus->n_open; i++)
			if (bus->states[i] && bus->modules[i]->watch)
				bus->modules[i]->watch(bus->states[i], &loop);
		loop_wait(&loop);
	}
	return NULL;
}

static bool has_clients(const struct bus *bus)
{
	for (size_t i = 0; i < bus->n_open; i++)
		if (bus->states[i] && bus->modules[i]->watch)
			return true;
	return false;
}

static int start_thread(struct bus *bus, struct error_text *reason)
{
	int finish = eventfd(0, EFD_CLOEXEC);

	if (finish < 0)
		return error_text_set(reason, -errno, "eventfd: %s", error_text_of_errno(-errno));
	bus->finish = finish;
	int r = pthread_create(&bus->clients, NULL, serve_clients, bus);

	if (r == 0)
		return 0;
	close(finish);
	bus->finish = 0;
	return error_text_set(
		reason, -r, "the thread for clients can't be started: %s", task_no_thread(-r, 0));
}

static void join_thread(struct bus *bus)
{
	if (!bus->finish)
		return;
	eventfd_write(bus->finish, 1);
	pthread_join(bus->clients, NULL);
	close(bus->finish);
	bus->finish = 0;
}

/* --- open, feed, end --- */

int bus_open(struct bus *bus, const struct module *const *modules, struct source *source,
	struct error_text *reason)
{
	int r = 0;

	bus->modules = modules;
	while (r == 0 && bus->n_open < BUS_MODULES_MAX && modules[bus->n_open]) {
		size_t i = bus->n_open++;

		r = modules[i]->open(source, &bus->states[i], reason);
	}
	return r == 0 && has_clients(bus) ? start_thread(bus, reason) : r;
}

/* Failures meanwhile cause no other warning: so there is an end, also without memory. */
static void feed_warnings(struct bus *bus, uint64_t at_ns, size_t n)
{
	struct error_text reason;

	bus->warns = true;
	for (size_t i = 0; i < n; i++) {
		const struct event event = {.at_ns = at_ns,
			.kind = EVENT_WARNING,
			.ring = -1,
			.member = -1,
			.text = bus->warnings[i].text};

		bus_feed(bus, &(struct feed_item){FEED_EVENT, at_ns, .event = &event}, &reason);
	}
	bus->warns = false;
}

int bus_feed(struct bus *bus, const struct feed_item *item, struct error_text *reason)
{
	bool may_warn = !bus->warns && item->kind != FEED_START;
	size_t n_warnings = 0;
	int first = 0;

	for (size_t i = 0; i < bus->n_open && !(first < 0 && item->kind == FEED_START); i++) {
		struct error_text why = {""};
		int r = bus->states[i] && bus->modules[i]->feed
				? bus->modules[i]->feed(bus->states[i], item, &why)
				: 0;

		if (r < 0 && first == 0) {
			first = r;
			*reason = why;
		}
		if (r < 0 && may_warn && *why.text)
			bus->warnings[n_warnings++] = why;
	}
	if (n_warnings)
		feed_warnings(bus, item->at_ns, n_warnings);
	return first;
}

bool bus_end(struct bus *bus, void (*complain)(const struct error_text *reason))
{
	bool all = true;

	join_thread(bus);
	for (size_t i = 0; i < bus->n_open; i++) {
		struct error_text reason = {""};

		if (!bus->states[i] || !bus->modules[i]->end ||
			bus->modules[i]->end(bus->states[i], &reason) >= 0)
			continue;
		all = false;
		if (*reason.text)
			complain(&reason);
	}
	*bus = (struct bus){0};
	return all;
}
