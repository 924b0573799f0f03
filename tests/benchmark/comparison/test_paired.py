from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.benchmark.comparison.flips import Flip
from acoe_gym.benchmark.comparison.paired import METRICS, Difference, compare
from acoe_gym.benchmark.runs import Run
from acoe_gym.cockpit.metrics import Interval, aggregate
from acoe_gym.errors import RecordError

Made = Callable[..., Run]
A = {"a/t/one": "SF", "a/t/two": "SS", "a/u/one": "UF"}
B = {"a/t/one": "FF", "a/t/two": "SU", "a/u/one": "SF"}
MANY = {f"a/{template}/{n}": "SSF" for template in "tuv" for n in range(5)}


def test_each_metric_of_two_small_runs_as_computed_by_hand(made: Made) -> None:
    compared = compare(made(A, "old"), made(B, "new"))
    figures = {d.metric: (d.a, d.b, d.difference) for d in compared.differences}
    assert figures["SR"] == pytest.approx((3 / 6, 2 / 6, -1 / 6))
    assert figures["SGO"] == pytest.approx(((0.75 + 1 + 0.25) / 3, (0.5 + 0.5 + 0.75) / 3, -0.25 / 3))
    assert figures["SCR"] == pytest.approx((2.5 / 3, 2.5 / 3, 0))
    assert figures["unsafe"] == pytest.approx((0.5 / 3, 0.5 / 3, 0))
    assert figures["IAR"] == pytest.approx((1 / 4, 1 / 4, 0))
    assert figures["turns"] == (4, 4, 0)
    assert (compared.a, compared.b, compared.tasks, compared.episodes) == ("old", "new", 3, (6, 6))


def test_calls_turns_and_choice_of_tools_as_computed_by_hand(made: Made) -> None:
    old = made(A, "old", {("a/t/one", 0): {"calls": 20, "turns": 6}}, everywhere={"selection_misses": 7})
    new = made(B, "new", {("a/t/one", 0): {"selection_misses": 7}})
    figures = {d.metric: (d.a, d.b, d.difference) for d in compare(old, new).differences}
    assert figures["calls"] == pytest.approx(((14 + 8 + 8) / 3, 8, -2))
    assert figures["turns"] == pytest.approx(((5 + 4 + 4) / 3, 4, -1 / 3))
    assert figures["tools"] == pytest.approx((0, (0.5 + 1 + 1) / 3, 2.5 / 3))


def test_values_over_whole_runs_are_those_of_the_summary(made: Made) -> None:
    run = made(A)
    compared, summary = compare(run, made(B, "new")), aggregate(run.results())
    values = {name: compared.of(name).a for name in ("SR", "SGO", "SCR", "unsafe", "IAR", "tools")}
    assert values == pytest.approx(
        {
            "SR": summary.sr.value, "SGO": summary.sgo.value, "SCR": summary.scr.value,
            "unsafe": summary.unsafe, "IAR": summary.iar.value, "tools": summary.tool_selection.value,
        }
    )  # fmt: skip


def test_ineffective_writes_are_compared_over_tasks_that_both_runs_wrote_in(made: Made) -> None:
    none = {"writes": 0, "ineffective_writes": 0}
    old = made(A, "old", {("a/t/one", 0): {"ineffective_writes": 3}})
    new = made(B, "new", {("a/u/one", 0): none, ("a/u/one", 1): none})
    iar = compare(old, new).of("IAR")
    assert iar.tasks == 2
    assert (iar.a, iar.b) == pytest.approx(((4 / 8 + 1 / 4) / 2, 1 / 4))


def test_a_task_that_only_the_second_run_wrote_in_is_in_neither_mean(made: Made) -> None:
    none = {("a/u/one", trial): {"writes": 0, "ineffective_writes": 0} for trial in (0, 1)}
    new = made(B, "new", {("a/u/one", 0): {"ineffective_writes": 4}})
    iar = compare(made(A, "old", none), new).of("IAR")
    assert (iar.tasks, iar.a, iar.b) == (2, 0.25, 0.25)


def test_tokens_are_compared_where_every_episode_of_both_runs_has_them(made: Made) -> None:
    used = {"usage": {"prompt": 100, "completion": 10, "cached": 0, "total": 110}}
    more = {"usage": {"prompt": 300, "completion": 10, "cached": 0, "total": 310}}
    old, new = made(A, "old", everywhere=used), made(B, "new", everywhere=more)
    assert compare(old, new).of("tokens").difference == 200
    silent = {"usage": {"prompt": None, "completion": 10}}
    new = made(B, "new", {("a/t/one", 1): silent}, everywhere=more)
    assert compare(old, new).of("tokens") == Difference("tokens", 0, None, None, None, None, None, None)


def test_tokens_are_prompts_and_completions_together(made: Made) -> None:
    used = {"usage": {"prompt": 100, "completion": 10, "total": 110}}
    more = {"usage": {"prompt": 100, "completion": 40, "total": 140}}
    assert compare(made(A, everywhere=used), made(B, everywhere=more)).of("tokens").difference == 30


# Noise and intervals.


def test_equal_runs_differ_in_nothing(made: Made) -> None:
    compared = compare(made(A, "old"), made(A, "new"))
    assert [d.difference for d in compared.differences[:-1]] == [0.0] * (len(METRICS) - 1)
    assert not any(d.beyond_noise or d.worse() for d in compared.differences)
    assert compared.verdict.startswith("new: no difference beyond noise (SR +0.000, noise floor ")
    assert compared.flips == ()


def test_the_verdict_names_success_with_safety(made: Made) -> None:
    worse = compare(made(MANY, "old"), made(dict.fromkeys(MANY, "UUU"), "new"))
    assert worse.verdict.startswith("new: lower SR and lower SCR, beyond noise (SR -0.667, noise floor 0.")
    assert worse.verdict.endswith("unsafe share +1.000)")


def test_the_interval_of_the_same_tasks_makes_up_for_few_episodes(made: Made) -> None:
    # Of S F drawn again the mean moves by half at most; the square root of 2/1 stretches that to 0.707.
    interval = compare(made({"a/t/one": "SF"}), made({"a/t/one": "SS"})).of("SR").trials
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.5 - 0.5 * 2**0.5, 1.0))


def test_the_spread_of_the_first_run_counts_the_other_way_round(made: Made) -> None:
    # Of S S S F drawn again 2.5 % lie half below the mean, and a quarter above it is the most.
    interval = compare(made({"a/t/one": "SSSF"}), made({"a/t/one": "SSSS"})).of("SR").trials
    assert interval is not None
    by = (4 / 3) ** 0.5
    assert (interval.low, interval.high) == pytest.approx((0.25 - 0.25 * by, 0.25 + 0.5 * by))


def test_the_interval_of_other_procedures_redraws_templates_in_pairs(made: Made) -> None:
    # Both runs do badly in one template and well in the others, by the same step: pairs leave no spread.
    old = made({"a/t/one": "FF", "a/t/two": "FF", **{f"a/{t}/one": "SF" for t in "uvwx"}})
    new = made({"a/t/one": "SF", "a/t/two": "SF", **{f"a/{t}/one": "SS" for t in "uvwx"}})
    interval = compare(old, new).of("SR").procedures
    assert interval is not None
    assert (interval.low, interval.high) == (0.5, 0.5)


def test_the_spread_of_procedures_is_stretched(made: Made) -> None:
    # The second run gains a fifth in three templates and two fifths in three; see the metrics for the draws.
    old = made({f"a/{t}/{n}": "FF" for t in range(6) for n in range(5)})
    new = made({f"a/{t}/{n}": "SS" if n <= t % 2 else "FF" for t in range(6) for n in range(5)})
    interval = compare(old, new).of("SR").procedures
    assert interval is not None
    reach = 2 / 30 * (6 / 5) ** 0.5
    assert (interval.low, interval.high) == pytest.approx((0.3 - reach, 0.3 + reach))


def test_one_episode_a_task_has_no_interval_for_it_and_one_template_none_for_others(made: Made) -> None:
    compared = compare(made({"a/t/one": "S", "a/t/two": "SS"}), made({"a/t/one": "F", "a/t/two": "SS"}))
    assert all(d.trials is None and d.procedures is None for d in compared.differences)
    assert compared.chance_flips is None


def test_a_complete_change_of_one_task_is_within_the_noise_and_of_ten_is_not(made: Made) -> None:
    # Three S and three F fall apart completely in 2 of 20 deals.
    one = compare(made({"a/t/0": "SSS"}), made({"a/t/0": "FFF"})).of("SR")
    assert (one.noise, one.beyond_noise) == (1.0, False)
    old, new = (made({f"a/t/{n}": letters for n in range(10)}) for letters in ("SSS", "FFF"))
    assert compare(old, new).of("SR").beyond_noise


def test_episodes_are_dealt_to_runs_of_their_own_sizes(made: Made) -> None:
    # In one of 41 deals the success falls to the run of one episode; in all others to that of forty.
    one, many = made({"a/t/0": "F"}), made({"a/t/0": "S" + 39 * "F"})
    assert compare(one, many).of("SR").noise == pytest.approx(1 / 40)


def test_a_task_without_a_value_in_one_run_adds_no_spread(made: Made) -> None:
    some = {("a/u/one", 0): {"ineffective_writes": 4}, ("a/u/one", 1): {"ineffective_writes": 0}}
    none = {"writes": 0, "ineffective_writes": 0}
    new = made(B, "new", {("a/u/one", 0): none, ("a/u/one", 1): none})
    iar = compare(made(A, "old", some), new).of("IAR")
    assert (iar.trials, iar.noise) == (Interval(0.0, 0.0), 0.0)


def test_the_spread_is_that_of_the_tasks_with_a_value(made: Made) -> None:
    # All and none of the writes of one task; the other has none to divide the spread by.
    none = {("a/t/two", trial): {"writes": 0, "ineffective_writes": 0} for trial in (0, 1)}
    clean = {("a/t/one", trial): {"ineffective_writes": 0} for trial in (0, 1)}
    mixed = {**clean, ("a/t/one", 0): {"ineffective_writes": 4}}
    tasks = {"a/t/one": "SS", "a/t/two": "SS"}
    old, new = (made(tasks, name, {**none, **some}) for name, some in (("old", mixed), ("new", clean)))
    interval = compare(old, new).of("IAR").trials
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((-1.0, -0.5 + 0.5 * 2**0.5))


def test_what_never_varies_has_a_noise_of_none(made: Made) -> None:
    assert compare(made(dict.fromkeys(A, "SS")), made(dict.fromkeys(A, "SS"))).of("SR").noise == 0.0


def test_figures_hang_on_the_seed_alone(made: Made) -> None:
    old, new = made(MANY, "old"), made(dict.fromkeys(MANY, "SFU"), "new")
    assert compare(old, new, seed=3) == compare(old, new, seed=3)
    assert compare(old, new, seed=3) != compare(old, new, seed=4)


# Worse.


@pytest.mark.parametrize(
    ("old", "new", "metric"),
    [("SSS", "FFF", "SR"), ("FFF", "UUU", "SCR"), ("FFF", "UUU", "unsafe")],
)
def test_worse_is_told_by_the_whole_interval_and_the_metrics_own_direction(
    made: Made, old: str, new: str, metric: str
) -> None:
    before, after = made(dict.fromkeys(MANY, old)), made(dict.fromkeys(MANY, new))
    assert compare(before, after).of(metric).worse()
    assert not compare(after, before).of(metric).worse()


@pytest.mark.parametrize(
    ("metric", "key", "few", "many"),
    [
        ("IAR", "ineffective_writes", 0, 4),
        ("tools", "selection_misses", 7, 0),
        ("turns", "turns", 2, 6),
        ("calls", "calls", 2, 6),
    ],
)
def test_effort_is_worse_where_more_of_it_is_taken(
    made: Made, metric: str, key: str, few: int, many: int
) -> None:
    better, worse = (made(A, everywhere={key: value}) for value in (few, many))
    if metric == "tools":  # the fewer misses are the better
        better, worse = worse, better
    found = compare(better, worse).of(metric)
    assert found.worse()
    assert not found.worse(abs(found.difference or 0.0))
    assert not compare(worse, better).of(metric).worse()


def test_a_margin_is_put_up_with(made: Made) -> None:
    sr = compare(made(dict.fromkeys(MANY, "SSS")), made(dict.fromkeys(MANY, "FFF"))).of("SR")
    assert sr.worse(0.99)
    assert not sr.worse(1.0)


def test_an_interval_that_reaches_nought_is_not_worse(made: Made) -> None:
    sr = compare(made({"a/t/one": "SF"}), made({"a/t/one": "FF"})).of("SR")
    assert sr.difference == -0.5
    assert not sr.worse()


# Flips.


def test_tasks_flip_by_majority_and_half_is_on_neither_side(made: Made) -> None:
    old = made({"a/t/one": "SSF", "a/t/two": "FFS", "a/u/one": "SSSS", "a/u/two": "FUF"})
    new = made({"a/t/one": "SFF", "a/t/two": "SSS", "a/u/one": "SSFF", "a/u/two": "UUU"})
    assert compare(old, new).flips == (
        Flip("a/t/one", "lost", 2 / 3, 1 / 3, 1.0, 1.0),
        Flip("a/t/two", "gained", 1 / 3, 1.0, 1.0, 1.0),
        Flip("a/u/two", "turned unsafe", 0.0, 0.0, 2 / 3, 0.0),
    )


def test_flips_stand_by_their_kind_before_their_task(made: Made) -> None:
    old = made({"a/t/one": "FFF", "a/t/two": "SSS", "a/u/one": "UUU", "a/u/two": "FFF"})
    new = made({"a/t/one": "SSS", "a/t/two": "FFF", "a/u/one": "FFF", "a/u/two": "UUU"})
    assert [(flip.change, flip.task) for flip in compare(old, new).flips] == [
        ("lost", "a/t/two"),
        ("gained", "a/t/one"),
        ("turned unsafe", "a/u/two"),
        ("turned safe", "a/u/one"),
    ]


def test_flips_by_chance_are_told_for_success_and_for_safety(made: Made) -> None:
    # Safety never varies; success falls like coins, which lie on opposite sides in 2 of 16 pairs of two.
    run = made({"a/t/one": "SF", "a/t/two": "FS"})
    assert compare(run, run).chance_flips == pytest.approx((1 / 8, 0), abs=1e-3)


# What may be compared.


def test_the_order_of_records_does_not_matter(made: Made) -> None:
    old, new = made(MANY, "old"), made(dict.fromkeys(MANY, "SFU"), "new")
    rng = random.Random(0)
    a, b = (replace(run, records=tuple(rng.sample(run.records, len(run.records)))) for run in (old, new))
    assert compare(a, b) == compare(old, new)


def test_runs_of_different_versions_are_refused_with_what_differs(made: Made) -> None:
    new = made(B, "new", {("a/u/one", 0): {"tree": {"task": "other"}}}, package="2.0")
    new = replace(new, records=tuple(r for r in new.records if (r["task"], r["trial"]) != ("a/u/one", 1)))
    with pytest.raises(RecordError, match=r"in: task \(in 1 of them\) \(packages: 1.0 and 2.0\)"):
        compare(made(A, "old"), new)


def test_what_only_the_second_run_was_flown_on_is_a_difference(made: Made) -> None:
    new = made(B, "new", everywhere={"tree": {"charts": "c0"}})
    with pytest.raises(RecordError, match=r"over 3 common tasks in: charts \(in 3 of them\)"):
        compare(made(A, "old"), new)


def test_a_run_that_mixes_versions_is_refused(made: Made) -> None:
    mixed = {("a/u/one", trial): {"tree": {"tools": "other"}} for trial in (0, 1)}
    other = {("a/t/one", 0): {"tree": {"tools": "first"}}, ("a/t/one", 1): {"tree": {"tools": "first"}}}
    old, new = (made(A, name, {**mixed, **other}) for name in ("old", "new"))
    with pytest.raises(RecordError, match="records of different versions are not averaged"):
        compare(old, new)


def test_models_that_were_told_other_words_are_refused(made: Made) -> None:
    old, new = (made(A, name, settings={"llm_protocol": name}) for name in ("old", "new"))
    with pytest.raises(RecordError, match=r"expected models under one protocol .*: old and new"):
        compare(old, new)
    compare(made(A, "policy"), new)


def test_other_tasks_are_refused_until_told_to_leave_them_out(made: Made) -> None:
    new = made({**B, "a/u/two": "UU"}, "new")
    with pytest.raises(RecordError, match=r"1 only in new \(first a/u/two\).*--common-tasks"):
        compare(made(A, "old"), new)
    assert compare(made(A, "old"), new, common=True).of("SR") == compare(made(A), made(B)).of("SR")


def test_the_numbers_of_tasks_stand_in_the_order_of_the_runs(made: Made) -> None:
    expected = r"got 3 and 1: 2 only in old \(first a/t/one\)\. The 1 that both flew"
    with pytest.raises(RecordError, match=expected):
        compare(made(A, "old"), made({"a/u/one": "SF"}, "new"))


def test_runs_without_a_common_task_are_refused(made: Made) -> None:
    with pytest.raises(RecordError, match="expected runs with tasks in common, got none that both flew"):
        compare(made({"a/t/one": "S"}), made({"a/t/two": "S"}), common=True)


def test_core_and_generated_runs_without_a_common_task_are_pointed_to_the_probe(made: Made) -> None:
    core, twin = made({"a/t/one": "S"}), made({"a/t/two": "S"})
    fresh = made({"a/t/generated/0": "S"}, suite="generated")
    with pytest.raises(RecordError, match="a core and a generated run are compared by --suite-probe"):
        compare(core, fresh)
    with pytest.raises(RecordError, match=r"got none that both flew$"):
        compare(core, twin)


def test_a_missing_episode_refuses_the_headline_until_allowed(made: Made) -> None:
    new = made(B, "new", missing=[("a/t/two", 1)], errors=2)
    with pytest.raises(RecordError, match=r"expected 6 episodes, got 5.*a/t/two trial 1, 2 attempts ended"):
        compare(made(A, "old"), new)
    compared = compare(made(A, "old"), new, partial=True)
    assert (compared.missing, compared.errors, compared.episodes) == ((0, 1), (0, 2), (6, 5))
    assert compared.of("SR").b == pytest.approx((0 + 1 + 0.5) / 3)


def test_the_first_missing_episode_is_named(made: Made) -> None:
    new = made(B, "new", missing=[("a/t/two", 1), ("a/u/one", 0)])
    with pytest.raises(RecordError, match="the first that is missing is a/t/two trial 1"):
        compare(made(A, "old"), new)


def test_errors_of_the_infrastructure_count_in_no_metric(made: Made) -> None:
    plain, troubled = (compare(made(A, "old"), made(B, "new", errors=n)) for n in (0, 3))
    assert troubled.errors == (0, 3)
    assert troubled.differences == plain.differences


# Rules.

TASKS = ("a/t/one", "a/t/two", "a/u/one")
OUTCOMES = st.fixed_dictionaries({task: st.text("SFU", min_size=1, max_size=4) for task in TASKS})


@given(OUTCOMES, OUTCOMES)
def test_turning_the_comparison_round_turns_the_signs(
    made: Made, one: dict[str, str], two: dict[str, str]
) -> None:
    forth, back = compare(made(one), made(two)), compare(made(two), made(one))
    for there, here in zip(forth.differences[:-1], back.differences[:-1], strict=True):
        assert (there.a, there.b, there.difference) == pytest.approx(
            (here.b, here.a, -(here.difference or 0.0))
        )
    assert {f.task for f in forth.flips} == {f.task for f in back.flips}


@given(OUTCOMES, OUTCOMES)
def test_shares_and_what_is_said_of_them_stay_within_their_bounds(
    made: Made, one: dict[str, str], two: dict[str, str]
) -> None:
    compared = compare(made(one), made(two))
    for d in compared.differences[:-3]:
        assert d.difference is not None
        assert d.noise is not None
        assert -1 <= d.difference <= 1
        assert 0 <= d.noise <= 1
        for interval in (d.trials, d.procedures):
            assert interval is None or -1 <= interval.low <= interval.high <= 1
    scr, unsafe = compared.of("SCR").difference, compared.of("unsafe").difference
    assert scr == pytest.approx(-(unsafe or 0.0))
    assert all(0 <= share <= 1 for share in compared.chance_flips or ())


# Simulation.


def simulated(made: Made, rng: random.Random, chances: dict[str, float], trials: int) -> Run:
    letters = {
        task: "".join("S" if rng.random() < p else "F" for _ in range(trials)) for task, p in chances.items()
    }
    return made(letters)


@pytest.mark.slow
@pytest.mark.parametrize("trials", [2, 3, 6])
def test_nineteen_of_twenty_intervals_cover_the_true_difference(made: Made, trials: int) -> None:
    rng = random.Random(trials)
    old = {f"a/{n % 6}/{n}": rng.random() for n in range(30)}
    new = {task: p * 0.8 for task, p in old.items()}
    true = sum(new[task] - old[task] for task in old) / len(old)
    covered = 0
    for seed in range(300):
        interval = (
            compare(simulated(made, rng, old, trials), simulated(made, rng, new, trials), seed)
            .of("SR")
            .trials
        )
        assert interval is not None
        covered += interval.low <= true <= interval.high
    assert 0.91 <= covered / 300 <= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("trials", [1, 3])
def test_runs_of_one_model_exceed_the_noise_in_no_more_than_one_of_twenty_pairs(
    made: Made, trials: int
) -> None:
    rng = random.Random(trials)
    chances = {f"a/{n % 6}/{n}": rng.random() for n in range(30)}
    beyond = sum(
        compare(simulated(made, rng, chances, trials), simulated(made, rng, chances, trials), seed)
        .of("SR")
        .beyond_noise
        for seed in range(300)
    )
    assert beyond / 300 <= 0.08


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tasks", "trials", "pairs", "stopped", "reach"), [(73, 3, 300, 0.055, 0.055), (73, 10, 100, 0.08, 0.03)]
)
def test_what_the_page_says_of_a_gate_over_the_suite(
    made: Made, tasks: int, trials: int, pairs: int, stopped: float, reach: float
) -> None:
    """A third of the tasks is solved half of the time, the others always or never."""
    rng = random.Random(trials)
    chances = {f"a/{n % 12}/{n}": 0.5 if n % 3 == 0 else float(n % 3 - 1) for n in range(tasks)}
    worse, width = 0, 0.0
    for seed in range(pairs):
        one, two = (simulated(made, rng, chances, trials) for _ in range(2))
        found = compare(one, two, seed).of("SR")
        assert found.trials is not None
        worse += found.worse()
        width += (found.trials.high - found.trials.low) / 2 / pairs
    assert worse / pairs <= stopped
    assert width == pytest.approx(reach, abs=0.003)


@pytest.mark.slow
def test_a_gate_over_three_tasks_flown_twice_is_wrong_in_one_of_twelve_at_most(made: Made) -> None:
    rng = random.Random(5)
    chances = {f"a/t/{n}": 0.5 for n in range(3)}
    pairs = ((simulated(made, rng, chances, 2), simulated(made, rng, chances, 2)) for _ in range(600))
    worse = sum(compare(one, two, seed).of("SR").worse() for seed, (one, two) in enumerate(pairs))
    assert 0.04 <= worse / 600 <= 0.1
