# SPDX-License-Identifier: MIT
"""The reference baker: from a mapping network to its codebook, one row of int16 features for each
pattern.

The codebook is defined by this order of operations in 32-bit floats, each product and each sum
rounded by itself (no fused multiply-add, no other order of summands):

    T_t[o] = 0 + w[o][0][t] * x_t[0] + w[o][1][t] * x_t[1] + ...       0 off the board
    dir    = ReLU(((b + T_0) + T_1) + T_2)
    pw     = ReLU(b + w[o][0] * dir[0] + w[o][1] * dir[1] + ...)       from left to right
    x      = x + pw
    out    = b + w[o][0] * x[0] + ...                                  clamped to [-16, 16]
    row    = 32 * out, to the nearest integer, halves to even

A layer sees one cell more to each side than the one before it, so that a window of 3, 5, 7, 9 and
11 cells is all that matters. Each layer is computed once for each distinct window. NumPy's own sums
and matrix products choose their order themselves; therefore the loops over channels are written
out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.reference.mixnet_patterns import (
    REACH,
    half_cells,
    half_number,
    halves_within,
)

CODEBOOK_SCALE = 32
FEATURE_LIMIT = 16.0  # features are clamped to plus and minus this before rounding
BLOCKS = 4

Floats: TypeAlias = "npt.NDArray[np.float32]"
Weights: TypeAlias = Mapping[str, npt.NDArray[Any]]
# So many windows go through the loops over channels at once: they then stay in the cache.
_CHUNK = 1024


def bake(weights: Weights, name: str) -> npt.NDArray[np.int16]:
    """The codebook `name` ("hv" or "di") as int16 [397488, C]."""
    features = mapping_features(weights, name)
    scaled: Floats = np.rint(features * np.float32(CODEBOOK_SCALE))  # nearest, halves to even
    bound = CODEBOOK_SCALE * FEATURE_LIMIT
    if not bool((np.abs(scaled) <= bound).all()):  # also false for what is no number
        raise OverflowError(f"codebook {name}: a feature is no number within {bound:.0f}")
    return scaled.astype(np.int16)


def mapping_features(weights: Weights, name: str) -> Floats:
    """The features of all patterns before rounding: float32 [397488, C]."""

    def part(which: str) -> Floats:
        return np.asarray(weights[f"{name}.{which}"]).astype(np.float32)

    cells = np.array([[0, 0], [1, 0], [0, 1]], dtype=np.float32)  # empty, own, opponent
    x = _relu(_directional(cells, 1, part("dir0.w"), part("dir0.b")))
    for block in range(1, BLOCKS + 1):
        reach = block + 1
        y = _relu(_directional(x, reach, part(f"dir{block}.w"), part(f"dir{block}.b")))
        y = _relu(_pointwise(y, part(f"pw{block}.w"), part(f"pw{block}.b")))
        x = x[_centre_windows(reach)] + y
    out = _pointwise(x, part("out.w"), part("out.b"))
    return np.clip(out, np.float32(-FEATURE_LIMIT), np.float32(FEATURE_LIMIT))


def _relu(x: Floats) -> Floats:
    return np.maximum(x, np.float32(0))


def _pointwise(x: Floats, w: Floats, b: Floats) -> Floats:
    """b + w[:, 0] * x[0] + w[:, 1] * x[1] + ... for each row of x: [N, in] -> [N, out]."""
    out = np.empty((len(x), len(w)), dtype=np.float32)
    for start in range(0, len(x), _CHUNK):
        inputs = np.ascontiguousarray(x[start : start + _CHUNK].T)
        acc = np.repeat(b[:, None], inputs.shape[1], axis=1)
        for i in range(len(inputs)):
            acc += w[:, i, None] * inputs[i]  # the product is rounded, then the sum
        out[start : start + _CHUNK] = acc.T
    return out


def _directional(x: Floats, reach: int, w: Floats, b: Floats) -> Floats:
    """One convolution of 3 taps: features of the windows of reach - 1 -> of reach."""
    zero = np.zeros(len(w), dtype=np.float32)
    off_board = np.zeros((1, len(w)), dtype=np.float32)
    acc = np.repeat(b[None, :], len(_centre_windows(reach)), axis=0)
    for tap, window in enumerate(_three_windows(reach)):
        small = np.concatenate([_pointwise(x, w[:, :, tap], zero), off_board])
        acc += small[window]  # -1, off the board, is the last row
    return acc


# --- windows: a window of a reach is two halves of at most that many cells and a centre ---


def _centre_windows(reach: int) -> npt.NDArray[np.int64]:
    """For each window, the window with the same centre and a reach smaller by one."""
    return _three_windows(reach)[1]


def _three_windows(reach: int) -> list[npt.NDArray[np.int64]]:
    """For each window in the order of its number, the windows smaller by one around its left
    neighbour, its centre and its right neighbour; -1 where the neighbour is off the board."""
    halves = [half_cells(number) for number in range(halves_within(reach))]
    small = halves_within(reach - 1)
    cut = np.array([half_number(cells[: reach - 1]) for cells in halves])
    # Of the neighbour on a half: its own cell, the half beyond it, and (by the cell in the centre)
    # the half that looks back over the centre at the other side.
    near = np.array([cells[0] if cells else 0 for cells in halves])
    beyond = np.array([half_number(cells[1:]) if cells else 0 for cells in halves])
    back = np.array([[half_number((c, *cells)[: reach - 1]) for cells in halves] for c in range(3)])
    is_off = np.array([not cells for cells in halves])

    left, centre, right = np.ogrid[: len(halves), :3, : len(halves)]
    from_left = np.where(
        is_off[left], -1, (beyond[left] * 3 + near[left]) * small + back[centre, right]
    )
    from_right = np.where(
        is_off[right], -1, (back[centre, left] * 3 + near[right]) * small + beyond[right]
    )
    same = (cut[left] * 3 + centre) * small + cut[right]
    return [from_left.ravel(), same.ravel(), from_right.ravel()]


assert REACH == BLOCKS + 1  # one convolution before the blocks, one in each
