"""A scripted endpoint on loopback: it checks histories as the strictest server does, and fails as told."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from acoe_gym.benchmark.models import Model
from acoe_gym.benchmark.progress import Progress
from acoe_gym.benchmark.records import Record
from acoe_gym.benchmark.runner import run
from acoe_gym.wrappers.llm import llm_policy
from acoe_gym.wrappers.llm.chat import ChatPolicy

TASK = "c172s/engine_restart/stopped_prop_left_tank"
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}
KEY = "sk-secret-3141"
# What may follow what; a tool message also needs a call that waits for it.
FOLLOWS = {
    None: {"system"}, "system": {"user"}, "user": {"assistant"},
    "assistant": {"user", "tool"}, "tool": {"tool", "assistant"},
}  # fmt: skip


def complaint(messages: Any, known: Sequence[str] | None = ()) -> str | None:
    """Return what a server that checks everything says against a history, or None.

    Args:
        messages: the history.
        known: further fields that an assistant message may hold; None allows all.
    """
    last: str | None = None
    ids: set[str] = set()
    waiting: list[str] = []
    for number, message in enumerate(messages):
        role = message.get("role")
        if role not in FOLLOWS[last]:
            return f"message {number}: {role} after {last}"
        if waiting and role != "tool":
            return f"message {number}: no reply to {waiting}"
        if known is not None and (odd := set(message) - FIELDS[role] - set(known)):
            return f"message {number}: unknown fields {sorted(odd)}"
        wrong = _content(message)
        if role == "tool":
            if not waiting or message.get("tool_call_id") != waiting.pop(0):
                wrong = "a reply to no call"
        elif role == "assistant":
            wrong = wrong or _calls(message.get("tool_calls"), ids, waiting, known)
        if wrong:
            return f"message {number}: {wrong}"
        last = role
    return None if last in ("user", "tool") and not waiting else f"ends with {last}, waits for {waiting}"


def _content(message: Mapping[str, Any]) -> str | None:
    content = message.get("content")
    if message.get("content", ...) in (None, "") and message.get("tool_calls"):
        return None
    if not isinstance(content, str) or not content.strip():
        return f"content {content!r:.20}"
    json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8")
    return None


def _calls(calls: Any, ids: set[str], waiting: list[str], known: Sequence[str] | None) -> str | None:
    if calls is None:
        return None
    if not isinstance(calls, list) or not calls:
        return "tool_calls expect a list that is not empty"
    for call in calls:
        function = call["function"]
        odd = set(call) - {"id", "type", "function"} - set(call if known is None else known)
        if odd or not {"id", "type"} <= set(call) or set(function) != {"name", "arguments"}:
            return "a call of unknown form"
        if call["type"] != "function" or not NAME.fullmatch(function["name"]):
            return f"name {function['name']!r}"
        if not isinstance(call["id"], str) or not call["id"] or call["id"] in ids:
            return f"id {call['id']!r}"
        try:
            sound = isinstance(json.loads(function["arguments"]), dict)
        except (TypeError, ValueError):
            sound = False
        if not sound:
            return f"arguments {function['arguments']!r:.40}"
        ids.add(call["id"])
        waiting.append(call["id"])
    return None


@dataclass
class Reply:
    """What the endpoint does with a request.

    Attributes:
        body: JSON, or bytes that are sent as they are.
        hang: seconds to wait first; the end of the test cuts it short.
        cut: bytes that are announced and never sent.
        reset: the connection is reset instead.
        trickle: seconds between one byte of the body and the next.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang: float = 0.0
    cut: int = 0
    reset: bool = False
    trickle: float = 0.0


Asked = dict[str, Any]
Answer = Callable[[Asked], Any]
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


class Server:
    """The endpoint.

    Attributes:
        queue: replies to the next requests, in order: bodies, or `Reply`.
        answer: makes the reply to a request once the queue is empty.
        asked: the body of every request.
        paths, headers: of every request; names of headers in lower case.
        complaints: what was wrong with histories.
        known: further fields that assistant messages may hold; None allows all.
        key: of its clients.
    """

    def __init__(self) -> None:
        self.queue: list[Any] = []
        self.answer: Answer = lambda _: self.says(("submit", {}))
        self.asked: list[Asked] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.complaints: list[str] = []
        self.known: Sequence[str] | None = ()
        self.key = KEY
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self.address = f"127.0.0.1:{self._http.server_address[1]}"
        self.url = f"http://{self.address}/v1"
        # A short poll makes the end of a test quick.
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """End it, and whatever hangs."""
        self.over.set()
        self._http.shutdown()
        self._http.server_close()

    def next(self, path: str, headers: dict[str, str], asked: Asked) -> Reply:
        """Return the reply to a request."""
        with self._lock:
            self.asked.append(asked)
            self.paths.append(path)
            self.headers.append(headers)
            wrong = complaint(asked["messages"], self.known)
            if wrong:
                self.complaints.append(wrong)
                return Reply({"error": {"message": wrong}}, 400)
            found = self.queue.pop(0) if self.queue else self.answer(asked)
        return found if isinstance(found, Reply) else Reply(found)

    @staticmethod
    def reply(body: Any = None, status: int = 200, **how: Any) -> Reply:
        """Return a reply that is more than a body."""
        return Reply(body, status, **how)

    @staticmethod
    def error(status: int, message: str = "no", **how: Any) -> Reply:
        """Return a refusal."""
        return Reply({"error": {"message": message}}, status, **how)

    @staticmethod
    def body(message: Any, finish: Any = "stop", **changes: Any) -> dict[str, Any]:
        """Return a chat completion; a change to ``...`` leaves the field out."""
        whole = {
            "id": "x", "object": "chat.completion", "created": 0, "model": "served", "usage": USAGE,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}], **changes,
        }  # fmt: skip
        return {key: value for key, value in whole.items() if value is not ...}

    @classmethod
    def says(cls, *calls: tuple[Any, Any], text: str = "", number: int = 0, **changes: Any) -> dict[str, Any]:
        """Return a completion that makes calls; arguments that are a text are sent as they are."""
        made = [
            {
                "id": f"c{number}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": raw if isinstance(raw, str) else json.dumps(raw)},
            }
            for place, (name, raw) in enumerate(calls)
        ]
        message = {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}
        return cls.body(message, **changes)

    def flies(self, *turns: Sequence[tuple[Any, Any]]) -> None:
        """Answer every episode with these turns, and then with submit; told apart by their histories."""

        def answer(asked: Asked) -> Any:
            turn = self.turn(asked)
            calls = turns[turn] if turn < len(turns) else [("submit", {})]
            return self.says(*calls, number=turn)

        self.answer = answer

    @staticmethod
    def turn(asked: Asked) -> int:
        """Return how often the model of a request has spoken."""
        return sum(message["role"] == "assistant" for message in asked["messages"])

    @staticmethod
    def told(asked: Asked, place: int = -1) -> dict[str, Any]:
        """Return a reply that a request tells the model of."""
        tools = [m["content"] for m in asked["messages"] if m["role"] == "tool"]
        return dict(json.loads(tools[place]))

    def fly(self, out: Path | None = None, **how: Any) -> list[Record]:
        """Fly episodes with a model behind this endpoint.

        Args:
            out: folder of the run.
            how: ``tasks``, ``trials``, ``threads``, ``attempts``, ``progress`` of the run; of the policy
                ``timeout`` and ``tries`` per request; the rest are settings of the model.
        """
        tasks, trials = how.pop("tasks", (TASK,)), how.pop("trials", 1)
        rest = {name: how.pop(name) for name in ("threads", "attempts", "about") if name in how}
        progress: Progress | None = how.pop("progress", None)
        tries, timeout = how.pop("tries", 3), how.pop("timeout", 5.0)
        model = Model(how.pop("model", "m"), how.pop("base_url", self.url), **how)
        policy: ChatPolicy = llm_policy.LLMPolicy(
            model.model, model.base_url, params=model.params, extra_body=model.extra_body,
            attempts=tries, timeout=timeout,
        )  # fmt: skip
        plan = model.plan(tasks, trials)
        return run(plan, out, flight=model.flight(lambda _: policy), progress=progress, **rest)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    # Many episodes begin at once.
    request_queue_size = 64
    owner: Server

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients go away in the middle of much of what is tested."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Http

    def do_POST(self) -> None:
        """Answer a request."""
        owner = self.server.owner
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        reply = owner.next(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw))
        owner.over.wait(reply.hang)
        if reply.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body) + reply.cut)}
        for name, value in {**headers, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        for place in range(len(body) if reply.trickle else 0):
            self.wfile.write(body[place : place + 1])
            self.wfile.flush()
            owner.over.wait(reply.trickle)
        self.wfile.write(b"" if reply.trickle else body)
        self.close_connection = reply.cut > 0

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give an endpoint whose clients wait briefly, hold a key, and are closed with it."""
    openai = pytest.importorskip("openai")
    pytest.importorskip("tenacity")
    # Spare every client the reading of certificates, which takes longer than most tests.
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path_factory.getbasetemp()))
    monkeypatch.setattr(llm_policy, "FIRST_WAIT_S", 0.01)
    monkeypatch.setenv("ACOE_API_KEY", KEY)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    clients: list[Any] = []
    made = openai.OpenAI

    def remembered(**how: Any) -> Any:
        clients.append(made(**how))
        return clients[-1]

    monkeypatch.setattr(openai, "OpenAI", remembered)
    endpoint = Server()
    yield endpoint
    endpoint.close()
    for client in clients:
        client.close()


@pytest.fixture(scope="session")
def check() -> Callable[..., str | None]:
    """Return the checker of histories."""
    return complaint
