"""What search proves of a task: its shortest safe solution, that no constraint is unavoidable, its traps.

Every state that safe writes reach is visited (`acoe_gym.cockpit.exploration`). Where a cone is too large for
that, the proof says how far it was searched, and what was searched completely instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from acoe_gym.cockpit.batch_columns import Move
from acoe_gym.cockpit.domains import Value
from acoe_gym.cockpit.exploration import MAX_STATES, Exploration
from acoe_gym.cockpit.reference import Write, solve, writes
from acoe_gym.cockpit.relevance import Relevance
from acoe_gym.cockpit.search import SearchStopped, shortest
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.templates import Template

# The A* search gives up after so many states.
LIMIT = 1_000_000
# The reference may be longer than the shortest solution by so many writes, probes aside.
MARGIN = 1


@dataclass(frozen=True)
class Searched:
    """What was searched for traps.

    Attributes:
        states: how many states were reached.
        complete: whether every state that the tried writes reach safely was expanded.
        depth: every state that so many writes reach was found.
        controls: the controls that were written; empty for all of the cone.
        named: where these controls are named.
    """

    states: int
    complete: bool
    depth: int
    controls: tuple[str, ...] = ()
    named: str = ""


@dataclass(frozen=True)
class Trap:
    """A way to lose success for good without a violation.

    Attributes:
        writes: a shortest way; the last write loses it.
        facts: what the handbook says of the last write; empty if the template names no basis.
    """

    writes: tuple[Write, ...]
    facts: tuple[str, ...]

    def told(self) -> str:
        """Return the way."""
        *before, last = map(_shown, self.writes)
        return f"{', '.join(before) or 'at once'}; then {last}"


@dataclass(frozen=True)
class Proof:
    """What the search of one task has shown.

    Attributes:
        task: id.
        variables: names of the cone: the variables that make up a searched state.
        tried: how many writes were tried from every state.
        apart: how many writes of the solution meet goals that were set apart, as nothing else looks at them.
        searches: the search of the whole cone; if it was not complete, also the widest complete one of fewer
            controls. What it finds lost can be saved by a control that it left out, if at all.
        solution: a shortest safe solution; None if there is none, or if the search stopped too early.
        reference: the changing writes of the reference.
        probing: how many of them only diagnose: a probe of the procedure, and the write that undoes it.
        unavoidable: constraints without which there would be a solution, if there is none.
        lost: how many of the states of the last search leave no safe way to success.
        traps: one for each safe write that loses success for good somewhere.
        problems: what was expected and what came, for each check that failed.
    """

    task: str
    variables: tuple[str, ...]
    tried: int
    apart: int
    searches: tuple[Searched, ...]
    solution: tuple[Write, ...] | None
    reference: tuple[Write, ...]
    probing: int
    unavoidable: tuple[str, ...]
    lost: int
    traps: tuple[Trap, ...]
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether every check holds."""
        return not self.problems

    @property
    def verdict(self) -> str:
        """``proven``, ``FAILED``, or ``open``: the reference succeeds, nothing shorter is ruled out."""
        return "FAILED" if self.problems else "proven" if self.solution is not None else "open"

    def lines(self) -> list[str]:
        """Return the proof as text."""
        head = [
            f"{self.task}: {self.verdict}",
            f"  cone       {len(self.variables)} variables, {self.tried} writes tried from each state",
            *(f"  searched   {_told(search)}" for search in self.searches),
        ]
        probing = f", {self.probing} of them to diagnose" if self.probing else ""
        stopped = f"open: the search stopped; at most the reference's {len(self.reference) - self.probing}"
        none = "none" if self.problems else stopped
        shortest_one = none if self.solution is None else _listed(self.solution)
        return [
            *head,
            f"  shortest   {shortest_one}",
            f"  reference  {len(self.reference)} writes{probing}",
            f"  traps      {self._traps()}",
            *(f"    {trap.told()} ({', '.join(trap.facts) or 'no basis'})" for trap in self.traps),
            *(f"  problem    {problem}" for problem in self.problems),
        ]

    def _traps(self) -> str:
        last = self.searches[-1]
        if not last.complete:
            return "not decided: the cone is too large"
        if not self.traps:
            return "none" if self.solution else "not looked for without a shortest solution"
        return f"{len(self.traps)}, {self.lost:,} of {last.states:,} states are lost"


def _told(search: Searched) -> str:
    if not search.complete:
        return f"{search.states:,} states, all that {search.depth} writes reach; there are more"
    written = f" of {len(search.controls)} controls ({search.named})" if search.controls else ""
    return f"{search.states:,} states, all that safe writes{written} reach"


def _shown(write: Write) -> str:
    return f"{write[0]} {write[1]}"


def _listed(steps: Sequence[Write]) -> str:
    return f"{len(steps)} writes: {', '.join(map(_shown, steps))}"


def facts_of(template: Template, write: Write) -> tuple[str, ...]:
    """Return what the template cites for traps that a write closes: the facts of the first basis about it."""
    name, raw = write
    value = template.domains[name].parse(raw)
    return next((basis.facts for basis in template.traps if basis.covers(name, value)), ())


def prove(task: Task, limit: int = MAX_STATES) -> Proof:
    """Search a task.

    Args:
        task: the task.
        limit: the search of the whole cone stops when it has found more states.
    """
    relevance, episode = Relevance(task), solve(task)
    reference = writes(episode)
    whole = Exploration(relevance, limit)
    graphs = [(whole, _searched(whole))]
    if not whole.complete:
        graphs.append(_narrower(relevance, reference, limit))
    succeeds = bool(episode.grade().success)
    solution = _solution(task, relevance, whole, exists=succeeds)
    last = graphs[-1][0]
    lost, traps = (0, ()) if solution is None or not last.complete else _traps(task, last)
    probing = _probing(task, reference)
    needed = len(reference) - probing if succeeds else None
    unavoidable = tuple(_unavoidable(task, relevance, limit)) if not solution and whole.complete else ()
    return Proof(
        task=task.id,
        variables=relevance.names,
        tried=len(whole.moves),
        apart=len(relevance.apart()),
        searches=tuple(searched for _, searched in graphs),
        solution=solution,
        reference=reference,
        probing=probing,
        unavoidable=unavoidable,
        lost=lost,
        traps=traps,
        problems=tuple(_problems(solution, needed, unavoidable, traps, graphs[0][1])),
    )


def _searched(graph: Exploration, controls: tuple[str, ...] = (), named: str = "") -> Searched:
    return Searched(len(graph.depth), graph.complete, int(graph.depth[-1]), controls, named)


def _narrower(relevance: Relevance, reference: Sequence[Write], limit: int) -> tuple[Exploration, Searched]:
    """Search with fewer and fewer controls until everything that they reach is found."""
    listed = {name for step in relevance.task.program.template.procedure for name, _ in step.sets}
    guarded = {name for guard in relevance.guards for name in guard.settings}
    written = {name for name, _ in reference}
    wider = {"list and constraints": listed | guarded, "reference and constraints": written | guarded}
    for named, chosen in wider.items():
        found = _limited(relevance, chosen, named, limit)
        if found[0].complete:
            return found
    return _limited(relevance, written, "reference", limit)


def _limited(
    relevance: Relevance, chosen: Collection[str], named: str, limit: int
) -> tuple[Exploration, Searched]:
    controls = tuple(name for name in relevance.candidates() if name in chosen)
    graph = Exploration(relevance, limit, only=controls)
    return graph, _searched(graph, controls, named)


def _show(task: Task, moves: Sequence[Move]) -> tuple[Write, ...]:
    domains = task.program.template.domains
    return tuple((name, domains[name].show(value)) for name, value in moves)


def _solution(
    task: Task, relevance: Relevance, graph: Exploration, *, exists: bool
) -> tuple[Write, ...] | None:
    """Return a shortest solution; where the search stopped before one that exists, that of the A* search."""
    if graph.met.any():
        return _show(task, (*graph.path(int(np.argmax(graph.met))), *relevance.apart().items()))
    try:
        found = shortest(task, LIMIT) if exists and not graph.complete else None
    except SearchStopped:
        return None
    return None if found is None else found.writes


def _traps(task: Task, graph: Exploration) -> tuple[int, tuple[Trap, ...]]:
    """Return the number of lost states, and a trap for each write that loses success for good."""
    alive = graph.alive()
    if alive.all():
        return 0, ()
    open_after = np.append(alive, True)[graph.after]
    losing = alive[:, None] & ~open_after
    # States are numbered by depth, so the first that a write loses from is one of the nearest.
    nearest = [(int(np.argmax(losing[:, move])), move) for move in np.flatnonzero(losing.any(axis=0))]
    paths = [_show(task, (*graph.path(state), graph.moves[move])) for state, move in sorted(nearest)]
    template = task.program.template
    return int((~alive).sum()), tuple(Trap(path, facts_of(template, path[-1])) for path in paths)


def _unavoidable(task: Task, relevance: Relevance, limit: int) -> Iterator[str]:
    """Yield the constraints without which there is a solution."""
    for index in task.constraints:
        if Exploration(relevance, limit, ignored=index).met.any():
            yield task.constraint(index).id


def _probing(task: Task, reference: Sequence[Write]) -> int:
    """Return how many writes are a probe of the procedure or put back what a probe moved."""
    program = task.program
    probes = {
        (name, program.template.domains[name].parse(raw))
        for step in program.template.procedure
        if step.probe
        for name, raw in step.sets
    }
    state, count = list(task.initial), 0
    stood: dict[str, Value] = {}
    for name, raw in reference:
        slot, value = program.slots[name], program.template.domains[name].parse(raw)
        count += 2 * (name in stood and stood.pop(name) == value)
        if (name, value) in probes:
            stood[name] = state[slot]
        program.writers[name](state, value)
    return count


def _problems(
    solution: Sequence[Write] | None,
    needed: int | None,
    unavoidable: Sequence[str],
    traps: Sequence[Trap],
    whole: Searched,
) -> Iterator[str]:
    """Yield what is wrong; ``needed`` are the writes of the reference, probes aside, None if it fails."""
    stopped = needed is not None and not whole.complete
    if solution is None and not stopped:
        cause = f"{', '.join(unavoidable)} cannot be avoided" if unavoidable else "nor without one constraint"
        cause = cause if whole.complete else f"none of up to {whole.depth} writes"
        yield f"expected a safe solution, got none: {cause}"
    if needed is None:
        yield "expected the reference to succeed, but it does not"
    elif solution is not None and needed > len(solution) + MARGIN:
        got = f"{needed} against {len(solution)}"
        yield f"expected the reference within {MARGIN} write of the shortest solution, got {got}"
    for trap in traps:
        if not trap.facts:
            name, value = trap.writes[-1]
            yield f"expected a handbook basis for {name} {value} in [[traps]], got none"
