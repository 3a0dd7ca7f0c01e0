/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html.h - writes headings, paragraphs and tables of a page. Pure. Texts are escaped. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void html_heading(FILE *out, const char *text);
/* @class: of the page's style sheet, or "". Nothing for an empty text. */
void html_paragraph(FILE *out, const char *class, const char *text);

/* Begins a table. @class: "text" where all cells are texts, or "". @heads: ended by NULL. */
void html_begin_table(FILE *out, const char *class, const char *const *heads);
void html_end_table(FILE *out);
void html_begin_row(FILE *out);
void html_end_row(FILE *out);
void html_cell(FILE *out, const char *text);
/* Another line of a cell, a text or a command, after a word of what it is. Nothing for an empty text. */
void html_line(FILE *out, const char *name, const char *text);
void html_code(FILE *out, const char *name, const char *text);
void html_time(FILE *out, bool is_known, uint64_t ns); /* in us; "-" where it is not known */
void html_count(FILE *out, uint64_t count);

/* What a reader unfolds. */
void html_begin_folded(FILE *out, const char *title);
void html_end_folded(FILE *out);
