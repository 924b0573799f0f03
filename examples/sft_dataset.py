"""Write 50 chats to fine-tune a model on, from variants that are kept apart from the benchmark, and show one.

    python examples/sft_dataset.py chats.jsonl

Each line holds the columns ``messages`` and ``tools``, which fine-tuning trainers for chats read as they are:
for example ``datasets.load_dataset("json", data_files="chats.jsonl")`` for TRL's SFTTrainer.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.datasets.export import export
from acoe_gym.benchmark.datasets.selection import Selection

TEMPLATES = ("c172s/electrical_fire", "c172s/engine_restart")


def shown(message: dict[str, Any]) -> str:
    """Return a message as one line, cut where it is long."""
    calls = [call["function"] for call in message.get("tool_calls", ())]
    text = ", ".join(f"{call['name']} {call['arguments']}" for call in calls) or message["content"]
    return f"{message['role']:>9}: {' '.join(text.split())[:90]}"


def main() -> None:
    """Write the file, then print its first chat."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other variants")
    args = parser.parse_args()
    selection = Selection("generated", TEMPLATES, count=25, seed=args.seed, split="train")
    written = export("openai-chat", selection, args.out)
    with args.out.open(encoding="utf-8") as file:
        chat = json.loads(next(file))
    for message in chat["messages"]:
        print(shown(message))
    print(f"{written.rows} chats in {written.path}, described in {written.meta}")


if __name__ == "__main__":
    main()
