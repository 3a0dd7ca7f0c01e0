/* SPDX-License-Identifier: GPL-2.0-or-later */
/* start_words.c - a shell script that starts the rings or the sweep of a session again. */
#include "src/report/start_words.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/matrix.h"
#include "src/model/session.h"
#include "src/plan/config.h"
#include "src/plan/plan_ring.h"

/* A line for `ipctop ctl` holds a command of 255 bytes. */
enum { PAIRS_MAX = 120, ADDED_MAX = 240 };

/* Rings that one set of options describes. */
struct start_line {
	char mechanisms[256];
	char *options; /* owned */
};

struct start_lines {
	struct start_line *list; /* owned */
	size_t n;
};

static unsigned cpu_of(const struct session_ring *ring, unsigned member)
{
	int64_t place = session_member_place(ring, member);

	return place >= 0 ? (unsigned)place : ring->cpus[member];
}

static struct task_policy policy_of(const struct session_ring *ring)
{
	return ring->members[0].policy.policy >= 0 ? ring->members[0].policy : ring->asked;
}

static bool is_running(const struct session_ring *ring)
{
	return !ring->ended_ns && ring->state != RING_FAILED && ring->state != RING_GONE;
}

/* Pairs with the same options have one line. */
static bool go_together(const struct session_ring *a, const struct session_ring *b)
{
	return a->n_members == 2 && b->n_members == 2 && strcmp(a->mechanism, b->mechanism) == 0 &&
	       a->interval_ns == b->interval_ns && a->token_bytes == b->token_bytes &&
	       task_policy_equal(policy_of(a), policy_of(b));
}

/* " -i 500.25us" */
static void print_time(FILE *out, const char *option, uint64_t ns)
{
	fprintf(out, " %s %llu", option, (unsigned long long)(ns / 1000));
	if (ns % 1000)
		fprintf(out, ".%03llu", (unsigned long long)(ns % 1000));
	fputs(ns ? "us" : "", out);
}

static void print_scheduling(FILE *out, const struct session_ring *ring)
{
	struct task_policy policy = policy_of(ring);

	fprintf(out, " -s %llu", (unsigned long long)ring->token_bytes);
	print_time(out, "-i", ring->interval_ns);
	fprintf(out, " --policy %s -p %d", task_policy_name(policy.policy), (int)policy.priority);
}

/* Returns how many CPUs the ring goes through, which ascend, before it begins again at the first; 0: it does
 * otherwise. */
static unsigned cycle_of(const struct session_ring *ring)
{
	unsigned n = 1;

	while (n < ring->n_members && cpu_of(ring, n) > cpu_of(ring, n - 1))
		n++;
	for (unsigned m = n; m < ring->n_members; m++)
		if (cpu_of(ring, m) != cpu_of(ring, m - n))
			return 0;
	return n;
}

/* "--ring 3 -c 2,3,10". Returns false if no option places the ring so. */
static bool print_ring(FILE *out, const struct session_ring *ring)
{
	unsigned n = cycle_of(ring);

	fprintf(out, "--ring %u%s -c %u", ring->n_members, n == 1 ? " --pairs own" : "", cpu_of(ring, 0));
	for (unsigned m = 1; m < n; m++)
		fprintf(out, ",%u", cpu_of(ring, m));
	return n > 0;
}

/* No option names a pair twice. */
static bool has_pair(const struct session *session, const size_t *line_of, size_t i, size_t line)
{
	const struct session_ring *ring = &session->rings[i];

	for (size_t k = 0; k < i; k++)
		if (line_of[k] == line && cpu_of(&session->rings[k], 0) == cpu_of(ring, 0) &&
			cpu_of(&session->rings[k], 1) == cpu_of(ring, 1))
			return true;
	return false;
}

/* Prints the options of ring @first, and of those after it that go together with it, up to @most bytes of
 * pairs. Their @line_of is first + 1 then; 0: the ring has no line yet. */
static bool print_options(FILE *out, const struct session *session, size_t first, size_t *line_of, long most)
{
	const struct session_ring *ring = &session->rings[first];
	bool is_placed = true;
	const char *before = "--pairs ";

	if (ring->n_members != 2)
		is_placed = print_ring(out, ring);
	line_of[first] = first + 1;
	for (size_t i = first; ring->n_members == 2 && i < session->n_rings; i++) {
		const struct session_ring *other = &session->rings[i];

		if (i != first &&
			(ftell(out) > most || line_of[i] || !is_running(other) || !go_together(ring, other) ||
				has_pair(session, line_of, i, first + 1)))
			continue;
		fprintf(out, "%s%u:%u", before, cpu_of(other, 0), cpu_of(other, 1));
		before = ",";
		line_of[i] = first + 1;
	}
	print_scheduling(out, ring);
	return is_placed;
}

static bool is_listed(const char *mechanisms, const char *mechanism)
{
	size_t length = strlen(mechanism);

	for (const char *at = mechanisms; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, mechanism, length) == 0 && (at[length] == ',' || !at[length]))
			return true;
	}
	return false;
}

/* The first line, which starts ipctop, may be of any length. */
static bool fits(const struct start_lines *lines, size_t i, const char *mechanism)
{
	size_t length = strlen(lines->list[i].mechanisms) + 1 + strlen(mechanism);

	return length < sizeof(lines->list[i].mechanisms) &&
	       !is_listed(lines->list[i].mechanisms, mechanism) &&
	       (i == 0 || length + strlen(lines->list[i].options) < ADDED_MAX);
}

/* Mechanisms with the same options share a line. Takes over @options. Returns 0 or -ENOMEM. */
static int add_line(struct start_lines *lines, const char *mechanism, char *options)
{
	for (size_t i = 0; i < lines->n; i++)
		if (strcmp(lines->list[i].options, options) == 0 && fits(lines, i, mechanism)) {
			text_append(
				lines->list[i].mechanisms, sizeof(lines->list[i].mechanisms), ",", mechanism);
			free(options);
			return 0;
		}
	struct start_line *list = realloc(lines->list, (lines->n + 1) * sizeof(*list));

	if (!list) {
		free(options);
		return -ENOMEM;
	}
	lines->list = list;
	list[lines->n] = (struct start_line){.options = options};
	snprintf(list[lines->n++].mechanisms, sizeof(list->mechanisms), "%s", mechanism);
	return 0;
}

/* Says what no option can express. */
static void note_members(FILE *script, const struct session_ring *ring)
{
	bool one_policy = true, one_cpu = true;
	bool has_nice =
		task_policy_obeys_nice(policy_of(ring).policy) && policy_of(ring).nice != ring->asked.nice;

	for (unsigned m = 0; m < ring->n_members; m++) {
		struct task_policy policy = ring->members[m].policy;

		one_policy &= policy.policy < 0 || task_policy_equal(policy, policy_of(ring));
		one_cpu &= session_member_place(ring, m) >= 0;
	}
	if (!one_policy)
		fprintf(script,
			"# ring %u, %s %s: its members have several policies; here all have that of the first\n",
			(unsigned)ring->id, ring->mechanism, ring->label);
	if (!one_cpu)
		fprintf(script,
			"# ring %u, %s %s: a member runs on any of several CPUs; here on the planned one\n",
			(unsigned)ring->id, ring->mechanism, ring->label);
	if (has_nice)
		fprintf(script, "# ring %u, %s %s: its members have nice value %d; here that of the script\n",
			(unsigned)ring->id, ring->mechanism, ring->label, (int)policy_of(ring).nice);
}

static int make_lines(struct start_lines *lines, const struct session *session, size_t *line_of, FILE *script)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		char *options = NULL;
		size_t size;

		if (is_running(ring))
			note_members(script, ring);
		if (line_of[i] || !is_running(ring))
			continue;
		FILE *out = open_memstream(&options, &size);

		if (!out)
			return -ENOMEM;
		bool is_placed = print_options(out, session, i, line_of, lines->n ? PAIRS_MAX : LONG_MAX);

		if (fclose(out) != 0)
			return -ENOMEM;
		if (is_placed) {
			r = add_line(lines, ring->mechanism, options);
			continue;
		}
		fprintf(script, "# no option places ring %u, %s %s\n", (unsigned)ring->id, ring->mechanism,
			ring->label);
		free(options);
	}
	return r;
}

/* --- paused rings --- */

static bool is_paused(const struct session_ring *ring)
{
	return is_running(ring) && ring->state == RING_PAUSED && ring->condition != CONDITION_WAITING;
}

static bool are_alike(const struct session_ring *a, const struct session_ring *b)
{
	bool alike = strcmp(a->mechanism, b->mechanism) == 0 && a->n_members == b->n_members;

	for (unsigned m = 0; alike && m < a->n_members; m++)
		alike = cpu_of(a, m) == cpu_of(b, m);
	return alike;
}

static const char *cpu_text(const void *of, unsigned member, char text[16])
{
	snprintf(text, 16, "%u", cpu_of(of, member));
	return text;
}

/* Writes the name that the ring will have: "mq:0>3". Returns false if it can't be named so: others have that
 * name, it is no word, or no option places the ring. */
static bool write_name(
	const struct session *session, const struct session_ring *ring, char *name, size_t size)
{
	char label[64];
	size_t n = 0;

	plan_ring_label_by(ring->n_members, cpu_text, ring, label, sizeof(label));
	snprintf(name, size, "%s:%s", ring->mechanism, label);
	for (size_t i = 0; i < session->n_rings; i++)
		n += is_running(&session->rings[i]) && are_alike(ring, &session->rings[i]);
	return n == 1 && !strchr(label, ' ') && (ring->n_members == 2 || cycle_of(ring));
}

static size_t count_rings(const struct session *session, bool (*counts)(const struct session_ring *ring))
{
	size_t n = 0;

	for (size_t i = 0; i < session->n_rings; i++)
		n += counts(&session->rings[i]);
	return n;
}

bool start_words_are_empty(const struct session *session)
{
	return !session->matrix && !count_rings(session, is_running);
}

static void note_paused(FILE *script, const struct session *session)
{
	char name[128];

	if (count_rings(session, is_paused) == count_rings(session, is_running))
		return;
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (is_paused(ring) && !write_name(session, ring, name, sizeof(name)))
			fprintf(script,
				"# ring %u, %s %s: it is paused; here it runs, as it can't be named\n",
				(unsigned)ring->id, ring->mechanism, ring->label);
	}
}

/* Prints ipctop as a word of the shell. */
static void print_program(FILE *out, const char *program)
{
	if (!program) {
		fputs("ipctop", out);
		return;
	}
	putc('\'', out);
	for (; *program; program++)
		if (*program == '\'')
			fputs("'\\''", out);
		else
			putc(*program, out);
	putc('\'', out);
}

/* Prints the beginning of a command for the ipctop that the script starts. */
static void print_command(FILE *out, const char *program, const char *name)
{
	print_program(out, program);
	fprintf(out, " ctl \"$control\" %s", name);
}

/* A line of each command has room for several names. */
static void print_pauses(FILE *out, const struct session *session, const char *program)
{
	bool all = count_rings(session, is_paused) == count_rings(session, is_running);
	size_t length = 0;
	char name[128];

	if (all) {
		putc('\t', out);
		print_command(out, program, "pause");
		fputs(" all", out);
	}
	for (size_t i = 0; !all && i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (!is_paused(ring) || !write_name(session, ring, name, sizeof(name)))
			continue;
		if (!length || length + 1 + strlen(name) > ADDED_MAX) {
			fputs(length ? "\n\t" : "\t", out);
			print_command(out, program, "pause");
			length = 0;
		}
		length += (size_t)fprintf(out, " '%s'", name);
	}
	fputs(all || length ? "\n" : "", out);
}

static bool are_cut(const char *loads)
{
	return strstr(loads, "...");
}

/* The fact has the words of the option. */
static void print_loads(FILE *out, const char *loads)
{
	if (strcmp(loads, "none") == 0 || are_cut(loads))
		return;
	for (const char *at = loads; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		fprintf(out, " --load %.*s", (int)length, at);
		at += length;
	}
}

/* The options that all rings of a run share. */
static void print_shared(FILE *out, const struct config *config, const char *recorder)
{
	char text[64];

	if (config->fork)
		fputs(" --fork", out);
	if (config->work_size)
		fprintf(out, " --work %llu", (unsigned long long)(config->work_size >> 10));
	if (config->stamps != STAMPS_ALL && !config->batch_laps)
		fprintf(out, " --stamps %s", stamps_name(config->stamps));
	if (config->batch_laps)
		fprintf(out, " --batch %u", (unsigned)config->batch_laps);
	if (config->has_memory)
		fprintf(out, " --memory %s", numa_policy_format(config->memory, text));
	if (config->side_by_side)
		fputs(" --side-by-side", out);
	if (config->turn_ns)
		fprintf(out, " --turns %.12g", (double)config->turn_ns / 1e9);
	if (config->force)
		fputs(" --force", out);
	if (config->breaktrace_ns)
		print_time(out, "-b", config->breaktrace_ns);
	if (config->spike_ns)
		print_time(out, "--spike", config->spike_ns);
	if (!config->auto_phase)
		fputs(" --no-auto-phase", out);
	if (config->fail_above_ns)
		print_time(out, "--fail-above", config->fail_above_ns);
	fprintf(out, " --show %s --window %s", figure_name(config->figure),
		window_name((enum window)config->window));
	if (recorder)
		fprintf(out, " --recorder %s", recorder);
}

static void print_sweep(FILE *out, const struct config *config, const struct matrix *matrix)
{
	struct cpus cpus = {0};
	char list[CPUS_MAX / 2 * sizeof("8190,")];

	for (uint32_t i = 0; i < matrix->n_cpus; i++)
		cpus_add(&cpus, matrix->cpus[i].cpu);
	fprintf(out, " --sweep -m %s -c %s --at-once %u", matrix->mechanism,
		cpus_format(&cpus, list, sizeof(list)), matrix->at_once);
	if (matrix->size)
		fprintf(out, " -s %llu", (unsigned long long)matrix->size);
	if (matrix->has_first)
		fputs(" --show first", out);
	else if (config->figure == FIGURE_LAP)
		fputs(" --show lap", out);
	if (matrix->policy.policy >= 0)
		fprintf(out, " --policy %s -p %d", task_policy_name(matrix->policy.policy),
			(int)matrix->policy.priority);
}

/* The options that rings and sweeps have. */
static void print_common(FILE *out, const struct config *config, const struct machine *machine, bool hunts)
{
	char list[CPUS_MAX / 2 * sizeof("8190,")];

	if (config->has_housekeeping)
		fprintf(out, " -H %s", cpus_format(&config->housekeeping, list, sizeof(list)));
	if (machine->dma_latency_held_us >= 0)
		fprintf(out, " --dma-latency %d", (int)machine->dma_latency_held_us);
	if (hunts)
		fputs(" --hunt", out);
	else if (!config->hunt)
		print_loads(out, machine->loads);
	if (config->allow_rt_spin)
		fputs(" --allow-rt-spin", out);
	if (config->strict)
		fputs(" --strict", out);
	fprintf(out, " --tick %.12g", (double)config->tick_ns / 1e9);
}

/* The script's child adds the other lines' rings once ipctop obeys. exec keeps the pid: another ipctop that
 * obeys at the path gets no rings. */
static void print_child(
	FILE *out, const struct start_lines *lines, const struct session *session, const char *program)
{
	fputs("control=${TMPDIR:-/tmp}/ipctop-$$ before=\n"
	      "for word; do\n"
	      "\tcase $before in --cont*=*) ;; --cont*) control=$word ;; esac\n"
	      "\tcase $word in --cont*=*) control=${word#*=} ;; esac\n"
	      "\tbefore=$word\ndone\n(\n\ttries=0\n\tuntil ",
		out);
	print_command(out, program, "status");
	fputs(" | grep -q \"\\\"pid\\\":$$,\"; do\n"
	      "\t\ttries=$((tries + 1)); test $tries -gt 100 && exit 1; sleep 0.1\n\tdone\n",
		out);
	for (size_t i = 1; i < lines->n; i++) {
		putc('\t', out);
		print_command(out, program, "add");
		fprintf(out, " -m %s %s\n", lines->list[i].mechanisms, lines->list[i].options);
	}
	print_pauses(out, session, program);
	fputs(") >/dev/null 2>&1 &\n", out);
}

static void print_script(FILE *out, const struct start_lines *lines, const struct session *session,
	const struct config *config, const char *recorder, const char *program)
{
	bool several = lines->n > 1, controls = several || count_rings(session, is_paused);

	if (several && config->hunt)
		fputs("# No ring is added in a hunt, so --hunt is left out.\n", out);
	if (controls && lines->n)
		print_child(out, lines, session, program);
	if (!lines->n && !session->matrix) {
		fprintf(out, "echo '%s' >&2\nexit 1\n",
			start_words_are_empty(session) ? "no ring was left when this was saved"
						       : "no option places these rings");
		return;
	}
	fputs("exec ", out);
	print_program(out, program);
	if (lines->n)
		fprintf(out, " -m %s %s", lines->list[0].mechanisms, lines->list[0].options);
	if (session->matrix)
		print_sweep(out, config, session->matrix);
	else
		print_shared(out, config, recorder);
	print_common(out, config, &session->machine, config->hunt && !several);
	fprintf(out, "%s \"$@\"\n", controls ? " --control \"$control\"" : "");
}

int start_words_print(FILE *out, const struct session *session, const struct config *config,
	const char *recorder, const char *program)
{
	struct start_lines lines = {0};
	size_t *line_of = calloc(session->n_rings + 1, sizeof(*line_of));
	int r = line_of ? 0 : -ENOMEM;

	fputs("#!/bin/sh\n", out);
	if (start_words_are_empty(session))
		fputs("# Starts nothing: no ring was left.\n", out);
	else
		fprintf(out, "# Starts %s again. Further options are passed on, such as -q -D 1m.\n",
			session->matrix ? "this sweep" : "these rings");
	if (are_cut(session->machine.loads) && !config->hunt)
		fputs("# The loads are left out: their list was too long.\n", out);
	if (r == 0)
		r = make_lines(&lines, session, line_of, out);
	if (r == 0) {
		note_paused(out, session);
		print_script(out, &lines, session, config, recorder, program);
	}
	for (size_t i = 0; i < lines.n; i++)
		free(lines.list[i].options);
	free(lines.list);
	free(line_of);
	return r;
}
