# SPDX-License-Identifier: MIT
"""Value types of the engine: limits, scores, infos, options."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen import (
    BadLimit,
    BadOption,
    Colour,
    Info,
    Limit,
    Move,
    PlayResult,
    PovScore,
    Score,
    _core,
)
from tengen.engine.onnx_net import load_external
from tengen.engine.options import (
    DEFAULT_PRESET,
    OPTIONS,
    PRESETS,
    check_options,
    defaults,
    option,
    option_texts,
)


def test_a_limit_and_what_the_core_gets() -> None:
    nothing = Limit()
    assert nothing.is_endless
    assert set(nothing.core.values()) == {0}
    limit = Limit(time=1, nodes=np.int64(5000), depth=3, clock=60, increment=0.5)  # type: ignore[arg-type]
    assert not limit.is_endless
    assert limit.core == {
        "seconds": 1.0,
        "nodes": 5000,
        "depth": 3,
        "clock": 60.0,
        "increment": 0.5,
    }
    assert Limit(time=float("inf")) == nothing
    assert Limit(nodes=10**30).core["nodes"] == 2**63 - 1
    assert Limit(clock=0).core["clock"] > 0, "a clock that has run out is still a clock"
    assert {limit: 1}[copy.deepcopy(limit)] == 1
    assert pickle.loads(pickle.dumps(limit)) == limit


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"time": 0}, "no time limit of 0"),
        ({"time": -1}, "no time limit of -1"),
        ({"time": float("nan")}, "no time limit of nan"),
        ({"time": "1"}, "no time limit of '1'"),
        ({"time": True}, "no time limit of True"),
        ({"nodes": 0}, "no number of nodes of 0: use 1 or more"),
        ({"nodes": 1.5}, "no number of nodes of 1.5"),
        ({"depth": -3}, "no depth of -3: use 1 or more"),
        ({"depth": "3"}, "no depth of '3'"),
        ({"clock": -0.1}, "no clock of -0.1: use seconds, 0 or more"),
        ({"clock": float("inf")}, "no clock of inf"),
        ({"clock": []}, "no clock of"),
        ({"clock": 1, "increment": -1}, "no increment of -1"),
        ({"increment": 1}, "an increment without a clock"),
    ],
)
def test_invalid_limits(values: dict[str, Any], message: str) -> None:
    with pytest.raises(BadLimit) as caught:
        Limit(**values)
    assert message in str(caught.value)


def test_scores_are_ordered_from_the_quickest_loss_to_the_quickest_win() -> None:
    rising = [
        Score(-30_000, mate=-2, proven=True),
        Score(-30_000, mate=-4),
        Score(-8000),
        Score(-1),
        Score(0),
        Score(7),
        Score(30_000, mate=9),
        Score(30_000, mate=1, proven=True),
    ]
    assert sorted(rising[4:] + rising[:4]) == rising
    assert sorted(-score for score in rising) == [-score for score in rising[::-1]]
    assert rising[0] < rising[1] <= rising[2]
    assert Score(5) == Score(5) != Score(5, proven=True)
    with pytest.raises(TypeError):
        _ = Score(5) < 6


def test_score_texts() -> None:
    given = [Score(123), Score(0), Score(-5), Score(9, mate=9), Score(-9, mate=-4)]
    assert list(map(str, given)) == ["+123", "+0", "-5", "+M9", "-M4"]
    with pytest.raises(ValueError, match="use None"):
        Score(1, mate=0)


def test_win_rates() -> None:
    assert Score(0).win_rate == 0.5
    assert Score(200).win_rate == pytest.approx(0.731, abs=0.001), "200 points are a logit"
    assert Score(0, mate=3).win_rate == 1.0
    assert Score(0, mate=-3).win_rate == 0.0
    assert Score(-(10**9)).win_rate < 1e-9 < 1 - 1e-9 < Score(10**9).win_rate


@given(st.integers(-30_000, 30_000), st.none() | st.integers(1, 400) | st.integers(-400, -1))
def test_both_sides_see_the_same(value: int, mate: int | None) -> None:
    score = Score(value, mate)
    other = -score
    assert -other == score
    assert score.win_rate + other.win_rate == pytest.approx(1.0)
    assert (score < Score(0)) == (other > Score(0))


def test_the_point_of_view() -> None:
    score = PovScore(Score(35), Colour.WHITE)
    assert (score.white(), score.black()) == (Score(35), Score(-35))
    assert score.pov("black") == score.pov(Colour.BLACK) == Score(-35)
    assert str(score) == "+35 for white"
    assert not score.is_mate()
    assert PovScore(Score(1, mate=1), Colour.BLACK).is_mate()


def test_infos_are_values() -> None:
    info = Info(PovScore(Score(1), Colour.BLACK), (Move("h8"),), depth=3)
    played = PlayResult(Move("h8"), info=info)
    assert pickle.loads(pickle.dumps(played)) == played
    assert played.ponder is None
    with pytest.raises(AttributeError):
        info.depth = 4  # type: ignore[misc]


def test_the_table_of_options_is_sound() -> None:
    for name, entry in OPTIONS.items():
        assert entry.name == name
        assert entry.check(entry.default) == entry.default
        assert entry.help
        assert entry.parse(str(entry.default)) == entry.default
    core = _core.Player(option_texts(defaults()), "", load_external)
    for name, entry in OPTIONS.items():
        for value in (entry.low, entry.high) if entry.kind == "spin" else entry.choices:
            core.configure(option_texts({name: value}))
    assert defaults()["preset"] == DEFAULT_PRESET
    assert DEFAULT_PRESET in PRESETS
    assert option_texts({"history": False, "c": 0.1}) == {"history": "false", "c": "0.1"}


def test_options_by_name_and_text() -> None:
    assert option("Late-Move-Reductions").name == "late_move_reductions"
    assert check_options({"null-move": False, "threads": np.int32(2)}) == {
        "null_move": False,
        "threads": 2,
    }
    with pytest.warns(DeprecationWarning, match="utility_stdev_scale"):
        assert option("spread").name == "utility_stdev_scale"
    assert option("ponder").parse("on") is True
    assert option("ponder").parse("0") is False
    assert option("threads").parse(" 3 ") == 3
    assert option("preset").parse("Policy") == "policy"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("thread", 1, "no option 'thread': did you mean threads?"),
        ("xyzzy", 1, "no option 'xyzzy': options are preset, net, net_memory, threads"),
        ("threads", 0, "no threads of 0: use a whole number from 1 to 256"),
        ("threads", 257, "no threads of 257"),
        ("threads", "2", "no threads of '2'"),
        ("threads", True, "no threads of True"),
        ("memory", 1.5, "no memory of 1.5: use a whole number from 4 to 1048576"),
        ("ponder", 1, "no ponder of 1: use True or False"),
        ("preset", "deep", "no preset of 'deep': use alphabeta, classical, classical-paper"),
        ("preset", None, "no preset of None"),
    ],
)
def test_bad_options(name: str, value: object, message: str) -> None:
    with pytest.raises(BadOption) as caught:
        check_options({name: value})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"), [("threads", "x"), ("threads", "0"), ("ponder", "yes"), ("preset", "")]
)
def test_bad_texts(name: str, text: str) -> None:
    with pytest.raises(BadOption, match=f"no {name} of "):
        option(name).parse(text)
