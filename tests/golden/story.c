/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story.c - the table of made-up runs. */
#include "tests/golden/story.h"

#include <string.h>

#include "tests/golden/run.h"

enum { FOREVER = 1 << 20 };

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
