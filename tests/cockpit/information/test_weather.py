"""Weather tools: raw text as frozen, no station's report for another, interpolation, every error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acoe_gym.cockpit.data import read_toml
from acoe_gym.cockpit.information.airports import known_stations
from acoe_gym.cockpit.information.sets import WindRow, information_ids, load_information, parse_information
from acoe_gym.cockpit.information.weather import get_metar, get_notams, get_taf, get_winds_aloft
from acoe_gym.errors import CallRejected

Tool = Callable[..., dict[str, Any]]
IDS = information_ids()
TOOLS = [get_metar, get_taf, get_notams, get_winds_aloft]
METARS = [(i, s) for i in IDS for s in load_information(i).metar]
TAFS = [(i, s) for i in IDS for s in load_information(i).taf]
DAY = load_information("kpao_day")
LOADING = dict(DAY.loading)


def information(*rows: tuple[int, int, int, int]) -> Any:
    """Return a set with the given rows of winds at KPAO."""
    winds = {"KPAO": [WindRow(*row)._asdict() for row in rows]}
    return parse_information({"id": "made", "winds": winds, "loading": LOADING}, "made.toml")


def minutes(day: int, hour: int, minute: int = 0) -> int:
    """Return the minutes since the start of the month."""
    return (day * 24 + hour) * 60 + minute


def arc(start: int, end: int) -> int:
    """Return the smallest angle between two directions."""
    return min((start - end) % 360, (end - start) % 360)


@pytest.mark.parametrize(("information_id", "station"), METARS)
def test_metar_is_returned_exactly_as_frozen(information_id: str, station: str) -> None:
    frozen = read_toml(f"information/sets/{information_id}.toml")["metar"][station]
    assert get_metar(load_information(information_id), station) == {"station": station, "raw": frozen}


@pytest.mark.parametrize(("information_id", "station"), TAFS)
def test_taf_is_returned_exactly_as_frozen(information_id: str, station: str) -> None:
    frozen = read_toml(f"information/sets/{information_id}.toml")["taf"][station]
    assert get_taf(load_information(information_id), station) == {"station": station, "raw": frozen}


@pytest.mark.parametrize(("information_id", "station"), METARS)
def test_metar_parses_and_agrees_with_its_text(information_id: str, station: str) -> None:
    raw = load_information(information_id).metar[station]
    parsed = pytest.importorskip("metar_taf_parser.parser.parser").MetarParser().parse(raw)
    wind = parsed.wind
    direction = "VRB" if wind.degrees is None else f"{wind.degrees:03d}"
    gust = f"G{wind.gust:02d}" if wind.gust else ""
    altimeter = int(re.findall(r" A(\d{4})", raw)[0])
    assert parsed.station == station
    assert f" {direction}{wind.speed:02d}{gust}KT " in raw
    assert f" {parsed.visibility.distance}SM " in raw
    assert parsed.altimeter == int(altimeter * 0.338639)
    assert parsed.dew_point <= parsed.temperature
    assert parsed.clouds or parsed.vertical_visibility
    assert raw.split()[1] == f"{parsed.day:02d}{parsed.time:%H%M}Z"


@pytest.mark.parametrize(("information_id", "station"), METARS)
def test_metar_remark_gives_the_temperatures_of_its_body(information_id: str, station: str) -> None:
    raw = load_information(information_id).metar[station]
    body = [int(part.replace("M", "-")) for part in re.findall(r" (M?\d\d)/(M?\d\d) ", raw)[0]]
    for group in re.findall(r" T([01]\d{3}[01]\d{3})", raw):
        tenths = [int(part[1:]) * (-1 if part[0] == "1" else 1) for part in (group[:4], group[4:])]
        assert all(abs(tenth - 10 * whole) <= 5 for tenth, whole in zip(tenths, body, strict=True))


@pytest.mark.parametrize(("information_id", "station"), TAFS)
def test_taf_parses_and_its_groups_follow_each_other(information_id: str, station: str) -> None:
    raw = load_information(information_id).taf[station]
    parsed = pytest.importorskip("metar_taf_parser.parser.parser").TAFParser().parse(raw)
    valid = parsed.validity
    starts = [minutes(valid.start_day, valid.start_hour)]
    starts += [
        minutes(t.validity.start_day, t.validity.start_hour, t.validity.start_minutes) for t in parsed.trends
    ]
    assert parsed.station == station
    assert len(parsed.trends) == raw.count(" FM")
    assert starts == sorted(set(starts))
    assert starts[-1] < minutes(valid.end_day, valid.end_hour)
    assert all(group.wind and group.visibility for group in (parsed, *parsed.trends))


@pytest.mark.parametrize(("information_id", "station"), TAFS)
def test_taf_and_metar_of_a_station_agree_on_time_and_wind(information_id: str, station: str) -> None:
    parser = pytest.importorskip("metar_taf_parser.parser.parser")
    info = load_information(information_id)
    metar = parser.MetarParser().parse(info.metar[station])
    taf = parser.TAFParser().parse(info.taf[station])
    now = minutes(metar.day, metar.time.hour, metar.time.minute)
    current = taf
    for trend in taf.trends:
        if minutes(trend.validity.start_day, trend.validity.start_hour, trend.validity.start_minutes) <= now:
            current = trend
    assert minutes(taf.validity.start_day, taf.validity.start_hour) <= now
    assert now < minutes(taf.validity.end_day, taf.validity.end_hour)
    assert minutes(taf.day, taf.time.hour, taf.time.minute) <= now
    assert abs(current.wind.speed - metar.wind.speed) <= 3
    assert current.wind.degrees is None or arc(current.wind.degrees, metar.wind.degrees) <= 20


@pytest.mark.parametrize(
    "form", [" 1 1/2SM ", " M1/4SM ", " P6SM ", " VRB03KT ", " 00000KT ", " M05/M12 ", " 10SM "]
)
def test_form_that_decoders_get_wrong_occurs_in_some_report(form: str) -> None:
    sets = [load_information(information_id) for information_id in IDS]
    assert any(form in raw for info in sets for raw in (*info.metar.values(), *info.taf.values()))


@pytest.mark.parametrize("information_id", IDS)
@pytest.mark.parametrize("station", known_stations())
def test_no_station_answers_with_another_stations_report(information_id: str, station: str) -> None:
    info = load_information(information_id)
    for reply in (get_metar(info, station), get_taf(info, station)):
        assert reply["station"] == station
        if reply["raw"] is None:
            assert reply["note"] == "no report"
        else:
            assert reply["raw"].removeprefix("TAF ").split()[0] == station


def test_missing_reports_are_null_with_a_note_and_never_zero() -> None:
    none = {"station": "KPDK", "note": "no report"}
    assert get_metar(DAY, "KPDK") == {**none, "raw": None}
    assert get_taf(DAY, "KPDK") == {**none, "raw": None}
    assert get_winds_aloft(DAY, "KPDK") == {**none, "rows": None}
    assert get_winds_aloft(DAY, "KPDK", 3000) == {**none, "rows": None}


def test_small_field_has_a_metar_and_no_taf() -> None:
    assert get_metar(DAY, "KPAO")["raw"].startswith("KPAO ")
    assert get_taf(DAY, "KPAO")["raw"] is None


def test_notams_are_a_list_of_texts_empty_if_none() -> None:
    assert get_notams(DAY, "KPAO") == {"station": "KPAO", "notams": list(DAY.notams["KPAO"])}
    assert get_notams(DAY, "KOAK") == {"station": "KOAK", "notams": []}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("written", ["ksjc", "  KSJC", "kSjC\n"])
def test_case_and_blanks_of_a_station_do_not_matter(tool: Tool, written: str) -> None:
    assert tool(DAY, written) == tool(DAY, "KSJC")


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("station", "code"), [("KZZZ", "unknown_station"), ("SJC", "bad_argument"), ("", "bad_argument")]
)
def test_station_that_is_not_known_is_rejected_by_every_tool(tool: Tool, station: str, code: str) -> None:
    with pytest.raises(CallRejected) as rejection:
        tool(DAY, station)
    assert rejection.value.code == code
    assert rejection.value.legal == list(known_stations())


@pytest.mark.parametrize("information_id", IDS)
@pytest.mark.parametrize("tool", TOOLS)
def test_replies_are_short_ascii_json(tool: Tool, information_id: str) -> None:
    for station in known_stations():
        reply = tool(load_information(information_id), station)
        text = json.dumps(reply, ensure_ascii=False, allow_nan=False)
        assert text.isascii()
        assert len(text) < 2000
        assert json.loads(text) == reply


def test_winds_without_altitude_are_all_rows() -> None:
    rows = read_toml("information/sets/kpao_day.toml")["winds"]["KPAO"]
    assert get_winds_aloft(DAY, "KPAO") == {"station": "KPAO", "rows": rows}


@pytest.mark.parametrize("information_id", IDS)
def test_winds_at_a_rows_altitude_are_that_row(information_id: str) -> None:
    info = load_information(information_id)
    for station, rows in info.winds.items():
        for row in rows:
            assert get_winds_aloft(info, station, row.altitude_ft) == {"station": station, **row._asdict()}


# Hand-computed: 1,500 of 3,000 ft is one half, 750 ft one quarter; halves round to the even number.
@pytest.mark.parametrize(
    ("low", "high", "altitude", "expected"),
    [
        ((3000, 350, 10, 5), (6000, 10, 20, -1), 4500, (360, 15, 2)),
        ((3000, 10, 10, 5), (6000, 350, 20, -1), 4500, (360, 15, 2)),
        ((3000, 340, 10, 5), (6000, 20, 11, 2), 3750, (350, 10, 4)),
        ((3000, 20, 11, 2), (6000, 340, 10, 5), 5250, (350, 10, 4)),
        ((3000, 90, 7, -7), (6000, 270, 8, -8), 4500, (180, 8, -8)),
        ((3000, 270, 8, -8), (6000, 90, 9, -9), 4500, (360, 8, -8)),
        ((3000, 359, 0, 0), (6000, 2, 0, 0), 4500, (360, 0, 0)),
        ((3000, 200, 0, 0), (6000, 201, 1, 1), 4500, (200, 0, 0)),
        ((3000, 201, 1, 1), (6000, 202, 2, 2), 4500, (202, 2, 2)),
    ],
)
def test_interpolation_by_hand(
    low: tuple[int, int, int, int],
    high: tuple[int, int, int, int],
    altitude: int,
    expected: tuple[int, int, int],
) -> None:
    reply = get_winds_aloft(information(low, high), "KPAO", altitude)
    assert (reply["direction_deg"], reply["speed_kt"], reply["temperature_c"]) == expected


row_values = st.tuples(st.integers(1, 360), st.integers(0, 200), st.integers(-60, 50))


@given(low=row_values, high=row_values, altitude=st.integers(3000, 6000))
def test_interpolated_values_lie_between_the_neighbours(
    low: tuple[int, int, int], high: tuple[int, int, int], altitude: int
) -> None:
    reply = get_winds_aloft(information((3000, *low), (6000, *high)), "KPAO", altitude)
    for key, one, other in (("speed_kt", low[1], high[1]), ("temperature_c", low[2], high[2])):
        assert min(one, other) <= reply[key] <= max(one, other)
        assert isinstance(reply[key], int)
    assert 1 <= reply["direction_deg"] <= 360
    assert arc(low[0], reply["direction_deg"]) + arc(reply["direction_deg"], high[0]) == arc(low[0], high[0])


@given(low=row_values, high=row_values, altitudes=st.tuples(st.integers(3000, 6000), st.integers(3000, 6000)))
def test_direction_turns_one_way_only(
    low: tuple[int, int, int], high: tuple[int, int, int], altitudes: tuple[int, int]
) -> None:
    info = information((3000, *low), (6000, *high))
    lower, upper = (get_winds_aloft(info, "KPAO", a)["direction_deg"] for a in sorted(altitudes))
    assert arc(low[0], lower) <= arc(low[0], upper)


@given(altitude=st.integers(3000, 12000))
def test_whole_feet_as_float_give_the_same_bytes(altitude: int) -> None:
    assert json.dumps(get_winds_aloft(DAY, "KPAO", float(altitude))) == json.dumps(
        get_winds_aloft(DAY, "KPAO", altitude)
    )


@given(altitude=st.integers(6000, 9000))
def test_only_the_neighbouring_rows_count(altitude: int) -> None:
    middle = ((6000, 310, 12, 12), (9000, 290, 16, 6))
    wider = information((3000, 10, 99, 40), *middle, (12000, 180, 99, -40))
    assert get_winds_aloft(wider, "KPAO", altitude) == get_winds_aloft(information(*middle), "KPAO", altitude)


def test_single_row_answers_at_its_altitude_only() -> None:
    info = information((3000, 90, 10, 5))
    assert get_winds_aloft(info, "KPAO", 3000)["direction_deg"] == 90
    with pytest.raises(CallRejected, match="3000 to 3000"):
        get_winds_aloft(info, "KPAO", 3001)


@pytest.mark.parametrize("altitude", [2999, 2999.9, 12000.1, 12001, 0, -1, 10**400])
def test_altitude_outside_the_rows_is_refused_with_the_limits(altitude: float) -> None:
    with pytest.raises(CallRejected) as rejection:
        get_winds_aloft(DAY, "KPAO", altitude)
    assert rejection.value.code == "out_of_range"
    assert "3000 to 12000" in rejection.value.message
    assert len(rejection.value.message) < 120
    assert rejection.value.legal == {"altitude_ft": [3000, 12000]}


@pytest.mark.parametrize("station", ["KPAO", "KPDK"])
@pytest.mark.parametrize("altitude", [float("nan"), float("inf"), float("-inf"), True])
def test_altitude_that_is_no_finite_number_is_rejected(station: str, altitude: float) -> None:
    with pytest.raises(CallRejected) as rejection:
        get_winds_aloft(DAY, station, altitude)
    assert rejection.value.code == "bad_argument"
