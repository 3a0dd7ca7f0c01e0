# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion in bash, zsh and fish: the files that are installed, in those shells that are there."""
import pathlib
import re
import shlex
import subprocess

import pexpect
import pytest

from conftest import environment

# Print what is offered, with its help, for the command line $2, $3, ... by the file $1.
ASK = {
    "bash": ["bash", "--norc", "-c", r"""
        source "$1"; shift; compopt() { :; }; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _ipctop "$1"; printf '%s\n' "${COMPREPLY[@]}" """, "bash"],
    "zsh": ["zsh", "-f", "-c", r"""
        file=$1; shift; words=("$@") CURRENT=$#; _files() { : }
        _describe() { print -rl -- ${${(P)2}//:/$'\t'} }; source $file""", "zsh"],
    "fish": ["fish", "--no-config", "-c", "source $argv[1]; complete -C (string join -- ' ' $argv[2..])"],
}
FILES = {"bash": "ipctop", "zsh": "_ipctop", "fish": "ipctop.fish"}
each_shell = pytest.mark.parametrize(
    "shell", [pytest.param(shell, marks=pytest.mark.needs(f"program {shell}", "proc")) for shell in ASK])    # for <()


@pytest.fixture(name="environ")
def fixture_environ(ipctop, tmp_path):
    """Shells find the program by its name, and write their own files to a folder that goes with the test."""
    homes = {name: str(tmp_path) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    path = f"{pathlib.Path(ipctop.path).parent}:{environment()['PATH']}"
    return environment(homes | {"PATH": path, "TERM": "xterm", "PS1": "ready> "})


def folder(ipctop):
    return pathlib.Path(ipctop.path).resolve().parent / "data"


@pytest.fixture(name="offered")
def fixture_offered(ipctop, environ):
    def offered(shell, *words):
        result = subprocess.run([*ASK[shell], folder(ipctop) / FILES[shell], *words], text=True, capture_output=True,
                                check=False, timeout=60, env=environ, cwd="/")
        assert result.returncode == 0, result
        return {line.split("\t")[0] for line in result.stdout.splitlines() if line}
    return offered


def helped(ipctop, *command):
    """The long options that --help lists."""
    return set(re.findall(r"^ *(?:-\w.*?)?(--[a-z-]+)", ipctop.run(*command, "--help").stdout, re.MULTILINE))


@each_shell
def test_each_option_of_each_command_is_offered(ipctop, offered, shell):
    for command in ([], ["compare"], ["self-test"], ["pmqtest"], ["lat_ctx"]):
        options = helped(ipctop, *command)
        assert len(options) > 2 and offered(shell, "ipctop", *command, "--") == options, command


@each_shell
def test_the_recorders_that_help_lists_are_offered(ipctop, offered, shell):
    for verb, words in (([], ["--recorder"]), (["self-test"], ["--recorder"]), (["ctl"], ["x", "recorder"])):
        text = ipctop.run(*verb, "--help").stdout
        listed = re.search(r"\brecorder [A-Z]+ [^:]*: ([a-z(),\s]+?)\n +(?=-|freeze)", text)
        assert listed, text
        names = re.split(r",\s+|\s+or\s+", listed[1].replace(" (default)", ""))
        assert offered(shell, "ipctop", *verb, *words, "") == set(names), (verb, names)


@each_shell
def test_values_and_commands_are_offered(ipctop, offered, shell):
    listed = {line.split()[0] for line in ipctop.run("list").stdout.splitlines() if line[:1].isalnum()}
    assert {"mq", "futex"} <= offered(shell, "ipctop", "-m", "") - {"all"} <= listed
    assert offered(shell, "ipctop", "--show", "") == {"first", "answer", "lap", "response"}
    assert offered(shell, "ipctop", "-m", "mq,sigq") == {"mq,sigqueue"}
    assert {"overview", "detail"} <= offered(shell, "ipctop", "--view", "")
    assert {"list", "compare", "try", "restore", "pmqtest", "ipc-bench"} <= offered(shell, "ipctop", "")
    assert offered(shell, "ipctop", "-p", "") == set()
    assert offered(shell, "ipctop", "--export", "c") == {"cyclictest=", "csv="}
    assert offered(shell, "ipctop", "export", "h") == {"hgrm"}
    assert offered(shell, "ipctop", "ctl", "x", "prio") == {"priority"}
    assert {"fork", "off"} <= offered(shell, "ipctop", "ctl", "x", "load", "")
    assert offered(shell, "ipctop", "ctl", "x", "recorder", "b") == {"bpf"}
    assert {"governor=", "stop"} <= offered(shell, "ipctop", "ctl", "x", "try", "")


@pytest.mark.needs("program bash", "proc")
def test_bash_divides_a_long_option_at_its_equals_sign(offered):
    assert offered("bash", "ipctop", "--show", "=", "l") == {"lap"}
    assert offered("bash", "ipctop", "--show", "=") == {"first", "answer", "lap", "response"}


# The line is no valid one unless both words are completed.
@pytest.mark.parametrize("arguments, setup", [
    pytest.param(["bash", "--norc", "--noprofile"], "source {}/ipctop", marks=pytest.mark.needs("program bash"), id="bash"),
    pytest.param(["zsh", "-f"], "fpath=({} $fpath); autoload -U compinit; compinit -u -D",
                 marks=pytest.mark.needs("program zsh"), id="zsh")])
@pytest.mark.needs("terminals")
def test_the_tab_key_completes(ipctop, environ, tmp_path, arguments, setup):
    shell = pexpect.spawn(arguments[0], arguments[1:], env=environ, cwd=tmp_path, timeout=60, encoding="utf-8")
    for line in (setup.format(shlex.quote(str(folder(ipctop)))), "ipctop --rend\t1x1 --versi\t"):
        shell.expect_exact("ready> ")
        shell.send(line + "\r")
    shell.expect(r"ipctop \d+\.\d+\.\d+\r")
    shell.expect_exact("ready> ")
    shell.send("ipctop -m pipe -t 1 -qD 0.1 --export hg\tmade\r")  # no space after "hgrm="
    shell.expect_exact("ready> ")
    shell.close(force=True)
    assert (tmp_path / "made").exists()


# bash divides words at the equals sign.
@pytest.mark.parametrize("words, status", [
    (["--json", ""], 3), (["compare", ""], 3), (["-q", ""], 0), (["-p", ""], 0), (["export", ""], 0), (["export", "hgrm", ""], 3),
    (["ctl", ""], 3), (["ctl", "x", "save", ""], 3), (["ctl", "x", "mark", ""], 0),
    (["--export", "hg"], 0), (["--export", "hgrm=re"], 3), (["--export", "hgrm", "="], 3), (["--export", "hgrm", "=", "re"], 3),
    (["--export", "=", "hgrm", "=", "re"], 3), (["--export", "hgrm", "=", "re", "--json", "re"], 3)])
def test_status_3_asks_for_names_of_files(ipctop, words, status):
    assert ipctop.run("complete", "ipctop", *words).returncode == status


def test_a_link_by_a_tools_name_has_the_tools_options(ipctop, tmp_path):
    link = tmp_path / "pmqtest"
    link.symlink_to(ipctop.path)
    result = subprocess.run([link, "complete", link, "--"], text=True, capture_output=True, check=True)
    assert {line.split("\t")[0] for line in result.stdout.splitlines()} == helped(ipctop, "pmqtest")
