# SPDX-License-Identifier: MIT
"""Names of devices, and missing devices."""

from __future__ import annotations

import pytest
import torch

from tengen.train.errors import BadTraining
from tengen.train.loop import find_device
from tengen.train.net_trainer import device_name


def test_a_gpu_has_the_name_of_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"card {device.index}")
    assert device_name(torch.device("cuda", 1)) == "card 1"
    assert device_name(torch.device("cpu")) == "cpu"


@pytest.mark.parametrize("gpus", [0, 2])
@pytest.mark.parametrize(
    "name",
    [*("tpu", "cpu:x", "cpu:1", "cuda:", "cuda:x", "cuda:-1", "cuda:01", "cuda:99"), "cuda:1000"],
)
def test_devices_that_are_not_there(name: str, gpus: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: bool(gpus))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    with pytest.raises(BadTraining, match=r"no device '|torch finds no GPU"):
        find_device(name)


def test_devices_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    for gpu in (False, True):
        monkeypatch.setattr(torch.cuda, "is_available", lambda gpu=gpu: gpu)
        assert find_device("cpu") == torch.device("cpu")
        assert find_device("") == torch.device("cuda" if gpu else "cpu")
    assert find_device("cuda") == torch.device("cuda")
    assert find_device("cuda:1") == torch.device("cuda", 1)
    with pytest.raises(BadTraining, match="no device 'cuda:2': torch finds 2 GPUs"):
        find_device("cuda:2")
