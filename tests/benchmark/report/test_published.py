from __future__ import annotations

import re

from acoe_gym.benchmark.report.published import METRICS, paper_figures, published
from acoe_gym.cockpit.data import CANARY


def figures_of(name: str) -> dict[str, float]:
    (model,) = [model for model in paper_figures()["models"] if model["name"] == name]
    return {figure["metric"]: figure["value"] for figure in model["figures"]}


def test_the_figures_are_those_that_the_paper_states() -> None:
    assert figures_of("GPT-5.6-sol") == {"SR": 0.726, "IAR": 0.168, "tokens": 53.8}
    assert figures_of("gemini-3.5-flash") == {
        "SR": 0.594, "unsafe": 0.005, "IAR": 0.055, "calls_per_turn": 1.2, "tokens": 101.4,
    }  # fmt: skip
    assert figures_of("qwen3.7-max") == {"SR": 0.589, "SGO": 0.805, "unsafe": 0.096}
    assert figures_of("GLM-5.1") == {
        "SR": 0.53,
        "SGO": 0.831,
        "SCR": 0.963,
        "IAR": 0.189,
        "calls_per_turn": 4.7,
    }
    assert figures_of("GLM-5.2") == {"SR": 0.457, "SGO": 0.784, "SCR": 0.9}
    assert figures_of("deepseek-v4-pro") == {"SR": 0.461, "IAR": 0.057}
    assert figures_of("deepseek-v4-flash") == {"SR": 0.292, "tokens": 92.0}
    assert figures_of("Qwen3.5-397B-A17B") == {"SR": 0.187}


def test_every_figure_names_its_section_and_a_known_metric() -> None:
    figures = [figure for model in paper_figures()["models"] for figure in model["figures"]]
    assert {figure["metric"] for figure in figures} <= set(METRICS)
    sections = [entry["section"] for entry in (*figures, *paper_figures()["overall"])]
    assert all(section.startswith("5.2.") for section in sections)


def test_the_table_says_that_it_is_another_task_set_and_what_is_not_stated() -> None:
    text = published()
    assert "Not comparable with the tables above" in text
    assert "not stated" in text


def test_the_file_carries_the_canary() -> None:
    assert paper_figures()["canary"] == CANARY


def test_the_page_shows_the_figures_as_the_paper_words_them() -> None:
    rows = [re.findall(r"<t[dh][^>]*>([^<]*)<", row) for row in published().split("<tr>")]
    absent, sections = "not stated", "5.2.1, 5.2.2"
    assert ["gemini-3.5-flash", "0.594", absent, absent, "0.005", "0.055", "1.2", "101.4", sections] in rows
    assert ["GLM-5.1", "0.530", "0.831", "0.963", absent, "0.189", "4.7", absent, sections] in rows
    assert ["unsafe episodes", "0.5 % to 22.8 %", "5.2.1"] in rows
