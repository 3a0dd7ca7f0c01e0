/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase_operand.c - reads a phase of a JSON summary or of a recording. */
#include "src/app/phase_operand.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/regular_file.h"
#include "src/recording/recorded_phase.h"
#include "src/recording/replay.h"
#include "src/report/phase_from_json.h"

static int add_facts(struct compared_phase *phase, const struct replay *replay, const struct machine *machine)
{
	int r = phase_from_json_add_recorded_options(phase, replay->header);

	return r == 0 ? compared_phase_add_machine(phase, machine) : r;
}

static int load_recording(
	struct compared_phase *phases, const struct phase_in_file *file, struct error_text *reason)
{
	struct replay replay;
	struct machine machine = machine_unknown();
	int r = replay_open(&replay, file->path, reason);

	if (r == 0)
		r = recorded_phase_read(phases, file, &replay, &machine, reason);
	for (size_t i = 0; i < file->n_figures && r == 0; i++)
		if (add_facts(&phases[i], &replay, &machine) < 0)
			r = error_text_set(reason, -ENOMEM, "%s: no memory for it", file->path);
	if (r == 0)
		replay_complain(&replay, file->path, stderr);
	machine_finish(&machine);
	replay_close(&replay);
	return r;
}

/* Returns 1 for JSON, 0 for another file that can be read, or a negative errno with its reason. */
static int is_json(const char *path, struct error_text *reason)
{
	int fd = regular_file_open(path, reason);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	int first = file ? fgetc(file) : EOF;

	while (first != EOF && isspace(first))
		first = fgetc(file);
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : first == '{';
}

/* Splits FILE or FILE:PHASE where FILE is the longest that exists, or else at the first colon: both may have
 * colons. @wanted: the phase, or NULL. Returns FILE, which the caller frees, or NULL if there is no memory.
 */
static char *split_operand(const char *operand, const char **wanted)
{
	char *path = strdup(operand), *colon;

	*wanted = NULL;
	while (path && access(path, F_OK) < 0 && (colon = strrchr(path, ':'))) {
		*colon = '\0';
		*wanted = operand + (colon - path) + 1;
	}
	return path;
}

int phase_operand_load(struct compared_phase *phases, const enum figure *figures, size_t n,
	const char *operand, struct error_text *reason)
{
	struct phase_in_file file = {.figures = figures, .n_figures = n};
	char *path = split_operand(operand, &file.wanted);
	int r = path ? is_json(path, reason)
		     : error_text_set(reason, -ENOMEM, "%s: no memory for it", operand);

	file.path = path;
	if (r == 0)
		r = load_recording(phases, &file, reason);
	else if (r > 0)
		r = phase_from_json_read(phases, &file, reason);
	free(path);
	return r;
}
