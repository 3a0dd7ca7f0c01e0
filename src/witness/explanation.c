/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explanation.c - asks the witnesses at each moment of a spike, and sums up what they say. */
#include "src/witness/explanation.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/witness/timeline.h"
#include "src/witness/witness.h"

/* Something changes at each record's times, at most three; when the spike starts, when it is sent, when
 * either member moved, and where records are missing; and hops before and after the one that is judged are
 * cuts. */
enum { CAUSES_MAX = 64, CUTS_MAX = 3 * SPIKE_RECORDS_MAX + 8 };

/* How long after its stamp, without what interrupts it, the sender may still be about to send. */
static const uint64_t sending_ns = 20000;

struct found_cause {
	struct cause cause;
	const struct witness *by; /* NULL: none */
	uint64_t ns;
};

/* Where another cause begins, up to the next cut. */
struct cut {
	uint64_t from_ns;
	uint64_t between_ns; /* of it between two interrupts */
	size_t cause;        /* an index of causes */
};

struct inquiry {
	const struct spike *spike;
	struct spike hop; /* the part of it that is judged */
	struct timeline timeline;
	uint64_t sender_ran_ns;                /* since its stamp */
	struct found_cause causes[CAUSES_MAX]; /* the first: unexplained, and those that found no room */
	size_t n_causes;
	struct cut cuts[CUTS_MAX];
	size_t n_cuts;
};

/* --- asking --- */

/* The better one is believed. */
enum trust {
	TRUST_NONE,
	TRUST_LATE,   /* the CPU was idle, or had a task that would have given way, or the member slept */
	TRUST_HELD,   /* the CPU had something to do, but the member may have slept */
	TRUST_UNSEEN, /* nobody is named, except by what is sure */
	TRUST_SURE,   /* the member was to run */
};

struct answer {
	struct moment moment;
	struct cause cause;
	const struct witness *by;
	enum trust trust;
};

static enum trust trust_of(const struct answer *answer)
{
	switch (answer->cause.kind) {
	case CAUSE_UNEXPLAINED:
		return TRUST_NONE;
	case CAUSE_UNSEEN:
		return TRUST_UNSEEN;
	case CAUSE_TIMER_LATE:
	case CAUSE_WAKE_LATE:
	case CAUSE_LEAVING_IDLE:
		return TRUST_LATE;
	case CAUSE_MIGRATED:
		return answer->moment.member.left ? TRUST_SURE : TRUST_LATE;
	default:
		return answer->moment.member.left ? TRUST_SURE : TRUST_HELD;
	}
}

static struct answer ask(struct inquiry *inquiry, enum timeline_end end)
{
	struct answer answer = {.by = NULL};

	timeline_look(&inquiry->timeline, end, &answer.moment);
	for (size_t i = 0; witnesses[i] && !answer.by; i++) {
		answer.cause = (struct cause){.cpu = answer.moment.cpu.cpu};
		if (witnesses[i]->find_cause(&answer.moment, &answer.cause))
			answer.by = witnesses[i];
	}
	if (!answer.by)
		answer.cause = (struct cause){.kind = CAUSE_UNEXPLAINED, .cpu = answer.moment.cpu.cpu};
	answer.trust = trust_of(&answer);
	return answer;
}

/* Which member has the token is not known. */
static struct answer ask_both(struct inquiry *inquiry)
{
	struct answer sender = ask(inquiry, TIMELINE_SENDER), receiver = ask(inquiry, TIMELINE_RECEIVER);

	return receiver.trust > sender.trust ? receiver : sender;
}

/* A sender that another task follows, and that did not leave its CPU by force, has gone to sleep. */
static bool is_kept_from_sending(const struct inquiry *inquiry, const struct answer *sender)
{
	if (inquiry->sender_ran_ns >= sending_ns || sender->trust == TRUST_NONE)
		return false;
	return sender->moment.member.left || !sender->moment.cpu.task.tid;
}

/* The receiver is waited for, unless the sender was interrupted, or lost its CPU, between its stamp and the
 * wake-up. */
static struct answer ask_receiver(struct inquiry *inquiry)
{
	struct answer receiver = ask(inquiry, TIMELINE_RECEIVER), sender = ask(inquiry, TIMELINE_SENDER);

	if (receiver.trust <= TRUST_LATE && is_kept_from_sending(inquiry, &sender))
		return sender;
	if (sender.trust == TRUST_NONE)
		inquiry->sender_ran_ns += inquiry->timeline.next_ns - inquiry->timeline.now_ns;
	return receiver;
}

static struct answer ask_witnesses(struct inquiry *inquiry)
{
	const struct spike *spike = &inquiry->hop;

	if (!spike->due_ns || (spike->figure == FIGURE_LAP && inquiry->timeline.now_ns >= spike->sent_ns))
		return ask_both(inquiry);
	if (!spike->sent_ns || inquiry->timeline.now_ns < spike->sent_ns)
		return ask(inquiry, TIMELINE_SENDER);
	return ask_receiver(inquiry);
}

/* --- causes --- */

static bool is_same_cause(const struct cause *a, const struct cause *b)
{
	return a->kind == b->kind && a->cpu == b->cpu && a->tid == b->tid && a->number == b->number &&
	       strcmp(a->name, b->name) == 0 && a->partner_tid == b->partner_tid;
}

static const struct cause *cause_of(const struct inquiry *inquiry, size_t cut)
{
	return &inquiry->causes[inquiry->cuts[cut].cause].cause;
}

static size_t cause_index(struct inquiry *inquiry, const struct answer *answer)
{
	size_t i = 0;

	while (i < inquiry->n_causes && !is_same_cause(&inquiry->causes[i].cause, &answer->cause))
		i++;
	if (i == CAUSES_MAX)
		return 0;
	if (i == inquiry->n_causes)
		inquiry->causes[inquiry->n_causes++] =
			(struct found_cause){.cause = answer->cause, .by = answer->by};
	return i;
}

static bool is_interrupt(enum cause_kind kind)
{
	return kind >= CAUSE_IRQ && kind <= CAUSE_NMI;
}

/* The hop that took most of the spike, if it is known, as a spike of its own: from when it was sent. If that
 * was before the spike, the begin is not the time of its sender's stamp. */
static struct spike hop_of(const struct spike *spike)
{
	uint64_t from_ns = larger_ns(spike->hop_from_ns, spike_start_ns(spike)),
		 to_ns = spike->hop_to_ns ? smaller_ns(spike->hop_to_ns, spike_end_ns(spike))
					  : spike_end_ns(spike);
	struct spike hop = *spike;

	if (!spike->hop_from_ns || to_ns <= from_ns)
		return hop;
	hop.figure = FIGURE_RESPONSE;
	hop.due_ns = from_ns;
	hop.sent_ns = spike_hop_was_sent_before(spike) ? from_ns - 1 : from_ns;
	hop.received_ns = to_ns;
	return hop;
}

/* The members of the other hops are not looked at. Where nothing is recorded, it is the same of them. */
static void add_other_hops(struct inquiry *inquiry, uint64_t before_ns, uint64_t after_ns)
{
	struct cause cause = {.kind = CAUSE_UNSEEN, .cpu = cause_of(inquiry, 0)->cpu};
	size_t index = 0, n = inquiry->n_cuts;

	for (size_t i = 0; i < n; i++)
		if (cause_of(inquiry, i)->kind != CAUSE_UNSEEN)
			cause.kind = CAUSE_UNEXPLAINED;
	index = cause_index(inquiry, &(struct answer){.cause = cause});
	inquiry->causes[index].ns += before_ns + after_ns;
	if (before_ns) {
		memmove(&inquiry->cuts[1], &inquiry->cuts[0], n * sizeof(inquiry->cuts[0]));
		inquiry->cuts[0] = (struct cut){spike_start_ns(inquiry->spike), 0, index};
		inquiry->n_cuts++;
	}
	if (after_ns)
		inquiry->cuts[inquiry->n_cuts++] = (struct cut){spike_end_ns(&inquiry->hop), 0, index};
}

static void cut_hop(struct inquiry *inquiry)
{
	do {
		struct answer answer = ask_witnesses(inquiry);
		uint64_t ns = answer.moment.to_ns - answer.moment.from_ns;
		bool is_between = is_interrupt(answer.cause.kind) && !answer.moment.cpu.interrupt;
		size_t index = cause_index(inquiry, &answer);

		inquiry->causes[index].ns += ns;
		inquiry->cuts[inquiry->n_cuts++] =
			(struct cut){answer.moment.from_ns, is_between ? ns : 0, index};
	} while (timeline_next(&inquiry->timeline));
}

static void cut_spike(struct inquiry *inquiry)
{
	uint64_t before_ns = spike_start_ns(&inquiry->hop) - spike_start_ns(inquiry->spike),
		 after_ns = spike_end_ns(inquiry->spike) - spike_end_ns(&inquiry->hop);

	cut_hop(inquiry);
	if (before_ns || after_ns)
		add_other_hops(inquiry, before_ns, after_ns);
}

/* Some witnesses are believed only if their cause took long. */
static void drop_insufficient(struct inquiry *inquiry)
{
	uint64_t length_ns = spike_length_ns(inquiry->spike);

	for (size_t i = 0; i < inquiry->n_causes; i++) {
		struct found_cause *found = &inquiry->causes[i];

		if (found->by && found->by->suffices && !found->by->suffices(found->ns, length_ns))
			found->cause = (struct cause){.kind = CAUSE_UNEXPLAINED, .cpu = found->cause.cpu};
	}
}

/* --- segments --- */

static uint64_t cut_end_ns(const struct inquiry *inquiry, size_t cut)
{
	return cut + 1 < inquiry->n_cuts ? inquiry->cuts[cut + 1].from_ns : spike_end_ns(inquiry->spike);
}

static uint64_t cut_length_ns(const struct inquiry *inquiry, size_t cut)
{
	return cut_end_ns(inquiry, cut) - inquiry->cuts[cut].from_ns;
}

static void remove_cut(struct inquiry *inquiry, size_t at)
{
	memmove(&inquiry->cuts[at], &inquiry->cuts[at + 1],
		(--inquiry->n_cuts - at) * sizeof(inquiry->cuts[0]));
}

/* The time when the hop was sent remains a cut. */
static void join_equal(struct inquiry *inquiry)
{
	size_t n = 0;

	for (size_t i = 0; i < inquiry->n_cuts; i++)
		if (!n || inquiry->cuts[i].from_ns == inquiry->spike->sent_ns ||
			!is_same_cause(cause_of(inquiry, i), cause_of(inquiry, n - 1)))
			inquiry->cuts[n++] = inquiry->cuts[i];
		else
			inquiry->cuts[n - 1].between_ns += inquiry->cuts[i].between_ns;
	inquiry->n_cuts = n;
}

static size_t shortest_cut(const struct inquiry *inquiry)
{
	size_t found = 0;

	for (size_t i = 1; i < inquiry->n_cuts; i++)
		if (cut_length_ns(inquiry, i) < cut_length_ns(inquiry, found))
			found = i;
	return found;
}

/* It becomes a part of its longer neighbour. Neighbours that are the same then are one. */
static void merge_shortest(struct inquiry *inquiry)
{
	size_t at = shortest_cut(inquiry), last = inquiry->n_cuts - 1;
	bool is_before =
		at == last || (at > 0 && cut_length_ns(inquiry, at - 1) >= cut_length_ns(inquiry, at + 1));

	if (is_before) {
		remove_cut(inquiry, at);
	} else {
		inquiry->cuts[at].cause = inquiry->cuts[at + 1].cause;
		remove_cut(inquiry, at + 1);
	}
	join_equal(inquiry);
}

static void list_segments(struct explanation *explanation, struct inquiry *inquiry)
{
	while (inquiry->n_cuts > SEGMENTS_MAX)
		merge_shortest(inquiry);
	for (size_t i = 0; i < inquiry->n_cuts; i++)
		explanation->segments[i] = (struct segment){
			inquiry->cuts[i].from_ns, cut_end_ns(inquiry, i), *cause_of(inquiry, i)};
	explanation->n_segments = inquiry->n_cuts;
}

/* --- blames --- */

/* All causes of one text, whichever the task, and on either CPU. */
struct sum {
	char text[CAUSE_TEXT_SIZE];
	struct blame blame;
};

/* The first sum is unexplained. */
struct sums {
	struct sum list[CAUSES_MAX + 1];
	size_t n;
};

static struct sum *find_sum(struct sums *sums, const struct cause *cause)
{
	char text[CAUSE_TEXT_SIZE];
	size_t i = 0;

	cause_text(cause, text);
	while (i < sums->n && strcmp(sums->list[i].text, text) != 0)
		i++;
	if (i == sums->n) {
		memcpy(sums->list[i].text, text, sizeof(text));
		sums->n++;
	}
	return &sums->list[i];
}

static void add_blame(struct sum *sum, const struct blame *blame)
{
	struct cause *cause = &sum->blame.cause;

	if (!sum->blame.n)
		*cause = blame->cause;
	if (cause->tid != blame->cause.tid || cause->partner_tid != blame->cause.partner_tid)
		cause->tid = 0;
	if (cause->policy != blame->cause.policy)
		cause->policy = 0;
	if (cause->cpu != blame->cause.cpu)
		cause->cpu = CAUSE_BOTH_CPUS;
	if (cause->kind == CAUSE_MIGRATED && cause->number != blame->cause.number)
		cause->number = 0;
	sum->blame.ns += blame->ns;
	sum->blame.between_ns += blame->between_ns;
	sum->blame.n += blame->n;
}

static int compare_sums(const void *left, const void *right)
{
	const struct sum *a = left, *b = right;

	return (a->blame.ns < b->blame.ns) - (a->blame.ns > b->blame.ns);
}

/* The least ones that find no room are unexplained. */
static void keep_most(struct sums *sums)
{
	qsort(&sums->list[1], sums->n - 1, sizeof(sums->list[0]), compare_sums);
	for (; sums->n > BLAMES_MAX; sums->n--) {
		struct blame least = sums->list[sums->n - 1].blame;

		least.cause = (struct cause){.kind = CAUSE_UNEXPLAINED, .cpu = least.cause.cpu};
		add_blame(&sums->list[0], &least);
	}
	qsort(sums->list, sums->n, sizeof(sums->list[0]), compare_sums);
}

static void lay_blame(struct explanation *explanation, const struct inquiry *inquiry)
{
	struct sums sums = {.n = 0};

	find_sum(&sums, &(struct cause){.kind = CAUSE_UNEXPLAINED});
	for (size_t i = 0; i < inquiry->n_cuts; i++) {
		const struct cause *cause = cause_of(inquiry, i);

		add_blame(find_sum(&sums, cause),
			&(struct blame){*cause, cut_length_ns(inquiry, i), inquiry->cuts[i].between_ns, 1});
		explanation->is_complete &= cause->kind != CAUSE_UNSEEN;
	}
	keep_most(&sums);
	for (size_t i = 0; i < sums.n && sums.list[i].blame.n; i++) {
		const struct blame *blame = &sums.list[i].blame;

		explanation->blames[explanation->n_blames++] = *blame;
		if (blame->cause.kind != CAUSE_UNEXPLAINED && blame->cause.kind != CAUSE_UNSEEN)
			explanation->explained_ns += blame->ns;
	}
}

/* --- the members --- */

static uint64_t find_ran(const struct flight_record *records, size_t n, const struct spike_end *end,
	uint64_t from_ns, uint64_t to_ns)
{
	while (n-- > 0) {
		const struct flight_record *record = &records[n];

		if (record->kind == FLIGHT_SWITCH && end->tid && record->next_tid == end->tid &&
			record->at_ns >= from_ns && record->at_ns <= to_ns)
			return record->at_ns;
	}
	return 0;
}

/* A lap without the times of its hops tells only until it was sent whose turn it was. */
static void find_members(struct explanation *explanation, const struct spike *spike,
	const struct flight_record *records, size_t n)
{
	uint64_t end_ns = spike_end_ns(spike), sent_ns = spike->sent_ns ? spike->sent_ns : end_ns;
	bool is_lap = spike->figure == FIGURE_LAP;

	if (!spike->due_ns || (is_lap && !spike->sent_ns))
		return;
	explanation->sender_ran_ns = find_ran(records, n, &spike->sender, spike->due_ns, sent_ns);
	if (!is_lap)
		explanation->receiver_ran_ns = find_ran(records, n, &spike->receiver, sent_ns, end_ns);
}

/* --- hints --- */

bool explanation_is_unseen(const struct explanation *explanation)
{
	return explanation->n_blames == 1 && explanation->blames[0].cause.kind == CAUSE_UNSEEN;
}

static void find_hints(struct explanation *explanation, const struct spike *spike)
{
	bool is_unseen = explanation_is_unseen(explanation);

	for (size_t i = 0; hint_sources[i]; i++) {
		const struct hint_source *source = hint_sources[i];

		for (int end = 0; end < 2 && (is_unseen || source->is_beside_records) &&
				  explanation->n_hints < HINTS_MAX;
			end++) {
			struct hint *hint = &explanation->hints[explanation->n_hints];

			hint->kind = source->kind;
			explanation->n_hints += source->find_hint(spike, end == 0, hint->text);
		}
	}
}

void explain(struct explanation *explanation, const struct spike *spike, const struct flight_record *records,
	size_t n_records)
{
	struct inquiry inquiry = {.spike = spike, .hop = hop_of(spike), .n_causes = 1};

	*explanation = (struct explanation){.length_ns = spike_length_ns(spike),
		.is_complete = true,
		.steal_ns = spike->sender_steal_ns + spike->receiver_steal_ns,
		.n_smis = spike->n_smis,
		.is_guest = spike->is_guest};
	if (!explanation->length_ns)
		return;
	if (inquiry.hop.sent_ns && inquiry.hop.sent_ns < inquiry.hop.due_ns)
		inquiry.sender_ran_ns = sending_ns; /* it has sent */
	timeline_start(&inquiry.timeline, &inquiry.hop, records, n_records);
	cut_spike(&inquiry);
	drop_insufficient(&inquiry);
	join_equal(&inquiry);
	lay_blame(explanation, &inquiry);
	list_segments(explanation, &inquiry);
	find_members(explanation, &inquiry.hop, records, n_records);
	find_hints(explanation, spike);
}
