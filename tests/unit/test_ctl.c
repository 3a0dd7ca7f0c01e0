/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ctl.c - what `ipctop ctl` says of a run that does not reply as it should, or to which it can't
 * connect. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/app/verb.h"
#include "tests/unit/tap.h"

extern const struct verb verb_ctl;
const struct verb *const verbs[] = {NULL};

static bool has_no_memory;

/* The link replaces fdopen(3) by this. */
FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode)
{
	if (!has_no_memory)
		return __real_fdopen(fd, mode);
	errno = ENOMEM;
	return NULL;
}

/* --- a program that listens --- */

static char path[64];

struct listener {
	int fd;
	const char *reply; /* to the request; NULL: neither reads nor replies */
};

static void *serve(void *data)
{
	const struct listener *listener = data;
	int fd = accept(listener->fd, NULL, NULL);
	const char *reply = listener->reply;
	char request[256];

	if (reply && read(fd, request, sizeof(request)) > 0 && write(fd, reply, strlen(reply)) < 0)
		abort();
	close(fd);
	return NULL;
}

static int start_listening(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(path, sizeof(path), "/tmp/ipctop-ctl-%d", (int)getpid());
	strcpy(address.sun_path, path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 1) < 0)
		abort();
	return fd;
}

/* --- the verb --- */

/* Returns the exit status, and what the verb printed to standard error. */
static int run_ctl(char *text, size_t size)
{
	static char name[] = "ipctop", verb[] = "ctl", command[] = "status";
	char *argv[] = {name, verb, path, command, NULL};
	FILE *printed = tmpfile();
	int was = dup(STDERR_FILENO);

	fflush(stderr);
	dup2(fileno(printed), STDERR_FILENO);
	int status = verb_ctl.main(4, argv, NULL);

	fflush(stderr);
	dup2(was, STDERR_FILENO);
	close(was);
	rewind(printed);
	text[fread(text, 1, size - 1, printed)] = '\0';
	fclose(printed);
	return status;
}

static int next_descriptor(void)
{
	int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

static void each_failure_has_its_sentence(void)
{
	static const struct {
		const char *reply;
		bool has_no_memory;
		const char *sentence; /* with a ':' it follows the path; ": " goes on with the errno */
	} cases[] = {
		{"{\"ok\":false,\"error\":\"not now\"}\n", false, "not now"},
		{"{\"ok\":false}\n", false, ": the program that listens there is not ipctop"},
		{"{\"ok\":false,\"error\":5}\n", false, ": the program that listens there is not ipctop"},
		{"{\"ok\":1}\n", false, ": the program that listens there is not ipctop"},
		{"220 ready\n", false, ": the program that listens there is not ipctop"},
		{"", false, ": the run ended before it replied"},
		{NULL, true, ": "},
	};
	int fd = start_listening(), next = next_descriptor();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct listener listener = {fd, cases[i].reply};
		char text[600], expected[600];
		pthread_t thread;

		snprintf(expected, sizeof(expected), "ipctop: ctl: %s%s%s\n",
			*cases[i].sentence == ':' ? path : "", cases[i].sentence,
			cases[i].has_no_memory ? strerror(ENOMEM) : "");
		if (pthread_create(&thread, NULL, serve, &listener) != 0)
			abort();
		has_no_memory = cases[i].has_no_memory;
		CHECK(run_ctl(text, sizeof(text)) == EXIT_FAILURE);
		has_no_memory = false;
		pthread_join(thread, NULL);
		CHECK(strcmp(text, expected) == 0, "case %zu: '%s', not '%s'", i, text, expected);
		CHECK(next_descriptor() == next, "case %zu", i);
	}
	close(fd);
	unlink(path);
}

int main(void)
{
	TEST(each_failure_has_its_sentence);
	return tap_done();
}
