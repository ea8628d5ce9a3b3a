# SPDX-License-Identifier: MIT
"""The board in the terminal, without the terminal: a `Table` takes a line and answers with lines.

Reads and writes game files where a command says so, and prints nothing: `play` is the loop around
it, and tests talk to it in dialogues. Relies on `game` (the record being played), `wording` and the
drawings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tengen.cli import wording
from tengen.cli.common import error_text, one_line, printable
from tengen.cli.game import Game
from tengen.game import records
from tengen.game.errors import BadNotation, ForbiddenMove, GameOver, TengenError
from tengen.game.move import Move
from tengen.game.render import board_svg, board_text
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Forbidden, Rule

__all__ = ["COMMANDS", "Command", "Fault", "Reply", "Table", "how_many", "stands_alone"]

# What is meant as a point, even if this board does not have it.
_MOVE_LIKE = re.compile(r"[a-z]\d+|[\d\s]+,[\d\s]+|-?\d+", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Reply:
    """What a line is answered with, and whether the session ends with it."""

    lines: tuple[str, ...] = ()
    quit: bool = False


class Fault(TengenError, ValueError):
    """A command that cannot be carried out; the message says why and what would be right."""


class Table:
    """Two people at one board. `handle` never raises for bad input: it says what is wrong."""

    def __init__(
        self,
        game: Game,
        *,
        autosave: Path | None = None,
        unicode: bool = False,
        colour: bool = False,
    ) -> None:
        """`autosave` is the file that is written after every change of the game."""
        self.game = game
        self._autosave = autosave
        self._unicode = unicode
        self._colour = colour
        self._show_forbidden = True
        self._told: set[str] = set()  # what the file loses, told once
        self._unsaved = False  # whether moves were made since the last `save`

    @property
    def prompt(self) -> str:
        return "game over> " if self.game.is_over else f"{self.game.board.turn}> "

    def greet(self) -> Reply:
        """The first words: the position, and how to get help."""
        size = self.game.board.size
        opening = f"Tengen: {self.game.rule} on {size}x{size}. Type a point to play it, or `help`."
        saving = [f"Saving to {self._autosave} after every move."] if self._autosave else []
        return Reply((opening, *self._seats(), *saving, *self._notes(), *self._position()))

    def _seats(self) -> list[str]:
        """Who plays what, if there is something to tell."""
        return []

    def farewell(self) -> Reply:
        """The last words: after `quit`, at the end of the input, after an interrupt."""
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
        command = self._commands().get(name.lower())
        try:
            return command.run(self, "".join(rest)) if command else self._play(self._point(text))
        except ForbiddenMove as error:
            return Reply((f"{text} is forbidden to black, {wording.reason(error.reason)}.",))
        except GameOver:
            return Reply(("The game is over: `undo` takes a move back, `new` starts another.",))
        except (OSError, TengenError, ValueError) as error:  # ValueError: a name no file can have
            return Reply((error_text(error),))

    def _commands(self) -> Mapping[str, Command]:
        return COMMANDS

    def _point(self, text: str) -> Move:
        """The point that is meant; the fault tells a slip in a move from one in a command."""
        size = self.game.board.size
        try:
            return Move.parse(text, size)
        except BadNotation:
            if _MOVE_LIKE.fullmatch(text):
                corner = Move(size - 1, size - 1)
                words = f"{text} is not on this board, which goes from a1 to {corner}."
                raise Fault(words) from None
        near = get_close_matches(text.split(maxsplit=1)[0].lower(), self._commands(), n=1)
        hint = f"did you mean `{near[0]}`?" if near else "`help` lists the commands."
        raise Fault(f"No command or move {text!r}: {hint}")

    def _play(self, move: Move) -> Reply:
        self.game.play(move)
        return self._changed()

    def _changed(self) -> Reply:
        """The answer to a change of the game: saved first, then shown."""
        return Reply((*self._kept(), *self._position()))

    def _kept(self) -> list[str]:
        """Write the file of the game, if there is one; what is to be said about that."""
        notes = []
        self._unsaved = bool(self.game.moves)
        if self._autosave is not None:
            try:
                lost = [what for what in self.game.save(self._autosave) if what not in self._told]
                self._told.update(lost)
                notes += [f"The file cannot hold {', '.join(lost)}."] if lost else []
            except (TengenError, OSError) as error:
                notes.append(f"Not saved: {error_text(error)}")
        return notes

    def _started(self, *notes: str) -> Reply:
        """The answer to another game. The file of the last one stays: the next gets its own."""
        told = list(notes)
        if self._autosave is not None:
            self._autosave = _next_free(self._autosave)
            told.append(f"Saving to {self._autosave} from now on.")
        return Reply((*told, *self._position()))

    def _position(self) -> list[str]:
        """The drawing, what the file says of the position, and the state of the game."""
        board, moves = self.game.board, self.game.moves
        crosses = dict.fromkeys(
            self._crossed(), "\N{MULTIPLICATION SIGN}" if self._unicode else "#"
        )
        picture = board_text(
            board.size,
            board.stones(),
            last=moves[-1] if moves else None,
            marks=crosses,
            unicode=self._unicode,
            colour=self._colour,
        )
        comment = wording.wrapped(printable(self.game.comment()).split())
        told = [*comment, *wording.no_win(board, moves, self.game.mover)]
        return [*picture.split("\n"), *told, self._status()]

    def _status(self) -> str:
        game = self.game
        return wording.status(game.board, game.moves, game.mover, game.resigned)

    def _crossed(self) -> dict[Move, Forbidden]:
        """The points shown as forbidden: those of black, in renju, when he is to move."""
        board = self.game.board
        black = board.rule == Rule.RENJU and board.turn == Colour.BLACK
        if not (self._show_forbidden and black) or board.outcome() is not None:
            return {}
        return board.forbidden_points()

    def _notes(self) -> list[str]:
        return [one_line(note) for note in self.game.notes]

    # The commands, in the order of the table below.

    def pass_(self, rest: str) -> Reply:
        stands_alone("pass", rest)
        return self._play(Move.PASS)

    def undo(self, rest: str) -> Reply:
        count, there = how_many("undo", rest), len(self.game.moves)
        if count > there:
            raise Fault(wording.too_many(count, there, "to take back"))
        self.game.undo(count)
        return self._changed()

    def redo(self, rest: str) -> Reply:
        count, there = how_many("redo", rest), self.game.can_redo()
        if count > there:
            raise Fault(wording.too_many(count, there, "to play again"))
        self.game.redo(count)
        return self._changed()

    def forbidden(self, rest: str) -> Reply:
        """Show or hide the crosses, list the reasons, or tell the reason of one point."""
        word = rest.lower()
        if word in ("", "on", "off"):
            self._show_forbidden = word == "on" or (word == "" and not self._show_forbidden)
            state = "shown" if self._show_forbidden else "hidden"
            return Reply(
                (f"Forbidden points are {state} when black is to move.", *self._position())
            )
        board = self.game.board
        if board.rule != Rule.RENJU:
            raise Fault(f"Nothing is forbidden in {board.rule}, only in renju.")
        points = board.forbidden_points()
        if word == "list":
            told = (f"{move}: {wording.reason(points[move])}" for move in sorted(points))
            return Reply(tuple(told) or ("No point is forbidden to black here.",))
        move = Move.parse(rest, board.size)
        if move in points:
            return Reply((f"{move} is forbidden to black, {wording.reason(points[move])}.",))
        return Reply((f"{move} is not forbidden to black.",))

    def threats(self, rest: str) -> Reply:
        """What a stone on each point would make, the strongest first."""
        board = self.game.board
        colour = Colour.parse(rest) if rest else board.turn
        banned = board.forbidden_points() if colour == Colour.BLACK else {}
        found = board.threats(colour)
        kinds: dict[str, list[str]] = {}
        for move in sorted(found, key=lambda move: (-found[move], move)):
            kinds.setdefault(found[move].name.lower().replace("_", "-"), []).append(move.name)
        if banned:
            kinds["forbidden"] = [move.name for move in sorted(banned)]
        if not kinds:
            return Reply((f"No point makes a threat for {colour}.",))
        lines = [f"What a stone of {colour} would make:"]
        for kind, names in kinds.items():
            lines += wording.wrapped(names, f"  {kind + ':':14}")
        return Reply(tuple(lines))

    def moves(self, rest: str) -> Reply:
        stands_alone("moves", rest)
        return Reply(tuple(wording.move_list(self.game.moves)))

    def board(self, rest: str) -> Reply:
        stands_alone("board", rest)
        return Reply(tuple(self._position()))

    def save(self, rest: str, *, replace: bool = False) -> Reply:
        path = _path("save", rest)
        own = self._autosave is not None and path.resolve() == self._autosave.resolve()
        _check_free(path, "save", replace or own)
        lost = self.game.save(path)
        self._unsaved = False
        return Reply((f"Saved to {path}{', without ' if lost else ''}{', '.join(lost)}.",))

    def load(self, rest: str) -> Reply:
        path = _path("load", rest)
        self.game = Game.load(path)
        size = self.game.board.size
        return self._started(f"Loaded {path}: {self.game.rule} on {size}x{size}.", *self._notes())

    def svg(self, rest: str, *, replace: bool = False) -> Reply:
        path = _path("svg", rest)
        if path.suffix.lower() != ".svg":
            raise Fault(f"{path} is no name for a picture: it should end in .svg.")
        _check_free(path, "svg", replace)
        board, moves = self.game.board, self.game.moves
        stones, outcome = board.stones(), board.outcome()
        picture = board_svg(
            board.size,
            stones,
            numbers={move: number for number, move in enumerate(moves, 1) if move in stones},
            last=moves[-1] if moves else None,
            forbidden=self._crossed(),
            lines=outcome.lines if outcome is not None else (),
            title=f"{str(board.rule).capitalize()} after {len(moves)} moves",
        )
        records.write_text(picture, path)
        return Reply((f"Drawn to {path}.",))

    def new(self, rest: str) -> Reply:
        rule, size = self.game.rule, self.game.board.size
        for word in rest.split():
            if re.fullmatch(r"\d{1,9}", word, re.ASCII):
                size = int(word)
            else:
                rule = Rule.parse(word)
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise Fault(f"A board has {MIN_SIZE} to {MAX_SIZE} lines, not {size}.")
        self.game = Game.new(rule, size)
        return self._started(f"A new game: {rule} on {size}x{size}.")

    def help(self, rest: str) -> Reply:
        stands_alone("help", rest)
        rows = [("h8 or 7,7", "play a point: its letter and number, or both counted from 0")]
        rows += [(c.usage, c.help) for c in self._commands().values() if c.help]
        return Reply(tuple(f"  {usage:26}{told}" for usage, told in rows))

    def quit(self, rest: str) -> Reply:
        stands_alone("quit", rest)
        return self.farewell()


@dataclass(frozen=True)
class Command:
    run: Callable[[Any, str], Reply]  # of a Table, or of what is made from it
    usage: str = ""
    help: str = ""  # empty for a second name, which `help` does not list


COMMANDS: dict[str, Command] = {
    "pass": Command(Table.pass_, "pass", "let the other side move; two passes end the game"),
    "undo": Command(Table.undo, "undo [N]", "take back one move, or N"),
    "redo": Command(Table.redo, "redo [N]", "play one taken-back move again, or N"),
    "forbidden": Command(
        Table.forbidden, "forbidden [list|POINT]", "show or hide forbidden points; tell the reasons"
    ),
    "threats": Command(Table.threats, "threats [COLOUR]", "what a stone on each point would make"),
    "moves": Command(Table.moves, "moves", "list the moves"),
    "board": Command(Table.board, "board", "show the board again"),
    "save": Command(Table.save, "save FILE", "write the game: .sgf, .psq or .txt"),
    "save!": Command(lambda table, rest: table.save(rest, replace=True)),
    "load": Command(Table.load, "load FILE", "go on with the game of a file"),
    "svg": Command(Table.svg, "svg FILE", "draw the position as a picture"),
    "svg!": Command(lambda table, rest: table.svg(rest, replace=True)),
    "new": Command(Table.new, "new [RULE] [SIZE]", f"start again; {', '.join(Rule)}"),
    "help": Command(Table.help, "help", "this list"),
    "quit": Command(Table.quit, "quit", "leave; so do `exit`, Ctrl-D and Ctrl-C"),
    "exit": Command(Table.quit),
    "q": Command(Table.quit),
    "?": Command(Table.help),
}


def stands_alone(command: str, rest: str) -> None:
    if rest:
        raise Fault(f"`{command}` stands alone: {rest!r} is too much.")


def how_many(command: str, rest: str) -> int:
    """How many moves `undo` and `redo` mean."""
    if not rest:
        return 1
    if re.fullmatch(r"\d{1,9}", rest, re.ASCII) and int(rest) > 0:
        return int(rest)
    raise Fault(f"`{command}` takes a number of moves from 1, not {rest!r}.")


def _path(command: str, rest: str) -> Path:
    """The rest of the line is a file name, blanks and all; quotes round it are dropped."""
    if len(rest) > 1 and rest[0] == rest[-1] and rest[0] in "\"'":
        rest = rest[1:-1]
    if not rest:
        example = "board.svg" if command == "svg" else "game.sgf"
        raise Fault(f"`{command}` needs the name of a file, such as {command} {example}.")
    try:
        return Path(rest).expanduser()
    except RuntimeError as error:  # ~somebody who has no home
        raise Fault(f"{rest}: {error}") from None


def _check_free(path: Path, command: str, replace: bool) -> None:
    if not replace and path.exists():
        raise Fault(f"{path} exists already: `{command}! {path}` replaces it.")


def _next_free(path: Path) -> Path:
    """The path itself, or the first of name-2, name-3, ... that does not exist."""
    numbered = re.fullmatch(r"(.+)-([1-9]\d{0,5})", path.stem, re.ASCII)
    stem, number = (numbered[1], int(numbered[2])) if numbered else (path.stem, 1)
    while path.exists():
        number += 1
        path = path.with_name(f"{stem}-{number}{path.suffix}")
    return path
