"""The bare world on a bench, each test of one engine written once and run for both sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Console
from acoe_gym.cockpit.expressions import BOOL, parse
from acoe_gym.cockpit.program import Program, Reading, State
from acoe_gym.cockpit.templates import load_template

if TYPE_CHECKING:
    from acoe_gym.cockpit.domains import Value

Sets = Mapping[str, object]
OTHER = {"left": "right", "right": "left"}
PROBE = """
id = "probe"
title = "The bare world"
source = {}
briefings = {}
procedure = []
tasks = []
goals = [{ id = "runs", primary = true, that = "left.engine.running", facts = ["pa44.limit.rpm"] }]
constraints = []
"""


class Bench:
    """Makes states of the world, writes into them and reads them.

    In names and conditions ``{x}`` stands for a side, ``{o}`` for the other one; ``{X}`` and ``{O}`` are the
    same in upper case.
    """

    def __init__(self, program: Program, x: str) -> None:
        self.program = program
        self.world = program.template.world
        self._marks = {"x": x, "o": OTHER[x], "X": x.upper(), "O": OTHER[x].upper()}
        self._console = Console(program)

    def put(self, text: str) -> str:
        """Return a text with its side marks replaced."""
        return text.format(**self._marks)

    def state(self, sets: Sets | None = None) -> State:
        """Return the normal state with some variables set, settled."""
        given = {self.put(name): raw for name, raw in (sets or {}).items()}
        stored = {name: self.world.domains[name].parse(raw) for name, raw in given.items()}
        now = [{**self.world.normal, **stored}[name] for name in self.program.variables]
        self.program.settle(now)
        assert self.program.pending(now) == []
        return now

    def store(self, now: State, name: str, value: Value) -> None:
        """Perform one write of a stored value, unless the control stands there already."""
        if now[self.program.slots[name]] != value:
            self.program.writers[name](now, value)

    def write(self, now: State, sets: Sets) -> State:
        """Perform writes in order, in place."""
        for mark, raw in sets.items():
            name = self.put(mark)
            self.store(now, name, self.world.domains[name].parse(raw))
        return now

    def read(self, now: State, name: str) -> Any:
        """Return what the pilot sees, None when unpowered."""
        name = self.put(name)
        value = self.program.readers[name](now)
        return None if value is None else self._console.show(name, value)

    def readings(self, now: State) -> dict[str, Reading]:
        """Return the raw readings of all components."""
        return {name: reader(now) for name, reader in self.program.readers.items()}

    def lit(self, now: State, name: str = "annunciators") -> set[str]:
        """Return the lit lines of a list that is powered."""
        lines = self.program.readers[name](now)
        assert isinstance(lines, tuple)
        return set(lines)

    def holds(self, now: State, condition: str) -> bool:
        """Tell whether an expression over the true state holds."""
        tree = parse(self.put(condition), self.program.template.names, BOOL, "test")
        return bool(self.program.condition(tree)(now))

    def dark(self, now: State) -> set[str]:
        """Return everything that is unpowered."""
        return {name for name, value in self.readings(now).items() if value is None}


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("specs") / "probe.toml"
    path.write_text(PROBE, encoding="utf-8")
    return Program(load_template(path, library.world("pa44")))


@pytest.fixture(scope="session")
def bench(program: Program) -> Bench:
    """The airplane as a whole; side marks mean the left side."""
    return Bench(program, "left")


@pytest.fixture(scope="session", params=list(OTHER))
def sided(program: Program, request: pytest.FixtureRequest) -> Bench:
    """The airplane seen from either side."""
    return Bench(program, request.param)
