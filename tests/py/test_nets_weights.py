# SPDX-License-Identifier: MIT
"""Weight files: round trips, and error messages for damaged files."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import torch

from tengen.nets import make_net
from tengen.nets.weights import BadWeights, NetWeights, read_weights, write_weights

SPEC = {"kind": "resnet", "blocks": 1, "filters": 4}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.pt"
    write_weights(path, NetWeights(SPEC, make_net(SPEC).state_dict(), {"step": 3}))
    return path


def test_weights_round_trip(file: Path) -> None:
    result = read_weights(file)
    assert (result.spec, result.metadata) == (SPEC, {"step": 3})
    assert result.make().state_dict().keys() == result.weights.keys()


def test_a_changed_byte_of_a_tensor_is_found(file: Path) -> None:
    result = read_weights(file)
    tensor = max(result.weights.values(), key=torch.numel)
    data = bytearray(file.read_bytes())
    place = data.index(tensor.numpy().tobytes())
    data[place + 5] ^= 0x40
    file.write_bytes(data)
    with pytest.raises(BadWeights, match=r"net\.pt is damaged: a checksum is wrong$"):
        read_weights(file)


def _unsafe() -> bytes:
    """A container that only a pickle of any class could be read from."""
    buffer = io.BytesIO()
    torch.save({"format": BadWeights("x")}, buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["empty", "text", "cut", "middle", "unsafe"])
def test_other_files_are_rejected_with_our_message(file: Path, kind: str) -> None:
    good = file.read_bytes()
    data = {
        "empty": b"",
        "text": b"no weights",
        "cut": good[: len(good) // 2],
        "middle": good[:200] + good[300:],
        "unsafe": _unsafe(),
    }[kind]
    file.write_bytes(data)
    with pytest.raises(BadWeights) as error:
        read_weights(file)
    text = str(error.value).removeprefix(f"{file} ")
    assert text in (
        "is damaged, or not a file of weights",
        "is damaged: a checksum is wrong",
    )


def test_a_folder_and_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match="there is no file"):
        read_weights(tmp_path / "none.pt")
    with pytest.raises(BadWeights, match=r"cannot be read \(Is a directory\)"):
        read_weights(tmp_path)


def test_weights_of_another_net(file: Path) -> None:
    weights = read_weights(file).weights
    other = NetWeights(SPEC | {"filters": 8}, weights)
    with pytest.raises(BadWeights, match=r"the weights are not of resnet-1b8f: names or shapes"):
        other.make()
