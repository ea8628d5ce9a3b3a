# SPDX-License-Identifier: MIT
"""The review of games: verdicts, accuracy, the annotated record, the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tengen
from tengen.cli.main import main
from tengen.engine import Analysis, PlayResult
from tengen.engine.review import (
    MoveVerdict,
    Review,
    ReviewedMove,
    annotate_record,
    move_comment,
    review,
)
from tengen.game import records
from tengen.game.records import Record
from tengen.game.rule import Colour, Rule

# Black could make five with move 9, and is lost when he does not.
GAME = ["h8", "d4", "h9", "e4", "h10", "f4", "h11", "h12", "o15", "h7", "o13", "g4", "o11", "c4"]
TIME = 0.05


@pytest.fixture(scope="module")
def reviewed() -> Review:
    start = tengen.Board(15, "freestyle")
    with tengen.Engine(memory=16) as engine:
        return review(engine, start, [tengen.Move(name) for name in GAME], TIME)


def _move(reviewed: Review, ply: int) -> ReviewedMove:
    result = reviewed.moves[ply - 1]
    assert result.ply == ply
    return result


def test_a_missed_win_is_found_with_the_win(reviewed: Review) -> None:
    missed = _move(reviewed, 9)
    assert missed.verdict is MoveVerdict.MISSED_WIN
    assert [move.name for move in missed.better] == ["h7"]


def test_the_last_move_wins(reviewed: Review) -> None:
    last = _move(reviewed, len(GAME))
    assert last.after.score.white().mate is not None
    assert last.after.score.white().win_rate == 1.0
    assert last.verdict in (MoveVerdict.BEST, MoveVerdict.GOOD)


def test_accuracy_and_turning_point(reviewed: Review) -> None:
    black, white = reviewed.accuracy(Colour.BLACK), reviewed.accuracy(Colour.WHITE)
    assert black is not None
    assert white is not None
    assert 0 <= black < 100
    assert 0 <= white < 100
    turning = reviewed.turning_point
    assert turning is not None
    assert turning.ply == 9
    assert Review(reviewed.start, reviewed.first, ()).accuracy(Colour.BLACK) is None
    assert Review(reviewed.start, reviewed.first, ()).turning_point is None


class _OneMove(tengen.Engine):
    """An engine whose lines the table has cut off after a move."""

    searches = 0

    def analyse(self, *given: Any, **more: Any) -> Analysis:
        self.searches += 1
        result = super().analyse(*given, **more)
        result.__class__ = _Cut
        return result


class _Cut(Analysis):
    def wait(self) -> PlayResult:
        played = super().wait()
        assert played.info is not None
        return replace(played, info=replace(played.info, pv=played.info.pv[:1]))


def test_short_lines_are_extended() -> None:
    """White could win with move 12, by three more stones of both sides, and plays far away."""
    names = ["h8", "a1", "h9", "a3", "h10", "a5", "o15", "h7", "o1", "a7", "o3", "o5"]
    moves = [tengen.Move(name) for name in names]
    start = tengen.Board(15, "freestyle")
    with _OneMove(memory=16) as engine:
        result = review(engine, start, moves, TIME)
        # Each position once, each doubtful move twice, and six for the lines.
        assert len(names) < engine.searches <= len(names) + 1 + 2 * len(names) + 6
    missed = _move(result, 12)
    assert missed.verdict is MoveVerdict.MISSED_WIN
    board = start.copy()
    for move in (*moves[:11], *missed.better):  # to the end of the win, by legal moves
        board.push(move)
    assert board.is_over()
    assert len(missed.better) == 3


def _confused(analyse: Callable[..., Analysis]) -> Callable[..., Analysis]:
    def confused(*given: Any, **more: Any) -> Analysis:
        result = analyse(*given, **more)
        result.__class__ = _Confused
        return result

    return confused


class _Confused(Analysis):
    """Its lines repeat their first move, as those of a faulty program may."""

    def wait(self) -> PlayResult:
        played = super().wait()
        assert played.info is not None
        return replace(played, info=replace(played.info, pv=played.info.pv[:1] * 5))


def test_lines_that_cannot_be_played_are_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tengen.Engine, "analyse", _confused(tengen.Engine.analyse))
    moves = [tengen.Move(name) for name in GAME]
    with tengen.Engine(memory=16) as engine:
        result = review(engine, tengen.Board(15, "freestyle"), moves, 0.02)
    assert len(result.moves) == len(GAME)
    for move in result.moves:
        assert len(set(move.better)) == len(move.better)


def test_an_answer_to_a_four_is_forced() -> None:
    names = ("h8", "a1", "h9", "a3", "h10", "h11", "g8", "a5", "h7", "h6")
    moves = [tengen.Move(name) for name in names]
    with tengen.Engine(memory=16) as engine:
        result = review(engine, tengen.Board(15, "freestyle"), moves, TIME)
    assert _move(result, 10).verdict is MoveVerdict.FORCED
    assert _move(result, 10).loss == 0


def test_the_record_has_the_review(reviewed: Review) -> None:
    record = Record.from_moves([tengen.Move(name) for name in GAME], rule=Rule.FREESTYLE)
    record.main_line()[9].comment = "my own words"
    result = annotate_record(record, reviewed)
    assert records.loads(records.dumps(result, "sgf"), "sgf")[0].root == result.root
    assert [move.name for move in result.moves] == GAME
    ninth = result.main_line()[9]
    assert ninth.comment.startswith("my own words\n")
    assert move_comment(_move(reviewed, 9)) in ninth.comment
    assert "BM" in ninth.properties
    variation = result.main_line()[8].children[1]
    assert variation.move == _move(reviewed, 9).better[0]
    assert "accuracy" in result.root.comment
    assert record.main_line()[9].comment == "my own words"  # the given one is as it was


def test_a_review_can_be_stopped() -> None:
    moves = [tengen.Move(name) for name in GAME]
    messages: list[tuple[int, int]] = []

    def progress(done: int, total: int, known: object) -> bool:
        messages.append((done, total))
        return done < 4

    with tengen.Engine(memory=16) as engine:
        result = review(engine, tengen.Board(15, "freestyle"), moves, TIME, progress)
    assert messages == [(1, 15), (2, 15), (3, 15), (4, 15)]
    assert [move.ply for move in result.moves] == [12, 13, 14]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "game.sgf", tmp_path / "out.sgf"
    records.write(Record.from_moves([tengen.Move(name) for name in GAME]), source)
    arguments = ["review", str(source), "--time", "0.05", "--memory", "16"]
    assert main([*arguments, "--out", str(target)]) == 0
    output = capsys.readouterr().out
    assert "accuracy" in output
    assert "better:" in output
    assert "The game was lost with move" in output
    assert "Reviewed by Tengen" in records.read(target)[0].root.comment
    assert main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [move["move"] for move in result["moves"]] == GAME
    assert result["rule"] == "freestyle"


def test_faults_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "empty.sgf"
    source.write_text("(;GM[4]SZ[15])", encoding="utf-8")
    assert main(["review", str(source)]) == 1
    assert "no moves" in capsys.readouterr().err
    assert main(["review", str(source), "--game", "3"]) == 1
    assert "no game 3" in capsys.readouterr().err
    assert main(["review", str(tmp_path / "none.sgf")]) == 1
