# SPDX-License-Identifier: MIT
"""The engine with the native core and tables: moves that must be found, limits, repeatability,
stopping.
"""

from __future__ import annotations

import random
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

import tengen
from random_boards import SIZES, random_cells
from tengen import BadTables, Board, Engine, EngineBusy, Info, Limit, Move, Rule, Threat
from tengen.engine import PRESETS, native
from tengen.engine.nets import DATA

LIVELY = Path(__file__).parents[1] / "golden" / "mixnet" / "lively.net"


def board(moves: str, **options: Any) -> Board:
    result = Board(**options)
    for move in moves.split():
        result.push(move)
    return result


# Four in a row for the side to move; white's stones are out of the way.
FOUR = "h8 a1 h9 a3 h10 a5 h11 a8"


@pytest.mark.integration
@pytest.mark.parametrize("rule", list(Rule))
def test_it_wins_when_it_can(rule: Rule) -> None:
    with Engine(memory=16) as engine:
        played = engine.play(board(FOUR, rule=rule), Limit(depth=4))
        assert played.move in (Move("h7"), Move("h12"))
        assert played.info is not None
        assert played.info.score.black().mate == 1
        assert played.info.score.black().win_rate == 1.0
        assert played.info.score.white().mate == -1


@pytest.mark.parametrize("rule", list(Rule))
def test_it_stops_a_four(rule: Rule) -> None:
    with Engine(memory=16) as engine:
        given = board("a1 h8 a3 h9 a5 h10 h7 h11", rule=rule)
        stops = {Move("h12")} | ({Move("h13")} if "caro" in rule else set())  # closed: no five
        assert engine.play(given, Limit(depth=4)).move in stops


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("size", [5, 15, 22])
def test_every_preset_plays_a_legal_game(preset: str, size: int) -> None:
    # The net of the tests is for freestyle alone.
    rule, net = (Rule.FREESTYLE, str(LIVELY)) if preset == "alphabeta" else (Rule.RENJU, "")
    given = Board(size, rule, move_limit=12)
    with Engine(preset, memory=16, seed=1, net=net) as engine:
        while not given.is_over():
            given.push(engine.play(given, Limit(nodes=300, depth=2)).move)
    assert given.ply == 12 or given.is_over()


def test_the_same_request_has_the_same_result() -> None:
    given = board("h8 i9 g9 h9 i8 g8")
    limit = Limit(nodes=20_000)
    with Engine(memory=16) as one, Engine(memory=16) as two:
        first = list(one.analyse(given, limit))
        one.new_game()
        again = list(one.analyse(given, limit))
        other = list(two.analyse(given, limit))
    seen = [
        [(i.depth, i.score, i.pv, i.nodes, i.evaluations) for i in infos]
        for infos in (first, again, other)
    ]
    assert seen[0] == seen[1] == seen[2]
    assert first[-1].nodes < 40_000


def test_lines_are_distinct_moves_in_descending_order() -> None:
    """At every depth: also where a later line turns out better than an earlier one."""
    depths: dict[int, dict[int, Info]] = {}
    with Engine(memory=16) as engine:
        for info in engine.analyse(board("h8 i9 g9"), Limit(depth=6), multipv=5):
            if info.bound == "exact":
                depths.setdefault(info.depth, {})[info.multipv] = info
    assert len(depths) == 6
    for lines in depths.values():
        assert sorted(lines) == [1, 2, 3, 4, 5]
        assert len({info.pv[0] for info in lines.values()}) == 5
        scores = [lines[number].score.relative for number in sorted(lines)]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.integration
@pytest.mark.parametrize("rule", list(Rule))
def test_lines_can_be_played(rule: Rule) -> None:
    """On any board, also lopsided ones, with wins on them, and full but for a few points."""
    rng = random.Random(str(rule))
    with Engine(memory=16) as engine:
        for number in range(60):
            size = SIZES[number % len(SIZES)]
            cells = random_cells(rng, size)
            black, white = ([i for i, c in enumerate(cells) if c == colour] for colour in (1, 2))
            given = Board.from_stones(black, white, rng.choice(("black", "white")), size, rule)
            if given.is_over():
                continue
            analysis = engine.analyse(given, Limit(nodes=500), multipv=rng.choice((1, 3)))
            for info in analysis:
                walk = given.copy()
                for move in info.pv:
                    walk.push(move)
                assert info.score.turn is given.turn
            assert given.is_legal(analysis.played.move)
            if given.threat_counts()[Threat.FIVE]:
                assert analysis.played.info is not None
                assert analysis.played.info.score.relative.mate == 1


@pytest.mark.parametrize("preset", ["classical", "classical-paper"])
def test_a_five_is_a_win_among_other_lines_too(preset: str) -> None:
    with Engine(preset, memory=16) as engine:
        played = engine.analyse(board(FOUR), Limit(depth=3), multipv=2).wait()
        assert played.move in (Move("h7"), Move("h12"))
        assert played.info is not None
        assert played.info.score.black().mate == 1
        chosen = engine.analyse(board(FOUR), Limit(depth=3), moves=["h12", "a2"]).wait()
        assert chosen.move == Move("h12")
        assert chosen.info is not None
        assert chosen.info.score.black().mate == 1


def test_only_some_moves() -> None:
    with Engine(memory=16) as engine:
        played = engine.analyse(board(FOUR), Limit(depth=3), moves=["a2", "c3"]).wait()
    assert played.move in (Move("a2"), Move("c3"))


def test_the_depth_limit_is_respected() -> None:
    with Engine(memory=16) as engine:
        depths = [info.depth for info in engine.analyse(board("h8 i9"), Limit(depth=3))]
    assert max(depths) == 3


def test_an_endless_search_is_stopped_from_another_thread() -> None:
    with Engine(memory=16) as engine:
        threading.Timer(0.2, engine.stop).start()
        assert engine.play(board("h8 i9"), Limit()).move is not None
        analysis = engine.analyse(board("h8 i9"))
        with pytest.raises(EngineBusy):
            engine.play(board("h8"), Limit(depth=1))
        analysis.close()
        assert engine.play(board("h8"), Limit(depth=1)).move


def test_ctrl_c_ends_a_search() -> None:
    with Engine(memory=16) as engine:
        main = threading.main_thread().ident
        assert main is not None
        threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            engine.play(board("h8 i9"), Limit())
        assert engine.play(board("h8 i9"), Limit(depth=1)).move


def test_an_interrupt_when_the_result_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    """The native search is over, and its result is lost: nobody waits for it for ever."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with Engine("classical") as engine:
        with monkeypatch.context() as patch:
            patch.setattr(native.NativeSearch, "_play_result", interrupt)
            with pytest.raises(KeyboardInterrupt):
                engine.play(Board(), Limit(depth=1))
        assert not engine.is_busy
        assert engine.play(Board(), Limit(depth=1)).move == Move("h8")


def test_closing_in_the_middle() -> None:
    engine = Engine(memory=16)
    analysis = engine.analyse(board("h8 i9"))
    engine.close()
    assert analysis.is_done


def test_several_threads() -> None:
    with Engine(threads=3, memory=16) as engine:
        played = engine.play(board(FOUR), Limit(depth=5))
        assert played.move in (Move("h7"), Move("h12"))
        engine.configure(threads=1, memory=8)
        assert engine.play(board(FOUR), Limit(depth=5)).move in (Move("h7"), Move("h12"))


def test_pondering() -> None:
    given = board("h8 i9")
    with Engine(memory=16) as engine:
        played = engine.play(given, Limit(depth=3), ponder=True)
        assert not engine.is_busy
        given.push(played.move)
        if played.ponder is not None:
            given.push(played.ponder)
        assert engine.play(given, Limit(depth=3)).move in given.legal_moves()
        engine.ponder(given)
        assert engine.ponder_hit(Limit(depth=2)).move in given.legal_moves()
        engine.ponder(given)


def test_two_engines_at_once() -> None:
    with Engine(memory=16) as one, Engine(memory=16, seed=1) as two:
        first, second = one.analyse(board("h8 i9")), two.analyse(board("h8", rule="renju"))
        assert next(first).score.turn != next(second).score.turn
        first.close()
        assert not second.is_done
        second.close()


def test_a_clock_ends_a_search() -> None:
    with Engine(memory=16) as engine:
        for clock in (0.0, 0.05, 1.0):
            assert engine.play(board("h8 i9"), Limit(clock=clock, increment=0.01)).move


@pytest.mark.parametrize("fault", ["short", "empty", "magic", "rule", "bits"])
def test_broken_tables_are_rejected(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = (DATA / "classical-renju.tables").read_bytes()
    broken = {
        "short": good[:-1],
        "empty": b"",
        "magic": b"x" + good[1:],
        "rule": (DATA / "classical-caro.tables").read_bytes(),
        "bits": good[:-5] + bytes([good[-5] ^ 1]) + good[-4:],
    }[fault]
    monkeypatch.setattr(native, "DATA", tmp_path)
    file = tmp_path / "classical-renju.tables"
    file.write_bytes(broken)
    with Engine("classical", memory=16) as engine:
        with pytest.raises(BadTables, match=r"classical-renju\.tables: ."):
            engine.play(Board(rule="renju"), Limit(depth=1))
        file.write_bytes(good)
        assert engine.play(Board(rule="renju"), Limit(depth=1)).move


def test_the_names_are_public() -> None:
    assert tengen.Engine is Engine
    assert issubclass(Engine, tengen.AnyEngine)


def test_helpers_stop_when_the_main_thread_has_proven_a_win() -> None:
    board = Board.from_stones(
        black=["g7", "i7", "j8", "h10"],
        white=["a1", "o1", "a15", "o15"],
        to_move="black",
        size=15,
        rule="freestyle",
    )
    with Engine("classical", threads=2, memory=16) as engine:
        info = engine.play(board, Limit(nodes=6_000_000)).info
    assert info is not None
    assert info.score.black().mate == 7
    assert info.nodes < 1_000_000
