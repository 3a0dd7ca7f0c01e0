/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trouble - inflicts a trouble of the self-test on a pair of a run that goes on:
 * bench_trouble NAME CPU PID PID
 *
 * The PIDs are the members'. Prints "began" and the time of CLOCK_MONOTONIC, in ns, when it is inflicted for
 * the first time. Exit status: 1 with the reason on stderr where it can't be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/selftest/troubles.h"

static const struct trouble *find_trouble(const char *name)
{
	for (size_t i = 0; troubles[i]; i++)
		if (strcmp(troubles[i]->name, name) == 0)
			return troubles[i];
	return NULL;
}

static void print_begin(const struct stage *stage)
{
	printf("began %llu\n", (unsigned long long)stage->injections[0].from_ns);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct trouble *trouble = argc == 3 + TROUBLE_MEMBERS ? find_trouble(argv[1]) : NULL;
	struct stage *stage =
		mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct error_text reason = {0};
	bool has_begun = false;

	if (!trouble || stage == MAP_FAILED) {
		fprintf(stderr, "usage: bench_trouble NAME CPU PID PID\n");
		return 2;
	}
	if (trouble->is_possible && !trouble->is_possible(&reason)) {
		fprintf(stderr, "%s\n", reason.text);
		return 1;
	}
	stage->cpu = (unsigned)atoi(argv[2]);
	stage->n = trouble->n;
	stage->front = getpid();
	for (unsigned i = 0; i < TROUBLE_MEMBERS; i++)
		stage->members[i] = atoi(argv[3 + i]);
	pid_t child = trouble_child_start(stage, trouble);

	if (child < 0)
		return 1;
	atomic_store(&stage->state, STAGE_RUNS);
	for (pid_t ended = 0; ended == 0; usleep(1000)) {
		ended = waitpid(child, NULL, WNOHANG);
		if (!has_begun && atomic_load(&stage->n_done)) {
			print_begin(stage);
			has_begun = true;
		}
	}
	fprintf(stderr, "%s", stage->reason.text);
	return *stage->reason.text != '\0';
}
