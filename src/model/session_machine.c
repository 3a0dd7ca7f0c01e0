/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_machine.c - what changed on the machine while the rings ran, as events. */
#include <stdio.h>
#include <string.h>

#include "src/model/session.h"

enum { WORD_SIZE = 256 };

/* A fact as a word, so that all facts are compared and told alike. */
struct fact {
	const char *name;
	void (*word)(const struct machine *machine, char word[WORD_SIZE]);
};

static void word_dma_latency(const struct machine *machine, char word[WORD_SIZE])
{
	static const char *const states[] = {[MACHINE_ABSENT] = "absent", [MACHINE_DENIED] = "not readable"};

	if (machine->dma_latency_state != MACHINE_VALUE)
		snprintf(word, WORD_SIZE, "%s", states[machine->dma_latency_state]);
	else if (machine->dma_latency_us == 2000000000)
		snprintf(word, WORD_SIZE, "none");
	else
		snprintf(word, WORD_SIZE, "%d us", (int)machine->dma_latency_us);
}

static void word_governor(const struct machine *machine, char word[WORD_SIZE])
{
	snprintf(word, WORD_SIZE, "%s", machine->governor[0] ? machine->governor : "none");
}

static void word_isolated(const struct machine *machine, char word[WORD_SIZE])
{
	snprintf(word, WORD_SIZE, "%s", machine->isolated[0] ? machine->isolated : "none");
}

static void word_smt(const struct machine *machine, char word[WORD_SIZE])
{
	snprintf(word, WORD_SIZE, "%s", machine->smt < 0 ? "unknown" : machine->smt ? "on" : "off");
}

static void word_clock_source(const struct machine *machine, char word[WORD_SIZE])
{
	snprintf(word, WORD_SIZE, "%s", machine->clock_source[0] ? machine->clock_source : "unknown");
}

static void word_microseconds(int64_t us, char word[WORD_SIZE])
{
	if (us == INT64_MIN)
		snprintf(word, WORD_SIZE, "unknown");
	else
		snprintf(word, WORD_SIZE, "%lld", (long long)us);
}

static void word_rt_runtime(const struct machine *machine, char word[WORD_SIZE])
{
	word_microseconds(machine->rt_runtime_us, word);
}

static void word_rt_period(const struct machine *machine, char word[WORD_SIZE])
{
	word_microseconds(machine->rt_period_us, word);
}

static const struct fact facts[] = {
	{"dma latency", word_dma_latency},
	{"governor", word_governor},
	{"isolated CPUs", word_isolated},
	{"SMT", word_smt},
	{"clock source", word_clock_source},
	{"sched_rt_runtime_us", word_rt_runtime},
	{"sched_rt_period_us", word_rt_period},
};

int session_machine(struct session *session, const struct machine *machine, uint64_t now_ns)
{
	int r = 0;

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts) && r == 0; i++) {
		char before[WORD_SIZE], after[WORD_SIZE];

		facts[i].word(&session->machine, before);
		facts[i].word(machine, after);
		if (strcmp(before, after) != 0)
			r = session_event(session, now_ns, EVENT_CHANGE, -1, "%s: %s -> %s", facts[i].name,
				before, after);
	}
	session->machine = *machine;
	return r;
}
