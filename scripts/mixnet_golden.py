# SPDX-License-Identifier: MIT
"""Golden files of the integer Mixnet: small random nets and their output, computed by the NumPy
reference, for the tests of the native core.

    python scripts/mixnet_golden.py            compare with tests/golden/mixnet; exit code 1 if not
    python scripts/mixnet_golden.py --write    after a change of the format or the nets

NAME.net is a net file, NAME.txt its output; the head of each text file describes its format.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from generated import check_or_write

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden" / "mixnet"
sys.path.insert(0, str(ROOT / "tests" / "py"))

import mixnet_samples as samples  # noqa: E402
from tengen.engine.net_file import NetFile  # noqa: E402
from tengen.export.quantise import codebook_checksum, net_bytes  # noqa: E402
from tengen.reference.mixnet import ReferenceEvaluation, ReferenceMixnet  # noqa: E402

HEAD = """\
# What {name}.net computes; written by scripts/mixnet_golden.py from the NumPy reference.
# codebook: CRC-32 of each codebook, 397488 rows of C int16, little endian, in order of patterns.
# case NAME SIZE, then SIZE rows of the board, y = 0 first, x from the left: . empty, X black,
# O white. For each side to move:
# checks: CRC-32 of   index: u32 [4][y][x] patterns (row, column, diagonal, antidiagonal)
#                     rows: i16 [4][y][x][C] codebook rows     features: i16 [y][x][C] sum, ReLU
#                     mixed: i16 [y][x][C] after the convolution
#                     sums: i32 [10][C], means: u8 [10][C]: all points, then chunks row by row
#                     groups: u8 [3][3][V]    quads: u8 [2][2][V]
#                     hidden: u8 [C + 2 V] policy.lin1, value.mlp1, value.mlp2
#                     dynamic: i32 [16 P + 16] weights, then biases, clamped
#                     policy_features: i16 [y][x][16]
# value: the logits of win, loss, draw (scale 4096)
# policy: SIZE rows of logits (scale 65536), y = 0 first, also for points that are taken
"""


def nets() -> Iterator[tuple[NetFile, tuple[int, ...]]]:
    """The nets, and the board sizes at which each is evaluated."""
    small = samples.SMALL
    yield samples.net_of(small, samples.lively(small, 7), "lively"), (5, 6, 9, 13, 15, 20, 22)
    yield samples.net_of(small, samples.at_bounds(small, 8), "at_bounds"), (7, 15)
    yield samples.net_of(small, samples.all_plus(small), "all_plus"), (5, 22)


def boards(sizes: tuple[int, ...]) -> Iterator[tuple[str, samples.Board]]:
    rng = np.random.default_rng(1)
    shares = {"empty": 0.0, "few": 0.06, "half": 0.5, "full": 1.0}
    for size in sizes:
        few = ["half"] if size == 22 else ["few", "half"]
        names = list(shares) if size in (9, 15) else few
        for name in names:
            yield f"{name}-{size}", samples.random_board(rng, size, shares[name])


def _crc(dtype: str, *arrays: npt.NDArray[Any]) -> str:
    data = b"".join(np.ascontiguousarray(array, dtype=dtype).tobytes() for array in arrays)
    return f"{zlib.crc32(data):08x}"


def _lines(found: ReferenceEvaluation) -> Iterator[str]:
    sums = (found.global_sum, found.chunk_sums)
    means = (found.global_mean, found.chunk_means)
    hidden = (found.policy_hidden, found.value_hidden1, found.value_hidden2)
    checks = {
        "index": _crc("<u4", found.index),
        "rows": _crc("<i2", found.rows),
        "features": _crc("<i2", found.features),
        "mixed": _crc("<i2", found.mixed),
        "sums": _crc("<i4", *sums),
        "means": _crc("u1", *means),
        "groups": _crc("u1", found.groups),
        "quads": _crc("u1", found.quads),
        "hidden": _crc("u1", *hidden),
        "dynamic": _crc("<i4", found.dynamic_weights, found.dynamic_bias),
        "policy_features": _crc("<i2", found.policy_features),
    }
    yield "checks " + " ".join(f"{name} {crc}" for name, crc in checks.items())
    yield "value " + " ".join(map(str, found.value.tolist()))
    yield "policy"
    yield from (" ".join(map(str, row)) for row in found.policy.tolist())


def golden(net: NetFile, sizes: tuple[int, ...]) -> tuple[bytes, bytes]:
    """The two files of a net."""
    reference = ReferenceMixnet(net.tensors)
    checksum = codebook_checksum(reference.codebooks)
    name = net.header.name
    lines = [HEAD.format(name=name).rstrip(), f"net {name}.net"]
    lines.append(f"codebook hv {checksum >> 32:08x} di {checksum & 0xFFFFFFFF:08x}")
    for case, board in boards(sizes):
        lines += ["", f"case {case} {len(board)}"]
        lines += ["".join(".XO"[cell] for cell in row) for row in board]
        for colour, to_move in (("black", 1), ("white", 2)):
            lines += [f"to_move {colour}", *_lines(reference.evaluate(board, to_move))]
    header = replace(net.header, codebook_checksum=checksum)
    text = "\n".join(lines) + "\n"
    return net_bytes(replace(net, header=header)), text.encode("ascii")


def generate() -> dict[Path, bytes]:
    files = {}
    for net, sizes in nets():
        for ending, data in zip(("net", "txt"), golden(net, sizes), strict=True):
            files[GOLDEN / f"{net.header.name}.{ending}"] = data
    return files


if __name__ == "__main__":
    raise SystemExit(check_or_write(__doc__, generate))
