/* SPDX-License-Identifier: GPL-2.0-or-later */
/* on_spike.c - the module of --on-spike: starts a command for a spike, which reads it as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/json.h"
#include "src/plan/config.h"
#include "src/report/spike_json.h"
#include "src/run/source.h"

static const uint64_t pause_ns = 1000000000; /* from one command to the next */

struct on_spike {
	const struct source *source;
	pid_t pid; /* of the last command; 0: none, or it has ended */
	uint64_t next_ns;
	bool has_warned; /* of one that failed */
};

static int open_on_spike(struct source *source, void **state, struct error_text *reason)
{
	if (!source->config->on_spike || source->replay)
		return 0;
	struct on_spike *on_spike = calloc(1, sizeof(*on_spike));

	if (!on_spike)
		return error_text_set(reason, -ENOMEM, "--on-spike: no memory");
	on_spike->source = source;
	*state = on_spike;
	return 0;
}

/* Returns a file in memory with the spike, at its start, or a negative errno. */
static int write_spike(const struct session *session, const struct kept_spike *kept)
{
	int fd = memfd_create("spike", MFD_CLOEXEC);
	FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");
	int r = out ? json_print_value(out, spike_json(session, kept), "") : -errno;

	if (out) {
		fputc('\n', out);
		if (fclose(out) != 0 && r == 0)
			r = -errno;
	}
	if (r == 0 && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return r < 0 ? r : -EIO;
}

/* It has neither this thread's policy nor its blocked signals, and writes nothing on the screen. */
static int start_command(pid_t *pid, const char *command, int in)
{
	char shell[] = "sh", option[] = "-c", *const argv[] = {shell, option, (char *)command, NULL};
	const struct sched_param none = {0};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t signals, defaults;

	sigemptyset(&signals);
	sigfillset(&defaults);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSCHEDULER | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER);
	posix_spawnattr_setschedparam(&attributes, &none);
	posix_spawnattr_setsigmask(&attributes, &signals);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	int r = posix_spawn(pid, "/bin/sh", &files, &attributes, argv, environ);

	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return -r;
}

/* Returns @r with the reason of the first failure, and 0 of later ones. */
static int fail(struct on_spike *on_spike, int r, struct error_text *reason, const char *why)
{
	if (on_spike->has_warned)
		return 0;
	on_spike->has_warned = true;
	return error_text_set(reason, r, "--on-spike: %s; later failures are not reported", why);
}

/* Looks whether the last command has ended, and how. Returns 0, or -EIO with a reason if it failed. */
static int reap(struct on_spike *on_spike, struct error_text *reason)
{
	char why[96];
	int status;
	pid_t r = on_spike->pid ? waitpid(on_spike->pid, &status, WNOHANG) : 0;

	if (r != 0)
		on_spike->pid = 0;
	if (r <= 0 || status == 0)
		return 0;
	if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "signal %d ended the command", WTERMSIG(status));
	else
		snprintf(why, sizeof(why), "the command ended with status %d%s", WEXITSTATUS(status),
			WEXITSTATUS(status) == 127   ? " (not found)"
			: WEXITSTATUS(status) == 126 ? " (not executable)"
						     : "");
	return fail(on_spike, -EIO, reason, why);
}

static int start_for_spike(
	struct on_spike *on_spike, const struct kept_spike *kept, struct error_text *reason)
{
	struct error_text why;
	int fd = write_spike(&on_spike->source->session, kept);

	if (fd < 0) {
		error_text_set(&why, fd, "can't write the spike: %s", error_text_of_errno(fd));
		return fail(on_spike, fd, reason, why.text);
	}
	int r = start_command(&on_spike->pid, on_spike->source->config->on_spike, fd);

	close(fd);
	if (r == 0)
		return 0;
	on_spike->pid = 0;
	error_text_set(&why, r, "can't start /bin/sh: %s", error_text_of_errno(r));
	return fail(on_spike, r, reason, why.text);
}

/* At most one command runs, and one starts each second. Warnings are events, and cause no others. */
static int take_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct on_spike *on_spike = state;

	if (item->kind != FEED_TICK && item->kind != FEED_SPIKE)
		return 0;
	int r = reap(on_spike, reason);

	if (r < 0 || on_spike->pid || item->kind != FEED_SPIKE || item->at_ns < on_spike->next_ns)
		return r;
	const struct kept_spike *kept = spikes_reported(&on_spike->source->session.spikes);

	if (!kept)
		return 0;
	on_spike->next_ns = item->at_ns + pause_ns;
	return start_for_spike(on_spike, kept, reason);
}

static int end_on_spike(void *state, struct error_text *reason)
{
	reap(state, reason); /* too late for a warning, and no failure of the run */
	reason->text[0] = '\0';
	free(state);
	return 0;
}

const struct module module_on_spike = {.open = open_on_spike, .feed = take_item, .end = end_on_spike};
