"""Checks of rules and panel: every rule can fire, none is overtaken by a later one, controls do something."""

from __future__ import annotations

from collections.abc import Iterator

from acoe_gym.cockpit.checks.remark import Remark, error, warning
from acoe_gym.cockpit.evidence import Evidence
from acoe_gym.cockpit.program import Program
from acoe_gym.cockpit.scope import reads

MAX_INERT = 0.15


def template_rules_fire(evidence: Evidence) -> Iterator[Remark]:
    """Every rule of a template fires in some task of it."""
    for template in evidence.templates:
        for rule in template.template.rules:
            if rule.id not in template.fired:
                yield error(
                    f"{template.template.id} [[rules]] {rule.id}",
                    "expected a rule that fires in some task, got none",
                )


def world_rules_fire(evidence: Evidence) -> Iterator[Remark]:
    """Every rule of an aircraft fires in some task, or at least from some state of it."""
    for aircraft in evidence.aircraft:
        for rule in aircraft.world.rules:
            if rule.id in aircraft.fired:
                continue
            where, how = f"{aircraft.world.id} [[rules]] {rule.id}", aircraft.provoked(rule.id)
            if how is None:
                yield error(where, "expected a rule that fires from some state, got none")
            else:
                yield warning(
                    where, f"expected a rule that fires in some task, got one that fires only {how}"
                )


def rules_see_what_later_ones_write(evidence: Evidence) -> Iterator[Remark]:
    """A level rule that reads or writes what a later one writes may leave a state unsettled."""
    for aircraft in evidence.aircraft:
        own = {rule.id for rule in aircraft.world.rules}
        yield from _overtaken(aircraft.templates[0].program, aircraft.world.id, own, own)
    for template in evidence.templates:
        own = {rule.id for rule in template.template.rules}
        everything = {rule.id for rule in template.program.rules}
        yield from _overtaken(template.program, template.template.id, everything, own)


def _overtaken(program: Program, where: str, earlier: set[str], later: set[str]) -> Iterator[Remark]:
    """Remark on level rules of one set that are overtaken by those of another, further down."""
    levels = [rule for rule in program.rules if rule.on is None]
    for n, first in enumerate(levels):
        looked_at: set[str] = set().union(*(reads(tree, program.template.names) for tree in first.trees))
        written = {name for name, _ in first.sets}
        for second in levels[n + 1 :]:
            targets = {name for name, _ in second.sets}
            if first.id not in earlier or second.id not in later:
                continue
            if common := sorted(targets & written):
                yield warning(
                    f"{where} [[rules]] {first.id}",
                    f"writes {', '.join(common)}, as does the later rule {second.id}",
                )
            elif common := sorted(targets & looked_at):
                yield warning(
                    f"{where} [[rules]] {first.id}",
                    f"reads {', '.join(common)}, which the later rule {second.id} writes",
                )


def few_controls_are_inert(evidence: Evidence) -> Iterator[Remark]:
    """At most `MAX_INERT` of an aircraft's controls are listed as changing no reading but their own."""
    for aircraft in evidence.aircraft:
        inert, controls = len(aircraft.world.inert), len(aircraft.world.controls)
        if inert > MAX_INERT * controls:
            yield warning(
                f"{aircraft.world.id} [inert]",
                f"expected at most {MAX_INERT:.0%} of the controls, got {inert} of {controls}",
            )
