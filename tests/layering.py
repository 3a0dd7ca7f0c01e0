#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks who includes whom, and that no object files need each other in a circle. Prints TAP.

Usage: layering.py [CHECKOUT [BUILD]]

Without BUILD, CHECKOUT/build is read; without either, the test of circles is skipped.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
SYMBOL = re.compile(r'[:/]([^:/]+)\.o:[0-9a-f]*\s+(\w) (\S+)$', re.MULTILINE)

# Each folder, and the folders and files that it may include besides its own.
PLAN = "base machine probe figures load plan"
UI = "src/base src/machine src/figures src/witness src/model src/recording/history.h src/recording/replay.h"
WINGS = {
    "src/base": "",
    "src/machine": "base",
    "src/probe": "base machine",
    "src/figures": "base machine",
    "src/flight": "base machine figures",
    "src/witness": "base machine figures",
    "src/load": "base machine",
    "src/plan": "base machine probe figures load",
    "src/options": f"{PLAN} flight",
    "src/ring": PLAN,
    "src/engine": f"{PLAN} flight ring",
    "src/model": "base machine figures witness plan",
    "src/recording": "base machine figures witness plan model",
    "src/report": f"{PLAN} witness model",
    "src/restore": "base machine",
    "src/run": f"{PLAN} options flight ring engine model recording report restore",
    "src/selftest": f"{PLAN} flight witness engine model run",
    "src/compat": f"{PLAN} flight options model report run",
    "src/modules": f"{PLAN} options engine model recording report run ui/draw ui/frame ui/pictures ui/term",
    "src/app": f"{PLAN} flight options compat selftest model recording report restore run modules",
    "ui/draw": UI,
    "ui/table": f"{UI} ui/draw",
    "ui/panes": f"{UI} ui/draw ui/table",
    "ui/views": f"{UI} ui/draw ui/table ui/panes",
    "ui/frame": f"{UI} ui/draw ui/table ui/panes ui/views",
    "ui/pictures": f"{UI} ui/draw ui/table ui/panes",
    "ui/term": f"{UI} ui/draw ui/table ui/panes ui/views ui/frame",
    "probes": "src/probe/probe.h",
}
ANY_WING = ["src/main.c", "src/table.c.in"]

# Includes that break the table today: known, to be cured. One that is cured must leave the list.
KNOWN_INCLUDES = """
"""

# Calls (or uses of a table) that close a circle today: known, to be cured. One that is cured, or that is
# in no circle any more, must leave the list.
KNOWN_CALLS = """
"""


def matches(name, *patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def only(included, *homes):
    """A rule: files like @included may be included by files like @homes alone."""
    return lambda path, own, name: matches(name, *included) and not matches(path, *homes)


def home(path):
    """The folder of a file, which is a key of WINGS if the file is in a wing."""
    return str(pathlib.PurePath(path).parent)


def is_allowed(folder, name):
    for allowed in WINGS[folder].split():
        if allowed.endswith(".h") and matches(name, allowed):
            return True
        if home(name) == (allowed if "/" in allowed else f"src/{allowed}"):
            return True
    return folder != "probes" and home(name) == folder


def breaks_the_table(path, own, name):
    return own and not matches(path, *ANY_WING) and (home(path) not in WINGS or not is_allowed(home(path), name))


# name, is this include (of the project's own if `own`) by `path` wrong?, examples that are
RULES = [
    ("each wing includes what the table allows", breaks_the_table, [
        ("src/ring/x.c", '"src/model/session.h"'), ("probes/mq.c", '"src/base/clock.h"'), ("probes/mq.c", '"probes/x.h"'),
        ("src/compat/x.c", '"ui/views/view.h"'), ("ui/views/view.c", '"src/ring/arena.h"'),
        ("ui/views/view.c", '"src/recording/record.h"'), ("ui/panes/x.c", '"ui/views/view.h"'),
        ("src/x.c", '"src/base/clock.h"')]),
    ("hwloc is known by topology alone", only(["hwloc.h", "hwloc/*"], "src/machine/topology.c"),
     [("src/plan/plan.c", "<hwloc.h>")]),
    ("libnuma is known by memory alone", only(["numa*.h"], "src/machine/memory.c"), [("src/ring/arena.c", "<numaif.h>")]),
    ("json-c is known by files named json alone", only(["json-c/*", "json.h"], "src/*json*"),
     [("src/model/session.c", "<json-c/json.h>")]),
    ("libmicrohttpd is known by the server alone", only(["microhttpd.h"], "src/modules/metrics_server.c"),
     [("src/modules/metrics_file.c", "<microhttpd.h>")]),
    ("zlib is known by the reader of the kernel's configuration alone", only(["zlib.h"], "src/machine/kernel_config.c"),
     [("src/machine/settings.c", "<zlib.h>")]),
    ("libbpf is known by the BPF tier alone", only(["bpf/*"], "src/flight/bpf.c", "src/flight/switch.bpf.c"),
     [("src/flight/perf.c", "<bpf/libbpf.h>")]),
    ("curses is known by ui/term alone", only(["*curses*.h", "term.h"], "ui/term/*"), [("ui/views/view.c", "<curses.h>")]),
]


def includes(text):
    """Pairs: is it the project's own?, name."""
    return [(quote == '"', name) for quote, name in INCLUDE.findall(text)]


def violations(rule, sources):
    """Pairs of an including file and the file that it should not include."""
    return [(path, name) for path, text in sources.items() for own, name in includes(text) if rule(path, own, name)]


def curses_files(sources):
    return [path for path, text in sources.items()
            if any(matches(name, "*curses*.h") for _, name in includes(text))]


def read_sources(root):
    files = [path for folder in ("src", "probes", "ui") for path in sorted((root / folder).rglob("*"))]
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8")
            for path in files if path.suffix in (".c", ".h", ".in")}


def read_pairs(text):
    return [tuple(line.split()) for line in text.split("\n") if line]


def blind_rules():
    """Rules that do not see their own example, or that see something in an innocent file."""
    innocent = {"src/figures/hist.c": '#include "src/figures/hist.h"\n#include <math.h>\n',
                "probes/mq.c": '#include <mqueue.h>\n#include "src/probe/probe.h"\n',
                "ui/views/view.c": '#include "src/model/session.h"\n#include "ui/views/view.h"\n'
                                   '#include "ui/panes/x.h"\n#include "src/recording/replay.h"\n',
                "ui/term/screen.c": '#include <curses.h>\n',
                "src/main.c": '#include "ui/views/view.h"\n#include "src/engine/engine.h"\n'}
    return [f"{name}: {path} {include}" for name, rule, examples in RULES for path, include in examples
            if len(violations(rule, {path: f"/* x */\n # include {include}\n"})) != 1 or violations(rule, innocent)]


def read_calls(sources, build):
    """Which source files use which, by the symbols of the static libraries in @build."""
    defined, used = {}, []
    for folder in ("src", "ui", "probes"):
        objects = {path[len(folder) + 1:].replace("/", "_"): path for path in sources if path.startswith(folder + "/")}
        for library in (build / folder).glob("*.a"):
            table = subprocess.run(["nm", "-A", "-g", library], stdout=subprocess.PIPE, check=True, text=True).stdout
            for name, kind, symbol in SYMBOL.findall(table):
                path = objects.get(name)
                if path and kind == "U":
                    used.append((path, symbol))
                elif path:
                    defined[symbol] = path
    return {(path, defined[symbol]) for path, symbol in used if defined.get(symbol, path) != path}


def circles(calls):
    """The strongly connected components of more than one file, each sorted."""
    callees = {}
    for caller, callee in sorted(calls):
        callees.setdefault(caller, []).append(callee)

    reached = {}
    for start in callees:
        found, pending = set(), [start]
        while pending:
            fresh = set(callees.get(pending.pop(), [])) - found
            found |= fresh
            pending += fresh
        reached[start] = found
    return sorted({tuple(sorted(other for other in found if path in reached.get(other, ())))
                   for path, found in reached.items() if path in found})


def wrong_calls(calls, known):
    """What is wrong with @calls, of which @known are the excused ones."""
    together = circles(calls)
    wrong = [f"{' '.join(circle)}: need each other in a circle" for circle in circles(calls - set(known))]
    wrong += [f"{caller} {callee}: is in no circle any more, so it leaves KNOWN_CALLS" for caller, callee in known
              if (caller, callee) not in calls or not any(caller in circle and callee in circle for circle in together)]
    return wrong


def blindness_for_circles():
    line, ring = {("a", "b"), ("b", "c"), ("a", "c")}, {("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")}
    wrong = [] if circles(line) == [] else ["sees a circle in a line"]
    wrong += [] if circles(ring) == [("a", "b", "c")] else ["misses a circle of three"]
    wrong += [] if wrong_calls(ring, [("c", "a")]) == [] else ["does not excuse a known call"]
    wrong += [] if len(wrong_calls(line, [("a", "b")])) == 1 else ["does not notice that a known call is cured"]
    return wrong


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    build = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else root / "build"
    sources = read_sources(root)
    screens = curses_files(sources)
    known = read_pairs(KNOWN_INCLUDES)
    results, found = [], set()
    for name, rule, _ in RULES:
        wrong = violations(rule, sources)
        found.update(wrong)
        results.append((name, [f"{path} includes {header}" for path, header in wrong if (path, header) not in known]))
    results.append(("known wrong includes are still there",
                    [f"{path} {header}: is cured, so it leaves KNOWN_INCLUDES" for path, header in known
                     if (path, header) not in found]))
    results.append(("curses is included by exactly one file",
                    [] if len(screens) == 1 else [f"by {len(screens)}: {' '.join(screens)}"]))
    results.append(("there are sources to check", [] if len(sources) > 10 else [f"{len(sources)} in {root}"]))
    results.append(("each rule finds its violation, and none where there is none", blind_rules()))
    results.append(("the search for circles finds them", blindness_for_circles()))

    if build.is_dir():
        calls = read_calls(sources, build)
        results.append(("there are calls to check", [] if len(calls) > 100 else [f"{len(calls)} in {build}"]))
        results.append(("no object files need each other in a circle", wrong_calls(calls, read_pairs(KNOWN_CALLS))))
    else:
        results.append(("no object files need each other in a circle # SKIP nothing is built", []))

    for number, (name, wrong) in enumerate(results, 1):
        for line in wrong:
            print(f"# {line}")
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    print(f"1..{len(results)}")
    return int(any(wrong for _, wrong in results))


if __name__ == "__main__":
    sys.exit(main())
