/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header.c - the lines above a view, field by field. */
#include "ui/frame/header.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "src/machine/cpus.h"
#include "src/model/comparison_lines.h"
#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "src/model/session_turns.h"

enum {
	FIELDS_MAX = 40,
	TEXT_MAX = 600,
	GAP = 2,
	BRIEF_GOVERNOR = 4,
	NO_DMA_LATENCY = 2000000000, /* us: the kernel's default, without a limit */
};

/* If a line is too narrow, its fields are omitted and shortened, the highest rank first; rank 0: never. */
struct header_field {
	unsigned line, width; /* width 0: empty, or omitted */
	unsigned omitted, shortened;
	enum style style;
	bool right;  /* at the line's end */
	bool is_cut; /* it is shortened to as many words as have room, at least to the short form */
	char text[TEXT_MAX];
	const char *shown, *brief; /* within the text, or "" */
};

struct header {
	const struct scene *scene;
	unsigned lines;
	struct header_field fields[FIELDS_MAX]; /* in the order of the screen */
	size_t n;
};

/* Adds a field to a line, or to the last one if the header has fewer, with its ranks. The text has the short
 * form of the field after a line feed. */
__attribute__((format(printf, 6, 7))) static struct header_field *field(struct header *header, unsigned line,
	unsigned omitted, unsigned shortened, enum style style, const char *format, ...)
{
	struct header_field *field = &header->fields[header->n++];
	va_list arguments;

	*field = (struct header_field){.line = line < header->lines ? line : header->lines - 1,
		.omitted = omitted,
		.shortened = shortened,
		.style = style};
	va_start(arguments, format);
	vsnprintf(field->text, sizeof(field->text), format, arguments);
	va_end(arguments);
	size_t length = strcspn(field->text, "\n");

	field->brief = field->text[length] ? &field->text[length + 1] : "";
	field->text[length] = '\0';
	field->shown = field->text;
	field->width = canvas_measure(header->scene->canvas, field->shown);
	return field;
}

/* --- the fields --- */

/* Returns the name of the mechanism, or "" if there are several: then groups or a column name them. */
static const char *only_mechanism(const struct session *session)
{
	const struct session_ring *rings = session->rings;

	for (size_t i = 1; i < session->n_rings; i++)
		if (strcmp(rings[i].mechanism, rings[0].mechanism) != 0)
			return "";
	return session->n_rings ? rings[0].mechanism : "";
}

/* A sweep has cells in place of rings: how many are measured. The matrix names the figure that it shows. The
 * past in memory has no large one. */
static void fields_of_sweep(struct header *header)
{
	const struct matrix *matrix = header->scene->session->matrix;

	field(header, 0, 1, 0, STYLE_STRONG, "sweep%s%s", matrix ? " " : "", matrix ? matrix->mechanism : "");
	if (!matrix)
		return;
	field(header, 0, 2, 5, STYLE_STRONG, "%zu of %zu pairs\n%zu/%zu", matrix->n_measured, matrix->n_pairs,
		matrix->n_measured, matrix->n_pairs);
	field(header, 0, 3, 0, STYLE_PLAIN, "round %llu", (unsigned long long)matrix_round(matrix));
}

static void fields_of_view(struct header *header)
{
	const struct session *session = header->scene->session;
	const struct view_state *view = header->scene->view;
	const char *unit = unit_name(view->unit);
	size_t n_rings = session_group_size(session, 0);
	char title[32];

	field(header, 0, 11, 0, STYLE_STRONG, "ipctop");
	field(header, 0, 10, 0, STYLE_PLAIN, "%s", session->machine.host);
	if (session->is_sweep) {
		fields_of_sweep(header);
		return;
	}
	field(header, 0, 2, 0, STYLE_STRONG, "%s", only_mechanism(session));
	field(header, 0, 1, 5, STYLE_STRONG, "%s [%s]\n%s [%s]", figure_title(view->shown), unit,
		figure_name(view->shown), unit);
	field(header, 0, 3, 0, STYLE_PLAIN, "%s%s", view->ranking ? view->ranking->shows : "window ",
		view->ranking ? "" : window_name(view->window));
	if (view->filter.n_terms)
		field(header, 0, 0, 5, STYLE_STRONG, "filter %s (%zu of %zu)\n%zu of %zu", view->filter.text,
			view->order.n_passed, n_rings, view->order.n_passed, n_rings);
	unsigned n_turns, turn = session_turn_number(session, session->turn, &n_turns);

	if (n_turns > 1)
		field(header, 0, session->turn_held ? 2 : 6, 0,
			session->turn_held ? STYLE_WARNING : STYLE_PLAIN, "turn %u/%u%s", turn, n_turns,
			session->turn_held ? " held" : "");
	if (view->ranking)
		field(header, 0, 7, 0, STYLE_PLAIN, "by %s", view->ranking->by);
	else if (view->sort != COLUMN_PAIR)
		field(header, 0, 7, 0, STYLE_PLAIN, "by %s",
			columns_title(view->sort, view->limit_ns, title, sizeof(title)));
}

/* "01:12:34", then "2d 01:12". Returns @text. */
static char *time_text(char *text, size_t size, uint64_t ns)
{
	unsigned long long s = ns / 1000000000;

	if (s >= 86400)
		snprintf(text, size, "%llud %02llu:%02llu", s / 86400, s / 3600 % 24, s / 60 % 60);
	else
		snprintf(text, size, "%02llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
	return text;
}

static uint64_t since(uint64_t then_ns, uint64_t now_ns)
{
	return now_ns > then_ns ? now_ns - then_ns : 0;
}

/* A replay's speed or state, and its position in the recording. */
static void fields_of_replay(struct header *header)
{
	const struct playback_state *playing = &header->scene->frame->playing;
	uint64_t at_ns = playing->sought_ns ? playing->sought_ns : header->scene->session->now_ns;
	char at[48], end[48], speed[32];

	if (playing->speed > 0)
		snprintf(speed, sizeof(speed), "REPLAY x%g", playing->speed);
	else
		snprintf(speed, sizeof(speed), "REPLAY full speed");
	field(header, 0, 0, 0, STYLE_REPLAY, "%s",
		playing->ended    ? "END"
		: playing->paused ? "PAUSED"
				  : speed)
		->right = true;
	field(header, 0, 2, 0, STYLE_PLAIN, "%s/%s",
		time_text(at, sizeof(at), since(playing->start_ns, at_ns)),
		time_text(end, sizeof(end), playing->end_ns - playing->start_ns))
		->right = true;
}

/* A moment of the past: its age, and its local time. */
static void fields_of_frozen(struct header *header)
{
	const struct session *session = header->scene->session;
	const struct frame *frame = header->scene->frame;
	char age[48], clock[32];

	time_text(age, sizeof(age), frame->frozen_age_ns);
	field(header, 0, 0, 0, STYLE_REPLAY, "FROZEN %s ago",
		frame->frozen_age_ns / 1000000000 < 3600 ? age + strlen("00:") : age)
		->right = true;
	field(header, 0, 2, 0, STYLE_PLAIN, "%s%s",
		units_clock(
			clock, sizeof(clock), session->wall_start_ns + session->now_ns - session->start_ns),
		frame->at_first ? " the first kept" : "")
		->right = true;
}

/* Returns whether a ring makes laps, or will have its turn, or a sweep goes on. */
static bool is_live(const struct session *session)
{
	if (session->is_sweep)
		return true;
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (ring->state < RING_PAUSED || ring->condition == CONDITION_WAITING)
			return true;
	}
	return false;
}

static void fields_of_moment(struct header *header)
{
	const struct frame *frame = header->scene->frame;

	if (frame->is_replay)
		fields_of_replay(header);
	else if (frame->frozen)
		fields_of_frozen(header);
	else if (frame->refresh_ns && !is_live(header->scene->session))
		field(header, 0, 4, 0, STYLE_REPLAY, "IDLE")->right = true;
	else if (frame->refresh_ns)
		field(header, 0, 4, 0, STYLE_STRONG, "LIVE %.1fs", (double)frame->refresh_ns / 1e9)->right =
			true;
	if (frame->no_history)
		field(header, 0, 0, 0, STYLE_WARNING, "NO HISTORY")->right = true;
}

static void field_of_isolation(struct header *header)
{
	const struct machine *machine = &header->scene->session->machine;
	bool alike = *machine->isolated && strcmp(machine->isolated, machine->nohz_full) == 0;
	struct cpus isolated = {0};

	cpus_parse(&isolated, machine->isolated);
	size_t n = cpus_count(&isolated);

	field(header, 1, 13, n > 1 ? 26 : 0, STYLE_PLAIN, "isol%s %s\nisol %zu cpus",
		alike ? "=nohz_full" : "", *machine->isolated ? machine->isolated : "none", n);
	if (*machine->nohz_full && !alike)
		field(header, 1, 33, 0, STYLE_PLAIN, "nohz_full %s", machine->nohz_full);
}

static void field_of_dma_latency(struct header *header)
{
	const struct machine *machine = &header->scene->session->machine;
	bool held = machine->dma_latency_held_us >= 0;
	int us = held ? (int)machine->dma_latency_held_us : (int)machine->dma_latency_us;
	char value[32];

	if (!held && machine->dma_latency_state != MACHINE_VALUE)
		snprintf(value, sizeof(value), "%s",
			machine->dma_latency_state == MACHINE_DENIED ? "denied" : "absent");
	else if (!held && us >= NO_DMA_LATENCY)
		snprintf(value, sizeof(value), "none");
	else
		snprintf(value, sizeof(value), "%dus", us);
	field(header, 1, 9, 35, STYLE_PLAIN, "dma %s%s\ndma %s", value, held ? " held" : "", value);
}

/* A measurement that is disturbed on purpose says so also on a narrow screen. */
static void field_of_loads(struct header *header)
{
	const char *loads = header->scene->session->machine.loads;

	if (*loads && strcmp(loads, "none") != 0)
		field(header, 1, 8, 34, STYLE_STRONG, "under %s\nunder load", loads);
}

static void fields_of_machine(struct header *header)
{
	const struct machine *machine = &header->scene->session->machine;

	const char *governor = fact_rows_summary(machine->governor);
	int brief_kernel = (int)strlen(machine->kernel);

	sscanf(machine->kernel, "%*[^-]-%*[^-]%n", &brief_kernel); /* "6.1.0-rt7" of "6.1.0-rt7-amd64" */
	field(header, 1, 28, 38, STYLE_PLAIN, "%s\n%.*s", machine->kernel, brief_kernel, machine->kernel);
	field(header, 1, 11, 0, STYLE_PLAIN, "%s%s",
		strncmp(machine->preemption, "PREEMPT", 7) == 0 ? "" : "preempt ", machine->preemption);
	if (*governor)
		field(header, 1, 29, 36, STYLE_PLAIN, "gov %s\ngov %.*s", governor, BRIEF_GOVERNOR, governor);
	field_of_isolation(header);
	if (machine->smt >= 0)
		field(header, 1, 30, 0, STYLE_PLAIN, "smt %s", machine->smt ? "on" : "off");
	field_of_dma_latency(header);
	field_of_loads(header);
}

/* ", 2 of 16 affinities differ", or in brief " aff! 2/16"; nothing if none differs. */
static void write_affinities(size_t n_moved, size_t n, char *text, char *brief, size_t size)
{
	text[0] = brief[0] = '\0';
	if (!n_moved)
		return;
	snprintf(text, size, ", %zu of %zu affinities differ%s", n_moved, n, n_moved == 1 ? "s" : "");
	snprintf(brief, size, " aff! %zu/%zu", n_moved, n);
}

/* What the rings that have not ended have in common, and their started members. */
struct common {
	const struct session_ring *first; /* NULL: all have ended */
	bool one_policy, one_interval, one_size;
	uint64_t size;               /* of the tokens that carry bytes */
	size_t n, n_differ, n_moved; /* members; those that differ in policy, in affinity */
	struct task_policy is;       /* of the first member */
	bool alike, refused;         /* refused: a member is not as asked, as the kernel refused it */
};

static void count_members(struct common *all, const struct session_ring *ring)
{
	for (unsigned m = 0; m < ring->n_members; m++) {
		if (!ring->members[m].tid)
			continue;
		if (all->n++ == 0)
			all->is = ring->members[m].policy;
		all->alike = all->alike && task_policy_equal(ring->members[m].policy, all->is);
		all->n_differ += session_member_policy_differs(ring, m);
		all->n_moved += session_member_affinity_differs(ring, m);
		all->refused |= ring->refused && session_member_differs(ring, m);
	}
}

static struct common find_common(const struct session *session)
{
	struct common all = {.one_policy = true, .one_interval = true, .one_size = true, .alike = true};

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (ring->ended_ns)
			continue;
		all.first = all.first ? all.first : ring;
		all.size = all.size ? all.size : ring->token_bytes;
		all.one_policy = all.one_policy && task_policy_equal(ring->asked, all.first->asked);
		all.one_interval = all.one_interval && ring->interval_ns == all.first->interval_ns;
		all.one_size = all.one_size && (!ring->token_bytes || ring->token_bytes == all.size);
		count_members(&all, ring);
	}
	return all;
}

/* The members' scheduling, compared with the one asked for. */
static void field_of_policy(struct header *header, const struct common *common)
{
	const struct common all = *common;
	char asked[TASK_POLICY_SIZE] = "mixed policies", is[TASK_POLICY_SIZE];
	char brief_asked[16] = "mixed policies", brief_is[8];
	char moved[64], brief_moved[64];

	if (all.one_policy) {
		task_policy_describe(all.first->asked, asked);
		task_policy_format(all.first->asked, brief_asked);
	}
	task_policy_describe(all.is, is);
	task_policy_format(all.is, brief_is);
	enum style style = all.refused ? STYLE_WRONG : STYLE_STRONG;
	write_affinities(all.n_moved, all.n, moved, brief_moved, sizeof(moved));
	if (!all.n)
		field(header, 1, 6, 37, STYLE_PLAIN, "asked %s\nasked %s", asked, brief_asked);
	else if (!all.n_differ)
		field(header, 1, 6, 37, all.n_moved ? style : STYLE_PLAIN, "%s as asked%s\n%s%s", asked,
			moved, brief_asked, brief_moved);
	else if (all.alike)
		field(header, 1, 6, 37, style, "asked %s, all are %s%s\n%s! are %s%s", asked, is, moved,
			brief_asked, brief_is, brief_moved);
	else
		field(header, 1, 6, 37, style, "asked %s, %zu of %zu differ%s\n%s! %zu/%zu%s", asked,
			all.n_differ, all.n, moved, brief_asked, all.n_differ, all.n, brief_moved);
}

/* "100", "4k", "1M"; never rounded. */
static void field_of_bytes(struct header *header, const char *name, uint64_t bytes)
{
	char text[32];

	field(header, 1, 23, 0, STYLE_PLAIN, "%s %s", name, units_bytes(text, sizeof(text), bytes));
}

/* Its tier, and what it takes of a CPU to read the records that were made in the last tick. */
static void field_of_recorder(struct header *header)
{
	const struct session *session = header->scene->session;
	const char *recorder = session->machine.recorder;
	char rate[32];

	if (!*recorder)
		return;
	if (session->n_recorded)
		field(header, 1, 38, 41, STYLE_PLAIN, "recorder %s %s/s read in %.1f%%\nrecorder %s",
			recorder, units_count(rate, sizeof(rate), 5, session->recorded_hz),
			session->recorder_ppm / 1e4, recorder);
	else
		field(header, 1, 38, 0, STYLE_PLAIN, "recorder %s", recorder);
}

static void fields_of_plan(struct header *header)
{
	const struct session *session = header->scene->session;
	const struct common common = find_common(session);
	char pace[64] = "mixed intervals", brief_pace[64] = "mixed pace", stamps[SESSION_STAMPS_SIZE];

	if (common.first) {
		uint64_t interval_ns = common.first->interval_ns;

		field_of_policy(header, &common);
		if (common.one_interval) {
			units_pace(pace, sizeof(pace), "every ", interval_ns);
			units_pace(brief_pace, sizeof(brief_pace), "", interval_ns);
		}
		field(header, 1, 27, 34, STYLE_PLAIN, "%s\n%s", pace, brief_pace);
		if (*session_stamps_text(common.first, stamps))
			field(header, 1, 14, 0, STYLE_PLAIN, "%s", stamps);
	}
	if (!common.one_size)
		field(header, 1, 23, 0, STYLE_PLAIN, "mixed sizes");
	else if (common.size > 1)
		field_of_bytes(header, "size", common.size);
	if (session->work_size)
		field_of_bytes(header, "work", session->work_size);
	field_of_recorder(header);
	field(header, 1, 39, 0, STYLE_PLAIN, "clock %uns", session->machine.clock_cost_ns);
	field(header, 1, 40, 0, STYLE_PLAIN, "%s", session->machine.clock_source);
}

/* The rate of the last complete second, or of the first one until it ends. */
static void field_of_rate(struct header *header)
{
	const struct session *session = header->scene->session;
	const struct second_stats *stats = &session->seconds;
	unsigned back = stats->second > 0;
	double rate = 0.0;
	char count[32];

	if (!second_stats_covered_ns(stats, back))
		return;
	for (size_t i = 0; i < session->n_rings; i++)
		rate += second_stats_rate(stats, session->rings[i].id,
			session_figure_of(&session->rings[i], header->scene->view->shown), back);
	field(header, 2, 22, 0, STYLE_PLAIN, "%s/s",
		units_count(count, sizeof(count), 4, (uint64_t)(rate + 0.5)));
}

/* The CPU time that ipctop itself takes, and where, or how late it was just now. */
static void field_of_self(struct header *header)
{
	const struct session *session = header->scene->session;
	const struct own_lateness *late = &session->own_lateness;
	const char *cpus = session->machine.own_cpus;
	double late_s = (double)late->last_ns / 1e9;

	if (late->n > 1)
		field(header, 2, 3, 23, STYLE_WARNING, "self late %.1fs, %u times\nself late %.1fs", late_s,
			(unsigned)late->n, late_s);
	else if (late->n)
		field(header, 2, 3, 0, STYLE_WARNING, "self late %.1fs", late_s);
	else
		field(header, 2, 21, 23, STYLE_PLAIN, "self %.1f%%%s%s\nself %.1f%%",
			session->own_cpu_ppm / 1e4, *cpus ? " @cpu" : "", cpus, session->own_cpu_ppm / 1e4);
}

/* The line of /proc/loadavg, without the number of tasks and the last pid, which jump. */
static void field_of_load(struct header *header)
{
	const char *line = header->scene->session->loadavg;
	int length = (int)strlen(line);

	sscanf(line, "%*s %*s %*s%n", &length);
	if (*line)
		field(header, 2, 12, 0, STYLE_PLAIN, "load %.*s", length, line);
}

/* "missed 12, in all 4990, rested 30": in the window, as in the columns below, and since the start. */
static void field_of_missed(struct header *header, uint64_t all)
{
	const struct session *session = header->scene->session;
	struct tick_counts counts = {0};
	char missed[32], in_all[32], before[48] = "", rests[48] = "";

	if (session->n_groups)
		session_add_counts(session, GROUP_ROW, header->scene->view->window, &counts);
	units_count(missed, sizeof(missed), 7, counts.missed);
	if (all > counts.missed)
		snprintf(before, sizeof(before), ", in all %s", units_count(in_all, sizeof(in_all), 7, all));
	if (counts.rested)
		snprintf(rests, sizeof(rests), ", rested %s",
			units_count(in_all, sizeof(in_all), 7, counts.rested));
	field(header, 2, 8, 50, counts.missed ? STYLE_UNUSUAL : STYLE_PLAIN, "missed %s%s%s\nmissed %s%s",
		missed, before, rests, missed, rests);
}

static void fields_of_rings(struct header *header)
{
	const struct session *session = header->scene->session;
	uint64_t missed = 0, faults[N_TOKEN_FAULTS] = {0};
	char text[TEXT_MAX] = "";
	size_t n = session_group_size(session, 0);

	for (size_t i = 0; i < session->n_rings; i++) {
		missed += session->rings[i].missed;
		for (int f = 0; f < N_TOKEN_FAULTS; f++)
			faults[f] += session->rings[i].faults[f];
	}
	field(header, 2, 25, 0, STYLE_PLAIN, "%zu %s%s", n, row_noun(session), n == 1 ? "" : "s");
	field_of_rate(header);
	field_of_missed(header, missed);
	token_faults_text(faults, text, sizeof(text));
	field(header, 2, 4, 0, STYLE_WARNING, "%s", text);
}

/* The mean rate of a sweep since its start. */
static void field_of_pairs(struct header *header)
{
	const struct session *session = header->scene->session;
	uint64_t ran_ns = since(session->start_ns, session->now_ns);
	char count[32];

	if (ran_ns)
		field(header, 2, 22, 0, STYLE_PLAIN, "%s pairs/s",
			units_count(count, sizeof(count), 4,
				(uint64_t)((double)session->matrix->n_results * 1e9 / (double)ran_ns + 0.5)));
}

static void fields_of_run(struct header *header)
{
	const struct session *session = header->scene->session;
	char text[48];

	field_of_load(header);
	if (session->matrix)
		field_of_pairs(header);
	else if (!session->is_sweep)
		fields_of_rings(header);
	field_of_self(header);
	field(header, 2, 10, 0, STYLE_PLAIN, "%s",
		time_text(text, sizeof(text), since(session->start_ns, session->now_ns)))
		->right = true;
}

/* "why: stress-ng-cpu (RT90)": of that response, if it is a spike that is kept, and was recorded. */
static void field_of_cause(
	struct header *header, const struct session_ring *ring, const struct session_figure *worst)
{
	const struct kept_spike *kept = spikes_at(
		&header->scene->session->spikes, ring->id, worst->phase_max_at_ns, worst->phase_max_ns);
	const struct cause *cause = kept ? explanation_cause(kept->explanation) : NULL;
	char text[CAUSE_TEXT_SIZE];

	if (cause || (kept && kept->explanation->is_complete))
		field(header, 3, 57, 0, STYLE_PLAIN, "why: %s",
			cause ? cause_text(cause, text) : "unexplained");
}

static const struct session_figure *response_of(const struct session_ring *ring)
{
	return &ring->figures[session_figure_of(ring, FIGURE_RESPONSE)];
}

enum ring_kind { RINGS_ALL, RINGS_ISOLATED, RINGS_HOUSEKEEPING };

/* Returns the ring with the longest response of the phase, or NULL. */
static const struct session_ring *find_worst(const struct session *session, enum ring_kind kind)
{
	const struct session_ring *worst = NULL;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if ((kind == RINGS_ALL || ring->isolated == (kind == RINGS_ISOLATED)) &&
			response_of(ring)->phase_max_at_ns &&
			(!worst || response_of(ring)->phase_max_ns > response_of(worst)->phase_max_ns))
			worst = ring;
	}
	return worst;
}

static void field_of_worst(struct header *header, unsigned gives_way, const char *words, enum ring_kind kind)
{
	const struct session *session = header->scene->session;
	const struct view_state *view = header->scene->view;
	bool several = view->columns.width[COLUMN_MECHANISM] > 0;
	bool is_shown = view->shown == view->response;
	const struct session_ring *ring = find_worst(session, kind);
	char response[160], clock[32], time[32], suffix[SESSION_SUFFIX_SIZE];

	if (!ring)
		return;
	const struct session_figure *worst = response_of(ring);

	snprintf(response, sizeof(response), "%s%s%s%s %s", several ? ring->mechanism : "",
		several ? " " : "", ring->label, session_ring_suffix(ring, suffix),
		units_time(time, sizeof(time), 6, worst->phase_max_ns, view->unit));
	units_clock(
		clock, sizeof(clock), session->wall_start_ns + worst->phase_max_at_ns - session->start_ns);
	field(header, 3, gives_way, gives_way + 5,
		style_stronger(STYLE_STRONG,
			statistic_time_style(worst->phase_max_ns, is_shown ? view->limit_ns : 0)),
		"%s %s %s at %s\n%s %s %s", words, figure_name(view->response), response, clock, words,
		response, clock);
	field_of_cause(header, ring, worst);
}

/* Counts the samples of the phase above the limit, on isolated CPUs if the session has both kinds. The column
 * of the same title counts in the window. */
static void field_of_limit(struct header *header, size_t group)
{
	const struct session *session = header->scene->session;
	struct view_state *view = header->scene->view;
	char title[32], count[32];

	if (!view->limit_ns || session->n_groups <= group)
		return;
	const struct hist *hist =
		window_sums_hist(&view->sums, WINDOW_PHASE, session->groups[group].row, view->shown);

	columns_title(COLUMN_ABOVE, view->limit_ns, title, sizeof(title));
	units_count(count, sizeof(count), 8, hist_above(hist, view->limit_ns));
	field(header, 3, 7, header->lines > 3 ? 50 : 9, STYLE_STRONG, "%s%s in phase: %s\n%s: %s",
		group ? "isol " : "", title, count, title, count);
}

/* "vs 1: WORSE: missed 0.0 > 4.6 %": beside the baseline. The worst response outlasts all but "vs 1: WORSE".
 */
static void field_of_baseline(struct header *header)
{
	const struct view_state *view = header->scene->view;
	const struct comparison_lines *lines = view->ranking ? NULL : compared_lines(view);
	char baseline[16] = "base", verdicts[COMPARISON_WORDS_SIZE] = "can't be compared";

	if (!lines || (!lines->is_complete && !*lines->refusal.text))
		return;
	if (lines->a.number != COMPARISON_FILE)
		snprintf(baseline, sizeof(baseline), "%u", (unsigned)lines->a.number);
	if (lines->is_complete)
		comparison_headline_in(
			&lines->summary, comparison_quoted_line(lines), lines->figure, 0, verdicts);
	unsigned shortened = header->lines > 3 ? 50 : 7; /* in a line with others it outlasts the machine */
	struct header_field *added = field(header, 3, 6, shortened,
		lines->is_complete ? compared_headline_style(&lines->summary) : STYLE_WARNING,
		"vs %s: %s\nvs %s: %.*s", baseline, verdicts, baseline, (int)strcspn(verdicts, ":"),
		verdicts);

	added->right = true;
	added->is_cut = true;
}

/* "hunt load 3/12, 26s left" */
static void field_of_hunt(struct header *header)
{
	const struct session *session = header->scene->session;
	const struct hunt_progress *hunt = &session->hunt;
	char age[32], load[48] = "no load";

	if (hunt->load)
		snprintf(load, sizeof(load), "load %u/%u", hunt->load, hunt->n_loads);
	if (hunt->n_loads)
		field(header, 3, 54, 56, STYLE_STRONG, "hunt %s, %s left\nhunt %s", load,
			units_ago(age, sizeof(age), since(session->now_ns, hunt->end_ns)), load);
}

static void fields_of_phase(struct header *header)
{
	const struct session *session = header->scene->session;
	const struct phase *phase = phases_current(&session->phases);
	size_t group = row_main_group(session);
	char age[32];

	if (phase) {
		const char *quote = phase->name[0] ? "'" : "", *blank = phase->name[0] ? " " : "";

		units_ago(age, sizeof(age), since(phase->start_ns, session->now_ns));
		field(header, 3, 49, 52, STYLE_STRONG, "PHASE %u %s%s%s%s%s\nPHASE %u %s",
			(unsigned)phase->number, quote, phase->name, quote, blank, age,
			(unsigned)phase->number, age);
	}
	if (*session->trial.tried)
		field(header, 3, 54, 56, STYLE_STRONG, "try %u/%u, %s left\ntry %u/%u", session->trial.phase,
			session->trial.n_phases,
			units_ago(age, sizeof(age), since(session->now_ns, session->trial.end_ns)),
			session->trial.phase, session->trial.n_phases);
	field_of_hunt(header);
	field_of_worst(header, 48, group ? "isol worst" : "worst", group ? RINGS_ISOLATED : RINGS_ALL);
	field_of_limit(header, group);
	if (group)
		field_of_worst(header, 51, "hk worst", RINGS_HOUSEKEEPING);
	field_of_baseline(header);
}

/* --- drawing them --- */

static unsigned line_width(const struct header *header, unsigned line)
{
	unsigned width = 0, n = 0;

	for (size_t i = 0; i < header->n; i++)
		if (header->fields[i].line == line && header->fields[i].width)
			width += header->fields[i].width + (n++ ? GAP : 0);
	return width;
}

/* Cuts a text behind a word that is no figure, as "0.0 > 14 %" must not become "0.0", but leaves at least the
 * short form. */
static void cut_words(const struct canvas *canvas, struct header_field *field, unsigned width)
{
	const char *sign = canvas->ascii ? "+" : "\u2026";
	size_t length = canvas_line_length(field->text, width ? width - 1 : 0);

	while (length > strlen(field->brief) && !isalpha((unsigned char)field->text[length - 1]))
		while (--length && field->text[length] != ' ')
			;
	if (length <= strlen(field->brief) + 1 || length >= strlen(field->text)) {
		field->shown = field->brief;
		return;
	}
	memcpy(&field->text[length], sign, strlen(sign) + 1);
}

static unsigned highest_rank(const struct header_field *field)
{
	return !field->width ? 0 : field->shortened > field->omitted ? field->shortened : field->omitted;
}

static void fit_line(struct header *header, unsigned line, unsigned columns)
{
	while (line_width(header, line) > columns) {
		struct header_field *next = NULL;

		for (size_t i = 0; i < header->n; i++) {
			struct header_field *field = &header->fields[i];

			if (field->line == line && highest_rank(field) > (next ? highest_rank(next) : 0))
				next = field;
		}
		if (!next)
			return;
		unsigned excess = line_width(header, line) - columns;

		if (next->shortened <= next->omitted)
			next->shown = "";
		else if (next->is_cut)
			cut_words(
				header->scene->canvas, next, next->width > excess ? next->width - excess : 0);
		else
			next->shown = next->brief;
		next->shortened = 0;
		next->width = canvas_measure(header->scene->canvas, next->shown);
	}
}

/* Fields at the end of the line are drawn over the others. */
static void draw_line(const struct header *header, unsigned line, struct area area)
{
	unsigned left = 0, right = area.width + GAP;

	for (size_t i = 0; i < header->n; i++)
		if (header->fields[i].line == line && header->fields[i].width && header->fields[i].right)
			right -=
				header->fields[i].width + GAP < right ? header->fields[i].width + GAP : right;
	for (size_t i = 0; i < header->n; i++) {
		const struct header_field *field = &header->fields[i];
		unsigned *x = field->right ? &right : &left;

		if (field->line != line || !field->width)
			continue;
		canvas_left(
			header->scene->canvas, area, *x, line, area.width - *x, field->style, field->shown);
		*x += field->width + GAP;
	}
}

void header_draw(const struct scene *scene, struct area area)
{
	struct header header = {.scene = scene, .lines = area.height};

	fields_of_view(&header);
	fields_of_moment(&header);
	fields_of_machine(&header);
	fields_of_plan(&header);
	fields_of_run(&header);
	fields_of_phase(&header);
	for (unsigned line = 0; line < header.lines; line++) {
		fit_line(&header, line, area.width);
		draw_line(&header, line, area);
	}
}
