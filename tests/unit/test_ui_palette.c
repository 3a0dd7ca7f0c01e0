/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ui_palette.c - colors can be read on usual backgrounds, and need no color to be understood. */
#include <math.h>
#include <string.h>

#include "tests/unit/tap.h"
#include "ui/draw/palette.h"

enum { BLACK = 0x000000, WHITE = 0xffffff, DARK_GREY = 0x1e1e1e, SOLARIZED_LIGHT = 0xfdf6e3 };

static const enum depth depths[] = {DEPTH_NONE, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_TRUE};

enum { N_DEPTHS = sizeof(depths) / sizeof(*depths) };

static double linear(int channel)
{
	double part = channel / 255.0;

	return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

/* As WCAG 2 defines them: the relative luminance, and the contrast of two colors, 1 to 21. */
static double luminance(int32_t rgb)
{
	return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8 & 0xff) + 0.0722 * linear(rgb & 0xff);
}

static double contrast(int32_t a, int32_t b)
{
	double light = fmax(luminance(a), luminance(b)), dark = fmin(luminance(a), luminance(b));

	return (light + 0.05) / (dark + 0.05);
}

static int32_t rgb_of(enum depth depth, int32_t color)
{
	return depth == DEPTH_TRUE ? color : palette_rgb(color);
}

static void text_can_be_read_on_usual_backgrounds(void)
{
	static const struct {
		enum palette palette;
		int32_t background;
		double contrast;
	} cases[] = {
		{PALETTE_DEFAULT, BLACK, 4.0},
		{PALETTE_DEFAULT, WHITE, 3.995}, /* 4.0, rounded */
		{PALETTE_DEFAULT, DARK_GREY, 3.4},
		{PALETTE_DEFAULT, SOLARIZED_LIGHT, 3.4},
		{PALETTE_COLOUR_BLIND, BLACK, 3.795},
		{PALETTE_COLOUR_BLIND, WHITE, 3.795},
		{PALETTE_COLOUR_BLIND, DARK_GREY, 3.5},
		{PALETTE_COLOUR_BLIND, SOLARIZED_LIGHT, 3.5},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int style = 0; style < STYLE_STEP_1; style++) {
			struct look look = palette_look(cases[i].palette, DEPTH_256, (enum style)style);
			struct look exact = palette_look(cases[i].palette, DEPTH_TRUE, (enum style)style);

			CHECK(look.background == -1, "style %d", style);
			if (look.foreground < 0)
				continue;
			double is = contrast(palette_rgb(look.foreground), cases[i].background);

			CHECK(is >= cases[i].contrast, "case %zu, color %d: %.3f", i, look.foreground, is);
			CHECK(exact.foreground == palette_rgb(look.foreground));
		}
	}
}

static void gradients_become_lighter_and_can_be_read(void)
{
	static const enum depth with_steps[] = {DEPTH_256, DEPTH_TRUE};

	for (size_t i = 0; i < 4; i++) {
		enum depth depth = with_steps[i % 2];
		double before = -1.0;

		for (int step = 0; step < STYLE_STEPS; step++) {
			enum palette palette = i < 2 ? PALETTE_DEFAULT : PALETTE_COLOUR_BLIND;
			struct look text = palette_look(palette, depth, STYLE_STEP_1 + step);
			struct look shade = palette_look(palette, depth, STYLE_SHADE_1 + step);
			int32_t background = rgb_of(depth, text.background);
			int32_t letters = rgb_of(depth, text.foreground);

			CHECK(shade.background == text.background);
			CHECK(letters == BLACK || letters == WHITE);
			CHECK(contrast(letters, background) >= 4.8, "%zu, step %d: %.2f", i, step + 1,
				contrast(letters, background));
			CHECK(contrast(letters, background) >= contrast(letters ^ WHITE, background));
			CHECK(luminance(background) > before, "%zu, step %d", i, step + 1);
			before = luminance(background);
		}
	}
}

static void steps_of_latencies_double(void)
{
	static const struct {
		uint64_t ns;
		unsigned step;
	} cases[] = {
		{0, 1}, {1023, 1}, {1024, 2}, {2047, 2}, {2048, 3}, {32767, 6}, {32768, 7}, {UINT64_MAX, 7}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(palette_step(cases[i].ns, 1024) == cases[i].step, "case %zu", i);
}

/* In few colors too, the shade differs from its cell. */
static void a_sign_is_visible_on_each_step(void)
{
	for (unsigned i = 0; i < N_PALETTES * N_DEPTHS * 2 * STYLE_STEPS; i++) {
		struct look look =
			palette_look((enum palette)(i % N_PALETTES), depths[i / N_PALETTES % N_DEPTHS],
				(enum style)(STYLE_STEP_1 + i / N_PALETTES / N_DEPTHS));

		CHECK(look.foreground != look.background || look.foreground < 0, "%u", i);
	}
}

static double lab_root(double part)
{
	return part > 0.008856 ? cbrt(part) : 7.787 * part + 16.0 / 116.0;
}

/* A color in CIELAB: distances in it are those that are seen. */
static void to_lab(int32_t rgb, double lab[3])
{
	double red = linear(rgb >> 16 & 0xff), green = linear(rgb >> 8 & 0xff), blue = linear(rgb & 0xff);
	double x = lab_root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505),
	       y = lab_root(0.2126 * red + 0.7152 * green + 0.0722 * blue),
	       z = lab_root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.0888);

	lab[0] = 116 * y - 16;
	lab[1] = 500 * (x - y);
	lab[2] = 200 * (y - z);
}

static double apart(int32_t x, int32_t y)
{
	double in_x[3], in_y[3];

	to_lab(x, in_x);
	to_lab(y, in_y);
	return hypot(hypot(in_x[0] - in_y[0], in_x[1] - in_y[1]), in_x[2] - in_y[2]);
}

/* A cell that a sign fills looks like its step, not like another one: the hue is the latency. That of the
 * last step is paler than all others. */
static void a_dense_cell_has_the_hue_of_its_step(void)
{
	for (size_t i = 0; i < 4; i++) {
		enum depth depth = i % 2 ? DEPTH_TRUE : DEPTH_256;
		enum palette palette = i < 2 ? PALETTE_DEFAULT : PALETTE_COLOUR_BLIND;
		double before = 0;

		for (int step = 0; step < STYLE_STEPS; step++) {
			struct look look = palette_look(palette, depth, STYLE_SHADE_1 + step);
			int32_t sign = rgb_of(depth, look.foreground), own = rgb_of(depth, look.background);

			CHECK(apart(sign, own) > 8, "%zu, step %d: %.1f", i, step + 1, apart(sign, own));
			CHECK(luminance(sign) > before, "%zu, step %d", i, step + 1);
			before = luminance(sign);
			for (int other = 0; other < STYLE_STEPS; other++) {
				struct look next = palette_look(palette, depth, STYLE_SHADE_1 + other);

				CHECK(other == step || apart(sign, own) <
							       apart(sign, rgb_of(depth, next.background)),
					"%zu, step %d looks like step %d", i, step + 1, other + 1);
			}
		}
	}
}

/* The signs cover a quarter, a half, three quarters and all of a cell. */
static void shaded_cells_become_lighter(void)
{
	for (size_t i = 0; i < 4; i++) {
		enum depth depth = i % 2 ? DEPTH_TRUE : DEPTH_256;
		enum palette palette = i < 2 ? PALETTE_DEFAULT : PALETTE_COLOUR_BLIND;
		double before = 0.01; /* so that the least is not black */

		for (int step = 1; step <= STYLE_STEPS; step++) {
			struct look look = palette_look(palette, depth, STYLE_SHADE_1 + step - 1);
			double covered = 0.25 * ((step + 1) / 2);
			double light = covered * luminance(rgb_of(depth, look.foreground)) +
				       (1.0 - covered) * luminance(rgb_of(depth, look.background));

			CHECK(light > 1.05 * before, "%zu, step %d: %.3f after %.3f", i, step, light, before);
			before = light;
		}
	}
}

/* In a half block, both steps have the colors that they have as cells. */
static void half_blocks_have_the_colors_of_their_steps(void)
{
	for (size_t i = 0; i < 4; i++) {
		enum depth depth = i % 2 ? DEPTH_TRUE : DEPTH_256;
		enum palette palette = i < 2 ? PALETTE_DEFAULT : PALETTE_COLOUR_BLIND;

		for (unsigned sign = 1; sign <= STYLE_STEPS; sign++)
			for (unsigned other = 0; other <= STYLE_STEPS; other++) {
				enum style style = style_of_halves(sign, other);
				struct look look = palette_look(palette, depth, style);
				int32_t color =
					palette_look(palette, depth, style_of_step(sign, true)).background;
				int32_t beside =
					other ? palette_look(palette, depth, style_of_step(other, true))
							.background
					      : -1;

				CHECK(style >= STYLE_HALVES && style < N_STYLES);
				CHECK(look.foreground == color && look.background == beside &&
						!look.attributes,
					"%u and %u", sign, other);
			}
	}
}

static void few_colors_use_few_indices(void)
{
	static const int32_t n_colors[N_DEPTHS] = {0, 8, 16, 256, 1 << 24};

	for (size_t d = 0; d < N_DEPTHS; d++) {
		for (unsigned i = 0; i < N_PALETTES * N_STYLES; i++) {
			enum palette palette = (enum palette)(i / N_STYLES);
			struct look look = palette_look(palette, depths[d], (enum style)(i % N_STYLES));
			bool has_color = look.foreground >= 0 || look.background >= 0;

			CHECK(look.foreground < n_colors[d] && look.background < n_colors[d]);
			CHECK(depths[d] == DEPTH_TRUE || (look.foreground != 8 && look.background != 8));
			CHECK(!has_color || (palette != PALETTE_MONO && depths[d] != DEPTH_NONE));
		}
	}
}

/* Bars and steps have signs. All other styles must differ from plain text by an attribute, too. */
static void no_style_is_of_color_alone(void)
{
	for (unsigned d = 0; d < N_DEPTHS; d++) {
		for (unsigned i = 0; i < N_PALETTES * STYLE_STEP_1; i++) {
			enum style style = (enum style)(i % STYLE_STEP_1);
			struct look look = palette_look((enum palette)(i / STYLE_STEP_1), depths[d], style);
			bool drawn = style == STYLE_BAR || style == STYLE_BAR_A || style == STYLE_BAR_B;

			CHECK(look.foreground < 0 || drawn || look.attributes, "style %d", style);
		}
	}
}

static void better_and_worse_differ_in_each_palette(void)
{
	for (unsigned i = 0; i < N_PALETTES * N_DEPTHS; i++) {
		enum palette palette = (enum palette)(i / N_DEPTHS);
		struct look better = palette_look(palette, depths[i % N_DEPTHS], STYLE_BETTER);
		struct look worse = palette_look(palette, depths[i % N_DEPTHS], STYLE_WORSE);

		CHECK(better.foreground != worse.foreground || better.attributes != worse.attributes);
	}
}

static void the_terminal_decides_how_many_colors_there_are(void)
{
	static const struct {
		int colors;
		bool has_rgb;
		const char *colorterm;
		enum depth depth;
	} cases[] = {
		{-1, false, NULL, DEPTH_NONE},
		{0, false, "truecolor", DEPTH_NONE},
		{2, false, NULL, DEPTH_NONE},
		{8, false, NULL, DEPTH_8},
		{8, false, "truecolor", DEPTH_8},
		{16, false, NULL, DEPTH_16},
		{88, false, "24bit", DEPTH_16},
		{256, false, NULL, DEPTH_256},
		{256, false, "", DEPTH_256},
		{256, false, "yes", DEPTH_256},
		{256, false, "truecolor", DEPTH_TRUE},
		{256, false, "24bit", DEPTH_TRUE},
		{1 << 24, true, NULL, DEPTH_TRUE},
		{1 << 24, false, NULL, DEPTH_256},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(palette_depth(cases[i].colors, cases[i].has_rgb, cases[i].colorterm) == cases[i].depth,
			"case %zu", i);
}

static void fewer_colors_can_be_chosen_and_never_more(void)
{
	static const struct {
		enum colors colors;
		enum depth usual, most, depth;
	} cases[] = {
		{COLORS_AUTO, DEPTH_256, DEPTH_TRUE, DEPTH_256},
		{COLORS_AUTO, DEPTH_NONE, DEPTH_TRUE, DEPTH_NONE},
		{COLORS_TRUE, DEPTH_256, DEPTH_TRUE, DEPTH_TRUE},
		{COLORS_TRUE, DEPTH_16, DEPTH_16, DEPTH_16},
		{COLORS_256, DEPTH_NONE, DEPTH_256, DEPTH_256},
		{COLORS_256, DEPTH_8, DEPTH_8, DEPTH_8},
		{COLORS_16, DEPTH_TRUE, DEPTH_TRUE, DEPTH_16},
		{COLORS_NONE, DEPTH_TRUE, DEPTH_TRUE, DEPTH_NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK(palette_choose_depth(cases[i].colors, cases[i].usual, cases[i].most) == cases[i].depth,
			"%zu", i);
}

static void palettes_have_names(void)
{
	CHECK(!strcmp(palette_name(PALETTE_DEFAULT), "default"));
	CHECK(!strcmp(palette_name(PALETTE_COLOUR_BLIND), "colour-blind"));
	CHECK(!strcmp(palette_name(PALETTE_MONO), "mono"));
	CHECK(!palette_name(N_PALETTES));
	CHECK(!strcmp(palette_colors_name(COLORS_AUTO), "auto") && !palette_colors_name(N_COLORS));
}

int main(void)
{
	TEST(text_can_be_read_on_usual_backgrounds);
	TEST(gradients_become_lighter_and_can_be_read);
	TEST(steps_of_latencies_double);
	TEST(a_sign_is_visible_on_each_step);
	TEST(a_dense_cell_has_the_hue_of_its_step);
	TEST(shaded_cells_become_lighter);
	TEST(half_blocks_have_the_colors_of_their_steps);
	TEST(few_colors_use_few_indices);
	TEST(no_style_is_of_color_alone);
	TEST(better_and_worse_differ_in_each_palette);
	TEST(the_terminal_decides_how_many_colors_there_are);
	TEST(fewer_colors_can_be_chosen_and_never_more);
	TEST(palettes_have_names);
	return tap_done();
}
