"""What the failure modes mean, for a reader who has not seen `acoe_gym.benchmark.failures`."""

from __future__ import annotations

from acoe_gym.benchmark import failures

MODES = dict(failures.MODES)
MEANINGS = {
    "missing_critical_step": "The same needed write is left out in most failed episodes of the task.",
    "erroneous_semantic_prior": "A wrong procedure is followed, and what the panel shows does not change it.",
    "state_gating": "What the panel showed last did not hold back a write or the submission.",
    "long_horizon_drift": "What was reached is lost again, or late and varying steps are left out.",
    "other": "None of the four; among others, episodes that hardly began.",
}
