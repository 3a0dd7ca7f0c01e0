/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring_words.c - the words that describe rings to be added. */
#include "src/options/ring_words.h"

#include <errno.h>
#include <string.h>

#include "src/options/given_options.h"
#include "src/options/option.h"

/* What may differ from ring to ring. */
static const char *const options[] = {"mechanisms", "pairs", "ring", "cpus", "threads", "size", "priority",
	"policy", "interval", "distance"};

static bool is_of_rings(const char *name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (strcmp(options[i], name) == 0)
			return true;
	return false;
}

static int check_options(const struct option_reading *reading)
{
	const struct option_row *row;
	char shown[OPTION_SHOWN_SIZE];

	for (size_t i = 0; (row = option_at(reading->tables, i)); i++)
		if (reading->given >> i & 1 && !is_of_rings(row->name))
			return error_text_set(
				reading->reason, -EINVAL, "--%s: no ring has it of its own", row->name);
	if (!reading->words[0])
		return 0;
	return error_text_set(
		reading->reason, -EINVAL, "%s: no option", option_shown(reading->words[0], shown));
}

/* The run's config, as if a file had it, without its places and outputs. */
static struct config config_of(const struct config *running)
{
	struct config config = *running;

	config.action = ACTION_RUN;
	config.pairs = NULL;
	config.has_cpus = false;
	config.n_pairs = config.ring_members = config.n_rings = 0;
	config.record = config.replay = config.json = config.metrics = config.metrics_listen = NULL;
	config.json_blocks = config.has_speed = false;
	config.render_columns = config.render_lines = 0;
	memset(config.exports, 0, sizeof(config.exports));
	return config;
}

int ring_words_read(struct plan *plan, int argc, char **argv, const struct config *running,
	const struct topology *topology, const struct options_names *names, struct error_text *reason)
{
	struct given_options given = {.config = config_of(running), .names = names};
	struct option_reading reading = {"ipctop", options_tables, &given, reason};
	struct notes notes = {0};
	int r = option_read_argv(&reading, argc, argv);

	*plan = (struct plan){0};
	if (r > 0) /* --help ends the reading */
		r = error_text_set(reason, -EINVAL, "--%s: no ring has it of its own", reading.row->name);
	if (r == 0)
		r = check_options(&reading);
	if (r == 0) {
		given_options_give_way(&reading);
		r = given_options_settle(&reading);
	}
	if (r == 0)
		r = plan_init(plan, &given.config, topology, NULL, &notes, reason);
	notes_finish(&notes);
	return r;
}
