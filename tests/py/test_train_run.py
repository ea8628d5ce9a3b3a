# SPDX-License-Identifier: MIT
"""Whole training runs on tiny nets and boards: learning, stops, quantisation-aware training,
distillation, and both feeds. test_train_start tests initial weights, test_train_faults failures.
"""

from __future__ import annotations

import json
import os
import re
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from data_samples import make_set, random_rows
from tengen.data import BadData
from tengen.data.dataset import Dataset
from tengen.game.rule import Rule
from tengen.nets import make_net
from tengen.nets.mixnet import Mixnet
from tengen.nets.weights import NetWeights, read_weights, write_weights
from tengen.train import BadRun, BadTraining, TrainConfig
from tengen.train.checkpoint import checkpoints, latest, read_checkpoint
from tengen.train.config import DataConfig
from tengen.train.loop import train
from tengen.train.losses import Outputs
from tengen.train.source import Order, Resident, Stream, open_data
from tengen.train.train_folder import TrainFolder, read_metrics
from tengen.train.validation_set import open_validation
from tengen.util.errors import BadConfig
from train_runs import go, same, stop_after, weights
from train_samples import config, make_data

CPU = torch.device("cpu")


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.integration
@pytest.mark.parametrize(
    ("net", "value"),
    [
        ({"kind": "resnet", "blocks": 1, "filters": 16}, "value"),
        ("mixnet-s", "value"),
        ("resnet-1b16f-alphazero-size6-win", "binary"),
        ("resnet-1b16f-polygames-planes4-scalar", "scalar"),
        ("mobilenet-2b16f-se", "value"),
        ("gomokunet-8f", "value"),
        ("convnet-2l16f", "value"),
        ("katanet-2b16f", "value"),
    ],
    ids=str,
)
def test_a_small_set_is_overfitted(net: Any, value: str, tmp_path: Path) -> None:
    few = make_data(tmp_path / "data", 12)
    table = config(
        few,
        net=net,
        steps=80 if net == "mixnet-s" else 120,
        batch=12,
        losses={value: 1.0, "policy": 1.0},
        data={"symmetries": False},
        optimiser={"rate": 0.01 if net == "mixnet-s" else 0.03, "weight_decay": 0.0},
        run={"validate_every": 1000, "checkpoint": 1000, "log": 10},
    )
    go(table, tmp_path / "run")
    rows = [
        row for row in read_metrics(tmp_path / "run" / "metrics.jsonl") if row["event"] == "train"
    ]
    assert rows[-1]["policy"] < rows[0]["policy"] / 3
    metric = "win_mse" if value == "binary" else value  # of a draw it is never 0
    assert rows[-1][metric] < rows[0][metric] / 3
    assert rows[-1]["samples_per_second"] > 0
    assert 0 < rows[-1]["matrix_share"] < 1.5


def test_nets_for_other_boards_are_rejected(data: Path, tmp_path: Path) -> None:
    bound = "resnet-1b8f-alphazero-size9"
    with pytest.raises(BadTraining, match=r"net\.size: .* for boards of size 9, not 6"):
        go(config(data, net=bound), tmp_path / "run")
    spec = make_net(bound).spec.to_dict()
    write_weights(tmp_path / "net.pt", NetWeights(spec, make_net(bound).state_dict()))
    taught = {"teacher": bound, "checkpoint": str(tmp_path / "net.pt")}
    with pytest.raises(BadTraining, match=r"for boards of size 9, not 6"):
        go(config(data, distillation=taught), tmp_path / "run")
    assert not TrainFolder.has_run(tmp_path / "run")


def test_what_a_run_leaves(data: Path, tmp_path: Path) -> None:
    result = go(config(data), tmp_path / "run")
    assert result.is_done
    assert set(result.validation) == {"raw", "average"}
    assert {"value", "policy", "policy_top10", "win_mse"} <= set(result.validation["raw"])
    folder = TrainFolder.read(tmp_path / "run")
    assert folder.config == TrainConfig.from_dict(config(data))
    assert [p.name[5:14] for p in checkpoints(folder.checkpoints)] == [
        "000000040",
        "000000030",
        "000000020",
    ]
    net = read_weights(folder.net)
    assert net.name == "resnet-1b8f"
    assert net.metadata["step"] == 40
    assert net.metadata["redistributable"] is True
    assert net.metadata["validation"] == result.validation
    outputs = net.make()(torch.zeros(2, 2, 6, 6))
    assert outputs["policy"].shape == (2, 6, 6)
    page = folder.report.read_text("utf-8")
    assert page.count("<figure") == 7
    assert "resnet-1b8f" in page
    with pytest.raises(BadRun, match="already has a run"):
        go(config(data), tmp_path / "run")
    rows = read_metrics(folder.metrics)
    again = go(config(data), tmp_path / "run", resume=True)  # nothing is left to do
    assert (again.step, again.validation) == (40, result.validation)
    assert [r for r in read_metrics(folder.metrics) if r["event"] != "resume"] == [
        r for r in rows if r["event"] != "resume"
    ]


def test_the_average_is_what_is_kept_and_validated(data: Path, tmp_path: Path) -> None:
    go(config(data), tmp_path / "run")
    result = latest(tmp_path / "run" / "checkpoints", TrainFolder.read(tmp_path / "run").run, print)
    assert result is not None
    assert same(read_weights(tmp_path / "run" / "net.pt").weights, result.average)
    assert not same(result.weights, result.average)
    go(config(data, ema=0.0, steps=10), tmp_path / "plain")
    assert same(read_weights(tmp_path / "plain" / "net.pt").weights, weights(tmp_path / "plain"))


def test_both_feeds_give_the_same_batches(data: Path, tmp_path: Path) -> None:
    other = make_data(tmp_path / "other", 90, seed=5)
    sets = [{"path": str(data), "weight": 3.0}, {"path": str(other), "weight": 1.0}]
    mixture = open_data(TrainConfig.from_dict({"steps": 1, "data": {"sets": sets}}).data)
    order = Order(batch=50, seed=7, start=3)
    resident, stream = Resident(mixture, order, CPU), Stream(mixture, order, CPU)
    try:
        for _ in range(40):  # more than a chunk, and several epochs
            one, two = next(resident), next(stream)
            assert all(torch.equal(a, b) for a, b in zip(one.rows, two.rows, strict=True))
    finally:
        resident.close()
        stream.close()
    assert len(open_validation(mixture, 0, CPU)) == 100 + 20
    assert len(open_validation(mixture, 40, CPU)) == 30 + 10


def test_sets_of_other_rules_need_a_flag(data: Path, tmp_path: Path) -> None:
    other = make_data(tmp_path / "other", 90, seed=5, rule=Rule.RENJU)
    table = {"sets": [{"path": str(data)}, {"path": str(other)}]}
    with pytest.raises(BadData, match="has rule renju, not freestyle"):
        open_data(TrainConfig.from_dict({"steps": 1, "data": table}).data)
    free = open_data(TrainConfig.from_dict({"steps": 1, "data": table | {"any_rule": True}}).data)
    assert {view.dataset.rule for view in free.views} == {Rule.FREESTYLE, Rule.RENJU}


def test_feeds_lead_to_the_same_weights(data: Path, tmp_path: Path) -> None:
    for feed in ("resident", "stream"):
        go(config(data, steps=12, data={"feed": feed}), tmp_path / feed)
    assert same(weights(tmp_path / "resident"), weights(tmp_path / "stream"))


def test_a_resumed_run_ends_with_the_same_weights(data: Path, tmp_path: Path) -> None:
    whole = go(config(data), tmp_path / "whole")
    first = go(config(data), tmp_path / "parts", stop=stop_after(13))
    assert (first.step, first.is_done) == (13, False)
    with pytest.raises(BadRun, match=r"has other values of optimiser\.rate"):
        go(config(data, optimiser={"rate": 0.5}), tmp_path / "parts", resume=True)
    go(config(data, run={"log": 3}), tmp_path / "parts", resume=True, stop=stop_after(9))
    last = train(None, tmp_path / "parts", device="cpu", resume=True)
    assert last.is_done
    assert last.validation == whole.validation
    assert same(weights(tmp_path / "parts"), weights(tmp_path / "whole"))
    with pytest.raises(BadRun, match="no run to resume"):
        train(None, tmp_path / "none", device="cpu", resume=True)
    assert not (tmp_path / "none").exists()


@pytest.mark.integration
def test_sgd_runs_and_resumes(data: Path, tmp_path: Path) -> None:
    sgd = {"name": "sgd", "rate": 0.05, "clip": 0.0}
    table = config(data, optimiser=sgd, schedule={"name": "step", "warmup": 0, "milestones": [0.5]})
    whole = go(table, tmp_path / "whole")
    go(table, tmp_path / "parts", stop=stop_after(13))
    go(table, tmp_path / "parts", resume=True)
    assert same(weights(tmp_path / "parts"), weights(tmp_path / "whole"))
    assert whole.validation["average"]["policy"] < 3.4
    rows = read_metrics(tmp_path / "whole" / "metrics.jsonl")
    rates = {row["step"]: row["rate"] for row in rows if row["event"] == "train"}
    assert (rates[20], rates[25]) == pytest.approx((0.05, 0.005))
    state = read_checkpoint(checkpoints(tmp_path / "whole" / "checkpoints")[0]).optimiser
    assert all(list(moments) == ["momentum_buffer"] for moments in state["state"].values())
    go(table | {"optimiser": {**sgd, "momentum": 0.0}}, tmp_path / "plain")
    assert not same(weights(tmp_path / "plain"), weights(tmp_path / "whole"))


@pytest.mark.integration
def test_the_end_of_a_run_trains_the_rounded_net(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier steps equal those of a run without it; a resume on either side changes nothing."""
    table = config(data, net="mixnet-s", steps=10, batch=8, quantise=0.4, run={"validate_every": 5})
    given: list[bool] = []
    forward = Mixnet.forward

    def spied(self: Mixnet, planes: torch.Tensor, quantised: bool = False) -> Outputs:
        given.append(quantised) if self.training else None
        return forward(self, planes, quantised)

    monkeypatch.setattr(Mixnet, "forward", spied)
    whole = go(table, tmp_path / "whole")
    assert given == [False] * 6 + [True] * 4
    assert list(whole.validation) == ["raw", "average", "quantised"]
    assert whole.validation["quantised"] != whole.validation["average"]
    for calls in (5, 1, 2):  # to the steps 5, 6 (the next one is rounded) and 8
        go(table, tmp_path / "parts", resume=True, stop=stop_after(calls))
    parts = go(table, tmp_path / "parts", resume=True)
    assert parts.validation == whole.validation
    assert same(weights(tmp_path / "parts"), weights(tmp_path / "whole"))
    go(table | {"quantise": 0.0}, tmp_path / "plain")
    assert not same(weights(tmp_path / "plain"), weights(tmp_path / "whole"))
    plain, rounded = (
        [row for row in read_metrics(tmp_path / name / "metrics.jsonl") if row["step"] == 5]
        for name in ("plain", "whole")
    )
    times = {"seconds", "samples_per_second", "matrix_share"}
    assert [{k: v for k, v in row.items() if k not in times} for row in plain] == [
        {k: v for k, v in row.items() if k not in times}
        for row in rounded
        if row.get("weights") != "quantised"
    ]
    actual = read_checkpoint(checkpoints(tmp_path / "whole" / "checkpoints")[0])
    result = make_net("mixnet-s")
    result.load_state_dict(actual.average)
    result.round_()
    assert same(read_weights(tmp_path / "whole" / "net.pt").weights, result.state_dict())
    assert "<td>quantised</td>" in (tmp_path / "whole" / "report.html").read_text("utf-8")
    without = go(table | {"ema": 0.0}, tmp_path / "raw")
    assert list(without.validation) == ["raw", "quantised"]


@pytest.mark.integration
def test_dead_units_are_reinitialised(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logged; a resumed run has the same result."""
    monkeypatch.setattr("tengen.train.config._REINIT_MIN_BATCH", 8)
    strained = {"value": 1.0, "policy": 1.0, "bound_penalty": 0.001}
    table = config(data, net="mixnet-s", steps=8, batch=8, reinit_dead_units=2, losses=strained)
    go(table, tmp_path / "whole")
    for calls in (1, 2):  # the next step looks for such units, or is the one after
        go(table, tmp_path / "parts", resume=True, stop=stop_after(calls))
    go(table, tmp_path / "parts", resume=True)
    assert same(weights(tmp_path / "parts"), weights(tmp_path / "whole"))
    rows = read_metrics(tmp_path / "whole" / "metrics.jsonl")
    reported = [row for row in rows if row["event"] == "reinit_dead_units"]
    assert [row["step"] for row in reported] == [1, 3]  # eight positions say little of many units
    assert all(count > 0 for row in reported for count in row["units"].values())
    assert all("bound_penalty" in row for row in rows if row["event"] == "train")
    go(table | {"reinit_dead_units": 0}, tmp_path / "without")
    assert not same(weights(tmp_path / "without"), weights(tmp_path / "whole"))


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, in its own compiler
def test_the_rounded_net_is_a_separate_graph(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both forms are captured whole, with their gradients; nothing is left to code generation, so
    that no compiler is needed.
    """
    whole = partial(torch.compile, fullgraph=True, backend="aot_eager")
    monkeypatch.setattr("tengen.train.train_state.torch.compile", whole)
    table = config(data, net="mixnet-s", steps=4, batch=8, quantise=0.5, run={"log": 1})
    compiled = go(table | {"compile": True}, tmp_path / "compiled")
    assert "torch.compile failed" not in capsys.readouterr().err
    monkeypatch.undo()
    plain = go(table, tmp_path / "plain")
    for kind in ("average", "quantised"):
        near = pytest.approx(plain.validation[kind]["policy"], abs=0.001)
        assert compiled.validation[kind]["policy"] == near


@pytest.mark.parametrize("precompute", [False, True])
def test_distillation(precompute: bool, data: Path, tmp_path: Path) -> None:
    go(config(data, steps=30), tmp_path / "teacher")
    taught = {
        "teacher": "resnet-1b8f",
        "checkpoint": str(tmp_path / "teacher"),
        "precompute": precompute,
    }
    go(config(data, steps=20, distillation=taught), tmp_path / "student")
    row = [
        r for r in read_metrics(tmp_path / "student" / "metrics.jsonl") if r["event"] == "train"
    ][-1]
    assert {"value", "policy", "taught_value", "taught_policy"} <= set(row)
    with pytest.raises(
        BadTraining, match="has weights for resnet-1b8f, not the teacher resnet-6b128f"
    ):
        go(config(data, distillation=taught | {"teacher": "resnet-6b128f"}), tmp_path / "x")
    with pytest.raises(BadTraining, match=r"distillation\.checkpoint: there is no file 'nowhere'"):
        go(config(data, distillation=taught | {"checkpoint": "nowhere"}), tmp_path / "x")
    assert not TrainFolder.has_run(tmp_path / "x")


def test_a_stop_during_teacher_labels(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tengen.train.teacher._CHUNK", 100)
    monkeypatch.setattr("tengen.train.log._REPORT_SECONDS", 0.0)
    go(config(data, steps=5), tmp_path / "teacher")
    taught = {"teacher": "resnet-1b8f", "checkpoint": str(tmp_path / "teacher"), "precompute": True}
    table = config(data, steps=10, distillation=taught)
    whole = go(table, tmp_path / "whole")
    shares = re.findall(r"has labelled (\d+)% of the positions", capsys.readouterr().err)
    assert len(shares) > 2
    assert shares[-1] == "100"
    assert go(table, tmp_path / "stopped", stop=stop_after(1)).step == 0
    assert len(re.findall("has labelled", capsys.readouterr().err)) == 1
    assert go(table, tmp_path / "stopped", resume=True).validation == whole.validation


def test_a_stop_during_validation(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tengen.train.log._REPORT_SECONDS", 0.0)
    table = config(data, steps=10)
    whole = go(table, tmp_path / "whole")
    shares = [int(n) for n in re.findall(r"validation: (\d+)% done", capsys.readouterr().err)]
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert whole.is_done

    path = tmp_path / "stopped"
    calls = 10 + 2  # all steps, then two parts of the validation
    stopped = go(table, path, stop=stop_after(calls))
    assert (stopped.step, stopped.is_done, stopped.validation_missing) == (10, False, True)
    assert stopped.validation == {}
    assert not [row for row in read_metrics(path / "metrics.jsonl") if row["event"] == "validate"]
    done = go(table, path, resume=True)
    assert done.is_done
    assert done.validation == whole.validation
    rows = [row for row in read_metrics(path / "metrics.jsonl") if row["event"] == "validate"]
    assert [row["weights"] for row in rows] == list(whole.validation)
    about = read_weights(path / "net.pt").metadata
    assert about["validated_step"] == 10
    assert about["validation"] == whole.validation


def test_the_command(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import argparse

    from tengen.cli import train as command

    def call(*arguments: str) -> int:
        parser = argparse.ArgumentParser()
        command.configure(parser)
        return command.run(parser.parse_args(arguments))

    file = tmp_path / "a.toml"
    file.write_text(
        'batch = 32\nsteps = 10\nprecision = "fp32"\n[run]\nlog = 5\ntensorboard = false\n'
        '[net]\nkind = "resnet"\nblocks = 1\nfilters = 8\n'
    )
    where = ("--out", str(tmp_path / "run"), "--device", "cpu")
    with pytest.raises(BadTraining, match="no training data"):
        call(str(file), *where)
    given = (str(file), *where, "--set", f"data.path={data}", "--json")
    assert call(*given, "--max-seconds", "0.000001") == 0
    assert json.loads(capsys.readouterr().out)["done"] is False
    monkeypatch.setattr("tengen.train.config.ScheduleConfig.lr_factor", _interrupting)
    assert call(*given, "--resume") == 130
    monkeypatch.undo()
    assert 0 < json.loads(capsys.readouterr().out)["step"] < 10
    assert call(*where, "--resume", "--json") == 0
    assert json.loads(capsys.readouterr().out)["done"] is True
    for wrong in (
        [],
        ["mixnet-s"],
        [str(file), *where[:2], "--device", "tpu"],
        ["nothing", *where],
    ):
        with pytest.raises(BadConfig):
            call(*wrong)
    assert call("--list") == 0
    assert "mixnet-s-distilled" in capsys.readouterr().out
    assert call("--keys") == 0
    assert "optimiser.weight_decay" in capsys.readouterr().out


def _interrupting(*_: object) -> float:
    os.kill(os.getpid(), signal.SIGINT)
    return 1.0


def test_one_colour_trains_on_its_own_positions(tmp_path: Path) -> None:
    rows = random_rows(200, extras=True)
    folder = make_set(tmp_path / "set", rows)
    assert rows.to_move is not None
    turns = {
        colour: open_data(DataConfig(str(folder), colour=colour)) for colour in ("black", "white")
    }
    shares = [len(mixture.views[0]) for mixture in turns.values()]
    assert sum(shares) == len(open_data(DataConfig(str(folder))).views[0])
    assert min(shares) > 0
    validation = Dataset.open(folder).split("validation")
    held = validation.numbers(range(len(validation)))
    for number, mixture in enumerate(turns.values(), 1):
        kept = [n for n in held if rows.to_move[n] == number]
        result = open_validation(mixture, 0, CPU).rows
        assert result.board.numpy().tolist() == rows.board[kept].tolist()
    with pytest.raises(BadTraining, match=r"colour: no 'red'"):
        DataConfig(str(folder), colour="red")
