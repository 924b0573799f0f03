"""The section of ``docs/tasks.md`` that says what search has shown of each task, and what it has not."""

from __future__ import annotations

from collections.abc import Sequence

from acoe_gym.cockpit.proof import Searched
from acoe_gym.commands.proof_file import LIMIT, Known

COLUMNS = ("cone", "writes tried", "states searched", "shortest", "reference", "traps", "verdict")

INTRODUCTION = """What `acoe tasks --search` found. A **cone** is the variables that the grade can depend
on, a state is what they hold. From each state every write of the cone was **tried**
that some condition tells apart. Goals that nothing else looks at cost one write each
and are added afterwards.

- **{whole} of {tasks}** cones were searched whole: every state that writes without a violation reach.
  There the shortest solution and the traps are complete.
- In the other {stopped} the search stopped at the first depth that passes {limit:,} states. The
  shortest solution is proven all the same where the table says so: it lies within that depth, or a
  second search (A*) that looks for nothing else found it. **Open: {open}**; there nothing shorter than
  the reference was found or ruled out, and traps were not looked for.
- Traps were looked for in these {stopped} with fewer controls, named in the table: those of the
  handbook's list or of the reference, most often with those that constraints are about. A trap by a
  control that was left out is not seen there, and such a control might save what counts as lost. In
  {undecided} even that was too large: not decided."""


def introduction(entries: Sequence[Known]) -> str:
    """Return what the table means and how much of it is complete."""
    whole = sum(entry.searches[0].complete for entry in entries)
    return INTRODUCTION.format(
        whole=whole,
        tasks=len(entries),
        stopped=len(entries) - whole,
        limit=LIMIT,
        open=sum(entry.verdict == "open" for entry in entries),
        undecided=sum(not entry.searches[-1].complete for entry in entries),
    )


def proof_row(entry: Known, prefix: str) -> tuple[object, ...]:
    """Return a task's row, one cell per column; facts are told without the prefix."""
    probing = f" ({entry.probing} to diagnose)" if entry.probing else ""
    return (
        entry.cone,
        entry.tried,
        "; then ".join(map(_searched, entry.searches)),
        len(entry.writes) if entry.proven else f"at most {len(entry.writes)}",
        f"{entry.reference}{probing}",
        _traps(entry, prefix),
        entry.verdict,
    )


def _searched(search: Searched) -> str:
    written = f" of {len(search.controls)} controls ({search.named})" if search.controls else ""
    if search.complete:
        return f"{search.states:,}, all{written}"
    return f"{search.states:,}{written}, stopped at depth {search.depth}"


def _traps(entry: Known, prefix: str) -> str:
    if not entry.searches[-1].complete:
        return "not decided"
    if not entry.traps:
        return "none" if entry.proven else "not looked for"
    facts = dict.fromkeys(fact.removeprefix(prefix) for trap in entry.traps for fact in trap.facts)
    return f"{len(entry.traps)} ({', '.join(facts) or 'no basis'})"
