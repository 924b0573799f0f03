"""The bare world on a bench: states made from a few names, readings in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Console
from acoe_gym.cockpit.expressions import BOOL, parse
from acoe_gym.cockpit.program import Program, Reading, State
from acoe_gym.cockpit.templates import load_template

if TYPE_CHECKING:
    from acoe_gym.cockpit.domains import Value

Sets = Mapping[str, object]
PROBE = """
id = "probe"
title = "The bare world"
source = {}
briefings = {}
procedure = []
tasks = []
goals = [{ id = "runs", primary = true, that = "engine.running", facts = ["c172s.engine.1"] }]
constraints = []
"""
# These show DARK or OFF rather than nothing.
LAMPS = ("fis", "adf_dme", "fan_fwd", "fan_aft", "pfd_screen", "mfd_screen", "stby_ind_lts")


class Bench:
    """Makes states of a world, writes into them and reads them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.world = program.template.world
        self._console = Console(program)

    def state(self, sets: Sets | None = None) -> State:
        """Return the normal state with some variables set, settled."""
        given = {name: self.world.domains[name].parse(raw) for name, raw in (sets or {}).items()}
        values = {**self.world.normal, **given}
        now = [values[name] for name in self.program.variables]
        self.program.settle(now)
        assert self.program.pending(now) == []
        return now

    def put(self, now: State, name: str, value: Value) -> None:
        """Perform one write of a stored value, unless the control stands there already."""
        if now[self.program.slots[name]] != value:
            self.program.writers[name](now, value)

    def write(self, now: State, sets: Sets) -> State:
        """Perform writes in order, in place."""
        for name, raw in sets.items():
            self.put(now, name, self.world.domains[name].parse(raw))
        return now

    def read(self, now: State, name: str) -> object:
        """Return what the pilot sees, None when unpowered."""
        value = self.program.readers[name](now)
        return None if value is None else self._console.show(name, value)

    def readings(self, now: State) -> dict[str, Reading]:
        """Return the raw readings of all components."""
        return {name: reader(now) for name, reader in self.program.readers.items()}

    def lit(self, now: State, name: str = "cas") -> tuple[str, ...]:
        """Return the lit lines of a list that is powered."""
        lines = self.program.readers[name](now)
        assert isinstance(lines, tuple)
        return lines

    def holds(self, now: State, condition: str) -> bool:
        """Tell whether an expression over the true state holds."""
        return bool(self.program.condition(parse(condition, self.program.template.names, BOOL, "test"))(now))

    def dark(self, now: State) -> set[str]:
        """Return everything that is unpowered, dark or off among what electricity feeds."""
        unpowered = {name for name, value in self.readings(now).items() if value is None}
        return unpowered | {name for name in LAMPS if self.read(now, name) in ("DARK", "OFF")}


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    path = tmp_path_factory.mktemp("specs") / "probe.toml"
    path.write_text(PROBE, encoding="utf-8")
    return Bench(Program(load_template(path, library.world("c172s"))))
