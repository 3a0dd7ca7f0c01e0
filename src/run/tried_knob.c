/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tried_knob.c - the knob that a run turns: its words, its files, their journal and restorer. */
#include "src/run/tried_knob.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/base/values.h"
#include "src/machine/fact_files.h"
#include "src/model/advice.h"
#include "src/plan/plan.h"
#include "src/restore/journal_json.h"
#include "src/restore/restore.h"
#include "src/run/run.h"

enum { DMA_LATENCY_MAX_US = 2000000000 };

/* --- its words --- */

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

int tried_knob_read(struct tried_knob *knob, const char *words, struct error_text *reason)
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

bool tried_knob_is_held(const struct tried_knob *knob)
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

int tried_knob_check(struct tried_knob *knob)
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

/* The kernel accepted the write, and has @now instead. */
static void take_back(
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

static void write_value_to(struct tried_knob *knob, struct setting_file *file, struct outcome *outcome)
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
		take_back(knob, file, now, outcome);
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
		write_value_to(knob, &knob->files[i], &outcome);
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

int tried_knob_turn(struct tried_knob *knob, struct run *run, bool is_b)
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

bool tried_knob_waits_for_members(const struct tried_knob *knob)
{
	return knob->fact->rows && knob->fact->rows->is_given && !knob->journal;
}

int tried_knob_open(struct tried_knob *knob, struct run *run, struct error_text *reason)
{
	return tried_knob_is_held(knob) ? open_held(knob, run, reason) : open_files(knob, run, reason);
}

void tried_knob_release(struct tried_knob *knob, struct run *run)
{
	run->machine_rows.rivals.own_helper = 0;
	if (knob->journal && !knob->lacks_restoring)
		journal_forget(knob->journal);
	restorer_end(&knob->restorer);
	journal_close(knob->journal);
	knob->journal = NULL;
}

void tried_knob_finish(struct tried_knob *knob, struct run *run)
{
	tried_knob_release(knob, run);
	setting_files_free(knob->files, knob->n_files);
}
