/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requests.c - what a person asks for with keys, on its way to the thread that alone writes the session. */
#include "src/model/commands.h"

#include <errno.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

int requests_init(struct requests *requests)
{
	*requests = (struct requests){.wanted = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	pthread_mutex_init(&requests->lock, NULL);
	return requests->wanted < 0 ? -errno : 0;
}

void requests_finish(struct requests *requests)
{
	if (requests->wanted > 0)
		close(requests->wanted);
	pthread_mutex_destroy(&requests->lock);
}

static struct request *last(struct requests *requests)
{
	return requests->n ? &requests->list[(requests->first + requests->n - 1) % REQUESTS_MAX] : NULL;
}

static void push(struct requests *requests, const struct request *request)
{
	pthread_mutex_lock(&requests->lock);
	struct request *before = last(requests);

	if (before && before->kind == REQUEST_SEEK && request->kind == REQUEST_SEEK)
		before->by_ns += request->by_ns;
	else if (requests->n < REQUESTS_MAX)
		requests->list[(requests->first + requests->n++) % REQUESTS_MAX] = *request;
	pthread_mutex_unlock(&requests->lock);
	eventfd_write(requests->wanted, 1);
}

void requests_phase(struct requests *requests, const char *name)
{
	struct request request = {.kind = REQUEST_PHASE, .has_name = name != NULL};

	if (name)
		phase_copy_name(request.name, name);
	push(requests, &request);
}

void requests_play(struct requests *requests, enum request_kind kind, int64_t by_ns)
{
	push(requests, &(struct request){.kind = kind, .by_ns = by_ns});
}

bool requests_take(struct requests *requests, struct request *request)
{
	eventfd_t count;

	pthread_mutex_lock(&requests->lock);
	bool any = requests->n > 0;

	if (any) {
		*request = requests->list[requests->first];
		requests->first = (requests->first + 1) % REQUESTS_MAX;
		requests->n--;
	} else {
		eventfd_read(
			requests->wanted, &count); /* with the lock: none that is pushed now is overseen */
	}
	pthread_mutex_unlock(&requests->lock);
	return any;
}
