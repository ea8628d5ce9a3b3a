# SPDX-License-Identifier: MIT
"""Configs of zero learning: keys, errors, bundled configs, growth of the replay window."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import pytest

from tengen.util.config import config_folder
from tengen.util.errors import BadConfig
from tengen.zero.config import RESUMABLE_KEYS, ReplayConfig, ZeroConfig
from tengen.zero.errors import BadZero
from tengen.zero.play.selfplay import (
    DEFAULT_FACTORY,
    SelfPlaySettings,
    check_game_generator_factory,
)

BUNDLED = sorted((config_folder() / "zero").glob("*.toml"))


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_bundled_configs(path: Path) -> None:
    made = ZeroConfig.read(path)
    assert path.stem == f"{made.rule}{made.size}"
    assert ZeroConfig.from_dict(made.to_dict()) == made
    assert not made.start.sets
    assert not made.start.net


def test_there_is_one_for_each_rule() -> None:
    names = {path.stem for path in BUNDLED}
    assert names >= {"freestyle15", "standard15", "renju15", "caro15", "freestyle20"}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"rul": "renju"}, "rul: .*did you mean 'rule'"),
        ({"gate": {"game": 3}}, r"gate\.game: .*did you mean 'games'"),
        ({"rule": "go"}, "go"),
        ({"size": 40}, "size: .*5 to 22"),
        ({"net": "resnet-1b"}, "resnet-1b.*did you mean"),
        ({"net": "resnet-1b8f-alphazero", "size": 9}, "net.size: .*for boards of size 15, not 9"),
        ({"net": "resnet-1b8f-planes21"}, "net.planes: .*takes 21 planes"),
        ({"minutes": 0}, "minutes: "),
        ({"minutes": "long"}, "minutes: .*number"),
        ({"learn": {"batch": 0}}, r"learn\.batch: "),
        ({"learn": {"losses": {"values": 1.0}}}, "learn.losses: .*'values'"),
        ({"learn": {"losses": {"value": 0.0, "policy": 0.0}}}, "learn.losses: "),
        ({"learn": {"losses": {"bound_penalty": 1.0}}}, "learn.losses.bound_penalty: "),
        ({"learn": {"optimiser": {"name": "sdg"}}}, "optimiser.*'sdg'"),
        ({"learn": {"sets": [{"weight": 1.0}]}}, "path"),
        ({"learn": {"human_share": 1.0}}, r"learn\.human_share: 1 is out of range"),
        (
            {"learn": {"sets": [{"path": "a"}], "batch": 8, "human_share": 0.01}},
            r"learn\.human_share: .*batches of 8",
        ),
        ({"replay": {"start": 100, "max_window": 10}}, r"replay\.max_window: 10"),
        ({"gate": {"score": 1.5}}, r"gate\.score: 1\.5"),
        ({"gate": {"playouts": -1}}, r"gate\.playouts: -1"),
        ({"start": {"net": "a", "sets": [{"path": "b"}]}}, "start: .*both"),
        ({"start": {"sets": [{}]}}, "path"),
        ({"rule": "renju", "selfplay": {"rule": "standard"}}, r"selfplay\.rule: "),
        ({"selfplay": {"size": 9}}, r"selfplay\.size: 9"),
        ({"selfplay": 3}, "selfplay: .*table"),
        ([], "table"),
        ({"release": {"games": 3}}, r"release\.games: 3"),
        ({"release": {"train": {"net": "mixnet-s"}}}, r"release\.train\.net: .*release\.size"),
    ],
)
def test_wrong_configs(table: dict[str, Any], message: str) -> None:
    with pytest.raises(BadZero, match=message):
        ZeroConfig.from_dict(table)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('rule = "renju"\n[selfplay]\nplayouts = 40\n', "utf-8")
    made = ZeroConfig.read(path, ["learn.batch=512", "colours=true", "selfplay.games=64"])
    assert (made.learn.batch, made.net_names) == (512, ("black", "white"))
    assert made.selfplay_settings == {"playouts": 40, "games": 64, "rule": "renju", "size": 15}
    path.write_text("rule = ", "utf-8")
    for wrong, message in ((path, "mine.toml: "), (tmp_path / "no", "there is no config")):
        with pytest.raises(BadZero, match=message):
            ZeroConfig.read(wrong)
    with pytest.raises(BadZero, match="use key=value"):
        ZeroConfig.read(BUNDLED[0], ["learn.batch"])


def test_what_may_change_during_a_run() -> None:
    made = ZeroConfig()
    free = dataclasses.replace(made, gate=dataclasses.replace(made.gate, games=8))
    assert made.differences(free, RESUMABLE_KEYS) == []
    other = dataclasses.replace(made, learn=dataclasses.replace(made.learn, ratio=1.0), size=9)
    assert made.differences(other, RESUMABLE_KEYS) == ["learn.ratio", "size"]


def test_every_key_has_help() -> None:
    keys = ZeroConfig.settings()
    assert len(keys) > 30
    assert all(len(key.help) > 5 for key in keys if not key.name.startswith("learn.optimiser"))


def test_keys_of_version_0_1_0() -> None:
    """Old names are read, the removed ones ignored; new names are written."""
    old: dict[str, Any] = {
        "replay": {"start": 10, "most": 50},
        "play": {"patience": 60.0},
        "gate": {"games": 4, "playouts": 0, "candidates": 8},
        "ship": {"size": "s"},
        "net": "mixnet-s",
        "learn": {"losses": {"value": 1.0, "strain": 0.5}},
    }
    made = ZeroConfig.from_dict(old)
    assert made.replay.max_window == 50
    assert made.play.timeout == 60.0
    assert made.gate.games == 4
    assert made.gate.playouts == ZeroConfig().gate.playouts
    assert made.release.size == "s"
    assert made.learn.losses == {"value": 1.0, "bound_penalty": 0.5}
    changes = ["replay.max_window=60", "release.samples=7", "play.patience=9"]
    changed = ZeroConfig.from_dict(ZeroConfig.with_changes(old, changes))
    assert (changed.replay.max_window, changed.play.timeout) == (60, 9.0), "a change counts"
    assert (changed.release.size, changed.release.samples) == ("s", 7)
    assert made.changed(["ship.samples=7"]).release == dataclasses.replace(made.release, samples=7)
    table = made.to_dict()
    assert "ship" not in table
    assert "most" not in table["replay"]
    assert old["gate"]["candidates"] == 8, "the caller's table is unchanged"


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_settings_of_self_play_are_finite(value: float) -> None:
    floats = [key.name for key in SelfPlaySettings.settings() if isinstance(key.default, float)]
    assert len(floats) > 10
    for name in floats:
        with pytest.raises(BadConfig, match=name):
            SelfPlaySettings.from_dict({name: value})
        with pytest.raises(BadZero, match=f"selfplay.{name}"):
            check_game_generator_factory(DEFAULT_FACTORY, {name: value})


def test_the_window() -> None:
    """All at first, then a share that falls; never more than there may be, never smaller."""
    replay = ReplayConfig(start=1000, growth=0.4, power=0.75, max_window=50_000)
    assert [replay.window(n) for n in (0, 10, 1000)] == [0, 10, 1000]
    sizes = [replay.window(n) for n in range(1000, 2_000_000, 997)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 50_000
    # By hand: 1000 * (1 + 0.4 * ((16 ^ 0.75) - 1) / 0.75) with 16 ^ 0.75 = 8.
    assert replay.window(16_000) == 4733
    plain = ReplayConfig(start=1000, growth=1.0, power=1.0, max_window=50_000)
    assert plain.window(30_000) == 30_000


def test_an_inner_table_keeps_the_defaults_of_its_table() -> None:
    """The learner's optimiser is not that of training, even if a config changes one key of it."""
    usual = ZeroConfig.from_dict({}).learn.optimiser
    changed = ZeroConfig.from_dict({"learn": {"optimiser": {"rate": 0.5}}}).learn.optimiser
    assert changed == dataclasses.replace(usual, rate=0.5)
