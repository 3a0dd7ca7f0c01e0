/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_owner.c - the owner of a name, and the names that a sweep removes: those of owners proved to be dead.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/probe/probe.h"
#include "tests/unit/leftovers.h"
#include "tests/unit/tap.h"

static void a_name_is_read_as_it_was_written(void)
{
	struct leftovers before = look_for_leftovers();

	const struct owner owners[] = {
		{.pid = 1},
		{.pid = INT32_MAX, .start_time = UINT64_MAX, .space = UINT64_MAX},
		owner_self(),
	};
	static const char *const others[] = {"", "ipctop", "ipctop.12", "ipctop.12.34", "ipctop.0.1.2",
		"ipctop.-1.1.2", "ipctop.x.1.2", "other.12.34.56"};
	struct owner read;

	for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++) {
		char name[OWNER_TEXT];

		owner_format(&owners[i], name);
		CHECK(owner_parse(name, &read) && owner_equal(&read, &owners[i]), "%s", name);
		CHECK(owner_key(&read) < 1 << OWNER_KEY_BITS && owner_key(&read) == owner_key(&owners[i]));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		CHECK(!owner_parse(others[i], &read), "%s", others[i]);
	check_nothing_left(before);
}

static void none_is_dead_without_a_proof(void)
{
	const struct owner self = owner_self();
	const uint64_t here = self.space, there = self.space ^ 1;
	pid_t zombie = fork(), gone = dead_pid();

	if (zombie == 0)
		_exit(0);
	waitid(P_PID, (id_t)zombie, &(siginfo_t){0}, WEXITED | WNOWAIT);

	const struct {
		struct owner owner;
		bool is_dead;
	} rows[] = {
		{self, false},
		{{self.pid, self.start_time + 1, here}, true}, /* the pid is another's now */
		{{gone, self.start_time, here}, true},
		{{zombie, self.start_time, here}, true},
		{{self.pid, self.start_time + 1, there}, false}, /* the same, of another namespace or boot */
		{{gone, self.start_time, there}, false},
		{{zombie, self.start_time, there}, false},
		{{self.pid, self.start_time + 1, 0}, false}, /* and of one that could not read /proc */
		{{gone, self.start_time, 0}, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK(owner_is_dead(&rows[i].owner) == rows[i].is_dead, "row %zu", i);
	waitpid(zombie, NULL, 0);
}

/* --- objects with names: the sweeps of all probes --- */

static const struct {
	const char *folder, *ending;
	bool is_directory;
} kinds[] = {{"/dev/shm", "", false}, {"/dev/mqueue", "", false}, {leftovers_folder, ".Abc123", true}};

enum { N_KINDS = sizeof(kinds) / sizeof(*kinds), PATH = 128 };

/* A plain folder by the name of the queues' file system has files, and no queues. */
static bool can_hold_objects(size_t kind)
{
	enum { MQUEUE = 0x19800202 }; /* the kernel's MQUEUE_MAGIC */
	struct statfs status;

	if (strcmp(kinds[kind].folder, "/dev/mqueue") != 0)
		return true;
	return statfs(kinds[kind].folder, &status) == 0 && status.f_type == MQUEUE;
}

static char *path_of(const struct owner *owner, size_t kind, char path[PATH])
{
	char name[OWNER_TEXT];

	snprintf(path, PATH, "%s/%s%s", kinds[kind].folder, owner_format(owner, name), kinds[kind].ending);
	return path;
}

static bool make_owned(const char *path, bool is_directory)
{
	int fd = is_directory ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return is_directory ? mkdir(path, 0700) == 0 : fd >= 0;
}

/* --wrap=time: sweeps see a later time. */
time_t __real_time(time_t *now);
time_t __wrap_time(time_t *now);
static time_t later_s;

time_t __wrap_time(time_t *now)
{
	return __real_time(now) + later_s;
}

static void sweep_all(void)
{
	for (size_t i = 0; probe_registry[i]; i++)
		if (probe_registry[i]->sweep && !(probe_registry[i]->missing && probe_registry[i]->missing()))
			probe_registry[i]->sweep(NULL);
}

static void names_go_with_owners_that_are_proved_to_be_dead(void)
{
	const struct owner self = owner_self();
	const struct {
		struct owner owner;
		bool stays;
	} rows[] = {
		{{dead_pid(), 12345, self.space}, false},
		{self, true},
		{{dead_pid(), 12345, self.space ^ 1}, true},
		{{dead_pid(), 12345, 0}, true},
	};
	bool made[sizeof(rows) / sizeof(*rows)][N_KINDS];
	char path[PATH];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t kind = 0; kind < N_KINDS; kind++) {
			path_of(&rows[i].owner, kind, path);
			made[i][kind] = can_hold_objects(kind) && make_owned(path, kinds[kind].is_directory);
			if (!made[i][kind])
				printf("# %s can't be made\n", path);
			CHECK(made[i][kind] || !kinds[kind].is_directory);
		}
	sweep_all();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t kind = 0; kind < N_KINDS; kind++) {
			bool is_there = access(path_of(&rows[i].owner, kind, path), F_OK) == 0;

			CHECK(!made[i][kind] || is_there == rows[i].stays, "%s", path);
			if (is_there && made[i][kind])
				remove(path);
		}
}

static int make_set(int mode)
{
	return semget(IPC_PRIVATE, 26, IPC_CREAT | IPC_EXCL | mode);
}

static int make_queue(int mode)
{
	return msgget(IPC_PRIVATE, IPC_CREAT | IPC_EXCL | mode);
}

static bool set_is_there(int id)
{
	return semctl(id, 0, GETVAL) >= 0;
}

static bool queue_is_there(int id)
{
	struct msqid_ds queue;

	return msgctl(id, IPC_STAT, &queue) == 0;
}

/* Their makers were killed before they wrote the owner; those of other modes are other programs'. */
static void sysv_objects_without_an_owner_go_once_they_are_old(void)
{
	const int ours = PROBE_SYSV_MODE, others = 0600;
	const int sets[] = {make_set(ours), make_set(others)},
		  queues[] = {make_queue(ours), make_queue(others)};

	if (sets[0] < 0 || queues[0] < 0) {
		printf("# a set or a queue can't be made: %s\n", strerror(errno));
		CHECK(errno == ENOSYS || errno == ENOSPC);
		return;
	}
	sweep_all();
	for (int i = 0; i < 2; i++)
		CHECK(set_is_there(sets[i]) && queue_is_there(queues[i]), "%d", i);
	later_s = 62;
	sweep_all();
	later_s = 0;
	CHECK(!set_is_there(sets[0]) && !queue_is_there(queues[0]));
	CHECK(set_is_there(sets[1]) && queue_is_there(queues[1]));
	semctl(sets[1], 0, IPC_RMID);
	msgctl(queues[1], IPC_RMID, NULL);
}

/* In a room of its own; with a /dev of its own where that has no place for message queues. */
static void show_queues(void)
{
	if (access("/dev/mqueue", F_OK) < 0 && mount("tmpfs", "/dev", "tmpfs", 0, NULL) == 0) {
		mkdir("/dev/shm", 01777);
		mkdir("/dev/mqueue", 0755);
	}
	if (mount("mqueue", "/dev/mqueue", "mqueue", 0, NULL) < 0)
		printf("# no message queues to be seen in /dev/mqueue: %s\n", strerror(errno));
}

int main(void)
{
	if (!leftovers_init())
		return printf("Bail out! no folder is to be had\n"), 1;
	if (leftovers_private)
		show_queues();
	TEST(a_name_is_read_as_it_was_written);
	if (owner_self().space) {
		TEST(none_is_dead_without_a_proof);
		TEST(names_go_with_owners_that_are_proved_to_be_dead);
	} else {
		tap_skip("names go with owners that are proved to be dead", "proofs need /proc");
	}
	TEST(sysv_objects_without_an_owner_go_once_they_are_old);
	leftovers_finish();
	return tap_done();
}
