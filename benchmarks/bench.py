"""Measure steps per CPU-second of the faces beside Gymnasium's Taxi-v4, and what importing and making cost.

    python benchmarks/bench.py [--quick]

Taxi runs in the same process and just before each face, so that a busy or slow machine slows both alike.
Resets are counted as they come. Exits with 1, naming what missed, if a figure is below its floor.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gymnasium as gym

import acoe_gym
from acoe_gym.envs.cockpit_env import CockpitEnv
from acoe_gym.envs.flat_env import FlatCockpitEnv

TASK = "c172s/engine_restart/stopped_prop_left_tank"
TEXT_ID, FLAT_ID, TAXI_ID = "ACOE-C172S-EngineRestart-v0", "ACOE-C172S-EngineRestart-Flat-v0", "Taxi-v4"
Work = Callable[[int], None]

# What each figure must reach; a ratio is to Taxi-v4 in the same run.
FLOORS = {
    "text env": 500_000,
    "text env / Taxi": 3.0,
    "Flat env / Taxi": 2.0,
    "snapshots": 1_000_000,
}
CEILINGS = {"import acoe_gym over gymnasium": 100, "first make and reset": 150}

IMPORT = (
    "import time; import gymnasium; t = time.perf_counter(); import acoe_gym; print(time.perf_counter() - t)"
)
FIRST = f"""
import time, gymnasium, acoe_gym
t = time.perf_counter()
gymnasium.make({TEXT_ID!r}).reset(seed=0)
print(time.perf_counter() - t)
"""


class Figure(NamedTuple):
    """A named measurement."""

    name: str
    value: float
    unit: str


def call(tool: str, **arguments: object) -> dict[str, Any]:
    """Return a call as a model writes it."""
    return {"name": tool, "arguments": arguments}


# Reads, writes that change something, and writes that leave it as it is, a third each.
CALLS = [
    call("get_system", component="rpm"),
    call("set_system", component="fuel_selector", value="BOTH"),
    call("set_system", component="fuel_selector", value="BOTH"),
    call("get_system", component="cas"),
    call("set_system", component="fuel_pump", value="ON"),
    call("set_system", component="throttle", value=80),
    call("get_system", component="fuel_qty_l"),
    call("set_system", component="fuel_selector", value="LEFT"),
    call("set_system", component="mixture", value=80),
    call("get_system", component="m_bus_v"),
    call("set_system", component="master_alt", value="OFF"),
    call("set_system", component="master_alt", value="OFF"),
    call("get_system", component="oil_pres"),
    call("set_system", component="master_alt", value="ON"),
    call("set_system", component="stby_batt", value="ARM"),
]


def stepping(env: gym.Env[Any, Any], actions: list[Any]) -> Work:
    """Return work that plays fixed actions round and round, episode after episode."""
    env.reset(seed=0)

    def work(count: int) -> None:
        step, reset = env.step, env.reset
        for action in itertools.islice(itertools.cycle(actions), count):
            _, _, terminated, truncated, _ = step(action)
            if terminated or truncated:
                reset()

    return work


def taxi() -> Work:
    """Return Taxi-v4 with its moves and its illegal drops; seeded, so that every run plays the same."""
    return stepping(gym.make(TAXI_ID), [0, 1, 2, 3, 4, 5, 1, 2, 0, 3])


def text() -> Work:
    """Return the text environment over the fixed calls."""
    return stepping(gym.make(TEXT_ID, task=TASK), CALLS)


def flat() -> Work:
    """Return the Flat environment over the rows of the same calls."""
    env = gym.make(FLAT_ID, task=TASK)
    base = env.unwrapped
    assert isinstance(base, FlatCockpitEnv)
    return stepping(env, [base.row_of((c["name"], c["arguments"])) for c in CALLS])


def middle_of_an_episode() -> CockpitEnv:
    """Return an environment after some calls."""
    env = CockpitEnv("c172s/engine_restart", task=TASK)
    env.reset()
    for action in CALLS:
        env.step(action)
    return env


def snapshots() -> Work:
    """Return work that takes snapshots."""
    get_state = middle_of_an_episode().get_state

    def work(count: int) -> None:
        for _ in range(count):
            get_state()

    return work


def restores() -> Work:
    """Return work that goes back to a snapshot."""
    env = middle_of_an_episode()
    state = env.get_state()

    def work(count: int) -> None:
        for _ in range(count):
            env.set_state(state)

    return work


def rate(work: Work, seconds: float) -> float:
    """Return repetitions per CPU-second over about that many CPU-seconds, warm-up apart."""
    count = 1000
    while True:
        start = time.process_time()
        work(count)
        spent = time.process_time() - start
        if spent >= seconds:
            return count / spent
        count = max(2 * count, int(1.1 * count * seconds / max(spent, 1e-3)))


def rates(repeats: int, seconds: float) -> Iterator[Figure]:
    """Yield the median rate of each face, and for the environments the median ratio to Taxi."""
    anchor = taxi()
    taxi_rates: list[float] = []
    for name, work in (("text env", text()), ("Flat env", flat())):
        pairs = [(rate(anchor, seconds), rate(work, seconds)) for _ in range(repeats)]
        taxi_rates += [before for before, _ in pairs]
        yield Figure(name, statistics.median(after for _, after in pairs), "/s")
        yield Figure(f"{name} / Taxi", statistics.median(after / before for before, after in pairs), "x")
    yield Figure(TAXI_ID, statistics.median(taxi_rates), "/s")
    for name, work in (("snapshots", snapshots()), ("restores", restores())):
        yield Figure(name, statistics.median(rate(work, seconds) for _ in range(repeats)), "/s")


def start_up(repeats: int) -> Iterator[Figure]:
    """Yield the median times of importing and of the first make, each in fresh processes."""
    for name, code in zip(CEILINGS, (IMPORT, FIRST), strict=True):
        command = [sys.executable, "-c", code]
        times = [
            float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(repeats)
        ]
        yield Figure(name, 1000 * statistics.median(times), "ms")


def misses(figures: list[Figure]) -> list[str]:
    """Return a sentence for each figure on the wrong side of its bound."""
    low = [
        f"{f.name}: expected at least {FLOORS[f.name]:,}, got {f.value:,.2f} {f.unit}"
        for f in figures
        if f.value < FLOORS.get(f.name, 0)
    ]
    high = [
        f"{f.name}: expected less than {CEILINGS[f.name]:,}, got {f.value:,.1f} {f.unit}"
        for f in figures
        if f.value >= CEILINGS.get(f.name, float("inf"))
    ]
    return low + high


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="3 short repeats instead of 7 longer ones")
    quick = parser.parse_args().quick
    print(f"acoe_gym {acoe_gym.__version__}, gymnasium {gym.__version__}, Python {sys.version.split()[0]}")
    figures = []
    for figure in itertools.chain(rates(3 if quick else 7, 0.1 if quick else 0.3), start_up(5)):
        digits = 2 if figure.unit == "x" else 0
        print(f"{figure.name:<34}{figure.value:>14,.{digits}f} {figure.unit}", flush=True)
        figures.append(figure)
    missed = misses(figures)
    for sentence in missed:
        print(f"missed: {sentence}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
