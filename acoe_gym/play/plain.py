"""The line interface: one command a line, one answer below it; it needs nothing but two streams."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from acoe_gym.cockpit.protocol import briefing, role_prompt
from acoe_gym.cockpit.task import Task
from acoe_gym.cockpit.tools import INFORMATIONAL, TOOLS
from acoe_gym.errors import nearest
from acoe_gym.play.choices import Procedure
from acoe_gym.play.explanation import Passage, explanation
from acoe_gym.play.saving import human_record, save
from acoe_gym.play.session import Exchange, Session, group_name
from acoe_gym.play.words import exchange_lines

WIDTH = 98
HELP = """\
list [WORDS]          the components, by panel, and what you know of them; takes no turn
                      "?" was not read yet, "old" before a control was set, "set" is what you asked for
get ID [ID ...]       read components; all of one line are one turn
group PANEL           read all components of a panel in one turn
set ID VALUE          set a control to a position or number
tools                 the informational tools and their arguments; takes no turn
tool NAME KEY=VALUE   ask one of them, such as: tool get_metar station=KPAO
json                  the last turn's calls and replies as JSON; takes no turn
briefing              what you were told; takes no turn
submit                end the task; then it is graded and explained
quit                  leave; nothing is recorded
Every get, group, set and tool is one turn, also when it is answered with an error."""
MORE = "type help for the commands"
# The cockpit's own names do, too.
TOOL_WORDS = {"list_systems": "list", "get_system": "get", "set_system": "set"}


class Line:
    """One person at one task over two streams.

    Args:
        session: the task under way.
        source: commands, one a line; its end is a quit.
        sink: answers, ASCII only.
    """

    def __init__(self, session: Session, source: TextIO, sink: TextIO) -> None:
        self.session = session
        self.source = source
        self.sink = sink
        self.commands: dict[str, Callable[[list[str]], Iterator[str]]] = {
            "list": self._list,
            "get": self._get,
            "group": self._group,
            "set": self._set,
            "tools": self._tools,
            "tool": self._tool,
            "json": self._json,
            "briefing": self._briefing,
            "submit": self._submit,
            "help": self._help,
        }

    def run(self) -> bool:
        """Play until the episode ends; return False if the person left before."""
        for text in (*self._briefing([]), f"{self.session.clock}; {MORE}"):
            say(self.sink, text)
        while not self.session.over:
            command = asked(self.source, self.sink, f"{self.session.clock}> ")
            if command is None or (command.split() == ["quit"] and self._leaves()):
                say(self.sink, "left before submit: nothing was recorded")
                return False
            for text in self._answer(command):
                say(self.sink, text)
        return True

    def _leaves(self) -> bool:
        answer = asked(self.source, self.sink, "Nothing will be recorded. Leave? (yes/no) ")
        return answer is None or answer.strip().casefold() in ("y", "yes")

    def _answer(self, command: str) -> Iterator[str]:
        try:
            words = shlex.split(command)
        except ValueError as error:
            yield f"not understood: {error}"
            return
        if not words or words == ["quit"]:
            return
        word = words[0].casefold()
        if word in INFORMATIONAL:
            words, word = ["tool", *words], "tool"
        act = self.commands.get(TOOL_WORDS.get(word, word))
        if act is None:
            known = [*self.commands, *TOOL_WORDS, *INFORMATIONAL, "quit"]
            yield f"there is no command {words[0]!a}{nearest(words[0], known, 1)}; {MORE}"
            return
        yield from act(words[1:])

    # The commands.

    def _list(self, words: list[str]) -> Iterator[str]:
        groups = self.session.groups(" ".join(words))
        for panel, components in groups.items():
            yield group_name(panel)
            yield from (
                f"  {c.id}: {self.session.legal(c.id)} -> {self.session.reading(c.id)}" for c in components
            )
        if not groups:
            yield f"no component has {' '.join(words)} in its id, label or panel"

    def _get(self, words: list[str]) -> Iterator[str]:
        if words:
            yield from self._shown(self.session.read(*words))
        else:
            yield "get expects a component, such as: get rpm"

    def _group(self, words: list[str]) -> Iterator[str]:
        groups = {group_name(panel): found for panel, found in self.session.groups().items()}
        name = " ".join(words).upper().replace("_", " ")
        if name in groups:
            yield from self._shown(self.session.read(*(c.id for c in groups[name])))
        else:
            yield f"group expects one of {', '.join(groups)}{nearest(name, groups, 1)}"

    def _set(self, words: list[str]) -> Iterator[str]:
        if len(words) >= 2:
            yield from self._shown(self.session.write(words[0], " ".join(words[1:])))
        else:
            yield "set expects a control and a value, such as: set fuel_selector BOTH"

    def _tools(self, _: list[str]) -> Iterator[str]:
        for name in INFORMATIONAL:
            tool = TOOLS[name]
            keys = [key if key in tool.required else f"[{key}]" for key in tool.parameters]
            yield f"{name} {' '.join(keys)}: {tool.description}"

    def _tool(self, words: list[str]) -> Iterator[str]:
        if words:
            yield from self._shown(self.session.ask(words[0], _arguments(words[0], words[1:])))
        else:
            yield "tool expects a name, such as: tool get_metar station=KPAO"

    def _submit(self, _: list[str]) -> Iterator[str]:
        yield from self._shown(self.session.submit())

    def _json(self, _: list[str]) -> Iterator[str]:
        for exchange in self.session.exchanges[-1:]:
            for call in exchange.calls:
                yield f"> {call.tool} {call.arguments}"
                yield f"< {call.reply}"

    def _briefing(self, _: list[str]) -> Iterator[str]:
        for paragraph in (*role_prompt().splitlines(), *briefing(self.session.task).splitlines()):
            yield from textwrap.wrap(paragraph, WIDTH) or [""]

    def _help(self, _: list[str]) -> Iterator[str]:
        yield HELP

    def _shown(self, exchange: Exchange) -> list[str]:
        return exchange_lines(exchange, self.session.components)


def _arguments(tool: str, words: list[str]) -> dict[str, str]:
    """Return KEY=VALUE words as arguments; a word without ``=`` goes on with the value before it."""
    found: dict[str, str] = {}
    required = TOOLS[tool].required if tool in TOOLS else ()
    last = required[0] if required else "value"
    for word in words:
        key, equals, value = word.partition("=")
        if equals:
            last, found[key] = key, value
        else:
            found[last] = f"{found[last]} {word}" if last in found else word
    return found


def choose(procedures: list[Procedure], source: TextIO, sink: TextIO, *, spoilers: bool) -> str | None:
    """Ask for a procedure and a task by number; return the task's id, or None if the person leaves."""
    chosen = procedures[0]
    if len(procedures) > 1:
        place = _number([f"{p.title} ({p.aircraft})" for p in procedures], source, sink, "procedure")
        if place is None:
            return None
        chosen = procedures[place]
    place = _number(chosen.names(spoilers=spoilers), source, sink, "task")
    return None if place is None else chosen.tasks[place]


def _number(names: list[str], source: TextIO, sink: TextIO, what: str) -> int | None:
    for number, name in enumerate(names, 1):
        say(sink, f"{number:>3}  {name}")
    while (answer := asked(source, sink, f"number of the {what}, or quit: ")) is not None:
        if answer.strip().casefold() == "quit":
            return None
        if answer.strip().isdecimal() and 1 <= int(answer) <= len(names):
            return int(answer) - 1
        say(sink, f"expected a number from 1 to {len(names)}, got {answer.strip()!a}")
    return None


def play_lines(task: Task, folder: Path, source: TextIO, sink: TextIO) -> int:
    """Play a task over two streams and record it.

    Returns:
        0 if the episode was graded, 1 if the person left before.

    Raises:
        RecordError: the record could not be written; the explanation was given all the same.
    """
    session = Session(task)
    if not Line(session, source, sink).run():
        return 1
    record = human_record(session.episode)
    for text in wrapped(explanation(record)):
        say(sink, text)
    say(sink, f"\nrecorded in {save(record, folder)}; the reference step by step: acoe explain {task.id}")
    return 0


def wrapped(passages: list[Passage]) -> Iterator[str]:
    """Yield passages as lines of at most 98 columns."""
    for passage in passages:
        if passage.kind in ("heading", "outcome"):
            yield ""
        indent = "  " * passage.depth
        yield from textwrap.wrap(passage.text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ")


def asked(source: TextIO, sink: TextIO, prompt: str) -> str | None:
    """Return the next line, None at the end of the input.

    What comes through a pipe is repeated, so that the output reads as if it had been typed.
    """
    sink.write(prompt)
    sink.flush()
    line = source.readline()
    if not source.isatty():
        say(sink, line.rstrip("\n"))
    return line.rstrip("\n") if line else None


def say(sink: TextIO, text: str) -> None:
    """Write a line, ASCII only."""
    sink.write(text.encode("ascii", "backslashreplace").decode() + "\n")
