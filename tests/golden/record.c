/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.c - writes a made-up run as a recording: golden_record
 * few|many|short|rings|limit|marks|spikes|unrecorded|crowd|sweep-8|sweep-128|... FILE
 */
#include <stdio.h>

#include "tests/golden/run.h"
#include "tests/golden/sweep.h"

int main(int argc, char **argv)
{
	const struct run_story *story = argc == 3 ? run_story(argv[1]) : NULL;

	if (argc == 3 && !story && made_sweep_record(argv[1], argv[2]))
		return 0;
	if (!story) {
		fprintf(stderr,
			"usage: golden_record few|many|short|rings|limit|marks|spikes|unrecorded|crowd|sweep-8|"
			"sweep-128|... FILE\n");
		return 1;
	}
	made_run_record(story, argv[2]);
	return 0;
}
