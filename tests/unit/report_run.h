/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_run.h - a run that reports tell of. */
#pragma once

#include <stdio.h>

#include "src/report/report_json.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { MS = 1000000 };

/* Four rings: one with 2,000 samples, one that failed, one that never ran, one starved. */
static struct fixture *make_run(void)
{
	struct fixture *f = fixture_create(4, MS);

	fixture_sample(f, 0, FIGURE_FIRST, 1000, 1985);
	fixture_sample(f, 0, FIGURE_FIRST, 5000, 14);
	fixture_sample(f, 0, FIGURE_FIRST, 123456, 1);
	fixture_sample(f, 0, FIGURE_LATENESS, 300, 5);
	fixture_sample(f, 0, FIGURE_RESPONSE, 700 * MS, 1);
	f->rings[0].laps = 2000;
	f->rings[0].warmup_laps = 100;
	f->rings[0].missed = 7;
	f->rings[0].away = 9;
	f->rings[1].state = RING_FAILED;
	f->rings[1].reason = "no queue: raise fs.mqueue.queues_max \xff";
	f->members[2] = f->members[3] = (struct tick_member){.policy = {.policy = -1}, .cpu = -1};
	f->rings[2].condition = CONDITION_NEVER_RAN;
	f->members[5].policy = (struct task_policy){SCHED_OTHER, 0};
	f->rings[3].condition = CONDITION_STARVED;
	f->rings[3].age_ns = 1200 * MS;
	f->rings[0].faults[FAULT_DAMAGED] = 1;
	f->rings[0].faults[FAULT_LOST] = 2;
	fixture_feed(f);
	f->config.fail_above_ns = 50000;
	f->config.breaktrace_ns = 100000;
	session_event(&f->session, &(struct event){.at_ns = FIXTURE_START_NS + 1000,
					   .kind = EVENT_BREACH,
					   .ring = 2,
					   .member = 1,
					   .tid = 4711,
					   .figure = FIGURE_FIRST,
					   .ns = 123456,
					   .limit_ns = 100000});
	cpus_add(&f->topology.online, 0);
	f->topology.n_cpus = 1;
	return f;
}

static char *print_json(const struct fixture *f)
{
	const struct report_origin origin = {"quit", &f->config, &f->topology};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK(report_json_print(out, &f->session, &origin) == 0);
	fclose(out);
	return text;
}

__attribute__((unused)) static int write_run(
	const struct fixture *f, const char *path, struct error_text *reason)
{
	const struct report_origin origin = {"quit", &f->config, &f->topology};

	return report_json_write(path, &f->session, &origin, reason);
}
