# SPDX-License-Identifier: MIT
"""Tables X to XII of the Go paper: round robins of all nets by policy alone, with 32 playouts per
move, and at equal time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tengen.experiments.experiment import Experiment, Findings, ReportTable, Setup, StepResults
from tengen.experiments.go_depth_width import trainings
from tengen.experiments.go_nets import tournament_name, trained_labels
from tengen.experiments.measured import EloTable, Measured
from tengen.experiments.papers import paper
from tengen.experiments.step import Step
from tengen.experiments.steps.matches import EngineMatchStep, ExportStep, NetTournamentStep
from tengen.experiments.verdicts import Outcome, Verdict, limited, outcome_of, ranking

_GAMES = {"tiny": 2, "small": 8, "paper": 2}  # of each two nets
_SECONDS = {"tiny": 0.01, "small": 0.2, "paper": 10.0}  # per move at equal time
# At equal time games are slow: the paper's 25 nets take 600 games.
_TIMED = {
    "tiny": ("64 x 16", "96 x 16"),
    "small": ("64 x 16", "64 x 64", "96 x 32", "128 x 48", "192 x 64", "residual.20.256"),
}
# Of Tables X and XI.
_PLAYOUTS = {"tiny": (0, 4), "small": (0, 32), "paper": (0, 32)}
# Generalised PUCT with the paper's constants, on the scale of this engine, for the engine. Net
# matches have PUCT: with this constant it has the same exploration at the root after 32 playouts.
_GPUCT = {"tau": 0.737, "c": 0.114}
_PUCT = {"root": "puct", "c": round(0.114 * 32 ** (0.737 - 0.5), 3)}
_RULE, _SIZE = "freestyle", 15


def plan(setup: Setup) -> dict[str, Step]:
    trained = trainings(setup)
    nets = {label: trained[label] for label in trained_labels(setup)}
    names = tuple(map(tournament_name, nets))
    steps: dict[str, Step] = {
        table: NetTournamentStep(
            names,
            tuple((net,) for net in nets.values()),
            _RULE,
            _SIZE,
            playouts=playouts,
            games=_GAMES[setup.scale],
            search=_PUCT if playouts else None,
        )
        for table, playouts in zip(("Table X", "Table XI"), _PLAYOUTS[setup.scale], strict=True)
    }
    timed = _TIMED.get(setup.scale, tuple(nets))
    players: tuple[Mapping[str, Any], ...] = tuple(
        {
            "name": tournament_name(label),
            "preset": "alphabeta",
            "options": {
                "net": ExportStep((nets[label],), _RULE, _SIZE),
                "search": "mcts",
                **_GPUCT,
            },
        }
        for label in timed
        if label in nets
    )
    steps["Table XII"] = EngineMatchStep(
        players,
        form="round-robin",
        rule=_RULE,
        size=_SIZE,
        pairs=max(1, _GAMES[setup.scale] // 2),
        limit={"time": _SECONDS[setup.scale]},
        label="nets at equal time",
    )
    return steps


def report(setup: Setup, results: StepResults) -> Findings:
    titles = {
        "Table X": "policy alone",
        "Table XI": f"{_PLAYOUTS[setup.scale][1]} playouts per move",
        "Table XII": f"{_SECONDS[setup.scale]:g} s per move, one core",
    }
    tables, verdicts = [], []
    for name, how in titles.items():
        item = paper("mobilenet").named(name)
        printed = item.column(item.columns[1])
        elo = EloTable.of(results.get(name))
        rates = _win_rates(results.get(name))
        order = sorted(printed, key=lambda net: -printed[net])
        rows = tuple((net, rates.get(net), elo.elo.get(net), printed[net]) for net in order)
        heads = ("net", "ours", "Elo", "paper")
        tables.append(ReportTable(f"{name}: {how}", heads, rows))
        claim = f"{name}: ranking of the nets ({how})"
        verdicts.append(ranking(claim, elo.elo, printed, difference=elo.difference))
        verdicts.append(
            _residual_below(f"{name}: residual nets below the best mobile", elo, printed)
        )
    return Findings(tuple(tables), tuple(verdicts))


def _win_rates(result: Mapping[str, Any] | None) -> dict[str, Measured]:
    """The share of points of each player over its meetings; the error is that of all of them
    together, each from its pairs of games.
    """
    if result is None:
        return {}
    found = {}
    for player in result["players"]:
        shares = []
        for first, second, games, share, error in result["meetings"]:
            if player in (first, second):
                shares.append((games, share if player == first else 1.0 - share, error))
        total = sum(games for games, _, _ in shares)
        if total:
            value = math.fsum(games * share for games, share, _ in shares) / total
            spread = math.hypot(*(games * error for games, _, error in shares)) / total
            found[player] = Measured(value, spread)
    return found


def _residual_below(claim: str, elo: EloTable, printed: Mapping[str, float]) -> Verdict:
    """Yes: for each residual net there is a mobile net that is better; no: one is better than all
    mobile nets of the paper. Any of them may be the best, so errors are widened for their number.
    """
    nets = [name for name in printed if name in elo.elo]
    mobiles = [name for name in nets if name.startswith("se.")]
    residuals = [name for name in nets if name not in mobiles]
    if not mobiles or not residuals:
        return Verdict(claim, "not run")
    outcomes, details = [], []
    for name in residuals:
        gaps = [gap for one in mobiles if (gap := elo.difference(one, name)) is not None]
        found = [outcome_of(gap, len(mobiles) * len(residuals)) for gap in gaps]
        outcomes.append("yes" if "yes" in found else "no" if set(found) == {"no"} else "undecided")
        best = max(gaps, key=lambda gap: gap.value, default=None)
        details.append(f"{name} {best.text('+') if best is not None else '?'}")
    outcome: Outcome = "yes" if set(outcomes) == {"yes"} else "undecided"
    is_complete = len(mobiles) == sum(name.startswith("se.") for name in printed)
    outcome = "no" if "no" in outcomes and is_complete else outcome
    detail = f"the best mobile net over {', '.join(details)}"
    return limited(Verdict(claim, outcome, detail), len(nets), len(printed))


EXPERIMENT = Experiment(
    "go-tournaments",
    "round robins of the nets: policy, 32 playouts, equal time",
    plan,
    report,
    cost={
        "tiny": "2 min, CPU",
        "small": "5 min GPU, 1 min 8 cores, and the nets of go-depth-width",
        "paper": "1000 min",
    },
    data=("selfplay",),
    differences=(
        "Gomoku (freestyle 15x15) instead of Go; the nets are those of go-depth-width.",
        "With 32 playouts PUCT has the exploration of the paper's generalised PUCT at the root.",
        "Searches have extras that the paper lacks: VCF at leaves and root, first-play urgency; at"
        " equal time also lower confidence bounds and a tree that is kept between moves.",
        "Policies also make their own five, stop the opponent's, and make an open four.",
        "All pairings play the same openings, at scale small four, otherwise one, and policies are"
        " deterministic: errors are over the openings of a pairing only, and say nothing about"
        " other openings for all pairings.",
        "At scale small equal time is played by six of the nets.",
    ),
)
