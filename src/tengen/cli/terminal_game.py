# SPDX-License-Identifier: MIT
"""`TerminalGame`: a game in the terminal, against the engine or between two people.

Takes a line of input and returns lines of output; `play` reads and prints them. Reads and writes
game files where a command asks for it. Relies on `RecordedGame`, the engine and the renderers.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from itertools import count
from pathlib import Path
from typing import ParamSpec

from tengen.cli.analyse import cells, percent, short
from tengen.cli.common import StopSignal, error_text, move_list, one_line, printable, wrap
from tengen.cli.common import count as plural
from tengen.engine import AnyEngine, Limit, PlayResult
from tengen.game import records
from tengen.game.board import Board
from tengen.game.errors import BadNotation, ForbiddenMove, GameOver, TengenError
from tengen.game.move import Move
from tengen.game.recorded_game import RecordedGame
from tengen.game.render import board_text
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Forbidden, Rule
from tengen.util.progress import Progress

__all__ = ["EnginePlayer", "Reply", "TerminalGame"]

HUMAN = "Human"  # the name of a person in a record
# Input that is meant as a point, whether this board has it or not.
_POINT = re.compile(r"[a-z]\d+|[\d\s]+,[\d\s]+|-?\d+", re.ASCII | re.IGNORECASE)
_FORBIDDEN = {
    Forbidden.OVERLINE: "overline: it would make six or more in a row",
    Forbidden.DOUBLE_FOUR: "double-four: it would make two fours at once",
    Forbidden.DOUBLE_THREE: "double-three: it would make two open threes at once",
}
_ENDINGS = {
    "five": "five in a row",
    "full_board": "the board is full",
    "passes": "both sides passed",
    "move_limit": "the move limit is reached",
}
_NUMBERS = {5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}


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


class TerminalGame:
    """A board with commands. `handle` never raises for bad input: the reply says what is wrong."""

    def __init__(
        self,
        game: RecordedGame,
        opponent: EnginePlayer | None = None,
        person: Colour = Colour.BLACK,
        *,
        autosave: Path | None = None,
        unicode: bool = False,
        colour: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`opponent` None: two people. `person` is the side that plays against the engine.

        `autosave` is the file written after every change of the game; `clock` returns seconds.
        """
        self.game = game
        self.person = person
        self._opponent = opponent
        self._autosave = autosave
        self._unicode = unicode
        self._colour = colour
        self._clock = clock
        self._turn_start = clock()  # when the person's turn started
        self._show_forbidden = True
        self._losses: set[str] = set()  # what the file cannot hold, already reported
        self._unsaved = False  # whether moves were made since the last `save`
        self._name_players()

    @property
    def prompt(self) -> str:
        return "game over> " if self.game.is_over else f"{self.game.board.turn}> "

    @property
    def engine_to_move(self) -> bool:
        board = self.game.board
        return bool(self._opponent) and not self.game.is_over and board.turn is not self.person

    def greet(self) -> Reply:
        """The first reply: the position, and how to get help."""
        size = self.game.board.size
        title = f"Tengen: {self.game.rule} on {size}x{size}. Type a point to play it, or `help`."
        saving = [f"Saving to {self._autosave} after every move."] if self._autosave else []
        return Reply((title, *self._sides(), *saving, *self._notes(), *self._position()))

    def farewell(self) -> Reply:
        """The last reply: after `quit`, at the end of the input, after an interrupt."""
        if self._autosave is not None and self._autosave.exists():
            return Reply((f"The game is in {self._autosave}.",), quit=True)
        unsaved = ("The game was not saved.",) if self._unsaved else ()
        return Reply(unsaved, quit=True)

    def handle(self, line: str) -> Reply:
        """Carry out one line of input."""
        text = line.strip()
        if not text:
            return Reply()
        name, *rest = text.split(maxsplit=1)
        command = self._commands().get(ALIASES.get(name.lower(), name.lower()))
        try:
            if command is None:
                return self._play(self._point(text))
            if rest and " " not in command.usage:
                raise CommandError(f"`{name}` takes no argument: {rest[0]!r} is too much.")
            return command.run(self, "".join(rest))
        except ForbiddenMove as error:
            return Reply((f"{text} is forbidden to black, {_FORBIDDEN[Forbidden(error.reason)]}.",))
        except GameOver:
            return Reply(("The game is over: `undo` takes a move back, `new` starts another.",))
        except (OSError, TengenError, ValueError) as error:  # ValueError: an impossible file name
            return Reply((error_text(error),))

    def engine_move(self) -> Reply:
        """Let the engine move, if it is its turn."""
        if not self.engine_to_move:
            return Reply()
        start = self._clock()
        played = self._engine().think(self.game.board)
        self.game.play(played.move, _milliseconds(self._clock() - start))
        self._turn_start = self._clock()
        line = f"{self._engine().name} plays {played.move}{_evaluation(played)}."
        return Reply((line, *self._changed().lines))

    def _engine(self) -> EnginePlayer:
        if self._opponent is None:
            raise CommandError("There is no engine in a game of two people.")
        return self._opponent

    def _commands(self) -> dict[str, TerminalCommand]:
        return {name: c for name, c in COMMANDS.items() if self._opponent or not c.engine}

    def _point(self, text: str) -> Move:
        """The point that the text names."""
        size = self.game.board.size
        try:
            return Move.parse(text, size)
        except BadNotation:
            if _POINT.fullmatch(text):
                corner = Move(size - 1, size - 1)
                raise CommandError(
                    f"{text} is not on this board, which goes from a1 to {corner}."
                ) from None
        near = get_close_matches(text.split(maxsplit=1)[0].lower(), self._commands(), n=1)
        hint = f"did you mean `{near[0]}`?" if near else "`help` lists the commands."
        raise CommandError(f"No command or move {text!r}: {hint}")

    def _play(self, move: Move) -> Reply:
        if self._opponent is None:
            self.game.play(move)
        else:
            self.game.play(move, _milliseconds(self._clock() - self._turn_start))
        if self.engine_to_move:
            return Reply((*self._save(), self._status()))  # the board follows the engine's move
        return self._changed()

    def _changed(self) -> Reply:
        """The reply to a change of the game: saves it and shows the position."""
        return Reply((*self._save(), *self._position()))

    def _save(self) -> list[str]:
        """Write the autosave file, if there is one; returns notes for the players."""
        self._unsaved = bool(self.game.moves)
        if self._autosave is None:
            return []
        try:
            lost = [what for what in self.game.save(self._autosave) if what not in self._losses]
        except (TengenError, OSError) as error:
            return [f"Not saved: {error_text(error)}"]
        self._losses.update(lost)
        return [f"The file cannot hold {', '.join(lost)}."] if lost else []

    def _start(self, game: RecordedGame, *notes: str) -> Reply:
        """Start another game. The file of the last one stays: the next gets its own."""
        self.game = game
        if self._opponent is not None:
            self._opponent.engine.new_game()
        self._name_players()
        self._turn_start = self._clock()
        lines = [*notes, *self._notes()]
        if self._autosave is not None:
            self._autosave = _next_free(self._autosave)
            lines.append(f"Saving to {self._autosave} from now on.")
        return Reply((*lines, *self._position()))

    def _name_players(self) -> None:
        if self._opponent is not None:
            self.game.players = {self.person: HUMAN, self.person.other: self._opponent.name}

    def _sides(self) -> list[str]:
        """Who plays which side, against the engine."""
        if self._opponent is None:
            return []
        engine = f"{self._opponent.name} is {self.person.other}, {self._opponent.limit_text()}"
        return [f"You are {self.person}; {engine}."]

    def _notes(self) -> list[str]:
        return [one_line(note) for note in self.game.notes]

    def _position(self) -> list[str]:
        """The drawing, the file's comment on the position, and the state of the game."""
        board, moves = self.game.board, self.game.moves
        cross = "\N{MULTIPLICATION SIGN}" if self._unicode else "#"
        picture = board_text(
            board.size,
            board.stones(),
            last=moves[-1] if moves else None,
            marks=dict.fromkeys(self._crossed(), cross),
            unicode=self._unicode,
            colour=self._colour,
        )
        comment = wrap(" ".join(printable(self.game.comment()).split()))
        return [*picture.split("\n"), *comment, *_row_without_win(self.game), self._status()]

    def _status(self) -> str:
        """The last move, and who is to move or how the game ended."""
        game, board, text = self.game, self.game.board, ""
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
        how = _ENDINGS[outcome.reason]
        if outcome.winner is None:
            return f"{text}A draw: {how}."
        if outcome.lines:
            rows = " and ".join(f"{run[0]} to {run[-1]}" for run in outcome.lines)
            how = f"{_number(max(map(len, outcome.lines)))} in a row, {rows}"
        return f"{text}{str(outcome.winner).capitalize()} wins: {how}."

    def _crossed(self) -> dict[Move, Forbidden]:
        """The points shown as forbidden: in renju, while black is to move."""
        board = self.game.board
        if not self._show_forbidden or board.turn is Colour.WHITE or board.is_over():
            return {}
        return board.forbidden_points()

    # The commands, in the order of `help`.

    @command("pass", "pass; two passes end the game")
    def pass_(self, rest: str) -> Reply:
        return self._play(Move.PASS)

    @command("undo [N]", "take back one move (with its reply by the engine), or N")
    def undo(self, rest: str) -> Reply:
        """Against the engine: back to before the person's last move, or the last `rest` of them."""
        count = _count("undo", rest)
        if self.game.resigned is not None:
            count -= 1  # taking back the resignation is one
        mine = range(len(self.game.moves))
        own = [n for n in mine if self._opponent is None or self.game.movers[n] is self.person]
        self._check_count(count, len(own), "to take back")
        self.game.undo(len(mine) - own[-count] if count else 0)
        self._turn_start = self._clock()
        return self._changed()

    @command("redo [N]", "play one taken-back move again, or N")
    def redo(self, rest: str) -> Reply:
        count, there = _count("redo", rest), self.game.can_redo()
        per_turn = 1 if self._opponent is None else 2
        self._check_count(count, -(-there // per_turn), "to play again")
        self.game.redo(min(per_turn * count, there))
        return self._changed()

    def _check_count(self, count: int, there: int, what: str) -> None:
        if count <= there:
            return
        what = f"of yours {what}" if self._opponent else what
        if not there:
            raise CommandError(f"There is no move {what}.")
        verb = "is" if there == 1 else "are"
        raise CommandError(f"There {verb} only {plural(there, 'move')} {what}, not {count}.")

    @command("forbidden [list|POINT]", "show or hide forbidden points; give the reasons")
    def forbidden(self, rest: str) -> Reply:
        """Show or hide the crosses, list the reasons, or give the reason for one point."""
        word = rest.lower()
        if word in ("", "on", "off"):
            self._show_forbidden = word == "on" or (word == "" and not self._show_forbidden)
            state = "shown" if self._show_forbidden else "hidden"
            line = f"Forbidden points are {state} when black is to move."
            return Reply((line, *self._position()))
        board = self.game.board
        if board.rule != Rule.RENJU:
            raise CommandError(f"Nothing is forbidden in {board.rule}, only in renju.")
        points = board.forbidden_points()
        if word == "list":
            lines = tuple(f"{move}: {_FORBIDDEN[points[move]]}" for move in sorted(points))
            return Reply(lines or ("No point is forbidden to black here.",))
        move = Move.parse(rest, board.size)
        if move in points:
            return Reply((f"{move} is forbidden to black, {_FORBIDDEN[points[move]]}.",))
        return Reply((f"{move} is not forbidden to black.",))

    @command("threats [COLOUR]", "what a stone on each point would make")
    def threats(self, rest: str) -> Reply:
        """What a stone on each point would make, the strongest first."""
        board = self.game.board
        colour = Colour.parse(rest) if rest else board.turn
        threats = board.threats(colour)
        kinds: dict[str, list[str]] = {}
        for move in sorted(threats, key=lambda move: (-threats[move], move)):
            kinds.setdefault(str(threats[move]).replace("_", "-"), []).append(move.name)
        if colour is Colour.BLACK and (forbidden := board.forbidden_points()):
            kinds["forbidden"] = [move.name for move in sorted(forbidden)]
        if not kinds:
            return Reply((f"No point makes a threat for {colour}.",))
        lines = [f"What a stone of {colour} would make:"]
        for kind, names in kinds.items():
            lines += wrap(" ".join(names), f"  {kind + ':':14}")
        return Reply(tuple(lines))

    @command("moves", "list the moves")
    def moves(self, rest: str) -> Reply:
        return Reply(tuple(move_list(self.game.moves)) or ("No move has been made.",))

    @command("board", "show the board again")
    def board(self, rest: str) -> Reply:
        return Reply(tuple(self._position()))

    @command("save FILE", "write the game: .sgf, .psq or .txt; `save!` replaces a file")
    def save(self, rest: str, *, replace: bool = False) -> Reply:
        path = _path("save", rest)
        own = self._autosave is not None and path.resolve() == self._autosave.resolve()
        _check_free(path, "save", replace or own)
        lost = self.game.save(path)
        self._unsaved = False
        return Reply((f"Saved to {path}{', without ' if lost else ''}{', '.join(lost)}.",))

    @command("load FILE", "continue the game of a file")
    def load(self, rest: str) -> Reply:
        path = _path("load", rest)
        game = RecordedGame.load(path)
        size = game.board.size
        return self._start(game, f"Loaded {path}: {game.rule} on {size}x{size}.")

    @command("svg FILE", "draw the position as a picture; `svg!` replaces a file")
    def svg(self, rest: str, *, replace: bool = False) -> Reply:
        path = _path("svg", rest)
        if path.suffix.lower() != ".svg":
            raise CommandError(f"{path} is no name for a picture: it should end in .svg.")
        _check_free(path, "svg", replace)
        board, moves = self.game.board, self.game.moves
        stones = board.stones()
        numbers = {move: number for number, move in enumerate(moves, 1) if move in stones}
        title = f"{str(board.rule).capitalize()} after {len(moves)} moves"
        last = moves[-1] if moves else None
        picture = board.svg(numbers=numbers, last=last, forbidden=self._crossed(), title=title)
        records.write_text(picture, path)
        return Reply((f"Drawn to {path}.",))

    @command("new [RULE] [SIZE]", f"start again; {', '.join(Rule)}")
    def new(self, rest: str) -> Reply:
        rule, size = self.game.rule, self.game.board.size
        for word in rest.split():
            if re.fullmatch(r"\d{1,9}", word, re.ASCII):
                size = int(word)
            else:
                rule = Rule.parse(word)
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise CommandError(f"A board has {MIN_SIZE} to {MAX_SIZE} lines, not {size}.")
        return self._start(RecordedGame.new(rule, size), f"A new game: {rule} on {size}x{size}.")

    @command("help", "this list")
    def help(self, rest: str) -> Reply:
        rows = [("h8 or 7,7", "play a point: its letter and number, or both counted from 0")]
        rows += [(c.usage, c.help) for c in self._commands().values() if c.help]
        return Reply(tuple(f"  {usage:26}{help}" for usage, help in rows))

    @command("quit", "leave; so do `exit`, Ctrl-D and Ctrl-C")
    def quit(self, rest: str) -> Reply:
        return self.farewell()

    @command("hint", "the move the engine would play for you", engine=True)
    def hint(self, rest: str) -> Reply:
        if self.game.is_over:
            raise GameOver("the game is over")
        played = self._engine().think(self.game.board)
        line = f" Its line: {cells(played.info)[-1]}." if played.info and played.info.pv else ""
        return Reply(
            (f"{self._engine().name} would play {played.move}{_evaluation(played)}.{line}",)
        )

    @command("resign", "resign the game", engine=True)
    def resign(self, rest: str) -> Reply:
        self.game.resign(self.person)
        return self._changed()

    @command("swap", "swap colours with the engine", engine=True)
    def swap(self, rest: str) -> Reply:
        self.person = self.person.other
        self._name_players()
        return Reply((*self._save(), *self._sides()))  # the engine moves next


for _name in ("save", "svg"):
    _command = COMMANDS[_name]
    COMMANDS[f"{_name}!"] = replace(_command, run=partial(_command.run, replace=True), help="")


def _milliseconds(seconds: float) -> int:
    return max(0, round(1000 * seconds))


def _evaluation(played: PlayResult) -> str:
    """The engine's evaluation of its move, in brackets."""
    if played.info is None:
        return ""
    score = played.info.score
    rate = percent(score.relative.win_rate)
    return f" ({score.relative} for {score.turn}, win rate {rate}, depth {played.info.depth})"


def _row_without_win(game: RecordedGame) -> list[str]:
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


def _count(command: str, rest: str) -> int:
    """The number of moves for `undo` and `redo`; 1 by default."""
    if not rest:
        return 1
    if re.fullmatch(r"\d{1,9}", rest, re.ASCII) and int(rest) > 0:
        return int(rest)
    raise CommandError(f"`{command}` takes a number of moves from 1, not {rest!r}.")


def _path(command: str, rest: str) -> Path:
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


def _check_free(path: Path, command: str, replace: bool) -> None:
    if not replace and path.exists():
        raise CommandError(f"{path} exists already: `{command}! {path}` replaces it.")


def _next_free(path: Path) -> Path:
    """The path itself, or the first of name-2, name-3, ... that does not exist."""
    numbered = re.fullmatch(r"(.+)-([1-9]\d{0,5})", path.stem, re.ASCII)
    stem, number = (numbered[1], int(numbered[2])) if numbered else (path.stem, 1)
    while path.exists():
        number += 1
        path = path.with_name(f"{stem}-{number}{path.suffix}")
    return path
