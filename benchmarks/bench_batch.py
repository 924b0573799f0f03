"""Measure writes per CPU-second of the batch program beside the scalar program's, with rules and constraints.

    python benchmarks/bench_batch.py [--quick]

Every row makes a random legal write of a random control, as a vector environment would ask for; the draws
are made beforehand. Exits with 1, naming what missed, if the median of an aircraft is below its floor.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import acoe_gym
from acoe_gym.cockpit import library
from acoe_gym.cockpit.batch import BatchProgram
from acoe_gym.cockpit.firing import set_points
from acoe_gym.cockpit.program import Program

SIZES = (1024, 4096)
# Writes per CPU-second that the median over an aircraft's templates must reach, by rows.
FLOORS = {"c172s": {1024: 4_000_000, 4096: 8_000_000}, "pa44": {1024: 3_000_000, 4096: 6_000_000}}
DRAWS = 64
Work = Callable[[int], None]


class Figure(NamedTuple):
    """Writes per CPU-second of one template; ``rows`` is 1 for the scalar program."""

    template: str
    rows: int
    value: float


def drawn(program: Program, count: int, seed: int) -> tuple[list[tuple[str, bool | int | float]], list[int]]:
    """Return every legal write, and indices of random ones: first the control is drawn, then its value."""
    rng = random.Random(seed)
    moves: list[tuple[str, bool | int | float]] = []
    spans: list[tuple[int, int]] = []
    for name, values in set_points(program).items():
        spans.append((len(moves), len(values)))
        moves += [(name, value) for value in values]
    starts = [rng.choice(spans) for _ in range(count)]
    return moves, [first + rng.randrange(length) for first, length in starts]


def batch(template_id: str, rows: int) -> Work:
    """Return work that makes writes in all rows at once."""
    tasks = [library.task(task_id) for task_id in library.task_ids(template_id)]
    program = BatchProgram(library.program(template_id))
    moves, indices = drawn(program.program, DRAWS * rows, rows)
    table, chosen = program.moves(moves), np.array(indices).reshape(DRAWS, rows)
    columns = program.initial([tasks[row % len(tasks)].initial for row in range(rows)])

    def work(count: int) -> None:
        for number in range(count):
            program.write(columns, table, chosen[number % DRAWS])

    return work


def scalar(template_id: str) -> Work:
    """Return work that makes writes in one state, as the console does."""
    program = library.program(template_id)
    state = list(library.task(library.task_ids(template_id)[0]).initial)
    moves, indices = drawn(program, 4096, 1)
    asked = [
        (program.slots[name], program.writers[name], value) for name, value in (moves[i] for i in indices)
    ]

    def work(count: int) -> None:
        for number in range(count):
            slot, write, value = asked[number % 4096]
            if state[slot] != value:
                write(state, value)

    return work


def rate(work: Work, seconds: float) -> float:
    """Return calls of the work per CPU-second over about that many CPU-seconds, warm-up apart."""
    work(DRAWS)
    count = DRAWS
    while True:
        start = time.process_time()
        work(count)
        spent = time.process_time() - start
        if spent >= seconds:
            return count / spent
        count = max(2 * count, int(1.1 * count * seconds / max(spent, 1e-3)))


def figures(repeats: int, seconds: float) -> Iterator[Figure]:
    """Yield the median rates of every template."""
    for template_id in library.template_ids():
        single = scalar(template_id)
        yield Figure(template_id, 1, statistics.median(rate(single, seconds) for _ in range(repeats)))
        for rows in SIZES:
            work = batch(template_id, rows)
            calls = statistics.median(rate(work, seconds) for _ in range(repeats))
            yield Figure(template_id, rows, calls * rows)


def misses(found: list[Figure]) -> Iterator[str]:
    """Yield a sentence for each aircraft and size whose median is below its floor."""
    for world_id, floors in FLOORS.items():
        for rows, floor in floors.items():
            values = [f.value for f in found if f.rows == rows and f.template.startswith(f"{world_id}/")]
            if values and statistics.median(values) < floor:
                got = f"{statistics.median(values):,.0f}"
                yield f"{world_id} with {rows} rows: expected at least {floor:,} writes/s, got {got}"


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="3 short repeats instead of 5 longer ones")
    quick = parser.parse_args().quick
    print(f"acoe_gym {acoe_gym.__version__}, numpy {np.__version__}, Python {sys.version.split()[0]}")
    print(f"{'writes per CPU-second':<34}{'rows':>6}{'millions':>12}")
    found = []
    for figure in figures(3 if quick else 5, 0.1 if quick else 0.5):
        print(f"{figure.template:<34}{figure.rows:>6}{figure.value / 1e6:>12.2f}", flush=True)
        found.append(figure)
    missed = list(misses(found))
    for sentence in missed:
        print(f"missed: {sentence}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
