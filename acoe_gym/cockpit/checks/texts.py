"""Checks of texts: briefings and crew reports give no step away, constraints rest on facts of their own."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator

from acoe_gym.cockpit.checks.remark import Remark, error
from acoe_gym.cockpit.evidence import Evidence
from acoe_gym.cockpit.expressions import Literal, Name
from acoe_gym.cockpit.scope import derived
from acoe_gym.cockpit.templates import Step, Template

# Positions and one-word labels that English needs for other things too.
COMMON = frozenset({"on", "off", "in", "out", "up", "down", "to", "land", "as is"})
# Other words for a control and for moving it, by pattern of control ids.
SYNONYMS = {
    "*pump*": ("pump", "pumps", "boost"),
    "*mixture*": ("mixture", "lean", "enrich", "cutoff", "cut off"),
    "*throttle*": ("throttle", "throttles"),
    "magnetos*": ("magneto", "magnetos", "mags", "ignition", "starter", "crank", "restart", "relight"),
    "*selector*": ("selector", "tank", "tanks", "crossfeed"),
    "*shutoff*": ("shutoff", "shut off", "fuel valve"),
    "*extinguisher*": ("extinguisher", "halon"),
    "cabin_vents": ("vent", "vents", "ventilate", "ventilation"),
    "cabin_ht": ("heat", "heater", "heating"),
    "cabin_air": ("fresh air", "outside air"),
    "*window*": ("window", "windows"),
    "*door*": ("door", "doors"),
    "master_*": ("master", "masters", "alternator", "generator", "battery", "batteries"),
    "stby_batt": ("standby", "backup battery"),
    "avionics*": ("avionics",),
    "cb_*": ("breaker", "breakers", "circuit", "fuse"),
    "light_*": ("light", "lights", "beacon", "strobe", "strobes"),
    "pitot_heat": ("pitot", "probe heat"),
    "alt_static*": ("static", "alternate air"),
    "*propeller*": ("feather", "feathered", "unfeather"),
    "*cowl*": ("cowl", "cowls"),
    "flaps": ("flap", "flaps"),
    "*gear*": ("gear", "undercarriage"),
    "target_airspeed": ("airspeed", "knots", "kias", "best glide", "glide speed"),
    "baro_*": ("altimeter", "baro", "pressure setting"),
    "com?_freq": ("frequency", "com1", "com2"),
    "xpdr_*": ("transponder", "squawk"),
}


def texts_name_no_step(evidence: Evidence) -> Iterator[Remark]:
    """No briefing and no line of the crew report names a control that the list moves, or where to.

    What a decision asks for is the captain's to name: its sentences are free to use the words of the controls
    that are set by steps which hang on it.
    """
    for template in (t.template for t in evidence.templates):
        steps = template.procedure
        for name, text in template.briefings.items():
            yield from _leaks(template, f"[briefings] {name}", text, steps)
        for name, sentences in template.decisions.items():
            free = {control for step in steps if _hangs_on(step, name) for control, _ in step.sets}
            for answer, text in sentences.items():
                yield from _leaks(template, f"[decisions] {name} {answer}", text, steps, free)
        for text in template.names.line_texts(template.world.reports or ""):
            yield from _leaks(template, f"{template.world.reports} line {text!r}", text, steps)


def _hangs_on(step: Step, decision: str) -> bool:
    return Name(f"decision.{decision}") in derived(step.when or Literal(value=True))


def _leaks(
    template: Template, where: str, text: str, steps: tuple[Step, ...], free: set[str] | None = None
) -> Iterator[Remark]:
    plain = _plain(text)
    moves = [(name, raw) for step in steps for name, raw in step.sets if name not in (free or set())]
    for name in dict.fromkeys(name for name, _ in moves):
        values = [raw for control, raw in moves if control == name]
        for word in dict.fromkeys(_words(template, name, values)):
            if f" {word} " in plain:
                yield error(f"{template.id} {where}", f"expected no word of a step, got {word!r} ({name})")


def _words(template: Template, name: str, values: list[object]) -> Iterator[str]:
    """Yield what gives away a step on a control: its names, where the list puts it, other words for it."""
    component = template.world.components[name]
    label = component.label.rpartition(":")[2]
    shown = [f"{raw:g}" if isinstance(raw, int | float) else str(raw) for raw in values]
    fixed = [text for text in shown if not text.startswith("$")]
    for text in (label, name.replace("_", " "), *fixed):
        word = _plain(text).strip()
        if word not in COMMON:
            yield word
    for pattern, words in SYNONYMS.items():
        if fnmatch.fnmatch(name, pattern):
            yield from words


def _plain(text: str) -> str:
    """Return the words of a text, in lower case, with a blank on both sides."""
    return f" {' '.join(re.findall(r'[a-z0-9.]*[a-z0-9]', text.lower()))} "


def constraints_cite_facts_of_their_own(evidence: Evidence) -> Iterator[Remark]:
    """Every constraint cites a fact that is not all that another constraint rests on."""
    for template in (t.template for t in evidence.templates):
        for constraint in template.constraints:
            alone = {
                c.facts[0]: c.id for c in template.constraints if c is not constraint and len(c.facts) == 1
            }
            if set(constraint.facts) <= set(alone):
                others = ", ".join(sorted({alone[fact] for fact in constraint.facts}))
                yield error(
                    f"{template.id} [[constraints]] {constraint.id}",
                    f"expected a fact of its own, got only those on which {others} rests",
                )
