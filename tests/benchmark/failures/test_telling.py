from __future__ import annotations

from acoe_gym.benchmark.failures.telling import Telling
from acoe_gym.cockpit import library


def test_a_trouble_is_a_primary_goal_alone() -> None:
    # That the other engine runs holds in an airplane without trouble too, and is none.
    task = library.task("pa44/engine_fire/left_in_cruise")
    assert "other_engine_runs" in {task.goal(index).id for index in task.goals}
    assert [goal.id for goal in Telling(task).troubles] == ["fire_out"]


def test_signs_that_show_the_least_besides_come_first() -> None:
    telling = Telling(library.task("pa44/engine_fire/left_in_cruise"))
    signs = telling.signs(telling.told(*(goal.that for goal in telling.troubles)))
    shown = [len(telling._shows[sign]) for sign in signs]
    assert len(set(shown)) > 1
    assert shown == sorted(shown)
