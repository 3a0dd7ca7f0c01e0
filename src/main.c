/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - ipctop's own command line: joins engine, reports and dashboard, which don't know each other. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/app/compare.h"
#include "src/app/complete.h"
#include "src/app/phase_operand.h"
#include "src/base/clock.h"
#include "src/compat/compat.h"
#include "src/compat/tools.h"
#include "src/machine/foreign_load.h"
#include "src/machine/memory.h"
#include "src/model/comparison_lines.h"
#include "src/model/session_events.h"
#include "src/model/session_phases.h"
#include "src/modules/exports.h"
#include "src/modules/metrics_file.h"
#include "src/modules/screen.h"
#include "src/options/config_file.h"
#include "src/options/options.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/plan/plan_print.h"
#include "src/probe/probe.h"
#include "src/recording/record.h"
#include "src/report/compared_json.h"
#include "src/report/comparison_text.h"
#include "src/report/export.h"
#include "src/report/list.h"
#include "src/report/report_json.h"
#include "src/report/report_text.h"
#include "src/run/output.h"
#include "src/run/playback.h"
#include "src/run/run.h"
#include "ui/draw/palette.h"
#include "ui/table/columns.h"
#include "ui/views/frame.h"
#include "ui/views/views.h"

enum { BUSY_WINDOW_NS = 100000000, EXIT_ABOVE = 2 };

static int complain(const struct error_text *reason)
{
	fprintf(stderr, "ipctop: %s\n", reason->text);
	return EXIT_FAILURE;
}

/* Ends output that is printed at once. */
static int end_output(void)
{
	struct error_text reason;

	return output_flush(&reason) < 0 ? complain(&reason) : EXIT_SUCCESS;
}

/* --- a run or a playback, on lines or on the dashboard --- */

struct lines {
	const struct source *source; /* NULL: there are no lines */
	struct metrics *metrics;
	struct report_progress progress;
	uint64_t next_ns;
	int error; /* of output_flush() */
	struct error_text reason;
};

/* After a tick: writes the metrics and prints a line, if they are due. Returns false if nothing more can be
 * printed. */
static bool print_line(void *data)
{
	struct lines *lines = data;

	if (!lines->source || lines->error)
		return !lines->error;
	const struct session *session = &lines->source->session;
	const struct config *config = lines->source->config;

	main_metrics_update(lines->metrics);
	if (output_is_report(config)) /* exports_write() reports an error */
		return !ferror(stdout) && output_flush(&lines->reason) == 0;
	if (config->quiet || config->render_columns || session->now_ns < lines->next_ns || !output_keeps_up())
		return true;
	/* Ticks are not exact: up to half a tick early counts as due. */
	lines->next_ns = session->now_ns + config->refresh_ns - config->tick_ns / 2;
	report_line(stdout, session, config->figure, &lines->progress);
	lines->error = output_flush(&lines->reason);
	return lines->error == 0;
}

/* Returns a negative errno also if the lines could not be written. */
static int run_lines(struct source *source, struct lines *lines, struct error_text *reason)
{
	/* A signal ends an export at once, also one that waits for its reader. */
	int r = source->config->action == ACTION_EXPORT ? 0 : source_listen(source, reason);

	if (r == 0)
		r = source_start(source, false, reason);
	if (r < 0)
		return r;
	lines->source = source;
	lines->metrics->prints = true;
	main_metrics_ready(lines->metrics);
	source_loop(source, print_line, lines);
	*reason = lines->reason;
	return lines->error;
}

/* Reads the baseline, if there is one. Before signals are blocked: they end the reading of a large one. */
static int load_baseline(struct baseline *baseline, const struct config *config, struct error_text *reason)
{
	if (!config->baseline)
		return 0;
	baseline->number = COMPARISON_FILE;
	int r = main_phase_load(&baseline->file.phase, config->baseline, config->figure, reason);

	if (r == 0 && compared_json_add_options(&baseline->file.own, config) < 0)
		r = error_text_set(reason, -ENOMEM, "no memory for the baseline");
	return r;
}

static int measure_source(struct source *source, struct lines *lines, struct error_text *reason)
{
	const struct config *config = source->config;
	bool has_screen = isatty(STDOUT_FILENO) && !config->plain && !config->quiet &&
			  !config->render_columns && !output_is_report(config);
	int r = main_metrics_listen(lines->metrics, reason);

	if (r < 0)
		return r;
	if (has_screen) {
		bool shown;

		r = main_run_dashboard(source, lines->metrics, &shown, reason);
		if (shown)
			return r;
		fprintf(stderr, "ipctop: %s; going on with lines\n", reason->text);
	}
	return run_lines(source, lines, reason);
}

static int write_json(struct source *source, const struct report_origin *origin, struct error_text *reason)
{
	const char *path = source->config->json;
	int r = session_phases_settle(&source->session);

	if (r < 0)
		return error_text_set(
			reason, r, "--json %s: no memory for the blocks of the last phase", path);
	return report_json_write(path, &source->session, origin, reason);
}

/* Compares the last phase with the baseline, if there is another one. */
static int print_comparison(struct source *source, struct error_text *reason)
{
	const struct phase *last = phases_current(&source->session.phases);
	struct comparison_choice choice = {.a = source->baseline.number,
		.b = last ? last->number : 0,
		.figure = source->config->figure,
		.limit_ns = source->config->fail_above_ns,
		.file = source->baseline.number == COMPARISON_FILE ? &source->baseline.file : NULL};
	struct comparison_lines lines = {0};

	if (!choice.a || !choice.b || choice.a == choice.b)
		return 0;
	int r = session_phases_settle(&source->session);

	if (r == 0)
		r = comparison_lines_make(&lines, &source->session, &choice, &source->phases);
	if (r == 0)
		comparison_lines_print(stdout, &source->session, &lines);
	comparison_lines_finish(&lines);
	/* The session may have dropped the baseline, and another signal may have ended the reading of it. */
	return r == 0 || r == -ENOENT || r == -ECANCELED
		       ? 0
		       : error_text_set(reason, r, "no memory for the comparison");
}

static int print_summary(struct source *source, struct error_text *reason)
{
	const struct config *config = source->config;

	report_summary(stdout, &source->session, config->figure, config->fail_above_ns);
	return print_comparison(source, reason);
}

/* Writes JSON and exports, and prints the summary even if these could not be written. */
static int report_result(struct source *source, const struct report_origin *origin, struct exports *exports)
{
	const struct config *config = source->config;
	struct error_text reason;
	int status = EXIT_SUCCESS;

	if (config->json && write_json(source, origin, &reason) < 0)
		status = complain(&reason);
	if (exports_write(exports, config->figure) != EXIT_SUCCESS)
		status = EXIT_FAILURE;
	if (output_is_report(config) && !output_end()) {
		error_text_set(&reason, -EAGAIN,
			"standard output: the terminal takes no more, and the rest is lost");
		return complain(&reason);
	}
	/* A reader that stalled until a signal ended the run would stall this too. */
	if (ferror(stdout))
		return status;
	if (config->render_columns)
		frame_print(&source->session,
			&(struct frame_picture){.columns = config->render_columns,
				.lines = config->render_lines,
				.figure = config->figure,
				.limit_ns = config->fail_above_ns,
				.table = {config->columns, config->n_columns, config->sort,
					(enum unit)config->unit},
				.screen = config->screen,
				.ascii = config->ascii},
			stdout);
	else if (!output_is_report(config) && print_summary(source, &reason) < 0)
		status = complain(&reason);
	return end_output() == EXIT_SUCCESS ? status : EXIT_FAILURE;
}

/* The exit status if there was no error. */
static int status_of(const struct source *source)
{
	const struct config *config = source->config;

	return session_breach(&source->session) ||
			       session_is_above(&source->session, config->figure, config->fail_above_ns)
		       ? EXIT_ABOVE
		       : EXIT_SUCCESS;
}

/* --- one run --- */

static void note_short_duration(const struct config *config, const struct plan *plan, struct notes *notes)
{
	if (config->duration_ns && plan->n_turns > 1 && config->duration_ns < plan->slice_ns * plan->n_turns)
		notes_add(notes,
			"-D is too short for all %u turns of %g s: rings whose turn does not come measure nothing",
			plan->n_turns, (double)plan->slice_ns / 1e9);
}

/* Writes what remains of a run that was stopped. Returns the exit status. */
static int report_run(struct run *run, struct metrics *metrics, struct exports *exports)
{
	const struct config *config = run->source.config;
	const struct report_origin origin = {run->source.ended_by, config, run->topology,
		.blocks_of = config->figure, .all_blocks = config->json_blocks};
	int status = report_result(&run->source, &origin, exports);

	if (run->keeper_lost || session_has_failed(&run->source.session))
		status = EXIT_FAILURE;
	if (run->record_reason.text[0])
		status = complain(&run->record_reason);
	if (main_metrics_end(metrics) < 0)
		status = EXIT_FAILURE;
	return status == EXIT_SUCCESS ? status_of(&run->source) : status;
}

/* Takes the baseline. */
static int run_plan(const struct config *config, const struct topology *topology, const struct plan *plan,
	struct notes *notes, const struct baseline *baseline, struct exports *exports)
{
	struct error_text reason;
	struct run run;
	struct metrics metrics = {.source = &run.source};
	struct lines lines = {.metrics = &metrics};

	note_short_duration(config, plan, notes);
	input_thread_block_signals();
	int r = run_prepare(&run, config, topology, plan, notes, probe_registry, &reason);

	run.source.baseline = *baseline;
	if (config->render_columns && !config->duration_ns && !config->loops)
		run.for_ns = plan->slice_ns * plan->n_turns;
	output_begin(); /* after the keeper's fork: terminals are the front's alone */
	exports_listen(exports, &run.source, topology, NULL);
	if (r == 0)
		r = measure_source(&run.source, &lines, &reason);
	main_metrics_silence(&metrics);
	if (!run.started) {
		run_finish(&run);
		return complain(&reason);
	}
	run_stop(&run, print_line, &lines);
	input_thread_unblock_signals(); /* there is nothing left to clean up */
	if (r < 0)
		complain(&reason);
	int status = report_run(&run, &metrics, exports);

	run_finish(&run);
	return r < 0 ? EXIT_FAILURE : status;
}

static int show_plan(const struct plan *plan, const struct topology *topology, const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		fprintf(stderr, "ipctop: %s\n", notes->text[i]);
	plan_print(plan, topology, stdout);
	return end_output();
}

static int export_run(const struct config *config, const struct topology *topology, const struct plan *plan,
	struct notes *notes)
{
	struct error_text reason;
	struct exports exports = {0};
	struct baseline baseline = {0};
	int status, r = load_baseline(&baseline, config, &reason);

	if (r == 0)
		r = exports_open(&exports, config, &reason);
	if (r == 0) {
		status = run_plan(config, topology, plan, notes, &baseline, &exports);
	} else {
		comparison_file_finish(&baseline.file);
		status = complain(&reason);
	}
	exports_finish(&exports);
	return status;
}

static int plan_and_run(const struct config *config, const struct topology *topology)
{
	struct cpus isolated = topology->isolated, busy = {0};
	struct notes notes = {0};
	struct error_text reason;
	struct plan plan = {0};
	int status = EXIT_SUCCESS;

	cpus_intersect(&isolated, &topology->usable);
	if (!config->has_cpus && cpus_count(&isolated))
		foreign_load_find(&isolated, BUSY_WINDOW_NS, &busy);
	if (plan_init(&plan, config, topology, &busy, &notes, &reason) < 0)
		status = complain(&reason);
	else if (config->action == ACTION_PLAN)
		status = show_plan(&plan, topology, &notes);
	else
		status = export_run(config, topology, &plan, &notes);
	plan_finish(&plan);
	notes_finish(&notes);
	return status;
}

static int run_or_plan(const struct config *config)
{
	struct topology topology = {0};
	struct error_text reason;
	int status, r = topology_init(&topology, &reason);

	if (r == 0 && config->action == ACTION_RUN && topology.foreign)
		r = error_text_set(&reason, -EINVAL,
			"the topology is another machine's (%s is set): it can be planned for with --plan, "
			"but not measured",
			topology.foreign);
	if (r == 0 && config->action == ACTION_RUN)
		r = exports_check(config, &reason);
	if (r == 0 && config->action == ACTION_RUN)
		r = main_metrics_check(config, &reason);
	if (r == 0 && config->record)
		r = record_check(config->record, &reason);
	status = r < 0 ? complain(&reason) : plan_and_run(config, &topology);
	topology_finish(&topology);
	return status;
}

/* --- a recording --- */

static int play_recording(struct playback *playback, struct exports *exports, struct error_text *reason)
{
	struct source *source = &playback->source;
	const struct report_origin origin = {.ended_by = source->ended_by,
		.header = playback->replay.header,
		.blocks_of = source->config->figure,
		.all_blocks = source->config->json_blocks};
	struct metrics none = {.source = source};
	struct lines lines = {.metrics = &none};

	exports_listen(exports, source, NULL, &playback->replay);
	if (measure_source(source, &lines, reason) < 0)
		return complain(reason);
	input_thread_join(&playback->source.input);
	input_thread_unblock_signals();
	int status = report_result(source, &origin, exports);

	playback_complain(playback, stderr);
	if (playback->error)
		return EXIT_FAILURE;
	if (source->config->action == ACTION_EXPORT)
		return status;
	return status == EXIT_SUCCESS ? status_of(source) : status;
}

static int open_and_play(const struct config *config)
{
	struct exports exports = {0};
	struct playback playback;
	struct error_text reason;
	int status, r = exports_check(config, &reason);

	if (r < 0)
		return complain(&reason);
	r = playback_init(&playback, config, &reason);
	if (r == 0)
		r = load_baseline(&playback.source.baseline, playback.source.config, &reason);
	if (r == 0)
		r = exports_open(&exports, config, &reason);
	input_thread_block_signals();
	if (config->action == ACTION_EXPORT)
		input_thread_unblock_signals();
	else
		output_begin();
	status = r < 0 ? complain(&reason) : play_recording(&playback, &exports, &reason);
	playback_finish(&playback);
	exports_finish(&exports);
	return status;
}

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
	.tool = tools_name};

static int obey_action(const struct config *config)
{
	switch (config->action) {
	case ACTION_HELP:
		options_help(stdout, &names);
		return end_output();
	case ACTION_VERSION:
		puts("ipctop " IPCTOP_VERSION);
		return end_output();
	case ACTION_LIST:
		list_mechanisms(probe_registry, stdout);
		return end_output();
	default:
		return config->replay ? open_and_play(config) : run_or_plan(config);
	}
}

/* Not in main(), whose frame must fit in a stack that is too small for this function. */
__attribute__((noinline)) static int load_and_act(int argc, char **argv)
{
	struct config_file file;
	struct config config;
	struct error_text reason;
	int status;

	if (options_load(&config, &file, argc, argv, &names, &reason) < 0)
		status = complain(&reason);
	else
		status = obey_action(&config);
	config_file_finish(&file);
	return status;
}

/* As complain() does, without the 8 KiB of stack that fprintf(3) takes for standard error. */
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
	const struct compat_tool *tool = tools_find(argc, argv);
	struct error_text reason;

	open_standard_descriptors();
	if (memory_check_stack(&reason) < 0)
		return complain_of_stack(&reason);
	setlocale(LC_CTYPE, ""); /* LC_NUMERIC stays "C" */
	int status;

	if (complete_is_asked(argc, argv))
		status = complete_main(argc, argv, &names);
	else if (compare_is_asked(argc, argv))
		status = compare_main(argc, argv);
	else
		status = tool ? compat_main(tool, argc, argv, probe_registry) : load_and_act(argc, argv);

	output_end();
	return status;
}
