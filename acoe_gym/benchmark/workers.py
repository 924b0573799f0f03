"""Does jobs in threads and hands back what came of each, as it comes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

J = TypeVar("J")
R = TypeVar("R")


@dataclass(frozen=True)
class Done(Generic[J, R]):
    """A job, and its result or what it raised."""

    job: J
    result: R | None
    error: BaseException | None


def work(
    jobs: Sequence[J], do: Callable[[J], R], threads: int, stop: Callable[[], bool]
) -> Iterator[Done[J, R]]:
    """Yield each job when it is done; with one thread in order.

    Args:
        jobs: what is to be done.
        do: does one job.
        threads: jobs under way at once.
        stop: asked before each job whether to begin no more; those under way are finished all the same.

    Threads are daemons: a request that hangs keeps no process alive that wants to end.
    """
    if threads <= 1:
        for job in jobs:
            if stop():
                return
            yield _done(job, do)
        return
    waiting: queue.SimpleQueue[J] = queue.SimpleQueue()
    for job in jobs:
        waiting.put(job)
    finished: queue.SimpleQueue[Done[J, R] | None] = queue.SimpleQueue()
    given_up = threading.Event()
    # A job is begun only once an earlier one was dealt with, so that what stops the work stops it in time.
    free = threading.Semaphore(threads)

    def loop() -> None:
        while free.acquire() and not given_up.is_set() and not stop():
            try:
                job = waiting.get_nowait()
            except queue.Empty:
                break
            finished.put(_done(job, do))
        free.release()
        finished.put(None)

    alive = min(threads, len(jobs))
    for _ in range(alive):
        threading.Thread(target=loop, daemon=True).start()
    try:
        while alive:
            found = finished.get()
            if found is None:
                alive -= 1
            else:
                yield found
                free.release()
    finally:
        given_up.set()
        free.release(threads)


def _done(job: J, do: Callable[[J], R]) -> Done[J, R]:
    try:
        return Done(job, do(job), None)
    except BaseException as error:  # noqa: BLE001 - handed to the caller, which knows what to make of it
        return Done(job, None, error)
