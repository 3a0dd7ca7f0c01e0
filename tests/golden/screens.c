/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screens.c - each view of recorded runs, at some sizes, beside the screen that is expected.
 *
 * golden_screens FOLDER          checks those in the folder, as TAP
 * golden_screens --renew FOLDER  writes them
 * golden_screens --list          what there is, a line each: view, run, keys
 * golden_screens --looks         the looks of all styles, a line each: palette, colors of the terminal,
 *                                style, look
 * golden_screens --keys          the table of keys, a line each: names, what it does
 *
 * An expected file is the screen's text; for each line that is not all plain its styles: "3: head 0-79" are
 * columns 0 to 79 of line 3; and the look of each of these styles in color, in few colors and in mono: "196
 * bold", or "16 on 35" for colors of the text and of its background. A line of "--" is between the parts. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/text.h"
#include "src/model/comparison_lines.h"
#include "src/model/session.h"
#include "src/recording/replay.h"
#include "tests/golden/run.h"
#include "tests/golden/sweep.h"
#include "tests/read_file.h"
#include "tests/unit/tap.h"
#include "ui/draw/palette.h"
#include "ui/frame/frame.h"
#include "ui/frame/keys.h"
#include "ui/views/setup.h"
#include "ui/views/views.h"

/* What is looked at: keys are pressed one by one, each with its frame, when all of the run has been seen. */
static const struct golden {
	const char *view, *run, *keys;
	enum depth depth; /* of the terminal */
} table[] = {
	{"overview", "few", ""},
	{"detail", "few", "\r"},
	{"detail-failed", "few", "jj\r"},
	{"pairs", "many", "jj>>>>>>"},
	{"filter", "many", "/svsem,signal !smt,FF80\r"},
	{"help", "few", "h"},
	{"glossary", "few", "h2"},
	{"setup", "few", "\002jjjjjjj "},
	{"sort", "few", "\006j"},
	{"name", "few", "mquiet irqs"},
	{"hops", "rings", "fjj"},
	{"limit", "limit", "jjjjj"},
	{"compare", "few", "c"},
	{"compare-many", "many", "cA"},
	{"differences", "many", "cAd"},
	{"baseline", "many", "cAbc"},
	{"detail-baseline", "many", "cAbc\r"},
	{"laps", "laps", ""},
	{"detail-laps", "laps", "\r"},
	{"batches", "batches", ""},
	{"detail-batches", "batches", "\r"},
	{"compare-batches", "batches", "c"},
	{"spikes", "spikes", "t"},
	{"spikes-longest", "spikes", "t>jj"},
	{"spikes-by-cpu", "spikes", "t#"},
	{"spikes-filter", "spikes", "t/svsem\rw"},
	{"spikes-none", "few", "t"},
	{"topology", "spikes", "Tjjj"},
	{"topology-folded", "many", "TjjjFkf"},
	{"topology-filter", "few", "Tjj\r"},
	{"knobs", "spikes", "Kj"},
	{"knobs-none", "few", "K"},
	{"knobs-grouped", "spikes", "K#jj"},
	{"knobs-filter", "spikes", "K/watch\r"},
	{"act-try", "spikes", "K\r-"},
	{"spike", "spikes", "tk\r"},
	{"spike-irqs", "spikes", "tkkk\r"},
	{"spike-throttled", "spikes", "tw!\r"},
	{"spike-still-out", "spikes", "t\r"},
	{"spikes-unrecorded", "unrecorded", "t"},
	{"spike-unrecorded", "unrecorded", "t>jj\r"},
	{"detail-unrecorded", "unrecorded", "j\r"},
	{"overview-spikes", "spikes", ""},
	{"detail-spikes", "spikes", "j\r"},
	{"detail-zoomed", "few", "\rzzy"},
	{"marked", "many", "jvjvv"},
	{"act-add", "few", "nmq 0>3 -s 4k"},
	{"act-load", "few", "lfork:0-3:50"},
	{"act-remove", "few", "jx"},
	{"act-policy", "few", "jCFIFO:80"},
	{"act-cpus", "few", "ja2>3"},
	{"act-interval", "few", "i500us"},
	{"act-size", "few", "jS4k"},
	{"act-dma-latency", "few", "L20"},
	{"act-refused", "few", "s"},
	{"act-remove-marked", "many", "jvvjvx"},
};

/* The same of sweeps, which no recording has; their files are in the folder "sweeps". "\x1c" is the arrow to
 * the right, "\x1d" PgDn. */
static const struct golden sweeps[] = {
	{"matrix", "sweep-8", "M"},
	{"matrix-pair", "sweep-8", "Mjj\x1c\x1c\x1c\r"},
	{"matrix-lap", "sweep-8", "Mop"},
	{"matrix-changes", "sweep-8-changed", "Mcjj\x1c"},
	{"matrix-first", "sweep-8-first", "M"},
	{"matrix-first-pair", "sweep-8-first", "Mo\r"},
	{"matrix-first-changes", "sweep-8-first", "Mcjj\x1c\x1c"},
	{"matrix-16", "sweep-16", "Mjjjj"},
	{"matrix-64", "sweep-64", "Mjjjj"},
	{"matrix-64-cpus", "sweep-64", "Mu####"},
	{"matrix-64-colors", "sweep-64", "Mjjjj", DEPTH_256},
	{"matrix-64-changes", "sweep-64-changed", "Mu####cp"},
	{"matrix-576", "sweep-576", "M"},
	{"matrix-576-cores", "sweep-576", "M##j"},
	{"matrix-576-part", "sweep-576", "M\x1d\x1c\r"},
	{"matrix-576-colors", "sweep-576", "M##", DEPTH_256},
};

/* The palettes, on terminals of so many colors. */
static const struct coloring {
	const char *name;
	enum palette palette;
	enum depth depth;
} colorings[] = {
	{"default-256", PALETTE_DEFAULT, DEPTH_256},
	{"default-16", PALETTE_DEFAULT, DEPTH_16},
	{"colour-blind-256", PALETTE_COLOUR_BLIND, DEPTH_256},
	{"colour-blind-16", PALETTE_COLOUR_BLIND, DEPTH_16},
	{"mono", PALETTE_MONO, DEPTH_256},
};

enum { N_COLORINGS = sizeof(colorings) / sizeof(*colorings) };

static const struct {
	unsigned columns, lines;
} sizes[] = {{40, 10}, {80, 24}, {120, 40}, {200, 60}};

static const char *const style_names[N_STYLES] = {
	[STYLE_PLAIN] = "plain",
	[STYLE_STRONG] = "strong",
	[STYLE_THIN] = "thin",
	[STYLE_WAITING] = "waiting",
	[STYLE_UNDECIDED] = "undecided",
	[STYLE_BETTER] = "better",
	[STYLE_WORSE] = "worse",
	[STYLE_ABOVE_LIMIT] = "above",
	[STYLE_WRONG] = "wrong",
	[STYLE_WARNING] = "warning",
	[STYLE_TITLE] = "title",
	[STYLE_HEAD] = "head",
	[STYLE_BAR] = "bar",
	[STYLE_BAR_A] = "bar-a",
	[STYLE_BAR_B] = "bar-b",
	[STYLE_SELECTED] = "selected",
	[STYLE_KEY] = "key",
	[STYLE_REPLAY] = "replay",
};

enum { N_TABLE = sizeof(table) / sizeof(*table), N_SIZES = sizeof(sizes) / sizeof(*sizes), PATH = 500 };

enum { NAME_SIZE = 64 };

static void write_color(bool rgb, int32_t color, char text[16])
{
	if (rgb)
		snprintf(text, 16, "#%06x", (unsigned)color);
	else
		snprintf(text, 16, "%d", color);
}

/* "196 bold", "16 on 35", "reverse", or "plain". */
static void write_look(const struct coloring *coloring, enum style style, char text[NAME_SIZE])
{
	static const struct {
		unsigned attribute;
		const char *name;
	} attributes[] = {{LOOK_BOLD, "bold"}, {LOOK_DIM, "dim"}, {LOOK_UNDERLINE, "underline"},
		{LOOK_REVERSE, "reverse"}};
	struct look look = palette_look(coloring->palette, coloring->depth, style);
	bool rgb = coloring->depth == DEPTH_TRUE;
	char color[16];

	text[0] = '\0';
	write_color(rgb, look.foreground, color);
	if (look.foreground >= 0)
		text_append(text, NAME_SIZE, " ", color);
	write_color(rgb, look.background, color);
	if (look.background >= 0)
		text_append(text, NAME_SIZE, " on ", color); /* all that have a background have both */
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (look.attributes & attributes[i].attribute)
			text_append(text, NAME_SIZE, " ", attributes[i].name);
	if (!*text)
		snprintf(text, NAME_SIZE, "plain");
}

static void write_name(enum style style, char text[NAME_SIZE])
{
	if (style >= STYLE_HALVES)
		snprintf(text, NAME_SIZE, "halves-%d-%d", (int)(style - STYLE_HALVES) / (STYLE_STEPS + 1) + 1,
			(int)(style - STYLE_HALVES) % (STYLE_STEPS + 1));
	else if (style >= STYLE_SHADE_1)
		snprintf(text, NAME_SIZE, "shade-%d", (int)(style - STYLE_SHADE_1 + 1));
	else if (style >= STYLE_STEP_1)
		snprintf(text, NAME_SIZE, "step-%d", (int)(style - STYLE_STEP_1 + 1));
	else
		snprintf(text, NAME_SIZE, "%s", style_names[style]);
}

static void list_looks(void)
{
	static const struct {
		const char *name;
		enum depth depth;
	} depths[] = {{"0", DEPTH_NONE}, {"8", DEPTH_8}, {"16", DEPTH_16}, {"256", DEPTH_256},
		{"true", DEPTH_TRUE}};

	for (unsigned palette = 0; palette < N_PALETTES; palette++) {
		for (size_t d = 0; d < sizeof(depths) / sizeof(*depths); d++) {
			struct coloring coloring = {"", (enum palette)palette, depths[d].depth};

			for (int style = 0; style < N_STYLES; style++) {
				char name[NAME_SIZE], look[NAME_SIZE];

				write_name((enum style)style, name);
				write_look(&coloring, (enum style)style, look);
				printf("%s\t%s\t%s\t%s\n", palette_name(palette), depths[d].name, name, look);
			}
		}
	}
}

static void print_styles(const struct canvas *canvas, unsigned y, bool used[N_STYLES], FILE *out)
{
	const struct cell *line = &canvas->cells[(size_t)y * canvas->columns];
	bool any = false;

	for (unsigned x = 0, end; x < canvas->columns; x = end) {
		for (end = x + 1; end < canvas->columns && line[end].style == line[x].style;)
			end++;
		char name[NAME_SIZE];

		if (line[x].style == STYLE_PLAIN)
			continue;
		write_name((enum style)line[x].style, name);
		used[line[x].style] = true;
		if (any)
			fputs(", ", out);
		else
			fprintf(out, "%u: ", y);
		fprintf(out, "%s %u-%u", name, x, end - 1);
		any = true;
	}
	if (any)
		putc('\n', out);
}

/* A line of the style's look in each of the colorings. */
static void print_looks(enum style style, FILE *out)
{
	char text[NAME_SIZE];

	write_name(style, text);
	fprintf(out, "%s: ", text);
	for (size_t i = 0; i < N_COLORINGS; i++) {
		write_look(&colorings[i], style, text);
		fprintf(out, "%s%s", i ? " | " : "", text);
	}
	putc('\n', out);
}

/* The screen as the file has it: the caller's to free. */
static char *print_screen(const struct canvas *canvas)
{
	bool used[N_STYLES] = {false};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out || canvas_print(canvas, out) < 0)
		abort();
	fputs("--\n", out);
	for (unsigned y = 0; y < canvas->lines; y++)
		print_styles(canvas, y, used, out);
	fputs("--\nlook:", out);
	for (size_t i = 0; i < N_COLORINGS; i++)
		fprintf(out, "%s%s", i ? " | " : " ", colorings[i].name);
	putc('\n', out);
	for (int style = 0; style < N_STYLES; style++)
		if (used[style])
			print_looks((enum style)style, out);
	fclose(out);
	return text;
}

/* In a row of the table, "\6" is F6. */
static bool is_function_key(char key)
{
	return key >= 1 && key <= 8;
}

static uint32_t code_of(char key)
{
	if (key == '\x1c')
		return KEY_CODE_ARROW_RIGHT;
	if (key == '\x1d')
		return KEY_CODE_PAGE_DOWN;
	return is_function_key(key) ? KEY_CODE_F1 + (uint32_t)key - 1 : (unsigned char)key;
}

/* What one file shows. */
struct picture {
	const struct golden *golden;
	size_t size;
	bool ascii;
};

/* Compares at once, where the dashboard has a thread for it, and draws again. */
static int make_frame(const struct session *session, struct frame *frame, struct canvas *canvas,
	struct comparison_lines *lines)
{
	struct comparison_choice choice;
	int r = frame_make(session, frame, canvas, canvas->columns, canvas->lines);

	if (r < 0 || !compared_choice(&frame->view, &choice))
		return r;
	comparison_lines_finish(lines);
	frame->view.compared.lines = lines;
	r = comparison_lines_make(lines, session, &choice, NULL);
	return r == 0 ? frame_make(session, frame, canvas, canvas->columns, canvas->lines) : r;
}

/* The dashboard's helper knows a run. */
static int describe(void *data, const struct command *command, char *text, size_t size)
{
	if (command->kind == COMMAND_CPUS)
		snprintf(text, size,
			"Member 0 goes to CPU 2, member 1 to CPU 3. Shares CPU 3 with mq 3>3, which runs in the same turn. Leaves isolated CPU 1. This begins a phase.");
	else if (command->kind == COMMAND_INTERVAL)
		snprintf(text, size, "%s", "");
	else if (command->kind == COMMAND_REMOVE)
		snprintf(text, size, "Each of the 2 turns becomes 1 s long, not 4 s.");
	else if (command->kind == COMMAND_SIZE)
		snprintf(text, size, "mq may refuse this size: /proc/sys/fs/mqueue/msgsize_max is 2048.");
	else if (command->kind == COMMAND_POLICY)
		snprintf(text, size, "2 members: RR:5 -> FIFO:80. This begins a phase.");
	else if (command->kind == COMMAND_DMA_LATENCY)
		snprintf(text, size,
			"All idle CPUs use only states that wake within 20 us. The slowest idle state wakes in "
			"133 us. This begins a phase.");
	else if (command->kind == COMMAND_TRY)
		snprintf(text, size, "Now 950000. It takes a number.");
	else if (command->kind == COMMAND_LOAD)
		snprintf(text, size, "%s",
			"fork storm: processes start and end, 8 at once. On CPUs 0-3, 50 % of the time. This begins a "
			"phase.");
	else
		snprintf(text, size,
			"mq 0>3, class l3, FIFO:80, 4096 bytes, every 1000 us. Shares CPU 0 with mq 0>0 and 2 more: "
			"turns 2 -> 3. Each ring then measures 1/3 of the time, not half. This begins no phase.");
	return 0;
}

static void complete(
	void *data, const struct command *command, char *line, size_t line_size, char *words, size_t size)
{
}

static bool was_shown[64]; /* of views_table */

static void note_shown(const struct frame *frame)
{
	for (size_t i = 0; i < frame->n_kinds; i++)
		was_shown[i] |= view_top(frame) == frame->kinds[i];
}

static void each_view_and_dialog_has_a_screen(void)
{
	for (unsigned i = 0; i < views_n + views_n_dialogs; i++)
		CHECK(was_shown[i], "no row of table[] or sweeps[] shows %s", views_table[i]->name);
}

static char *draw_screen(const struct session *session, uint64_t limit_ns, const struct picture *picture)
{
	unsigned columns = sizes[picture->size].columns, lines = sizes[picture->size].lines;
	const char *keys = picture->golden->keys;
	struct canvas canvas;
	struct frame frame;
	struct comparison_lines compared = {0};
	int r = canvas_init(&canvas, columns, lines, picture->ascii);

	if (r < 0 || frame_init(&frame, FIGURE_FIRST, 1000000000) < 0)
		abort();
	frame.view.limit_ns = limit_ns;
	frame.ascii = picture->ascii;
	frame.depth = picture->golden->depth;
	frame.helper = &(const struct line_helper){.describe = describe, .complete = complete};
	setup_note_kept(&frame);
	r = make_frame(session, &frame, &canvas, &compared);
	for (; r == 0 && *keys; keys++) {
		keys_press(&frame, code_of(*keys));
		r = make_frame(session, &frame, &canvas, &compared);
	}
	note_shown(&frame);
	if (r < 0)
		abort();
	char *text = print_screen(&canvas);

	frame_finish(&frame);
	comparison_lines_finish(&compared);
	canvas_finish(&canvas);
	return text;
}

static void read_all(struct replay *replay, struct session *session)
{
	int r = replay_start(replay, session);

	while (r == 0 && (r = replay_next(replay)) > 0)
		r = feed_session(session, &replay->item.feed, NULL);
	if (r == 0)
		r = session_phases_settle(session);
	if (r < 0)
		abort();
}

/* A made-up run as a file that has lost its name. */
static void open_run(struct replay *replay, const char *name)
{
	char path[] = "/tmp/ipctop-golden.XXXXXX";
	struct error_text reason;
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	made_run_record(run_story(name), path);
	if (replay_open(replay, path, &reason) < 0) {
		fprintf(stderr, "%s\n", reason.text);
		exit(1);
	}
	unlink(path);
}

static void path_of(char path[PATH], const char *folder, const struct picture *picture)
{
	snprintf(path, PATH, "%s/%s-%ux%u%s.txt", folder, picture->golden->view, sizes[picture->size].columns,
		sizes[picture->size].lines, picture->ascii ? "-ascii" : "");
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
			if (is_function_key(*key))
				printf("\\%d", *key);
			else
				printf(*key == '\r' ? "\\r" : "%c", *key); /* a line can't hold Enter */
		putchar('\n');
	}
}

static void list_keys(void)
{
	struct frame frame;

	if (frame_init(&frame, FIGURE_FIRST, 0) < 0)
		abort();
	for (size_t i = 0; i < frame.n_keys; i++)
		if (frame.keys[i].names)
			printf("%s\t%s\n", frame.keys[i].names, frame.keys[i].help);
	frame_finish(&frame);
}

static bool look_at(const struct session *session, uint64_t limit_ns, const struct picture *picture,
	const char *folder, bool (*use)(const char *path, const char *text))
{
	char path[PATH];
	char *text = draw_screen(session, limit_ns, picture);

	path_of(path, folder, picture);
	bool good = use(path, text);

	free(text);
	return good;
}

static bool look_at_view(const struct session *session, uint64_t limit_ns, const struct golden *golden,
	const char *folder, bool (*use)(const char *path, const char *text))
{
	bool good = true;

	for (size_t i = 0; i < 2 * N_SIZES; i++)
		good &= look_at(session, limit_ns, &(struct picture){golden, i / 2, i % 2}, folder, use);
	return good;
}

/* All views of a run, which is read once. */
static bool look_at_run(const char *run, const char *folder, bool (*use)(const char *path, const char *text))
{
	struct session session;
	struct replay replay;
	bool good = true;

	open_run(&replay, run);
	read_all(&replay, &session);
	for (size_t i = 0; i < N_TABLE; i++)
		if (strcmp(table[i].run, run) == 0)
			good &= look_at_view(&session, replay.config.fail_above_ns, &table[i], folder, use);
	session_finish(&session);
	replay_close(&replay);
	return good;
}

static bool is_first_of_run(size_t view)
{
	for (size_t i = 0; i < view; i++)
		if (strcmp(table[i].run, table[view].run) == 0)
			return false;
	return true;
}

static int look_at_all(const char *folder, bool (*use)(const char *path, const char *text))
{
	bool good = true;
	char in_folder[PATH / 2];

	snprintf(in_folder, sizeof(in_folder), "%s/sweeps", folder);
	for (size_t i = 0; i < N_TABLE; i++)
		if (is_first_of_run(i))
			good &= look_at_run(table[i].run, folder, use);
	for (size_t i = 0; i < sizeof(sweeps) / sizeof(*sweeps); i++) {
		struct session session;

		if (!made_sweep(&session, sweeps[i].run))
			abort();
		good &= look_at_view(&session, 0, &sweeps[i], in_folder, use);
		session_finish(&session);
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
	if (argc == 2 && strcmp(argv[1], "--looks") == 0) {
		list_looks();
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--keys") == 0) {
		list_keys();
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "--renew") == 0)
		return look_at_all(argv[2], renew);
	if (argc != 2) {
		fprintf(stderr, "usage: golden_screens [--renew] FOLDER | --list | --looks | --keys\n");
		return 1;
	}
	look_at_all(argv[1], check);
	TEST(each_view_and_dialog_has_a_screen);
	return tap_done();
}
