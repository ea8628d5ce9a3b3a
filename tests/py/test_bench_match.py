# SPDX-License-Identifier: MIT
"""The match runner of benchmarks/: its statistics against numbers computed by hand, its openings,
its referee, and the results it writes. The engines are small fakes.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import match
import match_games
import match_result
from bench_fakes import Fake, Here, crash, late, notes
from match_games import Game, GameTask, Player
from match_openings import board_after, draw_openings, file_openings, same_under_symmetry
from match_pool import Notes, Stop
from match_result import Tally, check_result, match_json
from match_stats import elo_of_pairs, logistic_elo, pair_counts, percentile, spread
from tengen import Board, Colour, Move, Rule, Threat
from tengen.engine import Played

# --- statistics ---


def test_elo_of_a_share() -> None:
    assert logistic_elo(0.5) == 0
    assert logistic_elo(10 / 11) == pytest.approx(400)
    assert logistic_elo(0.75) == pytest.approx(190.848501887865)  # 400 log10 3
    assert (logistic_elo(0), logistic_elo(1)) == (-math.inf, math.inf)


def test_counts_of_pairs() -> None:
    pairs = [(0, 0), (0, 0.5), (1, 0), (0.5, 0.5), (1, 0.5), (1, 1), (1, 1)]
    assert pair_counts(pairs) == [1, 1, 2, 1, 2]


def test_elo_of_even_pairs() -> None:
    # mean 1/2; variance (1/4 + 1/4) / 4 = 1/8; error sqrt(1/32); 1.959964 of it are 0.346476,
    # so the bounds are 400 log10(0.846476 / 0.153524) = 296.58 to either side.
    elo = elo_of_pairs([1, 0, 2, 0, 1])
    assert elo.elo == 0
    assert (elo.low, elo.high) == pytest.approx((-296.58, 296.58), abs=0.01)
    assert elo.los == pytest.approx(0.5)


def test_elo_of_uneven_pairs() -> None:
    # Sum of n x = 20/4 + 40/2 + 25 * 3/4 + 10 = 53.75, mean 0.5375.
    # Sum of n x^2 = 20/16 + 40/4 + 25 * 9/16 + 10 = 35.3125; variance 0.353125 - 0.28890625 =
    # 0.06421875; error sqrt(0.0006421875) = 0.0253414. Elo 400 log10(0.5375 / 0.4625) = 26.107.
    # Bounds at 0.5375 -+ 0.0496682: 400 log10(0.4878318 / 0.5121682) = -8.457 and
    # 400 log10(0.5871682 / 0.4128318) = 61.196. LOS: Phi(0.0375 / 0.0253414) = Phi(1.47979).
    elo = elo_of_pairs([5, 20, 40, 25, 10])
    assert tuple(elo) == pytest.approx((26.107, -8.457, 61.196, 0.93054), abs=1e-3)


def test_elo_where_all_was_won_or_lost() -> None:
    # With 10 pairs, p^10 = 0.025 at p = 0.691503: 400 log10(0.691503 / 0.308497) = 140.22.
    won, lost = elo_of_pairs([0, 0, 0, 0, 10]), elo_of_pairs([10, 0, 0, 0, 0])
    assert (won.elo, won.high) == (math.inf, math.inf)
    assert won.low == pytest.approx(140.217, abs=0.01)
    assert tuple(lost) == pytest.approx((-math.inf, -math.inf, -won.low, 1 - won.los))
    assert (str(won), str(lost)) == ("> +140", "< -140")


def test_elo_of_nothing_and_of_all_alike() -> None:
    assert tuple(elo_of_pairs([0] * 5)) == (0, -math.inf, math.inf, 0.5)
    assert tuple(elo_of_pairs([0, 0, 7, 0, 0])) == (0, 0, 0, 0.5)


def test_percentiles_are_values_that_occurred() -> None:
    values = [float(value) for value in range(1000, 0, -1)]
    assert [percentile(values, p) for p in (0, 50, 99.9, 100)] == [1, 500, 999, 1000]
    assert spread(values) == {"median": 500, "p999": 999, "worst": 1000}
    assert spread([]) is None


# --- openings ---


def turned(move: Move, size: int) -> Move:
    return Move(size - 1 - move.y, move.x)


def test_symmetric_openings_have_one_key() -> None:
    opening = tuple(map(Move, ("h8", "i9", "k7", "h6")))
    key = same_under_symmetry(opening, 15)
    image = opening
    for _ in range(3):
        image = tuple(turned(move, 15) for move in image)
        assert same_under_symmetry(image, 15) == key
    mirrored = tuple(Move(14 - move.x, move.y) for move in opening)
    assert same_under_symmetry(mirrored, 15) == key
    assert same_under_symmetry((opening[2], *opening[1:2], opening[0], opening[3]), 15) == key
    assert same_under_symmetry((opening[1], opening[0], *opening[2:]), 15) != key


@pytest.mark.parametrize("rule", Rule)
def test_drawn_openings(rule: Rule) -> None:
    found = [opening for opening, _ in zip(draw_openings(3, 15, rule), range(200), strict=False)]
    again = [opening for opening, _ in zip(draw_openings(3, 15, rule), range(200), strict=False)]
    assert found == again
    assert len({same_under_symmetry(opening, 15) for opening in found}) == 200
    assert {len(opening) for opening in found} == {3, 4, 5, 6}
    for opening in found:
        board = board_after(opening, 15, rule)
        assert not board.is_over()
        assert board.move_limit == 180
        assert all(abs(move.x - 7) <= 3 and abs(move.y - 7) <= 3 for move in opening)


def test_drawn_openings_on_a_small_board() -> None:
    """Where hardly anything else can be drawn: the same thing twice, and three in a row."""
    small = list(draw_openings(1, 5, Rule.FREESTYLE, tries=500))
    assert 100 < len(small) == len({same_under_symmetry(opening, 5) for opening in small})
    for opening in draw_openings(1, 7, Rule.FREESTYLE, tries=500):
        board = board_after(opening, 7, Rule.FREESTYLE)
        assert not any(board.threats(colour, Threat.OPEN_FOUR) for colour in Colour)


def test_openings_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "some.openings"
    double_three = "-1,0, -7,-7, 1,0, -7,-5, 0,-1, -7,-3, 0,1, -7,-1, 0,0"
    path.write_text(f"0,0, 1,1, 2,2\n{double_three}\n", "ascii")
    assert len(file_openings(path, 1, 15, Rule.FREESTYLE)) == 2
    assert file_openings(path, 1, 15, Rule.RENJU) == [tuple(map(Move, ("h8", "i9", "j10")))]


# --- players ---


def test_players_in_words() -> None:
    player = Player.parse("classical,null_move=false,seed=7,depth=4,nodes=100", 16, time=0.02)
    assert dict(player.options) == {
        "preset": "classical",
        "threads": 1,
        "memory": 16,
        "null_move": False,
        "seed": 7,
    }
    assert dict(player.limits) == {"depth": 4, "nodes": 100}, "his own limits replace the common"
    assert dict(Player.parse("random", 16, time=0.02, nodes=None).limits) == {"time": 0.02}
    assert Player.parse("pipe:./a --b,c", 16, time=1).options == ()
    with pytest.raises(ValueError, match="option=value"):
        Player.parse("classical,fast", 16)


def players(**limits: float) -> tuple[Player, Player]:
    return Player.parse("a", 16, **limits), Player.parse("b", 16, **limits)


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Game]:
    """Play one game between fakes."""

    def game(a: Fake, b: Fake, swapped: bool = False, tolerance: float = 10.0) -> Game:
        fakes = {"a": a, "b": b}
        monkeypatch.setattr(match_games, "_engines", {})
        monkeypatch.setattr(match_games, "make_engine", lambda player: fakes[player.text])
        opening = (Move("h8"), Move("i9"))
        limits = players(time=0.001)
        task = GameTask(limits, Rule.FREESTYLE, 15, opening, 5, swapped, tolerance)
        return match_games.play_game(task, notes())

    return game


def test_a_game_and_its_return(play: Callable[..., Game]) -> None:
    # Black begins after the opening and is the first with five in his column.
    a, b = Fake(0), Fake(14)
    first = play(a, b)
    assert (first.score, first.reason, first.fault) == (1.0, "five", "")
    assert first.moves == ["h8", "i9", "a1", "o1", "a2", "o2", "a3", "o3", "a4", "o4", "a5"]
    assert (a.games, b.games, first.opening) == (1, 1, 2)
    assert [len(side.seconds) for side in first.thinking] == [5, 4]
    assert (first.thinking[0].nodes, first.thinking[0].depths) == (2500, [3] * 5)
    second = play(Fake(0), Fake(14), swapped=True)
    assert (second.score, second.reason) == (0.0, "five")
    assert second.moves == ["h8", "i9", "o1", "a1", "o2", "a2", "o3", "a3", "o4", "a4", "o5"]


def test_who_never_wins_draws_by_the_move_limit(play: Callable[..., Game]) -> None:
    class Peaceful(Fake):
        def play(self, board: Board, limit: object) -> Played:
            fives = board.threats(least=Threat.FIVE)
            return Played(next(move for move in board.legal_moves() if move not in fives))

    game = play(Peaceful(0), Peaceful(0))
    assert (game.score, game.reason, len(game.moves)) == (0.5, "move_limit", 180)


@pytest.mark.parametrize(
    ("trick", "kind", "words"),
    [
        (lambda board: Move("h8"), "illegal", "h8 is occupied by black"),
        (lambda board: Move("r1"), "illegal", "off the 15x15 board"),
        (lambda board: None, "illegal", "no move None"),
        (crash, "crash", "RuntimeError: out of ideas"),
    ],
)
def test_faults_lose(
    play: Callable[..., Game], trick: Callable[[Board], Move], kind: str, words: str
) -> None:
    for swapped in (False, True):
        bad = Fake(0, trick)
        game = play(bad, Fake(14), swapped)
        assert (game.score, game.reason) == (0.0, kind)
        assert game.fault.startswith("A: ")
        assert words in game.fault
        assert bad.closed == (kind == "crash"), "a crashed engine is not used again"
        assert play(Fake(0), Fake(14, trick), swapped).score == 1.0


def test_far_too_late_loses(play: Callable[..., Game]) -> None:
    game = play(Fake(0), Fake(14, late), tolerance=0.015)
    assert (game.score, game.reason, game.fault[:3]) == (1.0, "time", "B: ")


def test_the_game_of_a_dead_worker() -> None:
    opening = (Move("h8"), Move("i9"))
    task = GameTask(players(nodes=1), Rule.RENJU, 15, opening, 3, True, 1.0)
    game = match_games.unfinished(task, "crash", "code -11", (1, 112, 128, 0))
    assert (game.score, game.reason, game.fault) == (1.0, "crash", "B: code -11")
    assert (game.moves, game.pair, game.swapped) == (["h8", "i9", "a1"], 3, True)


# --- results ---


def some_games(play: Callable[..., Game]) -> Tally:
    tally = Tally(players(time=0.001))
    for pair, trick in enumerate((None, crash, None)):
        for swapped in (False, True):
            game = play(Fake(0), Fake(14, trick), swapped)
            game.pair = pair
            tally.add(game)
    return tally


def definition() -> dict[str, Any]:
    return {"a": "a", "b": "b", "size": 15, "rule": "freestyle"}


def test_tally(play: Callable[..., Game]) -> None:
    tally = some_games(play)
    assert tally.wins_draws_losses() == (4, 0, 2)
    assert tally.pairs() == [0, 0, 2, 0, 1]
    result = json.loads(json.dumps(tally.result(), allow_nan=False))
    assert result["b"]["faults"] == {"crash": 2}
    assert result["endings"] == {"five": 4, "crash": 2}
    assert result["black_points"] == 5, "all but the one in which black crashed"
    assert (result["a"]["mean_depth"], result["a"]["nodes_per_second"]) == (3, 2000)
    late = result["a"]["ms_per_move"]["worst"] - 1
    assert result["a"]["ms_over_limit"]["worst"] == pytest.approx(late)
    row = tally.row("a match", "freestyle 15")
    assert len(row) == len(match_result.HEADINGS)
    assert row[3:6] == ["6", "4/0/2", "0 0 2 0 1"]


def test_half_a_pair_does_not_count() -> None:
    tally = Tally(players(nodes=1))
    tally.add(Game(0, False, 0, [], 1.0, "five"))
    assert (tally.wins_draws_losses(), sum(tally.pairs())) == ((1, 0, 0), 0)


def test_written_games_are_checked(play: Callable[..., Game]) -> None:
    written = json.loads(match_json(definition(), some_games(play), "complete"))
    assert check_result(written) == []
    for key, value in (("score", 0.0), ("reason", "full_board"), ("moves", "h8 h8")):
        wrong = json.loads(json.dumps(written))
        wrong["games"][0][key] = value
        assert "game 1" in check_result(wrong)[0]
    short = json.loads(json.dumps(written))
    short["games"][0]["moves"] = "h8 i9"
    assert check_result(short) == ["game 1: told ('five', 1.0), but it is not over"]
    short["games"].pop()
    assert len(check_result(short)) == 3, "the counts are wrong too"


def test_a_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"low": 0, "high": 14, "judge": 7}
    monkeypatch.setattr(match_games, "_engines", {})
    monkeypatch.setattr(
        match_games, "make_engine", lambda player: Fake(columns[player.text.partition(",")[0]])
    )
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps([{"name": "one"}, {"rule": "renju", "pairs": 3, "size": 19}]))
    command = ["match.py", "low", "high", "--plan", str(plan), "--nodes", "9", "--pairs", "2"]
    monkeypatch.setattr(sys, "argv", [*command, "--judge", "judge,nodes=5", "--balance", "0.95"])
    matches = match.definitions(match.arguments())
    assert [(m.name, m.rule, m.size, m.pairs, m.nodes) for m in matches] == [
        ("one", "freestyle", 15, 2, 9),
        ("", "renju", 19, 3, 9),
    ]
    out = tmp_path / "out.json"
    pool: Any = Here()
    runner = match.Runner(pool, Stop(), out)
    for definition in matches:
        runner.run(definition)
    written = json.loads(out.read_text("utf-8"))["matches"]
    assert [(len(m["games"]), m["ended"]) for m in written] == [(4, "complete"), (6, "complete")]
    assert all(check_result(m) == [] for m in written)
    assert out.with_suffix(".md").read_text("utf-8") == runner.table()
    for one, two in zip(*[iter(written[1]["games"])] * 2, strict=True):
        assert one["moves"].split()[: one["opening"]] == two["moves"].split()[: two["opening"]]
        assert (one["a"], two["a"], one["pair"]) == ("black", "white", two["pair"])


def test_unbalanced_openings_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(task: Any, notes: Notes) -> float:
        return 0.5 if len(task.opening) == 4 else 0.75

    monkeypatch.setattr(match, "judge_opening", judge)
    pool: Any = Here()
    game = match.Definition("a", "b", pairs=20, nodes=1)
    found = match.openings_of(game, pool, Stop())
    assert [len(opening) for opening in found] == [4] * 20


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ([{"a": "x", "b": "y"}], "no limit"),
        ([{"a": "x", "nodes": 1}], "two players"),
        ([{"a": "x", "b": "y", "nodes": 1, "deep": 2}], "unknown 'deep'"),
        ([{"a": "x", "b": "y", "nodes": 1, "rule": "go"}], "no rule 'go'"),
    ],
)
def test_bad_plans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: list[Any], words: str
) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan))
    monkeypatch.setattr(sys, "argv", ["match.py", "--plan", str(path)])
    with pytest.raises(ValueError, match=words):
        match.definitions(match.arguments())
