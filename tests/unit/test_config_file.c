/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_config_file.c - options that stand in a file, and argv's over them. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/options/config_file.h"
#include "src/options/option.h"
#include "src/options/options.h"
#include "tests/unit/option_names.h"
#include "tests/unit/tap.h"

enum { WORDS_MAX = 32 };

/* argv, of a line's words. */
struct words {
	char text[256];
	char *argv[WORDS_MAX + 1];
	int argc;
};

static char **split(struct words *words, const char *line)
{
	static char name[] = "ipctop";

	*words = (struct words){.argv = {name}, .argc = 1};
	snprintf(words->text, sizeof(words->text), "%s", line);
	for (char *word = strtok(words->text, " "); word && words->argc < WORDS_MAX; word = strtok(NULL, " "))
		words->argv[words->argc++] = word;
	return words->argv;
}

static struct config_file file;
static struct words words;

/* The config of a file's text and of a command line; both stay until the next call. */
static int parse_sized(
	const char *text, size_t size, const char *line, struct config *config, struct error_text *reason)
{
	config_file_finish(&file);
	split(&words, line);
	strcpy(reason->text, "");
	file = (struct config_file){.name = "lab.conf", .text = malloc(size + 1), .size = size};
	if (!file.text)
		abort();
	memcpy(file.text, text, size);
	file.text[size] = '\0';
	return options_parse(config, &file, words.argc, words.argv, &known, reason);
}

static int parse(const char *text, const char *line, struct config *config, struct error_text *reason)
{
	return parse_sized(text, strlen(text), line, config, reason);
}

static void lines_are_options_in_words_of_the_long_ones(void)
{
	static const char *const texts[] = {
		"priority 80\ninterval 100us\nquiet\npairs 0:1,1:0\n",
		"priority=80\ninterval=100us\nquiet\npairs=0:1,1:0",
		("# all of it\n\n\tpriority = 80\r\n interval\t100us # as the application\n"
		 "quiet\n#quiet\npairs =0:1,1:0 \t \n\n"),
		"priority 7\npriority 80\ninterval 5\nquiet\nquiet\ninterval 0.1ms\npairs 0:1,1:0",
		"policy fifo\npriority 80\ninterval 100\nquiet #\npairs 0:1,1:0#1\npairs 0:1,1:0\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct config config;
		struct error_text reason;

		CHECK(parse(texts[i], "", &config, &reason) == 0, "%zu: %s", i, reason.text);
		CHECK(config.policy.policy == SCHED_FIFO && config.policy.priority == 80, "%zu", i);
		CHECK(config.interval_ns == 100000 && config.quiet && !config.plain, "%zu", i);
		CHECK(!strcmp(config.pairs, "0:1,1:0"), "%zu: %s", i, config.pairs);
		CHECK(config.action == ACTION_RUN && config.n_probes == 1, "%zu", i);
	}
}

/* Each option, but for those of the command line alone, does in a file what it does in argv. */
static void each_option_can_stand_in_a_file(void)
{
	struct config config;
	struct error_text reason;

	CHECK(parse("mechanisms svsem,mq\npairs 0:3,5:5\ncpus 0-3,5\nhousekeeping 7\nthreads 6\nfork\n"
		    "policy rr\npriority 7\ninterval 2ms\ndistance 10\nduration 3m\nloops 12345678901\n"
		    "dma-latency 0\nmemory sender\nside-by-side\nturns 3\nallow-rt-spin\nforce\nstrict\nshow response\ntick 0.25\nrefresh 2.5\nplain\n"
		    "no-color\nascii\n",
		      "", &config, &reason) == 0,
		"%s", reason.text);
	CHECK(config.n_probes == 2 && config.probes[0] == &svsem && !strcmp(config.pairs, "0:3,5:5"));
	CHECK(config.has_cpus && cpus_count(&config.cpus) == 5 && config.has_housekeeping);
	CHECK(config.n_pairs == 6 && config.fork && config.policy.policy == SCHED_RR);
	CHECK(config.interval_ns == 2000000 && config.distance_ns == 10000);
	CHECK(config.duration_ns == UINT64_C(180000000000) && config.loops == UINT64_C(12345678901));
	CHECK(config.has_memory && config.memory.kind == NUMA_SENDER);
	CHECK(config.has_dma_latency && config.side_by_side && config.turn_ns == 3000000000);
	CHECK(config.force && config.strict && config.allow_rt_spin);
	CHECK(config.figure == FIGURE_RESPONSE && config.tick_ns == 250000000);
	CHECK(config.refresh_ns == UINT64_C(2500000000) && config.plain && config.colors == 2 &&
		config.ascii);
	CHECK(parse("affinity 2\n", "", &config, &reason) == 0 && config.has_cpus);
	CHECK(parse("affinity\nthreads\nsmp\n", "", &config, &reason) == 0 && !config.has_cpus);
	CHECK(parse("", "", &config, &reason) == 0 && config.interval_ns == 1000000);
}

static void the_command_line_wins_over_the_file(void)
{
	static const struct {
		const char *text, *line, *same; /* as this command line alone */
	} rows[] = {
		{"interval 5\nquiet", "-i 100", "-i 100 -q"},
		{"cpus 0-3", "-a 2", "-c 2"},
		{"affinity 0-3", "-c 2", "-c 2"},
		{"cpus 0-3", "-a", ""},
		{"priority 80", "-p 0", ""},
		{"policy fifo\npriority 80", "-p 0", ""},
		{"policy fifo\npriority 80", "--policy batch", "--policy batch"},
		{"policy fifo\npriority 80", "--policy rr", "--policy rr -p 80"},
		{"policy rr\npriority 80", "-p 5", "--policy rr -p 5"},
		{"policy rr", "-p 5", "--policy rr -p 5"},
		{"priority 5", "--policy rr", "--policy rr -p 5"},
		{"priority 5", "--policy other", ""},
		{"policy batch", "-p 5", "-p 5"},
		{"policy batch", "-p 0", "--policy batch"},
		{"pairs all\nthreads 4", "-S", ""},
		{"ring 3x2", "-S", ""},
		{"ring 3x2", "-t 4", "-t 4"},
		{"ring 3x2", "--pairs own", "--ring 3x2 --pairs own"},
		{"smp", "--pairs all -t 4", "--pairs all -t 4"},
		{"distance 5", "-i 0", "-i 0"},
		{"interval 0", "-d 5 -i 10", "-d 5 -i 10"},
		{"interval 0\nbatch 8", "", "-i 0 --batch 8"},
		{"interval 0\nbatch 8", "-i 100", "-i 100"},
		{"interval 0\nbatch 8", "--stamps all", "-i 0"},
		{"interval 0\nbatch 8", "--show answer", "-i 0 --show answer"},
		{"stamps lap", "--show answer", "--show answer"},
		{"show answer", "--stamps lap", "--stamps lap"},
		{"show answer\ninterval 0", "--batch 3", "-i 0 --batch 3"},
		{"stamps all\ninterval 0", "--batch 3", "-i 0 --batch 3"},
		{"quiet\nplain", "--render 80x24", "--render 80x24"},
		{"quiet\nplain\nduration 5", "list", "-q --plain -D 5 list"},
		{"refresh 5\ntick 2", "--refresh 1 --tick 0.5", ""},
		{"size 4k", "-m svsem", "-m svsem"},
		{"size 4k\nwork 8", "-s 0 --work 0", ""},
		{"mechanisms svsem", "-m mq -s 9", "-s 9"},
		{"size 4k", "-m mq", "-s 4096"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct config over, alone;
		struct error_text reason;

		memset(&over, 0, sizeof(over));
		memset(&alone, 0, sizeof(alone));
		CHECK(parse("", rows[i].same, &alone, &reason) == 0, "'%s': %s", rows[i].same, reason.text);
		alone.pairs = strdup(alone.pairs);
		CHECK(parse(rows[i].text, rows[i].line, &over, &reason) == 0, "row %zu: %s", i, reason.text);
		CHECK(!strcmp(over.pairs, alone.pairs), "row %zu: %s", i, over.pairs);
		free((char *)alone.pairs);
		CHECK(over.action == alone.action && over.has_cpus == alone.has_cpus &&
				cpus_equal(&over.cpus, &alone.cpus) && over.n_pairs == alone.n_pairs &&
				over.ring_members == alone.ring_members && over.n_rings == alone.n_rings,
			"row %zu", i);
		CHECK(over.policy.policy == alone.policy.policy &&
				over.policy.priority == alone.policy.priority,
			"row %zu: %d %d", i, over.policy.policy, over.policy.priority);
		CHECK(over.interval_ns == alone.interval_ns && over.distance_ns == alone.distance_ns &&
				over.duration_ns == alone.duration_ns && over.tick_ns == alone.tick_ns &&
				over.refresh_ns == alone.refresh_ns,
			"row %zu", i);
		CHECK(over.stamps == alone.stamps && over.batch_laps == alone.batch_laps &&
				over.figure == alone.figure,
			"row %zu", i);
		CHECK(over.size == alone.size && over.work_size == alone.work_size, "row %zu", i);
		CHECK(over.quiet == alone.quiet && over.plain == alone.plain, "row %zu", i);
	}
}

static void a_wrong_line_is_an_error_with_its_number(void)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{"interval -5",
			"lab.conf:1: interval -5: the interval must be 0 (flood) to 60s, in microseconds or with us, "
			"ms or s"},
		{"\xef\xbb\xbfquiet\n",
			"lab.conf: begins with a byte-order mark of UTF-8: save it without the mark"},
		{"\xff\xfeq\1",
			"lab.conf: begins with a byte-order mark of UTF-16: save it as UTF-8, without a mark"},
		{"\xfe\xff\1q",
			"lab.conf: begins with a byte-order mark of UTF-16: save it as UTF-8, without a mark"},
		{"quiet\n\n# x\npriority 99\n",
			"lab.conf:4: priority 99: the priority must be 0 to 98 (99 is ipctop's own)"},
		{"priority = \n",
			"lab.conf:1: priority '': the priority must be 0 to 98 (99 is ipctop's own)"},
		{"priority\n", "lab.conf:1: priority needs a value: priority PRIO"},
		{"priority 80 90",
			"lab.conf:1: priority 80 90: the priority must be 0 to 98 (99 is ipctop's own)"},
		{"priority==8", "lab.conf:1: priority =8: the priority must be 0 to 98 (99 is ipctop's own)"},
		{"quiet yes", "lab.conf:1: quiet takes no value"},
		{"quiet =", "lab.conf:1: quiet takes no value"},
		{"\nintervall 5",
			"lab.conf:2: intervall: no such option; the words are those of the long options in ipctop "
			"--help"},
		{"inter 5",
			"lab.conf:1: inter: no such option; the words are those of the long options in ipctop --help"},
		{"-q", "lab.conf:1: -q: no such option; the words are those of the long options in ipctop --help"},
		{"= 5", "lab.conf:1: '': no such option; the words are those of the long options in ipctop --help"},
		{"\x1b[2Jx",
			"lab.conf:1: ?[2Jx: no such option; the words are those of the long options in ipctop --help"},
		{"--quiet", "lab.conf:1: --quiet: write it without the dashes here"},
		{"mechanisms pipe",
			"lab.conf:1: mechanisms pipe: no such mechanism: choose from mq, signal, svsem, or all"},
		{"cpus 0\nquiet\naffinity 1",
			"lab.conf:3: -a 1: -c 0 names other CPUs; leave one of them out"},
		{"pairs all\nsmp", "lab.conf:2: --pairs all: -S means --pairs own; leave one of them out"},
		{"quiet\npolicy fifo", "lab.conf:2: --policy fifo needs a priority: add -p 1..98"},
		{"distance 5\ndistance 6\n# x\ninterval 0",
			"lab.conf:2: -d: flood (-i 0) has no intervals to add a distance to"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct config config;
		struct error_text reason;

		CHECK(parse(rows[i].text, "", &config, &reason) == -EINVAL, "row %zu", i);
		CHECK(!strcmp(reason.text, rows[i].sentence), "row %zu gave '%s'", i, reason.text);
	}
}

static void what_makes_no_sense_in_a_file_is_refused_there(void)
{
	static const char *const lines[] = {
		"help", "version", "plan", "config x", "no-config", "json x", "render 80x24"};
	const struct option_row *row;
	size_t n = 0;

	for (size_t i = 0; (row = option_at(options_tables, i)); i++)
		n += row->argv_only;
	CHECK(n >= sizeof(lines) / sizeof(*lines), "%zu", n);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct config config;
		struct error_text reason;
		char text[64], sentence[128];

		snprintf(text, sizeof(text), "quiet\n%s\n", lines[i]);
		snprintf(sentence, sizeof(sentence), "lab.conf:2: %.*s: only the command line may have it",
			(int)strcspn(lines[i], " "), lines[i]);
		CHECK(parse(text, "", &config, &reason) == -EINVAL, "%s", lines[i]);
		CHECK(!strcmp(reason.text, sentence), "%s gave '%s'", lines[i], reason.text);
	}
}

static void lines_have_bounds_and_no_nul_bytes(void)
{
	static char text[CONFIG_FILE_LINE_MAX + 2];
	struct config config;
	struct error_text reason;

	memset(text, ' ', sizeof(text));
	memcpy(text, "quiet", 5);
	CHECK(parse_sized(text, CONFIG_FILE_LINE_MAX, "", &config, &reason) == 0 && config.quiet);
	CHECK(parse_sized(text, CONFIG_FILE_LINE_MAX + 1, "", &config, &reason) == -EINVAL);
	CHECK(!strcmp(reason.text, "lab.conf:1: the line is longer than 4096 bytes"), "%s", reason.text);
	CHECK(parse_sized("quiet\nfork\0 x\n", 14, "", &config, &reason) == -EINVAL);
	CHECK(!strcmp(reason.text, "lab.conf:2: there is a NUL byte in the line"), "%s", reason.text);
	CHECK(parse_sized("", 0, "", &config, &reason) == 0);
}

static void a_long_name_keeps_its_end_and_no_control_characters(void)
{
	struct error_text reason;
	char path[300];

	memset(path, 'd', sizeof(path) - 1);
	strcpy(path + sizeof(path) - 9, "\x1b/config");
	config_file_finish(&file);
	CHECK(config_file_load(&file, path, &reason) < 0 && strstr(reason.text, file.name));
	CHECK(strlen(file.name) == sizeof(file.name) - 1 && !strncmp(file.name, "...ddd", 6));
	CHECK(!strcmp(file.name + strlen(file.name) - 8, "?/config"), "%s", file.name);
}

/* --- the file itself --- */

static char folder[] = "/tmp/ipctop-test-XXXXXX";

static void write_file(const char *name, const char *text, size_t size)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *out = fopen(path, "we");

	if (!out || fwrite(text, 1, size, out) != size || fclose(out) != 0)
		abort();
}

static int load(const char *line, struct config *config, struct error_text *reason)
{
	config_file_finish(&file);
	split(&words, line);
	strcpy(reason->text, "");
	return options_load(config, &file, words.argc, words.argv, &known, reason);
}

static void the_default_file_is_read_where_it_is_there(void)
{
	struct config config;
	struct error_text reason;
	char path[256];

	setenv("HOME", folder, 1);
	unsetenv("XDG_CONFIG_HOME");
	CHECK(load("-p 5", &config, &reason) == 0 && config.interval_ns == 1000000, "%s", reason.text);
	snprintf(path, sizeof(path), "%s/.config", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/.config/ipctop", folder);
	mkdir(path, 0700);
	write_file(".config/ipctop/config", "interval 7\npairs all\n", 21);
	CHECK(load("-p 5", &config, &reason) == 0 && config.interval_ns == 7000, "%s", reason.text);
	CHECK(config.policy.priority == 5 && !strcmp(config.pairs, "all"));
	CHECK(load("list -a 0 -i 9", &config, &reason) == 0 && config.interval_ns == 9000, "%s", reason.text);
	CHECK(config.action == ACTION_LIST && config.has_cpus);
	CHECK(load("--no-config", &config, &reason) == 0 && config.interval_ns == 1000000);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	CHECK(load("", &config, &reason) == 0 && config.interval_ns == 7000);
	setenv("XDG_CONFIG_HOME", folder, 1);
	CHECK(load("", &config, &reason) == 0 && config.interval_ns == 1000000);
	snprintf(path, sizeof(path), "%s/.config", folder);
	setenv("XDG_CONFIG_HOME", path, 1);
	CHECK(load("", &config, &reason) == 0 && config.interval_ns == 7000);
	write_file(".config/ipctop/config", "nonsense\n", 9);
	CHECK(load("", &config, &reason) == -EINVAL && strstr(reason.text, "/ipctop/config:1: nonsense: "));
	CHECK(load("--no-config", &config, &reason) == 0, "%s", reason.text);
	CHECK(load("--help", &config, &reason) == 0 && config.action == ACTION_HELP, "%s", reason.text);
	CHECK(load("-V", &config, &reason) == 0 && config.action == ACTION_VERSION, "%s", reason.text);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	CHECK(load("", &config, &reason) == 0 && config.interval_ns == 1000000);
	setenv("HOME", "", 1);
	CHECK(load("", &config, &reason) == 0);
}

static void a_file_that_is_asked_for_must_be_there_and_of_a_size(void)
{
	static char large[CONFIG_FILE_SIZE_MAX + 1];
	static const struct {
		const char *line, *why;
	} rows[] = {
		{"--config /nowhere/at/all", "/nowhere/at/all: No such file or directory"},
		{"--config /", "/: Is a directory"},
		{"--config /dev/zero", "/dev/zero: larger than 65536 bytes"},
		{"--config x --no-config", "--config x: --no-config reads no file; leave one of them out"},
		{"--config", "--config needs a value: --config FILE"},
		{"--config=", "--config '': must not be empty"},
	};
	struct config config;
	struct error_text reason;
	char line[300];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(load(rows[i].line, &config, &reason) < 0, "%s", rows[i].line);
		CHECK(!strcmp(reason.text, rows[i].why), "'%s' gave '%s'", rows[i].line, reason.text);
	}
	memset(large, '\n', sizeof(large));
	snprintf(line, sizeof(line), "--config %s/large", folder);
	write_file("large", large, CONFIG_FILE_SIZE_MAX);
	CHECK(load(line, &config, &reason) == 0, "%s", reason.text);
	write_file("large", large, CONFIG_FILE_SIZE_MAX + 1);
	CHECK(load(line, &config, &reason) == -EFBIG, "%s", reason.text);
}

static void a_written_setting_leaves_all_other_lines_alone(void)
{
	static const struct {
		const char *text, *word, *value;
		bool is_usual;
		const char *written;
	} rows[] = {
		{"", "unit", "ms", false, "unit ms\n"},
		{"", "unit", "us", true, ""},
		{"quiet\n", "unit", "ms", false, "quiet\nunit ms\n"},
		{"quiet", "unit", "ms", false, "quiet\nunit ms\n"},
		{"unit ns\nquiet\n", "unit", "us", true, "unit us\nquiet\n"},
		{"\tunit =  ns  # mine\r\n", "unit", "ms", false, "\tunit =  ms  # mine\r\n"},
		{"unit=ns", "unit", "ms", false, "unit=ms"},
		{"unit # which?\n", "unit", "ms", false, "unit ms # which?\n"},
		{"unit =\n", "unit", "ms", false, "unit =ms\n"},
		{"# unit ns\n\nnope 5\n", "unit", "ms", false, "# unit ns\n\nnope 5\nunit ms\n"},
		{"units ns\nunit ns\nunit us\n", "unit", "ms", false, "units ns\nunit ms\nunit ms\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct setting setting = {.word = rows[i].word, .is_usual = rows[i].is_usual};

		snprintf(setting.value, sizeof(setting.value), "%s", rows[i].value);
		char *written = config_write_text(rows[i].text, &setting);

		CHECK(written && strcmp(written, rows[i].written) == 0, "%zu: '%s'", i, written);
		free(written);
	}
}

static void a_flag_that_is_off_becomes_a_comment(void)
{
	static const struct {
		const char *text;
		bool is_usual;
		const char *written;
	} rows[] = {
		{"", false, "mouse\n"},
		{"", true, ""},
		{"quiet\nmouse # mine\n", false, "quiet\nmouse # mine\n"},
		{"mouse # mine\nquiet\n", true, "# mouse # mine\nquiet\n"},
		{"# mouse\n", true, "# mouse\n"},
		{"# mouse\n", false, "# mouse\nmouse\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct setting setting = {.word = "mouse", .is_flag = true, .is_usual = rows[i].is_usual};
		char *written = config_write_text(rows[i].text, &setting);

		CHECK(written && strcmp(written, rows[i].written) == 0, "%zu: '%s'", i, written);
		free(written);
	}
}

static void the_default_file_is_made_and_replaced_and_says_so(void)
{
	static const struct setting settings[] = {
		{"unit", "ms", false}, {"refresh", "1", true}, {"sort", "n", false}};
	struct error_text said;
	struct config config;
	char path[256];

	snprintf(path, sizeof(path), "%s/new", folder);
	setenv("XDG_CONFIG_HOME", path, 1);
	CHECK(config_write(NULL, &settings[1], 1, &said) == 0 && strstr(said.text, "need no file") &&
			access(path, F_OK) < 0,
		"%s", said.text);
	CHECK(config_write(NULL, settings, 3, &said) == 0 &&
			strncmp(said.text, "wrote unit, sort to /", 21) == 0 &&
			strstr(said.text, "/new/ipctop/config"),
		"%s", said.text);
	CHECK(load("", &config, &said) == 0 && config.unit == 2 && config.sort == 3, "%s", said.text);
	CHECK(config_write(NULL, settings, 3, &said) == 0 && strstr(said.text, "already has these settings"),
		"%s", said.text);
	write_file("large", "unit us\n\0", 9);
	snprintf(path, sizeof(path), "%s/large", folder);
	CHECK(config_write(path, settings, 3, &said) < 0 && strstr(said.text, "stays as it is"), "%s",
		said.text);
	unlink(path);
	CHECK(mkfifo(path, 0600) == 0 && config_write(path, settings, 3, &said) == -EIO &&
			strstr(said.text, "not a regular file"),
		"%s", said.text);
	CHECK(config_write("/dev/null/config", settings, 3, &said) < 0 &&
			strstr(said.text, "/dev/null/config"),
		"%s", said.text);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	CHECK(config_write(NULL, settings, 3, &said) == -ENOENT, "%s", said.text);
}

static void remove_files(void)
{
	static const char *const names[] = {"new/ipctop/config", "new/ipctop", "new", ".config/ipctop/config",
		".config/ipctop", ".config", "large", ""};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
}

int main(void)
{
	unsetenv("NO_COLOR");
	if (!mkdtemp(folder))
		return 1;
	TEST(lines_are_options_in_words_of_the_long_ones);
	TEST(each_option_can_stand_in_a_file);
	TEST(the_command_line_wins_over_the_file);
	TEST(a_wrong_line_is_an_error_with_its_number);
	TEST(what_makes_no_sense_in_a_file_is_refused_there);
	TEST(lines_have_bounds_and_no_nul_bytes);
	TEST(a_long_name_keeps_its_end_and_no_control_characters);
	TEST(the_default_file_is_read_where_it_is_there);
	TEST(a_file_that_is_asked_for_must_be_there_and_of_a_size);
	TEST(a_written_setting_leaves_all_other_lines_alone);
	TEST(a_flag_that_is_off_becomes_a_comment);
	TEST(the_default_file_is_made_and_replaced_and_says_so);
	config_file_finish(&file);
	remove_files();
	return tap_done();
}
