# SPDX-License-Identifier: MIT
"""`TerminalGame`: a game in the terminal, against the engine or between two people.

Takes a line of input and returns lines of output; `play` reads and prints them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from tengen.cli.analyse import cells
from tengen.cli.common import error_text, move_list, one_line, plural, printable, wrap
from tengen.cli.terminal_common import (
    ALIASES,
    COMMANDS,
    FORBIDDEN_TEXT,
    CommandError,
    EnginePlayer,
    Reply,
    TerminalCommand,
    check_free,
    command,
    evaluation_text,
    next_free,
    parse_count,
    parse_path,
    row_without_win,
    status_text,
)
from tengen.game import records
from tengen.game.errors import BadNotation, ForbiddenMove, GameOver, TengenError
from tengen.game.move import Move
from tengen.game.recorded_game import RecordedGame
from tengen.game.render import board_text
from tengen.game.rule import MAX_SIZE, MIN_SIZE, Colour, Forbidden, Rule

HUMAN = "Human"  # the name of a person in a record
# Input that is meant as a point, whether this board has it or not.
_POINT = re.compile(r"[a-z]\d+|[\d\s]+,[\d\s]+|-?\d+", re.ASCII | re.IGNORECASE)


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
            return Reply(
                (f"{text} is forbidden to black, {FORBIDDEN_TEXT[Forbidden(error.reason)]}.",)
            )
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
        line = f"{self._engine().name} plays {played.move}{evaluation_text(played)}."
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
            return Reply(
                (*self._save(), status_text(self.game))
            )  # the board follows the engine's move
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
            self._autosave = next_free(self._autosave)
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
        """The board, the file's comment on the position, and the state of the game."""
        board, moves = self.game.board, self.game.moves
        cross = "\N{MULTIPLICATION SIGN}" if self._unicode else "#"
        picture = board_text(
            board.size,
            board.stones(),
            last=moves[-1] if moves else None,
            marks=dict.fromkeys(self._marked(), cross),
            unicode=self._unicode,
            colour=self._colour,
        )
        comment = wrap(" ".join(printable(self.game.comment()).split()))
        return [*picture.split("\n"), *comment, *row_without_win(self.game), status_text(self.game)]

    def _marked(self) -> dict[Move, Forbidden]:
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
        count = parse_count("undo", rest)
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
        count, there = parse_count("redo", rest), self.game.can_redo()
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
        """Show or hide the marks, list the reasons, or give the reason for one point."""
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
            lines = tuple(f"{move}: {FORBIDDEN_TEXT[points[move]]}" for move in sorted(points))
            return Reply(lines or ("No point is forbidden to black here.",))
        move = Move.parse(rest, board.size)
        if move in points:
            return Reply((f"{move} is forbidden to black, {FORBIDDEN_TEXT[points[move]]}.",))
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
        path = parse_path("save", rest)
        own = self._autosave is not None and path.resolve() == self._autosave.resolve()
        check_free(path, "save", replace or own)
        lost = self.game.save(path)
        self._unsaved = False
        return Reply((f"Saved to {path}{', without ' if lost else ''}{', '.join(lost)}.",))

    @command("load FILE", "continue the game of a file")
    def load(self, rest: str) -> Reply:
        path = parse_path("load", rest)
        game = RecordedGame.load(path)
        size = game.board.size
        return self._start(game, f"Loaded {path}: {game.rule} on {size}x{size}.")

    @command("svg FILE", "write the position as an SVG file; `svg!` replaces a file")
    def svg(self, rest: str, *, replace: bool = False) -> Reply:
        path = parse_path("svg", rest)
        if path.suffix.lower() != ".svg":
            raise CommandError(f"{path} is no SVG file: its name must end in .svg.")
        check_free(path, "svg", replace)
        board, moves = self.game.board, self.game.moves
        stones = board.stones()
        numbers = {move: number for number, move in enumerate(moves, 1) if move in stones}
        title = f"{str(board.rule).capitalize()} after {len(moves)} moves"
        last = moves[-1] if moves else None
        picture = board.svg(numbers=numbers, last=last, forbidden=self._marked(), title=title)
        records.write_text(picture, path)
        return Reply((f"Wrote {path}.",))

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
            (f"{self._engine().name} would play {played.move}{evaluation_text(played)}.{line}",)
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
