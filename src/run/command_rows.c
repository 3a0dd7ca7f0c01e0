/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_rows.c - the table of commands, and the readers of their arguments. */
#include <errno.h>
#include <string.h>

#include "src/base/text.h"
#include "src/flight/flight.h"
#include "src/model/comparison_lines.h"
#include "src/report/control_json.h"
#include "src/run/command.h"
#include "src/run/playback.h"
#include "src/run/run.h"
#include "src/run/run_acts.h"
#include "src/run/run_loads.h"
#include "src/run/run_reopen.h"
#include "src/run/run_rings.h"
#include "src/run/run_save.h"
#include "src/run/run_try.h"

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

/* The function that obeys reads it, for all senders. */
static int read_value(struct option_reading *reading, const char *value)
{
	struct command *command = reading->target;

	if (!*value || strlen(value) >= sizeof(command->name))
		return option_refuse(
			reading, value, "must have 1 to %zu characters", sizeof(command->name) - 1);
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

/* The function that obeys reads it, for all senders. */
static int read_words_of(struct option_reading *reading, const char *value)
{
	struct command *command = reading->target;

	if (!*value || strlen(value) >= sizeof(command->words))
		return option_refuse(
			reading, value, "must have 1 to %zu characters", sizeof(command->words) - 1);
	strcpy(command->words, value);
	return 0;
}

static const char *load_word(const struct options_names *names, unsigned i)
{
	return run_loads_word(i);
}

static const char *try_word(const struct options_names *names, unsigned i)
{
	return i ? NULL : COMMAND_TRY_STOP;
}

static const char *recorder_word(const struct options_names *names, unsigned i)
{
	return flight_word(i);
}

static int read_recorder(struct option_reading *reading, const char *value)
{
	struct command *command = reading->target;

	for (unsigned i = 0; flight_word(i); i++)
		if (strcmp(flight_word(i), value) == 0) {
			command->recorder = i;
			return 0;
		}
	return option_refuse(reading, value, "must be auto, off, bpf, perf or switches");
}

#define FIELD(member) OPTION_FIELD(struct command, member)

/* clang-format off */
static const struct option_row name_argument = {.name = "name", .argument = "NAME", .read = read_phase_name};
static const struct option_row ring_argument = {.name = "ring", .argument = "RING", .read = read_ring};
static const struct option_row priority_argument = {.name = "priority", .argument = "PRIO", .read = read_value};
static const struct option_row policy_argument = {.name = "policy", .argument = "POLICY", .read = read_value};
static const struct option_row cpus_argument = {.name = "cpus", .argument = "CPUS", .read = read_value};
static const struct option_row interval_argument = {.name = "interval", .argument = "TIME", .read = read_value};
static const struct option_row size_argument = {.name = "size", .argument = "BYTES", .read = read_value};
static const struct option_row dma_argument = {.name = "dma-latency", .argument = "USEC", .read = read_value};
static const struct option_row load_argument = {.name = "load", .argument = "LOAD", .read = read_words_of,
	.value = load_word};
static const struct option_row knob_argument = {.name = "knob", .argument = "KNOB=VALUE", .read = read_words_of,
	.value = try_word};
static const struct option_row path_argument = {.name = "path", .argument = "PATH"};
static const struct option_row words_argument = {.name = "options", .argument = "OPTION..."};
static const struct option_row recorder_argument = {.name = "recorder", .argument = "WHICH", .read = read_recorder,
	.value = recorder_word};
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

const struct command_row command_rows[] = {
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
	[COMMAND_ADD] = {"add", "add rings, such as pipe 0:3 -s 4k", &words_argument, .takes_words = true,
		.senders = NO_SIGNAL, .acts = true, .in_run = run_add_rings, .refusal = no_rings},
	[COMMAND_REMOVE] = {"remove", "end rings; their rows stay", .takes_rings = true, .senders = NO_SIGNAL,
		.acts = true, .in_run = run_remove_rings, .refusal = no_rings},
	[COMMAND_PAUSE] = {"pause", "pause rings; their members wait", .takes_rings = true,
		.senders = NO_SIGNAL, .acts = true, .in_run = run_pause_rings, .refusal = no_rings},
	[COMMAND_RESUME] = {"resume", "resume paused rings", .takes_rings = true, .senders = NO_SIGNAL,
		.acts = true, .in_run = run_resume_rings, .refusal = no_rings},
	[COMMAND_PRIORITY] = {"priority", "set the members' priority: 1 to 98, or +N, -N", &priority_argument,
		.takes_rings = true, .senders = NO_SIGNAL, .acts = true, .in_run = run_set_priority,
		.refusal = no_rings},
	[COMMAND_POLICY] = {"policy", "set their policy: OTHER, BATCH, IDLE, FIFO:80, RR:80",
		&policy_argument, .takes_rings = true, .senders = NO_SIGNAL, .acts = true,
		.in_run = run_set_policy, .refusal = no_rings},
	[COMMAND_CPUS] = {"cpus", "move the members: 2:10 one CPU each, 0-3 all of them", &cpus_argument,
		.takes_rings = true, .senders = NO_SIGNAL, .acts = true, .in_run = run_set_cpus,
		.refusal = no_rings},
	[COMMAND_INTERVAL] = {"interval", "open rings anew with this interval, such as 500us",
		&interval_argument, .takes_rings = true, .senders = NO_SIGNAL, .acts = true,
		.in_run = run_set_interval, .refusal = no_rings},
	[COMMAND_SIZE] = {"size", "open rings anew with tokens of this size, such as 4k", &size_argument,
		.takes_rings = true, .senders = NO_SIGNAL, .acts = true, .in_run = run_set_size,
		.refusal = no_rings},
	[COMMAND_DMA_LATENCY] = {"dma-latency", "hold /dev/cpu_dma_latency at this value, or off",
		&dma_argument, .senders = NO_SIGNAL, .acts = true, .in_run = run_set_dma_latency,
		.refusal = "a replay changes nothing on this machine"},
	[COMMAND_LOAD] = {"load", "disturb by a load such as fork:0-3:50, or end it: off, fork:off",
		&load_argument, .senders = NO_SIGNAL, .acts = true, .in_run = run_set_load,
		.refusal = "a replay disturbs nothing"},
	[COMMAND_TRY] = {"try", "turn a knob back and forth, and report what it does; stop ends it",
		&knob_argument, .senders = NO_SIGNAL, .acts = true, .in_run = run_obey_try,
		.refusal = "a replay changes nothing on this machine"},
	[COMMAND_UNDO] = {"undo", "undo the last action: on rings, load, dma-latency", .senders = NO_SIGNAL,
		.acts = true, .in_run = run_undo, .refusal = no_rings},
	[COMMAND_SAVE] = {"save", "write PATH.json, PATH.rec, PATH.txt (screen), PATH.sh (command line)",
		&path_argument, .is_optional = true, .takes_words = true, .senders = NO_SIGNAL, .acts = true,
		.in_run = run_save,
		.refusal = "a replay is saved already: --json, --render and --export write it"},
	[COMMAND_RECORDER] = {"recorder", "switch the flight recorder: auto, off, bpf, perf or switches",
		&recorder_argument, .senders = NO_SIGNAL, .acts = true, .in_run = run_switch_recorder,
		.refusal = "a replay records nothing"},
	[COMMAND_FREEZE] = {"freeze", "pause or resume a replay", .senders = NO_SIGNAL,
		.in_replay = playback_pause, .refusal = only_replays},
	[COMMAND_STEP] = {"step", "pause a replay, and show its next tick", .senders = NO_SIGNAL,
		.in_replay = playback_step, .refusal = only_replays},
	[COMMAND_SEEK] = {"seek", "move a replay on by TIME, or back by -TIME", &seek_argument,
		.senders = NO_SIGNAL, .in_replay = playback_seek, .refusal = only_replays},
	[COMMAND_QUIT] = {"quit", "end, and report the result", .senders = ANYBODY, .acts = true,
		.in_run = source_quit, .in_replay = source_quit},
	/* Without a kind. */
	[N_COMMANDS] = {"status", "print what is measured, and where it is", .senders = COMMAND_BY_SOCKET,
		.print = print_status},
	{"rings", "print the rings with their members and figures", .senders = COMMAND_BY_SOCKET,
		.print = print_rings},
	{"events", "print events and spikes as they happen, until the end", .senders = COMMAND_BY_SOCKET,
		.print = print_nothing, .follows = true},
};

const size_t command_n_rows = sizeof(command_rows) / sizeof(*command_rows);

const struct command_row *command_named(const char *name)
{
	for (size_t i = COMMAND_NONE + 1; i < command_n_rows; i++)
		if (strcmp(command_rows[i].name, name) == 0)
			return &command_rows[i];
	return NULL;
}

/* Joins the words. */
static int read_words(struct command *command, const struct command_row *row, char *const *words,
	struct error_text *refusal)
{
	size_t length = 0;

	for (size_t i = 0; words[i]; i++) {
		length += strlen(words[i]) + 1;
		if (!*words[i] || strpbrk(words[i], " \t\n") || length > sizeof(command->words))
			return error_text_set(refusal, -EINVAL,
				"%s: its words have no spaces, are not empty, and have at most %zu bytes together",
				row->name, sizeof(command->words) - 1);
		text_append(command->words, sizeof(command->words), " ", words[i]);
	}
	return 0;
}

char *command_usage(const struct command_row *row, char text[COMMAND_USAGE_SIZE])
{
	const char *argument = row->argument ? row->argument->argument : "";

	snprintf(text, COMMAND_USAGE_SIZE, row->is_optional ? "%s%s[%s]%s" : "%s%s%s%s", row->name,
		*argument ? " " : "", argument, row->takes_rings ? " RING..." : "");
	return text;
}

int command_read(struct command *command, const struct command_row *row, char *const *words,
	struct error_text *refusal)
{
	struct option_reading reading = {.target = command, .reason = refusal, .row = row->argument};
	size_t n_argument = row->argument != NULL;
	size_t n_max = row->takes_rings ? SIZE_MAX : n_argument;
	size_t n_min = (row->is_optional ? 0 : n_argument) + row->takes_rings;
	char usage[COMMAND_USAGE_SIZE];
	size_t n = 0;

	*command = (struct command){.kind = (enum command_kind)(row - command_rows), .ring = -1};
	if (row->takes_words)
		return read_words(command, row, words, refusal);
	while (words[n])
		n++;
	if (row->takes_rings && (n > n_max || n < n_min))
		return error_text_set(
			refusal, -EINVAL, "%s: the words are: %s", row->name, command_usage(row, usage));
	if (n > n_max || n < n_min)
		return error_text_set(refusal, -EINVAL, "%s: takes %s%s%s", row->name,
			row->is_optional ? "at most " : "", n_max ? "one word, " : "no other word",
			n_max ? row->argument->argument : "");
	snprintf(reading.option, sizeof(reading.option), "%s", row->name);
	int r = n_argument && n ? option_read_value(&reading, words[0]) : 0;

	return r == 0 && row->takes_rings ? read_words(command, row, words + n_argument, refusal) : r;
}
