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
