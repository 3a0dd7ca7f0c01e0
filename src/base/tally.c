/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.c - how often each value occurs. */
#include "src/base/tally.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

enum { VALUES_NAMED = 4 };

int tally_add(struct tally *tally, const char *value, size_t n)
{
	for (size_t i = 0; i < tally->n; i++)
		if (strcmp(tally->list[i].value, value) == 0) {
			tally->list[i].n += n;
			return 0;
		}
	struct tallied *list = realloc(tally->list, (tally->n + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	tally->list = list;
	list[tally->n] = (struct tallied){strdup(value), n};
	return list[tally->n++].value ? 0 : -ENOMEM;
}

char *tally_text(const struct tally *tally, char text[TALLY_TEXT_SIZE])
{
	size_t n_others = 0;
	char word[64];

	*text = '\0';
	for (size_t i = 0; i < tally->n; i++) {
		const struct tallied *tallied = &tally->list[i];

		snprintf(word, sizeof(word), "%zu ", tallied->n);
		if (i < VALUES_NAMED) {
			text_append(text, TALLY_TEXT_SIZE, ", ", word);
			text_append(text, TALLY_TEXT_SIZE, "", tallied->value);
		} else {
			n_others += tallied->n;
		}
	}
	if (n_others) {
		snprintf(word, sizeof(word), "%zu others", n_others);
		text_append(text, TALLY_TEXT_SIZE, ", ", word);
	}
	return text;
}

char *tally_value(const struct tally *tally, char text[TALLY_TEXT_SIZE])
{
	if (tally->n != 1)
		return tally_text(tally, text);
	snprintf(text, TALLY_TEXT_SIZE, "%s", tally->list[0].value);
	return text;
}

void tally_finish(struct tally *tally)
{
	for (size_t i = 0; i < tally->n; i++)
		free(tally->list[i].value);
	free(tally->list);
	*tally = (struct tally){0};
}

int tally_change_add(struct tally_change *change, const char *was, const char *is, size_t n)
{
	change->of += n;
	if (strcmp(was, is) == 0)
		return 0;
	change->n += n;
	return tally_add(&change->was, was, n) < 0 ? -ENOMEM : tally_add(&change->is, is, n);
}

void tally_change_finish(struct tally_change *change)
{
	tally_finish(&change->was);
	tally_finish(&change->is);
	*change = (struct tally_change){0};
}
