/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase.c - the phases of a session. */
#include "src/model/phase.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/session.h"
#include "src/model/session_rows.h"

static const char *const causes[] = {
	[PHASE_START] = "start",
	[PHASE_KEY] = "key",
	[PHASE_MARK] = "mark",
	[PHASE_CHANGE] = "change",
};

const char *phase_cause_name(enum phase_cause cause)
{
	return causes[cause];
}

static int reserve_members(struct phase_conditions *conditions, size_t n)
{
	if (n == conditions->n_members)
		return 0;
	free(conditions->members);
	conditions->members = calloc(n, sizeof(*conditions->members));
	conditions->n_members = conditions->members ? n : 0;
	return conditions->members ? 0 : -ENOMEM;
}

int phase_conditions_take(struct phase_conditions *conditions, const struct session *session)
{
	size_t at = 0;

	machine_finish(&conditions->machine);
	conditions->machine = machine_copy(&session->machine);
	if (reserve_members(conditions, session_n_members(session)) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		for (unsigned m = 0; m < ring->n_members; m++)
			conditions->members[at++] = (struct member_condition){
				ring->members[m].policy, session_member_place(ring, m)};
	}
	return 0;
}

static bool machines_are_alike(const struct machine *x, const struct machine *y)
{
	char word_x[MACHINE_WORD_SIZE], word_y[MACHINE_WORD_SIZE];

	for (size_t i = 0; i < machine_n_facts; i++) {
		const struct machine_fact *fact = &machine_facts[i];

		if (fact->report && !fact->drifts &&
			strcmp(machine_word(x, fact, word_x), machine_word(y, fact, word_y)) != 0)
			return false;
	}
	return true;
}

static bool members_are_alike(const struct member_condition *x, const struct member_condition *y)
{
	return task_policy_equal(x->policy, y->policy) && x->place == y->place;
}

/* Are all facts that are reported, and all members, alike? False if one of them is not known. Facts that
 * drift by themselves are left out. */
static bool are_alike(const struct phase_conditions *x, const struct phase_conditions *y)
{
	bool equal = x->n_members && x->n_members == y->n_members;

	for (size_t i = 0; i < x->n_members && equal; i++)
		equal = members_are_alike(&x->members[i], &y->members[i]);
	return equal && machines_are_alike(&x->machine, &y->machine);
}

/* Copies to empty ones. Returns 0 or -ENOMEM. */
static int copy_conditions(struct phase_conditions *copy, const struct phase_conditions *conditions)
{
	copy->machine = machine_copy(&conditions->machine);
	if (reserve_members(copy, conditions->n_members) < 0)
		return -ENOMEM;
	if (copy->n_members)
		memcpy(copy->members, conditions->members, copy->n_members * sizeof(*copy->members));
	return 0;
}

void phase_conditions_finish(struct phase_conditions *conditions)
{
	machine_finish(&conditions->machine);
	free(conditions->members);
	*conditions = (struct phase_conditions){0};
}

/* All pairs of 64 blocks in one tick would take 160 ms of 1,024 pairs. */
enum { PAIRS_EACH_TICK = 2 };

static void drop_blocks(struct phase *phase)
{
	for (unsigned i = 0; i < phase->n_blocks; i++)
		block_finish(&phase->blocks[i]);
	free(phase->blocks);
	phase->lacks_blocks |= phase->n_blocks > 0;
	phase->blocks = NULL;
	phase->n_blocks = phase->n_halved = 0;
}

void phase_finish(struct phase *phase)
{
	block_finish(&phase->sum);
	drop_blocks(phase);
	phase_conditions_finish(&phase->conditions);
}

static void lock_blocks(pthread_mutex_t *lock)
{
	if (lock)
		pthread_mutex_lock(lock);
}

static void unlock_blocks(pthread_mutex_t *lock)
{
	if (lock)
		pthread_mutex_unlock(lock);
}

static void publish_pair(struct phase *phase, struct block *pair, struct block *sum, pthread_mutex_t *lock)
{
	lock_blocks(lock);
	block_replace(&pair[0], sum);
	block_finish(&pair[1]);
	phase->n_blocks--;
	phase->n_halved++;
	memmove(&pair[1], &pair[2], (phase->n_blocks - phase->n_halved) * sizeof(*pair));
	unlock_blocks(lock);
}

/* Makes one block of each pair, of @pairs_max pairs in this call. An odd last block has half the ticks, and
 * room for more. */
static int halve_blocks(struct phase *phase, unsigned pairs_max, struct row_sums *sums, pthread_mutex_t *lock)
{
	while (phase->n_halved + 1 < phase->n_blocks) {
		struct block *pair = &phase->blocks[phase->n_halved], sum;
		int r = pairs_max--
				? block_list_sum(&(struct block_list){.rest = pair, .n_rest = 2}, &sum, sums)
				: 1;

		if (r != 0)
			return r < 0 ? r : 0;
		publish_pair(phase, pair, &sum, lock);
	}
	lock_blocks(lock);
	phase->n_halved = 0;
	phase->block_ticks *= 2;
	unlock_blocks(lock);
	return 0;
}

static size_t blocks_bytes(const struct phase *phase)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < phase->n_blocks; i++)
		bytes += block_bytes(&phase->blocks[i]);
	return bytes;
}

static bool blocks_take_too_much(const struct phase *phase)
{
	return phase->n_blocks >= 2 * PHASE_BLOCKS_MIN && blocks_bytes(phase) > PHASE_BLOCKS_BYTES;
}

/* Returns the last block if it has room, or else a new one; NULL without memory. */
static struct block *growing_block(struct phase *phase, size_t *room, pthread_mutex_t *lock)
{
	struct block *last = phase->n_blocks ? &phase->blocks[phase->n_blocks - 1] : NULL;

	*room = last ? phase->block_ticks - last->n_ticks : 0;
	if (*room)
		return last;
	*room = phase->block_ticks;
	if (!phase->blocks) {
		struct block *blocks = calloc(PHASE_BLOCKS_MAX, sizeof(*blocks));

		lock_blocks(lock);
		phase->blocks = blocks;
		unlock_blocks(lock);
	}
	if (!phase->blocks)
		return NULL;
	phase->blocks[phase->n_blocks] =
		(struct block){0}; /* after a merge it may have the bytes of another */
	return &phase->blocks[phase->n_blocks];
}

static void publish_block(struct phase *phase, struct block *at, struct block *grown, pthread_mutex_t *lock)
{
	lock_blocks(lock);
	block_replace(at, grown);
	phase->n_blocks = (unsigned)(at - phase->blocks) + 1;
	unlock_blocks(lock);
}

static bool is_full(const struct phase *phase)
{
	return phase->n_blocks == PHASE_BLOCKS_MAX &&
	       phase->blocks[PHASE_BLOCKS_MAX - 1].n_ticks >= phase->block_ticks;
}

/* Adds as many ticks as fit into the last block, or into a new one. Returns their number, or -ENOMEM. */
static int add_to_block(struct phase *phase, const struct block *ticks, size_t n, const struct block *sum,
	struct row_sums *sums, pthread_mutex_t *lock)
{
	struct block grown;
	size_t room;

	if (is_full(phase))
		return halve_blocks(phase, UINT_MAX, sums, lock);
	struct block *at = growing_block(phase, &room, lock);

	if (!at)
		return -ENOMEM;
	bool all = sum->n_ticks == n && n <= room;
	struct block_list list = {.first = *at,
		.rest = all ? sum : ticks,
		.n_rest = all        ? 1
			  : n < room ? n
				     : room};
	int r = block_list_sum(&list, &grown, sums);

	if (r < 0)
		return r;
	publish_block(phase, at, &grown, lock);
	return (int)(all ? n : list.n_rest);
}

int phases_add_to_blocks(struct phases *phases, const struct block *ticks, size_t n, const struct block *sum,
	struct row_sums *sums, pthread_mutex_t *lock)
{
	struct phase *phase = phases_current(phases);
	int r = phase->n_halved ? halve_blocks(phase, UINT_MAX, sums, lock) : 0;

	for (size_t done = 0; done < n && r >= 0; done += (size_t)(r > 0 ? r : 0))
		r = add_to_block(phase, ticks + done, n - done, sum, sums, lock);
	return r < 0 ? r : 0;
}

int phases_bound_blocks(struct phases *phases, struct row_sums *sums, pthread_mutex_t *lock)
{
	struct phase *phase = phases_current(phases);

	if (!phase->n_halved && !blocks_take_too_much(phase))
		return 0;
	return halve_blocks(phase, PAIRS_EACH_TICK, sums, lock);
}

int phase_copy(struct phase *copy, const struct phase *phase)
{
	int r = copy_conditions(&copy->conditions, &phase->conditions);

	copy->sum = block_share(&phase->sum);
	phase_copy_name(copy->name, phase->name);
	copy->number = phase->number;
	copy->start_ns = phase->start_ns;
	copy->end_ns = phase->end_ns;
	copy->n_halved = phase->n_halved;
	copy->block_ticks = phase->block_ticks;
	copy->load_sum = phase->load_sum;
	copy->n_loads = phase->n_loads;
	copy->n_late = phase->n_late;
	copy->interrupts = phase->interrupts;
	copy->blames = phase->blames;
	copy->lacks_blocks = phase->lacks_blocks;
	copy->blocks = phase->n_blocks ? calloc(PHASE_BLOCKS_MAX, sizeof(*copy->blocks)) : NULL;
	if (phase->n_blocks && !copy->blocks)
		return -ENOMEM;
	for (; copy->n_blocks < phase->n_blocks; copy->n_blocks++)
		copy->blocks[copy->n_blocks] = block_share(&phase->blocks[copy->n_blocks]);
	return r;
}

bool phase_is_called(uint32_t number, const char *name, const char *wanted, enum phase_call call)
{
	char word[16];

	snprintf(word, sizeof(word), "%u", (unsigned)number);
	return *wanted && strcmp(wanted, call == PHASE_BY_NUMBER ? word : name) == 0;
}

bool phase_list_append(char *list, size_t size, uint32_t number, const char *name)
{
	char word[PHASE_NAME_SIZE + 32];

	snprintf(word, sizeof(word), *name ? "%u '%s'" : "%u", (unsigned)number, name);
	text_append(list, size, ", ", word);
	return strlen(list) + sizeof(word) + 32 < size;
}

int phase_list_refuse(const char *list, const char *path, const char *wanted, struct error_text *reason)
{
	if (!*wanted)
		return error_text_set(
			reason, -ENOENT, "%s: no phase is named after the colon; choose from %s", path, list);
	return error_text_set(reason, -ENOENT, "%s: has no phase %s, only %s", path, wanted, list);
}

void phase_copy_name(char copy[PHASE_NAME_SIZE], const char *name)
{
	size_t length = strlen(name);

	if (length >= PHASE_NAME_SIZE)
		for (length = PHASE_NAME_SIZE - 1; length && ((unsigned char)name[length] & 0xc0) == 0x80;)
			length--;
	snprintf(copy, PHASE_NAME_SIZE, "%.*s", (int)length, name);
	text_clean(copy);
}

/* When another phase begins: of the older ones those keep their blocks that have room beside the younger
 * ones.
 */
static void drop_old_blocks(struct phases *phases)
{
	size_t bytes = 0;

	for (size_t i = phases->n; i-- > 0;) {
		struct phase *phase = &phases->list[i];

		bytes += phase->blocks ? blocks_bytes(phase) + PHASE_BLOCKS_MAX * sizeof(*phase->blocks) : 0;
		if (bytes > PHASES_BLOCKS_BYTES && i + PHASES_WITH_BLOCKS <= phases->n &&
			phase->number != phases->baseline)
			drop_blocks(phase);
	}
}

int phases_begin(struct phases *phases, enum phase_cause cause, const char *name, uint64_t start_ns)
{
	bool forgets = phases->n == PHASES_MAX;

	drop_old_blocks(phases);
	if (forgets) {
		phase_finish(&phases->list[0]);
		memmove(phases->list, phases->list + 1, --phases->n * sizeof(*phases->list));
		phases->dropped++;
	}
	if (!phases->list)
		phases->list = calloc(PHASES_MAX, sizeof(*phases->list));
	if (!phases->list)
		return -ENOMEM;
	phases->list[phases->n] = (struct phase){.number = (uint32_t)(phases->dropped + phases->n + 1),
		.cause = cause,
		.start_ns = start_ns,
		.end_ns = start_ns,
		.block_ticks = 1};
	phase_copy_name(phases->list[phases->n++].name, name ? name : "");
	return forgets;
}

void phases_finish(struct phases *phases)
{
	for (size_t i = 0; i < phases->n; i++)
		phase_finish(&phases->list[i]);
	free(phases->list);
	*phases = (struct phases){0};
}

/* Was there another configuration between two phases, @x before @y? */
static bool was_left(const struct phase *x, const struct phase *y)
{
	for (const struct phase *between = x + 1; between < y; between++)
		if (between->conditions.n_members && !are_alike(&between->conditions, &x->conditions))
			return true;
	return false;
}

static bool is_like(const struct phase *x, const struct phase *y)
{
	if (x == y)
		return true;
	if (x->cause == PHASE_MARK || y->cause == PHASE_MARK)
		return x->cause == y->cause && x->name[0] && strcmp(x->name, y->name) == 0;
	return are_alike(&x->conditions, &y->conditions) && was_left(x < y ? x : y, x < y ? y : x);
}

size_t phases_like(const struct phases *phases, const struct phase *phase, uint32_t *numbers, size_t max)
{
	size_t n = 0, first = phases->n;

	while (first > 0 && n < max)
		n += is_like(&phases->list[--first], phase);
	n = 0;
	for (size_t i = first; i < phases->n; i++)
		if (is_like(&phases->list[i], phase))
			numbers[n++] = phases->list[i].number;
	if (n && phase->number < numbers[0])
		numbers[0] = phase->number;
	return n;
}

double phase_interrupts(const struct phase *phase)
{
	uint64_t length_ns = phase->end_ns - phase->start_ns;

	return phase->interrupts && length_ns
		       ? round((double)phase->interrupts * 1e10 / (double)length_ns) / 10
		       : NAN;
}

double phase_load(const struct phase *phase)
{
	return phase->n_loads ? round((double)phase->load_sum / (double)phase->n_loads) / 100 : NAN;
}

const struct phase *phases_find(const struct phases *phases, uint32_t number)
{
	for (size_t i = 0; i < phases->n; i++)
		if (phases->list[i].number == number)
			return &phases->list[i];
	return NULL;
}

struct phase *phases_current(const struct phases *phases)
{
	return phases->n ? &phases->list[phases->n - 1] : NULL;
}
