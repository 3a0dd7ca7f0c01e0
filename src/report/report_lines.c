/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_lines.c - lines of at most 80 columns, and times in them. */
#include "src/report/report_lines.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "src/model/session.h"

enum { TIME_WIDTH = 6 };

char *report_us(char cell[REPORT_CELL_SIZE], const char *sign, uint64_t ns)
{
	bool in_s = ns >= 999999500;
	int decimals = 3;

	while (snprintf(cell, REPORT_CELL_SIZE, "%s%.*f%s", sign, decimals, (double)ns / (in_s ? 1e9 : 1e3),
		       in_s ? "s" : "") > TIME_WIDTH &&
		decimals > 0)
		decimals--;
	return cell;
}

char *report_clock(char text[REPORT_CLOCK_SIZE], const struct session *session, uint64_t at_ns)
{
	time_t seconds = (time_t)((session->wall_start_ns + at_ns - session->start_ns) / 1000000000u);
	struct tm here;

	localtime_r(&seconds, &here);
	strftime(text, REPORT_CLOCK_SIZE, "%H:%M:%S", &here);
	return text;
}

unsigned report_columns(const char *text, size_t n)
{
	unsigned width = 0;

	for (size_t i = 0; i < n; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

void report_wrap_in(FILE *out, unsigned columns, unsigned x, unsigned indent, const char *text)
{
	for (bool first = true; *text; first = false) {
		size_t length = strcspn(text, " ");
		unsigned width = report_columns(text, length);

		if (!first && x + 1 + width > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			x = indent;
		} else if (!first) {
			fputc(' ', out);
			x++;
		}
		fwrite(text, 1, length, out);
		x += width;
		text += length + (text[length] == ' ');
	}
	fputc('\n', out);
}

void report_wrap(FILE *out, unsigned x, unsigned indent, const char *text)
{
	report_wrap_in(out, REPORT_WIDTH, x, indent, text);
}
