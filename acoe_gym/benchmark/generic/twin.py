"""The generic pilot in an airplane with two engines."""

from __future__ import annotations

from acoe_gym.benchmark.generic.scene import Flow, Scene, electrical_fire

# By feel, KIAS: the blue line of a light twin, and what is fast enough to fly away with.
BLUE_LINE, FLYING_SPEED = 90, 70
# What no propeller passes, RPM; what every healthy engine shows, psi; what cruise takes, % of throttle.
RPM_HIGH, OIL_LOW, CRUISE_POWER = 2700, 25, 65
OTHER = {"left": "right", "right": "left"}
LOOKS = ("ias", "annunciators", *(f"{side}_{name}" for side in OTHER for name in ("rpm", "oil_pressure")))


def twin_flow(scene: Scene) -> Flow:
    """Return the flow of the first trouble seen; nothing where there is none."""
    if burning := [side for side in OTHER if scene.reported(f"ENGINE FIRE {side.upper()}")]:
        return _engine_fire(burning[0])
    if scene.reported("ELECTRICAL FIRE") or scene.reported("SMOKE IN CABIN"):
        return electrical_fire(scene)
    if scene.told("taking off"):
        return _takeoff(scene)
    if fast := [side for side in OTHER if (scene.number(f"{side}_rpm") or 0) > RPM_HIGH]:
        return _overspeed(fast[0])
    if still := [side for side in OTHER if scene.number(f"{side}_rpm") == 0]:
        return _land_on_one(scene, still[0])
    unsafe = scene.lit("annunciators", "GEAR UNSAFE")
    if not unsafe and (dead := _failing(scene)):
        return _engine_failure(dead[0], low=scene.told("feet above the ground"))
    return _gear(scene, unsafe=unsafe)


def _failing(scene: Scene) -> list[str]:
    """Return the sides that the nose yaws to, or else those without oil pressure: dead foot, dead engine."""
    if yawing := [side for side in OTHER if scene.reported(f"YAW {side.upper()}")]:
        return yawing
    oil = {side: scene.number(f"{side}_oil_pressure") for side in OTHER}
    return [side for side, psi in oil.items() if psi is not None and psi < OIL_LOW]


def _engine_fire(side: str) -> Flow:
    """Shut it down as after any failure."""
    # Erroneous semantic prior: the cowl flap is closed, or left so, to keep the air from the fire.
    yield from _secure(side)
    yield "cabin_heat", "OFF"


def _engine_failure(side: str, *, low: bool) -> Flow:
    """Speed; with height to spare what may bring the engine back; then secure it."""
    yield "target_airspeed", BLUE_LINE
    if not low:
        yield f"{side}_fuel_pump", "ON"
        yield f"{side}_mixture", "RICH"
        yield f"{side}_carb_heat", "ON"
        yield from ((f"{side}_magneto_{magneto}", "ON") for magneto in OTHER)
    # State-gating failure: whether it runs again is not looked at.
    yield from _secure(side)


def _overspeed(side: str) -> Flow:
    """Power off, propeller back, slow down, and out of use."""
    yield f"{side}_throttle", "IDLE"
    yield f"{side}_propeller", "FULL DECREASE"
    yield "target_airspeed", BLUE_LINE
    # State-gating failure: the RPM is back within limits, and the engine is feathered and shut down.
    yield from _secure(side)


def _takeoff(scene: Scene) -> Flow:
    """Stop on the runway while slow, fly away once fast."""
    # Erroneous semantic prior: speed alone decides, whatever the gear, the runway or the captain say.
    if (scene.number("ias") or 0) < FLYING_SPEED:
        yield from _reject(scene, stops=not scene.told("too short"))
    else:
        yield from _fly_away(scene)


def _reject(scene: Scene, *, stops: bool) -> Flow:
    """Both throttles, brakes, straight ahead; engines and power off where the runway is too short."""
    yield from _both("throttle", "IDLE")
    yield "flight_path", "STRAIGHT AHEAD"
    yield "brakes", "APPLIED" if stops else scene.position("brakes", -1)
    if not stops:
        yield from _both("mixture", "IDLE CUTOFF")
        yield from _both("fuel_selector", "OFF")
        yield from _both("magneto_left", "OFF")
        yield from _both("magneto_right", "OFF")
        yield "battery_master", "OFF"


def _fly_away(scene: Scene) -> Flow:
    """Everything forward, everything up, secure the dead engine."""
    yield from _both("mixture", "RICH")
    yield from _both("propeller", "FULL FORWARD")
    yield from _both("throttle", "FULL")
    yield from _both("fuel_pump", "ON")
    yield "flaps", scene.position("flaps", 0)
    yield "landing_gear", "UP"
    for side in _failing(scene):
        yield from _secure(side)
    yield "target_airspeed", BLUE_LINE


def _land_on_one(scene: Scene, dead: str) -> Flow:
    """Finish securing, set up the good engine; gear and some flaps when the landing is assured."""
    yield from _secure(dead)
    yield f"{OTHER[dead]}_fuel_selector", "ON"
    yield f"{OTHER[dead]}_mixture", "RICH"
    yield f"{OTHER[dead]}_propeller", "FULL FORWARD"
    yield f"{OTHER[dead]}_fuel_pump", "ON"
    yield "seat_belts", "SECURE"
    yield "target_airspeed", BLUE_LINE
    if scene.landing_assured:
        yield "landing_gear", "DOWN"
        yield "flaps", scene.position("flaps", -2)


def _gear(scene: Scene, *, unsafe: bool) -> Flow:
    """Get the gear down where the captain wants it, by hand if it is unsafe; else silence its horn."""
    if scene.told("gear down"):
        yield "target_airspeed", BLUE_LINE
        yield from ((breaker, "IN") for breaker in scene.named("gear", "_cb"))
        yield "landing_gear", "DOWN"
        if unsafe:
            yield "emergency_gear_extension", scene.position("emergency_gear_extension", -1)
    elif unsafe:
        yield "flaps", scene.position("flaps", 0)
        yield from _both("throttle", CRUISE_POWER)


def _both(name: str, value: object) -> Flow:
    yield from ((f"{side}_{name}", value) for side in OTHER)


def _secure(side: str) -> Flow:
    """Verify, feather and shut down an engine."""
    yield f"{side}_throttle", "IDLE"
    yield f"{side}_propeller", "FEATHER"
    yield f"{side}_mixture", "IDLE CUTOFF"
    yield f"{side}_fuel_selector", "OFF"
    yield f"{side}_fuel_pump", "OFF"
    yield from ((f"{side}_magneto_{magneto}", "OFF") for magneto in OTHER)
    yield f"{side}_alternator", "OFF"
    yield f"{side}_cowl_flap", "CLOSED"
