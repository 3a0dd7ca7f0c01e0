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

char *matrix_ratio(char text[MATRIX_TIME_SIZE], float a, float b)
{
	double ratio = b > 0 ? (double)(a / b) : 0;

	snprintf(text, MATRIX_TIME_SIZE, "%.*f", ratio < 999.995 ? 2 : 0, ratio);
	return text;
}

bool matrix_is_skew(const struct session *session, const struct matrix_asymmetry *asymmetry)
{
	const struct sweep_cpu *cpus = session->matrix->cpus;

	return asymmetry_is_skew(&session->machine, cpus[asymmetry->row].cpu, cpus[asymmetry->column].cpu,
		(double)asymmetry->there, (double)asymmetry->back);
}

bool matrix_has_classes_to_tell_apart(const struct matrix_summary *summary)
{
	unsigned n = 0;

	for (int i = 0; i < N_LOCALITIES; i++)
		n += summary->classes[i].n > 0;
	return n > 1;
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
	int ns = figure == MATRIX_FIRST ? SWEEP_FIRST_NS
		 : !matrix->batches     ? SWEEP_BLOCK_NS
		 : is_mean              ? SWEEP_BATCHES_NS
					: SWEEP_SPIN_NS;
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
	char median[MATRIX_TIME_SIZE], others[MATRIX_TIME_SIZE], ratio[MATRIX_TIME_SIZE];

	snprintf(text, MATRIX_WORDS_SIZE,
		"slowest %s: CPU %u, median %s, %s times the median of the others (%s)", what,
		matrix->cpus[slow->index].cpu, matrix_us(median, slow->median),
		matrix_ratio(ratio, slow->median, slow->others), matrix_us(others, slow->others));
}

static void write_asymmetry(
	const struct session *session, const struct matrix_asymmetry *asymmetry, char text[MATRIX_WORDS_SIZE])
{
	const struct sweep_cpu *cpus = session->matrix->cpus;
	unsigned a = cpus[asymmetry->row].cpu, b = cpus[asymmetry->column].cpu;
	char there[MATRIX_TIME_SIZE], back[MATRIX_TIME_SIZE], ratio[MATRIX_TIME_SIZE];

	snprintf(text, MATRIX_WORDS_SIZE, "largest asymmetry: %u>%u %s, %u>%u %s: %s times%s", a, b,
		matrix_us(there, asymmetry->there), b, a, matrix_us(back, asymmetry->back),
		matrix_ratio(ratio, asymmetry->there, asymmetry->back),
		matrix_is_skew(session, asymmetry) ? ", within clock skew" : "");
}

char *matrix_outlier_text(const struct session *session, enum matrix_figure figure,
	const struct matrix_outliers *outliers, unsigned i, char text[MATRIX_WORDS_SIZE])
{
	const struct matrix *matrix = session->matrix;

	if (outliers->receiver.is_known && i-- == 0) {
		write_slow_cpu(matrix, figure == MATRIX_LAP ? "CPU" : "receiver", &outliers->receiver, text);
		return text;
	}
	if (figure != MATRIX_LAP && outliers->sender.is_known && i-- == 0) {
		write_slow_cpu(matrix, "sender", &outliers->sender, text);
		return text;
	}
	if (!outliers->asymmetry.is_known || i)
		return NULL;
	write_asymmetry(session, &outliers->asymmetry, text);
	return text;
}
