/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_effects_text.c - what each load did to each ring, in plain text. */
#include "src/report/load_effects_text.h"

#include <math.h>

#include "src/base/text.h"
#include "src/model/load_effects.h"
#include "src/report/report_lines.h"

enum {
	EFFECTS_SHOWN = 6,
	INDENT = 4,
	NUMBER_SIZE = 16,
	FACTOR_SIZE = NUMBER_SIZE + 4,
	INTERVAL_SIZE = FACTOR_SIZE + 2 * NUMBER_SIZE + 8,
	MISSED_SIZE = 32,
	LOCALITY_SIZE = 16,
	EFFECT_SIZE = 400
};

/* ", missed 3.10 %"; "" in a flood, which has no slots. */
static const char *write_missed(const struct load_effect *effect, char text[MISSED_SIZE])
{
	text[0] = '\0';
	if (effect->slots)
		snprintf(text, MISSED_SIZE, ", missed %.2f %%",
			100.0 * (double)effect->missed / (double)effect->slots);
	return text;
}

/* "41", "1.1", "?" for an open end. */
static const char *write_number(double factor, char text[NUMBER_SIZE])
{
	snprintf(text, NUMBER_SIZE, "%.*f", factor < 9.95, factor);
	return factor > 0 && !isinf(factor) ? text : "?";
}

/* "x 41", "x 1.1", "-" */
static const char *write_factor(const struct load_effect *effect, char text[FACTOR_SIZE])
{
	char number[NUMBER_SIZE];

	if (effect->factor > 0)
		snprintf(text, FACTOR_SIZE, "x %s%s", write_number(effect->factor, number),
			effect->is_trusted ? "" : "~");
	else
		snprintf(text, FACTOR_SIZE, "-");
	return text;
}

/* "x 41 (35 to 48)"; the interval is not always known. */
static const char *write_interval(const struct load_effect *effect, char text[INTERVAL_SIZE])
{
	char factor[FACTOR_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];

	if (effect->factor_high > 0)
		snprintf(text, INTERVAL_SIZE, "%s (%s to %s)", write_factor(effect, factor),
			write_number(effect->factor_low, low), write_number(effect->factor_high, high));
	else
		snprintf(text, INTERVAL_SIZE, "%s", write_factor(effect, factor));
	return text;
}

/* " (smt)": where the load is, beside the ring. */
static const char *write_locality(const struct load_effect *effect, char text[LOCALITY_SIZE])
{
	text[0] = '\0';
	if (effect->locality < N_LOCALITIES)
		snprintf(text, LOCALITY_SIZE, " (%s)", locality_name(effect->locality));
	return text;
}

static void print_effect(FILE *out, const struct load_effect *effect)
{
	char factor[INTERVAL_SIZE], p99[REPORT_CELL_SIZE], max[REPORT_CELL_SIZE], missed[MISSED_SIZE];
	char place[LOCALITY_SIZE], line[EFFECT_SIZE];

	snprintf(line, sizeof(line), "%-7s under %s%s: p99 %s, Max %s%s", write_interval(effect, factor),
		effect->loads, write_locality(effect, place), report_us(p99, "", effect->p99_ns),
		report_us(max, "", effect->max_ns), write_missed(effect, missed));

	if (effect->culprit)
		text_print(line, sizeof(line), "; spikes: %s %.0f %%", effect->culprit->text,
			100 * effect->culprit_share);
	fprintf(out, "  ");
	report_wrap(out, 2, 2 + INDENT, line);
}

static void print_rest(FILE *out, const struct ring_effects *ring)
{
	const struct load_effect *first = &ring->list[EFFECTS_SHOWN], *last = &ring->list[ring->n - 1];
	char largest[FACTOR_SIZE], smallest[FACTOR_SIZE];

	fprintf(out, "  %zu more: %s to %s\n", ring->n - EFFECTS_SHOWN, write_factor(first, largest),
		write_factor(last, smallest));
}

bool load_effects_text_print(FILE *out, const struct session *session)
{
	struct load_effects effects;
	char name[SESSION_NAME_SIZE], p99[REPORT_CELL_SIZE], max[REPORT_CELL_SIZE], missed[MISSED_SIZE];
	bool has_tilde = false, lacks_blocks = false;

	if (load_effects_make(&effects, session) < 0)
		fprintf(out, "\nloads: no memory for what they did\n");
	else if (effects.n)
		fprintf(out,
			"\nloads: response (lap, where there is none) beside that without load, times in us\n");
	for (size_t i = 0; i < effects.n; i++) {
		const struct ring_effects *ring = &effects.rings[i];

		fprintf(out, "%s: p99 %s, Max %s%s without load\n", session_ring_name(ring->ring, name),
			report_us(p99, "", ring->without.p99_ns), report_us(max, "", ring->without.max_ns),
			write_missed(&ring->without, missed));
		for (size_t j = 0; j < ring->n && j < EFFECTS_SHOWN; j++)
			print_effect(out, &ring->list[j]);
		if (ring->n > EFFECTS_SHOWN)
			print_rest(out, ring);
		has_tilde |= !ring->without.is_trusted;
		for (size_t j = 0; j < ring->n; j++) {
			has_tilde |= !ring->list[j].is_trusted;
			lacks_blocks |= ring->list[j].lacks_blocks;
		}
	}
	if (lacks_blocks)
		report_wrap(out, 0, INDENT,
			"A factor without an interval is of phases of which only the sums are kept, as after a seek.");
	load_effects_finish(&effects);
	return has_tilde;
}
