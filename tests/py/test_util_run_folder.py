# SPDX-License-Identifier: MIT
"""Run folders: one run per folder, and unreadable heads."""

from __future__ import annotations

import getpass
import json
from pathlib import Path

import pytest

from tengen.util.errors import BadRun, FolderLocked
from tengen.util.event_log import read_rows
from tengen.util.files import locked
from tengen.util.run_folder import RunFolder, user_and_machine


class Example(RunFolder):
    HEAD = "example.json"
    EVENT_LOG = "rows.jsonl"
    FORMAT = 3


def test_a_run_round_trip(tmp_path: Path) -> None:
    folder = Example(tmp_path / "deep" / "run")
    folder.path.mkdir(parents=True)
    with locked(folder.path):
        Example.check_unused(folder.path)
        assert not Example.has_run(folder.path)
        folder.write_head({"plan": [1, 2]})
        with pytest.raises(FolderLocked), locked(folder.path):
            pass
    assert Example.has_run(folder.path)
    head = Example.read_head(folder.path)
    assert (head["format"], head["plan"]) == (3, [1, 2])
    assert isinstance(head["tengen"], str)
    with pytest.raises(ValueError, match="event log"):
        folder.append({})
    with folder.open_event_log() as event_log:
        assert event_log.torn_bytes == 0
        folder.append({"row": 1})
    with pytest.raises(ValueError, match="closed"):
        folder.append({})
    assert list(read_rows(folder.path / "rows.jsonl")) == [{"row": 1}]


@pytest.mark.parametrize("name", ["example.json", "rows.jsonl"])
def test_one_run_per_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(BadRun, match="--resume"):
        Example.check_unused(tmp_path)


@pytest.mark.parametrize(
    ("data", "fact"),
    [
        (None, "no example.json"),
        (b"", "example.json"),
        (b"\xff", "example.json"),
        (b"[]", "format 3"),
        (b'{"format": 1}', "format 3"),
        (b"[" * 100_000, "example.json"),
    ],
)
def test_bad_heads(tmp_path: Path, data: bytes | None, fact: str) -> None:
    if data is not None:
        (tmp_path / "example.json").write_bytes(data)
    with pytest.raises(BadRun, match=fact):
        Example.read_head(tmp_path)


def test_a_file_is_not_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadRun, match="has no run"):
        Example.read_head(tmp_path / "file")


def test_user_and_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = user_and_machine()
    assert ours == user_and_machine()
    assert len(ours) == 32
    assert getpass.getuser() not in json.dumps(ours)
    monkeypatch.setattr(getpass, "getuser", lambda: "somebody else")
    assert user_and_machine() != ours
