# SPDX-License-Identifier: MIT
"""Imports `.npz` files, each of which becomes one shard, so an interrupted import resumes with the
next file. Two layouts:

`import_packed`: packed rows, `part_NN.npz` in a folder. `board` uint8 [n, bytes] (packed as in
shards), `move` and `prob` uint8 [n, k] (the likeliest moves, and their weights out of 255) and `wl`
uint8 [n, 2] (win and loss out of 255). The side to move follows from the number of stones.

`import_search_labels`: games of an engine against itself with the values of its searches, as
`benchmarks/selfplay.py` writes them. The value label mixes the game's result and the search value,
which becomes a win rate by the scale that fits the results best. Off-path positions, which were
searched but not played, have the search value alone. The policy is the best move of the search, or
the visits of a tree search where the file has them. Positions that are never evaluated are left
out: either side can make a five at once, or the side to move an open four.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tengen.data.errors import BadData
from tengen.data.importers import ImportProgress, file_list, finish_import, start_import
from tengen.data.manifest import MAX_POLICY_MOVES, Manifest
from tengen.data.packing import check_size, own_view, pack, unpack
from tengen.data.rows import Batch, Column
from tengen.data.writer import DataWriter
from tengen.game import batch
from tengen.game.rule import Rule
from tengen.game.threat import Threat
from tengen.util.config import Config, setting

Columns = dict[str, Column]
_TERMS = "made for this project: free to use, nets trained on it may be distributed"
_PACKED_COLUMNS = ("board", "move", "prob", "wl")
_UNKNOWN = -32768  # value of a position without one
_OFF_PATH = 2  # result of a position beside a game
_MATE = 20000  # evaluation units; larger values are wins or losses
_SEARCH_COLUMNS = ("board", "to_move", "best", "result", "value", "game")
_POLICY_COLUMNS = ("moves", "visits")  # of files whose meta has a `policy`
_SCALES = np.arange(60, 401, 5)  # evaluation units per logit to try
_CHUNK = 50_000


def import_packed(
    folder: Path,
    out: Path,
    *,
    name: str = "packed",
    rule: Rule = Rule.FREESTYLE,
    size: int = 15,
    terms: str = _TERMS,
    redistributable: bool = True,
    overwrite: bool = False,
    progress: ImportProgress | None = None,
) -> Manifest:
    """Import the parts of a folder, or resume. `progress` counts parts; the parts themselves do not
    say under which terms they may be used.

    Raises BadData with the part and its problem, and OSError.
    """
    parts = sorted(folder.glob("part_*.npz"))
    if not parts:
        raise BadData(f"{folder} has no part_00.npz: give the folder with the parts")
    with _reading(parts[0]) as archive:
        moves = _take(archive, _PACKED_COLUMNS)["move"]
    manifest = Manifest(
        name,
        rule,
        size,
        max(1, moves.shape[-1]),
        source=f"packed positions, {len(parts)} parts",
        terms=terms,
        redistributable=redistributable,
        recipe={"importer": "packed", "columns": "with to_move", "files": file_list(parts)},
    )

    def add(writer: DataWriter, part: Path, origin: str) -> None:
        with _reading(part) as archive:
            columns = _take(archive, _PACKED_COLUMNS)
            board, move = columns["board"], columns["move"].astype(np.uint16)
            value, corrected = _round_down(columns["wl"])
            rows = Batch(board, move, columns["prob"], value, to_move=_side_to_move(board, size))
            writer.write(rows, origin, {"positions": len(value), "values corrected": corrected})

    return _import(parts, out, manifest, add, overwrite, progress)


def _side_to_move(board: Column, size: int) -> Column:
    """1 for black, 2 for white: the colours alternate, and black starts."""
    cells = unpack(board, size)
    own, other = ((cells == side).sum(axis=(-2, -1)) for side in (1, 2))
    return np.where(own >= other, 1, 2).astype(np.uint8)


def _round_down(wl: Column) -> tuple[Column, int]:
    """Win and loss, and the number of corrected rows: where both were rounded up from a half they
    sum to 256, and the larger one is reduced by one.
    """
    over = np.flatnonzero(wl.astype(np.uint16).sum(axis=1) == 256)
    value = wl.copy()
    value[over, np.argmax(wl[over], axis=1)] -= 1
    return value, len(over)


@dataclass(frozen=True, slots=True)
class SearchLabelOptions(Config):
    """How labels are made of searches and results."""

    ERROR: ClassVar = BadData

    name: str
    # Share of the game's result in the value label; the search has the rest.
    result_share: float = setting(0.4, min=0, max=1)
    scale: float = 0.0  # evaluation units per logit; 0: the scale that fits the results

    def validate(self) -> None:
        if self.scale != 0 and not 1 <= self.scale <= _MATE:
            raise BadData(f"no scale {self.scale:g}: use a number from 1 to {_MATE}")


def import_search_labels(
    files: Sequence[Path],
    out: Path,
    options: SearchLabelOptions,
    *,
    overwrite: bool = False,
    progress: ImportProgress | None = None,
) -> Manifest:
    """Import files of search labels, or resume. `progress` counts files.

    Raises BadData with the file and its problem, and OSError.
    """
    if not files:
        raise BadData("no .npz file of games of an engine against itself")
    columns, meta = _read_searches(files[0])
    scale = options.scale or fitted_scale(columns)
    manifest = Manifest(
        options.name,
        Rule.parse(meta["rule"]),
        int(meta["size"]),
        max(1, *(_read_meta(file)["policy"] for file in files)),
        source=f"{meta['player']} against itself, {meta['nodes']} nodes per move",
        terms=_TERMS,
        redistributable=True,
        recipe={
            "importer": "search-labels",
            "files": file_list(files),
            "result_share": options.result_share,
            "points_a_logit": round(float(scale), 2),
        },
    )

    def add(writer: DataWriter, file: Path, origin: str) -> None:
        columns, meta = _read_searches(file)
        if (meta["rule"], meta["size"]) != (str(manifest.rule), manifest.size):
            problem = f"{file} has positions of {meta['rule']} on {meta['size']}x{meta['size']}"
            raise BadData(f"{problem}, the first file is not: import each rule and size separately")
        taken = _is_evaluated(columns, manifest) & (columns["best"] >= 0)
        taken &= (columns["value"] != _UNKNOWN) | (columns["result"] != _OFF_PATH)
        counts = {"positions": len(taken), "never evaluated": int(np.count_nonzero(~taken))}
        if not taken.any():
            return
        few = {name: column[taken] for name, column in columns.items()}
        rows = Batch(
            pack(own_view(few["board"], few["to_move"]), manifest.size),
            *_policy(few, manifest.policy_moves),
            _values(few, options.result_share, scale),
            to_move=few["to_move"],
            game=few["game"],
        )
        with _naming(file):
            writer.write(rows, origin, counts)

    return _import(files, out, manifest, add, overwrite, progress)


def fitted_scale(columns: Columns) -> float:
    """Evaluation units per logit by which the search values predict the results best."""
    value = columns["value"].astype(np.float64)
    known = (np.abs(value) < _MATE) & (value != _UNKNOWN) & (columns["result"] != _OFF_PATH)
    if not known.any():
        return 200.0
    score = (_own_result(columns)[known] + 1) / 2
    logits = value[known] / _SCALES[:, None]
    losses = np.mean(np.logaddexp(0, logits) - score * logits, axis=1)
    return float(_SCALES[int(np.argmin(losses))])


def _is_evaluated(columns: Columns, manifest: Manifest) -> npt.NDArray[np.bool_]:
    """Whether a search would evaluate the position."""
    size = manifest.size
    boards = columns["board"].reshape(-1, size, size)
    own = columns["to_move"].astype(np.int64) - 1
    evaluated = np.empty(len(own), np.bool_)
    for start in range(0, len(own), _CHUNK):
        part = slice(start, start + _CHUNK)
        best = batch.threats(boards[part], manifest.rule).max(axis=(2, 3))  # [n, 2] by colour
        mine = np.take_along_axis(best, own[part, None], 1)[:, 0]
        evaluated[part] = (best.max(axis=1) < Threat.FIVE) & (mine < Threat.OPEN_FOUR)
    return evaluated


def _own_result(columns: Columns) -> npt.NDArray[np.float64]:
    """The game's result for the side to move: 1, 0, -1."""
    return np.where(columns["to_move"] == 1, 1.0, -1.0) * columns["result"]


def _values(columns: Columns, share: float, scale: float) -> Column:
    """Win and loss out of 255. A search value has no draws: what is not won is lost."""
    result = _own_result(columns)
    value = columns["value"].astype(np.float64)
    rate = 1 / (1 + np.exp(-np.clip(value / scale, -30, 30)))
    rate = np.where(np.abs(value) >= _MATE, value > 0, rate)
    weight = np.where(value == _UNKNOWN, 1.0, share)
    weight = np.where(columns["result"] == _OFF_PATH, 0.0, weight)
    win = weight * (result > 0) + (1 - weight) * rate
    loss = weight * (result < 0) + (1 - weight) * (1 - rate)
    wins = np.rint(255 * win).astype(np.int64)
    losses = np.minimum(np.rint(255 * loss).astype(np.int64), 255 - wins)
    return np.stack([wins, losses], 1).astype(np.uint8)


def _policy(columns: Columns, width: int) -> tuple[Column, Column]:
    """Moves and their weights out of 255: by visits; only the best move where there are none or
    where it wins by force, which visits do not show.
    """
    moves = np.zeros((len(columns["best"]), width), np.uint16)
    weights = np.zeros(moves.shape, np.float64)
    moves[:, 0], weights[:, 0] = columns["best"], 1
    if "moves" in columns:
        given, visits = columns["moves"], columns["visits"].astype(np.float64)
        known = (visits.sum(axis=1) > 0) & (columns["value"] < _MATE)
        cells = np.ix_(known, np.arange(given.shape[1]))
        moves[known] = 0
        weights[known] = 0
        moves[cells] = np.maximum(given[known], 0)
        weights[cells] = visits[known]
    shares = 255 * weights / weights.sum(axis=1, keepdims=True)
    return moves, np.rint(shares).astype(np.uint8)


def _read_meta(file: Path) -> dict[str, Any]:
    """Rule, size, player and nodes of a file of search labels; `policy`: moves with visits."""
    with _reading(file) as archive:
        if "meta" not in archive:
            raise BadData("column meta missing: not a file of search labels")
        meta = json.loads(str(archive["meta"]))
        policy = meta.get("policy", 0)  # missing in older files
        if type(policy) is not int or not 0 <= policy <= MAX_POLICY_MOVES:
            raise BadData(f"no policy of {policy!r} moves")
        return {key: meta[key] for key in ("rule", "size", "player", "nodes")} | {"policy": policy}


def _read_searches(file: Path) -> tuple[Columns, dict[str, Any]]:
    meta = _read_meta(file)
    with _reading(file) as archive:
        names = (*_SEARCH_COLUMNS, *(_POLICY_COLUMNS if meta["policy"] else ()))
        columns = _take(archive, names)
        _check(columns, check_size(meta["size"]), meta["policy"])
    return columns, meta


def _check(columns: Columns, size: int, policy: int) -> None:
    """Check types, shapes and ranges of the columns. Raises BadData."""
    area = size * size
    count = columns["board"].shape[0] if columns["board"].ndim else 0
    bounds = {"board": (0, 2), "to_move": (1, 2), "best": (-1, area - 1), "result": (-1, _OFF_PATH)}
    shapes = {"board": (count, area)} | dict.fromkeys(_POLICY_COLUMNS, (count, policy))
    if policy:
        bounds["moves"] = (-1, area - 1)
    for name, column in columns.items():
        shape = shapes.get(name, (count,))
        if column.shape != shape or column.dtype.kind not in "iu":
            actual = f"{column.dtype} {column.shape}"
            raise BadData(f"column {name} is {actual}: expected integers {shape}")
    for name, (low, high) in bounds.items() if count else ():
        if columns[name].min() < low or columns[name].max() > high:
            raise BadData(f"column {name} has numbers outside {low} to {high}")


# --- files ---


def _import(  # noqa: PLR0917
    files: Sequence[Path],
    out: Path,
    manifest: Manifest,
    add: Callable[[DataWriter, Path, str], None],
    overwrite: bool,
    progress: ImportProgress | None,
) -> Manifest:
    """One shard per file; files whose shards exist are skipped. The origin of a shard is the name
    of its file, with a number where files of different folders have the same name.
    """
    seen: Counter[str] = Counter()
    with start_import(out, manifest, overwrite) as writer:
        done = {shard.origin for shard in writer.manifest.shards}
        for number, file in enumerate(files, 1):
            seen[file.name] += 1
            nth = seen[file.name]
            origin = file.name if nth == 1 else f"{file.name}/{nth}"
            if origin not in done:
                add(writer, file, origin)
            if progress is not None:
                progress(number, len(files), writer.manifest.positions)
        return finish_import(writer, f"{files[0].parent}: the files have no usable position")


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Adds the file to a BadData."""
    try:
        yield
    except BadData as error:
        raise BadData(f"{file}: {error}") from None


@contextmanager
def _reading(file: Path) -> Iterator[Mapping[str, Column]]:
    """The arrays of a file, read on access. Raises BadData with its name, OSError."""
    try:
        with (
            _naming(file),
            file.open("rb") as opened,
            np.load(opened, allow_pickle=False) as archive,
        ):
            yield archive
    except BadData:
        raise
    except (ValueError, EOFError, KeyError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise BadData(f"{file} cannot be read ({error}): make this file again") from None


def _take(archive: Mapping[str, Column], names: Sequence[str]) -> Columns:
    if missing := [name for name in names if name not in archive]:
        raise BadData(f"column {', '.join(missing)} missing: expected {', '.join(names)}")
    return {name: archive[name] for name in names}
