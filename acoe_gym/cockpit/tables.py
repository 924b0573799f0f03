"""Reading checked values out of parsed TOML.

Every message names file and table, what was expected and what came.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from acoe_gym.errors import SpecError, nearest

Table = dict[str, Any]


def flatten(table: Mapping[str, Any], where: str, leaf: str | None = None, prefix: str = "") -> Table:
    """Return nested tables as dotted names, so that ``a.b = 1`` and ``"a.b" = 1`` mean the same.

    Args:
        table: a parsed TOML table.
        where: file and table, for messages.
        leaf: a key that marks a table as a value of its own (such as ``normal``); without it every table is a
            level.
        prefix: what stands before the names.

    Raises:
        SpecError: a name is given twice, once dotted and once quoted.
    """
    flat: Table = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        is_value = not isinstance(value, dict) or (
            leaf is not None and (leaf in value or "positions" in value)
        )
        for found, inside in (
            ((name, value),) if is_value else flatten(value, where, leaf, f"{name}.").items()
        ):
            if found in flat:
                raise SpecError(f"{where}: expected {found!r} once, got it dotted and quoted")
            flat[found] = inside
    return flat


def check_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise SpecError for the first key that is not known."""
    known = tuple(known)
    for key in table:
        if key not in known:
            raise SpecError(
                f"{where}: expected one of {', '.join(known)}, got key {key!r}{nearest(key, known, 1)}"
            )


def check_known(name: str, known: Collection[str], expected: str, where: str) -> None:
    """Raise SpecError if a name is none of the known ones; ``expected`` says in words what they are."""
    if name not in known:
        raise SpecError(f"{where}: expected {expected}, got {name!r}{nearest(name, known)}")


def check_unique(ids: list[str], where: str) -> None:
    """Raise SpecError for the first id that stands twice."""
    for name in ids:
        if ids.count(name) > 1:
            raise SpecError(f"{where}: expected unique ids, got {name!r} twice")


def take(
    table: Mapping[str, Any], key: str, kind: type | tuple[type, ...], where: str, default: Any = ...
) -> Any:
    """Return ``table[key]`` if it has the expected type; a missing key gives the default, if there is one.

    Raises:
        SpecError: the key is missing and has no default, or its value has another type.
    """
    if key not in table:
        if default is ...:
            raise SpecError(f"{where}: expected key {key!r}, found {', '.join(table) or 'an empty table'}")
        return default
    value = table[key]
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and not {bool, object} & set(kinds)):
        names = " or ".join(k.__name__ for k in kinds)
        raise SpecError(f"{where}: expected {key} to be {names}, got {value!r}")
    return value


def take_flat(table: Mapping[str, Any], key: str, where: str, default: Any = ...) -> Table:
    """Return the table ``table[key]`` with dotted names; a missing key gives the default, if there is one."""
    return flatten(take(table, key, dict, where, default), f"{where} {key}")


def take_list(table: Mapping[str, Any], key: str, kind: type, where: str) -> tuple[Any, ...]:
    """Return a list of one element type as a tuple; a missing key gives an empty one."""
    values = take(table, key, list, where, [])
    for value in values:
        if not isinstance(value, kind):
            name = getattr(kind, "__name__", kind)  # a union has no name
            raise SpecError(f"{where}: expected {key} to list {name}s, got {value!r}")
    return tuple(values)


def take_numbers(table: Mapping[str, Any], key: str, where: str) -> tuple[Any, ...]:
    """Return a list of finite numbers as a tuple; a missing key gives an empty one."""
    values = take(table, key, list, where, [])
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or value - value != 0:
            raise SpecError(f"{where}: expected {key} to list numbers, got {value!r}")
    return tuple(values)


def write_sides(tree: Any, sides: tuple[str, ...], where: str) -> Any:
    """Write every key and list entry that contains a side mark once per side.

    ``{x}`` stands for the side, ``{o}`` for the other one, ``{X}`` and ``{O}`` for the same in upper case.

    Raises:
        SpecError: sides are used but not exactly two are declared.
    """
    if isinstance(tree, dict):
        out: Table = {}
        for key, value in tree.items():
            if _marked(key):
                out.update({_put(key, x, o): _put(value, x, o) for x, o in _pairs(sides, where)})
            else:
                out[key] = write_sides(value, sides, where)
        return out
    if isinstance(tree, list):
        rows: list[Any] = []
        for item in tree:
            rows += (
                [_put(item, x, o) for x, o in _pairs(sides, where)]
                if _marked(item)
                else [write_sides(item, sides, where)]
            )
        return rows
    return tree


def _pairs(sides: tuple[str, ...], where: str) -> tuple[tuple[str, str], tuple[str, str]]:
    if len(sides) != 2:
        raise SpecError(f'{where}: expected sides = ["…", "…"] since {{x}} is used, got {list(sides)}')
    return (sides[0], sides[1]), (sides[1], sides[0])


def _marked(value: Any) -> bool:
    """Tell whether a side mark stands anywhere inside."""
    if isinstance(value, str):
        return any(mark in value for mark in ("{x}", "{o}", "{X}", "{O}"))
    if isinstance(value, dict):
        return any(_marked(k) or _marked(v) for k, v in value.items())
    return isinstance(value, list) and any(_marked(item) for item in value)


def _put(value: Any, x: str, o: str) -> Any:
    """Replace the side marks inside a value."""
    if isinstance(value, str):
        for mark, text in (("{x}", x), ("{o}", o), ("{X}", x.upper()), ("{O}", o.upper())):
            value = value.replace(mark, text)
        return value
    if isinstance(value, dict):
        return {_put(k, x, o): _put(v, x, o) for k, v in value.items()}
    return [_put(item, x, o) for item in value] if isinstance(value, list) else value
