# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures and reports: well-formed, within their edges, with what was measured, and the same of a replay."""
import html.parser
import json
import re
import xml.etree.ElementTree as xml

import pytest

from conftest import CPU, cpus, in_whole
from harness import first_ring, until
from made import record

pytestmark = pytest.mark.together

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<b>&\"'" + 20 * "é"    # a label is cut, and no letter within


def texts(root):
    return ["".join(element.itertext()) for element in root.iter(SVG + "text")]


# Hundredths of a font's size, of a font that is wider than most.
WIDTHS = {letter: width for letters, width in (("il'jI", 28), (" ft/.,()", 36), ("rsc-[]", 50), ("m%MW@", 97), ("w+<>=~_", 84),
                                               ("ABCDEFGHJKLNOPQRSTUVXYZ", 71)) for letter in letters}
SIZES = {"title": 14 * 1.1, "small": 11}


def edges_of(text):
    """The left and the right edge of a text, as far as its letters tell."""
    size = next((SIZES[name] for name in text.get("class").split() if name in SIZES), 12)
    width = sum(WIDTHS.get(letter, 62) for letter in "".join(text.itertext())) * size / 100
    left = float(text.get("x")) - {"start": 0, "middle": width / 2, "end": width}[text.get("text-anchor")]
    return left, left + width


def plot(ipctop, recording, path, *args):
    result = ipctop.run("--replay", recording, "-q", "--plot", path, *args)
    assert result.returncode in (0, 1, 2) and result.stderr == "", result
    return xml.parse(path).getroot()


@pytest.mark.parametrize("story", ("few", in_whole("many"), "rings", "marks", "spikes", "sweep-8", "sweep-128"))
def test_no_text_runs_over_the_edges(ipctop, tmp_path, story):
    page = tmp_path / "html"
    assert ipctop.run("report", record(story, tmp_path), "-o", page).returncode == 0
    pictures = re.findall(r"<svg.*?</svg>", page.read_text(encoding="utf-8"), re.DOTALL)
    assert pictures
    for picture in (plot(ipctop, tmp_path / story, tmp_path / "svg"), *map(xml.fromstring, pictures)):
        for text in picture.iter(SVG + "text"):
            left, right = edges_of(text)
            assert -1 <= left and right <= 800, (left, right, "".join(text.itertext()))


def hides(text, other):
    """Two texts of lines that are less than 9 pixels apart, beside each other or not."""
    (left, right), (other_left, other_right) = edges_of(text), edges_of(other)
    return left < other_right and other_left < right and abs(float(text.get("y")) - float(other.get("y"))) < 9


@pytest.mark.parametrize("story", ("few", "rings", "spikes", "sweep-8"))
def test_no_text_is_hidden_by_another_or_by_a_mark(ipctop, tmp_path, story):
    root = plot(ipctop, record(story, tmp_path), tmp_path / "svg")
    found = list(root.iter(SVG + "text"))
    for number, text in enumerate(found):
        assert not [other.text for other in found[:number] if hides(text, other)], text.text
        left, right = edges_of(text)
        for line in root.iter(SVG + "line"):
            x, y1, y2 = (float(line.get(name)) for name in ("x1", "y1", "y2"))
            is_mark = line.get("class") == "mark" and float(line.get("x2")) == x
            assert not (is_mark and left < x < right and y1 < float(text.get("y")) - 4 < y2), (text.text, x, y1, y2)


@pytest.mark.parametrize("story", ("few", in_whole("many"), "rings", "marks"))
def test_all_is_within_the_edges(ipctop, tmp_path, story):
    root = plot(ipctop, record(story, tmp_path), tmp_path / "svg")
    width, height = (float(root.get(name)) for name in ("width", "height"))
    assert width == 800
    for element in root.iter():
        x, y = (float(element.get(name, 0)) for name in ("x", "y"))
        if element.tag in (SVG + "rect", SVG + "text"):
            right = x + float(element.get("width", 0))
            assert 0 <= x <= right <= width + 0.01 and 0 <= y <= height, element.attrib
        if element.tag == SVG + "path":
            numbers = [float(number) for number in re.findall(r"[\d.]+", element.get("d"))]
            assert all(0 <= number <= max(width, height) for number in numbers)
    assert any(text.startswith("Percentiles of the ") for text in texts(root))
    assert any(text.startswith("Heat map: ") for text in texts(root))


@pytest.mark.parametrize("story, n, has_figures", (("sweep-8", 8, True), ("sweep-128", 128, False)))
def test_a_sweep_has_its_matrix_within_the_edges(ipctop, tmp_path, story, n, has_figures):
    root = plot(ipctop, record(story, tmp_path), tmp_path / "svg")
    width, height = (float(root.get(name)) for name in ("width", "height"))
    words = texts(root)
    assert any(word.startswith("Matrix: hop p50 in us") for word in words) and "0" in words
    assert f"{n * (n - 1) // 2} of {n * (n - 1) // 2} pairs are measured" in " ".join(words)
    assert sum(word.startswith("below ") for word in words) == 6
    cells = [rect for rect in root.iter(SVG + "rect") if rect.get("fill") and float(rect.get("width")) > 10]
    assert len(cells) == (n * (n - 1) if has_figures else 0)
    drawn = 0
    for path in root.iter(SVG + "path"):    # rectangles in a grid of squares
        for column, row, squares in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", path.get("d")):
            assert int(column) + int(squares) <= n and int(row) < n
            drawn += int(squares)
    assert drawn == (0 if has_figures else n * (n - 1))
    for element in root.iter(SVG + "rect"):
        box = [float(element.get(name)) for name in ("x", "y", "width", "height")]
        assert box[0] >= 0 and box[0] + box[2] <= width and box[1] + box[3] <= height, element.attrib


@pytest.mark.parametrize("story", ("few", "rings"))
def test_the_legend_of_the_percentiles_covers_no_curve(ipctop, tmp_path, story):
    """It is below the axis."""
    root = plot(ipctop, record(story, tmp_path), tmp_path / "svg")
    axis, next_title = (float(text.get("y")) for text in root.iter(SVG + "text")
                        if (text.text or "").startswith(("percentile;", "Samples of the ")))
    pieces = [float(y) for path in root.iter(SVG + "path")
              for y, end in re.findall(r"^M[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)$", path.get("d")) if y == end]
    assert sum(axis < y < next_title for y in pieces) >= 2 and not [y for y in pieces if y <= axis], pieces


@pytest.mark.needs("2 cpus")
def test_a_matrix_says_why_it_does_not_trust_a_cell(ipctop, tmp_path):
    """A pair has six repeats before the next one has its turn; a fast machine has enough samples by then."""
    assert ipctop.run("--sweep", "-q", "-c", "{},{}".format(*cpus()[:2]), "-D", 0.2, "--plot", tmp_path / "svg").returncode == 0
    words = texts(xml.parse(tmp_path / "svg").getroot())
    assert any(word.endswith("~") for word in words) == ("~ fewer than 10 samples beyond it" in " ".join(words))


@pytest.mark.parametrize("story, column", (("few", "second"), ("spikes", "second"), ("marks", "8 s")))
def test_the_heat_map_covers_all_of_the_run_and_has_a_key(ipctop, tmp_path, story, column):
    """Also of one that is short, and of one of six minutes, of which the session has four second by second."""
    root = plot(ipctop, record(story, tmp_path), tmp_path / "svg")
    words = texts(root)
    assert f"Heat map: first hop, a column each {column}" in words and f"Each {column}: first hop" in words
    cells = [[float(rect.get(name)) for name in ("x", "width")] for rect in root.iter(SVG + "rect")
             if rect.get("fill") and rect.get("height") != "10.00"]
    width = cells[0][1]
    assert abs(min(x for x, _ in cells) - 72) < 1 and abs(max(x for x, _ in cells) + width - 768) < 10
    assert sum(word.startswith("below ") for word in words) == 6 and sum(word.startswith("from ") for word in words) == 1


def test_two_phases_are_beside_each_other(ipctop, tmp_path):
    marks = record("marks", tmp_path)
    root = plot(ipctop, marks, tmp_path / "svg")
    paths = [(path.get("class"), path.get("d")) for path in root.iter(SVG + "path")]
    assert {"line line-a", "line line-b"} <= {of for of, _ in paths}
    # The bars of B don't hide those of A, whose outline ends where bars do.
    floor = {f'{float(bar.get("y")) + float(bar.get("height")):.2f}' for bar in root.iter(SVG + "rect") if bar.get("class") == "fill-b"}
    assert len(floor) == 1 and any(of == "line line-a" and shape.split()[-1] in floor for of, shape in paths), (floor, paths)
    ipctop.run("--replay", record("few", tmp_path), "-q", "--json", tmp_path / "few.json")
    root = plot(ipctop, marks, tmp_path / "svg", "--baseline", tmp_path / "few.json")
    assert "A: baseline" in texts(root)


def test_rings_of_one_name_are_each_counted_once_in_a_file(ipctop, tmp_path):
    recording, summary = tmp_path / "recording", tmp_path / "json"
    ipctop.run("-q", "-m", "pipe", "-c", CPU, "-t", 2, "-i", "1ms", "-l", 300, "--record", recording, "--json", summary)
    root = plot(ipctop, recording, tmp_path / "svg", "--baseline", summary)
    lines = {of: [path.get("d") for path in root.iter(SVG + "path") if path.get("class").startswith(f"line line-{of}")]
             for of in "ab"}    # of the curve its parts, and one in the key; of A the outline of the histogram, too
    n = len(lines["b"])
    assert n >= 2 and lines["a"][:n - 1] == lines["b"][:-1], lines


def eighth(ns):
    """The eighth of an octave in which a bucket is; below 64 ns eight buckets of 1 ns are one."""
    shift = max(ns.bit_length() - 7, 0)
    return (shift * 64 + (ns >> shift)) // 8


def test_the_histogram_has_a_bar_for_each_eighth_with_samples(ipctop, tmp_path):
    page, summary = tmp_path / "svg", tmp_path / "json"
    result = ipctop.run("-q", "-c", CPU, "-l", 500, "--plot", page, "--json", summary)
    assert (result.returncode, result.stderr) == (0, ""), result
    root = xml.parse(page).getroot()
    bars = [bar for bar in root.iter(SVG + "rect") if bar.get("class") == "fill-b"]
    rings = json.loads(summary.read_text(encoding="utf-8"))["rings"]
    with_samples = {eighth(lower) for ring in rings for lower, _, _ in ring["figures"]["first"]["histogram"]}
    assert len(bars) == len(with_samples) > 0
    assert len({round(float(bar.get("y")) + float(bar.get("height")), 1) for bar in bars}) == 1
    places = {text.text: float(text.get("y")) for text in root.iter(SVG + "text")}
    assert places["p50"] > places["Samples of the first hop"] + 10     # it may be below the title


class Page(html.parser.HTMLParser):
    """Checks that elements end, and collects the text of each heading's section."""
    EMPTY = ("meta", "br")

    def __init__(self):
        super().__init__()
        self.open, self.sections, self.tags, self.last = [], {}, set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not any(name in ("src", "href", "onclick", "onload") for name, _ in attrs), attrs
        if tag not in self.EMPTY and tag not in ("rect", "line", "path"):
            if tag in ("td", "th", "tr") and self.open[-1] in ("td", "th"):
                self.open.pop()
            self.open.append(tag)
        if tag == "h2":
            self.last = ""

    def handle_endtag(self, tag):
        while self.open[-1] in ("td", "th") and tag in ("tr", "table"):
            self.open.pop()
        if tag not in ("rect", "line", "path"):
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.last = data
        else:
            self.sections[self.last] = self.sections.get(self.last, "") + data


def report(ipctop, recording, path, *args):
    result = ipctop.run("report", recording, "-o", path, *args)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", ""), result
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    assert not page.open and "script" not in page.tags
    assert not [name for name, text in page.sections.items() if "(null)" in text]
    return page.sections


def test_a_report_has_verdict_pictures_tables_and_the_machine(ipctop, tmp_path):
    sections = report(ipctop, record("marks", tmp_path), tmp_path / "html")
    assert {"Phases", "Pictures", "Rings", "The machine", "Events"} <= set(sections)
    assert any(name.startswith("Verdict: phases ") for name in sections)
    assert "p99" in sections["Pictures"]


def test_names_in_a_report_are_wrapped_after_40_letters_alone(ipctop, tmp_path):
    """A cell whose letters may be parted anywhere is as narrow as one of them where its table has many columns."""
    report(ipctop, record("spikes", tmp_path), tmp_path / "html")
    report(ipctop, record("marks", tmp_path), tmp_path / "page")
    pages = [(tmp_path / name).read_text(encoding="utf-8") for name in ("html", "page")]
    rules = dict(re.findall(r"([^{}]+)\{([^{}]*)\}", pages[0][pages[0].index("<style>") + 7:pages[0].index("</style>")]))
    rules = {selector.strip(): rule for selector, rule in rules.items()}
    assert {"width:max-content", "max-width:40ch", "overflow-wrap:anywhere"} <= set(rules[".name"].split(";"))
    assert [selector for selector, rule in rules.items() if "overflow-wrap:anywhere" in rule and "td" in selector] == []
    for page, title, column in ((pages[0], "Rings", 0), (pages[0], "What spikes were caused by", 0),
                                (pages[0], "The longest spikes", 1), (pages[1], "Phases", 0)):
        table = page[page.index(f"<h2>{title}</h2>"):].split("</table>")[0]
        rows = [row.split("<td>")[1:] for row in table.split("<tr>")[2:]]
        assert rows and all(re.match(r'<div class="name">[^<]+</div>', row[column]) for row in rows), table


def test_a_report_has_the_knobs_with_their_remedies(ipctop, tmp_path):
    sections = report(ipctop, record("spikes", tmp_path), tmp_path / "html")
    assert '<table class="text values">' in (tmp_path / "html").read_text(encoding="utf-8")     # long values are wrapped
    knobs, others = sections["Knobs"].split("other knobs")
    assert "For members on CPUs 0-5" in knobs
    assert "throttling cost 87 % of all spikes here" in knobs
    assert "now: sysctl -w kernel.sched_rt_runtime_us=-1" in knobs and "keep: echo 'kernel.sched_rt_runtime_us = -1'" in knobs
    assert knobs.index("sched_rt_runtime_us") < knobs.index("governor") < knobs.index("smt")
    assert "skew_tick" in knobs and "vm.swappiness" not in knobs and "PREEMPT_RT" in others and "sysctl -w" not in others


def test_a_report_of_a_sweep_has_matrix_classes_and_what_stands_out(ipctop, tmp_path):
    sections = report(ipctop, record("sweep-8", tmp_path), tmp_path / "html")
    assert set(sections) >= {"Pictures", "Laps by class, there and back", "Hops by class", "What stands out", "The machine"}
    assert not {"Rings", "Phases"} & set(sections)
    assert "Matrix: hop p50" in sections["Pictures"]
    assert "For members on CPUs 0-7" in sections["Knobs"]
    assert "slowest receiver: CPU 5" in sections["What stands out"] and "1>5" in sections["What stands out"]


def samples(ipctop, socket):
    ring = first_ring(ipctop, socket)
    return ring["figure"]["n"] if ring else 0


@pytest.mark.needs("proc")   # for the control socket
def test_a_hostile_mark_is_a_text(ipctop, tmp_path):
    """And the replay of a run has its picture."""
    recording, run = tmp_path / "recording", tmp_path / "run.svg"
    socket = tmp_path / "socket"
    with ipctop.start("-q", "-c", CPU, "-i", "5ms", "--tick", "0.05", "--control", socket, "--record", recording, "--plot",
                      run) as process:
        assert until(lambda: samples(ipctop, socket), step=0.2)
        before = samples(ipctop, socket)
        assert ipctop.run("ctl", socket, "mark", HOSTILE).returncode == 0
        assert until(lambda: samples(ipctop, socket) > before + 100, step=0.2)
        assert ipctop.run("ctl", socket, "quit").returncode == 0
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert any(HOSTILE in text for text in texts(xml.parse(run).getroot()))
    plot(ipctop, recording, tmp_path / "replay.svg")
    assert run.read_text(encoding="utf-8") == (tmp_path / "replay.svg").read_text(encoding="utf-8")
    assert HOSTILE in report(ipctop, recording, tmp_path / "html")["Phases"]


def test_the_screen_as_a_picture_has_the_words_of_the_text(ipctop, tmp_path):
    recording, env = record("few", tmp_path), {"LC_ALL": "C.UTF-8"}
    text = ipctop.run("--replay", recording, "--render", "100x30", env=env).stdout
    picture = xml.fromstring(ipctop.run("--replay", recording, "--render", "100x30", "--svg", env=env).stdout)
    words = set(re.findall(r"[a-zA-Z]{3,}", text))
    assert words and words <= set(re.findall(r"[a-zA-Z]{3,}", " ".join(texts(picture))))


def weight_of(style, tag, classes):
    """The font weight that a style sheet gives such an element: the most specific rule wins, of equal ones the last."""
    weight, best = "normal", (-1, -1)
    for of_tag, of_class, body in re.findall(r"(?:^|})\s*(\w*)(?:\.(\w+))?(?=\{([^{}]*))", style.split("@media")[0]):
        declared = re.search(r"font-weight:(\w+)|font:", body)
        if declared and of_tag in ("", tag) and of_class in ("", *classes) and (bool(of_class), bool(of_tag)) >= best:
            weight, best = declared[1] or "normal", (bool(of_class), bool(of_tag))
    return weight


def test_what_is_bold_on_the_screen_is_so_in_its_picture(ipctop, tmp_path):
    recording = record("few", tmp_path)
    picture = xml.fromstring(ipctop.run("--replay", recording, "--render", "100x30", "--svg").stdout)
    style = picture.find(SVG + "style").text
    assert any("bold" in text.get("class", "").split() for text in picture.iter(SVG + "text"))
    assert (weight_of(style, "text", ["cells"]), weight_of(style, "text", ["cells", "bold"])) == ("normal", "700")


def test_other_files_are_not_overwritten(ipctop, tmp_path):
    recording, page = record("few", tmp_path), tmp_path / "page"
    before = recording.read_bytes()
    for args, sentence in (
            (["report", recording, "-o", recording], f"--report {recording}: --replay reads there; name another file"),
            (["--replay", recording, "-q", "--plot", page, "--report", page],
             f"--plot {page}: --report writes there, too; name another file"),
            (["--replay", recording, "-q", "--plot", page, "--json", page],
             f"--plot {page}: --json {page} writes there, too; name another file"),
            (["--replay", recording, "-q", "--plot", "-"], "--plot -: must be a file")):
        result = ipctop.run(*args)
        assert (result.returncode, result.stderr) == (1, f"ipctop: {sentence}\n")
    assert recording.read_bytes() == before and not page.exists()
