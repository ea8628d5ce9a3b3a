# SPDX-License-Identifier: MIT
"""Self-play games of the engine, written as training positions.

    python benchmarks/selfplay.py --rule renju --nodes 2000 --games 20000 --out games/renju

Each game starts with a random opening that the engine evaluates as balanced. In the first plies
after it the move is drawn from the best lines of the search, then it is the best move. Searches
visit worse positions than games do: `--off-path 0.5` also searches, for half of the positions, a
position a few policy moves away, and stores it. `--opponent classical` plays against another
player, with alternating colours, which finds errors that both sides of a self-play game overlook.
The files `OUT-000.npz`, `OUT-001.npz`, ... hold whole games, one position per search:

    board    uint8 [n, size*size]  0 empty, 1 black, 2 white; index y * size + x
    to_move  uint8 [n]             1 black, 2 white
    move     int16 [n]             the move played, as an index; off path: the best move
    best     int16 [n]             the best move of the search; `move` after the first plies
    result   int8 [n]              1 black won the game, -1 white won, 0 draw; 2 off path
    value    int16 [n]             evaluation for the side to move, 200 units per logit;
                                   a win or loss in p plies is +-(30000 - p); -32768 unknown
    game     int32 [n]             number of the game, reproducible with the seed
    moves    int16 [n, K]          only with `--policy K`, for MCTS players: the most visited moves,
                                   best first; -1 where there are fewer
    visits   uint16 [n, K]         playouts of each of them
    meta     str                   JSON: rule, size, nodes, seed and the other settings

The last file is rewritten every 30 seconds, until it nears 12 MiB. SIGINT, SIGTERM and
`--max-seconds` end the run with the games so far.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import random
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bench_common import Every, add_run_options, make_parser, random_board, say
from tengen import Board, Colour, Move, Rule
from tengen.arena.player import Player
from tengen.cli.common import StopSignal
from tengen.cluster import Failure, LocalCluster, ProgressRecord
from tengen.engine import AnyEngine, Engine, Info, Limit, PlayResult, Score
from tengen.game.threat import Threat
from tengen.util.deprecation import add_deprecated_option
from tengen.util.files import write_bytes
from tengen.util.progress import Progress

FILE_BYTES = 12 << 20
UNKNOWN = -32768
MATE = 30000
OPENING_TRIES = 50
MAX_VISITS = 65535
FORCED_PART = 8  # forced positions get one in so many nodes
OFF_PATH_RESULT = 2
_OLD_OPTIONS = {"off_path": "--strays", "off_path_plies": "--stray_plies"}  # until 0.1.0
OFF_PATH_MOVES = 12  # best policy moves from which off-path moves are drawn
OFF_PATH_FORCED = 4  # extra plies allowed to leave a forced position
OFF_PATH_DECAY = 0.75  # weight of each of these moves relative to the one before it


@dataclass(frozen=True)
class Settings:
    """How the games are played. `temperature` is in evaluation units: a line so much worse than the
    best is drawn 1/e as often. `off_path` is the share of positions with an off-path position, 1 to
    `off_path_plies` moves away. `policy`: number of MCTS moves stored with visits. `opponent` plays
    the other side with `opponent_nodes` per move (0: as many as the player); empty: self-play.
    """

    player: str = "classical"
    opponent: str = ""
    opponent_nodes: int = 0
    rule: str = "freestyle"
    size: int = 15
    nodes: int = 2000
    seed: int = 1
    plies: int = 8
    lines: int = 4
    temperature: float = 60.0
    balance: float = 0.35
    memory: int = 16
    off_path: float = 0.0
    off_path_plies: int = 4
    policy: int = 0


@dataclass(frozen=True)
class Task:
    settings: Settings
    number: int


@dataclass(frozen=True)
class SearchResult:
    """The result of a search; `visits` of its best moves, if requested."""

    best: Move
    value: int
    visits: dict[Move, int] = field(default_factory=dict)


class Position(NamedTuple):
    """One row of a file."""

    board: npt.NDArray[np.uint8]
    to_move: int
    move: int
    best: int
    value: int
    off_path: bool
    moves: list[int]
    visits: list[int]


def position(
    board: Board, move: Move, found: SearchResult, policy: int, *, off_path: bool = False
) -> Position:
    """A searched position, with the visits of `policy` moves."""
    most = sorted(found.visits.items(), key=lambda item: -item[1])[:policy]
    rest = policy - len(most)
    return Position(
        board.to_array().ravel(),
        int(board.turn),
        move.to_index(board.size),
        found.best.to_index(board.size),
        found.value,
        off_path,
        [one.to_index(board.size) for one, _ in most] + [-1] * rest,
        [min(count, MAX_VISITS) for _, count in most] + [0] * rest,
    )


Arrays = dict[str, npt.NDArray[np.generic]]

# --- one game, in a worker ---


@dataclass(frozen=True)
class Side:
    """The player of a colour and its effort. `lines`: moves whose visits are reported."""

    engine: AnyEngine
    nodes: int
    lines: int

    def limit(self, *, forced: bool = False) -> Limit:
        return Limit(nodes=max(1, self.nodes // FORCED_PART if forced else self.nodes))


def play_game(task: Task, progress: ProgressRecord) -> Arrays:
    settings = task.settings
    rng = random.Random(f"selfplay {settings.seed} {task.number}")
    sides = sides_of(settings, task.number)
    for side in sides.values():
        side.engine.new_game()
    board = _opening(rng, settings, progress)
    first, positions = board.ply, list[Position]()
    while not board.is_over():
        progress.write()
        side = sides[board.turn]
        limit = side.limit(forced=is_forced(board))
        if board.ply - first < settings.plies:
            found, move = _drawn(rng, side, board, limit, settings)
        else:
            found = _searched(side, board, limit)
            move = found.best
        positions.append(position(board, move, found, settings.policy))
        if rng.random() < settings.off_path and (beside := _off_path(rng, board, settings)):
            found = _searched(side, beside, side.limit())
            positions.append(position(beside, found.best, found, settings.policy, off_path=True))
        board.push(move)
    return _arrays(positions, board, task)


def sides_of(settings: Settings, number: int) -> dict[Colour, Side]:
    """The sides of a game by colour: the player has black in games with an even number."""
    one = side_of(settings.player, settings.nodes, settings)
    nodes = settings.opponent_nodes or settings.nodes
    other = side_of(settings.opponent, nodes, settings) if settings.opponent else one
    pair = (one, other) if number % 2 == 0 else (other, one)
    return dict(zip((Colour.BLACK, Colour.WHITE), pair, strict=True))


def side_of(player: str, nodes: int, settings: Settings) -> Side:
    """Only MCTS reports visits; in alpha-beta each line costs time."""
    has_visits = dict(Player.parse(player).options).get("search") == "mcts"
    engine = engine_of(player, settings.memory)
    return Side(engine, nodes, settings.policy if has_visits else 0)


@cache
def engine_of(player: str, memory: int) -> Engine:
    """The engine of this process."""
    return Engine(**{"memory": memory} | dict(Player.parse(player).options))


def _opening(rng: random.Random, settings: Settings, progress: ProgressRecord) -> Board:
    """An opening that the player evaluates as balanced, or after many tries any."""
    rule = Rule.parse(settings.rule)
    engine = engine_of(settings.player, settings.memory)
    for _ in range(OPENING_TRIES):
        progress.write()
        board = random_board(rng, settings.size, rule)
        info = engine.play(board, Limit(nodes=settings.nodes)).info
        if info is None or abs(info.score.relative.win_rate - 0.5) < settings.balance:
            break
    return board


def _searched(side: Side, board: Board, limit: Limit) -> SearchResult:
    """A search for the best move."""
    if side.lines == 0:
        played = side.engine.play(board, limit)
        return SearchResult(
            played.move, encode_score(played.info.score.relative) if played.info else UNKNOWN
        )
    return _found(*_lines(side.engine, board, limit, side.lines))


def _lines(
    engine: AnyEngine, board: Board, limit: Limit, count: int
) -> tuple[PlayResult, dict[Move, Info]]:
    """A search with several lines: its result, and the last line of each move."""
    lines: dict[int, Info] = {}
    with engine.analyse(board, limit, multipv=count) as analysis:
        for info in analysis:
            if info.pv:
                lines[info.multipv] = info
        played = analysis.played
    if played is None:
        raise RuntimeError(f"no move in {board!r}")
    return played, {info.pv[0]: info for info in lines.values()}


def _found(played: PlayResult, lines: dict[Move, Info]) -> SearchResult:
    info = lines.get(played.move)
    value = encode_score(info.score.relative) if info else UNKNOWN
    visits = {move: info.visits for move, info in lines.items() if info.visits}
    return SearchResult(played.move, value, visits)


def is_forced(board: Board) -> bool:
    """Whether the search needs no evaluation: the side to move can make a five or an open four, or
    must stop a five. Such positions are not used for training.
    """
    other = Colour.WHITE if board.turn is Colour.BLACK else Colour.BLACK
    threats = board.threats(minimum=Threat.OPEN_FOUR) or board.threats(other, minimum=Threat.FIVE)
    return bool(threats)


def _off_path(rng: random.Random, board: Board, settings: Settings) -> Board | None:
    """A position some moves away; more where moves are forced. None if the game ends on the way."""
    board = board.copy()
    policy = engine_of("policy", settings.memory)
    wanted = rng.randint(1, settings.off_path_plies)
    for ply in range(wanted + OFF_PATH_FORCED):
        if ply >= wanted and not is_forced(board):
            return board
        with policy.analyse(board, Limit(nodes=1), multipv=OFF_PATH_MOVES) as analysis:
            moves = {info.multipv: info.pv[0] for info in analysis if info.pv}
        weights = [OFF_PATH_DECAY**number for number in moves]
        board.push(rng.choices(list(moves.values()), weights)[0])
        if board.is_over():
            return None
    return None if is_forced(board) else board


def _drawn(
    rng: random.Random, side: Side, board: Board, limit: Limit, settings: Settings
) -> tuple[SearchResult, Move]:
    """A search, and a move drawn from its best lines."""
    played, lines = _lines(side.engine, board, limit, max(settings.lines, side.lines))
    found = _found(played, lines)
    best_lines = [info for info in lines.values() if info.multipv <= settings.lines]
    values = {info.pv[0]: encode_score(info.score.relative) for info in best_lines}
    top = values.setdefault(found.best, UNKNOWN)
    weights = [math.exp(min(0.0, (v - top) / settings.temperature)) for v in values.values()]
    move = rng.choices(list(values), weights)[0] if top != UNKNOWN else found.best
    return found, move


def encode_score(score: Score) -> int:
    """A score as an int16 of the files."""
    if score.mate is not None:
        return (MATE - abs(score.mate)) * (1 if score.mate > 0 else -1)
    return max(-MATE // 2, min(MATE // 2, score.value))


KINDS = {
    "board": np.uint8, "to_move": np.uint8, "move": np.int16, "best": np.int16, "value": np.int16,
    "moves": np.int16, "visits": np.uint16,
}  # fmt: skip


def _arrays(positions: list[Position], board: Board, task: Task) -> Arrays:
    outcome = board.outcome()
    result = {Colour.BLACK: 1, Colour.WHITE: -1, None: 0}[outcome.winner if outcome else None]
    names = [name for name in KINDS if task.settings.policy or name not in ("moves", "visits")]
    arrays: Arrays = {
        name: np.array([getattr(row, name) for row in positions], KINDS[name]) for name in names
    }
    off_path = [row.off_path for row in positions]
    arrays["result"] = np.where(off_path, OFF_PATH_RESULT, result).astype(np.int8)
    arrays["game"] = np.full(len(positions), task.number, dtype=np.int32)
    return arrays


# --- files ---


class Files:
    """Collects games and writes them to files, in a thread: compression takes seconds."""

    def __init__(self, out: Path, meta: str) -> None:
        self._out, self._meta = out, meta
        self._part = 0
        self._games: list[Arrays] = []
        self._count = 0  # positions of this part
        self._bytes_each = 64.0  # per position in a file; measured with the first file
        self._thread = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None
        out.parent.mkdir(parents=True, exist_ok=True)

    def add(self, game: Arrays) -> None:
        self._games.append(game)
        self._count += len(game["move"])
        if self._count * self._bytes_each > FILE_BYTES:
            self.write()
            self._part += 1
            self._games, self._count = [], 0

    def write(self) -> None:
        """Start to write the games of this part. Raises OSError of the write before."""
        self.wait()
        if self._games:
            path = self._out.with_name(f"{self._out.name}-{self._part:03}.npz")
            self._writing = self._thread.submit(self._write, path, list(self._games))

    def wait(self) -> None:
        if self._writing is not None:
            self._writing.result()

    def _write(self, path: Path, games: list[Arrays]) -> None:
        arrays = {name: np.concatenate([game[name] for game in games]) for name in games[0]}
        file = io.BytesIO()
        np.savez_compressed(file, meta=np.array(self._meta), **arrays)  # type: ignore[arg-type]
        data = file.getvalue()
        self._bytes_each = len(data) / len(arrays["move"])
        write_bytes(data, path)


# --- the command ---


def arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    for name, default in asdict(Settings()).items():
        kind = type(default)
        names = dict.fromkeys((f"--{name.replace('_', '-')}", f"--{name}"))
        option = parser.add_argument(*names, type=kind, default=default, metavar=kind.__name__)
        if name in _OLD_OPTIONS:
            add_deprecated_option(parser, option, _OLD_OPTIONS[name])
    add_run_options(parser, games=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--out", type=Path, required=True, help="prefix of the file names")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    settings = Settings(**{name: getattr(given, name) for name in asdict(Settings())})
    files = Files(given.out, json.dumps(asdict(settings)))
    save, progress = Every(30), Progress("selfplay", given.games, "games")
    games = positions = failures = 0
    tasks = (Task(settings, given.first + i) for i in range(given.games))
    with StopSignal(given.seconds) as stop, LocalCluster(given.processes) as cluster, progress:
        for done in cluster.run(play_game, tasks, stop):
            if done is not None:
                task, found = done.task, done.result
                if isinstance(found, Failure):
                    failures += 1
                    say(f"game {task.number}: {found.kind}, {found.message}")
                    if failures > 20 and failures > games:
                        break
                else:
                    files.add(found)
                    games += 1
                    positions += len(found["move"])
            progress.update(games, f"{positions} positions, {failures} failures")
            if save():
                files.write()
    files.write()
    files.wait()
    print(f"{games} games, {positions} positions, {failures} failures")
    return int(failures > games)


if __name__ == "__main__":
    sys.exit(main())
