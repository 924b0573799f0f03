from __future__ import annotations

from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.benchmark.report.charts import SIDES, Point, bar, scatter
from acoe_gym.benchmark.report.markup import el


@given(st.text())
def test_text_and_attributes_come_back_as_they_were(text: str) -> None:
    made = el("p", text, title=text)
    inside = made.removeprefix("<p title=").removesuffix("</p>")
    quoted, _, body = inside[1:].partition('">')
    assert (unescape(quoted), unescape(body)) == (text, text)
    assert "<" not in quoted + body


def test_markup_is_not_escaped_again() -> None:
    assert el("p", el("b", "<")) == "<p><b>&lt;</b></p>"


def test_attributes_without_a_value() -> None:
    assert (
        el("p", hidden=True, title=None, class_="a", aria_label="b")
        == '<p hidden class="a" aria-label="b"></p>'
    )


def test_a_bar_has_one_part_per_share_that_is_not_zero() -> None:
    assert bar([("a", 0.5), ("b", 0.0), ("c", 0.5)], "halves").count("<rect") == 2


def test_points_in_one_place_have_their_numbers_in_different_places() -> None:
    points = [Point(0.1, 0.5, number, 0.1, f"run {number}") for number in range(1, 5)]
    drawn = scatter(points, "IAR", "SR")
    places = {drawn.split(f">{n}</text>")[0].rpartition("<text ")[2] for n in range(1, 5)}
    assert len(places) == 4 <= len(SIDES)
