/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module.h - a module of a run or a playback: recording, screen, metrics and the like. It lives on the bus.
 *
 * A module is a file of src/modules that defines `const struct module module_NAME`, and its name in
 * src/modules/meson.build, from which the list is made. Each function but open is optional. */
#pragma once

#include "src/base/error_text.h"
#include "src/model/feed.h"

struct config;
struct loop;
struct source;

struct module {
	/* Checks the options, before anything is started. Returns 0 or a negative errno with its reason. */
	int (*check)(const struct config *config, struct error_text *reason);
	/* Opens the module before the rings start. *state stays NULL if the options want no such module: then
	 * none of the next functions is called. Returns 0 or a negative errno with its reason; end() accepts
	 * a state that is not whole. */
	int (*open)(struct source *source, void **state, struct error_text *reason);
	/* Adds what the module waits for to the loop of the thread for clients, which has SCHED_OTHER: the
	 * calls are made there. It begins before FEED_START, and has ended before end(). */
	void (*watch)(void *state, struct loop *loop);
	/* Takes an item, in the main thread. Each module gets each item, in the order of the list, and before
	 * any module gets the next one. Returns 0, or a negative errno with a reason. FEED_START then ends
	 * the run, and no later module gets it; of other items the reason, unless it is "", becomes the next
	 * item, an EVENT_WARNING. */
	int (*feed)(void *state, const struct feed_item *item, struct error_text *reason);
	/* Writes what remains, after the last item, and frees the state; in the order of the list. Returns 0,
	 * or a negative errno with its reason; the reason is "" if the module has printed it. */
	int (*end)(void *state, struct error_text *reason);
};
