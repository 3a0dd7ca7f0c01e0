#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that the JSON Schema lists the names of the program's tables: check_names.py SCHEMA PROGRAM

The program prints with --names {"cause_kind": ["task", ...], ...}; these are lists of the schema's $defs. Prints TAP.
"""
import json
import subprocess
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as schema_file:
        defined = json.load(schema_file)["$defs"]
    tables = json.loads(subprocess.run([sys.argv[2], "--names"], stdout=subprocess.PIPE, check=True).stdout)
    print(f"TAP version 13\n1..{len(tables)}")
    for number, (kind, names) in enumerate(tables.items(), 1):
        listed = defined.get(kind, {}).get("enum", [])
        for name in set(names) ^ set(listed):
            print(f"# $defs/{kind} {'lacks' if name in names else 'has'} {name}")
        print("ok" if set(names) == set(listed) else "not ok", number, "-", f"{kind} has the names of the program's table")


main()
