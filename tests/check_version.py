#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that what lists releases begins with the version of meson.build: check_version.py CHECKOUT VERSION. Prints TAP.

A distribution may append its own revision in debian/changelog.
"""
import pathlib
import re
import sys

# Where the newest release stands: file, and a pattern of which the first match is it.
LISTS = [("NEWS", r"^(\d\S*), \d{4}-\d\d-\d\d$"),
         ("debian/changelog", r"^ipctop \((\d[\d.]*)[^)]*\)"),
         ("packaging/ipctop.spec", r"^Version: +(\S+)$"),
         ("packaging/ipctop.spec", r"^\* .* (\d\S*)-\d+$"),
         ("data/example.a_seed_0a0fdfc6.ipctop.metainfo.xml", r'<release version="([^"]+)"')]

root, version = pathlib.Path(sys.argv[1]), sys.argv[2]
print(f"1..{len(LISTS)}")
failed = 0
for number, (name, pattern) in enumerate(LISTS, 1):
    found = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
    newest = found.group(1) if found else "none"
    failed += newest != version
    print(f"{'ok' if newest == version else 'not ok'} {number} - {name}: {newest} is the newest release, {version} the version")
sys.exit(failed > 0)
