#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks what a program prints against the JSON Schema: check_json.py SCHEMA PROGRAM [ARGUMENT...]

It also spoils what was printed, in each object in turn: a schema that lets that pass checks nothing.
"""
import copy
import json
import subprocess
import sys

print("TAP version 13")
try:
    import jsonschema
except ImportError:
    print("1..0 # SKIP python3-jsonschema is not installed")
    sys.exit(0)


def objects(value, path=()):
    """The paths of all objects in it, itself included."""
    if isinstance(value, dict):
        yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from objects(inner, path + (key,))


def spoiled(document, path):
    """A copy with one more key in the object at the path."""
    copied = copy.deepcopy(document)
    place = copied
    for key in path:
        place = place[key]
    place["no_such_key"] = 1
    return copied


def main():
    with open(sys.argv[1], encoding="utf-8") as schema_file:
        schema = json.load(schema_file)
    ran = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, check=False)
    document = json.loads(ran.stdout.decode("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    errors = [f"{e.json_path}: {e.message}" for e in validator.iter_errors(document)]
    passed = [path for path in objects(document) if validator.is_valid(spoiled(document, path))]
    results = [
        (ran.returncode == 0, "the program ended well", [f"exit status {ran.returncode}"]),
        (not errors, "the report has the schema's form", errors),
        (not passed, "an unknown key is refused in every object", [str(path) for path in passed]),
    ]
    for number, (good, name, remarks) in enumerate(results, 1):
        for remark in [] if good else remarks:
            print("#", remark)
        print("ok" if good else "not ok", number, "-", name)
    print(f"1..{len(results)}")
    return not all(good for good, _, _ in results)


sys.exit(main())
