# SPDX-License-Identifier: MIT
"""Initial weights and teachers of a run: other runs, net files, bundled nets; errors, and
whether the result is redistributable.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from mixnet_samples import TINY, lively, net_of
from tengen.cli.main import main
from tengen.engine.net_file import read_net
from tengen.engine.nets import BUNDLED
from tengen.export.quantise import net_file, quantise, write_net
from tengen.game.rule import Rule
from tengen.nets.mixnet import Mixnet
from tengen.nets.spec import MixnetSpec
from tengen.nets.weights import BadWeights, read_weights
from tengen.train import BadTraining
from tengen.train.start import find_weights, weights_of
from tengen.train.train_folder import TrainFolder, read_metrics
from train_runs import go, stop_after, weights
from train_samples import config

pytestmark = pytest.mark.usefixtures("one_thread")

STANDARD = "mixnet-m-standard"  # a bundled net
STILL = {"rate": 1e-9}  # of an optimiser that changes nothing that is looked at


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a Mixnet S."""
    path = tmp_path_factory.mktemp("nets") / "small.net"
    torch.manual_seed(5)
    write_net(net_file(Mixnet(MixnetSpec("s")), (Rule.FREESTYLE,), (15,)), path)
    return path


# --- weights ---


def test_a_run_starts_from_the_weights_of_another(data: Path, tmp_path: Path) -> None:
    go(config(data, ema=0.0), tmp_path / "first")
    table = config(data, start=str(tmp_path / "first"), ema=0.0, optimiser={"rate": 1e-9})
    go(table, tmp_path / "second")
    learned = weights(tmp_path / "first")
    for name, value in weights(tmp_path / "second").items():
        if name.endswith(("weight", "bias")):  # batch statistics go on
            torch.testing.assert_close(value, learned[name], atol=1e-5, rtol=0)
    other = table | {"net": {"kind": "resnet", "blocks": 2, "filters": 8}}
    with pytest.raises(BadTraining, match="has weights for resnet-1b8f, not resnet-2b8f"):
        go(other, tmp_path / "third")


@pytest.mark.integration
def test_a_mixnet_starts_from_a_smaller_one(data: Path, tmp_path: Path) -> None:
    small = config(data, net="mixnet-s", steps=2, ema=0.0)
    go(small, tmp_path / "small")
    table = small | {"net": "mixnet-m", "start": str(tmp_path / "small"), "steps": 1}
    go(table | {"optimiser": {"rate": 1e-9}}, tmp_path / "large")
    learned, started = weights(tmp_path / "small"), weights(tmp_path / "large")
    name = "heads.value.mlp2.weight"
    torch.testing.assert_close(started[name][:32, :32], learned[name], atol=1e-5, rtol=0)
    with pytest.raises(BadTraining, match=r"has weights for mixnet-m, not mixnet-s"):
        go(small | {"start": str(tmp_path / "large")}, tmp_path / "back")


# --- net files ---


def test_a_net_file_loads_as_floats(small: Path) -> None:
    result = weights_of(small)
    assert result.name == "mixnet-s"
    net = result.make()
    assert isinstance(net, Mixnet)
    for name, tensor in read_net(small).tensors.items():
        assert np.array_equal(quantise(net).tensors[name], tensor), name


def test_which_net_a_name_selects(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that is there goes before a name of the package."""
    monkeypatch.chdir(tmp_path)
    assert find_weights(str(small)) == small
    assert find_weights(STANDARD) == BUNDLED / f"{STANDARD}.net"
    Path(STANDARD).mkdir()
    with pytest.raises(BadWeights, match=f"^{STANDARD} has no net.pt$"):
        find_weights(STANDARD)
    Path(STANDARD, "net.pt").touch()
    assert find_weights(STANDARD) == Path(STANDARD, "net.pt")


@pytest.mark.integration
def test_a_run_starts_from_a_net_of_the_package(data: Path, tmp_path: Path) -> None:
    """By its name or its file; it is redistributable if the data are."""
    table = config(data, net="mixnet-m", steps=1, ema=0.0, optimiser=STILL)
    file = BUNDLED / f"{STANDARD}.net"
    for number, start in enumerate((STANDARD, str(file))):
        go(table | {"start": start}, tmp_path / f"{number}")
        started = weights(tmp_path / f"{number}")
        for name, value in weights_of(file).weights.items():
            torch.testing.assert_close(started[name], value, atol=1e-5, rtol=0)
        assert read_weights(tmp_path / f"{number}" / "net.pt").metadata["redistributable"] is True


def test_a_mixnet_starts_from_the_file_of_a_smaller_one(
    data: Path, small: Path, tmp_path: Path
) -> None:
    table = config(data, net="mixnet-m", start=str(small), steps=1, ema=0.0, optimiser=STILL)
    go(table, tmp_path / "large")
    name = "heads.value.mlp2.weight"
    started, learned = weights(tmp_path / "large")[name], weights_of(small).weights[name]
    torch.testing.assert_close(started[:32, :32], learned, atol=1e-5, rtol=0)


@pytest.mark.integration
def test_unknown_terms_are_not_redistributable(
    data: Path, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also when the run resumes without its start, and in runs that start from its result."""
    start = Path(shutil.copy(small, tmp_path / "start.net"))
    table = config(data, net="mixnet-s", steps=2, start=str(start))
    assert not go(table, tmp_path / "first", stop=stop_after(1)).is_done
    assert f"start: {start} is not known to be redistributable" in capsys.readouterr().err
    start.unlink()
    assert go(table, tmp_path / "first", resume=True).is_done
    go(table | {"start": str(tmp_path / "first")}, tmp_path / "second")
    for run in ("first", "second"):
        assert read_weights(tmp_path / run / "net.pt").metadata["redistributable"] is False
    go(config(data, net="mixnet-s", steps=1), tmp_path / "clean")
    go(table | {"start": str(tmp_path / "clean")}, tmp_path / "heir")
    assert read_weights(tmp_path / "heir" / "net.pt").metadata["redistributable"] is True


def test_a_copy_of_a_net_of_the_package_is_any_file(tmp_path: Path) -> None:
    file = BUNDLED / f"{STANDARD}.net"
    assert weights_of(file).metadata == {"redistributable": True, "net": STANDARD}
    copy = Path(shutil.copy(file, tmp_path / "mine.net"))
    assert weights_of(copy).metadata == {"redistributable": False, "net": "mine"}


def test_a_net_file_can_be_the_teacher(data: Path, small: Path, tmp_path: Path) -> None:
    for number, precompute in enumerate((False, True)):
        taught = {"teacher": "mixnet-s", "checkpoint": str(small), "precompute": precompute}
        go(config(data, steps=5, distillation=taught), tmp_path / f"{number}")
        rows = read_metrics(tmp_path / f"{number}" / "metrics.jsonl")
        assert any("taught_policy" in row for row in rows)
    taught = {"teacher": "mixnet-s", "checkpoint": STANDARD}
    with pytest.raises(BadTraining, match="has weights for mixnet-m, not the teacher mixnet-s"):
        go(config(data, distillation=taught), tmp_path / "x")


# --- what is refused ---


@pytest.fixture
def broken(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are no start, in the folder one is in."""
    monkeypatch.chdir(tmp_path)
    whole = small.read_bytes()
    Path("empty").mkdir()
    Path("cut.net").write_bytes(whole[:-100])
    Path("damaged.net").write_bytes(whole[:-5] + b"wrong")
    for name in ("other.net", "other.pt"):
        Path(name).write_bytes(b"something else" * 100)
    write_net(net_of(TINY, lively(TINY, 1)), "tiny.net")


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("nowhere", "start: there is no file 'nowhere', and the bundled nets are mixnet-m-"),
        ("no/net.pt", "start: there is no file 'no/net.pt', and"),
        ("no.net", "start: there is no file 'no.net', and"),
        ("empty", "start: empty has no net.pt"),
        ("cut.net", "start: cut.net: cut off"),
        ("damaged.net", "start: damaged.net: damaged: the checksum of the weights is wrong"),
        ("other.net", "start: other.net: not a net file"),
        ("other.pt", "start: other.pt is damaged, or not a file of weights"),
        (
            "tiny.net",
            "start: tiny.net: no Mixnet of this version has the architecture 'mixnet c=32",
        ),
        (STANDARD, f"start: {STANDARD} has weights for mixnet-m, not mixnet-s"),
    ],
)
def test_wrong_starts(
    start: str, message: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence, and no run."""
    args = ["train", "mixnet-s", "--set", f"data.path={data}", "--set", f"start={start}"]
    assert main([*args, "--device", "cpu", "--out", "run"]) == 1
    output = capsys.readouterr().err
    assert message in output
    assert output.count("\n") == 1
    assert not TrainFolder.has_run(Path("run"))
