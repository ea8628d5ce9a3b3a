# SPDX-License-Identifier: MIT
"""What export asks of the native core: baked codebooks, and evaluations to compare with the
reference. The only module here that knows the core's names for them.

Relies on `_core`; `checks`, `verify` and the command line rely on it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.engine.errors import BadNet

__all__ = ["NativeNet", "instruction_sets"]


def instruction_sets() -> list[str]:
    """Those of this machine that the core has code for; each must give the same numbers."""
    return list(_core.simd_available())


class NativeNet:
    """A net in the native core, baked when it is made. Raises BadNet for bytes that are none, and
    for one whose codebooks have another checksum than its file says."""

    def __init__(self, data: bytes, threads: int = 0) -> None:
        """`data` is a whole net file; 0 threads are one for each core."""
        try:
            self._net = _core.Net.read(data, threads)
        except (ValueError, RuntimeError) as error:  # bytes that are no net; a wrong checksum
            raise BadNet(str(error)) from None

    @property
    def codebooks(self) -> dict[str, npt.NDArray[np.int16]]:
        """int16 [397488, C] for "hv" and "di"."""
        return {"hv": self._net.codebook(0), "di": self._net.codebook(1)}

    def evaluate(
        self, cells: npt.NDArray[np.uint8], instruction_set: str = ""
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Value logits [N, 3] and policy logits [N, H, W] as integers, of boards [N, H, W] as the
        side to move sees them: 0 empty, 1 own, 2 opponent."""
        value, policy = self._net.evaluate(np.ascontiguousarray(cells), instruction_set)
        return value, policy
