# SPDX-License-Identifier: GPL-2.0-or-later
"""Suite vm: what needs a bigger machine and its boot options. Three boots of 8 CPUs, 2 packages, SMT, 2 NUMA
nodes; one of 2 CPUs.

The guest runs one script; the tests look at what it printed and wrote."""
import os
import re
import shlex
import shutil
import subprocess

import pytest

from conftest import ROOT, stop
from harness import report, until
from test_audit import NOT_GOOD, WITHOUT_VALUE, knobs_of

pytestmark = [pytest.mark.vm, pytest.mark.needs("vm")]
BOOT_S = 600    # the patience with a guest: a script takes 40 to 130 s without KVM on a machine that is left alone
START_S = 90    # the patience until its script begins, which takes 5 s; the last boot of all has BOOT_S
BOOTS = 4

COMMON = r"""
export LC_ALL=C.UTF-8
section() { echo "=== $1"; }
left() { ls -A /dev/mqueue /dev/shm; tail -qn +2 /proc/sysvipc/{msg,sem,shm}; pgrep -la ipctop; ls "$PWD" | grep -i tmp; true; }

section plan;     ./ipctop --plan
section classes; ./ipctop --plan --pairs classes
section all;      ./ipctop --plan --pairs all | tail -n 20
for class in smt l2 l3 node package cross; do section "$class"; ./ipctop --plan --pairs $class 2>&1; done
section narrow;   taskset -c 0,4 ./ipctop --plan
section list;     ./ipctop list
section runs
./ipctop --pairs classes -m mq,svsem,signal --side-by-side -i 5000 -D 1.5 -q --json classes.json; echo "status $?"
./ipctop --pairs classes -f -m mq,svsem,signal --side-by-side -i 5000 -p 50 -D 4 -q --json forked.json; echo "status $?"
./ipctop -p 50 -i 5000 -D 1 -q --json own.json; echo "status $?"
section audit;    ./ipctop audit --json >audit.json; echo "status $?"
section screen;   ./ipctop --render 80x24 -D 1
section left;     left
"""

ISOLATED = r"""
section busy
taskset -c 3 sh -c 'while :; do :; done' & hog=$!
sleep 0.3
./ipctop --plan 2>&1
./ipctop --plan -c 3 2>&1
kill $hog
section self-test
timeout 150 ./ipctop self-test --quick; echo "status $?"
"""

KILLS = r"""
section kills
for victim in front keeper host; do
	for fork in "" -f; do
		./ipctop -m mq,svsem,signal $fork -i 5000 -D 20 -q --json killed.json & front=$!
		until keeper=$(pgrep -P $front) && host=$(pgrep -P $keeper | head -1) && [ -n "$host" ]; do sleep 0.1; done
		sleep 0.4
		case $victim in
		front) kill -9 $front ;;
		keeper) kill -9 $keeper ;;
		host) kill -9 $host; sleep 0.5; kill -INT $front ;;
		esac
		wait $front 2>/dev/null
		echo "$victim$fork ended with $?"
		for i in 1 2 3 4 5; do pgrep ipctop >/dev/null || break; sleep 0.2; done
	done
done
section after-kills; left
section sweep
touch /dev/mqueue/ipctop.4000000.1.0123456789abcdef /dev/mqueue/other
./ipctop -D 0.3 -q >/dev/null; ls /dev/mqueue; rm /dev/mqueue/*
section offline
./ipctop -c 4,5 -i 5000 -D 3 --tick 0.1 --refresh 0.3 --json offline.json & run=$!
for i in $(seq 300); do grep -qs ^mq: /proc/[0-9]*/task/*/comm && break; sleep 0.1; done
sleep 0.8; echo 0 >/sys/devices/system/cpu/cpu5/online
wait $run; echo "status $?"
./ipctop --plan
./ipctop -c 5 -D 1; echo "status $?"
section after-offline; left
"""


# The last one, as a lockdown is never lifted.
LOCKDOWN = r"""
section lockdown
mountpoint -q /sys/kernel/security || mount -t securityfs securityfs /sys/kernel/security
echo confidentiality >/sys/kernel/security/lockdown
unshare --pid --fork --mount-proc ./ipctop -q -m pipe -c 4 -i 5000 -D 1 --recorder bpf --json lockdown.json; echo "status $?"
"""


MEMORY = r"""
section memory
for where in receiver sender node:1; do
	./ipctop --memory $where --pairs 1:6 -m mq,shmfutex,mmap -s 4k -i 5000 -l 20 -D 20 -q --json $where.json; echo "status $?"
done
./ipctop --memory node:2 -D 1 2>&1; echo "status $?"
"""


# All remedies that change a knob at once, as they are printed. That of isolation takes the CPUs from all cgroups but its
# own, where the shell is then, and so comes last. Without siblings there would be no CPU 3.
REMEDIES = r"""
section remedies
./ipctop audit --json -c 2,3 >before.json
python3 - >remedies <<'END'
import json, shlex
knobs = {knob["name"]: knob for knob in json.load(open("before.json"))["knobs"]}
wrong = [name for name in knobs if knobs[name]["verdict"] in ("costs", "may_cost") and "now" in knobs[name] and name != "smt"]
for name in sorted(wrong, key=lambda name: name == "isolated"):
    print(f"echo {shlex.quote(name)}", knobs[name]["now"], sep="\n")
print("./ipctop audit --json -c 2,3 >after.json", "echo status $?", sep="\n")
END
sh remedies 2>&1
"""


PLACES = r"""
export LC_ALL=C.UTF-8
section() { echo "=== $1"; }
# "mq:1.0 TID"
members() { for f in /proc/[0-9]*/task/*/comm; do read -r name <$f && case $name in mq:*.*) t=${f%/comm}; echo $name ${t##*/} ;; esac; done 2>/dev/null; }
affinities() { members | sort | while read -r name tid; do taskset -pc $tid | sed "s/.*: /$1 $name /"; done; }
# Until both members of a ring have that affinity.
settle() { for i in $(seq 100); do [ "$(affinities now | grep -c "^now mq:$1\.. $2$")" = 2 ] && break; sleep 0.1; done; }
cpu5() { echo $1 >/sys/devices/system/cpu/cpu5/online; }
# Of so many members. Without KVM a start may take seconds.
run_here() { for i in $(seq 300); do [ "$(members | wc -l)" -ge $1 ] && break; sleep 0.1; done; sleep 1; }
runs="-i 5000 --tick 0.25 --refresh 0.5 --plain"

section hotplug
./ipctop -c 4,5 $runs -D 60 --json hotplug.json & run=$!
run_here 4; cpu5 0; sleep 2; cpu5 1; settle 1 5; sleep 1
affinities after
kill $run; wait $run; echo "status $?"

section toggle
./ipctop -c 4,5 -i 5000 --tick 4 --plain -D 9 --json toggle.json & run=$!
run_here 4; cpu5 0; cpu5 1; wait $run; echo "status $?"

section taskset
./ipctop -c 4,5 $runs -D 60 --json taskset.json & run=$!
run_here 4; cpu5 0; sleep 1
members | while read -r name tid; do case $name in mq:1.*) taskset -pc 2 $tid >/dev/null ;; esac; done
sleep 1; cpu5 1; sleep 1
affinities after
kill $run; wait $run; echo "status $?"

section cpuset
t=/sys/fs/cgroup/t; mkdir $t; echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control; echo 2-5 >$t/cpuset.cpus
sh -c "echo \$\$ >$t/cgroup.procs; exec ./ipctop -c 2-5 --side-by-side $runs -D 60 --json cpuset.json" & run=$!
run_here 8; echo 2-4 >$t/cpuset.cpus; settle 3 2-4; sleep 2
affinities during
echo 2-5 >$t/cpuset.cpus; settle 3 5; sleep 1
affinities after
kill $run; wait $run; echo "status $?"
rmdir $t

section partition
cat /proc/sys/kernel/osrelease; ls /sys/fs/cgroup/cpuset.cpus.isolated
mkdir $t; echo 3-6 >$t/cpuset.cpus; echo root >$t/cpuset.cpus.partition; echo +cpuset >$t/cgroup.subtree_control
mkdir $t/in; echo 5-6 >$t/in/cpuset.cpus; echo isolated >$t/in/cpuset.cpus.partition
./ipctop --plan
sh -c "echo \$\$ >$t/in/cgroup.procs; exec ./ipctop -i 5000 -D 1 -q --json partition.json"; echo "status $?"
echo member >$t/in/cpuset.cpus.partition
./ipctop --plan

section partition-tried
try() { sh -c "echo \$\$ >$t/in/cgroup.procs; exec ./ipctop try --for 16s isolated=isolated -- -q -i 5000 --tick 0.1 --json $1"; echo "status $?"; }
try tried.json; cat $t/in/cpuset.cpus.partition
echo member >$t/cpuset.cpus.partition
try void.json; cat $t/in/cpuset.cpus.partition
rmdir $t/in $t
"""

# systemd runs in namespaces, as in a container, with the service and nothing of this system but its journal.
SERVICE = r"""
section() { echo "=== $1"; }
for unit in systemd-{networkd,timesyncd,resolved,udevd,udev-trigger,binfmt,modules-load,sysctl,remount-fs}.service \
		systemd-udevd-{control,kernel}.socket; do
	mkdir -p /run/systemd/system; ln -s /dev/null /run/systemd/system/$unit
done
printf '[Unit]\nRequires=basic.target\nAfter=basic.target\n' >/run/systemd/system/test.target
cp ipctop /usr/bin/; sed 's,@bindir@,/usr/bin,' ipctop.service.in >/run/systemd/system/ipctop.service
container=test unshare --pid --fork --mount --cgroup --mount-proc /lib/systemd/systemd --unit=test.target &
inside() { nsenter -t "$(pgrep -ox systemd)" -m -p -C "$@"; }
ctl() { inside systemctl --no-pager "$@" 2>&1; }
show() { ctl show ipctop -p "$1" --value; }
until ctl is-system-running | grep -qE 'running|degraded'; do sleep 0.2; done
with() { mkdir -p /run/systemd/system/ipctop.service.d; printf '[Service]\nEnvironment="IPCTOP_OPTIONS=%s"\n' "$1" \
	>/run/systemd/system/ipctop.service.d/options.conf; ctl daemon-reload; }
left() { inside ls -A /dev/mqueue /dev/shm; tail -qn +2 /proc/sysvipc/{msg,sem,shm}; pgrep -la ipctop; ls -d /run/ipctop-metrics; true; }

section start; ctl start ipctop; ctl show ipctop -p ActiveState,Type,NRestarts
main=$(show MainPID)
section rights; inside grep -E '^(Uid|Cap(Eff|Bnd)|NoNewPrivs)' /proc/$main/status; inside ps -eLo comm=,cls=,rtprio= | grep ^mq:
section file; until [ -e /run/ipctop-metrics/ipctop.prom ]; do sleep 0.2; done
setpriv --reuid=65534 --clear-groups grep ^ipctop_info /run/ipctop-metrics/ipctop.prom
section kill; inside kill -9 $main
until [ "$(show NRestarts) $(show ActiveState)" = "1 active" ]; do sleep 0.2; done; pgrep -xc ipctop-keeper
section stop; ctl stop ipctop; ctl show ipctop -p ActiveState,Result
section left; left 2>&1
section wrong; with '-p 800'; ctl start ipctop; ctl status -l ipctop; show NRestarts
section above; with '-i 10ms --fail-above 1us'; ctl restart ipctop
until grep -qsE '^ipctop_above_limit_total.* [1-9]' /run/ipctop-metrics/ipctop.prom; do sleep 0.2; done
ctl stop ipctop; ctl show ipctop -p ActiveState,Result
section journal; inside journalctl --no-pager -o cat -u ipctop
section after; left 2>&1
"""


def start_guest(command, console, out, patience):
    """How it ended. Without KVM its kernel may stand still before its first process, which is not ipctop's doing: it is
    ended after the @patience then, and nothing is in @out. The first of all unpacks the kernel before its console has a
    word."""
    console.write_text("", encoding="utf-8")
    with open(out, "wb") as file, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.PIPE,
                                                   text=True, errors="replace") as guest:
        def has_begun():
            return out.stat().st_size or guest.poll() is not None

        try:
            until(lambda: console.stat().st_size or has_begun(), BOOT_S, 0.1)
            if not until(has_begun, patience, 0.1):
                guest.terminate()
            return guest.communicate(timeout=BOOT_S + 90)[1], guest.returncode
        except subprocess.TimeoutExpired:
            stop(guest)
            raise


def never_ran_its_script(status, errors, out):
    """QEMU crashed, or the guest's kernel stood still."""
    return status == 125 and re.search(" (Segmentation fault|Aborted) ", errors) or not out.stat().st_size


def boot(ipctop, folder, script, *options):
    """What the guest printed, by section; its files are in the folder."""
    shutil.copy(ipctop.path, folder / "ipctop")
    (folder / "script").write_text(f"echo begins\n{script}exit 0\n", encoding="utf-8")
    console, out = folder / "console", folder / "out"
    command = [*shlex.split(os.environ["IPCTOP_VM_RUN"]), "--timeout", str(BOOT_S), "--console", str(console), *options,
               str(folder), "--", "bash", "./script"]
    for patience in [START_S] * (BOOTS - 1) + [BOOT_S]:
        errors, status = start_guest(command, console, out, patience)
        if not never_ran_its_script(status, errors, out):
            break
    printed, kernel = (file.read_text(encoding="utf-8", errors="replace") for file in (out, console))
    assert status == 0, "\n".join(text[-3000:] for text in (printed, errors, kernel))
    parts = re.split(r"^=== (.*)\n", printed.replace("\r", ""), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


@pytest.fixture(scope="module")
def isolated(ipctop, tmp_path_factory):
    """A PREEMPT_RT kernel with isolated CPUs."""
    folder = tmp_path_factory.mktemp("rt")
    return folder, boot(ipctop, folder, COMMON + ISOLATED + MEMORY + REMEDIES, "--rt", "--append",
                        "isolcpus=2,3 nohz_full=2,3 rcu_nocbs=2,3")


@pytest.fixture(scope="module")
def ordinary(ipctop, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ordinary")
    return folder, boot(ipctop, folder, COMMON + KILLS + REMEDIES + LOCKDOWN)


@pytest.fixture(params=["isolated", "ordinary"])
def either(request):
    return request.getfixturevalue(request.param)


def planned(text):
    """[(pair, class)]"""
    return re.findall(r"^ *\d+ +\w+ +(\d+>\d+) +(\w+) ", text, re.M)


def fact(text, name):
    return re.search(rf"^{name}: +(.*)$", text, re.M)[1]


# How this machine is made: cores are 0-1, 2-3, 4-5, 6-7; packages and nodes are 0-3, 4-7.
def class_of(pair):
    a, b = sorted(map(int, pair.split(">")))
    if a == b:
        return "own"
    if a // 2 == b // 2:
        return "smt"
    return "l3" if a // 4 == b // 4 else "cross"


def test_the_topology_is_read(either):
    _, seen = either
    assert fact(seen["plan"], "machine") == "2 packages, 2 NUMA nodes, 4 cores, 8 CPUs"
    assert planned(seen["plan"]) == [(f"{cpu}>{cpu}", "own") for cpu in range(8)]


def test_each_class_of_this_machine_has_its_pair(either):
    _, seen = either
    pairs = planned(seen["classes"])
    assert [name for _, name in pairs] == ["own", "smt", "l3", "cross"]
    assert all(class_of(pair) == name for pair, name in pairs), pairs
    assert all(class_of(pair) == name for pair, name in planned(seen["all"]))
    for name in ("smt", "l3", "cross"):
        found = planned(seen[name])
        assert found and all(row[1] == name == class_of(row[0]) for row in found), (name, found)


def test_a_class_that_the_machine_lacks_is_an_error_that_names_those_it_has(either):
    _, seen = either
    for name in ("l2", "node", "package"):
        assert re.fullmatch(rf"ipctop: --pairs {name}.*own.*smt.*l3.*cross.*\n", seen[name]), seen[name]


def test_all_classes_are_measured_with_threads_and_processes(either):
    folder, seen = either
    assert re.findall(r"status (\d+)", seen["runs"]) == ["0", "0", "0"], seen["runs"]
    for name, policy in (("classes.json", "other"), ("forked.json", "fifo")):
        found = report(folder / name)
        assert len(found["rings"]) == 3 * 4 and found["topology"]["packages"] == found["topology"]["nodes"] == 2
        assert found["host"]["smt"] is True
        for ring in found["rings"]:
            assert ring["state"] != "failed" and ring["class"] == class_of(ring["label"]), ring
            assert [member["cpu"] for member in ring["members"]] == ring["cpus"]
            assert all(member["policy"] == policy and not member["differs"] for member in ring["members"])
            # 24 members on 8 emulated CPUs: that it goes round is all that can be asked.
            assert ring["laps"] > 0, (ring["mechanism"], ring["label"], ring["laps"], ring["missed"])


def test_what_a_lockdown_forbids_is_named_with_the_remedy(ordinary):
    """BPF may not read the kernel's memory then, and in a PID namespace it has to."""
    folder, seen = ordinary
    found = report(folder / "lockdown.json")
    if "install libbpf-dev" in found["recorder_lacks"]:
        pytest.skip("built without BPF")
    assert seen["lockdown"].endswith("status 0\n") and found["host"]["recorder"] == "off", seen["lockdown"]
    assert found["recorder_lacks"] == ("the kernel's lockdown (confidentiality) forbids BPF in a PID namespace: "
                                       "run it outside of this one")


def test_taskset_narrows_what_is_measured(either):
    _, seen = either
    assert planned(seen["narrow"]) == [("0>0", "own"), ("4>4", "own")]


def test_isolated_cpus_are_measured_and_named(isolated):
    folder, seen = isolated
    assert fact(seen["plan"], "isolated") == "2-3"
    found = report(folder / "own.json")
    assert [ring["label"] for ring in found["rings"]] == [f"{cpu}>{cpu}" for cpu in range(8)]
    assert [ring["isolated"] for ring in found["rings"]] == [cpu in (2, 3) for cpu in range(8)]
    assert all(ring["laps"] > 20 for ring in found["rings"])
    assert (found["host"]["isolated"], found["host"]["nohz_full"]) == ("2-3", "2-3")


def test_preempt_rt_is_in_the_header(isolated, ordinary):
    for (folder, seen), wanted in ((isolated, True), (ordinary, False)):
        head = "\n".join(seen["screen"].splitlines()[:3])
        assert ("PREEMPT_RT" in head) == wanted, head
        assert (report(folder / "own.json")["host"]["preemption"] == "PREEMPT_RT") == wanted
        isolated_cpus = "isol=nohz_full 2-3" if wanted else "isol none"
        assert re.search(rf"\b{isolated_cpus}\b", head), head


def test_an_audit_has_what_each_guest_was_started_with(isolated, ordinary):
    """The last of these is as the boot loader wrote it."""
    for (folder, seen), wanted in ((isolated, ["2-3", "2-3", "2,3"]), (ordinary, ["none", "none", "none"])):
        assert seen["audit"].split() in (["status", "0"], ["status", "2"]), seen["audit"]
        knobs = knobs_of((folder / "audit.json").read_text(encoding="utf-8"))
        assert [knobs[name]["value"] for name in ("isolated", "nohz_full", "rcu_nocbs")] == wanted, knobs
        assert (knobs["preempt"]["value"] == "PREEMPT_RT") == (wanted[0] != "none"), knobs["preempt"]
        assert knobs["online CPUs"]["value"] == "0-7" and len(knobs) >= 50
        assert all("value" in knob or knob["verdict"] in WITHOUT_VALUE for knob in knobs.values()), knobs


def test_each_remedy_works_as_it_is_printed(either):
    """Some interrupts can't be moved."""
    folder, seen = either
    before, after = (knobs_of((folder / name).read_text(encoding="utf-8")) for name in ("before.json", "after.json"))
    wrong = {name for name, knob in before.items() if knob["verdict"] in NOT_GOOD and "now" in knob} - {"smt"}
    assert {"sched_rt_runtime_us", "watchdog", "stat_interval", "irq affinity", "consoles"} <= wrong, before
    assert {name for name in wrong if after[name]["verdict"] != "good"} <= {"irq affinity", "effective irq affinity"}, (after, seen["remedies"])
    n_before, n_after = (int(knobs["irq affinity"]["value"].split()[0]) for knobs in (before, after))
    assert n_after < n_before / 4, (n_before, n_after, seen["remedies"])
    assert before["isolated"]["verdict"] == "good" or after["isolated"]["value"] == "2-3", after["isolated"]


def test_an_isolated_cpu_on_which_someone_spins_is_left_out_with_a_note_unless_named(isolated):
    note, default, named = re.split(r"(?=^ *ring )", isolated[1]["busy"], flags=re.M)
    assert planned(default) == [(f"{cpu}>{cpu}", "own") for cpu in range(8) if cpu != 3], default
    assert re.fullmatch(r"ipctop: CPU 3 .*-c 3.*\n", note), note
    assert planned(named) == [("3>3", "own")]


def test_a_self_test_ends_and_tries_no_recorder_that_hung_emulated_cpus(isolated):
    """Those hung the whole guest."""
    text = isolated[1]["self-test"]
    assert re.search(r"^\d+ held, .*\nstatus [02]$", text, re.M), text
    if "this CPU is emulated" in text:      # not with KVM
        assert all(re.search(rf"^{tier} +left out +this CPU is emulated", text, re.M) for tier in ("bpf", "perf")), text


def test_kills_leave_nothing_where_all_can_be_seen(ordinary):
    seen = ordinary[1]
    ends = dict(re.findall(r"^(\w+(?:-f)?) ended with (\d+)$", seen["kills"], re.M))
    assert ends == {"front": "137", "front-f": "137", "keeper": "1", "keeper-f": "1", "host": "0", "host-f": "0"}
    for name in ("left", "after-kills", "after-offline"):
        assert re.sub(r"^(/dev/\w+:)?\n", "", seen[name], flags=re.M) == "", (name, seen[name])


def test_runs_leave_nothing_on_an_rt_kernel(isolated):
    assert re.sub(r"^(/dev/\w+:)?\n", "", isolated[1]["left"], flags=re.M) == ""


def test_the_next_start_leaves_queues_of_another_boot_and_of_others(ordinary):
    assert ordinary[1]["sweep"].split() == ["ipctop.4000000.1.0123456789abcdef", "other"]


def test_memory_lies_on_the_node_that_was_asked_for(isolated):
    folder, sections = isolated
    seen = sections["memory"]
    assert re.findall(r"^status (\d)$", seen, re.M) == ["0", "0", "0", "1"], seen
    assert "ipctop: --memory node:2: this machine has nodes 0-1\n" in seen
    for where, nodes in (("receiver", [1, 0]), ("sender", [0, 1]), ("node:1", [1, 1])):
        for ring in report(folder / f"{where}.json")["rings"]:
            assert [hop.get("node") for hop in ring["hops"]] == nodes and "reason" not in ring, (where, ring)


def test_a_cpu_that_goes_offline_is_a_word_and_no_end(ordinary):
    folder, seen = ordinary
    run, rest = seen["offline"].split("status ", 1)
    assert rest.startswith("0\n") and re.search(r"5>5 .*\boffline\b", run), run
    assert not re.search(r"4>4 .*\boffline\b", run)
    rings = report(folder / "offline.json")["rings"]
    assert rings[0]["laps"] > 250 and rings[1]["condition"] == "offline"
    assert [pair for pair, _ in planned(rest)] == [f"{cpu}>{cpu}" for cpu in range(8) if cpu != 5]
    assert re.search(r"^ipctop: -c 5: CPU 5 is offline: .*cpu5/online\)\nstatus 1$", rest, re.M), rest


# --- CPUs that are taken from members ---

@pytest.fixture(scope="module")
def places(ipctop, tmp_path_factory):
    folder = tmp_path_factory.mktemp("places")
    return folder, boot(ipctop, folder, PLACES)


def affinities(text, when):
    """{ring: the affinities of its members}"""
    found = {}
    for number, cpus in re.findall(rf"^{when} mq:(\d)\.\d (\S+)$", text, re.M):
        found.setdefault(int(number), []).append(cpus)
    return found


def check_away(ring, seconds):
    """All that ran elsewhere is away, and no slot is forgotten."""
    slots = ring["laps"] + ring["warmup_laps"] + ring["missed"] + ring["rested"] + ring["away"]
    assert abs(slots - ring["active_ns"] / ring["interval_ns"]) <= 0.02 * slots + 20, ring
    assert ring["away"] >= 0.9 * seconds / 0.005, ring["away"]
    assert ring["figures"]["lap"]["count"] == ring["laps"] > 100


def check_phases_of_cpus(found):
    """That CPUs go and come begins two phases at most; what it does to members begins none of their own."""
    assert len(found["phases"]) <= 3, [phase["name"] for phase in found["phases"]]


def test_a_cpu_that_goes_offline_and_returns_has_its_members_away_meanwhile(places):
    folder, seen = places
    text = seen["hotplug"]
    assert "status 0" in text and re.search(r"^[\d:]+ mq +5>5 +OTH!? .* offline$", text, re.M), text
    assert affinities(text, "after") == {0: ["4", "4"], 1: ["5", "5"]}, text
    found = report(folder / "hotplug.json")
    stays, left = found["rings"]
    check_away(left, 2)
    assert stays["away"] == 0 and left["condition"] != "offline" and "reason" not in left
    texts = [event["text"] for event in found["events"]]
    assert any(text.startswith("mq 5>5 is offline: ") for text in texts), texts
    check_phases_of_cpus(found)


def test_a_cpu_that_is_offline_for_less_than_a_tick_gets_its_members_back(places):
    folder, _ = places
    ring = report(folder / "toggle.json")["rings"][1]
    assert ring["label"] == "5>5" and [member["cpu"] for member in ring["members"]] == [5, 5], ring
    assert ring["away"] > 0 and ring["laps"] > 100


def test_who_is_moved_while_its_cpu_is_offline_stays_there(places):
    folder, seen = places
    text = seen["taskset"]
    assert "status 0" in text and affinities(text, "after") == {0: ["4", "4"], 1: ["2", "2"]}, text
    ring = report(folder / "taskset.json")["rings"][1]
    assert (ring["label"], ring["class"], ring["cpus"]) == ("2>2", "own", [5, 5])
    assert ring["away"] >= 0.9 / 0.005 * 0.9 and ring["laps"] > 100


def test_a_cpuset_that_shrinks_takes_no_members_but_those_of_its_cpu(places):
    folder, seen = places
    text = seen["cpuset"]
    stays = {0: ["2", "2"], 1: ["3", "3"], 2: ["4", "4"]}
    assert "status 0" in text, text
    assert affinities(text, "during") == {**stays, 3: ["2-4", "2-4"]}, text
    assert affinities(text, "after") == {**stays, 3: ["5", "5"]}, text
    assert re.search(r"^[\d:]+ mq +5>5 +OTH!? .* excluded$", text, re.M), text
    found = report(folder / "cpuset.json")
    check_away(found["rings"][3], 2)
    assert all(ring["away"] < 250 and ring["condition"] != "excluded" for ring in found["rings"][:3]), found["rings"]
    assert [ring["label"] for ring in found["rings"]] == ["2>2", "3>3", "4>4", "5>5"]
    check_phases_of_cpus(found)


def test_cpus_of_an_isolated_partition_are_isolated(places):
    folder, seen = places
    before, after = re.split(r"^status 0$", seen["partition"], flags=re.M)
    assert fact(before, "isolated") == "5-6" and fact(after, "isolated") == "none", seen["partition"]
    found = report(folder / "partition.json")
    assert [(ring["label"], ring["isolated"]) for ring in found["rings"]] == [("5>5", True), ("6>6", True)]
    assert found["host"]["isolated"] == "5-6"


def test_a_partition_is_tried_where_the_kernel_makes_one(places):
    folder, seen = places
    text = seen["partition-tried"]
    assert re.fullmatch("status [02] member status 1 member", " ".join(re.findall("^(?:status .|member|root|isolated)$", text, re.M))), text
    found = report(folder / "tried.json")
    assert {phase["name"] for phase in found["phases"]} == {"start", "isolated=member", "isolated=isolated"}, found["phases"]
    assert "isolated CPUs: none -> 5-6" in [event["text"] for event in found["events"]], found["events"]
    assert "the kernel makes it isolated invalid (" in " ".join(text.split()), text


# --- as a service ---

@pytest.mark.needs("whole", "program systemctl")
def test_a_live_systemd_runs_the_service(ipctop, tmp_path):
    shutil.copy(ROOT / "data" / "ipctop.service.in", tmp_path)
    # Few CPUs: without KVM, members at real-time priority leave a guest of many no time for systemd.
    seen = boot(ipctop, tmp_path, SERVICE, "--cpus", "2", "--sockets", "1", "--threads", "1", "--numa", "1")
    assert seen["start"].splitlines() == ["Type=notify", "NRestarts=0", "ActiveState=active"], seen
    rights = dict(line.split(":", 1) for line in seen["rights"].splitlines() if not line.startswith("mq:"))
    assert 0 not in map(int, rights["Uid"].split()) and rights["NoNewPrivs"].strip() == "1"
    assert int(rights["CapEff"], 16) == int(rights["CapBnd"], 16) == 1 << 14 | 1 << 23      # IPC_LOCK, SYS_NICE
    members = re.findall(r"^mq:\d+\.\d +(\w+) +(\S+)$", seen["rights"], re.M)
    assert len(members) == 4 and set(members) == {("FF", "80")}, seen["rights"]
    assert seen["file"].startswith("ipctop_info{")      # any user can read it
    assert seen["kill"].strip() == "1"
    assert seen["stop"].splitlines() == ["Result=success", "ActiveState=inactive"], seen["stop"]
    for name in ("left", "after"):
        assert re.sub(r"^(/dev/\w+:)?\n|^ls: .*/run/ipctop-metrics.*\n", "", seen[name], flags=re.M) == "", seen[name]
    assert "ipctop: -p 800: the priority must be 0 to 98 (99 is ipctop's own)\n" in seen["wrong"] and seen["wrong"].endswith("\n0\n")
    assert "Active: failed" in seen["wrong"], seen["wrong"]
    assert seen["above"].splitlines() == ["Result=success", "ActiveState=inactive"], seen["above"]
    assert seen["journal"].count("ipctop: -p 800: ") == 1 and "figure: first hop" in seen["journal"]
