/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spikes.c - the spikes of a session, explained, and whom they blame. */
#include "src/model/spikes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- blame --- */

static const char others[] = "others";

bool blamed_is_others(const struct blamed *blamed)
{
	return strcmp(blamed->text, others) == 0;
}

static void sort_blamed(struct blame_sums *sums, size_t at)
{
	for (; at > 0 && sums->list[at].ns > sums->list[at - 1].ns; at--) {
		struct blamed before = sums->list[at - 1];

		sums->list[at - 1] = sums->list[at];
		sums->list[at] = before;
	}
	for (; at + 1 < sums->n && sums->list[at].ns < sums->list[at + 1].ns; at++) {
		struct blamed after = sums->list[at + 1];

		sums->list[at + 1] = sums->list[at];
		sums->list[at] = after;
	}
}

static size_t find_blamed(const struct blame_sums *sums, const char *text)
{
	size_t i = 0;

	while (i < sums->n && strcmp(sums->list[i].text, text) != 0)
		i++;
	return i;
}

static struct blamed *append_blamed(struct blame_sums *sums, const char *text, enum cause_kind kind)
{
	struct blamed *blamed = &sums->list[sums->n++];

	*blamed = (struct blamed){.kind = kind};
	snprintf(blamed->text, sizeof(blamed->text), "%s", text);
	return blamed;
}

/* Has all causes for which there is no room. */
static struct blamed *others_of(struct blame_sums *sums)
{
	size_t i = find_blamed(sums, others);

	return i < sums->n ? &sums->list[i] : append_blamed(sums, others, CAUSE_UNEXPLAINED);
}

/* The list is by time, so the last one is the smallest, but for the others. */
static struct blamed *smallest_of(struct blame_sums *sums)
{
	struct blamed *last = &sums->list[sums->n - 1];

	return blamed_is_others(last) ? last - 1 : last;
}

/* Where there is no room, a cause of @ns replaces a smaller one. */
static size_t blamed_index(struct blame_sums *sums, const char *text, enum cause_kind kind, uint64_t ns)
{
	size_t i = find_blamed(sums, text);

	if (i < sums->n)
		return i;
	if (sums->n < BLAMED_MAX - 1)
		return (size_t)(append_blamed(sums, text, kind) - sums->list);
	struct blamed *rest = others_of(sums), *smallest = smallest_of(sums);

	if (smallest->ns >= ns)
		return (size_t)(rest - sums->list);
	rest->ns += smallest->ns;
	rest->n += smallest->n;
	*smallest = (struct blamed){.kind = kind};
	snprintf(smallest->text, sizeof(smallest->text), "%s", text);
	sort_blamed(sums, (size_t)(rest - sums->list));
	return find_blamed(sums, text);
}

void blame_sums_add_cause(struct blame_sums *sums, const struct cause *cause, uint64_t ns)
{
	char text[CAUSE_TEXT_SIZE];
	size_t at = blamed_index(sums, cause_text(cause, text), cause->kind, ns);

	sums->list[at].ns += ns;
	sums->list[at].n++;
	sort_blamed(sums, at);
}

void blame_sums_merge(struct blame_sums *sums, const struct blame_sums *more)
{
	sums->n_spikes += more->n_spikes;
	sums->n_passed_over += more->n_passed_over;
	sums->ns += more->ns;
	for (size_t i = 0; i < more->n; i++) {
		const struct blamed *blamed = &more->list[i];
		size_t at = blamed_is_others(blamed)
				    ? (size_t)(others_of(sums) - sums->list)
				    : blamed_index(sums, blamed->text, blamed->kind, blamed->ns);

		sums->list[at].ns += blamed->ns;
		sums->list[at].n += blamed->n;
		sort_blamed(sums, at);
	}
	for (size_t kind = 0; kind < N_CAUSES; kind++) {
		sums->kind_ns[kind] += more->kind_ns[kind];
		sums->kind_n[kind] += more->kind_n[kind];
	}
}

void blame_sums_add(struct blame_sums *sums, const struct explanation *explanation)
{
	sums->n_spikes++;
	sums->ns += explanation->length_ns;
	for (size_t i = 0; i < explanation->n_blames; i++)
		blame_sums_add_cause(sums, &explanation->blames[i].cause, explanation->blames[i].ns);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Takes it away again, as far as it is there; not from kind_ns and kind_n. */
static void subtract_blames(struct blame_sums *sums, const struct explanation *explanation)
{
	sums->n_spikes = less(sums->n_spikes, 1);
	sums->ns = less(sums->ns, explanation->length_ns);
	for (size_t i = 0; i < explanation->n_blames; i++) {
		const struct blame *blame = &explanation->blames[i];
		char text[CAUSE_TEXT_SIZE];
		size_t at = find_blamed(sums, cause_text(&blame->cause, text));

		at = at < sums->n ? at : find_blamed(sums, others);
		if (at == sums->n)
			continue;

		sums->list[at].ns = less(sums->list[at].ns, explanation->blames[i].ns);
		sums->list[at].n = less(sums->list[at].n, 1);
		sort_blamed(sums, at);
	}
	while (sums->n && !sums->list[sums->n - 1].n)
		sums->n--;
}

/* --- the spikes that are kept --- */

static void finish_kept(struct kept_spike *kept)
{
	free(kept->records);
	free(kept->explanation);
	*kept = (struct kept_spike){0};
}

/* Returns 0, or -ENOMEM; then the caller frees @kept with finish_kept(). */
static int copy_records(struct kept_spike *kept, const struct flight_record *records, size_t n)
{
	kept->records = calloc(n ? n : 1, sizeof(*records));
	kept->explanation = calloc(1, sizeof(*kept->explanation));
	if (!kept->records || !kept->explanation)
		return -ENOMEM;
	if (n)
		memcpy(kept->records, records, n * sizeof(*records));
	kept->n_records = n;
	return 0;
}

static bool is_same(const struct spike *a, const struct spike *b)
{
	return a->ring == b->ring && a->due_ns == b->due_ns && a->due_ns;
}

/* Removes an earlier report of the same spike. */
static bool remove_same(struct kept_spike *list, size_t *n, const struct spike *spike)
{
	for (size_t i = *n; i-- > 0;)
		if (is_same(&list[i].spike, spike)) {
			finish_kept(&list[i]);
			memmove(&list[i], &list[i + 1], (--*n - i) * sizeof(*list));
			return true;
		}
	return false;
}

static const struct kept_spike *find_same(const struct kept_spike *list, size_t n, const struct spike *spike)
{
	for (size_t i = n; i-- > 0;)
		if (is_same(&list[i].spike, spike))
			return &list[i];
	return NULL;
}

/* A long one may be kept as one of the longest alone. */
const struct kept_spike *spikes_find(const struct session_spikes *spikes, const struct spike *spike)
{
	const struct kept_spike *last = find_same(spikes->last, spikes->n_last, spike);

	return last ? last : find_same(spikes->worst, spikes->n_worst, spike);
}

static const struct kept_spike *find_at(
	const struct kept_spike *list, size_t n, uint32_t ring, uint64_t received_ns, uint64_t length_ns)
{
	for (size_t i = n; i-- > 0;)
		if (list[i].spike.ring == ring && list[i].spike.received_ns == received_ns &&
			spike_length_ns(&list[i].spike) == length_ns)
			return &list[i];
	return NULL;
}

const struct kept_spike *spikes_at(
	const struct session_spikes *spikes, uint32_t ring, uint64_t received_ns, uint64_t length_ns)
{
	const struct kept_spike *worst =
		find_at(spikes->worst, spikes->n_worst, ring, received_ns, length_ns);

	return worst ? worst : find_at(spikes->last, spikes->n_last, ring, received_ns, length_ns);
}

static void insert(struct kept_spike *list, size_t *n, size_t at, const struct kept_spike *kept)
{
	memmove(&list[at + 1], &list[at], (*n - at) * sizeof(*list));
	list[at] = *kept;
	++*n;
}

static void drop_first_report(struct session_spikes *spikes)
{
	size_t first = 0;

	for (size_t i = 1; i < spikes->n_last; i++)
		if (spikes->last[i].number < spikes->last[first].number)
			first = i;
	finish_kept(&spikes->last[first]);
	memmove(&spikes->last[first], &spikes->last[first + 1],
		(--spikes->n_last - first) * sizeof(*spikes->last));
}

/* A long one is reported after shorter ones that began later. */
static void keep_last(struct session_spikes *spikes, const struct kept_spike *kept)
{
	uint64_t start_ns = spike_start_ns(&kept->spike);

	if (spikes->n_last == SPIKES_KEPT)
		drop_first_report(spikes);
	size_t at = spikes->n_last;

	while (at > 0 && spike_start_ns(&spikes->last[at - 1].spike) > start_ns)
		at--;
	insert(spikes->last, &spikes->n_last, at, kept);
}

const struct kept_spike *spikes_reported(const struct session_spikes *spikes)
{
	for (size_t i = spikes->n_last; i-- > 0;)
		if (spikes->last[i].number == spikes->n_reports)
			return &spikes->last[i];
	return NULL;
}

/* Keeps a spike among the longest; of two that are equally long the earlier comes first. */
static void keep_worst(struct session_spikes *spikes, struct kept_spike *kept)
{
	uint64_t length_ns = spike_length_ns(&kept->spike);
	size_t at = spikes->n_worst;

	while (at > 0 && spike_length_ns(&spikes->worst[at - 1].spike) < length_ns)
		at--;
	if (at == SPIKES_KEPT) {
		finish_kept(kept);
		return;
	}
	if (spikes->n_worst == SPIKES_KEPT)
		finish_kept(&spikes->worst[--spikes->n_worst]);
	insert(spikes->worst, &spikes->n_worst, at, kept);
}

static int make_lists(struct session_spikes *spikes)
{
	if (!spikes->last)
		spikes->last = calloc(SPIKES_KEPT, sizeof(*spikes->last));
	if (!spikes->worst)
		spikes->worst = calloc(SPIKES_KEPT, sizeof(*spikes->worst));
	return spikes->last && spikes->worst ? 0 : -ENOMEM;
}

/* Returns the kind of the cause that the verdict names; if it names none, whether most of the rest was seen.
 */
static enum cause_kind verdict_kind(const struct explanation *explanation)
{
	const struct cause *cause = explanation_cause(explanation);
	size_t i = 0;

	if (cause)
		return cause->kind;
	while (i < explanation->n_blames && explanation->blames[i].cause.kind != CAUSE_UNSEEN &&
		explanation->blames[i].cause.kind != CAUSE_UNEXPLAINED)
		i++;
	return i < explanation->n_blames ? explanation->blames[i].cause.kind : CAUSE_UNEXPLAINED;
}

static void count_spike(struct blame_sums *sums, const struct kept_spike *kept)
{
	const struct explanation *explanation = kept->explanation;

	blame_sums_add(sums, explanation);
	sums->n_passed_over += kept->spike.n_passed_over;
	if (!kept->spike.received_ns)
		return;
	sums->kind_n[verdict_kind(explanation)]++;
	for (size_t i = 0; i < explanation->n_blames; i++)
		sums->kind_ns[explanation->blames[i].cause.kind] += explanation->blames[i].ns;
}

static int explain_spike(struct kept_spike *kept, const struct spike_report *report)
{
	*kept = (struct kept_spike){.spike = report->spike};
	int r = copy_records(kept, report->records, report->n_records);

	if (r == 0)
		explain(kept->explanation, &kept->spike, kept->records, kept->n_records);
	else
		finish_kept(kept);
	return r;
}

int spikes_restore_last(struct session_spikes *spikes, const struct spike_report *report)
{
	struct kept_spike kept;
	int r = make_lists(spikes);

	if (r == 0)
		r = explain_spike(&kept, report);
	if (r == 0) {
		kept.number = ++spikes->n_reports;
		keep_last(spikes, &kept);
	}
	return r;
}

int spikes_restore_worst(struct session_spikes *spikes, const struct spike_report *report)
{
	struct kept_spike kept;
	int r = make_lists(spikes);

	if (r == 0)
		r = explain_spike(&kept, report);
	if (r == 0)
		keep_worst(spikes, &kept);
	return r;
}

int spikes_add(struct session_spikes *spikes, const struct spike_report *report, struct blame_sums *phase,
	struct blame_sums *phase_before)
{
	struct kept_spike last, worst;
	int r = make_lists(spikes);

	if (r == 0)
		r = explain_spike(&last, report);
	if (r < 0)
		return r;
	last.number = spikes->n_reports + 1;
	worst = last;
	r = copy_records(&worst, last.records, last.n_records);
	if (r < 0) {
		finish_kept(&worst);
		finish_kept(&last);
		return r;
	}
	*worst.explanation = *last.explanation;
	spikes->n_reports++;
	const struct kept_spike *before = spikes_find(spikes, &last.spike);

	if (before)
		subtract_blames(&spikes->blames, before->explanation);
	if (before && phase_before)
		subtract_blames(phase_before, before->explanation);
	count_spike(&spikes->blames, &last);
	if (phase)
		count_spike(phase, &last);
	remove_same(spikes->last, &spikes->n_last, &last.spike);
	remove_same(spikes->worst, &spikes->n_worst, &last.spike);
	keep_last(spikes, &last);
	keep_worst(spikes, &worst);
	return 0;
}

static void finish_list(struct kept_spike *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		finish_kept(&list[i]);
	free(list);
}

void spikes_finish(struct session_spikes *spikes)
{
	finish_list(spikes->last, spikes->n_last);
	finish_list(spikes->worst, spikes->n_worst);
	*spikes = (struct session_spikes){0};
}
