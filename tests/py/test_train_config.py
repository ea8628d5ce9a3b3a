# SPDX-License-Identifier: MIT
"""Training configs: reading, errors, documentation."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tengen.train.config import (
    LOSS_NAMES,
    RESUMABLE_KEYS,
    ScheduleConfig,
    TrainConfig,
    read_config,
)
from tengen.train.errors import BadTraining
from tengen.train.losses import LOSSES

ROOT = Path(__file__).parents[2]


def test_defaults_are_filled_in_and_survive_a_round_trip() -> None:
    made = TrainConfig.from_dict({"steps": 10, "losses": {"value": 1}, "data": {"path": "x"}})
    assert made.optimiser.rate == 1e-3
    assert made.losses == {"value": 1.0}
    assert TrainConfig.from_dict(made.to_dict()) == made
    assert made.to_dict()["schedule"]["milestones"] == [0.6, 0.85]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"steps": 1, "bacth": 4}, "bacth: unknown key: did you mean 'batch'?"),
        ({"steps": 1, "optimiser": {"rte": 1}}, "optimiser.rte: unknown key: did you mean 'rate'?"),
        ({"steps": 1, "optimiser": {"rate": "fast"}}, "optimiser.rate: use a number, not 'fast'"),
        ({"steps": 1, "optimiser": {"rate": -1.0}}, "optimiser.rate: -1 is out of range"),
        ({"steps": 1, "optimiser": {"name": "sdg"}}, "did you mean 'sgd'?"),
        ({"steps": 1, "optimiser": {"nesterov": True}}, "optimiser.nesterov: needs sgd"),
        (
            {"steps": 1, "optimiser": {"name": "sgd", "nesterov": True, "momentum": 0}},
            "optimiser.nesterov: needs sgd with a momentum above 0",
        ),
        ({"steps": 1, "optimiser": 3}, "optimiser: use a table, not 3"),
        ({"steps": 1, "batch": True}, "batch: use an integer, not True"),
        ({"steps": 1, "batch": 2**63}, "batch: the number has more than 64 bits"),
        (
            {"steps": 1, "optimiser": {"rate": -(10**400)}},
            "optimiser.rate: the number has more than",
        ),
        ({"steps": 1, "batch": 0}, "batch: 0 is out of range, use 1 to"),
        ({"steps": 1, "net": "mixnet-x"}, "no net 'mixnet-x': did you mean 'mixnet-"),
        ({"steps": 1, "net": "mixnet-s-no-head"}, "has no option head"),
        ({"steps": 1, "net": {"kind": "resnet", "filters": 0}}, "net.filters: 0"),
        (
            {"steps": 1, "net": "mobilenet-1b8f-planes21"},
            "net.planes: mobilenet-1b8f-planes21 takes",
        ),
        ({"steps": 1, "net": 7}, "net: use a name or a table, not 7"),
        ({"steps": 1, "net": {"blocks": 4}}, "net.kind: no None"),
        ({"steps": 1, "losses": {"polcy": 1}}, "losses: no 'polcy': did you mean 'policy'?"),
        ({"steps": 1, "losses": {"policy": 0}}, "nothing to minimise"),
        ({}, "one of steps, samples and epochs"),
        ({"steps": 1, "samples": 1}, "one of steps, samples and epochs"),
        ({"samples": 1, "epochs": 1}, "one of steps, samples and epochs"),
        ({"epochs": -0.5}, "epochs: -0.5 is out of range"),
        ({"steps": 1, "data": {"split": "row"}}, "data.split: no 'row': known: game, position"),
        ({"steps": 1, "data": {"validation_share": 1}}, "data.validation_share: 1 is out of range"),
        ({"steps": 1, "data": {"path": "a", "sets": [{"path": "b"}]}}, "use one of them"),
        ({"steps": 1, "data": {"sets": [{"weight": 1.0}]}}, "has no path"),
        ({"steps": 1, "data": {"sets": "a"}}, "data.sets: use a list, not 'a'"),
        ({"steps": 1, "data": {"feed": "steam"}}, "did you mean 'stream'?"),
        ({"steps": 1, "distillation": {"teacher": "mixnet-s"}}, "distillation.checkpoint"),
        (
            {"steps": 1, "distillation": {"share": 2}},
            "distillation.share: 2 is out of range",
        ),
        ({"steps": 1, "quantise": 1.5}, "quantise: 1.5 is out of range, use 0 to 1"),
        (
            {"steps": 1, "net": "resnet-4b64f", "quantise": 0.1},
            "quantise: resnet-4b64f is not a Mixnet",
        ),
        (
            {"steps": 1, "net": "resnet-4b64f", "reinit_dead_units": 5},
            "reinit_dead_units: resnet-4b64f is not a Mixnet",
        ),
        (
            {"steps": 1, "net": "resnet-4b64f", "losses": {"bound_penalty": 1.0}},
            "losses.bound_penalty: resnet-4b64f is not a Mixnet",
        ),
        ({"steps": 1, "reinit_dead_units": -1}, "reinit_dead_units: -1 is out of range"),
        ({"steps": 1, "precision": "fp8"}, "precision: no 'fp8'"),
        ({"steps": 1, "data": {"colour": "red"}}, "data.colour: no 'red': known: black, white"),
        ({"steps": 1, "ema": float("nan")}, "ema: use a number"),
    ],
)
def test_invalid_values_are_rejected(table: dict[str, Any], message: str) -> None:
    with pytest.raises(BadTraining) as error:
        TrainConfig.from_dict(table)
    assert message in str(error.value)


def test_names_of_version_0_1_0_still_load() -> None:
    old = {"steps": 9, "revive": 3, "losses": {"strain": 1.0}, "run": {"validate": 7}}
    made = TrainConfig.from_dict(old)
    assert (made.reinit_dead_units, made.run.validate_every) == (3, 7)
    assert made.losses == {"bound_penalty": 1.0}


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with pytest.raises(BadTraining, match="there is no config"):
        read_config(path)
    path.write_text("steps = ")
    with pytest.raises(BadTraining, match=r"a\.toml: "):
        read_config(path)
    path.write_text("samples = 1000\nbatch = 300\n")
    assert read_config(path).total_steps == 4
    assert read_config(path, ["batch=1000"]).total_steps == 1


def test_a_length_that_is_set_replaces_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("samples = 1000\nbatch = 300\n")
    made = read_config(path, ["steps=7"])
    assert (made.steps, made.samples) == (7, 0)
    assert read_config(path, ["samples = 600"]).total_steps == 2
    assert read_config(path, ["steps=7", "samples=0"]).total_steps == 7
    assert read_config(path, ["steps=0"]).total_steps == 4
    path.write_text("steps = 5\nbatch = 300\n")
    made = read_config(path, ["samples=600"])
    assert (made.steps, made.samples) == (0, 600)
    with pytest.raises(BadTraining, match="steps and samples are both set: set one of them"):
        read_config(path, ["steps=7", "samples=600"])
    path.write_text("steps = 5\nsamples = 600\n")  # of a file both are a mistake
    with pytest.raises(BadTraining, match="one of steps, samples and epochs"):
        read_config(path)
    path.write_text("steps = 5\nbatch = 300\n")
    made = read_config(path, ["epochs=2"])
    assert (made.steps, made.epochs) == (0, 2.0)


def test_epochs_become_steps() -> None:
    made = TrainConfig.from_dict({"epochs": 2.5, "batch": 32})
    assert [made.with_steps(n).total_steps for n in (100, 256, 257, 1)] == [8, 20, 21, 1]
    assert made.with_steps(100).epochs == 0
    assert TrainConfig.from_dict({"epochs": 0.07, "batch": 7}).with_steps(100).total_steps == 1
    assert TrainConfig.from_dict({"steps": 3}).with_steps(100).total_steps == 3
    with pytest.raises(BadTraining, match="epochs: not known in steps"):
        _ = made.total_steps


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "train").glob("*.toml")), ids=str)
def test_the_bundled_configs(path: Path) -> None:
    changes = ["data.path=x"]
    if "distillation" in tomllib.loads(path.read_text("utf-8")):
        changes.append("distillation.checkpoint=x")
    assert read_config(path, changes).spec.name == path.stem.removesuffix("-distilled")


def test_every_key_has_help_and_is_in_the_docs() -> None:
    text = (ROOT / "docs" / "training.md").read_text("utf-8")
    for key in TrainConfig.settings():
        assert key.help, key.name
        assert f"| `{key.name}` | `{toml(key.default)}` | {key.help} |\n" in text, key.name


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {toml(item)}' for name, item in value.items())} }}"
    return json.dumps(value)


def test_where_the_rounded_net_is_trained() -> None:
    for share, steps, first in [(0.0, 10, 10), (0.1, 3907, 3516), (0.25, 10, 8), (1.0, 10, 0)]:
        assert TrainConfig.from_dict({"steps": steps, "quantise": share}).quantised_from == first


def test_one_table_of_losses() -> None:
    assert tuple(LOSSES) == LOSS_NAMES


def test_when_dead_units_are_searched() -> None:
    config = TrainConfig.from_dict({"steps": 100, "reinit_dead_units": 20})
    assert [step for step in range(100) if config.reinits_at(step)] == [0, 20, 40]
    config = TrainConfig.from_dict({"steps": 100, "reinit_dead_units": 20, "quantise": 0.9})
    assert [step for step in range(100) if config.reinits_at(step)] == [0]
    config = TrainConfig.from_dict({"steps": 100, "reinit_dead_units": 20, "batch": 64})
    assert not any(config.reinits_at(step) for step in range(100))
    assert not any(TrainConfig.from_dict({"steps": 9}).reinits_at(step) for step in range(9))


def test_differences_leave_the_free_keys_out() -> None:
    one = TrainConfig.from_dict({"steps": 10, "run": {"log": 1}})
    two = TrainConfig.from_dict({"steps": 10, "run": {"log": 9}, "data": {"feed": "stream"}})
    assert one.differences(two, RESUMABLE_KEYS) == []
    three = TrainConfig.from_dict({"steps": 11, "optimiser": {"rate": 0.5}})
    assert one.differences(three, RESUMABLE_KEYS) == ["optimiser.rate", "steps"]


def test_cosine() -> None:
    config = ScheduleConfig(warmup=9, end=0.1)
    assert config.lr_factor(0, 110) == pytest.approx(0.1)
    assert config.lr_factor(8, 110) == pytest.approx(0.9)
    assert config.lr_factor(9, 110) == pytest.approx(1.0)
    assert config.lr_factor(59, 110) == pytest.approx(0.55)
    assert config.lr_factor(109, 110) == pytest.approx(0.1)
    rates = [config.lr_factor(step, 110) for step in range(9, 110)]
    assert rates == sorted(rates, reverse=True)


def test_step_and_constant() -> None:
    config = ScheduleConfig("step", warmup=0, milestones=(0.5, 0.8), factor=0.1)
    result = [config.lr_factor(step, 10) for step in range(10)]
    assert result == pytest.approx([1] * 5 + [0.1] * 3 + [0.01] * 2)
    assert ScheduleConfig("constant", warmup=0).lr_factor(7, 10) == 1
    assert ScheduleConfig(warmup=5).lr_factor(0, 1) == pytest.approx(1 / 6)  # shorter than that


def test_drops_of_the_rate_after_100_150_and_200_epochs() -> None:
    """The schedule of the MobileNet paper; its optimiser has the penalty of all squared weights."""
    table = {
        "epochs": 250,
        "batch": 32,
        "optimiser": {"rate": 0.0005, "weight_decay": 0.0001, "clip": 0},
        "schedule": {"name": "step", "warmup": 0, "milestones": [0.4, 0.6, 0.8]},
    }
    made = TrainConfig.from_dict(table).with_steps(1_000_000)
    epoch = 1_000_000 // 32
    rates = [
        made.optimiser.rate * made.schedule.lr_factor(number * epoch, made.total_steps)
        for number in (0, 99, 100, 149, 150, 199, 200, 249)
    ]
    wanted = [5e-4, 5e-4, 5e-5, 5e-5, 5e-6, 5e-6, 5e-7, 5e-7]
    assert rates == pytest.approx(wanted)


@pytest.mark.parametrize("table", [[1], None, 7, "net", {"data": [1]}, {"optimiser": "adam"}])
def test_a_table_is_expected(table: Any) -> None:
    with pytest.raises(BadTraining, match="use a table"):
        TrainConfig.from_dict(table)
