/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export.c - the formats of --export. */
#include "src/report/export.h"

#include <stddef.h>

#include "src/plan/config.h"

const struct export_format *const export_formats[] = {
	&export_hgrm,
	&export_cyclictest,
	&export_csv,
	&export_jsonl,
	&export_perfetto,
	&export_matrix,
	NULL,
};

_Static_assert(
	sizeof(export_formats) / sizeof(*export_formats) <= CONFIG_EXPORTS_MAX, "config has a FILE for each");

const char *export_name(unsigned index)
{
	return export_formats[index] ? export_formats[index]->name : NULL;
}
