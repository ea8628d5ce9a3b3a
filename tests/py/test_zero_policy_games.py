# SPDX-License-Identifier: MIT
"""Games without search: fives and open fours have priority, moves are those of the engine's
`policy` preset, and games end by the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from selfplay_nets import FixedNet, tiny_net
from tengen import Board, Engine, Limit
from tengen.arena.make_openings import draw_openings
from tengen.game.move import Move
from tengen.game.rule import Colour, Rule
from tengen.game.threat import Threat
from tengen.train.errors import TrainingFailed
from tengen.zero.errors import BadZero
from tengen.zero.play.inference import Inference
from tengen.zero.play.policy_games import PolicyGames
from tengen.zero.play.selfplay import PlayedGame

pytestmark = pytest.mark.usefixtures("one_thread")
CPU = torch.device("cpu")
EVEN = (1 / 3, 1 / 3, 1 / 3)


def play(
    rule: str, size: int, openings: Sequence[Sequence[int]], black: nn.Module, white: nn.Module
) -> list[PlayedGame]:
    evaluator = Inference(size, len(openings), CPU)
    evaluator.set_nets(black, white)
    with PolicyGames(rule, size, len(openings), evaluator, threads=1) as games:
        games.start_games(openings)
        while games.advance_games():
            pass
        return games.finished_games()


def drawn(rule: Rule, size: int, count: int) -> list[list[int]]:
    openings = zip(range(count), draw_openings(1, size, rule, (3, 6), 2), strict=False)
    return [[move.to_index(size) for move in opening] for _, opening in openings]


@pytest.mark.parametrize("rule", list(Rule))
def test_no_five_is_missed(rule: Rule) -> None:
    """Replays every game: an own five comes first, then the opponent's, then an own open four."""
    size, counts = 9, dict.fromkeys((Threat.FIVE, Threat.OPEN_FOUR), 0)
    games = play(rule, size, drawn(rule, size, 30), tiny_net(1), tiny_net(2))
    for game in games:
        board = Board(size, rule)
        for ply, point in enumerate(game.moves):
            assert board.outcome() is None
            move = Move.from_index(point, size)
            if ply >= game.opening:
                for colour, threat in (
                    (board.turn, Threat.FIVE),
                    (board.turn.other, Threat.FIVE),
                    (board.turn, Threat.OPEN_FOUR),
                ):
                    legal = set(board.legal_moves())
                    if points := legal.intersection(board.threats(colour, threat)):
                        assert move in points
                        counts[threat] += 1
                        break
            board.push(move)
        outcome = board.outcome()
        if game.winner:
            assert outcome is not None
            assert outcome.winner is Colour(game.winner)
        else:
            assert outcome is None or outcome.winner is None
            assert outcome is not None or not board.legal_moves()
        assert game.ending == ("five" if game.winner else "draw")
    assert all(counts.values())


def test_each_net_plays_its_colour() -> None:
    """Both prefer a point of their own, which is legal and near a stone."""
    black, white = FixedNet(EVEN, 30), FixedNet(EVEN, 50)
    games = play("freestyle", 9, [[40], [40, 39]], black, white)
    assert [game.moves[: game.opening + 2][-2:] for game in games] == [(50, 30), (30, 50)]


@pytest.mark.parametrize(
    ("dx", "dy", "is_near"),
    [(2, 1, True), (3, 3, True), (-3, 0, True), (3, 1, False), (2, -3, False), (4, 0, False)],
)
def test_moves_are_near_stones(dx: int, dy: int, is_near: bool) -> None:
    """As for the engine: within two points of a stone, or three along a line."""
    likes = FixedNet(EVEN, (7 + dy) * 15 + 7 + dx)
    (game,) = play("freestyle", 15, [[112]], likes, likes)
    assert (game.moves[1] == likes.point) == is_near


def test_an_empty_board_starts_in_the_centre() -> None:
    (game,) = play("renju", 9, [[]], tiny_net(1), tiny_net(2))
    assert game.moves[0] == 40


def test_black_avoids_forbidden_points() -> None:
    """The preferred point would be a double-three."""
    names = ("g8", "a1", "i8", "a15", "h7", "o1", "h9", "o15")
    stones = [Move.parse(name, 15).to_index(15) for name in names]
    likes = FixedNet(EVEN, Move.parse("h8", 15).to_index(15))
    assert play("freestyle", 15, [stones], likes, likes)[0].moves[8] == likes.point
    assert play("renju", 15, [stones], likes, likes)[0].moves[8] != likes.point


@pytest.mark.integration
@pytest.mark.parametrize("rule", ["freestyle", "renju"])
def test_moves_of_the_policy_preset(rule: str, tmp_path: Path) -> None:
    """Each move is the engine's, if logits differ by more than the rounding."""
    pytest.importorskip("onnxruntime")
    from tengen.export.onnx import export_onnx

    size, net = 9, tiny_net(3)
    for parameter in net.heads["policy"].parameters():
        parameter.data *= 100
    export_onnx(net.eval(), tmp_path / "net.onnx", size)
    games = play(rule, size, drawn(Rule.parse(rule), size, 6), net, net)
    with Engine("policy", net=str(tmp_path / "net.onnx")) as engine:
        for game in games:
            board = Board(size, rule)
            for ply, point in enumerate(game.moves):
                move = Move.from_index(point, size)
                if ply >= game.opening:
                    assert engine.play(board, Limit(nodes=1)).move == move
                board.push(move)


def test_invalid_games() -> None:
    net = tiny_net()
    evaluator = Inference(9, 2, CPU)
    with PolicyGames("freestyle", 9, 2, evaluator) as games:
        with pytest.raises(BadZero, match="no net"):
            games.start_games([[40], [41]])
        evaluator.set_nets(net, net)
        for openings, message in (
            ([[40]], "1 openings for 2 games"),
            ([[40], [41, 41]], "different points"),
            ([[40], [81]], "different points"),
        ):
            with pytest.raises(BadZero, match=message):
                games.start_games(openings)


def test_a_net_without_numbers_is_reported() -> None:
    class Broken(FixedNet):
        def forward(self, planes: torch.Tensor) -> dict[str, torch.Tensor]:
            outputs = super().forward(planes)
            return {name: output * np.nan for name, output in outputs.items()}

    with pytest.raises(TrainingFailed, match="NaN"):
        play("freestyle", 9, [[40]], Broken(EVEN), Broken(EVEN))
