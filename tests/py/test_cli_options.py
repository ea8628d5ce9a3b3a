# SPDX-License-Identifier: MIT
"""Options shared by several commands: valid and invalid values."""

from __future__ import annotations

import argparse

import pytest

from tengen.cli.common import duration, seconds
from tengen.cli.main import main


def test_seconds() -> None:
    """An optional limit: 0 is no limit."""
    assert seconds("0.5") == 0.5
    assert seconds("0") is None
    for text in ("-1", "nan", "inf", "soon"):
        with pytest.raises(argparse.ArgumentTypeError, match="is no number of seconds, 0 or more"):
            seconds(text)


@pytest.mark.parametrize(
    ("line", "note"),
    [
        (["bench", "--params", "--net", "x"], None),
        (["analyse", "h8", "--nodes", "1", "--option", "spread=0.5"], "utility_stdev_scale"),
        (["openings", "check", "no-file", "--judge", "classical"], "--evaluator"),
        (["net", "guess", "no-net"], "lazy"),
        (["data", "import", "zero15", "no-folder", "--out", "x"], "packed"),
        (["zero", "ship", "no-run"], "release"),
        (["match", "--resume", "no-run", "--patience", "1"], "--response-grace"),
    ],
)
def test_deprecated_names_print_one_note(
    line: list[str], note: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    main(line)
    notes = [text for text in capsys.readouterr().err.splitlines() if "is deprecated" in text]
    assert len(notes) == (note is not None)
    assert all(f"use {note}" in text for text in notes)


@pytest.mark.parametrize("unit", ["seconds", "minutes"])
def test_how_long_a_command_may_take(unit: str) -> None:
    """0 is rejected, because it could mean no time or no limit."""
    assert duration(unit)("0.5") == 0.5
    for text in ("0", "-1", "nan", "inf", "soon"):
        with pytest.raises(
            argparse.ArgumentTypeError,
            match=f"{text!r} is no number of {unit} above 0: leave the option out for no limit",
        ):
            duration(unit)(text)


@pytest.mark.parametrize("text", ["0", "nan"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["zero", "freestyle15", "--out", "x", "--minutes"], "is no number of minutes above 0"),
        (["train", "mixnet-s", "--out", "x", "--max-seconds"], "is no number of seconds above 0"),
        (["tune", "--max-seconds"], "is no number of seconds above 0"),
        (["match", "a", "b", "--max-seconds"], "is no number of seconds above 0"),
    ],
)
def test_commands_that_take_no_time(
    line: list[str], message: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*line, text])
    assert f"{text!r} {message}" in capsys.readouterr().err
