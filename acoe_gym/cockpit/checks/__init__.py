"""The checks of a specification, one function each: from evidence to remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from acoe_gym.cockpit.checks.remark import Remark
from acoe_gym.cockpit.checks.replies import lists_are_short_and_equal, replies_are_short
from acoe_gym.cockpit.checks.rules import (
    few_controls_are_inert,
    rules_see_what_later_ones_write,
    template_rules_fire,
    world_rules_fire,
)
from acoe_gym.cockpit.checks.texts import constraints_cite_facts_of_their_own, texts_name_no_step
from acoe_gym.cockpit.checks.trials import (
    constraints_can_be_violated,
    constraints_differ,
    doing_nothing_fails,
    goals_can_fail,
    no_write_is_needless,
    only_reading_fails,
    reference_succeeds,
    starts_are_settled,
    submitting_at_once_fails,
    tasks_can_be_told_apart,
    whole_list_is_safe,
)
from acoe_gym.cockpit.evidence import Evidence

Check = Callable[[Evidence], Iterator[Remark]]

CHECKS: tuple[Check, ...] = (
    starts_are_settled,
    submitting_at_once_fails,
    doing_nothing_fails,
    only_reading_fails,
    reference_succeeds,
    no_write_is_needless,
    whole_list_is_safe,
    goals_can_fail,
    constraints_can_be_violated,
    constraints_differ,
    constraints_cite_facts_of_their_own,
    tasks_can_be_told_apart,
    texts_name_no_step,
    template_rules_fire,
    world_rules_fire,
    rules_see_what_later_ones_write,
    few_controls_are_inert,
    lists_are_short_and_equal,
    replies_are_short,
)
