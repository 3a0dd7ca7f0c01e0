# SPDX-License-Identifier: GPL-2.0-or-later
"""What one pair more takes: of the arena, which all processes share, and of the front's own memory, its model.

Taken from /proc/PID/smaps while runs of 1 and of 65 pairs go on, after each pair has counted thousands
of laps. A page of the arena counts once, however many processes have touched it: Pss gives each its part,
so that the parts of all of ipctop's processes add up.
"""
import re
import subprocess
import time

import program

BAR_KIB, FEW, MANY = 256, 1, 65
RUN = ("--side-by-side", "-i", "2ms", "-q")
SETTLE_S = 6
MAPPING = re.compile(r"^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \d+\s*(.*)$")
FIELD = re.compile(r"^(\w+):\s+(\d+) kB$")


def mappings(pid):
    """Of each mapping its name, whether it is shared, and its fields in KiB."""
    found = []
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as file:
        for line in file:
            if match := MAPPING.match(line):
                found.append({"name": match[2], "shared": match[1].endswith("s")})
            elif match := FIELD.match(line):
                found[-1][match[1]] = int(match[2])
    return found


def descendants(pid):
    """The process and all that come from it."""
    pids = [pid]
    for parent in pids:
        for task in subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], stdout=subprocess.PIPE, text=True,
                                   check=False).stdout.split():
            pids.append(int(task))
    return pids


def is_arena(mapping):
    return mapping["name"].startswith("/memfd:ipctop")


def look(pid):
    """KiB now: the arena's that is touched and as laid out, the front's own, and all processes together."""
    family = [mappings(member) for member in descendants(pid)]
    arenas = [mapping for process in family for mapping in process if is_arena(mapping)]
    return {
        "arena": sum(mapping["Pss"] for mapping in arenas),
        "laid out": max(mapping["Size"] for mapping in arenas),
        "model": sum(mapping["Private_Clean"] + mapping["Private_Dirty"] for mapping in family[0]
                     if not is_arena(mapping)),
        "all": sum(mapping["Pss"] for process in family for mapping in process),
    }


def take(pairs):
    process = subprocess.Popen([str(program.IPCTOP), *RUN, "-t", str(pairs)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=program.environment())
    try:
        time.sleep(SETTLE_S)
        return look(process.pid)
    finally:
        program.end(process)


def bench(results, options):
    del options
    few, many = take(FEW), take(MANY)
    each = {name: (many[name] - few[name]) / (MANY - FEW) for name in few}
    results.note(f"{MANY} pairs less {FEW}, {' '.join(RUN[:-1])}, after {SETTLE_S} s")
    results.bar("arena and model, for each pair", each["arena"] + each["model"], BAR_KIB, " KiB",
                f"arena {each['arena']:.0f}, of {each['laid out']:.0f} laid out; model {each['model']:.0f}")
    results.figure("all processes, for each pair", f"{each['all']:.0f} KiB, hosts and members' stacks included")
