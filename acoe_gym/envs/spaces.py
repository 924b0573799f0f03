"""The spaces of the text face: ASCII of bounded length out, encoded calls in.

Both stand guard where other libraries would fail late or garble what passes.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import batch_space, create_shared_memory, iterate

from acoe_gym.cockpit.domains import shown
from acoe_gym.errors import AdapterNeeded

# An explicit, ordered string: the order of a charset given as a set depends on the hash seed.
CHARSET = string.ascii_letters + string.digits + string.punctuation + " \n"
MAX_LENGTH = 32_768
CUT = (
    '\n{"ok":false,"error":{"code":"too_many_calls",'
    '"message":"the answers to the other calls are left out","legal":null}}'
)


def joined(replies: Sequence[str]) -> str:
    """Return replies as an observation, one a line.

    The replies to hundreds of calls that were not run are cut, visibly.
    """
    text = "\n".join(replies)
    return text if len(text) <= MAX_LENGTH else text[: text.rfind("\n", 0, MAX_LENGTH - len(CUT))] + CUT


class ReplyText(spaces.Text):
    """Printable ASCII and newlines, 0 to 32,768 characters."""

    def __init__(self) -> None:
        super().__init__(min_length=0, max_length=MAX_LENGTH, charset=CHARSET)

    @property
    def spaces(self) -> NoReturn:
        """Asked for by libraries that need arrays: Stable-Baselines3 looks for nested spaces first.

        Raises:
            AdapterNeeded: always; the message names the adapter.
        """
        raise AdapterNeeded(
            "expected an array observation for this library, got text; make the flat twin of this id "
            "(ACOE-C172S-EngineRestart-Flat-v0) or wrap: BeliefObservation(FlatActions(env)) "
            "from acoe_gym.wrappers"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return ReplyText, ()


@create_shared_memory.register(ReplyText)
def _no_shared_memory(space: ReplyText, n: int = 1, ctx: Any = None) -> NoReturn:  # noqa: ARG001 (Gymnasium's own signature)
    # AsyncVectorEnv reads its shared buffer once, so that every text after the first would come back garbled.
    raise CustomSpaceError("ACOE text observations need AsyncVectorEnv(..., shared_memory=False)")


class CallSpace(spaces.Dict):
    """One encoded call; vector environments over it also take a list, one action of any form each."""


class CallBatch(spaces.Dict):
    """A batch of encoded calls, as a vector environment's action space."""


@batch_space.register(CallSpace)
def _batched(space: CallSpace, n: int = 1) -> CallBatch:
    return CallBatch({key: batch_space(part, n) for key, part in space.items()})


@iterate.register(CallBatch)
def _one_each(space: CallBatch, items: Any) -> Iterator[Any]:  # type: ignore[misc] # of a Space[T], says Gymnasium
    if isinstance(items, Mapping) and set(items) == set(space):
        return iter([dict(zip(items, numbers, strict=True)) for numbers in zip(*items.values(), strict=True)])
    count = next(iter(space.values())).shape[0]  # type: ignore[index]
    if isinstance(items, list | tuple) and len(items) == count:
        return iter(items)
    raise ValueError(
        f"expected {count} actions in a list, one per environment, or a batch of what encode(call) returns, "
        f"got {shown(items)}"
    )
