/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_perfetto.c - spikes with their records, for Perfetto's and Chrome's trace viewers: an array of the
 * JSON objects of the Trace Event Format.
 *
 * A ring is a process. Its tracks are its spikes, cut by their causes, and the CPUs that they ran on. */

#include "src/base/json.h"
#include "src/model/feed.h"
#include "src/model/session.h"
#include "src/report/export.h"

enum { SPIKES_TRACK, CPU_TRACKS };

/* The times of the format are microseconds. */
static double microseconds(const struct session *session, uint64_t at_ns)
{
	return (double)(int64_t)(at_ns - session->start_ns) / 1000;
}

static void print_text(FILE *out, const char *text)
{
	if (json_print_value(out, json_text(text), "") < 0)
		fputs("null", out);
}

static void print_name(FILE *out, const char *what, uint32_t ring, unsigned track, const char *name)
{
	fprintf(out, ",\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":", what,
		(unsigned)ring + 1, track);
	print_text(out, name);
	fputs("}}", out);
}

struct slice {
	unsigned track;
	uint64_t from_ns, to_ns;
	const char *name;
};

static void print_slice(FILE *out, const struct session *session, uint32_t ring, const struct slice *slice)
{
	if (slice->to_ns < slice->from_ns)
		return;
	fprintf(out, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,\"name\":",
		(unsigned)ring + 1, slice->track, microseconds(session, slice->from_ns),
		(double)(slice->to_ns - slice->from_ns) / 1000);
	print_text(out, slice->name);
	fputc('}', out);
}

static void print_names(FILE *out, const struct session *session, const struct spike *spike)
{
	const struct session_ring *ring = session_find_ring(session, spike->ring);
	const int32_t cpus[] = {spike->sender.cpu, spike->receiver.cpu};
	char name[SESSION_NAME_SIZE];

	print_name(out, "process_name", spike->ring, SPIKES_TRACK,
		ring ? session_ring_name(ring, name) : "ring");
	print_name(out, "thread_name", spike->ring, SPIKES_TRACK, "spikes");
	for (unsigned i = 0; i < 2; i++) {
		if (cpus[i] < 0)
			continue;
		snprintf(name, sizeof(name), "CPU %d", cpus[i]);
		print_name(out, "thread_name", spike->ring, CPU_TRACKS + (unsigned)cpus[i], name);
	}
}

/* Returns until when the task that came with a switch was alone on its CPU: the next switch that was
 * recorded, or turns with another task, or the spike's end. Turns end with a switch of the same time, before
 * or after them, or others follow them. */
static uint64_t alone_until_ns(const struct kept_spike *kept, size_t i)
{
	const struct flight_record *came = &kept->records[i];
	uint64_t until_ns = spike_end_ns(&kept->spike);
	bool is_over = false;

	for (size_t k = i + 1; k < kept->n_records; k++) {
		const struct flight_record *record = &kept->records[k];
		bool is_turns = (record->kind == FLIGHT_TURNS || record->kind == FLIGHT_MEMBERS) &&
				record->at_ns > came->at_ns;

		if (record->cpu != came->cpu || (!is_turns && (record->kind != FLIGHT_SWITCH || is_over)))
			continue;
		uint64_t change_ns = is_turns ? record->from_ns : record->at_ns;

		if (!is_over || change_ns < until_ns)
			until_ns = change_ns;
		is_over = true;
	}
	return until_ns;
}

/* What was on the CPU after a switch. The two tasks of turns have a slice of their own. */
static void print_task(FILE *out, const struct session *session, const struct kept_spike *kept, size_t i)
{
	const struct flight_record *record = &kept->records[i];
	uint64_t until_ns = alone_until_ns(kept, i);
	char name[48];

	if (!record->next_tid || until_ns <= record->at_ns)
		return;
	snprintf(name, sizeof(name), "%s %d", record->next_name, record->next_tid);
	print_slice(out, session, kept->spike.ring,
		&(struct slice){CPU_TRACKS + record->cpu, record->at_ns, until_ns, name});
}

/* Two tasks in turn, and then the one that went on alone; or members, of whom none is known. */
static void print_turns(
	FILE *out, const struct session *session, uint32_t ring, const struct flight_record *turns)
{
	uint32_t track = CPU_TRACKS + turns->cpu;
	bool are_members = turns->kind == FLIGHT_MEMBERS;
	char name[96];

	snprintf(name, sizeof(name), are_members ? "members of rings in turn" : "%s %d and %s %d in turn",
		turns->prev_name, (int)turns->prev_tid, turns->next_name, (int)turns->next_tid);
	print_slice(out, session, ring, &(struct slice){track, turns->from_ns, turns->until_ns, name});
	if (are_members)
		return;
	snprintf(name, sizeof(name), "%s %d", turns->prev_name, (int)turns->prev_tid);
	if (turns->until_ns < turns->at_ns)
		print_slice(out, session, ring, &(struct slice){track, turns->until_ns, turns->at_ns, name});
}

static void print_record(FILE *out, const struct session *session, const struct kept_spike *kept, size_t i)
{
	const struct flight_record *record = &kept->records[i];
	char name[48];

	if (record->kind == FLIGHT_SWITCH) {
		print_task(out, session, kept, i);
	} else if (record->kind == FLIGHT_TURNS || record->kind == FLIGHT_MEMBERS) {
		print_turns(out, session, kept->spike.ring, record);
	} else {
		snprintf(name, sizeof(name), "%s %s", flight_kind_names[record->kind], record->next_name);
		print_slice(out, session, kept->spike.ring,
			&(struct slice){CPU_TRACKS + record->cpu, record->from_ns, record->at_ns, name});
	}
}

static void print_spike(FILE *out, const struct session *session, const struct kept_spike *kept)
{
	const struct explanation *explanation = kept->explanation;
	char text[EXPLANATION_TEXT_SIZE], cause[CAUSE_TEXT_SIZE];

	print_names(out, session, &kept->spike);
	print_slice(out, session, kept->spike.ring,
		&(struct slice){SPIKES_TRACK, spike_start_ns(&kept->spike), spike_end_ns(&kept->spike),
			explanation_text(explanation, text)});
	for (size_t i = 0; i < explanation->n_segments; i++)
		print_slice(out, session, kept->spike.ring,
			&(struct slice){SPIKES_TRACK, explanation->segments[i].from_ns,
				explanation->segments[i].to_ns,
				cause_text(&explanation->segments[i].cause, cause)});
	for (size_t i = 0; i < kept->n_records; i++)
		print_record(out, session, kept, i);
}

static void print_header(FILE *out, const struct session *session, const struct report_origin *origin)
{
	fputs("[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"ipctop\"}}",
		out);
}

static void print_item(FILE *out, const struct export_item *item, uint64_t *n_events)
{
	const struct kept_spike *kept = !item->damaged && item->feed->kind == FEED_SPIKE
						? spikes_reported(&item->session->spikes)
						: NULL;

	if (kept)
		print_spike(out, item->session, kept);
}

static void print_end(FILE *out)
{
	fputs("]\n", out);
}

const struct export_format export_perfetto = {
	"perfetto", .print_header = print_header, .print_item = print_item, .print_end = print_end};
