"""A model's settings: what decides a record, and what must not be written down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from acoe_gym.benchmark.models import Model
from acoe_gym.benchmark.runs import CONFIGURATION, ERRORS, noted

if TYPE_CHECKING:
    from tests.llm.conftest import Server


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (None, None),
        ("http://h:8000/v1", "http://h:8000/v1"),
        ("http://h:8000/v1/", "http://h:8000/v1"),
        ("https://user:word@h/v1?key=abc#top", "https://...@h/v1?..."),
        (
            "https://h.example/openai/deployments/m?api-version=7",
            "https://h.example/openai/deployments/m?...",
        ),
        ("https://h/v1?secret", "https://h/v1?..."),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://a@b@h/v1", "http://...@h/v1"),
    ],
)
def test_the_stored_address_holds_nothing_secret_and_says_where_a_part_is_left_out(
    given: str | None, stored: str | None
) -> None:
    assert Model("m", given).settings()["base_url"] == stored
    assert Model("m", stored).settings()["base_url"] == stored


def test_settings_are_all_that_the_model_is_flown_with() -> None:
    model = Model("m", None, {"temperature": 0}, {"top_k": 1}, "full", "text", ("all",))
    settings = model.settings()
    assert settings.pop("llm_protocol")
    assert json.loads(json.dumps(settings)) == {
        "model": "m", "base_url": None, "params": {"temperature": 0}, "extra_body": {"top_k": 1},
        "harness": "full", "protocol": "text", "echo": ["all"], "null_content": False,
    }  # fmt: skip


def test_no_secret_is_in_any_file_of_a_run_or_in_any_message(
    server: Server, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    key = server.key
    server.queue = [server.error(500, f"bad key {key}"), server.error(400, f"bad key {key}")]
    address = server.url.replace("://", "://user:p4ssw0rd@") + "?key=k3y-in-query"
    server.fly(tmp_path, base_url=address, attempts=2, trials=2)
    written = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {CONFIGURATION, ERRORS} <= set(written)
    said = capfd.readouterr()
    everything = b"".join(written.values()).decode() + said.out + said.err
    assert not [secret for secret in (key, "p4ssw0rd", "k3y-in-query", "user:") if secret in everything]
    assert "k3y-in-query" in server.paths[0]


TOO_LONG = {"error": {"message": "This model's maximum context length is 512 tokens"}}
REFUSED = {"error": {"message": "Failed to call a function", "code": "tool_use_failed"}}


@pytest.mark.parametrize(("body", "note"), [(TOO_LONG, "context_exhausted"), (REFUSED, "call_refused")])
def test_a_refusal_that_is_the_models_doing_costs_turns_and_ends_no_episode(
    server: Server, body: dict[str, Any], note: str
) -> None:
    server.answer = lambda asked: (
        server.says(("list_systems", {})) if server.turn(asked) == 0 else server.reply(body, 400)
    )
    (record,) = server.fly()
    notes = [turn["notes"] for turn in record["pilot"]["turns"]]
    assert notes == [[], *[[note]] * 47]
    assert record["end"] == "truncated"
    assert noted([record], note) == 1
    assert server.complaints == []
