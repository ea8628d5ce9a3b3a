# SPDX-License-Identifier: MIT
"""Games of an engine against itself, with what its searches said: the .npz files that
`benchmarks/selfplay.py` writes.

The value of a position is learned from both the game's result and the value of the search, which
is points; they become a win rate by the scale that fits the results best. Positions beside the
games (strays) have the search's value alone. The policy is the best move of the search, or, in
files that have them, the visits that a tree search gave its moves. Positions that no evaluation is
ever asked about are left out: those in which either side can make a five at once, and those in
which the side to move can make an open four. Each file becomes a shard, so an import that was
interrupted goes on with the next one. Relies on the writer and the batch functions of the game;
the command line relies on it.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.data.errors import BadData
from tengen.data.importers.base import Progress, begin, end
from tengen.data.manifest import MOST_MOVES, Manifest
from tengen.data.packing import check_size, own_view, pack
from tengen.data.rows import Batch, Column
from tengen.data.writer import DataWriter
from tengen.game import batch
from tengen.game.rule import Rule
from tengen.game.threat import Threat

__all__ = ["SearchOptions", "fitted_scale", "import_searches"]

UNKNOWN = -32768  # no value is known
NO_RESULT = 2  # a position beside a game
MATE = 20000  # points from which on a value is a won or lost game
_COLUMNS = ("board", "to_move", "best", "result", "value", "game", "meta")
_POLICY_COLUMNS = ("moves", "visits")  # of files whose meta tells of a `policy`
_SCALES = np.arange(60, 401, 5)  # points a logit that are tried
_SCALE = (1, MATE)  # least and most points a logit that may be asked for
_AT_ONCE = 50_000


@dataclass(frozen=True)
class SearchOptions:
    """What is made of the games."""

    name: str
    result_share: float = 0.4  # of the value's label that is the game's result; the search the rest
    scale: float = 0.0  # points that are a logit; 0: the scale that fits the results
    ships: bool = True  # whether nets trained on it may be given away: own games, so they may


def import_searches(
    files: Sequence[Path],
    out: Path,
    options: SearchOptions,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Manifest:
    """Make a data set of files, or go on with it. `progress` counts files.

    Raises BadData with the file and what is wrong with it, and OSError.
    """
    if not files:
        raise BadData("no .npz file of games of an engine against itself")
    if not 0 <= options.result_share <= 1:
        raise BadData(f"no share {options.result_share} of the result: use 0 to 1")
    if options.scale != 0 and not _SCALE[0] <= options.scale <= _SCALE[1]:
        raise BadData(f"no scale {options.scale:g}: use a number from {_SCALE[0]} to {_SCALE[1]}")
    first, meta = _read(files[0])
    scale = options.scale or fitted_scale(first)
    manifest = Manifest(
        options.name,
        Rule.parse(meta["rule"]),
        int(meta["size"]),
        max(1, *(_told(file)["policy"] for file in files)),
        source=f"{meta['player']} against itself, {meta['nodes']} nodes a move",
        terms="made for this project: free to use, nets trained on it may ship",
        ships=options.ships,
        recipe={
            "importer": "searches",
            "files": [[one.name, one.stat().st_size] for one in files],
            "result_share": options.result_share,
            "points_a_logit": round(float(scale), 2),
        },
    )
    with begin(out, manifest, overwrite) as writer:
        done = {shard.origin for shard in writer.manifest.shards}
        for number, (file, origin) in enumerate(zip(files, _origins(files), strict=True), 1):
            if origin not in done:
                _import_file(writer, file, origin, options.result_share, scale)
            if progress is not None:
                progress(number, len(files), writer.manifest.positions)
        return end(writer, "the files hold no position that an evaluation is asked about")


def fitted_scale(columns: dict[str, Column]) -> float:
    """Points a logit by which the values of searches tell the results of games best."""
    value = columns["value"].astype(np.float64)
    known = (np.abs(value) < MATE) & (value != UNKNOWN) & (columns["result"] != NO_RESULT)
    if not known.any():
        return 200.0
    score = (_own_result(columns)[known] + 1) / 2
    losses = []
    for scale in _SCALES:
        logit = value[known] / scale
        losses.append(float(np.mean(np.logaddexp(0, logit) - score * logit)))
    return float(_SCALES[int(np.argmin(losses))])


def _origins(files: Sequence[Path]) -> list[str]:
    """What the shards of the files are known by when an import goes on: their names, and where
    files of other folders have the same name, which of them it is.
    """
    seen: Counter[str] = Counter()
    origins = []
    for file in files:
        seen[file.name] += 1
        nth = seen[file.name]
        origins.append(file.name if nth == 1 else f"{file.name}/{nth}")  # no file is called so
    return origins


def _import_file(writer: DataWriter, file: Path, origin: str, share: float, scale: float) -> None:
    columns, meta = _read(file)
    manifest = writer.manifest
    if (meta["rule"], meta["size"]) != (str(manifest.rule), manifest.size):
        words = f"{file} is of {meta['rule']} on {meta['size']}x{meta['size']}"
        raise BadData(f"{words}, the first file is not: import each rule and size by itself")
    counts = {"positions": len(columns["value"])}
    asked = _is_asked(columns, manifest) & (columns["best"] >= 0)
    asked &= (columns["value"] != UNKNOWN) | (columns["result"] != NO_RESULT)
    counts["answered without an evaluation"] = int(np.count_nonzero(~asked))
    if not asked.any():
        return
    few = {name: column[asked] for name, column in columns.items() if name != "meta"}
    rows = Batch(
        pack(own_view(few["board"], few["to_move"]), manifest.size),
        *_policy(few, manifest.policy_moves),
        _labels(few, share, scale),
        to_move=few["to_move"],
        game=few["game"],
    )
    try:
        writer.write(rows, origin, counts)
    except BadData as error:
        raise BadData(f"{file}: {error}") from None


def _is_asked(columns: dict[str, Column], manifest: Manifest) -> npt.NDArray[np.bool_]:
    """Whether a search would ask an evaluation about the position."""
    size = manifest.size
    boards = columns["board"].reshape(-1, size, size)
    own = columns["to_move"].astype(np.int64) - 1
    asked = np.empty(len(own), np.bool_)
    for start in range(0, len(own), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        most = batch.threats(boards[part], manifest.rule).max(axis=(2, 3))  # [n, 2] by colour
        mine = np.take_along_axis(most, own[part, None], 1)[:, 0]
        asked[part] = (most.max(axis=1) < Threat.FIVE) & (mine < Threat.OPEN_FOUR)
    return asked


def _own_result(columns: dict[str, Column]) -> npt.NDArray[np.float64]:
    """The game's result for the side to move: 1, 0, -1."""
    return np.where(columns["to_move"] == 1, 1.0, -1.0) * columns["result"]


def _labels(columns: dict[str, Column], share: float, scale: float) -> Column:
    """Win and loss out of 255. A search tells no draws: what is not won is lost."""
    result = _own_result(columns)
    points = columns["value"].astype(np.float64)
    found = 1 / (1 + np.exp(-np.clip(points / scale, -30, 30)))
    found = np.where(np.abs(points) >= MATE, points > 0, found)
    part = np.where(points == UNKNOWN, 1.0, share)
    part = np.where(columns["result"] == NO_RESULT, 0.0, part)
    win = part * (result > 0) + (1 - part) * found
    loss = part * (result < 0) + (1 - part) * (1 - found)
    wins = np.rint(255 * win).astype(np.int64)
    losses = np.minimum(np.rint(255 * loss).astype(np.int64), 255 - wins)
    return np.stack([wins, losses], 1).astype(np.uint8)


def _policy(columns: dict[str, Column], width: int) -> tuple[Column, Column]:
    """Moves, and their weights out of 255: by visits; the best move alone where there are none, and
    where it wins by force, which visits do not tell.
    """
    moves = np.zeros((len(columns["best"]), width), np.uint16)
    weights = np.zeros(moves.shape, np.float64)
    moves[:, 0], weights[:, 0] = columns["best"], 1
    if "moves" in columns:
        given, visits = columns["moves"], columns["visits"].astype(np.float64)
        told = (visits.sum(axis=1) > 0) & (columns["value"] < MATE)
        places = np.ix_(told, np.arange(given.shape[1]))
        moves[told] = 0
        weights[told] = 0
        moves[places] = np.maximum(given[told], 0)
        weights[places] = visits[told]
    shares = 255 * weights / weights.sum(axis=1, keepdims=True)
    return moves, np.rint(shares).astype(np.uint8)


def _told(file: Path) -> dict[str, Any]:
    """What a file tells of its games; `policy` is how many moves with visits a row has."""
    with (
        _words_for(file),
        file.open("rb") as opened,
        np.load(opened, allow_pickle=False) as archive,
    ):
        return _meta(archive)


def _read(file: Path) -> tuple[dict[str, Column], dict[str, Any]]:
    with (
        _words_for(file),
        file.open("rb") as opened,
        np.load(opened, allow_pickle=False) as archive,
    ):
        meta = _meta(archive)
        wanted = (*_COLUMNS, *(_POLICY_COLUMNS if meta["policy"] else ()))
        if missing := [name for name in wanted if name not in archive]:
            words = f"column {', '.join(missing)} missing"
            raise BadData(f"{words}; games of an engine have {', '.join(wanted)}")
        columns = {name: archive[name] for name in wanted}
        _check(columns, check_size(meta["size"]), meta["policy"])
        return columns, meta


def _meta(archive: Mapping[str, Column]) -> dict[str, Any]:
    if "meta" not in archive:
        raise BadData("column meta missing: no games of an engine against itself")
    meta = json.loads(str(archive["meta"]))
    told = {key: meta[key] for key in ("rule", "size", "player", "nodes")}
    policy = meta.get("policy", 0)  # not in older files
    if type(policy) is not int or not 0 <= policy <= MOST_MOVES:
        raise BadData(f"no policy of {policy!r} moves")
    return told | {"policy": policy}


@contextmanager
def _words_for(file: Path) -> Iterator[None]:
    """What is wrong with a file, as BadData with its name."""
    try:
        yield
    except BadData as error:
        raise BadData(f"{file}: {error}") from None
    except (ValueError, EOFError, KeyError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise BadData(f"{file} cannot be read ({error}): play these games again") from None


def _check(columns: dict[str, Column], size: int, policy: int) -> None:
    """That the columns are of whole numbers that make sense, and of the same positions. Raises
    BadData.
    """
    area = size * size
    count = columns["board"].shape[0] if columns["board"].ndim else 0
    bounds = {"board": (0, 2), "to_move": (1, 2), "best": (-1, area - 1), "result": (-1, NO_RESULT)}
    shapes = {"board": (count, area)} | dict.fromkeys(_POLICY_COLUMNS, (count, policy))
    if policy:
        bounds["moves"] = (-1, area - 1)
    for name, column in columns.items():
        if name == "meta":
            continue
        wanted = shapes.get(name, (count,))
        if column.shape != wanted:
            raise BadData(f"column {name} has shape {column.shape}: expected {wanted}")
        if column.dtype.kind not in "iu":
            raise BadData(f"column {name} holds {column.dtype}: expected whole numbers")
    for name, (least, most) in bounds.items() if count else ():
        if columns[name].min() < least or columns[name].max() > most:
            raise BadData(f"column {name} holds other numbers than {least} to {most}")
