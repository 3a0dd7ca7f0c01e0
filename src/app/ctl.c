/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctl.c - the verb `ctl`: sends a command to the control socket of a run, and prints its reply. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/app/verb.h"
#include "src/report/control_json.h"
#include "src/run/command.h"
#include "src/run/output.h"

static int complain(const struct error_text *why)
{
	struct error_text reason;

	error_text_set(&reason, 0, "ctl: %s", why->text);
	return verb_complain(&reason);
}

static int print_help(void)
{
	puts("ipctop ctl PATH COMMAND [WORD] - tells the run with --control PATH what to do\n\n"
	     "Prints the reply, a JSON object a line. Exit status: 0; 1 if the command is refused.\n");
	for (const struct command_row *const *row = command_rows; *row; row++) {
		const struct option_row *argument = (*row)->argument;
		char usage[COMMAND_USAGE_SIZE], help[OPTION_HELP_SIZE];

		printf("  %-24s %s\n", command_usage(*row, usage),
			argument ? option_help(argument, (*row)->help, NULL, SIZE_MAX, help) : (*row)->help);
	}
	puts("\nA RING is a name such as mq:0:3, an id, a range of ids such as 4-7, a mechanism for\n"
	     "all of its rings, or all. On the screen mq:0:3 is mq 0>3; a shell would take the >.");
	return verb_end_output();
}

/* Returns NULL with a reason if that can't be done. */
static FILE *connect_to(const char *path, struct error_text *reason)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	FILE *stream;

	if (!*path) { /* the kernel would take it for an abstract name */
		error_text_set(reason, -EINVAL, "'': must be the PATH of --control");
		return NULL;
	}
	if (strlen(path) >= sizeof(address.sun_path)) {
		error_text_set(reason, -ENAMETOOLONG, "%s: the path is too long", path);
		return NULL;
	}
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
		(stream = fdopen(fd, "r+")))
		return stream;
	int error = errno;

	if (fd >= 0)
		close(fd);
	error_text_set(reason, -error, "%s: %s", path,
		error == ECONNREFUSED ? "no ipctop listens there any more" : strerror(error));
	return NULL;
}

/* Prints the lines that the run sends. Returns the exit status by the first one. */
static int print_replies(FILE *stream, const char *path, bool follows)
{
	struct error_text reason;
	char *line = NULL;
	size_t size = 0;
	int status = EXIT_FAILURE, n_lines = 0;

	while ((n_lines == 0 || follows) && getline(&line, &size, stream) > 0) {
		int r = n_lines++ == 0 ? control_reply_read(line, &reason) : 1;

		if (r == -EPROTO)
			error_text_set(&reason, r, "%s: the program that listens there is not ipctop", path);
		if (r <= 0) {
			complain(&reason);
			break;
		}
		status = EXIT_SUCCESS;
		fputs(line, stdout);
		r = output_flush(&reason);
		if (r < 0)
			status = complain(&reason);
		if (r != 0)
			break;
	}
	if (n_lines == 0) {
		error_text_set(&reason, 0, "%s: the run ended before it replied", path);
		complain(&reason);
	}
	free(line);
	return status;
}

/* The run checks the words: it may be of another version. */
static int send_command(const char *path, char *const *words, struct error_text *reason)
{
	FILE *stream = connect_to(path, reason);

	if (!stream)
		return complain(reason);
	if (control_request_print(stream, words) < 0 || fflush(stream) != 0) {
		error_text_set(reason, -EIO, "%s: the command could not be sent", path);
		fclose(stream);
		return complain(reason);
	}
	const struct command_row *row = command_row_named(command_rows, words[0]);
	int status = print_replies(stream, path, row && row->follows);

	fclose(stream);
	return status;
}

static int ctl_main(int argc, char **argv, const struct options_names *names)
{
	struct error_text reason;

	if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0))
		return print_help();
	if (argc >= 4)
		return send_command(argv[2], argv + 3, &reason);
	error_text_set(
		&reason, -EINVAL, "takes the PATH of --control and a command; ipctop ctl --help lists them");
	return complain(&reason);
}

/* Offers the socket, the command, and its argument. */
static enum complete_more offer_words(const struct complete_line *line, FILE *out)
{
	size_t n = complete_n_words(line);
	const struct command_row *row = n == 2 ? command_row_named(command_rows, line->words[1]) : NULL;
	const struct option_row *argument = row ? row->argument : NULL;

	for (size_t i = 0; n == 1 && command_rows[i]; i++)
		complete_word(line, command_rows[i]->name, command_rows[i]->help, out);
	for (unsigned i = 0; argument && argument->value && argument->value(line->names, i); i++)
		complete_word(line, argument->value(line->names, i), NULL, out);
	if (row && row->kind == COMMAND_TRY)
		verb_offer_knobs(line, out);
	return n == 0 || (row && row->kind == COMMAND_SAVE) ? COMPLETE_FILES : COMPLETE_NOTHING;
}

const struct verb verb_ctl = {
	.name = "ctl",
	.words = "PATH COMMAND",
	.purpose = "tells a run with --control PATH what to do",
	.main = ctl_main,
	.complete = offer_words,
};
