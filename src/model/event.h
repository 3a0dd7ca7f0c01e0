/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h - an event: a typed record, and its sentence. Pure.
 *
 * A new kind is a line in event_kind and a row in event.c; if the row's words do not suffice, a function in
 * the row writes the rest of the sentence. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "src/figures/tick.h"

struct bytes;
struct scan;

/* Events of one tick are reported in this order. */
enum event_kind {
	EVENT_RING_FAILED,    /* text: why */
	EVENT_RING_BACK,      /* runs again */
	EVENT_FAULTS,         /* faults: in one tick */
	EVENT_POLICY_REFUSED, /* runs as `is`, `was` was requested; text: why, or NULL */
	EVENT_CPU_REFUSED,    /* the same for its affinity */
	EVENT_RING_REMARK,    /* text */
	EVENT_MEMBER_CHANGED, /* somebody changed policy or affinity of `number` members from `was` to `is` */
	EVENT_TROUBLE,        /* condition; text: its cause, or NULL */
	EVENT_TROUBLE_OVER,   /* condition; ns: the longest wait, or 0 */
	EVENT_LATE_LAPS,      /* laps take longer than the interval */
	EVENT_MACHINE, /* the machine's fact `subject` changed from `was` to `is`; number: 1 if that bears on
			  members */
	EVENT_PHASE,   /* a command began phase `number`; text: its name, or NULL */
	EVENT_PHASES_FULL, /* the oldest phase was dropped for the first time; number: of phases kept */
	EVENT_BREACH,      /* of -b: figure, ns, limit_ns; error: see breach.h */
	EVENT_NOTE,        /* text */
	EVENT_WARNING,     /* text */
	EVENT_OWN_LATE, /* ipctop sampled late; ns: by how much; limit_ns: its thread's wait for a CPU, 0: not
			   known */
	EVENT_OWN_LATE_OVER, /* number: of late samples; ns: the latest */
	EVENT_MACHINE_FLAPS, /* as EVENT_MACHINE, again and again: `number` times, the last one ns after the
				first */
	EVENT_TRIAL, /* subject: "try KNOB=VALUE"; `was`, `is`: the names of the phases without and with it;
			number: enum shift_verdict; text: the result */
	N_EVENT_KINDS
};

/* Printed with each event, to sort and filter by. */
enum event_class { CLASS_NOTE, CLASS_WARNING, CLASS_CHANGE, CLASS_RING, CLASS_MARK };

struct event {
	uint64_t at_ns;  /* CLOCK_MONOTONIC */
	uint64_t serial; /* in a session: from 1 on, as the events came; in no recording */
	enum event_kind kind;
	int32_t ring;     /* id; -1: none, or several */
	int32_t member;   /* -1: none, or several */
	int32_t tid;      /* the member's */
	uint32_t n_rings; /* number of rings that the event is about */
	enum ring_condition condition;
	enum figure figure;
	uint64_t ns, limit_ns;
	uint32_t number;
	int32_t error;
	uint64_t faults[N_TOKEN_FAULTS];
	/* event_copy() copies them too. subject: names of rings and members at the time of the event. */
	const char *subject, *was, *is, *text;
};

enum event_class event_class(const struct event *event);
const char *event_class_name(const struct event *event); /* "note", "warning", "change", "ring", "mark" */

/* Write the sentence, without a full stop. The caller frees event_text(), which is NULL without memory. */
void event_print(FILE *out, const struct event *event);
char *event_text(const struct event *event);

/* Copies an event, cleaned for a terminal (text.h). Returns 0 or -ENOMEM; event_finish() accepts both. */
int event_copy(struct event *copy, const struct event *event);
void event_finish(struct event *event);

/* An event as bytes of a recording. Decoding sets scan->bad if the bytes are no event; the caller finishes
 * the event in any case. Its ring may be gone by now. */
void event_encode(struct bytes *bytes, const struct event *event);
void event_decode(struct scan *scan, struct event *event);
