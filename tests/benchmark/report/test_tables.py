from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acoe_gym.benchmark.report.data import Report, gather
from acoe_gym.benchmark.report.shown import ShownRun
from acoe_gym.benchmark.report.tables import (
    csv_text,
    episode_rows,
    model_rows,
    summary_json,
    write_parquet,
    write_tables,
)
from acoe_gym.errors import MissingExtra

WriteRun = Callable[..., Path]
KNOWN = {
    "Alpha": {"sr": "0.75", "sgo": "0.75", "scr": "0.75", "unsafe": "0.25", "iar": "0.0625"},
    "Beta": {"sr": "0.0", "sgo": "0.0", "scr": "1.0", "unsafe": "0.0", "iar": "0.5"},
    "Gamma": {"sr": "0.25", "sgo": "0.25", "scr": "0.5", "unsafe": "0.5", "iar": "0.3125"},
}


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_of_models_holds_the_known_scores(three: list[Path]) -> None:
    rows = parsed(csv_text(model_rows(gather(three, "t"))))
    assert {row["run"]: {key: row[key] for key in KNOWN["Alpha"]} for row in rows} == KNOWN


def test_each_figure_of_a_run_has_its_column(made_up: Callable[..., ShownRun]) -> None:
    run = made_up(missing=[("a/t/two", 2)])
    (row,) = model_rows(Report("t", (run,), ("a/t/one", "a/t/two"), ()))
    assert row == {
        "run": "Made", "group": "Policies and people", "status": "partial",
        "episodes": 6, "planned": 7, "tasks": 2, "infrastructure_errors": 3,
        "sr": 0.2, "sgo": 0.3, "scr": 0.9, "unsafe": 1 - 0.9, "safe_incomplete": 0.9 - 0.2,
        "iar": 0.15, "iar_pooled": 0.16, "without_writes": 4, "tool_selection": 0.75,
        "sr_trials_low": 0.11, "sr_trials_high": 0.31, "sr_procedures_low": 0.05, "sr_procedures_high": 0.45,
        "sgo_trials_low": 0.22, "sgo_trials_high": 0.41, "sgo_procedures_low": None,
        "sgo_procedures_high": None, "scr_trials_low": None, "scr_trials_high": None,
        "scr_procedures_low": 0.81, "scr_procedures_high": 0.97,
        "turns": 8.0, "calls": 20.0, "calls_per_turn": 2.5, "mixed": 0.667, "parameters": "\N{EN DASH}",
        "tokens": 5000.0, "tokens_known_episodes": 5, "money": 0.0025,
        "policy": "Made", "model": "", "harness": "", "protocol": "",
    }  # fmt: skip


def test_each_figure_of_an_episode_has_its_column(made_report: Report) -> None:
    assert episode_rows(made_report)[-1] == {
        "run": "Made", "task": "a/t/two", "template": "a/t", "trial": 1, "outcome": "unsafe",
        "success": 0.0, "goal_attainment": 1.0, "safe": 0.0, "sgo": 0.0, "violations": 1,
        "turns": 5, "calls": 11, "writes": 9, "ineffective_writes": 2, "end": "submitted",
        "goals_missed": "", "constraints_violated": "hot",
        "failure_mode": "missing_critical_step", "failure_why": "never again",
        "tokens_prompt": 1000, "tokens_completion": 50, "tokens_total": 1055,
        "money": 0.002, "seconds": 7.5,
    }  # fmt: skip


def test_the_json_counts_equal_errors_of_the_infrastructure(made_report: Report) -> None:
    (run,) = json.loads(summary_json(made_report))["runs"]
    assert run["infrastructure"] == [{"error": "timeout", "attempts": 3}]


def test_the_json_holds_the_known_scores_and_both_intervals(three: list[Path]) -> None:
    runs = json.loads(summary_json(gather(three, "t")))["runs"]
    assert {run["run"]: {key: str(run[key]) for key in KNOWN["Alpha"]} for run in runs} == KNOWN
    assert set(runs[0]["summary"]["sr"]) == {"value", "trials", "procedures"}
    assert runs[0]["sr_trials_low"] <= 0.75 <= runs[0]["sr_trials_high"]


def test_a_refused_run_has_a_row_without_scores(write_run: WriteRun) -> None:
    (row,) = parsed(csv_text(model_rows(gather([write_run("holes", ["solved", None], ["solved"] * 2)], "t"))))
    assert (row["status"], row["episodes"], row["planned"]) == ("refused", "3", "4")
    assert {row[key] for key in ("sr", "sgo", "scr", "unsafe", "iar", "turns", "calls")} == {""}


def test_there_is_one_row_per_episode_with_what_it_came_to(three: list[Path]) -> None:
    rows = parsed(csv_text(episode_rows(gather(three, "t"))))
    alpha = [row for row in rows if row["run"] == "Alpha"]
    assert len(rows) == 12
    assert [row["outcome"] for row in alpha] == ["success", "success", "success", "unsafe"]
    assert [row["constraints_violated"] for row in alpha] == ["", "", "", "keep_power"]
    assert [bool(row["failure_mode"]) for row in alpha] == [False, False, False, True]


def test_names_with_quotes_commas_and_unicode_come_back_from_csv(write_run: WriteRun) -> None:
    name = 'a,"b"\N{SNOWMAN}<script>'
    (row,) = parsed(csv_text(model_rows(gather([write_run(name, ["silent"], ["silent"])], "t"))))
    assert row["run"] == name


@pytest.mark.parametrize("sign", ["=", "+", "-", "@"])
def test_a_name_is_no_formula_in_a_spreadsheet(write_run: WriteRun, sign: str) -> None:
    report = gather([write_run(f"{sign}1+2", ["silent"], ["silent"], about={"parameters": f"{sign}7B"})], "t")
    (row,) = parsed(csv_text(model_rows(report)))
    assert (row["run"], row["parameters"]) == (f"'{sign}1+2", f"'{sign}7B")
    assert {row["run"] for row in parsed(csv_text(episode_rows(report)))} == {f"'{sign}1+2"}


def test_only_texts_are_kept_from_being_formulas() -> None:
    assert csv_text([{"a": -1.5, "b": "\t=1", "c": "1-2", "d": None}]) == "a,b,c,d\n-1.5,'\t=1,1-2,\n"


def test_a_price_that_is_no_number_becomes_null(write_run: WriteRun) -> None:
    report = gather([write_run("a", ["silent"], ["silent"], about={"price_in": float("nan")})], "t")
    assert json.loads(summary_json(report))["runs"][0]["about"]["price_in"] is None


def test_the_same_runs_give_the_same_bytes(three: list[Path], tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        texts.append([path.read_bytes() for path in write_tables(gather(three, "t"), tmp_path / name)])
    assert texts[0] == texts[1]


def test_parquet_holds_the_same_rows(three: list[Path], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    report = gather(three, "t")
    models, episodes = write_parquet(report, tmp_path)
    assert parquet.read_table(str(models)).to_pylist() == model_rows(report)
    assert parquet.read_table(str(episodes)).to_pylist() == episode_rows(report)


def test_parquet_without_pyarrow_names_the_pip_command(
    three: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r'pip install "acoe_gym\[report\]"'):
        write_parquet(gather(three, "t"), tmp_path)
