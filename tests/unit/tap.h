/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tap.h - the Test Anything Protocol, as much of it as plain C tests need. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef __clang__ /* CHECK may stand without a message */
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif

static int tap_count, tap_failures;
static bool tap_good;

/* A failed check fails its test, and says where and what on stderr, which Meson shows. */
#define CHECK(condition, ...)                                                                                \
	((condition) ? (void)0 : tap_check_failed(__FILE__, __LINE__, #condition, " " __VA_ARGS__))

__attribute__((format(printf, 4, 5), unused)) static void tap_check_failed(
	const char *file, int line, const char *condition, const char *format, ...)
{
	va_list arguments;

	tap_good = false;
	fprintf(stderr, "# %s:%d: %s", file, line, condition);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

/* A test is a function whose name is a sentence. */
#define TEST(function) tap_run(#function, function)

__attribute__((unused)) static void tap_run(const char *name, void (*function)(void))
{
	tap_good = true;
	function();
	tap_failures += !tap_good;
	printf("%sok %d - ", tap_good ? "" : "not ", ++tap_count);
	for (; *name; name++)
		putchar(*name == '_' ? ' ' : *name);
	putchar('\n');
	fflush(stdout);
}

__attribute__((unused)) static void tap_skip(const char *name, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_count, name, why);
}

/* What main() returns. */
__attribute__((unused)) static int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failures > 0;
}
