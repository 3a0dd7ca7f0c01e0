#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks who includes whom, as TAP: one test for each rule, and one for the checker itself.

Usage: layering.py [CHECKOUT]
"""
import fnmatch
import pathlib
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
ENGINE = "engine keeper host member sampler arena stop turns".split()


def matches(name, *patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def only(included, *homes):
    """A rule: files like @included may be included by files like @homes alone."""
    return lambda path, own, name: matches(name, *included) and not matches(path, *homes)


def probe_knows_the_contract_alone(path, own, name):
    return matches(path, "probes/*") and own and name != "src/probe/probe.h"


def src_knows_no_front(path, own, name):
    return matches(path, "src/*") and not matches(path, "src/main*.c") and matches(name, "probes/*", "ui/*", "../*")


def ui_knows_no_thread_of_the_engine(path, own, name):
    return matches(path, "ui/*") and name.startswith("src/") and pathlib.Path(name).stem in ENGINE


# name, is this include (of the project's own if `own`) by `path` wrong?, an example that is
RULES = [
    ("probes include src/probe.h alone", probe_knows_the_contract_alone, ("probes/mq.c", '"src/base/clock.h"')),
    ("src includes neither probes nor ui, but for main*.c", src_knows_no_front, ("src/compat/x.c", '"ui/views/view.h"')),
    ("ui includes no header of the running engine", ui_knows_no_thread_of_the_engine, ("ui/views/view.c", '"src/ring/arena.h"')),
    ("hwloc is known by topology alone", only(["hwloc.h", "hwloc/*"], "src/machine/topology.c"), ("src/plan/plan.c", "<hwloc.h>")),
    ("libnuma is known by memory alone", only(["numa*.h"], "src/machine/memory.c"), ("src/ring/arena.c", "<numaif.h>")),
    ("json-c is known by files named json alone", only(["json-c/*", "json.h"], "src/*json*"),
     ("src/model/session.c", "<json-c/json.h>")),
    ("curses is known by ui alone", only(["*curses*.h", "term.h"], "ui/*"), ("src/engine/terminal.c", "<curses.h>")),
]


def includes(text):
    """Pairs: is it the project's own?, name."""
    return [(quote == '"', name) for quote, name in INCLUDE.findall(text)]


def violations(rule, sources):
    return [f"{path} includes {name}" for path, text in sources.items()
            for own, name in includes(text) if rule(path, own, name)]


def curses_files(sources):
    return [path for path, text in sources.items()
            if any(matches(name, "*curses*.h") for _, name in includes(text))]


def read_sources(root):
    files = [path for folder in ("src", "probes", "ui") for path in sorted((root / folder).rglob("*"))]
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8")
            for path in files if path.suffix in (".c", ".h", ".in")}


def blind_rules():
    """Rules that do not see their own example, or that see something in an innocent file."""
    innocent = {"src/figures/hist.c": '#include "src/figures/hist.h"\n#include <math.h>\n',
                "probes/mq.c": '#include <mqueue.h>\n#include "src/probe/probe.h"\n',
                "ui/views/view.c": '#include "src/model/session.h"\n#include "ui/views/view.h"\n',
                "src/main.c": '#include "ui/views/view.h"\n#include "src/engine/engine.h"\n'}
    return [name for name, rule, (path, include) in RULES
            if len(violations(rule, {path: f"/* x */\n # include {include}\n"})) != 1 or violations(rule, innocent)]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    sources = read_sources(root)
    screens = curses_files(sources)
    results = [(name, violations(rule, sources)) for name, rule, _ in RULES]
    results.append(("curses is included by exactly one file",
                    [] if len(screens) == 1 else [f"by {len(screens)}: {' '.join(screens)}"]))
    results.append(("there are sources to check", [] if len(sources) > 10 else [f"{len(sources)} in {root}"]))
    results.append(("each rule finds its violation, and none where there is none", blind_rules()))

    for number, (name, wrong) in enumerate(results, 1):
        for line in wrong:
            print(f"# {line}")
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    print(f"1..{len(results)}")
    return int(any(wrong for _, wrong in results))


if __name__ == "__main__":
    sys.exit(main())
