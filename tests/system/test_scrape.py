# SPDX-License-Identifier: GPL-2.0-or-later
"""--metrics-listen: what is answered to whom, and what the server takes from the rest."""
import contextlib
import os
import re
import resource
import signal
import socket
import threading
import time

import pytest

from conftest import as_nobody, cpus
from harness import PATIENCE, Run, report, status, until
from scrape import fetch, own_address
from terminal import Terminal
from test_metrics import Metrics, check_against_report
from test_rights import limit

OPENMETRICS = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
EAGER = ["--tick", 0.05, "--refresh", 0.1]
IDLE_S = 5          # after which the server closes a connection


@pytest.fixture(name="serving")
def program_that_serves(ipctop):
    """The program, where it was built with libmicrohttpd."""
    wrong = ipctop.run("-q", "-D", "0.001", "--metrics-listen", f"{own_address()}:29000")
    if "built without libmicrohttpd" in wrong.stderr:
        pytest.skip("needs an ipctop with libmicrohttpd")
    return ipctop


def answers(url):
    """Once the rings run."""
    assert until(lambda: fetch(url)[0] == 200), fetch(url)
    return fetch(url)


def test_without_the_library_a_sentence_says_so(ipctop):
    result = ipctop.run("-q", "-D", "0.1", "--metrics-listen", f"{own_address()}:29000")
    if result.returncode == 0:
        pytest.skip("needs an ipctop without libmicrohttpd")
    assert re.fullmatch(r"ipctop: --metrics-listen 127[\d.]*:29000: this ipctop was built without libmicrohttpd; [^\n]*\n",
                        result.stderr) and (result.returncode, result.stdout) == (1, ""), result


def test_a_scrape_has_the_metrics_in_the_format_that_is_asked_for(serving):
    address = f"{own_address()}:29000"
    with Run(serving, "-q", *EAGER, "-m", "mq,pipe", "--metrics-listen", address):
        url = f"http://{address}/metrics"
        _, kind, text = answers(url)
        assert kind == "text/plain; version=0.0.4; charset=utf-8"
        first = Metrics(text, "prometheus")
        _, kind, text = fetch(url, Accept=OPENMETRICS)
        assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8"
        second = Metrics(text, "openmetrics")
        assert first.samples.keys() >= {key for key in second.samples if key[0] != "ipctop_state"}
        assert second.one("ipctop_run_seconds_total") >= first.one("ipctop_run_seconds_total") >= 0
        assert until(lambda: Metrics(fetch(url)[2], "prometheus").one("ipctop_laps_total", ring="0") > 0), fetch(url)[2]
        # Nothing else is there, and nothing can be done.
        assert fetch(f"http://{address}/")[0] == fetch(f"http://{address}/metrics/x")[0] == 404
        assert fetch(url, method="POST", data=b"x" * 100000)[0] == fetch(url, method="DELETE")[0] == 405
        assert fetch(url, method="HEAD")[::2] == (200, "")


def test_the_file_and_the_server_say_the_same(serving, tmp_path):
    address, path, summary = f"{own_address()}:29000", tmp_path / "run.prom", tmp_path / "run.json"
    with Run(serving, "-q", "--metrics-listen", address, "--metrics", path, "--json", summary) as run:
        url = f"http://{address}/metrics"
        answers(url)
        assert until(lambda: Metrics(fetch(url)[2], "prometheus").one("ipctop_laps_total", ring="0") > 0), fetch(url)[2]
        text = fetch(url)[2]
        os.kill(run.pid, signal.SIGTERM)
        assert run.wait()[0] == 0
    scraped, written = Metrics(text, "prometheus"), Metrics(path.read_text(encoding="utf-8"), "prometheus")
    check_against_report(written, report(summary))
    for name in scraped.named("counter"):
        for (of, labels), value in scraped.samples.items():
            assert of != name or value <= written.samples[of, labels]


def loopback_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def listening_at(port):
    """The local addresses, as the kernel prints them, at which somebody listens."""
    found = set()
    for table in ("tcp", "tcp6"):
        if os.path.exists(f"/proc/net/{table}"):
            with open(f"/proc/net/{table}", encoding="ascii") as file:
                rows = [line.split() for line in file.readlines()[1:]]
            found |= {row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")}
    return found


@pytest.mark.parametrize("prefix, host, bound", [
    ("", "127.0.0.1", "0100007F"),
    (":", "127.0.0.1", "0100007F"),
    ("[::1]:", "[::1]", "00000000000000000000000001000000"),
    ("0.0.0.0:", "127.0.0.1", "00000000"),
], ids=["port", "colon", "ipv6", "all"])
def test_a_port_alone_is_the_loopbacks(serving, prefix, host, bound):
    if host == "[::1]" and not os.path.exists("/proc/net/tcp6"):
        pytest.skip("needs IPv6")
    for _ in range(10):     # another program may take the port first
        port = loopback_port()
        with Run(serving, "-q", "--metrics-listen", f"{prefix}{port}") as run:
            if until(lambda port=port: fetch(f"http://{host}:{port}/metrics")[0] == 200 or run.process.poll() is not None) \
                    and run.process.poll() is None:
                assert listening_at(port) == {bound}
                return
            assert "in use" in run.process.stderr.read()
    raise AssertionError("no port was free ten times")


def test_a_port_in_use_is_a_sentence_and_starts_nothing(serving):
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind((own_address(), 29000))
        other.listen()
        address = f"{own_address()}:29000"
        with Run(serving, "-q", "--metrics-listen", address) as run:
            assert run.wait() == (1, "", f"ipctop: --metrics-listen {address}: Address already in use\n")
            assert run.left() == {}
        with Terminal(serving, "--metrics-listen", address) as terminal:
            assert terminal.finish() == 1
            assert "Address already in use" in terminal.text()
            assert terminal.whole() == ""


@pytest.mark.parametrize("value", ["", "0", "65536", "x", "localhost:9000", "1.2.3:9000", "::1:9000", "[::1]", "[::1:9000",
                                   "[127.0.0.1]:9000", "127.0.0.1:", "127.0.0.1:90x", "http://127.0.0.1:9000", "-1", ":-1"])
def test_a_wrong_address_is_one_sentence(ipctop, value):
    sentence = ipctop.refuse(f"--metrics-listen={value}")
    assert sentence.startswith("--metrics-listen ") and "9000" in sentence, sentence


def test_an_address_of_another_machine_is_one_sentence(serving):
    sentence = serving.refuse("--metrics-listen", "192.0.2.1:9000")
    assert sentence.startswith("--metrics-listen 192.0.2.1:9000: ") and sentence.endswith(": use an address of this machine")


@pytest.mark.needs("proc")
def test_a_port_without_the_right_to_it_is_one_sentence(serving, plain):
    del serving     # it says whether there is a server
    with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as file:
        if int(file.read()) < 2:
            pytest.skip("needs a port that takes a right")
    sentence = plain.refuse("--metrics-listen", 1, preexec_fn=as_nobody)
    assert re.fullmatch("--metrics-listen 1: .*: use a port from 1024 on, or run with CAP_NET_BIND_SERVICE", sentence), sentence


def test_however_small_the_limit_on_descriptors_is_the_sentence_names_it(serving, plain):
    del serving     # it says whether there is a server
    for limited in range(4, 9):
        result = plain.run("-q", "-D", 0.1, "--metrics-listen", f"{own_address()}:29000",
                           preexec_fn=limit(resource.RLIMIT_NOFILE, limited))
        told = [line for line in result.stderr.splitlines() if line.startswith("ipctop: ")]
        assert told and all(line.endswith("raise RLIMIT_NOFILE (ulimit -n)") for line in told), (limited, result)


def metrics_thread(run):
    found = [tid for tid in map(int, os.listdir(f"/proc/{run.pid}/task")) if (status(run.pid, tid) or [""])[0] == "clients"]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.needs("2 cpus")
def test_one_thread_serves_on_a_housekeeping_cpu(serving):
    address, home = f"{own_address()}:29000", cpus()[-1]
    with Run(serving, "-q", "-c", cpus()[0], "-H", home, "--metrics-listen", address) as run:
        answers(f"http://{address}/metrics")
        tid = metrics_thread(run)
        assert os.sched_getaffinity(tid) == {home}
        assert os.sched_getscheduler(tid) == os.SCHED_OTHER


@pytest.mark.needs("realtime")
def test_it_is_never_a_real_time_thread(serving):
    address = f"{own_address()}:29000"
    with Run(serving, "-q", "-m", "pipe", "-i", "20ms", "--metrics-listen", address,
             preexec_fn=lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))) as run:
        answers(f"http://{address}/metrics")
        assert os.sched_getscheduler(metrics_thread(run)) == os.SCHED_OTHER


REQUESTS = [
    (b"GET /metrics HTTP/1.0\r\n\r\n", 200), (b"GET /metrics?x=1 HTTP/1.1\r\nHost: x\r\n\r\n", 200),
    (b"HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 200), (b"HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n", 404),
    (b"GET /../metrics HTTP/1.1\r\nHost: x\r\n\r\n", 404), (b"GET /metrics/ HTTP/1.1\r\nHost: x\r\n\r\n", 404),
    (b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 405),
    (b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\nabc", 400),
    (b"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 405), (b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 405),
    (b"GET /" + b"x" * 60000 + b" HTTP/1.1\r\n\r\n", 414), (b"GET / HTTP/1.1\r\nX: " + b"x" * 60000 + b"\r\n\r\n", 431),
    (b"GET /metrics HTTP/9.9\r\nHost: x\r\n\r\n", 505), (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    (b"\0\xff\r\n\r\n", None), (b"GET\r\n\r\n", None), (b"GET /metr", None), (b"", None),
]


def test_no_request_harms_the_server(serving):
    """None: whatever it says, if anything."""
    address = own_address()
    with Run(serving, "-q", *EAGER, "--metrics-listen", f"{address}:29000"):
        answers(f"http://{address}:29000/metrics")
        for request, expected in REQUESTS:
            with socket.create_connection((address, 29000), timeout=PATIENCE) as client:
                client.sendall(request)
                if expected is not None:
                    head = client.makefile("rb").readline()
                    assert re.fullmatch(rb"HTTP/1\.[01] %d .*\r\n" % expected, head), (request[:60], head)
        assert fetch(f"http://{address}:29000/metrics")[0] == 200


def test_clients_that_stall_keep_nobody_waiting(serving, tmp_path):
    """Scrapers, members, and the run's end."""
    address, path = own_address(), tmp_path / "run.prom"
    url = f"http://{address}:29000/metrics"
    request = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
    with contextlib.ExitStack() as stack:
        run = stack.enter_context(Run(serving, "-q", *EAGER, "-m", "pipe", "-t", 8, "--metrics-listen", f"{address}:29000",
                                      "--metrics", path))
        answers(url)
        ended = threading.Event()

        def read_slowly(client):
            with contextlib.suppress(OSError):
                while not ended.wait(0.2) and client.recv(64):
                    pass

        for sent, reads in [(b"GET /metr", False), (b"", False), (200 * request, False), (request, True)] * 5:
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            client.connect((address, 29000))
            client.sendall(sent)
            if reads:
                reader = threading.Thread(target=read_slowly, args=[client])
                reader.start()
                stack.callback(reader.join)
        stack.callback(ended.set)
        statuses = []
        scrapers = [threading.Thread(target=lambda: statuses.append(fetch(url)[0])) for _ in range(50)]
        for scraper in scrapers:
            scraper.start()
        for scraper in scrapers:
            scraper.join()
        assert statuses == [200] * 50

        def laps():
            return sum(Metrics(path.read_text(encoding="utf-8"), "prometheus").of("ipctop_laps_total").values())

        assert until(path.exists)
        before = laps()
        assert until(lambda: laps() > before + 100)
        run.process.send_signal(signal.SIGTERM)
        assert run.wait()[0] == 0


@contextlib.contextmanager
def stopped(run):
    """What happens inside comes to the server all at once."""
    os.kill(run.pid, signal.SIGSTOP)
    try:
        assert until(lambda: status(run.pid, metrics_thread(run))[1] == "T")
        yield
    finally:
        os.kill(run.pid, signal.SIGCONT)


@pytest.mark.needs("proc")
@pytest.mark.timing
@pytest.mark.parametrize("closing", ["nobody yet", "the server", "the clients"])
@pytest.mark.slow
def test_a_server_whose_connections_were_all_idle_answers_again(serving, stall, closing):
    """A scrape waits for the server to close one of them, or comes when all are closed."""
    address = own_address()
    with contextlib.ExitStack() as stack:
        run = stack.enter_context(Run(serving, "-q", *EAGER, "--metrics-listen", f"{address}:29000"))
        url = f"http://{address}:29000/metrics"
        answers(url)
        idle = [stack.enter_context(socket.create_connection((address, 29000), timeout=PATIENCE)) for _ in range(64)]
        idle[-1].sendall(b"HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b" 200 " in idle[-1].recv(4096)      # the server has all of them
        if closing == "the server":
            assert [client.recv(4096) for client in idle] == [b""] * 64
        if closing == "the clients":
            with stopped(run):
                for client in idle:
                    client.close()
        start, stalled = time.monotonic(), stall.total
        assert fetch(url)[0] == 200
        took, allowed = time.monotonic() - start, stall.total - stalled + (IDLE_S if closing == "nobody yet" else 0) + 1
        assert took < allowed, (took, allowed)
        assert fetch(url)[0] == 200


def test_connections_without_end_stop_neither_the_run_nor_its_end(serving, tmp_path):
    address, path = own_address(), tmp_path / "run.prom"
    room = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100
    with contextlib.ExitStack() as stack:
        run = stack.enter_context(Run(serving, "-q", *EAGER, "--metrics-listen", f"{address}:29000", "--metrics", path))
        answers(f"http://{address}:29000/metrics")
        for _ in range(min(room, 5000)):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex((address, 29000))
        assert until(path.exists)
        first = path.read_bytes()
        assert until(lambda: path.read_bytes() != first)
        run.process.send_signal(signal.SIGTERM)
        assert run.wait()[0] == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["end", "kill"])
def test_the_port_is_free_once_the_front_has_ended(serving, number):
    address = f"{own_address()}:29000"
    for _ in range(2):      # the second run takes the same port
        with Run(serving, "-q", "--metrics-listen", address) as run:
            answers(f"http://{address}/metrics")
            run.process.send_signal(number)
            run.process.wait()
            assert run.left() == {}


def test_options_that_measure_nothing_refuse_it(ipctop):
    for more in (["--plan"], ["list"], ["--replay", "x"]):
        assert ipctop.refuse("--metrics-listen", 9000, *more).startswith("--metrics-listen: ")
