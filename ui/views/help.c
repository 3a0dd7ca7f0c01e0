/* SPDX-License-Identifier: GPL-2.0-or-later */
/* help.c - the pages of the help: all keys, and a glossary, whose sentences are those of the tables. */

#include <string.h>

#include "src/figures/shift.h"
#include "src/figures/tick.h"
#include "ui/table/columns.h"
#include "ui/views/view.h"

enum { GAP = 2, LINES_MAX = 256 };

enum help_page { HELP_KEYS, HELP_GLOSSARY, N_HELP_PAGES };

struct help {
	enum help_page page;
	size_t top, last; /* the first visible line; its maximum */
};

extern const struct view_kind view_help;

/* A part of a text that fits on a line, behind its name; a title has no text. */
struct line {
	const char *name, *text;
	size_t length;
	enum style style; /* of the name */
};

struct lines {
	const struct frame *frame;
	unsigned room; /* columns for the text */
	bool ascii;
	size_t n;
	struct line list[LINES_MAX];
};

static void append_line(
	struct lines *lines, enum style style, const char *name, const char *text, size_t length)
{
	if (lines->n < LINES_MAX)
		lines->list[lines->n++] = (struct line){name, text, length, style};
}

/* Wraps the text. */
static void append_styled(struct lines *lines, enum style style, const char *name, const char *text)
{
	for (; *text; name = "") {
		size_t length = canvas_line_length(text, lines->room);

		append_line(lines, style, name, text, length);
		text += length + strspn(text + length, " ");
	}
}

static void append(struct lines *lines, const char *name, const char *text)
{
	append_styled(lines, STYLE_STRONG, name, text);
}

static void append_title(struct lines *lines, const char *title)
{
	if (lines->n)
		append_line(lines, STYLE_PLAIN, "", "", 0);
	append_line(lines, STYLE_TITLE, title, NULL, 0);
}

static void append_keys(struct lines *lines)
{
	static const char *const titles[N_KEY_GROUPS] = {[KEYS_OF_VIEWS] = "VIEWS",
		[KEYS_OF_ROWS] = "ROWS",
		[KEYS_OF_TIME] = "TIME",
		[KEYS_OF_FIGURES] = "FIGURES",
		[KEYS_OF_PHASES] = "PHASES",
		[KEYS_OF_ACTING] = "ACTING on the marked or selected rows",
		[KEYS_OF_ONE] = "IN ONE VIEW OR DIALOG",
		[KEYS_OF_SCREEN] = "SCREEN"};

	const char *acting = lines->frame->is_replay   ? "ACTING: not in a replay"
			     : lines->frame->read_only ? "ACTING: not with --read-only"
						       : titles[KEYS_OF_ACTING];

	for (int group = 0; group < N_KEY_GROUPS; group++) {
		append_line(lines, STYLE_TITLE, group == KEYS_OF_ACTING ? acting : titles[group], NULL, 0);
		for (size_t i = 0; i < lines->frame->n_keys; i++) {
			const struct key *key = &lines->frame->keys[i];

			if (key->names && (int)key->group == group)
				append(lines, key->names, key->help);
		}
	}
}

static void append_figures(struct lines *lines)
{
	append_title(lines, "FIGURES");
	for (int f = 0; f < N_FIGURES; f++)
		append(lines,
			f < N_FIGURES_SHOWN ? figure_title((enum figure)f) : figure_name((enum figure)f),
			figure_help((enum figure)f));
}

static void append_columns(struct lines *lines)
{
	append_title(lines, "COLUMNS");
	for (size_t i = 0; i < N_COLUMNS; i++)
		append(lines, columns_table[i].title, columns_table[i].help);
}

static void append_words(struct lines *lines)
{
	append_title(lines, "WORDS of STATE");
	for (int c = CONDITION_FINE + 1; c < N_CONDITIONS; c++)
		append(lines, ring_condition_name((enum ring_condition)c),
			ring_condition_help((enum ring_condition)c));
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		append(lines, token_fault_name((enum token_fault)f), token_fault_help((enum token_fault)f));
	for (int s = 0; s < N_RING_STATES; s++)
		append(lines, ring_state_name((enum ring_state)s), ring_state_help((enum ring_state)s));
}

static void append_verdicts(struct lines *lines)
{
	append_title(lines, "VERDICTS of a comparison, of each mark and row");
	for (size_t v = N_SHIFT_VERDICTS; v-- > 0;)
		append(lines, shift_verdict_words[v].name, shift_verdict_words[v].help);
}

static void append_terms(struct lines *lines)
{
	static const struct {
		const char *name, *help;
	} terms[] = {
		{"ring", "members with one token; a pair is a ring of 2"},
		{"hop", "the way of the token to the next member"},
		{"origin", "the member that starts each lap when it is due"},
		{"flood", "no interval: the next lap starts at once"},
		{"window", "the samples shown: 1s 10s 60s phase all"},
		{"phase", "from one mark or change to the next"},
		{"turn", "rings that share a CPU run one after another"},
		{"rested", "laps due while the ring left its CPU to others"},
		{"away", "laps while a member was not on its CPU"},
	};

	append_title(lines, "TERMS");
	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++)
		append(lines, terms[i].name, terms[i].help);
}

static void append_signs(struct lines *lines)
{
	static const struct {
		const char *sign, *ascii, *meaning;
	} signs[] = {
		{">", ">", "the selected row"},
		{"*", "*", "marked for the next action: v, V"},
		{"~", "~", "under 10 samples beyond it: do not trust it"},
		{"!", "!", "scheduling is not as asked: refused, or changed"},
		{">=", ">=", "the age of what is overdue"},
		{"-", "-", "no samples"},
		{"▴ ▾", "^ v", "sorted: the least, the largest first"},
		{"▸ ▾", "+ -", "folded, unfolded"},
		{"…", "+", "cut, because there is no room"},
		{"^3", "^3", "phase 3 begins"},
		{"*", "*", "in trend or map: a spike with a named cause"},
		{"/", "/", "in trend or map: nothing sampled, ipctop late"},
		{"=", "=", "after a hop: as long as the way back"},
	};

	append_title(lines, "SIGNS");
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		append(lines, lines->ascii ? signs[i].ascii : signs[i].sign, signs[i].meaning);
	for (size_t v = N_SHIFT_VERDICTS; v-- > 0;)
		append(lines, shift_verdict_words[v].sign, shift_verdict_words[v].name);
}

/* Each name is a sample of the look. */
static void append_colors(struct lines *lines)
{
	const struct {
		enum style style;
		const char *name, *meaning;
	} colors[] = {
		{STYLE_WRONG, "starved !", "not as asked: states, refused scheduling"},
		{STYLE_UNUSUAL, "99.90", "twice its class or baseline; missed laps"},
		{STYLE_ABOVE_LIMIT, "50.12", "a time above the limit of --fail-above"},
		{STYLE_THIN, "~12.34", "under 10 samples beyond it"},
		{STYLE_WAITING, "in 0.4s", "waits for its turn: the figures are old"},
		{STYLE_WORSE, "worse w", shift_verdict_words[SHIFT_WORSE].help},
		{STYLE_BETTER, "better b", shift_verdict_words[SHIFT_BETTER].help},
		{STYLE_UNDECIDED, "undecided ?", shift_verdict_words[SHIFT_UNDECIDED].help},
		{STYLE_WARNING, "warning", "an event that may explain figures"},
	};

	append_title(lines, "COLORS, each beside a word or sign");
	for (size_t i = 0; i < sizeof(colors) / sizeof(*colors); i++)
		append_styled(lines, colors[i].style, colors[i].name, colors[i].meaning);
}

static void append_glossary(struct lines *lines)
{
	append_figures(lines);
	append_columns(lines);
	append_verdicts(lines);
	append_terms(lines);
	append_words(lines);
	append_signs(lines);
	append_colors(lines);
}

static const struct page {
	const char *title;
	unsigned names_width, column_width; /* two columns where there is room */
	void (*append)(struct lines *lines);
} pages[N_HELP_PAGES] = {
	[HELP_KEYS] = {" help: [1 keys] 2 glossary;", 8, 40, append_keys},
	[HELP_GLOSSARY] = {" help: 1 keys [2 glossary];", 11, 60, append_glossary},
};

static unsigned columns_in(const struct page *page, struct area area)
{
	return area.width >= 2 * page->column_width ? 2 : 1;
}

/* Returns the number of lines of the screen that all of the page needs. */
static size_t height_of(const struct lines *lines, const struct page *page, struct area area)
{
	unsigned columns = columns_in(page, area);

	return (lines->n + columns - 1) / columns;
}

/* A title at the end of a column would be far from its lines: empty lines before it move it to the next one.
 */
static void keep_title(struct lines *lines, const struct page *page, struct area area)
{
	size_t last;

	while (columns_in(page, area) > 1 && lines->n > 1 && lines->n < LINES_MAX &&
		!lines->list[last = height_of(lines, page, area) - 1].text) {
		memmove(&lines->list[last + 1], &lines->list[last],
			(lines->n++ - last) * sizeof(*lines->list));
		lines->list[last] = (struct line){.name = "", .text = ""};
	}
}

static void make_lines(
	struct lines *lines, const struct frame *frame, const struct page *page, struct area area, bool ascii)
{
	unsigned width = columns_in(page, area) > 1 ? page->column_width - 1 : area.width;

	lines->frame = frame;
	lines->room = width - page->names_width - GAP;
	lines->ascii = ascii;
	lines->n = 0;
	page->append(lines);
	keep_title(lines, page, area);
}

static size_t last_of(const struct lines *lines, const struct page *page, struct area area)
{
	size_t height = height_of(lines, page, area), room = area.height ? area.height - 1 : 0;

	return height > room ? height - room : 0;
}

static struct area fit(struct frame *frame, const struct session *session, struct area body)
{
	struct help *help = view_own(frame, &view_help);
	struct lines lines;

	make_lines(&lines, frame, &pages[help->page], body, false);
	help->last = last_of(&lines, &pages[help->page], body);
	return (struct area){0};
}

static void draw_line(const struct scene *scene, struct area area, unsigned y, const struct page *page,
	const struct line *line)
{
	unsigned x = page->names_width + GAP;
	char text[256];

	if (!line->text) {
		canvas_left(scene->canvas, area, 0, y, area.width, line->style, line->name);
		return;
	}
	snprintf(text, sizeof(text), "%.*s", (int)line->length, line->text);
	canvas_right(scene->canvas, area, 0, y, page->names_width, line->style, line->name);
	canvas_left(scene->canvas, area, x, y, area.width - x, STYLE_PLAIN, text);
}

static void draw_title(const struct scene *scene, struct area area, const struct page *page, bool scrolls)
{
	char title[128];

	snprintf(title, sizeof(title), "%s %sLeft Right turn the page, Esc closes ", page->title,
		scrolls ? "j k scroll, " : "");
	canvas_title(scene->canvas, area, title);
}

static void draw_help(const struct scene *scene, struct area area)
{
	const struct help *help = view_own(scene->frame, &view_help);
	const struct page *page = &pages[help->page];
	unsigned columns = columns_in(page, area);
	struct lines lines;

	make_lines(&lines, scene->frame, page, area, scene->canvas->ascii);
	size_t height = height_of(&lines, page, area), last = last_of(&lines, page, area);
	size_t top = view_state_step(help->top, 0, last);

	canvas_blank(scene->canvas, area);
	draw_title(scene, area, page, last > 0);
	for (unsigned column = 0; column < columns; column++) {
		struct area inner = {area.x + column * page->column_width, area.y + 1,
			columns > 1 ? page->column_width : area.width, area.height - 1};
		size_t first = column * height + top, end = (column + 1) * height;

		for (unsigned y = 0; y < inner.height && first + y < end && first + y < lines.n; y++)
			draw_line(scene, inner, y, page, &lines.list[first + y]);
	}
}

static void open(struct frame *frame)
{
	struct help *help = view_own(frame, &view_help);

	help->page = HELP_KEYS;
	help->top = 0;
}

static void press_page(struct frame *frame, long page)
{
	struct help *help = view_own(frame, &view_help);

	help->page = (enum help_page)page;
	help->top = 0;
}

static void move(struct frame *frame, long by)
{
	struct help *help = view_own(frame, &view_help);

	help->top = view_state_step(help->top, by, help->last);
}

static const struct key keys[] = {
	{{KEY_CODE_ARROW_LEFT, '1'}, "Left, 1", "show this list of keys", NULL, NULL, press_page, HELP_KEYS},
	{{KEY_CODE_ARROW_RIGHT, '2'}, "Right, 2", "show the glossary", "Page", "Left Right", press_page,
		HELP_GLOSSARY},
};

const struct view_kind view_help = {
	.name = "help",
	.key = {{'h', '?', KEY_CODE_F1}, "h, ?, F1", "open or close this help", "Help", "F1"},
	VIEW_KEYS(keys),
	.state_size = sizeof(struct help),
	.is_dialog = true,
	.passes_keys = true,
	.open = open,
	.fit = fit,
	.draw = draw_help,
	.move = move,
	.wheel_lines = WHEEL_LINES,
};
