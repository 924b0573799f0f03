"""The commands of an evaluation: run, retry, regrade, doctor, metrics, compare, failures, report, play."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from acoe_gym.commands import again, compare, doctor, failures, metrics, play, report, run

Say = Callable[[str], None]


@dataclass(frozen=True)
class Command:
    """A command that says lines and returns an exit code.

    Attributes:
        options: adds its options to a parser.
        carry_out: does what the options ask for.
    """

    name: str
    about: str
    example: str
    options: Callable[[argparse.ArgumentParser], None]
    carry_out: Callable[[argparse.Namespace, Say], int]


def _said(lines: Callable[[argparse.Namespace], Iterable[str]]) -> Callable[[argparse.Namespace, Say], int]:
    """Return what says lines, for a command that always succeeds."""

    def carry_out(args: argparse.Namespace, say: Say) -> int:
        for line in lines(args):
            say(line)
        return 0

    return carry_out


def _compare(args: argparse.Namespace, say: Say) -> int:
    lines, code = compare.compare_result(args)
    for line in lines:
        say(line)
    return code


EVALUATION = (
    Command("run", run.ABOUT, run.EXAMPLE, run.add_run_options, run.run_command),
    Command(
        "retry",
        "fly the episodes of a run that are missing",
        "acoe retry runs/qwen3-32b",
        again.add_retry_options,
        again.retry_command,
    ),
    Command(
        "regrade",
        "judge the calls of an old run by the tasks as they stand now",
        "acoe regrade runs/old --out runs/old-regraded",
        again.add_regrade_options,
        _said(again.regrade_lines),
    ),
    Command(
        "doctor",
        "ask an endpoint what it can do: tools, several calls, ids, token counts",
        "acoe doctor --model qwen3-32b --base-url http://localhost:8000/v1",
        doctor.add_doctor_options,
        doctor.doctor_command,
    ),
    Command(
        "metrics",
        "print all metrics of runs: intervals, tokens, tool use, difficulty",
        "acoe metrics runs/qwen3-32b runs/glm-5",
        metrics.add_metrics_options,
        _said(metrics.metrics_lines),
    ),
    Command(
        "compare",
        "compare two runs: paired differences, tasks that flipped, noise; or core tasks with fresh variants",
        "acoe compare runs/before runs/after --fail-if-worse",
        compare.add_compare_options,
        _compare,
    ),
    Command(
        "failures",
        "tell how the failed episodes of a run failed, with the calls that show it",
        "acoe failures runs/qwen3-32b",
        failures.add_failures_options,
        _said(failures.failures_lines),
    ),
    Command(
        "report",
        "write runs as one HTML page with every trajectory, figures and tables; needs acoe_gym[report]",
        "acoe report runs/qwen3-32b runs/glm-5 --out report",
        report.add_report_options,
        report.report_command,
    ),
    Command(
        "play",
        "fly a task yourself in the terminal; needs acoe_gym[play], or --plain",
        "acoe play --random",
        play.add_play_options,
        lambda args, say: play.play_command(args),  # noqa: ARG005
    ),
)
