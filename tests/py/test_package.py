# SPDX-License-Identifier: MIT
"""The package as a whole: imports, public names, instruction sets, commands."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys

import pytest

import tengen
from tengen import Forbidden, Rule, Shape, Threat, _core
from tengen.cli.main import ALIASES, COMMANDS, main, make_parser
from tengen.game.board import _STOP_REASONS


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_importing_is_light() -> None:
    loaded = run("import sys, tengen; print(*sys.modules)").stdout.split()
    assert not {"torch", "numpy", "rich", "ray", "argparse"} & set(loaded)


def test_all_public_names_exist() -> None:
    assert [name for name in tengen.__all__ if not hasattr(tengen, name)] == []
    assert re.fullmatch(r"\d+\.\d+.*", tengen.__version__)
    with pytest.raises(AttributeError):
        _ = tengen.no_such_name


def test_enumerations_match_the_core() -> None:
    assert [str(rule) for rule in Rule] == _core.rule_names()
    assert [str(shape) for shape in Shape] == _core.shape_names()
    assert [str(threat) for threat in Threat] == _core.threat_names()
    assert ["none", *Forbidden] == _core.forbidden_names()
    assert list(_STOP_REASONS) == _core.ending_names()


def test_docstring_examples() -> None:
    assert doctest.testmod(tengen).failed == 0


def test_every_instruction_set_can_be_forced() -> None:
    code = (
        "import tengen, sys; b = tengen.Board(rule='renju')\n"
        "for m in 'h8 a1 i8 a3 j9 a5 j10 a7'.split(): b.push(m)\n"
        "threats = b.threats(minimum=tengen.Threat.TWO)\n"
        "print(tengen._core.simd_name(), threats, b.forbidden_points())"
    )
    answers = {}
    for name in _core.simd_available():
        used, _, answer = run(code, TENGEN_SIMD=name).stdout.partition(" ")
        assert used == name
        answers[name] = answer
    assert "scalar" in answers
    assert len(set(answers.values())) == 1


def test_an_unknown_instruction_set_is_rejected() -> None:
    result = run("import tengen; tengen.Board().threats()", TENGEN_SIMD="mmx")
    assert result.returncode != 0
    assert "TENGEN_SIMD=mmx is not available on this machine; available: scalar" in result.stderr


def test_the_command_line_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "play" in capsys.readouterr().out
    for message in (["--help"], ["--version"], ["play", "--help"], ["data", "convert", "--help"]):
        with pytest.raises(SystemExit) as caught:
            main(message)
        assert caught.value.code == 0


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("anaylse", "tengen analyse"), ("tournment", "tengen tournament"), ("xyzzy", "tengen --help")],
)
def test_an_unknown_command_gets_a_hint(
    typed: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([typed, "--help"])
    assert caught.value.code == 2
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_shows_examples(command: str) -> None:
    commands = make_parser(command)._subparsers
    assert commands is not None
    (action,) = commands._group_actions
    assert action.choices is not None
    help_text = dict(action.choices)[command].format_help()
    assert "examples:" in help_text
    names = [command, *(alias for alias, name in ALIASES.items() if name == command)]
    assert any(f"\n  tengen {name}" in help_text for name in names)


def test_aliases_are_accepted_and_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    for alias, command in ALIASES.items():
        assert command in COMMANDS
        with pytest.raises(SystemExit) as caught:
            main([alias, "--help"])
        assert caught.value.code == 0
        assert f"usage: tengen {command}" in capsys.readouterr().out
    main([])
    listed = capsys.readouterr().out
    assert not any(f" {alias} " in listed for alias in ALIASES)


def test_errors_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "/no/such/file.sgf"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("tengen show: ")
    assert error.count("\n") == 1
