# SPDX-License-Identifier: MIT
"""The integer Mixnet in plain NumPy: what the native core must compute to the last bit, written for
reading. docs/nets.md explains the layers, docs/formats/net.md the storage of the weights.

Weights are a mapping from the tensor names of the file format to integer arrays. Every value has a
scale: the real number it stands for is the integer divided by the scale. All arithmetic is done in
int64, and `_within` checks that each intermediate fits the type that the native core uses for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen.reference.mixnet_bake import Weights, bake
from tengen.reference.mixnet_patterns import CODEBOOK_OF, codebook_index, point_of_view

Ints: TypeAlias = "npt.NDArray[np.int64]"

INT16, INT32 = 2**15 - 1, 2**31 - 1
UNIT = 127  # the largest activation of the heads, 127/64
VALUE_SCALE, POLICY_SCALE = 4096, 65536  # of the logits
DYNAMIC_OUTPUTS = 16
DYNAMIC_LIMIT = 2047  # of dynamic weights (scale 256) and of their inputs (scale 32)
DYNAMIC_BIAS_LIMIT = 2**26
POLICY_FEATURE_LIMIT = 4095


def _within(name: str, x: Ints, low: int, high: int) -> Ints:
    """x itself. Raises OverflowError, with counts and extremes, if a number is out of bounds."""
    wrong = (x < low) | (x > high)
    if bool(wrong.any()):
        problem = f"{int(wrong.sum())} of {x.size} are outside {low}..{high}"
        raise OverflowError(f"{name}: {problem}; they range from {x.min()} to {x.max()}")
    return x


def _clip(x: Ints, low: int, high: int) -> Ints:
    return np.minimum(np.maximum(x, low), high)


def chunk_bounds(size: int) -> tuple[slice, slice, slice]:
    """A side of the board cut into three parts, the outer two alike: 15 is 5 + 5 + 5."""
    outer = (size + 1) // 3
    return slice(0, outer), slice(outer, size - outer), slice(size - outer, size)


@dataclass(frozen=True, eq=False)
class ReferenceEvaluation:
    """Everything the net computes for one position, for the side to move. The order is that of
    computation; `scale` is what a 1 is written as."""

    index: Ints  # [4, H, W] pattern of each point in each direction
    rows: Ints  # [4, H, W, C] scale 32, the codebook's features
    features: Ints  # [H, W, C] scale 32, sum over directions after ReLU ("F")
    mixed: Ints  # [H, W, C] scale 32, first half after the convolution ("F'")
    global_sum: Ints  # [C] scale 32
    chunk_sums: Ints  # [3, 3, C] scale 32; the first axis is y
    global_mean: Ints  # [C] scale 64
    chunk_means: Ints  # [3, 3, C] scale 64
    groups: Ints  # [3, 3, V] scale 64, star blocks of the chunks ("G")
    quads: Ints  # [2, 2, V] scale 64, star blocks of the means of four ("G'")
    value_hidden1: Ints  # [V] scale 64
    value_hidden2: Ints  # [V] scale 64
    value: Ints  # [3] scale 4096, logits of win, loss, draw
    policy_hidden: Ints  # [C] scale 64
    dynamic_weights: Ints  # [16, P] scale 256
    dynamic_bias: Ints  # [16] scale 8192
    policy_features: Ints  # [H, W, 16] scale 256
    policy: Ints  # [H, W] scale 65536, logits; occupied points are not masked


class ReferenceMixnet:
    """A net ready to evaluate. `codebooks` may be given if they have been baked before."""

    def __init__(
        self, weights: Weights, codebooks: Mapping[str, npt.NDArray[np.int16]] | None = None
    ) -> None:
        names = dict.fromkeys(CODEBOOK_OF)
        self.codebooks = dict(codebooks or {name: bake(weights, name) for name in names})
        # The mapping network lives on in the codebooks alone; what is left is integers.
        self._weights = {
            name: np.asarray(tensor).astype(np.int64)
            for name, tensor in weights.items()
            if name.split(".")[0] not in names
        }
        self.channels = self.codebooks["hv"].shape[1]

    def evaluate(self, stones: npt.NDArray[Any], to_move: int) -> ReferenceEvaluation:
        """Evaluate a board [H, W] of 0 empty, 1 black, 2 white; row 0 is y = 0."""
        index = codebook_index(point_of_view(stones, to_move))
        rows = np.stack(
            [self.codebooks[CODEBOOK_OF[d]][index[d]].astype(np.int64) for d in range(4)]
        )
        features = np.maximum(_within("sum of four", rows.sum(axis=0), -2048, 2048), 0)
        mixed = self._convolution(features)
        sums = _sums_and_means(mixed)
        return ReferenceEvaluation(
            index=index,
            rows=rows,
            features=features,
            mixed=mixed,
            **sums,
            **self._value_head(sums["global_mean"], sums["chunk_means"]),
            **self._policy_head(mixed, sums["global_mean"]),
        )

    def _convolution(self, features: Ints) -> Ints:
        """Depth-wise 3x3 on the first half of the channels, then ReLU; the rest stays."""
        weights, bias = self._weights["conv.w"], self._weights["conv.b"]
        half = self.channels // 2
        height, width, _ = features.shape
        padded = np.pad(features[:, :, :half], ((1, 1), (1, 1), (0, 0)))
        acc = np.broadcast_to(bias, (height, width, half)).copy()
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                near = padded[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]
                product = (near * weights[:, (dy + 1) * 3 + dx + 1] + 2**14) >> 15
                acc += _within("convolution product", product, -2048, 2048)
        _within("convolution", acc, -INT16, INT16)
        return np.concatenate([np.maximum(acc, 0), features[:, :, half:]], axis=2)

    # --- value ---

    def _value_head(self, global_mean: Ints, chunk_means: Ints) -> dict[str, Ints]:
        groups = np.stack(
            [
                np.stack([self._star(_kind(i, j), chunk_means[i, j]) for j in range(3)])
                for i in range(3)
            ]
        )
        four = groups[:2, :2] + groups[:2, 1:] + groups[1:, :2] + groups[1:, 1:]
        mean = (four + 2) >> 2
        quads = np.stack(
            [np.stack([self._star("quad", mean[i, j]) for j in range(2)]) for i in range(2)]
        )
        known = np.concatenate([global_mean, quads.ravel()])
        hidden1 = _crelu(self._linear("value.mlp1", known))
        hidden2 = _crelu(self._linear("value.mlp2", hidden1))
        return {
            "groups": groups,
            "quads": quads,
            "value_hidden1": hidden1,
            "value_hidden2": hidden2,
            "value": self._linear("value.mlp3", hidden2),
        }

    def _star(self, kind: str, x: Ints) -> Ints:
        """A star block: two linear layers multiplied, pairs added, a third linear layer."""
        a = _crelu(self._linear(f"value.{kind}.lin1", x))
        b = _clip((self._linear(f"value.{kind}.lin2", x) + 32) >> 6, -UNIT, UNIT)
        product = a * b
        pairs = _within("star pair", product[0::2] + product[1::2], -INT16, INT16)  # scale 4096
        acc = self._linear(f"value.{kind}.lin3", pairs)  # scale 2^18
        return _clip((acc + 2048) >> 12, 0, UNIT)

    # --- policy ---

    def _policy_head(self, mixed: Ints, global_mean: Ints) -> dict[str, Ints]:
        hidden = _crelu(self._linear("policy.lin1", global_mean))
        dynamic = self._linear("policy.dyn", hidden)  # scale 4096
        inputs = (len(dynamic) - DYNAMIC_OUTPUTS) // DYNAMIC_OUTPUTS
        weights = dynamic[: DYNAMIC_OUTPUTS * inputs].reshape(DYNAMIC_OUTPUTS, inputs)
        weights = _clip((weights + 8) >> 4, -DYNAMIC_LIMIT, DYNAMIC_LIMIT)
        bias = _within("dynamic bias", 2 * dynamic[DYNAMIC_OUTPUTS * inputs :], -INT32, INT32)
        bias = _clip(bias, -DYNAMIC_BIAS_LIMIT, DYNAMIC_BIAS_LIMIT)
        seen = np.minimum(mixed[:, :, :inputs], DYNAMIC_LIMIT)
        worst = seen @ np.abs(weights.T) + np.abs(bias)
        _within("dynamic policy, partial sums", worst, -INT32, INT32)
        acc = seen @ weights.T + bias  # scale 8192
        features = _clip((acc + 16) >> 5, 0, POLICY_FEATURE_LIMIT)
        logits = features @ self._weights["policy.out.w"] + self._weights["policy.out.b"]
        return {
            "policy_hidden": hidden,
            "dynamic_weights": weights,
            "dynamic_bias": bias,
            "policy_features": features,
            "policy": _within("policy", logits, -INT32, INT32),
        }

    def _linear(self, name: str, x: Ints) -> Ints:
        acc: Ints = self._weights[f"{name}.w"] @ x + self._weights[f"{name}.b"]
        # The largest partial sum, whatever the order in which a machine adds.
        worst = np.abs(self._weights[f"{name}.w"]) @ np.abs(x) + np.abs(self._weights[f"{name}.b"])
        _within(f"{name}, partial sums", worst, -INT32, INT32)
        return acc


def _crelu(acc: Ints) -> Ints:
    """From scale 4096 to scale 64, within 0..127."""
    return _clip((acc + 32) >> 6, 0, UNIT)


def _kind(i: int, j: int) -> str:
    """The star block that serves chunk (i, j)."""
    return {0: "centre", 1: "edge", 2: "corner"}[(i != 1) + (j != 1)]


def _sums_and_means(mixed: Ints) -> dict[str, Ints]:
    height, width, _ = mixed.shape
    rows, columns = chunk_bounds(height), chunk_bounds(width)
    chunks = [[mixed[row, column] for column in columns] for row in rows]
    chunk_sums = np.stack([[chunk.sum(axis=(0, 1)) for chunk in line] for line in chunks])
    chunk_means = np.stack([[_mean(chunk) for chunk in line] for line in chunks])
    return {
        "global_sum": _within("sum of all points", mixed.sum(axis=(0, 1)), 0, INT32),
        "chunk_sums": chunk_sums,
        "global_mean": _mean(mixed),
        "chunk_means": chunk_means,
    }


def _mean(points: Ints) -> Ints:
    """The mean of [h, w, C] at scale 64, rounded, by a multiplication instead of a division."""
    area = points.shape[0] * points.shape[1]
    factor = (2**17 + area // 2) // area
    total = np.minimum(points.sum(axis=(0, 1)), 64 * area)
    return _clip(_within("mean", total * factor + 2**15, 0, INT32) >> 16, 0, UNIT)
