/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg.c - writes pictures as SVG. */
#include "ui/draw/svg.h"

#include <stdbool.h>
#include <string.h>

#include "src/base/text.h"

/* Colors of lines and of A and B are those of Okabe and Ito, which colour-blind people tell apart, made
 * darker for paper and lighter for a dark page where their contrast was too low. */
const char svg_style_sheet[] =
	".ink{fill:#1a1a1a}.faint{fill:#595959}.warn{fill:#b34700}.paper{fill:#fff}.night{fill:#101216}\n"
	".grid{stroke:#dcdcdc}.axis{stroke:#595959}.mark{stroke:#1a1a1a;stroke-dasharray:3 3}.phase{stroke:#8a8a8a;stroke-dasharray:3 3}\n"
	".fill-b{fill:#0072b2;fill-opacity:.55}.gap{fill:#b34700;fill-opacity:.35}\n"
	".line{fill:none;stroke-width:1.75;stroke-linejoin:round}.line-a{stroke:#c25400;stroke-dasharray:7 3}.line-b{stroke:#0072b2}\n"
	".line0{stroke:#0072b2}.line1{stroke:#c25400;stroke-dasharray:7 3}.line2{stroke:#007a59;stroke-dasharray:2 2}\n"
	".line3{stroke:#a8407f;stroke-dasharray:8 3 2 3}.line4{stroke:#7a6200}.line5{stroke:#1a1a1a;stroke-dasharray:4 4}\n"
	".line6{stroke:#5b4bb0;stroke-dasharray:10 2}.line7{stroke:#6b6b6b;stroke-dasharray:1 3}\n"
	".cause0{fill:#c25400}.cause1{fill:#0072b2}.cause2{fill:#007a59}.cause3{fill:#a8407f}.cause4{fill:#7a6200}\n"
	".cause5{fill:#5b4bb0}.cause6{fill:#8c8c8c}.cause7{fill:#d0d0d0}.unseen{fill:#fff;stroke:#8a8a8a;stroke-dasharray:3 3}\n"
	"text{font:12px system-ui,sans-serif}text.title{font-weight:600;font-size:14px}text.small{font-size:11px}\n"
	"text.cells{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre}\n"
	".black{fill:#000}.white{fill:#fff}.empty{fill:#ececec}.edge{stroke:#fff}.edge-l3{stroke-width:2}.edge-node{stroke-width:4}\n"
	"text.bold{font-weight:700}.dim{opacity:.6}.underline{text-decoration:underline}\n"
	"@media (prefers-color-scheme:dark){\n"
	".ink{fill:#e8e8e8}.faint{fill:#a8a8a8}.warn{fill:#ffa24d}.paper{fill:#16181c}.night{fill:#0a0b0d}\n"
	".empty{fill:#26292f}.edge{stroke:#16181c}\n"
	".grid{stroke:#33363d}.axis{stroke:#a8a8a8}.mark{stroke:#e8e8e8}\n"
	".fill-b{fill:#56b4e9}.gap{fill:#ffa24d}.line-a{stroke:#ff9f50}.line-b{stroke:#56b4e9}\n"
	".line0{stroke:#56b4e9}.line1{stroke:#ff9f50}.line2{stroke:#2fc79a}.line3{stroke:#e79ac6}.line4{stroke:#e0c84a}\n"
	".line5{stroke:#e8e8e8}.line6{stroke:#a99cf0}.line7{stroke:#a0a0a0}\n"
	".cause0{fill:#ff9f50}.cause1{fill:#56b4e9}.cause2{fill:#2fc79a}.cause3{fill:#e79ac6}.cause4{fill:#e0c84a}\n"
	".cause5{fill:#a99cf0}.cause6{fill:#8c8c8c}.cause7{fill:#4a4d55}.unseen{fill:#16181c}\n"
	"}\n";

/* Is it a character that XML allows? */
static bool is_of_xml(uint32_t code)
{
	return code == '\t' || code == '\n' || (code >= ' ' && code != TEXT_BAD && (code & 0xfffe) != 0xfffe);
}

void svg_escape(FILE *out, const char *text)
{
	while (*text) {
		const char *begin = text;
		uint32_t code = text_next(&text);

		if (code == '&')
			fputs("&amp;", out);
		else if (code == '<')
			fputs("&lt;", out);
		else if (code == '>')
			fputs("&gt;", out);
		else if (code == '"')
			fputs("&quot;", out);
		else if (code == '\'')
			fputs("&#39;", out);
		else if (is_of_xml(code))
			fwrite(begin, 1, (size_t)(text - begin), out);
		else
			fputc('?', out);
	}
}

void svg_begin_part(FILE *out, double width, double height, const char *title)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
		"role=\"img\">\n<title>",
		width, height, width, height);
	svg_escape(out, title);
	fputs("</title>\n", out);
}

void svg_begin(FILE *out, double width, double height, const char *title)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	svg_begin_part(out, width, height, title);
	fprintf(out, "<style>\n%s</style>\n", svg_style_sheet);
	svg_rectangle(out, (struct svg_box){0, 0, width, height}, "paper");
}

void svg_end(FILE *out)
{
	fputs("</svg>\n", out);
}

/* --- shapes --- */

static void print_box(FILE *out, struct svg_box box)
{
	fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", box.x, box.y, box.width,
		box.height);
}

void svg_rectangle(FILE *out, struct svg_box box, const char *class)
{
	print_box(out, box);
	fprintf(out, " class=\"%s\"/>\n", class);
}

void svg_shaded(FILE *out, struct svg_box box, const char *class, double opacity)
{
	print_box(out, box);
	fprintf(out, " class=\"%s\" fill-opacity=\"%.2f\"/>\n", class, opacity);
}

void svg_colored(FILE *out, struct svg_box box, int32_t rgb, double opacity)
{
	print_box(out, box);
	fprintf(out, " fill=\"#%06x\"", (unsigned)rgb);
	if (opacity < 1.0)
		fprintf(out, " fill-opacity=\"%.2f\"", opacity);
	fputs("/>\n", out);
}

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *class)
{
	fprintf(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" class=\"%s\"/>\n", x1, y1, x2, y2,
		class);
}

static const char *const anchors[] = {[SVG_START] = "start", [SVG_MIDDLE] = "middle", [SVG_END] = "end"};

void svg_text(FILE *out, double x, double y, enum svg_anchor anchor, const char *class, const char *text)
{
	fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchors[anchor],
		class);
	svg_escape(out, text);
	fputs("</text>\n", out);
}

/* Hundredths of the font's size, from ' ' to '~', of DejaVu Sans: plain and bold. */
static const uint8_t letter_widths[2]['~' - ' ' + 1] = {
	{32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64,
		64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
		60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,
		63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64,
		84},
	{35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70,
		70, 40, 40, 84, 84, 84, 58, 100, 77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85,
		73, 85, 77, 72, 68, 81, 77, 110, 77, 72, 73, 46, 37, 46, 84, 50, 50, 67, 72, 59, 72, 68, 44,
		72, 71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 49, 60, 48, 71, 65, 92, 65, 65, 58, 71, 37, 71,
		84},
};

/* Letters of other scripts may be as wide as the font's size. */
static double letter_width(uint32_t code, enum svg_font font)
{
	static const double sizes[] = {[SVG_FONT_TITLE] = 14, [SVG_FONT_PLAIN] = 12, [SVG_FONT_SMALL] = 11};
	const uint8_t *widths = letter_widths[font == SVG_FONT_TITLE];

	return sizes[font] * (code < ' ' || code > '~' ? 1.0 : widths[code - ' '] / 100.0);
}

double svg_text_width(const char *text, enum svg_font font)
{
	double width = 0;

	while (*text)
		width += letter_width(text_next(&text), font);
	return width;
}

char *svg_cut(const char *text, enum svg_font font, double width, char cut[SVG_TEXT_SIZE])
{
	const char *end = text;
	double used = letter_width(0x2026, font);
	bool is_whole = strlen(text) < SVG_TEXT_SIZE && svg_text_width(text, font) <= width;

	for (const char *next = text; *next && next - text < SVG_TEXT_SIZE - 8 && !is_whole; end = next) {
		used += letter_width(text_next(&next), font);
		if (used > width)
			break;
	}
	if (is_whole)
		snprintf(cut, SVG_TEXT_SIZE, "%s", text);
	else
		snprintf(cut, SVG_TEXT_SIZE, "%.*s\u2026", (int)(end - text), text);
	return cut;
}

void svg_path_begin(FILE *out, double x, double y, const char *class)
{
	fprintf(out, "<path class=\"line %s\" d=\"M%.2f %.2f", class, x, y);
}

void svg_path_to(FILE *out, double x, double y)
{
	fprintf(out, "L%.2f %.2f", x, y);
}

void svg_path_end(FILE *out)
{
	fputs("\"/>\n", out);
}

void svg_note_begin(FILE *out, const char *note)
{
	fputs("<g><title>", out);
	svg_escape(out, note);
	fputs("</title>\n", out);
}

void svg_note_end(FILE *out)
{
	fputs("</g>\n", out);
}
