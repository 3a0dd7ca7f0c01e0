# SPDX-License-Identifier: GPL-2.0-or-later
"""The causes that are named while nobody inflicts anything: each with its time and an example. The kernel's own trace
tells whether the task or interrupt was there.

$IPCTOP_MINUTES are measured: 10 unless it is set. The machine is quiet if nobody works on it: on another one the causes
are those of the others, and must have been there as well.
"""
import collections
import json
import os
import pathlib
import subprocess
import tempfile
import time

import blind
import kernel_trace
import program
from figure import Skip

MINUTES = int(os.environ.get("IPCTOP_MINUTES", "10"))
# Nobody stops the members, or makes them wait for a page, and the rings are alone on their CPUs.
NEVER = ("stopped", "blocked", "ring")


def measure(folder):
    """The report; each spike, under way or over, as it was reported last; and the truth."""
    summary, lines, control = folder / "run.json", folder / "run.jsonl", folder / "control"
    priority = ("-p", "50") if program.may_run_realtime() else ()
    words = ("-q", "-m", "mq", "--pairs", "own", "--side-by-side", "-i", "1ms", *priority, "--json", summary,
             "--export", f"jsonl={lines}", "--control", control)
    with subprocess.Popen([program.IPCTOP, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          env=program.environment()) as run:
        try:
            blind.await_run(run, control)
            rings = json.loads(program.run([program.IPCTOP, "ctl", control, "rings"]))["rings"]
            members = [member["tid"] for ring in rings for member in ring["members"]]
            with kernel_trace.tracing(program.cpus(), members) as truth:
                time.sleep(MINUTES * 60)
                program.run([program.IPCTOP, "ctl", control, "quit"])
                run.wait(30)
        finally:
            program.end(run, 10)
    reports = {}
    for item in map(json.loads, lines.read_text(encoding="utf-8").splitlines()):
        if item["type"] == "spike":
            spike = item["spike"]
            reports[spike["ring"], spike.get("due_ns", spike.get("sent_ns"))] = spike
    return json.loads(summary.read_text(encoding="utf-8")), list(reports.values()), truth


def bench(results, _):
    if os.geteuid() or not kernel_trace.is_possible():
        raise Skip("needs root, and tracefs (mount -t tracefs tracefs /sys/kernel/tracing)")
    with tempfile.TemporaryDirectory() as name:
        report, spikes, truth = measure(pathlib.Path(name))
    base_ns, blame = report["start_monotonic_ns"], report["spikes"]["blame"]
    results.figure("recorder", f"{report['host']['recorder']}; {blame['spikes']} spikes, {blame['passed_over']} only counted, in "
                               f"{MINUTES} minutes")
    causes, false, n_judged = collections.defaultdict(list), [], 0
    for spike in spikes:
        for segment in spike["segments"]:
            causes[segment["kind"], segment["cause"]].append((segment["to_ns"] - segment["from_ns"], spike["explanation"]))
            verdict = False if segment["kind"] in NEVER else kernel_trace.was_there(truth, segment, base_ns)
            n_judged += verdict is not None
            if verdict is False:
                false.append((segment, spike))
    for (kind, cause), found in sorted(causes.items(), key=lambda item: -sum(ns for ns, _ in item[1])):
        results.note(f"{kind:<12} {cause:<40} {len(found):5} times {sum(ns for ns, _ in found) / 1e6:10.3f} ms; "
                     f"the longest: {max(found)[1]}")
    for segment, spike in false:
        results.note(f"NOT THERE: {segment['kind']}: {segment['cause']} {segment.get('tid', '')} on CPU {segment['cpu']}, "
                     f"{segment['from_ns'] / 1e9:.6f} to {segment['to_ns'] / 1e9:.6f} s: {spike['explanation']}")
    results.bar("named, but not there", len(false), 0, f" of {n_judged} that the kernel's trace can judge")
