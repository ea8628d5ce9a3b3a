# SPDX-License-Identifier: MIT
"""`tengen bench`: what it prints, and that the signature is one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest

from tengen import Rule, _core
from tengen.cli.main import main
from tengen.engine import tables

# Rule, tables, depth, preset, threads, bytes of memory.
Call: TypeAlias = tuple[int, bytes, int, int, int, int]
ROOM = 16 << 20


@dataclass
class Result:
    nodes: int = 3000
    vcf_nodes: int = 1000
    solver_nodes: int = 50
    evaluations: int = 700
    seconds: float = 0.5
    signature: int = 0xBEEF
    positions: int = 4


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """What the core was asked; it answers with made-up numbers."""
    found: list[Call] = []

    def bench(*asked: Any) -> Result:
        if asked[1] == b"broken":
            raise ValueError("no tables at all")
        if asked[5] > 1 << 40:
            raise MemoryError
        found.append(asked)
        return Result(signature=(1 << 32) + 0xBEEF + asked[0])

    monkeypatch.setattr(_core, "bench", bench)
    monkeypatch.setattr("tengen.cli.bench.read_tables", lambda rule: rule.encode())
    return found


def test_lines_for_scripts(calls: list[Call], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == 0
    lines = capsys.readouterr().out.splitlines()
    signatures = [line for line in lines if line.startswith("signature ")]
    assert signatures[0] == "signature freestyle 0000beee"
    assert [line.split()[1] for line in signatures] == [*Rule, "total"]
    assert len({line.split()[2] for line in signatures}) == 6
    assert [line for line in lines if line.startswith("nodes/s ")] == ["nodes/s 6000"] * 6
    assert calls == [(n, rule.encode(), 0, 0, 1, ROOM) for n, rule in enumerate(Rule)]


def test_some_rules_and_another_preset(
    calls: list[Call], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--rule", "renju", "--rule", "Caro", "--preset", "classical-paper", "--depth", "7"]
    assert main(["bench", *words, "--search", "alphabeta", "--memory", "8"]) == 0
    told = capsys.readouterr().out
    assert calls == [(2, b"", 7, 1, 1, 8 << 20), (3, b"", 7, 1, 1, 8 << 20)]
    assert told.index("signature renju") < told.index("signature caro ")
    assert main(["bench", "--rule", "caro", "--net", "classical"]) == 0
    assert "total" not in capsys.readouterr().out
    assert calls[-1] == (3, b"caro", 0, 0, 1, ROOM)


def test_several_threads_have_no_signature(
    calls: list[Call], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--threads", "2"]) == 0
    told = capsys.readouterr().out
    assert "signature" not in told
    assert told.count("nodes/s 6000\n") == 6
    assert calls[0][4] == 2
    assert main(["bench", "--threads", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["signature"] is None


def test_json(calls: list[Call], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--json", "--rule", "renju", "--rule", "caro"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found["rules"]] == ["renju", "caro"]
    assert found["total"]["nodes"] == 6000
    assert found["total"]["speed"] == 6000
    assert found["rules"][0]["signature"] == "0000bef0"


def test_params(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    told = [("RAZOR_MARGIN", 120, 40, 300, 12, "points a ply")]
    monkeypatch.setattr(_core, "tunables", lambda: told)
    assert main(["bench", "--params"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "name": "RAZOR_MARGIN",
            "value": 120,
            "min": 40,
            "max": 300,
            "step": 12,
            "meaning": "points a ply",
        }
    ]


def test_params_of_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--params"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = [entry["name"] for entry in found]
    assert names == sorted(set(names))
    assert {"LMR_SCALE", "RAZOR_BASE", "VCF_LEAF_NODES"} <= set(names)
    assert all(entry["min"] <= entry["value"] <= entry["max"] for entry in found)
    assert all(entry["meaning"] and entry["step"] > 0 for entry in found)


def test_broken_tables(
    calls: list[Call],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("tengen.cli.bench.read_tables", lambda rule: b"broken")
    assert main(["bench", "--rule", "renju"]) == 1
    words = "tengen bench: classical-renju.tables: no tables at all\n"
    assert capsys.readouterr().err == words
    assert main(["bench", "--preset", "classical-paper", "--memory", "2000000"]) == 1
    assert "there is no room for 2,000,000 MiB" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setattr(tables, "tables_name", lambda rule: "none.tables")
    assert main(["bench", "--rule", "renju"]) == 1
    assert "none.tables of the package cannot be read" in capsys.readouterr().err


def test_the_real_signature_is_repeatable(capsys: pytest.CaptureFixture[str]) -> None:
    seen = []
    for depth in ("3", "3", "4"):
        assert main(["bench", "--rule", "renju", "--depth", depth, "--json"]) == 0
        seen.append(json.loads(capsys.readouterr().out)["rules"][0])
    assert seen[0]["signature"] == seen[1]["signature"] != seen[2]["signature"]
    assert seen[0]["nodes"] == seen[1]["nodes"] < seen[2]["nodes"]
    assert main(["bench", "--rule", "renju", "--depth", "2", "--preset", "classical-paper"]) == 0


@pytest.mark.parametrize(
    "words",
    [
        ["--rule", "chess"],
        ["--preset", "random"],
        ["--net", "mixnet"],
        ["--search", "mcts"],
        ["--depth", "0"],
        ["--threads", "0"],
        ["--preset", "classical", "--net", "classical"],
    ],
)
def test_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["bench", *words])
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err
