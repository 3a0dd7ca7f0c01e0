/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_items.h - the items of a run that commands feed, too. All are called in the main thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/model/event.h"
#include "src/run/run.h"

/* Return 0, or the first error of a module. */
int run_feed_event(struct run *run, const struct event *event);
int run_feed_text(struct run *run, uint64_t at_ns, enum event_kind kind, const char *text);

/* Reads the next part of the machine, and feeds the machine if it has changed. A round of all parts begins at
 * the first look after RUN_MACHINE_NS: looks are up to 50 ms apart, and a change is known within 1 s. */
enum { RUN_MACHINE_NS = 950000000 };
void run_read_machine(struct run *run, uint64_t now_ns);
/* Reads and feeds one fact at once. */
void run_feed_fact(struct run *run, const struct machine_fact *fact, uint64_t now_ns);
/* Feeds a tick up to @now_ns. @ends_phase: a mark follows. A change of the members' scheduling ends a phase,
 * too. */
void run_feed_tick(struct run *run, uint64_t now_ns, bool ends_phase);
/* Begins a phase now. @name: may be NULL. @given_ns: when its mark was given. Returns it, or NULL without
 * memory.
 */
const struct phase *run_feed_phase(struct run *run, const char *name, uint64_t given_ns);
/* Writes the recorder's tier, whose change is an event, into the machine's facts. */
void run_tell_recorder(struct run *run);
