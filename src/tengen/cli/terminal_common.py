# SPDX-License-Identifier: MIT
"""Parts of a terminal game: its commands with their replies, errors and arguments; the engine as an
opponent; the state of the game as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import ParamSpec

from tengen.cli.analyse import percent, short
from tengen.cli.common import StopSignal
from tengen.engine import AnyEngine, Limit, PlayResult
from tengen.game.board import Board
from tengen.game.errors import TengenError
from tengen.game.move import Move
from tengen.game.recorded_game import RecordedGame
from tengen.game.rule import Colour, Forbidden
from tengen.util.progress import Progress

# --- commands ---


@dataclass(frozen=True)
class Reply:
    """The answer to a line of input; `quit` ends the session."""

    lines: tuple[str, ...] = ()
    quit: bool = False


@dataclass(frozen=True)
class TerminalCommand:
    """A command of the terminal game. One whose usage is a single word takes no argument."""

    run: Callable[..., Reply]  # (game, rest of the line)
    usage: str
    help: str  # empty: not listed by `help`
    engine: bool  # only against the engine


_P = ParamSpec("_P")
COMMANDS: dict[str, TerminalCommand] = {}  # by name, in the order of `help`
ALIASES = {"exit": "quit", "q": "quit", "?": "help"}


class CommandError(TengenError, ValueError):
    """A command that cannot be carried out; the message says why and what would be right."""


def command(
    usage: str, help: str, *, engine: bool = False
) -> Callable[[Callable[_P, Reply]], Callable[_P, Reply]]:
    """Decorator of the methods that are commands. `engine`: only against the engine."""

    def register(run: Callable[_P, Reply]) -> Callable[_P, Reply]:
        COMMANDS[usage.split(maxsplit=1)[0]] = TerminalCommand(run, usage, help, engine)
        return run

    return register


def parse_count(command: str, rest: str) -> int:
    """The number of moves for `undo` and `redo`; 1 by default."""
    if not rest:
        return 1
    if re.fullmatch(r"\d{1,9}", rest, re.ASCII) and int(rest) > 0:
        return int(rest)
    raise CommandError(f"`{command}` takes a number of moves from 1, not {rest!r}.")


def parse_path(command: str, rest: str) -> Path:
    """The rest of the line is a file name, spaces included; quotes around it are dropped."""
    if len(rest) > 1 and rest[0] == rest[-1] and rest[0] in "\"'":
        rest = rest[1:-1]
    if not rest:
        example = "board.svg" if command == "svg" else "game.sgf"
        raise CommandError(f"`{command}` needs the name of a file, such as {command} {example}.")
    try:
        return Path(rest).expanduser()
    except RuntimeError as error:  # ~user without a home directory
        raise CommandError(f"{rest}: {error}") from None


def check_free(path: Path, command: str, replace: bool) -> None:
    if not replace and path.exists():
        raise CommandError(f"{path} exists already: `{command}! {path}` replaces it.")


def next_free(path: Path) -> Path:
    """The path itself, or the first of name-2, name-3, ... that does not exist."""
    numbered = re.fullmatch(r"(.+)-([1-9]\d{0,5})", path.stem, re.ASCII)
    stem, number = (numbered[1], int(numbered[2])) if numbered else (path.stem, 1)
    while path.exists():
        number += 1
        path = path.with_name(f"{stem}-{number}{path.suffix}")
    return path


# --- engine and texts ---

FORBIDDEN_TEXT = {
    Forbidden.OVERLINE: "overline: it would make six or more in a row",
    Forbidden.DOUBLE_FOUR: "double-four: it would make two fours at once",
    Forbidden.DOUBLE_THREE: "double-three: it would make two open threes at once",
}
_STOP_REASONS = {
    "five": "five in a row",
    "full_board": "the board is full",
    "passes": "both sides passed",
    "move_limit": "the move limit is reached",
}
_NUMBERS = {5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}


class EnginePlayer:
    """The engine as an opponent, with its limit per move."""

    def __init__(self, engine: AnyEngine, limit: Limit) -> None:
        self.engine = engine
        self.limit = limit
        self.name = engine.name

    def think(self, board: Board) -> PlayResult:
        """A move. Ctrl-C makes the engine move at once; a second one raises KeyboardInterrupt."""
        with (
            StopSignal(on_request=self.engine.stop) as interrupt,
            Progress("thinking", line_seconds=None) as progress,
            self.engine.search(board, self.limit) as analysis,
        ):
            if interrupt.requested:  # before the search started
                analysis.stop()
            for info in analysis:
                nodes, line = f"{short(info.nodes)} nodes", " ".join(map(str, info.pv))
                progress.update(text=f"depth {info.depth}, {info.score}, {nodes}, {line}")
        return analysis.played

    def limit_text(self) -> str:
        limit = self.limit
        parts = [f"{limit.time:g} s"] if limit.time is not None else []
        parts += [f"{limit.nodes:,} nodes"] if limit.nodes is not None else []
        parts += [f"depth {limit.depth}"] if limit.depth is not None else []
        return f"{', '.join(parts) or 'unlimited time'} per move"


def status_text(game: RecordedGame) -> str:
    """The last move, and who is to move or how the game ended."""
    board, text = game.board, ""
    if game.moves:
        last = "passed" if game.moves[-1].is_pass else str(game.moves[-1])
        text = f"{len(game.moves)}. {game.movers[-1]} {last}. "
    if game.resigned is not None:
        winner = str(game.resigned.other).capitalize()
        return f"{text}{winner} wins: {game.resigned} resigned."
    if (outcome := board.outcome()) is None:
        stuck = not board.legal_moves()
        only = ": every free point is forbidden, only `pass` is left" if stuck else ""
        return f"{text}{str(board.turn).capitalize()} to move{only}."
    how = _STOP_REASONS[outcome.reason]
    if outcome.winner is None:
        return f"{text}A draw: {how}."
    if outcome.lines:
        rows = " and ".join(f"{run[0]} to {run[-1]}" for run in outcome.lines)
        how = f"{_number(max(map(len, outcome.lines)))} in a row, {rows}"
    return f"{text}{str(outcome.winner).capitalize()} wins: {how}."


def evaluation_text(played: PlayResult) -> str:
    """The engine's evaluation of its move, in brackets."""
    if played.info is None:
        return ""
    score = played.info.score
    rate = percent(score.relative.win_rate)
    return f" ({score.relative} for {score.turn}, win rate {rate}, depth {played.info.depth})"


def row_without_win(game: RecordedGame) -> list[str]:
    """Why a last move that made five or more in a row does not win; else nothing."""
    board, moves = game.board, game.moves
    outcome = board.outcome()
    if (outcome is not None and outcome.winner) or not moves or moves[-1].is_pass:
        return []
    longest = _longest_row(board, moves[-1], game.movers[-1])
    if longest < 5:
        return []
    if longest == 5:
        return [f"Five in a row, but closed at both ends: no win in {board.rule}."]
    return [f"{_number(longest).capitalize()} in a row is no win in {board.rule}."]


def _longest_row(board: Board, move: Move, colour: Colour) -> int:
    """The number of stones of a colour in the longest row through a point."""
    own = {(x, y) for (x, y), owner in board.stones().items() if owner is colour}
    lengths = []
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        x, y = move
        while (x - dx, y - dy) in own:
            x, y = x - dx, y - dy
        lengths.append(next(n for n in count() if (x + n * dx, y + n * dy) not in own))
    return max(lengths)


def _number(count: int) -> str:
    return _NUMBERS.get(count, str(count))
