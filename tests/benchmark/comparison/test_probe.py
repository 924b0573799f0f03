from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from acoe_gym.benchmark.comparison.probe import TemplateGap, is_probe, probe
from acoe_gym.benchmark.runs import Run
from acoe_gym.errors import RecordError

Made = Callable[..., Run]
CORE = {"a/t/one": "SS", "a/t/two": "SF", "a/u/one": "UU", "a/u/two": "SU"}
FRESH = {"a/t/generated/0": "S", "a/t/generated/1": "F", "a/u/generated/0": "U", "a/u/generated/1": "F"}


def pair(made: Made, core: dict[str, str] = CORE, fresh: dict[str, str] = FRESH) -> tuple[Run, Run]:
    return made(core, "m"), made(fresh, "m", suite="generated")


def test_templates_are_compared_as_computed_by_hand(made: Made) -> None:
    found = probe(*pair(made))
    assert found.templates == (
        TemplateGap("a/t", (2, 2), (0.75, 0.5), (1.0, 1.0), (0.0, 0.0)),
        TemplateGap("a/u", (2, 2), (0.25, 0.0), (0.25, 0.5), (0.75, 0.5)),
    )
    assert [(g.metric, g.core, g.fresh, g.difference) for g in found.gaps] == [
        ("SR", 0.5, 0.25, 0.25),
        ("SCR", 0.625, 0.75, -0.125),
        ("unsafe", 0.375, 0.25, 0.125),
    ]


def test_the_interval_of_other_procedures_redraws_templates_in_pairs(made: Made) -> None:
    # Of six templates three have a gap of 0.25 in SR and 0 in SCR, three one of 0.25 and -0.25; of six draws
    # one in 64 has none of either kind, seven in 64 have at most one.
    core, fresh = (
        {f"{task[:3]}{n}{task[3:]}": letters for n in range(3) for task, letters in side.items()}
        for side in (CORE, FRESH)
    )
    sr, scr, _ = (gap.procedures for gap in probe(*pair(made, core, fresh)).gaps)
    assert sr is not None
    assert scr is not None
    reach = (0.125 - 0.25 / 6) * (6 / 5) ** 0.5
    assert (sr.low, sr.high) == pytest.approx((0.25, 0.25))
    assert (scr.low, scr.high) == pytest.approx((-0.125 - reach, -0.125 + reach))


def test_the_core_run_is_found_in_either_place(made: Made) -> None:
    core, fresh = pair(made)
    assert probe(fresh, core) == probe(core, fresh)
    assert (is_probe(core, fresh), is_probe(core, core)) == (True, False)


def test_templates_weigh_the_same_however_many_tasks_they_have(made: Made) -> None:
    fresh = {f"a/t/generated/{n}": "F" for n in range(8)} | {f"a/u/generated/{n}": "S" for n in range(2)}
    assert probe(*pair(made, fresh=fresh)).gaps[0].fresh == 0.5


def test_a_clear_gap_is_called_easier_and_its_opposite_harder(made: Made) -> None:
    solved = {f"a/{t}/{n}": "SS" for t in "tuv" for n in range(4)}
    missed = {f"a/{t}/generated/{n}": "F" for t in "tuv" for n in range(4)}
    assert probe(*pair(made, solved, missed)).verdict == (
        "core easier than unseen variants by 1.000 SR "
        "(95 % +1.000 to +1.000; SCR +0.000, unsafe share +0.000)"
    )
    turned = pair(made, dict.fromkeys(solved, "FF"), dict.fromkeys(missed, "S"))
    assert probe(*turned).verdict.startswith("core harder than unseen variants by 1.000 SR")


def test_a_gap_within_its_interval_is_not_told_apart(made: Made) -> None:
    assert probe(*pair(made)).verdict.startswith(
        "core and unseen variants cannot be told apart: SR +0.250 (95 %"
    )


def test_one_task_of_a_template_is_too_few_to_judge_by(made: Made) -> None:
    found = probe(*pair(made, fresh={"a/t/generated/0": "S"}))
    assert found.gaps[0].tasks is None
    assert found.gaps[0].procedures is None
    assert found.verdict.startswith("too few tasks")
    assert found.left_out == ("a/u",)


def test_the_tasks_of_a_template_are_counted_of_either_kind(made: Made) -> None:
    found = probe(*pair(made, fresh={"a/t/generated/0": "S", "a/u/generated/0": "U"}))
    assert [row.tasks for row in found.templates] == [(2, 1), (2, 1)]


def test_a_template_of_the_variants_alone_is_left_out_too(made: Made) -> None:
    assert probe(*pair(made, fresh={**FRESH, "a/v/generated/0": "S"})).left_out == ("a/v",)


@pytest.mark.parametrize("key", ["model", "harness", "protocol"])
def test_another_model_harness_or_protocol_is_another_pilot(made: Made, key: str) -> None:
    core = made(CORE, "m", settings={key: "one"})
    fresh = made(FRESH, "m", suite="generated", settings={key: "other"})
    assert not probe(core, fresh).one_pilot


def test_two_models_are_pointed_out(made: Made) -> None:
    core, fresh = pair(made)
    settings = {"settings": {"model": "x", "base_url": "http://one"}}
    core = replace(core, configuration={**core.configuration, **settings})
    assert not probe(core, fresh).one_pilot
    settings = {"settings": {"model": "x", "base_url": "http://two"}}
    fresh = replace(fresh, configuration={**fresh.configuration, **settings})
    assert probe(core, fresh).one_pilot


def test_two_core_runs_are_refused(made: Made) -> None:
    with pytest.raises(RecordError, match="expected a core and a generated run, got core and core"):
        probe(made(CORE), made(CORE))


def test_another_version_of_a_template_is_refused(made: Made) -> None:
    fresh = made(FRESH, "m", suite="generated", everywhere={"tree": {"template": "other"}})
    with pytest.raises(RecordError, match="records of different versions are not averaged"):
        probe(made(CORE, "m"), fresh)


def test_models_that_were_told_other_words_are_refused(made: Made) -> None:
    core = made(CORE, "m", settings={"llm_protocol": "one"})
    fresh = made(FRESH, "m", suite="generated", settings={"llm_protocol": "other"})
    with pytest.raises(RecordError, match="expected models under one protocol"):
        probe(core, fresh)


def test_the_spread_of_the_variants_counts_the_other_way_round(made: Made) -> None:
    # Of S S S F drawn again 2.5 % lie half below the mean, and a quarter above it is the most.
    core = {f"a/t/{n}": "S" for n in range(2)}
    fresh = {f"a/t/generated/{n}": letter for n, letter in enumerate("SSSF")}
    interval = probe(*pair(made, core, fresh)).gaps[0].tasks
    assert interval is not None
    by = (4 / 3) ** 0.5
    assert (interval.low, interval.high) == pytest.approx((0.25 - 0.25 * by, 0.25 + 0.5 * by))


def test_missing_episodes_are_refused_until_allowed(made: Made) -> None:
    core = made(CORE, "m", missing=[("a/t/one", 0)])
    with pytest.raises(RecordError, match="expected 8 episodes, got 7"):
        probe(core, pair(made)[1])
    assert probe(core, pair(made)[1], partial=True).gaps[0].core == 0.5


def test_missing_episodes_of_the_variants_are_refused_too(made: Made) -> None:
    fresh = made(FRESH, "m", suite="generated", missing=[("a/t/generated/0", 0)])
    with pytest.raises(RecordError, match="expected 4 episodes, got 3"):
        probe(pair(made)[0], fresh)
