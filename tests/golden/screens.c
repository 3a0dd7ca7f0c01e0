/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screens.c - each view of recorded runs, at some sizes, beside the screen that is expected.
 *
 * golden_screens FOLDER          checks those in the folder, as TAP
 * golden_screens --renew FOLDER  writes them
 * golden_screens --list          what there is, a line each: view, run, keys
 * golden_screens --keys          the table of keys, a line each: names, what it does
 *
 * An expected file is the screen's text, a line of "--", then for each line that is not all plain its styles:
 * "3: head 0-79" are columns 0 to 79 of line 3. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/recording/replay.h"
#include "tests/golden/run.h"
#include "tests/read_file.h"
#include "tests/unit/tap.h"
#include "ui/table/view_state.h"
#include "ui/views/frame.h"
#include "ui/views/keys.h"

/* What is looked at: keys are pressed one by one, each with its frame, when all of the run has been seen. */
static const struct golden {
	const char *view, *run, *keys;
} table[] = {
	{"overview", "few", ""},
	{"detail", "few", "\r"},
	{"detail-failed", "few", "jj\r"},
	{"pairs", "many", "jj>>>>>"},
	{"help", "few", "h"},
	{"name", "few", "mquiet irqs"},
	{"hops", "rings", "fjj"},
};

static const struct {
	unsigned columns, lines;
} sizes[] = {{40, 10}, {80, 24}, {120, 40}, {200, 60}};

static const char *const style_names[N_STYLES] = {
	[STYLE_PLAIN] = "plain",
	[STYLE_DIM] = "dim",
	[STYLE_STRONG] = "strong",
	[STYLE_TITLE] = "title",
	[STYLE_HEAD] = "head",
	[STYLE_SELECTED] = "selected",
	[STYLE_WARNING] = "warning",
	[STYLE_WRONG] = "bad",
	[STYLE_BAR] = "bar",
	[STYLE_KEY] = "key",
};

enum { N_TABLE = sizeof(table) / sizeof(*table), N_SIZES = sizeof(sizes) / sizeof(*sizes), PATH = 500 };

static void print_styles(const struct canvas *canvas, unsigned y, FILE *out)
{
	const struct cell *line = &canvas->cells[(size_t)y * canvas->columns];
	bool any = false;

	for (unsigned x = 0, end; x < canvas->columns; x = end) {
		for (end = x + 1; end < canvas->columns && line[end].style == line[x].style;)
			end++;
		if (line[x].style == STYLE_PLAIN)
			continue;
		if (any)
			fputs(", ", out);
		else
			fprintf(out, "%u: ", y);
		fprintf(out, "%s %u-%u", style_names[line[x].style] ? style_names[line[x].style] : "?", x,
			end - 1);
		any = true;
	}
	if (any)
		putc('\n', out);
}

/* The screen as the file has it: the caller's to free. */
static char *print_screen(const struct canvas *canvas)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out || canvas_print(canvas, out) < 0)
		abort();
	fputs("--\n", out);
	for (unsigned y = 0; y < canvas->lines; y++)
		print_styles(canvas, y, out);
	fclose(out);
	return text;
}

static char *draw(
	const struct session *session, const char *keys, unsigned columns, unsigned lines, bool ascii)
{
	struct canvas canvas;
	struct view_state view;
	int r = canvas_init(&canvas, columns, lines, ascii);

	view_state_init(&view, FIGURE_FIRST, 1000000000);
	if (r == 0)
		r = frame_make(session, &view, &canvas, columns, lines);
	for (; r == 0 && *keys; keys++) {
		keys_press(&view, (unsigned char)*keys);
		r = frame_make(session, &view, &canvas, columns, lines);
	}
	if (r < 0)
		abort();
	char *text = print_screen(&canvas);

	view_state_finish(&view);
	canvas_finish(&canvas);
	return text;
}

static struct replay *open_recording(const char *path)
{
	static struct replay replay;
	struct error_text reason;

	if (replay_open(&replay, path, &reason) < 0) {
		fprintf(stderr, "%s\n", reason.text);
		exit(1);
	}
	return &replay;
}

static void read_all(struct replay *replay, struct session *session)
{
	int r = replay_start(replay, session);

	while (r == 0 && (r = replay_next(replay)) > 0)
		r = feed_session(session, &replay->item.feed, NULL);
	if (r < 0)
		abort();
}

/* A made-up run as a file that has lost its name. */
static struct replay *open_run(const char *name)
{
	char path[] = "/tmp/ipctop-golden.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	made_run_record(run_story(name), path);

	struct replay *replay = open_recording(path);

	unlink(path);
	return replay;
}

static void path_of(char path[PATH], const char *folder, const struct golden *golden, size_t size, bool ascii)
{
	snprintf(path, PATH, "%s/%s-%ux%u%s.txt", folder, golden->view, sizes[size].columns,
		sizes[size].lines, ascii ? "-ascii" : "");
}

static bool renew(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	return true;
}

static void print_line(const char *what, const char *line)
{
	printf("#   %s: %.*s\n", what, (int)strcspn(line, "\n"), line);
}

/* The first lines that differ, and how many do. */
static bool is_same(const char *expected, const char *text)
{
	unsigned n = 1, differ = 0;

	for (; *expected || *text; n++) {
		size_t a = strcspn(expected, "\n"), b = strcspn(text, "\n");

		if ((a != b || memcmp(expected, text, a) != 0) && differ++ < 3) {
			printf("# line %u\n", n);
			print_line("expected", expected);
			print_line("is      ", text);
		}
		expected += a + (expected[a] != '\0');
		text += b + (text[b] != '\0');
	}
	if (differ)
		printf("# %u lines differ; ./dev golden writes what is expected anew\n", differ);
	return !differ;
}

static bool check(const char *path, const char *text)
{
	char *expected = read_file(path);
	bool good = expected && is_same(expected, text);

	if (!expected)
		printf("# %s is not there; ./dev golden writes it\n", path);
	tap_failures += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++tap_count, strrchr(path, '/') + 1);
	free(expected);
	return good;
}

static void list_views(void)
{
	for (size_t i = 0; i < N_TABLE; i++) {
		printf("%s\t%s\t", table[i].view, table[i].run);
		for (const char *key = table[i].keys; *key; key++)
			printf(*key == '\r' ? "\\r" : "%c", *key); /* a line can't hold Enter */
		putchar('\n');
	}
}

static int look_at_all(const char *folder, bool (*what)(const char *path, const char *text))
{
	bool good = true;

	for (size_t i = 0; i < N_TABLE; i++) {
		struct session session;
		struct replay *replay = open_run(table[i].run);

		read_all(replay, &session);
		for (size_t j = 0; j < 2 * N_SIZES; j++) {
			char path[PATH];
			char *text = draw(
				&session, table[i].keys, sizes[j / 2].columns, sizes[j / 2].lines, j % 2);

			path_of(path, folder, &table[i], j / 2, j % 2);
			good &= what(path, text);
			free(text);
		}
		session_finish(&session);
		replay_close(replay);
	}
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	setenv("TZ", "UTC", 1);
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		abort();
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		list_views();
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--keys") == 0) {
		for (size_t i = 0; i < keys_count(); i++)
			printf("%s\t%s\n", keys_at(i).names, keys_at(i).help);
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "--renew") == 0)
		return look_at_all(argv[2], renew);
	if (argc != 2) {
		fprintf(stderr, "usage: golden_screens [--renew] FOLDER | --list | --keys\n");
		return 1;
	}
	look_at_all(argv[1], check);
	return tap_done();
}
