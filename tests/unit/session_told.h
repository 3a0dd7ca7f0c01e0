/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_told.h - what a session says, as one text: two that say the same are the same. */
#pragma once

#include <stdio.h>

#include "src/model/session.h"
#include "src/report/report_json.h"

/* All that a report says of it: a text that is the caller's. */
static char *told(const struct session *session)
{
	static const struct config config;
	static const struct topology topology;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_json_print(out, session, &config, &topology, "end");
	for (size_t i = 0; i < session->n_rings; i++)
		for (int f = 0; f < N_FIGURES; f++)
			fprintf(out, "%llu %llu ", (unsigned long long)session->rings[i].figures[f].last_ns,
				session->rings[i].figures[f].phase_max_at_ns
					? (unsigned long long)session->rings[i].figures[f].phase_max_ns
					: 0);
	fclose(out);
	return text;
}
