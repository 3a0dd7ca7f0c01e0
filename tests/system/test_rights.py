# SPDX-License-Identifier: GPL-2.0-or-later
"""What is missing is named with its remedy: rights, limits, and who holds /dev/cpu_dma_latency."""
import os
import re
import resource
import signal
import subprocess

import pytest

from conftest import OWN, as_nobody, environment
from harness import LIBC, Run, in_short, read, report, together, until, unwrapped

pytestmark = pytest.mark.recorder


def limit(what, value):
    def apply():
        resource.setrlimit(what, (value, value))
        as_nobody()
    return apply


REALTIME = "no right to the real-time policy: raise RLIMIT_RTPRIO (ulimit -r) or run with CAP_SYS_NICE"


def test_without_the_right_to_real_time_it_runs_on_and_says_so(plain):
    (status, out, err), (_, text, _), (_, brief, _) = together(
        plain, ["-p", 80, "-l", 50, "--json", "-"], ["-p", 80, "-D", 0.6, "--refresh", 0.3], ["-p", 80, "-l", 10, "-q"],
        preexec_fn=as_nobody)
    found = report(out)
    assert (status, err) == (0, "")
    for ring in found["rings"]:
        assert ring["reason"] == REALTIME and ring["laps"] == 50
        assert ring["asked"] == {"policy": "fifo", "priority": 80, "nice": 0}
        assert all((m["policy"], m["priority"], m["differs"]) == ("other", 0, True) for m in ring["members"])
    assert any(REALTIME in event["text"] and event["kind"] == "warning" for event in found["events"])
    assert all(REALTIME in unwrapped(lines) and f"{in_short('OTH')}!" in lines for lines in (text, brief)), (text, brief)


def test_why_nothing_is_recorded_is_in_the_report_and_in_its_replay(plain, public):
    recording, path = public / "run.rec", public / "run.json"
    public.chmod(0o777)
    assert plain.run("-q", "-m", "pipe", "-D", 1, "--record", recording, "--json", path,
                     preexec_fn=as_nobody).returncode == 0
    found = report(path)
    if found["host"]["recorder"] != "off":
        pytest.skip("here a plain user may record")
    lacks = found["recorder_lacks"]
    assert re.search("CAP_|CONFIG_|lockdown|install|choose a --recorder", lacks), lacks    # the remedy
    assert [event["text"] for event in found["events"] if lacks in event["text"]] == [
        f"what runs beside the members is not recorded: {lacks}"]
    assert plain.run("-q", "--replay", recording, "--speed", 0, "--json", path).returncode == 0
    assert report(path)["recorder_lacks"] == lacks
    plain.run("-q", "-m", "pipe", "-D", 0.5, "--recorder", "off", "--json", path)
    assert "recorder_lacks" not in report(path)


@pytest.mark.needs("root", "unshare --mount")
def test_a_kernel_that_does_not_describe_its_types_is_named_and_perf_records(ipctop):
    """Hidden here, by a mount of this process alone."""
    words = ["-q", "-m", "pipe", "-t", "1", "-l", "200", "--json", "-"]
    if report(ipctop.run(*words).stdout)["host"]["recorder"] != "bpf":
        pytest.skip("bpf does not record here in any case")
    script = 'mount -t tmpfs tmpfs /sys/kernel/btf || exit 99; exec "$0" "$@"'
    result = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", script, ipctop.path, *words],
                            env=environment(), capture_output=True, text=True, check=False, timeout=60)
    if result.returncode == 99:
        pytest.skip(f"can't hide the types: {result.stderr}")
    found = report(result.stdout)
    if found["host"]["recorder"] == "bpf":
        pytest.skip("libbpf finds the types elsewhere")
    lacks = found["recorder_lacks"]
    assert "/sys/kernel/btf/vmlinux" in lacks and "CONFIG_DEBUG_INFO_BTF" in lacks, lacks
    recorder = found["host"]["recorder"]
    told = "what runs beside the members is not recorded" if recorder == "off" else f"recorded by {recorder}, not by bpf"
    assert [event["text"] for event in found["events"] if lacks in event["text"]] == [f"{told}: {lacks}"]
    assert result.returncode == 0 and found["rings"][0]["laps"] == 200


@pytest.mark.needs("root", "unshare --time")
@pytest.mark.parametrize("recorder", ["auto", "switches"])
def test_where_a_time_namespace_shifts_the_clock_nothing_is_recorded(ipctop, recorder):
    """The kernel's records have its own time: no spike would find those of its moment."""
    words = ["-q", "-m", "pipe", "-t", "1", "-l", "200", "--spike", "1", "--recorder", recorder, "--json", "-"]
    found = report(subprocess.run(["unshare", "--time", "--monotonic", "100000", ipctop.path, *words],
                                  env=environment(), capture_output=True, text=True, check=True, timeout=60).stdout)
    assert found["host"]["recorder"] == "off" and "time namespace" in found["recorder_lacks"], found["recorder_lacks"]
    assert found["rings"][0]["laps"] == 200 and found["spikes"]["last"]
    kinds = {segment["kind"] for spike in found["spikes"]["last"] for segment in spike["segments"]}
    assert kinds <= {"unseen"}, found["spikes"]["last"]


def test_with_strict_a_missing_right_is_an_error(plain):
    result = plain.run("-p", 80, "-D", 5, "--strict", preexec_fn=as_nobody)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"ipctop: {REALTIME}\n")
    result = plain.run("-D", 0.2, "-q", "--strict", preexec_fn=as_nobody)
    assert result.returncode == 0 or "RLIMIT_MEMLOCK" in result.stderr


def test_a_small_limit_on_descriptors_is_named(plain):
    names = plain.built_with("tcp", "uring")     # few, for a run may begin before all of many are opened
    result = plain.run("-m", ",".join(names), "--turns", 0.1, "-D", 0.3, "--json", "-",
                       preexec_fn=limit(resource.RLIMIT_NOFILE, 10))
    reasons = {ring["mechanism"]: ring.get("reason", "") for ring in report(result.stdout)["rings"]}
    assert all("RLIMIT_NOFILE" in reasons[name] for name in names), reasons


def test_however_small_the_limit_on_descriptors_is_the_sentence_names_it(plain):
    for limited in range(4, 9):
        result = plain.run("-q", "-D", 0.3, preexec_fn=limit(resource.RLIMIT_NOFILE, limited))
        told = [line for line in unwrapped(result.stdout + result.stderr).splitlines() if "failed" in line or "ipctop:" in line]
        assert told and all("raise RLIMIT_NOFILE (ulimit -n)" in line for line in told), (limited, result)
        assert "RLIMIT_MSGQUEUE" not in result.stdout and "open files" not in result.stdout + result.stderr, result


@pytest.mark.parametrize("args", [[], ["--version"], ["pmqtest", "-D", "1"]])
def test_a_small_limit_on_the_stack_is_named_before_it_ends_the_program(plain, args):
    for kib in (32, 64, 255):
        result = plain.run(*args, preexec_fn=limit(resource.RLIMIT_STACK, kib * 1024))
        assert (result.returncode, result.stdout) == (1, ""), result
        assert result.stderr == (f"ipctop: the stack is limited to {kib} KiB, but it needs 256: "
                                 "raise RLIMIT_STACK (ulimit -s)\n")
    enough = plain.run("-q", "-m", "all", "--turns", 0.1, "-D", 0.3, preexec_fn=limit(resource.RLIMIT_STACK, 256 * 1024))
    assert enough.returncode == 0 and "stack" not in enough.stderr, enough


def test_a_comparison_needs_no_larger_stack(plain, public):
    path = public / "summary.json"
    path.write_text(plain.run("-q", "-D", "1.2", "--tick", "0.1", "-m", "pipe", "-t", "1", "--json", "-").stdout)
    path.chmod(0o644)
    result = plain.run("compare", path, path, preexec_fn=limit(resource.RLIMIT_STACK, 256 * 1024))
    assert (result.returncode, result.stderr) == (0, ""), result


def at_fixed_addresses(kib):
    """Of the stack the kernel takes up to 8 KiB at random, unless it is asked not to."""
    def apply():
        if LIBC.personality(0x0040000) < 0:
            os._exit(99)
        resource.setrlimit(resource.RLIMIT_STACK, (kib * 1024, kib * 1024))
    return apply


def test_the_stack_that_the_loader_lives_with_is_enough_for_the_sentence(ipctop):
    """Below that it is killed before main(), as that of any program."""
    said = 0
    for kib in range(6, 17):
        traced, result = (subprocess.run([ipctop.path, "--version"], env=env, preexec_fn=at_fixed_addresses(kib + more),
                                         capture_output=True, text=True, check=False, timeout=60)
                          for env, more in (({"LD_TRACE_LOADED_OBJECTS": "1"}, 0), ({}, 1)))
        if traced.returncode == 99:
            pytest.skip("may not ask for fixed addresses")
        if traced.returncode == 0:
            said += 1
            assert (result.returncode, result.stdout) == (1, "") and "(ulimit -s)\n" in result.stderr, (kib, result)
    assert said


def test_a_small_limit_on_locked_memory_is_named_and_the_run_goes_on(plain):
    result = plain.run("-l", 50, "--json", "-", preexec_fn=limit(resource.RLIMIT_MEMLOCK, 8192))
    found = report(result.stdout)
    assert result.returncode == 0
    for ring in found["rings"]:
        assert ring["laps"] == 50 and "RLIMIT_MEMLOCK" in ring["reason"] and "CAP_IPC_LOCK" in ring["reason"]
    strict = plain.run("-D", 0.4, "--strict", preexec_fn=limit(resource.RLIMIT_MEMLOCK, 8192))
    assert strict.returncode == 1 and strict.stdout == "" and "RLIMIT_MEMLOCK" in strict.stderr


def test_a_row_that_can_not_be_opened_carries_its_reason_and_the_others_go_on(plain):
    no_queues = limit(resource.RLIMIT_MSGQUEUE, 0)
    (status, out, _), (all_failed, all_out, _) = together(
        plain, ["-m", "mq,svsem", "--side-by-side", "-l", 50, "--json", "-"], ["-D", 0.5, "--json", "-"],
        preexec_fn=no_queues)
    assert status == 0
    for ring in report(out)["rings"]:
        if ring["mechanism"] == "mq":
            assert ring["state"] == "failed" and "RLIMIT_MSGQUEUE" in ring["reason"] and ring["laps"] == 0
        else:
            assert ring["state"] != "failed" and ring["laps"] == 50
    assert all_failed == 1 and all(ring["state"] == "failed" for ring in report(all_out)["rings"])
    text = plain.run("-m", "mq,svsem", "--side-by-side", "-D", 0.4, "--refresh", 0.2, preexec_fn=no_queues).stdout
    assert re.search(rf"mq +{OWN} .*\n    failed: (.*\n    )?.*RLIMIT_MSGQUEUE", text)


@pytest.mark.needs("proc")       # which tells how much memory there is left
@pytest.mark.parametrize("what, sentence", [
    (resource.RLIMIT_AS, "no address space left: raise RLIMIT_AS (ulimit -v)"),
    (resource.RLIMIT_DATA, "no private memory left: raise RLIMIT_DATA (ulimit -d)")], ids=["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_on_memory_is_not_taken_for_one_on_tasks(plain, what, sentence):
    """From the smallest limit with which the loader is through, whatever this machine's libraries take: a thread's
    stack is the largest part that the program asks for."""
    stack = limit(resource.RLIMIT_STACK, 64 << 20)
    refused = set()
    for mib in range(1, 513):
        def apply(size=mib << 20):
            resource.setrlimit(what, (size, size))
            stack()
        result = plain.run("-q", "-m", "pipe", "-t", 1, "-D", 0.1, preexec_fn=apply)
        assert "RLIMIT_NPROC" not in result.stdout + result.stderr, (mib, result)
        refused.update(line.partition(": ")[2] for line in result.stderr.splitlines() if line.startswith("ipctop: "))
        if result.returncode == 0 or f"can't start the thread for keys and signals: {sentence}" in refused:
            break
    assert f"can't start the thread for keys and signals: {sentence}" in refused, (mib, refused, result)


def test_a_limit_on_the_size_of_files_is_named(plain):
    result = plain.run("-q", "-m", "pipe", "-D", 0.1, preexec_fn=limit(resource.RLIMIT_FSIZE, 1000))
    assert (result.returncode, result.stdout) == (1, "") and re.fullmatch(
        r"ipctop: can't allocate \d+ KiB of shared memory: no file may be that large: raise RLIMIT_FSIZE \(ulimit -f\)\n",
        result.stderr), result


def test_a_limit_on_waiting_signals_is_named_when_one_is_sent(plain):
    result = plain.run("-m", "sigqueue", "-t", 1, "-l", 10, "--json", "-", preexec_fn=limit(resource.RLIMIT_SIGPENDING, 0))
    ring, = report(result.stdout)["rings"]
    assert result.returncode == 1 and ring["state"] == "failed" and ring["reason"].endswith(
        ": no more signals may be queued: raise RLIMIT_SIGPENDING (ulimit -i)"), result


NO_ROOM = ("a queue may not have the 32 bytes that name its owner beside a token: raise msgmax and msgmnb "
           "(sysctl -w kernel.msgmax=8192 kernel.msgmnb=16384)")
# What is done in namespaces of its own, the mechanism, and the reason.
LIMITS = [
    ("echo 25 32000 500 32 >/proc/sys/kernel/sem", "svsem",
     "a set may not have the 26 semaphores that it needs: raise SEMMSL, the first number of /proc/sys/kernel/sem "
     "(sysctl -w kernel.sem=250)"),
    ("echo 8 >/proc/sys/kernel/msgmax", "svmsg", NO_ROOM),
    ("echo 32 >/proc/sys/kernel/msgmnb", "svmsg", NO_ROOM),
    ("mount -t tmpfs tmpfs /dev && mknod /dev/null c 1 3", "shmfutex",
     "there is no /dev/shm: make it, and mount a tmpfs there (mount -t tmpfs tmpfs /dev/shm)"),
    ("mount -t tmpfs -o ro tmpfs /dev/shm", "shmfutex",
     "no file can be made in /dev/shm: it should be writable, and of mode 1777"),
]


@pytest.mark.needs("root", "unshare --ipc --mount")
@pytest.mark.parametrize("narrow, mechanism, reason", LIMITS, ids=["SEMMSL", "msgmax", "msgmnb", "no /dev/shm", "read-only"])
def test_a_limit_of_the_system_is_named_with_its_remedy(ipctop, narrow, mechanism, reason):
    script = f'{narrow} || exit 99; "$0" list; exec "$0" "$@"'
    result = subprocess.run(["unshare", "--ipc", "--mount", "--propagation", "private", "sh", "-c", script, ipctop.path,
                             "-m", mechanism, "-t", "1", "-D", "0.1", "-q"],
                            env=environment(), capture_output=True, text=True, check=False, timeout=60)
    if result.returncode == 99:
        pytest.skip(f"can't {narrow}: {result.stderr}")
    assert result.returncode == 1 and f"can't run: {reason}\n" in result.stdout, result
    assert re.search(rf"^{mechanism} .*\n    failed: ", result.stdout, re.M), result
    assert f" failed: {reason}" in " ".join(result.stdout.split()), result


@pytest.mark.needs("root", "program chrt")
def test_a_deadline_around_the_program_is_named_and_may_end_at_its_fork(ipctop):
    times = ["-d", "-T", "1000000", "-D", "10000000", "-P", "10000000", "0"]
    args = [ipctop.path, "-D", "0.1", "-t", "1", "-q"]
    results = [subprocess.run(["chrt", *reset, *times, *args], capture_output=True, text=True, check=False, timeout=60,
                              env=environment()) for reset in ([], ["--reset-on-fork"])]
    if "chrt: " in results[0].stderr:
        pytest.skip(results[0].stderr)      # no bandwidth, or an affinity that deadlines may not have
    assert (results[0].returncode, results[0].stdout, results[0].stderr) == (
        1, "", "ipctop: ipctop runs under SCHED_DEADLINE (chrt -d), where the kernel lets it create no process: "
               "start it without chrt -d, or with chrt --reset-on-fork\n"), results[0]
    assert results[1].returncode == 0, results[1]


@pytest.mark.needs("root", "file /dev/cpu_dma_latency")
@pytest.mark.alone
def test_a_dma_latency_is_held_while_the_run_lasts(ipctop):
    def held():
        with open("/dev/cpu_dma_latency", "rb") as file:
            return int.from_bytes(file.read(4), "little", signed=True)

    before = held()
    if before == 0:
        pytest.skip("someone holds /dev/cpu_dma_latency at 0 already")
    with Run(ipctop, "--dma-latency", 0, "-D", 120, "--json", "-") as run:
        assert until(lambda: held() == 0)
        run.tid("mq:0.0")
        run.process.send_signal(signal.SIGINT)
        found = report(run.wait()[1])
    assert until(lambda: held() == before)
    assert found["host"]["dma_latency"]["held_us"] == 0 and found["options"]["dma_latency_us"] == 0


def test_a_dma_latency_that_can_not_be_held_is_said(plain):
    result = plain.run("--dma-latency", 0, "-D", 0.3, "--json", "-", preexec_fn=as_nobody)
    found = report(result.stdout)
    if os.access("/dev/cpu_dma_latency", os.W_OK) and os.geteuid():
        pytest.skip("this user may write /dev/cpu_dma_latency")
    assert any("/dev/cpu_dma_latency" in event["text"] for event in found["events"])
    strict = plain.run("--dma-latency", 0, "-D", 0.3, "--strict", preexec_fn=as_nobody)
    assert strict.returncode == 1 and "/dev/cpu_dma_latency" in strict.stderr


@pytest.mark.needs("root", "file /sys/fs/cgroup/cpu/cpu.rt_runtime_us")
def test_a_cgroup_without_realtime_bandwidth_is_named(ipctop, tmp_path):
    group = f"/sys/fs/cgroup/cpu/ipctop-{os.getpid()}"
    os.mkdir(group)     # a new one has none
    try:
        command = f'echo $$ >{group}/cgroup.procs; exec "$0" "$@"'
        done = subprocess.run(["sh", "-c", command, ipctop.path, "-p", "50", "-D", "0.5", "--json", "-"],
                              capture_output=True, text=True, timeout=60, check=True)
        for ring in report(done.stdout)["rings"]:
            assert "cpu.rt_runtime_us=0" in ring["reason"]
            assert all(member["policy"] == "other" and member["differs"] for member in ring["members"])
    finally:
        assert until(lambda: not read(f"{group}/cgroup.procs"))
        os.rmdir(group)
