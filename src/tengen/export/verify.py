# SPDX-License-Identifier: MIT
"""The gate before a net is used: a net file against the float net that it was made of, the
reference and the native core. `verify` yields one `Check` after the other; all must pass.

Relies on `checks`; `tengen net verify` and the tests rely on it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tengen.engine.errors import BadNet
from tengen.engine.net_tensors import NetFile, read_net
from tengen.export.checks import (
    BOUNDS,
    Bounds,
    Check,
    check_baking,
    check_checksum,
    check_codebooks,
    check_integers,
    check_native,
    check_quantisation,
    check_weights,
)
from tengen.export.native import NativeNet
from tengen.export.net_file import net_bytes
from tengen.export.positions import Cells, data_positions, random_positions
from tengen.nets.dequantise import mixnet_of_file
from tengen.nets.mixnet import Mixnet
from tengen.nets.spec import BadSpec
from tengen.reference.mixnet import ReferenceMixnet
from tengen.reference.mixnet_patterns import PATTERNS

__all__ = ["Plan", "verify", "verify_net"]


@dataclass(frozen=True)
class Plan:
    """How much is checked."""

    positions: int = 24  # random ones, for each of up to three sizes of the net
    data: Path | None = None  # a data set whose positions are used too
    data_positions: int = 200
    patterns: int = PATTERNS  # of the codebook, compared with torch
    seed: int = 1
    quick: bool = False  # take the native core's codebooks instead of baking by the reference too
    bounds: Bounds = BOUNDS


def verify(
    path: str | os.PathLike[str], net: Mixnet | None = None, plan: Plan | None = None
) -> Iterator[Check]:
    """Check a net file. `net` is the float net that it was made of; without one, the weights of the
    file serve, and only the rounding of weights stays unchecked. Raises BadNet for a bad file.
    """
    file = read_net(path)
    try:
        yield from verify_net(file, net, plan or Plan())
    except BadNet as error:
        raise BadNet(error.fault, os.fspath(path)) from None


def verify_net(file: NetFile, net: Mixnet | None, plan: Plan) -> Iterator[Check]:
    """As `verify`, of a file that has been read."""
    if net is None:
        net = _floats(file)
    net.eval()
    yield check_weights(net, file)
    positions = _positions(file, plan)
    native = NativeNet(net_bytes(_without_checksum(file)))
    reference = ReferenceMixnet(file.tensors, native.codebooks if plan.quick else None)
    yield from check_quantisation(net, positions, plan.bounds)
    yield from check_codebooks(net, reference.codebooks, plan.patterns, plan.seed, plan.bounds)
    yield from check_integers(net, reference, positions)
    if file.header.codebook_checksum:
        yield check_checksum(file, reference.codebooks)
    if not plan.quick:
        yield check_baking(native, reference)
    yield from check_native(native, reference, positions)


def _floats(file: NetFile) -> Mixnet:
    try:
        return mixnet_of_file(str(file.header.architecture), file.tensors)
    except BadSpec as error:
        raise BadNet(str(error)) from None


def _without_checksum(file: NetFile) -> NetFile:
    """For the native core, which would refuse a wrong checksum: here it is one of the checks."""
    return replace(file, header=replace(file.header, codebook_checksum=0))


def _positions(file: NetFile, plan: Plan) -> Sequence[Cells]:
    sizes = sorted(file.header.sizes)
    some = sorted({sizes[0], sizes[len(sizes) // 2], sizes[-1]})
    found = random_positions(some, plan.positions, plan.seed)
    if plan.data:
        found += data_positions(plan.data, plan.data_positions, plan.seed, sizes)
    return found
