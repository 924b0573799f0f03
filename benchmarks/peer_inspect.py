"""Fly scripted episodes of 16 turns and 29 calls through Inspect and print what that took, as JSON.

    pip install inspect-ai     (into an environment of its own)
    python benchmarks/peer_inspect.py --episodes 50

The model is Inspect's own scripted one, the loop is the one that its documentation gives for custom agents,
the tools answer a constant, and logs are written as by default. Started by ``benchmarks/bench_llm.py``, it
runs where acoe_gym is not installed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from importlib.metadata import version
from typing import Any

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageTool, ModelOutput, ModelUsage, execute_tools, get_model
from inspect_ai.scorer import Score, accuracy, scorer, stderr
from inspect_ai.solver import solver
from inspect_ai.tool import ToolCall, tool

REPLY = '{"ok":true,"component":"rpm","value":2300,"unit":"RPM"}'
READ = ("get_system", {"component": "rpm"})
WRITE = ("set_system", {"component": "fuel_selector", "value": "BOTH"})
# One write, 13 pairs of reads, a read, and the submit.
TURNS: list[list[tuple[str, dict[str, Any]]]] = [[WRITE], *[[READ, READ]] * 13, [READ], [("submit", {})]]


@tool
def get_system() -> Any:
    """Make the tool that reads."""

    async def execute(component: str) -> str:  # noqa: ARG001
        """Read one component.

        Args:
            component: its name
        """
        return REPLY

    return execute


@tool
def set_system() -> Any:
    """Make the tool that writes."""

    async def execute(component: str, value: str) -> str:  # noqa: ARG001
        """Set one component.

        Args:
            component: its name
            value: what to set it to
        """
        return REPLY

    return execute


@tool
def submit() -> Any:
    """Make the tool that ends an episode."""

    async def execute() -> str:
        """End the episode."""
        return '{"ok":true,"submitted":true}'

    return execute


def reply(messages: list[Any], *_: Any) -> ModelOutput:
    """Return the message whose turn it is."""
    turn = sum(message.role == "assistant" for message in messages)
    output = ModelOutput.from_content("mockllm/model", "I go on.", stop_reason="tool_calls")
    output.message.tool_calls = [
        ToolCall(id=f"{turn:02d}{number}", function=name, arguments=arguments)
        for number, (name, arguments) in enumerate(TURNS[turn])
    ]
    # Without it a tokenizer is fetched to count with.
    output.usage = ModelUsage(input_tokens=1000, output_tokens=50, total_tokens=1050)
    return output


@solver
def pilot() -> Any:
    """Make the loop: ask, run the calls, until the episode is submitted."""

    async def solve(state: Any, generate: Any) -> Any:  # noqa: ARG001
        tools = [get_system(), set_system(), submit()]
        model = get_model()
        while not _submitted(state.messages):
            state.output = await model.generate(state.messages, tools)
            state.messages.append(state.output.message)
            messages, _ = await execute_tools(state.messages, tools)
            state.messages.extend(messages)
        return state

    return solve


def _submitted(messages: list[Any]) -> bool:
    return isinstance(messages[-1], ChatMessageTool) and messages[-1].function == "submit"


@scorer(metrics=[accuracy(), stderr()])
def graded() -> Any:
    """Make a scorer that looks at the number of calls."""

    async def score(state: Any, target: Any) -> Any:  # noqa: ARG001
        calls = sum(isinstance(message, ChatMessageTool) for message in state.messages)
        return Score(value="C" if calls == sum(map(len, TURNS)) else "I")

    return score


def fly(episodes: int) -> tuple[float, float]:
    """Fly episodes and return the seconds of wall and of processor that they took."""
    samples = [Sample(id=f"t{number:04d}", input="The engine quit.") for number in range(episodes)]
    task = inspect_ai.Task(dataset=samples, solver=pilot(), scorer=graded())
    model = get_model("mockllm/model", custom_outputs=reply)
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        (log,) = inspect_ai.eval(task, model=model, log_dir=folder, display="none")
        spent = time.perf_counter() - wall, time.process_time() - cpu
    score = log.results.scores[0].metrics["accuracy"].value if log.results else None
    if log.status != "success" or score != 1.0:
        raise SystemExit(f"expected a whole run, got {log.status}, score {score}")
    return spent


def main() -> None:
    """Fly, and print episodes, calls, and seconds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--episodes", type=int, required=True)
    episodes = parser.parse_args().episodes
    fly(2)  # imports and registries are filled by the first run
    wall, cpu = fly(episodes)
    calls = episodes * sum(map(len, TURNS))
    print(json.dumps({"version": version("inspect_ai"), "calls": calls, "wall": wall, "cpu": cpu}))


if __name__ == "__main__":
    main()
