# SPDX-License-Identifier: MIT
"""Self-play games, replayed by the reference implementation; rows and their labels."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tengen
from selfplay_nets import FixedNet, HolderNet, Neighbours, generator, small, tiny_net
from tengen.data import Batch, Dataset, DataWriter, Manifest
from tengen.data.packing import unpack
from tengen.data.rows import RowFormat, check
from tengen.reference import ReferenceBoard
from tengen.zero.play.generator import GameGenerator, SelfPlayGames, StopPlaying
from tengen.zero.play.selfplay import ENDINGS, SOURCES, PlayedGame, SelfPlay, mix_values

pytestmark = pytest.mark.usefixtures("one_thread")


def rows_of(games: SelfPlayGames, number: int) -> dict[int, int]:
    """ply -> row, of one game."""
    game, ply = games.rows.game, games.rows.ply
    assert game is not None
    assert ply is not None
    return {int(ply[row]): int(row) for row in np.flatnonzero(game == number)}


def replay(played: PlayedGame, size: int, rule: str, rows: dict[int, int], batch: Batch) -> None:
    """Plays a game again, and compares its rows with the board."""
    board = ReferenceBoard(size, rule)
    seen = 0
    for ply, move in enumerate((*played.moves, None)):
        if (row := rows.get(ply)) is not None:
            seen += 1
            side = 1 + ply % 2
            own = np.array([0, 1, 2] if side == 1 else [0, 2, 1])[np.array(board.cells)]
            assert (unpack(batch.board[row], size).ravel() == own).all()
            assert batch.to_move is not None
            assert batch.to_move[row] == side
            legal = set(board.legal_moves())
            assert {int(m) for m in batch.move[row][batch.prob[row] > 0]} <= legal
        if move is not None:
            assert board.outcome() is None
            board.play(move)  # raises if it is not legal
    assert seen == len(rows)
    outcome = board.outcome()
    assert outcome is not None
    assert (outcome.winner or 0) == played.winner


@pytest.mark.parametrize(
    ("rule", "size", "root"),
    [
        ("freestyle", 15, "gumbel"),
        ("standard", 9, "puct"),
        ("renju", 15, "gumbel"),
        ("caro", 10, "puct"),
        ("caro6", 7, "gumbel"),
        ("renju", 5, "puct"),
        ("freestyle", 22, "gumbel"),
    ],
)
def test_games_agree_with_the_reference(rule: str, size: int, root: str) -> None:
    settings = {"rule": rule, "size": size, "root": root, "cut_off": False}
    with generator(**settings, opening_most=5) as playing:
        playing.set_nets(tiny_net())
        games = playing.play(80)
        played = list(playing.last_games())
    assert len(played) == games.count
    for number, game in enumerate(played):
        assert game.ending in ("five", "draw")
        replay(game, size, rule, rows_of(games, number), games.rows)


def test_counts_of_games_add_up() -> None:
    with generator() as playing:
        playing.set_nets(tiny_net())
        games = playing.play(150)
        played = list(playing.last_games())
        assert {game.ending for game in played} <= set(ENDINGS)
        winners = [game.winner for game in played]
        assert (games.black, games.white, games.drawn) == tuple(winners.count(n) for n in (1, 2, 0))
        assert games.moves == sum(len(game.moves) - game.opening for game in played)
        assert games.playouts > 0
        rows = games.rows
        assert len(rows.board) >= 150
        assert all(column is not None for column in rows)
        form = RowFormat(15, 16)
        check(form.fitted(rows), form)
        assert rows.game is not None
        assert rows.game.min() == 0
        assert rows.game.max() < games.count
        again = playing.play(50)
        assert again.rows.game is not None
        assert again.rows.game.min() == 0
        assert playing.work()["moves"] >= games.moves + again.moves
    generator_like: GameGenerator = playing  # as the loop sees it
    generator_like.close()


def test_rows_have_results_and_sources() -> None:
    with generator(result_share=1.0, policy_moves=3) as playing:
        playing.set_nets(tiny_net())
        games = playing.play(200)
        played = list(playing.last_games())
    rows = games.rows
    assert rows.result is not None
    assert rows.source is not None
    assert rows.to_move is not None
    assert rows.game is not None
    assert rows.root is not None
    assert rows.move.shape[1] == 3
    assert {1, 2, 3} <= set(np.unique(rows.source)) <= set(SOURCES)
    winner = np.array([game.winner for game in played])[rows.game]
    expected = np.where(winner == 0, 1, np.where(winner == rows.to_move, 2, 0))
    assert (rows.result == expected).all()
    assert (rows.value[:, 0] == np.where(rows.result == 2, 255, 0)).all()
    assert (rows.root[rows.source == 2] == [255, 0]).all()
    proven = rows.root[rows.source == 4]
    assert ((proven == [255, 0]).all(1) | (proven == [0, 255]).all(1)).all()
    # Proven results are the game's result, since it was cut off there.
    sure = (rows.source == 2) | (rows.source == 4)
    assert (rows.result[sure] == np.where(rows.root[sure, 0] == 255, 2, 0)).all()


def test_won_by_the_solver_is_won() -> None:
    """The last position of a game that was cut off: the engine's solver agrees."""
    with generator(rule="renju", leaf_vcf=0, root_vcf=500, playouts=2, small_playouts=2) as playing:
        playing.set_nets(tiny_net())
        playing.play(150)
        ended = [game for game in playing.last_games() if game.ending == "solver"]
    assert len(ended) > 5
    for game in ended[:10]:
        board = tengen.Board(size=15, rule="renju")
        for move in game.moves:
            board.push(tengen.Move(move % 15, move // 15))
        if game.winner == 1 + len(game.moves) % 2:  # the side to move
            proof = tengen.solve(board, goal="vcf", time=20)
            assert proof
        else:  # a double four, or one that black may not stop
            assert board.outcome() is None


def test_fewer_rows_where_shares_are_small() -> None:
    with generator(won_share=0.0, faced_share=0.0, full_share=0.25, cut_off=False) as playing:
        playing.set_nets(tiny_net())
        games = playing.play(100)
    assert games.rows.source is not None
    assert set(np.unique(games.rows.source)) <= {1, 4}
    assert 0.1 < len(games.rows.board) / games.moves < 0.4


def test_a_move_limit_is_a_draw() -> None:
    with generator(move_limit=12, rule="caro", size=9, root_vcf=0) as playing:
        playing.set_nets(FixedNet((0.3, 0.3, 0.4)))
        games = playing.play(100)
        played = list(playing.last_games())
    assert games.drawn > 0
    assert max(len(game.moves) for game in played) == 12
    assert all(game.winner == 0 for game in played if len(game.moves) == 12)


@pytest.mark.integration
@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_search_finds_the_point_that_counts(root: str) -> None:
    """The side that holds b2 wins: the policy prefers it."""
    settings = {"size": 5, "root": root, "playouts": 120, "considered": 25, "leaf_vcf": 0}
    settings |= {"opening_least": 2, "opening_most": 4, "full_share": 1.0, "noise_share": 0.1}
    with generator(**settings, games=16, symmetries=False) as playing:
        playing.set_nets(HolderNet(6))
        rows = playing.play(250).rows
    assert rows.source is not None
    assert rows.root is not None
    free = (unpack(rows.board, 5)[:, 1, 1] == 0) & (rows.source == 1)
    assert free.sum() > 5
    assert (rows.move[free, 0] == 6).mean() > 0.9
    assert (rows.prob[free, 0] > 128).mean() > 0.9
    assert np.median(rows.root[free, 0]) > 180  # and thinks that it will win then


def test_the_prior_is_masked_by_the_rules() -> None:
    """A net that always prefers one point, which is played only while it is empty."""
    with generator(rule="renju", temperature=0.0, late_temperature=0.0) as playing:
        playing.set_nets(FixedNet((0.4, 0.4, 0.2), 0))
        rows = playing.play(100).rows
    stones = np.take_along_axis(
        unpack(rows.board, 15).reshape(len(rows.board), -1), rows.move.astype(int), 1
    )
    assert not ((stones > 0) & (rows.prob > 0)).any()


def test_the_same_seed_gives_the_same_games_on_any_number_of_threads() -> None:
    result = []
    for threads, seed in ((1, 3), (3, 3), (1, 4)):
        with generator(threads=threads, seed=seed, rule="renju", size=11) as playing:
            playing.set_nets(tiny_net())
            assert playing.threads == threads
            result.append([playing.play(60), playing.play(60)])
    for first, second in zip(result[0], result[1], strict=True):
        for name, column in first.rows._asdict().items():
            assert (column == getattr(second.rows, name)).all(), name
    assert result[0][0].rows.board.tolist() != result[2][0].rows.board.tolist()


def test_rows_become_a_data_set(tmp_path: Path) -> None:
    with generator(rule="standard", size=9) as playing:
        playing.set_nets(tiny_net())
        rows = playing.play(100).rows
    with DataWriter.create(
        tmp_path / "set",
        Manifest(
            "zero", tengen.Rule.STANDARD, 9, policy_moves=16, terms="own", redistributable=True
        ),
    ) as writer:
        writer.add(rows)
    stored = Dataset.open(tmp_path / "set").split("train")
    back = stored.rows(range(len(stored)))
    assert back.result is not None
    assert back.root is not None
    assert back.root.shape[1] == 2
    assert set(np.unique(back.result)) <= {0, 1, 2}


def test_values_keep_draws_separate() -> None:
    result = np.array([2, 0, 1, 2], np.uint8)
    root = np.array([[255, 0], [255, 0], [0, 0], [127, 128]], np.uint8)
    assert mix_values(result, root, 1.0).tolist() == [[255, 0], [0, 255], [0, 0], [255, 0]]
    assert mix_values(result, root, 0.0).tolist() == root.tolist()
    half = mix_values(result, root, 0.5)
    assert (half.astype(int).sum(1) <= 255).all()
    assert half[1].tolist() in ([127, 128], [128, 127])
    assert half[2].tolist() == [0, 0]


def test_an_interrupt_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """At any point: before a batch starts, after it, or while games advance."""
    result = []
    for interrupts in (False, True):
        with generator(size=9) as playing:
            playing.set_nets(Neighbours(0.1))  # exact, whatever the size of a batch
            start, count = playing._inference.start, 0

            def broken(*requests: Any, start: Any = start, on: bool = interrupts) -> None:
                nonlocal count
                count += 1
                if on and count % 7 == 0:
                    raise KeyboardInterrupt
                start(*requests)
                if on and count % 11 == 0:
                    raise KeyboardInterrupt

            monkeypatch.setattr(playing._inference, "start", broken)
            games = None
            while games is None:
                with suppress(KeyboardInterrupt):
                    games = playing.play(60)
            result.append(games.rows)
    for name, column in result[0]._asdict().items():
        assert (column == getattr(result[1], name)).all(), name


def enough() -> None:
    raise StopPlaying


def test_stopping_early_returns_the_finished_games() -> None:
    """They are those that would have come otherwise; none is lost, none comes twice."""
    with generator(size=9) as playing:
        playing.set_nets(tiny_net())
        whole = playing.play(60)
    parts: list[SelfPlayGames] = []
    with generator(size=9) as playing:
        playing.set_nets(tiny_net())
        with pytest.raises(StopPlaying):
            playing.play(10**6, enough)  # after one batch no game has ended
        for _ in range(10_000):  # a batch each
            with suppress(StopPlaying):
                parts.append(playing.play(10**6, enough))
            if sum(len(part.rows.board) for part in parts) >= 60:
                break
    assert len(parts) > 1
    assert np.array_equal(np.concatenate([part.rows.board for part in parts]), whole.rows.board)
    assert sum(part.count for part in parts) == whole.count


def test_closing_in_the_middle() -> None:
    playing = SelfPlay(small(groups=3, games=30), "cpu")
    playing.set_nets(tiny_net())
    playing.play(1)
    playing.close()
    playing.close()
    with pytest.raises(tengen.TengenError, match="closed"):
        playing.play(1)
    with pytest.raises(tengen.TengenError, match="closed"):
        playing.set_nets(tiny_net())
