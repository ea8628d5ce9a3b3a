# SPDX-License-Identifier: MIT
"""A net in the native core: baked codebooks and integer evaluations."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.engine.errors import BadNet

__all__ = ["NativeNet"]


class NativeNet:
    """A net in the native core, baked on construction. Raises BadNet for bytes that are not a net
    and for codebooks that do not have the checksum of the file."""

    def __init__(self, data: bytes, threads: int = 0) -> None:
        """`data` is a whole net file; `threads` 0: one per core."""
        try:
            self._net = _core.Net.read(data, threads)
        except (ValueError, RuntimeError) as error:
            raise BadNet(str(error)) from None

    @property
    def codebooks(self) -> dict[str, npt.NDArray[np.int16]]:
        """int16 [397488, C] for "hv" and "di"."""
        return {"hv": self._net.codebook(0), "di": self._net.codebook(1)}

    def evaluate(
        self, cells: npt.NDArray[np.uint8], instruction_set: str = ""
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Integer value logits [N, 3] and policy logits [N, H, W] of boards [N, H, W] as the side
        to move sees them: 0 empty, 1 own, 2 opponent."""
        value, policy = self._net.evaluate(np.ascontiguousarray(cells), instruction_set)
        return value, policy
