# SPDX-License-Identifier: MIT
"""Tables 2 and 3 of the double dual ResNet paper: searches with the nets of four blocks against
each other, and MCTS at 400, 800 and 1,600 playouts against other programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tengen.arena import Player
from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.measured import EloTable, Measured, mean, scores
from tengen.experiments.papers import paper
from tengen.experiments.renju_nets import RULE, SIZE, trainings
from tengen.experiments.step import Step
from tengen.experiments.steps.matches import EngineMatchStep, ExportStep
from tengen.experiments.verdicts import Verdict, limited, ranking, sign

_LABEL = "Separate color 4rblocks"
_PAIRS = {"tiny": 1, "small": 16, "paper": 5}
_PLAYOUTS = {"tiny": 8, "small": 200, "paper": 200}  # of MCTS in Table 2
_BUDGETS = {"tiny": (4, 8), "small": (100, 200, 400), "paper": (400, 800, 1600)}
_PVS_NODES = {"tiny": 20, "small": 1000, "paper": 1000}  # about the time of 200 playouts
_LEVELS = {"tiny": (3,), "small": (3, 6, 9), "paper": (1, 3, 5, 7, 9, 10)}
_SECONDS = {"tiny": 0.02, "small": 0.2, "paper": 1.0}  # per move of the levels and programs
_STAND_IN = "classical-paper"  # for PELA, a program with hand-made patterns
_TABLE2 = ("MCTS", "Policy", _STAND_IN, "PVS")
_NOTE = f"{_STAND_IN} takes the place of PELA, another program, whose rating is not compared."


def _with_nets(name: str, export: ExportStep, limit: int | None, **options: Any) -> dict[str, Any]:
    table = {"name": name, "preset": "alphabeta", "options": {"net": export, **options}}
    return {**table, "limit": {"nodes": limit}} if limit else table


def _mcts(export: ExportStep, name: str, playouts: int) -> dict[str, Any]:
    plain = {"c_log": 0.0, "utility_stdev_scale": 0.0, "temperature": 1.0}
    return _with_nets(name, export, playouts, search="mcts", memory=32, **plain)


def _others(setup: Setup) -> list[dict[str, Any]]:
    """The opponents of Table 3: the fixed-depth baseline, our levels, and `--engine` programs."""
    seconds = _SECONDS[setup.scale]
    players: list[dict[str, Any]] = [{"preset": _STAND_IN, "limit": {"depth": 4}}]
    players += [
        {
            "name": f"level {n}",
            "preset": "alphabeta",
            "options": {"level": n},
            "limit": {"time": seconds},
        }
        for n in _LEVELS[setup.scale]
    ]
    return players + [Player.parse(one.command).to_dict() for one in setup.engines]


def plan(setup: Setup) -> dict[str, Step]:
    export, scale = ExportStep(trainings(setup, _LABEL), RULE, SIZE), setup.scale
    policy = {
        "name": "Policy", "preset": "policy", "options": {"net": export}, "limit": {"nodes": 1}
    }  # fmt: skip
    internal: tuple[Mapping[str, Any], ...] = (
        _mcts(export, "MCTS", _PLAYOUTS[scale]),
        policy,
        {"name": _STAND_IN, "preset": _STAND_IN, "limit": {"depth": 2}},
        _with_nets("PVS", export, _PVS_NODES[scale], search="alphabeta", memory=32),
    )
    steps: dict[str, Step] = {
        "Table 2": EngineMatchStep(
            internal, form="round-robin", rule=RULE, size=SIZE, pairs=_PAIRS[scale],
            limit={"nodes": 1}, label="searches with the nets of four blocks",
        )
    }  # fmt: skip
    others = _others(setup)
    for playouts in _BUDGETS[scale]:
        steps[f"Table 3, {playouts}"] = EngineMatchStep(
            (_mcts(export, f"MCTS {playouts}", playouts), *others, policy),
            form="gauntlet",
            rule=RULE,
            size=SIZE,
            pairs=_PAIRS[scale],
            limit={"time": _SECONDS[scale]},
            programs=tuple(text for one in setup.engines for text in one.checksums),
            may_start=all(one.may_start for one in setup.engines),
            label=f"MCTS {playouts} against others",
        )
    return steps


def report(setup: Setup, results: StepResults) -> Findings:
    second = _table2(results)
    third = {n: _against(results, n) for n in _BUDGETS[setup.scale]}
    names = list(dict.fromkeys(name for row in third.values() for name in row))
    rows = tuple((name, *(row.get(name) for row in third.values())) for name in names)
    heads = ("score of MCTS against", *(f"{n} playouts" for n in third))
    elo = EloTable.of(results.get("Table 2"))
    verdicts = [
        ranking(
            "Table 2: ranking of the three players with nets by Elo",
            elo.elo,
            _printed_elo(),
            difference=elo.difference,
        ),
        sign("MCTS is stronger than the policy alone", elo.difference("MCTS", "Policy")),
        sign("PVS with the net is weaker than the policy alone", elo.difference("Policy", "PVS")),
        *_growth(third),
    ]
    tables = (second, ReportTable("Table 3", heads, rows, "Shares of the points, 95% errors."))
    return Findings(tables, tuple(verdicts))


def _table2(results: StepResults) -> ReportTable:
    found = results.get("Table 2")
    ours, elo, printed = scores(found), EloTable.of(found).elo, _printed_elo()
    rows = tuple(
        (
            a,
            *("" if a == b else ours.get((a, b)) for b in _TABLE2),
            elo.get(a),
            printed.get(a, ""),
        )
        for a in _TABLE2
    )
    heads = ("score of the row against", *_TABLE2, "Elo", "Elo, paper")
    return ReportTable("Table 2", heads, rows, _NOTE)


def _printed_elo() -> dict[str, float]:
    """Of the players with nets."""
    row = paper("renju").named("Table 2").table()["Elo Score"]
    return {name: float(row[name.lower()]) for name in _TABLE2 if name.lower() in row}


def _against(results: StepResults, playouts: int) -> dict[str, Measured]:
    """The score of MCTS against each other player."""
    found = scores(results.get(f"Table 3, {playouts}"))
    return {other: one for (first, other), one in found.items() if first == f"MCTS {playouts}"}


def _growth(third: Mapping[int, Mapping[str, Measured]]) -> list[Verdict]:
    """More playouts score more against all opponents together."""
    claim = "more playouts win more games against other programs"
    totals = {n: total for n, row in third.items() if (total := mean(row.values()))}
    if len(totals) < 2:
        return [Verdict(claim, "not run")]
    verdict = sign(claim, totals[max(totals)].minus(totals[min(totals)]))
    return [limited(verdict, len(totals), len(third))]


EXPERIMENT = Experiment(
    "renju-search",
    "MCTS, PVS and the policy alone with the nets of four blocks",
    plan,
    report,
    cost={"tiny": "2 min, CPU", "small": "4 min, GPU and 16 cores", "paper": "days, 2 cores"},
    data=("renju",),
    differences=(
        "The opponents of the paper are not available: the fixed-depth baseline stands in for"
        " PELA, our levels for the others; --engine adds any program. Gomocup ratings cannot be"
        " reproduced.",
        "The searches are the engine's: MCTS by PUCT with VCF at the leaves, PVS with the policy"
        " for ordering and 1,000 nodes per move.",
        "In Table 3 the fixed-depth baseline has a fixed depth; at scale small MCTS has a quarter"
        " of the paper's playouts, and our levels have 0.2 s per move instead of 1 s.",
        "Balanced openings, each played with both colours; more games than the paper's ten.",
    ),
)
