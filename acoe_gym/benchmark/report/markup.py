"""HTML that cannot be broken by a name: whatever is not `Html` is escaped."""

from __future__ import annotations

from html import escape


class Html(str):
    """Markup. Plain text becomes markup only through `el`, which escapes it."""

    __slots__ = ()


Child = str | None


def el(name: str, *children: Child, **attributes: str | int | float | bool | None) -> Html:
    """Return an element.

    Args:
        name: its tag.
        children: markup, or text to be escaped; None is left out.
        attributes: ``class_`` stands for ``class`` and ``aria_label`` for ``aria-label``; None and False are
            left out, True is an attribute without a value.
    """
    inside = "".join(_markup(child) for child in children if child is not None)
    return Html(f"<{name}{''.join(map(_attribute, attributes.items()))}>{inside}</{name}>")


def join(parts: list[Html]) -> Html:
    """Return markup one part per line."""
    return Html("\n".join(parts))


def _markup(child: str) -> str:
    return child if isinstance(child, Html) else escape(child, quote=True)


def _attribute(pair: tuple[str, str | int | float | bool | None]) -> str:
    name, value = pair[0].rstrip("_").replace("_", "-"), pair[1]
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f' {name}="{escape(text, quote=True)}"'


def table(caption: str, head: list[Html], rows: list[Html], class_: str | None = None) -> Html:
    """Return a table that scrolls inside its own box where the screen is narrow.

    Args:
        caption: what the table shows.
        head: cells of the heading row.
        rows: rows, or whole ``tbody`` elements.
        class_: class of the table.
    """
    bodies = rows if rows and rows[0].startswith("<tbody") else [el("tbody", join(rows))]
    whole = el(
        "table",
        el("caption", el("span", caption)),
        el("thead", el("tr", *head)),
        *bodies,
        class_=class_,
    )
    return el("div", whole, class_="scroll", tabindex=0, role="region", aria_label=caption)


def th(text: Child, title: str | None = None, class_: str | None = None) -> Html:
    """Return the heading of a column; one of several words is kept from standing one word a line."""
    several = text is not None and not isinstance(text, Html) and len(text.split()) > 2
    shown = el("span", text, class_="long") if several else text
    return el("th", shown, scope="col", title=title, class_=class_)


def right(text: Child, title: str | None = None) -> Html:
    """Return the heading of a column of numbers."""
    return th(text, title, "right")


def row_head(text: Child, class_: str | None = None) -> Html:
    """Return the heading of a row."""
    return el("th", text, scope="row", class_=class_)


def td(text: Child, class_: str | None = None, title: str | None = None) -> Html:
    """Return a cell."""
    return el("td", text, class_=class_, title=title)


def num(text: Child, title: str | None = None) -> Html:
    """Return a cell with a number."""
    return td(text, "num", title)
