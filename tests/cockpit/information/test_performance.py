"""The performance charts: on, between and beyond their grid points, and with corrections."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import data
from acoe_gym.cockpit.information.performance import get_performance
from acoe_gym.errors import CallRejected

AIRCRAFT = "c172s"
CHARTS: dict[str, Any] = data.read_json(f"{AIRCRAFT}/performance.json")["charts"]
DISTANCES = ("takeoff_distance", "landing_distance")

altitudes = st.floats(0, 8000)
temperatures = st.floats(0, 40)
distance_charts = st.sampled_from(DISTANCES)


def read(chart: str, *arguments: Any, **named: Any) -> dict[str, Any]:
    return get_performance(AIRCRAFT, chart, *arguments, **named)


def distances(reply: dict[str, Any]) -> tuple[int, int]:
    return reply["ground_roll_ft"], reply["total_50ft_ft"]


def rejected(chart: str, *arguments: Any, **named: Any) -> CallRejected:
    with pytest.raises(CallRejected) as caught:
        read(chart, *arguments, **named)
    assert caught.value.message.isascii()
    assert len(json.dumps([caught.value.message, caught.value.legal])) < 1900
    return caught.value


def at(table: Any, indices: tuple[int, ...]) -> Any:
    for index in indices:
        table = table[index]
    return table


def grid_points() -> list[Any]:
    return [
        pytest.param(chart, indices, id=f"{chart}-{'-'.join(map(str, indices))}")
        for chart, table in CHARTS.items()
        for indices in itertools.product(*(range(len(axis)) for axis in table["axes"].values()))
    ]


def cells() -> list[Any]:
    points = []
    for chart in DISTANCES:
        rows, columns = (range(len(axis) - 1) for axis in CHARTS[chart]["axes"].values())
        points += [(chart, row, column) for row, column in itertools.product(rows, columns)]
    return points


@pytest.mark.parametrize(("chart", "indices"), grid_points())
def test_grid_point_gives_the_table_value(chart: str, indices: tuple[int, ...]) -> None:
    table = CHARTS[chart]
    point = {name: axis[i] for (name, axis), i in zip(table["axes"].items(), indices, strict=True)}
    reply = read(chart, **point)
    assert {name: reply[name] for name in table["values"]} == {
        name: at(values, indices) for name, values in table["values"].items()
    }
    assert reply["corrections"] == []


@pytest.mark.parametrize(
    ("chart", "altitude", "pairs"),
    [
        ("takeoff_distance", 0, "860/1465 925/1575 995/1690 1070/1810 1150/1945"),
        ("takeoff_distance", 2000, "1025/1755 1110/1890 1195/2035 1285/2190 1380/2355"),
        ("takeoff_distance", 4000, "1235/2120 1335/2295 1440/2480 1550/2685 1660/2880"),
        ("takeoff_distance", 6000, "1495/2605 1615/2830 1745/3075 1875/3320 2010/3585"),
        ("takeoff_distance", 8000, "1820/3265 1970/3575 2120/3880 2280/4225 2450/4615"),
        ("landing_distance", 0, "545/1290 565/1320 585/1350 605/1380 625/1415"),
        ("landing_distance", 4000, "630/1425 655/1460 675/1495 700/1535 725/1570"),
        ("landing_distance", 8000, "735/1585 760/1630 790/1670 815/1715 840/1755"),
    ],
)
def test_distances_of_the_handbook_from_0_to_40_c(chart: str, altitude: int, pairs: str) -> None:
    replies = [read(chart, altitude, temperature) for temperature in (0, 10, 20, 30, 40)]
    assert " ".join(f"{roll}/{total}" for roll, total in map(distances, replies)) == pairs


@pytest.mark.parametrize(
    ("altitude", "expected"),
    [(0, (0, 0, 0)), (4000, (6, 1.5, 8)), (8000, (14, 3, 19)), (12000, (28, 5, 38)), (10000, (21, 4, 28.5))],
)
def test_climb_of_the_handbook(altitude: int, expected: tuple[float, float, float]) -> None:
    reply = read("climb", altitude)
    assert (reply["minutes"], reply["fuel_gal"], reply["distance_nm"]) == expected
    assert reply["speeds"] == {"at_sea_level_kias": 74}
    assert reply["conditions"]["sea_level_rate_fpm"] == 730


def test_speeds_of_the_handbook() -> None:
    assert read("takeoff_distance", 0, 0)["speeds"] == {"lift_off_kias": 51, "at_50ft_kias": 56}
    assert read("landing_distance", 0, 0)["speeds"] == {"at_50ft_kias": 61}


@pytest.mark.parametrize(("chart", "row", "column"), cells())
def test_middle_of_a_cell_is_the_mean_of_its_corners(chart: str, row: int, column: int) -> None:
    table = CHARTS[chart]
    altitude, temperature = (
        (axis[i] + axis[i + 1]) / 2 for axis, i in zip(table["axes"].values(), (row, column), strict=True)
    )
    reply = read(chart, altitude, temperature)
    for name, values in table["values"].items():
        corners = [values[row + i][column + j] for i in (0, 1) for j in (0, 1)]
        assert reply[name] == round(sum(corners) / 4)
        assert min(corners) < reply[name] < max(corners)


@pytest.mark.parametrize(("chart", "row", "column"), cells())
def test_middle_of_an_edge_is_strictly_between_its_ends(chart: str, row: int, column: int) -> None:
    altitudes_ft, temperatures_c = CHARTS[chart]["axes"].values()
    altitude = (altitudes_ft[row] + altitudes_ft[row + 1]) / 2
    temperature = (temperatures_c[column] + temperatures_c[column + 1]) / 2
    for name, values in CHARTS[chart]["values"].items():
        low, warm, high = values[row][column], values[row][column + 1], values[row + 1][column]
        assert low < read(chart, altitudes_ft[row], temperature)[name] == round((low + warm) / 2) < warm
        assert low < read(chart, altitude, temperatures_c[column])[name] == round((low + high) / 2) < high


def test_quarter_point_by_hand() -> None:
    # 1500 ft and 25 C: 0.75 of the way up, midway between 20 and 30 C.
    # roll: SL 1032.5, 2000 ft 1240 -> 1188.125; total: SL 1750, 2000 ft 2112.5 -> 2021.875
    assert distances(read("takeoff_distance", 1500, 25)) == (1188, 2022)


@given(distance_charts, altitudes, altitudes, temperatures)
def test_distance_never_decreases_with_altitude(chart: str, one: float, other: float, celsius: float) -> None:
    low, high = (distances(read(chart, altitude, celsius)) for altitude in sorted((one, other)))
    assert low[0] <= high[0]
    assert low[1] <= high[1]


@given(distance_charts, altitudes, temperatures, temperatures)
def test_distance_never_decreases_with_temperature(chart: str, feet: float, one: float, other: float) -> None:
    cold, warm = (distances(read(chart, feet, temperature)) for temperature in sorted((one, other)))
    assert cold[0] <= warm[0]
    assert cold[1] <= warm[1]


@given(distance_charts, altitudes, temperatures, st.floats(-10, 27), st.floats(-10, 27))
def test_distance_never_increases_with_headwind(
    chart: str, feet: float, celsius: float, one: float, other: float
) -> None:
    calm, windy = (distances(read(chart, feet, celsius, wind)) for wind in sorted((one, other)))
    assert calm[0] >= windy[0]
    assert calm[1] >= windy[1]


@given(st.floats(0, 12000), st.floats(0, 12000))
def test_climb_figures_never_decrease_with_altitude(one: float, other: float) -> None:
    low, high = (read("climb", altitude) for altitude in sorted((one, other)))
    assert all(low[name] <= high[name] for name in CHARTS["climb"]["values"])


@given(distance_charts, st.integers(0, 8000), st.integers(0, 40), st.integers(-10, 27))
def test_int_and_float_give_the_same_reply(chart: str, feet: int, celsius: int, wind: int) -> None:
    whole = json.dumps(read(chart, feet, celsius, wind))
    assert whole == json.dumps(read(chart, float(feet), float(celsius), float(wind)))


@given(distance_charts, altitudes, temperatures, st.floats(-10, 27), st.sampled_from(["paved", "dry grass"]))
def test_reply_is_small_finite_ascii_json(
    chart: str, feet: float, celsius: float, wind: float, surface: str
) -> None:
    text = json.dumps(read(chart, feet, celsius, wind, surface), allow_nan=False, ensure_ascii=False)
    assert text.isascii()
    assert len(text) < 2000


@pytest.mark.parametrize("chart", CHARTS)
def test_every_figure_states_its_unit(chart: str) -> None:
    table = CHARTS[chart]
    names = [*table["axes"], *table["values"], *table["speeds"], *table["corrections"]]
    units = ("_ft", "_c", "_kt", "_kias", "_gal", "_nm", "minutes", "flaps", "surface")
    assert [name for name in names if not name.endswith(units)] == []


@pytest.mark.parametrize("chart", CHARTS)
def test_source_owns_up_that_the_page_was_not_seen(chart: str) -> None:
    assert "BUS-00, page not seen" in CHARTS[chart]["source"]


def test_data_file_carries_the_canary() -> None:
    assert data.read_json(f"{AIRCRAFT}/performance.json")["canary"] == data.CANARY


@pytest.mark.parametrize(
    ("headwind", "expected", "text"),
    [
        (9, (774, 1318), "headwind 9 kt: -10 %"),  # 1318.5 goes to the even foot
        (4.5, (817, 1392), "headwind 4.5 kt: -5 %"),
        (27, (602, 1026), "headwind 27 kt: -30 %"),
        (-2, (946, 1612), "tailwind 2 kt: +10 %"),
        (-1, (903, 1538), "tailwind 1 kt: +5 %"),
        (-10, (1290, 2198), "tailwind 10 kt: +50 %"),
    ],
)
def test_wind_correction_by_hand(headwind: float, expected: tuple[int, int], text: str) -> None:
    reply = read("takeoff_distance", 0, 0, headwind)
    assert distances(reply) == expected
    assert reply["corrections"] == [text]


@pytest.mark.parametrize(
    ("chart", "expected", "percent"),
    [("takeoff_distance", (989, 1594), 15), ("landing_distance", (790, 1535), 45)],
)
def test_dry_grass_adds_the_same_feet_to_both_distances(
    chart: str, expected: tuple[int, int], percent: int
) -> None:
    reply = read(chart, 0, 0, surface="dry grass")
    assert distances(reply) == expected
    assert reply["corrections"] == [
        f"surface dry grass: +{percent} % of ground_roll_ft added to each distance"
    ]


def test_landing_with_flaps_up_is_longer_and_faster() -> None:
    reply = read("landing_distance", 0, 0, flaps="UP")
    assert distances(reply) == (736, 1742)
    assert reply["speeds"] == {"at_50ft_kias": 70}
    assert reply["corrections"] == ["flaps UP: +35 %, +9 KIAS"]


def test_corrections_are_chained_wind_flaps_surface() -> None:
    # roll 675 * 0.9 * 1.35 = 820.125; grass adds 369.056; total 1495 * 0.9 * 1.35 = 1816.425
    reply = read("landing_distance", 4000, 20, 9, "dry grass", "UP")
    assert distances(reply) == (1189, 2185)
    assert [text.split()[0] for text in reply["corrections"]] == ["headwind", "flaps", "surface"]


def test_words_match_without_regard_to_case_and_blanks() -> None:
    reply = read(" Landing_Distance", 0, 0, surface="  DRY   Grass ", flaps=" up ")
    assert reply["chart"] == "landing_distance"
    assert reply["inputs"] == {
        "pressure_altitude_ft": 0,
        "temperature_c": 0,
        "headwind_kt": 0,
        "flaps": "UP",
        "surface": "dry grass",
    }


def test_flaps_are_those_of_the_chart_unless_asked_for() -> None:
    assert read("takeoff_distance", 0, 0) == read("takeoff_distance", 0, 0, flaps="10")
    assert read("landing_distance", 0, 0) == read("landing_distance", 0, 0, flaps="FULL")


def test_reply_can_be_changed_without_changing_the_chart() -> None:
    first = read("climb", 4000)
    first["conditions"].clear()
    first["speeds"].clear()
    first["notes"].clear()
    assert read("climb", 4000)["notes"] == ["fuel_gal leaves out 1.4 gal for start, taxi and takeoff"]
    assert read("climb", 4000)["conditions"]
    assert read("climb", 4000)["speeds"]


@pytest.mark.parametrize("chart", DISTANCES)
@pytest.mark.parametrize(
    ("altitude", "temperature"),
    [(-1, 20), (8001, 20), (8000.01, 20), (2000, -0.5), (2000, 41), (math.nan, 20), (2000, math.inf)],
)
def test_outside_the_table_is_refused_with_the_limits(
    chart: str, altitude: float, temperature: float
) -> None:
    error = rejected(chart, altitude, temperature)
    assert error.code == "out_of_range"
    assert error.legal == {
        "pressure_altitude_ft": [0, 8000],
        "temperature_c": [0, 40],
        "headwind_kt": [-10, 27],
    }


def test_refusal_says_what_was_expected_and_what_came() -> None:
    assert (
        rejected("landing_distance", 9000, 20).message == "pressure_altitude_ft: expected 0 to 8000, got 9000"
    )


def test_climb_beyond_its_last_row_is_refused() -> None:
    error = rejected("climb", 12001)
    assert (error.code, error.legal) == ("out_of_range", {"pressure_altitude_ft": [0, 12000]})


@pytest.mark.parametrize("headwind", [27.1, 40, -10.1, -math.inf])
def test_wind_beyond_the_limits_is_refused_and_says_whose_limits_they_are(headwind: float) -> None:
    error = rejected("takeoff_distance", 0, 0, headwind)
    assert error.code == "out_of_range"
    assert "10 kt at most by the handbook" in error.message
    assert "this tool's own limit" in error.message


def test_unknown_chart_names_the_charts() -> None:
    error = rejected("takeof_distance", 0, 0)
    assert error.code == "unknown_chart"
    assert error.legal == ["takeoff_distance", "landing_distance", "climb"]
    assert error.message.endswith("got 'takeof_distance'; nearest: takeoff_distance, landing_distance")


def test_missing_arguments_are_named() -> None:
    error = rejected("takeoff_distance", headwind_kt=5)
    assert error.code == "missing_argument"
    assert error.message == "takeoff_distance needs pressure_altitude_ft and temperature_c"
    assert rejected("landing_distance", 0).message == "landing_distance needs temperature_c"


@pytest.mark.parametrize(
    "extra", [{"temperature_c": 0}, {"headwind_kt": 5}, {"surface": "dry grass"}, {"flaps": "UP"}]
)
def test_argument_that_the_chart_does_not_use_is_refused(extra: dict[str, Any]) -> None:
    error = rejected("climb", 4000, **extra)
    assert error.code == "unused_argument"
    assert error.message == f"climb does not use {next(iter(extra))}; it uses pressure_altitude_ft"


@pytest.mark.parametrize(
    ("chart", "named", "legal"),
    [
        ("takeoff_distance", {"flaps": "UP"}, ["10"]),
        ("landing_distance", {"flaps": "20"}, ["FULL", "UP"]),
        ("landing_distance", {"surface": "gravel"}, ["paved", "dry grass"]),
        ("takeoff_distance", {"surface": "wet grass \u00e9" * 50}, ["paved", "dry grass"]),
    ],
)
def test_position_that_the_chart_does_not_know_is_refused(
    chart: str, named: dict[str, str], legal: list[str]
) -> None:
    error = rejected(chart, 0, 0, **named)
    assert (error.code, error.legal) == ("bad_argument", legal)


@pytest.mark.parametrize("value", ["4000", True, [4000]])
def test_what_is_no_number_is_refused(value: object) -> None:
    error = rejected("takeoff_distance", value, 20)
    assert error.code == "bad_argument"
    assert error.message.startswith("pressure_altitude_ft: expected a number from 0 to 8000, got ")


def test_aircraft_without_charts_says_so() -> None:
    with pytest.raises(CallRejected, match="no performance charts for this aircraft") as caught:
        get_performance("no_such_aircraft", "climb", 0)
    assert caught.value.code == "not_available"
