/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.c - an event: a typed record, and its sentence. */
#include "src/model/event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bytes.h"
#include "src/base/field.h"
#include "src/base/text.h"
#include "src/figures/breach.h"

static const struct field fields[] = {
	FIELD_OF(struct event, at_ns),
	FIELD_OF(struct event, kind, .below = N_EVENT_KINDS),
	FIELD_OF(struct event, ring),
	FIELD_OF(struct event, member),
	FIELD_OF(struct event, tid),
	FIELD_OF(struct event, n_rings),
	FIELD_OF(struct event, condition, .below = N_CONDITIONS),
	FIELD_OF(struct event, figure, .below = N_FIGURES),
	FIELD_OF(struct event, ns),
	FIELD_OF(struct event, limit_ns),
	FIELD_OF(struct event, number),
	FIELD_OF(struct event, error),
	FIELD_OF(struct event, faults[FAULT_LOST]),
	FIELD_OF(struct event, faults[FAULT_REPEATED]),
	FIELD_OF(struct event, faults[FAULT_REORDERED]),
	FIELD_OF(struct event, faults[FAULT_DAMAGED]),
	FIELD_OF(struct event, subject),
	FIELD_OF(struct event, was),
	FIELD_OF(struct event, is),
	FIELD_OF(struct event, text),
};

enum { N_FIELDS = sizeof(fields) / sizeof(*fields) };

static const char *const class_names[] = {
	[CLASS_NOTE] = "note",
	[CLASS_WARNING] = "warning",
	[CLASS_CHANGE] = "change",
	[CLASS_RING] = "ring",
	[CLASS_MARK] = "mark",
};

/* --- the end of a sentence --- */

/* A recording that anyone may have written can lack a text. */
static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static void print_text(FILE *out, const struct event *event)
{
	fputs(or_empty(event->text), out);
}

static void print_change(FILE *out, const struct event *event)
{
	fprintf(out, "%s -> %s", or_empty(event->was), or_empty(event->is));
}

static void print_refusal(FILE *out, const struct event *event)
{
	fprintf(out, "%s, %s was requested", or_empty(event->is), or_empty(event->was));
	if (event->text)
		fprintf(out, ": %s", event->text);
}

static void print_faults(FILE *out, const struct event *event)
{
	char text[128];

	fputs(token_faults_text(event->faults, text, sizeof(text)), out);
}

static void print_trouble(FILE *out, const struct event *event)
{
	fputs(ring_condition_name(event->condition), out);
	if (event->text)
		fprintf(out, ": %s", event->text);
}

/* "1.234 s"; nothing, without @before, below 1 us. */
static void print_time(FILE *out, const char *before, uint64_t ns)
{
	static const struct {
		uint64_t from_ns;
		const char *unit;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
	size_t i = 0, n = sizeof(units) / sizeof(*units);

	while (i < n && ns < units[i].from_ns)
		i++;
	if (i < n)
		fprintf(out, "%s%.3f %s", before, (double)ns / (double)units[i].from_ns, units[i].unit);
}

/* "5 changes in 4.000 s, the last to performance": a later one may be an event of its own. */
static void print_flaps(FILE *out, const struct event *event)
{
	fprintf(out, "%u changes", (unsigned)event->number);
	print_time(out, " in ", event->ns);
	fprintf(out, ", the last to %s", or_empty(event->is));
}

static void print_trouble_over(FILE *out, const struct event *event)
{
	fputs(ring_condition_name(event->condition), out);
	print_time(out, "; the wait grew to ", event->ns);
}

/* The thread's waits in the whole tick are the cause if they make up half of the lateness. Otherwise the
 * reason is not known: a call to the kernel may have slept, somebody may have stopped ipctop, or the machine
 * may have stood still. */
static void print_own_late(FILE *out, const struct event *event)
{
	print_time(out, "", event->ns);
	fputs(" late", out);
	if (event->limit_ns && event->limit_ns >= event->ns / 2)
		fputs(": its thread got no CPU", out);
	else
		print_time(out, "; its thread's wait for a CPU was only ", event->limit_ns);
}

static void print_own_late_over(FILE *out, const struct event *event)
{
	fprintf(out, "late %u times", (unsigned)event->number);
	print_time(out, ", by at most ", event->ns);
}

static void print_phase(FILE *out, const struct event *event)
{
	fprintf(out, "%u", (unsigned)event->number);
	if (*or_empty(event->text))
		fprintf(out, " '%s'", event->text);
}

static void print_phases_full(FILE *out, const struct event *event)
{
	fprintf(out, "%u phases are kept: from now on each new phase drops the oldest",
		(unsigned)event->number);
}

static void print_breach(FILE *out, const struct event *event)
{
	char text[BREACH_TEXT_SIZE];

	fprintf(out, "%s; ", breach_text(event->figure, event->ns, event->limit_ns, text));
	if (!event->error)
		fprintf(out, "tracing is off");
	else if (event->error == -EALREADY)
		fprintf(out, "tracing was off already");
	else if (event->error == -ENOENT)
		fprintf(out, "there is no tracing");
	else
		fprintf(out, "tracing could not be stopped: %s", strerror((int)-(int64_t)event->error));
}

/* A sentence: subject, the row's words for one ring or for many, and an end. */
static const struct {
	enum event_class class;
	const char *one, *many;                                   /* many: NULL: as one */
	void (*print_rest)(FILE *out, const struct event *event); /* NULL: nothing */
} kinds[N_EVENT_KINDS] = {
	[EVENT_RING_FAILED] = {CLASS_RING, " failed: ", NULL, print_text},
	[EVENT_RING_BACK] = {CLASS_RING, " runs again", " run again", NULL},
	[EVENT_FAULTS] = {CLASS_WARNING, ": ", NULL, print_faults},
	[EVENT_POLICY_REFUSED] = {CLASS_WARNING, " runs as ", " run as ", print_refusal},
	[EVENT_CPU_REFUSED] = {CLASS_WARNING, " runs on ", " run on ", print_refusal},
	[EVENT_RING_REMARK] = {CLASS_WARNING, ": ", NULL, print_text},
	[EVENT_MEMBER_CHANGED] = {CLASS_CHANGE, ": ", NULL, print_change},
	[EVENT_TROUBLE] = {CLASS_WARNING, " is ", " are ", print_trouble},
	[EVENT_TROUBLE_OVER] = {CLASS_NOTE, " is no longer ", " are no longer ", print_trouble_over},
	[EVENT_LATE_LAPS] = {CLASS_WARNING,
		": no first hop: laps take longer than the interval: choose a longer one (-i), or another "
		"figure (--show)",
		NULL, NULL},
	[EVENT_MACHINE] = {CLASS_CHANGE, ": ", NULL, print_change},
	[EVENT_PHASE] = {CLASS_MARK, "phase ", NULL, print_phase},
	[EVENT_PHASES_FULL] = {CLASS_NOTE, "", NULL, print_phases_full},
	[EVENT_BREACH] = {CLASS_WARNING, ": ", NULL, print_breach},
	[EVENT_NOTE] = {CLASS_NOTE, "", NULL, print_text},
	[EVENT_WARNING] = {CLASS_WARNING, "", NULL, print_text},
	[EVENT_OWN_LATE] = {CLASS_WARNING, "ipctop sampled ", NULL, print_own_late},
	[EVENT_MACHINE_FLAPS] = {CLASS_CHANGE, ": ", NULL, print_flaps},
	[EVENT_TRIAL] = {CLASS_NOTE, ": ", NULL, print_text},
	[EVENT_OWN_LATE_OVER] = {CLASS_NOTE, "ipctop sampled ", NULL, print_own_late_over},
};

enum event_class event_class(const struct event *event)
{
	return kinds[event->kind].class;
}

const char *event_class_name(const struct event *event)
{
	return class_names[event_class(event)];
}

void event_print(FILE *out, const struct event *event)
{
	const char *many = kinds[event->kind].many;

	fputs(or_empty(event->subject), out);
	fputs(many && event->n_rings > 1 ? many : kinds[event->kind].one, out);
	if (kinds[event->kind].print_rest)
		kinds[event->kind].print_rest(out, event);
}

char *event_text(const struct event *event)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	event_print(out, event);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* --- copies --- */

static const char **string_of(struct event *event, size_t i)
{
	return fields[i].type == FIELD_STRING ? (const char **)((char *)event + fields[i].offset) : NULL;
}

int event_copy(struct event *copy, const struct event *event)
{
	int r = 0;

	*copy = *event;
	for (size_t i = 0; i < N_FIELDS; i++) {
		const char **string = string_of(copy, i);

		if (!string || !*string)
			continue;
		char *text = strdup(*string);

		r = text ? r : -ENOMEM;
		*string = text ? text_clean(text) : NULL;
	}
	return r;
}

void event_finish(struct event *event)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (string_of(event, i))
			free((char *)*string_of(event, i));
	*event = (struct event){0};
}

void event_encode(struct bytes *bytes, const struct event *event)
{
	fields_encode(bytes, FIELDS(fields), event);
}

void event_decode(struct scan *scan, struct event *event)
{
	fields_decode(scan, FIELDS(fields), event);
	scan->bad |= event->ring < (event->kind == EVENT_BREACH ? 0 : -1);
}
