/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.c - whether standard output was written. */
#include "src/run/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/base/tty.h"
#include "src/base/whole_file.h"
#include "src/plan/config.h"

bool output_is_report(const struct config *config)
{
	bool is_report = whole_file_is_stdout(config->json);

	for (size_t i = 0; i < CONFIG_EXPORTS_MAX; i++)
		is_report |= whole_file_is_stdout(config->exports[i]);
	return is_report;
}

/* If an earlier write failed, its errno is lost: another write fails with the same one. */
static int error_of_before(void)
{
	errno = 0;
	putchar('\n');
	fflush(stdout);
	return errno;
}

int output_flush(struct error_text *reason)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	int error = errno ? errno : error_of_before();

	if (error == EPIPE || error == EINTR || (error == EIO && tty_is_gone(STDOUT_FILENO)))
		return 1;
	error = error ? error : EIO;
	return error_text_set(reason, -error, "can't write standard output: %s", strerror(error));
}
