/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tiers.c - measures what each tier of the flight recorder costs the members.
 *
 *   off | bpf | off | perf | off | switches | off | bpf | ...
 *
 * A block is some ticks, without the first one, in which the recorder was switched. Each block of a tier is
 * compared with those before and after it: what changes the machine's speed changes these, too. */
#include "src/selftest/tiers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/flight/flight.h"
#include "src/selftest/measuring.h"
#include "src/selftest/selftest.h"

enum { FIRST_TIER = FLIGHT_BEST, BLOCKS_MAX = 64, BLOCK_TICKS = 3 };
static const uint64_t quick_tick_ns = 50000000; /* a block of 150 ms has as narrow a ratio */

struct tier_blocks {
	double ratios[BLOCKS_MAX];
	unsigned n;
	struct error_text lacks; /* "": it works */
};

struct taking_turns {
	struct measuring *measuring;
	struct tier_blocks tiers[TIERS_MAX];
	unsigned n_tiers, n_blocks; /* blocks to go through */
	unsigned block;             /* the one under way: even ones have no recorder */
	unsigned n_ticks;           /* of it so far */
	struct hist answers;        /* of it */
	double before_ns, tier_ns;  /* the medians of the two blocks before it; 0: none */
	double offs_ns[BLOCKS_MAX * TIERS_MAX + 1];
	unsigned n_offs;
};

static unsigned tier_of(const struct taking_turns *turns, unsigned block)
{
	return block / 2 % turns->n_tiers;
}

/* @ns: the median of the block that has ended. */
static void end_off_block(struct taking_turns *turns, double ns)
{
	if (turns->before_ns > 0 && turns->tier_ns > 0) {
		struct tier_blocks *tier = &turns->tiers[tier_of(turns, turns->block - 1)];

		tier->ratios[tier->n++] = turns->tier_ns / ((turns->before_ns + ns) / 2);
	}
	turns->offs_ns[turns->n_offs++] = ns;
	turns->before_ns = ns;
}

static void end_tier_block(struct taking_turns *turns, double ns)
{
	const struct flight *flight = turns->measuring->run.flight;
	unsigned tier = tier_of(turns, turns->block);
	bool works = strcmp(flight_tier_name(flight), flight_word(FIRST_TIER + tier)) == 0;

	turns->tier_ns = works ? ns : 0;
	if (!works)
		error_text_set(&turns->tiers[tier].lacks, 0, "%s",
			*flight_lacks(flight) ? flight_lacks(flight) : "it ended");
}

static bool some_tier_works(const struct taking_turns *turns)
{
	for (unsigned i = 0; i < turns->n_tiers; i++) {
		if (!*turns->tiers[i].lacks.text)
			return true;
	}
	return false;
}

static void end_block(struct taking_turns *turns, struct source *source)
{
	double ns = (double)hist_percentile(&turns->answers, 50);
	struct error_text refusal;

	if (turns->block % 2)
		end_tier_block(turns, ns);
	else
		end_off_block(turns, ns);
	turns->n_ticks = 0;
	hist_reset(&turns->answers);
	if (++turns->block == turns->n_blocks || !some_tier_works(turns)) {
		source_end(source, "blocks");
		return;
	}
	source_command(source,
		&(struct command){COMMAND_NAMED, .row_name = "recorder",
			.sender = COMMAND_BY_SOCKET, /* a key would take the next tier */
			.recorder =
				turns->block % 2 ? FIRST_TIER + tier_of(turns, turns->block) : FLIGHT_OFF},
		&refusal);
}

static void take_tick(void *data, struct source *source, const struct feed_item *item)
{
	struct taking_turns *turns = data;

	if (item->kind != FEED_TICK || !item->tick->n_rings || source->ended_by[0])
		return;
	if (turns->n_ticks++ && tick_figure_add(&item->tick->rings[0].figures[FIGURE_ANSWER],
					item->tick->cells, &turns->answers) < 0)
		source_end(source, "no memory");
	else if (turns->n_ticks > BLOCK_TICKS)
		end_block(turns, source);
}

/* The interval is that of the sign test. */
static void summarize(struct tier_result *result, struct tier_blocks *tier)
{
	unsigned n = result->n = tier->n;
	double below = floor((double)n / 2 - 0.98 * sqrt(n));
	unsigned first = n < 6 || below < 1 ? 0 : (unsigned)below - 1;

	if (*tier->lacks.text || !n) {
		result->outcome = OUTCOME_LEFT_OUT;
		error_text_set(&result->reason, 0, "%s",
			n                   ? tier->lacks.text
			: *tier->lacks.text ? tier->lacks.text
					    : "it was not measured");
		return;
	}
	sort_doubles(tier->ratios, n);
	result->ratio = tier->ratios[n / 2];
	result->low = tier->ratios[first];
	result->high = tier->ratios[n - 1 - first];
}

static void summarize_all(struct taking_turns *turns, struct certificate *certificate)
{
	sort_doubles(turns->offs_ns, turns->n_offs);
	for (unsigned i = 0; i < turns->n_tiers; i++) {
		struct tier_result *result = &certificate->tiers[certificate->n_tiers++];

		*result = (struct tier_result){.name = flight_word(FIRST_TIER + i)};
		if (turns->n_offs)
			result->median_ns = turns->offs_ns[turns->n_offs / 2];
		summarize(result, &turns->tiers[i]);
	}
}

int tiers_measure(const struct selftest *selftest, struct certificate *certificate, struct error_text *reason)
{
	struct config config =
		measuring_config(selftest, "pipe", (unsigned)cpus_next(&selftest->topology->usable, -1));
	struct measuring *measuring = calloc(1, sizeof(*measuring));
	struct taking_turns *turns = calloc(1, sizeof(*turns));
	const char *danger = flight_danger();
	int r = -ENOMEM;

	config.interval_ns = 0;
	config.recorder = FLIGHT_OFF;
	if (selftest->is_quick)
		config.tick_ns = quick_tick_ns;
	if (measuring && turns) {
		while (turns->n_tiers < TIERS_MAX && flight_word(FIRST_TIER + turns->n_tiers))
			turns->n_tiers++;
		turns->measuring = measuring;
		turns->n_blocks = 2 * turns->n_tiers * (selftest->is_quick ? 3 : 12) + 1;
		*measuring = (struct measuring){.selftest = selftest, .take = take_tick, .data = turns};
		for (unsigned i = 0; danger && i < turns->n_tiers; i++)
			error_text_set(&turns->tiers[i].lacks, 0, "%s", danger);
		r = danger ? 0 : measuring_run(measuring, &config, reason);
		if (r == 0)
			summarize_all(turns, certificate);
		hist_finish(&turns->answers);
		measuring_finish(measuring);
	} else {
		error_text_set(reason, r, "no memory");
	}
	free(turns);
	free(measuring);
	return r;
}
