/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requests.h - what a person asks for with keys, on its way to the thread that alone writes the session. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/model/phase.h"

enum request_kind {
	REQUEST_PHASE, /* begins one, now */
	/* What follows is for a recording that is played. */
	REQUEST_PAUSE, /* or goes on */
	REQUEST_STEP,  /* pauses, and takes one tick */
	REQUEST_SEEK,  /* by so much */
};

struct request {
	enum request_kind kind;
	bool has_name; /* of the phase: it is a mark then, and the name may be empty */
	char name[PHASE_NAME_SIZE];
	int64_t by_ns;
};

enum { REQUESTS_MAX = 32 };

struct requests {
	pthread_mutex_t lock;
	int wanted; /* eventfd: readable while there may be one */
	struct request list[REQUESTS_MAX];
	unsigned first, n;
};

int requests_init(struct requests *requests); /* 0 or a negative errno */
void requests_finish(struct requests *requests);

/* From any thread; @name may be NULL. One that finds no room is lost, as a key is that nobody reads. Seeks in
 * a row become one. */
void requests_phase(struct requests *requests, const char *name);
void requests_play(struct requests *requests, enum request_kind kind, int64_t by_ns);

/* Returns false where there is none. */
bool requests_take(struct requests *requests, struct request *request);
