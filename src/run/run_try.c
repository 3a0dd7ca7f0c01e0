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
#include "src/base/values.h"
#include "src/machine/fact_files.h"
#include "src/model/advice.h"
#include "src/model/session.h"
#include "src/model/trial.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/restore/journal_json.h"
#include "src/restore/restore.h"
#include "src/restore/restorer.h"
#include "src/ring/duty_cycle.h"
#include "src/run/run_items.h"

enum {
	KNOB_WORD_SIZE = 64,
	DMA_LATENCY_MAX_US = 2000000000,
	SENTENCE_SIZE = TRIAL_TEXT_SIZE + 1024,
	INTERRUPTS_NAMED = 4, /* by the result, of those that were turned */
	/* A stall that the value before made ends at once when another one is written, and is to count in
	 * the phase before. What comes in this time with the new value counts there, too: less than a
	 * thousandth of it. */
	STALL_ENDS_US = 1000,
};

/* A knob of the machine, with the value that was found (A) and a new one (B). */
struct tried_knob {
	const struct machine_fact *fact;
	char word[KNOB_WORD_SIZE];      /* as it was typed, without the value */
	char value[SETTING_VALUE_SIZE]; /* of B */
	struct cpus numbers;            /* of CPUs or interrupts */
	bool has_numbers;
	struct setting_file *files; /* owned; none where the setting is held */
	size_t n_files;
	int32_t held_us, was_us;  /* of a setting that is held; -1: it is not */
	struct journal *journal;  /* owned; NULL: nothing was written yet, or the setting is held */
	struct restorer restorer; /* pid 0: none */
	bool is_b;
	bool lacks_restoring; /* a file could not be written: the journal stays */
	bool is_others;       /* a file has a value that somebody else has written: it stays */
	char trouble[512];    /* why it was not turned, or what is not as it was; "": nothing */
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

/* --- the knob --- */

static bool is_called(const char *name, const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!name[i] || (name[i] != word[i] && !(name[i] == ' ' && word[i] == '_')))
			return false;
	return !name[length];
}

/* Finds a fact by the name of the knob, that of its events, or its key. @known: of this name, but without a
 * writer; NULL: none. */
static const struct machine_fact *find_knob(const char *word, size_t length, const struct knob **known)
{
	*known = NULL;
	for (size_t i = 0; i < knobs_n; i++) {
		const struct machine_fact *fact = knob_fact(&knobs[i]);

		if (!fact ||
			(!is_called(knobs[i].name, word, length) && !is_called(knobs[i].fact, word, length) &&
				!(fact->title && is_called(fact->title, word, length))))
			continue;
		if (fact->form)
			return fact;
		*known = &knobs[i];
	}
	return NULL;
}

static int refuse_knob(const char *word, size_t length, const struct knob *known, struct error_text *reason)
{
	const struct knob *knob;
	char names[480] = "";

	if (known)
		return error_text_set(
			reason, -EINVAL, "try %.*s: %s", (int)length, word, knob_try_refusal(known));
	for (unsigned i = 0; (knob = knobs_to_try(i)); i++)
		text_append(names, sizeof(names), " ", knob->fact);
	return error_text_set(
		reason, -EINVAL, "try %.*s: no such knob; choose from: %s", (int)length, word, names);
}

/* Reads "governor=performance", "irq_affinity:24=1". */
static int tried_knob_read(struct tried_knob *knob, const char *words, struct error_text *reason)
{
	const char *equals = strchr(words, '=');
	size_t length = equals ? (size_t)(equals - words) : strlen(words);
	const char *colon = memchr(words, ':', length);
	size_t name_length = colon ? (size_t)(colon - words) : length;
	char numbers[KNOB_WORD_SIZE];
	const struct knob *known;

	if (!equals || !equals[1] || length >= KNOB_WORD_SIZE || strlen(equals + 1) >= SETTING_VALUE_SIZE)
		return error_text_set(reason, -EINVAL,
			"try %s: must be KNOB=VALUE, such as governor=performance, or irq_affinity:24=1",
			words);
	knob->fact = find_knob(words, name_length, &known);
	if (!knob->fact)
		return refuse_knob(words, name_length, known, reason);
	snprintf(knob->word, sizeof(knob->word), "%.*s", (int)length, words);
	snprintf(knob->value, sizeof(knob->value), "%s", equals + 1);
	if (!colon)
		return 0;
	snprintf(numbers, sizeof(numbers), "%.*s", (int)(length - name_length - 1), colon + 1);
	knob->has_numbers = true;
	if (!knob->fact->rows || knob->fact->rows->is_given || cpus_parse(&knob->numbers, numbers) < 0)
		return error_text_set(reason, -EINVAL, "try %s: %s; leave :%s out", knob->word,
			knob->fact->rows && !knob->fact->rows->is_given
				? "after : is a list of numbers, such as 0-3,8"
				: "it is one setting of the whole machine",
			numbers);
	return 0;
}

static bool tried_knob_is_held(const struct tried_knob *knob)
{
	return knob->fact->form == SETTING_HELD;
}

/* --- what forbids it --- */

static bool spins_at_realtime(const struct run *run)
{
	const struct arena *arena = run->engine.arena;

	for (uint32_t i = 0; i < arena_n_rings(arena); i++) {
		const struct arena_ring *ring = &arena->rings[i];

		if (ring->is_used && (ring->probe->traits & PROBE_SPINS || !ring->interval_ns) &&
			plan_ring_is_realtime(&ring->plan))
			return true;
	}
	return false;
}

/* Without the limit, a member that spins never gives its CPU to the restorer. */
static int check_limits(const struct tried_knob *knob, const struct run *run, const struct cpus *free,
	struct error_text *reason)
{
	bool is_limit = strcmp(knob->fact->field.key, "rt_runtime_us") == 0 ||
			strcmp(knob->fact->field.key, "fair_runtime") == 0;

	if (!is_limit || cpus_count(free) || !spins_at_realtime(run))
		return 0;
	return error_text_set(reason, -EBUSY,
		"try %s: members that spin at real-time priority are on all CPUs, so nothing could restore it; "
		"leave a CPU out by -c",
		knob->word);
}

/* --- the settings --- */

static void add_trouble(void *data, const char *sentence)
{
	struct tried_knob *knob = data;

	text_append(knob->trouble, sizeof(knob->trouble), "; ", sentence);
}

static int write_held(struct tried_knob *knob, struct run *run, bool is_b)
{
	struct error_text why;
	int32_t us = is_b ? knob->held_us : knob->was_us;
	int r = engine_hold_dma_latency(&run->engine, us, &why);

	if (r < 0)
		add_trouble(knob, why.text);
	else
		run->machine.dma_latency_held_us = us;
	knob->lacks_restoring = r < 0 && !is_b;
	return r;
}

/* Reads the value that the kernel made of the one written: the journal must have it, too. Returns whether it
 * differs, or was not read before. */
static bool take_value(struct setting_file *file)
{
	char now[SETTING_VALUE_SIZE];
	bool was_unread = file->is_unread;

	file->is_unread = false;
	if (setting_file_read(file->path, file->form, now) < 0 ||
		setting_file_equal(file->form, now, file->written))
		return was_unread;
	strcpy(file->written, now);
	return true;
}

/* Another value is somebody else's: it stays. */
static int leave_alone(struct tried_knob *knob, struct setting_file *file, const char *now)
{
	struct error_text why;

	error_text_set(&why, -ESTALE, "%s was changed to %s meanwhile", file->path, now);
	add_trouble(knob, why.text);
	strcpy(file->was, now); /* nothing is to be restored any more */
	knob->is_others = true;
	return -ESTALE;
}

/* Each file must have the value that the trial gave it last. */
static int tried_knob_check(struct tried_knob *knob)
{
	char now[SETTING_VALUE_SIZE];

	for (size_t i = 0; i < knob->n_files; i++) {
		struct setting_file *file = &knob->files[i];

		if (setting_file_read(file->path, file->form, now) < 0) /* a CPU, interrupt or task is gone */
			continue;
		if (!setting_file_equal(file->form, now, knob->is_b ? file->written : file->was))
			return leave_alone(knob, file, now);
	}
	return 0;
}

/* What became of the files that B's value was written into. */
struct outcome {
	size_t n_written, n_equal; /* n_equal: they had the value before, so they were not written */
	bool differs;              /* a file has another value than the journal: that must be written again */
	int error;                 /* of the last file that was refused; 0: none was */
	struct error_text refusal;
};

/* The kernel took the value in name alone: @now is what it made of it. */
static void give_up(
	struct tried_knob *knob, struct setting_file *file, const char *now, struct outcome *outcome)
{
	struct error_text why;
	int r = 0;

	outcome->error =
		error_text_set(&outcome->refusal, -EINVAL, "the kernel makes it %s in %s", now, file->path);
	outcome->differs = true;
	strcpy(file->written, now);
	file->is_unread = false;
	/* The kernel keeps the name of a clock source for when there is such a one. */
	if (setting_file_equal(file->form, now, file->was))
		r = setting_file_write(file->path, file->form, file->was);
	if (r == 0)
		return;
	file->is_kept = true;
	error_text_set(&why, r, "%s may keep %s: %s", file->path, knob->value, error_text_of_errno(r));
	add_trouble(knob, why.text);
}

static void write_file(struct tried_knob *knob, struct setting_file *file, struct outcome *outcome)
{
	char now[SETTING_VALUE_SIZE];
	int r = setting_file_read(file->path, file->form, now);

	if (r == -ENOENT || r == -ESRCH) { /* a CPU, interrupt or task is gone */
		outcome->differs |= file->is_unread;
		file->is_unread = false;
		return;
	}
	if (setting_file_equal(file->form, file->written, file->was)) {
		outcome->n_equal++;
		return;
	}
	r = setting_file_write(file->path, file->form, knob->value);
	if (r < 0) {
		strcpy(file->written, file->was);
		file->is_unread = false;
		outcome->differs = true;
		outcome->error = error_text_set(&outcome->refusal, r, "the kernel refuses %s for %s: %s",
			knob->value, file->path, error_text_of_errno(r));
		return;
	}
	if (setting_file_read(file->path, file->form, now) == 0 &&
		(setting_file_is_void(file->form, now) || setting_file_equal(file->form, now, file->was))) {
		give_up(knob, file, now, outcome);
		return;
	}
	outcome->n_written++;
	outcome->differs |= take_value(file);
}

/* Writes B's value, after tried_knob_check(). A file that the kernel refuses keeps the value that was found,
 * in all phases: it is not tried again, as the journal, which is written later, would not have the value. */
static int write_value(struct tried_knob *knob)
{
	struct outcome outcome = {0};
	struct error_text why;

	if (!restorer_waits(&knob->restorer)) {
		add_trouble(knob, "the process that restores was killed");
		return -ECHILD;
	}
	for (size_t i = 0; i < knob->n_files; i++)
		write_file(knob, &knob->files[i], &outcome);
	if (outcome.differs && journal_write(knob->journal, knob->files, knob->n_files, &why) < 0) {
		add_trouble(knob, why.text);
		return -EIO;
	}
	if (outcome.n_written || (outcome.n_equal && !outcome.error)) /* some interrupts can't be moved */
		return 0;
	add_trouble(knob, outcome.error ? outcome.refusal.text : "its files are gone");
	return outcome.error ? outcome.error : -ENOENT;
}

static int write_back(struct tried_knob *knob)
{
	struct restore_counts counts = restore_settings(knob->files, knob->n_files, false, add_trouble, knob);

	knob->lacks_restoring = counts.failed > 0;
	knob->is_others |= counts.left_alone > 0;
	return counts.failed ? -EIO : counts.left_alone ? -ESTALE : 0;
}

static int tried_knob_turn(struct tried_knob *knob, struct run *run, bool is_b)
{
	int r = 0;

	if (tried_knob_is_held(knob))
		r = write_held(knob, run, is_b);
	else if (is_b)
		r = write_value(knob);
	else
		r = write_back(knob);
	knob->is_b = is_b && r == 0;
	return r;
}

/* --- its opening --- */

/* The restorer runs on CPUs that no member uses, if there are any. */
static struct cpus free_cpus(const struct run *run)
{
	struct cpus free = run->topology->usable;

	cpus_subtract(&free, &run->plan->measured);
	return free;
}

static int check_value(const struct tried_knob *knob, struct error_text *reason)
{
	const char *value = knob->value;
	bool is_switch = knob->n_files && knob->files[0].form == SETTING_SWITCH;

	if (is_switch && strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
		return error_text_set(reason, -EINVAL, "try %s=%s: must be on or off", knob->word, value);
	for (size_t i = 0; i < knob->n_files; i++)
		if (!setting_file_equal(knob->files[i].form, knob->files[i].was, knob->value))
			return 0;
	return error_text_set(reason, -EALREADY, "try %s: it is %s already", knob->word, knob->value);
}

/* Lists the files, makes the journal and the restorer, and tries whether the kernel takes the value. */
static int open_files(struct tried_knob *knob, struct run *run, struct error_text *reason)
{
	struct cpus free = free_cpus(run);
	struct error_text why;
	int r = journal_open(&knob->journal, JOURNAL_FOLDER, reason);

	if (r == 0) {
		r = restore_journal(knob->journal, add_trouble, knob, reason);
		knob->lacks_restoring = r < 0;
	}
	if (r < 0)
		return r;
	r = fact_files_list(&knob->files, &knob->n_files, knob->fact,
		knob->has_numbers ? &knob->numbers : NULL, run->member_tids, run->machine_rows.n_members,
		&why);

	if (r < 0)
		return error_text_set(reason, r, "try %s: %s", knob->word, why.text);
	r = check_value(knob, reason);
	if (r == 0)
		r = check_limits(knob, run, &free, reason);
	for (size_t i = 0; i < knob->n_files; i++) {
		struct setting_file *file = &knob->files[i];

		strcpy(file->written, knob->value);
		file->is_unread = !setting_file_equal(file->form, file->was, file->written);
	}
	if (r == 0)
		r = journal_write(knob->journal, knob->files, knob->n_files, reason);
	if (r == 0)
		r = restorer_start(&knob->restorer, knob->journal, run->engine.keeper.pidfd,
			cpus_count(&free) ? &free : &run->topology->usable, reason);
	if (r < 0)
		return r;
	run->machine_rows.rivals.own_helper = knob->restorer.pid;
	r = tried_knob_turn(knob, run, true);
	tried_knob_turn(knob, run, false); /* where some of several files were written, too */
	return r < 0 ? error_text_set(reason, r, "try %s=%s: %s", knob->word, knob->value, knob->trouble) : 0;
}

static int open_held(struct tried_knob *knob, struct run *run, struct error_text *reason)
{
	uint64_t us;

	if (value_number(knob->value, &us) < 0 || us > DMA_LATENCY_MAX_US)
		return error_text_set(reason, -EINVAL, "try %s=%s: must be 0 to 2000000000 microseconds",
			knob->word, knob->value);
	knob->was_us = run->machine.dma_latency_held_us;
	knob->held_us = (int32_t)us;
	int r = tried_knob_turn(knob, run, true);

	if (r == 0)
		r = tried_knob_turn(knob, run, false);
	return r < 0 ? error_text_set(reason, r, "try %s: %s", knob->word, knob->trouble) : 0;
}

/* The members' own settings have no files before the members run. */
static bool tried_knob_waits_for_members(const struct tried_knob *knob)
{
	return knob->fact->rows && knob->fact->rows->is_given && !knob->journal;
}

static int tried_knob_open(struct tried_knob *knob, struct run *run, struct error_text *reason)
{
	return tried_knob_is_held(knob) ? open_held(knob, run, reason) : open_files(knob, run, reason);
}

static void tried_knob_release(struct tried_knob *knob, struct run *run)
{
	run->machine_rows.rivals.own_helper = 0;
	if (knob->journal && !knob->lacks_restoring)
		journal_forget(knob->journal);
	restorer_end(&knob->restorer);
	journal_close(knob->journal);
	knob->journal = NULL;
}

static void tried_knob_finish(struct tried_knob *knob, struct run *run)
{
	tried_knob_release(knob, run);
	setting_files_free(knob->files, knob->n_files);
}

/* --- the trial's beginning --- */

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
