# SPDX-License-Identifier: MIT
"""The folder of a match or tournament, in the format of docs/formats/arena.md: `arena.json` has
the definition, `games.jsonl` grows by each finished game. From these derive `result.json`,
`games.sgf`, a PSQ file for each game, and PGN for the rating programs of chess.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tengen.arena.definition import Definition, opponents, total_games
from tengen.arena.errors import BadRun
from tengen.arena.game import REASONS, MatchGame, MoveReport
from tengen.arena.standings import Encounter, Standings, counted, standings
from tengen.game import records
from tengen.game.move import Move
from tengen.game.records import Node, Record
from tengen.game.records.text import escape
from tengen.game.rule import Colour
from tengen.util.deprecation import renamed_fields
from tengen.util.event_log import read_lines
from tengen.util.run_folder import RunFolder, user_and_machine

Openings = Sequence[tuple[str, ...]]


@renamed_fields(writing="open_event_log")
class MatchFolder(RunFolder):
    """A match on disk. `games` are in the order in which they ended."""

    HEAD = "arena.json"
    EVENT_LOG = "games.jsonl"

    def __init__(self, path: Path, definition: Definition, openings: Openings) -> None:
        super().__init__(path)
        self.definition = definition
        self.openings = openings
        self.games: list[MatchGame] = []
        self.started_here = False  # started by this user on this machine

    @classmethod
    def create(cls, path: Path, definition: Definition, openings: Openings) -> MatchFolder:
        """Start a run. Raises BadRun if the folder has one already."""
        cls.check_unused(path)
        folder = cls(path, definition, openings)
        folder.write_head(
            {
                "started_by": user_and_machine(),
                "definition": definition.to_dict(),
                "openings": [" ".join(moves) for moves in openings],
            }
        )
        folder.started_here = True
        return folder

    @classmethod
    def read(cls, path: Path) -> MatchFolder:
        """The run of a folder, finished or not. Raises BadRun."""
        head = cls.read_head(path)
        try:
            definition = Definition.from_dict(head["definition"])
            folder = cls(path, definition, _read_openings(head["openings"]))
        except KeyError as error:
            raise BadRun(f"{path / cls.HEAD}: no {error}") from None
        except (ValueError, TypeError) as error:
            raise BadRun(f"{path / cls.HEAD}: {error}") from None
        folder.started_here = head.get("started_by") == user_and_machine()
        folder.games = _read_games(path / cls.EVENT_LOG, definition)
        return folder

    def add(self, game: MatchGame) -> None:
        """Store a game, within `open_event_log`. Raises OSError."""
        self.append(game.to_json())
        self.games.append(game)


def _read_openings(value: Any) -> list[tuple[str, ...]]:
    if not isinstance(value, list) or not value or not all(isinstance(m, str) for m in value):
        raise ValueError("'openings' is not a list of moves like 'h8 i9'")
    return [tuple(text.split()) for text in value]


def _read_games(path: Path, definition: Definition) -> list[MatchGame]:
    """The games of an event log. A number that occurs twice, or that the schedule does not have, is
    an error: no game counts twice.
    """
    games: dict[int, MatchGame] = {}
    total, pairings = total_games(definition), opponents(definition)
    for line_number, line in read_lines(path):
        try:
            game = MatchGame.from_json(line)
        except BadRun as error:
            raise BadRun(f"{path}, line {line_number}: {error}") from None
        fits = 0 <= game.number < total and game.pair == game.number // 2
        # With swap2 the players themselves choose who is black.
        if not fits or {game.black, game.white} != set(pairings[game.pair % len(pairings)]):
            raise BadRun(f"{path}, line {line_number}: game {game.number} is not in the schedule")
        if game.number in games:
            raise BadRun(f"{path}, line {line_number}: game {game.number} occurs twice")
        games[game.number] = game
    return list(games.values())


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
        "standings": [_standing(definition, table, n) for n in range(len(table.players))],
        "encounters": [_encounter(entry) for entry in table.encounters],
    }
    if definition.sprt is not None and table.sprt is not None:
        head["sprt"] = {"llr": round(table.sprt.llr, 4), "decision": table.sprt.decision}
    head["openings"] = [" ".join(moves) for moves in openings]
    rows = ",\n".join(json.dumps(game.result()) for game in found)
    return json.dumps(head, indent=1)[:-2] + ',\n "played": [\n' + rows + "\n]}\n"


def _standing(definition: Definition, table: Standings, player: int) -> dict[str, Any]:
    entry = table.players[player]
    counts = ("games", "wins", "draws", "losses", "points")
    return {
        "player": definition.players[player].name,
        **{name: getattr(entry, name) for name in counts},
        "elo": round(table.ratings.elo[player], 2),
        "error": round(table.ratings.error[player], 2),
        "faults": dict(sorted(entry.faults.items())),
    }


def _encounter(entry: Encounter) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in ("a", "b", "wins", "draws", "losses", "pairs")}


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
    for node, report in zip(nodes[game.opening_moves :], game.reports, strict=False):
        _annotate(node, report)
    ending = REASONS[game.reason] + (f": {game.detail}" if game.detail else "")
    last = nodes[-1] if nodes else record.root
    last.comment = "; ".join(filter(None, [last.comment, ending]))
    record.root.properties["TM"] = [escape(str(definition.control(game.black)))]
    return record


def _annotate(node: Node, report: MoveReport) -> None:
    node.time_ms = round(report.seconds * 1000)
    parts = []
    if report.mate is not None:
        parts.append(f"{'+' if report.mate > 0 else '-'}M{abs(report.mate)}")
    elif report.value is not None:
        parts.append(f"{report.value:+d}")
    if report.depth:
        parts.append(f"depth {report.depth}")
    if report.nodes:
        parts.append(f"{report.nodes} nodes")
    node.comment = ", ".join([*parts, f"{report.seconds * 1000:.1f} ms"])


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
    """The results in PGN, without moves, as rating programs of chess read them. Its White
    moves first, so it is the player with black.
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
