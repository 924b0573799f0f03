"""One run as the report shows it: its name, how it was flown, how much of it there is, its scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from acoe_gym.benchmark.failures import FailureMode
from acoe_gym.benchmark.policies import POLICIES
from acoe_gym.benchmark.runs import Run
from acoe_gym.benchmark.tokens import TokenUse
from acoe_gym.cockpit.metrics import EpisodeResult, Summary
from acoe_gym.cockpit.text import counted

# The groups of a leaderboard, in the order in which they are shown; models by ``about.open_weights``.
MODELS: dict[bool | None, str] = {
    False: "API-only models",
    True: "Open-weight models",
    None: "Other runs (weights not stated)",
}
OTHERS = "Policies and people"
GROUPS = (*MODELS.values(), OTHERS)
# Setting of a model -> (what it is unless stated, how another value is told).
USUAL = {"harness": ("none", "harness {}"), "protocol": ("tools", "{} protocol")}
BETWEEN = " \N{MIDDLE DOT} "
Place = tuple[str, int]  # task id, trial


@dataclass(frozen=True)
class ShownRun:
    """One run as the report shows it.

    Attributes:
        name: unique among the runs of the report.
        run: what its folder holds.
        results: what its finished episodes come to.
        summary: its scores; None where they are refused because episodes are missing.
        cost: tokens and money.
        modes: (task id, trial) -> how that episode failed.
        all_tasks: number of the tasks of all runs of the report together.
    """

    name: str
    run: Run
    results: tuple[EpisodeResult, ...]
    summary: Summary | None
    cost: TokenUse
    modes: Mapping[Place, FailureMode]
    all_tasks: int

    @property
    def planned(self) -> int:
        """Episodes that the run was to have."""
        return len(self.run.records) + len(self.run.missing)

    @property
    def status(self) -> str:
        """``whole``, ``partial`` or ``refused``."""
        if self.summary is None:
            return "refused"
        return "partial" if self.run.missing else "whole"

    @property
    def flown(self) -> str:
        """How many of its episodes a run has, in words."""
        return f"{len(self.run.records)} of {counted(self.planned, 'episode')}"

    @property
    def coverage(self) -> str:
        """How many of its episodes a run has, in words; one that is not whole says so."""
        return self.flown if self.status == "whole" else f"{self.flown}; {self.status}"

    @property
    def tasks(self) -> int:
        """Number of tasks that the run was to fly."""
        return len(set(self.run.configuration["tasks"]))

    @property
    def covers_all(self) -> bool:
        """Whether the run was to fly every task of the report."""
        return self.tasks == self.all_tasks

    @property
    def scope(self) -> str:
        """How many of the report's tasks the run was to fly, in words."""
        return f"{self.tasks} of {counted(self.all_tasks, 'task')}"

    @property
    def marks(self) -> tuple[str, ...]:
        """What must stand wherever the run's scores stand: that it is not whole, or of fewer tasks."""
        coverage = () if self.status == "whole" else (self.coverage,)
        return coverage if self.covers_all else (*coverage, self.scope)

    @property
    def is_peer(self) -> bool:
        """Whether the run's scores may be ranked among others': it is whole and covers all tasks."""
        return self.status == "whole" and self.covers_all

    @property
    def manner(self) -> str:
        """Harness and protocol of a model where they are not the usual ones, in words; else empty."""
        found = ((self.setting(name), *usual) for name, usual in USUAL.items())
        return BETWEEN.join(form.format(value) for value, usual, form in found if value not in ("", usual))

    @property
    def label(self) -> str:
        """Name, manner and marks in one line."""
        return BETWEEN.join(part for part in (self.name, self.manner, *self.marks) if part)

    @property
    def group(self) -> str:
        """Heading under which the leaderboard lists the run."""
        stated = self.run.about.get("open_weights")
        weights = stated if isinstance(stated, bool) else None
        if "settings" in self.run.configuration:  # only a model has them
            return MODELS[weights]
        # A pilot of one's own is a model only if its weights are spoken of.
        built_in = self.run.configuration.get("policy") in POLICIES
        return OTHERS if built_in or weights is None else MODELS[weights]

    @property
    def parameters(self) -> str:
        """Number of parameters as stated, or a dash."""
        return clean(str(self.run.about.get("parameters") or "\N{EN DASH}"))

    @cached_property
    def by_task(self) -> dict[str, list[EpisodeResult]]:
        """Task id -> the run's episodes of it."""
        found: dict[str, list[EpisodeResult]] = {}
        for result in self.results:
            found.setdefault(result.task, []).append(result)
        return found

    def setting(self, name: str) -> str:
        """Return one of a model's settings, such as ``harness``, as text; empty where there is none."""
        settings = self.run.configuration.get("settings")
        value = settings.get(name) if isinstance(settings, Mapping) else None
        return "" if value is None else clean(str(value))


def clean(text: str) -> str:
    """Return a text without what no file format can carry: control characters and halves of characters."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in whole)


def infrastructure(run: ShownRun) -> list[tuple[str, int]]:
    """Return the errors of the infrastructure by their text, most frequent first."""
    texts = Counter(clean(str(error.get("error", "")))[:200] for error in run.run.errors)
    return sorted(texts.items(), key=lambda item: (-item[1], item[0]))
