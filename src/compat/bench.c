/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.c - shared by the front ends that are benchmarks: options, runs, and their reports. */
#include "src/compat/bench.h"

#include <stdlib.h>

#include "src/compat/figures.h"
#include "src/report/report_json.h"

enum { LIST_SIZE = 256 };

/* clang-format off */
const struct option_row compat_bench_options[] = {
	{0, "cpus", "LIST", "pin member #N to the Nth CPU of LIST, from the first\non again", option_read_cpus,
		COMPAT_FIELD(config.cpus), COMPAT_HAS(pinned)},
	COMPAT_HELP,
	{0, "json", "FILENAME", "write the results into FILENAME too", option_read_text, COMPAT_FIELD(json)},
	{0, "ipctop-json", "FILENAME", "and as ipctop does, with all that was seen", option_read_text,
		COMPAT_FIELD(config.json)},
	{0},
};
/* clang-format on */

int compat_bench_open(struct compat_bench *bench, struct error_text *reason)
{
	const char *path = bench->compat->settings.config.json;
	int r = path ? whole_file_open(&bench->report, path, reason) : 0;

	bench->report_open = path && r == 0;
	return r;
}

static int print_report(struct compat_bench *bench, struct error_text *reason)
{
	const struct run *run = &bench->measured.run;

	if (!bench->report_open)
		return 0;
	if (bench->several)
		fputs(bench->n_reports ? ",\n" : "[\n", bench->report.out);
	bench->n_reports++;
	int r = report_json_print(bench->report.out, &run->source.session, run->source.config,
		&bench->compat->topology, run->source.ended_by);

	if (r == 0)
		return 0;
	whole_file_abandon(&bench->report);
	bench->report_open = false;
	return error_text_set(reason, r, "can't write %s: no memory", bench->compat->settings.config.json);
}

bool compat_bench_run(struct compat_bench *bench, const struct config *config, bool (*updated)(void *data),
	void (*ended)(void *data), void *data)
{
	struct compat_measured *measured = &bench->measured;
	struct error_text reason;
	int r = compat_measure(measured, bench->compat, config, updated, data, &reason);
	bool interrupted = r == 0 && measured->run.source.signal != 0;

	if (r == 0) {
		if (!compat_measure_print(measured))
			bench->status = EXIT_FAILURE;
		if (ended)
			ended(data);
		r = print_report(bench, &reason);
	}
	if (r < 0)
		bench->status = compat_complain(bench->compat, &reason);
	compat_measure_finish(measured);
	return r == 0 && !interrupted;
}

void compat_bench_close(struct compat_bench *bench)
{
	struct error_text reason;
	char list[LIST_SIZE];

	if (!bench->compat->settings.pinned && cpus_count(&bench->ran_on))
		fprintf(stderr,
			"# the members ran on CPU%s %s, as the scheduler placed them; --cpus LIST pins them\n",
			cpus_count(&bench->ran_on) > 1 ? "s" : "",
			cpus_format(&bench->ran_on, list, sizeof(list)));
	if (!bench->report_open)
		return;
	if (bench->several)
		fputs(bench->n_reports ? "]\n" : "[]\n", bench->report.out);
	if (!bench->several && !bench->n_reports)
		whole_file_abandon(&bench->report);
	else if (whole_file_close(&bench->report, &reason) < 0)
		bench->status = compat_complain(bench->compat, &reason);
}

void compat_ran_on(const struct session_ring *ring, struct cpus *ran_on)
{
	for (unsigned m = 0; m < ring->n_members; m++)
		if (ring->members[m].tid)
			cpus_add(ran_on, (unsigned)compat_cpu(ring, m));
}

void compat_print_ran_on(FILE *out, const struct cpus *ran_on)
{
	char list[LIST_SIZE];

	fprintf(out, ", \"ran_on\": \"%s\"", cpus_format(ran_on, list, sizeof(list)));
}
