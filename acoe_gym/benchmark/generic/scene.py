"""What the generic pilot sees and hears, and the flow that is the same in every airplane: electrical fire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# Controls and values, in order; a control that is not on board is passed over.
Flow = Iterator[tuple[str, object]]

POWER_SWITCHES = ("master_bat", "battery_master", "master_alt", "left_alternator", "right_alternator")
LIGHTS = ("_light", "_lights")
AVIONICS_SWITCHES = ("avionics_bus1", "avionics_bus2", "avionics_master")


@dataclass(frozen=True)
class Scene:
    """One look around.

    Attributes:
        words: what the captain said, in lower case.
        seen: instrument -> value, or None where it was dark.
        controls: control -> its positions as listed, in that order.
    """

    words: str
    seen: Mapping[str, object]
    controls: Mapping[str, list[str]]

    def told(self, *phrases: str) -> bool:
        """Tell whether the captain said one of these."""
        return any(phrase in self.words for phrase in phrases)

    def lit(self, name: str, line: str) -> bool:
        """Tell whether a list of lines showed this one."""
        lines = self.seen.get(name)
        return isinstance(lines, list) and line in lines

    def reported(self, line: str) -> bool:
        """Tell whether the crew noticed this."""
        return self.lit("crew_report", line)

    def number(self, name: str) -> float | None:
        """Return what an instrument showed, None where it showed no number."""
        value = self.seen.get(name)
        return value if isinstance(value, int | float) else None

    def position(self, control: str, place: int) -> str | None:
        """Return a control's position by its place in the list, None where there is no such place."""
        positions = self.controls.get(control, [])
        return positions[place] if -len(positions) <= place < len(positions) else None

    def named(self, *parts: str) -> list[str]:
        """Return the controls with all of these in their name."""
        return [name for name in self.controls if all(part in name for part in parts)]

    @property
    def landing_assured(self) -> bool:
        """Whether the captain is sure of the landing."""
        return self.told("landing is assured", "i am certain of the landing")


def electrical_fire(scene: Scene) -> Flow:
    """Power off, air shut, extinguisher, consumers off; then fresh air, and power where it is wanted."""
    # Missing critical step: the textbook airplane has no standby battery, so this one's stays armed.
    yield from ((name, "OFF") for name in POWER_SWITCHES)
    yield "cabin_vents", "CLOSED"
    yield from ((name, "OFF") for name in ("cabin_ht", "cabin_heat", "cabin_air"))
    yield "fire_extinguisher", scene.position("fire_extinguisher", -1)
    yield from ((name, "OFF") for name in AVIONICS_SWITCHES)
    yield from _consumers_off(scene)
    # State-gating failure: air and power come back, and the task is submitted, while the fire still shows.
    yield "cabin_vents", "OPEN"
    yield from ((name, "ON") for name in ("cabin_ht", "cabin_air"))
    if scene.told("cannot reach"):
        yield from ((name, "ON") for name in (*POWER_SWITCHES, *AVIONICS_SWITCHES))


def shed_load(scene: Scene) -> Flow:
    """Switch off what the flight does not need, the radios aside."""
    yield "avionics_bus1", "OFF"
    yield from _consumers_off(scene)


def _consumers_off(scene: Scene) -> Flow:
    lights = [name for name in scene.controls if name.startswith("light_") or name.endswith(LIGHTS)]
    yield from ((name, "OFF") for name in (*lights, "strobe", "pitot_heat", "cabin_pwr_12v", "fuel_pump"))
