/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.c - the module that reports the state of a run to the service manager that started it:
 * sd_notify(3), without its library. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/run/source.h"

/* Sends "READY=1" or the like to the datagram socket that $NOTIFY_SOCKET names: a path, or with @ before it
 * an abstract name. Without the variable it sends nothing; a message that can't be sent is dropped. */
static void notify_service(const char *state)
{
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = name ? strlen(name) : 0;

	if (length < 2 || length > sizeof(address.sun_path) || (name[0] != '/' && name[0] != '@'))
		return;
	memcpy(address.sun_path, name, length);
	if (name[0] == '@')
		address.sun_path[0] = '\0'; /* abstract: no byte follows the name */
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	close(fd);
}

static int open_service(struct source *source, void **state, struct error_text *reason)
{
	*state = source->replay ? NULL : source;
	return 0;
}

static int report_state(void *state, const struct feed_item *item, struct error_text *reason)
{
	if (item->kind == FEED_START)
		notify_service("READY=1");
	if (item->kind == FEED_STOP)
		notify_service("STOPPING=1");
	return 0;
}

const struct module module_service = {.open = open_service, .feed = report_state};
