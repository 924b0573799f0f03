"""Flight readings under faults, and what the crew feels and hears."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cockpit.world_c172s.conftest import Bench

Sets = Mapping[str, object]
NO_PFD = {"cb_ess_pfd": "OUT", "cb_avn1_pfd": "OUT"}


@pytest.mark.parametrize(
    ("fault", "lost"),
    [
        ({"fault.adc": True}, {"ias", "altitude", "vsi"}),
        ({"fault.ahrs": True}, {"attitude", "heading"}),
        ({**NO_PFD, "cb_avn2_mfd": "OUT", "display_backup": "ON"}, None),
    ],
)
def test_failed_sensor_or_dark_displays_hide_readings(
    bench: Bench, fault: Sets, lost: set[str] | None
) -> None:
    dark = bench.dark(bench.state(fault))
    if lost is None:
        assert {
            "ias",
            "rpm",
            "m_bus_v",
            "com1_freq",
            "com2_freq",
            "nav1_freq",
            "nav2_freq",
            "xpdr_code",
        } <= dark
    else:
        assert dark == lost


@pytest.mark.parametrize(
    ("sets", "reads"),
    [
        ({}, 68),
        ({"ice.airframe": True}, 0),
        ({"ice.airframe": True, "pitot_heat": "ON"}, 68),
        ({"ice.airframe": True, "pitot_heat": "ON", "master_bat": "OFF", "master_alt": "OFF"}, 0),
        ({"fault.static_port": True}, 58),
        ({"fault.static_port": True, "alt_static_air": "ON"}, 70),
        ({"airborne": False}, 0),
        ({"airborne": False, "ground.roll": True}, 68),
        ({"airborne": False, "ground.roll": True, "brakes": "APPLIED"}, 0),
        ({"airborne": False, "ground.roll": True, "parking_brake": "SET"}, 0),
    ],
)
def test_both_airspeed_indicators_read_alike(bench: Bench, sets: Sets, reads: int) -> None:
    now = bench.write(bench.state(sets), {"target_airspeed": 68})
    assert [bench.read(now, "ias"), bench.read(now, "ias_stby")] == [reads, reads]


def test_blocked_static_port_holds_altitude_until_the_alternate_source(bench: Bench) -> None:
    now = bench.state({"fault.static_port": True, "altitude.ft": 3000, "engine.running": False, "mixture": 0})
    shown = ("altitude", "altitude_stby", "vsi")
    assert [bench.read(now, name) for name in shown] == [4500, 4500, 0]
    bench.write(now, {"alt_static_air": "ON"})
    assert [bench.read(now, name) for name in shown] == [3000, 3000, -750]


def test_each_altimeter_has_its_own_setting(bench: Bench) -> None:
    now = bench.write(bench.state(), {"baro_stby": 30.02})
    assert [bench.read(now, "altitude"), bench.read(now, "altitude_stby")] == [4500, 4600]


def test_standby_attitude_flags_without_suction(bench: Bench) -> None:
    assert bench.read(bench.state({"fault.vacuum_pump": True}), "attitude_stby") == "GYRO FLAG"


def test_autopilot_needs_attitude_and_no_held_button(bench: Bench) -> None:
    assert bench.read(bench.state({"fault.ahrs": True}), "ap_status") == "AFCS"
    now = bench.write(bench.state(), {"autopilot": "ON", "ap_trim_disc": "HELD"})
    assert bench.read(now, "ap_status") == "OFF"


@pytest.mark.parametrize(
    ("line", "sets", "felt"),
    [
        ("CONTROL FORCE", {"fault.autopilot": True}, True),
        ("CONTROL FORCE", {"fault.autopilot": True, "ap_trim_disc": "HELD"}, False),
        ("CONTROL FORCE", {"fault.autopilot": True, "cb_avn2_auto_pilot": "OUT"}, False),
        ("CONTROL FORCE", {"fault.autopilot": True, "ap_trim_disc": "HELD", "elev_trim": "NOSE UP"}, True),
        ("WIND NOISE", {"cabin_windows": "OPEN"}, True),
        ("WIND NOISE", {"cabin_windows": "OPEN", "airborne": False}, False),
        ("WIND NOISE", {"cabin_doors": "UNLATCHED"}, True),
        ("WARNING TONE", {"master_alt": "OFF"}, True),
        ("WARNING TONE", {"master_alt": "OFF", "cb_avn2_audio": "OUT"}, False),
        ("WARNING TONE", {"master_alt": "OFF", **NO_PFD}, False),
        ("WINDSHIELD ICED", {"ice.airframe": True}, True),
        ("WINDSHIELD ICED", {"ice.airframe": True, "cabin_ht": "ON"}, True),
        ("WINDSHIELD ICED", {"ice.airframe": True, "cabin_ht": "ON", "defroster": "OPEN"}, False),
        ("EXHAUST SMELL", {"co.high": True}, True),
        ("ELT TONE", {"elt": "ON"}, True),
    ],
)
def test_crew_senses(bench: Bench, line: str, sets: Sets, felt: bool) -> None:
    assert (line in bench.lit(bench.state(sets), "crew_report")) is felt
