"""Weight and balance: sums by hand, and both sides of every limit."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit import data
from acoe_gym.cockpit.information.weight_balance import get_weight_balance
from acoe_gym.errors import CallRejected, SpecError

AIRCRAFT = "c172s"
STATIONS = ("front_seats_lb", "rear_seats_lb", "baggage_a_lb", "baggage_b_lb", "fuel_gal")
ABOARD = dict(zip(STATIONS, (340, 150, 40, 10, 40), strict=True))
NOTHING = dict.fromkeys(STATIONS, 0)

Compute = Callable[..., dict[str, Any]]


def weigh(**overrides: Any) -> dict[str, Any]:
    return get_weight_balance(AIRCRAFT, NOTHING, overrides)


def exceeded(reply: dict[str, Any]) -> list[str]:
    names = [breach["name"] for breach in reply["exceeded"]]
    assert reply["within_limits"] is (names == [])
    return names


def rejected(overrides: dict[str, Any]) -> CallRejected:
    with pytest.raises(CallRejected) as caught:
        get_weight_balance(AIRCRAFT, ABOARD, overrides)
    assert caught.value.message.isascii()
    return caught.value


@pytest.fixture
def one_arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compute:
    """An aircraft of 1000 lb with everything at one arm, so that it stands on a corner of the C172S envelope.

    One pound can be moved out of the cargo into the nose (arm 0) or into the tail (arm 100).
    """
    monkeypatch.setattr(data, "specs_root", lambda: tmp_path)

    def compute(weight: int, arm: float, nose: int = 0, tail: int = 0) -> dict[str, Any]:
        # Sheets are read once per aircraft: a folder for each test and arm.
        folder = tmp_path / f"{tmp_path.name}_{arm}"
        folder.mkdir(exist_ok=True)
        (folder / "loading.toml").write_text(
            f"""
            source = "none"
            note = "none"
            empty = {{ weight_lb = 1000, arm_in = {arm} }}
            stations.cargo_lb = {{ arm_in = {arm}, lb_per_unit = 1 }}
            stations.nose_lb = {{ arm_in = 0, lb_per_unit = 1 }}
            stations.tail_lb = {{ arm_in = 100, lb_per_unit = 1 }}
            maximum.takeoff_weight_lb = {{ of = ["total_weight_lb"], max = 2550 }}
            [envelope]
            category = "normal"
            weight_lb = [0, 1950, 2550]
            forward_in = [35.0, 35.0, 41.0]
            aft_in = [47.3, 47.3, 47.3]
            """
        )
        loading = {"cargo_lb": weight - 1000 - nose - tail, "nose_lb": nose, "tail_lb": tail}
        return get_weight_balance(folder.name, loading, {})

    return compute


def test_moment_sum_by_hand() -> None:
    reply = get_weight_balance(AIRCRAFT, ABOARD, {})
    rows = [
        (row["station"], row["weight_lb"], row["arm_in"], row["moment_lb_in"]) for row in reply["stations"]
    ]
    assert rows == [
        ("empty", 1663, 39.6, 65854.8),
        ("front_seats", 340, 37, 12580),
        ("rear_seats", 150, 73, 10950),
        ("baggage_a", 40, 95, 3800),
        ("baggage_b", 10, 123, 1230),
        ("fuel", 240, 48, 11520),
    ]
    assert reply["total_weight_lb"] == 2443
    assert reply["total_moment_lb_in"] == 105934.8
    assert reply["cg_in"] == 43.36
    assert reply["envelope"] == {"category": "normal", "forward_in": 39.93, "aft_in": 47.3}
    assert exceeded(reply) == []


@given(st.lists(st.floats(0, 300), min_size=5, max_size=5))
def test_totals_are_the_sums_of_the_stations(figures: list[float]) -> None:
    reply = weigh(**dict(zip(STATIONS, figures, strict=True)))
    assert math.isclose(
        reply["total_weight_lb"], sum(row["weight_lb"] for row in reply["stations"]), abs_tol=0.1
    )
    moments = sum(row["moment_lb_in"] for row in reply["stations"])
    assert math.isclose(reply["total_moment_lb_in"], moments, abs_tol=0.1)


def test_overrides_stand_in_for_what_is_aboard() -> None:
    reply = get_weight_balance(AIRCRAFT, ABOARD, {"fuel_gal": 30, "rear_seats_lb": 0})
    assert reply == get_weight_balance(AIRCRAFT, {**ABOARD, "fuel_gal": 30, "rear_seats_lb": 0}, {})
    assert reply["total_weight_lb"] == 2443 - 60 - 150


def test_neither_mapping_is_changed() -> None:
    loading, overrides = dict(ABOARD), {"fuel_gal": 10}
    get_weight_balance(AIRCRAFT, loading, overrides)
    assert (loading, overrides) == (ABOARD, {"fuel_gal": 10})


@pytest.mark.parametrize(
    ("weight", "arm"), [(1001, 35.0), (1950, 35.0), (2550, 41.0), (2550, 47.3), (1950, 47.3), (1001, 47.3)]
)
def test_on_a_corner_of_the_envelope_is_inside(one_arm: Compute, weight: int, arm: float) -> None:
    assert exceeded(one_arm(weight, arm)) == []


@pytest.mark.parametrize(("weight", "arm"), [(1001, 35.0), (1950, 35.0), (2550, 41.0)])
def test_one_pound_moved_forward_of_a_forward_corner_is_outside(
    one_arm: Compute, weight: int, arm: float
) -> None:
    assert exceeded(one_arm(weight, arm, nose=1)) == ["forward_cg_in"]


@pytest.mark.parametrize("weight", [1001, 1950, 2550])
def test_one_pound_moved_aft_of_the_aft_limit_is_outside(one_arm: Compute, weight: int) -> None:
    assert exceeded(one_arm(weight, 47.3, tail=1)) == ["aft_cg_in"]


def test_one_pound_more_at_the_forward_corner_is_forward_of_the_sloping_limit(one_arm: Compute) -> None:
    reply = one_arm(1951, 35.0)
    assert reply["exceeded"] == [{"name": "forward_cg_in", "figure": 35, "limit": 35.01}]


@pytest.mark.parametrize("arm", [41.0, 47.3])
def test_one_pound_above_the_top_of_the_envelope_is_outside(one_arm: Compute, arm: float) -> None:
    reply = one_arm(2551, arm)
    assert exceeded(reply) == ["takeoff_weight_lb"]
    assert reply["envelope"] is None


@pytest.mark.parametrize(("weight", "forward"), [(1663, 35), (1950, 35), (2250, 38), (2550, 41)])
def test_forward_limit_of_the_handbook(weight: int, forward: float) -> None:
    reply = weigh(front_seats_lb=weight - 1663)
    assert reply["envelope"] == {"category": "normal", "forward_in": forward, "aft_in": 47.3}


@pytest.mark.parametrize(
    ("load", "beyond"),
    [
        ({"front_seats_lb": 400, "rear_seats_lb": 487}, []),
        ({"front_seats_lb": 400, "rear_seats_lb": 488}, ["takeoff_weight_lb", "landing_weight_lb"]),
        ({"front_seats_lb": 400, "rear_seats_lb": 495}, ["takeoff_weight_lb", "landing_weight_lb"]),
        (
            {"front_seats_lb": 400, "rear_seats_lb": 496},
            ["ramp_weight_lb", "takeoff_weight_lb", "landing_weight_lb"],
        ),
        ({"baggage_a_lb": 120}, []),
        ({"baggage_a_lb": 121}, ["baggage_a_lb", "baggage_a_and_b_lb"]),
        ({"baggage_b_lb": 50}, []),
        ({"baggage_b_lb": 51}, ["baggage_b_lb"]),
        ({"baggage_a_lb": 70, "baggage_b_lb": 50}, []),
        ({"baggage_a_lb": 71, "baggage_b_lb": 50}, ["baggage_a_and_b_lb"]),
        ({"fuel_gal": 53}, []),
        ({"fuel_gal": 54}, ["usable_fuel_gal"]),
    ],
)
def test_on_and_one_beyond_each_load_limit(load: dict[str, float], beyond: list[str]) -> None:
    assert exceeded(weigh(**load)) == beyond


def test_breach_states_figure_and_limit() -> None:
    assert weigh(baggage_b_lb=51)["exceeded"] == [{"name": "baggage_b_lb", "figure": 51, "limit": 50}]


def test_heavy_front_seats_alone_are_nose_heavy() -> None:
    # (65854.8 + 800 * 37) / 2463 against 35 + 6 * 513 / 600
    reply = weigh(front_seats_lb=800)
    assert reply["exceeded"] == [{"name": "forward_cg_in", "figure": 38.7555, "limit": 40.13}]


def test_limits_are_judged_on_unrounded_figures() -> None:
    reply = weigh(front_seats_lb=400, rear_seats_lb=487.001)
    assert reply["total_weight_lb"] == 2550
    assert exceeded(reply) == ["takeoff_weight_lb", "landing_weight_lb"]


def test_tenths_add_up_exactly() -> None:
    assert exceeded(weigh(front_seats_lb=400.1, rear_seats_lb=486.7, baggage_a_lb=0.2)) == []


def test_int_and_float_give_the_same_reply() -> None:
    floats = {name: float(figure) for name, figure in ABOARD.items()}
    assert json.dumps(get_weight_balance(AIRCRAFT, floats, {})) == json.dumps(
        get_weight_balance(AIRCRAFT, ABOARD, {})
    )


@given(st.lists(st.floats(0, 333), min_size=5, max_size=5))
def test_reply_is_small_finite_ascii_json(figures: list[float]) -> None:
    reply = weigh(**dict(zip(STATIONS, figures, strict=True)))
    text = json.dumps(reply, allow_nan=False, ensure_ascii=False)
    assert text.isascii()
    assert len(text) < 2000


def test_empty_arm_is_marked_as_invented() -> None:
    assert data.read_toml(f"{AIRCRAFT}/loading.toml")["empty"]["fictional"] == ["arm_in"]
    assert "fictional serial number" in weigh()["note"]


def test_data_file_carries_the_canary() -> None:
    assert data.read_toml(f"{AIRCRAFT}/loading.toml")["canary"] == data.CANARY


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("front_seats_lb", -1),
        ("front_seats_lb", 2001),
        ("fuel_gal", 334),
        ("fuel_gal", math.nan),
        ("baggage_a_lb", math.inf),
    ],
)
def test_negative_and_absurd_loads_are_refused_with_the_limits(name: str, value: float) -> None:
    error = rejected({name: value})
    assert error.code == "out_of_range"
    assert error.message.startswith(f"{name}: expected 0 to ")
    assert error.legal == {**{station: [0, 2000] for station in STATIONS}, "fuel_gal": [0, 333]}


def test_what_is_no_number_is_refused() -> None:
    error = rejected({"fuel_gal": "full"})
    assert error.code == "bad_argument"
    assert error.message == "fuel_gal: expected a number from 0 to 333, got str"


def test_unknown_station_is_refused_and_names_the_nearest() -> None:
    error = rejected({"baggage_lb": 20})
    assert (error.code, error.legal) == ("unknown_argument", list(STATIONS))
    assert "got 'baggage_lb'; nearest: baggage_" in error.message


@pytest.mark.parametrize("loading", [{}, {"fuel_gal": 40}, {**ABOARD, "nose_lb": 10}])
def test_loading_of_another_aircraft_is_the_authors_fault(loading: dict[str, float]) -> None:
    with pytest.raises(SpecError, match="loading: expected exactly front_seats_lb, "):
        get_weight_balance(AIRCRAFT, loading, {})


def test_aircraft_without_data_says_so() -> None:
    with pytest.raises(CallRejected, match="no weight and balance data for this aircraft") as caught:
        get_weight_balance("no_such_aircraft", ABOARD, {})
    assert caught.value.code == "not_available"
