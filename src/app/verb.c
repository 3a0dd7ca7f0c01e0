/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verb.c - finds a verb, and does what several verbs do. */
#include "src/app/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/knobs.h"
#include "src/run/output.h"

const struct verb *verb_find(int argc, char *const *argv)
{
	for (size_t i = 0; argc > 1 && verbs[i]; i++)
		if (strcmp(verbs[i]->name, argv[1]) == 0)
			return verbs[i];
	return NULL;
}

const char *verb_name(unsigned i, const char **words, const char **purpose)
{
	size_t at = 0;

	while (verbs[at] && (!verbs[at]->purpose || i-- > 0))
		at++;
	if (!verbs[at])
		return NULL;
	*words = verbs[at]->words;
	*purpose = verbs[at]->purpose;
	return verbs[at]->name;
}

void verb_offer_knobs(const struct complete_line *line, FILE *out)
{
	const struct knob *knob;
	char word[64];

	for (unsigned i = 0; (knob = knobs_to_try(i)); i++) {
		snprintf(word, sizeof(word), "%s=", knob->fact);
		complete_word(line, word, knob->about, out);
	}
}

int verb_complain(const struct error_text *reason)
{
	fprintf(stderr, "ipctop: %s\n", reason->text);
	return EXIT_FAILURE;
}

int verb_end_output(void)
{
	struct error_text reason;

	return output_flush(&reason) < 0 ? verb_complain(&reason) : EXIT_SUCCESS;
}
