# SPDX-License-Identifier: MIT
"""`tengen bench`: output, and a repeatable signature."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from tengen import Rule, _core
from tengen.cli.main import main
from tengen.engine.bench import bench
from tengen.engine.errors import BadNet, BadOption

# Rule, options, depth.
Call: TypeAlias = tuple[int, dict[str, str], int]
LIVELY = Path(__file__).parents[1] / "golden" / "mixnet" / "lively.net"
CLASSICAL = {"preset": "classical", "net": "", "threads": "1", "memory": "16"}
CLASSICAL["search"] = "alphabeta"


@dataclass
class Result:
    nodes: int = 3000
    vcf_nodes: int = 1000
    solver_nodes: int = 50
    evaluations: int = 700
    seconds: float = 0.5
    signature: int = 0xBEEF
    positions: int = 4
    evaluator: tuple[str, str, int] = ("classical", "", 0)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """Requests to the core, which returns invented numbers."""
    result: list[Call] = []

    def bench(
        rule: int, options: dict[str, str], data: str, load: object, *, depth: int, **_: object
    ) -> Result:
        if options["memory"] == "1000000":
            raise MemoryError
        result.append((rule, options, depth))
        return Result(signature=0xBEEF + rule)

    monkeypatch.setattr(_core, "bench", bench)
    return result


def test_lines_for_scripts(calls: list[Call], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--preset", "classical"]) == 0
    lines = capsys.readouterr().out.splitlines()
    signatures = [line for line in lines if line.startswith("signature ")]
    assert signatures[0] == "signature freestyle 0000beef"
    assert [line.split()[1] for line in signatures] == [*Rule, "total"]
    assert len({line.split()[2] for line in signatures}) == 6
    assert [line for line in lines if line.startswith("nodes/s ")] == ["nodes/s 6000"] * 6
    assert lines.count("evaluations/s 1400") == 6
    assert lines.count("  evaluation: classical") == 6
    assert calls == [(n, CLASSICAL, 0) for n in range(len(Rule))]


def test_some_rules_and_another_preset(
    calls: list[Call], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--rule", "renju", "--rule", "Caro", "--preset", "classical-paper", "--depth", "7"]
    assert main(["bench", *arguments, "--search", "alphabeta", "--memory", "8"]) == 0
    output = capsys.readouterr().out
    paper = CLASSICAL | {"preset": "classical-paper", "memory": "8"}
    assert calls == [(2, paper, 7), (3, paper, 7)]
    assert output.index("signature renju") < output.index("signature caro ")
    assert main(["bench", "--rule", "caro", "--net", "classical"]) == 0
    assert "total" not in capsys.readouterr().out
    assert calls[-1] == (3, CLASSICAL | {"preset": "alphabeta", "net": "classical"}, 0)


def test_playouts_of_mcts(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--search", "mcts", "--rule", "renju", "--playouts", "60", "--memory", "4"]
    assert main(["bench", *arguments]) == 0
    first = capsys.readouterr().out.splitlines()
    assert first[0].startswith("signature renju ")
    assert first[1].startswith("playouts/s ")
    assert int(first[1].split()[1]) > 0
    assert first[2].startswith("evaluations/s ")
    assert main(["bench", *arguments]) == 0
    assert capsys.readouterr().out.splitlines()[0] == first[0]
    assert main(["bench", *arguments, "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert (output["search"], output["total"]["search"]) == ("mcts", "mcts")
    assert 0 < output["total"]["evaluations"] <= output["total"]["nodes"] + 9 <= 9 * 61
    more = bench(Rule.RENJU, search="mcts", playouts=61)
    assert f"{more.signature:08x}" != output["total"]["signature"]


def test_several_threads_have_no_signature(
    calls: list[Call], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--threads", "2", "--preset", "classical"]) == 0
    output = capsys.readouterr().out
    assert "signature" not in output
    assert output.count("nodes/s 6000\n") == 6
    assert calls[0][1]["threads"] == "2"
    assert main(["bench", "--threads", "2", "--preset", "classical", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["signature"] is None


def test_json(calls: list[Call], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--json", "--rule", "renju", "--rule", "caro", "--preset", "classical"]
    assert main(["bench", *arguments]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in result["rules"]] == ["renju", "caro"]
    assert result["total"]["nodes"] == 6000
    assert result["total"]["speed"] == 6000
    assert result["total"]["evaluation_speed"] == 1400
    assert result["total"]["evaluation"]["name"] == "classical"
    assert result["preset"] == "classical"
    assert result["rules"][0]["signature"] == "0000bef1"


def test_params(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    reported = [("RAZOR_MARGIN", 120, 40, 300, 12, "points a ply")]
    monkeypatch.setattr(_core, "tunables", lambda: reported)
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
    result = json.loads(capsys.readouterr().out)
    names = [entry["name"] for entry in result]
    assert names == sorted(set(names))
    assert {"LMR_SCALE", "RAZOR_BASE", "VCF_LEAF_NODES"} <= set(names)
    assert all(entry["min"] <= entry["value"] <= entry["max"] for entry in result)
    assert all(entry["meaning"] and entry["step"] > 0 for entry in result)


def test_no_memory(calls: list[Call], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--preset", "classical-paper", "--memory", "1000000"]) == 1
    assert "1,000,000 MiB" in capsys.readouterr().err


def test_missing_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tengen.engine.bench.DATA", tmp_path)
    assert main(["bench", "--rule", "renju", "--net", "classical"]) == 1
    assert "classical-renju.tables cannot be read" in capsys.readouterr().err


def test_the_real_signature_is_repeatable(capsys: pytest.CaptureFixture[str]) -> None:
    seen = []
    for depth in ("3", "3", "4"):
        assert main(["bench", "--rule", "renju", "--depth", depth, "--json"]) == 0
        seen.append(json.loads(capsys.readouterr().out)["rules"][0])
    assert seen[0]["signature"] == seen[1]["signature"] != seen[2]["signature"]
    assert seen[0]["nodes"] == seen[1]["nodes"] < seen[2]["nodes"]
    assert main(["bench", "--rule", "renju", "--depth", "2", "--preset", "classical-paper"]) == 0


def test_classical_by_two_names(capsys: pytest.CaptureFixture[str]) -> None:
    seen = []
    for message in (["--preset", "classical"], ["--net", "classical"]):
        assert main(["bench", "--rule", "caro", "--depth", "4", "--json", *message]) == 0
        seen.append(json.loads(capsys.readouterr().out)["total"])
    assert seen[0]["signature"] == seen[1]["signature"]
    assert seen[1]["evaluation"]["about"] == "as requested"


def test_a_net(capsys: pytest.CaptureFixture[str]) -> None:
    """Only under the rules of the net; naming another rule is an error."""
    assert main(["bench", "--net", str(LIVELY), "--depth", "2"]) == 0
    output = capsys.readouterr()
    assert output.out.count("signature ") == 1
    assert "signature freestyle " in output.out
    assert "  evaluation: mixnet (net lively)" in output.out
    assert output.err.count("skipped") == 4
    assert "this net is not for renju 15x15: it is for freestyle, size 5 to 22" in output.err
    assert main(["bench", "--net", str(LIVELY), "--rule", "renju"]) == 1
    assert "not for renju" in capsys.readouterr().err
    assert main(["bench", "--net", "no-such-net"]) == 1
    assert "there is no file 'no-such-net'" in capsys.readouterr().err


def test_the_bench_in_python() -> None:
    once, again = (bench(Rule.FREESTYLE, net=str(LIVELY), depth=2) for _ in range(2))
    plain = bench(Rule.FREESTYLE, "classical", depth=2)
    assert once.signature == again.signature != plain.signature
    assert once.evaluations > 0
    assert once.evaluation_speed > 0
    assert str(once.evaluation) == "mixnet (net lively)"
    with pytest.raises(BadOption, match="no bench of 'random'"):
        bench(Rule.FREESTYLE, "random")
    with pytest.raises(BadNet, match="not for caro"):
        bench(Rule.CARO, net=str(LIVELY))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--rule", "chess"],
        ["--preset", "random"],
        ["--search", "deepest"],
        ["--search", "mcts", "--playouts", "0"],
        ["--depth", "0"],
        ["--threads", "0"],
        ["--preset", "classical", "--net", "classical"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["bench", *arguments])
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err
