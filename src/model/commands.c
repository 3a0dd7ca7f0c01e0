/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.c - a queue of commands, from keys and signals to the main thread. */
#include "src/model/commands.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

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

void commands_put(struct commands *commands, const struct command *command)
{
	pthread_mutex_lock(&commands->lock);
	struct command *before = commands->n ? &commands->list[commands->n - 1] : NULL;
	unsigned room = command->kind == COMMAND_QUIT ? COMMANDS_MAX : COMMANDS_MAX - 1;

	if (before && before->kind == COMMAND_SEEK && command->kind == COMMAND_SEEK)
		before->by_ns += command->by_ns;
	else if (commands->n < room)
		commands->list[commands->n++] = *command;
	pthread_mutex_unlock(&commands->lock);
	eventfd_write(commands->wanted, 1);
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
