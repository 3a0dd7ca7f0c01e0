/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_words.c - what a matrix was measured under, and what stands out in it, as text. */
#include "src/model/matrix_words.h"

#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/asymmetry.h"
#include "src/model/session.h"

char *matrix_us(char text[MATRIX_TIME_SIZE], float ns)
{
	int decimals = ns < 99995 ? 3 : ns < 999950 ? 2 : ns < 9999500 ? 1 : 0;

	if (ns < 0)
		return strcpy(text, "-");
	snprintf(text, MATRIX_TIME_SIZE, "%.*f", decimals, (double)ns / 1e3);
	return text;
}

char *matrix_conditions_text(const struct matrix *matrix, char text[MATRIX_WORDS_SIZE])
{
	char policy[8], part[64];

	*text = '\0';
	if (matrix->policy.policy >= 0)
		text_append(text, MATRIX_WORDS_SIZE, ", ", task_policy_format(matrix->policy, policy));
	snprintf(part, sizeof(part), "%llu bytes", (unsigned long long)matrix->size);
	if (matrix->size)
		text_append(text, MATRIX_WORDS_SIZE, ", ", part);
	snprintf(part, sizeof(part), "%u at once", matrix->at_once);
	text_append(text, MATRIX_WORDS_SIZE, ", ", part);
	return text;
}

char *matrix_samples_text(const struct matrix *matrix, enum matrix_figure figure,
	const struct matrix_summary *summary, char text[MATRIX_WORDS_SIZE])
{
	bool is_mean = matrix->batches && figure == MATRIX_LAP;
	int ns = !matrix->batches ? SWEEP_BLOCK_NS : is_mean ? SWEEP_BATCHES_NS : SWEEP_SPIN_NS;
	char most[16] = "", laps[32] = "";

	if (summary->n_most > summary->n_least)
		snprintf(most, sizeof(most), "-%u", summary->n_most);
	if (is_mean)
		snprintf(laps, sizeof(laps), " of %d laps", SWEEP_BATCH_LAPS);
	snprintf(text, MATRIX_WORDS_SIZE, "n %u%s%s in %g ms", summary->n_least, most, laps, ns / 1e6);
	return text;
}

static void write_slow_cpu(const struct matrix *matrix, const char *what, const struct matrix_slow_cpu *slow,
	char text[MATRIX_WORDS_SIZE])
{
	char median[MATRIX_TIME_SIZE], others[MATRIX_TIME_SIZE];

	snprintf(text, MATRIX_WORDS_SIZE,
		"slowest %s: CPU %u, median %s, %.2f times the median of the others (%s)", what,
		matrix->cpus[slow->index].cpu, matrix_us(median, slow->median),
		slow->others > 0 ? (double)(slow->median / slow->others) : 0,
		matrix_us(others, slow->others));
}

static void write_asymmetry(
	const struct session *session, const struct matrix_summary *summary, char text[MATRIX_WORDS_SIZE])
{
	const struct sweep_cpu *cpus = session->matrix->cpus;
	unsigned a = cpus[summary->row].cpu, b = cpus[summary->column].cpu;
	char there[MATRIX_TIME_SIZE], back[MATRIX_TIME_SIZE];
	bool is_skew =
		asymmetry_is_skew(&session->machine, a, b, (double)summary->there, (double)summary->back);

	snprintf(text, MATRIX_WORDS_SIZE, "largest asymmetry: %u>%u %s, %u>%u %s: %.2f times%s", a, b,
		matrix_us(there, summary->there), b, a, matrix_us(back, summary->back),
		(double)(summary->there / summary->back), is_skew ? ", within clock skew" : "");
}

char *matrix_outlier_text(const struct session *session, enum matrix_figure figure,
	const struct matrix_summary *summary, unsigned i, char text[MATRIX_WORDS_SIZE])
{
	const struct matrix *matrix = session->matrix;

	if (summary->receiver.is_known && i-- == 0) {
		write_slow_cpu(matrix, figure == MATRIX_LAP ? "CPU" : "receiver", &summary->receiver, text);
		return text;
	}
	if (figure == MATRIX_HOP && summary->sender.is_known && i-- == 0) {
		write_slow_cpu(matrix, "sender", &summary->sender, text);
		return text;
	}
	if (figure == MATRIX_LAP || !summary->has_asymmetry || i)
		return NULL;
	write_asymmetry(session, summary, text);
	return text;
}
