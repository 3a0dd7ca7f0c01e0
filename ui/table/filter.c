/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter.c - the filter of the table's rings. */
#include "ui/table/filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "src/model/session.h"
#include "ui/table/row.h"

static const char cpu_prefix[] = "cpu:", blanks[] = " \t";

static int parse_cpus(struct filter_term *word, const char *list, struct error_text *reason)
{
	if (cpus_parse(&word->cpus, list) < 0 || cpus_count(&word->cpus) == 0)
		return error_text_set(
			reason, -EINVAL, "%s: write a list of CPUs as in cpu:0-3,8", word->text);
	word->kind = FILTER_CPUS;
	return 0;
}

static int parse_word(struct filter_term *word, const char *text, size_t length, struct error_text *reason)
{
	word->not = *text == '!';
	snprintf(word->text, sizeof(word->text), "%.*s", (int)(length - word->not ), text + word->not );
	if (!*word->text)
		return error_text_set(reason, -EINVAL, "! must be before a word");
	if (strncasecmp(word->text, cpu_prefix, strlen(cpu_prefix)) == 0)
		return parse_cpus(word, word->text + strlen(cpu_prefix), reason);
	word->kind = FILTER_TEXT;
	for (enum locality class = 0; class < N_LOCALITIES; class ++)
		if (strcasecmp(word->text, locality_name(class)) == 0) {
			word->kind = FILTER_CLASS;
			word->class = class;
		}
	return 0;
}

int filter_parse(struct filter *filter, const char *text, struct error_text *reason)
{
	struct filter parsed = {0};

	text += strspn(text, blanks);
	snprintf(parsed.text, sizeof(parsed.text), "%s", text);
	while (*text && parsed.n_words < FILTER_TERMS_MAX) {
		size_t length = strcspn(text, blanks);
		int r = parse_word(&parsed.words[parsed.n_words++], text, length, reason);

		if (r < 0)
			return r;
		text += length + strspn(text + length, blanks);
	}
	*filter = parsed;
	return 0;
}

static bool is_mechanism(const struct session *session, const char *word)
{
	for (size_t i = 0; i < session->n_rings; i++)
		if (session->rings[i].mechanism && strcasecmp(word, session->rings[i].mechanism) == 0)
			return true;
	return false;
}

void filter_settle(struct filter *filter, const struct session *session)
{
	for (size_t i = 0; i < filter->n_words; i++) {
		struct filter_term *word = &filter->words[i];

		if (word->kind == FILTER_TEXT || word->kind == FILTER_MECHANISM)
			word->kind = is_mechanism(session, word->text) ? FILTER_MECHANISM : FILTER_TEXT;
	}
}

static bool has_cpu(const struct filter_term *word, const struct session_ring *ring)
{
	for (unsigned i = 0; i < ring->n_members; i++) {
		int64_t cpu = session_member_place(ring, i);

		if (cpu >= 0 && cpus_has(&word->cpus, (unsigned)cpu))
			return true;
	}
	return false;
}

static bool has_text(const struct filter_term *word, const struct session_ring *ring)
{
	const char *const texts[] = {
		ring->label, ring->mechanism, ring_state_name(ring->state), row_word(ring)};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i] && strcasestr(texts[i], word->text))
			return true;
	return false;
}

static bool holds(const struct filter_term *word, const struct session_ring *ring)
{
	switch (word->kind) {
	case FILTER_CPUS:
		return has_cpu(word, ring);
	case FILTER_CLASS:
		return ring->locality == word->class;
	case FILTER_MECHANISM:
		return ring->mechanism && strcasecmp(word->text, ring->mechanism) == 0;
	case FILTER_TEXT:
		break;
	}
	return has_text(word, ring);
}

bool filter_passes(const struct filter *filter, const struct session_ring *ring)
{
	for (size_t i = 0; i < filter->n_words; i++)
		if (holds(&filter->words[i], ring) == filter->words[i].not )
			return false;
	return true;
}
