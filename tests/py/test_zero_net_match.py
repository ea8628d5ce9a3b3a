# SPDX-License-Identifier: MIT
"""Matches between nets at equal playouts or without search: evaluations, results, stored rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from selfplay_nets import FixedNet, Neighbours, small, tiny_net
from tengen.arena.elo import pair_counts
from tengen.cli.main import main
from tengen.nets.weights import NetWeights, make_net, write_weights
from tengen.train.errors import TrainingFailed
from tengen.zero.errors import BadZero
from tengen.zero.gate import net_match
from tengen.zero.gate.gatekeeper import make_match
from tengen.zero.gate.joined_nets import BothColours
from tengen.zero.gate.ladder import play_net
from tengen.zero.gate.net_match import (
    NetMatchConfig,
    NetMatchResult,
    PlayerNets,
    choose_openings,
    play_net_match,
)
from tengen.zero.learn.learner import Learner
from tengen.zero.play.selfplay import PlayedGame, SelfPlay
from tengen.zero.zero_folder import ZeroFolder
from zero_runs import AT_ONCE, SIZE, config, go, stop_after

pytestmark = pytest.mark.usefixtures("one_thread")
CPU = torch.device("cpu")
OPENINGS = [[40, 30 + n] for n in range(6)]  # on 9x9


def play(first: PlayerNets, second: PlayerNets, **changes: Any) -> NetMatchResult:
    options = {"size": 9, "games": 24, "playouts": 8, "threads": 1, **changes}
    result = play_net_match(NetMatchConfig(**options), first, second, CPU)
    assert result is not None
    return result


@pytest.mark.integration
@pytest.mark.parametrize("playouts", [0, 8])
def test_the_better_net_wins(playouts: int) -> None:
    good, bad = Neighbours(1.0), Neighbours(-1.0)
    won, lost = (play(*nets, playouts=playouts) for nets in ((good, bad), (bad, good)))
    assert won.games == 24
    assert won.share > 0.8
    assert lost.pairs == won.pairs[::-1]
    assert play(good, bad, playouts=playouts) == won


def test_a_policy_that_keeps_stones_together_beats_a_random_one() -> None:
    assert play(Neighbours(1.0), tiny_net(1), playouts=0).share > 0.7


def weights(spec: dict[str, Any], seed: int = 1) -> NetWeights:
    torch.manual_seed(seed)
    return NetWeights(spec, make_net(spec).state_dict())


@pytest.mark.parametrize("playouts", [0, pytest.param(2, marks=pytest.mark.integration)])
def test_sides_of_any_nets(playouts: int) -> None:
    """One net per colour or one for both, of different kinds."""
    tiny, wide = ({"kind": "resnet", "blocks": 1, "filters": n} for n in (4, 6))
    mixnet = weights({"kind": "mixnet", "size": "s"})
    mixed = [weights(tiny), mixnet]
    options = {"size": 7, "playouts": playouts, "games": 4, "rule": "renju"}
    assert play(mixed, mixed, **options).pairs == (0, 0, 2, 0, 0)
    first = play(mixed, [weights(wide)], **options)
    second = play([weights(wide)], mixed, **options)
    assert first.pairs == second.pairs[::-1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"search": {"cc": 1.0}}, "search.cc: unknown key"),
        ({"search": {"c": "much"}}, "search.c"),
        ({"search": {"root": "best"}}, "search.root"),
        ({"search": {"playouts": 4}}, "search.playouts: unknown key"),
        ({"search": {"c": 1.5}, "playouts": 0}, "no search"),
        ({"playouts": -1}, "playouts"),
        ({"size": 4}, "size"),
        ({"rule": "chess"}, "rule"),
    ],
)
def test_invalid_configs(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadZero, match=message):
        NetMatchConfig.from_dict(changes)


@pytest.mark.integration
def test_keys_of_the_search_change_it() -> None:
    nets = Neighbours(0.5), Neighbours(0.4)
    games = []
    for search in ({}, {"root": "puct", "c": 3.0}, {"root": "puct", "c": 0.1}):
        made = NetMatchConfig(size=9, games=2, playouts=12, threads=1, search=search)
        games.append(net_match.play_openings(made, choose_openings(made), nets, CPU))
    assert None not in games
    assert games[0] != games[1] != games[2]


@pytest.mark.integration
def test_only_differences_of_logits_count() -> None:
    # Nets that have been trained for long add hundreds to all of them.
    played = [play(Neighbours(1.0, added), tiny_net(1)).pairs for added in (0.0, 300.0, -300.0)]
    assert played[0] == played[1] == played[2]


@pytest.mark.integration
def test_a_net_is_as_good_as_itself() -> None:
    # Both games of an opening are the same one.
    assert play(tiny_net(1), tiny_net(1)).share == 0.5


@pytest.mark.integration
def test_colour_assignments_are_independent() -> None:
    """Interleaved games have the same results as sequential ones."""
    nets = Neighbours(1.0), tiny_net(1)
    made = NetMatchConfig(size=9, games=24, playouts=8, threads=1)
    openings = choose_openings(made)
    settings = made.selfplay(len(openings))
    given = [[move.to_index(9) for move in opening] for opening in openings]
    points = []
    for players, colour in ((nets, 1), (nets[::-1], 2)):
        with SelfPlay(settings, "cpu", by_mover=True) as playing:
            playing.set_nets(*players)
            winners = [game.winner for game in play_openings(playing, given)]
        points.append([0.5 if winner == 0 else float(winner == colour) for winner in winners])
    assert play(*nets).pairs == pair_counts(list(zip(*points, strict=True)))


@pytest.mark.parametrize("playouts", [0, 32])
def test_a_match_can_be_stopped(playouts: int) -> None:
    made = NetMatchConfig(size=9, games=24, playouts=playouts)
    assert play_net_match(made, tiny_net(1), tiny_net(2), CPU, stop=stop_after(5)) is None


@pytest.mark.parametrize(("rule", "colours"), [("freestyle", False), ("renju", True)])
def test_a_net_against_itself(rule: str, colours: bool) -> None:
    """Game pairs are complete; a net against itself gets half of the points."""
    made = config(rule=rule, colours=colours, gate={"playouts": 2})
    nets = list(Learner(made, CPU).averaged_nets({}).values())
    result = make_match(made, CPU)(nets, nets, 8, 1, lambda: False)
    assert result is not None
    assert result.pairs == (0, 0, 4, 0, 0)


def play_openings(playing: SelfPlay, openings: list[list[int]]) -> list[PlayedGame]:
    playing.start_games(openings)
    while playing.advance_games():
        pass
    return playing.finished_games()


def test_each_player_evaluates_its_own_searches() -> None:
    black, white = FixedNet((0.5, 0.3, 0.2)), FixedNet((0.2, 0.6, 0.2))
    settings = small(size=9, games=6, reuse=False, cut_off=False, leaf_vcf=0, root_vcf=0)
    with SelfPlay(settings, "cpu", by_mover=True) as playing:
        playing.set_nets(black, white)
        games = play_openings(playing, OPENINGS)
    assert [list(game.moves[:2]) for game in games] == OPENINGS
    assert all(len(game.moves) > 8 for game in games)
    for net in (black, white):
        stones = torch.cat([planes.flatten(2).sum(2) for planes in net.asked])
        assert {0.0, 1.0} == set((stones[:, 1] - stones[:, 0]).tolist())  # leaves of both sides


def test_invalid_matches() -> None:
    with pytest.raises(BadZero, match="reuse"):
        SelfPlay(small(size=9), "cpu", by_mover=True)
    settings = small(size=9, games=6, reuse=False)
    wrong: list[tuple[list[list[int]], str]] = [
        (OPENINGS[:5], "an opening for each game"),
        ([*OPENINGS[:5], [40, 40]], "different points"),
        ([*OPENINGS[:5], [40, 81]], "no such point"),
        ([*OPENINGS[:5], OPENINGS[0]], "twice"),
    ]
    with SelfPlay(settings, "cpu", by_mover=True) as playing:
        with pytest.raises(BadZero, match="no net"):
            play_openings(playing, OPENINGS)
        playing.set_nets(tiny_net())
        for openings, message in wrong:
            with pytest.raises(BadZero, match=message):
                play_openings(playing, openings)


@pytest.mark.integration
def test_a_gate_that_searches(tmp_path: Path) -> None:
    gate = {"minutes": AT_ONCE, "games": 4, "score": 0.0, "playouts": 2}
    go(config(gate=gate), tmp_path / "run", 8)
    folder = ZeroFolder.read(tmp_path / "run")
    newest = folder.generations()[-1]
    assert newest.number > 0
    assert sum(newest.metadata["match"]["pairs"]) == 2


@pytest.mark.integration
@pytest.mark.parametrize("colours", [False, True])
def test_a_ladder_at_equal_playouts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], colours: bool
) -> None:
    run = tmp_path / "run"
    gate = {"minutes": AT_ONCE, "games": 2, "score": 0.0, "playouts": 1}
    go(config(gate=gate, colours=colours, rule="renju" if colours else "freestyle"), run, 10)
    common = ["--device", "cpu", "--games", "4", "--players", "2", "--playouts", "2"]
    assert main(["zero", "ladder", str(run), *common]) == 0
    spec = ZeroFolder.read(run).generations()[0].nets(ZeroFolder.read(run).config.net_names)[0]
    write_weights(tmp_path / "net.pt", NetWeights(spec.spec, spec.weights))
    newest = ZeroFolder.read(run).generations()[-1].number
    net = tmp_path / "net.pt"
    for against, name in ((net, str(net)), (run, f"{run}, generation {newest}")):
        capsys.readouterr()
        arguments = ["zero", "ladder", str(run), *common, "--against", str(against), "--json"]
        assert main(arguments) == 0
        rows = [row for row in json.loads(capsys.readouterr().out) if row["against"] == name]
        assert len(rows) == 2
        assert {row["limit"] for row in rows} == {"2 playouts"}
        assert all(row["games"] == 4 for row in rows)


@pytest.mark.integration
def test_nets_of_the_same_name_have_separate_rows(tmp_path: Path) -> None:
    """The row names the file; a net of another board size is reported, and plays."""
    go(config(), tmp_path / "run", 3)
    folder = ZeroFolder.read(tmp_path / "run")
    (net,) = folder.generations()[0].nets(("net",))
    messages: list[str] = []
    boards: dict[str, dict[str, Any]] = {
        "one": {"rule": "freestyle", "size": 7},
        "two": {},
        "three": {"rule": "renju", "size": 15},
    }
    for name, about in boards.items():
        given = tmp_path / name / "net.pt"
        given.parent.mkdir()
        write_weights(given, replace(net, metadata=about))
        rows = play_net(
            *(folder, folder.generations(), given, CPU), games=2, playouts=1, report=messages.append
        )
    expected = [str(tmp_path / name / "net.pt") for name in ("one", "three", "two")]
    assert [row["against"] for row in rows] == expected
    start = f"{expected[1]} was trained for renju 15x15"
    assert [line.startswith(start) for line in messages] == [False, False, True, False]


@pytest.mark.parametrize(
    ("against", "expected"), [("classical", "tengen zero elo"), ("other.net", "other.net")]
)
def test_opponents_that_are_not_nets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], against: str, expected: str
) -> None:
    go(config(), tmp_path / "run", 3)
    (tmp_path / "other.net").write_bytes(b"no net")
    given = str(tmp_path / against) if "." in against else against
    assert main(["zero", "ladder", str(tmp_path / "run"), "--against", given]) == 1
    assert expected in capsys.readouterr().err


def test_openings_are_distinct() -> None:
    """More games than there are openings: each opening once."""
    match = make_match(config(size=5), CPU, 1)
    net = NetWeights({"kind": "resnet", "blocks": 1, "filters": 4}, tiny_net().state_dict())
    result = match([net], [net], 6, 1, lambda: False)
    assert result is not None
    assert 0 < result.games <= 6


# --- one net per colour ---

BLACK, WHITE = 10, 20  # the points that each net prefers


class PolicyNet(FixedNet):
    outputs = ("value", "policy")


def test_two_nets_in_one_module() -> None:
    """The number of stones determines the side to move."""
    black = PolicyNet((0.7, 0.2, 0.1), BLACK)
    white = PolicyNet((0.1, 0.5, 0.4), WHITE)
    both = BothColours(black, white)
    for stones in range(3):
        side = 1 + stones % 2
        board = torch.zeros(1, SIZE * SIZE)
        board[0, [0, 6][:stones]] = torch.tensor([1.0, 2.0])[:stones]
        board = board.view(1, SIZE, SIZE)
        outputs = both(torch.stack((board == side, board == 3 - side), 1).float())
        assert outputs["policy"].flatten().argmax() == (BLACK if side == 1 else WHITE)
        shares = outputs["value"].softmax(1).flatten().tolist()
        assert shares == pytest.approx([0.7, 0.2, 0.1] if side == 1 else [0.1, 0.5, 0.4], abs=1e-4)


@pytest.mark.parametrize("playouts", [0, 2])
def test_pairings_that_share_batches(playouts: int) -> None:
    """All pairings at once have the games of each pairing alone."""
    nets = [Neighbours(1.0), Neighbours(-1.0), Neighbours(0.3)]  # exact in batches of any size
    pairings = [(0, 1), (0, 2), (1, 2)]
    made = NetMatchConfig(size=9, games=6, playouts=playouts, threads=2)
    openings = choose_openings(made)
    together = dict(net_match.play_pairings(made, openings, nets, pairings, CPU))
    assert together.keys() == {0, 1, 2}
    for place, (first, second) in enumerate(pairings):
        alone = net_match.play_openings(made, openings, (nets[first], nets[second]), CPU)
        assert alone is not None
        assert together[place] == alone
    assert together[0] != together[1]


def test_broken_nets_among_pairings() -> None:
    """The error of one net ends all pairings; nothing is left running."""
    nets = [Neighbours(1.0), FixedNet((float("nan"), 0.5, 0.5)), Neighbours(0.3)]
    made = NetMatchConfig(size=9, games=4, playouts=2, threads=2)
    played = net_match.play_pairings(made, choose_openings(made), nets, [(0, 1), (0, 2)], CPU)
    with pytest.raises(TrainingFailed, match="unusable"):
        list(played)
