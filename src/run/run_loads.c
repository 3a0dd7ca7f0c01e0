/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_loads.c - loads beside the measurement: a fact of the machine, whose changes are events and begin
 * phases. */
#include "src/run/run_loads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/base/text.h"
#include "src/engine/engine_loads.h"
#include "src/run/run_items.h"
#include "src/run/run_undo.h"

static const char off[] = "off", of_hunt[] = "--hunt opens and ends the loads";

/* The fact changes: the end of the next tick begins the phase. */
static void feed_loads(struct run *run, uint64_t at_ns)
{
	engine_loads_text(&run->engine, run->machine.loads);
	source_feed(&run->source, &(struct feed_item){FEED_MACHINE, at_ns, .machine = &run->machine});
}

void run_loads_check(struct run *run, uint64_t now_ns)
{
	struct error_text why, text;
	char words[LOAD_TEXT_SIZE];
	bool any = false;

	for (struct load_board *board = NULL; (board = engine_next_load(&run->engine, board));)
		if (engine_load_has_ended(board, &why)) {
			error_text_set(&text, 0, "load %s has ended: %s", load_format(&board->load, words),
				why.text);
			run_feed_text(run, now_ns, EVENT_WARNING, text.text);
			engine_close_load(&run->engine, board);
			any = true;
		}
	if (any)
		feed_loads(run, now_ns);
}

/* --- the command --- */

/* "off" ends all, "fork:off" those of a kind. */
static bool ends_loads(const char *words, const struct load_kind **kind)
{
	char name[32];
	size_t length = strcspn(words, ":");

	*kind = NULL;
	if (strcmp(words, off) == 0)
		return true;
	if (words[length] != ':' || strcmp(words + length + 1, off) != 0 || length >= sizeof(name))
		return false;
	memcpy(name, words, length);
	name[length] = '\0';
	*kind = load_kind_named(name);
	return *kind != NULL;
}

static bool is_meant(const struct load_board *board, const struct load_kind *kind)
{
	return !kind || board->load.kind == kind;
}

static unsigned count_open(const struct run *run, const struct load_kind *kind)
{
	unsigned n = 0;

	for (struct load_board *board = NULL; (board = engine_next_load(&run->engine, board));)
		n += is_meant(board, kind);
	return n;
}

static void end_loads(struct run *run, const struct load_kind *kind)
{
	for (struct load_board *board = NULL; (board = engine_next_load(&run->engine, board));)
		if (is_meant(board, kind))
			engine_close_load(&run->engine, board);
}

/* --- undo --- */

static bool are_alike(const struct load *a, const struct load *b)
{
	return a->kind == b->kind && a->percent == b->percent && cpus_equal(&a->cpus, &b->cpus);
}

/* The loads that are open now. */
static struct undo list_open(const struct run *run)
{
	struct undo undo = {.kind = UNDO_LOADS, .loads = calloc(LOADS_MAX, sizeof(*undo.loads))};

	for (struct load_board *board = NULL; undo.loads && (board = engine_next_load(&run->engine, board));)
		undo.loads[undo.n_loads++] = board->load;
	return undo;
}

/* Without memory the action before can't be undone any more, and neither can this one. */
static void keep_undo(struct run *run, struct undo *before)
{
	engine_loads_text(&run->engine, before->loads_are);
	if (before->loads) {
		run_undo_keep(run, before);
		return;
	}
	run_undo_finish(before);
	run_undo_forget(run);
}

static void close_others(struct run *run, const struct undo *undo)
{
	for (struct load_board *board = NULL; (board = engine_next_load(&run->engine, board));) {
		size_t i = 0;

		while (i < undo->n_loads && !are_alike(&board->load, &undo->loads[i]))
			i++;
		if (i == undo->n_loads)
			engine_close_load(&run->engine, board);
	}
}

static bool is_open(const struct run *run, const struct load *load)
{
	struct load_board *board = NULL;

	while ((board = engine_next_load(&run->engine, board)))
		if (are_alike(&board->load, load))
			return true;
	return false;
}

/* --- changes --- */

/* The tick at once has the time that was measured before the change. */
static void feed_change(struct run *run, uint64_t at_ns)
{
	feed_loads(run, at_ns);
	run_feed_tick(run, clock_now_ns(), false);
}

void run_loads_close(struct run *run)
{
	end_loads(run, NULL);
}

void run_loads_change_to(struct run *run, const struct load *load, uint64_t at_ns)
{
	struct error_text why, text;
	char words[LOAD_TEXT_SIZE];

	if (load && engine_open_load(&run->engine, load, &why) < 0) {
		error_text_set(&text, 0, "load %s: %s", load_format(load, words), why.text);
		run_feed_text(run, at_ns, EVENT_WARNING, text.text);
	}
	feed_change(run, at_ns);
}

int run_undo_loads(
	struct run *run, const struct command *command, const struct undo *undo, struct error_text *refusal)
{
	struct error_text why;
	char text[LOADS_TEXT_SIZE];
	int r = 0;

	if (strcmp(engine_loads_text(&run->engine, text), undo->loads_are) != 0)
		return error_text_set(refusal, -ESTALE, "undo: the loads have changed since the last action");
	close_others(run, undo);
	for (size_t i = 0; i < undo->n_loads && r == 0; i++)
		if (!is_open(run, &undo->loads[i]))
			r = engine_open_load(&run->engine, &undo->loads[i], &why);
	feed_change(run, command->at_ns);
	return r < 0 ? error_text_set(refusal, r, "undo: %s", why.text) : 0;
}

static int set_load(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	const char *words = command->words;
	const struct load_kind *kind;
	struct error_text why;
	struct load load;
	bool ends = ends_loads(words, &kind);
	int r = 0;

	if (run->hunt)
		return error_text_set(refusal, -EBUSY, "load %s: %s", words, of_hunt);
	if (ends && !count_open(run, kind))
		return error_text_set(refusal, -ENOENT, "load %s: no such load is open", words);
	if (!ends)
		r = load_parse(&load, words, &why);
	struct undo before = list_open(run);

	if (r == 0 && ends)
		end_loads(run, kind);
	else if (r == 0)
		r = engine_open_load(&run->engine, &load, &why);
	if (r < 0) {
		run_undo_finish(&before);
		return error_text_set(refusal, r, "load %s: %s", words, why.text);
	}
	keep_undo(run, &before);
	feed_change(run, command->at_ns);
	return 0;
}

/* The words that a load may begin with: the kinds, and "off". */
static const char *load_word(const struct options_names *names, unsigned i)
{
	static const char *const end[] = {off, NULL};
	unsigned n = 0;

	while (n < i && load_kinds[n])
		n++;
	return load_kinds[n] ? load_kinds[n]->name : i <= n + 1 ? end[i - n] : NULL;
}

static const struct option_row load_argument = {
	.name = "load", .argument = "LOAD", .read = command_read_words, .value = load_word};

const struct command_row command_load = {"load",
	"disturb by a load such as fork:0-3:50, or end it: off, fork:off", &load_argument,
	.kind = COMMAND_LOAD, .acts = true, .in_run = set_load, .refusal = "a replay disturbs nothing"};

void run_loads_complete(char *line, size_t line_size, char *found, size_t found_size)
{
	char words[512] = "";
	const char *word;

	for (unsigned i = 0; (word = load_word(NULL, i)); i++)
		text_append(words, sizeof(words), " ", word);
	text_complete(line, line_size, words, found, found_size);
}

/* Returns whether the session has such a load, for other threads than main. A list that is cut may have it.
 */
static bool shows_load(struct source *source, const struct load_kind *kind)
{
	char loads[LOADS_TEXT_SIZE + 1] = " ", word[32];

	pthread_mutex_lock(&source->lock);
	strcpy(loads + 1, source->session.machine.loads);
	pthread_mutex_unlock(&source->lock);
	if (!kind || strlen(loads) > LOADS_TEXT_SIZE - LOAD_TEXT_SIZE)
		return strcmp(loads, " none") != 0;
	snprintf(word, sizeof(word), " %s:", kind->name);
	return strstr(loads, word);
}

/* For a line that is still empty. */
static int describe_kinds(struct source *source, struct error_text *text)
{
	char kinds[128] = "", loads[LOADS_TEXT_SIZE];

	for (size_t i = 0; load_kinds[i]; i++)
		text_append(kinds, sizeof(kinds), ", ", load_kinds[i]->name);
	pthread_mutex_lock(&source->lock);
	strcpy(loads, source->session.machine.loads);
	pthread_mutex_unlock(&source->lock);
	return error_text_set(text, 0, "Type a load: %s. Open now: %s. Enter closes.", kinds, loads);
}

int run_loads_describe(struct source *source, const char *words, struct error_text *text)
{
	const struct run *run = (const struct run *)source;
	const char *begins = source->config->auto_phase ? " This begins a phase." : "";
	const struct load_kind *kind;
	struct load load;
	char list[LOAD_TEXT_SIZE];

	if (run->hunt)
		return error_text_set(text, -EBUSY, "%s", of_hunt);
	if (!words[strspn(words, " ")])
		return describe_kinds(source, text);
	bool ends = ends_loads(words, &kind);

	if (ends && !shows_load(source, kind))
		return error_text_set(
			text, -ENOENT, "no %s%sload is open", kind ? kind->name : "", kind ? " " : "");
	if (ends)
		return error_text_set(
			text, 0, "Ends all %s%sloads.%s", kind ? kind->name : "", kind ? " " : "", begins);
	int r = load_parse(&load, words, text);

	if (r == 0)
		r = load_settle(&load, &run->topology->allowed, text);
	if (r < 0)
		return r;
	/* The title of a FIFO task has the time. */
	return error_text_set(text, 0, "%s. On CPU%s %s, %u %% of %s.%s", load.kind->title,
		cpus_count(&load.cpus) > 1 ? "s" : "", cpus_format(&load.cpus, list, sizeof(list)),
		load.percent, load.kind->is_fifo ? "that" : "the time", begins);
}
