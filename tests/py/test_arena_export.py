# SPDX-License-Identifier: MIT
"""Output of a run: result as JSON, records, PGN; and results read back from each of them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from arena_fakes import POLICY, RANDOM, game_of, games_of, small
from tengen.arena.definition import Definition, ScheduledGame, schedule
from tengen.arena.errors import BadArena, BadRun
from tengen.arena.game import MoveReport
from tengen.arena.match_folder import (
    MatchFolder,
    game_record,
    pgn,
    result,
    write_games,
    write_result,
)
from tengen.arena.ratings import GameScore
from tengen.arena.sources import read_results
from tengen.game import records
from tengen.game.errors import BadRecord
from tengen.game.rule import Colour, Rule

OPENINGS = [("d4",)]
ODD = RANDOM.named('Ran"dom \\ [x] \u00fc')


def scores(fixture: ScheduledGame) -> float:
    return [1.0, 0.5, 0.0, 0.0][fixture.number % 4]


def folder_of(path: Path, definition: Definition, **values: Any) -> MatchFolder:
    """A run that is at its end."""
    folder = MatchFolder.create(path, definition, OPENINGS)
    with folder.open_event_log():
        for game in games_of(definition, scores):
            folder.add(game)
    return folder


# --- result.json ---


def test_results_do_not_depend_on_order_or_time() -> None:
    definition = small(pairs=6)
    games = games_of(definition, scores)
    expected = result(definition, OPENINGS, games)
    slower = [
        game_of(
            f, g.winner, reports=(MoveReport(9.0), MoveReport(8.0)), seconds=99.0, detail="slow"
        )
        for f, g in zip(schedule(definition), games, strict=True)
    ]
    random.Random(1).shuffle(slower)
    assert result(definition, OPENINGS, slower) == expected


def test_result_text(tmp_path: Path) -> None:
    definition = small(pairs=4)
    folder = folder_of(tmp_path, definition)
    write_result(folder)
    actual = json.loads((tmp_path / "result.json").read_text())
    assert Definition.from_dict(actual["definition"]) == definition
    assert (actual["games"], actual["openings"]) == (8, ["d4"])
    assert [entry["game"] for entry in actual["played"]] == list(range(8))
    assert actual["played"][0] == folder.games[0].result()
    first, second = actual["standings"]
    # Of four games black wins one, white two; player 0 has black in the even ones.
    assert (first["player"], first["wins"], first["draws"], first["losses"]) == ("Random", 4, 2, 2)
    assert (second["player"], second["points"], first["points"]) == ("Policy", 3.0, 5.0)
    (meeting,) = actual["encounters"]
    assert (meeting["a"], meeting["b"], meeting["wins"], meeting["losses"]) == (0, 1, 4, 2)
    assert sum(meeting["pairs"]) == 4
    assert "sprt" not in actual


def test_a_result_before_the_first_game() -> None:
    actual = json.loads(result(small(sprt={"elo0": 0, "elo1": 5}), OPENINGS, []))
    assert (actual["games"], actual["played"]) == (0, [])
    assert actual["sprt"] == {"llr": 0.0, "decision": None}


def test_faults_are_counted() -> None:
    definition = small()
    fixture = next(schedule(definition))
    game = game_of(fixture, Colour.BLACK, reason="time", detail="late")
    actual = json.loads(result(definition, OPENINGS, [game]))
    assert [entry["faults"] for entry in actual["standings"]] == [{}, {"time": 1}]


# --- records ---


def test_a_game_as_a_record() -> None:
    definition = small(ODD, POLICY, rule="renju", event="The cup", limit={"time": 0.5})
    fixture = list(schedule(definition))[1]
    game = game_of(fixture, Colour.WHITE, reason="crash", detail="it said ] and \\ and\nended")
    for format in ("sgf", "psq"):
        record = game_record(definition, game)
        (read,) = records.loads(records.dumps(record, format), format)
        assert [move.name for move in read.moves] == ["d4", "a1", "b7"]
        assert (read.size, read.rule) == (7, Rule.RENJU)
        assert (read.black, read.white) == ("Policy", ODD.name)
        assert read.result == "W+"
        assert read.event == "The cup, game 2"
        nodes = read.main_line()[1:]
        assert [node.time_ms for node in nodes] == [None, 250, 500]
        assert nodes[0].comment == ""
        assert nodes[1].comment == "+30, depth 5, 100 nodes, 250.0 ms"
        arguments = " ".join(nodes[2].comment.split())
        assert arguments.startswith(
            "-M4, depth 6, 500.0 ms; the player's process ended: it said ] and"
        )
        assert "500 ms per move" in records.dumps(record, "sgf")


@pytest.mark.parametrize(
    ("winner", "reason", "expected"),
    [
        (Colour.BLACK, "five", "B+"),
        (Colour.WHITE, "proven_win", "W+"),
        (None, "dead_draw", "Draw"),
    ],
)
def test_results_of_records(winner: Colour | None, reason: str, expected: str) -> None:
    definition = small()
    game = game_of(next(schedule(definition)), winner, reason=reason)
    text = records.dumps(game_record(definition, game), "sgf")
    (read,) = records.loads(text, "sgf")
    assert read.result == expected


def test_a_game_without_moves() -> None:
    definition = small()
    fixture = next(schedule(definition))
    game = game_of(
        fixture,
        Colour.BLACK,
        moves=(),
        opening_moves=0,
        reports=(),
        reason="crash",
        detail="no start",
    )
    record = game_record(definition, game)
    assert record.root.comment == "the player's process ended: no start"
    assert record.moves == []


def test_all_games_are_written(tmp_path: Path) -> None:
    definition = small(ODD, POLICY)
    folder = folder_of(tmp_path, definition)
    write_games(folder)
    actual = records.read(tmp_path / "games.sgf")
    assert len(actual) == 4
    assert [record.result for record in actual] == ["B+", "Draw", "W+", "W+"]
    assert sorted(path.name for path in (tmp_path / "psq").iterdir()) == [
        f"0000{n}.psq" for n in range(1, 5)
    ]
    for number, record in enumerate(actual, 1):
        (same,) = records.read(tmp_path / "psq" / f"0000{number}.psq")
        assert same.moves == record.moves
        assert (same.black, same.white) == (record.black, record.white)
    write_games(folder)  # a second time


def test_games_with_a_pass_are_written(tmp_path: Path) -> None:
    """PSQ has no pass: such a game has no PSQ file, and all others do."""
    definition = small()
    folder = MatchFolder.create(tmp_path, definition, OPENINGS)
    first, second = list(schedule(definition))[:2]
    with folder.open_event_log():
        folder.add(game_of(first, moves=("d4", "pass", "pass"), reason="passes"))
        folder.add(game_of(second))
    write_games(folder)
    assert len(records.read(tmp_path / "games.sgf")) == 2
    assert [path.name for path in (tmp_path / "psq").iterdir()] == ["00002.psq"]


# --- results read back ---


def test_results_of_everything(tmp_path: Path) -> None:
    """A folder, its SGF and its PGN have the same results; only the folder has pairs."""
    definition = small(ODD, POLICY)
    folder = folder_of(tmp_path / "run", definition)
    write_games(folder)
    (tmp_path / "run.pgn").write_text(pgn(definition, folder.games[::-1]), "utf-8")
    expected = [
        GameScore(0, 1, 1.0),
        GameScore(1, 0, 0.5),
        GameScore(0, 1, 0.0),
        GameScore(1, 0, 0.0),
    ]
    paths = [tmp_path / "run", tmp_path / "run" / "games.sgf", tmp_path / "run.pgn"]
    for path in paths:
        result = read_results([path])
        assert result.names == [ODD.name, "Policy"]
        assert [(g.first, g.second, g.score) for g in result.games] == [
            (g.first, g.second, g.score) for g in expected
        ]
        assert [g.pair for g in result.games] == ([0, 0, 1, 1] if path == paths[0] else [-1] * 4)
        assert result.left_out == 0
    together = read_results([str(paths[0]), paths[2], paths[0]])
    assert [g.pair for g in together.games] == [0, 0, 1, 1, -1, -1, -1, -1, 2, 2, 3, 3]
    assert together.names == [ODD.name, "Policy"]


def test_only_counted_games_are_rated(tmp_path: Path) -> None:
    definition = small(pairs=100, sprt={"elo0": 0, "elo1": 50})
    folder = MatchFolder.create(tmp_path, definition, OPENINGS)
    with folder.open_event_log():
        for game in games_of(definition, lambda f: 1.0 if f.black == 0 else 0.0):
            folder.add(game)
    actual = json.loads(result(definition, OPENINGS, folder.games))
    assert len(read_results([tmp_path]).games) == actual["games"] < 200


PGN = """
[Event "a"]
[White "A \\"x\\""]
[Black "B"]
[Result "1-0"]

1. h8 {a comment [White "C"]} 1-0

[White "B"]
[Black "C"]
[Result "*"]

[Event "b"]
[White "C"]
[Black "A \\"x\\""]
[Result "1/2-1/2"]

1/2-1/2
[White "A"]
[Result "0-1"]
[White "D"]
[Black "D"]
[Result "0-1"]
"""


def test_pgn_of_others(tmp_path: Path) -> None:
    path = tmp_path / "GAMES.PGN"
    path.write_bytes(PGN.replace("\n", "\r\n").encode())
    result = read_results([path])
    assert result.names == ['A "x"', "B", "C"]
    assert [(g.first, g.second, g.score) for g in result.games] == [(0, 1, 1.0), (2, 0, 0.5)]
    assert result.left_out == 3  # not at its end, without an opponent, against himself


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("x.pgn", b"", BadArena),
        ("x.pgn", b"\xff\xfe garbage \x00" * 50, BadArena),
        ("x.pgn", b'[White "A"\n[Black "B"]\n[Result "1-0"]', BadArena),
        ("x.sgf", b"garbage", BadRecord),
        ("x.sgf", b"(;GM[4]SZ[15];B[hh])", BadArena),
        ("x.bin", b"\x00\x01\x02", BadRecord),
    ],
)
def test_files_without_results(
    tmp_path: Path, name: str, data: bytes, error: type[Exception]
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(error):
        read_results([tmp_path / name])


def test_invalid_sources(tmp_path: Path) -> None:
    with pytest.raises(BadRun, match="has no run"):
        read_results([tmp_path])
    with pytest.raises(FileNotFoundError):
        read_results([tmp_path / "nothing.sgf"])
    with pytest.raises(BadArena, match="no finished game"):
        read_results([])
