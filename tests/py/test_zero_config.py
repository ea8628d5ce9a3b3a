# SPDX-License-Identifier: MIT
"""Configs of zero runs: what they may say, what is refused with which words, those that come with
the package, and how the window grows.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tengen.util.config import config_folder
from tengen.zero.config import ReplayConfig, ZeroConfig, config_keys, read_config
from tengen.zero.errors import BadZero

SHIPPED = sorted((config_folder() / "zero").glob("*.toml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_configs(path: Path) -> None:
    made = read_config(path)
    assert path.stem == f"{made.rule}{made.size}"
    assert ZeroConfig.from_dict(made.to_dict()) == made
    assert not made.start.sets
    assert not made.start.net


def test_there_is_one_for_each_rule() -> None:
    names = {path.stem for path in SHIPPED}
    assert names >= {"freestyle15", "standard15", "renju15", "caro15", "freestyle20"}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"rul": "renju"}, "no key 'rul': did you mean 'rule'"),
        ({"gate": {"game": 3}}, r"no key 'gate\.game': did you mean 'games'"),
        ({"rule": "go"}, "go"),
        ({"size": 40}, "size is 40: use 5 to 22"),
        ({"net": "resnet-1b"}, "no net .*: did you mean"),
        ({"minutes": 0}, "minutes is 0"),
        ({"minutes": "long"}, "minutes is a number"),
        ({"learn": {"batch": 0}}, r"learn\.batch is 0"),
        ({"learn": {"losses": {"values": 1.0}}}, "no loss 'values'"),
        ({"learn": {"losses": {"value": 0.0, "policy": 0.0}}}, "nothing to minimise"),
        (
            {"learn": {"losses": {"bound_penalty": 1.0}}},
            "learn.losses.bound_penalty is of a Mixnet",
        ),
        ({"learn": {"optimiser": {"name": "sgd"}}}, "no 'sgd'"),
        ({"replay": {"start": 100, "most": 10}}, r"replay\.most is 10"),
        ({"gate": {"score": 1.5}}, r"gate\.score is 1\.5"),
        ({"start": {"net": "a", "sets": [{"path": "b"}]}}, "both given"),
        ({"start": {"sets": [{}]}}, "has no path"),
        ({"rule": "renju", "selfplay": {"rule": "standard"}}, r"leave selfplay\.rule out"),
        ({"selfplay": {"size": 9}}, r"selfplay\.size is 9, but size is 15"),
        ({"selfplay": 3}, "selfplay is a table"),
    ],
)
def test_wrong_configs(table: dict[str, Any], words: str) -> None:
    with pytest.raises(BadZero, match=words):
        ZeroConfig.from_dict(table)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('rule = "renju"\n[selfplay]\nplayouts = 40\n', "utf-8")
    made = read_config(path, ["learn.batch=512", "colours=true", "selfplay.games=64"])
    assert (made.learn.batch, made.players) == (512, ("black", "white"))
    assert made.settings == {"playouts": 40, "games": 64, "rule": "renju", "size": 15}
    path.write_text("rule = ", "utf-8")
    for wrong, words in ((path, "mine.toml: "), (tmp_path / "no", "there is no config")):
        with pytest.raises(BadZero, match=words):
            read_config(wrong)
    with pytest.raises(BadZero, match="use key=value"):
        read_config(SHIPPED[0], ["learn.batch"])


def test_what_may_change_on_the_way() -> None:
    made = ZeroConfig()
    free = dataclasses.replace(made, gate=dataclasses.replace(made.gate, games=8))
    assert made.differences(free) == []
    other = dataclasses.replace(made, learn=dataclasses.replace(made.learn, ratio=1.0), size=9)
    assert made.differences(other) == ["learn.ratio", "size"]


def test_every_key_has_a_meaning() -> None:
    keys = config_keys()
    assert len(keys) > 30
    assert all(len(meaning) > 5 for _, meaning, _ in keys)


def test_the_window() -> None:
    """All at first, then a share that falls; never more than there may be, never smaller."""
    replay = ReplayConfig(start=1000, growth=0.4, power=0.75, most=50_000)
    assert [replay.window(n) for n in (0, 10, 1000)] == [0, 10, 1000]
    sizes = [replay.window(n) for n in range(1000, 2_000_000, 997)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 50_000
    # By hand: 1000 * (1 + 0.4 * ((16 ^ 0.75) - 1) / 0.75) with 16 ^ 0.75 = 8.
    assert replay.window(16_000) == 4733
    plain = ReplayConfig(start=1000, growth=1.0, power=1.0, most=50_000)
    assert plain.window(30_000) == 30_000


def test_an_inner_table_keeps_the_defaults_of_its_table() -> None:
    """The learner's optimiser is not that of training, even if a config changes one key of it."""
    usual = ZeroConfig.from_dict({}).learn.optimiser
    changed = ZeroConfig.from_dict({"learn": {"optimiser": {"rate": 0.5}}}).learn.optimiser
    assert changed == dataclasses.replace(usual, rate=0.5)
    told = {name: default for name, _, default in config_keys()}
    assert told["learn.optimiser.name"] == usual.name
    assert told["learn.optimiser.rate"] == usual.rate
