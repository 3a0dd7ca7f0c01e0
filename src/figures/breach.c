/* SPDX-License-Identifier: GPL-2.0-or-later */
/* breach.c - the first latency above the limit of -b, as text. */
#include "src/figures/breach.h"

#include <stdio.h>

char *breach_text(enum figure figure, uint64_t latency_ns, uint64_t limit_ns, char text[BREACH_TEXT_SIZE])
{
	snprintf(text, BREACH_TEXT_SIZE, "%s %llu.%03llu us, limit %llu.%03llu us", figure_title(figure),
		(unsigned long long)(latency_ns / 1000), (unsigned long long)(latency_ns % 1000),
		(unsigned long long)(limit_ns / 1000), (unsigned long long)(limit_ns % 1000));
	return text;
}
