# SPDX-License-Identifier: MIT
"""benchmarks/train_speed.py on tiny nets: every number it prints, and nets that do not fit."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

import train_speed
from tengen.nets.count import count_operations
from tengen.nets.spec import ResnetSpec
from tengen.train.config import TrainConfig

pytestmark = pytest.mark.usefixtures("one_thread")
TINY = '{kind = "resnet", blocks = 1, filters = 8}'
OPTIONS = (
    *("--device", "cpu", "--nets", TINY, "--batches", "4", "8", "--size", "6", "--rows", "64"),
    *("--seconds", "0.02", "--warm-up", "1", "--profile", "2", "--optimiser", "sgd"),
)


@pytest.mark.integration
def test_numbers_of_each_net_and_batch(capsys: pytest.CaptureFixture[str]) -> None:
    train_speed.main([*OPTIONS, "--json"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["net"], row["batch"]) for row in rows] == [("resnet-1b8f", 4), ("resnet-1b8f", 8)]
    macs = count_operations(ResnetSpec(1, 8), 6).multiply_adds
    for row in rows:
        assert row["multiply_adds"] == macs
        work = 2 * 3 * macs * row["samples_per_second"]  # forward, and backward twice
        assert row["matrix_share"] == pytest.approx(work / row["matrix_rate"], abs=1e-4)
        assert len(row["costs"]) == 3
        shares = [share for _, share in row["costs"]]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 1


@pytest.mark.integration
def test_the_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    measure = train_speed.measure

    def limited(config: TrainConfig, *rest: Any) -> train_speed.Measured:
        if config.batch > 4:
            raise torch.OutOfMemoryError("no memory")
        return measure(config, *rest)

    monkeypatch.setattr(train_speed, "measure", limited)
    train_speed.main([*OPTIONS])
    lines = capsys.readouterr().out.splitlines()
    assert "| resnet-1b8f | 4 |" in lines[3]
    assert lines[4] == "| resnet-1b8f | 8 |  | out of memory |  |  |"
