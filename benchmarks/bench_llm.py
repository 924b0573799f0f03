"""Measure what flying a language model costs beside the model: conversation, cockpit, records on the disk.

    python benchmarks/bench_llm.py [--quick] [--inspect PYTHON]

A script takes the model's place: episodes of 16 turns and 29 calls, all alike. With the name of a Python that
has Inspect (option, or environment variable ACOE_BENCH_INSPECT) the same episodes are flown there in turn.
Exits with 1, naming what missed, if calls per second are too few or grow fewer with the number of episodes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import acoe_gym
from acoe_gym.benchmark.models import Model
from acoe_gym.benchmark.records import results_of
from acoe_gym.benchmark.runner import run
from acoe_gym.cockpit.metrics import aggregate
from acoe_gym.wrappers.llm.chat import AssistantMessage, ChatPolicy
from acoe_gym.wrappers.llm.llm_policy import LLMPolicy
from acoe_gym.wrappers.llm.policies import ScriptedPolicy, calling

TASK = "c172s/engine_restart/stopped_prop_left_tank"
SIZES = (50, 219, 1000)
# Calls per second that every size must reach, and the part of the first size's rate that the last one must.
FLOOR, STEADY = 2_000, 0.7
READ = ("get_system", {"component": "rpm"})
WRITE = ("set_system", {"component": "fuel_selector", "value": "BOTH"})
# One write, 13 pairs of reads, a read, and the submit; `peer_inspect.py` plays the same.
TURNS: list[list[tuple[str, dict[str, Any]]]] = [[WRITE], *[[READ, READ]] * 13, [READ], [("submit", {})]]
TOKENS = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
PEER = Path(__file__).with_name("peer_inspect.py")
NO_PEER = """Inspect beside it: not measured. To have it measured:
  python -m venv inspect-venv && inspect-venv/bin/pip install inspect-ai
  python benchmarks/bench_llm.py --inspect inspect-venv/bin/python"""


class Spent(NamedTuple):
    """What some episodes took; seconds of wall, and of the processor in this process."""

    calls: int
    wall: float
    cpu: float

    @property
    def rate(self) -> float:
        """Calls per second of wall."""
        return self.calls / self.wall

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of processor per call."""
        return 1000 * self.cpu / self.calls


def script() -> ScriptedPolicy:
    """Return the script that takes the model's place."""
    used = {"prompt": 1000, "completion": 50, "cached": None, "total": 1050}
    return ScriptedPolicy(
        AssistantMessage(calling(calls, "I go on."), model="script", finish="tool_calls", usage=used)
        for calls in TURNS
    )


def fly(episodes: int, policy: ChatPolicy, threads: int = 1) -> Spent:
    """Fly episodes as ``acoe run`` does, from the first request to the metrics."""
    model = Model("script")
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        flight = model.flight(lambda task: policy)  # noqa: ARG005
        records = run(model.plan([TASK], episodes), Path(folder), flight=flight, threads=threads)
        aggregate(results_of(records))
        spent = time.perf_counter() - wall, time.process_time() - cpu
    calls = sum(record["metrics"]["calls"] for record in records)
    if calls != episodes * sum(map(len, TURNS)):
        raise SystemExit(f"expected {episodes} whole episodes, got {calls} calls")
    return Spent(calls, *spent)


def median(runs: list[Spent]) -> Spent:
    """Return the run of the median rate."""
    return sorted(runs, key=lambda spent: spent.rate)[len(runs) // 2]


# The same through the SDK, against a server that answers at once.


class Stub(BaseHTTPRequestHandler):
    """Answers a chat completion with the script's message."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        """Answer."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        choice = {"index": 0, "message": script()(request["messages"], ()), "finish_reason": "tool_calls"}
        body = json.dumps({"model": "script", "choices": [choice], "usage": TOKENS}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the base class
        """Say nothing."""


def serve() -> None:
    """Serve on a free port of the loopback and print it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    print(server.server_port, flush=True)
    server.serve_forever()


@contextmanager
def served() -> Iterator[str]:
    """Give the address of a stub in a process of its own, so that its work is not counted as ours."""
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.terminate()


# What is measured.


def own(sizes: list[int], repeats: int) -> Iterator[tuple[int, Spent]]:
    """Yield the median run of each number of episodes; the sizes take turns."""
    policy = script()
    fly(2, policy)
    rounds = [[fly(size, policy) for size in sizes] for _ in range(repeats)]
    for size, runs in zip(sizes, zip(*rounds, strict=True), strict=True):
        yield size, median(list(runs))


def beside(python: str, episodes: int, repeats: int) -> tuple[str, Spent, float]:
    """Return Inspect's version, its median run, and the median ratio of its CPU time to ours."""
    command = [python, str(PEER), "--episodes", str(episodes)]
    version, peers, ratios = "", [], []
    for _ in range(repeats):
        ours = fly(episodes, script())
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        version = found.pop("version")
        peers.append(Spent(**found))
        ratios.append(peers[-1].cpu_ms / ours.cpu_ms)
    return version, median(peers), statistics.median(ratios)


def misses(found: dict[int, Spent]) -> Iterator[str]:
    """Yield a sentence for each figure below its bound."""
    for episodes, spent in found.items():
        if spent.rate < FLOOR:
            yield f"{episodes} episodes: expected at least {FLOOR:,} calls/s, got {spent.rate:,.0f}"
    if steadiness(found) < STEADY:
        yield f"most to fewest episodes: expected at least {STEADY}, got {steadiness(found):.2f}"


def steadiness(found: dict[int, Spent]) -> float:
    """Return the processor's rate over the most episodes in that over the fewest: 1 if it is linear."""
    return found[min(found)].cpu_ms / found[max(found)].cpu_ms


def line(name: str, spent: Spent) -> str:
    """Return a row of the table."""
    return f"{name:<44}{spent.rate:>10,.0f}{1 / spent.cpu_ms * 1000:>14,.0f}{spent.cpu_ms:>12.3f}"


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="1 repeat instead of 5")
    parser.add_argument(
        "--episodes", type=int, nargs="+", default=SIZES, metavar="N", help=f"default {SIZES}"
    )
    parser.add_argument(
        "--inspect",
        metavar="PYTHON",
        default=os.environ.get("ACOE_BENCH_INSPECT"),
        help="one with inspect-ai",
    )
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve()
    repeats, sizes = 1 if args.quick else 5, sorted(args.episodes)
    print(f"acoe_gym {acoe_gym.__version__}, Python {sys.version.split()[0]}")
    print(f"{'16 turns and 29 calls an episode':<44}{'calls/s':>10}{'calls/CPU-s':>14}{'CPU ms/call':>12}")
    found = {}
    for size, spent in own(sizes, repeats):
        print(line(f"{size} episodes", spent), flush=True)
        found[size] = spent
    few, many = sizes[0], sizes[-1]
    print(f"{f'{many} episodes / {few} episodes':<44}{'':>10}{steadiness(found):>14.2f} x")
    print(line(f"{few} episodes, 8 at once", fly(few, script(), threads=8)), flush=True)
    with served() as url:
        spent = fly(few, LLMPolicy("script", url))
        print(line(f"{few} episodes over HTTP to a stub", spent), flush=True)
    if args.inspect:
        version, peer, ratio = beside(args.inspect, few, 1 if args.quick else 3)
        print(line(f"{few} episodes in Inspect {version}", peer))
        print(f"{'CPU of Inspect / CPU of acoe_gym':<44}{'':>10}{ratio:>14.1f} x")
    else:
        print(NO_PEER)
    missed = list(misses(found))
    for sentence in missed:
        print(f"missed: {sentence}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
