# SPDX-License-Identifier: MIT
"""Random nets and boards for the Mixnet tests and the golden files, also with all weights at their
bounds. NumPy only, explicit seeds.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.engine.net_file import DTYPES, NetFile, NetHeader
from tengen.engine.net_layout import Architecture, TensorLayout, layout
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule

Tensors: TypeAlias = dict[str, npt.NDArray[Any]]
Board: TypeAlias = "npt.NDArray[np.uint8]"

SMALL = Architecture(32, 16, 16, 32)  # the heads of S behind a small mapping network
TINY = Architecture(32, 4, 8, 16)
S = Architecture(32, 64, 16, 32)


def lively(architecture: Architecture, seed: int) -> Tensors:
    """Random weights under which most activations stay off their clamps."""
    rng = np.random.default_rng(seed)
    return {row.name: _lively(rng, row) for row in layout(architecture)}


def _lively(rng: np.random.Generator, row: TensorLayout) -> npt.NDArray[Any]:
    normal = rng.standard_normal(row.shape)
    if row.kind in ("f16", "f32"):
        inputs = np.prod(row.shape[1:]) or 1
        scale = np.sqrt(1.5 / inputs) if row.kind == "f16" else 0.1
        if ".out." in row.name:  # some channels reach the clamp at 16, some hardly move
            per_channel = 2.0 ** rng.uniform(-3, 2.5, row.shape[:1])
            scale = scale * per_channel.reshape(-1, *[1] * (len(row.shape) - 1))
        return (normal * scale).astype(DTYPES[row.kind])
    spread = {"i8": 18.0, "i16": row.limit / 5, "i32": 1500.0}[row.kind]
    if row.name == "conv.b":
        spread = 40.0
    if "lin3.b" in row.name or row.name == "policy.out.b":
        spread *= 64
    return np.clip(np.rint(normal * spread), -row.limit, row.limit).astype(DTYPES[row.kind])


def at_bounds(architecture: Architecture, seed: int) -> Tensors:
    """All weights at their bounds, signs at random; biases smaller, so that weights still count."""
    rng = np.random.default_rng(seed)
    tensors = lively(architecture, seed)
    for row in layout(architecture):
        if row.limit and row.name.endswith(".w"):
            signs = rng.integers(0, 2, row.shape) * 2 - 1
            tensors[row.name] = (signs * row.limit).astype(DTYPES[row.kind])
        elif ".out." in row.name:
            tensors[row.name] = (8 * tensors[row.name]).astype(DTYPES[row.kind])
    return tensors


def all_plus(architecture: Architecture, bias: bool = False) -> Tensors:
    """Every feature of the codebook at its bound of 512, every weight at its positive bound; biases
    are 0, or at their bounds too."""
    tensors = {}
    for row in layout(architecture):
        at = row.limit if bias or row.name.endswith(".w") else 0
        tensors[row.name] = np.full(row.shape, at, dtype=DTYPES[row.kind])
    for book in ("hv", "di"):
        tensors[f"{book}.out.b"][:] = 16
    return tensors


def net_of(architecture: Architecture, tensors: Tensors, name: str = "random") -> NetFile:
    header = NetHeader(
        architecture=architecture,
        rules=(Rule.FREESTYLE,),
        sizes=tuple(range(MIN_SIZE, MAX_SIZE + 1)),
        name=name,
        description="random weights, for tests",
        made="tests",
    )
    return NetFile(header, tensors)


def random_board(rng: np.random.Generator, size: int, share: float) -> Board:
    """Stones at random on about so large a share of the points."""
    taken = rng.random((size, size)) < share
    return (taken * rng.integers(1, 3, (size, size))).astype(np.uint8)
