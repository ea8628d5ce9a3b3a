# SPDX-License-Identifier: MIT
"""What export asks of the native core: baked codebooks, and evaluations to compare with the
reference. The only module here that knows the core's names for them.

Relies on `_core`; `verify` and the command line rely on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.engine.errors import BadNet

__all__ = ["has_native", "native_codebooks", "native_evaluate"]


def _function(name: str) -> Callable[..., Any] | None:
    return getattr(_core, name, None)


def has_native() -> bool:
    """Whether the native core of this build knows Mixnet."""
    return _function("mixnet_codebooks") is not None


def native_codebooks(data: bytes, threads: int = 0) -> dict[str, npt.NDArray[np.int16]]:
    """Bake the net of a file's bytes: int16 [397488, C] for "hv" and "di". Raises BadNet."""
    straight, diagonal = _call("mixnet_codebooks", data, threads)
    return {"hv": straight, "di": diagonal}


def native_evaluate(
    data: bytes, boards: npt.NDArray[np.uint8], to_move: npt.NDArray[np.uint8]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Value logits [N, 3] and policy logits [N, H, W] of boards [N, H, W] (0 empty, 1 black, 2
    white) with these sides to move, as integers. Raises BadNet."""
    value, policy = _call("mixnet_evaluate", data, boards, to_move)
    return value, policy


def _call(name: str, *arguments: Any) -> Any:
    function = _function(name)
    if function is None:
        raise BadNet("the native core of this build has no Mixnet")
    try:
        return function(*arguments)
    except ValueError as error:
        raise BadNet(str(error)) from None
