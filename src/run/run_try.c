/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_try.c - a run that turns a knob of the machine, back and forth. */
#include "src/run/run_try.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/text.h"
#include "src/model/advice.h"
#include "src/model/session.h"
#include "src/model/trial.h"
#include "src/plan/config.h"
#include "src/ring/duty_cycle.h"
#include "src/run/run_items.h"
#include "src/run/tried_knob.h"

enum {
	SENTENCE_SIZE = TRIAL_TEXT_SIZE + 1024,
	INTERRUPTS_NAMED = 4, /* by the result, of those that were turned */
	/* A stall that the value before made ends at once when another one is written, and is to count in
	 * the phase before. What comes in this time with the new value counts there, too: less than a
	 * thousandth of it. */
	STALL_ENDS_US = 1000,
};

struct run_try {
	struct tried_knob knob;
	char name_a[PHASE_NAME_SIZE], name_b[PHASE_NAME_SIZE];
	struct trial_pace pace;
	uint64_t least_ns, for_ns, next_ns; /* next_ns: when the next phase begins; 0: it has not begun */
	uint64_t began_ns, end_ns;          /* of all; it ends later only if the last phase does */
	uint64_t late_ns;  /* by which a phase ended late, as the process was stopped; 0: none did */
	unsigned late_at;  /* that phase; 0: the time before the first one */
	bool is_time_over; /* it ended early, for that reason */
	unsigned at;       /* phases that have begun */
	bool keeps, is_over, is_whole, ends_run;
	bool is_turned_back; /* before the end of the last phase */
	enum shift_verdict verdict;
};

/* --- its beginning --- */

static void name_phases(struct run_try *trial)
{
	char a[KNOB_WORD_SIZE + SETTING_VALUE_SIZE + 1], b[KNOB_WORD_SIZE + SETTING_VALUE_SIZE + 1];
	const struct tried_knob *knob = &trial->knob;
	const char *was = knob->n_files ? knob->files[0].was : "";

	for (size_t i = 1; i < knob->n_files; i++)
		if (strcmp(knob->files[i].was, was) != 0)
			was = "";
	if (*was)
		snprintf(a, sizeof(a), "%s=%s", knob->word, was);
	else
		snprintf(a, sizeof(a), "%s as found", knob->word);
	if (strlen(a) >= PHASE_NAME_SIZE)
		snprintf(a, sizeof(a), "%.40s as found", knob->word);
	snprintf(b, sizeof(b), "%s=%s", knob->word, knob->value);
	phase_copy_name(trial->name_a, a);
	phase_copy_name(trial->name_b, b);
}

/* Opens the knob, and names the phases by the values that are found. */
static int open_knob(struct run *run, struct error_text *reason)
{
	struct run_try *trial = run->trial;
	int r = tried_knob_open(&trial->knob, run, reason);

	if (r == 0)
		name_phases(trial);
	return r;
}

static void destroy(struct run *run, struct run_try *trial)
{
	if (!trial)
		return;
	tried_knob_finish(&trial->knob, run);
	free(trial);
}

/* @for_ns: 0: the usual time. */
static int begin(struct run *run, const char *words, uint64_t for_ns, struct error_text *reason)
{
	struct run_try *trial = calloc(1, sizeof(*trial));

	if (!trial)
		return error_text_set(reason, -ENOMEM, "try: no memory for it");
	run->trial = trial;
	int r = tried_knob_read(&trial->knob, words, reason);

	if (r == 0) {
		trial->least_ns = trial_phase_ns_min(&run->source.session, run->source.config->tick_ns);
		trial->for_ns = for_ns ? for_ns : trial_for_ns(trial->least_ns);
		r = trial_pace_init(&trial->pace, trial->least_ns, trial->for_ns, reason);
	}
	name_phases(trial);
	if (r == 0 && !tried_knob_waits_for_members(&trial->knob))
		r = open_knob(run, reason);
	if (r < 0) {
		destroy(run, trial);
		run->trial = NULL;
	}
	return r;
}

int run_try_prepare(struct run *run, struct error_text *reason)
{
	const struct config *config = run->source.config;

	if (!config->trial)
		return 0;
	int r = begin(run, config->trial, config->trial_for_ns, reason);

	if (r < 0)
		return r;
	const struct tried_knob *knob = &run->trial->knob;

	run->trial->ends_run = true;
	run->trial->keeps = config->trial_keeps;
	if (!config->trial_keeps || (!tried_knob_is_held(knob) && !tried_knob_waits_for_members(knob)))
		return 0;
	return error_text_set(
		reason, -EINVAL, "--keep: %s ends with the run, so there is nothing to keep", knob->word);
}

static int begin_by_command(struct run *run, const struct command *command, struct error_text *refusal)
{
	struct source *source = &run->source;

	if (run->trial && !run->trial->is_over)
		return error_text_set(refusal, -EBUSY, "try %s: %s=%s is being tried", command->words,
			run->trial->knob.word, run->trial->knob.value);
	if (source->ended_by[0] || run->keeper_lost)
		return error_text_set(refusal, -ESHUTDOWN, "try %s: the run ends", command->words);
	if (run->hunt || source->session.matrix)
		return error_text_set(refusal, -EBUSY,
			"try %s: not while loads are hunted, or CPUs are swept", command->words);
	destroy(run, run->trial);
	run->trial = NULL;
	return begin(run, command->words, source->config->trial_for_ns, refusal);
}

/* --- while it runs --- */

/* Does a limit of real-time tasks leave more than members take, which rest after each stretch? */
static bool leaves_stretches(const struct run *run, const char *runtime_us)
{
	int64_t runtime = strtoll(runtime_us, NULL, 10), period = run->machine.rt_period_us;

	return runtime < 0 || (period > 0 && runtime * DUTY_PERIOD_NS >= period * DUTY_STRETCH_NS);
}

/* "; it does nothing here: the kernel's fair server acts in its place". Figures may have moved by chance, or
 * because the machine did. */
static void append_no_effect(char *sentence, size_t size, const struct run *run, bool has_moved)
{
	const struct tried_knob *knob = &run->trial->knob;
	struct advice_site site;

	advice_site_of(&site, &run->source.session);
	const char *reason = advice_no_effect(knob->fact, &site);

	if (!reason && strcmp(knob->fact->field.key, "rt_runtime_us") == 0 &&
		leaves_stretches(run, knob->files[0].was) && leaves_stretches(run, knob->value))
		reason = "members sleep or rest before they reach it";
	if (reason)
		text_append(sentence, size,
			has_moved ? "; but it should do nothing here: " : "; it does nothing here: ", reason);
}

/* "; irq 36 goes to CPU 1": the kernel moves an interrupt to another CPU of its mask only when it has to. */
static void append_effective_cpus(char *sentence, size_t size, const struct tried_knob *knob)
{
	static const char requested_file[] = "/smp_affinity_list";

	for (size_t i = 0; i < knob->n_files && i < INTERRUPTS_NAMED; i++) {
		char path[256], folder[200], value[SETTING_VALUE_SIZE];
		char text[sizeof(folder) + sizeof(value) + 32];
		const char *end = strstr(knob->files[i].path, requested_file);

		if (!end)
			continue;
		snprintf(folder, sizeof(folder), "%.*s", (int)(end - knob->files[i].path),
			knob->files[i].path);
		snprintf(path, sizeof(path), "%s/effective_affinity_list", folder);
		if (setting_file_read(path, SETTING_CPUS, value) < 0)
			continue;
		const char *number = strrchr(folder, '/');

		snprintf(text, sizeof(text), "irq %s goes to CPU %s", number ? number + 1 : folder, value);
		text_append(sentence, size, "; ", text);
	}
}

/* Tells the screen how far the trial is. */
static void feed_progress(struct run *run)
{
	const struct run_try *trial = run->trial;
	struct trial_progress progress = {.phase = trial->at, .n_phases = 2 * trial->pace.n_pairs};

	if (!trial->is_over) {
		strcpy(progress.tried, trial->name_b);
		strcpy(progress.with, trial->knob.is_b ? trial->name_b : trial->name_a);
		progress.phase_end_ns = trial->next_ns;
		progress.end_ns = trial->next_ns + (progress.n_phases - trial->at) * trial->pace.phase_ns;
		if (!trial->at || progress.end_ns > trial->end_ns)
			progress.end_ns = trial->end_ns;
	}
	source_feed(&run->source, &(struct feed_item){FEED_TRIAL, clock_now_ns(), .trial = &progress});
}

/* "phase 5 of 12 ended 20.0 s late, as ipctop was stopped, or had no CPU, so the time was over" */
static void write_lateness(char *text, size_t size, const struct run_try *trial)
{
	char phase[48] = "the time before the first phase";

	if (trial->late_at)
		snprintf(phase, sizeof(phase), "phase %u of %u", trial->late_at, 2 * trial->pace.n_pairs);
	snprintf(text, size, "%s ended %.1f s late, as ipctop was stopped, or had no CPU%s", phase,
		(double)trial->late_ns / 1e9, trial->is_time_over ? ", so the time was over" : "");
}

/* "; stopped in phase 5 of 12" */
static void append_stop(char *sentence, size_t size, const struct run_try *trial)
{
	char text[192] = "stopped before its first phase";

	if (trial->late_ns) {
		write_lateness(text, sizeof(text), trial);
		text_append(sentence, size, "; ", text);
	}
	if (trial->is_whole || trial->is_time_over || *trial->knob.trouble) /* which ended it */
		return;
	if (trial->at)
		snprintf(text, sizeof(text), "stopped in phase %u of %u", trial->at, 2 * trial->pace.n_pairs);
	text_append(sentence, size, "; ", text);
}

static void report_result(struct run *run, const struct trial_result *result, const char *outcome)
{
	const struct run_try *trial = run->trial;
	char subject[sizeof("try =") + KNOB_WORD_SIZE + SETTING_VALUE_SIZE], sentence[SENTENCE_SIZE];

	snprintf(subject, sizeof(subject), "try %s=%s", trial->knob.word, trial->knob.value);
	snprintf(sentence, sizeof(sentence), "%s", result->text);
	if (result->verdict != SHIFT_TOO_FEW)
		append_no_effect(sentence, sizeof(sentence), run, result->verdict >= SHIFT_BETTER);
	text_append(sentence, sizeof(sentence), "; ", outcome);
	append_stop(sentence, sizeof(sentence), trial);
	append_effective_cpus(sentence, sizeof(sentence), &trial->knob);
	if (*trial->knob.trouble)
		text_append(sentence, sizeof(sentence), "; ", trial->knob.trouble);
	run_feed_event(run, &(struct event){.at_ns = clock_now_ns(),
				    .kind = EVENT_TRIAL,
				    .ring = -1,
				    .member = -1,
				    .number = result->verdict,
				    .subject = subject,
				    .was = trial->name_a,
				    .is = trial->name_b,
				    .text = sentence});
}

/* Compares the phases with the two values. */
static void judge_phases(struct trial_result *result, struct run *run)
{
	const struct run_try *trial = run->trial;

	session_phases_settle(&run->source.session);
	if (trial->at < 2) /* those of an earlier trial have the same names */
		*result = (struct trial_result){
			.verdict = SHIFT_TOO_FEW, .text = "too few: no phase with each value"};
	else if (trial_judge(result, &run->source.session, trial->name_a, trial->name_b,
			 run->source.config->figure) < 0)
		*result = (struct trial_result){
			.verdict = SHIFT_TOO_FEW, .text = "there is no memory for the verdict"};
}

/* Puts the old value back, judges, and writes the new one again if it is better and to stay. */
static void finish(struct run *run, bool is_whole)
{
	struct run_try *trial = run->trial;
	struct trial_result result;

	trial->is_over = true;
	trial->is_whole = is_whole;
	feed_progress(run);
	if (!trial->at && *trial->knob.trouble) { /* nothing was tried */
		run_feed_text(run, clock_now_ns(), EVENT_WARNING, trial->knob.trouble);
		tried_knob_release(&trial->knob, run);
		return;
	}
	if (!trial->is_turned_back)
		tried_knob_turn(&trial->knob, run, false);
	judge_phases(&result, run);
	trial->verdict = result.verdict;
	bool stays = trial->keeps && is_whole && result.verdict == SHIFT_BETTER;

	if (stays && (tried_knob_check(&trial->knob) < 0 || tried_knob_turn(&trial->knob, run, true) < 0)) {
		stays = false;
		tried_knob_turn(&trial->knob, run, false);
	}
	report_result(run, &result,
		stays                         ? "kept"
		: !trial->at                  ? "not turned"
		: trial->knob.lacks_restoring ? "not restored"
		: trial->knob.is_others       ? "not restored everywhere"
					      : "restored");
	tried_knob_release(&trial->knob, run);
}

static void choose_pace(struct run *run, uint64_t now_ns)
{
	struct run_try *trial = run->trial;
	struct error_text text;
	double spread = trial_spread(&run->source.session);

	if (trial->late_ns) /* less is left */
		trial->pace.pilot_ns = now_ns - trial->began_ns;
	trial_pace_choose(&trial->pace, trial->least_ns, trial->for_ns, spread);
	error_text_set(&text, 0, "try %s=%s: %u phases of %.1f s with each value", trial->knob.word,
		trial->knob.value, trial->pace.n_pairs, (double)trial->pace.phase_ns / 1e9);
	run_feed_text(run, clock_now_ns(), EVENT_NOTE, text.text);
}

/* Opens the settings of members, which run by now. Returns whether the trial can begin. */
static bool open_late(struct run *run)
{
	struct run_try *trial = run->trial;
	struct error_text reason;

	if (!tried_knob_waits_for_members(&trial->knob) || open_knob(run, &reason) == 0)
		return true;
	snprintf(trial->knob.trouble, sizeof(trial->knob.trouble), "%s", reason.text);
	return false;
}

/* The last phase ends like the others. */
static void turn_back(struct run *run)
{
	struct run_try *trial = run->trial;

	if (!trial->at)
		return;
	tried_knob_turn(&trial->knob, run, false);
	trial->is_turned_back = true;
	usleep(STALL_ENDS_US);
}

/* Delays do not add up: the next phase follows from when the last one was to end, unless that is long ago. */
static uint64_t next_from(const struct run_try *trial, uint64_t now_ns)
{
	return now_ns - trial->next_ns > trial->pace.phase_ns / 10 ? now_ns : trial->next_ns;
}

/* Notes how late the last phase ends. Returns whether there is time for the next one. */
static bool has_time(struct run_try *trial, uint64_t now_ns)
{
	uint64_t late_ns = now_ns - trial->next_ns;

	if (trial_was_stopped(&trial->pace, late_ns) && late_ns > trial->late_ns) {
		trial->late_ns = late_ns;
		trial->late_at = trial->at;
	}
	trial->is_time_over = trial->late_ns &&
			      !trial_phase_ns(&trial->pace, next_from(trial, now_ns), trial->end_ns, true);
	return !trial->is_time_over;
}

/* Returns whether the next phase has begun. */
static bool begin_next(struct run *run)
{
	struct run_try *trial = run->trial;
	bool is_b = trial_is_b(trial->at), stays = is_b == trial->knob.is_b;

	if (tried_knob_check(&trial->knob) < 0 || (!stays && tried_knob_turn(&trial->knob, run, is_b) < 0))
		return false;
	if (!stays)
		usleep(STALL_ENDS_US);
	uint64_t now_ns = clock_now_ns(), from_ns = next_from(trial, now_ns);

	run_feed_phase(run, is_b ? trial->name_b : trial->name_a, now_ns);
	run_feed_fact(run, trial->knob.fact, clock_now_ns());
	trial->at++;
	trial->next_ns = from_ns + trial_phase_ns(&trial->pace, from_ns, trial->end_ns, false);
	feed_progress(run);
	return true;
}

uint64_t run_try_advance(struct run *run, uint64_t now_ns)
{
	struct run_try *trial = run->trial;

	if (!trial || trial->is_over)
		return UINT64_MAX;
	if (!trial->next_ns) {
		trial->began_ns = now_ns;
		trial->end_ns = now_ns + trial->for_ns;
		trial->next_ns = now_ns + trial->pace.pilot_ns;
		if (!trial->ends_run)
			run_feed_phase(run, "before try", now_ns);
		feed_progress(run);
	}
	if (now_ns < trial->next_ns)
		return trial->next_ns;
	bool is_whole = trial->at == 2 * trial->pace.n_pairs;
	bool can_begin = (has_time(trial, now_ns) || is_whole) && (trial->at > 0 || open_late(run));

	trial->is_time_over &= !is_whole;
	if (trial->at == 0 && can_begin)
		choose_pace(run, now_ns);
	if (!is_whole && can_begin && begin_next(run))
		return trial->next_ns;
	turn_back(run);
	if (trial->ends_run) {
		source_end(&run->source, is_whole              ? "tried"
					 : trial->is_time_over ? "try stopped"
							       : "try failed");
		return UINT64_MAX;
	}
	run_feed_phase(run, "after try", clock_now_ns());
	finish(run, is_whole);
	return UINT64_MAX;
}

/* Ends the trial early, and judges what it has measured. A run of ipctop try ends with it. */
static int stop_trial(struct run *run, struct error_text *refusal)
{
	struct run_try *trial = run->trial;

	if (!trial || trial->is_over)
		return error_text_set(refusal, -ESRCH, "try " COMMAND_TRY_STOP ": no knob is being tried");
	turn_back(run);
	if (trial->ends_run) {
		source_end(&run->source, "try stopped");
		return 0;
	}
	run_feed_phase(run, "after try", clock_now_ns());
	finish(run, false);
	return 0;
}

static int obey_try(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;

	return strcmp(command->words, COMMAND_TRY_STOP) == 0 ? stop_trial(run, refusal)
							     : begin_by_command(run, command, refusal);
}

static const char *try_word(const struct options_names *names, unsigned i)
{
	return i ? NULL : COMMAND_TRY_STOP;
}

static const struct option_row knob_argument = {
	.name = "knob", .argument = "KNOB=VALUE", .read = command_read_words, .value = try_word};

const struct command_row command_try = {"try",
	"turn a knob back and forth, and report what it does; stop ends it", &knob_argument,
	.kind = COMMAND_TRY, .acts = true, .in_run = obey_try,
	.refusal = "a replay changes nothing on this machine"};

void run_try_turn_back(struct run *run)
{
	const struct run_try *trial = run->trial;

	if (trial && !trial->is_over && trial->knob.is_b && strcmp(run->source.ended_by, "tried") != 0)
		turn_back(run);
}

void run_try_end(struct run *run)
{
	struct run_try *trial = run->trial;

	if (trial && !trial->is_over)
		finish(run,
			trial->at == 2 * trial->pace.n_pairs && strcmp(run->source.ended_by, "tried") == 0);
}

enum run_try_end run_try_how(const struct run *run)
{
	const struct run_try *trial = run->trial;

	if (!trial || !trial->ends_run)
		return RUN_TRY_NONE;
	if (trial->knob.lacks_restoring || trial->knob.is_others ||
		(!trial->is_whole && *trial->knob.trouble))
		return RUN_TRY_FAILED;
	return trial->verdict == SHIFT_WORSE || trial->verdict == SHIFT_MIXED ? RUN_TRY_WORSE
									      : RUN_TRY_NOT_WORSE;
}

bool run_try_holds_dma_latency(const struct run *run)
{
	return run->trial && !run->trial->is_over && tried_knob_is_held(&run->trial->knob);
}

void run_try_destroy(struct run *run)
{
	destroy(run, run->trial);
	run->trial = NULL;
}
