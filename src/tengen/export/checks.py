# SPDX-License-Identifier: MIT
"""The links of the chain float net ~ fake-quantised net ~ NumPy integers == native core, each a
function that measures and judges. "~" has stated bounds, "==" means every bit.

Relies on the nets, the reference and `native`; `verify` puts the links together.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from tengen.engine.net_layout import layout
from tengen.engine.net_tensors import NetFile
from tengen.export.native import NativeNet, instruction_sets
from tengen.export.net_file import codebook_checksum
from tengen.export.positions import Cells
from tengen.export.quantise import architecture_of, quantise
from tengen.nets.mapping import DIRECTIONS, OFF_BOARD
from tengen.nets.mixnet import Mixnet
from tengen.nets.scales import MIXNET_SCALES
from tengen.reference.mixnet import Evaluation, ReferenceMixnet
from tengen.reference.mixnet_patterns import HALVES, PATTERNS, REACH, half_cells

__all__ = [
    "BOUNDS",
    "Bounds",
    "Check",
    "check_baking",
    "check_checksum",
    "check_codebooks",
    "check_integers",
    "check_native",
    "check_quantisation",
    "check_weights",
]

Codebooks = Mapping[str, npt.NDArray[np.int16]]

_SCALES = MIXNET_SCALES
_AT_ONCE = 64  # positions in a batch of torch


@dataclass(frozen=True)
class Check:
    """One link: whether it holds, and what was measured, in words."""

    name: str
    passed: bool
    words: str


@dataclass(frozen=True)
class Bounds:
    """How far the float net and the fake-quantised one may lie apart, in probabilities."""

    value_mean: float = 0.03  # mean of |difference| of P(win) - P(loss)
    value_most: float = 0.25  # largest of these
    policy_mean: float = 0.06  # mean total variation distance of the policies over free points
    policy_most: float = 0.5  # largest of these
    codebook_off: int = 1  # units by which a codebook entry may differ from torch's
    codebook_share: float = 1e-4  # share of entries that may differ at all


BOUNDS = Bounds()


def planes_of(cells: Cells, dtype: torch.dtype = torch.float32) -> Tensor:
    """[N, H, W] of 0, 1, 2 -> planes [N, 2, H, W]."""
    return torch.from_numpy(np.stack([cells == 1, cells == 2], axis=1)).to(dtype)


# --- float net ~ fake-quantised net ---


def check_quantisation(
    net: Mixnet, positions: Sequence[Cells], bounds: Bounds = BOUNDS
) -> Iterator[Check]:
    """The float net against the fake-quantised one."""
    values, policies = [], []
    for cells in positions:
        for start in range(0, len(cells), _AT_ONCE):
            batch = cells[start : start + _AT_ONCE]
            planes = planes_of(batch)
            with torch.no_grad():
                plain, rounded = net(planes), net(planes, quantised=True)
            values.append(np.abs(_balance(plain["value"]) - _balance(rounded["value"])))
            policies.append(_distance(plain["policy"], rounded["policy"], batch))
    for name, parts, mean, most in (
        ("value", values, bounds.value_mean, bounds.value_most),
        ("policy", policies, bounds.policy_mean, bounds.policy_most),
    ):
        found = np.concatenate(parts)
        words = f"{len(found)} positions, mean {found.mean():.4f}, largest {found.max():.4f}"
        passed = bool(found.mean() <= mean and found.max() <= most)
        limits = f"bounds {mean} and {most}"
        yield Check(f"float ~ fake-quantised, {name}", passed, f"{words} ({limits})")


def _balance(value: Tensor) -> npt.NDArray[np.float64]:
    """P(win) - P(loss) of logits [N, 3]."""
    chances = value.double().softmax(1).numpy()
    return cast("npt.NDArray[np.float64]", chances[:, 0] - chances[:, 1])


def _distance(a: Tensor, b: Tensor, cells: Cells) -> npt.NDArray[np.float64]:
    """Total variation distance of two policies over the free points."""
    taken = torch.from_numpy(cells.reshape(len(cells), -1) != 0)
    first, second = (
        x.double().flatten(1).masked_fill(taken, -torch.inf).softmax(1) for x in (a, b)
    )
    return (first - second).abs().sum(1).numpy() / 2


# --- fake-quantised net ~ NumPy integers ---


class _GivenFeatures(nn.Module):
    """Stands in for the mapping nets: gives features that were looked up in a codebook."""

    features: Mapping[str, Tensor]

    def forward(self, planes: Tensor, quantised: bool = False) -> Mapping[str, Tensor]:
        return self.features


def check_integers(
    net: Mixnet, reference: ReferenceMixnet, positions: Sequence[Cells]
) -> Iterator[Check]:
    """The fake-quantised net behind the codebook against the reference: equal to the last bit. In
    float64 the sums are exact; the codebook itself is `check_codebooks`'s.
    """
    behind = copy.deepcopy(net).double()
    given = _GivenFeatures()
    behind.body.mapping = given
    wrong, count = 0, 0
    for cells in positions:
        for board in cells:
            found = reference.evaluate(board, 1)
            given.features = {
                name: torch.from_numpy(found.rows[d] / _SCALES.feature).permute(2, 0, 1)[None]
                for d, name in enumerate(DIRECTIONS)
            }
            with torch.no_grad():
                fake = behind(planes_of(board[None], torch.float64), quantised=True)
            wrong += not _same(found, fake)
            count += 1
    words = f"{count} positions, {wrong} differ (none may)"
    yield Check("fake-quantised ~ integers", wrong == 0, words)


def _same(found: Evaluation, fake: Mapping[str, Tensor]) -> bool:
    value = fake["value"][0].numpy() * _SCALES.linear
    policy = fake["policy"][0].numpy() * _SCALES.policy
    return bool((value == found.value).all() and (policy == found.policy).all())


# --- codebooks ---


def pattern_lines(index: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Patterns as lines of eleven cells [N, 11], as the torch net takes them."""
    halves = np.full((HALVES, REACH), OFF_BOARD, dtype=np.int64)
    for number in range(HALVES):
        cells = half_cells(number)
        halves[number, : len(cells)] = cells
    rest, right = np.divmod(index, HALVES)
    left, centre = np.divmod(rest, 3)
    return np.concatenate([halves[left, ::-1], centre[:, None], halves[right]], axis=1)


def check_codebooks(
    net: Mixnet,
    codebooks: Codebooks,
    patterns: int = PATTERNS,
    seed: int = 1,
    bounds: Bounds = BOUNDS,
) -> Iterator[Check]:
    """Baked codebooks against torch's mapping nets, on all patterns or so many drawn ones."""
    index = np.arange(PATTERNS)
    if patterns < PATTERNS:
        index = np.sort(np.random.default_rng(seed).choice(PATTERNS, patterns, replace=False))
    lines = torch.from_numpy(pattern_lines(index))
    mapping = cast("Any", net.body.mapping)
    for name, lines_net in (("hv", mapping.hv), ("di", mapping.di)):
        with torch.no_grad():
            features = lines_net.features_of_lines(lines, quantised=True)
        torch_rows = np.rint(features.double().numpy() * _SCALES.feature)
        off = np.abs(torch_rows - codebooks[name][index])
        count, largest = int((off > 0).sum()), float(off.max())
        share = count / off.size
        passed = bool(largest <= bounds.codebook_off and share < bounds.codebook_share)
        words = f"{count} of {off.size:,} entries differ, by {largest:.0f} at most"
        limits = f"by {bounds.codebook_off}, fewer than {bounds.codebook_share:g}"
        yield Check(f"codebook {name} ~ torch", passed, f"{words} (bounds: {limits})")


def check_checksum(file: NetFile, codebooks: Codebooks) -> Check:
    """The codebooks against the checksum in the header."""
    found, told = codebook_checksum(codebooks), file.header.codebook_checksum
    words = f"{found:016x}" + ("" if found == told else f", but the file says {told:016x}")
    return Check("checksum of the codebooks", found == told, words)


# --- files and the native core ---


def check_weights(net: Mixnet, file: NetFile) -> Check:
    """Whether a file holds the integers of a float net."""
    expected = quantise(net).tensors
    rows = layout(architecture_of(net.spec))
    different = [
        row.name
        for row in rows
        if not np.array_equal(expected[row.name], file.tensors.get(row.name, np.empty(0)))
    ]
    words = f"{len(rows)} tensors, {len(different)} differ"
    listed = f": {', '.join(different[:5])}" if different else ""
    return Check("the file holds this net", not different, words + listed)


def check_baking(net: NativeNet, reference: ReferenceMixnet) -> Check:
    """The codebooks of the native core against those of the reference, every byte."""
    baked = net.codebooks
    different = [
        name for name, book in reference.codebooks.items() if not np.array_equal(baked[name], book)
    ]
    words = f"{', '.join(different)} differ" if different else "the same bytes"
    return Check("codebooks == native core", not different, words)


def check_native(
    net: NativeNet, reference: ReferenceMixnet, positions: Sequence[Cells]
) -> Iterator[Check]:
    """Evaluations of the native core against the reference, with every instruction set of this
    machine: every bit."""
    expected = [[reference.evaluate(board, 1) for board in cells] for cells in positions]
    for name in instruction_sets():
        wrong = 0
        for cells, found in zip(positions, expected, strict=True):
            values, policies = net.evaluate(cells, name)
            for evaluation, value, policy in zip(found, values, policies, strict=True):
                same = np.array_equal(value, evaluation.value)
                wrong += not (same and np.array_equal(policy, evaluation.policy))
        words = f"{sum(map(len, positions))} positions, {wrong} differ"
        yield Check(f"integers == native core, {name}", wrong == 0, words)
