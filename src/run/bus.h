/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bus.h - hands each item of the feed to all modules, and runs the thread of those that have clients. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "src/run/module.h"

enum { BUS_MODULES_MAX = 16 };

struct bus {
	const struct module *const *modules; /* the caller's; ended by NULL */
	void *states[BUS_MODULES_MAX];       /* NULL: not open */
	size_t n_open;                       /* modules whose open() was called */
	pthread_t clients;
	int finish;                                  /* eventfd: ends that thread; 0: there is none */
	struct error_text warnings[BUS_MODULES_MAX]; /* of the item that is being fed */
	bool warns;                                  /* they are being fed themselves */
};

/* Calls the check of each module. Returns 0 or a negative errno with its reason. */
int bus_check(const struct module *const *modules, const struct config *config, struct error_text *reason);
/* Opens all modules of a zeroed bus, and starts the thread for clients if one of them has any. Signals must
 * be blocked. Returns 0, or a negative errno with its reason; bus_end() accepts what is left. */
int bus_open(struct bus *bus, const struct module *const *modules, struct source *source,
	struct error_text *reason);
/* Feeds all modules. Then the warnings of modules that failed follow, as items of their own. Returns 0 or the
 * first error of a module, with its reason. */
int bus_feed(struct bus *bus, const struct feed_item *item, struct error_text *reason);
/* Ends the thread for clients, then all modules, and calls @complain for each that fails. Once more does
 * nothing. Returns whether none failed. */
bool bus_end(struct bus *bus, void (*complain)(const struct error_text *reason));
