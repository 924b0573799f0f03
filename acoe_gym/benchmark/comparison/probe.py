"""Core tasks against unseen variants of the same templates, flown by one model: a probe for contamination.

What a difference can show, and what it cannot, is told in ``docs/comparing.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acoe_gym.benchmark.comparison.comparable import names, require_episodes, require_one_protocol
from acoe_gym.benchmark.comparison.resampling import Array, dice, group_draws, ratios, trial_draws
from acoe_gym.benchmark.records import results_of
from acoe_gym.benchmark.runs import Run
from acoe_gym.cockpit.metrics import FEWEST_TEMPLATES, Interval, percentiles
from acoe_gym.cockpit.results import EpisodeResult
from acoe_gym.errors import RecordError

METRICS = ("SR", "SCR", "unsafe")
# What makes two runs those of one pilot; the server's address is none of it.
IDENTITY = ("model", "harness", "protocol")


@dataclass(frozen=True)
class Gap:
    """How much higher a metric is on the core tasks, as a mean over templates.

    Attributes:
        metric: ``SR``, ``SCR`` or ``unsafe``.
        core, fresh: means over templates of the mean over each one's tasks.
        difference: ``core - fresh``.
        tasks: 95 % interval for other tasks of the same templates, drawn again within them; None unless each
            template has two tasks in both runs.
        procedures: 95 % interval for other templates; None unless there are five.
    """

    metric: str
    core: float
    fresh: float
    difference: float
    tasks: Interval | None
    procedures: Interval | None


@dataclass(frozen=True)
class TemplateGap:
    """One template: how many tasks of either kind, and their scores as (core, fresh)."""

    template: str
    tasks: tuple[int, int]
    sr: tuple[float, float]
    scr: tuple[float, float]
    unsafe: tuple[float, float]


@dataclass(frozen=True)
class Probe:
    """One model on core tasks and on unseen variants.

    Attributes:
        core, fresh: names of the two runs.
        gaps: one per metric.
        templates: one per template that both runs flew, sorted.
        left_out: templates that only one of them flew.
        one_pilot: whether both runs say that they are of the same model, harness and protocol.
        verdict: what it comes to.
    """

    core: str
    fresh: str
    gaps: tuple[Gap, ...]
    templates: tuple[TemplateGap, ...]
    left_out: tuple[str, ...]
    one_pilot: bool
    verdict: str


def is_probe(a: Run, b: Run) -> bool:
    """Tell whether one run is of core tasks and the other of generated variants."""
    return {_suite(a), _suite(b)} == {"core", "generated"}


def probe(a: Run, b: Run, seed: int = 0, *, partial: bool = False) -> Probe:
    """Compare a core run with a generated one, in either order, template by template.

    Args:
        a: one run.
        b: the other.
        seed: of the resampling.
        partial: put up with missing episodes.

    Raises:
        RecordError: the suites are not one of each, versions differ, no template is in both, or episodes are
            missing.
    """
    if not is_probe(a, b):
        raise RecordError(
            f"expected a core and a generated run, got {_suite(a)} and {_suite(b)}; "
            "fly the other with `acoe run --suite generated`"
        )
    core, fresh = (a, b) if _suite(a) == "core" else (b, a)
    require_episodes(core, partial=partial)
    require_episodes(fresh, partial=partial)
    results_of([*core.records, *fresh.records])  # refuses what is of different versions
    require_one_protocol([core, fresh])
    sides = _by_template(core), _by_template(fresh)
    shared = sorted(set(sides[0]) & set(sides[1]))
    if not shared:
        raise RecordError(f"expected templates in common, got none in {core.folder} and {fresh.folder}")
    first, second = ([side[template] for template in shared] for side in sides)
    gaps = _gaps(first, second, seed)
    named = names([core, fresh])
    return Probe(
        core=named[0],
        fresh=named[1],
        gaps=gaps,
        templates=tuple(_template_gap(*row) for row in zip(shared, first, second, strict=True)),
        left_out=tuple(sorted(set(sides[0]) ^ set(sides[1]))),
        one_pilot=_identity(core) == _identity(fresh),
        verdict=_verdict(gaps),
    )


def _suite(run: Run) -> str:
    return str(run.configuration.get("suite"))


def _identity(run: Run) -> tuple[object, ...]:
    settings: Mapping[str, object] = run.configuration.get("settings") or {}
    return (run.configuration.get("policy"), *(settings.get(key) for key in IDENTITY))


def _by_template(run: Run) -> dict[str, Array]:
    """Return template -> (tasks, metrics, 2) counts, of each task its means and 1."""
    tasks: dict[str, list[EpisodeResult]] = {}
    for result in sorted(run.results(), key=lambda r: (r.task, r.trial)):
        tasks.setdefault(result.task, []).append(result)
    found: dict[str, list[list[tuple[float, int]]]] = {}
    for episodes in tasks.values():
        sr, scr = (
            sum(values) / len(episodes)
            for values in ([r.success for r in episodes], [r.safe for r in episodes])
        )
        found.setdefault(episodes[0].template, []).append([(sr, 1), (scr, 1), (1.0 - scr, 1)])
    return {template: np.array(rows, dtype=np.float64) for template, rows in found.items()}


def _gaps(first: Sequence[Array], second: Sequence[Array], seed: int) -> tuple[Gap, ...]:
    core, fresh = (np.stack([ratios(tasks) for tasks in side]) for side in (first, second))
    change = (core - fresh).mean(axis=0)
    within = between = None
    if min(map(len, [*first, *second])) > 1:
        counted = np.ones(core.shape, dtype=np.bool_)
        within = change + trial_draws(first, counted, dice(seed, "core"))
        within -= trial_draws(second, counted, dice(seed, "fresh"))
    if len(first) >= FEWEST_TEMPLATES:
        between = change + group_draws(list((core - fresh)[:, None, :]), dice(seed, "procedures"))
    return tuple(
        Gap(
            metric=name,
            core=float(core.mean(axis=0)[i]),
            fresh=float(fresh.mean(axis=0)[i]),
            difference=float(change[i]),
            tasks=_interval(within, i),
            procedures=_interval(between, i),
        )
        for i, name in enumerate(METRICS)
    )


def _interval(draws: Array | None, metric: int) -> Interval | None:
    return None if draws is None else percentiles(np.clip(draws[:, metric], -1.0, 1.0).tolist())


def _template_gap(template: str, core: Array, fresh: Array) -> TemplateGap:
    a, b = ratios(core), ratios(fresh)
    sr, scr, unsafe = ((float(a[m]), float(b[m])) for m in range(3))
    return TemplateGap(template, (len(core), len(fresh)), sr, scr, unsafe)


def _verdict(gaps: Sequence[Gap]) -> str:
    sr, scr, unsafe = gaps
    others = f"SCR {scr.difference:+.3f}, unsafe share {unsafe.difference:+.3f}"
    if sr.tasks is None:
        return f"too few tasks to tell core from unseen variants: SR {sr.difference:+.3f}; {others}"
    interval = f"95 % {sr.tasks.low:+.3f} to {sr.tasks.high:+.3f}; {others}"
    if sr.tasks.low <= 0 <= sr.tasks.high:
        return f"core and unseen variants cannot be told apart: SR {sr.difference:+.3f} ({interval})"
    word = "easier" if sr.difference > 0 else "harder"
    return f"core {word} than unseen variants by {abs(sr.difference):.3f} SR ({interval})"
