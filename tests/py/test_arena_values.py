# SPDX-License-Identifier: MIT
"""Definitions of matches, their files and schedules. Invalid ones raise BadArena with a message,
and no other error.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_fakes import RANDOM, small
from invalid_values import GARBAGE, HUGE
from tengen.arena.control import TimeControl
from tengen.arena.definition import Definition, opponents, schedule, total_games
from tengen.arena.errors import BadArena
from tengen.arena.sprt import Sprt
from tengen.game.rule import Rule
from tengen.util.config import read_toml
from tengen.util.errors import BadConfig

# --- definitions ---

TWO: dict[str, Any] = {"players": ["random", "policy"]}


def test_keys_of_version_0_1_0() -> None:
    old = Definition.from_dict(TWO | {"patience": 2.5, "slowest": 20})
    assert old == Definition.from_dict(TWO | {"response_grace": 2.5, "untimed_move_timeout": 20})


def test_definitions_round_trip() -> None:
    full = Definition.from_dict(
        {
            "players": ["random", {"command": "rex", "limit": {"depth": 2}, "env": {"A": "b"}}],
            "kind": "match",
            "rule": "Renju",
            "size": 13,
            "pairs": 7,
            "limit": {"clock": 60, "increment": 1},
            "openings": "swap2",
            "opening_moves": 4,
            "seed": 9,
            "max_moves": 100,
            "tolerance": 1,
            "response_grace": 2.5,
            "untimed_move_timeout": 20,
            "adjudicate": "always",
            "sprt": {"elo0": -2, "elo1": 3.5, "model": "normalised"},
            "event": "The cup",
        }
    )
    assert full.rule is Rule.RENJU
    assert full.sprt == Sprt(-2, 3.5, model="normalised")
    assert full.control(0) == TimeControl(clock=60, increment=1)
    assert full.control(1) == TimeControl(depth=2)
    assert full.title == "The cup"
    for definition in (
        full,
        Definition.from_dict(TWO),
        small(RANDOM, RANDOM, RANDOM, kind="gauntlet"),
    ):
        assert Definition.from_dict(json.loads(json.dumps(definition.to_dict()))) == definition
    assert Definition.from_dict(TWO).to_dict().keys() == full.to_dict().keys() - {"sprt"}


def test_which_games_are_adjudicated() -> None:
    players = ["random", "policy", "cmd:rex"]
    for adjudicate, expected in (
        ("auto", [True, False]),
        ("always", [True] * 2),
        ("never", [False] * 2),
    ):
        result = Definition.from_dict(
            {"players": players, "kind": "round-robin", "adjudicate": adjudicate}
        )
        assert [result.adjudicates(0, 1), result.adjudicates(2, 0)] == expected


def test_names_are_made_to_differ() -> None:
    result = small(RANDOM, RANDOM, RANDOM.named("Random #2"), RANDOM, kind="round-robin")
    names = [player.name for player in result.players]
    assert names == ["Random", "Random #2", "Random #2 #2", "Random #3"]
    assert Definition.from_dict(result.to_dict()) == result
    long = [RANDOM.named(letter + "x" * 59) for letter in "AABB"]
    names = [player.name for player in small(*long, kind="round-robin").players]
    assert len(set(names)) == 4
    assert all(len(name) <= 60 for name in names)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"players": []}, "two players"),
        ({"players": ["random"]}, "two players, not 1"),
        ({"players": ["random"] * 3}, "two players, not 3"),
        ({"players": ["random"], "kind": "gauntlet"}, "two players or more"),
        ({"players": 5}, "."),
        ({"players": "ab"}, "players"),
        ({"players": [{}, {}]}, "preset or a command"),
        ({"players": [5, 6]}, "."),
        ({"players": [None, []]}, "."),
        ({"players": [[["a"]], "random"]}, "."),
        ({"games": 5, "a": 1}, "games: unknown key"),
        ({"kind": "cup"}, "kind: .*'cup'.*gauntlet, match, round-robin"),
        ({"kind": ["match"]}, "kind: "),
        ({"adjudicate": True}, "adjudicate: "),
        ({"rule": 4}, "rule: "),
        ({"size": 4}, "size"),
        ({"size": 15.0}, "size"),
        ({"size": True}, "size"),
        ({"pairs": 0}, "pairs: "),
        ({"pairs": HUGE}, "pairs: "),
        ({"pairs": True}, "pairs: "),
        ({"seed": -1}, "seed"),
        ({"max_moves": "all"}, "max_moves: "),
        ({"opening_moves": -1}, "opening_moves: "),
        ({"tolerance": -0.1}, "tolerance"),
        ({"tolerance": True}, "tolerance"),
        ({"response_grace": "10"}, "response_grace"),
        ({"response_grace": float("nan")}, "response_grace"),
        ({"untimed_move_timeout": float("inf")}, "untimed_move_timeout"),
        ({"untimed_move_timeout": HUGE}, "untimed_move_timeout"),
        ({"limit": 5}, "."),
        ({"limit": {"time": HUGE}}, "."),
        ({"limit": {"clock": HUGE}}, "."),
        ({"limit": {"tempo": 1}}, "tempo"),
        ({"sprt": 5}, "."),
        ({"sprt": {}}, "elo0"),
        ({"sprt": {"elo0": 5, "elo1": 0}}, "less than elo1"),
        ({"sprt": {"elo0": "a", "elo1": 5}}, "."),
        ({"sprt": {"elo0": 0, "elo1": 5, "alpha": 0}}, "alpha"),
        ({"sprt": {"elo0": 0, "elo1": 5}, "kind": "gauntlet"}, "SPRT"),
        ({"openings": 5}, "openings"),
        ({"openings": ["a"]}, "openings"),
        ({"event": 5}, "event"),
    ],
)
def test_no_definitions(values: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArena, match=message):
        Definition.from_dict(TWO | values)


_KEYS = [*Definition.from_dict(TWO).to_dict(), "sprt"]


@pytest.mark.integration
@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(_KEYS) | st.text(max_size=3), GARBAGE, max_size=3))
def test_arbitrary_files(values: dict[str, Any]) -> None:
    try:
        result = Definition.from_dict(TWO | values)
    except BadArena:
        return
    json.dumps(result.to_dict())


# --- files ---


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    path.write_text('pairs = 3\nplayers = ["random", {preset = "policy"}]\n[limit]\nnodes = 50\n')
    result = Definition.from_dict(read_toml(path))
    assert (result.pairs, result.limit) == (3, TimeControl(nodes=50))
    assert result.players[1].preset == "policy"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"pairs = 3\nsize = = 5\n", "line 2"),
        (b"a = 1\na = 2\n", "line 2"),
        (b"a = '\xff\xfe'\n", "utf-8"),
        (b"a = " + b"[" * 20_000, "."),
    ],
)
def test_invalid_files(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "match.toml"
    path.write_bytes(data)
    with pytest.raises(BadConfig, match=message) as caught:
        read_toml(path)
    assert str(caught.value).startswith(f"{path}: ")


# --- the schedule ---


@pytest.mark.parametrize(("kind", "number"), [("match", 2), ("gauntlet", 5), ("round-robin", 5)])
def test_schedule(kind: str, number: int) -> None:
    definition = small(*[RANDOM] * number, kind=kind, pairs=6)
    meetings = opponents(definition)
    expected = 10 if kind == "round-robin" else number - 1
    assert len(set(meetings)) == len(meetings) == expected
    assert all(one < two for one, two in meetings)
    result = list(schedule(definition))
    assert len(result) == total_games(definition) == 12 * expected
    assert [game.number for game in result] == list(range(len(result)))
    for first, second in zip(result[::2], result[1::2], strict=True):
        assert first.pair == second.pair == first.number // 2
        assert (first.black, first.white) == (second.white, second.black)
        assert first.opening == second.opening
        assert (first.black, first.white) in meetings
    for couple in meetings:  # each meets each opening once
        openings = [game.opening for game in result if (game.black, game.white) == couple]
        assert openings == list(range(6))


def test_a_schedule_that_is_stopped_early_is_balanced() -> None:
    definition = small(*[RANDOM] * 4, kind="round-robin", pairs=10)
    result = list(schedule(definition))
    for length in range(0, len(result), 2):
        played = Counter(frozenset((game.black, game.white)) for game in result[:length])
        counts = [played[frozenset(couple)] for couple in opponents(definition)]
        assert max(counts) - min(counts) <= 2
        blacks, whites = (Counter(map(key, result[:length])) for key in (_black, _white))
        assert blacks == whites


def _black(game: Any) -> int:
    return int(game.black)


def _white(game: Any) -> int:
    return int(game.white)
