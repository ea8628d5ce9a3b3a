# SPDX-License-Identifier: MIT
"""Deprecated names, keywords, options and subcommands work and warn."""

from __future__ import annotations

import argparse
import importlib
import math
import os
import sys
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

import pytest

from tengen.arena import MatchGame, MoveReport, Player, TimeControl
from tengen.data import Manifest
from tengen.game.rule import Rule
from tengen.util.deprecation import (
    add_deprecated_command,
    add_deprecated_option,
    deprecated_modules,
    deprecated_names,
    renamed_fields,
    renamed_keywords,
)


def test_names() -> None:
    lookup = deprecated_names("math", {"circle": "pi", "join": "os.path:join"})
    with pytest.warns(DeprecationWarning, match=r"math\.circle.*math\.pi"):
        assert lookup("circle") is math.pi
    with pytest.warns(DeprecationWarning, match=r"os\.path\.join"):
        assert lookup("join")("a", "b").startswith("a")
    with pytest.raises(AttributeError, match="square"):
        lookup("square")


def test_modules() -> None:
    deprecated_modules({"tengen.test_old_path": "os.path"})
    with pytest.warns(DeprecationWarning, match=r"tengen\.test_old_path.*os\.path"):
        module = importlib.import_module("tengen.test_old_path")
    assert module is os.path
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("tengen.test_no_path")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tengen.data:View", "tengen.data:DatasetView"),
        ("tengen.data:permutation", "tengen.data:Permutation"),
        ("tengen.export.checks:BOUNDS", "tengen.export.verify:BOUNDS"),
        ("tengen.export.net_file:write_net", "tengen.export.quantise:write_net"),
        ("tengen.nets.revive:reinit_dead_units", "tengen.nets.reinit_dead_units:reinit_dead_units"),
        ("tengen.train:Result", "tengen.train.loop:TrainResult"),
        ("tengen.zero.config:read_config", "tengen.zero.config:ZeroConfig.read"),
        ("tengen.zero.folder:ZeroFolder", "tengen.zero.zero_folder:ZeroFolder"),
        ("tengen.zero.generator:Generator", "tengen.zero.play.generator:GameGenerator"),
        ("tengen.zero.loop:Parts", "tengen.zero.loop:RunFactories"),
        ("tengen.zero.loop:Result", "tengen.zero.loop:RunResult"),
        ("tengen.zero.selfplay:SelfPlay", "tengen.zero.play.selfplay:SelfPlay"),
        ("tengen.zero.settings:SelfPlaySettings", "tengen.zero.play.selfplay:SelfPlaySettings"),
        ("tengen.zero.ship:ship", "tengen.zero.release.release:make_release"),
    ],
)
def test_documented_names_of_version_0_1_0(old: str, new: str) -> None:
    """Names that its documentation mentions or its packages export."""

    def resolve(path: str) -> object:
        module, _, name = path.partition(":")
        return attrgetter(name)(importlib.import_module(module))

    module = old.partition(":")[0]
    if getattr(sys.modules.get(module), "__name__", module) != module:
        del sys.modules[module]  # warns at the first import only
    with pytest.warns(DeprecationWarning, match="is deprecated: use tengen"):
        result = resolve(old)
    assert result == resolve(new)


def test_keywords() -> None:
    @renamed_keywords(least="minimum")
    def double(minimum: int) -> int:
        return 2 * minimum

    assert double(minimum=3) == 6
    with pytest.warns(DeprecationWarning, match="least.*minimum"):
        assert double(least=3) == 6  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="least"):
        double(minimum=1, least=3)  # type: ignore[call-arg]


def test_fields() -> None:
    @renamed_fields(control="limit")
    @dataclass(frozen=True, slots=True)
    class Player:
        limit: int = 0

    with pytest.warns(DeprecationWarning, match="control.*limit"):
        player = Player(control=3)  # type: ignore[call-arg]
    assert player == Player(3)
    with pytest.warns(DeprecationWarning, match="control.*limit"):
        assert player.control == 3  # type: ignore[attr-defined]


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="test")
    add_deprecated_option(result, result.add_argument("--max-time", type=float), "--most")
    add_deprecated_option(result, result.add_argument("--fast", action="store_true"), "--quick")
    add_deprecated_option(
        result, result.add_argument("--size", type=int, choices=[1, 2]), "--lines"
    )
    return result


@pytest.mark.parametrize("spelling", [["--most", "2.5"], ["--most=2.5"], ["--max-time", "2.5"]])
def test_options(spelling: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    args = parser().parse_args([*spelling, "--quick"])
    assert (args.max_time, args.fast, args.size) == (2.5, True, None)
    noted = capsys.readouterr().err
    assert "--quick is deprecated: use --fast" in noted
    assert ("--max-time" in noted) == spelling[0].startswith("--most")


def test_old_options_are_checked_and_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["--lines", "3"])
    assert "--lines" in capsys.readouterr().err
    assert "--lines" not in parser().format_help()
    assert parser().parse_args([]).fast is False


@pytest.mark.parametrize("name", ["release", "ship"])
def test_commands(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = argparse.ArgumentParser()
    commands = result.add_subparsers(dest="command")
    commands.add_parser("release").add_argument("--out")
    add_deprecated_command(commands, "ship", "release")
    args = result.parse_args([name, "--out", "x"])
    assert (args.command, args.out) == ("release", "x")
    notes = capsys.readouterr().err.splitlines()
    assert len(notes) == (name == "ship")
    assert all("ship is deprecated: use release" in note for note in notes)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("tengen.arena", "ArenaBusy", "FolderLocked"),
        ("tengen.arena", "BadState", "BadRun"),
        ("tengen.arena", "Folder", "MatchFolder"),
        ("tengen.arena", "Game", "MatchGame"),
        ("tengen.arena", "Told", "MoveReport"),
        ("tengen.arena", "run", "run_match"),
        ("tengen.cluster", "Done", "TaskOutcome"),
        ("tengen.cluster", "Notes", "ProgressRecord"),
        ("tengen.reference", "Outcome", "ReferenceOutcome"),
        ("tengen.reference", "Verdict", "PointReport"),
        ("tengen.solver", "Answer", "NoProof"),
        ("tengen.solver", "Progress", "SolverProgress"),
        ("tengen.tune", "Entry", "TuneIteration"),
        ("tengen.tune", "Folder", "TuneFolder"),
        ("tengen.tune", "Outcome", "TrialResult"),
        ("tengen.tune", "Plan", "TunePlan"),
        ("tengen.tune", "Trial", "TuneTrial"),
        ("tengen.tune", "Walk", "SpsaState"),
        ("tengen.tune", "run", "run_tuning"),
    ],
)
def test_names_of_version_0_1_0(module: str, old: str, new: str) -> None:
    home = importlib.import_module(module)
    with pytest.warns(DeprecationWarning, match=new):
        assert getattr(home, old) is getattr(home, new)


NAMES = {
    "arena": "ArenaBusy ArenaFailed BadArena BadState Definition Elo Folder Game GameScore Player"
    " Ratings Sprt Standings TimeControl Told elo_of_games elo_of_pairs openings_for rate run"
    " standings",
    "cluster": "Cluster Done Failure LocalCluster Notes cores",
    "engine": "DEFAULT_PRESET LEVELS OPTIONS PRESETS Analysis AnyEngine BadLimit BadNet BadOption"
    " BadTables Bound Engine EngineBusy EngineClosed EngineDied EngineRefused EngineSilent"
    " Evaluation Info Level Limit NotPondering Option Played PovScore Progress Score",
    "game": "MAX_SIZE MIN_SIZE PASS BadLimit BadNotation BadPosition BadRecord Board Colour"
    " Forbidden ForbiddenMove GameOver IllegalMove Move Outcome Rule Shape TengenError Threat",
    "game.records": "FORMATS Format Node Record dumps format_of loads losses read read_openings"
    " write write_bytes write_openings write_text",
    "game.render": "board_svg board_text",
    "reference": "BLACK DIRECTIONS EMPTY PASS RULES WHITE ForbiddenMoveError IllegalMoveError"
    " Outcome ReferenceBoard Verdict symmetries",
    "solver": "Answer BadLimit BadProof Cancel Cancelled Defences Goal Progress Proof ProofNode"
    " Solver SolverBusy Stats Status defences solve",
    "tune": "BadTuning Entry Folder Outcome Override Parameter Plan Spsa Trial Walk core_parameters"
    " match_of run select",
    "web": "make_app",
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("package", NAMES)
def test_all_names_of_version_0_1_0(package: str) -> None:
    home = importlib.import_module(f"tengen.{package}")
    assert all(hasattr(home, name) for name in NAMES[package].split())


@pytest.mark.parametrize(
    ("value", "old", "new"),
    [
        (Player("a", "random", limit=TimeControl(nodes=1)), "control", "limit"),
        (Manifest("test", Rule.RENJU, 9, 4, redistributable=True), "ships", "redistributable"),
        (MatchGame(0, 0, 0, 1, 0, 0, (), None, "five", "why"), "words", "detail"),
        (MatchGame(0, 0, 0, 1, 0, 0, (), None, "five", "", (MoveReport(1),)), "told", "reports"),
        (MatchGame(0, 0, 0, 1, 0, 0, (), None, "five", seconds=2.0), "spent", "seconds"),
    ],
)
def test_fields_of_version_0_1_0(value: Any, old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=new):
        assert getattr(value, old) == getattr(value, new)
    values = {entry.name: getattr(value, entry.name) for entry in fields(value)}
    values[old] = values.pop(new)
    with pytest.warns(DeprecationWarning, match=new):
        assert type(value)(**values) == value
