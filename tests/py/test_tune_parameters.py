# SPDX-License-Identifier: MIT
"""Selection of parameters: the core's list, patterns, overrides; and the config of a run."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tengen import Rule
from tengen.arena.control import TimeControl
from tengen.tune.parameters import (
    BadTuning,
    Override,
    Parameter,
    core_parameters,
    parse_choice,
    select,
)
from tengen.tune.plan import TuneConfig, TunePlan, match_of, with_values
from tune_fakes import OPENINGS

KNOWN = {
    name: Parameter(name, 10, 0, 100, 5, f"about {name}")
    for name in ("LMR_BASE", "LMR_PV", "NULL_BASE", "NULL_DEPTH")
}


def names(*patterns: str) -> list[str]:
    return [entry.name for entry in select(KNOWN, patterns)]


def test_the_core_has_numbers_to_tune() -> None:
    result = core_parameters()
    assert len(result) > 40
    assert list(result) == sorted(result)
    assert result["LMR_SCALE"].low < result["LMR_SCALE"].start < result["LMR_SCALE"].high
    assert all(entry.meaning for entry in result.values())


def test_patterns() -> None:
    assert names("LMR_*") == ["LMR_BASE", "LMR_PV"]
    assert names("null_base", "*_BASE") == ["LMR_BASE", "NULL_BASE"]
    assert names("*", "!LMR_*") == ["NULL_BASE", "NULL_DEPTH"]
    assert names("!LMR_PV", "LMR_?V") == ["LMR_PV"]
    for patterns, message in (
        (["LMR_BASS"], "did you mean LMR_BASE"),
        (["X*"], "tengen tune --list"),
        (["LMR_*", "!LMR_X"], "no parameter"),
        (["LMR_*", "!*"], "name some"),
        ([], "name some"),
    ):
        with pytest.raises(BadTuning, match=message):
            names(*patterns)


def test_the_text_of_a_command_line() -> None:
    patterns, overrides = parse_choice(
        " LMR_*, !lmr_pv ,,null_base=4:1.5, NULL_DEPTH=:2,LMR_BASE=7"
    )
    assert patterns == ["LMR_*", "!lmr_pv", "null_base", "NULL_DEPTH", "LMR_BASE"]
    assert overrides == {
        "NULL_BASE": Override(4, 1.5),
        "NULL_DEPTH": Override(None, 2),
        "LMR_BASE": Override(7, None),
    }
    chosen = {entry.name: entry for entry in select(KNOWN, patterns, overrides)}
    assert (chosen["NULL_BASE"].start, chosen["NULL_BASE"].step) == (4, 1.5)
    assert (chosen["NULL_DEPTH"].start, chosen["NULL_DEPTH"].step) == (10, 2)
    for text in ("LMR_*=4", "LMR_PV=high", "!LMR_PV=3"):
        with pytest.raises(BadTuning):
            parse_choice(text)
    with pytest.raises(BadTuning, match="not selected"):
        select(KNOWN, ["LMR_*"], {"NULL_BASE": Override(1, 1)})


@pytest.mark.parametrize(
    "change",
    [
        {"start": -1},
        {"start": 101},
        {"start": math.nan},
        {"start": "5"},
        {"step": 0.4},
        {"step": 51},
        {"step": True},
        {"low": 0.5},
        {"high": -3},
    ],
)
def test_invalid_parameters(change: dict[str, Any]) -> None:
    good: dict[str, Any] = {"name": "X", "start": 10, "low": 0, "high": 100, "step": 5}
    assert Parameter.from_dict(good).start == 10
    with pytest.raises(BadTuning, match="|".join([*change, "start"])):
        Parameter.from_dict(good | change)


def test_a_config() -> None:
    settings = TuneConfig.from_dict(
        {
            "params": ["LMR_*", "NULL_BASE=20"],
            "iterations": 100,
            "pairs": 2,
            "seed": 9,
            "overrides": {"lmr_pv": {"step": 2}},
            "games": {"rule": "renju", "limit": {"nodes": 50}, "options": {"memory": 8}},
        },
        KNOWN,
    )
    by_name = {entry.name: entry for entry in settings.spsa.parameters}
    assert by_name["LMR_PV"].step == 2
    assert by_name["NULL_BASE"].start == 20
    assert settings.definition.rule is Rule.RENJU
    assert settings.definition.seed == 9
    assert settings.definition.limit == TimeControl(nodes=50)
    assert [player.options["memory"] for player in settings.definition.players] == [8, 8]
    plan = settings.plan(OPENINGS)
    assert TunePlan.from_dict(plan.to_dict()) == plan
    assert settings.difference(plan) == ""
    other = TuneConfig.from_dict({"params": "LMR_*,NULL_BASE", "iterations": 100}, KNOWN)
    assert other.difference(plan) == "parameters"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"iteration": 5}, "iteration: unknown"),
        ({"iterations": "many"}, "iterations"),
        ({"params": 5}, "params is a text"),
        ({"params": [5]}, "params is a text"),
        ({"params": "LMR_BASS"}, "did you mean"),
        ({"overrides": {"LMR_BASE": {"begin": 3}}}, "overrides"),
        ({"overrides": {"LMR_BASE": 3}}, "overrides"),
        ({"overrides": 3}, "overrides"),
        ({"overrides": {"LMR_BASE": {"start": 1000}}}, "start: LMR_BASE"),
        ({"games": 3}, "games: "),
        ({"games": {"rule": "chess"}}, "chess"),
        ({"games": {"players": ["classical"]}}, "no 'players'"),
        ({"games": {"limits": {}}}, "limits: unknown"),
        ({"games": {"preset": "no-such-preset"}}, "no-such-preset"),
        ({"games": {"options": {"ponder": True}}}, "pondering"),
        ({"games": {"options": 5}}, "int"),
    ],
)
def test_invalid_configs(change: dict[str, Any], message: str) -> None:
    good = {"params": "LMR_*", "iterations": 10}
    TuneConfig.from_dict(good, KNOWN)
    with pytest.raises(BadTuning, match=message):
        TuneConfig.from_dict(good | change, KNOWN)


def test_a_config_without_iterations_or_pairs() -> None:
    with pytest.raises(BadTuning, match="iterations: "):
        TuneConfig.from_dict({"params": "LMR_*"}, KNOWN)
    for pairs in (0, "x", 1.5):
        with pytest.raises(BadTuning, match="pairs"):
            TuneConfig.from_dict({"params": "LMR_*", "iterations": 10, "pairs": pairs}, KNOWN)
    with pytest.raises(BadTuning, match="openings: "):
        TuneConfig.from_dict({"params": "LMR_*", "iterations": 10}, KNOWN).plan(())


def test_both_sides_get_their_values() -> None:
    match = with_values(match_of({}), {"LMR_PV": 3}, {"LMR_PV": 7})
    assert [player.tunables for player in match.players] == [{"LMR_PV": 3}, {"LMR_PV": 7}]
    assert [player.name for player in match.players] == ["plus", "minus"]


def test_openings_come_one_after_another() -> None:
    settings = TuneConfig.from_dict({"params": "NULL_*", "iterations": 10, "pairs": 2}, KNOWN)
    plan = settings.plan(OPENINGS)
    assert plan.trial(1, (1, 2), (3, 4)).openings == OPENINGS[:2]
    second = plan.trial(2, (1, 2), (3, 4))
    assert second.openings == (OPENINGS[2], OPENINGS[0])
    assert second.first_pair == 2
    assert second.plus == {"NULL_BASE": 1, "NULL_DEPTH": 2}


def test_names_of_the_last_version() -> None:
    """Stored runs and scripts have the names of 0.1.0."""
    (entry,) = select(core_parameters(), ["LATE_BASE"])
    assert entry.name == "LMP_BASE"
    (entry,) = select(core_parameters(), ["NET_ROUGH_MEND"])
    assert entry.name == "NET_LAZY_ERROR_CARRY"
