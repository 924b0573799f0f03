"""The command ``acoe``. Exit codes: 0 all is well, 1 something was found or failed, 2 not understood."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from acoe_gym.benchmark.plan import Plan
from acoe_gym.benchmark.policies import POLICIES
from acoe_gym.benchmark.progress import if_looked_at, shown
from acoe_gym.benchmark.records import FILE, read_records, results_of
from acoe_gym.benchmark.replay import replay
from acoe_gym.benchmark.runner import run
from acoe_gym.benchmark.suites import task_of
from acoe_gym.cockpit import library, manifest, validation
from acoe_gym.cockpit.metrics import Summary, aggregate
from acoe_gym.cockpit.scoreboard import comparison_table, summary_json
from acoe_gym.cockpit.text import compact, printable
from acoe_gym.cockpit.tools import json_schemas, openai_tools
from acoe_gym.commands.arguments import UsageError
from acoe_gym.commands.authoring import AUTHORING
from acoe_gym.commands.datasets import (
    CORE_WARNING,
    add_export_options,
    add_generate_options,
    export_lines,
    generate_lines,
)
from acoe_gym.commands.describe import catalogue, spoilers, told
from acoe_gym.commands.evaluation import EVALUATION
from acoe_gym.commands.pages import list_page, show_page
from acoe_gym.commands.proofs import add_prove_options, results
from acoe_gym.commands.tools_page import tools_page
from acoe_gym.errors import AcoeError, UnknownName
from acoe_gym.version import __version__

# Every other policy does the same in each trial.
RANDOM_TRIALS = 20
# Commands that write episodes as they go.
FLYING = frozenset({"demo", "retry", "run"})
# Commands that know the package's own tasks alone, no task at all, or folders by another argument.
WITHOUT_SPECS = frozenset({"demo", "doctor", "manifest", "new", "tasks", "tools", "validate"})


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the words after ``acoe``; those of the process by default.

    Returns:
        The exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        args = _parser().parse_args(argv)
        for path in getattr(args, "specs", ()):
            library.add_root(path)
        code: int = args.command(args)
        sys.stdout.flush()
    except SystemExit as stop:  # argparse has said what it had to say
        return stop.code if isinstance(stop.code, int) else 2
    except BrokenPipeError:
        # The reader has gone, as in `acoe list | head`. Nothing more may be flushed into its pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        flies = not FLYING.isdisjoint((sys.argv[1:] if argv is None else argv)[:1])
        return _complain(f"stopped{'; finished episodes are kept' if flies else ''}", 130)
    except (UnknownName, UsageError) as error:
        return _complain(error, 2)
    except AcoeError as error:
        return _complain(error, 1)
    except OSError as error:
        if error.filename is None:
            raise
        return _complain(f"{error.filename}: {error.strerror}", 1)
    return code


def _complain(message: object, code: int) -> int:
    text = printable(" ".join(str(message).split()))
    print(f"acoe: {text}", file=sys.stderr)
    return code


def _say(text: str) -> None:
    print(printable(text))


def _say_json(value: object) -> None:
    _say(json.dumps(value, indent=1, allow_nan=False))


# The commands.


def _list(args: argparse.Namespace) -> int:
    aircraft = catalogue(args.scope)
    if args.json:
        _say_json(aircraft)
    else:
        _say(list_page(aircraft))
    return 0


def _show(args: argparse.Namespace) -> int:
    task = task_of(args.task)
    answers = spoilers(task) if args.spoilers else None
    if args.json:
        _say_json({**told(task), **({} if answers is None else {"spoilers": answers})})
    else:
        _say(show_page(told(task), answers))
    return 0


def _demo(args: argparse.Namespace) -> int:
    summaries: dict[str, Summary] = {}
    for name in POLICIES:
        trials = RANDOM_TRIALS if name == "random" else 1
        plan = Plan(name, library.task_ids(), trials, args.seed)
        summaries[name] = aggregate(
            results_of(run(plan, args.out / name, progress=if_looked_at())), args.seed
        )
    if args.json:
        _say_json({name: summary_json(summary) for name, summary in summaries.items()})
    else:
        _say(f"every built-in policy over the {len(library.task_ids())} core tasks, seed {args.seed}\n")
        _say(comparison_table(summaries))
        _say(f"\nrecords: {args.out / 'POLICY' / FILE}")
    return 0


def _replay(args: argparse.Namespace) -> int:
    paths = sorted(args.path.rglob(FILE)) if args.path.is_dir() else [args.path]
    if not paths:
        return _complain(f"{args.path}: expected {FILE} in or below the folder, found none", 1)
    return max([_replay_file(path) for path in paths])


def _replay_file(path: Path) -> int:
    records, problems = read_records(path)
    replays = [replay(record) for record in shown(records, path.parent.name)]
    identical = sum(r.identical for r in replays)
    _say(f"{path}: {len(replays)} episodes replayed, {identical} byte-identical, {len(problems)} unreadable")
    for problem in problems:
        _say(f"  {problem}")
    for result in replays:
        for difference in result.differences:
            _say(f"  {result.task} trial {result.trial}: {difference}")
    return 0 if replays and identical == len(replays) and not problems else 1


def _validate(args: argparse.Namespace) -> int:
    aircraft = [world_id for path in args.path for world_id in library.add_root(path)]
    templates = [t for world_id in aircraft or library.aircraft() for t in library.template_ids(world_id)]
    report = validation.validate(templates, solutions=args.solutions)
    differences = manifest.check() if args.manifest else []
    if args.json:
        _say_json({"ok": report.ok, **asdict(report), "manifest": differences})
    else:
        _say("\n".join([*report.lines(), *differences]))
    return 0 if report.ok and not differences else 1


def _prove(args: argparse.Namespace) -> int:
    code = 0
    for result in results(args):
        code |= not result.ok
        _say(compact({"ok": result.ok, **asdict(result)}) if args.json else "\n".join(result.lines()))
        sys.stdout.flush()
    return code


def _tools(args: argparse.Namespace) -> int:
    if args.format == "markdown":
        _say(tools_page().rstrip("\n"))
    else:
        _say_json(openai_tools() if args.format == "openai" else json_schemas())
    return 0


def _manifest(args: argparse.Namespace) -> int:
    if args.write:
        _say(f"wrote {manifest.write()}")
        return 0
    differences = manifest.check()
    _say("\n".join(differences or ["the manifest agrees with the specifications"]))
    return 1 if differences else 0


def _carry_out(args: argparse.Namespace) -> int:
    code: int = args.carry_out(args, _say)
    return code


def _lines(args: argparse.Namespace) -> int:
    for line in args.lines(args):
        _say(line)
    return 0


def _generate(args: argparse.Namespace) -> int:
    for line in generate_lines(args):
        _say(line)
    return 0


def _export(args: argparse.Namespace) -> int:
    for line in export_lines(args):
        _say(line)
    return _complain(CORE_WARNING, 0) if args.suite == "core" else 0


# The words of the command line.


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="acoe",
        description="A virtual cockpit: emergency procedures as tasks, graded for goals and for safety.",
        epilog="Start with `acoe list`, `acoe show TASK` and `acoe run --policy reference --task TASK`.\n"
        "Exit codes: 0 all is well, 1 something was found or failed, 2 the command was not understood.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"acoe_gym {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (
        _add_list,
        _add_show,
        _add_evaluation,
        _add_demo,
        _add_replay,
        _add_generate,
        _add_export,
        _add_validate,
        _add_prove,
        _add_tools,
        _add_manifest,
        _add_authoring,
    ):
        add(commands)
    return parser


def _add(
    commands: Any, name: str, function: Callable[[argparse.Namespace], int], about: str, example: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(command=function)
    if name not in WITHOUT_SPECS:
        parser.add_argument(
            "--specs", type=Path, action="append", default=[], metavar="DIR",
            help="a folder that holds aircraft folders of your own (repeatable)",
        )  # fmt: skip
    return parser


def _add_list(commands: Any) -> None:
    about = "list aircraft, templates, core tasks and their Gymnasium ids"
    parser = _add(commands, "list", _list, about, "acoe list c172s/engine_restart")
    parser.add_argument("scope", nargs="?", metavar="AIRCRAFT|TEMPLATE", help="list this alone")
    _add_json(parser)


def _add_show(commands: Any) -> None:
    about = "show a task as its pilot is told of it"
    example = "acoe show c172s/engine_restart/stopped_prop_left_tank --spoilers"
    parser = _add(commands, "show", _show, about, example)
    parser.add_argument("task", metavar="TASK", help="id of a core task, or TEMPLATE/generated/SEED")
    parser.add_argument(
        "--spoilers", action="store_true", help="show start, goals, constraints, procedure and facts too"
    )
    _add_json(parser)


def _add_demo(commands: Any) -> None:
    about = "fly every core task with every built-in policy and print one table"
    parser = _add(commands, "demo", _demo, about, "acoe demo --out demo-records")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="write records to DIR/POLICY")
    _add_seed(parser)
    _add_json(parser)


def _add_replay(commands: Any) -> None:
    about = "execute records again and prove that every byte comes out as recorded"
    parser = _add(commands, "replay", _replay, about, "acoe replay demo-records")
    parser.add_argument(
        "path", type=Path, metavar="FILE|DIR", help=f"a file of records, or a folder with {FILE}"
    )


def _add_generate(commands: Any) -> None:
    about = "draw variants of templates and print them as JSON lines, or count how many differ"
    example = "acoe generate --template c172s/engine_restart --count 100 --split train --out variants.jsonl"
    add_generate_options(_add(commands, "generate", _generate, about, example))


def _add_export(commands: Any) -> None:
    about = "write datasets to train on: reference episodes, preference pairs, labelled trajectories"
    example = "acoe export --format openai-chat --count 100 --out chats.jsonl"
    add_export_options(_add(commands, "export", _export, about, example))


def _add_validate(commands: Any) -> None:
    about = "prove tasks sound: solvable, not trivial, unsafe acts possible, sources cited"
    parser = _add(commands, "validate", _validate, about, "acoe validate my_specs")
    parser.add_argument(
        "path", type=Path, nargs="*", metavar="PATH",
        help="a folder that holds aircraft folders; without one the package's own tasks are validated",
    )  # fmt: skip
    parser.add_argument("--solutions", action="store_true", help="search the shortest safe solutions too")
    parser.add_argument("--manifest", action="store_true", help="check the manifest of frozen tasks too")
    _add_json(parser)


def _add_prove(commands: Any) -> None:
    about = "search tasks for shortest safe solutions, unavoidable constraints and traps"
    add_prove_options(_add(commands, "prove", _prove, about, "acoe prove c172s/engine_restart"))


def _add_tools(commands: Any) -> None:
    about = "print the 12 tools"
    parser = _add(commands, "tools", _tools, about, "acoe tools --format openai > tools.json")
    parser.add_argument("--format", choices=("openai", "json-schema", "markdown"), required=True)


def _add_manifest(commands: Any) -> None:
    about = "check or write the manifest of frozen tasks and their hashes"
    parser = _add(commands, "manifest", _manifest, about, "acoe manifest --check")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--check", action="store_true", help="tell how manifest and specifications differ")
    group.add_argument("--write", action="store_true", help="write it anew; scores change their meaning")


def _add_evaluation(commands: Any) -> None:
    for command in EVALUATION:
        parser = _add(commands, command.name, _carry_out, command.about, command.example)
        command.options(parser)
        parser.set_defaults(carry_out=command.carry_out)


def _add_authoring(commands: Any) -> None:
    for command in AUTHORING:
        parser = _add(commands, command.name, _lines, command.about, command.example)
        command.options(parser)
        parser.set_defaults(lines=command.lines)


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="default 0")


if __name__ == "__main__":
    sys.exit(main())
