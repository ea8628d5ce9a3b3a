# SPDX-License-Identifier: MIT
"""Verification of a net file: float net ~ fake-quantised net ~ NumPy integers == native core. "~"
has stated bounds, "==" means every bit. `verify` yields one `Check` after the other; all must pass.

Uses the nets, the reference and the native core; `tengen net verify` and `tengen zero` call it.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from tengen import _core
from tengen.data import BadData, Dataset, unpack
from tengen.engine.errors import BadNet
from tengen.engine.net_file import NetFile, read_net
from tengen.engine.net_layout import layout
from tengen.export.quantise import (
    NativeNet,
    architecture_of,
    codebook_checksum,
    net_bytes,
    quantise,
)
from tengen.nets.dequantise import mixnet_of_file
from tengen.nets.mapping import DIRECTIONS, OFF_BOARD
from tengen.nets.mixnet import Mixnet
from tengen.nets.scales import MIXNET_SCALES
from tengen.nets.spec import BadSpec
from tengen.reference.mixnet import ReferenceEvaluation, ReferenceMixnet
from tengen.reference.mixnet_patterns import HALVES, PATTERNS, REACH, half_cells

Cells: TypeAlias = "npt.NDArray[np.uint8]"  # [N, H, W] as the side to move sees it: 0, 1 own, 2
Codebooks = Mapping[str, npt.NDArray[np.int16]]

_SCALES = MIXNET_SCALES
_BATCH = 64  # positions per forward pass
_MAX_STONES = 0.7  # share of taken points in the fullest random positions


@dataclass(frozen=True)
class Check:
    """The result of one check, with what was measured."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class VerifyBounds:
    """Allowed differences between the float net and the fake-quantised one, in probabilities."""

    value_mean: float = 0.03  # mean of |difference| of P(win) - P(loss)
    value_max: float = 0.25  # maximum
    policy_mean: float = 0.06  # mean total variation distance of the policies over free points
    policy_max: float = 0.5  # maximum
    codebook_max: int = 1  # units by which a codebook entry may differ from torch's
    codebook_share: float = 1e-4  # share of entries that may differ at all


BOUNDS = VerifyBounds()


@dataclass(frozen=True)
class VerifyPlan:
    """How much to check."""

    positions: int = 24  # random ones, for each of up to three board sizes
    data: Path | None = None  # a data set to take more positions from
    data_positions: int = 200
    patterns: int = PATTERNS  # of the codebook, compared with torch
    seed: int = 1
    quick: bool = False  # use the native codebooks, do not bake with the reference
    bounds: VerifyBounds = BOUNDS


def verify(
    path: str | os.PathLike[str], net: Mixnet | None = None, plan: VerifyPlan | None = None
) -> Iterator[Check]:
    """Check a net file. `net` is the float net that it was exported from; without it the weights of
    the file are used, and the rounding of weights is not checked. Raises BadNet for a bad file.
    """
    file = read_net(path)
    try:
        yield from verify_net(file, net, plan or VerifyPlan())
    except BadNet as error:
        raise BadNet(error.reason, os.fspath(path)) from None


def verify_net(file: NetFile, net: Mixnet | None, plan: VerifyPlan) -> Iterator[Check]:
    """As `verify`, for a file that has been read."""
    if net is None:
        try:
            net = mixnet_of_file(str(file.header.architecture), file.tensors)
        except BadSpec as error:
            raise BadNet(str(error)) from None
    net.eval()
    yield check_weights(net, file)
    positions = _positions(file, plan)
    # Without the checksum, which the native core would reject if wrong: here it is a check.
    unchecked = replace(file, header=replace(file.header, codebook_checksum=0))
    native = NativeNet(net_bytes(unchecked))
    reference = ReferenceMixnet(file.tensors, native.codebooks if plan.quick else None)
    yield from check_quantisation(net, positions, plan.bounds)
    yield from check_codebooks(net, reference.codebooks, plan.patterns, plan.seed, plan.bounds)
    yield from check_integers(net, reference, positions)
    if file.header.codebook_checksum:
        yield check_checksum(file, reference.codebooks)
    if not plan.quick:
        yield check_baking(native, reference)
    yield from check_native(native, reference, positions)


def _positions(file: NetFile, plan: VerifyPlan) -> Sequence[Cells]:
    sizes = sorted(file.header.sizes)
    some = sorted({sizes[0], sizes[len(sizes) // 2], sizes[-1]})
    positions = random_positions(some, plan.positions, plan.seed)
    if plan.data:
        positions += data_positions(plan.data, plan.data_positions, plan.seed, sizes)
    return positions


# --- positions ---


def random_positions(sizes: Sequence[int], count: int, seed: int) -> list[Cells]:
    """`count` positions for each size, from the empty board to crowded ones."""
    rng = np.random.default_rng(seed)
    boards = []
    for size in sizes:
        shares = np.linspace(0, _MAX_STONES, count)[:, None, None]
        taken = rng.random((count, size, size)) < shares
        boards.append((taken * rng.integers(1, 3, taken.shape)).astype(np.uint8))
    return boards


def data_positions(folder: Path, count: int, seed: int, sizes: Collection[int]) -> list[Cells]:
    """Up to `count` positions from the validation split of a data set with one of these board
    sizes. Raises BadData.
    """
    data = Dataset.open(folder)
    if data.size not in sizes:
        some = ", ".join(map(str, sorted(sizes)))
        raise BadData(f"{folder} has boards of {data.size} lines, the net is for {some}")
    view = data.split("validation")
    if not len(view):
        view = data.split("all")
    rows = np.random.default_rng(seed).permutation(len(view))[:count]
    return [unpack(view.rows(np.sort(rows)).board, data.size)]


def planes_of(cells: Cells, dtype: torch.dtype = torch.float32) -> Tensor:
    """[N, H, W] of 0, 1, 2 -> planes [N, 2, H, W]."""
    return torch.from_numpy(np.stack([cells == 1, cells == 2], axis=1)).to(dtype)


# --- float net ~ fake-quantised net ---


def check_quantisation(
    net: Mixnet, positions: Sequence[Cells], bounds: VerifyBounds = BOUNDS
) -> Iterator[Check]:
    """The float net against the fake-quantised one."""
    values, policies = [], []
    for cells in positions:
        for start in range(0, len(cells), _BATCH):
            batch = cells[start : start + _BATCH]
            planes = planes_of(batch)
            with torch.no_grad():
                plain, rounded = net(planes), net(planes, quantised=True)
            values.append(np.abs(_balance(plain["value"]) - _balance(rounded["value"])))
            policies.append(_distance(plain["policy"], rounded["policy"], batch))
    for name, parts, mean, limit in (
        ("value", values, bounds.value_mean, bounds.value_max),
        ("policy", policies, bounds.policy_mean, bounds.policy_max),
    ):
        off = np.concatenate(parts)
        passed = bool(off.mean() <= mean and off.max() <= limit)
        detail = f"{len(off)} positions, mean {off.mean():.4f}, max {off.max():.4f}"
        detail += f" (bounds {mean} and {limit})"
        yield Check(f"float ~ fake-quantised, {name}", passed, detail)


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
    """Replaces the mapping nets by features from a codebook."""

    features: Mapping[str, Tensor]

    def forward(self, planes: Tensor, quantised: bool = False) -> Mapping[str, Tensor]:
        return self.features


def check_integers(
    net: Mixnet, reference: ReferenceMixnet, positions: Sequence[Cells]
) -> Iterator[Check]:
    """The fake-quantised net, with features from the codebook, against the reference: equal to the
    last bit. In float64 the sums are exact; `check_codebooks` compares the codebooks.
    """
    fake_net: Any = copy.deepcopy(net).double()
    given = _GivenFeatures()
    fake_net.body.mapping = given
    wrong, count = 0, 0
    for cells in positions:
        for board in cells:
            expected = reference.evaluate(board, 1)
            given.features = {
                name: torch.from_numpy(expected.rows[d] / _SCALES.feature).permute(2, 0, 1)[None]
                for d, name in enumerate(DIRECTIONS)
            }
            with torch.no_grad():
                fake = fake_net(planes_of(board[None], torch.float64), quantised=True)
            wrong += not _equal(expected, fake)
            count += 1
    yield Check("fake-quantised ~ integers", wrong == 0, f"{count} positions, {wrong} differ")


def _equal(expected: ReferenceEvaluation, fake: Mapping[str, Tensor]) -> bool:
    value = fake["value"][0].numpy() * _SCALES.linear
    policy = fake["policy"][0].numpy() * _SCALES.policy
    return bool((value == expected.value).all() and (policy == expected.policy).all())


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
    bounds: VerifyBounds = BOUNDS,
) -> Iterator[Check]:
    """Baked codebooks against torch's mapping nets, on `patterns` random patterns or on all."""
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
        passed = bool(largest <= bounds.codebook_max and share < bounds.codebook_share)
        detail = f"{count} of {off.size:,} entries differ, by {largest:.0f} at most"
        detail += f" (bounds: by {bounds.codebook_max}, fewer than {bounds.codebook_share:g})"
        yield Check(f"codebook {name} ~ torch", passed, detail)


def check_checksum(file: NetFile, codebooks: Codebooks) -> Check:
    """The codebooks against the checksum in the header."""
    actual, stored = codebook_checksum(codebooks), file.header.codebook_checksum
    detail = f"{actual:016x}" + ("" if actual == stored else f", the file says {stored:016x}")
    return Check("checksum of the codebooks", actual == stored, detail)


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
    detail = f"{len(rows)} tensors, {len(different)} differ"
    detail += f": {', '.join(different[:5])}" if different else ""
    return Check("the file holds this net", not different, detail)


def check_baking(net: NativeNet, reference: ReferenceMixnet) -> Check:
    """The codebooks of the native core against those of the reference, every byte."""
    baked = net.codebooks
    different = [
        name for name, book in reference.codebooks.items() if not np.array_equal(baked[name], book)
    ]
    detail = f"{', '.join(different)} differ" if different else "equal bytes"
    return Check("codebooks == native core", not different, detail)


def check_native(
    net: NativeNet, reference: ReferenceMixnet, positions: Sequence[Cells]
) -> Iterator[Check]:
    """Evaluations of the native core with every instruction set of this machine against the
    reference: every bit."""
    expected = [[reference.evaluate(board, 1) for board in cells] for cells in positions]
    for name in _core.simd_available():
        wrong = 0
        for cells, evaluations in zip(positions, expected, strict=True):
            values, policies = net.evaluate(cells, name)
            for evaluation, value, policy in zip(evaluations, values, policies, strict=True):
                same = np.array_equal(value, evaluation.value)
                wrong += not (same and np.array_equal(policy, evaluation.policy))
        detail = f"{sum(map(len, positions))} positions, {wrong} differ"
        yield Check(f"integers == native core, {name}", wrong == 0, detail)
