# SPDX-License-Identifier: MIT
"""Round robins of nets: results, ratings, resuming, memory; and the players that are found."""

from __future__ import annotations

import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from selfplay_nets import Neighbours, tiny_net
from tengen.arena import BadArena, BadRun, Definition, MatchFolder, standings
from tengen.arena.game import MatchGame
from tengen.arena.match_folder import result
from tengen.arena.openings import bundled_openings
from tengen.arena.player import Player, check_player
from tengen.engine.nets import BUNDLED
from tengen.game.rule import Rule
from tengen.nets.weights import BadWeights, NetWeights, write_weights
from tengen.zero.errors import BadZero
from tengen.zero.gate import net_match
from tengen.zero.gate.net_match import NetMatchConfig, choose_openings
from tengen.zero.gate.net_players import NetPlayer, find_player, find_players
from tengen.zero.gate.net_tournament import play_net_tournament, stored_players
from tengen.zero.zero_folder import ZeroFolder
from zero_runs import config as zero_config
from zero_runs import go, stop_after

pytestmark = pytest.mark.usefixtures("one_thread")
CPU = torch.device("cpu")
CONFIG = NetMatchConfig(size=9, games=8, playouts=2, threads=1)


def player(name: str, taste: float) -> NetPlayer:
    return NetPlayer(name, f"nets/{name}", lambda: Neighbours(taste), f"{taste:g}")


PLAYERS = [player("bad", -1.0), player("good", 1.0), player("fair", 0.2)]


def play(path: Path, players: list[NetPlayer] = PLAYERS, **changes: Any) -> MatchFolder:
    return play_net_tournament(players, CONFIG, CPU, path, **changes)


def result_of(folder: MatchFolder) -> str:
    return result(folder.definition, folder.openings, folder.games)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> MatchFolder:
    return play(tmp_path_factory.mktemp("nets") / "whole")


def test_the_better_net_is_rated_higher(whole: MatchFolder) -> None:
    table = standings(whole.definition, whole.games)
    assert len(whole.games) == 3 * 8
    assert [stand.games for stand in table.players] == [16, 16, 16]
    assert table.ratings.elo[1] == max(table.ratings.elo)
    assert all(0 < error < 1000 for error in table.ratings.error)
    met = table.between(1, 0)
    assert met is not None
    assert met.share > 0.8
    assert sum(met.pairs) == 4


def test_games_are_those_of_the_schedule(whole: MatchFolder) -> None:
    """Every two players have the same openings, each with both colours."""
    assert len(set(whole.openings)) == 4
    seen = set()
    for game in whole.games:
        assert game.moves[: game.opening_moves] == whole.openings[game.opening]
        assert len(game.moves) > game.opening_moves or game.reason == "proven_win"
        seen.add((game.black, game.white, game.opening))
    assert len(seen) == 3 * 8
    assert MatchFolder.read(whole.path).games == whole.games


def test_the_same_again(whole: MatchFolder, tmp_path: Path) -> None:
    assert result_of(play(tmp_path / "again")) == result_of(whole)


class Killed(BaseException):
    pass


@pytest.mark.parametrize(
    "stored", [11, *(pytest.param(n, marks=pytest.mark.integration) for n in (0, 3, 8, 23))]
)
def test_resuming_after_a_kill(
    stored: int, whole: MatchFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever has been stored, the result is that of one session, and no game is stored twice."""
    add = MatchFolder.add

    def add_until_killed(folder: MatchFolder, game: MatchGame) -> None:
        if len(folder.games) == stored:
            raise Killed
        add(folder, game)

    with monkeypatch.context() as patch:
        patch.setattr(MatchFolder, "add", add_until_killed)
        with pytest.raises(Killed):
            play(tmp_path / "run")
    with (tmp_path / "run" / "games.jsonl").open("ab") as file:
        file.write(b'{"game": 7, "pa')  # torn
    with pytest.raises(BadRun, match="already has a run"):
        play(tmp_path / "run")
    folder = play(tmp_path / "run", resume=True)
    assert len(MatchFolder.read(folder.path).games) == 24
    assert result_of(folder) == result_of(whole)


@pytest.mark.integration
def test_a_stopped_tournament_keeps_whole_pairings(whole: MatchFolder, tmp_path: Path) -> None:
    calls, folder = 0, None
    while folder is None or len(folder.games) < 24:
        before = 0 if folder is None else len(folder.games)
        calls += 100
        folder = play(tmp_path / "run", resume=True, stop=stop_after(calls))
        assert len(folder.games) % 8 == 0
        assert len(folder.games) >= before
    assert calls > 100
    assert result_of(folder) == result_of(whole)


def test_another_run_is_not_resumed(whole: MatchFolder) -> None:
    changed = [PLAYERS[0], replace(PLAYERS[1], checksum="other"), PLAYERS[2]]
    with pytest.raises(BadZero, match="nets/good has changed"):
        play(whole.path, changed, resume=True)
    with pytest.raises(BadZero, match="other values of event, kind, players"):
        play(whole.path, PLAYERS[:2], resume=True)
    other = replace(CONFIG, seed=2)
    with pytest.raises(BadZero, match="other values of seed"):
        play_net_tournament(PLAYERS, other, CPU, whole.path, resume=True)
    with pytest.raises(BadZero, match="two nets or more"):
        play(whole.path, PLAYERS[:1])


def test_two_players_are_in_memory(tmp_path: Path) -> None:
    alive: weakref.WeakSet[nn.Module] = weakref.WeakSet()
    most = []

    def load() -> nn.Module:
        net = Neighbours(1.0)
        alive.add(net)
        most.append(len(alive))
        return net

    players = [NetPlayer(str(n), str(n), load) for n in range(4)]
    made = replace(CONFIG, games=2, playouts=0)
    play_net_tournament(players, made, CPU, tmp_path / "run")
    assert len(most) > 4
    assert max(most) == 2


def test_too_few_openings_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[str] = []
    few = choose_openings(CONFIG)[:2]
    monkeypatch.setattr(net_match, "draw_openings", lambda *_: iter(few))
    made = replace(CONFIG, games=11, playouts=0)
    folder = play_net_tournament(PLAYERS[:2], made, CPU, tmp_path / "x", report=messages.append)
    assert messages == ["there are 2 openings for freestyle 9x9: 4 of 12 games"]
    assert len(folder.games) == 4
    assert folder.definition.openings == "random"


def test_openings_are_distinct_and_balanced_where_there_are_some() -> None:
    every = choose_openings(NetMatchConfig(rule="caro6", games=5000))
    assert len(set(every)) == len(every) == len(bundled_openings(Rule.CARO6, 15))
    assert choose_openings(NetMatchConfig(rule="caro6", games=7)) == every[:4]
    assert choose_openings(NetMatchConfig(rule="caro6", games=7, seed=2)) != every[:4]


def test_nets_do_not_play_in_the_arena() -> None:
    net = Player("x", net="runs/x")
    with pytest.raises(BadArena, match="tengen net match"):
        check_player(net, Rule.FREESTYLE, 15)
    with pytest.raises(BadArena, match="either"):
        Player("x", "classical", net="runs/x")
    assert Player.from_dict(net.to_dict()) == net


# --- players ---


@pytest.fixture
def nets(tmp_path: Path) -> Path:
    """A folder with a net for both colours, one for each, and one of another game."""
    for seed, name in enumerate(("both/net.pt", "pair/black.pt", "pair/white.pt", "deep/net.pt")):
        path = tmp_path / "nets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        net = tiny_net(seed)
        about = {"rule": "renju", "size": 15} if name.startswith("deep") else {}
        write_weights(path, NetWeights(net.spec.to_dict(), net.state_dict(), about))
    return tmp_path / "nets"


def test_nets_that_are_found(nets: Path) -> None:
    messages: list[str] = []
    sources = (nets / "both", nets / "both" / "net.pt", nets / "pair", "mixnet-s-freestyle")
    found = [find_player(str(one), CONFIG, messages.append) for one in (*sources, nets / "deep")]
    assert found[0].checksum == found[1].checksum != found[2].checksum
    assert messages == [
        "mixnet-s-freestyle was trained for freestyle, size 15; it now plays freestyle 9x9",
        f"{nets / 'deep'} was trained for renju 15x15; it now plays freestyle 9x9",
    ]
    planes = torch.zeros(1, 2, 9, 9)
    planes[0, :, 4] = torch.eye(9)[[3, 5]]
    outputs = [player.load()(planes)["policy"] for player in found]
    assert torch.equal(outputs[0], outputs[1])
    assert len({tuple(output.flatten().tolist()) for output in outputs}) == 4


def test_a_zero_run_plays_with_its_newest_generation(tmp_path: Path) -> None:
    go(zero_config(), tmp_path / "run", 3)
    found = find_player(str(tmp_path / "run"), replace(CONFIG, size=7))
    assert found.name == f"{tmp_path / 'run'}, generation 0"
    assert Path(found.source) == tmp_path / "run" / "generations" / "0000"
    assert find_player(found.source, replace(CONFIG, size=7)).checksum == found.checksum


@pytest.mark.integration
def test_a_registry_has_the_nets_of_a_rule() -> None:
    """Black's and white's nets for renju; they are for their colours, so there is no message."""
    messages: list[str] = []
    made = replace(CONFIG, rule="renju", size=15)
    found = find_player(str(BUNDLED), made, messages.append)
    assert not messages
    black = find_player("mixnet-m-renju-black", made, messages.append)
    assert "size 15, black to move; it now plays renju 15x15" in messages[0]
    planes = torch.zeros(1, 2, 15, 15)
    assert torch.equal(found.load()(planes)["policy"], black.load()(planes)["policy"])
    planes[0, 1, 7, 7] = 1
    assert not torch.equal(found.load()(planes)["policy"], black.load()(planes)["policy"])
    with pytest.raises(BadZero, match="no net for renju 20x20"):
        find_player(str(BUNDLED), replace(made, size=20))


def test_nets_that_are_not_found(nets: Path) -> None:
    (nets / "empty").mkdir()
    ZeroFolder.create(nets / "new", zero_config(), {})
    (nets / "x.onnx").write_bytes(b"onnx")
    (nets / "x.pt").write_bytes(b"no net")
    for name, kind, message in (
        ("empty", BadZero, "has no net: a folder has net.pt"),
        ("new", BadZero, "has no generation yet"),
        ("x.onnx", BadZero, "tengen match"),
        ("x.pt", BadWeights, "x.pt"),
    ):
        with pytest.raises(kind, match=message):
            find_player(str(nets / name), CONFIG)


def test_names_in_tables(nets: Path) -> None:
    def names(*paths: str) -> list[str]:
        return [one.name for one in find_players([str(nets / path) for path in paths], CONFIG)]

    assert names("both", "pair") == ["both", "pair"]
    assert names("both/net.pt", "deep/net.pt", "pair") == [
        *("both/net.pt", "deep/net.pt", "nets/pair")
    ]
    assert names("both", "both", "deep") == ["both", "both", "deep"]  # a definition numbers them


@pytest.mark.integration
def test_the_players_of_a_stored_run(nets: Path, tmp_path: Path) -> None:
    made = replace(CONFIG, games=4, playouts=2, search={"root": "puct", "c": 1.5})
    players = [find_player(str(nets / name), made) for name in ("both", "pair", "both")]
    folder = play_net_tournament(players, made, CPU, tmp_path / "run", stop=stop_after(50))
    config, found = stored_players(MatchFolder.read(folder.path).definition)
    assert replace(config, threads=1) == made
    assert [one.checksum for one in found] == [one.checksum for one in players]
    done = play_net_tournament(found, config, CPU, folder.path, resume=True)
    assert len(done.games) == 12
    with pytest.raises(BadZero, match="not a run"):
        stored_players(Definition((Player.parse("classical"), Player.parse("random"))))
