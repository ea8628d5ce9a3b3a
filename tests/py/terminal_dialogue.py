# SPDX-License-Identifier: MIT
"""Helpers for tests of `TerminalGame`: games, moves, and scripted dialogues."""

from __future__ import annotations

from pathlib import Path

from tengen import Move, Rule
from tengen.cli.terminal_common import Reply
from tengen.cli.terminal_game import TerminalGame
from tengen.game.recorded_game import RecordedGame

# Black to move; g7 would be an overline, j8 and g11 double-fours, j10 a double-three.
CROSSED = "h8 h7 i6 i7 i8 h5 g9 f8 i9 f5 g6 i5 g5 h11 g10 e5 g8 d6 h10 e8 j5 d4 j6 h6 k7 f11"
BLACK_WINS = "h8 a1 h9 a3 h10 a5 h11 a7 h12"


def terminal_game(
    rule: str = "renju", size: int = 15, autosave: Path | None = None
) -> TerminalGame:
    return TerminalGame(RecordedGame.new(Rule(rule), size), autosave=autosave)


def play(at: TerminalGame, moves: str) -> Reply:
    reply = Reply()
    for move in moves.split():
        reply = at.handle(move)
    return reply


def names(moves: list[Move]) -> str:
    return " ".join(move.name for move in moves)


def talk(at: TerminalGame, dialogue: str) -> None:
    """Act out a dialogue: `>` is typed, `<` must be in a line of the answer, `<!` must not."""
    reply = Reply()
    for line in dialogue.strip().splitlines():
        sign, _, text = line.strip().partition(" ")
        if sign == ">":
            reply = at.handle(text)
        elif sign == "<":
            assert any(text in reported for reported in reply.lines), (
                f"no {text!r} in {reply.lines}"
            )
        elif sign == "<!":
            assert not any(text in reported for reported in reply.lines), (
                f"{text!r} in {reply.lines}"
            )
        else:
            raise AssertionError(f"no dialogue: {line!r}")
