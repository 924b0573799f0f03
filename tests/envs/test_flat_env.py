"""The flat face: the same episodes as the wrapped text environment, and masks that hide nothing of use."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acoe_gym.cockpit import library
from acoe_gym.cockpit.console import console_of
from acoe_gym.cockpit.procedure import needs_information
from acoe_gym.envs.calls import flat_table
from acoe_gym.envs.cockpit_env import CockpitEnv
from acoe_gym.envs.flat_env import FlatCockpitEnv
from acoe_gym.errors import EpisodeOver, UnknownName
from acoe_gym.wrappers import BeliefObservation, FlatActions

TASKS = library.task_ids()
TASK = "c172s/engine_restart/stopped_prop_left_tank"
TABLE = flat_table("c172s")
SUBMIT = np.int64(TABLE.index(("submit", {})))
ROWS = st.lists(st.integers(0, len(TABLE) - 1), max_size=48)


def row(tool: str, **arguments: object) -> np.int64:
    return np.int64(TABLE.index((tool, arguments)))


def flat(task: str = TASK, **arguments: Any) -> FlatCockpitEnv:
    env = FlatCockpitEnv(task.partition("/")[0], task=task, **arguments)
    env.reset()
    return env


# The numeric twin.


@pytest.mark.parametrize("reward", ["success", "progress"])
@pytest.mark.parametrize("task", TASKS)
def test_the_flat_face_plays_the_same_episodes_as_the_wrapped_text_face(task: str, reward: str) -> None:
    one: Any = FlatCockpitEnv(task.partition("/")[0], task=task, reward=reward)
    actions = FlatActions(CockpitEnv(task.partition("/")[0], task=task, reward=reward))
    other: Any = BeliefObservation(actions)
    assert one.observation_space == other.observation_space
    assert one.action_space == other.action_space
    (belief, info), (expected, expected_info) = one.reset(seed=1), other.reset(seed=1)
    rng = np.random.default_rng(len(task))
    ended = False
    while not ended:
        assert np.array_equal(belief, expected)
        assert belief.dtype == expected.dtype == np.float32
        assert info == expected_info
        assert np.array_equal(one.action_masks(), actions.action_masks())
        action = rng.integers(len(one.table))
        belief, *result, info = one.step(action)
        expected, *expected_result, expected_info = other.step(action)
        assert result == expected_result
        ended = result[1] or result[2]
    assert info == expected_info


def test_a_row_and_its_call_are_found_from_each_other() -> None:
    env = flat()
    assert env.table == TABLE
    assert [env.row_of(call) for call in env.table] == list(range(len(TABLE)))
    with pytest.raises(UnknownName, match="expected a call of the flat table"):
        env.row_of(("get_system", {"component": "rpn"}))


def test_both_flat_ids_of_an_aircraft_share_table_and_observation() -> None:
    one, other = (gym.make(f"ACOE-C172S-{part}Flat-v0") for part in ("", "EngineRestart-"))
    assert one.get_wrapper_attr("table") == other.get_wrapper_attr("table")
    assert one.observation_space == other.observation_space


def test_a_row_makes_its_call() -> None:
    env = flat()
    env.step(np.int64(row("set_system", component="fuel_selector", value="BOTH")))
    assert env.episode.log[-1].arguments == '{"component":"fuel_selector","value":"BOTH"}'


def test_tasks_that_ask_for_a_report_are_not_drawn() -> None:
    env = FlatCockpitEnv("c172s")
    drawn = set()
    for seed in range(400):
        env.reset(seed=seed)
        drawn.add(env.task.id)
    known = [task for task in TASKS if task.startswith("c172s/")]
    assert drawn == {task for task in known if not needs_information(library.task(task))}


def test_variants_that_ask_for_a_report_are_not_drawn() -> None:
    env = FlatCockpitEnv("c172s", suite="generated")
    for seed in range(40):
        env.reset(seed=seed)
        assert not needs_information(env.task)


def test_a_task_that_asks_for_a_report_can_be_asked_for() -> None:
    asking = next(task for task in TASKS if needs_information(library.task(task)))
    assert flat(asking).task.id == asking


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scope": "c172s", "mask": "legl"}, "nearest: legal"),
        ({"scope": "c172s", "task": "c172s/engine_restart/x"}, "expected a task id"),
        ({"scope": "c172"}, "nearest: c172s"),
        ({"scope": "c172s", "reward": "sog"}, "nearest: sgo"),
    ],
    ids=str,
)
def test_a_wrong_name_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        FlatCockpitEnv(**arguments)


def test_a_table_belongs_to_one_aircraft(pump: object) -> None:
    with pytest.raises(UnknownName, match="expected the scope of one aircraft"):
        FlatCockpitEnv("")


def test_steps_before_the_reset_and_after_the_end_are_refused() -> None:
    with pytest.raises(EpisodeOver, match=r"call reset\(\) first"):
        FlatCockpitEnv("c172s").step(np.int64(0))
    env = flat()
    env.step(SUBMIT)
    before = env.get_state()
    with pytest.raises(EpisodeOver, match="one that was submitted"):
        env.step(np.int64(0))
    assert env.get_state() == before


# What the pilot knows.


def test_nothing_is_known_before_the_first_call_but_the_captains_decisions() -> None:
    decided = next(task for task in TASKS if library.task(task).decisions)
    plain = next(task for task in TASKS if not library.task(task).decisions)
    assert not flat(plain).reset()[0].any()
    assert flat(decided).reset()[0].sum() == len(library.task(decided).decisions)


def test_a_reading_is_known_from_then_on() -> None:
    env = flat()
    first, *_ = env.step(row("get_system", component="ias"))
    second, *_ = env.step(row("list_systems"))
    start = env._form.starts["ias"]
    assert first[start] == second[start] == 1.0
    assert first[start + 2] == pytest.approx(np.log1p(62) / 10)
    assert np.array_equal(first[: env._form.ok_at], second[: env._form.ok_at])


def test_what_was_set_is_known_without_reading_it() -> None:
    env = flat()
    written, *_ = env.step(row("set_system", component="fuel_selector", value="BOTH"))
    read, *_ = env.step(row("get_system", component="fuel_selector"))
    assert np.array_equal(written[: env._form.ok_at], read[: env._form.ok_at])


def test_a_dark_instrument_is_known_to_be_dark() -> None:
    env = flat()
    env.step(row("set_system", component="stby_batt", value="OFF"))
    env.step(row("set_system", component="master_bat", value="OFF"))
    belief, *_ = env.step(row("get_system", component="rpm"))
    start = env._form.starts["rpm"]
    assert belief[start : start + 3].tolist() == [1.0, 1.0, 0.0]


def test_lit_lines_are_known_one_by_one() -> None:
    env = flat()
    belief, *_ = env.step(row("get_system", component="cas"))
    start = env._form.starts["cas"] + 2
    lit = [line for line, on in zip(env._form.lines["cas"], belief[start:], strict=False) if on]
    assert lit == ["OIL PRESSURE", "LOW VOLTS", "LOW FUEL L", "LOW VACUUM"]


def test_the_budget_used_is_known_and_a_reset_forgets_all() -> None:
    env = flat()
    belief, *_ = env.step(row("get_system", component="ias"))
    assert belief[env._form.ok_at + 1] == np.float32(1 / 48)
    assert not env.reset()[0].any()


@pytest.mark.parametrize("task", TASKS)
def test_the_belief_stays_in_its_box(task: str) -> None:
    env = flat(task)
    rng = np.random.default_rng(3)
    for _ in range(4):
        assert env.reset()[0] in env.observation_space
        ended = False
        while not ended:
            belief, _, terminated, truncated, _ = env.step(rng.integers(len(env.table)))
            assert belief in env.observation_space
            ended = terminated or truncated


# Masks.


def test_everything_is_allowed_before_the_first_call_and_under_the_legal_mask() -> None:
    assert flat().action_masks().all()
    env = flat(mask="legal")
    env.step(row("set_system", component="throttle", value=50))
    assert env.action_masks().all()


def test_a_mask_is_fresh_and_of_the_tables_size() -> None:
    env = flat()
    mask = env.action_masks()
    mask[:] = False
    again = env.action_masks()
    assert again.all()
    assert again.dtype == np.bool_
    assert again.shape == (len(TABLE),)


def test_masks_are_found_through_the_wrappers_of_make() -> None:
    env = gym.make("ACOE-C172S-Flat-v0")
    env.reset()
    assert env.get_wrapper_attr("action_masks")().all()


def test_the_position_where_a_control_was_set_or_read_is_masked() -> None:
    env = flat()
    env.step(row("set_system", component="throttle", value=50))
    env.step(row("get_system", component="light_nav"))
    mask = env.action_masks()
    assert not mask[row("set_system", component="throttle", value=50)]
    assert not mask[row("set_system", component="light_nav", value="OFF")]
    assert mask[row("set_system", component="throttle", value=80)]
    assert mask[row("set_system", component="light_nav", value="ON")]


def test_a_question_is_masked_until_something_is_set() -> None:
    env = flat()
    ask = row("get_system", component="rpm")
    env.step(ask)
    assert not env.action_masks()[ask]
    env.step(row("set_system", component="throttle", value=50))
    assert env.action_masks()[ask]


@pytest.mark.parametrize("task", TASKS)
def test_what_is_masked_would_change_or_tell_nothing(task: str) -> None:
    """In all states of random play: masked writes change nothing, masked questions are answered as before."""
    env = flat(task)
    reads = [row for row, (tool, _) in enumerate(env.table) if tool == "get_system"]
    rng = np.random.default_rng(2)
    masked = 0
    for _ in range(3):
        env.reset()
        replies: dict[int, str] = {}
        ended = False
        while not ended:
            for hidden in np.flatnonzero(~env.action_masks()):
                state = list(env.episode.state)
                call = console_of(env.task.program).run(state, *env.table[hidden], env.task)
                assert state == env.episode.state
                assert not call.violated
                assert env.table[hidden][0] == "set_system" or call.reply == replies[int(hidden)]
                masked += 1
            # Every second action reads, so that masks fill up.
            action = int(rng.choice(reads) if rng.random() < 0.5 else rng.integers(2, len(env.table)))
            ended = any(env.step(np.int64(action))[2:4])
            replies[action] = env.episode.log[-1].reply
    assert masked > 500


def test_a_control_that_a_rule_moves_is_never_masked() -> None:
    moved = {name for rule in library.program("c172s/engine_restart").rules for name, _ in rule.sets}
    controls = [a["component"] for tool, a in TABLE if tool == "set_system" and a["component"] in moved]
    assert controls  # such as the alternator switch, which goes off with the battery switch
    env = flat()
    for component in dict.fromkeys(controls):
        env.step(row("get_system", component=component))
    mask = env.action_masks()
    assert all(
        mask[r] for r, (tool, a) in enumerate(TABLE) if tool == "set_system" and a["component"] in controls
    )


def test_a_position_that_springs_back_is_never_masked() -> None:
    env = flat()
    springs = [("magnetos", "START"), ("stby_batt", "TEST"), ("warning_softkey", "PRESS")]
    rows = [row("set_system", component=component, value=value) for component, value in springs]
    for action in rows:
        env.step(action)
        assert env.action_masks()[rows].all()


@given(ROWS, st.sampled_from([task for task in TASKS if task.startswith("c172s/")]))
@settings(max_examples=60)
def test_submitting_is_always_allowed(rows: list[int], task: str) -> None:
    env = flat(task)
    for action in rows:
        assert env.action_masks()[SUBMIT]
        if any(env.step(np.int64(action))[2:4]):
            break
    assert env.action_masks()[SUBMIT]


@pytest.mark.parametrize("fault", ["engine_pump", "vacuum_pump", "static_port", "standby_battery"])
def test_masks_and_belief_do_not_depend_on_what_was_not_told(fault: str) -> None:
    """The same calls with and without a hidden fault: while all replies agree, so do masks and beliefs."""
    agreed = 0
    for seed in range(20):
        one, other = flat(), flat()
        other.episode.state[other.task.program.slots[f"fault.{fault}"]] = True
        for action in np.random.default_rng(seed).integers(2, len(TABLE), size=47):
            beliefs = [env.step(action)[0] for env in (one, other)]
            if one.episode.log[-1].reply != other.episode.log[-1].reply:
                break
            assert one.episode.state != other.episode.state
            assert np.array_equal(beliefs[0], beliefs[1])
            assert np.array_equal(one.action_masks(), other.action_masks())
            agreed += 1
    assert agreed > 200


def test_a_mask_asked_for_late_is_the_mask_asked_for_always() -> None:
    late, always = flat(), flat()
    for action in np.random.default_rng(0).integers(2, len(TABLE), size=40):
        late.step(action)
        always.step(action)
        always.action_masks()
    assert np.array_equal(late.action_masks(), always.action_masks())
