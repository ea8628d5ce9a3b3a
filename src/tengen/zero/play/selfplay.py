# SPDX-License-Identifier: MIT
"""Self-play of the native core: `SelfPlay` plays thousands of games of a net against itself on all
cores and evaluates leaves in batches. `SelfPlaySettings` is the table `[selfplay]` of a config. See
docs/selfplay.md. torch is imported when a `SelfPlay` is made.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tengen import _core
from tengen.data import Batch
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Rule
from tengen.train.errors import TrainingFailed
from tengen.util.config import Config, setting
from tengen.zero.errors import BadZero
from tengen.zero.play.generator import SelfPlayGames, StopPlaying, find_game_generator_factory

if TYPE_CHECKING:
    from torch import nn

    from tengen.zero.play.inference import BatchBuffer, Evaluator

# Meanings of the column `source`, and how a game ended.
SOURCES = {1: "search", 2: "solver", 3: "forced", 4: "proven"}
ENDINGS = ("five", "draw", "solver", "proven")
_FULL = 255  # a share of 1

_MAX_PLAYOUTS = 10_000
_MAX_CELLS = MAX_SIZE * MAX_SIZE
_PYTHON_ONLY = ("rule", "root", "result_share", "compile", "graphs")  # not fields of the core

Array: TypeAlias = "npt.NDArray[Any]"


@dataclass(frozen=True, slots=True)
class SelfPlaySettings(Config):
    """How games are played and which positions become rows."""

    ERROR: ClassVar = BadZero

    rule: str = setting("freestyle", choices=[rule.value for rule in Rule], help="of the games")
    size: int = setting(15, min=MIN_SIZE, max=MAX_SIZE, help="board size")
    games: int = setting(6144, min=1, max=1_000_000, help="games in parallel, in all groups")
    groups: int = setting(3, min=1, max=64, help="one advances while the net evaluates the others")
    threads: int = setting(0, min=0, max=256, help="that advance games; 0: one per core")
    seed: int = setting(1, min=0, max=2**63, help="the same seed and nets give the same games")
    playouts: int = setting(64, min=1, max=_MAX_PLAYOUTS, help="of a full search, which makes rows")
    small_playouts: int = setting(16, min=1, max=_MAX_PLAYOUTS, help="of the other searches")
    full_share: float = setting(0.5, min=0.001, max=1, help="share of moves with a full search")
    root: str = setting(
        "gumbel",
        choices=("gumbel", "puct"),
        help="`gumbel`: sequential halving; `puct`: PUCT with Dirichlet noise",
    )
    considered: int = setting(16, min=1, max=_MAX_CELLS, help="moves that a Gumbel root considers")
    gumbel_visits: float = setting(50.0, min=0, max=1e6, help="Gumbel: c_visit")
    gumbel_scale: float = setting(1.0, min=0, max=1e3, help="Gumbel: c_scale, loss to win")
    c: float = setting(1.0, min=0, max=100, help="exploration factor of PUCT")
    fpu: float = setting(0.1, min=0, max=2, help="first-play urgency: reduction of the value")
    noise_total: float = setting(10.0, min=0.01, max=1e4, help="sum of Dirichlet parameters")
    noise_share: float = setting(0.25, min=0, max=1, help="of the noise in the prior of the root")
    temperature: float = setting(1.0, min=0, max=100, help="of early moves: noise or visits")
    late_temperature: float = setting(0.25, min=0, max=100, help="temperature of later moves")
    early_moves: int = setting(14, min=0, max=_MAX_CELLS, help="stones from which moves are late")
    move_limit: int = setting(0, min=0, max=_MAX_CELLS, help="moves until a draw; 0: no limit")
    leaf_vcf: int = setting(32, min=0, max=1_000_000, help="moves of the VCF solver at a leaf")
    root_vcf: int = setting(1000, min=0, max=1_000_000, help="the same before a search")
    cut_off: bool = setting(True, help="end a game when a solver or a search has proved its result")
    won_share: float = setting(0.3, min=0, max=1, help="of solver wins that become rows")
    faced_share: float = setting(0.05, min=0, max=1, help="of forced positions that become rows")
    opening_least: int = setting(2, min=0, max=_MAX_CELLS, help="minimum stones of an opening")
    opening_most: int = setting(7, min=0, max=_MAX_CELLS, help="maximum stones of an opening")
    opening_tries: int = setting(4, min=1, max=1000, help="drawn; the most balanced is played")
    opening_noise: float = setting(0.15, min=0, max=2, help="maximum noise on their imbalance")
    policy_moves: int = setting(16, min=1, max=64, help="moves of a row's policy, the likeliest")
    symmetries: bool = setting(True, help="evaluate each leaf under a random symmetry")
    reuse: bool = setting(True, help="keep net evaluations from one move of a game to the next")
    result_share: float = setting(0.65, min=0, max=1, help="of the result in the value; rest: root")
    compile: bool = setting(False, help="use torch.compile on a GPU: one minute slower start")
    graphs: bool = setting(True, help="use CUDA graphs, which start a batch faster")

    def validate(self) -> None:
        least, most = self.opening_least, self.opening_most
        if self.games < self.groups:
            raise BadZero(f"{self.games} is less than groups ({self.groups})", "games")
        if most < least:
            raise BadZero(f"{most} is less than opening_least ({least})", "opening_most")
        if most > (half := self.size * self.size // 2):
            raise BadZero(f"{most} is too many: use at most {half}", "opening_most")
        if 0 < self.move_limit <= most:
            raise BadZero(f"use 0 (none), or more than opening_most ({most})", "move_limit")

    def native(self, by_mover: bool = False) -> _core.SelfPlaySettings:
        """The settings of the native core."""
        settings = _core.SelfPlaySettings()
        for name, value in self.to_dict().items():
            if name not in _PYTHON_ONLY:
                setattr(settings, name, value)
        settings.rule = list(Rule).index(Rule(self.rule))
        settings.gumbel = self.root == "gumbel"
        settings.by_colour, settings.by_mover = not by_mover, by_mover
        return settings


class PlayedGame(NamedTuple):
    """The moves of a finished game."""

    moves: tuple[int, ...]  # points (y * size + x), those of the opening first
    opening: int  # stones of the opening
    winner: int  # 1 black, 2 white, 0 draw
    ending: str  # one of ENDINGS


@dataclass(slots=True)
class SelfPlayTiming:
    """Where the time went, in seconds, and how much was evaluated."""

    waiting: float = 0.0  # for the net; the cores are idle
    advancing: float = 0.0  # games, on all cores
    starting: float = 0.0  # handing batches to the device
    batches: int = 0
    leaves: int = 0


class SelfPlay:
    """A `GameGenerator`. Not thread-safe."""

    def __init__(
        self,
        settings: SelfPlaySettings,
        device: str | None = None,
        *,
        by_mover: bool = False,
        evaluator: Evaluator | None = None,
    ) -> None:
        """`device`: cpu or cuda; None: a GPU if there is one. Two nets: each evaluates positions
        with its colour to move. `by_mover`: each evaluates all leaves of its colour's searches, so
        that two nets play a match. `evaluator`: of nets that are set already; it reads and writes
        buffers in host memory. Raises BadZero.
        """
        if by_mover and settings.reuse:
            raise BadZero("reuse shares evaluations between the players of a match: disable it")
        import torch

        from tengen.zero.play.inference import BatchBuffer, Inference

        self.settings = settings
        self.timing = SelfPlayTiming()
        if evaluator is not None:
            device = "cpu"  # of the buffers
        where = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._core: _core.SelfPlay | None = _core.SelfPlay(settings.native(by_mover))
        sizes = [self._core.group_size(group) for group in range(settings.groups)]
        options = {
            "compile": settings.compile and where.type == "cuda",
            "graphs": settings.graphs,
            "urgent": by_mover,  # a match has many small batches, each waits for the last one
        }
        self._inference = evaluator or Inference(settings.size, max(sizes), where, **options)
        self._buffers: list[BatchBuffer] = [
            BatchBuffer(size, settings.size, where) for size in sizes
        ]
        self._next = 0
        self._last: dict[str, Any] | None = None
        self._openings: list[tuple[int, ...]] = []

    def set_nets(self, *nets: nn.Module) -> None:
        """Use the weights of this net, or of two: black's and white's. Games in progress continue;
        batches already started are answered by the previous nets.
        """
        self._open()
        if len(nets) not in (1, 2):
            raise BadZero(f"self-play needs one net, or two (black's and white's), not {len(nets)}")
        self._inference.set_nets(*nets)

    def play(self, positions: int, heartbeat: Callable[[], None] = lambda: None) -> SelfPlayGames:
        """Play until finished games have this many rows, or until `heartbeat`, which is called
        after each batch, raises StopPlaying. Raises BadZero if there is no net, TrainingFailed
        if the net returns NaN, StopPlaying.
        """
        core = self._ready()
        if positions < 1:
            raise BadZero(f"{positions} positions: use 1 or more")
        while core.rows_ready < positions:
            self._advance(core)
            try:
                heartbeat()
            except StopPlaying:
                if not core.rows_ready:
                    raise
                break
        self._last = core.take()
        return self._to_games(self._last)

    def start_games(self, openings: Sequence[Sequence[int]]) -> None:
        """Start one game from each opening (points), and the first batch; `advance_games` plays
        them. At most as many as there are games in parallel, and before any other game. Raises as
        `play` does.
        """
        core = self._ready()
        given = [tuple(opening) for opening in openings]
        if len(set(given)) < len(given):
            raise BadZero("an opening occurs twice: its games would be indistinguishable")
        try:
            core.play_once([list(opening) for opening in given])
        except ValueError as error:
            raise BadZero(f"cannot play these openings: {error}") from None
        self._openings = given
        self._start_batch(core, self._buffers[self._next])

    def advance_games(self) -> bool:
        """Advance a group of the started games; whether any of them is unfinished."""
        core = self._open()
        if core.resting < len(self._openings):
            self._advance(core)
        return core.resting < len(self._openings)

    def finished_games(self) -> list[PlayedGame]:
        """The started games, in the order of their openings, once all are finished."""
        self._last = self._open().take()
        games = {game.moves[: game.opening]: game for game in self.last_games()}
        return [games[opening] for opening in self._openings]

    def _open(self) -> _core.SelfPlay:
        if self._core is None:
            raise BadZero("self-play is closed: make another one")
        return self._core

    def _ready(self) -> _core.SelfPlay:
        core = self._open()
        if not self._inference.is_ready:
            raise BadZero("no net to play with: call set_nets() first")
        return core

    def _advance(self, core: _core.SelfPlay) -> None:
        """Advance one group: wait for its evaluations, advance its games, start its next batch. May
        be interrupted anywhere.
        """
        buffer, timing = self._buffers[self._next], self.timing
        if not buffer.is_started:
            self._start_batch(core, buffer)
        start = time.perf_counter()
        buffer.wait()
        waited = time.perf_counter()
        buffer.is_started = False
        try:
            core.advance(self._next, buffer.values, buffer.policies, buffer.boards)
        except RuntimeError as error:
            raise TrainingFailed(f"{error}: the weights of the net are unusable") from None
        advanced = time.perf_counter()
        self._start_batch(core, buffer)
        timing.waiting += waited - start
        timing.advancing += advanced - waited
        timing.starting += time.perf_counter() - advanced
        self._next = (self._next + 1) % len(self._buffers)

    def _start_batch(self, core: _core.SelfPlay, buffer: BatchBuffer) -> None:
        """Start the evaluation of the leaves of the next group."""
        count, black = core.leaves(self._next)
        if count:
            self._inference.start(buffer, black, count - black)
            self.timing.batches += 1
            self.timing.leaves += count
        buffer.is_started = True

    def _to_games(self, taken: dict[str, Any]) -> SelfPlayGames:
        rows = Batch(
            **{name: taken[name] for name in ("board", "move", "prob")},
            value=mix_values(taken["result"], taken["root"], self.settings.result_share),
            **{name: taken[name] for name in ("to_move", "ply", "game", "source")},
            **{name: taken[name] for name in ("result", "root")},
        )
        wins = np.bincount(taken["winner"], minlength=3)
        moves = int(taken["length"].sum() - taken["opening"].sum())
        return SelfPlayGames(
            rows, int(wins[1]), int(wins[2]), int(wins[0]), moves, taken["playouts"]
        )

    def last_games(self) -> Iterator[PlayedGame]:
        """The moves of the games of the last play(), in the order of the column `game`."""
        if (taken := self._last) is None:
            return
        ends = np.cumsum(taken["length"])
        for n, (end, length) in enumerate(zip(ends, taken["length"], strict=True)):
            moves = tuple(int(move) for move in taken["line"][end - length : end])
            winner, ending = int(taken["winner"][n]), ENDINGS[taken["ending"][n]]
            yield PlayedGame(moves, int(taken["opening"][n]), winner, ending)

    @property
    def threads(self) -> int:
        """Threads that advance games."""
        return self._open().threads

    def work(self) -> dict[str, int]:
        """Totals since the start: leaves, playouts, searches, moves, rows (including games in
        progress), solver_nodes.
        """
        return self._open().counters()

    def close(self) -> None:
        """Free threads and memory. May be called more than once."""
        if self._core is not None:
            self._inference.close()
            self._buffers.clear()
            self._core = None

    def __enter__(self) -> SelfPlay:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def mix_values(result: Array, root: Array, share: float) -> Array:
    """uint8 [B, 2], win and loss out of 255: `share` of the game's result (0 loss, 1 draw, 2 win),
    the rest of the root value. The draw is the remainder.
    """
    outcome = np.stack((result == 2, result == 0), 1) * float(_FULL)
    value = np.rint(share * outcome + (1 - share) * root).astype(np.int16)
    over = np.maximum(value.sum(1) - _FULL, 0)  # both were rounded up
    value[np.arange(len(value)), value.argmax(1)] -= over
    return value.astype(np.uint8)


DEFAULT_FACTORY = f"{__name__}:make_generator"


def make_generator(settings: Mapping[str, Any], device: str) -> SelfPlay:
    """A `GameGeneratorFactory`. Raises BadZero for wrong settings."""
    return SelfPlay(SelfPlaySettings.from_dict(settings), device)


def check_game_generator_factory(name: str, settings: Mapping[str, Any]) -> None:
    """Check the factory and its settings before a worker starts. Raises BadZero."""
    if find_game_generator_factory(name) is make_generator:
        try:
            SelfPlaySettings.from_dict(settings)
        except BadZero as error:
            raise BadZero(error.problem, f"selfplay.{error.key}") from None
