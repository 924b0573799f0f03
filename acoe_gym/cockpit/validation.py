"""Validation: every check of a specification that needs no search, and on request the shortest solutions.

A task is refused if one check finds an error. What the checks are is told by `acoe_gym.cockpit.checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from acoe_gym.cockpit import library
from acoe_gym.cockpit.checks import CHECKS
from acoe_gym.cockpit.checks.remark import Level, Remark, error, note
from acoe_gym.cockpit.evidence import Evidence, TemplateEvidence
from acoe_gym.cockpit.search import SearchStopped, shortest
from acoe_gym.cockpit.task import Task
from acoe_gym.errors import SpecError

# The largest tasks pass this number of states; what is open then is said.
LIMIT = 1_000_000
# A task that takes fewer writes is no procedure; with a stated reason one less is enough.
MIN_WRITES = 3


@dataclass(frozen=True)
class Finding:
    """One remark of one check.

    Attributes:
        level: ``error``, ``warning`` or ``note``.
        check: name of the check.
        where: task, template or aircraft, and the table.
        message: what was expected and what came.
    """

    level: Level
    check: str
    where: str
    message: str


@dataclass(frozen=True)
class Row:
    """One template in figures.

    Attributes:
        tasks: how many of its tasks were looked at.
        constraints: sum over these tasks of the constraints that apply.
        seen: share of the cited facts that were seen in a source (confidence V).
        shortest: fewest writes of a safe solution, per task; empty unless asked for.
    """

    template: str
    tasks: int
    constraints: int
    seen: float
    shortest: tuple[int, ...] = ()


@dataclass(frozen=True)
class Report:
    """The result of a validation."""

    findings: tuple[Finding, ...]
    rows: tuple[Row, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not any(finding.level == "error" for finding in self.findings)

    def lines(self) -> list[str]:
        """Return the report as text: one line per finding, one per template, and a sum."""
        lines = [f"{f.level}: {f.where}: {f.message} [{f.check}]" for f in self.findings]
        width = max((len(row.template) for row in self.rows), default=8)
        lines.append(f"{'template':<{width}}  tasks  constraints  facts seen  shortest")
        for row in self.rows:
            span = f"{min(row.shortest)} to {max(row.shortest)} writes" if row.shortest else "-"
            figures = f"{row.tasks:>5}  {row.constraints:>11}  {row.seen:>10.0%}  {span}"
            lines.append(f"{row.template:<{width}}  {figures}")
        counts = [
            f"{sum(f.level == level for f in self.findings)} {level}s"
            for level in ("error", "warning", "note")
        ]
        return [*lines, ", ".join(counts)]


Progress = Callable[[str], None]


def validate(ids: Iterable[str], progress: Progress | None = None, *, solutions: bool = False) -> Report:
    """Check tasks.

    Args:
        ids: task ids and template ids; a template stands for all its tasks.
        progress: called with the name of each check before it runs.
        solutions: search the shortest safe solution of every task, too.

    Raises:
        UnknownName: an id that does not exist.
    """
    tasks, findings = _load(ids)
    evidence = Evidence(tasks)
    for check in CHECKS:
        if progress is not None:
            progress(check.__name__)
        findings += [Finding(r.level, check.__name__, r.where, r.message) for r in check(evidence)]
    lengths: dict[str, int] = {}
    if solutions:
        lengths, remarks = measured(tasks)
        findings += [Finding(r.level, "solutions_take_writes", r.where, r.message) for r in remarks]
    return Report(tuple(findings), tuple(_row(template, lengths) for template in evidence.templates))


def _load(ids: Iterable[str]) -> tuple[list[Task], list[Finding]]:
    """Return the tasks that load, and a finding for each that does not."""
    tasks: list[Task] = []
    findings: list[Finding] = []
    for task_id in dict.fromkeys(_task_ids(ids, findings)):
        with _refusals(task_id, findings):
            tasks.append(library.task(task_id))
    return tasks, findings


def _task_ids(ids: Iterable[str], findings: list[Finding]) -> Iterator[str]:
    for name in ids:
        if name not in library.template_ids():
            yield name
            continue
        with _refusals(name, findings):
            yield from library.task_ids(name)


@contextmanager
def _refusals(where: str, findings: list[Finding]) -> Iterator[None]:
    """Turn what the loader refuses into a finding."""
    try:
        yield
    except SpecError as refusal:
        findings.append(Finding("error", "loading", where, str(refusal)))


def measured(tasks: Iterable[Task]) -> tuple[dict[str, int], list[Remark]]:
    """Return task id -> fewest writes of a safe solution (0: none), and remarks on what is wrong."""
    lengths: dict[str, int] = {}
    remarks: list[Remark] = []
    for task in tasks:
        try:
            solution = shortest(task, LIMIT)
        except SearchStopped as stopped:
            remarks.append(note(task.id, str(stopped)))
            continue
        least = MIN_WRITES - (task.short_because is not None)
        if solution is None:
            remarks.append(error(task.id, "expected a safe solution, got none"))
        elif len(solution.writes) < least:
            steps = ", ".join(f"{name} to {value}" for name, value in solution.writes)
            remarks.append(error(task.id, f"expected at least {least} writes, got a solution by {steps}"))
        lengths[task.id] = len(solution.writes) if solution else 0
    return lengths, remarks


def _row(evidence: TemplateEvidence, lengths: dict[str, int]) -> Row:
    template, tasks = evidence.template, [task.task for task in evidence.tasks]
    graded = [goal.facts for goal in template.goals] + [c.facts for c in template.constraints]
    cited = {name for facts in (*graded, *(step.facts for step in template.procedure)) for name in facts}
    seen = sum(template.facts[name].confidence == "V" for name in cited)
    solved = tuple(lengths[task.id] for task in tasks if task.id in lengths)
    constraints = sum(len(task.constraints) for task in tasks)
    return Row(template.id, len(tasks), constraints, seen / max(1, len(cited)), solved)
