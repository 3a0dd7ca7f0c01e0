/* SPDX-License-Identifier: GPL-2.0-or-later */
/* audit_text.h - the knobs of a machine as text. */
#pragma once

#include <stdio.h>

struct advice_list;
struct advice_site;

/* Prints the knobs by groups, as advice_group() sorts them. */
void audit_print(FILE *out, const struct advice_list *advice, const struct advice_site *site);
