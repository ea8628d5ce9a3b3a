# SPDX-License-Identifier: MIT
"""Limits, clocks and players of the arena. Invalid ones raise BadArena with a message, and no other
error.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from invalid_values import GARBAGE, HUGE
from tengen.arena.control import GameClock, TimeControl
from tengen.arena.errors import BadArena
from tengen.arena.player import Player
from tengen.engine import Limit

# --- limits ---


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"time": 0.1}, "100 ms per move"),
        ({"time": 2}, "2 s per move"),
        ({"clock": 60, "increment": 0.5}, "60 s + 500 ms per game"),
        ({"clock": 60.0}, "60 s per game"),
        ({"nodes": 10_000}, "10,000 nodes"),
        ({"time": 1, "depth": 8}, "1 s per move, depth 8"),
    ],
)
def test_limits(values: dict[str, Any], message: str) -> None:
    control = TimeControl(**values)
    assert str(control) == message
    assert control.to_dict() == values
    assert TimeControl(**control.to_dict()) == control
    assert control.is_timed == ("time" in values or "clock" in values)
    assert GameClock(control, 0).limit() == Limit(**values)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"increment": 1.0},
        {"time": 0},
        {"time": -1},
        {"time": True},
        {"time": "1"},
        {"time": float("nan")},
        {"time": float("inf")},
        {"time": HUGE},
        {"time": [1]},
        {"clock": 0},
        {"clock": -5},
        {"clock": float("inf")},
        {"clock": HUGE},
        {"clock": 5, "increment": -1},
        {"clock": 5, "increment": "1"},
        {"time": 1, "increment": 1},
        {"nodes": 0},
        {"nodes": 1.5},
        {"nodes": True},
        {"depth": -3},
        {"depth": "8"},
    ],
)
def test_invalid_limits(values: dict[str, Any]) -> None:
    with pytest.raises(BadArena):
        TimeControl(**values)


def test_a_limit_of_a_move() -> None:
    clock = GameClock(TimeControl(time=1.0), 0.25)
    for _ in range(5):  # what is tolerated does not add up
        assert clock.spend(1.25) == ""
        assert clock.limit() == Limit(time=1.0)
    assert clock.spend(1.5) == "1.5 s for a move of 1 s"


def test_a_clock() -> None:
    clock = GameClock(TimeControl(clock=2.0, depth=9), 0.25)
    assert clock.spend(1.5) == ""
    assert clock.limit() == Limit(clock=0.5, depth=9)
    assert clock.spend(0.5 + 0.25) == ""
    assert clock.limit() == Limit(clock=0.0, depth=9)
    assert clock.spend(0.25) == ""
    assert clock.spend(0.5) == "the clock of 2 s ran out"


def test_a_clock_with_an_increment() -> None:
    clock = GameClock(TimeControl(clock=1.0, increment=0.5), 0.125)
    assert clock.spend(0.25) == ""
    assert clock.left == 1.25
    assert clock.spend(1.3125) == ""  # nothing is left; then the increment comes
    assert clock.limit() == Limit(clock=0.5, increment=0.5)
    assert "ran out" in clock.spend(0.75)


def test_no_limit_of_time() -> None:
    clock = GameClock(TimeControl(nodes=5), 0.0)
    assert clock.spend(1e6) == ""
    assert clock.limit() == Limit(nodes=5)


# --- players ---


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("random", {"name": "random", "preset": "random", "options": {"memory": 64}}),
        (
            " Classical , threads=2, time = 0.5,name=Big one,ponder=on",
            {
                "name": "Big one",
                "preset": "classical",
                "options": {"memory": 64, "threads": 2, "ponder": True},
                "limit": {"time": 0.5},
            },
        ),
        (
            "policy,memory=8,clock=60,increment=1",
            {
                "name": "policy,memory=8,clock=60,increment=1",
                "preset": "policy",
                "options": {"memory": 8},
                "limit": {"clock": 60.0, "increment": 1.0},
            },
        ),
        ("/opt/rex -x 1", {"name": "rex", "command": "/opt/rex -x 1"}),
        ("cmd:random", {"name": "random", "command": "random"}),
        (
            "cmd[threads=2, folder=/tmp/x,nodes=100,name=Rex,shift=-3]: wine C:\\a\\rex.exe a,b=c",
            {
                "name": "Rex",
                "command": "wine C:\\a\\rex.exe a,b=c",
                "options": {"threads": 2, "folder": "/tmp/x", "shift": -3},
                "limit": {"nodes": 100},
            },
        ),
    ],
)
def test_players(text: str, data: dict[str, Any]) -> None:
    player = Player.parse(text)
    assert player.to_dict() == data
    again = Player.from_dict(json.loads(json.dumps(data)))
    assert again == player
    assert again.key == player.key
    assert player.is_builtin == ("preset" in data)
    assert player.threads == data.get("options", {}).get("threads", 1)
    assert player.named("Other").name == "Other"
    assert player.named("Other").options == player.options


def test_options_without_a_preset() -> None:
    player = Player.parse("time=0.5,memory=8")
    assert (player.preset, player.limit) == ("alphabeta", TimeControl(time=0.5))
    with pytest.warns(DeprecationWarning, match="utility_stdev_scale"):  # an option of 0.1.0
        assert Player.parse("spread=0.5,search=mcts").options["utility_stdev_scale"] == 0.5


def test_all_that_a_player_may_have() -> None:
    data = {
        "name": "Rex",
        "command": "rex",
        "options": {"level": "high"},
        "env": {"A": "b"},
        "folder": "/tmp",
        "restart": True,
        "limit": {"depth": 3},
    }
    assert Player.from_dict(data).to_dict() == data
    assert Player.from_dict({"command": "/opt/my rex"}).name == "/opt/my"
    assert Player.from_dict({"preset": "random"}).name == "random"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "presets are alphabeta, classical"),
        ("random,seed", "'seed' is not like option=value"),
        ("random,time=fast", "time is not a number"),
        ("random,nodes=1.5", "nodes is not a number"),
        ("random,time=-1", "no time limit of -1"),
        ("random,increment=1", "without a clock"),
        ("random,sed=3", "did you mean seed"),
        ("random,threads=0", "from 1 to 256"),
        ("random,threads=many", "from 1 to 256"),
        ("cmd[name]:x", "'name' is not like option=value"),
        ("cmd[depth=x]:x", "depth is not a number"),
        ("serch=mcts,nodes=100", "did you mean search"),
        ("speed=0.5", "no option 'speed'"),
    ],
)
def test_no_players(text: str, message: str) -> None:
    with pytest.raises(BadArena, match=message):
        Player.parse(text)


@pytest.mark.parametrize("text", ["cmd[x=--5]:prog", "cmd[x=\u00b2]:prog"])
def test_options_that_look_like_numbers(text: str) -> None:
    """They are texts."""
    assert isinstance(Player.parse(text).options["x"], str)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "preset or a command"),
        ({"name": "x"}, "preset or a command"),
        ({"preset": "random", "command": "x"}, "preset or a command"),
        ({"preset": "randon"}, "player 'randon': no preset"),
        ({"preset": "random", "sort": 1, "colour": 2}, "sort: unknown key"),
        ({"preset": "random", "options": {"threads": True}}, "no threads of True"),
        ({"preset": "random", "options": {"x": 1}}, "no option 'x'"),
        ({"preset": "random", "options": 5}, "options: "),
        ({"preset": "random", "env": {"A": "b"}}, "are for programs"),
        ({"preset": "random", "restart": True}, "are for programs"),
        ({"preset": "random", "limit": {"time": HUGE}}, "."),
        ({"preset": "random", "limit": {"speed": 1}}, "speed"),
        ({"preset": "random", "limit": 5}, "limit: "),
        ({"preset": "random", "limit": {}}, "no limit"),
        ({"preset": "random", "name": 5}, "."),
        ({"preset": "random", "name": "two\nlines"}, "plain letters"),
        ({"preset": "random", "name": " "}, "1 to 60"),
        ({"preset": "random", "name": "x" * 61}, "1 to 60"),
        ({"command": "x", "tunables": {"a": 1}}, "no tunables"),
    ],
)
def test_no_players_of_files(data: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArena, match=message):
        Player.from_dict(data)


@pytest.mark.parametrize(
    "values",
    [
        {"command": 5},
        {"command": ["x", "y"]},
        {"command": "x", "options": "abc"},
        {"command": "x", "options": {"threads": "many"}},
        {"command": "x", "env": {"A": 1}},
        {"command": "x", "env": 5},
        {"command": "x", "folder": 5},
        {"command": "x", "restart": "no"},
        {"preset": "random", "tunables": 5},
        {"preset": "random", "tunables": {"a": "b"}},
    ],
)
def test_types_of_a_player(values: dict[str, Any]) -> None:
    """Reported on reading, not by a worker during a match."""
    with pytest.raises(BadArena):
        Player.from_dict(values)


_PLAYER = ["name", "preset", "command", "options", "env", "folder", "restart", "tunables", "limit"]


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(_PLAYER), GARBAGE, max_size=3))
def test_arbitrary_player_texts(values: dict[str, Any]) -> None:
    try:
        result = Player.from_dict({"preset": "random"} | values)
    except BadArena:
        return
    assert Player.from_dict(result.to_dict()) == result


@settings(max_examples=300)
@given(
    st.text(max_size=30)
    | st.builds(
        "{}{}={}".format,
        st.sampled_from(["random,", "cmd[", "cmd[a=1,", "policy,time=1,"]),
        st.sampled_from(["seed", "time", "nodes", "clock", "name", "x"]),
        st.text(max_size=6).map(lambda text: f"{text}]:prog"),
    )
)
def test_arbitrary_command_lines(text: str) -> None:
    with suppress(BadArena):
        assert Player.parse(text).name
