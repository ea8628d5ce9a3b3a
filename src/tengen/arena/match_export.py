# SPDX-License-Identifier: MIT
"""What is made of a run's games: `result.json`, `games.sgf`, a PSQ file for each game, and PGN for
the rating programs of chess. Relies on the records; the command line relies on it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tengen.arena.definition import Definition
from tengen.arena.game import REASONS, MatchGame, MoveReport
from tengen.arena.match_folder import MatchFolder
from tengen.arena.standings import Standings, counted, standings
from tengen.game import records
from tengen.game.move import Move
from tengen.game.records import Node, Record
from tengen.game.records.text import escape
from tengen.game.rule import Colour

__all__ = ["game_record", "pgn", "result", "write_games", "write_result"]

_RESULTS = {Colour.BLACK: "B+", Colour.WHITE: "W+", None: "Draw"}


def result(
    definition: Definition, openings: Sequence[Sequence[str]], games: Sequence[MatchGame]
) -> str:
    """The result as JSON, by game number, free of times: the same bytes for the same moves, whoever
    played them, where, and in which order.
    """
    found = counted(definition, games)
    table = standings(definition, found)
    head: dict[str, Any] = {
        "definition": definition.to_dict(),
        "games": len(found),
        "standings": [_standing(definition, table, place) for place in range(len(table.players))],
        "encounters": [_encounter(entry) for entry in table.encounters],
    }
    if definition.sprt is not None and table.sprt is not None:
        head["sprt"] = {"llr": round(table.sprt.llr, 4), "decision": table.sprt.decision}
    head["openings"] = [" ".join(moves) for moves in openings]
    rows = ",\n".join(json.dumps(game.result()) for game in found)
    return json.dumps(head, indent=1)[:-2] + ',\n "played": [\n' + rows + "\n]}\n"


def _standing(definition: Definition, table: Standings, place: int) -> dict[str, Any]:
    entry = table.players[place]
    return {
        "player": definition.players[place].name,
        "games": entry.games,
        "wins": entry.wins,
        "draws": entry.draws,
        "losses": entry.losses,
        "points": entry.points,
        "elo": round(table.ratings.elo[place], 2),
        "error": round(table.ratings.error[place], 2),
        "faults": dict(sorted(entry.faults.items())),
    }


def _encounter(entry: Any) -> dict[str, Any]:
    return {
        "a": entry.a,
        "b": entry.b,
        "wins": entry.wins,
        "draws": entry.draws,
        "losses": entry.losses,
        "pairs": list(entry.pairs),
    }


def write_result(folder: MatchFolder) -> None:
    text = result(folder.definition, folder.openings, folder.games)
    records.write_text(text, folder.path / "result.json")


# --- game records ---


def game_record(definition: Definition, game: MatchGame) -> Record:
    """A game as a record: players, result, why it ended, and of each move its time and score."""
    moves = [Move.parse(name, definition.size) for name in game.moves]
    record = Record.from_moves(moves, definition.size, definition.rule)
    record.black = definition.players[game.black].name
    record.white = definition.players[game.white].name
    record.result = _RESULTS[game.winner]
    record.event = f"{definition.title}, game {game.number + 1}"
    nodes = record.main_line()[1:]
    for node, told in zip(nodes[game.opening_moves :], game.told, strict=False):
        _tell(node, told)
    ending = REASONS[game.reason] + (f": {game.words}" if game.words else "")
    last = nodes[-1] if nodes else record.root
    last.comment = "; ".join(filter(None, [last.comment, ending]))
    record.root.properties["TM"] = [escape(str(definition.control(game.black)))]
    return record


def _tell(node: Node, told: MoveReport) -> None:
    node.time_ms = round(told.seconds * 1000)
    words = []
    if told.mate is not None:
        words.append(f"{'+' if told.mate > 0 else '-'}M{abs(told.mate)}")
    elif told.value is not None:
        words.append(f"{told.value:+d}")
    if told.depth:
        words.append(f"depth {told.depth}")
    if told.nodes:
        words.append(f"{told.nodes} nodes")
    node.comment = ", ".join([*words, f"{told.seconds * 1000:.1f} ms"])


def write_games(folder: MatchFolder, *, psq: bool = True) -> None:
    """`games.sgf`, and a file `psq/00001.psq` for each game."""
    games = sorted(folder.games, key=lambda game: game.number)
    found = [game_record(folder.definition, game) for game in games]
    records.write(found, folder.path / "games.sgf")
    if not psq:
        return
    (folder.path / "psq").mkdir(exist_ok=True)
    for game, record in zip(games, found, strict=True):
        path = folder.path / "psq" / f"{game.number + 1:05d}.psq"
        if not path.exists() and "pass" not in game.moves:  # PSQ has no pass
            records.write(record, path)


def pgn(definition: Definition, games: Sequence[MatchGame]) -> str:
    """The results in PGN, without moves, as rating programs of chess read them. White is who moves
    first there, so it is our black.
    """
    score = {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}
    parts = []
    for game in sorted(games, key=lambda game: game.number):
        first, second = (definition.players[p].name for p in (game.black, game.white))
        names = [name.replace("\\", "\\\\").replace('"', '\\"') for name in (first, second)]
        end = score[game.score]
        parts.append(
            f'[Event "{game.number + 1}"]\n[Round "{game.pair + 1}"]\n[White "{names[0]}"]\n'
            f'[Black "{names[1]}"]\n[Result "{end}"]\n\n{end}\n\n'
        )
    return "".join(parts)
