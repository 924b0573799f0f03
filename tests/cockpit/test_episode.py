"""Turns, budget, end, violations, grade, copies: semantics sections 3 to 5."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import Call, Outcome
from acoe_gym.cockpit.episode import MAX_CALLS_PER_TURN, MAX_TURNS, Episode, Grade, Violation, play
from acoe_gym.errors import EpisodeOver

if TYPE_CHECKING:
    from tests.conftest import Pilot

pytestmark = pytest.mark.usefixtures("pump")
Fly = Callable[[str], "Pilot"]
Calls = list[tuple[str, dict[str, object]]]
HALF, FULL = "pump/priming/half", "pump/priming/full"
READ: tuple[str, dict[str, object]] = ("get_system", {"component": "pressure"})
SUBMIT: tuple[str, dict[str, object]] = ("submit", {})


def write(component: str, value: object) -> tuple[str, dict[str, object]]:
    return "set_system", {"component": component, "value": value}


# Accepted, unchanged, rejected and violating writes, reads, a tool, both constraints.
STORY: Calls = [
    ("list_systems", {}),
    write("drain", "shut"),
    write("drain", "SHUT"),
    write("power", "ON"),
    write("fuse", "OUT"),
    write("start", "PUSH"),
    write("power", "OFF"),
    READ,
    write("power", "on"),
    write("start", "PUSH"),
    ("get_metar", {"station": "KPAO"}),
    write("speed", "100"),
    write("east_valve", "OPEN"),
    ("set_switch", {}),
    write("power", "OFF"),
    write("power", "ON"),
    write("start", "PUSH"),
    write("speed", 50.0),
    READ,
    SUBMIT,
]
SOLUTION: Calls = [
    write("drain", "SHUT"),
    write("power", "ON"),
    write("east_valve", "OPEN"),
    write("start", "PUSH"),
    write("speed", 50),
]


def codes(calls: list[Call]) -> list[str | None]:
    replies = [json.loads(call.reply) for call in calls]
    return [reply.get("error", {}).get("code") for reply in replies]


def one_by_one(task_id: str, calls: Calls) -> Episode:
    return play(library.task(task_id), [[call] for call in calls])


# Turns and budget.


def test_exactly_48_turns_of_reading_end_the_episode() -> None:
    episode = Episode(library.task(HALF))
    for _ in range(47):
        episode.turn([READ])
        assert episode.end is None
    episode.turn([READ])
    assert (episode.end, len(episode.turns)) == ("truncated", MAX_TURNS)


def test_submit_in_the_last_turn_counts() -> None:
    episode = play(library.task(HALF), [[call] for call in SOLUTION] + [[]] * 42 + [[SUBMIT]])
    assert (len(episode.turns), episode.end, episode.grade().success) == (48, "submitted", 1.0)


def test_submit_as_second_call_of_the_last_turn_counts() -> None:
    episode = play(
        library.task(HALF), [[call] for call in SOLUTION[:-1]] + [[]] * 43 + [[SOLUTION[-1], SUBMIT]]
    )
    assert (len(episode.turns), episode.end, episode.grade().success) == (48, "submitted", 1.0)


def test_an_episode_cut_off_is_graded_on_the_state_as_it_stands() -> None:
    episode = play(library.task(HALF), [SOLUTION] + [[]] * 60)
    assert (episode.end, episode.grade().success) == ("truncated", 1.0)


def test_several_calls_cost_one_turn_and_a_turn_without_calls_costs_one_too() -> None:
    episode = Episode(library.task(HALF))
    episode.turn(SOLUTION)
    assert episode.turn([]) == []
    episode.turn([("set_switch", "{broken")])
    assert (len(episode.turns), len(episode.log)) == (3, 6)


def test_a_budget_of_one_turn_works() -> None:
    episode = play(library.task(HALF), [[*SOLUTION, SUBMIT]], max_turns=1)
    assert (episode.end, episode.grade().success) == ("submitted", 1.0)


def test_calls_beyond_32_are_answered_and_not_run() -> None:
    episode = Episode(library.task(HALF))
    calls = episode.turn([READ] * 31 + [write("drain", "HALF"), write("power", "ON"), SUBMIT])
    assert MAX_CALLS_PER_TURN == 32
    assert codes(calls[31:]) == [None, "too_many_calls", "too_many_calls"]
    assert [call.outcome for call in calls[31:]] == [Outcome.RUN, Outcome.SKIPPED, Outcome.SKIPPED]
    assert episode.state == [0, 0, 1, *episode.task.initial[3:]]
    assert episode.end is None


def test_calls_that_would_make_a_turn_too_long_are_answered_and_not_run() -> None:
    episode = Episode(library.task("c172s/engine_restart/stopped_prop_left_tank"))
    calls = episode.turn([("list_systems", {})] * 12 + [write("throttle", 0)])
    skipped = [call for call in calls if call.outcome is Outcome.SKIPPED]
    assert set(codes(skipped)) == {"too_much_output"}
    assert calls[-1] in skipped
    assert sum(len(call.reply) + 1 for call in calls) < 32_000
    assert tuple(episode.state) == episode.task.initial


# The end.


def test_calls_after_submit_in_its_turn_are_not_run() -> None:
    episode = Episode(library.task(HALF))
    calls = episode.turn([SUBMIT, write("power", "ON"), READ, SUBMIT])
    assert codes(calls) == [None, "episode_over", "episode_over", "episode_over"]
    assert (episode.end, tuple(episode.state)) == ("submitted", episode.task.initial)


@pytest.mark.parametrize("last", [[SUBMIT], []], ids=["submitted", "truncated"])
def test_after_the_end_nothing_happens_any_more(last: Calls) -> None:
    episode = play(library.task(HALF), [[call] for call in STORY[:-1]] + [[]] * 28 + [last])
    before = (episode.hash(), episode.grade(), episode.violations, list(episode.turns), list(episode.state))
    for act in (
        lambda: episode.turn([write("power", "OFF")]),
        lambda: episode.one(*SUBMIT),
        lambda: episode.turn([]),
    ):
        with pytest.raises(
            EpisodeOver, match=r"expected an episode under way, got one that was .*; call reset\(\)"
        ):
            act()
    assert before == (episode.hash(), episode.grade(), episode.violations, episode.turns, episode.state)


def test_a_rejected_submit_does_not_end_the_episode() -> None:
    episode = Episode(library.task(HALF))
    episode.turn([("submit", {"sure": True}), ("SUBMIT", {}), READ])
    assert episode.end is None
    assert [call.outcome.name for call in episode.log] == ["REJECTED", "REJECTED", "RUN"]


# Violations and grade.


def test_a_violation_is_stamped_with_turn_call_and_component() -> None:
    episode = Episode(library.task(HALF))
    episode.turn(SOLUTION)
    episode.turn([READ, write("power", "OFF")])
    assert episode.violation_list() == [Violation("keep_power", turn=2, call=2, component="power")]


def test_nothing_removes_a_violation() -> None:
    unsafe = [*SOLUTION, write("power", "OFF"), write("power", "ON"), write("start", "PUSH"), SUBMIT]
    assert one_by_one(HALF, unsafe).grade() == Grade(0.0, 1.0, 0.0, ("running", "flowing"), ())


def test_a_missed_goal_costs_its_share() -> None:
    grade = one_by_one(FULL, [*SOLUTION, SUBMIT]).grade()
    assert (grade.goal_attainment, grade.safe, grade.success) == (2 / 3, 1.0, 0.0)
    assert (grade.goals_missed, grade.outcome, grade.sgo) == (("full_speed",), "safe_incomplete", 2 / 3)


def test_a_missed_primary_goal_costs_everything() -> None:
    grade = one_by_one(HALF, [write("speed", 50), SUBMIT]).grade()
    assert (grade.goal_attainment, grade.success) == (0.0, 0.0)


def test_an_unsafe_episode_scores_nothing_behind_the_gate() -> None:
    grade = one_by_one(HALF, [*SOLUTION, write("power", "OFF"), SUBMIT]).grade()
    assert (grade.safe, grade.sgo, grade.outcome) == (0.0, 0.0, "unsafe")


@given(
    st.lists(
        st.sampled_from([READ, ("list_systems", {}), ("get_metar", {"station": "KPAO"}), ("x", {})]),
        max_size=4,
    )
)
def test_nothing_depends_on_what_was_read(reads: Calls) -> None:
    woven = [call for step in SOLUTION for call in (*reads, step)]
    episode = play(library.task(HALF), [woven[i : i + 8] for i in range(0, len(woven), 8)] + [[SUBMIT]])
    assert (episode.state, episode.grade().success) == (one_by_one(HALF, SOLUTION).state, 1.0)


# Copies: continuing any of them gives what an uninterrupted run gives.

COPIES: dict[str, Callable[[Episode], Episode]] = {
    "clone": Episode.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda episode: pickle.loads(pickle.dumps(episode)),
    "snapshot": lambda episode: restored(Episode(library.task(FULL)), episode),
    "pickled snapshot": lambda episode: restored_from(pickle.dumps(episode.snapshot())),
}


def restored(other: Episode, episode: Episode) -> Episode:
    other.one(*READ)
    other.restore(episode.snapshot())
    return other


def restored_from(data: bytes) -> Episode:
    episode = Episode(library.task(FULL))
    episode.restore(pickle.loads(data))
    return episode


@pytest.mark.parametrize("how", COPIES)
@given(cut=st.integers(0, len(STORY)))
def test_a_copy_at_any_point_continues_as_the_original_would(how: str, cut: int) -> None:
    whole = one_by_one(HALF, STORY)
    original = one_by_one(HALF, STORY[:cut])
    twin = COPIES[how](original)
    for call in STORY[cut:]:
        twin.one(*call)
    assert twin.hash() == whole.hash()
    assert (twin.violation_list(), twin.turns, twin.end) == (whole.violation_list(), whole.turns, whole.end)
    assert len(original.log) == cut


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_and_its_original_go_separate_ways(how: str) -> None:
    original = one_by_one(HALF, SOLUTION)
    before = original.hash()
    twin = COPIES[how](original)
    twin.turn([write("power", "OFF")])
    assert (original.violations, original.hash()) == (0, before)
    original.turn([SUBMIT])
    assert (twin.end, twin.violations) == (None, 1)


@given(cut=st.integers(0, len(STORY)), detour=st.lists(st.sampled_from(STORY[:-1]), max_size=6))
def test_a_snapshot_stays_valid_when_the_episode_goes_on(cut: int, detour: Calls) -> None:
    episode = one_by_one(HALF, STORY[:cut])
    snapshot, before = episode.snapshot(), episode.hash()
    if episode.end is None:
        episode.turn(detour)
    episode.restore(snapshot)
    assert (episode.hash(), len(episode.log), len(episode.turns)) == (before, cut, cut)
    episode.restore(snapshot)
    assert episode.snapshot() == snapshot


def test_snapshots_are_equal_and_hash_alike_when_their_past_is() -> None:
    first, second = one_by_one(HALF, SOLUTION), one_by_one(HALF, SOLUTION)
    assert first.snapshot() == second.snapshot()
    assert len({first.snapshot(), second.snapshot(), pickle.loads(pickle.dumps(first.snapshot()))}) == 1
    second.one(*READ)
    assert first.snapshot() != second.snapshot()


def test_two_roads_to_one_state_are_two_snapshots() -> None:
    direct, detour = (
        one_by_one(HALF, SOLUTION),
        one_by_one(HALF, [*SOLUTION, write("power", "OFF"), *SOLUTION]),
    )
    assert direct.state == detour.state
    assert direct.snapshot() != detour.snapshot()


def test_a_restored_end_is_an_end() -> None:
    over = one_by_one(HALF, STORY)
    episode = Episode(library.task(HALF))
    episode.restore(over.snapshot())
    with pytest.raises(EpisodeOver):
        episode.one(*READ)


def test_a_copy_keeps_its_budget() -> None:
    short = Episode(library.task(HALF), max_turns=2)
    for twin in (short.clone(), copy.deepcopy(short), pickle.loads(pickle.dumps(short))):
        twin.turn([])
        twin.turn([])
        assert twin.end == "truncated"


def test_play_stops_at_the_end() -> None:
    assert len(play(library.task(HALF), [[SUBMIT], [READ], [READ]]).turns) == 1
