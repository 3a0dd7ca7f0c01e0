/* SPDX-License-Identifier: GPL-2.0-or-later */
/* audit.c - the verb `audit`: which settings of this machine cost latency. It writes nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/app/verb.h"
#include "src/machine/machine.h"
#include "src/machine/topology.h"
#include "src/model/advice.h"
#include "src/options/option.h"
#include "src/report/audit_json.h"
#include "src/run/output.h"

enum { EXIT_COSTS = 2, INDENT = 4 };

/* The target of the options. */
struct settings {
	struct cpus cpus;
	bool has_cpus, json, help;
};

static const struct option_row rows[] = {
	{'c', "cpus", "LIST", "CPUs of the members (default: isolated ones, else all)", option_read_cpus,
		OPTION_FIELD(struct settings, cpus), .has = offsetof(struct settings, has_cpus)},
	{0, "json", NULL, "print the knobs as JSON", option_read_true, OPTION_FIELD(struct settings, json)},
	{'h', "help", NULL, "print this help", option_read_true, OPTION_FIELD(struct settings, help),
		.ends = true},
	{0},
};
static const struct option_row *const options[] = {rows, NULL};

static int print_help(void)
{
	puts("ipctop audit [OPTION...] - which settings of this machine cost latency?\n\n"
	     "Reads them, and writes nothing. Exit status: 0; 2 if one of them costs latency\n"
	     "that a command or a boot option changes; 1 for an error.\n");
	option_print_all(stdout, rows);
	return verb_end_output();
}

/* Sets the CPUs of the members: those that a run would choose, unless they were given. */
static int choose_cpus(struct advice_site *site, const struct settings *settings,
	const struct topology *topology, struct error_text *reason)
{
	char list[128], online[128];

	site->cpus = topology->isolated;
	cpus_intersect(&site->cpus, &topology->usable);
	if (!cpus_count(&site->cpus))
		site->cpus = topology->usable;
	if (settings->has_cpus && cpus_count(&settings->cpus))
		site->cpus = settings->cpus;
	site->others = topology->online;
	cpus_subtract(&site->others, &site->cpus);
	if (!cpus_subset(&settings->cpus, &topology->online) &&
		topology_check_online(topology, "-c", cpus_format(&settings->cpus, list, sizeof(list)),
			&settings->cpus, reason) == 0)
		return error_text_set(reason, -EINVAL, "-c %s: this machine has CPUs %s",
			cpus_format(&settings->cpus, list, sizeof(list)),
			cpus_format(&topology->online, online, sizeof(online)));
	return topology_check_online(
		topology, "-c", cpus_format(&site->cpus, list, sizeof(list)), &site->cpus, reason);
}

/* --- as text: those that are not good with their remedy --- */

static void print_title(FILE *out, const struct advice_list *advice, const struct advice_site *site)
{
	char cpus[KNOB_LIST_SIZE];
	const char *between = ": ";

	fprintf(out, "%s, kernel %s, advice for members on CPUs %s", site->machine->host,
		site->machine->kernel, cpus_format(&site->cpus, cpus, sizeof(cpus)));
	for (enum advice_rank rank = 0; rank < N_ADVICE_RANKS; rank++) {
		if (!advice->n_ranks[rank])
			continue;
		fprintf(out, "%s%zu %s", between, advice->n_ranks[rank], advice_rank_word(rank));
		between = ", ";
	}
	fputc('\n', out);
}

static void print_field(FILE *out, const char *name, const char *text)
{
	if (*text)
		fprintf(out, "%*s%-6s %s\n", INDENT, "", name, text);
}

static void print_knob(FILE *out, const struct advice *advice, const struct advice_site *site)
{
	const struct knob *knob = advice->knob;
	char text[ADVICE_TEXT_SIZE];
	bool has_value = advice->rank < ADVICE_DENIED;

	fprintf(out, "  %-14s %s%s%s\n", advice_rank_word(advice->rank), knob->name, has_value ? ": " : "",
		has_value ? advice->found.value : "");
	if (advice->rank == ADVICE_UNMOUNTED)
		print_field(out, "now", advice_now(advice, site));
	if (advice->rank > ADVICE_INFORMS)
		return;
	print_field(out, "is", knob->about);
	print_field(out, "good", knob->good);
	print_field(out, "cost", advice_cost_text(advice, text));
	if (advice->rank == ADVICE_INFORMS)
		return;
	print_field(out, "now", advice_command(advice, site, advice_now(advice, site), text));
	print_field(out, "keep", advice_command(advice, site, knob->keep, text));
}

/* Prints the knobs by groups, as advice_group() sorts them. */
static void print_knobs(FILE *out, const struct advice_list *advice, const struct advice_site *site)
{
	print_title(out, advice, site);
	for (size_t i = 0; i < advice->n; i++) {
		const struct advice *one = &advice->list[i];

		if (!i || one->knob->group != advice->list[i - 1].knob->group)
			fprintf(out, "\n%s\n", knob_group_name(one->knob->group));
		print_knob(out, one, site);
	}
}

/* --- the verb --- */

static int print_audit(const struct settings *settings, const struct topology *topology,
	const struct machine *machine, struct error_text *reason)
{
	struct advice_site site = {.machine = machine, .is_realtime = true, .is_fair = true};
	struct advice_list *advice = malloc(sizeof(*advice));
	int status = EXIT_FAILURE, r = choose_cpus(&site, settings, topology, reason);

	if (r == 0 && !advice)
		r = error_text_set(reason, -ENOMEM, "no memory for the knobs");
	if (r == 0) {
		advice_make(advice, &site);
		advice_group(advice);
		status = advice_has_cost(advice) ? EXIT_COSTS : EXIT_SUCCESS;
		if (!settings->json)
			print_knobs(stdout, advice, &site);
		else if (audit_json_print(stdout, advice, &site) < 0)
			r = error_text_set(reason, -ENOMEM, "no memory to print the knobs");
	}
	free(advice);
	if (r == 0 && output_flush(reason) < 0)
		r = -EIO;
	return r < 0 ? verb_complain(reason) : status;
}

static int audit(const struct settings *settings, struct error_text *reason)
{
	struct topology topology = {0};
	struct machine_rows machine_rows = {0};
	struct machine machine = {0};
	int status, r = topology_init(&topology, reason);

	if (r == 0 && topology.foreign)
		r = error_text_set(reason, -EINVAL,
			"audit: the topology is another machine's (%s is set), and only this machine's settings "
			"can be read",
			topology.foreign);
	if (r == 0) {
		machine_read(&machine, &topology);
		machine_read_rows(&machine_rows, &machine);
	}
	status = r < 0 ? verb_complain(reason) : print_audit(settings, &topology, &machine, reason);
	machine_rows_finish(&machine_rows);
	machine_finish(&machine);
	topology_finish(&topology);
	return status;
}

static int audit_main(int argc, char **argv, const struct options_names *names)
{
	struct settings settings = {0};
	struct error_text reason;
	struct option_reading reading = {
		.program = "ipctop audit", .tables = options, .target = &settings, .reason = &reason};

	if (option_read_argv(&reading, argc - 1, argv + 1) < 0)
		return verb_complain(&reason);
	if (settings.help)
		return print_help();
	if (reading.words[0]) {
		error_text_set(&reason, -EINVAL,
			"audit: %s: takes only options; ipctop audit --help lists them", reading.words[0]);
		return verb_complain(&reason);
	}
	return audit(&settings, &reason);
}

const struct verb verb_audit = {
	.name = "audit",
	.words = "",
	.purpose = "which settings of this machine cost latency",
	.options = options,
	.main = audit_main,
};
