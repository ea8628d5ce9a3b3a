# SPDX-License-Identifier: MIT
"""The NumPy Mixnet: pattern numbers, points of view, the baker against a float net, and no integer
overflow for any weights.
"""

from __future__ import annotations

import itertools
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mixnet_samples as samples
from mixnet_samples import SMALL, TINY, S, all_plus, at_bounds, lively, random_board
from tengen.engine.net_file import read_net
from tengen.engine.net_layout import Architecture, layout
from tengen.export.quantise import codebook_checksum
from tengen.reference.mixnet import INT32, ReferenceEvaluation, ReferenceMixnet, chunk_bounds
from tengen.reference.mixnet_bake import bake, mapping_features
from tengen.reference.mixnet_patterns import (
    CODEBOOK_OF,
    DIRECTIONS,
    HALVES,
    PATTERNS,
    codebook_index,
    half_cells,
    half_number,
    pattern_cells,
    pattern_index,
    point_of_view,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "mixnet"


@cache
def reference(kind: str) -> ReferenceMixnet:
    tensors = {
        "tiny": lambda: lively(TINY, 1),
        "small": lambda: lively(SMALL, 2),
        "bounds": lambda: at_bounds(SMALL, 3),
    }[kind]()
    return ReferenceMixnet(tensors)


# --- patterns ---


def test_halves_are_numbered_by_length_then_as_digits_nearest_first() -> None:
    assert half_number([]) == 0
    assert [half_number([cell]) for cell in range(3)] == [1, 2, 3]
    assert half_number([1, 0]) == 4 + 3
    assert half_number([0, 1]) == 4 + 1
    assert half_number([2, 2, 2, 2, 2]) == HALVES - 1 == 363
    assert [half_number(half_cells(number)) for number in range(HALVES)] == list(range(HALVES))
    all_halves = (p for n in range(6) for p in itertools.product(range(3), repeat=n))
    assert [half_number(cells) for cells in all_halves] == list(range(HALVES))


def test_pattern_numbers_are_a_bijection() -> None:
    halves = [half_cells(number) for number in range(HALVES)]
    numbers = {cells: number for number, cells in enumerate(halves)}
    seen = np.zeros(PATTERNS, dtype=bool)
    for left, centre in itertools.product(range(HALVES), range(3)):
        first = pattern_index(left, centre, 0)
        seen[first : first + HALVES] = True
    assert seen.all()
    assert PATTERNS == 397_488
    rng = np.random.default_rng(1)
    for index in [0, PATTERNS - 1, *rng.integers(0, PATTERNS, 2000).tolist()]:
        before, centre, after = pattern_cells(index)
        assert pattern_index(numbers[before], centre, numbers[after]) == index


def test_patterns_at_the_edges_of_a_board() -> None:
    cells = np.zeros((9, 9), dtype=np.int64)
    cells[0, 1], cells[1, 0], cells[1, 1] = 1, 2, 1  # b1, a2, b2 as (y, x)
    row, column, diagonal, anti = codebook_index(cells)[:, 0, 0]
    assert pattern_cells(row) == ((), 0, (1, 0, 0, 0, 0))
    assert pattern_cells(column) == ((), 0, (2, 0, 0, 0, 0))
    assert pattern_cells(diagonal) == ((), 0, (1, 0, 0, 0, 0))
    assert pattern_cells(anti) == ((), 0, ())
    # At b1: a2 precedes it on the antidiagonal, whose steps go right and down.
    _, column, diagonal, anti = codebook_index(cells)[:, 0, 1]
    assert pattern_cells(column) == ((), 1, (1, 0, 0, 0, 0))
    assert pattern_cells(diagonal) == ((), 1, (0, 0, 0, 0, 0))
    assert pattern_cells(anti) == ((2,), 1, ())


@pytest.mark.parametrize("size", [5, 6, 9, 22])
def test_lengths_of_halves_are_distances_to_the_edge(size: int) -> None:
    index = codebook_index(np.zeros((size, size), dtype=np.int64))
    for y, x, (number, (dx, dy)) in itertools.product(
        range(size), range(size), enumerate(DIRECTIONS)
    ):
        before, _, after = pattern_cells(int(index[number, y, x]))
        forward = min(size - 1 - x if dx else 9, {0: 9, 1: size - 1 - y, -1: y}[dy], 5)
        backward = min(x if dx else 9, {0: 9, 1: y, -1: size - 1 - y}[dy], 5)
        assert (len(before), len(after)) == (backward, forward)


def test_points_of_view_swap_own_and_opponent() -> None:
    board = random_board(np.random.default_rng(2), 9, 0.6)
    black, white = point_of_view(board, 1), point_of_view(board, 2)
    assert (black == board).all()
    assert ((white == 1) == (board == 2)).all()
    assert ((white == 2) == (board == 1)).all()
    swapped = np.choose(board, [0, 2, 1]).astype(np.uint8)
    net = reference("small")
    for to_move in (1, 2):
        assert_same(net.evaluate(board, to_move), net.evaluate(swapped, 3 - to_move))


# --- baking ---


def float_features(
    tensors: samples.Tensors, cells: npt.NDArray[Any], direction: int
) -> npt.NDArray[np.float64]:
    """The mapping network over a whole board in float64, cell by cell, as [H, W, C]."""
    name, (dx, dy) = CODEBOOK_OF[direction], DIRECTIONS[direction]
    size = len(cells)

    def part(which: str) -> npt.NDArray[np.float64]:
        return tensors[f"{name}.{which}"].astype(np.float64)

    def along(x: npt.NDArray[np.float64], layer: int) -> npt.NDArray[np.float64]:
        padded = np.pad(x, ((1, 1), (1, 1), (0, 0)))
        total = np.zeros((size, size, len(part(f"dir{layer}.b")))) + part(f"dir{layer}.b")
        for tap in range(3):
            sx, sy = 1 + (tap - 1) * dx, 1 + (tap - 1) * dy
            near = padded[sy : sy + size, sx : sx + size]
            total += near @ part(f"dir{layer}.w")[:, :, tap].T
        return np.maximum(total, 0)

    x = along(np.stack([cells == 1, cells == 2], axis=2).astype(np.float64), 0)
    for block in range(1, 5):
        y = along(x, block) @ part(f"pw{block}.w").T + part(f"pw{block}.b")
        x = x + np.maximum(y, 0)
    return np.clip(x @ part("out.w").T + part("out.b"), -16, 16)


@pytest.mark.parametrize("size", [5, 9, 15, 22])
def test_codebook_rows_are_the_features_of_a_float_net(size: int) -> None:
    net, tensors = reference("small"), lively(SMALL, 2)
    rng = np.random.default_rng(size)
    for share in (0.0, 0.1, 0.5, 1.0):
        board = random_board(rng, size, share)
        result = net.evaluate(board, 1)
        for direction in range(4):
            expected = 32 * float_features(tensors, board, direction)
            assert np.abs(result.rows[direction] - expected).max() < 0.501


def test_baking_keeps_the_order_of_operations() -> None:
    """One pattern by scalar float32 arithmetic, exactly as docs/formats/net.md writes it."""
    tensors = lively(TINY, 4)
    features = mapping_features(tensors, "di")
    for cells in ([0, 1, 2, 0, 1, 1, 2, 0, 0, 1, 2], [2, 1, 0, 1, 1, 1, 0, 2, 2, 0, 0]):
        before, after = cells[4::-1], cells[6:]
        index = pattern_index(half_number(before), cells[5], half_number(after))
        expected = scalar_features(tensors, "di", cells)
        assert features[index].tobytes() == expected.tobytes()


def scalar_features(tensors: samples.Tensors, name: str, cells: list[int]) -> npt.NDArray[Any]:
    zero = np.float32(0)

    def dot(start: np.float32, weights: npt.NDArray[Any], x: list[np.float32]) -> np.float32:
        total = start
        for weight, value in zip(weights.astype(np.float32), x, strict=True):
            total = np.float32(total + np.float32(weight * value))
        return total

    def directional(x: list[list[np.float32]], layer: int) -> list[list[np.float32]]:
        w, b = tensors[f"{name}.dir{layer}.w"], tensors[f"{name}.dir{layer}.b"]
        result = []
        for at in range(1, len(x) - 1):
            taps = [[dot(zero, w[o, :, t], x[at - 1 + t]) for t in range(3)] for o in range(len(b))]
            sums = [np.float32(np.float32(np.float32(b[o] + s[0]) + s[1]) + s[2])
                    for o, s in enumerate(taps)]  # fmt: skip
            result.append([max(value, zero) for value in sums])
        return result

    one = np.float32(1)
    x = [[one if c == 1 else zero, one if c == 2 else zero] for c in cells]
    x = directional(x, 0)
    for block in range(1, 5):
        w, b = tensors[f"{name}.pw{block}.w"], tensors[f"{name}.pw{block}.b"]
        y = [[max(dot(b[o], w[o], v), zero) for o in range(len(b))] for v in directional(x, block)]
        x = [[np.float32(p + q) for p, q in zip(*pair, strict=True)]
             for pair in zip(x[1:-1], y, strict=True)]  # fmt: skip
    w, b = tensors[f"{name}.out.w"], tensors[f"{name}.out.b"]
    assert len(x) == 1
    out = [dot(b[o], w[o], x[0]) for o in range(len(b))]
    return np.clip(np.array(out, dtype=np.float32), np.float32(-16), np.float32(16))


def test_a_mapping_network_that_overflows_is_rejected() -> None:
    tensors = lively(TINY, 1)
    for name in tensors:
        if name.startswith("hv") and name.endswith(".w"):
            tensors[name] = np.full_like(tensors[name], 60000)
    tensors["hv.out.w"][:, ::2] = -60000
    with np.errstate(all="ignore"), pytest.raises(OverflowError, match="codebook hv"):
        bake(tensors, "hv")


# --- the integer net ---


def assert_same(a: ReferenceEvaluation, b: ReferenceEvaluation) -> None:
    for name in vars(a):
        assert (getattr(a, name) == getattr(b, name)).all(), name


def test_a_single_point_by_hand() -> None:
    """The layers behind the codebook, redone with Python integers at the corner of a board."""
    net, tensors = reference("small"), lively(SMALL, 2)
    board = random_board(np.random.default_rng(5), 7, 0.4)
    result = net.evaluate(board, 2)
    x, y, channel = 0, 6, 3
    total = int(tensors["conv.b"][channel])
    for dy, dx in itertools.product((-1, 0, 1), repeat=2):
        if 0 <= x + dx < 7 and 0 <= y + dy < 7:
            feature = max(0, sum(int(result.rows[d, y + dy, x + dx, channel]) for d in range(4)))
            weight = int(tensors["conv.w"][channel, (dy + 1) * 3 + dx + 1])
            total += (feature * weight + 16384) >> 15
    assert result.mixed[y, x, channel] == max(0, total)
    # 7 is cut as 2 + 3 + 2: the chunk of the corner has four points, the edge's beside it six.
    corner = sum(int(result.mixed[v, u, channel]) for v in (5, 6) for u in (0, 1))
    assert result.chunk_sums[2, 0, channel] == corner
    assert result.chunk_means[2, 0, channel] == min(127, (min(corner, 256) * 32768 + 32768) >> 16)
    logit = int(tensors["policy.out.b"][0])
    for k in range(16):
        inputs = [min(int(value), 2047) for value in result.mixed[y, x, :16]]
        acc = int(result.dynamic_bias[k])
        acc += sum(int(w) * v for w, v in zip(result.dynamic_weights[k], inputs, strict=True))
        logit += int(tensors["policy.out.w"][k]) * min(max((acc + 16) >> 5, 0), 4095)
    assert result.policy[y, x] == logit


@pytest.mark.parametrize("size", range(5, 23))
def test_chunks_cover_every_size(size: int) -> None:
    bounds = chunk_bounds(size)
    lengths = [part.stop - part.start for part in bounds]
    assert sum(lengths) == size
    assert lengths[0] == lengths[2]
    assert min(lengths) >= 1
    assert abs(lengths[0] - lengths[1]) <= 1
    result = reference("tiny").evaluate(random_board(np.random.default_rng(size), size, 0.3), 1)
    assert (result.chunk_sums.sum(axis=(0, 1)) == result.global_sum).all()
    assert result.policy.shape == (size, size)


def test_symmetric_boards_have_symmetric_rows() -> None:
    """A board that is its own transpose: what the rows see, the columns see."""
    board = random_board(np.random.default_rng(6), 9, 0.4)
    board = np.maximum(board * (np.arange(9)[:, None] >= np.arange(9)), 0)
    board = np.maximum(board, board.T)
    result = reference("small").evaluate(board, 1)
    assert (result.rows[0] == result.rows[1].swapaxes(0, 1)).all()
    assert (result.rows[2] == result.rows[2].swapaxes(0, 1)).all()
    # Not the antidiagonals: there, before and after change places.
    assert (result.rows[3] != result.rows[3].swapaxes(0, 1)).any()
    # An empty board looks the same from both sides.
    empty = np.zeros((9, 9), dtype=np.uint8)
    net = reference("small")
    assert_same(net.evaluate(empty, 1), net.evaluate(empty, 2))


def test_the_same_star_block_serves_all_corners() -> None:
    tensors = lively(TINY, 7)
    for name in tensors:
        if name.startswith(("value.corner", "value.edge")):
            tensors[name] = np.zeros_like(tensors[name])
    result = ReferenceMixnet(tensors, reference("tiny").codebooks).evaluate(
        random_board(np.random.default_rng(8), 15, 0.3), 1
    )
    assert result.groups[1, 1].any()
    result.groups[1, 1] = 0
    assert not result.groups.any()


# --- bounds ---


@pytest.mark.parametrize("size", [5, 22])
@pytest.mark.parametrize("bias", [False, True])
def test_nothing_overflows_with_every_weight_at_its_bound(size: int, bias: bool) -> None:
    """The largest features, weights and biases of L; `_within` raises if a sum leaves its type."""
    large = Architecture(128, 2, 64, 128)
    highest = np.broadcast_to(np.int16(512), (PATTERNS, 128))
    net = ReferenceMixnet(all_plus(large, bias), {"hv": highest, "di": highest})
    result = net.evaluate(np.zeros((size, size), dtype=np.uint8), 1)
    assert result.features.max() == 2048
    assert result.mixed.max() == (18432 if not bias else 26624)
    assert result.value.max() <= INT32
    assert result.policy.max() == 16 * 4095 * 8191 + (2**30 if bias else 0)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_overflows_with_random_signs(seed: int) -> None:
    net = reference("bounds")
    rng = np.random.default_rng(seed)
    for size, share in ((5, 1.0), (15, 0.3)):
        result = net.evaluate(random_board(rng, size, share), 1 + seed % 2)
        assert np.unique(result.policy).size > 1


def test_overflow_is_reported_with_counts_and_extremes() -> None:
    tensors = lively(TINY, 9)
    tensors["value.mlp3.b"][:] = 2**31 - 1
    net = ReferenceMixnet(tensors, reference("tiny").codebooks)
    with pytest.raises(OverflowError, match=r"value.mlp3, partial sums: \d of 3 are outside"):
        net.evaluate(np.zeros((5, 5), dtype=np.uint8), 1)


def test_a_full_mixnet_s() -> None:
    """The real size once: shapes, and the number of parameters behind the mapping networks."""
    behind = [row for row in layout(S) if not row.name.startswith(("hv.", "di."))]
    assert sum(int(np.prod(row.shape)) for row in behind) == 37_636
    rng = np.random.default_rng(1)
    books = {name: rng.integers(-60, 61, (PATTERNS, 32)).astype(np.int16) for name in ("hv", "di")}
    result = ReferenceMixnet(lively(S, 5), books).evaluate(random_board(rng, 15, 0.2), 1)
    assert result.quads.shape == (2, 2, 32)
    assert result.dynamic_weights.shape == (16, 16)


# --- golden files ---


def test_golden_nets_have_the_same_outputs() -> None:
    """A part of what scripts/mixnet_golden.py compares: codebooks, and the first board."""
    net = read_net(GOLDEN / "lively.net")
    result = ReferenceMixnet(net.tensors)
    assert codebook_checksum(result.codebooks) == net.header.codebook_checksum
    lines = (GOLDEN / "lively.txt").read_text().splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("case "))
    size = int(lines[start].split()[2])
    board = np.array([[".XO".index(c) for c in line] for line in lines[start + 1 :][:size]])
    reported = result.evaluate(board, 1)
    rest = lines[start + 1 + size :]
    assert rest[0] == "to_move black"
    assert f" mixed {zlib.crc32(reported.mixed.astype('<i2').tobytes()):08x} " in rest[1]
    assert rest[2] == "value " + " ".join(map(str, reported.value.tolist()))
    assert [list(map(int, line.split())) for line in rest[4 : 4 + size]] == reported.policy.tolist()
