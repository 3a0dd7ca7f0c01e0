/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html.c - writes headings, paragraphs and tables of a page. */
#include "ui/draw/html.h"

#include "ui/draw/svg.h"
#include "ui/draw/units.h"

enum { TIME_WIDTH = 6 };

void html_heading(FILE *out, const char *text)
{
	fputs("<h2>", out);
	svg_escape(out, text);
	fputs("</h2>\n", out);
}

void html_paragraph(FILE *out, const char *class, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "<p class=\"%s\">", class);
	svg_escape(out, text);
	fputs("</p>\n", out);
}

void html_begin_table(FILE *out, const char *class, const char *const *heads)
{
	fprintf(out, "<table class=\"%s\">\n<tr>", class);
	for (; *heads; heads++) {
		fputs("<th>", out);
		svg_escape(out, *heads);
	}
	fputs("</tr>\n", out);
}

void html_end_table(FILE *out)
{
	fputs("</table>\n", out);
}

void html_begin_row(FILE *out)
{
	fputs("<tr>", out);
}

void html_end_row(FILE *out)
{
	fputs("</tr>\n", out);
}

void html_cell(FILE *out, const char *text)
{
	fputs("<td>", out);
	svg_escape(out, text);
}

static void print_line(FILE *out, const char *name, const char *text, const char *begin, const char *end)
{
	if (!*text)
		return;
	fputs("<br>", out);
	svg_escape(out, name);
	fputs(begin, out);
	svg_escape(out, text);
	fputs(end, out);
}

void html_line(FILE *out, const char *name, const char *text)
{
	print_line(out, name, text, "", "");
}

void html_code(FILE *out, const char *name, const char *text)
{
	print_line(out, name, text, "<code>", "</code>");
}

void html_time(FILE *out, bool is_known, uint64_t ns)
{
	char text[32];

	html_cell(out, is_known ? units_time(text, sizeof(text), TIME_WIDTH, ns, UNIT_US) : "-");
}

void html_begin_folded(FILE *out, const char *title)
{
	fputs("<details><summary>", out);
	svg_escape(out, title);
	fputs("</summary>\n", out);
}

void html_end_folded(FILE *out)
{
	fputs("</details>\n", out);
}

void html_count(FILE *out, uint64_t count)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)count);
	html_cell(out, text);
}
