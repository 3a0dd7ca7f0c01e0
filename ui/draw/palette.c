/* SPDX-License-Identifier: GPL-2.0-or-later */
/* palette.c - the tables of colors. tests/unit/test_ui_palette.c checks the contrasts. */
#include "ui/draw/palette.h"

#include <string.h>

/* The numbers of the first 16 colors. Bright black (8) is not among them: on many terminals it can't be seen.
 */
enum { OWN = -1, BLACK = 0, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, BRIGHT_WHITE = 15 };

enum { NONE = 0, BOLD = LOOK_BOLD, DIM = LOOK_DIM, LINE = LOOK_UNDERLINE, REVERSE = LOOK_REVERSE };

/* The columns of the tables: a palette at a depth. */
enum column { DEFAULT_256, DEFAULT_16, BLIND_256, BLIND_16, MONO, N_COLORINGS };

/* clang-format off */
static const struct text_look {
	short color; /* of the text, on the terminal's own background */
	unsigned char attributes;
} texts[STYLE_STEP_1][N_COLORINGS] = {
	/*                     default: 256    16                 colour-blind: 256   16                 mono         */
	[STYLE_PLAIN] =       {{OWN, NONE},    {OWN, NONE},       {OWN, NONE},        {OWN, NONE},       {OWN, NONE}},
	[STYLE_STRONG] =      {{OWN, BOLD},    {OWN, BOLD},       {OWN, BOLD},        {OWN, BOLD},       {OWN, BOLD}},
	[STYLE_THIN] =        {{OWN, DIM},     {OWN, NONE},       {OWN, DIM},         {OWN, NONE},       {OWN, DIM}},
	[STYLE_WAITING] =     {{OWN, DIM},     {OWN, DIM},        {OWN, DIM},         {OWN, DIM},        {OWN, DIM}},
	[STYLE_UNUSUAL] =     {{130, BOLD},    {YELLOW, BOLD},    {OWN, BOLD | LINE}, {OWN, BOLD | LINE},
			       {OWN, BOLD | LINE}},
	[STYLE_UNDECIDED] =   {{130, BOLD},    {YELLOW, BOLD},    {OWN, DIM},         {OWN, DIM},        {OWN, DIM}},
	[STYLE_BETTER] =      {{28, BOLD},     {GREEN, BOLD},     {31, BOLD},         {CYAN, BOLD},      {OWN, BOLD}},
	[STYLE_WORSE] =       {{196, BOLD},    {RED, BOLD},       {166, BOLD},        {YELLOW, BOLD},    {OWN, BOLD | LINE}},
	[STYLE_ABOVE_LIMIT] = {{164, BOLD},    {MAGENTA, BOLD},   {164, BOLD | LINE}, {MAGENTA, BOLD | LINE},
			       {OWN, LINE}},
	[STYLE_WRONG] =       {{196, BOLD},    {RED, BOLD},       {166, BOLD},        {YELLOW, BOLD},    {OWN, BOLD}},
	[STYLE_WARNING] =     {{130, BOLD},    {YELLOW, BOLD},    {166, BOLD},        {YELLOW, BOLD},    {OWN, BOLD}},
	[STYLE_TITLE] =       {{30, BOLD},     {CYAN, BOLD},      {OWN, BOLD},        {OWN, BOLD},       {OWN, BOLD}},
	[STYLE_HEAD] =        {{OWN, REVERSE}, {OWN, REVERSE},    {OWN, REVERSE},     {OWN, REVERSE},    {OWN, REVERSE}},
	[STYLE_BAR] =         {{30, NONE},     {CYAN, NONE},      {31, NONE},         {CYAN, NONE},      {OWN, NONE}},
	[STYLE_BAR_A] =       {{130, NONE},    {YELLOW, NONE},    {166, NONE},        {YELLOW, NONE},    {OWN, NONE}},
	[STYLE_BAR_B] =       {{30, NONE},     {CYAN, NONE},      {31, NONE},         {CYAN, NONE},      {OWN, NONE}},
	[STYLE_SELECTED] =    {{OWN, REVERSE | BOLD}, {OWN, REVERSE | BOLD}, {OWN, REVERSE | BOLD}, {OWN, REVERSE | BOLD},
			       {OWN, REVERSE | BOLD}},
	[STYLE_KEY] =         {{OWN, REVERSE}, {OWN, REVERSE},    {OWN, REVERSE},     {OWN, REVERSE},    {OWN, REVERSE}},
	[STYLE_REPLAY] =      {{130, REVERSE}, {YELLOW, REVERSE}, {166, REVERSE},     {YELLOW, REVERSE}, {OWN, REVERSE}},
};

/* Lightness rises with each step. The text on a step is black or white, whichever has more contrast. The tint is
 * a near one of the same hue: a cell that a sign fills is still of its step, not of the next one. Few colors have
 * no tints. */
static const struct step {
	int32_t color, text, tint;
} steps[MONO][STYLE_STEPS] = {
	[DEFAULT_256] = {{53, 231, 54}, {24, 231, 32}, {30, 16, 37}, {35, 16, 42}, {77, 16, 113}, {185, 16, 186},
		{227, 16, 226}},
	[BLIND_256] = {{18, 231, 19}, {238, 231, 240}, {60, 231, 104}, {102, 16, 247}, {143, 16, 144},
		{185, 16, 221}, {227, 16, 226}},
	[DEFAULT_16] = {{BLUE, BRIGHT_WHITE}, {BLUE, BRIGHT_WHITE}, {CYAN, BLACK}, {CYAN, BLACK},
		{YELLOW, BLACK}, {YELLOW, BLACK}, {BRIGHT_WHITE, BLACK}},
	[BLIND_16] = {{BLUE, BRIGHT_WHITE}, {BLUE, BRIGHT_WHITE}, {CYAN, BLACK}, {CYAN, BLACK},
		{YELLOW, BLACK}, {YELLOW, BLACK}, {BRIGHT_WHITE, BLACK}},
}, true_steps[MONO][STYLE_STEPS] = { /* of viridis and cividis */
	[DEFAULT_256] = {{0x440154, 0xffffff, 0x5c0a72}, {0x443a83, 0xffffff, 0x6659b6},
		{0x31688e, 0xffffff, 0x3286c0}, {0x21908c, 0, 0x5caca9}, {0x35b779, 0, 0x58dc9d},
		{0x8fd744, 0, 0xa8e860}, {0xfde725, 0, 0xffd400}},
	[BLIND_256] = {{0x00204d, 0xffffff, 0x002f80}, {0x213d6b, 0xffffff, 0x2f589a},
		{0x555b6c, 0xffffff, 0x69779f}, {0x7b7a77, 0, 0x989898}, {0xa59c74, 0, 0xc1bb9f},
		{0xd3c064, 0, 0xead986}, {0xffea46, 0, 0xffd800}},
};
/* clang-format on */

static enum column column_of(enum palette palette, enum depth depth)
{
	if (palette == PALETTE_MONO || depth == DEPTH_NONE)
		return MONO;
	if (palette == PALETTE_COLOUR_BLIND)
		return depth < DEPTH_256 ? BLIND_16 : BLIND_256;
	return depth < DEPTH_256 ? DEFAULT_16 : DEFAULT_256;
}

static int32_t text_color(enum depth depth, int32_t color)
{
	return depth == DEPTH_TRUE && color >= 16 ? palette_rgb(color) : color;
}

/* 8 colors lack the bright ones. */
static int32_t step_color(enum depth depth, int32_t color)
{
	return depth == DEPTH_8 ? color % 8 : color;
}

/* A sign that shades its cell has the tint of the step: so the hue is the latency, and shows on black and on
 * white. Where steps share colors, the sign has that of its own step, on the color before. */
static struct look step_look(enum column column, enum depth depth, unsigned number, bool is_shade)
{
	const struct step *gradient = (depth == DEPTH_TRUE ? true_steps : steps)[column];
	int32_t color = gradient[number].color, sign = gradient[number].text;

	if (is_shade && depth >= DEPTH_256) {
		sign = gradient[number].tint;
	} else if (is_shade) {
		sign = color;
		while (number > 0 && gradient[number].color == sign)
			number--;
		color = gradient[number].color == sign ? BLACK : gradient[number].color;
	}
	return (struct look){.foreground = step_color(depth, sign), .background = step_color(depth, color)};
}

static struct look halves_look(enum column column, enum depth depth, unsigned number)
{
	unsigned sign = number / (STYLE_STEPS + 1), other = number % (STYLE_STEPS + 1);
	struct look look = {OWN, OWN, NONE};

	if (column == MONO)
		return look;
	look.foreground = step_look(column, depth, sign, false).background;
	if (other)
		look.background = step_look(column, depth, other - 1, false).background;
	return look;
}

struct look palette_look(enum palette palette, enum depth depth, enum style style)
{
	enum column column = column_of(palette, depth);

	if (style < STYLE_STEP_1) {
		const struct text_look *text = &texts[style][column];

		return (struct look){text_color(depth, text->color), OWN, text->attributes};
	}
	if (style >= STYLE_HALVES)
		return halves_look(column, depth, style - STYLE_HALVES);
	unsigned number = (style - STYLE_STEP_1) % STYLE_STEPS;

	if (column == MONO) /* the sign says it, and bold the last step */
		return (struct look){OWN, OWN, number + 1 == STYLE_STEPS ? BOLD : NONE};
	return step_look(column, depth, number, style >= STYLE_SHADE_1);
}

unsigned palette_step(uint64_t ns, uint64_t calm_ns)
{
	unsigned step = 1;

	for (; step < STYLE_STEPS && ns >= calm_ns; calm_ns *= 2)
		step++;
	return step;
}

const char *palette_name(unsigned i)
{
	static const char *const names[N_PALETTES + 1] = {
		[PALETTE_DEFAULT] = "default",
		[PALETTE_COLOUR_BLIND] = "colour-blind",
		[PALETTE_MONO] = "mono",
	};

	return names[i];
}

const char *palette_colors_name(unsigned i)
{
	static const char *const names[N_COLORS + 1] = {
		[COLORS_AUTO] = "auto",
		[COLORS_TRUE] = "true",
		[COLORS_256] = "256",
		[COLORS_16] = "16",
		[COLORS_NONE] = "none",
	};

	return names[i];
}

enum depth palette_choose_depth(enum colors colors, enum depth usual, enum depth most)
{
	static const enum depth depths[N_COLORS] = {[COLORS_TRUE] = DEPTH_TRUE,
		[COLORS_256] = DEPTH_256,
		[COLORS_16] = DEPTH_16,
		[COLORS_NONE] = DEPTH_NONE};
	enum depth depth = colors == COLORS_AUTO ? usual : depths[colors];

	return depth < most ? depth : most;
}

enum depth palette_depth(int colors, bool has_rgb, const char *colorterm)
{
	if (has_rgb)
		return DEPTH_TRUE;
	if (colors >= 256 && colorterm && (!strcmp(colorterm, "truecolor") || !strcmp(colorterm, "24bit")))
		return DEPTH_TRUE;
	return colors >= 256 ? DEPTH_256 : colors >= 16 ? DEPTH_16 : colors >= 8 ? DEPTH_8 : DEPTH_NONE;
}

int32_t palette_rgb(int color)
{
	static const int32_t levels[] = {0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff};
	int cube = color - 16;

	if (color >= 232)
		return (0x08 + 0x0a * (color - 232)) * 0x010101;
	return levels[cube / 36] << 16 | levels[cube / 6 % 6] << 8 | levels[cube % 6];
}
