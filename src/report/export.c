/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export.c - the formats of --export. */
#include "src/report/export.h"

#include <stddef.h>

const char *export_name(unsigned index)
{
	return export_formats[index] ? export_formats[index]->name : NULL;
}
