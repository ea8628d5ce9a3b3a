# SPDX-License-Identifier: MIT
"""What a device is called."""

from __future__ import annotations

import pytest
import torch

from tengen.train.state import device_name


def test_a_gpu_has_the_name_that_its_driver_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"card {device.index}")
    assert device_name(torch.device("cuda", 1)) == "card 1"
    assert device_name(torch.device("cpu")) == "cpu"
