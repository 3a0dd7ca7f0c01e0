/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h - what happened, as a typed record, and the sentence that it makes. Pure.
 *
 * A new kind is a line in event_kind and a row in event.c; where the row's words do not suffice, a function
 * there writes the rest of the sentence. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "src/figures/tick.h"

struct bytes;
struct scan;

/* Those that are found in one tick are reported in this order. */
enum event_kind {
	EVENT_RING_FAILED,    /* text: why */
	EVENT_RING_BACK,      /* runs again */
	EVENT_FAULTS,         /* faults: in one tick */
	EVENT_POLICY_REFUSED, /* runs as `is`, `was` was asked; text: why, or NULL */
	EVENT_CPU_REFUSED,    /* the same of its affinity */
	EVENT_RING_REMARK,    /* text */
	EVENT_MEMBER_CHANGED, /* somebody changed its policy or affinity from `was` to `is` */
	EVENT_TROUBLE,        /* condition; text: what is behind it, or NULL */
	EVENT_TROUBLE_OVER,   /* condition; ns: the longest wait, or 0 */
	EVENT_LATE_LAPS,      /* laps take longer than the interval */
	EVENT_MACHINE,        /* a fact of the machine, which subject names, went from `was` to `is` */
	EVENT_PHASE,          /* somebody began phase `number`; text: its name, NULL where none was given */
	EVENT_PHASES_FULL, /* the oldest phase was forgotten for the first time; number: how many are kept */
	EVENT_BREACH,      /* of -b: figure, ns, limit_ns; error: see breach.h */
	EVENT_NOTE,        /* text */
	EVENT_WARNING,     /* text */
	N_EVENT_KINDS
};

/* What people and scripts tell events by. */
enum event_class { CLASS_NOTE, CLASS_WARNING, CLASS_CHANGE, CLASS_RING, CLASS_MARK };

struct event {
	uint64_t at_ns; /* CLOCK_MONOTONIC */
	enum event_kind kind;
	int32_t ring;     /* id; -1: none, or several */
	int32_t member;   /* -1: none, or several */
	int32_t tid;      /* the member's */
	uint32_t n_rings; /* that it happened to, with the same values */
	enum ring_condition condition;
	enum figure figure;
	uint64_t ns, limit_ns;
	uint32_t number;
	int32_t error;
	uint64_t faults[N_TOKEN_FAULTS];
	/* Those of a copy are its own. subject: the rings and members by the names that they had then. */
	const char *subject, *was, *is, *text;
};

enum event_class event_class(const struct event *event);
const char *event_class_name(const struct event *event); /* "note", "warning", "change", "ring", "mark" */

/* The sentence, without a full stop. event_text(): the caller's to free, NULL without memory. */
void event_print(FILE *out, const struct event *event);
char *event_text(const struct event *event);

/* A copy that is fit for a terminal (text.h). Returns 0 or -ENOMEM; event_finish() accepts what is left. */
int event_copy(struct event *copy, const struct event *event);
void event_finish(struct event *event);

/* As bytes of a recording. What is decoded is an event of one of @n_rings rings, or makes @scan bad; its
 * texts are the caller's to free in both cases. */
void event_encode(struct bytes *bytes, const struct event *event);
void event_decode(struct scan *scan, size_t n_rings, struct event *event);
