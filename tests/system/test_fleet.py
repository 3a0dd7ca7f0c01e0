# SPDX-License-Identifier: GPL-2.0-or-later
"""What is installed for a fleet: rules, board, and the metrics as the real Prometheus and node_exporter read them."""
import contextlib
import itertools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import urllib.parse

import pytest

from conftest import ROOT
from harness import Run, report, until
from scrape import fetch, own_address, server
from test_metrics import EAGER, Metrics, read

BOARD, RULES = ROOT / "data" / "ipctop.grafana.json", ROOT / "data" / "ipctop.rules.yml"
RULES_TEST = ROOT / "data" / "ipctop.rules.test.yml"
SCRAPES = 60 if os.environ.get("IPCTOP_FULL") else 4     # one a second
FIGURES = ("first", "answer", "lap", "response", "lateness") if os.environ.get("IPCTOP_FULL") else ("first",)
START_S = 180   # the patience with a server on a crowded machine


def read_board():
    return json.loads(BOARD.read_text(encoding="utf-8"))


def board_expressions(variables=(("__rate_interval", "1m"), ("figure", "first"), ("instance", ".*"), ("mechanism", ".*"))):
    """{(panel, target): what it asks Prometheus, with values in place of the board's variables}"""
    found = {(panel["title"], target["refId"]): target["expr"] for panel in read_board()["panels"] for target in panel["targets"]}
    return {target: re.sub(r"\$(\w+)", lambda name: dict(variables)[name[1]], expr) for target, expr in found.items()}


def test_rules_and_board_name_only_metrics_that_there_are(ipctop, tmp_path):
    path = tmp_path / "run.prom"
    ipctop.run("-q", "-l", 100, "--fail-above", 1, "--metrics", path)
    metrics = read(path)
    there = {name for name, _ in metrics.samples}
    text = "\n".join(board_expressions().values()) + re.sub("(?m)#.*$", "", RULES.read_text(encoding="utf-8"))
    named = set(re.findall(r"\bipctop_\w+", text))
    assert named <= there and len(named) >= 9, named - there
    labels = {label for _, pairs in metrics.samples for label, _ in pairs} | {"instance", "severity"}
    used = set(re.findall(r"(\w+)\s*(?:=~|!~|!=)", text)) | set(re.findall(r"\$labels\.(\w+)", text))
    assert used <= labels, used - labels


@pytest.mark.needs("program promtool")
def test_promtool_takes_the_rules_and_the_expressions_of_the_board(tmp_path):
    rules = [{"record": f"board:{i}", "expr": expr} for i, expr in enumerate(board_expressions().values())]
    assert len(rules) >= 10
    made = tmp_path / "board.yml"
    made.write_text(json.dumps({"groups": [{"name": "board", "rules": rules}]}), encoding="utf-8")
    for path in (RULES, made):
        said = subprocess.run(["promtool", "check", "rules", path], capture_output=True, text=True, check=False)
        assert said.returncode == 0 and "SUCCESS" in said.stdout, said


@pytest.mark.needs("program promtool")
@pytest.mark.needs("whole")
def test_each_alert_fires_when_it_should():
    named = set(re.findall(r"alert: (\w+)", RULES.read_text(encoding="utf-8")))
    assert named == set(re.findall(r"alertname: (\w+)\n +exp_alerts", RULES_TEST.read_text(encoding="utf-8")))
    said = subprocess.run(["promtool", "test", "rules", RULES_TEST], capture_output=True, text=True, check=False)
    assert said.returncode == 0 and "SUCCESS" in said.stdout, said


def test_the_board_and_the_alert_call_the_same_states_disturbed():
    states = [re.findall(r'state=~\\?"(.*?)\\?"', path.read_text(encoding="utf-8")) for path in (BOARD, RULES)]
    assert len(states[0]) == 1 and states[0] == states[1]


def test_the_board_is_one_that_grafana_can_draw():
    """By Grafana's schema of a dashboard: what is required, where panels are, and that names refer to something."""
    board = read_board()
    variables = {variable["name"]: variable for variable in board["templating"]["list"]}
    assert set(re.findall(r"\$\{?(\w+)", BOARD.read_text(encoding="utf-8"))) - {"__rate_interval", "__all"} == set(variables)
    assert {variable["type"] for variable in variables.values()} <= {"query", "datasource", "custom"}
    assert all(variable["query"] for variable in variables.values())
    assert [option["value"] for option in variables["figure"]["options"]] == variables["figure"]["query"].split(",")
    cells = []
    for panel in board["panels"]:
        assert panel["type"] in ("timeseries", "heatmap", "table") and panel["title"] and panel["targets"]
        assert all(target["datasource"] == panel["datasource"] for target in panel["targets"])
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        cells += [(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])]
    assert len(cells) == len(set(cells)) and len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


# --- two runs, scraped ---

class Prometheus:
    """A real one that scrapes these addresses each second."""

    def __init__(self, folder, targets):
        self.folder, self.url = folder, f"http://{own_address()}:29090"
        self.configuration = folder / "prometheus.yml"
        self.configuration.write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(RULES)],
            "scrape_configs": [{"job_name": "ipctop", "static_configs": [{"targets": targets}]}],
        }), encoding="utf-8")

    def command(self):
        return ["prometheus", f"--config.file={self.configuration}", f"--storage.tsdb.path={self.folder / 'data'}",
                f"--web.listen-address={self.url.removeprefix('http://')}"]

    def ask(self, path, **parameters):
        """The data of an answer; None as long as there is none."""
        status, _, text = fetch(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}")
        if status != 200:
            return None
        answer = json.loads(text)
        assert answer["status"] == "success", answer
        return answer["data"]

    def query(self, expression):
        """{labels: value}; empty as long as there is no answer."""
        rows = (self.ask("query", query=expression) or {"result": []})["result"]
        return {frozenset(row["metric"].items()): float(row["value"][1]) for row in rows}

    def rules(self):
        """{name: (health, last error)}"""
        groups = (self.ask("rules") or {"groups": []})["groups"]
        return {rule["name"]: (rule["health"], rule.get("lastError", "")) for group in groups for rule in group["rules"]}


def filled_board(prometheus, figure):
    """The expressions of the board for all that its variables offer, as Grafana asks for them."""
    values = {"figure": figure, "__rate_interval": "1h"}
    for variable in read_board()["templating"]["list"]:
        if variable["type"] == "query":
            metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]).groups()
            offered = prometheus.ask(f"label/{label}/values", **{"match[]": metric}) or []
            values[variable["name"]] = f"({'|'.join(re.escape(value) for value in offered)})".replace("\\", "\\\\")
    return board_expressions(values.items())


def empty_panels(prometheus, figure):
    """Targets of the board that have no series of finite values. Nothing is disturbed yet."""
    found = {}
    for target, expression in filled_board(prometheus, figure).items():
        values = list(prometheus.query(expression).values())
        if target[0] != "Rings that are disturbed" and not (values and all(map(math.isfinite, values))):
            found[target] = expression, values
    return found


def bucket_of(bounds, value):
    return sum(bound < value * (1 - 1e-9) for bound in bounds)


def samples_around_p99(figures):
    """Of the histograms of several reports together, in s: those two ranks below and above the percentile's."""
    counts = sorted((lower + width // 2, count) for figure in figures for lower, width, count in figure["histogram"])
    rank = math.ceil(0.99 * sum(count for _, count in counts))
    cumulated = list(itertools.accumulate(count for _, count in counts))
    return [next(middle for (middle, _), sum_ in zip(counts, cumulated) if sum_ >= at) / 1e9 for at in (rank - 2, rank + 2)]


def is_p99_of(figures, found):
    """Within one bucket. A lap more, which was under way, moves the rank, to another bucket where there is a gap."""
    bounds = [factor * 10 ** power for power in range(-7, 0) for factor in (1, 2, 5)]
    low, high = (bucket_of(bounds, sample) for sample in samples_around_p99(figures))
    return low - 1 <= bucket_of(bounds, found) <= high + 1


@pytest.mark.needs("program prometheus")
@pytest.mark.needs("whole")
def test_prometheus_computes_the_percentiles_that_two_runs_have(ipctop, tmp_path):
    targets = [f"{own_address()}:{port}" for port in (29001, 29002)]
    summaries = [tmp_path / f"{port}.json" for port in (29001, 29002)]
    prometheus = Prometheus(tmp_path, targets)
    with contextlib.ExitStack() as stack:
        runs = [stack.enter_context(Run(ipctop, "-q", "-t", 1, "--fail-above", "1us", *more, "--metrics-listen", target, "--json", summary))
                for more, target, summary in zip((["-m", "mq"], ["-m", "pipe", "-i", "2ms"]), targets, summaries)]
        stack.enter_context(server(prometheus.command(), tmp_path / "log"))
        scraped = f"count_over_time(ipctop_run_seconds_total[1h]) >= {SCRAPES}"
        assert until(lambda: len(prometheus.query(scraped)) == 2, START_S)
        # So many that ipctop trusts its percentile.
        counted = "ipctop_latency_seconds_count{figure='first'} >= 1100"
        assert until(lambda: len(prometheus.query(counted)) == 2, START_S)
        for figure in FIGURES:
            assert until(lambda figure=figure: not empty_panels(prometheus, figure), START_S), empty_panels(prometheus, figure)
        rules = re.findall(r"(?:alert|record): (\S+)", RULES.read_text(encoding="utf-8"))
        assert until(lambda: prometheus.rules() == {name: ("ok", "") for name in rules}, START_S), prometheus.rules()
        # From here on nothing is measured, so what was scraped is all of it.
        for run, name in zip(runs, ("mq:0", "pipe:0")):
            os.kill(run.host(name), signal.SIGSTOP)
        assert until(lambda: len(prometheus.query('count_over_time(ipctop_state{state="stopped"}[1h])')) == 2, START_S)
        disturbed = "Rings that are disturbed", "A"
        assert until(lambda: len(prometheus.query(filled_board(prometheus, "first")[disturbed])) == 2, START_S)
        # Over time, because a scrape that takes a second fails, and its series have no value until the next.
        quantile = "histogram_quantile(0.99, sum by ({}) (max_over_time(ipctop_latency_seconds_bucket{{figure='first'}}[1h])))"
        each, both = prometheus.query(quantile.format("le, instance")), prometheus.query(quantile.format("le"))
        counts = prometheus.query("max_over_time(ipctop_latency_seconds_count{figure='first'}[1h])")
        for run in runs:
            run.process.send_signal(signal.SIGTERM)
        assert [run.wait()[0] for run in runs] == [2, 2]
    figures = {target: report(path)["rings"][0]["figures"]["first"] for target, path in zip(targets, summaries)}
    assert len(each) == len(counts) == 2
    for labels, found in each.items():
        figure = figures[dict(labels)["instance"]]
        own = figure["percentiles"]["p99_ns"] / 1e9
        assert is_p99_of([figure], found) and is_p99_of([figure], own), (found, own)
    for labels, count in counts.items():    # a lap that was under way may have ended after all
        assert 0 <= figures[dict(labels)["instance"]]["count"] - count <= 1
    (found,) = both.values()
    assert is_p99_of(figures.values(), found), found


@pytest.mark.needs("program prometheus-node-exporter")
def test_node_exporter_reads_the_file_with_its_types(ipctop, tmp_path):
    folder, address = tmp_path / "textfiles", f"{own_address()}:29100"
    folder.mkdir()
    path = folder / "ipctop.prom"
    command = [shutil.which("prometheus-node-exporter"), "--collector.disable-defaults", "--collector.textfile",
               f"--collector.textfile.directory={folder}", f"--web.listen-address={address}"]

    def passed_on():
        lines = fetch(f"http://{address}/metrics")[2].splitlines()
        assert "node_textfile_scrape_error 0" in lines
        mine = [line for line in lines if line.startswith("ipctop_") or re.match("# (HELP|TYPE) ipctop_", line)]
        return Metrics("\n".join([*mine, "# EOF\n"]), "prometheus")

    with server(command, tmp_path / "log"):
        assert until(lambda: fetch(f"http://{address}/metrics")[0] == 200, START_S)
        with Run(ipctop, "-q", *EAGER, "--metrics", path) as run:
            assert until(path.exists)
            seen = set()    # each scrape finds a whole file, while it is replaced
            assert until(lambda: (seen.add(passed_on().one("ipctop_run_seconds_total")), len(seen))[1] > 4)
            run.process.send_signal(signal.SIGTERM)
            assert run.wait()[0] == 0
        written, found = read(path), passed_on()
    assert found.samples == written.samples
    assert found.types == {name: kind for name, kind in written.types.items() if name in found.types}
    assert set(written.types) - set(found.types) == {"ipctop_above_limit_total"}
