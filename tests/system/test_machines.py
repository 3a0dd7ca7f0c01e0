# SPDX-License-Identifier: GPL-2.0-or-later
"""Plans for other machines, against their XML: the class of each pair is found a second time, from the file alone.

IPCTOP_MACHINES names a folder of XML files (version 2), such as those of hwloc's own tests: its tests/hwloc/xml, and
what `lstopo -i FOLDER --if fsroot --of xml` makes of each archive in tests/hwloc/linux, `--if cpuid` in x86."""
import itertools
import os
import pathlib
import re
import xml.etree.ElementTree as ElementTree

import pytest

CLASSES = ("own", "smt", "l2", "l3", "node", "package", "cross")
PAIRS_MAX = 4096


# --- what the file says ---

def members(text):
    """The numbers of a set: 32 bits a word, the highest word first."""
    number = 0
    for word in text.split(","):
        number = number << 32 | int(word or "0", 16)
    return frozenset(i for i in range(number.bit_length()) if number >> i & 1)


class Machine:
    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.version = root.get("version", "1")
        self.path = path
        self.chains = {}        # of each CPU: the objects that contain it, the machine first, itself last
        self.nodes = []         # (CPUs, number)
        self._read(root.find("object"), ())
        self.kinds = [members(kind.get("cpuset")) & set(self.chains) for kind in root.findall("cpukind")]
        self.kinds = [kind for kind in self.kinds if kind]
        self.latencies = next(self._latencies(root), {})

    def _read(self, element, above):
        kind = element.get("type")
        if kind == "NUMANode":
            self.nodes.append((members(element.get("cpuset", "0x0")), int(element.get("os_index"))))
        elif not re.fullmatch(r"L\di?Cache", kind) or "i" not in kind:     # hwloc leaves instruction caches out
            above += ((kind, id(element)),)
        if kind == "PU":
            self.chains[int(element.get("os_index"))] = above
        for child in element.findall("object"):
            self._read(child, above)

    def _latencies(self, root):
        """{frozenset of two nodes' numbers: the way there and back}"""
        for matrix in root.findall("distances2"):
            if matrix.get("type") == "NUMANode" and int(matrix.get("kind")) & 4 and matrix.get("indexing") == "os":
                numbers = [int(n) for part in matrix.findall("indexes") for n in part.text.split()]
                values = [int(v) for part in matrix.findall("u64values") for v in part.text.split()]
                n = len(numbers)
                yield {frozenset((numbers[i], numbers[k])): values[i * n + k] + values[k * n + i]
                       for i in range(n) for k in range(i)}

    def node(self, cpu):
        """(CPUs, number) of the smallest node that contains it; (None, None): it is in none."""
        return min((node for node in self.nodes if cpu in node[0]), key=lambda node: (len(node[0]), node[1]),
                   default=(None, None))

    def prepare(self):
        self.node_of = {cpu: self.node(cpu) for cpu in self.chains}
        self.package_of = {cpu: next((part for part in chain if part[0] == "Package"), None)
                           for cpu, chain in self.chains.items()}
        self.kind_of = {cpu: next((i for i, kind in enumerate(self.kinds) if cpu in kind), None)
                        for cpu in self.chains}

    def class_of(self, a, b):
        if a == b:
            return "own"
        shared = {kind for kind, _ in set(self.chains[a]) & set(self.chains[b])}
        for kind, name in (("Core", "smt"), ("L2Cache", "l2"), ("L3Cache", "l3")):
            if kind in shared:
                return name
        same_package = self.package_of[a] == self.package_of[b]
        if same_package and self.node_of[a][0] is not None and self.node_of[a][0] == self.node_of[b][0]:
            return "node"
        return "package" if same_package and self.package_of[a] else "cross"

    def distance(self, a, b):
        """By latency, then by the steps through the tree."""
        nodes = frozenset((self.node_of[a][1], self.node_of[b][1]))
        steps = len(set(self.chains[a]) ^ set(self.chains[b]))
        return self.latencies.get(nodes, 0), steps

    def kinds_of(self, a, b):
        return frozenset((self.kind_of[a], self.kind_of[b])) if len(self.kinds) > 1 else None


# --- what ipctop says ---

def plan(ipctop, machine, *args):
    """(the pairs in order, the lines below)"""
    result = ipctop.run("--plan", "--no-config", *args, env={"HWLOC_XMLFILE": machine.path, "HWLOC_HIDE_ERRORS": "2"})
    notes = re.sub(r"^ipctop: --pairs \w+: left out CPUs? \S+: no other CPU is in this class\n", "", result.stderr)
    assert (result.returncode, notes) == (0, ""), (machine.path, args, result.stderr)
    rows, rest = result.stdout.split("\n\n")
    found = [re.match(r" *\d+ +\w+ +(\d+)>(\d+) +(\w+) ", row).groups() for row in rows.splitlines()[1:]]
    pairs = [(int(a), int(b)) for a, b, _ in found]
    for (a, b), (_, _, name) in zip(pairs, found):
        assert name == machine.class_of(a, b), (machine.path, args, a, b, name)
    return pairs, rest


def check_all(ipctop, machine):
    n = len(machine.chains)
    pairs, _ = plan(ipctop, machine, "--pairs", "all", "-t", PAIRS_MAX)
    assert len(set(pairs)) == len(pairs) == min(n * n, PAIRS_MAX), (machine.path, len(pairs))
    origins = [sum(origin == cpu for origin, _ in pairs) for cpu in machine.chains]
    assert max(origins) - min(origins) <= 1, (machine.path, origins)


def ways(machine):
    """{(class, kinds of core): (least, most) distance of any two CPUs}"""
    found = {}
    for a, b in itertools.combinations_with_replacement(sorted(machine.chains), 2):
        key, far = (machine.class_of(a, b), machine.kinds_of(a, b)), machine.distance(a, b)
        least, most = found.get(key, (far, far))
        found[key] = min(least, far), max(most, far)
    return found


def check_each_class(ipctop, machine, found):
    """Of each class, and of each kinds of core, the nearest and the farthest pair, and no others."""
    pairs, rest = plan(ipctop, machine, "--pairs", "classes")
    planned = {}
    for a, b in pairs:
        planned.setdefault((machine.class_of(a, b), machine.kinds_of(a, b)), []).append(machine.distance(a, b))
    assert planned == {key: list(dict.fromkeys(ends)) for key, ends in found.items()}, (machine.path, pairs)
    assert [name for name in CLASSES if any(key[0] == name for key in found)] == \
        list(dict.fromkeys(machine.class_of(a, b) for a, b in pairs)), (machine.path, pairs)
    named = {members_of_list(text) for text in re.findall(r"^kind \d+ +CPUs (\S+)", rest, re.M)}
    assert named == (set(machine.kinds) if len(machine.kinds) > 1 else set()), (machine.path, rest)


def members_of_list(text):
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return frozenset(found)


def check_classes(ipctop, machine, found):
    """Each class that the machine has makes pairs of it alone."""
    for name in {key[0] for key in found} - {"own"}:
        pairs, _ = plan(ipctop, machine, "--pairs", name, "-t", PAIRS_MAX)
        assert {machine.class_of(a, b) for a, b in pairs} == {name}, (machine.path, name, pairs)
        assert len(pairs) == len(set(pairs))


def check(ipctop, path):
    machine = Machine(path)
    if machine.version.startswith("1"):
        return False
    machine.prepare()
    found = ways(machine)
    check_each_class(ipctop, machine, found)
    check_all(ipctop, machine)
    check_classes(ipctop, machine, found)
    return True


@pytest.mark.needs("machines")
def test_the_machines_of_a_folder_have_no_wrong_class(ipctop):
    paths = sorted(pathlib.Path(os.environ["IPCTOP_MACHINES"]).glob("*.xml"))
    checked = [path.name for path in paths if check(ipctop, path)]
    assert checked, paths
    print(len(checked), "machines:", *checked)


# --- machines made here ---

def sets(cpus, nodes):
    cpuset, nodeset = (hex(sum(1 << i for i in numbers)) for numbers in (cpus, nodes))
    return f'cpuset="{cpuset}" complete_cpuset="{cpuset}" nodeset="{nodeset}" complete_nodeset="{nodeset}"'


CACHE = 'cache_size="1048576" cache_linesize="64" cache_associativity="8" cache_type="0"'
EXTRA = {"L3Cache": f' depth="3" {CACHE}', "L2Cache": f' depth="2" {CACHE}', "Group": ' kind="0" subkind="0"'}


class Maker:
    """Writes machines whose parts are lists: (type, has a NUMA node, parts), and CPUs are None."""
    def __init__(self):
        self.cpu = self.node = 0
        self.numbers = {}

    def part(self, part):
        """(text, CPUs, nodes)"""
        if part is None:
            cpu = self.cpu
            self.cpu += 1
            return "PU", cpu, "", {cpu}, set()
        kind, has_node, parts = part
        number = self.numbers[kind] = self.numbers.get(kind, -1) + 1
        nodes = set()
        if has_node:
            nodes = {self.node}
            self.node += 1
        made = [self.part(inner) for inner in parts]
        cpus = set().union(*(inner[3] for inner in made))
        return kind, number, (made, nodes if has_node else None), cpus, nodes.union(*(inner[4] for inner in made))

    def text(self, made, nodes):
        kind, number, inside, cpus, own = made
        nodes = own or nodes
        head = f'<object type="{kind}" os_index="{number}" {sets(cpus, nodes)}{EXTRA.get(kind, "")}'
        if kind == "Machine":
            head += f' allowed_{sets(cpus, nodes).split()[0]} allowed_{sets(cpus, nodes).split()[2]}'
        if kind == "PU":
            return head + "/>\n"
        memory = "".join(f'<object type="NUMANode" os_index="{n}" {sets(cpus, [n])} local_memory="1048576"/>\n'
                         for n in inside[1] or ())
        return head + ">\n" + memory + "".join(self.text(inner, nodes) for inner in inside[0]) + "</object>\n"


def machine_xml(parts, has_node=True, more=""):
    maker = Maker()
    made = maker.part(("Machine", has_node, parts))
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'
            f'<topology version="2.0">\n{maker.text(made, made[4])}{more}</topology>\n')


def cores(n, threads):
    return [("Core", False, [None] * threads)] * n


def latencies(rows):
    n = len(rows)
    numbers = " ".join(map(str, range(n))) + " "
    lines = [" ".join(map(str, row)) + " " for row in rows]
    return (f'<distances2 type="NUMANode" nbobjs="{n}" kind="5" name="NUMALatency" indexing="os">\n'
            f'<indexes length="{len(numbers)}">{numbers}</indexes>\n' +
            "".join(f'<u64values length="{len(line)}">{line}</u64values>\n' for line in lines) + "</distances2>\n")


KINDS = '<cpukind cpuset="0xff0" forced_efficiency="0"/>\n<cpukind cpuset="0xf" forced_efficiency="1"/>\n'
L3_OF_4 = [("L3Cache", False, cores(4, 2))]
MACHINES = {
    "one CPU": machine_xml(cores(1, 1)),
    "two packages, each with a node": machine_xml([("Package", True, L3_OF_4 * 2)] * 2, False),
    "two packages in one node": machine_xml([("Package", False, L3_OF_4)] * 2),
    "two packages in one node, no cache": machine_xml([("Package", False, cores(4, 1))] * 2),
    "sub-NUMA clusters": machine_xml([("Package", False, [("Group", True, L3_OF_4)] * 2)] * 2, False, latencies(
        [[10, 12, 21, 21], [12, 10, 21, 31], [21, 21, 10, 12], [21, 31, 12, 10]])),
    "nodes without packages": machine_xml([("Group", True, cores(2, 1))] * 3, False),
    "dies in a package": machine_xml([("Package", False, [("Die", False, L3_OF_4 * 2)] * 2)] * 2),
    "hybrid": machine_xml([("Package", False, [("L3Cache", False, cores(2, 2) +
                                                [("L2Cache", False, cores(4, 1))] * 2)])], True, KINDS),
    "four packages in a row": machine_xml([("Package", True, cores(2, 2))] * 4, False, latencies(
        [[10, 16, 22, 28], [16, 10, 16, 22], [22, 16, 10, 16], [28, 22, 16, 10]])),
    "a package with one core, another with many": machine_xml(
        [("Package", True, cores(1, 2)), ("Package", True, L3_OF_4 * 2)], False),
}


@pytest.mark.parametrize("name", MACHINES)
def test_a_made_machine_has_no_wrong_class(ipctop, tmp_path, name):
    path = tmp_path / "machine.xml"
    path.write_text(MACHINES[name], encoding="ascii")
    assert check(ipctop, path)


def test_on_sub_numa_clusters_each_class_is_measured_and_the_farthest_nodes_are(ipctop, tmp_path):
    path = tmp_path / "machine.xml"
    path.write_text(MACHINES["sub-NUMA clusters"], encoding="ascii")
    machine = Machine(path)
    machine.prepare()
    pairs, _ = plan(ipctop, machine, "--pairs", "classes")
    assert pairs == [(0, 0), (0, 1), (0, 2), (0, 8), (0, 16), (8, 24)]
