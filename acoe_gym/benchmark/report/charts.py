"""Charts of the page as inline SVG; numbers stand beside them as text, so no chart is needed to read one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from acoe_gym.benchmark.report.markup import Html, el, join
from acoe_gym.cockpit.metrics import Interval, Score

WIDTH, HEIGHT = 480, 330  # of the scatter plot, in its own units; text is sized for a phone
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 22, 48
# Where a number may stand beside its point, best first.
SIDES = (
    (1, 0),
    (-1, 0),
    (0, -1),
    (0, 1),
    (0.8, -0.8),
    (-0.8, -0.8),
    (0.8, 0.8),
    (-0.8, 0.8),
    (2, 0),
    (0, -2),
    (-2, 0),
    (0, 2),
)


def bar(parts: Sequence[tuple[str, float]], label: str) -> Html:
    """Return one stretched bar.

    Args:
        parts: (class, share of the width) from left to right.
        label: the bar in words.
    """
    drawn, left = [], 0.0
    for class_, share in parts:
        if share > 0:
            drawn.append(
                el("rect", x=round(left, 3), y=0, width=round(100 * share, 3), height=10, class_=class_)
            )
        left += 100 * share
    return _strip(drawn, label)


def whiskers(score: Score, class_: str, label: str) -> Html:
    """Return a point with its two intervals on a scale from 0 to 1: trials thick, procedures thin."""
    grid = [el("line", x1=x, x2=x, y1=0, y2=10, class_="grid") for x in (0, 25, 50, 75, 100)]
    drawn = [
        *_span(score.procedures, f"{class_} thin"),
        *_span(score.trials, f"{class_} thick"),
    ]
    x = round(100 * score.value, 3)
    point = el("line", x1=x, x2=x, y1=1, y2=9, class_=f"{class_} mark")
    return _strip([*grid, *drawn, point], label)


def _span(interval: Interval | None, class_: str) -> list[Html]:
    if interval is None:
        return []
    ends = {"x1": round(100 * interval.low, 3), "x2": round(100 * interval.high, 3)}
    return [el("line", y1=5, y2=5, class_=class_, **ends)]


def _strip(drawn: Sequence[Html], label: str) -> Html:
    return el(
        "svg", *drawn, viewBox="0 0 100 10", preserveAspectRatio="none", class_="strip",
        role="img", aria_label=label,
    )  # fmt: skip


@dataclass(frozen=True)
class Point:
    """One point of the scatter plot: its place, its number and what it stands for."""

    x: float
    y: float
    number: int
    unsafe: float
    label: str


def scatter(points: Sequence[Point], x_label: str, y_label: str) -> Html:
    """Return a scatter plot, y from 0 to 1; the ring around a point grows with the unsafe share.

    Args:
        points: what to draw.
        x_label: name of the horizontal axis.
        y_label: name of the vertical axis.
    """
    top = _round_up(max((point.x for point in points), default=0.0))
    circles = [(_x(p.x / top), _y(p.y), _radius(p.unsafe)) for p in points]
    drawn = [*_axes(top), *(_point(*one) for one in zip(points, circles, _named(circles), strict=True))]
    names = [
        el("text", x_label, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 6, class_="axis middle"),
        el("text", y_label, x=-(TOP + HEIGHT - BOTTOM) / 2, y=16, class_="axis middle",
           transform="rotate(-90)"),
    ]  # fmt: skip
    label = f"{y_label} against {x_label}; the table beside it holds the numbers"
    return el(
        "svg", join([*drawn, *names]), viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="plot", role="img",
        aria_label=label,
    )  # fmt: skip


def _radius(unsafe: float) -> float:
    """Return the radius of the ring around a point, which grows with the share; the point's own at 0."""
    return round(6 + 14 * math.sqrt(unsafe), 2) if unsafe else 4.5


def _x(share: float) -> float:
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 2)


def _y(share: float) -> float:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 2)


def _round_up(value: float) -> float:
    """Return the end of an axis: one that four even steps lead to."""
    return next(end for end in (0.1, 0.2, 0.4, 0.6, 0.8, 1.0) if value <= end)


def _axes(top: float) -> list[Html]:
    drawn = []
    for step in range(5):
        x, y = _x(step / 4), _y(step / 4)
        drawn += [
            el("line", x1=x, x2=x, y1=TOP, y2=HEIGHT - BOTTOM, class_="grid"),
            el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid"),
            el("text", f"{top * step / 4:.3g}", x=x, y=HEIGHT - BOTTOM + 18, class_="axis middle"),
            el("text", f"{step / 4:.2f}", x=LEFT - 6, y=y + 5, class_="axis end"),
        ]
    return drawn


def _named(circles: Sequence[tuple[float, float, float]]) -> list[tuple[float, float]]:
    """Return where the number of each circle stands: beside it and, if there is room, clear of the others.

    Args:
        circles: (x, y, radius).
    """
    found: list[tuple[float, float]] = []
    for x, y, radius in circles:
        off = radius + 9
        places = [(x + dx * off, y + 5 + dy * off) for dx, dy in SIDES]
        free = [place for place in places if _free(place, circles, found)]
        found.append((free or places)[0])
    return [(round(x, 2), round(y, 2)) for x, y in found]


def _free(
    place: tuple[float, float],
    circles: Sequence[tuple[float, float, float]],
    taken: Sequence[tuple[float, float]],
) -> bool:
    x, y = place[0], place[1] - 5
    inside = LEFT + 8 < x < WIDTH - RIGHT and TOP < y < HEIGHT - BOTTOM - 4
    clear = all(math.hypot(x - cx, y - cy) > radius + 6 for cx, cy, radius in circles)
    return inside and clear and all(abs(x - a) > 18 or abs(y + 5 - b) > 15 for a, b in taken)


def _point(point: Point, circle: tuple[float, float, float], name: tuple[float, float]) -> Html:
    x, y, radius = circle
    return el(
        "g",
        el("title", point.label),
        el("circle", cx=x, cy=y, r=radius, class_="ring") if point.unsafe else None,
        el("circle", cx=x, cy=y, r=4.5, class_="dot"),
        el("text", str(point.number), x=name[0], y=name[1], class_="name middle"),
    )
