"""Wrappers: flat views, the cost in the reward, metrics in a plain loop, language models as pilots."""

from __future__ import annotations

from acoe_gym.wrappers.belief_observation import BeliefObservation
from acoe_gym.wrappers.benchmark_metrics import BenchmarkMetrics
from acoe_gym.wrappers.cost_penalty import CostPenalty
from acoe_gym.wrappers.finite_horizon import FiniteHorizon
from acoe_gym.wrappers.flat_actions import FlatActions
from acoe_gym.wrappers.llm.llm_policy import LLMPolicy
from acoe_gym.wrappers.llm.pilot import ChatPilot
from acoe_gym.wrappers.llm.policies import HumanPolicy, ReferencePolicy, ReplayPolicy, ScriptedPolicy

__all__ = [
    "BeliefObservation",
    "BenchmarkMetrics",
    "ChatPilot",
    "CostPenalty",
    "FiniteHorizon",
    "FlatActions",
    "HumanPolicy",
    "LLMPolicy",
    "ReferencePolicy",
    "ReplayPolicy",
    "ScriptedPolicy",
]
