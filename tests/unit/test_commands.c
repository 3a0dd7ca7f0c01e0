/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_commands.c - what keys ask for reaches the thread that obeys. */
#include <poll.h>
#include <string.h>

#include "src/run/command.h"
#include "tests/unit/tap.h"

static bool is_readable(const struct commands *commands)
{
	struct pollfd wanted = {.fd = commands->wanted, .events = POLLIN};

	return poll(&wanted, 1, 0) == 1;
}

static void put_command(struct commands *commands, enum command_kind kind, int64_t by_ns)
{
	commands_put(commands, &(struct command){kind, .by_ns = by_ns});
}

static void they_come_in_order_and_once(void)
{
	struct commands commands;
	struct command command;

	CHECK(commands_init(&commands) == 0 && !is_readable(&commands));
	commands_put(&commands, &(struct command){COMMAND_MARK, .name = "quiet irqs"});
	put_command(&commands, COMMAND_BASELINE, 0);
	put_command(&commands, COMMAND_STEP, 0);
	CHECK(is_readable(&commands));
	CHECK(commands_next(&commands, &command) && command.kind == COMMAND_MARK);
	CHECK(strcmp(command.name, "quiet irqs") == 0);
	CHECK(commands_next(&commands, &command) && command.kind == COMMAND_BASELINE);
	CHECK(commands_next(&commands, &command) && command.kind == COMMAND_STEP);
	CHECK(!commands_next(&commands, &command) && !is_readable(&commands));
	commands_finish(&commands);
}

static void seeks_in_a_row_become_one(void)
{
	struct commands commands;
	struct command command;

	CHECK(commands_init(&commands) == 0);
	for (int i = 0; i < 1000; i++)
		put_command(&commands, COMMAND_SEEK, i % 4 ? -3 : 10);
	put_command(&commands, COMMAND_FREEZE, 0);
	put_command(&commands, COMMAND_SEEK, 7);
	CHECK(commands_next(&commands, &command) && command.kind == COMMAND_SEEK && command.by_ns == 250);
	CHECK(commands_next(&commands, &command) && command.kind == COMMAND_FREEZE);
	CHECK(commands_next(&commands, &command) && command.kind == COMMAND_SEEK && command.by_ns == 7);
	CHECK(!commands_next(&commands, &command));
	commands_finish(&commands);
}

static void it_is_bounded_and_goes_on_after_it_was_full(void)
{
	struct commands commands;
	struct command command;
	int n;

	CHECK(commands_init(&commands) == 0);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < COMMANDS_MAX + 5; i++)
			put_command(&commands, COMMAND_STEP, i);
		for (n = 0; commands_next(&commands, &command); n++)
			CHECK(command.by_ns == n);
		CHECK(n == COMMANDS_MAX - 1);
	}
	commands_finish(&commands);
}

static void one_that_is_full_has_room_for_the_end(void)
{
	struct commands commands;
	struct command command, last = {COMMAND_NONE};

	CHECK(commands_init(&commands) == 0);
	for (int i = 0; i < COMMANDS_MAX + 5; i++)
		put_command(&commands, COMMAND_STEP, i);
	for (int i = 0; i < 3; i++)
		put_command(&commands, COMMAND_QUIT, 0);
	while (commands_next(&commands, &command))
		last = command;
	CHECK(last.kind == COMMAND_QUIT);
	commands_finish(&commands);
}

static void each_row_is_found_by_its_name_and_each_kind_has_one(void)
{
	size_t n_of_kind[N_COMMANDS] = {0};

	for (const struct command_row *const *row = command_rows; *row; row++) {
		CHECK(command_row_named(command_rows, (*row)->name) == *row, "%s is the name of two rows",
			(*row)->name);
		CHECK((*row)->print || (*row)->in_run || (*row)->in_replay, "%s: nobody obeys it",
			(*row)->name);
		n_of_kind[(*row)->kind]++;
	}
	for (int kind = COMMAND_NAMED + 1; kind < N_COMMANDS; kind++)
		CHECK(n_of_kind[kind] == 1, "kind %d has %zu rows", kind, n_of_kind[kind]);
	CHECK(!command_row_of(command_rows, &(struct command)COMMAND("no such")));
	CHECK(strcmp(command_row_of(command_rows, &(struct command)COMMAND("hold"))->name, "hold") == 0);
	CHECK(strcmp(command_row_of(command_rows, &(struct command){COMMAND_SEEK})->name, "seek") == 0);
}

int main(void)
{
	TEST(they_come_in_order_and_once);
	TEST(seeks_in_a_row_become_one);
	TEST(it_is_bounded_and_goes_on_after_it_was_full);
	TEST(one_that_is_full_has_room_for_the_end);
	TEST(each_row_is_found_by_its_name_and_each_kind_has_one);
	return tap_done();
}
