/* SPDX-License-Identifier: GPL-2.0-or-later */
/* members.c - a ring's members, the commands that change their scheduling, and the hops of larger rings. */
#include "ui/panes/members.h"

#include <sched.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/session.h"
#include "ui/draw/statistic.h"

enum part {
	PART_WHO,
	PART_TID,
	PART_POLICY,
	PART_AFFINITY,
	PART_NODE, /* if the machine has several nodes */
	PART_CHRT,
	PART_TASKSET,
	PART_HOP,
	PART_ONLY_NODE, /* if it has one */
	N_PARTS,
};

enum { PART_SIZE = 80, POLICY_SIZE = 24, GAP = 2, USUAL_PRIORITY = 80, TIME_WIDTH = 8 };

struct line {
	char parts[N_PARTS][PART_SIZE];
	enum style style; /* of scheduling that differs from the one asked for */
};

/* "FF80", "OTH nice 19". Returns @text. */
static char *spell_policy(struct task_policy policy, char text[POLICY_SIZE])
{
	int nice = policy.nice;

	policy.nice = 0;
	task_policy_format(policy, text);
	if (nice)
		text_print(text, POLICY_SIZE, " nice %d", nice);
	return text;
}

static void write_policy(const struct session_ring *ring, const struct tick_member *member, char *text)
{
	char is[POLICY_SIZE], asked[POLICY_SIZE];

	spell_policy(member->policy, is);
	if (task_policy_equal(member->policy, ring->asked))
		snprintf(text, PART_SIZE, "%s", is);
	else
		snprintf(text, PART_SIZE, "%s asked %s", is, spell_policy(ring->asked, asked));
}

static void write_affinity(const struct session_ring *ring, unsigned m, char *text)
{
	const struct tick_member *member = &ring->members[m];
	const unsigned asked = ring->cpus[m];
	char is[24];

	if (member->cpu >= 0)
		snprintf(is, sizeof(is), "cpu %d", member->cpu);
	else
		snprintf(is, sizeof(is), "%u cpus", member->n_cpus);
	if (member->cpu == (int64_t)asked || !member->n_cpus)
		snprintf(text, PART_SIZE, "%s", member->n_cpus ? is : "cpu ?");
	else if (session_member_is_away(ring, m))
		snprintf(text, PART_SIZE, "%s away from %u", is, asked);
	else
		snprintf(text, PART_SIZE, "%s asked %u", is, asked);
}

/* The command that restores the scheduling asked for. If nothing differs, and the policy is not a real-time
 * one, the command sets a real-time policy. */
static void write_chrt(const struct session_ring *ring, const struct tick_member *member, char *text)
{
	struct task_policy policy = ring->asked, is = member->policy;

	if (is.policy == policy.policy && is.priority == policy.priority && is.nice != policy.nice) {
		snprintf(text, PART_SIZE, "renice %d -p %d", policy.nice, member->tid);
		return;
	}
	if (task_policy_equal(member->policy, ring->asked) && !task_policy_is_realtime(policy.policy))
		policy = (struct task_policy){SCHED_FIFO, USUAL_PRIORITY};
	snprintf(text, PART_SIZE, "chrt -%c -p %d %d", task_policy_option(policy.policy), policy.priority,
		member->tid);
}

/* The node of the hop that starts at the member. */
static void write_node(const struct session_hop *hop, char *text)
{
	if (hop->node >= 0)
		snprintf(text, PART_SIZE, "hop on node %d", hop->node);
	else if (hop->node == HOP_NODE_SEVERAL)
		snprintf(text, PART_SIZE, "hop on several nodes");
}

/* The hop that starts at the member, in all of the run. */
static void write_hop(const struct session_ring *ring, unsigned m, enum unit unit, char *text)
{
	static const struct statistic shown[] = {{"p50", 50.0}, {"p99", 99.0}, {"max", .of = statistic_max}};
	char label[48], time[48];

	snprintf(text, PART_SIZE, "hop %s", session_hop_label(ring, m, label, sizeof(label)));
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		statistic_text(&shown[i], &ring->hops[m].hist, unit, TIME_WIDTH, time, sizeof(time));
		text_print(text, PART_SIZE, "  %s %s", shown[i].name, time);
	}
}

static struct line make_line(
	const struct scene *scene, const struct session_ring *ring, bool are_alive, unsigned m)
{
	const struct tick_member *member = &ring->members[m];
	struct line line = {.style = !session_member_differs(ring, m) ? STYLE_PLAIN
				     : ring->refused                  ? STYLE_WRONG
								      : STYLE_STRONG};

	snprintf(line.parts[PART_WHO], PART_SIZE, "member %u", m);
	if (!member->tid) {
		snprintf(line.parts[PART_TID], PART_SIZE, "not started");
		return line;
	}
	snprintf(line.parts[PART_TID], PART_SIZE, "%d", member->tid);
	write_policy(ring, member, line.parts[PART_POLICY]);
	write_affinity(ring, m, line.parts[PART_AFFINITY]);
	if (are_alive) {
		write_chrt(ring, member, line.parts[PART_CHRT]);
		snprintf(
			line.parts[PART_TASKSET], PART_SIZE, "taskset -pc %u %d", ring->cpus[m], member->tid);
	}
	write_node(
		&ring->hops[m], line.parts[scene->session->machine.n_nodes > 1 ? PART_NODE : PART_ONLY_NODE]);
	if (ring->n_members > 2)
		write_hop(ring, m, scene->view->unit, line.parts[PART_HOP]);
	return line;
}

/* Parts after the affinity are omitted if they do not fit; those before it are cut. */
static void draw_line(const struct scene *scene, struct area area, unsigned y, const struct line *line,
	const unsigned *widths)
{
	unsigned x = 0;

	for (int p = 0; p < N_PARTS; p++) {
		bool marked = p == PART_POLICY || p == PART_AFFINITY;

		if (p > PART_AFFINITY && x + widths[p] > area.width)
			return;
		canvas_left(scene->canvas, area, x, y, widths[p], marked ? line->style : STYLE_PLAIN,
			line->parts[p]);
		x += widths[p] ? widths[p] + GAP : 0;
	}
}

void members_draw(
	const struct scene *scene, struct area area, const struct session_ring *ring, bool are_alive)
{
	unsigned widths[N_PARTS] = {0}, n = ring->n_members;
	bool all = n <= area.height;

	if (!area.height)
		return;
	n = all ? n : area.height - 1;
	for (unsigned m = 0; m < n; m++) {
		struct line line = make_line(scene, ring, are_alive, m);

		for (int p = 0; p < N_PARTS; p++)
			widths[p] = strlen(line.parts[p]) > widths[p] ? (unsigned)strlen(line.parts[p])
								      : widths[p];
	}
	for (unsigned m = 0; m < n; m++) {
		struct line line = make_line(scene, ring, are_alive, m);

		draw_line(scene, area, m, &line, widths);
	}
	if (!all) {
		char text[32];

		snprintf(text, sizeof(text), "+%u more", ring->n_members - n);
		canvas_text(scene->canvas, area, 0, n, STYLE_PLAIN, text);
	}
}
