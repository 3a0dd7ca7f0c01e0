/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_restore.c - settings are put back after any end of those that changed them. */
#include "src/restore/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/machine/cpus.h"
#include "src/machine/fact_files.h"
#include "src/machine/task.h"
#include "src/restore/journal_json.h"
#include "src/restore/restorer.h"
#include "tests/unit/tap.h"

static char home[] = "/tmp/ipctop-restore.XXXXXX";
static char knob[64], folder[64], trial[80];

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	size_t length = strlen(text);

	CHECK(fd >= 0 && write(fd, text, length) == (ssize_t)length, "%s", path);
	close(fd);
}

static bool file_is(const char *path, const char *text)
{
	char found[1024];

	return small_file_read_line(path, found, sizeof(found)) >= 0 && strcmp(found, text) == 0;
}

static struct setting_file setting(
	const char *path, enum setting_form form, const char *was, const char *written)
{
	struct setting_file file = {.path = strdup(path), .form = form};

	snprintf(file.was, sizeof(file.was), "%s", was);
	snprintf(file.written, sizeof(file.written), "%s", written);
	return file;
}

/* --- values --- */

static void values_are_compared_by_their_forms(void)
{
	static const struct {
		enum setting_form form;
		const char *x, *y;
		bool is_equal;
	} rows[] = {
		{SETTING_TEXT, "performance", "performance", true},
		{SETTING_TEXT, "1", "01", false},
		{SETTING_NUMBER, "1", "01", true},
		{SETTING_NUMBER, "-1", "1", false},
		{SETTING_NUMBER, "1", "1x", false},
		{SETTING_NUMBER, "x", "y", false},
		{SETTING_NUMBER, "", "0", false},
		{SETTING_CHOICE, "never", "always", false},
		{SETTING_FIRST, "max 100000", "max", true},
		{SETTING_FIRST, "4\t4\t1\t7", "4 4 1 7", true},
		{SETTING_FIRST, "4 4 1 7", "4 4 1 8", false},
		{SETTING_FIRST, "5 4 1 7", "4", false},
		{SETTING_FIRST, "", "4", false},
		{SETTING_CPUS, "0-1", "0,1", true},
		{SETTING_CPUS, "0-2", "0,1", false},
		{SETTING_CPUS, "x", "0", false},
		{SETTING_MASK, "00000000,00000003", "3", true},
		{SETTING_MASK, "1,00000000", "100000000", true},
		{SETTING_MASK, "ff", "FF", true},
		{SETTING_MASK, "3", "1", false},
		{SETTING_MASK, "", "0", false},
		{SETTING_PARTITION, "isolated invalid (Parent is not a partition root)", "isolated", true},
		{SETTING_PARTITION, "isolated", "member", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(setting_file_equal(rows[i].form, rows[i].x, rows[i].y) == rows[i].is_equal, "row %zu",
			i);
		CHECK(setting_file_equal(rows[i].form, rows[i].y, rows[i].x) == rows[i].is_equal, "row %zu",
			i);
	}
}

static void values_are_read_as_they_can_be_written_back(void)
{
	static char longer[SETTING_VALUE_SIZE + 1];
	const struct {
		enum setting_form form;
		const char *text, *value;
		int r;
	} rows[] = {
		{SETTING_TEXT, "performance\n", "performance", 0},
		{SETTING_CHOICE, "always [madvise] never\n", "madvise", 0},
		{SETTING_CHOICE, "none voluntary (full) lazy\n", "full", 0},
		{SETTING_SWITCH, "1\n", "on", 0},
		{SETTING_SWITCH, "0\n", "off", 0},
		{SETTING_SWITCH, "2\n", "", -EILSEQ},
		{SETTING_FIRST, "4\t4\t1\t7\n", "4\t4\t1\t7", 0},
		{SETTING_TEXT, longer, "", -E2BIG},
		{SETTING_TEXT, "a\033b\n", "", -EILSEQ},
	};
	char value[SETTING_VALUE_SIZE];

	memset(longer, 'x', sizeof(longer) - 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		write_file(knob, rows[i].text);
		int r = setting_file_read(knob, rows[i].form, value);

		CHECK(r == rows[i].r && (r < 0 || strcmp(value, rows[i].value) == 0), "row %zu: %d", i, r);
	}
	unlink(knob);
	CHECK(setting_file_read(knob, SETTING_TEXT, value) == -ENOENT);
	CHECK(setting_file_write(knob, SETTING_TEXT, "1") == -ENOENT && access(knob, F_OK) < 0);
}

/* The kernel takes back no reason. */
static void a_partition_that_is_invalid_is_written_as_its_kind(void)
{
	static const char invalid[] = "isolated invalid (Parent is not a partition root)";
	char line[SETTING_VALUE_SIZE];

	CHECK(setting_file_is_void(SETTING_PARTITION, invalid) &&
		!setting_file_is_void(SETTING_PARTITION, "isolated"));
	CHECK(!setting_file_is_void(SETTING_TEXT, invalid));
	write_file(knob, "member\n");
	CHECK(setting_file_write(knob, SETTING_PARTITION, invalid) == 0);
	CHECK(small_file_read_line(knob, line, sizeof(line)) > 0 && strcmp(line, "isolated") == 0, "%s",
		line);
	unlink(knob);
}

/* The file of Intel's driver says that there is no turbo. */
static void a_switch_is_written_as_its_file_has_it(void)
{
	static const struct {
		const char *name, *word, *line;
	} rows[] = {
		{"boost", "on", "1"},
		{"boost", "off", "0"},
		{"no_turbo", "on", "0"},
		{"no_turbo", "off", "1"},
	};
	char path[96], line[8], value[SETTING_VALUE_SIZE];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(path, sizeof(path), "%.*s/%s", (int)(strrchr(knob, '/') - knob), knob, rows[i].name);
		write_file(path, "2\n");
		CHECK(setting_file_write(path, SETTING_SWITCH, "1") == -EINVAL &&
			setting_file_write(path, SETTING_SWITCH, rows[i].word) == 0);
		CHECK(small_file_read_line(path, line, sizeof(line)) == 1 && strcmp(line, rows[i].line) == 0,
			"row %zu: %s", i, line);
		CHECK(setting_file_read(path, SETTING_SWITCH, value) == 0 && strcmp(value, rows[i].word) == 0,
			"row %zu: %s", i, value);
		unlink(path);
	}
}

/* --- the files of a fact --- */

/* Makes cpu0 to cpu2, of which the first two have one policy. */
static void make_cpus(void)
{
	char path[PATH_MAX];

	for (int policy = 0; policy <= 2; policy += 2) {
		snprintf(path, sizeof(path), "%s/policy%d", home, policy);
		CHECK(mkdir(path, 0700) == 0);
		snprintf(path, sizeof(path), "%s/policy%d/scaling_min_freq", home, policy);
		write_file(path, "800000\n");
	}
	for (int cpu = 0; cpu <= 2; cpu++) {
		snprintf(path, sizeof(path), "%s/cpu%d", home, cpu);
		CHECK(mkdir(path, 0700) == 0);
		snprintf(path, sizeof(path), "%s/cpu%d/cpufreq", home, cpu);
		CHECK(symlink(cpu == 2 ? "../policy2" : "../policy0", path) == 0);
	}
}

static void remove_cpus(void)
{
	static const char *const names[] = {"cpu0/cpufreq", "cpu1/cpufreq", "cpu2/cpufreq", "cpu0", "cpu1",
		"cpu2", "policy0/scaling_min_freq", "policy2/scaling_min_freq", "policy0", "policy2"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", home, names[i]);
		CHECK(remove(path) == 0, "%s", path);
	}
}

/* Else the second CPU's file has a new value as soon as the first one's is written. */
static void a_file_that_cpus_share_is_listed_once(void)
{
	const struct fact_rows_kind kind = {.folder = home, .prefix = "cpu"};
	struct machine_fact fact = *machine_fact_reported("kernel_frequency_range");
	struct setting_file *files;
	struct error_text why;
	char path[PATH_MAX];
	size_t n;

	fact.rows = &kind;
	make_cpus();
	CHECK(fact_files_list(&files, &n, &fact, NULL, NULL, 0, &why) == 0 && n == 2, "%zu: %s", n, why.text);
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/policy%zu/scaling_min_freq", home, 2 * i);
		CHECK(strcmp(files[i].path, path) == 0 && strcmp(files[i].was, "800000") == 0 &&
				files[i].form == SETTING_NUMBER,
			"%s: %s", files[i].path, files[i].was);
	}
	setting_files_free(files, n);
	remove_cpus();
}

static void the_values_that_a_file_takes_are_listed(void)
{
	static const struct {
		const char *report, *line, *choices;
	} cases[] = {
		{"vm_transparent_hugepage", "always [madvise] never\n", "always madvise never"},
		{"vm_transparent_hugepage", "none (full) lazy\n", "none full lazy"},
		{"vm_transparent_hugepage", "\033[2J\n", "? 2J"},
		{"vm_ksm_run", "0\n", "0 1 2"},
		{"vm_swappiness", "60\n", ""},
		{"kernel_boost", "1\n", "on off"},
		{"isolated", "member\n", "member root isolated"},
		{"sched_run_to_parity", "RUN_TO_PARITY\n", "RUN_TO_PARITY NO_RUN_TO_PARITY"},
	};
	char path[PATH_MAX], choices[FACT_CHOICES_SIZE];

	snprintf(path, sizeof(path), "%s/knob", home);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct machine_fact fact = *machine_fact_reported(cases[i].report);
		FILE *file = fopen(path, "w");

		fputs(cases[i].line, file);
		fclose(file);
		fact.file = path;
		fact_choices(&fact, choices);
		CHECK(strcmp(choices, cases[i].choices) == 0, "%s: '%s'", cases[i].report, choices);
	}
	unlink(path);
}

/* --- restoring --- */

struct sentences {
	size_t n;
	char last[1200];
};

static void keep_sentence(void *data, const char *sentence)
{
	struct sentences *sentences = data;

	sentences->n++;
	snprintf(sentences->last, sizeof(sentences->last), "%s", sentence);
}

static void only_what_ipctop_wrote_is_put_back(void)
{
	static const struct {
		const char *found, *after; /* NULL: there is no such file */
		enum setting_form form;
		const char *was, *written;
		struct restore_counts counts;
		const char *said;
	} rows[] = {
		{"1\n", "0", SETTING_NUMBER, "0", "1", {.restored = 1}, ": 1 > 0, as it was before"},
		{"0\n", "0", SETTING_NUMBER, "0", "1", {0}, ""},
		{"2\n", "2", SETTING_NUMBER, "0", "1", {.left_alone = 1},
			" is now 2, neither 0 nor 1: left alone"},
		{NULL, NULL, SETTING_NUMBER, "0", "1", {0}, ""},
		{"7\t4\t1\t7\n", "4\t4\t1\t7", SETTING_FIRST, "4\t4\t1\t7", "7", {.restored = 1}, ""},
		{"a [b] c\n", "a", SETTING_CHOICE, "a", "b", {.restored = 1}, ": b > a"},
		{"0-1\n", "0-7", SETTING_CPUS, "0-7", "0,1", {.restored = 1}, ": 0-1 > 0-7"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct setting_file file = setting(knob, rows[i].form, rows[i].was, rows[i].written);
		struct sentences sentences = {0};

		if (rows[i].found)
			write_file(knob, rows[i].found);
		struct restore_counts counts = restore_settings(&file, 1, true, keep_sentence, &sentences);

		CHECK(memcmp(&counts, &rows[i].counts, sizeof(counts)) == 0, "row %zu", i);
		CHECK(rows[i].after ? file_is(knob, rows[i].after) : access(knob, F_OK) < 0, "row %zu", i);
		CHECK(sentences.n == counts.restored + counts.left_alone, "row %zu", i);
		CHECK(strstr(sentences.last, rows[i].said) != NULL, "row %zu: %s", i, sentences.last);
		unlink(knob);
		free(file.path);
	}
}

/* Killed between the write and its reading: what the kernel made of the value is in no journal. */
static void a_value_that_the_kernel_made_another_of_is_put_back(void)
{
	struct setting_file file = setting(knob, SETTING_NUMBER, "800000", "1");
	struct sentences sentences = {0};

	file.is_unread = true;
	write_file(knob, "400000\n");
	struct restore_counts counts = restore_settings(&file, 1, true, keep_sentence, &sentences);

	CHECK(counts.restored == 1 && !counts.left_alone && file_is(knob, "800000"), "%s", sentences.last);
	unlink(knob);
	free(file.path);
}

/* It shows the old value already, but with other text. */
static void what_the_kernel_may_keep_is_put_back(void)
{
	struct setting_file file = setting(knob, SETTING_NUMBER, "1", "1");

	for (unsigned kept = 0; kept < 2; kept++) {
		struct sentences sentences = {0};

		file.is_kept = kept;
		write_file(knob, "01\n");
		struct restore_counts counts = restore_settings(&file, 1, false, keep_sentence, &sentences);

		CHECK(counts.restored == kept && !counts.failed && !counts.left_alone, "%u", kept);
		CHECK(file_is(knob, kept ? "1" : "01"), "%u", kept);
	}
	free(file.path);
	unlink(knob);
}

/* --- the journal --- */

/* The restorer of the test before may be about to end, and holds it until then. */
static struct journal *open_journal(void)
{
	struct journal *journal = NULL;
	struct error_text reason;
	int r = -EBUSY;

	for (int i = 0; i < 2000 && r == -EBUSY; i++) {
		r = journal_open(&journal, folder, &reason);
		if (r == -EBUSY)
			usleep(10000);
	}
	CHECK(r == 0, "%s", reason.text);
	return journal;
}

static void write_journal(struct journal *journal, const char *was, const char *written)
{
	struct setting_file file = setting(knob, SETTING_NUMBER, was, written);
	struct error_text reason;

	file.is_unread = file.is_kept = strcmp(written, "10") == 0;
	CHECK(journal_write(journal, &file, 1, &reason) == 0, "%s", reason.text);
	free(file.path);
}

static void the_journal_has_what_was_written_last(void)
{
	struct journal *journal = open_journal();
	struct setting_file *files;
	struct error_text reason;
	struct stat status;
	size_t n;

	CHECK(journal_read(journal, &files, &n, &reason) == -ENOENT && !files);
	write_journal(journal, "0", "1");
	write_journal(journal, "60", "10");
	CHECK(stat(trial, &status) == 0 && (status.st_mode & 0777) == 0600);
	CHECK(journal_read(journal, &files, &n, &reason) == 0 && n == 1 && strcmp(files->path, knob) == 0 &&
		files->form == SETTING_NUMBER && strcmp(files->was, "60") == 0 &&
		strcmp(files->written, "10") == 0 && files->is_unread && files->is_kept);
	setting_files_free(files, n);
	write_journal(journal, "60", "1");
	CHECK(journal_read(journal, &files, &n, &reason) == 0 && n == 1 && !files->is_unread &&
		!files->is_kept);
	setting_files_free(files, n);
	journal_forget(journal);
	CHECK(journal_read(journal, &files, &n, &reason) == -ENOENT);
	journal_close(journal);
}

static void what_is_no_journal_of_this_boot_restores_nothing(void)
{
	static const struct {
		const char *text;
		int r;
	} rows[] = {{"", -EINVAL}, {"{}", -EINVAL},
		{"{\"version\":1,\"boot_id\":null,\"files\":[]}", -EINVAL}, {"[1]", -EINVAL},
		{"{\"version\":1,\"boot_id\":\"x\",\"fi", -EINVAL},
		{"{\"version\":2,\"boot_id\":\"x\",\"files\":[]}", -EINVAL},
		{"{\"version\":1,\"boot_id\":\"another\",\"files\":[{\"path\":\"/x\"}]}", -ENOENT},
		{"{\"version\":1,\"boot_id\":\"another\",\"files\":1}", -EINVAL}};
	struct journal *journal = open_journal();
	struct setting_file *files;
	struct error_text reason;
	size_t n;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		write_file(trial, rows[i].text);
		int r = journal_read(journal, &files, &n, &reason);

		CHECK(r == rows[i].r && !files && !n, "row %zu: %d", i, r);
	}
	unlink(trial);
	CHECK(symlink(knob, trial) == 0);
	CHECK(journal_read(journal, &files, &n, &reason) < 0 && !files);
	unlink(trial);
	CHECK(mkfifo(trial, 0600) == 0); /* opening it must not wait for a writer */
	CHECK(journal_read(journal, &files, &n, &reason) == -EINVAL && !files);
	unlink(trial);
	journal_close(journal);
}

static void a_folder_that_others_may_change_is_refused(void)
{
	struct journal *journal;
	struct error_text reason;
	struct journal *own = open_journal();

	CHECK(journal_open(&journal, folder, &reason) == -EBUSY, "%s", reason.text);
	journal_close(own);
	CHECK(chmod(folder, 0755) == 0);
	CHECK(journal_open(&journal, folder, &reason) == -EPERM && strstr(reason.text, "root's"), "%s",
		reason.text);
	CHECK(rmdir(folder) == 0 && symlink(home, folder) == 0);
	CHECK(journal_open(&journal, folder, &reason) == -EPERM);
	CHECK(unlink(folder) == 0);
}

/* --- the restorer --- */

static bool becomes(const char *text)
{
	for (int i = 0; i < 60000; i++) {
		if (file_is(knob, text) && access(trial, F_OK) < 0)
			return true;
		usleep(1000);
	}
	return false;
}

static pid_t start_sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

/* The front opens the journal, writes, and starts the restorer, whose pid it sends. */
static pid_t start_front(pid_t keeper, pid_t *restores)
{
	int ends[2];

	CHECK(pipe(ends) == 0);
	pid_t pid = fork();

	if (pid == 0) {
		struct restorer restorer = {0};
		struct journal *journal = open_journal();
		struct error_text reason;
		struct cpus cpus;
		int pidfd = (int)syscall(SYS_pidfd_open, keeper, 0);

		task_get_affinity(0, &cpus);
		write_journal(journal, "60", "10");
		if (restorer_start(&restorer, journal, pidfd, &cpus, &reason) < 0)
			_exit(1);
		setting_file_write(knob, SETTING_TEXT, "10");
		if (write(ends[1], &restorer.pid, sizeof(restorer.pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]); /* so that a front that fails sends its end */
	CHECK(read(ends[0], restores, sizeof(*restores)) == (ssize_t)sizeof(*restores));
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A restorer may be about to end. */
static int restore_after_the_restorer(struct sentences *sentences)
{
	struct error_text reason;
	int r = -EBUSY;

	for (unsigned ms = 0; ms < 60000 && r == -EBUSY; ms++) {
		usleep(1000);
		r = restore_left(folder, keep_sentence, sentences, &reason);
	}
	return r;
}

static void the_restorer_acts_when_front_and_keeper_have_ended(void)
{
	struct sentences sentences = {0};
	pid_t keeper = start_sleeper(), restores;

	write_file(knob, "60\n");
	pid_t front = start_front(keeper, &restores);

	CHECK(file_is(knob, "10"));
	end(front);
	usleep(20000);
	CHECK(file_is(knob, "10"), "the keeper lives");
	end(keeper);
	CHECK(becomes("60"));
	CHECK(restore_after_the_restorer(&sentences) == 0 && sentences.n == 0);
}

static void the_next_start_acts_when_the_restorer_was_killed_too(void)
{
	struct sentences sentences = {0};
	struct error_text reason;
	pid_t keeper = start_sleeper(), restores;

	write_file(knob, "60\n");
	pid_t front = start_front(keeper, &restores);

	CHECK(restore_left(folder, keep_sentence, &sentences, &reason) == -EBUSY, "it goes on");
	kill(restores, SIGKILL);
	end(front);
	end(keeper);
	CHECK(restore_after_the_restorer(&sentences) == 1);
	CHECK(sentences.n == 1 && strstr(sentences.last, ": 10 > 60"), "%s", sentences.last);
	CHECK(becomes("60"));
	CHECK(restore_left(folder, keep_sentence, &sentences, &reason) == 0 && sentences.n == 1);
}

static void what_can_not_be_written_stays_in_the_journal(void)
{
	struct setting_file file = setting("/proc/sys/kernel/ostype", SETTING_TEXT, "another", "Linux");
	struct journal *journal = open_journal();
	struct sentences sentences = {0};
	struct error_text reason;

	CHECK(journal_write(journal, &file, 1, &reason) == 0);
	CHECK(restore_journal(journal, keep_sentence, &sentences, &reason) < 0 && access(trial, F_OK) == 0);
	CHECK(strstr(sentences.last, "can't be set back to another") != NULL, "%s", sentences.last);
	journal_forget(journal);
	journal_close(journal);
	free(file.path);
}

static void a_plain_user_is_refused(void)
{
	struct journal *journal;
	struct error_text reason;

	CHECK(journal_open(&journal, folder, &reason) == -EPERM && strstr(reason.text, "sudo"), "%s",
		reason.text);
}

int main(void)
{
	if (!mkdtemp(home))
		return printf("Bail out! %s\n", home), 1;
	snprintf(knob, sizeof(knob), "%s/knob", home);
	snprintf(folder, sizeof(folder), "%s/run", home);
	snprintf(trial, sizeof(trial), "%s/trial", folder);
	TEST(values_are_compared_by_their_forms);
	TEST(values_are_read_as_they_can_be_written_back);
	TEST(a_partition_that_is_invalid_is_written_as_its_kind);
	TEST(a_switch_is_written_as_its_file_has_it);
	TEST(a_file_that_cpus_share_is_listed_once);
	TEST(the_values_that_a_file_takes_are_listed);
	TEST(only_what_ipctop_wrote_is_put_back);
	TEST(a_value_that_the_kernel_made_another_of_is_put_back);
	TEST(what_the_kernel_may_keep_is_put_back);
	if (geteuid() == 0) {
		TEST(the_journal_has_what_was_written_last);
		TEST(what_is_no_journal_of_this_boot_restores_nothing);
		TEST(the_restorer_acts_when_front_and_keeper_have_ended);
		TEST(the_next_start_acts_when_the_restorer_was_killed_too);
		if (access("/proc/sys/kernel/ostype", F_OK) == 0)
			TEST(what_can_not_be_written_stays_in_the_journal);
		else
			tap_skip("what can not be written stays in the journal", "needs /proc");
		TEST(a_folder_that_others_may_change_is_refused);
	} else {
		TEST(a_plain_user_is_refused);
	}
	unlink(knob);
	rmdir(folder);
	rmdir(home);
	return tap_done();
}
