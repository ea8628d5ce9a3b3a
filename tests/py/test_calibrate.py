# SPDX-License-Identifier: MIT
"""scripts/calibrate.py: the fit, the table, and a whole run on a small data set."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from scripts import calibrate
from scripts.calibrate import ENGINE, Curve, cross_entropy, fit, reliability, values_of, win_rates

from data_samples import make_set, random_rows

LIVELY = Path(__file__).parents[1] / "golden" / "mixnet" / "lively.net"


def test_scores_equal_those_of_the_core() -> None:
    logits = np.array([[4096, 0, -400_000], [0, 4096, -400_000], [0, 0, 9000], [6144, -1024, 2048]])
    win, loss = np.exp(1.5) + np.exp(0.5) / 2, np.exp(-0.25) + np.exp(0.5) / 2
    expected = [200, -200, 0, 200 * np.log(win / loss)]
    assert values_of(logits.astype(np.int32)) == pytest.approx(expected)


def test_the_fit_finds_the_curve_that_made_the_results() -> None:
    values = np.linspace(-900, 900, 4001)
    for curve in (ENGINE, Curve(150, 0), Curve(320, -40)):
        result = fit(values, win_rates(values, curve))
        assert result == pytest.approx(curve, abs=1e-6)
        best = cross_entropy(values, win_rates(values, curve), curve)
        for other in (Curve(curve.scale + 9, curve.shift), Curve(curve.scale, curve.shift + 9)):
            assert cross_entropy(values, win_rates(values, curve), other) > best
    assert win_rates(np.array([1e9, -1e9])) == pytest.approx([1, 0])


def test_bins() -> None:
    expected, results = np.array([0.05, 0.06, 0.55, 1.0]), np.array([0.0, 1.0, 1.0, 1.0])
    rows = reliability(expected, results, 10)
    assert [(row["from"], row["positions"]) for row in rows] == [(0, 2), (0.5, 1), (0.9, 1)]
    assert rows[0]["found"] == 0.5
    assert rows[0]["expected"] == pytest.approx(0.055)


def test_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = make_set(tmp_path / "data", random_rows(400))
    line = ["calibrate.py", str(LIVELY), str(data), "--positions", "60", "--bins", "5"]
    monkeypatch.setattr(sys, "argv", line)
    assert calibrate.main() == 0
    output = capsys.readouterr().out
    assert "| win rate | positions | expected | found |" in output
    assert "60 positions: " in output
    assert "units per logit, shift" in output
    monkeypatch.setattr(sys, "argv", [*line, "--json"])
    assert calibrate.main() == 0
    result = json.loads(capsys.readouterr().out)
    assert sum(row["positions"] for row in result["bins"]) == 60
    assert result["fitted_cross_entropy"] <= result["cross_entropy"]
