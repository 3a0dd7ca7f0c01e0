# SPDX-License-Identifier: GPL-2.0-or-later
"""The comparison of two phases on a real terminal, while the run goes on."""
import json
import re

import pytest

import made
from conftest import CPU, OWN
from table import phase_line, rows
from terminal import Terminal

pytestmark = pytest.mark.screen

ARGS = ("-m", "pipe", "--pairs", f"{CPU}:{CPU}", "-i", "1ms", "--tick", "0.1", "--refresh", "0.2")
VERDICT = re.compile(rf"^> +{OWN} .* (same|same to p99|undecided|mixed|better \S+|worse \S+)$", re.M)


def samples(text, letter):
    found = re.search(rf"^{letter}  .* n (\d+)", text, re.M)
    return int(found[1]) if found else 0


def test_a_mark_is_compared_with_the_phase_before(ipctop):
    with Terminal(ipctop, *ARGS, columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: re.search(r"^load .* 00:0\d:(0[2-9]|[1-5]\d)$", text, re.M))
        for key in ("m", "l", "a", "t", "e", "r", "Enter"):
            terminal.press(key)
        terminal.wait_for(lambda text: phase_line(text).startswith("PHASE 2 'later'"))
        terminal.wait_for(lambda text: "c compares phase 2 with 1" in text)
        terminal.press("c")
        terminal.wait_for(VERDICT.search)     # of 8 ticks
        text = terminal.text()
        assert "A  phase 1 'start'" in text and "B  phase 2 'later'" in text
        assert "differs" in text
        # Eight blocks of a busy machine may have no bound.
        assert re.search(rf"^pipe {OWN}: (undecided|same|better|worse|mixed|blocks vary too much)", text, re.M), text
        before = samples(text, "B")
        terminal.wait_for(lambda text: samples(text, "B") > before)     # with each new block
        terminal.press("b")
        terminal.wait_for(lambda text: "A  base phase 1 'start'" in text)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""
        assert "\nphase 2 'later', compared with the baseline, phase 1 'start':\n" in terminal.text()


def test_pairs_of_different_mechanisms_name_them(ipctop):
    with Terminal(ipctop, "-m", "mq,pipe", "-c", CPU) as terminal:
        terminal.wait_for(rows)
        terminal.press("r")
        terminal.wait_for(lambda text: phase_line(text).startswith("PHASE 2"))
        terminal.press("c")
        terminal.wait_for(lambda text: all(re.search(rf"^[> ] +{name} {OWN} ", text, re.M) for name in ("mq", "pipe")))
        terminal.press("q")
        assert terminal.finish() == 0


def test_one_phase_is_compared_with_none(ipctop):
    with Terminal(ipctop, *ARGS) as terminal:
        terminal.wait_for(lambda text: OWN in text)
        terminal.press("c")
        terminal.wait_for(lambda text: "There is one phase only" in text)
        terminal.press("q")
        assert terminal.finish() == 0


def test_a_run_is_compared_with_a_file(ipctop, tmp_path):
    for suffix, option in (("json", "--json"), ("rec", "--record")):
        path = tmp_path / f"before.{suffix}"
        result = ipctop.run("-q", "-D", "2", *ARGS[:-2], option, path, timeout=60)
        assert result.returncode == 0, result
        with Terminal(ipctop, *ARGS, "--work", "64k", "--baseline", path, columns=120, lines=40) as terminal:
            terminal.wait_for(lambda text: re.search(r"^load .* 00:0\d:(0[1-9]|[1-5]\d)$", text, re.M) and "vs base" in text)
            terminal.press("c")
            # On a slow machine, 2 s may be too few.
            terminal.wait_for(re.compile(VERDICT.pattern.replace("(same|", "(too few|same|"), re.M).search)
            text = terminal.text()
            assert re.search(rf"^A  base before.{suffix}", text, re.M) and "B  phase 1 'start'" in text, text
            assert ": work 0 > 64 KiB" in text, text      # the load may differ, too
            terminal.press("Enter")
            terminal.wait_for(lambda text: re.search(r"A base +B 1 +change", text, re.M) and re.search(r" p50 +\d\S+ +\d\S+ +(\S+% [bw=?]|- +~)$", text, re.M))
            terminal.press("q")
            assert terminal.finish() == 0
        result = ipctop.run("-q", "-D", "2", *ARGS[:-2], "--work", "64k", "--baseline", path, timeout=60)
        assert result.returncode == 0, result
        at = result.stdout.index("phase 1 'start', compared with the baseline, phase 1 'start' of")
        assert ": work 0 > 64 KiB" in result.stdout[at:]
        assert re.search(r"^(BETTER: |WORSE: |MIXED: |same|undecided: |too few: )", result.stdout[at:], re.M), result


def test_a_replay_is_compared_by_the_options_of_its_recording(ipctop, tmp_path):
    paths = tmp_path / "run.rec", tmp_path / "run.json"
    result = ipctop.run("-q", "-D", "1", *ARGS[:-2], "--stamps", "lap", "--record", paths[0], "--json", paths[1], timeout=60)
    assert result.returncode == 0, result
    result = ipctop.run("-q", "--replay", paths[0], "--speed", "0", "--baseline", paths[1])
    assert result.returncode == 0 and "\nnothing recorded differs\n" in result.stdout, result


def test_a_printed_screen_is_compared_with_a_file(ipctop, tmp_path):
    recording, before = made.record("few", tmp_path), tmp_path / "before.json"
    assert ipctop.run("-q", "--replay", recording, "--json", before).returncode == 0
    out = ipctop.run("--replay", recording, "--render", "120x40", "--view", "compare", "--baseline", before).stdout
    assert "A  base before.json" in out and "B  phase" in out, out


def test_a_share_of_missed_slots_does_not_touch_what_is_before_it(ipctop, tmp_path):
    path = tmp_path / "missed.json"
    result = ipctop.run("-q", "-D", "2", *ARGS[:-2], "--json", path, timeout=60)
    assert result.returncode == 0, result
    document = json.loads(path.read_text())
    for ring in document["phases"][-1]["rings"]:
        ring["missed"] = ring["laps"]
    path.write_text(json.dumps(document))
    with Terminal(ipctop, *ARGS, "--baseline", path, columns=80, lines=24) as terminal:
        terminal.press("c")
        terminal.wait_for(lambda text: re.search(r"^>? +\d+>\d+(?:#\d+)? +50 ", text, re.M))
        terminal.press("q")
        assert terminal.finish() == 0


def says(a, b, *words):
    """Whether the view compares these phases, with all of these words, and is ready."""
    return lambda text: (re.search(rf"^A  {a}  ", text, re.M) and re.search(rf"^B  {b}  ", text, re.M) and
                         re.search(r"^of \d+ rows \d+ ", text, re.M) and
                         all(word in text for word in words))


def test_all_phases_of_a_recording_are_compared_after_a_seek(ipctop, tmp_path):
    path = made.record("marks", tmp_path)
    with Terminal(ipctop, "--replay", path, "--speed", 0, "--refresh", 0.1, columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: "END" in text)
        terminal.press("{")     # the first two phases are not read for it
        terminal.wait_for(lambda text: re.search(r"PAUSED +00:05:40/00:05:50", text))
        terminal.press("c")
        terminal.wait_for(says("phase 4 'late'", "phase 5 'last'", "nothing recorded differs"))
        terminal.press("A")
        terminal.wait_for(says("phase 1 'start'", "phase 5 'last'", "governor powersave > performance", "BETTER: ", "of 2 rows 2 better"))
        terminal.press("B")
        terminal.wait_for(says("phase 1 'start'", "phase 2 'spikes'", "nothing recorded differs", "WORSE: ", "1 worse"))
        terminal.press("b")
        terminal.wait_for(says("base phase 1 'start'", "phase 2 'spikes'", "1 worse"))
        terminal.press("{")     # the choice stays
        terminal.wait_for(says("base phase 1 'start'", "phase 2 'spikes'", "00:05:30/00:05:50", "1 worse"))
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""
        assert re.search(r"\nphase 5 .last., compared with the baseline, phase 1 .start.:\n(only this changed|differs in 2): governor", terminal.text())
        assert "\nof 2 rows 2 better" in terminal.text()


def test_a_phase_plays_on_after_a_seek(ipctop, tmp_path):
    path = made.record("marks", tmp_path)
    with Terminal(ipctop, "--replay", path, "--speed", 0, "--refresh", 0.1, columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: "END" in text)
        for _ in range(6):      # into the long phase: the seek reads half of it
            terminal.press("{")
        terminal.wait_for(lambda text: re.search(r"PAUSED +00:04:50/00:05:50", text))
        terminal.press("c")
        terminal.wait_for(says("phase 2 'spikes'", "phase 3 'long'", "500k"))
        before = samples(terminal.text(), "B")
        terminal.press("[")
        terminal.wait_for(lambda text: samples(text, "B") < before and says("phase 2 'spikes'", "phase 3 'long'")(text))
        terminal.press("q")
        assert terminal.finish() == 0


def test_a_baseline_that_is_none_ends_the_run(ipctop, tmp_path):
    path = tmp_path / "none"
    path.write_text("{}")
    with Terminal(ipctop, *ARGS, "--baseline", path) as terminal:
        assert terminal.finish() == 1
        # The sentence holds the path, so where it is wrapped differs from run to run.
        assert "neitheraJSONsummaryofipctopnorarecording" in re.sub(r"\s", "", terminal.text())
