/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_hints.c - what may have been the cause of a spike that nothing recorded. */
#include <sched.h>
#include <string.h>

#include "src/witness/explanation.h"
#include "tests/unit/recorded_spike.h"
#include "tests/unit/tap.h"

enum { US = 1000, DUE = 500000000, HOG = 4711, FIFO_90 = 9, FIFO_50 = 49 };

/* Due at 0 us; the recorder has a gap on both CPUs. */
static void explain_unseen(struct explanation *explanation, const struct spike *spike)
{
	uint64_t end_ns = spike_end_ns(spike);
	const struct flight_record records[] = {{.kind = FLIGHT_GAP, .cpu = 0, .at_ns = end_ns},
		{.kind = FLIGHT_GAP, .cpu = 1, .at_ns = end_ns}};

	explain_recorded(explanation, spike, records, 2);
}

static struct spike spike_of(uint64_t sent_us, uint64_t received_us)
{
	return (struct spike){.figure = FIGURE_RESPONSE,
		.due_ns = DUE,
		.sent_ns = DUE + sent_us * US,
		.received_ns = DUE + received_us * US,
		.seen_ns = DUE + received_us * US + 1,
		.sender = {100, 0, {SCHED_FIFO, 80, 0}},
		.receiver = {101, 1, {SCHED_FIFO, 80, 0}}};
}

/* @rings, @late: of all; then of the sender's CPU, of its core, and of the receiver's CPU. */
static struct spike coinciding(uint32_t rings, uint32_t late, uint32_t cpu_rings, uint32_t cpu_late,
	uint32_t core_rings, uint32_t core_late, uint32_t other_rings, uint32_t other_late)
{
	struct spike spike = spike_of(0, 0);

	spike.due_ns = 0; /* no hint by stamps */
	spike.sent_ns = DUE;
	spike.received_ns = DUE + 100 * US;
	spike.n_rings = rings;
	spike.n_late = late;
	spike.sender_hints = (struct cpu_hints){.n_rings = cpu_rings,
		.n_late = cpu_late,
		.n_core_rings = core_rings,
		.n_core_late = core_late};
	spike.receiver_hints = (struct cpu_hints){.n_rings = other_rings, .n_late = other_late};
	return spike;
}

static struct spike with_top(int32_t priority, int policy)
{
	struct spike spike = coinciding(0, 0, 0, 0, 0, 0, 0, 0);

	spike.sender.policy = (struct task_policy){policy, policy == SCHED_FIFO ? 80 : 0, 0};
	spike.sender_hints = (struct cpu_hints){.top_tid = HOG, .top_priority = priority, .top_name = "hog"};
	return spike;
}

static struct spike with_rates(
	uint32_t hz, uint32_t usual_hz, uint32_t softirqs_hz, uint32_t usual_softirqs_hz)
{
	struct spike spike = coinciding(0, 0, 0, 0, 0, 0, 0, 0);

	spike.receiver_hints = (struct cpu_hints){.interrupts_hz = hz,
		.usual_interrupts_hz = usual_hz,
		.softirqs_hz = softirqs_hz,
		.usual_softirqs_hz = usual_softirqs_hz,
		.interrupt_name = "eth0",
		.softirq_name = "NET_RX"};
	return spike;
}

static struct spike with_frequencies(
	uint32_t mhz, uint32_t usual_mhz, uint32_t other_mhz, uint32_t other_usual_mhz)
{
	struct spike spike = coinciding(0, 0, 0, 0, 0, 0, 0, 0);

	spike.sender_hints = (struct cpu_hints){.mhz = mhz, .usual_mhz = usual_mhz};
	spike.receiver_hints = (struct cpu_hints){.mhz = other_mhz, .usual_mhz = other_usual_mhz};
	return spike;
}

static void each_hint_needs_its_facts(void)
{
	struct spike under_way = spike_of(0, 0), anywhere = spike_of(210, 215),
		     one_cpu = with_rates(5000, 10, 0, 0);

	under_way.sent_ns = under_way.received_ns = 0;
	under_way.seen_ns = DUE + 200000 * US;
	anywhere.sender.cpu = anywhere.receiver.cpu = -1;
	one_cpu.sender_hints = one_cpu.receiver_hints;
	one_cpu.receiver.cpu = 0;
	const struct {
		const char *what;
		struct spike spike;
		const char *expected;
	} cases[] = {
		{"a late start", spike_of(210, 215), "hint: late start on CPU 0, 210 of 215 us"},
		{"a slow hop", spike_of(15, 215), "hint: slow hop from CPU 0 to CPU 1, 200 of 215 us"},
		{"on no CPU of their own", anywhere,
			"hints: late start, 210 of 215 us; sender and receiver may have run on several CPUs, or were moved"},
		{"under way", under_way, "nothing was recorded"},
		{"a CPU", coinciding(12, 4, 4, 4, 6, 4, 5, 1),
			"hint: all 4 rings of CPU 0 were late at once, and no other"},
		{"the other CPU", coinciding(12, 5, 9, 1, 9, 1, 5, 5),
			"hint: all 5 rings of CPU 1 were late at once, and no other"},
		{"a core", coinciding(12, 6, 4, 4, 6, 6, 5, 1),
			"hint: all 6 rings of the core of CPU 0 were late at once, and no other"},
		{"all", coinciding(12, 12, 4, 4, 6, 6, 5, 5), "hint: all 12 rings were late at once"},
		{"another ring was late, too", coinciding(12, 5, 4, 4, 6, 4, 5, 1), "nothing was recorded"},
		{"a ring of the CPU was not", coinciding(12, 3, 4, 3, 6, 3, 5, 1), "nothing was recorded"},
		{"one ring alone", coinciding(12, 1, 1, 1, 1, 1, 5, 1), "nothing was recorded"},
		{"a task of a higher priority", with_top(FIFO_90, SCHED_FIFO),
			"hint: hog 4711 (RT90) has the highest priority on CPU 0 now"},
		{"a task of a lower one", with_top(FIFO_50, SCHED_FIFO), "nothing was recorded"},
		{"beside an ordinary member", with_top(FIFO_50, SCHED_OTHER),
			"hint: hog 4711 (RT50) has the highest priority on CPU 0 now"},
		{"a deadline task", with_top(-1, SCHED_FIFO),
			"hint: hog 4711 (DL) has the highest priority on CPU 0 now"},
		{"interrupts", with_rates(52000, 1000, 900, 1000),
			"hint: CPU 1 had 52000 interrupts a second in that tick, usually 1000; "
			"most were eth0"},
		{"softirqs", with_rates(1000, 1000, 48000, 900),
			"hint: CPU 1 had 48000 softirqs a second in that tick, usually 900; "
			"most were NET_RX"},
		{"no more than usual", with_rates(52000, 20000, 0, 0), "nothing was recorded"},
		{"few", with_rates(1900, 10, 0, 0), "nothing was recorded"},
		{"it is not known what is usual", with_rates(52000, 0, 0, 0), "nothing was recorded"},
		{"a low frequency", with_frequencies(3400, 3400, 800, 3400),
			"hint: CPU 1 ran at 800 MHz when the spike was found, usually at 3400 MHz"},
		{"of both CPUs", with_frequencies(400, 3000, 800, 3400),
			"hints: CPU 0 ran at 400 MHz when the spike was found, usually at 3000 MHz; "
			"CPU 1 ran at 800 MHz when the spike was found, usually at 3400 MHz"},
		{"half of the usual one", with_frequencies(1700, 3400, 0, 3400), "nothing was recorded"},
		{"a frequency, but not what is usual", with_frequencies(800, 0, 0, 0),
			"nothing was recorded"},
		{"both members on one CPU", one_cpu,
			"hint: CPU 0 had 5000 interrupts a second in that tick, usually 10; "
			"most were eth0"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct explanation explanation;
		char text[EXPLANATION_TEXT_SIZE];

		explain_unseen(&explanation, &cases[i].spike);
		CHECK(strcmp(explanation_text(&explanation, text), cases[i].expected) == 0, "%s: %s",
			cases[i].what, text);
	}
}

static void several_hints_are_told_and_nobody_is_blamed(void)
{
	struct spike spike = spike_of(210, 215);
	struct explanation explanation;
	char text[EXPLANATION_TEXT_SIZE];

	spike.n_rings = spike.n_late = 3;
	spike.sender_hints = with_top(FIFO_90, SCHED_FIFO).sender_hints;
	explain_unseen(&explanation, &spike);
	CHECK(strcmp(explanation_text(&explanation, text),
		      "hints: all 3 rings were late at once; late start on CPU 0, 210 of 215 us; "
		      "hog 4711 (RT90) has the highest priority on CPU 0 now") == 0,
		"%s", text);
	CHECK(explanation.n_hints == 3 && strcmp(explanation.hints[2].kind, "priority") == 0);
	CHECK(explanation.n_blames == 1 && explanation.blames[0].cause.kind == CAUSE_UNSEEN &&
		!*explanation.blames[0].cause.name && !explanation.explained_ns);
}

static void with_a_record_there_are_no_hints(void)
{
	struct spike spike = spike_of(210, 215);
	const struct flight_record record = {.kind = FLIGHT_GAP, .cpu = 0, .at_ns = DUE + 100 * US};
	struct explanation explanation;

	spike.n_rings = spike.n_late = 3;
	explain_recorded(&explanation, &spike, &record, 1);
	CHECK(explanation.n_hints == 0 && !explanation.is_complete);
}

/* What ran on the other member's CPU says nothing about one that may have been anywhere. */
static void that_a_member_has_no_cpu_is_a_hint_beside_records(void)
{
	const struct flight_record burst[] = {{.kind = FLIGHT_SWITCH,
		.cpu = 0,
		.at_ns = DUE + 6 * US,
		.prev_tid = 100,
		.prev_priority = FIFO_90,
		.prev_state = FLIGHT_SLEEPS,
		.next_tid = HOG,
		.next_priority = FIFO_90,
		.next_name = "hog"}};
	struct spike receiver = spike_of(5, 205), sender = spike_of(200, 205);
	struct explanation explanation;
	char text[EXPLANATION_TEXT_SIZE];

	receiver.receiver.cpu = -1;
	explain_recorded(&explanation, &receiver, burst, 1);
	CHECK(strcmp(explanation_text(&explanation, text),
		      "not recorded 200 of 205 us; hint: the receiver may have run on several CPUs, or was moved") ==
			0,
		"%s", text);
	sender.sender.cpu = -1;
	explain_recorded(&explanation, &sender, burst, 1);
	CHECK(strcmp(explanation_text(&explanation, text),
		      "hints: late start, 200 of 205 us; the sender may have run on several CPUs, or was moved") ==
			0,
		"%s", text);
}

static void a_low_frequency_is_a_hint_beside_records_and_nobody_is_blamed_for_it(void)
{
	const struct flight_record hog[] = {{.kind = FLIGHT_SWITCH,
						    .cpu = 0,
						    .at_ns = DUE - 5 * US,
						    .next_tid = HOG,
						    .next_priority = FIFO_90,
						    .next_name = "hog"},
		{.kind = FLIGHT_SWITCH,
			.cpu = 0,
			.at_ns = DUE + 205 * US,
			.prev_tid = HOG,
			.prev_priority = FIFO_90,
			.prev_state = FLIGHT_SLEEPS,
			.next_tid = 100}};
	struct spike spike = spike_of(210, 215);
	struct explanation explanation;
	char text[EXPLANATION_TEXT_SIZE];

	spike.sender_hints = with_frequencies(800, 3400, 0, 0).sender_hints;
	explain_recorded(&explanation, &spike, hog, 2);
	CHECK(strcmp(explanation_text(&explanation, text),
		      "hog 4711 (RT90) held CPU 0 for 205 us; hint: CPU 0 ran at 800 MHz when the spike was "
		      "found, usually at 3400 MHz") == 0,
		"%s", text);
	explain_recorded(&explanation, &spike, hog, 0);
	explanation_text(&explanation, text);
	CHECK(strstr(text, "; hint: CPU 0 ran at 800 MHz"), "%s", text);
	CHECK(explanation.blames[0].cause.kind == CAUSE_NOT_WOKEN, "%d",
		(int)explanation.blames[0].cause.kind);
}

/* All texts have their largest numbers. */
static void the_longest_hints_fit(void)
{
	struct spike spike = spike_of(0, 1000000000);
	struct cpu_hints hints = {UINT32_MAX - 1, UINT32_MAX - 1, UINT32_MAX - 1, UINT32_MAX - 1, INT32_MAX,
		0, "123456789012345", UINT32_MAX, 1000000000, UINT32_MAX, 1000000000, "123456789012345",
		"123456789012345"};
	struct explanation explanation;
	char text[EXPLANATION_TEXT_SIZE];

	spike.n_rings = UINT32_MAX;
	spike.n_late = UINT32_MAX - 1;
	spike.sender.cpu = 8190;
	spike.receiver.cpu = 8191;
	spike.sender_hints = spike.receiver_hints = hints;
	const struct flight_record records[] = {
		{.kind = FLIGHT_GAP, .cpu = 8190, .at_ns = spike_end_ns(&spike)},
		{.kind = FLIGHT_GAP, .cpu = 8191, .at_ns = spike_end_ns(&spike)}};

	explain_recorded(&explanation, &spike, records, 2);
	CHECK(explanation.n_hints == HINTS_MAX, "%zu", explanation.n_hints);
	for (size_t i = 0; i < explanation.n_hints; i++)
		CHECK(strlen(explanation.hints[i].text) < sizeof(explanation.hints[i].text) - 1, "%s",
			explanation.hints[i].text);
	explanation_text(&explanation, text);
	CHECK(strlen(text) < sizeof(text));
}

int main(void)
{
	TEST(each_hint_needs_its_facts);
	TEST(several_hints_are_told_and_nobody_is_blamed);
	TEST(with_a_record_there_are_no_hints);
	TEST(that_a_member_has_no_cpu_is_a_hint_beside_records);
	TEST(a_low_frequency_is_a_hint_beside_records_and_nobody_is_blamed_for_it);
	TEST(the_longest_hints_fit);
	return tap_done();
}
