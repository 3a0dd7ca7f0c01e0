/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame - how long a frame of 1,024 pairs, and of the matrix of 576 CPUs, takes: bench_frame FILE, with the
 * terminal on stdout.
 *
 * Composed on the canvas for each window, by pair and by p99, each time after a new tick; then shown, as far
 * as that is curses' work. Writes one JSON object, times in ms: of each the median and the maximum. */
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/clock.h"
#include "tests/golden/run.h"
#include "tests/golden/sweep.h"
#include "ui/frame/frame.h"
#include "ui/frame/keys.h"
#include "ui/term/screen.h"

enum { COLUMNS = 200, LINES = 60, TICKS_BEFORE = 90, ROUNDS = 21, N_SORTS = 2 };

static const size_t sorts[N_SORTS] = {COLUMN_PAIR, COLUMN_P99};

struct timed {
	struct frame frame;
	double ms[ROUNDS];
};

static double ms_since(uint64_t from_ns)
{
	return (double)(clock_now_ns() - from_ns) / 1e6;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void print_times(FILE *out, const char *name, const char *of, double ms[ROUNDS], const char *after)
{
	qsort(ms, ROUNDS, sizeof(*ms), compare);
	fprintf(out, "\"%s%s%s\": [%.3f, %.3f]%s", name, *of ? " by " : "", of, ms[ROUNDS / 2],
		ms[ROUNDS - 1], after);
}

/* Returns false without memory. */
static bool time_matrix(struct canvas *canvas, double ms[ROUNDS])
{
	struct session session;
	struct frame frame;

	if (!made_sweep(&session, "sweep-576-all") || frame_init(&frame, FIGURE_FIRST, 1000000000) < 0)
		return false;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t from_ns = clock_now_ns();

		if (frame_make(&session, &frame, canvas, COLUMNS, LINES) < 0)
			return false;
		ms[i] = ms_since(from_ns);
		if (i == 0)
			keys_press(&frame, 'M');
	}
	frame_finish(&frame);
	session_finish(&session);
	return true;
}

int main(int argc, char **argv)
{
	static struct timed timed[N_WINDOWS][N_SORTS];
	static double show_ms[ROUNDS], matrix_ms[ROUNDS];
	struct made_run *run = made_run_create(run_story("crowd"), 0, 0);
	FILE *out = argc == 2 ? fopen(argv[1], "we") : NULL;
	struct canvas canvas;
	struct screen *screen;
	struct error_text reason;

	setlocale(LC_CTYPE, "C.UTF-8");
	if (!out || canvas_init(&canvas, 1, 1, false) < 0 ||
		screen_create(&screen, COLORS_AUTO, false, false, &reason) < 0)
		return 1;
	screen_take(screen);
	for (int i = 0; i < TICKS_BEFORE; i++)
		made_run_step(run, NULL);
	for (int w = 0; w < N_WINDOWS; w++) {
		for (int s = 0; s < N_SORTS; s++) {
			if (frame_init(&timed[w][s].frame, FIGURE_FIRST, 1000000000) < 0)
				return 1;
			timed[w][s].frame.view.window = (enum window)w;
			timed[w][s].frame.view.sort = sorts[s];
		}
	}
	for (int i = 0; i < ROUNDS; i++) {
		made_run_step(run, NULL);
		for (int j = 0; j < N_WINDOWS * N_SORTS; j++) {
			struct timed *one = &timed[j / N_SORTS][j % N_SORTS];
			uint64_t from_ns = clock_now_ns();

			if (frame_make(made_run_session(run), &one->frame, &canvas, COLUMNS, LINES) < 0)
				return 1;
			one->ms[i] = ms_since(from_ns);
		}
		uint64_t from_ns = clock_now_ns();

		screen_show(screen, &canvas, false);
		while (screen_behind(screen) >= 0) {
			poll(&(struct pollfd){.fd = screen_behind(screen), .events = POLLOUT}, 1, -1);
			screen_send(screen);
		}
		show_ms[i] = ms_since(from_ns);
	}
	screen_destroy(screen);
	if (!time_matrix(&canvas, matrix_ms))
		return 1;
	fprintf(out, "{");
	print_times(out, "matrix", "", matrix_ms, ", ");
	for (int j = 0; j < N_WINDOWS * N_SORTS; j++)
		print_times(out, window_name((enum window)(j / N_SORTS)),
			columns_table[sorts[j % N_SORTS]].title, timed[j / N_SORTS][j % N_SORTS].ms, ", ");
	print_times(out, "show", "", show_ms, "}\n");
	for (int j = 0; j < N_WINDOWS * N_SORTS; j++)
		frame_finish(&timed[j / N_SORTS][j % N_SORTS].frame);
	canvas_finish(&canvas);
	made_run_destroy(run);
	return fclose(out) != 0;
}
