"""Progress on standard error: a bar where a person looks and rich is installed, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.runs import known_tokens, lost
from acoe_gym.cockpit.text import printable

# Without a bar a line is written at most so often.
QUIET_S = 15.0

T = TypeVar("T")
Record = Mapping[str, Any]


def shown(items: Sequence[T], title: str) -> Iterable[T]:
    """Return the items, with a bar while they are worked through."""
    if not sys.stderr.isatty():
        return items
    try:
        from rich.console import Console  # noqa: PLC0415 - optional
        from rich.progress import track  # noqa: PLC0415
    except ImportError:
        return items
    return track(items, title, console=Console(stderr=True))


class Progress(Protocol):
    """What a runner tells of itself."""

    def start(self, plan: Plan, done: Sequence[Record], errors: Sequence[Record], *, again: bool) -> None:
        """Episodes are about to be flown; the folder held ``done``, and lines of attempts that failed."""

    def finished(self, record: Record) -> None:
        """An episode was flown, and its record is on the disk."""

    def failed(self, task: str, trial: int, error: Exception) -> None:
        """The infrastructure ended an episode."""

    def stop(self) -> str:
        """Return why no further episode is to be started, and an empty text to go on."""

    def end(self) -> None:
        """No more episodes come."""


class Silent:
    """Says nothing and never stops a run."""

    def start(self, plan: Plan, done: Sequence[Record], errors: Sequence[Record], *, again: bool) -> None:
        """Say nothing."""

    def finished(self, record: Record) -> None:
        """Say nothing."""

    def failed(self, task: str, trial: int, error: Exception) -> None:
        """Say nothing."""

    def stop(self) -> str:
        """Never stop."""
        return ""

    def end(self) -> None:
        """Say nothing."""


class Budget(Silent):
    """Stops a run when it has used so many tokens or so much money.

    Args:
        max_tokens: prompt and completion, over all episodes of the run and the attempts that failed; those
            found in its folder count. Where an endpoint counts no tokens, the run stops.
        max_cost: in the currency of the prices.
        prices: money per million prompt and completion tokens; None leaves the cost unknown.
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        prices: tuple[float, float] | None = None,
    ) -> None:
        self._limits = max_tokens, max_cost
        self._prices = prices or (0.0, 0.0)
        self.tokens = 0
        self.cost = 0.0
        self._blind = {"tokens": False, "cost": False}

    def start(
        self,
        plan: Plan,  # noqa: ARG002
        done: Sequence[Record],
        errors: Sequence[Record],
        *,
        again: bool,
    ) -> None:
        """Count what was used before."""
        if not again:
            for record in done:
                self._count(record)
            for line in errors:
                self._add(lost(line))

    def finished(self, record: Record) -> None:
        """Count an episode."""
        self._count(record)

    def failed(self, task: str, trial: int, error: Exception) -> None:  # noqa: ARG002
        """Count what an attempt used."""
        self._add(known_tokens(getattr(error, "turns", ())))

    def _count(self, record: Record) -> None:
        # A turn that the server did not count must not hide the others: here the known part is what counts.
        turns = record.get("pilot", {}).get("turns", ())
        used = known_tokens(turns)
        self._blind["tokens"] |= used is None
        self._blind["cost"] |= not any(map(_priced, turns))
        self._add(used)

    def _add(self, used: Mapping[str, int] | None) -> None:
        if used:
            self.tokens += used["total"]
            self.cost += (used["prompt"] * self._prices[0] + used["completion"] * self._prices[1]) / 1e6

    def stop(self) -> str:
        """Return which limit is reached."""
        tokens, cost = self._limits
        if tokens is not None and self._blind["tokens"]:
            return "the endpoint counts no tokens: leave --max-tokens out"
        if cost is not None and self._blind["cost"]:
            return "the endpoint does not count prompt and completion tokens: leave --max-cost out"
        if tokens is not None and self.tokens >= tokens:
            return f"{self.tokens:,} tokens are used: raise --max-tokens"
        return f"{self.cost:.4g} is spent: raise --max-cost" if cost is not None and self.cost >= cost else ""


def _priced(turn: Record) -> bool:
    used = turn.get("usage") or {}
    return used.get("prompt") is not None and used.get("completion") is not None


class Ticker(Budget):
    """A budget that tells how far the run is: done, SR and unsafe share so far, tokens, time left."""

    def start(self, plan: Plan, done: Sequence[Record], errors: Sequence[Record], *, again: bool) -> None:
        """Begin to tell."""
        super().start(plan, done, errors, again=again)
        if not again:
            self._begin(plan.policy, len(plan.episodes()), done)

    def _begin(self, title: str, episodes: int, done: Sequence[Record]) -> None:
        self._title, self._all, self._found = title, episodes, len(done)
        self._done = self._errors = self._solved = self._unsafe = 0
        self._since = self._told = time.monotonic()
        for record in done:
            self._tally(record)
        self._bar = _bar(title, episodes)
        self._tell()

    def _tally(self, record: Record) -> None:
        self._done += 1
        self._solved += record["grade"]["success"] == 1.0
        self._unsafe += record["grade"]["safe"] == 0.0

    def finished(self, record: Record) -> None:
        """Count an episode and tell."""
        super().finished(record)
        self._tally(record)
        self._tell()

    def failed(self, task: str, trial: int, error: Exception) -> None:
        """Tell of an error at once."""
        super().failed(task, trial, error)
        self._errors += 1
        if not getattr(error, "fatal", False):  # what ends the run is told once, at its end
            sys.stderr.write(f"acoe: {task} trial {trial}: {printable(str(error))}\n")
        self._tell()

    def line(self) -> str:
        """Return how far the run is."""
        parts = [f"{self._done}/{self._all}"]
        if self._done:
            unsafe = self._unsafe / self._done
            parts.append(
                f"SR {self._solved / self._done:.3f}, SCR {1 - unsafe:.3f}, unsafe {unsafe:.3f} so far"
            )
        if self.tokens:
            parts.append(f"{self.tokens:,} tokens")
        if self.cost:
            parts.append(f"cost {self.cost:.2f}")
        if self._errors:
            parts.append(f"{self._errors} errors")
        return ", ".join([*parts, *self._left()])

    def _left(self) -> list[str]:
        flown = self._done - self._found
        if not flown or self._done >= self._all:
            return []
        seconds = (time.monotonic() - self._since) / flown * (self._all - self._done)
        return [f"{int(seconds) // 60}:{int(seconds) % 60:02d} left"]

    def _tell(self) -> None:
        if self._bar is not None:
            progress, task = self._bar
            progress.update(task, completed=self._done, description=f"{self._title} {self.line()}")
        elif time.monotonic() - self._told > QUIET_S:
            self._told = time.monotonic()
            sys.stderr.write(f"acoe: {self._title} {self.line()}\n")

    def end(self) -> None:
        """Take the bar away."""
        bar = getattr(self, "_bar", None)
        if bar is not None:
            bar[0].stop()


def if_looked_at() -> Progress:
    """Return a ticker where a person looks; a built-in policy is done before a log would want a line."""
    return Ticker() if sys.stderr.isatty() else Silent()


def _bar(title: str, episodes: int) -> tuple[Any, Any] | None:
    if not sys.stderr.isatty():
        return None
    try:
        from rich.console import Console  # noqa: PLC0415 - optional
        from rich.progress import BarColumn, TextColumn  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415
    except ImportError:
        return None
    bar = Bar(BarColumn(), TextColumn("{task.description}", markup=False), console=Console(stderr=True))
    task = bar.add_task(title, total=episodes)
    bar.start()
    return bar, task
