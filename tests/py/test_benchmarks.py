# SPDX-License-Identifier: MIT
"""Parts of benchmarks/: the strict Gomocup client, first moves, and the positions that self-play
writes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import first_move
import selfplay
from bench_fakes import BRAIN, Analyst, progress_record
from strict_client import BrokenPlayer, Client
from tengen import Board, Colour, Rule
from tengen.engine import Score

# --- pipes ---


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Callable[..., Client]]:
    made = []

    def make(answer: str = "3,3") -> Client:
        path = tmp_path / "brain.py"
        path.write_text(BRAIN.format(answer=answer))
        made.append(Client([sys.executable, str(path)]))
        return made[-1]

    yield make
    for one in made:
        one.kill()


def test_client(client: Callable[..., Client]) -> None:
    player = client()
    for size in (15, 15, 20):
        player.begin(size, {"rule": 1, "timeout_turn": 20}, infos_first=size == 20)
        assert player.move([], False, 10)[0] == (7, 7)
        assert player.move([(7, 7), (8, 8)], False, 10)[0] == (3, 3)
        assert player.move([(3, 4), (5, 6), (7, 8)], True, 10)[0] == (1, 2)
    assert player.is_silent()
    assert player.peak_memory() > 1 << 20
    assert player.end(10) > 0


@pytest.mark.parametrize("answer", ["3;3", "3,3 ", "SUGGEST 3,3", "UNKNOWN", "3,3\n4,4", "-1,3"])
def test_client_is_strict(client: Callable[..., Client], answer: str) -> None:
    player = client(answer)
    player.begin(15, {}, infos_first=True)
    with pytest.raises(BrokenPlayer) as broken:
        player.move([(7, 7)], False, 10)
    assert broken.value.kind == "protocol"


def test_client_detects_a_crash_and_a_hang(client: Callable[..., Client]) -> None:
    player = client()
    player.begin(15, {}, infos_first=True)
    with pytest.raises(BrokenPlayer, match="no answer") as broken:
        player.line(0.05)
    assert broken.value.kind == "hang"
    player.send("NONSENSE")
    with pytest.raises(BrokenPlayer, match="code 3") as broken:
        player.line(10)
    assert broken.value.kind == "crash"


# --- first moves ---


def first_moves(folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str, *options: str) -> None:
    """Measure a program whose answer to TURN is `answer`."""
    brain = folder / "brain.py"
    brain.write_text(BRAIN.format(answer=answer))
    command = f"{sys.executable} {brain}"
    monkeypatch.setattr("sys.argv", ["first_move.py", "--command", command, *options])
    assert first_move.main() == 0


def table(text: str) -> list[list[str]]:
    """The cells of a printed table."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_first_moves_beside_a_program_that_only_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for answer, faults in (("3,3", "0"), ("7,6", "2")):  # every second process gets TURN 7,6
        first_moves(tmp_path, monkeypatch, answer, "--limits", "20,50", "--count", "3")
        rows = table(capsys.readouterr().out)
        assert [row[-1] for row in rows if row[0] == "this"] == [faults] * 2
        assert [row[-1] for row in rows if row[0] == "only answers"] == ["0"] * 2


def test_first_moves_in_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first_moves(tmp_path, monkeypatch, "3,3", "--memory", "1:257:256", "--threads", "1,2")
    captured = capsys.readouterr()
    assert [row[2:] for row in table(captured.out)[-2:]] == [["2", "1"]] * 2
    assert captured.err.count("1 MiB: crash") == 2


# --- self-play ---


def selfplay_game(monkeypatch: pytest.MonkeyPatch, number: int) -> selfplay.Arrays:
    monkeypatch.setattr(selfplay, "engine_of", lambda place, player: Analyst(0))
    settings = selfplay.Settings(plies=4, lines=2, nodes=50, balance=0.95)
    return selfplay.play_game(selfplay.Task(settings, number), progress_record())


def test_positions_of_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    games = [selfplay_game(monkeypatch, number) for number in range(8)]
    chosen = set()
    for number, arrays in enumerate(games):
        boards, moves = arrays["board"], arrays["move"]
        count = len(moves)
        assert {len(array) for array in arrays.values()} == {count}
        assert set(arrays["game"].tolist()) == {number}
        assert set(arrays["value"].tolist()) == {100, 300}
        assert (arrays["best"][4:] == moves[4:]).all()
        chosen |= {
            bool(move == best) for move, best in zip(moves[:4], arrays["best"], strict=False)
        }
        for i in range(count - 1):
            after = boards[i].copy()
            after[moves[i]] = arrays["to_move"][i]
            assert (after == boards[i + 1]).all()
        board = Board.from_array(
            boards[-1].reshape(15, 15), Colour(int(arrays["to_move"][-1])), Rule.FREESTYLE
        )
        board.push(int(moves[-1]))
        outcome = board.outcome()
        assert outcome is not None
        assert outcome.winner is not None
        assert set(arrays["result"].tolist()) == {1 if outcome.winner is Colour.BLACK else -1}
    assert chosen == {True, False}, "some first moves are drawn, some are the best"
    same = selfplay_game(monkeypatch, 3)
    assert all((same[name] == games[3][name]).all() for name in same)


def test_off_path_positions_are_beside_the_games() -> None:
    settings = selfplay.Settings(nodes=30, off_path=1.0, off_path_plies=3, memory=1)
    arrays = selfplay.play_game(selfplay.Task(settings, 5), progress_record())
    off_path = arrays["result"] == selfplay.OFF_PATH_RESULT
    games = arrays["board"][~off_path]
    assert 0 < off_path.sum() <= len(games)
    plies = (games > 0).sum(axis=1)
    assert (np.diff(plies) == 1).all(), "the game goes on as if there were none"
    before = np.cumsum(~off_path) - 1  # the position of the game before each off-path one
    away = (arrays["board"][off_path] > 0).sum(axis=1) - plies[before[off_path]]
    assert {1, 2, 3} <= set(away.tolist()) <= set(range(1, 4 + selfplay.OFF_PATH_FORCED))
    kept = games[before[off_path]]
    assert ((arrays["board"][off_path] == kept) | (kept == 0)).all(), "no stone is moved"
    assert (arrays["best"][off_path] == arrays["move"][off_path]).all()
    for cells, colour in zip(arrays["board"][off_path], arrays["to_move"][off_path], strict=True):
        board = Board.from_array(cells.reshape(15, 15), Colour(int(colour)), Rule.FREESTYLE)
        assert not selfplay.is_forced(board)


def test_visits_of_tree_search() -> None:
    settings = selfplay.Settings(player="classical,search=mcts", nodes=40, policy=5, memory=4)
    arrays = selfplay.play_game(selfplay.Task(settings, 2), progress_record())
    moves, visits = arrays["moves"].astype(int), arrays["visits"].astype(int)
    assert moves.shape == visits.shape == (len(arrays["move"]), 5)
    assert ((moves >= 0) == (visits > 0)).all()
    assert (np.diff(visits, axis=1) <= 0).all(), "the most visited one comes first"
    assert (visits.sum(axis=1) <= 40).all()
    assert visits.max() > 5
    open_rows = (visits > 0).any(axis=1) & (np.abs(arrays["value"]) < 15000)
    best = arrays["best"][open_rows, None]
    assert (moves[open_rows] == best).any(axis=1).mean() > 0.9
    stones = np.take_along_axis(arrays["board"], np.maximum(moves, 0), axis=1)
    assert (stones[moves >= 0] == 0).all()


def test_games_against_another_player() -> None:
    settings = selfplay.Settings(
        player="classical,search=mcts", opponent="policy", nodes=40, policy=5, memory=4
    )
    for number in (0, 1):
        arrays = selfplay.play_game(selfplay.Task(settings, number), progress_record())
        has_visits = arrays["visits"][:, 0].astype(int) > 0
        own = arrays["to_move"].astype(int) == 1 + number % 2
        assert has_visits[own].mean() > 0.5
        assert not has_visits[~own].any(), "the opponent has none to tell"


def test_forced_positions() -> None:
    board = Board(15)
    for moves, forced in [("h8 a1 i8 c1 j8", False), ("e1", True), ("k8", True), ("l8", True)]:
        for move in moves.split():
            board.push(move)
        assert selfplay.is_forced(board) is forced, moves


def test_points_of_scores() -> None:
    scores = (Score(-120), Score(0, 3), Score(0, -4), Score(29999))
    assert [selfplay.encode_score(score) for score in scores] == [-120, 29997, -29996, 15000]


def test_files_of_positions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    games = [selfplay_game(monkeypatch, number) for number in range(6)]
    monkeypatch.setattr(selfplay, "FILE_BYTES", 1000)
    files = selfplay.Files(tmp_path / "some" / "renju", '{"rule": "renju"}')
    for game in games:
        files.add(game)
        files.write()
    files.wait()
    paths = sorted((tmp_path / "some").iterdir())
    assert paths[0].name == "renju-000.npz"
    assert len(paths) > 1
    parts = [np.load(path) for path in paths]
    for name, kind in (("board", np.uint8), ("move", np.int16), ("game", np.int32)):
        whole = np.concatenate([part[name] for part in parts])
        assert whole.dtype == kind
        assert (whole == np.concatenate([game[name] for game in games])).all()
    assert json.loads(str(parts[0]["meta"])) == {"rule": "renju"}
    for part in parts:
        part.close()
