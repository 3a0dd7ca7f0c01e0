/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - joins the verbs of the command line with the tables that they read. */
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/app/measure.h"
#include "src/app/verb.h"
#include "src/compat/compat.h"
#include "src/compat/tools.h"
#include "src/machine/memory.h"
#include "src/options/config_file.h"
#include "src/options/options.h"
#include "src/plan/config.h"
#include "src/probe/probe.h"
#include "src/report/export.h"
#include "src/report/mechanisms.h"
#include "src/run/output.h"
#include "ui/draw/palette.h"
#include "ui/draw/units.h"
#include "ui/table/columns.h"
#include "ui/views/views.h"

/* Opens /dev/null in place of closed ones: otherwise a file of this program would become standard output.
 * Writing to standard output fails then, so its user gets an error. */
static void open_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

static const struct options_names names = {.mechanisms = probe_registry,
	.view = views_name,
	.palette = palette_name,
	.colors = palette_colors_name,
	.export = export_name,
	.column = columns_name,
	.sort = columns_sort_name,
	.unit = units_name,
	.window = windows_name,
	.tool = tools_name,
	.verb = verb_name};

static int obey_action(const struct config *config, const struct config_file *file)
{
	switch (config->action) {
	case ACTION_HELP:
		options_help(stdout, &names);
		return verb_end_output();
	case ACTION_VERSION:
		puts("ipctop " IPCTOP_VERSION);
		return verb_end_output();
	case ACTION_LIST:
		mechanisms_list(probe_registry, stdout);
		loads_list(stdout);
		tools_list(stdout);
		return verb_end_output();
	default:
		return config->replay ? measure_replay(config) : measure_main(config, file);
	}
}

/* Apart from main(), which must run, and complain, with a stack that is too small for this function. */
__attribute__((noinline)) static int load_and_act(int argc, char **argv)
{
	struct config_file file;
	struct config config;
	struct error_text reason;
	int status;

	if (options_load(&config, &file, argc, argv, &names, &reason) < 0)
		status = verb_complain(&reason);
	else
		status = obey_action(&config, &file);
	config_file_finish(&file);
	return status;
}

/* Complains as verb_complain() does, without the 8 KiB of stack that fprintf(3) takes for standard error. */
static int complain_of_stack(const struct error_text *reason)
{
	char sentence[sizeof(reason->text) + 16];
	int length = snprintf(sentence, sizeof(sentence), "ipctop: %s\n", reason->text);
	ssize_t written = write(STDERR_FILENO, sentence, (size_t)length);

	(void)written;
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	const struct verb *verb = verb_find(argc, argv);
	const struct compat_tool *tool = tools_find(argc, argv);
	struct error_text reason;

	open_standard_descriptors();
	if (memory_check_stack(&reason) < 0)
		return complain_of_stack(&reason);
	setlocale(LC_CTYPE, ""); /* LC_NUMERIC stays "C" */
	int status;

	if (verb)
		status = verb->main(argc, argv, &names);
	else
		status = tool ? compat_main(tool, argc, argv, probe_registry) : load_and_act(argc, argv);

	output_end();
	return status;
}
