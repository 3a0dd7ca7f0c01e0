/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_compare.c - any JSON as a summary, compared with itself. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/model/comparison.h"
#include "src/report/comparison_json.h"
#include "src/report/comparison_text.h"
#include "src/report/phase_from_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Nothing was measured, so nothing is worse. */
static void compare_with_itself(const struct compared_phase *phase)
{
	static FILE *nowhere;
	struct comparison comparison;
	struct error_text reason;

	if (!nowhere)
		nowhere = fopen("/dev/null", "we");
	if (!nowhere)
		abort();
	if (comparison_init(&comparison, phase, phase, &reason) == 0) {
		comparison_print(nowhere, &comparison, 80 + 40 * (unsigned)(phase->n_rows % 4));
		comparison_json_print(nowhere, &comparison);
		if (comparison.summary.verdict >= SHIFT_BETTER)
			abort();
	}
	comparison_finish(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *document = json_tokener_parse_ex(tokener, (const char *)data, (int)size);
	struct compared_phase phase = {0};

	if (document && phase_from_json_take(&phase, document, "summary", NULL, N_FIGURES) == 0)
		compare_with_itself(&phase);
	compared_phase_finish(&phase);
	json_object_put(document);
	json_tokener_free(tokener);
	return 0;
}
