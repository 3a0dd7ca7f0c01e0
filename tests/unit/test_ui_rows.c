/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_rows.c - what a row of the table says of its ring. */
#include <locale.h>
#include <sched.h>

#include "src/model/comparison_lines.h"
#include "tests/unit/screen_fixture.h"
#include "tests/unit/tap.h"
#include "ui/frame/keys.h"

static void words_tell_the_state_of_a_row(void)
{
	static const struct {
		enum ring_state state;
		enum ring_condition condition;
		uint64_t age_ns;
		const char *wide, *narrow;
	} cases[] = {
		{RING_RUNNING, CONDITION_STARVED, 1290000000, "starved   >=1.2s", " starv+ "},
		{RING_RUNNING, CONDITION_THROTTLED, 950000000, "throttled >=0.9s", " throt+ "},
		{RING_RUNNING, CONDITION_STOPPED, 12000000, "stopped   >=12ms", " stopp+ "},
		{RING_RUNNING, CONDITION_LATE, 12000000, "late      >=12ms", "   late "},
		{RING_RUNNING, CONDITION_FINE, 3000000, "overdue    >=3ms", " overd+ "},
		{RING_RUNNING, CONDITION_NEVER_RAN, 0, "never ran ", " never+ "},
		{RING_PAUSED, CONDITION_WAITING, 0, " in 2.5s  ", "8>9   1.55 "},
		{RING_DONE, CONDITION_FINE, 0, "done ", "done "},
		{RING_RUNNING, CONDITION_OFFLINE, 0, "offline ", " offli+ "},
		{RING_RUNNING, CONDITION_EXCLUDED, 0, "excluded ", " exclu+ "},
		{RING_FAILED, CONDITION_FINE, 0, "failed   ", " failed "},
	};

	seen_init(2);
	fake_replace(&seen.session->rings[1].label, "8>9");
	fake_turns(seen.session, 3, 3000000000, 500000000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_ring *ring = &seen.session->rings[1];

		ring->state = cases[i].state;
		ring->condition = cases[i].condition;
		ring->age_ns = cases[i].age_ns;
		fake_replace(&ring->reason, ring->state == RING_FAILED ? "mq_open: no room" : NULL);
		look(80, 24);
		CHECK(strstr(line_with("8>9"), cases[i].wide), "%s in '%s'", cases[i].wide, line_with("8>9"));
		look(40, 10);
		CHECK(strstr(line_with("8>9"), cases[i].narrow), "%s in '%s'", cases[i].narrow,
			line_with("8>9"));
		CHECK(strstr(line_with("8>9"), "   1.61  97.20   1.93  97.20"),
			"a word covers no figure: '%s'", line_with("8>9"));
	}
	seen_finish();
}

static void a_held_turn_is_named_and_the_others_wait(void)
{
	seen_init(3);
	fake_turns(seen.session, 3, 3000000000, 500000000);
	for (size_t i = 1; i < 3; i++) {
		seen.session->rings[i].state = RING_PAUSED;
		seen.session->rings[i].condition = CONDITION_WAITING;
	}
	look(80, 24);
	CHECK(shows(" turn 1/3  ") && strstr(line_with("2>0"), " in 5.5s "), "%s", seen.text);
	seen.session->turn_held = true;
	look(80, 24);
	CHECK(shows(" turn 1/3 held  ") && strstr(line_with("2>0"), " waiting "), "%s", seen.text);
	look(40, 10);
	CHECK(shows("turn 1/3 held"), "%s", seen.text);
	seen_finish();
}

static void a_key_holds_the_turn_of_the_selected_row(void)
{
	struct effect effect;

	seen_init(3);
	fake_turns(seen.session, 3, 3000000000, 500000000);
	look(80, 24);
	keys_press(&seen.frame, 'j');
	effect = keys_press(&seen.frame, 's');
	CHECK(is_command(effect.command, "hold") && effect.command.ring == 1);
	fake_replace(&seen.session->rings[0].mechanism, "svsem");
	look(80, 24);
	keys_press(&seen.frame, 'g');
	look(80, 24);
	effect = keys_press(&seen.frame, 's');
	look(80, 24);
	CHECK(effect.wish == SCREEN_REDRAW && !effect.command.kind &&
			shows("\na group has no turn of its own"),
		"%s", seen.text);
	seen.session->turn_held = true;
	look(80, 24);
	effect = keys_press(&seen.frame, 's');
	CHECK(is_command(effect.command, "hold") && effect.command.ring < 0,
		"turns go on, whatever is selected");
	seen_finish();
}

static void the_key_says_where_no_turn_can_be_held(void)
{
	seen_init(3);
	look(80, 24);
	CHECK(keys_press(&seen.frame, 's').wish == SCREEN_REDRAW);
	look(80, 24);
	CHECK(shows("\nno turns to hold"), "%s", seen.text);
	fake_turns(seen.session, 3, 3000000000, 500000000);
	seen.frame.is_replay = true;
	look(80, 24);
	CHECK(keys_press(&seen.frame, 's').wish == SCREEN_REDRAW);
	look(80, 24);
	CHECK(shows("\na replay has no turns to hold"), "%s", seen.text);
	CHECK(keys_press(&seen.frame, 'u').wish == SCREEN_REFIT && !seen.frame.message, "the next key");
	seen_finish();
}

/* The styles of what the line shows: a letter for each, a point for what is a blank. */
static const char *styles_of(const char *label)
{
	static const char letters[N_STYLES + 1] = {[STYLE_PLAIN] = 'p',
		[STYLE_STRONG] = 's',
		[STYLE_THIN] = 't',
		[STYLE_WAITING] = 'd',
		[STYLE_UNUSUAL] = 'u',
		[STYLE_ABOVE_LIMIT] = 'a',
		[STYLE_WRONG] = 'x',
		[STYLE_BAR] = 'b',
		[STYLE_SELECTED] = 'S'};
	static char styles[1024];
	unsigned n = 0;

	for (unsigned y = 0; y < seen.canvas.lines; y++) {
		const struct cell *line = &seen.canvas.cells[(size_t)y * seen.canvas.columns];
		char text[1024] = "";

		for (n = 0; n < seen.canvas.columns; n++) {
			text[n] = line[n].rune < 128 ? (char)line[n].rune : '?';
			styles[n] = line[n].rune == ' ' ? '.' : letters[line[n].style];
		}
		styles[n] = '\0';
		if (strstr(text, label))
			return styles;
	}
	return "";
}

static void rows_that_wait_for_their_turn_are_dim(void)
{
	static const struct {
		enum ring_state state;
		enum ring_condition condition;
		unsigned faults;
		bool dim;
	} cases[] = {
		{RING_PAUSED, CONDITION_WAITING, 0, true},
		{RING_PAUSED, CONDITION_WAITING, 1, true}, /* but for the word */
		{RING_RUNNING, CONDITION_FINE, 0, false},
		{RING_RUNNING, CONDITION_NEVER_RAN, 0, false},
		{RING_FAILED, CONDITION_WAITING, 0, false},
	};

	seen_init(3);
	fake_replace(&seen.session->rings[1].label, "8>9");
	fake_turns(seen.session, 3, 1000000000, 500000000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_ring *ring = &seen.session->rings[1];

		ring->state = cases[i].state;
		ring->condition = cases[i].condition;
		ring->faults[FAULT_LOST] = cases[i].faults;
		look(120, 30);
		const char *styles = styles_of("8>9");
		bool plain = strpbrk(styles, "ps"), dim = strchr(styles, 'd');

		CHECK(plain != cases[i].dim && dim == cases[i].dim, "case %zu: %s", i, styles);
		CHECK(!strchr(styles, 'x') == !(cases[i].faults || ring->state == RING_FAILED),
			"case %zu: %s", i, styles);
	}
	seen_finish();
}

/* A figure with several meanings shows the strongest: above the limit, then waiting, then few samples. */
static void a_cell_has_the_strongest_of_its_meanings(void)
{
	static const struct {
		uint64_t limit_ns;
		bool waits;
		const char *has, *lacks;
	} cases[] = {
		{0, false, "pst", "da"},
		{50000, false, "psta", "d"}, /* s: the response */
		{1, false, "psa", "td"},
		{0, true, "d", "psta"},
		{50000, true, "da", "pst"},
	};

	seen_init(3);
	fake_replace(&seen.session->rings[1].label, "8>9");
	fake_turns(seen.session, 3, 1000000000, 500000000);
	hist_finish(&seen.session->rings[1].figures[FIGURE_FIRST].hist);
	fake_sample(&seen.session->rings[1].figures[FIGURE_FIRST], 1500, 500, 1);
	fake_sample(&seen.session->rings[1].figures[FIGURE_FIRST], 96200, 1, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session_ring *ring = &seen.session->rings[1];

		ring->state = cases[i].waits ? RING_PAUSED : RING_RUNNING;
		ring->condition = cases[i].waits ? CONDITION_WAITING : CONDITION_FINE;
		seen.frame.view.limit_ns = cases[i].limit_ns;
		look(150, 30);
		const char *styles = styles_of("8>9");

		for (const char *letter = cases[i].has; *letter; letter++)
			CHECK(strchr(styles, *letter), "case %zu: no %c in %s", i, *letter, styles);
		CHECK(!strpbrk(styles, cases[i].lacks), "case %zu: %s", i, styles);
	}
	seen_finish();
}

/* A stall of 700 ms in the paced ring's response, of 900 ms in the flood's lap. */
static void stalls_are_shown_beside_each_figure(void)
{
	static const struct {
		const char *label, *cells;
		uint64_t interval_ns;
		enum figure figure;
		uint64_t stall_ns;
	} rings[] = {
		{"6>7", " 700.00 700.00 ", 1000000, FIGURE_RESPONSE, 700000000},
		{"8>9", " 900.00 900.00 ", 0, FIGURE_LAP, 900000000},
	};

	seen_init(2);
	seen.frame.view.unit = UNIT_MS;
	for (size_t i = 0; i < 2; i++) {
		struct session_ring *ring = &seen.session->rings[i];

		fake_replace(&ring->label, rings[i].label);
		ring->interval_ns = rings[i].interval_ns;
		hist_finish(&ring->figures[rings[i].figure].hist);
		fake_sample(&ring->figures[rings[i].figure], rings[i].stall_ns, 2000, 1);
	}
	for (size_t shown = 0; shown < N_FIGURES_SHOWN; shown++) {
		look(80, 24);
		for (size_t i = 0; i < 2; i++)
			CHECK(strstr(line_with(rings[i].label), rings[i].cells), "%zu: %s", shown, seen.text);
		keys_press(&seen.frame, 'o');
	}
	seen_finish();
}

static void no_title_touches_the_sign_of_the_next_one(void)
{
	static const unsigned widths[] = {40, 80, 120, 200};

	seen_init(2);
	fake_replace(&seen.session->rings[1].mechanism, "sem");
	seen.frame.view.limit_ns = 50000;
	for (size_t sort = 0; sort < N_COLUMNS; sort++) {
		for (size_t i = 0; i < sizeof(widths) / sizeof(*widths) && columns_table[sort].value; i++) {
			char sign = columns_table[sort].largest_first ? 'v' : '^', title[32],
			     signed_title[40];

			seen.frame.view.sort = sort;
			look(widths[i], 24);
			snprintf(signed_title, sizeof(signed_title), "%c%s", sign,
				columns_title(sort, 50000, title, sizeof(title)));
			const char *head = line_with("PAIR"), *at = strstr(head, signed_title);

			CHECK(at || !seen.frame.view.columns.width[sort], "%u: %s", widths[i], head);
			CHECK(!at || at == head || at[-1] == ' ', "%u: %s", widths[i], head);
		}
	}
	seen_finish();
}

/* The styles of the columns from Cur to Max. */
static const char *styles_of_figures(const char *label)
{
	static char figures[COLUMN_MAX - COLUMN_CUR + 2];
	const struct columns *columns = &seen.frame.view.columns;
	const char *styles = styles_of(label);

	for (unsigned c = COLUMN_CUR; c <= COLUMN_MAX; c++)
		figures[c - COLUMN_CUR] = styles[columns->x[c] + columns->width[c] - 1];
	return figures;
}

/* In a row of those that are alike, a figure of more than twice their median. */
static void figures_far_from_those_of_the_class_stand_out(void)
{
	static const struct {
		uint64_t ns, count, missed;
		enum locality class;
		const char *figures; /* Cur Min p50 Avg p99 p99.9 Max */
		bool missed_is_marked;
	} cases[] = {
		{0, 0, 0, LOCALITY_SMT, "pppppps", false},
		{3000, 9000, 0, LOCALITY_SMT, "pppppps", false},
		{90000, 9000, 0, LOCALITY_SMT, "pppuuus", false},
		{400000, 1, 0, LOCALITY_SMT, "ppppppu", false},
		{90000, 9000, 0, LOCALITY_L2, "pppppps", false}, /* alone of its class */
		{0, 0, 1, LOCALITY_L2, "pppppps", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen_init(6);
		struct session_ring *ring = &seen.session->rings[3];
		for (size_t r = 0; r < 6; r++)
			seen.session->rings[r].locality = LOCALITY_SMT;
		fake_replace(&ring->label, "8>9");
		ring->locality = cases[i].class;
		ring->counts.missed = cases[i].missed;
		if (cases[i].count)
			fake_sample(&ring->figures[FIGURE_FIRST], cases[i].ns, cases[i].count, 1);
		look(150, 30);
		const char *figures = styles_of_figures("8>9"), *styles = styles_of("8>9");

		CHECK(strcmp(figures, cases[i].figures) == 0, "case %zu: %s in %s", i, figures, seen.text);
		CHECK((styles[seen.frame.view.columns.x[COLUMN_MISSED] + 5] == 'u') ==
				cases[i].missed_is_marked,
			"case %zu", i);
		seen_finish();
	}
}

static void figures_far_from_those_of_the_baseline_stand_out(void)
{
	static const struct comparison_file file;
	struct comparison_line line = {
		.is_ready = true, .row = 1, .a = {.percentile_ns = {{700, 1000, 1000}}}};
	struct comparison_lines lines = {.lines = &line, .n_lines = 1, .n_rings = 1};

	seen_init(2);
	fake_replace(&seen.session->rings[1].label, "8>9");
	look(150, 30);
	CHECK(strcmp(styles_of_figures("8>9"), "pppppps") == 0, "%s", styles_of_figures("8>9"));
	seen.frame.view.compared.file = &file;
	seen.frame.view.compared.baseline = COMPARISON_FILE;
	seen.frame.view.compared.lines = &lines;
	look(150, 30);
	CHECK(compared_choice(&seen.frame.view, &lines.choice));
	look(150, 30);
	CHECK(strcmp(styles_of_figures("8>9"), "ppuppus") == 0, "%s in %s", styles_of_figures("8>9"),
		seen.text);
	seen.frame.view.compared.lines = NULL;
	seen_finish();
}

static void the_selected_row_has_no_other_style(void)
{
	seen_init(2);
	fake_replace(&seen.session->rings[0].label, "8>9");
	seen.session->rings[0].condition = CONDITION_STARVED;
	seen.frame.view.limit_ns = 1;
	look(150, 30);
	const char *styles = styles_of(">   8>9");

	CHECK(*styles && strspn(styles, "S.") == strlen(styles), "%s", styles);
	seen_finish();
}

static void tokens_that_went_wrong_are_told(void)
{
	seen_init(2);
	fake_replace(&seen.session->rings[1].label, "8>9");
	seen.session->rings[0].token_bytes = 4096;
	seen.session->work_size = 64 << 10;
	look(200, 40);
	CHECK(shows("size 4k") && shows("work 64k") && !shows("token"), "%s", seen.text);
	seen.session->rings[1].faults[FAULT_LOST] = 2;
	seen.session->rings[1].faults[FAULT_DAMAGED] = 1;
	look(80, 24);
	CHECK(strstr(line_with("8>9"), "damaged "), "'%s'", line_with("8>9"));
	CHECK(shows("2 tokens lost, 1 damaged"), "%s", seen.text);
	seen.session->rings[1].condition = CONDITION_STARVED;
	look(80, 24);
	CHECK(strstr(line_with("8>9"), "starved "), "'%s'", line_with("8>9"));
	seen_finish();
}

static void a_figure_without_samples_is_a_dash(void)
{
	seen_init(2);
	fake_replace(&seen.session->rings[1].label, "8>9");
	for (size_t f = 0; f < N_FIGURES; f++)
		hist_finish(&seen.session->rings[1].figures[f].hist);
	look(40, 10);
	CHECK(strcmp(line_with("8>9"), "  8>9      -      -      -      -      -") == 0, "'%s'",
		line_with("8>9"));
	seen.session->rings[1].state = RING_FAILED;
	fake_replace(&seen.session->rings[1].reason, "mq_open: no room");
	look(40, 10);
	CHECK(strcmp(line_with("8>9"), "  8>9 failed: mq_open: no room") == 0, "'%s'", line_with("8>9"));
	look(80, 24);
	CHECK(strstr(line_with("8>9"), " FF80  failed: mq_open: no room"), "'%s'", line_with("8>9"));
	seen_finish();
}

static void a_percentile_of_few_samples_is_marked(void)
{
	seen_init(1);
	fake_replace(&seen.session->rings[0].label, "8>9");
	for (size_t f = 0; f < N_FIGURES; f++)
		hist_finish(&seen.session->rings[0].figures[f].hist);
	fake_sample(&seen.session->rings[0].figures[FIGURE_FIRST], 145200, 999, 1);
	look(80, 24);
	CHECK(strstr(line_with(" 8>9 "), "~145."), "'%s'", line_with(" 8>9 "));
	for (unsigned columns = 40; columns < 200; columns++) {
		look(columns, 24);
		const char *mark = strchr(line_with(" 8>9 "), '~');

		CHECK(mark && mark[-1] == ' ', "%u: '%s'", columns, line_with(" 8>9 "));
	}
	fake_sample(&seen.session->rings[0].figures[FIGURE_FIRST], 145200, 1, 1);
	look(80, 24);
	CHECK(!strstr(line_with(" 8>9 "), "~"), "'%s'", line_with(" 8>9 "));
	look(200, 60);
	CHECK(strstr(line_with(" p99.9  ~"), "~145.2"), "%s", seen.text);
	seen_finish();
}

static void scheduling_other_than_asked_is_marked(void)
{
	static const struct {
		struct task_policy policies[2];
		int32_t cpus[2];
		const char *text;
		struct task_policy asked; /* 0: FIFO 80 */
	} cases[] = {
		{{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}}, {0, 0}, " FF80 "},
		{{{SCHED_FIFO, 80}, {SCHED_OTHER, 0}}, {0, 0}, " OTH!  "},
		{{{SCHED_OTHER, 0}, {SCHED_OTHER, 0}}, {0, 0}, " OTH! "},
		{{{SCHED_FIFO, 80}, {SCHED_FIFO, 80}}, {0, 3}, " FF80! "},
		{{{SCHED_FIFO, 80}, {SCHED_RR, 5}}, {0, 0}, " RR5!  "},
		{{{SCHED_OTHER, 0, 19}, {SCHED_OTHER, 0, 19}}, {0, 0}, " OTH!  "},
		{{{SCHED_BATCH, 0, -20}, {SCHED_BATCH, 0, -20}}, {0, 0}, " BAT!  "},
		{{{SCHED_OTHER, 0, 10}, {SCHED_OTHER, 0, 10}}, {0, 0}, " OTH10 ", {SCHED_OTHER, 0, 10}},
		{{{SCHED_OTHER, 0, 10}, {SCHED_OTHER, 0, 0}}, {0, 0}, " OTH!  ", {SCHED_OTHER, 0, 10}},
		{{{SCHED_OTHER, 0, -19}, {SCHED_OTHER, 0, -20}}, {0, 0}, " OTH!  "},
		{{{SCHED_OTHER, 0, -10}, {SCHED_OTHER, 0, -10}}, {0, 0}, " OTH   ", {SCHED_OTHER, 0, -10}},
		{{{SCHED_OTHER, 0}, {SCHED_OTHER, 0, -5}}, {0, 0}, " OTH!  "},
		{{{6, 0}, {6, 0}}, {0, 0}, " DL!   "}, /* SCHED_DEADLINE */
		{{{SCHED_IDLE, 0}, {SCHED_FIFO, 80}}, {0, 0}, " IDL!  "},
	};

	seen_init(1);
	fake_replace(&seen.session->rings[0].label, "8>9");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		seen.session->rings[0].asked =
			cases[i].asked.nice ? cases[i].asked : (struct task_policy){SCHED_FIFO, 80};
		for (unsigned m = 0; m < 2; m++) {
			seen.session->rings[0].members[m].policy = cases[i].policies[m];
			seen.session->rings[0].members[m].cpu = cases[i].cpus[m];
		}
		look(80, 24);
		CHECK(strstr(line_with("8>9"), cases[i].text), "%s in '%s'", cases[i].text, line_with("8>9"));
		CHECK(seen.frame.view.columns.width[COLUMN_SCHED] == 5, "%s: no column moves", cases[i].text);
	}
	seen_finish();
}

/* What a user has set by himself is marked, and no more. */
static void only_refused_scheduling_is_wrong(void)
{
	seen_init(2);
	struct session_ring *ring = &seen.session->rings[1];

	fake_replace(&ring->label, "8>9");
	ring->members[0].policy = (struct task_policy){SCHED_RR, 5};
	for (unsigned refused = 0; refused < 2; refused++) {
		ring->refused = refused;
		look(120, 30);
		CHECK(shows(" RR5! "));
		CHECK(!strchr(styles_of("8>9"), 'x') == !refused, "%s", styles_of("8>9"));
		CHECK(!strchr(styles_of("asked FIFO:80, 1 of 4"), 'x') == !refused, "%s", seen.text);
		keys_press(&seen.frame, KEY_CODE_LAST);
		look(120, 30);
		keys_press(&seen.frame, KEY_CODE_ENTER);
		look(120, 30);
		CHECK(!strchr(styles_of("RR5 asked FF80"), 'x') == !refused, "%s", seen.text);
		keys_press(&seen.frame, KEY_CODE_ENTER);
		keys_press(&seen.frame, 'g');
	}
	seen_finish();
}

static void flood_shows_the_lap_and_says_so(void)
{
	seen_init(2);
	for (size_t i = 0; i < 2; i++)
		seen.session->rings[i].interval_ns = 0;
	look(80, 24);
	CHECK(shows("lap [us]") && shows("flood"), "%s", seen.text);
	seen.session->rings[1].interval_ns = 1000000;
	fake_replace(&seen.session->rings[0].label, "8>9");
	look(80, 24);
	CHECK(shows("first hop [us]") && strstr(line_with("8>9"), " lap "), "%s", seen.text);
	seen_finish();
}

static void mechanisms_have_a_column_where_there_are_several(void)
{
	seen_init(3);
	look(80, 24);
	CHECK(!shows("MECH") && shows("host42  mq  first hop [us]"), "%s", seen.text);
	look(40, 10);
	CHECK(strncmp(seen.text, "mq  first [us]  window phase", 28) == 0, "%s", seen.text);
	fake_replace(&seen.session->rings[1].mechanism, "signal");
	look(80, 24);
	CHECK(shows("MECH") && shows("2 signal") && shows("host42  first hop [us]"), "%s", seen.text);
	seen_finish();
}

static void a_sum_says_how_many_of_its_rings_are_gone(void)
{
	seen_init(4);
	look(80, 24);
	CHECK(shows("  all (4 pairs) "), "%s", seen.text);
	seen.session->rings[1].state = RING_GONE;
	seen.session->rings[1].ended_ns = 1;
	look(80, 24);
	CHECK(shows("  all (3 pairs, 1 gone) "), "%s", seen.text);
	look(40, 24);
	CHECK(shows("  all"), "%s", seen.text);
	seen_finish();
}

static void a_reason_stands_with_the_selected_row(void)
{
	seen_init(2);
	fake_replace(&seen.session->rings[0].reason,
		"FIFO was refused: RLIMIT_RTPRIO is 0, raise it or run as root, "
		"or give CAP_SYS_NICE to the program");
	look(200, 60);
	CHECK(shows("FIFO was refused") && shows("CAP_SYS_NICE to the program"), "%s", seen.text);
	seen_finish();
}

static bool shows_row(size_t i)
{
	char label[48];

	snprintf(label, sizeof(label), " %zu>%zu ", i, (i + 1) % seen.session->n_rings);
	return shows(label);
}

/* All rows from the first visible one on are shown or counted, and the selected one is shown. */
static void check_hidden_rows(const char *key)
{
	size_t n = seen.frame.view.order.n, end = seen.frame.view.top;
	char above[48] = "", below[48] = "", more[128];

	while (end < n && shows_row(end))
		end++;
	if (seen.frame.view.top)
		snprintf(above, sizeof(above), "%zu above%s", seen.frame.view.top, end < n ? ", " : "");
	if (end < n)
		snprintf(below, sizeof(below), "%zu below", n - end);
	snprintf(more, sizeof(more), "\n  ... %s%s\n", above, below);
	CHECK(*above || *below ? shows(more) : !shows(" above") && !shows(" below"), "%s %zu: %s", key,
		seen.frame.view.position, seen.text);
	CHECK(seen.frame.view.position >= seen.frame.view.top && seen.frame.view.position < end, "%s %zu: %s",
		key, seen.frame.view.position, seen.text);
}

static void the_last_line_counts_the_rows_that_are_hidden(void)
{
	static const char keys[] = "GgjjjjjjjjjjjjjjjjjjjjjjjjjjjjkkkkkkkkkkkkkkkkkkG";
	static const unsigned lines[] = {10, 16, 24, 40};

	seen_init(30);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		for (const char *key = keys; *key; key++) {
			keys_press(&seen.frame, (unsigned char)*key);
			look(80, lines[i]);
			check_hidden_rows(key);
		}
		keys_press(&seen.frame, 'g');
		while (seen.frame.view.position < 29) {
			size_t end = seen.frame.view.top + view_state_visible(&seen.frame.view);

			keys_press(&seen.frame, KEY_CODE_PAGE_DOWN);
			look(80, lines[i]);
			check_hidden_rows("PgDn");
			CHECK(seen.frame.view.top <= end, "no row is skipped: %zu after %zu",
				seen.frame.view.top, end);
		}
	}
	keys_press(&seen.frame, 'g');
	look(80, 24);
	frame_press(&seen.frame, KEY_CODE_CLICK, 10, 4 + (unsigned)seen.frame.view.page);
	CHECK(seen.frame.view.position == 0, "the line of hidden rows is no row");
	seen_finish();
}

/* What waits now may be worse than all that has ended; hops, and rings that are filtered out, are not asked.
 */
static void a_key_selects_the_worst_row(void)
{
	static const struct {
		size_t longest, waiting;
		uint64_t age_ns;
		const char *filter;
		uint32_t selected;
	} cases[] = {
		{9, 3, 0, "", 9},
		{9, 3, 400000, "", 9},
		{9, 3, 900000000, "", 3},
		{9, 3, 900000000, "!cpu:3", 9},
		{27, 28, 0, "", 27},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error_text reason;

		seen_init(30);
		fake_sample(&seen.session->rings[cases[i].longest].figures[FIGURE_RESPONSE], 5000000, 1, 1);
		seen.session->rings[cases[i].waiting].age_ns = cases[i].age_ns;
		CHECK(filter_parse(&seen.frame.view.filter, cases[i].filter, &reason) == 0);
		look(80, 24);
		CHECK(keys_press(&seen.frame, '!').wish == SCREEN_REFIT);
		look(80, 24);
		CHECK(seen.frame.view.selected == cases[i].selected && shows_row(cases[i].selected),
			"case %zu: %u", i, (unsigned)seen.frame.view.selected);
		keys_press(&seen.frame, 'j');
		look(80, 24);
		CHECK(seen.frame.view.selected != cases[i].selected, "once");
		seen_finish();
	}
}

static void rings_that_differ_show_interval_and_size(void)
{
	seen_init(3);
	look(120, 24);
	CHECK(!shows("EVERY") && !shows("SIZE"), "the header says what is common to all: %s", seen.text);
	seen.session->rings[1].interval_ns = 2500000;
	seen.session->rings[2].interval_ns = 0;
	look(120, 24);
	CHECK(shows(" EVERY ") && !shows("SIZE") && shows("  1ms ") && shows(" 2.5ms ") && shows(" flood "),
		"%s", seen.text);
	seen.frame.view.sort = COLUMN_INTERVAL;
	look(120, 24);
	CHECK(seen.frame.view.order.rows[0].id == 1 && seen.frame.view.order.rows[2].id == 2,
		"the longest first");
	seen.session->rings[0].token_bytes = 4096;
	look(120, 24);
	CHECK(!shows(" SIZE "), "the others carry no bytes: %s", seen.text);
	seen.session->rings[1].token_bytes = 1 << 20;
	look(120, 24);
	CHECK(shows(" SIZE ") && shows(" 4k ") && shows(" 1M "), "%s", seen.text);
	seen_finish();
}

static void ids_show_where_there_is_room(void)
{
	static const unsigned char wanted[] = {2, 12};

	seen_init(3);
	seen.session->rings[2].id = 4077;
	look(80, 24);
	CHECK(!shows(" ID ") && !shows("4077"), "%s", seen.text);
	look(200, 24);
	CHECK(shows("   ID ") && shows(" 4077 "), "%s", seen.text);
	columns_choose(&seen.frame.view.chosen, wanted, 2);
	look(80, 24);
	CHECK(shows("   ID ") && shows(" 4077 ") && shows(" p99"), "%s", seen.text);
	seen_finish();
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	TEST(words_tell_the_state_of_a_row);
	TEST(a_held_turn_is_named_and_the_others_wait);
	TEST(a_key_holds_the_turn_of_the_selected_row);
	TEST(the_key_says_where_no_turn_can_be_held);
	TEST(rows_that_wait_for_their_turn_are_dim);
	TEST(a_cell_has_the_strongest_of_its_meanings);
	TEST(stalls_are_shown_beside_each_figure);
	TEST(no_title_touches_the_sign_of_the_next_one);
	TEST(figures_far_from_those_of_the_class_stand_out);
	TEST(figures_far_from_those_of_the_baseline_stand_out);
	TEST(only_refused_scheduling_is_wrong);
	TEST(the_selected_row_has_no_other_style);
	TEST(tokens_that_went_wrong_are_told);
	TEST(a_figure_without_samples_is_a_dash);
	TEST(a_percentile_of_few_samples_is_marked);
	TEST(scheduling_other_than_asked_is_marked);
	TEST(flood_shows_the_lap_and_says_so);
	TEST(mechanisms_have_a_column_where_there_are_several);
	TEST(a_sum_says_how_many_of_its_rings_are_gone);
	TEST(a_reason_stands_with_the_selected_row);
	TEST(the_last_line_counts_the_rows_that_are_hidden);
	TEST(a_key_selects_the_worst_row);
	TEST(rings_that_differ_show_interval_and_size);
	TEST(ids_show_where_there_is_room);
	return tap_done();
}
