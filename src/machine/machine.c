/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.c - reads, shows and compares the facts about a machine, by their table in settings.c. */
#include "src/machine/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/base/sort.h"
#include "src/base/text.h"
#include "src/machine/cpu_parts.h"
#include "src/machine/cpus.h"
#include "src/machine/settings.h"
#include "src/machine/topology.h"

enum { CLOCK_READS = 4001 };

static struct fact_rows **rows_of(struct machine *machine, const struct machine_fact *fact)
{
	return (struct fact_rows **)((char *)machine + fact->field.offset);
}

struct fact_rows *machine_rows_of(const struct machine *machine, const struct machine_fact *fact)
{
	return *(struct fact_rows *const *)((const char *)machine + fact->field.offset);
}

const struct machine_fact *machine_fact_reported(const char *name)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		if (machine_facts[i].report && strcmp(machine_facts[i].report, name) == 0)
			return &machine_facts[i];
	return NULL;
}

int32_t machine_clock_step(const uint32_t *elapsed_ns, size_t n)
{
	size_t i = 0;

	while (i < n && elapsed_ns[i] == 0)
		i++;
	return i > 0 && i < n ? (int32_t)elapsed_ns[i] : -1;
}

static void measure_clock(struct machine *machine)
{
	uint32_t times[CLOCK_READS];
	uint64_t before = clock_now_ns();

	for (size_t i = 0; i < CLOCK_READS; i++) {
		uint64_t now = clock_now_ns();

		times[i] = (uint32_t)(now - before);
		before = now;
	}
	sort_uints(times, CLOCK_READS);
	machine->clock_cost_ns = times[CLOCK_READS / 2];
	machine->clock_step_ns = machine_clock_step(times, CLOCK_READS);
}

/* What may not be read is not tried again: rights are not gained, and a lockdown logs each try. */
static void read_text(const struct machine_fact *fact, char *text)
{
	char line[512];

	if (strcmp(text, "not readable") == 0)
		return;
	ssize_t length = small_file_read_line(fact->file, line, sizeof(line));

	if (length > 0 && fact->pick)
		fact->pick(line);
	text_clean(line);
	snprintf(text, fact->field.size, "%.*s", (int)fact->field.size - 1,
		length > 0 ? line : small_file_state_word(length));
}

static void refresh_fact(const struct machine_fact *fact, struct machine *machine)
{
	int64_t number = fact->unknown;
	char *text = (char *)machine + fact->field.offset;

	if (fact->rows) {
		return;
	} else if (fact->refresh) {
		fact->refresh(machine);
	} else if (fact->file && fact->has_states) {
		read_text(fact, text);
	} else if (fact->file && field_is_text(&fact->field)) {
		small_file_read_line(fact->file, text, fact->field.size);
	} else if (fact->file) {
		small_file_read_number(fact->file, &number);
		field_set_number(&fact->field, machine, number);
	}
}

void machine_refresh(struct machine *machine)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		refresh_fact(&machine_facts[i], machine);
}

static bool has_rows_to_read(const struct machine_fact *fact)
{
	return fact->rows && (fact->file || fact->read_row);
}

static void read_rows(struct machine_rows *rows, struct machine *machine, const struct machine_fact *fact,
	size_t n_at_once, const struct cpus *isolated)
{
	struct fact_reader *reader = &rows->readers[fact - machine_facts];
	const struct fact_rows *known = machine_rows_of(machine, fact);

	if (known && !known->n && !fact->rows->is_given && strcmp(known->text, "not readable") == 0)
		return; /* as in read_text() */
	reader->without = fact->interrupts ? isolated : NULL;
	reader->given = rows->members;
	reader->n_given = rows->n_members;
	fact_reader_read(reader, fact->rows, fact->rows->folder, fact->file, fact->read_row, n_at_once,
		rows_of(machine, fact));
}

void machine_refresh_fact(struct machine_rows *rows, struct machine *machine, const struct machine_fact *fact)
{
	struct cpus isolated = cpus_isolated();

	refresh_fact(fact, machine);
	if (!has_rows_to_read(fact))
		return;
	fact_reader_finish(&rows->readers[fact - machine_facts]); /* its part may be of before */
	read_rows(rows, machine, fact, SIZE_MAX, &isolated);
}

static void read_rivals(struct machine_rows *rows, struct machine *machine, size_t n_at_once)
{
	struct rivals_words words;

	if (!rivals_read(&rows->rivals, &words, n_at_once))
		return;
	memcpy(machine->rivals, words.tasks, sizeof(machine->rivals));
	memcpy(machine->irqbalance, words.irqbalance, sizeof(machine->irqbalance));
	memcpy(machine->irq_threads, words.irq_threads, sizeof(machine->irq_threads));
}

void machine_read_rows(struct machine_rows *rows, struct machine *machine)
{
	struct cpus isolated = cpus_isolated();

	for (size_t i = 0; i < machine_n_facts; i++)
		if (has_rows_to_read(&machine_facts[i]))
			read_rows(rows, machine, &machine_facts[i], SIZE_MAX, &isolated);
	read_rivals(rows, machine, SIZE_MAX);
}

void machine_refresh_part(struct machine_rows *rows, struct machine *machine, unsigned part)
{
	for (size_t i = part; i < machine_n_facts; i += MACHINE_PARTS) {
		const struct machine_fact *fact = &machine_facts[i];

		refresh_fact(fact, machine);
		if (has_rows_to_read(fact) && fact->n_at_once)
			read_rows(rows, machine, fact, fact->n_at_once, NULL);
	}
	read_rivals(rows, machine, RIVALS_AT_ONCE);
}

void machine_rows_finish(struct machine_rows *rows)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		fact_reader_finish(&rows->readers[i]);
	rivals_finish(&rows->rivals);
}

struct machine machine_copy(const struct machine *machine)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		if (machine_facts[i].rows)
			fact_rows_share(machine_rows_of(machine, &machine_facts[i]));
	return *machine;
}

void machine_finish(struct machine *machine)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		if (machine_facts[i].rows)
			fact_rows_release(machine_rows_of(machine, &machine_facts[i]));
	*machine = (struct machine){0};
}

const char *machine_text(const struct machine *machine, const struct machine_fact *fact)
{
	if (fact->rows)
		return fact_rows_text(fact->rows, machine_rows_of(machine, fact));
	return field_is_text(&fact->field) ? field_text(&fact->field, machine) : NULL;
}

const char *machine_recorded_text(const struct machine *machine, const struct machine_fact *fact)
{
	const struct fact_rows *rows = fact->rows ? machine_rows_of(machine, fact) : NULL;

	return rows ? rows->text : machine_text(machine, fact);
}

void machine_set_text(struct machine *machine, const struct machine_fact *fact, const char *text)
{
	if (!fact->rows) {
		snprintf((char *)machine + fact->field.offset, fact->field.size, "%s", text);
		return;
	}
	struct fact_rows **rows = rows_of(machine, fact);

	fact_rows_release(*rows);
	*rows = fact_rows_parse(text);
}

bool machine_equal(const struct machine *a, const struct machine *b)
{
	for (size_t i = 0; i < machine_n_facts; i++) {
		const struct machine_fact *fact = &machine_facts[i];
		const char *in_a = machine_recorded_text(a, fact), *in_b = machine_recorded_text(b, fact);

		if (in_a ? strcmp(in_a, in_b) != 0
			 : field_number(&fact->field, a) != field_number(&fact->field, b))
			return false;
	}
	return true;
}

struct machine machine_unknown(void)
{
	struct machine machine = {0};

	for (size_t i = 0; i < machine_n_facts; i++)
		if (!machine_facts[i].rows && !field_is_text(&machine_facts[i].field))
			field_set_number(&machine_facts[i].field, &machine, machine_facts[i].unknown);
	return machine;
}

static bool is_unknown(const struct machine_fact *fact, int64_t number)
{
	return fact->unknown && number == fact->unknown;
}

char *machine_word(
	const struct machine *machine, const struct machine_fact *fact, char word[MACHINE_WORD_SIZE])
{
	const char *text = machine_text(machine, fact);
	int64_t number = text ? 0 : field_number(&fact->field, machine);

	if (!text)
		text = is_unknown(fact, number) ? ""
		       : fact->value_names      ? fact->value_names[number]
		       : fact->is_switch        ? (number ? "on" : "off")
						: NULL;
	if (fact->word)
		fact->word(machine, word, MACHINE_WORD_SIZE);
	else if (text)
		snprintf(word, MACHINE_WORD_SIZE, "%s",
			*text                ? text
			: fact->unknown_word ? fact->unknown_word
					     : "unknown");
	else
		snprintf(word, MACHINE_WORD_SIZE, "%lld", (long long)number);
	return word;
}

void machine_read(struct machine *machine, const struct topology *topology)
{
	struct utsname name;

	*machine = (struct machine){.dma_latency_held_us = -1,
		.cpu_parts = cpu_parts_of(topology),
		.n_cpus = topology->n_cpus,
		.n_cores = topology->n_cores,
		.n_packages = topology->n_packages,
		.n_nodes = topology->n_nodes};
	uname(&name);
	snprintf(machine->host, sizeof(machine->host), "%s", text_clean(name.nodename));
	snprintf(machine->kernel, sizeof(machine->kernel), "%s", text_clean(name.release));
	machine_refresh(machine);
	settings_read_constant(machine, name.release);
	measure_clock(machine);
}
