"""A template compiled to Python functions over a list: the scalar program.

One program serves all tasks of a template, since tasks differ in their initial state only. The order of one
write is that of ``docs/semantics.md`` section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.emit import Emitter
from acoe_gym.cockpit.expressions import BOOL, Literal, Node, parse
from acoe_gym.cockpit.templates import Template
from acoe_gym.cockpit.world import Rule, plain_value
from acoe_gym.errors import SpecError

State = list[Value]
# Shown by an instrument: a number, a position's index, the lit lines; None when unpowered.
Reading = Value | tuple[str, ...] | None


class Program:
    """The compiled form of a template.

    Attributes:
        template: what was compiled.
        variables: stored variables in slot order: controls in panel order, then hidden ones, then decisions.
        slots: name -> index into a state.
        readers: component id -> function from a state to what the pilot reads.
        writers: control id -> function (state, value) that performs one legal, changing write in place and
            returns the violated constraints as a bit mask over ``template.constraints``.
        goals: one function per goal, state -> bool.
    """

    def __init__(self, template: Template) -> None:
        self.template = template
        # The one console of all its episodes, made on first use (`acoe_gym.cockpit.console.console_of`).
        self.console: Any = None
        self.variables = tuple(template.domains)
        self.slots = {name: i for i, name in enumerate(self.variables)}
        self.rules = tuple(CompiledRule(rule, self) for rule in (*template.world.rules, *template.rules))
        self._levels = tuple(rule for rule in self.rules if rule.on is None)
        self._namespace: dict[str, Any] = {}
        self._run(self._settle_source())
        self.settle: Callable[[State], None] = self._namespace["settle"]
        self.readers: dict[str, Callable[[Sequence[Value]], Reading]] = {
            name: self._reader(name) for name in template.world.components
        }
        self.writers: dict[str, Callable[[State, Value], int]] = {}
        self._compile_writers()
        self.goals = tuple(self.condition(goal.that) for goal in template.goals)

    def condition(self, tree: Node) -> Callable[[Sequence[Value]], bool]:
        """Compile one condition to a function of a state."""
        return self.function("condition", [tree], ["return {0}"])  # type: ignore[no-any-return]

    def pending(self, state: State) -> list[tuple[str, str, Value, Value]]:
        """Return what is not settled: (rule id, variable, present value, value that the rule wants)."""
        found = []
        for rule in self._levels:
            for name, wanted in rule.wants(state):
                present = state[self.slots[name]]
                if present != wanted:
                    found.append((rule.id, name, present, wanted))
        return found

    # Compilation.

    def function(self, name: str, trees: list[Node], body: list[str]) -> Any:
        """Compile one function of a state; in its body ``{0}``, ``{1}``, … stand for the trees."""
        emitter = Emitter(self.template.names, self.slots, trees)
        lines = emitter.locals_for(*trees)
        sources = [emitter.source(tree) for tree in trees]
        body = [line.format(*sources) for line in body]
        return self._run([f"def {name}(s):", *_indent([*lines, *body])], name)

    def _run(self, lines: list[str], name: str = "") -> Any:
        # The text comes from checked trees only: names are list indices and literals are repr() of numbers.
        exec(compile("\n".join(lines), f"<{self.template.id}>", "exec"), self._namespace)  # noqa: S102
        return self._namespace.get(name)

    def _reader(self, name: str) -> Callable[[Sequence[Value]], Reading]:
        component, names = self.template.world.components[name], self.template.names
        powered = names.powered(name)
        trees = [] if powered is None else [powered]
        head = [] if powered is None else ["if not {0}: return None"]
        if component.lines:
            texts = names.line_texts(name)
            trees += [names.line(name, text) for text in texts]
            first = len(trees) - len(texts)
            parts = " + ".join(
                f"(({_braced(text)},) if {{{first + i}}} else ())" for i, text in enumerate(texts)
            )
            body = [*head, f"return {parts}"]
        elif component.value is not None:
            trees.append(names.tree(name))
            body = [*head, f"return {{{len(trees) - 1}}}"]
        else:
            body = [*head, f"return s[{self.slots[name]}]"]
        return self.function("read", trees, body)  # type: ignore[no-any-return]

    def _settle_source(self) -> list[str]:
        emitter = Emitter(
            self.template.names, self.slots, [tree for rule in self._levels for tree in rule.trees]
        )
        lines: list[str] = []
        for rule in self._levels:
            lines += emitter.locals_for(*rule.trees)
            lines.append(f"if {emitter.source(rule.when)}: {self._assign(rule, emitter)}")
            emitter.wrote(name for name, _ in rule.sets)
        return ["def settle(s):", *_indent(lines or ["pass"])]

    def _assign(self, rule: CompiledRule, emitter: Emitter) -> str:
        targets = ", ".join(f"s[{self.slots[name]}]" for name, _ in rule.sets)
        return f"{targets} = {', '.join(emitter.source(tree) for _, tree in rule.sets)}"

    def _compile_writers(self) -> None:
        nevers = [
            (1 << i, t.condition)
            for i, c in enumerate(self.template.constraints)
            for t in c.triggers
            if t.never
        ]
        if nevers:
            body = "return " + " | ".join(f"({bit} if {{{i}}} else 0)" for i, (bit, _) in enumerate(nevers))
            self.function("never", [tree for _, tree in nevers], [body])
        for name in self.template.world.controls:
            self._compile_writer(name, nevers=bool(nevers))

    def _compile_writer(self, name: str, *, nevers: bool) -> None:
        slot = self.slots[name]
        lines = ["h = 0", *self._checks(name), *(["n = never(s)"] if nevers else []), f"s[{slot}] = v"]
        for rule in self.rules:
            if rule.on is not None and rule.on[0] == name:
                lines += self._event(rule)
        lines.append("settle(s)")
        for asked, rests in self.template.world.components[name].momentary:
            lines.append(f"if s[{slot}] == {asked}: s[{slot}] = {rests}")
        lines.append("return h | (never(s) & ~n)" if nevers else "return h")
        self.writers[name] = self._run([f"def write_{slot}(s, v):", *_indent(lines)], f"write_{slot}")

    def _checks(self, name: str) -> list[str]:
        lines: list[str] = []
        for i, constraint in enumerate(self.template.constraints):
            for trigger in constraint.triggers:
                asked = dict(trigger.settings).get(name)
                if asked is not None:
                    lines += self._statement([asked, trigger.condition], f"if {{0}} and {{1}}: h |= {1 << i}")
        return lines

    def _event(self, rule: CompiledRule) -> list[str]:
        assert rule.on is not None
        emitter = Emitter(self.template.names, self.slots, rule.trees)
        lines = emitter.locals_for(*rule.trees)
        guard = f"if v in {rule.on[1]!r} and {emitter.source(rule.when)}: {self._assign(rule, emitter)}"
        return [*lines, guard]

    def _statement(self, trees: list[Node], text: str) -> list[str]:
        emitter = Emitter(self.template.names, self.slots, trees)
        return [*emitter.locals_for(*trees), text.format(*(emitter.source(tree) for tree in trees))]


class CompiledRule:
    """A rule with its expressions checked against the types of what they assign."""

    def __init__(self, rule: Rule, program: Program) -> None:
        names, domains = program.template.names, program.template.domains
        self.id = rule.id
        self.on: tuple[str, tuple[Value, ...]] | None = None
        if rule.on is not None:
            control, values = rule.on
            if control not in program.template.world.controls:
                raise SpecError(f"{rule.where} on: expected a control, got {control!r}")
            self.on = control, tuple(plain_value(domains[control], raw, f"{rule.where} on") for raw in values)
        self.when: Node = (
            Literal(True) if rule.when is None else parse(rule.when, names, BOOL, f"{rule.where} when")
        )
        self.sets: list[tuple[str, Node]] = []
        for name, source in rule.sets:
            if name not in domains:
                raise SpecError(f"{rule.where} set: expected a control or hidden variable, got {name!r}")
            self.sets.append((name, parse(source, names, domains[name].type, f"{rule.where} set {name}")))
        self.trees = [self.when, *(tree for _, tree in self.sets)]
        self._program = program
        self._wants: Callable[[State], tuple[Value, ...] | None] | None = None

    def wants(self, state: State) -> list[tuple[str, Value]]:
        """Return what the rule would assign in this state."""
        if self._wants is None:
            wanted = "".join(f"{{{i}}}, " for i in range(1, len(self.trees)))
            body = [f"return ({wanted}) if {{0}} else None"]
            self._wants = self._program.function("wants", self.trees, body)
        assert self._wants is not None
        values = self._wants(state)
        if values is None:
            return []
        return [(name, value) for (name, _), value in zip(self.sets, values, strict=True)]


def _braced(text: str) -> str:
    """Return a text as Python source inside a format string."""
    return repr(text).replace("{", "{{").replace("}", "}}")


def _indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
