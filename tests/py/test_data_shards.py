# SPDX-License-Identifier: MIT
"""Data sets on disk: atomic writes, and error messages for damaged sets."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data_samples import make_set, part, random_rows, same
from tengen import Rule
from tengen.data import (
    BadData,
    Batch,
    DataBusy,
    Dataset,
    DataWriter,
    Manifest,
    Unfinished,
    Validation,
    shards,
)
from tengen.data.summary import summarise

ROWS = random_rows(250, extras=True)
PLAIN = Manifest("test", Rule.RENJU, 9, 4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_set(tmp_path / "set", ROWS)


def everything(folder: Path) -> Batch:
    result = Dataset.open(folder)
    result.verify()
    return result.rows(np.arange(len(result)))


# --- writing ---


@pytest.mark.parametrize("extras", [False, True])
@pytest.mark.parametrize("size", [5, 15, 22])
def test_what_is_written_is_read(tmp_path: Path, size: int, extras: bool) -> None:
    rows = random_rows(120, size, seed=size, extras=extras)
    assert same(everything(make_set(tmp_path / "set", rows, size=size, shard=50)), rows)


def test_shards_have_the_requested_size(tmp_path: Path) -> None:
    with DataWriter.create(tmp_path / "set", PLAIN, shard_positions=60) as writer:
        for start in range(0, 250, 7):  # in small pieces
            writer.add(part(ROWS, slice(start, start + 7)))
        assert writer.manifest.positions == 240
    assert [s.positions for s in Manifest.load(tmp_path / "set").shards] == [60, 60, 60, 60, 10]
    assert same(everything(tmp_path / "set"), ROWS)


def test_added_arrays_may_be_reused(tmp_path: Path) -> None:
    rows = random_rows(20)
    reused = Batch(*(column.copy() for column in rows[:4]))
    with DataWriter.create(tmp_path / "set", PLAIN) as writer:
        writer.add(reused)
        reused.value[:] = 0
        reused.board[:] = 0
    assert same(everything(tmp_path / "set"), rows)


def test_adding_to_a_set(folder: Path) -> None:
    before = Dataset.open(folder)
    with DataWriter.append(folder) as writer:
        assert writer.next_game() == 36
        writer.add(part(ROWS, slice(0, 40)))
    after = Dataset.open(folder)
    assert len(after) == 290
    wanted = np.r_[0:250, 0:40]
    assert same(everything(folder), part(ROWS, wanted))
    # What was for validation stays so.
    old, new = before.split("validation"), after.split("validation")
    kept = new.numbers(np.arange(len(new)))
    assert kept[: len(old)].tolist() == old.numbers(np.arange(len(old))).tolist()
    assert len(before) == 250  # the open one sees nothing of it


def test_old_shards_are_dropped(folder: Path) -> None:
    """Counts stay, names continue, and the last shard is never dropped."""
    whole = Dataset.open(folder)
    first = whole.manifest.shards[0]
    with DataWriter.append(folder) as writer:
        writer.finish({"games": 5})
        assert writer.drop_first(0) == 0
        assert writer.drop_first(1) == first.positions
        left = Dataset.open(folder)
        left.verify()
        assert len(left) == len(whole) - first.positions
        assert not first.file(folder, "board").exists()
        assert left.manifest.counts == {"games": 5}
        writer.drop_first(1000)
        assert len(writer.manifest.shards) == 1
        last = int(writer.manifest.shards[0].name)
        writer.write(left.slice(0, 3))
        assert int(writer.manifest.shards[-1].name) == last + 1
    Dataset.open(folder).verify()


def test_an_error_drops_what_was_not_written(tmp_path: Path) -> None:
    writer = DataWriter.create(tmp_path / "set", PLAIN, shard_positions=100)

    def fail() -> None:
        with writer:
            writer.add(ROWS)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert same(everything(tmp_path / "set"), part(ROWS, slice(0, 200)))
    with pytest.raises(BadData, match="the writer is closed"):
        writer.write(ROWS)


def test_one_writer_at_a_time(folder: Path) -> None:
    with DataWriter.append(folder), pytest.raises(DataBusy, match="another process"):
        DataWriter.append(folder)
    with DataWriter.append(folder):
        pass


def test_an_unrelated_folder(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadData, match="already has a data set"):
        DataWriter.create(folder, PLAIN)
    DataWriter.create(folder, PLAIN, overwrite=True).close()
    assert len(Dataset.open(folder)) == 0
    assert not list(folder.glob("*.npy"))
    (tmp_path / "thesis.tex").write_text("important")
    with pytest.raises(BadData, match=r"other files .*thesis.tex"):
        DataWriter.create(tmp_path, PLAIN, overwrite=True)


def test_an_empty_set(tmp_path: Path) -> None:
    DataWriter.create(tmp_path / "set", PLAIN).close()
    result = Dataset.open(tmp_path / "set")
    result.verify()
    assert (len(result), len(result.split("train")), len(result.split("validation"))) == (0, 0, 0)
    assert result.rows([]).board.shape == (0, 21)
    assert summarise(result).positions == 0


def test_leftovers_are_removed(folder: Path) -> None:
    left = [folder / name for name in ("00003.board.npy", "00004.move.npy.part")]
    for path in left:
        path.write_bytes(b"half")
    assert same(everything(folder), ROWS)
    DataWriter.append(folder).close()
    assert not any(path.exists() for path in left)
    assert same(everything(folder), ROWS)


# --- rows that make no sense ---


def changed(column: str, place: Any, value: int, rows: Batch = ROWS) -> Batch:
    new = getattr(rows, column).copy()
    new[place] = value
    return rows._replace(**{column: new})


PLAYED = ROWS._replace(result=np.full(250, 2, np.uint8), root=np.full((250, 2), 127, np.uint8))
TWICE = ROWS._replace(move=ROWS.move[:, [0, 0, 0, 0]], prob=np.full((250, 4), 60, np.uint8))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (changed("board", (17, 3), 0b11), "row 17: a point with stone 3"),
        (changed("board", (9, 20), 0b100), "row 9: bits set after the last point"),
        (changed("move", (8, 1), 81), "row 8: a move off the 9x9 board"),
        (changed("prob", 4, 0), "row 4: no policy move with a weight"),
        (changed("value", 5, 128), "row 5: win and loss sum to more than 255"),
        (changed("result", 6, 3, PLAYED), "row 6: result is neither"),
        (changed("root", 7, 128, PLAYED), "row 7: win and loss of the root sum to more than 255"),
        (changed("to_move", 6, 3), "row 6: to_move is neither"),
        (TWICE, "row 0: a policy move given twice"),
        (ROWS._replace(value=ROWS.value[:, :1]), r"column 'value' has shape \(250, 1\)"),
        (ROWS._replace(prob=ROWS.prob[:9]), "column 'prob' has shape"),
        (ROWS._replace(prob=ROWS.prob / 2), "column 'prob' holds float64"),
        (ROWS._replace(prob=ROWS.prob.astype(int) + 200), "numbers that uint8 cannot hold"),
    ],
)
def test_invalid_rows(tmp_path: Path, rows: Batch, message: str) -> None:
    with DataWriter.create(tmp_path / "set", PLAIN) as writer:
        with pytest.raises(BadData, match=message):
            writer.add(rows)
        with pytest.raises(BadData, match=message):
            writer.write(rows)
    assert len(Dataset.open(tmp_path / "set")) == 0


def test_a_move_on_a_stone(tmp_path: Path) -> None:
    full = changed("board", 3, 0b10101010)
    full = changed("board", (3, 20), 0b10, full)
    with (
        DataWriter.create(tmp_path / "set", PLAIN) as writer,
        pytest.raises(BadData, match="row 3: a policy move on a stone"),
    ):
        writer.add(full)


def test_columns_must_stay_the_same(folder: Path, tmp_path: Path) -> None:
    with (
        DataWriter.append(folder) as writer,
        pytest.raises(BadData, match="the data set has board, move"),
    ):
        writer.write(random_rows(10))
    by_game = replace(PLAIN, validation=Validation(unit="game"))
    with (
        DataWriter.create(tmp_path / "games", by_game) as writer,
        pytest.raises(BadData, match="rows need the column 'game'"),
    ):
        writer.add(random_rows(10))


# --- damage ---


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def longer(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


def other_shape(path: Path) -> None:
    np.save(path, np.zeros((100, 3), np.uint8))


def other_type(path: Path) -> None:
    np.save(path, np.zeros((100, 4), np.float32))


def garbage(path: Path) -> None:
    path.write_bytes(b"\x93NUMPY\x01\x00\xff\xff garbage")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (truncated, r"00001.prob.npy is cut off: it has 527 of 528 bytes; restore"),
        (longer, "00001.prob.npy is too long"),
        (other_shape, r"has uint8 \[100, 3\], the manifest says uint8 \[100, 4\]"),
        (other_type, "has float32"),
        (garbage, "00001.prob.npy is not a column of numbers"),
        (Path.unlink, "00001.prob.npy is missing: restore"),
    ],
)
def test_a_damaged_column(folder: Path, damage: Callable[[Path], None], message: str) -> None:
    damage(folder / "00001.prob.npy")
    with pytest.raises(BadData, match=message):
        Dataset.open(folder)


@pytest.mark.integration
def test_a_header_with_a_changed_bit(folder: Path) -> None:
    """NumPy's parser of headers fails in several ways."""
    path = folder / "00001.prob.npy"
    whole = path.read_bytes()
    data = Dataset.open(folder)
    refused = 0
    for bit in range(8 * 128):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        with pytest.raises(BadData):
            data.verify()
        try:
            Dataset.open(folder)
        except BadData:
            refused += 1
    assert refused > 300


def test_verify_finds_a_changed_byte(folder: Path) -> None:
    path = folder / "00002.value.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    result = Dataset.open(folder)  # sizes are right
    with pytest.raises(BadData, match=r"00002.value.npy is damaged: its CRC is"):
        result.verify()


def test_verify_counts_bytes(folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    Dataset.open(folder).verify(lambda done, total: seen.append((done, total)))
    size = sum(path.stat().st_size for path in folder.glob("*.npy"))
    assert seen[-1] == (size, size)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 2, this version of tengen reads 1"),
        ({"format": None}, "format None"),
        ({"colour": "blue"}, "colour: unknown key"),
        ({"positions": 249}, "positions: 249, the shards have 250"),
        ({"rule": "chess"}, "no rule 'chess'"),
        ({"size": 4}, "no board of size 4"),
        ({"size": True}, "no board of size True"),
        ({"policy_moves": 0}, "policy_moves: 0 is out of range"),
        ({"ships": "yes"}, "redistributable: .* not 'yes'"),
        ({"shards": {}}, "shards: use a list"),
        ({"shards": [{"name": "00000"}]}, "shards\\[0\\].positions: the key is missing"),
        ({"validation": {"every": 1, "block": 5, "unit": "row"}}, "nothing to train on"),
        ({"validation": {"every": 2, "block": 5, "unit": "day"}}, "validation.unit: no 'day'"),
        ({"counts": {"games": -1}}, "counts.games: -1"),
        ({"name": 7}, "name: use a string"),
    ],
)
def test_a_wrong_manifest(folder: Path, change: dict[str, Any], message: str) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(BadData, match=f"manifest.json: .*{message}"):
        Dataset.open(folder)


@pytest.mark.parametrize("name", ["../../x", "1", "00000.npy", ""])
def test_a_shard_is_inside_its_folder(folder: Path, name: str) -> None:
    path = folder / "manifest.json"
    data = json.loads(path.read_text())
    data["shards"][0]["name"] = name
    path.write_text(json.dumps(data))
    with pytest.raises(BadData, match="names are five digits"):
        Dataset.open(folder)


@pytest.mark.parametrize("text", ["", "{", "[]", "\x00", "[" * 100_000])
def test_no_manifest_at_all(folder: Path, text: str) -> None:
    (folder / "manifest.json").write_text(text)
    with pytest.raises(BadData) as error:
        Dataset.open(folder)
    assert "import" not in str(error.value)  # the games of a run are never imported
    if text != "[]":
        assert str(error.value).endswith("from a copy, or make the data set again")
    assert ("manifest.json is damaged (it is empty)" in str(error.value)) == (text == "")
    (folder / "manifest.json").unlink()
    with pytest.raises(BadData, match=r"is not a data set: it has no manifest.json"):
        Dataset.open(folder)
    with pytest.raises(BadData, match="is not a data set"):
        Dataset.open(folder / "nowhere")
    folder.rename(folder.with_name("replay"))  # as in a run of zero learning
    (folder.with_name("replay") / "manifest.json").write_text("{}")
    with pytest.raises(BadData, match=r"it has no manifest.json; give .*replay$"):
        Dataset.open(folder.parent)


def test_the_manifest_round_trip(folder: Path) -> None:
    result = Manifest.load(folder)
    assert Manifest.from_dict(json.loads(json.dumps(result.to_dict()))) == result
    assert result.columns == ("board", "move", "prob", "value", "to_move", "ply", "game", "source")


def test_another_rule_than_required(folder: Path) -> None:
    result = Dataset.open(folder)
    assert result.require("freestyle", 9) is result
    with pytest.raises(BadData, match="has rule freestyle, not renju"):
        result.require("renju")


def test_an_unfinished_import(tmp_path: Path) -> None:
    with DataWriter.create(tmp_path / "set", replace(PLAIN, finished=False)) as writer:
        writer.write(ROWS, "a", {"games": 3})
    with pytest.raises(Unfinished, match=r"stopped after 250 positions; run the same"):
        Dataset.open(tmp_path / "set")
    assert len(Dataset.open(tmp_path / "set", unfinished=True)) == 250
    with DataWriter.append(tmp_path / "set") as writer:
        writer.finish({"games": 2})
    assert Dataset.open(tmp_path / "set").manifest.counts == {"games": 5}


# --- the disk is full, the process is killed ---


@pytest.mark.parametrize("at", [0, 3, 6])
def test_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    real, calls = shards._write_column, []

    def full(path: Path, data: Any) -> str:
        calls.append(path)
        if len(calls) > at:
            path.write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, data)

    monkeypatch.setattr(shards, "_write_column", full)
    with DataWriter.append(folder) as writer:
        text = r"No space left on device; shard 00003 was not written, .*250 .* free some"
        with pytest.raises(OSError, match=text) as error:
            writer.write(ROWS)
        assert error.value.errno == errno.ENOSPC
        assert not list(folder.glob("00003*"))
        monkeypatch.undo()
        writer.write(ROWS)  # there is space again
    assert same(everything(folder), part(ROWS, np.r_[0:250, 0:250]))


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from data_samples import random_rows
from tengen.data import DataWriter
rows = random_rows(250, extras=True)
with DataWriter.append(sys.argv[1], shard_positions=250) as writer:
    print("begun", flush=True)
    while True:
        writer.add(rows)
"""


@pytest.mark.integration
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 on this system")
def test_killed_in_the_middle(folder: Path) -> None:
    before = 1
    for delay in (0.0, 0.003, 0.011, 0.05):
        command = [sys.executable, "-c", WRITER, str(folder), str(Path(__file__).parent)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"begun\n"
            time.sleep(delay)
            process.kill()
        result = everything(folder)
        count = len(result.board) // 250
        assert len(result.board) == 250 * count
        assert count >= before
        assert same(result, part(ROWS, np.tile(np.arange(250), count)))
        before = count
    DataWriter.append(folder).close()
    named = Manifest.load(folder).shards
    assert len(list(folder.glob("*.npy*"))) == 8 * len(named)


# --- summaries ---


def test_summary(folder: Path) -> None:
    result = summarise(Dataset.open(folder))
    assert (result.positions, result.train, result.validation) == (250, 190, 60)
    assert result.win == pytest.approx(ROWS.value[:, 0].mean() / 255)
    assert result.win + result.draw + result.loss == pytest.approx(1)
    assert sum(result.scores) == 250
    assert result.games == 36
    assert ROWS.to_move is not None
    assert result.black == (ROWS.to_move == 1).sum()
    assert result.policy_moves == pytest.approx((ROWS.prob > 0).sum() / 250)
