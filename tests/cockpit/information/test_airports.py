"""Airports: agreement with a public source, inner consistency, and the tool's reply and errors."""

from __future__ import annotations

import json

import pytest

from acoe_gym.cockpit.data import CANARY, read_json
from acoe_gym.cockpit.information.airports import get_airport_info, known_stations, resolve_station
from acoe_gym.errors import CallRejected

STATIONS = known_stations()


def reciprocal(runway_end: str) -> str:
    """Return the designator of the other end: 07L -> 25R."""
    number = (int(runway_end[:2]) + 17) % 36 + 1
    return f"{number:02d}{runway_end[2:].translate(str.maketrans('LR', 'RL'))}"


def test_file_carries_the_canary() -> None:
    assert read_json("information/airports.json")["canary"] == CANARY


def test_at_least_fourteen_airports_sorted() -> None:
    assert len(STATIONS) >= 14
    assert list(STATIONS) == sorted(STATIONS)
    assert {"KPAO", "KSQL", "KLVK", "KMRY", "KSAC", "KTRK", "KRNO"} <= set(STATIONS)


@pytest.mark.parametrize("station", STATIONS)
def test_elevation_and_position_agree_with_airportsdata(station: str) -> None:
    public = pytest.importorskip("airportsdata").load()[station]
    info = get_airport_info(station)
    assert info["elevation_ft"] == pytest.approx(public["elevation"], abs=5)
    assert info["lat"] == pytest.approx(public["lat"], abs=0.02)
    assert info["lon"] == pytest.approx(public["lon"], abs=0.02)
    assert info["city"] == public["city"]


@pytest.mark.parametrize("station", STATIONS)
def test_runway_ends_are_reciprocal_and_dimensions_plausible(station: str) -> None:
    for runway in get_airport_info(station)["runways"]:
        low_end, high_end = runway["id"].split("/")
        assert high_end == reciprocal(low_end)
        assert set(runway) == {"id", "length_ft", "width_ft", "surface"}
        assert 2000 <= runway["length_ft"] <= 12500
        assert 50 <= runway["width_ft"] <= 200
        assert runway["surface"] in {"asphalt", "concrete"}


@pytest.mark.parametrize("station", STATIONS)
def test_frequencies_lie_on_the_25_khz_grid_of_the_vhf_band(station: str) -> None:
    for frequency in get_airport_info(station)["frequencies"].values():
        khz = round(frequency * 1000)
        assert frequency == khz / 1000
        assert khz % 25 == 0
        assert 118_000 <= khz <= 136_975


@pytest.mark.parametrize("station", STATIONS)
def test_towered_exactly_where_a_tower_frequency_is_listed(station: str) -> None:
    info = get_airport_info(station)
    assert info["tower"] == ("TWR" in info["frequencies"])
    assert "CTAF" in info["frequencies"]


@pytest.mark.parametrize("station", STATIONS)
def test_reply_says_what_is_fictional_and_fits(station: str) -> None:
    info = get_airport_info(station)
    assert "fictional" in info["source"]["runways_and_frequencies"]
    assert next(iter(info)) == "station"
    text = json.dumps(info, allow_nan=False, ensure_ascii=False)
    assert text.isascii()
    assert len(text) < 2000
    assert json.loads(text) == info


@pytest.mark.parametrize("written", ["kpao", " KPAO ", "KPao\t", "\nkPAO"])
def test_case_and_blanks_of_a_station_do_not_matter(written: str) -> None:
    assert get_airport_info(written) == get_airport_info("KPAO")


def test_a_changed_reply_does_not_reach_the_next_one() -> None:
    get_airport_info("KPAO")["runways"][0]["length_ft"] = 1
    assert get_airport_info("KPAO")["runways"][0]["length_ft"] > 2000


# The last two turn into ASCII letters when upper-cased: long s, and a ligature of two letters.
@pytest.mark.parametrize(
    "written",
    [
        "",
        "  ",
        "PAO",
        "KPAOX",
        "K PA",
        "K-AO",
        "KPA\N{LATIN SMALL LETTER O WITH DIAERESIS}",
        "K\N{LATIN SMALL LETTER LONG S}QL",
        "KT\N{LATIN SMALL LIGATURE FF}",
    ],
)
def test_malformed_station_is_rejected_with_the_legal_ones(written: str) -> None:
    with pytest.raises(CallRejected) as rejection:
        resolve_station(written)
    assert rejection.value.code == "bad_argument"
    assert rejection.value.legal == list(STATIONS)
    assert rejection.value.message.isascii()
    assert "four letters or digits" in rejection.value.message


def test_unknown_station_is_rejected_naming_the_nearest() -> None:
    with pytest.raises(CallRejected) as rejection:
        get_airport_info("kpaq")
    assert rejection.value.code == "unknown_station"
    assert rejection.value.legal == list(STATIONS)
    assert rejection.value.message.startswith("station KPAQ is not known; nearest: KPAO")


def test_a_long_malformed_station_is_not_echoed_in_full() -> None:
    with pytest.raises(CallRejected) as rejection:
        resolve_station("\N{SNOWMAN}" * 10_000)
    assert len(rejection.value.message) < 300
