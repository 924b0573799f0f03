"""The command ``acoe run``: a built-in policy or a model over some tasks."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.models import Model, estimate
from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.policies import POLICIES
from acoe_gym.benchmark.policies import policy as built_in
from acoe_gym.benchmark.progress import Ticker, if_looked_at
from acoe_gym.benchmark.records import FILE, results_of
from acoe_gym.benchmark.runner import run
from acoe_gym.benchmark.runs import ERRORS, noted, read_run
from acoe_gym.benchmark.suites import SUITES, generated_ids, task_of
from acoe_gym.benchmark.tokens import token_use
from acoe_gym.cockpit import library
from acoe_gym.cockpit.metrics import aggregate
from acoe_gym.cockpit.scoreboard import summary_json, summary_table, task_table
from acoe_gym.commands.arguments import UsageError, default_templates, fraction, pairs, positive
from acoe_gym.commands.metrics import token_lines
from acoe_gym.wrappers.llm.chat import ChatPolicy, protocol
from acoe_gym.wrappers.llm.conversation import PROTOCOLS
from acoe_gym.wrappers.llm.harness import HARNESSES
from acoe_gym.wrappers.llm.policies import ReferencePolicy

ABOUT = (
    "fly tasks with a model or a built-in policy and print the metrics; the same command goes on after a stop"
)
EXAMPLE = (
    "acoe run --model qwen3-32b --base-url http://localhost:8000/v1 --trials 3\n"
    "  acoe run --policy random --template c172s/engine_restart --trials 20 --out runs/random"
)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--policy", metavar="NAME", help=", ".join(POLICIES))
    who.add_argument("--model", metavar="NAME", help="as the endpoint knows it; needs acoe_gym[llm]")
    parser.add_argument("--task", action="append", default=[], metavar="ID", help="a core task (repeatable)")
    parser.add_argument(
        "--template", action="append", default=[], metavar="ID",
        help="the tasks of this template (repeatable); without --task and --template: of all templates, with "
        "--specs: of those there",
    )  # fmt: skip
    parser.add_argument(
        "--suite", choices=SUITES, default="core",
        help="core: the frozen tasks, N times each; generated: N variants per template, from seed S on",
    )  # fmt: skip
    parser.add_argument(
        "--trials", type=positive, metavar="N", help=f"default {protocol()['trials']} for a model, else 1"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR",
        help="write the run there; a stopped one goes on. Default for a model: runs/MODEL, for a policy none",
    )  # fmt: skip
    parser.add_argument(
        "--allow-partial", action="store_true", help="print metrics although episodes are missing"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="default 0")
    parser.add_argument("--json", action="store_true", help="print JSON")
    _add_model_options(parser.add_argument_group("a model"))


def _add_model_options(group: Any) -> None:
    group.add_argument(
        "--base-url", metavar="URL", help="of an OpenAI-compatible endpoint; key: ACOE_API_KEY"
    )
    group.add_argument(
        "--param", action="append", default=[], metavar="K=V",
        help="argument of each request, JSON or text, such as temperature=0 (repeatable)",
    )  # fmt: skip
    group.add_argument("--extra-body", metavar="JSON", help="fields that only this endpoint knows")
    group.add_argument("--harness", choices=list(HARNESSES), default="none", help="default none")
    group.add_argument(
        "--protocol", choices=PROTOCOLS, default="tools",
        help="tools: native function calling; text: calls in the text, for servers without it",
    )  # fmt: skip
    group.add_argument(
        "--echo", action="append", default=[], metavar="FIELD",
        help="send this field of the model's messages back, such as reasoning_content; all: every field",
    )  # fmt: skip
    group.add_argument(
        "--null-content", action="store_true",
        help="send null, and not an empty text, where a message only makes calls",
    )  # fmt: skip
    group.add_argument(
        "--concurrency", type=positive, default=protocol()["concurrency"], metavar="N",
        help=f"episodes at once, default {protocol()['concurrency']}",
    )  # fmt: skip
    group.add_argument("--estimate", action="store_true", help="print what the run would take, and stop")
    group.add_argument("--smoke", action="store_true", help="one task of each aircraft, once")
    add_budget_options(group)
    for name, what in (("in", "prompt"), ("out", "completion")):
        group.add_argument(f"--price-{name}", type=fraction, metavar="X", help=f"per million {what} tokens")
    group.add_argument("--label", metavar="TEXT", help="name in tables")
    group.add_argument("--open-weights", choices=("yes", "no"), help="for tables")
    group.add_argument("--parameters", metavar="TEXT", help="for tables, such as 397B/17B")


def add_budget_options(group: Any) -> None:
    """Add the options that bound what a run takes."""
    group.add_argument(
        "--max-tokens", type=positive, metavar="N",
        help="start no episode after so many in the whole run; of one reply: --param max_tokens=N",
    )  # fmt: skip
    group.add_argument("--max-cost", type=fraction, metavar="X", help="start no episode after so much money")


def prices_of(about: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return the prices per million prompt and completion tokens, None unless both are known."""
    price_in, price_out = about.get("price_in"), about.get("price_out")
    return None if price_in is None or price_out is None else (price_in, price_out)


def run_command(args: argparse.Namespace, say: Callable[[str], None]) -> int:
    """Carry the command out and return the exit code: 1 if episodes are missing."""
    if args.policy is not None:
        built_in(args.policy)
        _refuse_model_options(args)
        return _told(args, Plan(args.policy, *_scope(args), args.seed, args.suite), say, {})
    model = model_of(args)
    tasks, trials = _scope(args)
    if args.estimate:
        for line in _estimate(model, tasks, trials, args):
            say(line)
        return 0
    if args.max_cost is not None and prices_of(about(args)) is None:
        raise UsageError("--max-cost needs --price-in and --price-out")
    args.out = args.out or default_folder(args)
    policy = model.policy()
    return _told(args, model.plan(tasks, trials, args.suite, args.seed), say, model_run(args, model, policy))


def _refuse_model_options(args: argparse.Namespace) -> None:
    """Raise UsageError if an option of a model was given."""
    parser = argparse.ArgumentParser()
    _add_model_options(parser)
    for name, unset in vars(parser.parse_args([])).items():
        if getattr(args, name) != unset:
            raise UsageError(f"--{name.replace('_', '-')} is for a model; leave it out with --policy")


def default_folder(args: argparse.Namespace) -> Path:
    """Return where a model's run goes: nothing that a model cost is lost, and the same command goes on."""
    parts = [args.model]
    parts += [] if args.harness == "none" else [args.harness]
    parts += [] if args.protocol == "tools" else [args.protocol]
    parts += [] if args.suite == "core" else [args.suite]
    parts += ["smoke"] if args.smoke else []
    # What is no plain letter could be a path, or be refused by a file system.
    return Path("runs") / (re.sub("[^A-Za-z0-9._-]+", "-", "-".join(parts)).strip("-.") or "model")


def model_run(args: argparse.Namespace, model: Model, policy: ChatPolicy) -> dict[str, Any]:
    """Return the arguments of `acoe_gym.benchmark.runner.run` that fly a model."""
    return {
        "flight": model.flight(lambda task: policy),  # noqa: ARG005
        "threads": args.concurrency,
        "attempts": protocol()["attempts_per_episode"],
        "about": about(args),
        "progress": Ticker(args.max_tokens, args.max_cost, prices_of(about(args))),
    }


def model_of(args: argparse.Namespace) -> Model:
    """Return the model that the options describe."""
    extra = json_object(args.extra_body, "--extra-body")
    return Model(
        args.model, args.base_url, pairs(args.param), extra,
        args.harness, args.protocol, tuple(args.echo), args.null_content,
    )  # fmt: skip


def json_object(text: str | None, option: str) -> dict[str, Any]:
    """Return an option that is a JSON object."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UsageError(f'{option} expects a JSON object, such as {{"top_k": 1}}, got {text!r}')
    return found


def about(args: argparse.Namespace) -> dict[str, Any]:
    """Return what tables say of the model, as far as it was given."""
    weights = {"yes": True, "no": False}.get(args.open_weights or "")
    given = {
        "label": args.label, "open_weights": weights, "parameters": args.parameters,
        "price_in": args.price_in, "price_out": args.price_out,
    }  # fmt: skip
    return {key: value for key, value in given.items() if value is not None}


def _scope(args: argparse.Namespace) -> tuple[tuple[str, ...], int]:
    """Return the ids of the tasks and the number of trials."""
    trials = args.trials or (1 if args.model is None else int(protocol()["trials"]))
    if args.smoke:
        if args.task or args.template or args.trials or args.suite != "core":
            raise UsageError("--smoke chooses tasks itself: leave --task, --template, --trials, --suite out")
        backwards = reversed(default_templates(args.specs))
        first = {name.partition("/")[0]: library.task_ids(name)[0] for name in backwards}
        return tuple(first[name] for name in sorted(first)), 1
    templates = args.template or ([] if args.task else default_templates(args.specs))
    for template_id in templates:
        library.template(template_id)
    if args.suite == "generated":
        if args.task:
            raise UsageError("--task names core tasks; with --suite generated use --template")
        return generated_ids(templates, args.seed, trials), 1
    chosen = [task_id for template_id in templates for task_id in library.task_ids(template_id)]
    return tuple(dict.fromkeys([*chosen, *(task_of(task_id).id for task_id in args.task)])), trials


def _told(args: argparse.Namespace, plan: Plan, say: Callable[[str], None], how: dict[str, Any]) -> int:
    """Fly a plan and say what came of it."""
    progress = how.get("progress") or if_looked_at()
    records = run(plan, args.out, **{**how, "progress": progress})
    missing = len(plan.episodes()) - len(records)
    if not records or (missing and not args.allow_partial):
        say(refusal(missing, len(plan.episodes()), args.out, progress.stop(), some=bool(records)))
        return 1
    summary = aggregate(results_of(records), args.seed)
    if args.json:
        say(json.dumps({**summary_json(summary), "missing": missing}, indent=1, allow_nan=False))
        return 1 if missing else 0
    say(f"{'policy' if args.policy else 'model'} {plan.policy}, suite {args.suite}, seed {args.seed}")
    if missing:
        why = f"; the run stopped: {stopped}" if (stopped := progress.stop()) else ""
        say(f"PARTIAL: {missing} of {len(plan.episodes())} episodes are missing{why}")
    full = noted(records, "context_exhausted")
    if full:
        say(f"{full} episodes went on without the model, whose context was full")
    say(summary_table(summary))
    if args.suite == "core":
        say(f"\n{task_table(summary)}")
    if args.out is not None:
        if args.model:
            say("")
            for line in token_lines(token_use(read_run(args.out))):
                say(line)
        say(f"\nrecords: {args.out / FILE}")
    return 1 if missing else 0


def refusal(missing: int, planned: int, out: Path | None, stopped: str = "", *, some: bool = True) -> str:
    """Return why no metrics are printed, and what to do.

    Args:
        missing: number of episodes without a record.
        planned: number of all episodes.
        out: folder of the run.
        stopped: why the run was stopped, and what would let it go on.
        some: whether there are episodes at all.
    """
    where = f"; their errors stand in {out / ERRORS}" if out is not None and (out / ERRORS).exists() else ""
    again = f"The run stopped: {stopped}, and run" if stopped else "Run"
    partial = ", or add --allow-partial" if some else ""
    return (
        f"no metrics: {missing} of {planned} episodes are missing{where}. "
        f"{again} the same command again to fly them{partial}"
    )


def _estimate(model: Model, tasks: Sequence[str], trials: int, args: argparse.Namespace) -> Iterator[str]:
    told = estimate(model, [task_of(task_id) for task_id in tasks], trials, ReferencePolicy)
    yield f"{told.episodes} episodes; flown as the reference flies, one call a turn:"
    yield f"  turns              {told.turns:>14,}"
    yield f"  calls              {told.calls:>14,}"
    yield f"  prompt tokens      {told.prompt:>14,}   of which new to the endpoint {told.uncached:,}"
    yield f"  completion tokens  {told.completion:>14,}   the calls alone, without any thinking"
    if args.price_in is not None and args.price_out is not None:
        yield f"  cost               {told.cost(args.price_in, args.price_out):>14,.2f}   without a cache"
    yield "Tokens are characters / 4. A model that makes several calls a turn sends less."
