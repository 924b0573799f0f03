"""Wrappers: flat views of a text environment, the cost in the reward, benchmark metrics in a plain loop."""

from __future__ import annotations

from acoe_gym.wrappers.belief_observation import BeliefObservation
from acoe_gym.wrappers.benchmark_metrics import BenchmarkMetrics
from acoe_gym.wrappers.cost_penalty import CostPenalty
from acoe_gym.wrappers.finite_horizon import FiniteHorizon
from acoe_gym.wrappers.flat_actions import FlatActions

__all__ = ["BeliefObservation", "BenchmarkMetrics", "CostPenalty", "FiniteHorizon", "FlatActions"]
