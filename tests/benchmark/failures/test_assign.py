from __future__ import annotations

from acoe_gym.benchmark.failures import failure_modes
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.runner import run

TASKS = ("c172s/engine_restart/stopped_prop_left_tank", "c172s/forced_landing/assured_call_belts_loose")


def test_modes_stand_in_the_order_of_the_records() -> None:
    records = sorted(run(Plan("submit", TASKS, 2)), key=lambda record: int(record["trial"]))
    assert list(failure_modes(records)) == [(task, trial) for trial in (0, 1) for task in TASKS]
