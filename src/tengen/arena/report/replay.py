# SPDX-License-Identifier: MIT
"""The games as the page replays them: compact data for its script, and the empty board it draws on.

The script knows no rules: winning lines are found here. A game is a list, in the order of `FIELDS`.
Moves are two characters each, column and row in base 36 (".." is a pass). Reports are
"milliseconds,value,mate,depth,nodes" for each move after the opening, with ";" between moves;
unknown values and zeros are empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from tengen.arena.definition import Definition
from tengen.arena.game import REASONS, MatchGame, MoveReport
from tengen.game.board import Board
from tengen.game.errors import TengenError
from tengen.game.move import Move
from tengen.game.render import board_svg
from tengen.game.rule import Colour

FIELDS = (
    "number",
    "black",
    "white",
    "opening",
    "openingMoves",
    "moves",
    "winner",  # 0 nobody, 1 black, 2 white
    "reason",  # its index in REASONS
    "detail",
    "reports",
    "lines",  # the runs of five or more that won, packed as moves are
)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_REASONS = list(REASONS)
_TITLE = re.compile(r"<title>.*?</title>\s*<desc>.*?</desc>\s*", re.DOTALL)
_DEFINITIONS = re.compile(r"<defs>.*?</defs>\s*", re.DOTALL)
_HEAD = re.compile(r"<svg [^>]*viewBox=\"([^\"]*)\"[^>]*>")


def replay_data(
    definition: Definition, openings: Sequence[Sequence[str]], games: Iterable[MatchGame]
) -> dict[str, Any]:
    """The data of the page's script."""
    return {
        "size": definition.size,
        "fields": FIELDS,
        "players": [player.name for player in definition.players],
        "reasons": list(REASONS.values()),
        "openings": [packed(moves) for moves in openings],
        "games": [_game(definition, game) for game in games],
    }


def embedded(data: object) -> str:
    """JSON that can stand within a script element: nothing in it ends the element or begins a
    comment, whatever the name of a player is.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in ("&", "<", ">", "\u2028", "\u2029"):
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    # Lone halves of a pair cannot be written as UTF-8.
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def packed(moves: Iterable[str]) -> str:
    """Moves, two characters each."""
    return "".join(_packed(move) for move in moves)


@cache
def _packed(text: str) -> str:
    move = Move.parse(text)
    return ".." if move.is_pass else _DIGITS[move.x] + _DIGITS[move.y]


def _game(definition: Definition, game: MatchGame) -> list[Any]:
    return [
        game.number + 1,
        game.black,
        game.white,
        game.opening,
        game.opening_moves,
        packed(game.moves),
        int(game.winner or 0),
        _REASONS.index(game.reason),
        game.detail,
        ";".join(map(_report, game.reports)),
        _lines(definition, game),
    ]


def _report(report: MoveReport) -> str:
    value = "" if report.value is None else report.value
    mate = "" if report.mate is None else report.mate
    text = f"{1000 * report.seconds:.4g},{value},{mate},{report.depth or ''},{report.nodes or ''}"
    return text.rstrip(",")


def _lines(definition: Definition, game: MatchGame) -> list[str]:
    """The winning runs; none of a game that did not end with five, or that makes no sense.

    Only stones in line with the last one are put on the board: no others can be part of a five that
    it makes, or stop it, and most games have few of them.
    """
    if game.reason != "five" or not game.moves:
        return []
    last = game.moves[-1]
    turn = Colour.WHITE if len(game.moves) % 2 == 0 else Colour.BLACK
    try:
        black, white = (
            [name for name in game.moves[start:-1:2] if _in_line(name, last)] for start in (0, 1)
        )
        board = Board.from_stones(black, white, turn, definition.size, definition.rule)
        board.push(last)
    except TengenError:
        return []
    outcome = board.outcome()
    return [] if outcome is None else [packed(map(str, run)) for run in outcome.lines]


def _in_line(one: str, two: str) -> bool:
    """Whether two points are on a row, a column or a diagonal. A pass is not."""
    first, second = _packed(one), _packed(two)
    if "." in first + second:
        return False
    across, up = (int(first[i], 36) - int(second[i], 36) for i in (0, 1))
    return not across or not up or abs(across) == abs(up)


def empty_board(size: int) -> str:
    """The board of the replay; the script adds stones to it."""
    head, inner = _parts(board_svg(size, {}))
    return (
        f'<svg id="board" viewBox="{head}" role="img" aria-label="Board" text-anchor="middle">'
        f"{inner}</svg>"
    )


def mini_board(size: int) -> str:
    """The symbol of an empty board, for the pictures of openings. It uses the colours that are
    defined in the board of the replay.
    """
    head, inner = _parts(board_svg(size, {}, coordinates=False))
    inner = _DEFINITIONS.sub("", inner)
    return (
        '<svg id="symbols" aria-hidden="true" width="0" height="0">'
        f'<symbol id="mini" viewBox="{head}">{inner}</symbol></svg>'
    )


def _parts(picture: str) -> tuple[str, str]:
    """The view box and the content of a drawn board, without its title, which would pop up."""
    found = _HEAD.match(picture)
    assert found is not None
    return found[1], _TITLE.sub("", picture[found.end() :]).removesuffix("</svg>\n")
