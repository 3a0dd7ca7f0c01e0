/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.c - the verb without a name: measures, or plays a recording, until the end, and reports. */
#include "src/app/measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/app/phase_operand.h"
#include "src/app/verb.h"
#include "src/machine/foreign_load.h"
#include "src/model/session_events.h"
#include "src/modules/modules.h"
#include "src/options/options.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/plan/plan_print.h"
#include "src/probe/probe.h"
#include "src/report/phase_from_json.h"
#include "src/run/output.h"
#include "src/run/playback.h"
#include "src/run/run.h"
#include "src/run/run_try.h"

enum { BUSY_WINDOW_NS = 100000000, EXIT_ABOVE = 2 };

static void print_complaint(const struct error_text *reason)
{
	verb_complain(reason);
}

/* Reads the baseline, if there is one, before signals are blocked, so that they end the reading of a large
 * one. Compares its options with those of @replay, or with @config if that is NULL. */
static int load_baseline(struct baseline *baseline, const struct config *config, const struct replay *replay,
	struct error_text *reason)
{
	if (!config->baseline)
		return 0;
	baseline->number = COMPARISON_FILE;
	enum figure figures[N_FIGURES_SHOWN];

	for (int i = 0; i < N_FIGURES_SHOWN; i++)
		figures[i] = (enum figure)i;
	int r = phase_operand_load(baseline->file.phases, figures, N_FIGURES_SHOWN, config->baseline, reason);
	struct compared_phase *own = &baseline->file.own;

	if (r == 0 && (replay ? phase_from_json_add_recorded_options(own, replay->header)
			      : phase_from_json_add_options(own, config)) < 0)
		r = error_text_set(reason, -ENOMEM, "no memory for the baseline");
	return r;
}

/* Returns whether a ring has a sample above @limit_ns in @figure (see session_figure_of()). 0 is no limit. */
static bool is_above(const struct session *session, enum figure figure, uint64_t limit_ns)
{
	for (size_t i = 0; i < session->n_rings && limit_ns; i++) {
		const struct session_ring *ring = &session->rings[i];
		const struct hist *hist = &ring->figures[session_figure_of(ring, figure)].hist;

		if (hist->n && hist->max_ns > limit_ns)
			return true;
	}
	return false;
}

/* The exit status if there was no error. */
static int status_of(const struct source *source)
{
	const struct config *config = source->config;

	return session_breach(&source->session) ||
			       is_above(&source->session, config->figure, config->fail_above_ns)
		       ? EXIT_ABOVE
		       : EXIT_SUCCESS;
}

/* --- a run --- */

static void note_short_duration(const struct config *config, const struct plan *plan, struct notes *notes)
{
	char all[24] = "both";

	if (plan->n_turns != 2)
		snprintf(all, sizeof(all), "all %u", plan->n_turns);
	if (config->duration_ns && plan->n_turns > 1 && config->duration_ns < plan->slice_ns * plan->n_turns)
		notes_add(notes,
			"-D is too short for %s turns of %g s: rings whose turn does not come measure nothing",
			all, (double)plan->slice_ns / 1e9);
}

/* Takes the baseline. */
static int run_plan(const struct config *config, const struct topology *topology, const struct plan *plan,
	struct notes *notes, const struct baseline *baseline)
{
	const struct engine_job job = {plan, config, topology, probe_registry};
	struct error_text reason;
	struct run run;
	struct source *source = &run.source;

	note_short_duration(config, plan, notes);
	input_thread_block_signals();
	int r = run_prepare(&run, &job, notes, &reason);

	source->baseline = *baseline;
	if (config->render_columns && !config->duration_ns && !config->loops && !config->hunt)
		run.for_ns = plan->slice_ns * plan->n_turns;
	output_begin(); /* after the keeper's fork: terminals are the front's alone */
	if (r == 0)
		r = source_start(source, modules, command_rows, &reason);
	if (r == 0) {
		source_loop(source);
		run_stop(&run);
		input_thread_unblock_signals(); /* there is nothing left to clean up */
	}
	int status = r < 0 ? verb_complain(&reason) : EXIT_SUCCESS;

	if (!bus_end(&source->bus, print_complaint) || run.keeper_lost ||
		session_has_failed(&source->session))
		status = EXIT_FAILURE;
	enum run_try_end tried = run_try_how(&run);

	if (tried == RUN_TRY_FAILED)
		status = EXIT_FAILURE;
	if (status == EXIT_SUCCESS)
		status = tried == RUN_TRY_WORSE ? EXIT_ABOVE : status_of(source);
	run_finish(&run);
	return status;
}

static int show_plan(const struct plan *plan, const struct topology *topology, const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		fprintf(stderr, "ipctop: %s\n", notes->text[i]);

	plan_print(plan, topology, stdout);
	return verb_end_output();
}

static int load_and_run(const struct config *config, const struct topology *topology, const struct plan *plan,
	struct notes *notes)
{
	struct error_text reason;
	struct baseline baseline = {0};

	if (load_baseline(&baseline, config, NULL, &reason) == 0)
		return run_plan(config, topology, plan, notes, &baseline);
	comparison_file_finish(&baseline.file);
	return verb_complain(&reason);
}

static int refuse_plan(const struct config_file *file, struct error_text *reason)
{
	options_name_line(file, reason);
	return verb_complain(reason);
}

static int plan_and_run(
	const struct config *config, const struct config_file *file, const struct topology *topology)
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
		status = refuse_plan(file, &reason);
	else if (config->action == ACTION_PLAN)
		status = show_plan(&plan, topology, &notes);
	else
		status = load_and_run(config, topology, &plan, &notes);
	plan_finish(&plan);
	notes_finish(&notes);
	return status;
}

int measure_main(const struct config *config, const struct config_file *file)
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
		r = bus_check(modules, config, &reason);
	status = r < 0 ? verb_complain(&reason) : plan_and_run(config, file, &topology);
	topology_finish(&topology);
	return status;
}

/* --- a recording --- */

/* Signals end the commands `export` and `report` at once. */
static int play_recording(struct playback *playback)
{
	struct source *source = &playback->source;
	bool converts = config_converts(source->config);
	struct error_text reason;
	int status = EXIT_SUCCESS;

	input_thread_block_signals();
	if (converts)
		input_thread_unblock_signals();
	else
		output_begin();
	if (source_start(source, modules, command_rows, &reason) < 0)
		status = verb_complain(&reason);
	else
		source_loop(source);
	input_thread_join(&source->input);
	input_thread_unblock_signals();
	if (!bus_end(&source->bus, print_complaint))
		status = EXIT_FAILURE;
	if (source->has_result)
		playback_complain(playback, stderr);
	if (playback->error)
		return EXIT_FAILURE;
	return status == EXIT_SUCCESS && !converts ? status_of(source) : status;
}

int measure_replay(const struct config *config)
{
	struct playback playback;
	struct error_text reason;
	int r = bus_check(modules, config, &reason);

	if (r < 0)
		return verb_complain(&reason);
	r = playback_init(&playback, config, &reason);
	if (r == 0)
		r = load_baseline(
			&playback.source.baseline, playback.source.config, &playback.replay, &reason);
	int status = r < 0 ? verb_complain(&reason) : play_recording(&playback);

	playback_finish(&playback);
	return status;
}
