# SPDX-License-Identifier: MIT
"""Runs the examples of docs/solving.md and docs/formats/proof.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from solver_cases import open_three_proof
from tengen import Proof

DOCS = Path(__file__).parents[2] / "docs"


def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (DOCS / "solving.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 3
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for example in examples:  # each continues the previous one
        exec(compile(example, "solving.md", "exec"), names)
    assert "Black wins by continuous threats in 3 moves" in capsys.readouterr().out
    assert Proof.load("win.json.gz").verify()


def test_the_example_file_is_a_proof() -> None:
    text = (DOCS / "formats" / "proof.md").read_text(encoding="utf-8")
    result = re.search(r"```\n(\{.*?\})\n```", text, re.DOTALL)
    assert result
    assert Proof.from_json(json.loads(result[1])) == open_three_proof()
