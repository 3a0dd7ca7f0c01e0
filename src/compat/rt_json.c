/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rt_json.c - rt-tests' JSON, to the space. */
#include "src/compat/rt_json.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#include "src/base/json.h"
#include "src/base/whole_file.h"
#include "src/model/session.h"

/* The version whose layout this is. */
#define RT_TESTS_VERSION "2.40"

static void print_text(FILE *out, const char *indent, const char *key, const char *text)
{
	fprintf(out, "%s\"%s\": ", indent, key);
	if (json_print_value(out, json_text(text), "") < 0)
		fputs("\"\"", out);
	fputs(",\n", out);
}

/* RFC 2822. */
static void print_time(FILE *out, const char *key, time_t seconds)
{
	char text[64];
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S %z", &local);
	print_text(out, "  ", key, text);
}

static int print_command(FILE *out, int argc, char *const *argv)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return -ENOMEM;
	for (int i = 0; i < argc; i++)
		fprintf(words, "%s%s", i ? " " : "", argv[i]);
	if (fclose(words) != 0) {
		free(text);
		return -ENOMEM;
	}
	print_text(out, "  ", "cmdline:", text);
	free(text);
	return 0;
}

static int read_realtime(void)
{
	FILE *file = fopen("/sys/kernel/realtime", "re");
	int value = 0;

	if (file) {
		value = fgetc(file) == '1';
		fclose(file);
	}
	return value;
}

static void print_system(FILE *out)
{
	struct utsname system;

	uname(&system);
	fprintf(out, "  \"sysinfo\": {\n");
	print_text(out, "    ", "sysname", system.sysname);
	print_text(out, "    ", "nodename", system.nodename);
	print_text(out, "    ", "release", system.release);
	print_text(out, "    ", "version", system.version);
	print_text(out, "    ", "machine", system.machine);
	fprintf(out, "    \"realtime\": %d\n  },\n", read_realtime());
}

static int print_head(FILE *out, const struct compat *compat, const struct session *session, int return_code)
{
	uint64_t lasted_ns = session->now_ns - session->start_ns;

	fprintf(out, "{\n  \"file_version\": 1,\n");
	int r = print_command(out, compat->argc, compat->argv);

	print_text(out, "  ", "rt_test_version:", RT_TESTS_VERSION);
	print_time(out, "start_time", (time_t)(session->wall_start_ns / 1000000000u));
	print_time(out, "end_time", (time_t)((session->wall_start_ns + lasted_ns) / 1000000000u));
	fprintf(out, "  \"return_code\": %d,\n", return_code);
	print_system(out);
	return r;
}

int compat_rt_json_write(const struct compat *compat, const struct session *session, int return_code,
	void (*print_thread)(FILE *out, const struct session *session, size_t i, const struct compat *compat),
	size_t n_threads, struct error_text *reason)
{
	const char *path = compat->settings.json;
	struct report_file file;
	int r = report_file_open(&file, path, reason);

	if (r < 0)
		return r;
	r = print_head(file.out, compat, session, return_code);
	fprintf(file.out, "  \"num_threads\": %zu,\n  \"thread\": {\n", n_threads);
	for (size_t i = 0; i < n_threads; i++) {
		fprintf(file.out, "    \"%zu\": {\n", i);
		print_thread(file.out, session, i, compat);
		fprintf(file.out, "    }%s\n", i + 1 < n_threads ? "," : "");
	}
	fprintf(file.out, "  }\n}\n");
	if (r < 0) {
		report_file_abandon(&file);
		return error_text_set(reason, r, "can't write %s: no memory", path);
	}
	return report_file_close(&file, reason);
}
