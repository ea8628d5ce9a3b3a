# SPDX-License-Identifier: MIT
"""Tables of generalised PUCT: the fit, the best constants, a small resumable run."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import gpuct
from tune_fakes import HereCluster


def test_the_fit_reproduces_the_paper() -> None:
    best = {16: 0.05, 32: 0.15, 64: 0.15, 128: 0.2, 256: 0.2, 512: 0.25}
    tau, c = gpuct.fit(best)
    assert tau == pytest.approx(0.737, abs=0.01)
    assert c == pytest.approx(0.057, abs=0.004)

    def loss(power: float, factor: float) -> float:
        return math.fsum(abs(factor * d**power - one * d**0.5) for d, one in best.items())

    assert loss(tau, c) <= loss(0.737, 0.057)  # its numbers are of a coarser grid


def test_constant_factors_are_puct() -> None:
    tau, c = gpuct.fit(dict.fromkeys((16, 64, 1024), 0.7))
    assert tau == pytest.approx(0.5)
    assert c == pytest.approx(0.7)


def test_the_base_is_best_unless_another_wins() -> None:
    def rows(*scores: float | None) -> dict[float, gpuct.Row]:
        return {
            c: {"games": 0 if score is None else 2, "score": score}
            for c, score in zip((0.25, 1.0), scores, strict=True)
        }

    result = {16: rows(0.4, 0.45), 32: rows(0.6, 0.55), 64: rows(None, 0.75), 128: rows(0.5, 0.5)}
    assert gpuct.best_of(result, 0.5) == {16: 0.5, 32: 0.25, 64: 1.0, 128: 0.25}


def test_stopped_rows_are_reported() -> None:
    whole: dict[float, gpuct.Row] = {1.0: {"games": 4}, 2.0: {"games": 4}}
    short: dict[float, gpuct.Row] = {1.0: {"games": 3}, 2.0: {"games": 0}}
    assert not gpuct.missing_games({16: whole, 32: whole}, [16, 32], 4)
    reported = gpuct.missing_games({16: whole, 32: short}, [16, 32, 64], 4)
    assert "3 of 8 games at 32, none at 64" in reported
    assert "16" not in reported


@pytest.mark.parametrize(
    "wrong",
    [
        ["--games", "3"],
        ["--budgets", "a"],
        ["--constants", "1"],
        ["--second", "0"],
        ["--best", "16"],
    ],
)
def test_wrong_options_are_reported(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        gpuct.options(["--out", "x", *wrong])
    assert "error" in capsys.readouterr().err


@pytest.mark.integration
def test_a_small_run_is_reproducible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--budgets", "2,4", "--constants", "0.5,1,2", "--games", "2", "--net", "classical"]
    args = gpuct.options([*given, "--out", str(tmp_path), "--processes", "1"])
    args.stop = lambda: False
    gpuct.report(args, HereCluster())
    output = capsys.readouterr().out
    assert "stopped" not in output
    result = json.loads((tmp_path / "gpuct.json").read_text("utf-8"))
    assert [len(rows) for rows in result["constants"].values()] == [2, 2]
    assert [len(rows) for rows in result["gpuct"].values()] == [3, 3]
    assert all(row["games"] == 2 for rows in result["gpuct"].values() for row in rows.values())
    gpuct.report(args, HereCluster())
    assert capsys.readouterr().out == output
    other = gpuct.options([*given, "--games", "4", "--out", str(tmp_path)])
    other.stop = args.stop
    with pytest.raises(SystemExit, match="other options"):
        gpuct.report(other, HereCluster())


@pytest.mark.integration
def test_given_constants_count_in_the_fit(tmp_path: Path) -> None:
    given = ["--budgets", "2", "--second", "4", "--best", "16:0.7,64:0.9", "--constants", "0.5,1,2"]
    args = gpuct.options([*given, "--games", "2", "--net", "classical", "--out", str(tmp_path)])
    args.stop = lambda: False
    gpuct.report(args, HereCluster())
    result = json.loads((tmp_path / "gpuct.json").read_text("utf-8"))
    assert [int(budget) for budget in result["best"]] == [16, 64, 2]
    best = {int(budget): c for budget, c in result["best"].items()}
    assert (result["tau"], result["c"]) == gpuct.fit(best)
    assert list(result["gpuct"]) == ["4"]


def test_the_help_names_the_extras(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        gpuct.options(["--help"])
    text = capsys.readouterr().out
    assert all(name in text for name in gpuct.EXTRAS)
