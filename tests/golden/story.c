/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story.c - the table of made-up runs. */
#include "tests/golden/story.h"

#include <string.h>

#include "tests/golden/run.h"

enum { FOREVER = 1 << 20 };

/* One began before the lap was due: its time wraps, and is before that. */
#define US(us) ((uint64_t)((us)*INT64_C(1000)))

enum { HOG = 4711, HOG_PRIORITY = 9 /* FIFO 90 */, MEMBER = -1 /* the pair's own, of the record's CPU */ };

/* clang-format off */
static const struct made_spike made_spikes[] = {
	/* A task of FIFO 90 ran already when the lap was due. */
	{1, 3, 5, US(206), US(212), US(40000), US(30), {
		{FLIGHT_SWITCH, 0, US(-310), .next_tid = HOG, .next_priority = HOG_PRIORITY, .prev_name = "swapper/2",
			.next_name = "stress-ng-cpu", .prev_priority = 120},
		{FLIGHT_SWITCH, 0, US(205), .prev_tid = HOG, .prev_priority = HOG_PRIORITY, .prev_state = FLIGHT_SLEEPS,
			.prev_name = "stress-ng-cpu", .next_tid = MEMBER, .next_priority = 19, .next_name = "ipctop"}}},
	/* An interrupt. */
	{2, 4, 4, US(34), US(41), US(30000), US(20), {
		{FLIGHT_SWITCH, 0, US(-900), .prev_tid = MEMBER, .prev_priority = 19, .prev_state = FLIGHT_SLEEPS,
			.prev_name = "ipctop", .next_name = "swapper/3", .next_priority = 120},
		{FLIGHT_IRQ, 0, US(31), US(1), .number = 45, .next_name = "nvme0q5"}}},
	/* A task, an interrupt and its softirq, one after the other, and one on the CPU of the other member. */
	{5, 6, 7, US(58), US(83), US(45000), US(25), {
		{FLIGHT_SWITCH, 0, US(-2), .next_tid = 24, .next_priority = 0, .prev_name = "swapper/5",
			.next_name = "migration/5", .prev_priority = 120},
		{FLIGHT_IRQ, 0, US(31), US(19), .number = 130, .next_name = "eth0-rx-1"},
		{FLIGHT_SOFTIRQ, 0, US(52), US(31), .number = 3, .next_name = "NET_RX"},
		{FLIGHT_SWITCH, 0, US(55), .prev_tid = 24, .prev_priority = 0, .prev_state = FLIGHT_SLEEPS,
			.prev_name = "migration/5", .next_tid = MEMBER, .next_priority = 19, .next_name = "ipctop"},
		{FLIGHT_TIMER, 1, US(79), US(61), .next_name = "timer"}}},
	/* The real-time throttling. */
	{0, 12, 0, US(50020), US(50027), US(95000), US(20), {
		{FLIGHT_SWITCH, 0, US(-40), .prev_tid = MEMBER, .prev_priority = 19, .prev_name = "ipctop",
			.next_name = "swapper/0", .next_priority = 120},
		{FLIGHT_SWITCH, 0, US(50010), .prev_name = "swapper/0", .prev_priority = 120, .next_tid = MEMBER,
			.next_priority = 19, .next_name = "ipctop"}}},
	/* The CPU was idle. */
	{4, 5, 11, US(77), US(82), US(20000), US(20), {
		{FLIGHT_SWITCH, 0, US(-700), .prev_tid = MEMBER, .prev_priority = 19, .prev_state = FLIGHT_SLEEPS,
			.prev_name = "ipctop", .next_tid = 0, .next_name = "swapper/4", .next_priority = 120},
		{FLIGHT_SWITCH, 0, US(-30), .prev_name = "swapper/4", .prev_priority = 120, .next_tid = MEMBER,
			.next_priority = 19, .next_name = "ipctop"},
		{FLIGHT_TIMER, 0, US(11), US(2), .next_name = "timer"}}},
	/* The records have too little. */
	{0, 9, 13, US(14), US(62), US(20000), US(20),
		{{FLIGHT_SWITCH, 0, US(-700), .prev_tid = MEMBER, .prev_priority = 19,
			 .prev_state = FLIGHT_SLEEPS, .prev_name = "ipctop", .next_name = "swapper/0",
			 .next_priority = 120},
			{FLIGHT_TIMER, 0, US(11), US(2), .next_name = "timer"}}},
	/* Stopped, and it still is. */
	{3, 59, 0, 0, 0, US(1900), US(20), {
		{FLIGHT_SWITCH, 0, US(-9000), .prev_tid = MEMBER, .prev_priority = 19, .prev_state = FLIGHT_STOPPED,
			.prev_name = "ipctop", .next_name = "swapper/5", .next_priority = 120}}},
};

#define NOT_RECORDED(us) {{FLIGHT_GAP, 0, US(us)}, {FLIGHT_GAP, 1, US(us)}}

/* As without the right to record. */
static const struct made_spike unrecorded_spikes[] = {
	/* All rings of one CPU were late, and a task has a higher priority there. */
	{1, 3, 5, US(206), US(212), US(40000), US(30), NOT_RECORDED(300), 6, 2, {
		{2, 2, 2, 2, HOG, HOG_PRIORITY, "stress-ng-cpu", 900, 1000, 600, 700, "LOC", "TIMER"},
		{3, 1, 3, 1, 0, 0, "", 1200, 1100, 1000, 900, "LOC", "TIMER"}}},
	/* A flood of interrupts. */
	{2, 4, 4, US(9), US(141), US(30000), US(20), NOT_RECORDED(200), 6, 1, {
		{2, 1, 2, 1, 0, 0, "", 1000, 1100, 1000, 900, "LOC", "TIMER"},
		{2, 1, 2, 1, 0, 0, "", 52100, 1100, 48300, 900, "eth0-rx-1", "NET_RX"}}},
	/* All rings at once. */
	{4, 7, 9, US(700), US(705), US(30000), US(20), NOT_RECORDED(1000), 6, 6, {{2, 2, 2, 2}, {2, 2, 2, 2}}},
};
/* clang-format on */

static const struct run_story stories[] = {
	{
		.name = "few",
		.n_pairs = 4,
		.n_turns = 1,
		.n_ticks = 370,
		.n_probes = 1,
		.isolated = "2-7",
		.n_cpus = 8,
		.happenings =
			{
				{0, FATE_REFUSED, 0, FOREVER},
				{0, FATE_SPIKES, 0, FOREVER},
				{1, FATE_CHRT, 200, FOREVER},
				{2, FATE_FAILED, 90, FOREVER},
				{3, FATE_STARVED, 340, 346},
				{3, FATE_STARVED, 366, FOREVER},
			},
		.marks = {{120, "governor"}, {240, "irqs to 0-1"}, {300, NULL}},
	},
	{
		.name = "many",
		.n_pairs = 40,
		.n_turns = 2,
		.n_ticks = 370,
		.n_probes = 3,
		.isolated = "4-39",
		.n_cpus = 40,
		.happenings =
			{
				{2, FATE_REFUSED, 0, FOREVER},
				{1, FATE_SPIKES, 0, FOREVER},
				{7, FATE_FAILED, 0, FOREVER},
				{11, FATE_STARVED, 361, FOREVER},
				{16, FATE_CHRT, 150, FOREVER},
				{21, FATE_SPIKES, 100, 300},
				{30, FATE_FLOOD, 0, FOREVER},
			},
		.governor_tick = 100,
		.marks = {{100, "quiet"}},
	},
	{
		.name = "short", /* and small as a file, with a checkpoint in it */
		.n_pairs = 2,
		.n_turns = 1,
		.n_ticks = 300,
		.n_probes = 1,
		.isolated = "1",
		.n_cpus = 2,
		.happenings = {{0, FATE_FAILED, 20, FOREVER}, {1, FATE_CHRT, 10, FOREVER},
			{1, FATE_STARVED, 26, 292}},
		.governor_tick = 15,
		.marks = {{15, "a mark"}},
	},
	{
		.name = "rings",
		.n_pairs = 4,
		.n_members = 4,
		.n_turns = 1,
		.n_ticks = 370,
		.n_probes = 2,
		.isolated = "2-7",
		.n_cpus = 8,
		.happenings = {{1, FATE_FAILED, 90, FOREVER}, {2, FATE_STARVED, 361, FOREVER},
			{3, FATE_RENICE, 150, FOREVER}},
		.marks = {{120, "governor"}},
	},
	{
		.name = "limit",
		.n_pairs = 12,
		.n_turns = 3,
		.n_ticks = 60,
		.n_probes = 2,
		.isolated = "2-5",
		.n_cpus = 6,
		.limit_ns = 20000,
		.happenings = {{1, FATE_CHRT, 9, FOREVER}, {3, FATE_STARVED, 54, FOREVER},
			{4, FATE_SPIKES, 0, FOREVER}, {6, FATE_FAILED, 12, FOREVER},
			{7, FATE_SPIKES, 0, FOREVER}},
		.marks = {{30, "quiet"}},
	},
	{
		.name = "marks", /* so long that a seek to its end does not read its start */
		.n_pairs = 2,
		.n_turns = 1,
		.n_ticks = 700,
		.n_probes = 1,
		.isolated = "1",
		.n_cpus = 2,
		.happenings = {{1, FATE_SPIKES, 40, 80}},
		.governor_tick = 80,
		.marks = {{40, "spikes"}, {80, "long"}, {600, "late"}, {640, "last"}},
	},
	{
		.name = "laps",
		.n_pairs = 6,
		.n_turns = 1,
		.n_ticks = 180,
		.n_probes = 2,
		.isolated = "2-5",
		.n_cpus = 6,
		.limit_ns = 20000,
		.stamps = STAMPS_LAP,
		.happenings = {{1, FATE_SPIKES, 0, FOREVER}, {2, FATE_STARVED, 171, FOREVER}},
		.marks = {{120, "governor"}},
	},
	{
		.name = "batches",
		.n_pairs = 6,
		.n_turns = 1,
		.n_ticks = 180,
		.n_probes = 2,
		.isolated = "2-5",
		.n_cpus = 6,
		.stamps = STAMPS_LAP,
		.batch_laps = 64,
		.happenings = {{0, FATE_FLOOD, 0, FOREVER}, {1, FATE_FLOOD, 0, FOREVER},
			{2, FATE_FLOOD, 0, FOREVER}, {3, FATE_FLOOD, 0, FOREVER}, {4, FATE_FLOOD, 0, FOREVER},
			{5, FATE_FLOOD, 0, FOREVER}},
		.marks = {{120, "governor"}},
	},
	{
		.name = "spikes",
		.n_pairs = 6,
		.n_turns = 1,
		.n_ticks = 60,
		.n_probes = 2,
		.isolated = "2-5",
		.n_cpus = 6,
		.recorder = "bpf",
		.spikes = made_spikes,
		.n_spikes = sizeof(made_spikes) / sizeof(*made_spikes),
		.happenings = {{3, FATE_STARVED, 59, FOREVER}},
		.marks = {{30, "irqs to 0-1"}},
	},
	{
		.name = "unrecorded",
		.n_pairs = 6,
		.n_turns = 1,
		.n_ticks = 60,
		.n_probes = 2,
		.isolated = "2-5",
		.n_cpus = 6,
		.recorder = "off",
		.spikes = unrecorded_spikes,
		.n_spikes = sizeof(unrecorded_spikes) / sizeof(*unrecorded_spikes),
	},
	{
		.name = "crowd",
		.n_pairs = 1024,
		.n_turns = 1,
		.n_ticks = 120,
		.n_probes = 1,
		.isolated = "16-1023",
		.n_cpus = 1024,
		.happenings = {{3, FATE_SPIKES, 0, FOREVER}, {100, FATE_SPIKES, 0, FOREVER}},
	},
};

const struct run_story *run_story(const char *name)
{
	for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++)
		if (strcmp(stories[i].name, name) == 0)
			return &stories[i];
	return NULL;
}
