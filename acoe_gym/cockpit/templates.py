"""A template: one procedure of one aircraft, with its tasks, read from ``<aircraft>/<template>.toml``.

Frozen data only: `acoe_gym.cockpit.program` compiles a template, `acoe_gym.cockpit.episode` plays a task. The
entries of its tables stand in `acoe_gym.cockpit.template_parts` and can be imported from here.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from acoe_gym.cockpit.data import load_toml
from acoe_gym.cockpit.domains import Domain, Flag, Value
from acoe_gym.cockpit.expressions import BOOL, Asked, Compare, Literal, Logic, Name, Node, parse
from acoe_gym.cockpit.facts import Fact, cited, load_facts
from acoe_gym.cockpit.scope import Names, derived
from acoe_gym.cockpit.tables import (
    Table,
    check_keys,
    check_known,
    check_unique,
    take,
    take_flat,
    take_list,
    write_sides,
)
from acoe_gym.cockpit.template_parts import Basis, Case, Constraint, Goal, Step, TaskSpec, Trigger
from acoe_gym.cockpit.tools import INFORMATIONAL
from acoe_gym.cockpit.world import Rule, World, parse_hidden, parse_rules, plain_value
from acoe_gym.errors import SpecError, nearest

__all__ = ["Basis", "Case", "Constraint", "Goal", "Step", "TaskSpec", "Template", "Trigger", "load_template"]

KEYS = (
    "canary", "id", "title", "source", "relevant_tools", "briefings", "decisions", "initial", "hidden",
    "define", "rules", "reports", "goals", "constraints", "traps", "procedure", "tasks", "generator",
)  # fmt: skip
TASK_KEYS = ("id", "set", "briefing", "decisions", "information", "relevant_tools", "short_because")


@dataclass(frozen=True)
class Template:
    """A procedure.

    ``domains`` and ``normal`` cover the world's variables, the template's hidden ones and the decisions.
    """

    id: str
    env: str
    title: str
    world: World
    path: Path
    source: Mapping[str, object]
    relevant_tools: tuple[str, ...]
    briefings: Mapping[str, str]
    decisions: Mapping[str, Mapping[str, str]]
    domains: Mapping[str, Domain]
    normal: Mapping[str, Value]
    rules: tuple[Rule, ...]
    names: Names
    goals: tuple[Goal, ...]
    constraints: tuple[Constraint, ...]
    traps: tuple[Basis, ...]
    procedure: tuple[Step, ...]
    tasks: Mapping[str, TaskSpec]
    generator: tuple[Case, ...]
    facts: Mapping[str, Fact]


def load_template(path: Path, world: World) -> Template:
    """Read and check one template file.

    Raises:
        SpecError: anything wrong; the message names file, table, what was expected, what came and the nearest
            legal name.
    """
    return _Reader(path, world).template()


class _Reader:
    """Reads one file; each method returns one table, or one entry of a table, as data."""

    def __init__(self, path: Path, world: World) -> None:
        self.path = path
        self.world = world
        self.where = f"{world.id}/{path.name}"
        sides = tuple(load_toml(world.folder / "world.toml").get("sides", ()))
        self.table = write_sides(load_toml(path), sides, self.where)
        check_keys(self.table, KEYS, self.where)
        self.ledger = load_facts(world.folder / "facts.toml")
        # Names that steps so far took from replies.
        self.taken: set[str] = set()

    def template(self) -> Template:
        stem = take(self.table, "id", str, self.where)
        if stem != self.path.stem:
            raise SpecError(f"{self.where}: expected id = {self.path.stem!r} (the file's name), got {stem!r}")
        self.decisions = self._decisions()
        self.domains, self.normal = self._variables()
        define = {**self.world.define, **take_flat(self.table, "define", self.where, {})}
        reports = tuple(
            (take(r, "line", str, self.where), take(r, "when", str, self.where))
            for r in self.table.get("reports", ())
        )
        if reports and not self.world.reports:
            raise SpecError(f"{self.where} [[reports]]: expected a world with a list of reports, got none")
        self.names = Names(self.world, self.domains, define, reports, self.where)
        self.briefings = take(self.table, "briefings", dict, self.where)
        for name in self.briefings:
            take(self.briefings, name, str, f"{self.where} [briefings]")
        rules = self._rules()
        return Template(
            id=f"{self.world.id}/{stem}",
            env="".join(part.capitalize() for part in stem.split("_")),
            title=take(self.table, "title", str, self.where),
            world=self.world,
            path=self.path,
            source=take(self.table, "source", dict, self.where),
            relevant_tools=self._relevant(self.table, self.where),
            briefings=self.briefings,
            decisions=self.decisions,
            domains=self.domains,
            normal=self.normal,
            rules=rules,
            names=self.names,
            goals=self._goals(),
            constraints=self._constraints(),
            traps=tuple(self._basis(row, n) for n, row in enumerate(self.table.get("traps", ()), 1)),
            procedure=tuple(
                self._step(row, n) for n, row in enumerate(take(self.table, "procedure", list, self.where), 1)
            ),
            tasks=self._tasks(stem),
            generator=tuple(self._case(row, n) for n, row in enumerate(self.table.get("generator", ()), 1)),
            facts=self.ledger,
        )

    def _relevant(self, table: Table, where: str) -> tuple[str, ...]:
        names: tuple[str, ...] = take_list(table, "relevant_tools", str, where)
        for name in names:
            check_known(name, INFORMATIONAL, "informational tools", f"{where} relevant_tools")
        return names

    def _decisions(self) -> dict[str, dict[str, str]]:
        decisions: dict[str, dict[str, str]] = take(self.table, "decisions", dict, self.where, {})
        for name, row in decisions.items():
            check_keys(row, ("yes", "no"), f"{self.where} [decisions] {name}")
            take(row, "yes", str, f"{self.where} [decisions] {name}")
        return decisions

    def _variables(self) -> tuple[dict[str, Domain], dict[str, Value]]:
        """Return domains and the template's initial values: the world's, its own, one flag per decision."""
        hidden, normal = parse_hidden(take(self.table, "hidden", dict, self.where, {}), self.where)
        for name in hidden:
            if name in self.world.domains or name in self.world.components:
                raise SpecError(f"{self.where} [hidden] {name}: expected a new name, got one of the world's")
        flags = {f"decision.{name}": Flag() for name in self.decisions}
        domains: dict[str, Domain] = {**self.world.domains, **hidden, **flags}
        values = {**self.world.normal, **normal, **dict.fromkeys(flags, False)}
        for name, raw in take_flat(self.table, "initial", self.where, {}).items():
            values[name] = self._plain(domains, name, raw, f"{self.where} [initial] {name}")
        return domains, values

    def _plain(self, domains: Mapping[str, Domain], name: str, raw: object, where: str) -> Value:
        check_known(name, domains, "a control or hidden variable", where)
        return plain_value(domains[name], raw, where)

    def _rules(self) -> tuple[Rule, ...]:
        rules = parse_rules(take(self.table, "rules", list, self.where, []), self.where)
        taken = {name: rule.id for rule in self.world.rules for name, _ in rule.sets}
        for rule in rules:
            for name, _ in rule.sets:
                if name in taken:
                    got = f"{name!r} (rule {taken[name]})"
                    raise SpecError(f"{rule.where}: expected variables that no world rule writes, got {got}")
        return rules

    def _condition(self, row: Table, key: str, where: str) -> Node:
        source = take(row, key, (str, bool), where, None)
        return Literal(True) if source is None else parse(source, self.names, BOOL, f"{where} {key}")

    def _goals(self) -> tuple[Goal, ...]:
        goals: list[Goal] = []
        for n, row in enumerate(take(self.table, "goals", list, self.where), 1):
            where = f"{self.where} [[goals]] {row.get('id', f'#{n}')}"
            check_keys(row, ("id", "that", "primary", "applies", "facts"), where)
            take(row, "that", (str, bool), where)
            facts = cited(take_list(row, "facts", str, where), self.ledger, where, graded=True)
            primary = take(row, "primary", bool, where, False)
            that, applies = self._condition(row, "that", where), self._condition(row, "applies", where)
            goals.append(Goal(take(row, "id", str, where), that, primary, applies, facts))
        check_unique([g.id for g in goals], f"{self.where} [[goals]]")
        if not any(goal.primary for goal in goals):
            where = f"{self.where} [[goals]]"
            raise SpecError(f"{where}: expected at least one goal with primary = true, got none")
        return tuple(goals)

    def _constraints(self) -> tuple[Constraint, ...]:
        constraints: list[Constraint] = []
        for n, row in enumerate(take(self.table, "constraints", list, self.where), 1):
            where = f"{self.where} [[constraints]] {row.get('id', f'#{n}')}"
            check_keys(row, ("id", "facts", "applies", "any", "setting", "while", "never"), where)
            only = {k: row[k] for k in ("setting", "while", "never") if k in row}
            triggers = tuple(self._trigger(r, where) for r in take(row, "any", list, where, None) or [only])
            facts = cited(take_list(row, "facts", str, where), self.ledger, where, graded=True)
            applies = self._condition(row, "applies", where)
            constraints.append(Constraint(take(row, "id", str, where), triggers, applies, facts))
        check_unique([c.id for c in constraints], f"{self.where} [[constraints]]")
        return tuple(constraints)

    def _trigger(self, row: Table, where: str) -> Trigger:
        check_keys(row, ("setting", "while", "never"), where)
        if ("never" in row) == ("setting" in row) or ("never" in row and "while" in row):
            raise SpecError(f"{where}: expected either setting (and while) or never, got {', '.join(row)}")
        if "never" in row:
            return Trigger((), self._condition(row, "never", where), never=True)
        settings = tuple(
            (name, self._asked(name, wanted, f"{where} setting {name}"))
            for name, wanted in self._matched(row, "setting", where)
        )
        return Trigger(settings, self._condition(row, "while", where))

    def _matched(self, row: Table, key: str, where: str) -> list[tuple[str, object]]:
        """Return the controls that the patterns of a table match, each with what stands there for it."""
        found: list[tuple[str, object]] = []
        for pattern, wanted in take_flat(row, key, where).items():
            matched = fnmatch.filter(self.world.controls, pattern)
            if not matched:
                hint = nearest(pattern, self.world.controls)
                raise SpecError(f"{where} {key}: expected controls, got {pattern!r}{hint}")
            found += [(name, wanted) for name in matched]
        check_unique([name for name, _ in found], f"{where} {key}")
        return found

    def _asked(self, name: str, wanted: object, where: str) -> Node:
        """Return the condition on ``value``: a list of plain values, ``"*"``, or an expression."""
        domain = self.domains[name]
        if wanted == "*":
            return Literal(True)
        if isinstance(wanted, list) and wanted:
            values = [Literal(plain_value(domain, raw, where)) for raw in wanted]
            tests = tuple(Compare(Asked(), (("==", value),)) for value in values)
            return Logic("or", tests) if len(tests) > 1 else tests[0]
        return parse(wanted, self.names, BOOL, where, asked=domain.type)

    def _basis(self, row: Table, number: int) -> Basis:
        where = f"{self.where} [[traps]] #{number}"
        check_keys(row, ("set", "facts"), where)
        settings = tuple(
            (name, self._values(name, wanted, f"{where} set {name}"))
            for name, wanted in self._matched(row, "set", where)
        )
        return Basis(settings, cited(take_list(row, "facts", str, where), self.ledger, where, graded=True))

    def _values(self, name: str, wanted: object, where: str) -> tuple[Value, ...]:
        """Return the values of a list; none for ``"*"``."""
        if wanted == "*":
            return ()
        if not isinstance(wanted, list) or not wanted:
            raise SpecError(f"{where}: expected a list of values or '*', got {wanted!r}")
        return tuple(plain_value(self.domains[name], raw, where) for raw in wanted)

    def _step(self, row: Table, number: int) -> Step:
        where = f"{self.where} [[procedure]] #{number}"
        check_keys(row, ("set", "when", "read", "ask", "arguments", "take", "probe", "facts"), where)
        when = self._condition(row, "when", where) if "when" in row else None
        self._check_knowable(when, f"{where} when")
        reads = take_list(row, "read", str, where)
        for name in reads:
            check_known(name, self.world.components, "components", f"{where} read")
        sets = tuple(take_flat(row, "set", where, {}).items())
        for name, raw in sets:
            check_known(name, self.world.controls, "controls", f"{where} set")
            if not (isinstance(raw, str) and raw.startswith("$")):
                plain_value(self.domains[name], raw, f"{where} set {name}")
        ask = (row["ask"], take(row, "arguments", dict, where, {})) if "ask" in row else None
        if ask is not None:
            check_known(ask[0], INFORMATIONAL, "an informational tool", f"{where} ask")
        facts = take_list(row, "facts", str, where)
        if sets:
            cited(facts, self.ledger, where, graded=False)
        patterns = tuple(take(row, "take", dict, where, {}).items())
        self.taken |= {name for name, _ in patterns}
        for name, raw in sets:
            if isinstance(raw, str) and raw.startswith("$"):
                check_known(raw[1:], self.taken, "a name that a take before it gives", f"{where} set {name}")
        return Step(when, sets, reads, ask, patterns, take(row, "probe", bool, where, False), facts)

    def _check_knowable(self, when: Node | None, where: str) -> None:
        """Raise SpecError for a name that a pilot can neither read nor was told."""
        for part in () if when is None else derived(when):
            if not isinstance(part, Name) or part.id.startswith("decision."):
                continue
            if part.id not in self.world.components:
                raise SpecError(f"{where}: expected what a pilot can read or was told, got {part.id!r}")

    def _tasks(self, stem: str) -> dict[str, TaskSpec]:
        tasks: dict[str, TaskSpec] = {}
        for n, row in enumerate(take(self.table, "tasks", list, self.where), 1):
            where = f"{self.where} [[tasks]] {row.get('id', f'#{n}')}"
            check_keys(row, TASK_KEYS, where)
            name = f"{self.world.id}/{stem}/{take(row, 'id', str, where)}"
            if name in tasks:
                raise SpecError(f"{where}: expected unique ids, got it twice")
            relevant = self._relevant(row, where) if "relevant_tools" in row else None
            tasks[name] = TaskSpec(
                id=name,
                sets=self._sets(row, where),
                briefing=self._briefing(row, where),
                decisions=self._decided(row.get("decisions", []), where),
                information=take(row, "information", str, where, ""),
                relevant_tools=relevant,
                short_because=take(row, "short_because", str, where, None),
            )
        return tasks

    def _sets(self, row: Table, where: str) -> tuple[tuple[str, object], ...]:
        sets = take_flat(row, "set", where, {})
        for name, raw in sets.items():
            self._plain(self.domains, name, raw, f"{where} set {name}")
        return tuple(sets.items())

    def _briefing(self, row: Table, where: str) -> str:
        name = take(row, "briefing", str, where)
        if name not in self.briefings:
            raise SpecError(f"{where}: expected a briefing of {', '.join(self.briefings)}, got {name!r}")
        return str(name)

    def _decided(self, names: object, where: str) -> tuple[str, ...]:
        decided = take_list({"decisions": names}, "decisions", str, where)
        for name in decided:
            check_known(name, self.decisions, "names of [decisions]", f"{where} decisions")
        return decided

    def _case(self, row: Table, number: int) -> Case:
        where = f"{self.where} [[generator]] #{number}"
        check_keys(row, ("set", "vary", "require", "briefings", "decisions", "information"), where)
        vary = take_flat(row, "vary", where, {})
        for name, values in vary.items():
            for raw in take_list(vary, name, object, f"{where} vary"):
                self._plain(self.domains, name, raw, f"{where} vary {name}")
            if not values:
                raise SpecError(f"{where} vary {name}: expected a list of values, got an empty one")
        briefings = take_list(row, "briefings", str, where)
        for name in briefings:
            self._briefing({"briefing": name}, where)
        decisions = tuple(self._decided(names, where) for names in row.get("decisions", [[]]))
        return Case(
            sets=self._sets(row, where),
            vary=tuple((name, tuple(values)) for name, values in vary.items()),
            require=self._condition(row, "require", where),
            briefings=briefings,
            decisions=decisions,
            information=take_list(row, "information", str, where),
        )
