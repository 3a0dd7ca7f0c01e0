/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring_words.c - the words that describe rings to be added. */
#include "src/options/ring_words.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/base/values.h"
#include "src/machine/topology.h"
#include "src/options/complete.h"
#include "src/options/given_options.h"
#include "src/options/option.h"
#include "src/plan/plan_places.h"

enum { WORD_SIZE = 256 }; /* of a word that is completed, with its 0 */

/* getopt_long(3) has one state, and main thread and dashboard both read such words. */
static pthread_mutex_t getopt_lock = PTHREAD_MUTEX_INITIALIZER;

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

/* Values of others are not read: the names that they may have are not known here. */
static int refuse_others(const struct option_reading *reading)
{
	if (is_of_rings(reading->row->name))
		return 0;
	return error_text_set(reading->reason, -EINVAL,
		"--%s: it applies to the whole run, not to single rings", reading->row->name);
}

/* What a word may be: the value of an option. */
struct word_meaning {
	const char *option, *shown; /* shown: in messages about the value */
	const char *taken;          /* why there can't be another one */
};

static const struct word_meaning
	as_mechanisms = {"mechanisms", "-m",
		"a mechanism is given already; several are one word, such as mq,svsem"},
	as_pairs = {"pairs", "--pairs", "pairs are given already; several are one word, such as 0>1,2>3"},
	as_ring = {"ring", "--ring", "a ring is given already; add one of these after the other"},
	as_cpus = {"cpus", "-c", "CPUs are given already; leave -c out"};

static size_t index_of(const struct option_reading *reading, const struct word_meaning *meaning)
{
	size_t i = 0;

	while (strcmp(option_at(reading->tables, i)->name, meaning->option) != 0)
		i++;
	return i;
}

/* Refuses a second word, or one beside its option. @word: as it was written. */
static int refuse_second(
	const struct option_reading *reading, const struct word_meaning *meaning, const char *word)
{
	return reading->given[index_of(reading, meaning)]
		       ? error_text_set(reading->reason, -EINVAL, "%s: %s", word, meaning->taken)
		       : 0;
}

static int read_as(struct option_reading *reading, const struct word_meaning *meaning, const char *value)
{
	size_t i = index_of(reading, meaning);

	reading->given[i] = true;
	reading->row = option_at(reading->tables, i);
	snprintf(reading->option, sizeof(reading->option), "%s", meaning->shown);
	return option_read_value(reading, value);
}

/* Returns whether the CPUs between the signs ascend, as those of --ring do. Counts them. */
static bool are_ascending(const char *word, unsigned *n)
{
	uint64_t before = 0, cpu = 0;

	for (*n = 0; value_digits(&word, &cpu) == 0; word++, before = cpu) {
		if (*n && cpu <= before)
			return false;
		++*n;
		if (*word != '>' && *word != ':')
			break;
	}
	return !*word;
}

/* "2>3>10" is --ring 3 -c 2,3,10. */
static int read_ring_place(struct option_reading *reading, char *word)
{
	char n_members[16];
	unsigned n;

	if (!are_ascending(word, &n))
		return error_text_set(reading->reason, -EINVAL,
			"%s: must be CPUs that ascend, such as 2>3>10: a ring goes from CPU to CPU", word);
	snprintf(n_members, sizeof(n_members), "%u", n);
	int r = refuse_second(reading, &as_ring, word);

	if (r == 0)
		r = refuse_second(reading, &as_cpus, word);
	if (r == 0)
		r = read_as(reading, &as_ring, n_members);
	for (char *sign = word; r == 0 && (sign = strpbrk(sign, ">:"));)
		*sign = ',';
	return r < 0 ? r : read_as(reading, &as_cpus, word);
}

/* Returns whether a word names two CPUs, or several such pairs: "0>3", "0:3,5:5". */
static bool is_pairs(const char *word)
{
	uint64_t cpu;

	for (;; word++) {
		if (value_digits(&word, &cpu) < 0 || (*word != '>' && *word != ':'))
			return false;
		word++;
		if (value_digits(&word, &cpu) < 0)
			return false;
		if (*word != ',')
			return !*word;
	}
}

/* "0>3" and "0:3", which a shell passes on, are --pairs 0:3. */
static int read_place(struct option_reading *reading, char *word)
{
	bool has_cpu = *word >= '0' && *word <= '9'; /* "mq:0:3" names a ring, and is no place */

	if (has_cpu && !strchr(word, ',') && strpbrk(strpbrk(word, ">:") + 1, ">:"))
		return read_ring_place(reading, word);
	if (has_cpu && !is_pairs(word))
		return error_text_set(
			reading->reason, -EINVAL, "%s: must be pairs of CPUs, such as 0>3 or 0>3,5>5", word);
	int r = refuse_second(reading, &as_pairs, word);

	for (char *sign = word; r == 0 && (sign = strchr(sign, '>'));)
		*sign = ':';
	return r < 0 ? r : read_as(reading, &as_pairs, word);
}

static int read_mechanisms(struct option_reading *reading, const char *word)
{
	int r = refuse_second(reading, &as_mechanisms, word);

	return r < 0 ? r : read_as(reading, &as_mechanisms, word);
}

/* Returns whether a word is a place: CPUs, or what --pairs takes, such as smt. "all" is all mechanisms, and
 * of a mechanism all pairs. */
static bool is_place(const char *word, bool has_mechanism)
{
	if (strcmp(word, "all") == 0)
		return has_mechanism;
	for (unsigned i = 0; plan_places_word(i); i++)
		if (strcmp(word, plan_places_word(i)) == 0)
			return true;
	return strpbrk(word, ">:");
}

static int read_class(struct option_reading *reading, const char *word)
{
	int r = refuse_second(reading, &as_pairs, word);

	return r < 0 ? r : read_as(reading, &as_pairs, word);
}

/* Words that are no options: places and mechanisms. */
static int read_bare_words(struct option_reading *reading)
{
	int r = 0;

	for (size_t i = 0; reading->words[i] && r == 0; i++) {
		char *word = reading->words[i];

		if (!is_place(word, reading->given[index_of(reading, &as_mechanisms)]))
			r = read_mechanisms(reading, word);
		else if (strpbrk(word, ">:"))
			r = read_place(reading, word);
		else
			r = read_class(reading, word);
	}
	return r;
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
	config.plot = config.report = NULL;
	config.json_blocks = config.has_speed = config.svg = false;
	config.render_columns = config.render_lines = 0;
	memset(config.exports, 0, sizeof(config.exports));
	return config;
}

int ring_words_read(struct plan *plan, int argc, char **argv, const struct config *running,
	const struct topology *topology, const struct options_names *names, struct error_text *reason)
{
	struct given_options given = {.config = config_of(running), .names = names};
	struct option_reading reading = {"ipctop", options_tables, &given, reason, refuse_others};
	struct notes notes = {0};

	*plan = (struct plan){0};
	pthread_mutex_lock(&getopt_lock);
	int r = option_read_argv(&reading, argc, argv);

	pthread_mutex_unlock(&getopt_lock);
	if (r == 0)
		r = read_bare_words(&reading);
	if (r == 0) {
		given_options_give_way(&reading);
		r = given_options_settle(&reading);
	}
	if (r == 0)
		r = plan_init(plan, &given.config, topology, NULL, &notes, reason);
	notes_finish(&notes);
	return r;
}

/* --- completion --- */

int ring_words_cut(char *line, char *words[RING_WORDS_MAX])
{
	char *rest;
	int n = 0;

	for (char *word = strtok_r(line, " ", &rest); word && n < RING_WORDS_MAX;
		word = strtok_r(NULL, " ", &rest))
		words[n++] = word;
	return n;
}

/* Keeps the beginning that @common and @word share. */
static void keep_common(char *common, const char *word)
{
	size_t n = 0;

	while (common[n] && common[n] == word[n])
		n++;
	common[n] = '\0';
}

/* What the words before the last one have already. */
struct words_given {
	bool mechanism, place;
};

static bool is_option(const char *word, const char *letter, const char *name)
{
	return (letter && strncmp(word, letter, 2) == 0) ||
	       (strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, strlen(name)) == 0);
}

static struct words_given find_given(const struct complete_line *line)
{
	struct words_given given = {false, false};

	for (size_t i = 0; i < line->n_words; i++)
		given.mechanism |= is_option(line->words[i], "-m", as_mechanisms.option);
	for (size_t i = 0; i < line->n_words; i++) {
		const char *word = line->words[i];

		if (complete_is_word(line, i) && is_place(word, given.mechanism))
			given.place = true;
		else if (complete_is_word(line, i))
			given.mechanism = true;
		else if (is_option(word, NULL, as_pairs.option) || is_option(word, NULL, as_ring.option))
			given.place = true;
	}
	return given;
}

/* Returns the length of what is before the CPU at the end of a place, "0>3,5>" of "0>3,5>1".
 * @n_before: how many CPUs of its pair or ring that has; @last: the last of them. */
static size_t find_cpu(const char *place, unsigned *n_before, int *last)
{
	size_t at = 0;

	*n_before = 0;
	*last = -1;
	for (size_t i = 0; place[i]; i++)
		if (strchr(">:,", place[i])) {
			unsigned long cpu = strtoul(place + at, NULL, 10);

			*n_before = place[i] == ',' ? 0 : *n_before + 1;
			*last = cpu < CPUS_MAX ? (int)cpu : CPUS_MAX - 1;
			at = i + 1;
		}
	return at;
}

/* Prints the classes of --pairs that this machine has, or the CPUs that may follow in what is written. Those
 * of a ring ascend. */
static void print_places(const struct complete_line *line, const struct cpus *allowed, FILE *out)
{
	unsigned n_before;
	int last;
	size_t kept = find_cpu(line->written, &n_before, &last);
	char word[WORD_SIZE];

	for (unsigned i = 0; kept == 0 && plan_places_word_of(line->names->localities, i); i++)
		complete_word(line, plan_places_word_of(line->names->localities, i), NULL, out);
	for (int cpu = cpus_next(allowed, n_before > 1 ? last : -1); cpu >= 0;
		cpu = cpus_next(allowed, cpu)) {
		snprintf(word, sizeof(word), "%.*s%d%s", (int)kept, line->written, cpu, n_before ? "" : ">");
		complete_word(line, word, NULL, out);
	}
}

/* Prints what the word at the end of the line may become, a line each: an option or its value, or what is not
 * given yet. */
static void print_completions(char *const *words, size_t n_words, const char *written,
	const struct options_names *names, const struct cpus *allowed, FILE *out)
{
	static char mechanisms[] = "-m";
	struct option_row rows[sizeof(options) / sizeof(*options) + 1] = {{0}};
	const struct option_row *const tables[] = {rows, NULL};
	char *const before[] = {mechanisms};
	struct complete_line line = {tables, names, words, n_words, written};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		rows[i] = *option_named(options_tables, options[i]);
	if (complete_option(&line, out) != COMPLETE_WORDS)
		return;
	const struct words_given given = find_given(&line);
	bool begins_cpus = written[0] >= '0' && written[0] <= '9';

	if (!given.place && (given.mechanism || begins_cpus)) {
		print_places(&line, allowed, out);
	} else if (!given.mechanism) {
		line.words = before;
		line.n_words = 1;
		complete_option(&line, out);
	} else if (!*written) {
		line.written = "--";
		complete_option(&line, out);
	}
}

/* Joins the words of lines of a word and its help; sets @common to the beginning that all share. Returns
 * their number. */
static size_t read_completions(char *text, char *common, size_t common_size, char *found, size_t found_size)
{
	char *rest;
	size_t n = 0;

	for (char *word = strtok_r(text, "\n", &rest); word; word = strtok_r(NULL, "\n", &rest), n++) {
		word[strcspn(word, "\t")] = '\0';
		text_append(found, found_size, " ", word);
		if (n == 0)
			snprintf(common, common_size, "%s", word);
		else
			keep_common(common, word);
	}
	return n;
}

void ring_words_complete(char *line, size_t line_size, const struct options_names *names,
	const struct topology *topology, char *found, size_t found_size)
{
	struct options_names here = *names;
	char *copy = strdup(line), *words[RING_WORDS_MAX], *text = NULL, common[WORD_SIZE] = "";
	size_t length = strlen(line), text_size;
	char *last = strrchr(line, ' ');
	FILE *out = open_memstream(&text, &text_size);

	here.localities = topology_localities(topology, &topology->allowed);
	found[0] = '\0';
	last = last ? last + 1 : line;
	if (copy && out) {
		copy[last - line] = '\0';
		print_completions(
			words, (size_t)ring_words_cut(copy, words), last, &here, &topology->allowed, out);
	}
	size_t n = out && fclose(out) == 0 ? read_completions(text, common, sizeof(common), found, found_size)
					   : 0;
	size_t room = line_size - (size_t)(last - line);

	if (n && strlen(common) + 1 < room && strlen(common) >= length - (size_t)(last - line))
		snprintf(last, room, "%s%s", common, n == 1 && common[strlen(common) - 1] != '>' ? " " : "");
	free(text);
	free(copy);
}
