# SPDX-License-Identifier: MIT
"""Matches between neighbouring levels: schedule, overrides, resuming, the table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import levels
from tengen.arena import MatchFolder, TimeControl
from tengen.engine.levels import LEVELS


def _matches(*given: str) -> list[levels.Match]:
    return levels.matches(levels.options(given))


def test_all_neighbouring_levels_play() -> None:
    listed = _matches()
    assert len(listed) == 4 * 9
    assert {str(match.rule) for match in listed} == {"freestyle", "standard", "renju", "caro"}
    assert all(match.upper.number == match.lower.number + 1 for match in listed)
    assert len({match.name for match in listed}) == len(listed)


def test_alternatives_are_played_against_all_variants_of_the_neighbours() -> None:
    given = ["--rules", "renju", "--levels", "7-9"]
    listed = _matches(
        *given, "--override", "8:nodes=20000|40000,depth=none", "--override", "9:lines=2"
    )
    result = [(m.upper.number, m.upper.nodes, m.lower.nodes) for m in listed]
    nine = LEVELS[9].nodes
    seven = LEVELS[7].nodes
    assert result == [(8, 20000, seven), (8, 40000, seven), (9, nine, 20000), (9, nine, 40000)]
    assert all(match.upper.lines == 2 for match in listed if match.upper.number == 9)
    assert LEVELS[8].nodes not in (20000, 40000)  # the table itself is not touched


def test_a_folder_belongs_to_its_options() -> None:
    given = ["--rules", "renju", "--levels", "8-9"]
    (plain,) = _matches(*given)
    (same,) = _matches(*given, "--override", f"8:nodes={LEVELS[8].nodes}", "--games", "2")
    (other,) = _matches(*given, "--override", "8:nodes=7")
    assert plain.name == same.name != other.name


def test_the_limit_of_level_10_matters_where_it_plays() -> None:
    few, many = (
        _matches("--rules", "caro", "--levels", "8-10", "--full", f"nodes={nodes}")
        for nodes in (1000, 2000)
    )
    same = {match.name for match in few} & {match.name for match in many}
    assert {name[: len("caro-09-08")] for name in same} == {"caro-09-08"}


def test_level_ten_uses_the_limit_option() -> None:
    (match,) = _matches("--rules", "caro", "--levels", "9-10", "--full", "time=0.5")
    upper, lower = match.definition.players
    assert upper.limit == TimeControl(time=0.5)
    assert lower.limit == TimeControl(nodes=LEVELS[9].nodes)


@pytest.mark.parametrize(
    "given",
    [
        ["--levels", "3"],
        ["--levels", "5-4"],
        ["--levels", "1-11"],
        ["--rules", "chess"],
        ["--full", "depth=3"],
        ["--full", "nodes=x"],
        ["--override", "8"],
        ["--override", "10:nodes=5"],
        ["--override", "8:wisdom=5"],
        ["--override", "8:nodes=many"],
        ["--override", "8:nodes=0"],
        ["--override", "8:lines=0"],
        ["--override", "8:lines=none"],
        ["--override", "8:nodes=none,depth=none"],
    ],
)
def test_invalid_options_are_reported(
    given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert levels.main([*given, "--out", str(tmp_path / "out")]) == 1
    assert "levels: no " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_odd_numbers_of_games_are_rejected() -> None:
    with pytest.raises(SystemExit):
        levels.options(["--games", "3"])


@pytest.mark.integration
def test_a_run_resumes_with_overrides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--rules", "renju", "--levels", "1-2", "--processes", "1", "--out", str(tmp_path)]
    given += ["--override", "2:nodes=64,depth=none"]
    assert levels.main([*given, "--games", "2"]) == 0
    assert levels.main([*given, "--games", "4"]) == 0
    row: dict[str, Any] = json.loads((tmp_path / "levels.json").read_text())["rows"][0]
    assert (row["games"], row["wins"] + row["draws"] + row["losses"]) == (4, 4)
    assert (row["upper"]["nodes"], row["faults"], sum(row["pairs"])) == (64, 0, 2)
    assert row["low"] <= row["score"] <= row["high"]
    folder = MatchFolder.read(tmp_path / row["folder"])
    assert sorted(game.number for game in folder.games) == [0, 1, 2, 3]
    # Level 2, the first player, has the limits of the override, not of the table.
    searched = [
        report.nodes
        for game in folder.games
        for place, report in enumerate(game.reports)
        if (place + game.opening_moves) % 2 == (game.black != 0)
    ]
    assert 64 <= max(searched) < (LEVELS[2].nodes or 0) // 2
    assert "| renju | 2 (nodes=64" in capsys.readouterr().out


def test_a_run_ends_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--rules", "renju", "--processes", "1", "--out", str(tmp_path), "--seconds", "0"]
    assert levels.main(given) == 0
    assert "1800 games are left" in capsys.readouterr().err
