# SPDX-License-Identifier: MIT
"""benchmarks/mixnet.py: tables and files, with invented speeds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import mixnet
from tengen.engine.bench import BenchResult
from tengen.game.rule import Rule


def made_up(rule: Rule, preset: str | None = None, **given: Any) -> BenchResult:
    """Classical makes a million nodes per second, nets the number in their file name."""
    assert given["positions"] == mixnet.POSITIONS
    seconds = 2.0 if given.get("lazy", True) else 4.0
    speed = 1_000_000 if preset else int(Path(given["net"]).stem)
    return BenchResult(str(rule), 8, speed * 2, 0, 0, speed // 2, seconds, 1)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(mixnet, "bench", made_up)
    monkeypatch.setattr(mixnet, "measure_loading", lambda row, *_: setattr(row, "load", 0.0125))
    monkeypatch.setattr(mixnet, "NATIVE", tmp_path)
    small, slow = tmp_path / "300000.net", tmp_path / "1500.onnx"
    for path in (small, slow):
        path.write_bytes(b"1" * 123_000)
    return [f"mixnet-s={small}", f"resnet-4b64f={slow}"]


def test_table_and_files(
    files: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    written = [tmp_path / "a.json", tmp_path / "a.md"]
    more = ["--json", str(written[0]), "--markdown", str(written[1]), "--rounds", "2"]
    monkeypatch.setattr(sys, "argv", ["mixnet.py", *files, *more])
    mixnet.main()
    output = written[1].read_text()
    assert output in capsys.readouterr().out
    line = next(line for line in output.splitlines() if line.startswith("| mixnet-s"))
    assert line.split(" | ")[1:7] == [
        "137,152", "37,636 (37 k)", "176", "0.12 (28.4)", "300,000 (428,000)", "0.3",
    ]  # fmt: skip
    assert "| resnet-4b64f | 0 | 297,924 (298 k) | 67,089 (67,089) | 0.12 (1.13) | 1,500 " in output
    assert "evaluations, as played 200, nodes, as played 200" in output
    assert "(paper, nodes: 243)" in output
    result = json.loads(written[0].read_text())
    assert [net["name"] for net in result["nets"]] == ["mixnet-s", "resnet-4b64f"]
    assert result["nets"][0]["played"]["nodes"] == [300_000.0] * 2
    assert result["nets"][1]["everywhere"]["nodes"] == [750.0]
    assert result["nets"][0]["path"] == "300000.net"


def test_faults(files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for word, reported in (
        ("alexnet", "no net 'alexnet'"),
        ("mixnet-s=none.net", "there is no file"),
    ):
        monkeypatch.setattr(sys, "argv", ["mixnet.py", word])
        with pytest.raises(SystemExit, match=reported):
            mixnet.main()


def test_number_texts() -> None:
    reported = [
        mixnet.rounded(number) for number in (1_234_567, 428_123, 1758, 999, 12.34, 0.123456)
    ]
    assert reported == ["1.23 million", "428,000", "1,760", "999", "12.3", "0.123"]
    assert mixnet.middle([]) == "-"


@pytest.mark.slow
def test_nets_with_random_weights(tmp_path: Path) -> None:
    from tengen.engine.bench import bench

    for name in ("mixnet-s", "resnet-4b64f"):
        path = mixnet.random_net(name, tmp_path)
        result = bench(Rule.FREESTYLE, net=str(path), depth=1, positions=1)
        assert result.evaluations > 0
