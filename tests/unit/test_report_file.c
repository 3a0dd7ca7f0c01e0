/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_report_file.c - a report as a file: whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/whole_file.h"
#include "src/recording/record.h"
#include "tests/unit/report_run.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { NOBODY = 65534 };

static bool same_text(const char *path, const char *text)
{
	size_t length = strlen(text);
	char *found = calloc(1, length + 2);
	FILE *in = fopen(path, "r");
	bool same = in && fread(found, 1, length + 1, in) == length && strcmp(found, text) == 0;

	if (in)
		fclose(in);
	free(found);
	return same;
}

/* Is anything in it but @name? */
static bool holds_more_than(const char *directory, const char *name)
{
	char command[512];

	snprintf(command, sizeof(command), "test -n \"$(ls -A '%s' | grep -vFx '%s')\"", directory, name);
	return system(command) == 0;
}

static void a_file_is_written_whole_with_the_usual_mode(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64], link[64];
	struct fixture *f = make_run();
	char *text = print_json(f);
	struct error_text reason = {""};
	struct stat status;

	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a.json", directory);
	snprintf(link, sizeof(link), "%s/b.json", directory);
	umask(022);
	CHECK(whole_file_check(path, &reason) == 0, "%s", reason.text);
	CHECK(access(path, F_OK) < 0, "a check makes nothing");
	CHECK(write_run(f, path, &reason) == 0, "%s", reason.text);
	CHECK(same_text(path, text));
	CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0644);
	chmod(path, 0600);
	CHECK(whole_file_check(path, &reason) == 0 && same_text(path, text), "a check leaves the old file");
	CHECK(symlink("a.json", link) == 0);
	CHECK(write_run(f, link, &reason) == 0, "%s", reason.text);
	CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600, "the old file's mode stays");
	CHECK(lstat(link, &status) == 0 && S_ISLNK(status.st_mode), "a link is followed, not replaced");
	unlink(link);
	CHECK(!holds_more_than(directory, "a.json"));
	unlink(path);
	rmdir(directory);
	free(text);
	fixture_destroy(f);
}

/* As a recording is while it is written, by this process or another one. */
static void a_file_that_is_locked_is_left_alone(void)
{
	static const char sentence[] =
		"a run records there, or another program has locked it: name another file";
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64];
	struct fixture *f = make_run();
	char *text = print_json(f);
	struct error_text reason = {""};

	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a.json", directory);
	CHECK(write_run(f, path, &reason) == 0, "%s", reason.text);
	int fd = open(path, O_RDWR | O_CLOEXEC), other = open(path, O_RDONLY | O_CLOEXEC);

	CHECK(flock(fd, LOCK_EX | LOCK_NB) == 0);
	CHECK(whole_file_check(path, &reason) < 0 && strstr(reason.text, sentence), "%s", reason.text);
	CHECK(write_run(f, path, &reason) < 0 && strstr(reason.text, sentence), "%s", reason.text);
	CHECK(same_text(path, text) && !holds_more_than(directory, "a.json"));
	CHECK(flock(fd, LOCK_SH | LOCK_NB) == 0 && flock(other, LOCK_SH | LOCK_NB) == 0);
	CHECK(write_run(f, path, &reason) == 0, "others only look: %s", reason.text);
	close(fd);
	close(other);
	unlink(path);
	rmdir(directory);
	free(text);
	fixture_destroy(f);
}

static void what_can_not_be_written_is_named(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", missing[64];
	struct fixture *f = make_run();
	const struct {
		const char *path;
		int check, write;
	} cases[] = {
		{"/dev/full", 0, -ENOSPC},
		{missing, -ENOENT, -ENOENT},
		{directory, -EISDIR, -EISDIR},
		{"/dev/null/x.json", -ENOTDIR, -ENOTDIR},
		{"/dev/null", 0, 0},
	};

	CHECK(mkdtemp(directory));
	snprintf(missing, sizeof(missing), "%s/none/x.json", directory);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error_text checked = {""}, written = {""};
		int check = whole_file_check(cases[i].path, &checked);
		int write = write_run(f, cases[i].path, &written);

		CHECK(check == cases[i].check, "%s: %d %s", cases[i].path, check, checked.text);
		CHECK(write == cases[i].write, "%s: %d %s", cases[i].path, write, written.text);
		CHECK(!check || strstr(checked.text, cases[i].path), "%s", checked.text);
		CHECK(!write || strstr(written.text, cases[i].path), "%s", written.text);
	}
	CHECK(!holds_more_than(directory, ""));
	CHECK(rmdir(directory) == 0);
	fixture_destroy(f);
}

/* A disk that fills up in the middle. */
static void a_full_disk_leaves_the_old_file_alone(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64], command[128];
	struct fixture *f = fixture_create(512, MS);
	struct error_text reason = {""};
	FILE *old;

	CHECK(mkdtemp(directory));
	snprintf(command, sizeof(command), "mount -t tmpfs -o size=16k tmpfs %s 2>/dev/null", directory);
	if (system(command) != 0) {
		printf("# no right to mount\n");
	} else {
		snprintf(path, sizeof(path), "%s/a.json", directory);
		old = fopen(path, "w");
		fputs("old", old);
		fclose(old);
		CHECK(write_run(f, path, &reason) == -ENOSPC, "%s", reason.text);
		CHECK(strstr(reason.text, path) && strstr(reason.text, "No space"), "%s", reason.text);
		CHECK(same_text(path, "old"));
		CHECK(!holds_more_than(directory, "a.json"));
		snprintf(command, sizeof(command), "umount %s", directory);
		CHECK(system(command) == 0);
	}
	CHECK(rmdir(directory) == 0);
	fixture_destroy(f);
}

/* In a process that is not root: what the errors are of files that their owner protected. */
static int try_protected(const struct fixture *f, const char *path)
{
	struct error_text reason = {""};
	int status;
	pid_t child = fork();

	if (child == 0) {
		bool plain = geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0;

		_exit(!plain || whole_file_check(path, &reason) != -EACCES || !strstr(reason.text, path) ||
			write_run(f, path, &reason) != -EACCES || !strstr(reason.text, path));
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void protected_files_and_directories_stay(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64], other[64];
	struct fixture *f = make_run();

	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a.json", directory);
	snprintf(other, sizeof(other), "%s/b.json", directory);
	close(open(path, O_WRONLY | O_CREAT, 0444));
	CHECK(chmod(directory, 0777) == 0);
	CHECK(try_protected(f, path) == 0, "a read-only file");
	CHECK(same_text(path, ""));
	CHECK(chmod(directory, 0555) == 0);
	CHECK(try_protected(f, other) == 0, "a read-only directory");
	CHECK(chmod(directory, 0777) == 0);
	CHECK(!holds_more_than(directory, "a.json"));
	unlink(path);
	rmdir(directory);
	fixture_destroy(f);
}

/* Who may write a file may have made it for others to write, or for this user to. */
static void a_file_of_another_user_gives_no_mode(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64];
	struct fixture *f = make_run();
	struct error_text reason = {""};
	struct stat status;

	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a.json", directory);
	umask(027);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	CHECK(chmod(path, 0666) == 0 && chown(path, NOBODY, NOBODY) == 0);
	CHECK(whole_file_check(path, &reason) == 0 && write_run(f, path, &reason) == 0, "%s", reason.text);
	CHECK(stat(path, &status) == 0 && status.st_uid == 0 && (status.st_mode & 0777) == 0640, "%o of %u",
		status.st_mode & 0777, status.st_uid);
	CHECK(chmod(path, 0666) == 0 && write_run(f, path, &reason) == 0);
	CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0666, "one's own does");
	umask(022);
	unlink(path);
	rmdir(directory);
	fixture_destroy(f);
}

/* A child that is not root asks; returns whether it was refused with @error and a sentence with @word. */
static bool refused_to_nobody(const char *path, int error, const char *word)
{
	struct error_text reason = {""};
	int status;
	pid_t child = fork();

	if (child == 0) {
		bool refused = setresuid(NOBODY, NOBODY, NOBODY) == 0 &&
			       whole_file_check(path, &reason) == error && strstr(reason.text, word);

		_exit(!refused);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void links_and_files_of_others_in_a_sticky_directory_stay(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64], link[64];
	struct fixture *f = make_run();
	struct recording *recording;
	struct error_text reason = {""};

	CHECK(mkdtemp(directory) && chmod(directory, 01777) == 0);
	snprintf(path, sizeof(path), "%s/a.json", directory);
	snprintf(link, sizeof(link), "%s/b.json", directory);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	CHECK(symlink("a.json", link) == 0 && lchown(link, NOBODY, NOBODY) == 0);
	CHECK(whole_file_check(link, &reason) == -EACCES && strstr(reason.text, "symbolic link"), "%s",
		reason.text);
	CHECK(write_run(f, link, &reason) == -EACCES && same_text(path, ""), "%s", reason.text);
	CHECK(record_check(link, &reason) == -EACCES, "%s", reason.text);
	CHECK(record_start(&recording, link, &f->session, &f->config, &f->topology, &reason) == -EACCES);
	CHECK(chmod(directory, 0755) == 0 && whole_file_check(link, &reason) == 0, "%s", reason.text);
	CHECK(chmod(directory, 01777) == 0 && chmod(path, 0666) == 0);
	CHECK(refused_to_nobody(path, -EPERM, "sticky"), "only root may replace it");
	unlink(link);
	unlink(path);
	rmdir(directory);
	fixture_destroy(f);
}

/* In a folder with mode @mode of @owner: root writes @path, whose links are made by @maker. */
struct link_case {
	const char *path;
	const char *links[4][2]; /* name and target */
	mode_t mode;
	uid_t owner, maker;
	int expected;
};

/* Returns the error of writing a report and a recording, -1 if they differ. @written: is "mine/a" replaced?
 */
static int write_link_case(const struct fixture *f, const struct link_case *c, bool *written)
{
	char folder[] = "/tmp/ipctop-test.XXXXXX", command[128];
	int home = open(".", O_PATH | O_DIRECTORY);
	struct error_text reason = {""};
	struct recording *recording;
	int results[2];

	CHECK(mkdtemp(folder) && chdir(folder) == 0 && mkdir("sticky", 0700) == 0 &&
		mkdir("mine", 0700) == 0);
	CHECK(chmod("sticky", c->mode) == 0 && chown("sticky", c->owner, 0) == 0);
	for (size_t i = 0; i < 4 && c->links[i][0]; i++)
		CHECK(symlink(c->links[i][1], c->links[i][0]) == 0 &&
			lchown(c->links[i][0], c->maker, 0) == 0);
	*written = true;
	for (int record = 0; record < 2; record++) {
		close(open("mine/a", O_WRONLY | O_CREAT | O_TRUNC, 0600));
		int check = record ? record_check(c->path, &reason) : whole_file_check(c->path, &reason);

		results[record] = record ? record_start(&recording, c->path, &f->session, &f->config,
						   &f->topology, &reason)
					 : write_run(f, c->path, &reason);
		CHECK(check == results[record], "%s: %d, %d", c->path, check, results[record]);
		CHECK(results[record] != -EACCES || (strstr(reason.text, "another user (uid 65534)") &&
							    strstr(reason.text, c->path)),
			"%s", reason.text);
		if (record && results[record] == 0)
			record_finish(recording, "end", &reason);
		*written &= !same_text("mine/a", "");
	}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK(fchdir(home) == 0 && system(command) == 0);
	close(home);
	return results[0] == results[1] ? results[0] : -1;
}

/* The rule of fs.protected_symlinks for each link of a path, whatever the sysctl says. */
static void each_link_of_a_path_must_be_ones_own_or_the_directorys_owners(void)
{
	const struct link_case cases[] = {
		{"sticky/x", {{"sticky/x", "../mine/a"}}, 01777, 0, NOBODY, -EACCES},
		{"sticky/x", {{"sticky/x", "../mine/a"}}, 01777, 0, 0, 0},
		{"sticky/x", {{"sticky/x", "../mine/a"}}, 01777, NOBODY, NOBODY, 0},
		{"sticky/x", {{"sticky/x", "../mine/a"}}, 00777, 0, NOBODY, 0},
		{"sticky/x", {{"sticky/x", "../mine/a"}}, 01755, 0, NOBODY, 0},
		{"sticky/d/a", {{"sticky/d", "../mine"}}, 01777, 0, NOBODY, -EACCES},
		{"sticky/d/a", {{"sticky/d", "../mine"}}, 01777, 0, 0, 0},
		{"sticky/d//./a", {{"sticky/d", "../mine/"}}, 01777, 0, NOBODY, -EACCES},
		{"sticky/d/../mine/a", {{"sticky/d", "../mine"}}, 01777, 0, NOBODY, -EACCES},
		{"sticky/d/../mine/a", {{"sticky/d", "../mine"}}, 01777, 0, 0, 0},
		{"b", {{"b", "sticky/c"}, {"sticky/c", "../mine/a"}}, 01777, 0, NOBODY, -EACCES},
		{"b/a", {{"b", "sticky/c"}, {"sticky/c", "../mine"}}, 01777, 0, NOBODY, -EACCES},
		{"b", {{"b", "mine/a"}}, 01777, 0, NOBODY, 0},
		{"sticky/1", {{"sticky/1", "2"}, {"sticky/2", "3"}, {"sticky/3", "../mine/a"}}, 01777, 0, 0,
			0},
		{"sticky/1", {{"sticky/1", "1"}}, 01777, 0, 0, -ELOOP},
		{"sticky/x/", {{"sticky/x", "../mine/a"}}, 01777, 0, 0, -ENOTDIR},
		{"sticky/d/", {{"sticky/d", "../mine"}}, 01777, 0, 0, -EISDIR},
		{"sticky/d/..", {{"sticky/d", "../mine"}}, 01777, 0, 0, -EISDIR},
		{"sticky/none/a", {{"sticky/none", "nowhere"}}, 01777, 0, 0, -ENOENT},
	};
	struct fixture *f = make_run();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool written;
		int r = write_link_case(f, &cases[i], &written);

		CHECK(r == cases[i].expected && written == (r == 0), "%zu, %s: %d, %s", i, cases[i].path, r,
			written ? "written" : "not written");
	}
	fixture_destroy(f);
}

/* One's own link to a file that is not there makes it; a descriptor of /proc leads to its file. */
static void a_link_to_nothing_is_followed(void)
{
	char folder[] = "/tmp/ipctop-test.XXXXXX", path[64], link[64];
	struct fixture *f = make_run();
	struct error_text reason = {""};
	struct stat status;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a", folder);
	snprintf(link, sizeof(link), "%s/b", folder);
	CHECK(symlink("a", link) == 0 && write_run(f, link, &reason) == 0, "%s", reason.text);
	CHECK(lstat(path, &status) == 0 && S_ISREG(status.st_mode) && lstat(link, &status) == 0 &&
		S_ISLNK(status.st_mode));
	unlink(link);
	unlink(path);
	CHECK(rmdir(folder) == 0);
	fixture_destroy(f);
}

static void links_to_open_files_are_followed(void)
{
	char folder[] = "/tmp/ipctop-test.XXXXXX", path[64], self[32], text[8];
	struct fixture *f = make_run();
	struct error_text reason = {""};
	int ends[2];

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a", folder);

	int fd = open(path, O_RDWR | O_CREAT, 0600);

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	CHECK(write_run(f, self, &reason) == 0 && !same_text(path, ""), "%s", reason.text);
	close(fd);
	fd = open(path, O_RDWR | O_TRUNC);
	unlink(path);
	snprintf(self, sizeof(self), "/dev/fd/%d", fd);
	CHECK(write_run(f, self, &reason) == 0 && pread(fd, text, 1, 0) == 1, "%s", reason.text);
	CHECK(!holds_more_than(folder, ""), "no file of the name that /proc shows");
	close(fd);
	CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) > 0);
	snprintf(self, sizeof(self), "/dev/fd/%d", ends[1]);
	CHECK(write_run(f, self, &reason) == 0 && read(ends[0], text, 1) == 1 && *text == '{', "%s",
		reason.text);
	close(ends[0]);
	close(ends[1]);
	CHECK(rmdir(folder) == 0);
	fixture_destroy(f);
}

/* A directory of another process's root, which has the same path here. */
static void a_link_of_proc_leads_to_what_its_process_has_open(void)
{
	char folder[] = "/tmp/ipctop-test.XXXXXX", there[64], here[64], byte = 0;
	struct fixture *f = make_run();
	struct error_text reason = {""};
	int ready[2], done[2];

	CHECK(mkdtemp(folder) && pipe(ready) == 0 && pipe(done) == 0);
	pid_t child = fork();

	if (child == 0) {
		close(done[1]);
		byte = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		       mount("tmpfs", folder, "tmpfs", 0, NULL) == 0;
		_exit(write(ready[1], &byte, 1) == 1 && read(done[0], &byte, 1) == 0 ? 0 : 1);
	}
	CHECK(child > 0 && read(ready[0], &byte, 1) == 1);
	if (byte) {
		snprintf(there, sizeof(there), "/proc/%d/root%s/a", (int)child, folder);
		snprintf(here, sizeof(here), "%s/a", folder);
		CHECK(write_run(f, there, &reason) == 0 && access(there, F_OK) == 0, "%s", reason.text);
		CHECK(access(here, F_OK) < 0 && !whole_file_is(there, here));
	} else {
		printf("# needs a mount namespace\n");
	}
	close(done[1]);
	CHECK(waitpid(child, NULL, 0) == child && rmdir(folder) == 0);
	close(done[0]);
	close(ready[0]);
	close(ready[1]);
	fixture_destroy(f);
}

/* What was found stays the place, wherever a link leads by the time that the file is whole. */
static void a_link_that_changes_meanwhile_leads_nowhere_else(void)
{
	char folder[] = "/tmp/ipctop-test.XXXXXX";
	int home = open(".", O_PATH | O_DIRECTORY);
	struct error_text reason = {""};
	struct whole_file file;

	CHECK(mkdtemp(folder) && chdir(folder) == 0 && mkdir("a", 0700) == 0 && mkdir("b", 0700) == 0);
	CHECK(symlink("a", "d") == 0 && whole_file_open(&file, "d/x", &reason) == 0, "%s", reason.text);
	fputs("new", file.out);
	CHECK(symlink("b", "e") == 0 && rename("e", "d") == 0 && symlink("../b/y", "a/x") == 0);
	CHECK(whole_file_close(&file, &reason) == 0 && same_text("a/x", "new"), "%s", reason.text);
	CHECK(!holds_more_than("b", "") && unlink("a/x") == 0 && !holds_more_than("a", ""));
	CHECK(unlink("d") == 0 && rmdir("a") == 0 && rmdir("b") == 0);
	CHECK(fchdir(home) == 0 && rmdir(folder) == 0);
	close(home);
}

static void a_file_of_another_user_is_no_place_for_a_recording(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64];
	struct fixture *f = make_run();
	struct recording *recording;
	struct error_text reason = {""};
	FILE *old;

	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a", directory);
	old = fopen(path, "w");
	fputs("old", old);
	fclose(old);
	CHECK(chown(path, NOBODY, NOBODY) == 0);
	CHECK(record_check(path, &reason) == -EPERM && strstr(reason.text, path), "%s", reason.text);
	CHECK(strstr(reason.text, "another user's (uid 65534)"), "%s", reason.text);
	CHECK(record_start(&recording, path, &f->session, &f->config, &f->topology, &reason) == -EPERM);
	CHECK(same_text(path, "old"));
	CHECK(chown(path, 0, 0) == 0 && record_check(path, &reason) == 0, "%s", reason.text);
	CHECK(record_start(&recording, path, &f->session, &f->config, &f->topology, &reason) == 0, "%s",
		reason.text);
	CHECK(record_finish(recording, "end", &reason) == 0 && !same_text(path, "old"));
	unlink(path);
	rmdir(directory);
	fixture_destroy(f);
}

static void one_file_is_known_by_all_its_names(void)
{
	char directory[] = "/tmp/ipctop-test.XXXXXX", path[64], other[64], link[64], missing[64];

	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a", directory);
	snprintf(other, sizeof(other), "%s/./a", directory);
	snprintf(link, sizeof(link), "%s/b", directory);
	snprintf(missing, sizeof(missing), "%s/none/a", directory);
	CHECK(whole_file_is(path, other), "neither is there");
	CHECK(!whole_file_is(path, link) && !whole_file_is(path, missing));
	CHECK(symlink("a", link) == 0 && whole_file_is(path, link) && whole_file_is(link, path));
	close(open(path, O_WRONLY | O_CREAT, 0600));
	CHECK(whole_file_is(path, other) && whole_file_is(link, path) && whole_file_is(path, link));
	CHECK(!whole_file_is(path, missing) && !whole_file_is(missing, path));
	CHECK(whole_file_is("-", "-") && !whole_file_is("-", path) && !whole_file_is(path, "-"));
	CHECK(!whole_file_is("/dev/null", "/dev/null"), "two may write there");
	unlink(link);
	unlink(path);
	rmdir(directory);
}

int main(void)
{
	TEST(a_file_is_written_whole_with_the_usual_mode);
	TEST(a_file_that_is_locked_is_left_alone);
	TEST(what_can_not_be_written_is_named);
	if (geteuid() == 0)
		TEST(a_full_disk_leaves_the_old_file_alone);
	else
		tap_skip("a full disk leaves the old file alone", "mounts a small file system, as root");
	TEST(protected_files_and_directories_stay);
	TEST(one_file_is_known_by_all_its_names);
	TEST(a_link_to_nothing_is_followed);
	if (access("/dev/fd", F_OK) == 0) /* a link into /proc */
		TEST(links_to_open_files_are_followed);
	else
		tap_skip("links to open files are followed", "needs /proc, and /dev/fd");
	TEST(a_link_that_changes_meanwhile_leads_nowhere_else);
	TEST(a_link_of_proc_leads_to_what_its_process_has_open);
	if (geteuid() == 0) {
		TEST(a_file_of_another_user_gives_no_mode);
		TEST(links_and_files_of_others_in_a_sticky_directory_stay);
		TEST(each_link_of_a_path_must_be_ones_own_or_the_directorys_owners);
		TEST(a_file_of_another_user_is_no_place_for_a_recording);
	} else {
		tap_skip("files of another user", "gives files away, as root");
	}
	return tap_done();
}
