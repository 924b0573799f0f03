from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.records import Record
from acoe_gym.benchmark.report.traces import CUT, Lexicon, Things, trace, words
from acoe_gym.benchmark.runs import read_run
from acoe_gym.benchmark.suites import task_of
from acoe_gym.benchmark.trajectory import trajectory
from acoe_gym.cockpit.console import console_of

WriteRun = Callable[..., Path]
TASK = "c172s/engine_restart/stopped_prop_left_tank"


@pytest.fixture
def records(write_run: WriteRun) -> dict[str, Record]:
    run = read_run(write_run("a", ["solved", "unsafe"], ["silent", "silent"]))
    return {"solved": run.records[0], "unsafe": run.records[1]}


def calls(told: dict[str, Any], things: Things) -> list[list[Any]]:
    """Return the calls of an episode with every number put back to its value."""
    rows = [call + [0] * (9 - len(call)) for turn in told["turns"] for call in turn]
    values = things.values
    return [[*(values[n] for n in row[:3]), row[3], *(values[n] for n in row[4:8]), row[8]] for row in rows]


def test_starting_readings_and_changes_give_the_last_readings(records: dict[str, Record]) -> None:
    things, lexicon = Things(), Lexicon()
    told = trace(records["solved"], things, lexicon)
    panel = [row[0] for row in lexicon.panels["c172s"]]
    readings = dict(zip(panel, lexicon.tasks[TASK]["start"], strict=True))
    for call in calls(told, things):
        readings.update(call[4] or {})
    episode = trajectory(records["solved"]).episode
    console = console_of(episode.task.program)
    last = {name: read(episode.state) for name, read in console.program.readers.items()}
    assert readings == {n: None if v is None else console.show(n, v) for n, v in last.items()}


def test_a_violation_stands_on_its_call_with_facts(records: dict[str, Record]) -> None:
    things, lexicon = Things(), Lexicon()
    told = calls(trace(records["unsafe"], things, lexicon), things)
    assert [call[5] for call in told] == [None, ["keep_power"], None]
    words, cited = lexicon.tasks[TASK]["constraints"]["keep_power"]
    assert words
    assert all(lexicon.facts[name][0] for name in cited)


def test_goals_are_told_when_they_turn_true(records: dict[str, Record]) -> None:
    things, lexicon = Things(), Lexicon()
    told = trace(records["solved"], things, lexicon)
    gained = {goal for call in calls(told, things) for goal in call[6] or ()}
    assert gained | set(told["met"]) == set(lexicon.tasks[TASK]["goals"])


def test_what_does_not_replay_is_told_by_its_calls(records: dict[str, Record]) -> None:
    things, lexicon = Things(), Lexicon()
    told = trace({**records["unsafe"], "hash": "0" * 64}, things, lexicon)
    assert told["stale"] == "version"
    assert [(call[0], call[2], call[5]) for call in calls(told, things)] == [
        ("set_system", None, None),
        ("set_system", None, ["keep_power"]),
        ("submit", None, None),
    ]
    assert lexicon.tasks == {}


def test_an_unknown_task_is_told_by_its_calls(records: dict[str, Record]) -> None:
    told = trace({**records["unsafe"], "task": "c172s/engine_restart/no_such_task"}, Things(), Lexicon())
    assert told["stale"] == "unknown"


def test_a_fact_of_the_paper_names_the_paper_once() -> None:
    lexicon = Lexicon()
    for task_id in ("pa44/engine_fire/left_in_cruise", TASK):
        lexicon.add(task_of(task_id))
    sources = {source for _, source in lexicon.facts.values()}
    assert "paper, 5.2.4" in sources
    assert any(source.startswith("confidence V, page 3-") for source in sources)
    assert not any(source.count("paper") > 1 for source in sources)


def test_equal_values_are_stored_once() -> None:
    things = Things()
    assert [things.place(value) for value in (None, {"a": 1}, "x", {"a": 1})] == [0, 1, 2, 1]
    assert things.values == [None, {"a": 1}, "x"]


def test_a_text_is_kept_up_to_the_limit_and_cut_beyond() -> None:
    record = {"pilot": {"turns": [{"text": "abcd", "reasoning": "abcde"}]}}
    assert words(record, 4, lambda value: value) == [["abcd", f"abcd{CUT}", None, None]]


def test_tokens_of_a_turn_are_those_of_prompt_and_completion() -> None:
    record = {"pilot": {"turns": [{"usage": {"prompt": 7, "completion": 3, "total": 10}}]}}
    assert words(record, 4, lambda value: value) == [[None, None, None, [7, 3]]]


def test_the_lexicon_tells_primary_goals_and_what_facts_rest_on(records: dict[str, Record]) -> None:
    lexicon = Lexicon()
    trace(records["solved"], Things(), lexicon)
    task = trajectory(records["solved"]).task
    goals = [task.goal(index) for index in task.goals]
    told = lexicon.tasks[TASK]["goals"]
    assert {name: row[0] for name, row in told.items()} == {goal.id: goal.primary for goal in goals}
    for name in (name for row in told.values() for name in row[2]):
        fact = task.program.template.facts[name]
        source = "paper, Fig. 2(b)" if fact.confidence == "paper" else f"confidence V, page {fact.page}"
        assert lexicon.facts[name] == [fact.statement, source]
