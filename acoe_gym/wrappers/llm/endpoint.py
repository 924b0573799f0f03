"""The address and the key of an endpoint, and how neither of them gets into a message."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from acoe_gym.errors import InfrastructureError

# The second goes to OpenAI alone: another endpoint is not sent a key that was not meant for it.
KEY, OPENAI_KEY = "ACOE_API_KEY", "OPENAI_API_KEY"
# A local server wants none, and the SDK wants one.
NO_KEY = "no-key"
OPENAI = "https://api.openai.com/v1"
# A shorter text may be part of any word, so it is not blotted out of messages.
SHORTEST_SECRET = 4
# Fields of a body that hold a key on some endpoint; runs keep bodies.
SECRET_FIELDS = frozenset({"apikey", "key", "token", "accesstoken", "authorization", "password", "secret"})


def key_of(base_url: str | None) -> str:
    """Return the key of the environment.

    Raises:
        InfrastructureError: OpenAI is to be asked without a key, or with one that no header can hold.
    """
    for name in (KEY,) if base_url else (KEY, OPENAI_KEY):
        key = os.environ.get(name, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise InfrastructureError(
                f"expected {name} to be printable ASCII, got something else", fatal=True
            )
        if key:
            return key
    if base_url is None:
        told = (
            f"expected a key of OpenAI in {KEY} or {OPENAI_KEY}, or the address of another endpoint, got none"
        )
        raise InfrastructureError(told, fatal=True)
    return NO_KEY


def address_of(base_url: str | None) -> tuple[str, dict[str, str]]:
    """Return the address of an endpoint without its query, and the query.

    Raises:
        InfrastructureError: it is no address.
    """
    try:
        parts = urlsplit(OPENAI if base_url is None else base_url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise no_address(base_url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}", dict(parse_qsl(parts.query))


def no_address(base_url: str | None) -> InfrastructureError:
    """Return the refusal of what is no address, without what may be secret."""
    got = (base_url or "").rpartition("@")[2].partition("?")[0]
    return InfrastructureError(
        f"expected an address such as http://localhost:8000/v1, got {got!r}", fatal=True
    )


def secrets_of(base_url: str | None, key: str) -> tuple[str, ...]:
    """Return what no message may hold, in every form in which an endpoint repeats it, the longest first."""
    parts = urlsplit(base_url or "")
    user = parts.netloc.rpartition("@")[0]
    given = [*user.split(":", 1), *(pair.partition("=")[2] or pair for pair in parts.query.split("&"))]
    found = {form for text in given for form in (text, unquote(text), quote(unquote(text), safe=""))}
    found |= {key, user, unquote(user), base64.b64encode(unquote(user).encode()).decode()} - {NO_KEY}
    return tuple(sorted((text for text in found if len(text) >= SHORTEST_SECRET), key=lambda t: (-len(t), t)))


def masked(text: str, secrets: Iterable[str]) -> str:
    """Return a text without what is secret."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def secret_fields(value: object) -> Iterator[str]:
    """Yield the names in a body, at any depth, that are those of keys."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if str(name).casefold().replace("_", "").replace("-", "") in SECRET_FIELDS:
                yield str(name)
            yield from secret_fields(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from secret_fields(inner)
