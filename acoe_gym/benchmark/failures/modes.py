"""The failure modes of the paper, and why an episode has one."""

from __future__ import annotations

from dataclasses import dataclass

MISSING, PRIOR, GATING, DRIFT, OTHER = (
    "missing_critical_step",
    "erroneous_semantic_prior",
    "state_gating",
    "long_horizon_drift",
    "other",
)
# In the paper's order, each with its name in tables.
MODES = (
    (MISSING, "Missing critical procedural steps"),
    (PRIOR, "Erroneous semantic prior"),
    (GATING, "State-gating failure"),
    (DRIFT, "Long-horizon execution drift"),
    (OTHER, "Other"),
)


@dataclass(frozen=True)
class FailureMode:
    """Why an episode failed.

    Attributes:
        mode: one of the names in `MODES`.
        why: one sentence with the goals, constraints and controls at issue.
        calls: (turn, number) of the calls that show it, both from 1.
    """

    mode: str
    why: str
    calls: tuple[tuple[int, int], ...]
