"""The generic pilot: textbook flows for the class of airplane, without the particulars of the type on board.

One script for every task. It knows what the list, the replies and the captain's words tell and what any
textbook teaches; it does that in order, once, and trusts that it worked. What it gets wrong is what the paper
saw language models get wrong (arXiv:2608.16349, section 5.2.4 and appendix C); each place is marked with the
paper's word for it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from acoe_gym.cockpit.procedure import Turns
from acoe_gym.cockpit.task import Task

# Best glide of a light airplane by feel, KIAS; what a turning engine shows at least and at most, RPM and psi.
BEST_GLIDE = 65
RPM_LOW, RPM_HIGH = 1000, 2700
OIL_LOW = 25
SIDES = ("left_", "right_")
LOOKS = ("crew_report", "rpm", "oil_pres", *(f"{s}{name}" for s in SIDES for name in ("rpm", "oil_pressure")))

Seen = Mapping[str, object]
# Controls and values, in order; a control that is not on board is passed over.
Flow = Iterator[tuple[str, object]]


def generic_pilot(task: Task, rng: random.Random) -> Turns:  # noqa: ARG001 - every policy is called alike
    """Look around once, work the flow of the first trouble seen, one write a turn, and submit."""
    listed = (yield [("list_systems", {})])[0]
    looks = [name for name in LOOKS if name in listed["instruments"]]
    replies = yield [("get_system", {"component": name}) for name in looks]
    seen = {name: reply.get("value") for name, reply in zip(looks, replies, strict=True)}
    for name, value in _flow(seen, list(listed["controls"]), power_wanted="power_needed" in task.decisions):
        if name in listed["controls"]:
            yield [("set_system", {"component": name, "value": value})]
    # Long-horizon drift: whatever else the captain asked for is forgotten. State-gating failure: nothing is
    # read again, as the models that declared a fire out while the last report still named it.
    yield [("submit", {})]


def _flow(seen: Seen, controls: list[str], *, power_wanted: bool) -> Flow:
    report = str(seen.get("crew_report"))
    if "ENGINE FIRE" in report:
        yield from _engine_fire(seen, report)
    elif "ELECTRICAL FIRE" in report or "SMOKE" in report:
        yield from _electrical_fire(controls)
        yield from _power_back() if power_wanted else ()
    elif _trouble(seen, ""):
        yield from _engine_out(propeller_stopped=seen.get("rpm") == 0)
    else:
        for side in SIDES:
            yield from _shut_down(side) if _trouble(seen, side) else ()


def _trouble(seen: Seen, side: str) -> bool:
    """Tell whether an engine shows figures that no healthy one shows; dark instruments tell nothing."""
    rpm, oil = seen.get(f"{side}rpm"), seen.get(f"{side}oil_pressure" if side else "oil_pres")
    fast_or_slow = isinstance(rpm, int | float) and not RPM_LOW <= rpm <= RPM_HIGH
    return fast_or_slow or (isinstance(oil, int | float) and oil < OIL_LOW)


def _engine_out(*, propeller_stopped: bool) -> Flow:
    """Glide, fuel, ignition, start."""
    yield "target_airspeed", BEST_GLIDE
    yield "fuel_shutoff", "ON"
    yield "fuel_selector", "BOTH"
    yield "mixture", "RICH"
    # Missing critical step: no reading tells it to switch the pump off again, so it stays on.
    yield "fuel_pump", "ON"
    yield "magnetos", "BOTH"
    if propeller_stopped:
        yield "magnetos", "START"


def _electrical_fire(controls: list[str]) -> Flow:
    """Power off, consumers off, extinguisher, fresh air."""
    # Missing critical step: textbook airplanes have no standby battery, and the models forgot this one's.
    for name in ("master_alt", "master_bat", "battery_master", "left_alternator", "right_alternator"):
        yield name, "OFF"
    for name in ("avionics_bus1", "avionics_bus2", "avionics_master", "pitot_heat", "fuel_pump"):
        yield name, "OFF"
    yield from ((name, "OFF") for name in controls if name.startswith("light_"))
    yield "fire_extinguisher", "ACTIVATED"
    # State-gating failure of appendix C: air and power come back while the fire still shows.
    yield "cabin_vents", "OPEN"
    yield "cabin_windows", "OPEN"
    yield "cabin_air", "ON"


def _power_back() -> Flow:
    for name in ("master_bat", "battery_master", "master_alt", "left_alternator", "right_alternator"):
        yield name, "ON"
    for name in ("avionics_bus1", "avionics_bus2", "avionics_master"):
        yield name, "ON"


def _engine_fire(seen: Seen, report: str) -> Flow:
    """Fuel and heat off on the burning side; a single has no sides."""
    sides = [side for side in SIDES if f"{side.strip('_').upper()} ENGINE FIRE" in report]
    if not sides and any(name.startswith(SIDES) for name in seen):
        sides = [side for side in SIDES if _trouble(seen, side)]
    for side in sides or ("",):
        yield from _shut_down(side)
    yield "cabin_ht", "OFF"
    yield "cabin_heat", "OFF"
    yield "cabin_air", "OFF"


def _shut_down(side: str) -> Flow:
    """Stop and feather an engine."""
    yield f"{side}throttle", "IDLE"
    # State-gating failure: any trouble is answered so, like the overspeed that was brought back to its target
    # RPM and whose propeller was feathered all the same.
    yield f"{side}propeller", "FEATHER"
    yield f"{side}mixture", "IDLE CUTOFF"
    yield f"{side}fuel_shutoff", "OFF"
    yield f"{side}fuel_selector", "OFF"
    yield f"{side}fuel_pump", "OFF"
    # Erroneous semantic prior: closed so that the fire gets no air, where the procedure wants them open.
    yield f"{side}cowl_flap", "CLOSED"
