"""Checks that play: what must fail does, the reference succeeds and holds nothing that could be left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acoe_gym.cockpit.checks.remark import Remark, error, note
from acoe_gym.cockpit.episode import MAX_TURNS, Violation, play
from acoe_gym.cockpit.evidence import Evidence, TaskEvidence, states_along
from acoe_gym.cockpit.procedure import probes
from acoe_gym.cockpit.reference import replay, solve
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.tools import INFORMATIONAL

Turn = Sequence[tuple[object, object]]
SUBMIT: Turn = [("submit", {})]


def starts_are_settled(evidence: Evidence) -> Iterator[Remark]:
    """Every initial state is legal, at rest and settled."""
    for task in evidence.tasks:
        program, initial = task.program, list(task.task.initial)
        for name, value in zip(program.variables, initial, strict=True):
            if not program.template.domains[name].holds(value):
                yield error(task.id, f"expected a legal initial {name}, got {value!r}")
        for component in program.template.world.components.values():
            if component.momentary and initial[program.slots[component.id]] in dict(component.momentary):
                yield error(
                    task.id,
                    f"expected {component.id} at rest, got a position from which it springs back",
                )
        for rule, name, _, _ in program.pending(initial):
            yield error(task.id, f"expected a settled initial state, but rule {rule} would change {name}")


def submitting_at_once_fails(evidence: Evidence) -> Iterator[Remark]:
    """A submission without any other call is no success and attains less than all goals."""
    for task in evidence.tasks:
        yield from _must_fail(task.task, [SUBMIT], "submitting at once")


def doing_nothing_fails(evidence: Evidence) -> Iterator[Remark]:
    """A whole budget of empty turns is no success."""
    for task in evidence.tasks:
        yield from _must_fail(task.task, [[]] * MAX_TURNS, f"{MAX_TURNS} turns without a call")


def only_reading_fails(evidence: Evidence) -> Iterator[Remark]:
    """Reading every component and submitting changes nothing and is no success."""
    for task in evidence.tasks:
        components = task.program.template.world.components
        reads: list[Turn] = [[("get_system", {"component": name})] for name in components]
        yield from _must_fail(task.task, [*reads, SUBMIT], "reading every component")


def _must_fail(task: Task, turns: list[Turn], what: str) -> Iterator[Remark]:
    episode = play(task, turns, max(MAX_TURNS, len(turns)))
    grade = episode.grade()
    if grade.success or grade.goal_attainment == 1.0:
        yield error(
            task.id, f"expected {what} to fail, got success {grade.success:g}, GA {grade.goal_attainment:g}"
        )
    if tuple(episode.state) != task.initial:
        yield error(task.id, f"expected {what} to leave the state as it is, got another one")


def reference_succeeds(evidence: Evidence) -> Iterator[Remark]:
    """The procedure solves the task within the budget of one-call turns and violates nothing."""
    for task in evidence.tasks:
        episode, grade = task.reference, task.reference.grade()
        if grade.goals_missed:
            missed = ", ".join(grade.goals_missed)
            yield error(task.id, f"expected the procedure to meet every goal, but it misses {missed}")
        for v in episode.violation_list():
            yield error(
                task.id,
                f"expected the procedure to violate nothing, but {_told(v)}",
            )
        if episode.end != "submitted":
            yield error(
                task.id, f"expected the procedure to submit within {MAX_TURNS} turns, got {episode.end}"
            )


def _told(violation: Violation) -> str:
    return f"{violation.component} in turn {violation.turn} violates {violation.constraint}"


def no_write_is_needless(evidence: Evidence) -> Iterator[Remark]:
    """Dropping any write of the reference breaks the task, controls moved to diagnose and back excepted."""
    for task in evidence.tasks:
        if not task.reference.grade().success:
            continue
        for place, (name, value) in enumerate(task.path):
            rest = [*task.path[:place], *task.path[place + 1 :]]
            if not replay(task.task, rest).grade().success:
                continue
            if _moved_and_back(task, name):
                yield note(task.id, f"{name} to {value} may be left out: it is moved to diagnose, and back")
            else:
                yield error(
                    task.id,
                    f"expected every write of the procedure to be needed, but {name} to {value} is not",
                )


def _moved_and_back(task: TaskEvidence, name: str) -> bool:
    """Tell whether a probe of the procedure moved a control that was later put back where it had stood."""
    slot, parse = task.program.slots[name], task.program.template.domains[name].parse
    steps = [dict(step.sets) for step in task.program.template.procedure if step.probe]
    probed = [parse(step[name]) for step in steps if name in step]
    stood = [state[slot] for state in task.states]
    writes = [n for n, (control, _) in enumerate(task.path) if control == name]
    probing = [n for n in writes if stood[n + 1] in probed]
    return any(stood[later + 1] == stood[n] for n in probing for later in writes if later > n)


def whole_list_is_safe(evidence: Evidence) -> Iterator[Remark]:
    """The complete list, written step by step whether needed or not, violates nothing."""
    for task in evidence.tasks:
        for v in solve(task.task, whole=True).violation_list():
            yield error(
                task.id,
                f"expected the whole list to violate nothing, but {_told(v)}",
            )


def goals_can_fail(evidence: Evidence) -> Iterator[Remark]:
    """Every goal is false in some state that a pilot can bring about."""
    for task in evidence.tasks:
        for i in task.task.goals:
            if i not in task.survey.failed:
                yield error(
                    f"{task.id} [[goals]] {task.task.goal(i).id}",
                    "expected a goal that can be missed, got one that held in every state tried",
                )


def constraints_can_be_violated(evidence: Evidence) -> Iterator[Remark]:
    """Every constraint of every task is violated by some trajectory."""
    for task in evidence.tasks:
        for i in task.task.constraints:
            if i not in task.survey.crossings:
                yield error(
                    f"{task.id} [[constraints]] {task.task.constraint(i).id}",
                    f"expected a write that violates it, got none among {len(task.survey.violated)}",
                )


def constraints_differ(evidence: Evidence) -> Iterator[Remark]:
    """No two constraints of a task are violated by the same writes."""
    for task in evidence.tasks:
        by_writes: dict[tuple[int, ...], str] = {}
        for i in task.task.constraints:
            writes = tuple(n for n, violated in enumerate(task.survey.violated) if violated >> i & 1)
            name = task.task.constraint(i).id
            twin = by_writes.setdefault(writes, name)
            if twin != name and writes:
                yield error(
                    f"{task.id} [[constraints]] {name}",
                    f"expected writes of its own, got the same {len(writes)} that violate {twin}",
                )


def tasks_can_be_told_apart(evidence: Evidence) -> Iterator[Remark]:
    """Tasks that need different writes differ in what is told, or in a reading at first or after a probe."""
    for template in evidence.templates:
        for n, one in enumerate(template.tasks):
            for other in template.tasks[n + 1 :]:
                if _need_different_writes(one, other) and not _differ_to_a_pilot(one, other):
                    yield error(
                        one.id,
                        f"expected a reading that differs from {other.id}, which needs other writes",
                    )


def _need_different_writes(one: TaskEvidence, other: TaskEvidence) -> bool:
    return not (replay(other.task, one.path).grade().success and replay(one.task, other.path).grade().success)


def _differ_to_a_pilot(one: TaskEvidence, other: TaskEvidence) -> bool:
    if one.task.briefing != other.task.briefing or _asked(one) != _asked(other):
        return True
    # The same writes in both, up to the last probe of the one.
    probing = [n for n, (name, _) in enumerate(one.path) if name in probes(one.task)]
    steps = one.path[: 1 + max(probing, default=-1)]
    pairs = zip(states_along(one.task, steps), states_along(other.task, steps), strict=True)
    return any(read(a) != read(b) for a, b in pairs for read in one.program.readers.values())


def _asked(task: TaskEvidence) -> list[str]:
    """Return what the informational tools answered in the reference."""
    return [call.reply for call in task.reference.log if call.tool in INFORMATIONAL]
