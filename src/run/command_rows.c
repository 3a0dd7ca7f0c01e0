/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_rows.c - the table of commands, and the readers of their arguments. */
#include <errno.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/comparison_lines.h"
#include "src/report/control_json.h"
#include "src/run/command.h"
#include "src/run/playback.h"
#include "src/run/run.h"

/* --- arguments --- */

/* Cuts a name as a key's dialog does. */
static int read_phase_name(struct option_reading *reading, const char *value)
{
	phase_copy_name(((struct command *)reading->target)->name, value);
	return 0;
}

static int read_ring(struct option_reading *reading, const char *value)
{
	struct command *command = reading->target;

	if (strlen(value) >= sizeof(command->name))
		return option_refuse(reading, value, "no ring has such a long name");
	strcpy(command->name, value);
	return 0;
}

static int read_seek(struct option_reading *reading, const char *value)
{
	struct command *command = reading->target;
	bool back = *value == '-';
	uint64_t by_ns;

	if (value_time(value + (back || *value == '+'), value_seconds, &by_ns) < 0 || by_ns > INT64_MAX)
		return option_refuse(reading, value, "must be a time, such as -10s, +1m or 5");
	command->by_ns = back ? -(int64_t)by_ns : (int64_t)by_ns;
	return 0;
}

#define FIELD(member) OPTION_FIELD(struct command, member)

/* clang-format off */
static const struct option_row name_argument = {.name = "name", .argument = "NAME", .read = read_phase_name};
static const struct option_row ring_argument = {.name = "ring", .argument = "RING", .read = read_ring};
static const struct option_row words_argument = {.name = "options", .argument = "OPTION..."};
static const struct option_row seek_argument = {.name = "by", .argument = "TIME", .read = read_seek};
static const struct option_row phase_argument = {.name = "phase", .argument = "NUMBER", .read = option_read_number,
	FIELD(phase), .range = {"the phase", 0, COMPARISON_FILE - 1, NULL, "a number, or 0 for none"}};
/* clang-format on */

/* --- the table --- */

static int print_status(FILE *out, const struct source *source)
{
	return control_json_status(out, &source->session, source->config, source->replay != NULL);
}

static int print_rings(FILE *out, const struct source *source)
{
	return control_json_rings(out, &source->session, source->config->figure);
}

static int print_nothing(FILE *out, const struct source *source)
{
	return 0;
}

enum {
	ANYBODY = COMMAND_BY_KEY | COMMAND_BY_SIGNAL | COMMAND_BY_SOCKET,
	NO_SIGNAL = ANYBODY & ~COMMAND_BY_SIGNAL
};

static const char no_phases[] = "a replay has the phases of its recording alone: begin them while measuring";
static const char no_rings[] = "a replay has the rings of its recording alone";
static const char only_replays[] = "only a replay can do that; the screen scrubs through the past of a run";

const struct command_row command_rows[N_COMMANDS] = {
	[COMMAND_STATUS] = {"status", "print what is measured, and where it is", .senders = COMMAND_BY_SOCKET,
		.print = print_status},
	[COMMAND_RINGS] = {"rings", "print the rings with their members and figures",
		.senders = COMMAND_BY_SOCKET, .print = print_rings},
	[COMMAND_EVENTS] = {"events", "print events as they happen, until the end",
		.senders = COMMAND_BY_SOCKET, .print = print_nothing},
	[COMMAND_PHASE] = {"phase", "begin a phase", .senders = NO_SIGNAL, .acts = true,
		.in_run = run_begin_phase, .refusal = no_phases},
	[COMMAND_MARK] = {"mark", "begin a phase with a name", &name_argument, .senders = NO_SIGNAL,
		.acts = true, .in_run = run_begin_phase, .refusal = no_phases},
	[COMMAND_BASELINE] = {"baseline", "compare with this phase from now on; 0: with none",
		&phase_argument, .senders = NO_SIGNAL, .acts = true, .in_run = source_set_baseline,
		.in_replay = source_set_baseline},
	[COMMAND_HOLD] = {"hold", "hold the turn of a ring; without it, let turns go on", &ring_argument,
		.is_optional = true, .senders = NO_SIGNAL, .acts = true, .in_run = run_hold_turn,
		.refusal = "a replay has no turns to hold"},
	[COMMAND_ADD] = {"add", "add rings, such as -m pipe --pairs 0:3 -s 4k", &words_argument,
		.takes_words = true, .senders = COMMAND_BY_SOCKET, .acts = true, .in_run = run_add_rings,
		.refusal = no_rings},
	[COMMAND_REMOVE] = {"remove", "end a ring; its row stays", &ring_argument,
		.senders = COMMAND_BY_SOCKET, .acts = true, .in_run = run_remove_ring, .refusal = no_rings},
	[COMMAND_PAUSE] = {"pause", "pause a ring; its members wait", &ring_argument,
		.senders = COMMAND_BY_SOCKET, .acts = true, .in_run = run_pause_ring, .refusal = no_rings},
	[COMMAND_RESUME] = {"resume", "let a paused ring go on", &ring_argument, .senders = COMMAND_BY_SOCKET,
		.acts = true, .in_run = run_resume_ring, .refusal = no_rings},
	[COMMAND_FREEZE] = {"freeze", "pause a replay, or let it go on", .senders = NO_SIGNAL,
		.in_replay = playback_pause, .refusal = only_replays},
	[COMMAND_STEP] = {"step", "pause a replay, and show its next tick", .senders = NO_SIGNAL,
		.in_replay = playback_step, .refusal = only_replays},
	[COMMAND_SEEK] = {"seek", "move a replay on by TIME, or back by -TIME", &seek_argument,
		.senders = NO_SIGNAL, .in_replay = playback_seek, .refusal = only_replays},
	[COMMAND_QUIT] = {"quit", "end, and report the result", .senders = ANYBODY, .acts = true,
		.in_run = source_quit, .in_replay = source_quit},
};

const struct command_row *command_named(const char *name)
{
	for (int kind = COMMAND_NONE + 1; kind < N_COMMANDS; kind++)
		if (strcmp(command_rows[kind].name, name) == 0)
			return &command_rows[kind];
	return NULL;
}

/* Joins the words. */
static int read_words(struct command *command, char *const *words, struct error_text *refusal)
{
	size_t length = 0;

	for (size_t i = 0; words[i]; i++) {
		length += strlen(words[i]) + 1;
		if (!*words[i] || strpbrk(words[i], " \t\n") || length > sizeof(command->words))
			return error_text_set(refusal, -EINVAL,
				"add: its words have no spaces, are not empty, and have at most %zu bytes together",
				sizeof(command->words) - 1);
		text_append(command->words, sizeof(command->words), " ", words[i]);
	}
	return 0;
}

int command_read(struct command *command, const struct command_row *row, char *const *words,
	struct error_text *refusal)
{
	struct option_reading reading = {.target = command, .reason = refusal, .row = row->argument};
	size_t n_max = row->argument != NULL, n_min = row->argument && !row->is_optional;
	size_t n = 0;

	*command = (struct command){.kind = (enum command_kind)(row - command_rows), .ring = -1};
	if (row->takes_words)
		return read_words(command, words, refusal);
	while (words[n])
		n++;
	if (n > n_max || n < n_min)
		return error_text_set(refusal, -EINVAL, "%s: takes %s%s%s", row->name,
			row->is_optional ? "at most " : "", n_max ? "one word, " : "no other word",
			n_max ? row->argument->argument : "");
	snprintf(reading.option, sizeof(reading.option), "%s", row->name);
	return n ? option_read_value(&reading, words[0]) : 0;
}
