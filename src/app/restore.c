/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restore.c - the verb `restore`. */
#include "src/app/restore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/restore/journal_json.h"
#include "src/restore/restore.h"
#include "src/run/output.h"

static int complain(const struct error_text *reason)
{
	fprintf(stderr, "ipctop: %s\n", reason->text);
	return EXIT_FAILURE;
}

bool restore_is_asked(int argc, char *const *argv)
{
	return argc > 1 && strcmp(argv[1], "restore") == 0;
}

static void print_sentence(void *data, const char *sentence)
{
	bool *any = data;

	*any = true;
	puts(sentence);
}

int restore_main(int argc, char **argv)
{
	struct error_text reason;
	bool any = false;

	if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
		puts("ipctop restore - puts back the settings that a killed ipctop try has left changed\n\n"
		     "Exit status: 0; 1 if one could not be restored.");
		return output_flush(&reason) < 0 ? complain(&reason) : EXIT_SUCCESS;
	}
	if (argc > 2) {
		error_text_set(&reason, -EINVAL, "restore: %s: takes no other words", argv[2]);
		return complain(&reason);
	}
	int r = restore_left(JOURNAL_FOLDER, print_sentence, &any, &reason);

	if (r < 0)
		return complain(&reason);
	if (!any)
		puts("there is nothing to restore");
	return output_flush(&reason) < 0 ? complain(&reason) : EXIT_SUCCESS;
}
