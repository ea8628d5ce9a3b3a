# SPDX-License-Identifier: MIT
"""The terminal game of two people: dialogues, every command, invalid input."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tengen import Move, Rule
from tengen.cli.terminal_common import Reply
from tengen.cli.terminal_game import TerminalGame
from tengen.game.recorded_game import RecordedGame
from tengen.game.records import Record
from terminal_dialogue import BLACK_WINS, CROSSED, play, talk, terminal_game


def test_a_short_game() -> None:
    talk(
        terminal_game("freestyle", 5),
        """
        > h8
        < h8 is not on this board, which goes from a1 to e5.
        > c3
        < 3  . .(X). .  3
        < 1. black c3. White to move.
        > 3,2
        < 3  . . X(O).  3
        < 2. white d3. Black to move.
        > c3
        < c3 is occupied by black
        > moves
        < 1.c3 2.d3
        > pass
        < 3. black passed. White to move.
        > PASS
        < 4. white passed. A draw: both sides passed.
        > a1
        < The game is over
        > undo
        < 3. black passed. White to move.
        """,
    )


def test_a_win() -> None:
    at = terminal_game()
    assert play(at, BLACK_WINS).lines[-1] == "9. black h12. Black wins: five in a row, h8 to h12."
    assert at.prompt == "game over> "
    talk(
        at,
        """
        > b2
        < The game is over: `undo` takes a move back, `new` starts another.
        > undo 2
        < 7. black h11. White to move.
        > redo 2
        < Black wins
        """,
    )


@pytest.mark.parametrize(
    ("rule", "moves", "note", "status"),
    [
        ("freestyle", "h8 a1 i8 a3 j8 a5 l8 a7 m8 a9 g8 c1 k8", "", "wins: seven in a row, g8"),
        ("standard", "h8 a1 i8 a3 j8 a5 l8 a7 m8 a9 g8 c1 k8", "Seven in a row is no", "White to"),
        ("standard", "h8 a1 i8 a3 j8 a5 l8 a7 k8", "", "wins: five in a row, h8 to l8"),
        ("caro", "h8 g8 i8 m8 j8 a5 k8 a7 l8", "closed at both ends: no win in caro.", "White to"),
        ("caro", "h8 g8 i8 a1 j8 a5 k8 a7 l8", "", "wins: five in a row"),
        ("caro6", "h8 g8 i8 n8 j8 a5 l8 a7 m8 a9 k8", "", "wins: six in a row, h8 to m8"),
        ("caro", "h8 g8 i8 n8 j8 a5 l8 a7 m8 a9 k8", "Six in a row is no win in caro.", "White"),
    ],
)
def test_a_long_row_is_explained(rule: str, moves: str, note: str, status: str) -> None:
    *others, last = play(terminal_game(rule), moves).lines
    assert status in last
    assert (note in others[-1]) if note else ("no win" not in others[-1])


def test_undo_and_redo() -> None:
    at = terminal_game()
    play(at, "h8 i9 j10 k11")
    talk(
        at,
        """
        > redo
        < There is no move to play again.
        > undo 3
        < 1. black h8. White to move.
        > redo
        < 2. white i9. Black to move.
        > redo 3
        < There are only 2 moves to play again, not 3.
        > undo 3
        < There are only 2 moves to take back, not 3.
        > a1
        < 3. black a1.
        > redo
        < There is no move to play again.
        > undo
        > a1
        < 3. black a1.
        > undo 3
        < Black to move.
        > undo
        < There is no move to take back.
        """,
    )
    assert at.game.board.ply == 0


@pytest.mark.parametrize("argument", ["0", "-1", "x", "1.5", "1 2", "²", "٣", "99999999999999"])
def test_bad_counts(argument: str) -> None:
    at = terminal_game()
    play(at, "h8 i9")
    for command in ("undo", "redo"):
        (line,) = at.handle(f"{command} {argument}").lines
        assert line == f"`{command}` takes a number of moves from 1, not {argument!r}."
    assert at.game.board.ply == 2


def test_forbidden_points() -> None:
    at = terminal_game()
    play(at, CROSSED)
    talk(
        at,
        """
        > board
        < 10  . . . . . . X X . # . . . . .  10
        > g7
        < g7 is forbidden to black, overline: it would make six or more in a row.
        > 9,7
        < 9,7 is forbidden to black, double-four
        > j10
        < double-three: it would make two open threes at once
        > forbidden list
        < g7: overline
        < j10: double-three
        > forbidden g7
        < g7 is forbidden to black, overline
        > forbidden a1
        < a1 is not forbidden to black.
        > forbidden h99
        < 'h99' is off the 15x15 board
        > forbidden
        < Forbidden points are hidden when black is to move.
        <! #
        > forbidden on
        < Forbidden points are shown when black is to move.
        < #
        > a1
        <! #
        > forbidden list
        < g7: overline
        > g7
        < 28. white g7.
        """,
    )


def test_nothing_is_forbidden_elsewhere() -> None:
    talk(
        terminal_game("standard"),
        "> forbidden list\n< Nothing is forbidden in standard, only in renju.",
    )
    talk(terminal_game("renju"), "> forbidden list\n< No point is forbidden to black here.")


def test_threats() -> None:
    at = terminal_game("freestyle")
    play(at, "h8 a1 h9 o15 h10 o1")
    talk(
        at,
        """
        > threats
        < What a stone of black would make:
        < open-four:
        <! five:
        > threats white
        < No point makes a threat for white.
        > threats green
        < no colour 'green'
        > h11
        > threats black
        < five:         h7 h12
        """,
    )
    crossed = terminal_game()
    play(crossed, CROSSED)
    talk(crossed, "> threats\n< forbidden:    g7 g11 j8 j10")


def test_only_the_pass_is_left() -> None:
    """Every point but d1 is taken, and d1 would complete a row of six."""
    study = Record(size=6, rule=Rule.RENJU)
    rest = [Move(x, y) for x in range(6) for y in range(1, 6)]
    row = [Move(x, 0) for x in (0, 1, 2, 4, 5)]
    study.root.black = (*row, *(move for move in rest if (move.x // 2 + move.y) % 2))
    study.root.white = tuple(move for move in rest if not (move.x // 2 + move.y) % 2)
    at = TerminalGame(RecordedGame(study, Rule.RENJU))
    reported = at.greet().lines
    assert reported[-1] == "Black to move: every free point is forbidden, only `pass` is left."
    talk(at, "> d1\n< d1 is forbidden to black, overline\n> pass\n< White to move.\n> d1\n< A draw")


def test_new() -> None:
    at = terminal_game()
    play(at, "h8 i9")
    talk(
        at,
        """
        > new standard 19
        < A new game: standard on 19x19.
        < Black to move.
        > new 9
        < standard on 9x9
        > new 7 caro
        < caro on 7x7
        > new chess
        < no rule 'chess': known are freestyle, standard, renju, caro, caro6
        > new 4
        < A board has 5 to 22 lines, not 4.
        > new renju 23
        < A board has 5 to 22 lines, not 23.
        > moves
        < No move has been made.
        > redo
        < There is no move to play again.
        """,
    )
    assert at.game.board.size == 7


def test_unknown_commands_suggest_the_nearest() -> None:
    talk(
        terminal_game(),
        """
        > undoo
        < No command or move 'undoo': did you mean `undo`?
        > forbiden
        < did you mean `forbidden`?
        > xyzzy plugh
        < No command or move 'xyzzy plugh': `help` lists the commands.
        > quit now
        < `quit` takes no argument: 'now' is too much.
        > h8 i9
        < No command or move 'h8 i9'
        > 112
        < 112 is not on this board
        > 15,0
        < 15,0 is not on this board
        """,
    )


def test_help_lists_every_command() -> None:
    reported = "\n".join(terminal_game().handle("HELP").lines)
    for command in (
        "pass",
        "undo",
        "redo",
        "forbidden",
        "threats",
        "moves",
        "board",
        "save",
        "load",
    ):
        assert f"  {command}" in reported
    assert all(len(line) <= 100 for line in reported.splitlines())


def test_quit_and_empty_lines() -> None:
    at = terminal_game()
    assert at.handle("") == at.handle("   \t ") == Reply()
    assert at.handle("quit") == at.handle("exit") == Reply((), quit=True)


WORDS = ["pass", "undo", "redo", "forbidden", "threats", "moves", "board", "new", "help"]
WORDS += ["h8", "7,7", "list", "3", "renju", "black"]


@given(st.lists(st.text() | st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join)))
@example(["h" * 10_000, "\x00", "undo \x00", "9" * 5000, "forbidden " + "9" * 5000, "🀄"])
def test_any_input_is_answered(lines: list[str]) -> None:
    at = terminal_game(size=5)
    for line in lines:
        if re.match(r"\s*(save|svg|load)", line, re.IGNORECASE):
            continue  # these touch files, and have their own tests
        reply = at.handle(line)
        assert not reply.quit or line.strip().lower() in ("quit", "exit", "q")
        assert all("\n" not in reported for reported in reply.lines)
