/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.c - a queue of commands to the main thread. */
#include "src/model/commands.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/clock.h"

int commands_init(struct commands *commands)
{
	*commands = (struct commands){.wanted = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	pthread_mutex_init(&commands->lock, NULL);
	return commands->wanted < 0 ? -errno : 0;
}

void commands_finish(struct commands *commands)
{
	if (commands->wanted > 0)
		close(commands->wanted);
	pthread_mutex_destroy(&commands->lock);
}

/* A sender that waits for the reply has its own seek. */
static bool is_joinable(const struct command *command)
{
	return command->kind == COMMAND_SEEK && !command->replied;
}

int commands_put(struct commands *commands, const struct command *command)
{
	int r = 0;

	pthread_mutex_lock(&commands->lock);
	struct command *before = commands->n ? &commands->list[commands->n - 1] : NULL;
	unsigned room = command->kind == COMMAND_QUIT ? COMMANDS_MAX : COMMANDS_MAX - 1;

	if (before && is_joinable(before) && is_joinable(command)) {
		before->by_ns += command->by_ns;
	} else if (commands->n < room) {
		struct command *put = &commands->list[commands->n++];

		*put = *command;
		if (!put->at_ns)
			put->at_ns = clock_now_ns();
	} else {
		r = -EAGAIN;
	}
	pthread_mutex_unlock(&commands->lock);
	eventfd_write(commands->wanted, 1);
	return r;
}

bool commands_next(struct commands *commands, struct command *command)
{
	eventfd_t count;

	pthread_mutex_lock(&commands->lock);
	bool any = commands->n > 0;

	if (any) {
		*command = commands->list[0];
		memmove(commands->list, &commands->list[1], --commands->n * sizeof(*command));
	} else { /* under the lock, so that no new command is overlooked */
		eventfd_read(commands->wanted, &count);
	}
	pthread_mutex_unlock(&commands->lock);
	return any;
}
