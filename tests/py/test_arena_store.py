# SPDX-License-Identifier: MIT
"""Match folders: resuming, torn lines, invalid files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena_fakes import RANDOM, game_of, games_of, small
from tengen.arena.definition import Definition, schedule
from tengen.arena.errors import BadRun
from tengen.arena.match_folder import MatchFolder
from tengen.game.rule import Colour

OPENINGS = [("h8", "i9"), ("h8",), ()]


def begin(path: Path, definition: Definition | None = None) -> MatchFolder:
    return MatchFolder.create(path, definition or small(), OPENINGS)


def test_a_folder_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run"
    definition = small(RANDOM, RANDOM, kind="gauntlet", rule="renju", sprt=None)
    folder = begin(path, definition)
    games = games_of(definition, lambda fixture: 0.5 * (fixture.number % 3))[::-1]
    with folder.open_event_log() as event_log:
        assert event_log.torn_bytes == 0
        for game in games:
            folder.add(game)
    with pytest.raises(ValueError, match="event log"):
        folder.add(games[0])
    again = MatchFolder.read(path)
    assert (again.definition, again.openings) == (definition, OPENINGS)
    assert again.games == folder.games == games
    assert json.loads((path / "arena.json").read_text())["format"] == 1


def test_one_run_for_each_folder(tmp_path: Path) -> None:
    begin(tmp_path)
    with pytest.raises(BadRun, match="already has a run"):
        begin(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "games.jsonl").touch()  # of a run whose head was lost
    with pytest.raises(BadRun, match="already has a run"):
        begin(other)


def test_a_torn_line_is_ignored(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    first, second = (game_of(fixture) for fixture in list(schedule(folder.definition))[:2])
    line = second.to_json()
    text = f"{first.to_json()}\n{line[: len(line) // 2]}"
    (tmp_path / "games.jsonl").write_text(text)
    again = MatchFolder.read(tmp_path)
    assert again.games == [first]
    with again.open_event_log() as event_log:
        assert event_log.torn_bytes == len(line) // 2
        again.add(second)
    assert MatchFolder.read(tmp_path).games == [first, second]


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (None, "has no run: there is no arena.json"),
        (b"", "arena.json: Expecting value: line 1"),
        (b'{\n"format": 1,\n}', "line 3"),
        (b"\xff\xff", "arena.json"),
        (b"[]", "not a run of format 1"),
        (b"[" * 100_000, "arena.json"),
        ({"format": 2}, "not a run of format 1"),
        ({"format": None}, "not a run of format 1"),
        ({"definition": {"size": 3}}, "arena.json: "),
        ({"definition": {"players": [{}, {}]}}, "arena.json: "),
        ({"definition": {"colour": 3}}, "colour: unknown"),
        ({"definition": 5}, "arena.json: "),
        ({"definition": "abc"}, "arena.json: "),
        ({"definition": None}, "arena.json: "),
        ({"openings": 5}, "arena.json: .*openings"),
        ({"openings": []}, "arena.json: .*openings"),
        ({"openings": "h8 i9"}, "arena.json: .*openings"),
        ({"openings": [None]}, "arena.json: .*openings"),
        ({"openings": {"h8": 1}}, "arena.json: .*openings"),
    ],
)
def test_invalid_heads(tmp_path: Path, head: Any, message: str) -> None:
    begin(tmp_path)
    path = tmp_path / "arena.json"
    if head is None:
        path.unlink()
    elif isinstance(head, bytes):
        path.write_bytes(head)
    else:
        path.write_text(json.dumps(json.loads(path.read_text()) | head))
    with pytest.raises(BadRun, match=message):
        MatchFolder.read(tmp_path)


@pytest.mark.parametrize("key", ["definition", "openings"])
def test_incomplete_heads(tmp_path: Path, key: str) -> None:
    begin(tmp_path)
    path = tmp_path / "arena.json"
    head = json.loads(path.read_text())
    del head[key]
    path.write_text(json.dumps(head))
    with pytest.raises(BadRun, match=rf"arena.json: no '{key}'"):
        MatchFolder.read(tmp_path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (b"{", "not a game"),
        (b"", "not a game"),
        ({"reason": "sleep"}, "the reason 'sleep' is unknown"),
        ({"game": 0, "pair": 0, "white": 1}, "game 0 occurs twice"),
        ({"game": 12, "pair": 6}, "game 12 is not in the schedule"),
        ({"game": -1, "pair": -1}, "not in the schedule"),
        ({"pair": 2}, "not in the schedule"),
        ({"black": 3}, "not in the schedule"),
        ({"white": -1}, "not in the schedule"),
        ({"black": 0, "white": 0}, "not in the schedule"),
        ({"black": 1, "white": 2}, "not in the schedule"),
    ],
)
def test_invalid_games(tmp_path: Path, values: Any, message: str) -> None:
    """The error names file and line; no game is skipped or counted twice."""
    definition = small(RANDOM, RANDOM, RANDOM, kind="round-robin")
    begin(tmp_path, definition)
    games = games_of(definition, lambda fixture: 0.5)[:3]
    lines = [game.to_json().encode() for game in games]
    third = values if isinstance(values, bytes) else json.dumps(json.loads(lines[2]) | values)
    lines[2] = third if isinstance(third, bytes) else third.encode()
    (tmp_path / "games.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(BadRun, match=message) as caught:
        MatchFolder.read(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'games.jsonl'}, line 3: ")


def test_colours_may_be_swapped_by_the_players(tmp_path: Path) -> None:
    definition = small(openings="swap2")
    folder = begin(tmp_path, definition)
    fixture = next(schedule(definition))
    with folder.open_event_log():
        folder.add(game_of(fixture._replace(black=1, white=0, opening=-1), Colour.BLACK))
    assert MatchFolder.read(tmp_path).games == folder.games
