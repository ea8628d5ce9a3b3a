# SPDX-License-Identifier: MIT
"""Proof files in JSON, see docs/formats/proof.md.

Whatever the bytes, reading returns the parts of a proof or raises `BadProof`, in bounded memory.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

from tengen.game.board import MAX_MOVE_LIMIT, Board
from tengen.game.errors import TengenError
from tengen.game.move import Move
from tengen.game.records import write_bytes
from tengen.game.rule import Colour
from tengen.solver.errors import BadProof
from tengen.solver.goal import Goal
from tengen.solver.tree import CoreNode, ProofTree

FORMAT = "tengen-proof"
VERSION = 1

# Limits of the unpacked file: the largest file that passes takes about two gigabytes of memory.
MAX_BYTES = 128 << 20
MAX_LISTS = 12_000_000
_GZIP = b"\x1f\x8b"

ProofParts: TypeAlias = tuple[Board, Goal, list[CoreNode]]


def to_json(board: Board, goal: Goal, tree: ProofTree) -> dict[str, Any]:
    """See `Proof.to_json`."""
    return {**_header(board, goal), "nodes": list(_named(tree, board.size))}


def _header(board: Board, goal: Goal) -> dict[str, Any]:
    stones = board.stones()
    limit = board.move_limit
    return {
        "format": FORMAT,
        "version": VERSION,
        "rule": str(board.rule),
        "size": board.size,
        "black": [str(point) for point, owner in stones.items() if owner is Colour.BLACK],
        "white": [str(point) for point, owner in stones.items() if owner is Colour.WHITE],
        "to_move": str(board.turn),
        "moves_left": None if limit is None else limit - board.ply,
        "goal": str(goal),
    }


def _named(tree: ProofTree, size: int) -> Iterator[list[Any]]:
    """The nodes with points by name."""
    # Index -1, the pass, is the last of the list.
    names = [str(Move.from_index(index, size)) for index in [*range(size * size), -1]]
    for move, threat, replies in tree.core_nodes():
        yield [names[move], threat, [[names[reply], node] for reply, node in replies]]


def write(board: Board, goal: Goal, tree: ProofTree, path: str | os.PathLike[str]) -> None:
    """See `Proof.save`: the header on one line, then one line per node."""
    head = json.dumps(_header(board, goal))[:-1]
    named = _named(tree, board.size)
    nodes = ",\n".join(json.dumps(node, separators=(",", ":")) for node in named)
    data = f'{head}, "nodes": [\n{nodes}\n]}}\n'.encode("ascii")
    try:
        _check_size(data)
    except BadProof as error:
        raise BadProof(f"not written: {error.fault}", source=os.fspath(path)) from None
    if os.fspath(path).lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # equal proofs give equal bytes
    write_bytes(data, path)


def _check_size(data: bytes) -> None:
    if len(data) > MAX_BYTES:
        raise BadProof(f"larger than {MAX_BYTES >> 20} MiB, the maximum for a proof")
    if data.count(b"[") > MAX_LISTS:
        raise BadProof(f"more than {MAX_LISTS:,} lists, the maximum for a proof")


def read(path: str | os.PathLike[str]) -> Any:
    """The JSON value of a file, compressed or not."""
    with Path(path).open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if data.startswith(_GZIP):
        try:
            with gzip.open(BytesIO(data)) as packed:
                data = packed.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise BadProof(f"damaged: it cannot be unpacked ({error})") from None
    _check_size(data)
    try:
        return json.loads(data)
    except RecursionError:
        raise BadProof("no proof: lists nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadProof(f"no JSON, or damaged: line {error.lineno}, {error.msg}") from None
    except ValueError as error:  # not UTF-8, or a number with too many digits
        raise BadProof(f"no JSON: {error}") from None


def from_json(value: Any) -> ProofParts:
    """See `Proof.from_json`."""
    if not isinstance(value, Mapping):
        raise BadProof(f"no proof: expected an object, got {type(value).__name__}")
    for name, expected in (("format", FORMAT), ("version", VERSION)):
        found = value.get(name)
        if found != expected or isinstance(found, bool):
            raise BadProof(f'"{name}" is {_short(found)}, not {_short(expected)}')
    board = _board(value)
    try:
        goal = Goal.parse(_field(value, "goal", str))
    except TengenError as error:
        raise BadProof(str(error)) from None
    return board, goal, list(_nodes(_field(value, "nodes", list), board.size))


def _board(value: Mapping[str, Any]) -> Board:
    left = value.get("moves_left")
    if left is not None and not (_is_int(left) and 1 <= left <= MAX_MOVE_LIMIT):
        raise BadProof(f'"moves_left" is {_short(left)}: use null or 1 to {MAX_MOVE_LIMIT}')
    stones = {}
    for name in ("black", "white"):
        stones[name] = _field(value, name, list)
        if not all(isinstance(point, str) for point in stones[name]):
            raise BadProof(f'"{name}" is a list of names such as "h8"')
    size, rule = _field(value, "size", int), _field(value, "rule", str)
    to_move = _field(value, "to_move", str)
    try:
        return Board.from_stones(
            stones["black"], stones["white"], to_move, size, rule, move_limit=left
        )
    except TengenError as error:
        raise BadProof(str(error)) from None


def _nodes(listed: list[Any], size: int) -> Iterator[CoreNode]:
    indices = {str(Move.from_index(index, size)): index for index in range(size * size)}
    replies_too = {**indices, "pass": -1}
    for number, node in enumerate(listed):
        try:
            name, threat, replies = node
            core = indices[name], threat, [(replies_too[reply], then) for reply, then in replies]
        except KeyError as error:
            point = _short(error.args[0])
            raise BadProof(f"node {number}: no point {point} on a {size}x{size} board") from None
        except (TypeError, ValueError):
            raise BadProof(
                f"node {number} is {_short(node)}, not [move, threat, [[reply, node], ...]]"
            ) from None
        for target in (threat, *(then for _, then in core[2])):
            if not _is_int(target) or not -1 <= target < len(listed):
                last = len(listed) - 1
                raise BadProof(f"node {number}: no node {_short(target)}, the last is {last}")
        yield core


def _field(value: Mapping[str, Any], name: str, kind: type) -> Any:
    found = value.get(name)
    if not isinstance(found, kind) or isinstance(found, bool):
        raise BadProof(f'"{name}": expected {kind.__name__}, got {_short(found)}')
    return found


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _short(value: object) -> str:
    """A value as JSON for a message; a long one is cut, a list or object only named."""
    if isinstance(value, list | dict):
        return f"a {type(value).__name__}"
    text = json.dumps(value[:40] if isinstance(value, str) else value)
    return text if len(text) <= 60 else text[:57] + "..."
