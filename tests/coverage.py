#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Line coverage by folder, of a build with -Db_coverage=true in which tests have run.

Usage: coverage.py BUILD FOLDER...

Prints for each folder below the FOLDERs of the checkout how many lines of code its files have and how many of
them ran. Lines of a header count once, and as run if they ran in any file.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def files_of(notes):
    """What gcov says of the object with these notes; counts are 0 where it never ran."""
    out = subprocess.run(["gcov", "--json-format", "--stdout", notes], cwd=notes.parent, check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        found = json.loads(line)
        for file in found["files"]:
            yield pathlib.Path(found["current_working_directory"], file["file"]).resolve(), file["lines"]


def lines_run(build, folders):
    """{path in the checkout: {line number: did it run?}}"""
    lines = collections.defaultdict(dict)
    for folder in folders:
        for notes in sorted((build / folder).rglob("*.gcno")):
            for path, found in files_of(notes):
                if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in folders:
                    of_file = lines[path.relative_to(ROOT)]
                    for line in found:
                        number = line["line_number"]
                        of_file[number] = of_file.get(number, False) or line["count"] > 0
    return lines


def main(build, *folders):
    counts = collections.defaultdict(lambda: [0, 0])
    for path, lines in lines_run(pathlib.Path(build).resolve(), folders).items():
        for name in (str(path.parent), "all"):
            counts[name][0] += sum(lines.values())
            counts[name][1] += len(lines)
    for name, (run, all_lines) in sorted(counts.items(), key=lambda item: (item[0] == "all", item[0])):
        print(f"{name:<14}{run:6} of {all_lines:5} lines run{100 * run / all_lines:7.1f} %")
    return 0 if counts else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
