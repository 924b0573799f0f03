from __future__ import annotations

from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.benchmark.report.charts import SIDES, Point, bar, scatter, whiskers
from acoe_gym.benchmark.report.markup import el
from acoe_gym.cockpit.metrics import Interval, Score


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


def test_the_parts_of_a_bar_follow_one_another() -> None:
    drawn = bar([("a", 0.25), ("b", 0.5), ("c", 0.125)], "in words")
    assert [f'x="{x}" y="0" width="{width}"' in drawn for x, width in ((0, 25), (25, 50), (75, 12.5))] == [
        True, True, True,
    ]  # fmt: skip


def test_whiskers_reach_from_end_to_end_of_their_interval() -> None:
    drawn = whiskers(Score(0.25, Interval(0.1, 0.4), Interval(0.05, 0.6)), "sr", "in words")
    assert '<line y1="5" y2="5" class="sr thick" x1="10" x2="40">' in drawn
    assert '<line y1="5" y2="5" class="sr thin" x1="5" x2="60">' in drawn
    assert '<line x1="25" x2="25" y1="1" y2="9" class="sr mark">' in drawn


def test_a_point_at_the_end_of_the_axis_stands_at_its_edge_and_half_way_up() -> None:
    # The axes span 404 by 260 from 62 on the left and 48 at the bottom; a quarter unsafe has half the ring.
    drawn = scatter([Point(0.2, 0.5, 1, 0.25, "in words")], "x", "y")
    assert '<circle cx="466" cy="152" r="13" class="ring">' in drawn
    assert '<circle cx="466" cy="152" r="4.5" class="dot">' in drawn
    assert [f">{number}<" in drawn for number in ("0.05", "0.1", "0.15", "0.2")] == [True] * 4
