/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.c - what the benchmarks among the front ends share. */
#include "src/compat/bench.h"

#include <stdio.h>

#include "src/compat/figures.h"
#include "src/model/session.h"
#include "src/report/report_json.h"

enum { LIST_SIZE = 256 };

#define FIELD(member) .field = offsetof(struct compat_settings, member)

const struct compat_option compat_bench_options[] = {
	{0, "cpus", "LIST", .help = "pin member #N to the Nth CPU of LIST, from the first\non again",
		.read = compat_read_cpus},
	{'h', "help", .help = "print this help", .read = compat_read_flag, FIELD(help)},
	{0, "json", "FILENAME", .help = "write the results into FILENAME too", .read = compat_read_text,
		FIELD(json)},
	{0, "ipctop-json", "FILENAME", .help = "and as ipctop does, with all that was seen",
		.read = compat_read_text, FIELD(config.json)},
	{0},
};

int compat_reports_open(
	struct compat_reports *reports, const struct compat *compat, struct error_text *reason)
{
	const char *path = compat->settings.config.json;

	*reports = (struct compat_reports){0};
	if (!path)
		return 0;
	int r = report_file_open(&reports->file, path, reason);

	reports->open = r == 0;
	return r;
}

int compat_reports_add(struct compat_reports *reports, const struct compat *compat,
	const struct compat_measured *measured, struct error_text *reason)
{
	const struct run *run = &measured->run;

	if (!reports->open || !measured->started)
		return 0;
	fputs(reports->n++ ? ",\n" : "[\n", reports->file.out);
	int r = report_json_print(
		reports->file.out, &run->session, run->config, &compat->topology, run->ended_by);

	if (r == 0)
		return 0;
	report_file_abandon(&reports->file);
	reports->open = false;
	return error_text_set(reason, r, "can't write %s: no memory", compat->settings.config.json);
}

int compat_reports_close(struct compat_reports *reports, struct error_text *reason)
{
	if (!reports->open)
		return 0;
	fputs(reports->n ? "]\n" : "[]\n", reports->file.out);
	reports->open = false;
	return report_file_close(&reports->file, reason);
}

bool compat_was_interrupted(const struct compat_measured *measured)
{
	return atomic_load(&measured->run.guard.signal) != 0;
}

void compat_add_ran_on(const struct session_ring *ring, struct cpus *ran_on)
{
	for (unsigned m = 0; m < ring->n_members; m++)
		if (ring->members[m].tid)
			cpus_add(ran_on, (unsigned)compat_cpu(ring, m));
}

void compat_tell_ran_on(const struct compat *compat, const struct cpus *ran_on)
{
	char list[LIST_SIZE];

	if (!compat->settings.config.tool.unpinned || !cpus_count(ran_on))
		return;
	fprintf(stderr,
		"# the members ran on CPU%s %s, as the scheduler placed them; --cpus LIST pins them\n",
		cpus_count(ran_on) > 1 ? "s" : "", cpus_format(ran_on, list, sizeof(list)));
}

void compat_put_cpus(FILE *out, const char *before, const char *key, const struct cpus *cpus)
{
	char list[LIST_SIZE];

	fprintf(out, "%s\"%s\": \"%s\"", before, key, cpus_format(cpus, list, sizeof(list)));
}
