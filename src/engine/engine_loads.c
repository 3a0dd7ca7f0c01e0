/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine_loads.c - loads beside the measurement, which the keeper opens and ends. */
#include "src/engine/engine_loads.h"

#include <errno.h>
#include <string.h>

#include "src/base/text.h"
#include "src/plan/config.h"

static bool is_open(const struct load_board *board)
{
	return atomic_load_explicit(&board->wanted, memory_order_relaxed) % 2;
}

/* Nothing is left of the load that had the board. */
static bool is_free(const struct load_board *board)
{
	/* Acquire: pairs with the release in keeper.c. */
	return !is_open(board) && atomic_load_explicit(&board->obeyed, memory_order_acquire) ==
					  atomic_load_explicit(&board->wanted, memory_order_relaxed);
}

static int fill_board(const struct engine *engine, struct load_board *board, const struct load *load,
	struct error_text *reason)
{
	struct load settled = *load;
	int r = load_settle(&settled, &engine->arena->topology->allowed, reason);

	if (r < 0)
		return r;
	board->load = settled;
	board->reason.text[0] = '\0';
	atomic_store_explicit(&board->has_ended, 0, memory_order_relaxed);
	atomic_store_explicit(&board->reason_is_complete, 0, memory_order_relaxed);
	atomic_store_explicit(&board->has_reason, 0, memory_order_relaxed);
	return 0;
}

int engine_prepare_loads(struct engine *engine, struct error_text *reason)
{
	const struct config *config = engine->arena->config;
	char text[LOAD_TEXT_SIZE];
	struct error_text why;

	for (size_t i = 0; i < config->n_loads; i++) {
		int r = fill_board(engine, &engine->arena->loads[i], &config->loads[i], &why);

		if (r < 0)
			return error_text_set(
				reason, r, "--load %s: %s", load_format(&config->loads[i], text), why.text);
	}
	return 0;
}

int engine_open_load(struct engine *engine, const struct load *load, struct error_text *reason)
{
	struct load_board *board = NULL;

	if (engine->lacks_keeper)
		return error_text_set(
			reason, -ECHILD, "the keeper was killed: nothing can be opened any more");
	if (!engine->keeper.pid)
		return error_text_set(reason, -ESHUTDOWN, "the run is about to end");
	for (size_t i = 0; i < LOADS_MAX && !board; i++)
		if (is_free(&engine->arena->loads[i]))
			board = &engine->arena->loads[i];
	if (!board)
		return error_text_set(reason, -EAGAIN, "%d loads are open: end one first", LOADS_MAX);
	int r = fill_board(engine, board, load, reason);

	if (r == 0)
		keeper_tell(&engine->keeper, &board->wanted);
	return r;
}

void engine_close_load(struct engine *engine, struct load_board *board)
{
	keeper_tell(&engine->keeper, &board->wanted);
}

bool engine_loads_are_gone(const struct engine *engine)
{
	for (size_t i = 0; i < LOADS_MAX; i++)
		if (!is_open(&engine->arena->loads[i]) && !is_free(&engine->arena->loads[i]))
			return false;
	return true;
}

struct load_board *engine_next_load(const struct engine *engine, const struct load_board *before)
{
	for (size_t i = before ? (size_t)(before - engine->arena->loads) + 1 : 0; i < LOADS_MAX; i++)
		if (is_open(&engine->arena->loads[i]))
			return &engine->arena->loads[i];
	return NULL;
}

bool engine_load_has_ended(const struct load_board *board, struct error_text *reason)
{
	/* Acquire: pairs with the releases in keeper.c and load_fail(). */
	if (!atomic_load_explicit(&board->has_ended, memory_order_acquire))
		return false;
	bool has_reason = atomic_load_explicit(&board->reason_is_complete, memory_order_acquire);

	error_text_set(reason, 0, "%s", has_reason ? board->reason.text : "its processes were killed");
	return true;
}

char *engine_loads_text(const struct engine *engine, char text[LOADS_TEXT_SIZE])
{
	char words[LOAD_TEXT_SIZE];

	text[0] = '\0';
	for (struct load_board *board = NULL; (board = engine_next_load(engine, board));)
		text_append(text, LOADS_TEXT_SIZE, " ", load_format(&board->load, words));
	if (!*text)
		strcpy(text, "none");
	return text;
}
