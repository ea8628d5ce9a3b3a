# SPDX-License-Identifier: MIT
"""Checks the facts of docs/engine.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tengen.engine import OPTIONS, PRESETS

TEXT = (Path(__file__).parents[2] / "docs" / "engine.md").read_text(encoding="utf-8")


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(examples) == 1
    exec(compile(examples[0], "engine.md", "exec"), {})
    assert capsys.readouterr().out


def test_every_option_is_documented() -> None:
    for name in (*OPTIONS, *PRESETS):
        assert f"`{name}`" in TEXT
