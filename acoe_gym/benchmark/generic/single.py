"""The generic pilot in an airplane with one engine."""

from __future__ import annotations

import re

from acoe_gym.benchmark.generic.scene import Flow, Scene, electrical_fire, shed_load

# By feel, KIAS: the best glide of a light airplane, and what blows a fire out.
BEST_GLIDE, FIRE_SPEED = 65, 100
# A propeller that turns slower is not driven by its engine, RPM.
RPM_LOW = 1000
LOOKS = ("rpm", "cas")


def single_flow(scene: Scene) -> Flow:
    """Return the flow of the first trouble seen; nothing where there is none."""
    if scene.reported("ENGINE FIRE"):
        return _engine_fire(scene)
    if scene.reported("ELECTRICAL FIRE") or scene.reported("SMOKE IN CABIN"):
        return electrical_fire(scene)
    if scene.told("lifted off"):
        return _after_takeoff(scene)
    if scene.told("not coming back"):
        return _forced_landing(scene)
    rpm = scene.number("rpm")
    if rpm is not None and rpm < RPM_LOW:
        return _restart(propeller_stopped=rpm == 0)
    return _low_voltage(scene) if scene.lit("cas", "LOW VOLTS") else iter(())


def _restart(*, propeller_stopped: bool) -> Flow:
    """Glide, fuel, ignition, start."""
    yield "target_airspeed", BEST_GLIDE
    yield "fuel_shutoff", "ON"
    yield "fuel_selector", "BOTH"
    yield "mixture", "RICH"
    # Missing critical step: the pump goes off once the engine runs, and nobody looks whether it does.
    yield "fuel_pump", "ON"
    yield "magnetos", "BOTH"
    if propeller_stopped:
        yield "magnetos", "START"


def _after_takeoff(scene: Scene) -> Flow:
    """Nose down, straight ahead, everything off; no restart at this height."""
    yield "target_airspeed", BEST_GLIDE
    yield "flight_path", "STRAIGHT AHEAD"
    yield from _engine_off()
    yield from _flaps_as_asked(scene)
    yield from _master_off()
    yield "cabin_doors", "UNLATCHED"


def _forced_landing(scene: Scene) -> Flow:
    """Glide, cabin, radios as the captain asks, engine off; power off when the landing is assured."""
    yield "target_airspeed", BEST_GLIDE
    yield from _cabin_ready()
    if scene.told("emergency frequency"):
        yield "com1_freq", 121.5
    if scene.told("emergency code"):
        yield "xpdr_code", 7700
    yield from _engine_off()
    if scene.landing_assured:
        yield from _master_off()
        yield "cabin_doors", "UNLATCHED"


def _engine_fire(scene: Scene) -> Flow:
    """Fuel, power and heat off, then fast; the landing where it is certain."""
    yield "mixture", "IDLE CUTOFF"
    yield "fuel_shutoff", "OFF"
    yield "fuel_pump", "OFF"
    yield from _master_off()
    yield "cabin_ht", "OFF"
    yield "cabin_air", "OFF"
    # State-gating failure: whether this speed puts the fire out is not looked at.
    yield "target_airspeed", FIRE_SPEED
    if scene.landing_assured:
        yield from _cabin_ready()
        yield "magnetos", "OFF"
        yield "cabin_doors", "UNLATCHED"


def _low_voltage(scene: Scene) -> Flow:
    """Reset the alternator once, unless that was done, and save the battery all the same."""
    yield "master_alt", "OFF"
    if not scene.told("once already"):
        yield from ((breaker, "IN") for breaker in scene.named("cb_", "alt_field"))
        yield "master_alt", "ON"
    yield from shed_load(scene)
    yield from _flaps_as_asked(scene)


def _engine_off() -> Flow:
    yield "mixture", "IDLE CUTOFF"
    yield "fuel_shutoff", "OFF"
    yield "magnetos", "OFF"


def _master_off() -> Flow:
    # Missing critical step: the textbook airplane has no standby battery, so this one's stays armed.
    yield "master_alt", "OFF"
    yield "master_bat", "OFF"


def _cabin_ready() -> Flow:
    yield "seat_backs", "UPRIGHT"
    yield "seat_belts", "SECURE"


def _flaps_as_asked(scene: Scene) -> Flow:
    """Set the flaps that the captain names."""
    if scene.told("full flaps"):
        yield "flaps", scene.position("flaps", -1)
    elif scene.told("flaps up"):
        yield "flaps", scene.position("flaps", 0)
    elif notch := re.search(r"flaps (\d+)", scene.words):
        yield "flaps", notch.group(1)
