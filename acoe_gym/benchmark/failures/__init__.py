"""Failure modes: every failed episode gets one, by ordered rules over what its pilot did and was told.

The modes are those of the paper's failure analysis (section 5.2.4), which people assigned; these rules are
deterministic and see calls and replies, not thoughts. ``docs/failure_modes.md`` has definitions and reasons.
The first rule that fits decides:

    1  acted against a reading of the trouble, made since the pilot began to act    state_gating
    2  a wrong procedure: a forbidden act that stands or is repeated, a control
       left where no step puts it, an omission whose opposite is forbidden for
       the same reason, a reversal that recurs from trial to trial                  erroneous_semantic_prior
    3  submitted although the latest reading showed a primary goal unmet            state_gating
    4  made fewer than a quarter of the writes of the reference                     other
    5  an omission that recurs in most trials of the task                           missing_critical_step
    6  a goal lost again, an omission that varies, a slip after the main goals      long_horizon_drift
    7  the rest                                                                     other
"""

from acoe_gym.benchmark.failures.assign import counts, failure_modes
from acoe_gym.benchmark.failures.modes import MODES, FailureMode

__all__ = ["MODES", "FailureMode", "counts", "failure_modes"]
