"""Information sets: the shipped ones are sound and legal, broken ones are refused with a clear message."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from acoe_gym.cockpit.data import CANARY, read_toml
from acoe_gym.cockpit.information.airports import get_airport_info
from acoe_gym.cockpit.information.sets import (
    LOADING_KEYS,
    InformationSet,
    information_ids,
    load_information,
    parse_information,
)
from acoe_gym.errors import SpecError

IDS = information_ids()


def table(**changes: Any) -> dict[str, Any]:
    """Return a small legal set with the given keys replaced."""
    row = {"altitude_ft": 3000, "direction_deg": 350, "speed_kt": 10, "temperature_c": 5}
    return {
        "id": "mine",
        "metar": {"KPAO": "KPAO 141847Z 33008KT 10SM SKC 22/11 A3001"},
        "taf": {"KSJC": "TAF AMD KSJC 141720Z 1418/1518 33008KT P6SM SKC"},
        "notams": {"KPAO": ["!PAO 06/012 PAO TWY A CLSD"]},
        "winds": {"KPAO": [row, {**row, "altitude_ft": 6000}]},
        "loading": {**dict.fromkeys(LOADING_KEYS, 0), "front_seats_lb": 340, "baggage_a_lb": 20.5},
        **changes,
    }


def test_the_eight_sets_are_there() -> None:
    lowland = ("klvk_hot", "kmry_fog", "kpao_day", "kpao_night", "ksac_gusty", "ksql_haze")
    assert tuple(sorted((*lowland, "krno_winter", "ktrk_mountain"))) == IDS


@pytest.mark.parametrize("information_id", IDS)
def test_set_carries_the_canary_and_a_description(information_id: str) -> None:
    raw = read_toml(f"information/sets/{information_id}.toml")
    assert raw["canary"] == CANARY
    assert len(raw["description"]) > 20


@pytest.mark.parametrize("information_id", IDS)
def test_set_covers_its_own_station_and_three_more_some_without_a_taf(information_id: str) -> None:
    info = load_information(information_id)
    assert len(info.metar) >= 4
    assert information_id[:4].upper() in info.metar
    assert info.taf
    assert set(info.taf) < set(info.metar)
    assert set(info.notams) | set(info.winds) <= set(info.metar)


@pytest.mark.parametrize("information_id", IDS)
def test_altimeter_settings_of_a_set_differ_by_two_hundredths(information_id: str) -> None:
    settings = sorted(
        int(re.findall(r" A(\d{4})", raw)[0]) for raw in load_information(information_id).metar.values()
    )
    assert all(high - low >= 2 for low, high in pairwise(settings))
    assert settings[0] >= 2940
    assert settings[-1] <= 3060


@pytest.mark.parametrize("information_id", IDS)
def test_loading_is_legal_for_a_c172s(information_id: str) -> None:
    load = load_information(information_id).loading
    people_and_bags = sum(load[key] for key in load if key != "fuel_gal")
    assert 1663 + people_and_bags + 6 * load["fuel_gal"] <= 2550
    assert load["fuel_gal"] <= 53
    assert load["baggage_b_lb"] <= 50
    assert load["baggage_a_lb"] + load["baggage_b_lb"] <= 120


@pytest.mark.parametrize("information_id", IDS)
def test_winds_stand_above_the_field_up_to_12000_ft(information_id: str) -> None:
    winds = load_information(information_id).winds
    assert information_id[:4].upper() in winds
    for station, rows in winds.items():
        assert {row.altitude_ft for row in rows} <= {3000, 6000, 9000, 12000}
        assert rows[0].altitude_ft > get_airport_info(station)["elevation_ft"] + 1500
        assert rows[-1].altitude_ft == 12000


@pytest.mark.parametrize("information_id", IDS)
def test_notams_name_their_field_its_runways_and_a_window_that_has_not_ended(information_id: str) -> None:
    info = load_information(information_id)
    for station, notams in info.notams.items():
        runway_ends = {
            end for runway in get_airport_info(station)["runways"] for end in runway["id"].split("/")
        }
        observed = re.findall(r"(\d{6})Z", info.metar[station])[0]
        for text in notams:
            number, field = re.findall(r"^!\w{3} (\d\d/\d{3}) (\w{3}) ", text)[0]
            start, end = re.findall(r"\d{10}", text)[-2:]
            assert text[1:4] == field == station[1:]
            for named in re.findall(r"RWY (\d\d[LRC]?(?:/\d\d[LRC]?)?)", text):
                assert set(named.split("/")) <= runway_ends
            assert number[:2] == start[2:4]
            assert start < end
            assert start[:4] + observed < end


def test_a_set_is_loaded_once() -> None:
    assert load_information("kpao_day") is load_information("kpao_day")


def test_mappings_are_read_only() -> None:
    info = load_information("kpao_day")
    for mapping in (info.metar, info.taf, info.notams, info.winds, info.loading):
        with pytest.raises(TypeError):
            mapping["KPAO"] = "x"  # type: ignore[index]


def test_a_set_does_not_follow_later_changes_of_its_table() -> None:
    source = table()
    info = parse_information(source, "mine.toml")
    source["metar"]["KPAO"] = "changed"
    source["notams"]["KPAO"].append("changed")
    assert info == parse_information(table(), "mine.toml")


def test_a_set_does_not_follow_later_changes_of_what_it_was_built_from() -> None:
    metar = {"KPAO": "KPAO 141847Z"}
    info = InformationSet("made", metar, {}, {}, {}, {})
    metar["KPAO"] = "changed"
    assert info.metar == {"KPAO": "KPAO 141847Z"}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda info: pickle.loads(pickle.dumps(info))])
def test_copies_and_pickles_are_equal_and_read_only(copied: Callable[[Any], Any]) -> None:
    twin = copied(load_information("kpao_day"))
    assert twin == load_information("kpao_day")
    with pytest.raises(TypeError):
        twin.metar["KPAO"] = "x"


def test_a_users_set_is_built_from_its_table() -> None:
    info = parse_information(table(), "mine.toml")
    assert info.id == "mine"
    assert info.taf["KSJC"].startswith("TAF AMD KSJC")
    assert info.notams["KPAO"] == ("!PAO 06/012 PAO TWY A CLSD",)
    assert [row.altitude_ft for row in info.winds["KPAO"]] == [3000, 6000]
    assert info.loading["baggage_a_lb"] == 20.5


def test_reports_may_be_absent() -> None:
    info = parse_information({"id": "bare", "loading": table()["loading"]}, "bare.toml")
    assert [len(mapping) for mapping in (info.metar, info.taf, info.notams, info.winds)] == [0, 0, 0, 0]


def test_unknown_id_names_the_nearest() -> None:
    with pytest.raises(SpecError, match="'kpao_dya' does not exist; nearest: kpao_day"):
        load_information("kpao_dya")


def test_unknown_id_that_is_near_to_none_lists_all() -> None:
    with pytest.raises(SpecError, match="known: klvk_hot, kmry_fog"):
        load_information("../../../etc/passwd")


def wind(**changes: Any) -> dict[str, Any]:
    """Return a [winds] table of one row with the given keys replaced."""
    row = {"altitude_ft": 3000, "direction_deg": 350, "speed_kt": 10, "temperature_c": 5}
    return {"KPAO": [row | changes]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metars": {}}, r"mine\.toml: expected keys .*; got 'metars'; nearest: metar"),
        ({"id": ""}, r"mine\.toml: id: expected one line of ASCII text"),
        ({"id": 3}, r"mine\.toml: id: expected one line .*, got 3"),
        ({"metar": "KPAO"}, r"mine\.toml: \[metar\]: expected a table, got 'KPAO'"),
        ({"metar": {"KPAQ": "KPAQ 1"}}, r"\[metar\]: expected keys .*; got 'KPAQ'; nearest: KPAO"),
        ({"taf": {"XXXX": "TAF XXXX"}}, r"\[taf\]: expected keys .*KPAO.*; got 'XXXX'"),
        (
            {"metar": {"KPAO": "KSQL 141847Z"}},
            r"\[metar\] KPAO: expected a report that starts with its station KPAO",
        ),
        ({"metar": {"KPAO": "KPAOX 141847Z"}}, r"\[metar\] KPAO: expected a report that starts"),
        ({"metar": {"KPAO": "TAF KPAO 141847Z"}}, r"\[metar\] KPAO: expected a report that starts"),
        ({"taf": {"KPAO": "TAF KSQL 141720Z"}}, r"\[taf\] KPAO: expected a report that starts"),
        ({"metar": {"KPAO": "KPAO 22\N{DEGREE SIGN}"}}, r"\[metar\] KPAO: expected one line of ASCII"),
        ({"taf": {"KPAO": "TAF KPAO 1\nFM2"}}, r"\[taf\] KPAO: expected one line"),
        ({"metar": {"KPAO": " KPAO 1"}}, r"\[metar\] KPAO: expected one line .* without blanks"),
        (
            {"metar": {"KPAO": "KPAO " + "x" * 1800}},
            r"\[metar\] KPAO: expected at most 1800 characters.*, got 1807",
        ),
        ({"notams": {"KPAO": "one"}}, r"\[notams\] KPAO: expected a list, got 'one'"),
        ({"notams": {"KPAO": [1]}}, r"\[notams\] KPAO: expected one line of ASCII text"),
        ({"notams": {"KPAO": ["x" * 1000] * 2}}, r"\[notams\] KPAO: expected at most 1800 characters"),
        ({"winds": {"KPAO": {}}}, r"\[winds\] KPAO: expected a list, got \{\}"),
        (
            {"winds": {"KPAO": []}},
            r"\[winds\] KPAO: expected rows of strictly ascending altitude_ft, got \[\]",
        ),
        ({"winds": {"KPAO": wind()["KPAO"] * 2}}, r"strictly ascending altitude_ft, got \[3000, 3000\]"),
        ({"winds": wind(gust_kt=3)}, r"\[winds\] KPAO: expected keys .*; got 'gust_kt'"),
        ({"winds": {"KPAO": [{"altitude_ft": 3000}]}}, r"\[winds\] KPAO: expected a key 'direction_deg'"),
        ({"winds": wind(speed_kt=True)}, r"\[winds\] KPAO: speed_kt: expected a whole number, got True"),
        ({"winds": wind(temperature_c=1.5)}, r"temperature_c: expected a whole number, got 1\.5"),
        ({"winds": wind(direction_deg=0)}, r"expected direction_deg 1 to 360"),
        ({"winds": wind(direction_deg=361)}, r"expected direction_deg 1 to 360"),
        ({"winds": wind(speed_kt=-1)}, r"speed_kt 0 or more"),
        ({"loading": 5}, r"mine\.toml: \[loading\]: expected a table, got 5"),
        ({"loading": {"fuel_gal": 5}}, r"\[loading\]: expected a key 'front_seats_lb', got fuel_gal"),
        ({"loading": table()["loading"] | {"fuel": 5}}, r"\[loading\]: .*got 'fuel'; nearest: fuel_gal"),
        (
            {"loading": table()["loading"] | {"fuel_gal": -1}},
            r"\[loading\] fuel_gal: expected a finite number, 0 or",
        ),
        ({"loading": table()["loading"] | {"fuel_gal": float("nan")}}, r"\[loading\] fuel_gal: .*got nan"),
        ({"loading": table()["loading"] | {"fuel_gal": float("inf")}}, r"\[loading\] fuel_gal: .*got inf"),
        ({"loading": table()["loading"] | {"fuel_gal": True}}, r"\[loading\] fuel_gal: .*got True"),
        ({"loading": table()["loading"] | {"fuel_gal": "9"}}, r"\[loading\] fuel_gal: .*got '9'"),
    ],
)
def test_broken_set_is_refused_with_place_and_reason(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_information(table(**changes), "mine.toml")


@pytest.mark.parametrize("key", ["id", "loading"])
def test_missing_required_key_is_named(key: str) -> None:
    with pytest.raises(SpecError, match=f"expected a key '{key}'"):
        parse_information({k: v for k, v in table().items() if k != key}, "mine.toml")


def test_file_whose_id_is_not_its_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acoe_gym.cockpit.information.sets.read_toml", lambda _: table())
    with pytest.raises(SpecError, match="id: expected 'kpao_day', the file's name; got 'mine'"):
        load_information.__wrapped__("kpao_day")
