/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamps.c - compares the stamps of hops with the kernel's records of the switches to their members.
 *
 * With a spike limit of 1 ns each hop is a spike, and has the records of its CPUs. */
#include "src/selftest/stamps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/flight/flight.h"
#include "src/selftest/measuring.h"
#include "src/selftest/selftest.h"

enum { DISTANCES_MAX = 1024 };
/* No more spikes a second are reported than 20, so all of them are. */
static const uint64_t interval_ns = 60000000;
static const uint64_t second_ns = 1000000000;
/* The clock of perf's records is the same, but while the kernel corrects its rate it may be off by this. */
static const uint64_t tolerance_ns = 1000;

struct comparing {
	struct stamps_result *result;
	uint64_t distances_ns[DISTANCES_MAX]; /* from switch to receiver to received */
	size_t n;
};

/* Returns the first switch to the member between two stamps; else another one; NULL: the member did not
 * sleep. */
static const struct flight_record *find_switch(
	const struct spike_report *report, int32_t tid, uint64_t after_ns, uint64_t before_ns)
{
	const struct flight_record *other = NULL;

	for (size_t i = 0; i < report->n_records; i++) {
		const struct flight_record *record = &report->records[i];

		if (record->kind != FLIGHT_SWITCH || record->next_tid != tid ||
			record->at_ns + tolerance_ns < report->spike.due_ns)
			continue;
		if (record->at_ns + tolerance_ns >= after_ns && record->at_ns <= before_ns + tolerance_ns)
			return record;
		other = record;
	}
	return other;
}

/* Returns the switch that belongs to the member's stamps; NULL: none does. */
static const struct flight_record *compare_switch(struct stamps_result *result,
	const struct spike_report *report, int32_t tid, uint64_t after_ns, uint64_t before_ns)
{
	const struct flight_record *record = find_switch(report, tid, after_ns, before_ns);

	if (!record)
		return NULL;
	result->n_woken++;
	if (record->at_ns + tolerance_ns >= after_ns && record->at_ns <= before_ns + tolerance_ns)
		return record;
	result->n_wrong++;
	return NULL;
}

static void take_hop(void *data, struct source *source, const struct feed_item *item)
{
	struct comparing *comparing = data;
	struct stamps_result *result = comparing->result;

	if (item->kind != FEED_SPIKE || !item->spike->spike.received_ns || !item->spike->spike.sent_ns ||
		item->spike->spike.hop_from_ns)
		return;
	const struct spike *spike = &item->spike->spike;

	result->n_hops++;
	compare_switch(result, item->spike, spike->sender.tid, spike->due_ns, spike->sent_ns);
	const struct flight_record *receiver =
		compare_switch(result, item->spike, spike->receiver.tid, spike->sent_ns, spike->received_ns);

	if (receiver && receiver->at_ns <= spike->received_ns && comparing->n < DISTANCES_MAX)
		comparing->distances_ns[comparing->n++] = spike->received_ns - receiver->at_ns;
}

static int compare_times(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void judge(struct comparing *comparing, const char *tier)
{
	struct stamps_result *result = comparing->result;

	if (!result->n_woken) {
		error_text_set(&result->reason, 0,
			strcmp(tier, "switches") == 0 ? "no switch to a member was recorded"
						      : "the recorder switches does not record here");
		return;
	}
	result->outcome = result->n_wrong > result->n_woken / 10 ? OUTCOME_FAILED : OUTCOME_HELD;
	qsort(comparing->distances_ns, comparing->n, sizeof(uint64_t), compare_times);
	if (!comparing->n)
		return;
	result->median_ns = comparing->distances_ns[comparing->n / 2];
	result->max_ns = comparing->distances_ns[comparing->n - 1];
}

/* A pair of two CPUs, if there are two. */
static struct config config_of(const struct selftest *selftest)
{
	const struct cpus *usable = &selftest->topology->usable;
	int first = cpus_next(usable, -1), second = cpus_next(usable, first);
	struct config config = measuring_config(selftest, "pipe", (unsigned)first);

	if (second >= 0) {
		cpus_add(&config.cpus, (unsigned)second);
		config.ring_members = 2;
		config.n_rings = 1;
		config.n_pairs = 0;
	}
	config.interval_ns = interval_ns;
	config.spike_ns = 1;
	config.duration_ns = (selftest->is_quick ? 2 : 8) * second_ns;
	for (unsigned i = 0; flight_word(i); i++)
		if (strcmp(flight_word(i), "switches") == 0)
			config.recorder = i;
	return config;
}

int stamps_compare(const struct selftest *selftest, struct stamps_result *result, struct error_text *reason)
{
	struct config config = config_of(selftest);
	struct comparing comparing = {.result = result};
	struct measuring *measuring = calloc(1, sizeof(*measuring));

	*result = (struct stamps_result){.outcome = OUTCOME_LEFT_OUT};
	if (!measuring)
		return error_text_set(reason, -ENOMEM, "no memory");
	*measuring = (struct measuring){.selftest = selftest, .take = take_hop, .data = &comparing};
	int r = measuring_run(measuring, &config, reason);

	if (r == 0 && *flight_lacks(measuring->run.flight))
		error_text_set(&result->reason, 0, "%s", flight_lacks(measuring->run.flight));
	else if (r == 0)
		judge(&comparing, flight_tier_name(measuring->run.flight));
	measuring_finish(measuring);
	free(measuring);
	return r;
}
