# SPDX-License-Identifier: MIT
"""Proofs as JSON files, as docs/formats/proof.md says.

Whatever the bytes, reading gives a proof or `BadProof`, in bounded memory. Relies on `proof`, which
imports this module only when it is used.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from tengen.game.board import MAX_MOVE_LIMIT, Board
from tengen.game.errors import TengenError
from tengen.game.move import Move
from tengen.game.records import write_bytes
from tengen.game.rule import Colour
from tengen.solver.errors import BadProof
from tengen.solver.goal import Goal
from tengen.solver.proof import Proof
from tengen.solver.tree import CoreNode, Tree

__all__ = ["FORMAT", "VERSION", "as_json", "of_json", "read", "write"]

FORMAT = "tengen-proof"
VERSION = 1

# A file larger than this, unpacked, is not read, nor one with more lists: a hostile file of the
# largest size stays within some two gigabytes of memory.
MAX_BYTES = 128 << 20
MAX_LISTS = 12_000_000
_GZIP = b"\x1f\x8b"


def as_json(proof: Proof, tree: Tree) -> dict[str, Any]:
    """See `Proof.to_json`."""
    return {**_header(proof), "nodes": list(_named(tree, proof.size))}


def _header(proof: Proof) -> dict[str, Any]:
    board = proof.board
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
        "goal": str(proof.goal),
    }


def _named(tree: Tree, size: int) -> Iterator[list[Any]]:
    """The nodes with points by name."""
    # Index -1, the pass, is the last of the list.
    names = [str(Move.from_index(index, size)) for index in [*range(size * size), -1]]
    for move, threat, replies in tree.core_nodes():
        yield [names[move], threat, [[names[reply], node] for reply, node in replies]]


def write(proof: Proof, tree: Tree, path: str | os.PathLike[str]) -> None:
    """See `Proof.save`: the header on one line, then one line a node."""
    head = json.dumps(_header(proof))[:-1]
    nodes = ",\n".join(json.dumps(node, separators=(",", ":")) for node in _named(tree, proof.size))
    data = f'{head}, "nodes": [\n{nodes}\n]}}\n'.encode("ascii")
    if fault := _too_large(data):
        raise BadProof(f"not written: {fault}", source=os.fspath(path))
    if os.fspath(path).lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # the same proof gives the same bytes
    write_bytes(data, path)


def _too_large(data: bytes) -> str:
    """Why a file is not read, in words; empty if it is."""
    if len(data) > MAX_BYTES:
        return f"larger than {MAX_BYTES >> 20} MiB, the most that a proof may have"
    if data.count(b"[") > MAX_LISTS:
        return f"more than {MAX_LISTS:,} lists, the most that a proof may have"
    return ""


def read(path: str | os.PathLike[str]) -> Proof:
    """See `Proof.load`."""
    source = os.fspath(path)
    with Path(path).open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        return _loads(data)
    except BadProof as error:
        raise BadProof(error.fault, error.path, source) from None


def _loads(data: bytes) -> Proof:
    if data.startswith(_GZIP):
        try:
            with gzip.open(BytesIO(data)) as packed:
                data = packed.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise BadProof(f"damaged: it cannot be unpacked ({error})") from None
    if fault := _too_large(data):
        raise BadProof(fault)
    try:
        value = json.loads(data)
    except RecursionError:
        raise BadProof("no proof: lists within lists without end") from None
    except json.JSONDecodeError as error:
        raise BadProof(f"no JSON, or damaged: line {error.lineno}, {error.msg}") from None
    except ValueError as error:  # neither UTF-8, nor a number that Python would read
        raise BadProof(f"no JSON: {error}") from None
    return of_json(value)


def of_json(value: Any) -> Proof:
    """See `Proof.from_json`."""
    if not isinstance(value, Mapping):
        raise BadProof(f"no proof: an object is expected, not {_kind(value)}")
    if value.get("format") != FORMAT:
        raise BadProof(f'no proof: "format" is {_short(value.get("format"))}, not "{FORMAT}"')
    if not _is_int(value.get("version")) or value["version"] != VERSION:
        words = f'"version" is {_short(value.get("version"))}: this reads version {VERSION}'
        raise BadProof(words)
    board = _board(value)
    try:
        goal = Goal.parse(_field(value, "goal", str))
    except TengenError as error:
        raise BadProof(str(error)) from None
    return Proof(board, goal, list(_nodes(_field(value, "nodes", list), board.size)))


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
            words = f"node {number}: no point {_short(error.args[0])} on a {size}x{size} board"
            raise BadProof(words) from None
        except (TypeError, ValueError):
            words = f"node {number} is {_short(node)}, not [move, threat, [[reply, node], ...]]"
            raise BadProof(words) from None
        for target in (threat, *(then for _, then in core[2])):
            if not _is_int(target) or not -1 <= target < len(listed):
                last = len(listed) - 1
                raise BadProof(f"node {number}: no node {_short(target)}, the last is {last}")
        yield core


def _field(value: Mapping[str, Any], name: str, kind: type) -> Any:
    found = value.get(name)
    if not isinstance(found, kind) or isinstance(found, bool):
        raise BadProof(f'"{name}" is {_kind(found)}, not {_KINDS[kind]}')
    return found


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number with a point",
    str: "a text",
    list: "a list",
    dict: "an object",
    type(None): "missing",
}


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "something else")


def _short(value: object) -> str:
    """A value as JSON would show it, cut off where it gets long."""
    if isinstance(value, str | int | float | None):
        text = json.dumps(value if not isinstance(value, str) else value[:40])
        return text if len(text) <= 60 else text[:57] + "..."
    return _kind(value)
