# SPDX-License-Identifier: MIT
"""The chain float net ~ fake-quantised net ~ integers on random nets: it holds, and each broken
link is detected.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from mixnet_nets import part, stirred, tiny_net
from tengen import _core
from tengen.data import BadData, Batch, DataWriter, Manifest, pack
from tengen.engine.errors import BadNet
from tengen.engine.net_file import NetFile, parse_net
from tengen.export import verify
from tengen.export.quantise import NativeNet, codebook_checksum, net_bytes, net_file, write_net
from tengen.export.verify import (
    Check,
    VerifyPlan,
    data_positions,
    pattern_lines,
    random_positions,
    verify_net,
)
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule
from tengen.nets import MixnetSpec
from tengen.nets.mixnet import Mixnet
from tengen.reference.mixnet import ReferenceMixnet
from tengen.reference.mixnet_patterns import PATTERNS, codebook_index

GOLDEN = Path(__file__).parents[1] / "golden" / "mixnet"
ALL_SIZES = tuple(range(MIN_SIZE, MAX_SIZE + 1))
# So few channels average less of the rounding away than those of real nets.
TINY_BOUNDS = replace(verify.BOUNDS, value_mean=0.06, policy_mean=0.1)
PLAN = VerifyPlan(positions=4, patterns=3000, bounds=TINY_BOUNDS)


def file_of(net: Mixnet) -> NetFile:
    return net_file(net, (Rule.FREESTYLE,), ALL_SIZES)


@cache
def reference_of(seed: int, spread: float) -> ReferenceMixnet:
    return ReferenceMixnet(file_of(tiny_net(seed, spread)).tensors)


def results(found: list[Check]) -> dict[str, bool]:
    return {check.name: check.passed for check in found}


@pytest.mark.parametrize(
    ("seed", "spread"),
    [
        (1, 1.0),
        pytest.param(2, 1.0, marks=pytest.mark.integration),
        pytest.param(3, 1.5, marks=pytest.mark.integration),
    ],
)
def test_the_chain_holds(seed: int, spread: float) -> None:
    net = tiny_net(seed, spread)
    result = results(list(verify_net(file_of(net), net, PLAN)))
    assert all(result.values()), result
    assert {
        "the file holds this net",
        "float ~ fake-quantised, value",
        "float ~ fake-quantised, policy",
        "codebook hv ~ torch",
        "codebook di ~ torch",
        "fake-quantised ~ integers",
        "codebooks == native core",
        "integers == native core, scalar",
    } <= set(result)


@pytest.mark.parametrize("spread", [0.3, 1.0, 3.0, 100.0])
def test_fake_quantised_in_float64_equals_the_integers(spread: float) -> None:
    """Also with weights and activations at their bounds: every bit of every logit."""
    net = tiny_net(4, spread)
    positions = random_positions([5, 8, 15, 22], 3, seed=2)
    (check,) = verify.check_integers(net, reference_of(4, spread), positions)
    assert check.passed, check.detail
    assert check.detail == "12 positions, 0 differ"


def test_a_real_mixnet_s() -> None:
    """The whole way of the smallest real net, with codebook rows only where they are needed."""
    torch.manual_seed(5)
    net = stirred(Mixnet(MixnetSpec("s")), 5)
    positions = random_positions([15], 3, seed=3)
    books = {name: np.zeros((PATTERNS, 32), dtype=np.int16) for name in ("hv", "di")}
    for board in positions[0]:
        index = codebook_index(board)
        for name, patterns in (("hv", index[:2]), ("di", index[2:])):
            used = np.unique(patterns)
            lines = getattr(net.body.mapping, name)
            with torch.no_grad():
                rows = lines.features_of_lines(torch.from_numpy(pattern_lines(used)), True)
            books[name][used] = np.rint(rows.double().numpy() * 32)
    reference = ReferenceMixnet(file_of(net).tensors, books)
    (check,) = verify.check_integers(net, reference, positions)
    assert check.passed, check.detail
    assert all(result.passed for result in verify.check_quantisation(net, positions))


def test_verification_without_the_float_net() -> None:
    """`dequantise` serves where a spec of the table has the widths; tiny nets have none."""
    with pytest.raises(BadNet, match="no Mixnet of this version"):
        list(verify_net(file_of(tiny_net(1)), None, PLAN))


@pytest.mark.parametrize("spread", [0.3, 100.0])
def test_the_native_core_matches_every_bit(spread: float) -> None:
    """All instruction sets of this machine, also at weights at their bounds."""
    file, reference = file_of(tiny_net(4, spread)), reference_of(4, spread)
    positions = random_positions([5, 6, 10, 15, 20, 22], 3, seed=5)
    native = NativeNet(net_bytes(file))
    result = list(verify.check_native(native, reference, positions))
    assert all(check.passed for check in result), result
    assert len(result) == len(_core.simd_available())
    assert verify.check_baking(native, reference).passed


@pytest.mark.parametrize("name", ["lively", "at_bounds", "all_plus"])
def test_the_native_core_bakes_the_golden_nets(name: str) -> None:
    data = (GOLDEN / f"{name}.net").read_bytes()
    books = NativeNet(data, threads=1).codebooks
    assert codebook_checksum(books) == parse_net(data).header.codebook_checksum


def test_the_native_core_rejects_with_a_message() -> None:
    data = (GOLDEN / "lively.net").read_bytes()
    for damaged in (b"", data[:1000], data[:-5] + b"wrong"):
        with pytest.raises(BadNet, match=r"empty|net file|truncated|cut off|damaged"):
            NativeNet(damaged)


# --- broken links ---


def test_another_net_than_the_file_holds_is_found() -> None:
    net, other = tiny_net(1), tiny_net(1)
    with torch.no_grad():
        part(other, "heads.policy.dyn.bias")[3] += 1
    result = verify.check_weights(other, file_of(net))
    assert not result.passed
    assert result.detail == "78 tensors, 1 differ: policy.dyn.b"


def test_a_wrong_entry_of_a_codebook_is_found() -> None:
    net, books = tiny_net(1), dict(reference_of(1, 1.0).codebooks)
    hv, di = verify.check_codebooks(net, books, 50_000)
    assert hv.passed, hv.detail
    assert di.passed, di.detail
    damaged = books["di"].copy()
    damaged[7::100, 3] += 2
    books["di"] = damaged
    hv, di = verify.check_codebooks(net, books, 10_000)
    assert hv.passed
    assert not di.passed
    assert "by 2 at most" in di.detail
    # One unit is within the bound, but not for many entries.
    damaged = reference_of(1, 1.0).codebooks["hv"].copy()
    damaged[::50] += 1
    hv, _ = verify.check_codebooks(net, {**books, "hv": damaged}, 10_000)
    assert not hv.passed
    assert "by 1 at most" in hv.detail


def test_an_integer_net_that_differs_is_found() -> None:
    net = tiny_net(1)
    tensors = dict(file_of(net).tensors)
    bias = tensors["value.mlp3.b"].copy()
    bias[0] += 1
    tensors["value.mlp3.b"] = bias
    reference = ReferenceMixnet(tensors, reference_of(1, 1.0).codebooks)
    (check,) = verify.check_integers(net, reference, random_positions([9], 2, seed=1))
    assert not check.passed


def test_a_native_core_that_differs_is_found() -> None:
    native, other = NativeNet(net_bytes(file_of(tiny_net(1)))), reference_of(2, 1.0)
    baking = verify.check_baking(native, other)
    assert not baking.passed
    assert baking.detail == "hv, di differ"
    result = list(verify.check_native(native, other, random_positions([9], 2, seed=1)))
    assert not any(check.passed for check in result)


def test_quantisation_that_costs_too_much_is_found() -> None:
    strict = replace(verify.BOUNDS, value_mean=1e-9, policy_max=1e-9)
    value, policy = verify.check_quantisation(tiny_net(1), random_positions([9], 3, seed=1), strict)
    assert not value.passed
    assert not policy.passed
    assert "(bounds 1e-09 and" in value.detail


def test_a_wrong_checksum_is_found(tmp_path: Path) -> None:
    net = tiny_net(1)
    file, books = file_of(net), reference_of(1, 1.0).codebooks
    right = replace(file, header=replace(file.header, codebook_checksum=codebook_checksum(books)))
    assert verify.check_checksum(right, books).passed
    wrong = replace(file, header=replace(file.header, codebook_checksum=1))
    path = tmp_path / "a.net"
    write_net(wrong, path)
    result = results(list(verify.verify(path, net, PLAN)))
    assert not result.pop("checksum of the codebooks")
    assert all(result.values())


# --- positions ---


def test_random_positions_go_from_empty_to_crowded() -> None:
    nine, twenty = random_positions([9, 20], 5, seed=1)
    assert nine.shape == (5, 9, 9)
    assert twenty.shape == (5, 20, 20)
    assert not nine[0].any()
    assert (nine[-1] != 0).mean() > 0.5
    assert (random_positions([9], 5, seed=1)[0] == nine).all()


@pytest.mark.integration
def test_positions_of_a_data_set(tmp_path: Path) -> None:
    (boards,) = random_positions([9], 20, seed=4)
    rows = Batch(
        board=pack(boards, 9),
        move=np.array([[np.flatnonzero(board.ravel() == 0)[0]] for board in boards], np.uint16),
        prob=np.full((20, 1), 255, np.uint8),
        value=np.zeros((20, 2), np.uint8),
    )
    with DataWriter.create(tmp_path, Manifest("x", Rule.FREESTYLE, 9, policy_moves=1)) as writer:
        writer.add(rows)
    with pytest.raises(BadData, match=r"has boards of 9 lines, the net is for 15, 20"):
        data_positions(tmp_path, 5, seed=1, sizes=[20, 15])
    (result,) = data_positions(tmp_path, 5, seed=1, sizes=[9])
    assert result.shape == (5, 9, 9)
    known = {board.tobytes() for board in boards}
    assert all(board.tobytes() in known for board in result)
    net = tiny_net(1)
    plan = replace(PLAN, data=tmp_path, data_positions=5)
    checked = {c.name: c.detail for c in verify_net(file_of(net), net, plan)}
    assert checked["fake-quantised ~ integers"].startswith("17 positions")
