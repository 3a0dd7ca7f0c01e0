/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter.c - the filter of the table's rings. */
#include "ui/table/filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "src/base/text.h"
#include "src/model/session.h"
#include "ui/table/row.h"

static const char blanks[] = " \t";

/* What is before a list of CPUs. */
static const struct {
	const char *text;
	enum filter_kind kind;
} prefixes[] = {{"cpu:", FILTER_CPUS}, {"in:", FILTER_INSIDE}};

/* Returns the list of CPUs after a prefix, and stores its kind; NULL: the text is no list. */
static const char *cpu_list(const char *text, enum filter_kind *kind)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t length = strlen(prefixes[i].text);

		*kind = prefixes[i].kind;
		if (strncasecmp(text, prefixes[i].text, length) == 0)
			return text + length;
	}
	return NULL;
}

/* Returns whether a part up to the next comma or blank continues a list of CPUs. */
static bool is_range(const char *text)
{
	size_t n = strspn(text, "0123456789-:/");

	return n > 0 && (!text[n] || strchr(", \t", text[n]));
}

/* Returns the length of a term in a word that is so long: up to a comma, but not one in a list of CPUs. */
static size_t term_length(const char *text, size_t word_length)
{
	enum filter_kind kind;
	size_t length = 0;

	do {
		length += length > 0;
		while (length < word_length && text[length] != ',')
			length++;
	} while (length < word_length && cpu_list(text, &kind) && is_range(text + length + 1));
	return length;
}

static int parse_term(struct filter_term *term, const char *text, size_t length, struct error_text *reason)
{
	snprintf(term->text, sizeof(term->text), "%.*s", (int)length, text);
	if (*term->text == '!' || (!*term->text && term->is_negated))
		return error_text_set(reason, -EINVAL, "! must be before a word");
	if (!*term->text)
		return error_text_set(reason, -EINVAL, "a comma must be between two words, as in mq,pipe");
	const char *list = cpu_list(term->text, &term->kind);

	if (list) {
		if (cpus_parse(&term->cpus, list) < 0 || !cpus_count(&term->cpus))
			return error_text_set(
				reason, -EINVAL, "%s: write a list of CPUs as in cpu:0-3,8", term->text);
		return 0;
	}
	term->kind = FILTER_TEXT;
	for (enum locality locality = 0; locality < N_LOCALITIES; locality++)
		if (strcasecmp(term->text, locality_name(locality)) == 0) {
			term->kind = FILTER_CLASS;
			term->locality = locality;
		}
	return 0;
}

/* Parses the alternatives of a word. */
static int parse_word(struct filter *filter, const char *text, size_t length, struct error_text *reason)
{
	bool is_negated = *text == '!';
	size_t at = is_negated;

	for (bool begins_word = true; begins_word || at <= length; begins_word = false) {
		struct filter_term *term = &filter->terms[filter->n_terms];
		size_t term_end = at + term_length(text + at, length - at);

		if (filter->n_terms++ == FILTER_TERMS_MAX)
			return error_text_set(reason, -EINVAL, "too many words");
		*term = (struct filter_term){.begins_word = begins_word, .is_negated = is_negated};
		int r = parse_term(term, text + at, term_end - at, reason);

		if (r < 0)
			return r;
		at = term_end + 1; /* after the comma, or past the end */
	}
	return 0;
}

int filter_parse(struct filter *filter, const char *text, struct error_text *reason)
{
	struct filter parsed = {0};

	text += strspn(text, blanks);
	snprintf(parsed.text, sizeof(parsed.text), "%s", text);
	while (*text) {
		size_t length = strcspn(text, blanks);
		int r = parse_word(&parsed, text, length, reason);

		if (r < 0)
			return r;
		text += length + strspn(text + length, blanks);
	}
	*filter = parsed;
	return 0;
}

/* Is this a word with in: alone? */
static bool is_inside_word(const char *text, size_t length)
{
	enum filter_kind kind;

	text += *text == '!';
	return cpu_list(text, &kind) && kind == FILTER_INSIDE && term_length(text, length) == length;
}

int filter_set_inside(struct filter *filter, const char *list, struct error_text *reason)
{
	char text[2 * FILTER_SIZE] = "", word[FILTER_SIZE];

	for (const char *at = filter->text; *at; at += strspn(at, blanks)) {
		size_t length = strcspn(at, blanks);

		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		if (!is_inside_word(word, length - (*word == '!')))
			text_append(text, sizeof(text), " ", word);
		at += length;
	}
	if (list) {
		int length = snprintf(word, sizeof(word), "in:%s", list);

		text_append(text, sizeof(text), " ", word);
		if (length >= FILTER_SIZE || strlen(text) >= FILTER_SIZE)
			return error_text_set(
				reason, -EINVAL, "the filter would be too long: in:%.30s...", list);
	}
	return filter_parse(filter, text, reason);
}

static bool is_mechanism(const struct session *session, const char *word)
{
	for (size_t i = 0; i < session->n_rings; i++)
		if (strcasecmp(word, session->rings[i].mechanism) == 0)
			return true;
	return false;
}

void filter_settle(struct filter *filter, const struct session *session)
{
	for (size_t i = 0; i < filter->n_terms; i++) {
		struct filter_term *term = &filter->terms[i];

		if (term->kind == FILTER_TEXT || term->kind == FILTER_MECHANISM)
			term->kind = is_mechanism(session, term->text) ? FILTER_MECHANISM : FILTER_TEXT;
	}
}

static bool has_cpu(const struct filter_term *term, const struct session_ring *ring)
{
	for (unsigned i = 0; i < ring->n_members; i++) {
		int64_t cpu = session_member_place(ring, i);

		if (cpu >= 0 && cpus_has(&term->cpus, (unsigned)cpu))
			return true;
	}
	return false;
}

static bool is_inside(const struct filter_term *term, const struct session_ring *ring)
{
	for (unsigned i = 0; i < ring->n_members; i++) {
		int64_t cpu = session_member_place(ring, i);

		if (cpu < 0 || !cpus_has(&term->cpus, (unsigned)cpu))
			return false;
	}
	return true;
}

/* Returns whether a member's policy begins so, as in SCHED ("FF80") or in words ("FIFO:80"). One letter is no
 * policy. */
static bool has_policy(const struct filter_term *term, const struct session_ring *ring)
{
	size_t length = strlen(term->text);
	char brief[8], words[TASK_POLICY_SIZE];

	for (unsigned i = 0; i < ring->n_members && length > 1; i++) {
		if (!ring->members[i].tid)
			continue;
		task_policy_format(ring->members[i].policy, brief);
		task_policy_describe(ring->members[i].policy, words);
		if (strncasecmp(brief, term->text, length) == 0 ||
			strncasecmp(words, term->text, length) == 0)
			return true;
	}
	return false;
}

static bool has_text(const struct filter_term *term, const struct session_ring *ring)
{
	char name[SESSION_NAME_SIZE];
	const char *const texts[] = {session_ring_name(ring, name) + strlen(ring->mechanism) + 1,
		ring->mechanism, ring_state_name(ring->state), row_word(ring)};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (strcasestr(texts[i], term->text))
			return true;
	return has_policy(term, ring);
}

static bool term_holds(const struct filter_term *term, const struct session_ring *ring)
{
	switch (term->kind) {
	case FILTER_CPUS:
		return has_cpu(term, ring);
	case FILTER_INSIDE:
		return is_inside(term, ring);
	case FILTER_CLASS:
		return ring->locality == term->locality;
	case FILTER_MECHANISM:
		return strcasecmp(term->text, ring->mechanism) == 0;
	case FILTER_TEXT:
		break;
	}
	return has_text(term, ring);
}

static bool passes(const struct filter *filter, const struct session_ring *ring, bool asks_inside)
{
	for (size_t i = 0; i < filter->n_terms;) {
		bool is_negated = filter->terms[i].is_negated, holds = false, is_asked = false;

		do {
			holds = holds || term_holds(&filter->terms[i], ring);
			is_asked = is_asked || asks_inside || filter->terms[i].kind != FILTER_INSIDE;
		} while (++i < filter->n_terms && !filter->terms[i].begins_word);
		if (is_asked && holds == is_negated)
			return false;
	}
	return true;
}

bool filter_passes(const struct filter *filter, const struct session_ring *ring)
{
	return passes(filter, ring, true);
}

bool filter_passes_elsewhere(const struct filter *filter, const struct session_ring *ring)
{
	return passes(filter, ring, false);
}
