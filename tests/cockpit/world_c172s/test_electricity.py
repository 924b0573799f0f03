"""The electrical loss table row by row and breaker by breaker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from acoe_gym.cockpit import library

if TYPE_CHECKING:
    from tests.cockpit.world_c172s.conftest import Bench

Sets = Mapping[str, object]
WORLD = library.world("c172s")
AIR_DATA = {"ias", "altitude", "vsi", "attitude", "heading"}
FLIGHT = AIR_DATA | {"baro_pfd", "ap_status", "cas"}
XPDR = {"xpdr_code", "xpdr_mode"}
PFD = FLIGHT | XPDR | {"pfd_screen"}
EIS = {c.id for c in WORLD.components.values() if c.powered == "eis"}
ENGINE_DATA = EIS | {"nav1_freq"}
AUDIO = {"com_mic", "nav_audio"}
BUS1 = {"fis", "adf_dme", "fan_fwd"}
BUS2 = {"mfd_screen", "com2_freq", "nav2_freq", "fan_aft"} | XPDR | AUDIO
ESSENTIAL = FLIGHT | ENGINE_DATA | {"pfd_screen", "com1_freq", "stby_ind_lts"}
ALL = ESSENTIAL | BUS1 | BUS2
ALT_OFF = {"master_alt": "OFF"}
MASTER_OFF = {"master_bat": "OFF", "master_alt": "OFF"}
BUS1_OFF = {"avionics_bus1": "OFF"}


def test_engine_data_is_what_the_handbook_lists() -> None:
    assert {
        *(
            "rpm",
            "fflow",
            "oil_pres",
            "oil_temp",
            "cht",
            "egt",
            "vac",
            "fuel_qty_l",
            "fuel_qty_r",
            "gal_used",
        ),
        *("gal_rem", "m_bus_v", "e_bus_v", "m_batt_a", "s_batt_a"),
    } == EIS


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        pytest.param({}, set(), id="normal"),
        pytest.param(ALT_OFF, set(), id="alternator off"),
        pytest.param(MASTER_OFF, BUS1 | BUS2, id="master off, standby armed"),
        pytest.param({**MASTER_OFF, "stby_batt": "OFF"}, ALL, id="all off"),
        pytest.param({**MASTER_OFF, "fault.standby_battery": True}, ALL, id="standby battery flat"),
        pytest.param(BUS1_OFF, BUS1, id="bus 1 off"),
        pytest.param({"avionics_bus2": "OFF"}, BUS2, id="bus 2 off"),
        pytest.param({**ALT_OFF, "fault.main_battery": True}, BUS1 | BUS2, id="main bus dead, standby armed"),
    ],
)
def test_loss_table_row(bench: Bench, sets: Sets, expected: set[str]) -> None:
    assert bench.dark(bench.state(sets)) == expected


def test_standby_instruments_and_senses_need_no_power(bench: Bench) -> None:
    now = bench.state({**MASTER_OFF, "stby_batt": "OFF"})
    readings = [bench.read(now, name) for name in ("ias_stby", "altitude_stby", "attitude_stby", "compass")]
    assert readings == [110, 4500, "LEVEL", 90]
    assert bench.lit(now, "crew_report") == ()


@pytest.mark.parametrize(
    ("sets", "main", "standby"),
    [({}, 2, 1), (ALT_OFF, -28, 0), (MASTER_OFF, 0, -7), ({"fault.overvoltage": True}, 45, 1)],
)
def test_battery_currents_tell_who_feeds(bench: Bench, sets: Sets, main: int, standby: int) -> None:
    now = bench.state(sets)
    assert [bench.read(now, "m_batt_a"), bench.read(now, "s_batt_a")] == [main, standby]


BREAKERS: dict[str, tuple[Sets, set[str]]] = {
    "cb_ess_pfd": (BUS1_OFF, PFD),
    "cb_ess_adc_ahrs": (BUS1_OFF, AIR_DATA),
    "cb_ess_nav1_eng": (BUS1_OFF, ENGINE_DATA),
    "cb_ess_comm1": ({}, {"com1_freq"}),
    "cb_ess_stdby_lts": ({}, {"stby_ind_lts"}),
    "cb_ess_stdby_batt": (MASTER_OFF, ESSENTIAL),
    "cb_avn1_pfd": ({"cb_ess_pfd": "OUT"}, PFD),
    "cb_avn1_adc_ahrs": ({"cb_ess_adc_ahrs": "OUT"}, AIR_DATA),
    "cb_avn1_nav1_eng": ({"cb_ess_nav1_eng": "OUT"}, ENGINE_DATA),
    "cb_avn1_fis": ({}, {"fis"}),
    "cb_avn1_adf_dme": ({}, {"adf_dme"}),
    "cb_avn2_mfd": ({}, {"mfd_screen"}),
    "cb_avn2_xpndr": ({}, XPDR),
    "cb_avn2_nav2": ({}, {"nav2_freq"}),
    "cb_avn2_comm2": ({}, {"com2_freq"}),
    "cb_avn2_audio": ({}, AUDIO),
    "cb_elec1_avn1": ({}, BUS1),
    "cb_elec2_avn2": ({}, BUS2),
}
# What darkens nothing shows elsewhere: (state, reading, its value with the breaker in, and with it out).
QUIET_BREAKERS: dict[str, tuple[Sets, str, object, object]] = {
    "cb_avn2_auto_pilot": ({"autopilot": "ON"}, "ap_status", "AP", "AFCS"),
    "cb_elec1_fuel_pump": ({"fuel_pump": "ON", "fault.engine_pump": True}, "fflow", 9, 0),
    "cb_elec1_bcn_lt": (ALT_OFF, "m_batt_a", -28, -23),
    "cb_elec1_land_lt": ({**ALT_OFF, "light_land": "ON"}, "m_batt_a", -37, -28),
    "cb_elec1_cabin": ({**ALT_OFF, "cabin_pwr_12v": "ON"}, "m_batt_a", -30, -28),
    "cb_elec1_flaps": ({"flaps": "20"}, "flap_pos", "20", "UP"),
    "cb_elec2_pitot_heat": ({"pitot_heat": "ON", "ice.airframe": True}, "ias", 110, 0),
    "cb_elec2_nav_lts": ({**ALT_OFF, "light_nav": "ON"}, "m_batt_a", -31, -28),
    "cb_elec2_taxi_lt": ({**ALT_OFF, "light_taxi": "ON"}, "m_batt_a", -34, -28),
    "cb_elec2_strobe_lts": (ALT_OFF, "m_batt_a", -28, -24),
    "cb_elec2_panel_lts": (ALT_OFF, "m_batt_a", -28, -27),
    "cb_xfeed_alt_field": ({}, "m_bus_v", 28, 24),
    "cb_xfeed_warn": ({}, "m_bus_v", 28, 0),
}


def test_every_breaker_is_in_one_of_the_two_tables() -> None:
    assert sorted([*BREAKERS, *QUIET_BREAKERS]) == sorted(c for c in WORLD.components if c.startswith("cb_"))


@pytest.mark.parametrize("breaker", [*BREAKERS, *QUIET_BREAKERS])
def test_breaker_darkens_exactly_what_it_feeds(bench: Bench, breaker: str) -> None:
    sets, expected = BREAKERS.get(breaker) or (QUIET_BREAKERS[breaker][0], set())
    assert bench.dark(bench.state({**sets, breaker: "OUT"})) - bench.dark(bench.state(sets)) == expected


@pytest.mark.parametrize("name", ["pfd", "adc_ahrs", "nav1_eng"])
@pytest.mark.parametrize("bus", ["ess", "avn1"])
def test_second_feed_keeps_what_the_first_lost(bench: Bench, bus: str, name: str) -> None:
    assert bench.dark(bench.state({f"cb_{bus}_{name}": "OUT"})) == set()


@pytest.mark.parametrize("breaker", QUIET_BREAKERS)
def test_breaker_that_darkens_nothing_shows_in_another_reading(bench: Bench, breaker: str) -> None:
    sets, reading, fed, unfed = QUIET_BREAKERS[breaker]
    assert bench.read(bench.state(sets), reading) == fed
    assert bench.read(bench.state({**sets, breaker: "OUT"}), reading) == unfed


def test_only_essential_and_avionics_breakers_can_be_pulled() -> None:
    breakers = {c for c in WORLD.components if c.startswith("cb_")}
    pullable = {c for c in breakers if not getattr(WORLD.domains[c], "settable", ())}
    assert pullable == {c for c in breakers if c.startswith(("cb_ess_", "cb_avn1_", "cb_avn2_"))}


@pytest.mark.parametrize(
    "sets", [MASTER_OFF, {"cb_xfeed_warn": "OUT"}, {**ALT_OFF, "fault.main_battery": True}]
)
def test_starter_needs_battery_and_warn_breaker(bench: Bench, sets: Sets) -> None:
    assert bench.holds(bench.state(), "starter.powered")
    assert not bench.holds(bench.state(sets), "starter.powered")


def test_battery_off_takes_the_alternator_along(bench: Bench) -> None:
    now = bench.write(bench.state(), {"master_bat": "OFF"})
    assert bench.read(now, "master_alt") == "OFF"


def test_alternator_on_without_battery_stays_on_and_feeds_nothing(bench: Bench) -> None:
    now = bench.write(bench.state(), {"master_bat": "OFF", "master_alt": "ON"})
    assert bench.read(now, "master_alt") == "ON"
    assert bench.dark(now) == BUS1 | BUS2


def test_display_backup_brings_flight_readings_to_the_mfd(bench: Bench) -> None:
    out = {"cb_ess_pfd": "OUT", "cb_avn1_pfd": "OUT"}
    assert bench.dark(bench.state(out)) == PFD
    assert bench.dark(bench.state({**out, "display_backup": "ON"})) == {"pfd_screen"}


def test_autopilot_drops_out_with_its_power_and_stays_out(bench: Bench) -> None:
    now = bench.write(bench.state(), {"autopilot": "ON", "avionics_bus2": "OFF"})
    bench.write(now, {"avionics_bus2": "ON"})
    assert [bench.read(now, "autopilot"), bench.read(now, "ap_status")] == ["OFF", "OFF"]


def test_flaps_follow_the_lever_only_with_power(bench: Bench) -> None:
    now = bench.write(bench.state(), {"flaps": "10", "master_bat": "OFF"})
    bench.write(now, {"flaps": "FULL"})
    assert [bench.read(now, "flaps"), bench.read(now, "flap_pos")] == ["FULL", "10"]
    bench.write(now, {"master_bat": "ON"})
    assert bench.read(now, "flap_pos") == "FULL"
