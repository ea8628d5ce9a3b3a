# SPDX-License-Identifier: MIT
"""A packed run resumes elsewhere with the same learner, counts and newest games. Damaged or
unrelated files are rejected with a message and leave no files.
"""

from __future__ import annotations

import errno
import io
import json
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest
import torch

from tengen.data import Dataset
from tengen.train.checkpoint import checkpoints, read_checkpoint
from tengen.util.errors import BadRun
from tengen.zero.errors import BadPack, BadZero
from tengen.zero.learn.replay import ReplayBuffer
from tengen.zero.pack import MAX_BYTES, pack, unpack
from tengen.zero.zero_folder import ZeroFolder
from zero_fakes import RandomGames
from zero_runs import AT_ONCE, SIZE, config, go

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "run"
    go(config(play={"rows": 100}, gate={"minutes": AT_ONCE}), path, 30)
    return path


def test_round_trip(run: Path, tmp_path: Path) -> None:
    reported = pack(run, tmp_path / "run.tar")
    assert reported["bytes"] == (tmp_path / "run.tar").stat().st_size <= MAX_BYTES
    assert reported["half"] == []
    folder = unpack(tmp_path / "run.tar", tmp_path / "there")
    first, second = (read_checkpoint(checkpoints(p / "checkpoints")[0]) for p in (run, folder.path))
    assert (first.run, first.step, first.updates) == (second.run, second.step, second.updates)
    for a, b in ((first.weights, second.weights), (first.average, second.average)):
        assert all(torch.equal(a[name], b[name]) for name in a)
    ours, theirs = Dataset.open(run / "replay"), Dataset.open(folder.replay)
    theirs.verify()
    assert dict(ours.manifest.counts) == dict(theirs.manifest.counts)
    assert len(theirs) == reported["positions"] == len(ours)
    mine, yours = ours.slice(0, len(ours)), theirs.slice(0, len(theirs))
    for name in ours.columns:
        assert np.array_equal(getattr(mine, name), getattr(yours, name))
    assert folder.events() == ZeroFolder.read(run).events()
    there, here = ZeroFolder.read(run).generations()[-1], folder.generations()
    assert [one.number for one in here] == [there.number]
    assert here[0].metadata == there.metadata


def test_earlier_generations_are_packed(run: Path, tmp_path: Path) -> None:
    every = [one.number for one in ZeroFolder.read(run).generations()]
    pack(run, tmp_path / "run.tar", players=3)
    folder = unpack(tmp_path / "run.tar", tmp_path / "there")
    result = folder.generations()
    assert [one.number for one in result] == [
        every[0],
        every[round((len(every) - 1) / 2)],
        every[-1],
    ]
    for one in result:
        (net,) = one.nets(("net",))
        net.make()
        assert one.metadata["generation"] == one.number


def test_an_unpacked_run_resumes(run: Path, tmp_path: Path) -> None:
    pack(run, tmp_path / "run.tar")
    folder = unpack(tmp_path / "run.tar", tmp_path / "there")
    before = dict(Dataset.open(folder.replay).manifest.counts)
    step = read_checkpoint(checkpoints(folder.checkpoints)[0]).step
    result = go(None, folder.path, 12, resume=True)
    assert result.counts["games"] > before["games"]
    assert result.step > step
    games = np.concatenate([np.asarray(g) for g in Dataset.open(folder.replay).column("game")])
    assert len(np.unique(games)) == result.counts["games"]


@pytest.mark.integration
def test_as_many_games_as_fit(run: Path, tmp_path: Path) -> None:
    whole = pack(run, tmp_path / "whole.tar")
    less, limit = whole, whole["bytes"] + 64 * 1024
    while less["positions"] == whole["positions"]:
        limit -= 1000
        less = pack(run, tmp_path / "less.tar", limit)
        assert less["bytes"] <= limit
    assert less["positions"] > 0
    folder = unpack(tmp_path / "less.tar", tmp_path / "there")
    ours, theirs = Dataset.open(run / "replay"), Dataset.open(folder.replay)
    assert dict(ours.manifest.counts) == dict(theirs.manifest.counts), "counts are of all games"
    part = ours.slice(len(ours) - len(theirs), len(ours))
    assert np.array_equal(part.board, theirs.slice(0, len(theirs)).board), "the newest ones"
    assert go(None, folder.path, 8, resume=True).counts["games"] >= whole["games"]


@pytest.mark.integration
def test_many_small_shards(run: Path, tmp_path: Path) -> None:
    """Their entries in the head count, so that a file never exceeds its limit."""
    path = shutil.copytree(run, tmp_path / "run")
    replay = ReplayBuffer(path / "replay", "freestyle", SIZE, True)
    playing = RandomGames({"rule": "freestyle", "size": SIZE, "seed": 1})
    for number in range(40):
        replay.add(playing.play(1), f"t.{number}", f"generation 0 {'worker ' * 400}")
    replay.close()
    whole = pack(path, tmp_path / "whole.tar")
    for limit in (whole["bytes"] - 1000, whole["bytes"] - 50_000):
        less = pack(path, tmp_path / "less.tar", limit)
        assert less["bytes"] <= limit
        assert 0 < less["positions"] < whole["positions"]
    folder = unpack(tmp_path / "less.tar", tmp_path / "there")
    assert len(Dataset.open(folder.replay)) == less["positions"]


@pytest.mark.integration
def test_a_large_learner_is_rounded(tmp_path: Path) -> None:
    """The optimiser state is rounded first; the weights are always exact."""
    path = tmp_path / "run"
    made = config(net={"kind": "resnet", "blocks": 2, "filters": 48}, replay={"start": 50})
    go(made, path, 8)
    exact = pack(path, tmp_path / "exact.tar")
    assert exact["half"] == []
    slack = 64 * 1024
    seen: list[list[str]] = []
    for limit in range(int(1.5 * exact["bytes"]), slack, -60_000):
        try:
            actual = pack(path, tmp_path / "small.tar", limit)
        except BadPack:
            break
        assert actual["bytes"] <= limit
        if not seen or seen[-1] != actual["half"]:
            seen.append(actual["half"])
    with pytest.raises(BadPack, match="the learner alone"):
        pack(path, tmp_path / "none.tar", limit)
    assert not (tmp_path / "none.tar").exists()
    steps = ["optimiser", "average", "generation"]
    assert seen == [steps[:n] for n in range(4)]
    folder = unpack(tmp_path / "small.tar", tmp_path / "there")
    first, second = (
        read_checkpoint(checkpoints(p / "checkpoints")[0]) for p in (path, folder.path)
    )
    assert all(torch.equal(first.weights[n], second.weights[n]) for n in first.weights)
    result = go(None, folder.path, 8, resume=True)
    assert result.step >= first.step


def test_invalid_folders(run: Path, tmp_path: Path) -> None:
    with pytest.raises(BadRun, match="has no run"):
        pack(tmp_path / "none", tmp_path / "x.tar")
    pack(run, tmp_path / "run.tar")
    with pytest.raises(BadZero, match="not empty"):
        unpack(tmp_path / "run.tar", run)
    with pytest.raises(FileNotFoundError):
        unpack(tmp_path / "nothing.tar", tmp_path / "there")
    with pytest.raises(BadZero, match="name a new folder"):
        unpack(tmp_path / "run.tar", Path())


def test_a_damaged_shard_is_not_packed(run: Path, tmp_path: Path) -> None:
    """Its bytes would have good checksums afterwards."""
    path = tmp_path / "run"
    shutil.copytree(run, path)
    shard = sorted((path / "replay").glob("*.value.npy"))[-1]
    data = bytearray(shard.read_bytes())
    data[-1] ^= 1
    shard.write_bytes(data)
    with pytest.raises(BadPack, match=r"is damaged.*resume the run"):
        pack(path, tmp_path / "run.tar")
    assert not (tmp_path / "run.tar").exists()


def test_unrelated_files(run: Path, tmp_path: Path) -> None:
    """A wrong name overwrites no file; a packed run may be overwritten."""
    mine, other = tmp_path / "mine.txt", tmp_path / "other.tar"
    mine.write_text("years of work")
    with tarfile.open(other, "w") as tar:
        tar.add(mine, "mine.txt")
    for file in (mine, other):
        before = file.read_bytes()
        with pytest.raises(BadZero, match=rf"{file.name} exists and is not a packed run"):
            pack(run, file)
        assert file.read_bytes() == before
    pack(run, tmp_path / "run.tar")
    pack(run, tmp_path / "run.tar", players=2)
    assert len(unpack(tmp_path / "run.tar", tmp_path / "there").generations()) == 2


def test_unwritable_targets(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages name the requested path, never the temporary file."""
    with pytest.raises(BadZero, match=rf"^{tmp_path} is a folder: name a file"):
        pack(run, tmp_path)
    with pytest.raises(BadZero, match=rf"^there is no folder {tmp_path / 'no'} for run\.tar"):
        pack(run, tmp_path / "no" / "run.tar")
    long = tmp_path / ("x" * 300)
    with pytest.raises(OSError, match="too long"):
        pack(run, long)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tarfile.TarFile, "addfile", full)
    with pytest.raises(OSError, match="No space left on device; nothing") as error:
        pack(run, tmp_path / "run.tar")
    assert error.value.filename == str(tmp_path / "run.tar")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["head.json", "sums.json", "generation/about.json"])
def test_a_flipped_bit_in_a_member(run: Path, tmp_path: Path, name: str) -> None:
    """The head defines the run: another seed would make it another run."""
    file = tmp_path / "run.tar"
    pack(run, file)
    with tarfile.open(file) as tar:
        entry = tar.getmember(name)
    data = bytearray(file.read_bytes())
    begin, end = entry.offset_data, entry.offset_data + entry.size
    digits = [place for place in range(begin, end) if chr(data[place]).isdigit()]
    data[digits[-1]] ^= 1  # one digit is another one: all of it can be read as before
    file.write_bytes(data)
    with pytest.raises(BadPack, match=r"run\.tar is damaged: wrong checksum"):
        unpack(file, tmp_path / "there")
    assert not (tmp_path / "there").exists()


def test_older_files_have_no_checksums(run: Path, tmp_path: Path) -> None:
    pack(run, tmp_path / "run.tar")
    with tarfile.open(tmp_path / "run.tar") as new, tarfile.open(tmp_path / "old.tar", "w") as old:
        for entry in new.getmembers():
            if entry.name != "sums.json":
                old.addfile(entry, new.extractfile(entry))
    folder = unpack(tmp_path / "old.tar", tmp_path / "there")
    assert folder.config == ZeroFolder.read(run).config
    pack(run, tmp_path / "old.tar")  # it is a packed run, too


def test_damaged_files(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.tar"
    pack(run, file)
    data = file.read_bytes()
    chance = np.random.default_rng(1)
    for cut in (0, 100, 3000, len(data) // 2, len(data) - 12_000):
        (tmp_path / "cut.tar").write_bytes(data[:cut])
        with pytest.raises(BadPack, match=r"cut\.tar"):
            unpack(tmp_path / "cut.tar", tmp_path / "there")
        assert not (tmp_path / "there").exists()
    whole = files_in(unpack(file, tmp_path / "whole").path)
    accepted = 0
    for place in (_filling(file), *chance.integers(0, len(data) // 2, 24)):
        wrong = bytearray(data)
        wrong[place : place + 12] = bytes(chance.integers(0, 256, 12, dtype=np.uint8))
        (tmp_path / "wrong.tar").write_bytes(wrong)
        try:
            folder = unpack(tmp_path / "wrong.tar", tmp_path / "there")
        except BadPack:
            assert not (tmp_path / "there").exists()
            continue
        accepted += 1
        assert files_in(folder.path) == whole, "what was changed fills a block up"
        shutil.rmtree(folder.path)
    assert 0 < accepted < 20
    assert not list(tmp_path.glob(".*part"))


def files_in(path: Path) -> dict[str, bytes]:
    """All of a folder, by the names in it."""
    files = [one for one in path.rglob("*") if one.is_file()]
    return {str(one.relative_to(path)): one.read_bytes() for one in files}


def _filling(file: Path) -> int:
    """A position in a packed file followed by twelve unused bytes."""
    with tarfile.open(file) as tar:
        ends = [one.offset_data + one.size for one in tar.getmembers()]
    return next(end for end in ends if 0 < end % 512 <= 500)


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil-of-a-test", "checkpoints/../../evil"])
def test_an_unrelated_file_is_rejected(run: Path, tmp_path: Path, name: str) -> None:
    """Members are read by the names that belong there; nothing is written elsewhere."""
    file = tmp_path / "run.tar"
    pack(run, file)
    with tarfile.open(file, "a") as tar:
        entry = tarfile.TarInfo(name)
        entry.size = 4
        tar.addfile(entry, io.BytesIO(b"evil"))
    folder = unpack(file, tmp_path / "a" / "b")
    assert folder.generations()
    assert not list(tmp_path.rglob("*evil*"))
    assert not Path("/tmp/evil-of-a-test").exists()


def test_another_version(run: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "old.tar", "w") as tar:
        data = json.dumps({"format": 99}).encode()
        entry = tarfile.TarInfo("head.json")
        entry.size = len(data)
        tar.addfile(entry, io.BytesIO(data))
    with pytest.raises(BadPack, match="another version"):
        unpack(tmp_path / "old.tar", tmp_path / "there")
