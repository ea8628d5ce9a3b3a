# SPDX-License-Identifier: MIT
"""Tables I and II of the paper on generalised PUCT, on Gomoku: the best constant for each number of
playouts, the power and the constant that fit these, and generalised PUCT with them against PUCT.

    python benchmarks/gpuct.py --games 400 --out results/gpuct
    python benchmarks/gpuct.py --budgets 16,32,64 --games 100 --net classical --out trial
    python benchmarks/gpuct.py --budgets 1024 --best 16:0.5,64:0.7 --second 256,1024 --out more

The same command resumes a stopped run. Prints both tables and writes them to OUT/gpuct.json. In a
bundle: `./tengen --script benchmarks/gpuct.py`.

Values of this engine lie between -1 and 1, the paper's between 0 and 1: a constant here is twice
the paper's. Both search by plain PUCT (`c_log`, `utility_stdev_scale` 0, `temperature` 1) without
reusing the tree. Three extras stay on that the paper does not have: first-play urgency (`fpu`), VCF
search at the leaves and a solver at the root (`vcf_quiescence`), and the choice of the move by its
lower confidence bound (`lcb`). gpuct.json has their values.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench_common import add_run_options, make_parser, play_match, print_table, score_range
from tengen.arena import Definition, Player, TimeControl, standings
from tengen.arena.standings import Standings
from tengen.cli.common import StopSignal
from tengen.cluster import Cluster, LocalCluster
from tengen.game import records
from tengen.game.rule import Rule

BUDGETS = "16,32,64,128,256,512,1024"
CONSTANTS = "0.25,0.35,0.5,0.7,1,1.4,2"
MEMORY = 32  # MiB of a tree: more than any of these searches fills
TAUS = [step / 1000 for step in range(1001)]
EXTRAS = {"fpu": 0.1, "vcf_quiescence": True, "lcb": 1.5}  # that the paper does not have
Row = dict[str, Any]


def player(args: argparse.Namespace, c: float, tau: float = 0.5) -> Player:
    options: dict[str, Any] = {"search": "mcts", "c": c, "c_log": 0.0, "tau": tau}
    options |= {"utility_stdev_scale": 0.0, "temperature": 1.0, **EXTRAS}
    options |= {"memory": MEMORY, "net": args.net, "tree_reuse": False}
    name = f"PUCT {c:g}" if tau == 0.5 else f"GPUCT {tau:g} {c:g}"
    return Player(name, "alphabeta", options=options)


def gauntlet(
    args: argparse.Namespace, name: str, players: Sequence[Player], budget: int, cluster: Cluster
) -> list[Row]:
    """The first player against each of the others at `budget` playouts: the rows of the others."""
    definition = Definition(
        tuple(players),
        rule=Rule.parse(args.rule),
        size=args.size,
        kind="gauntlet",
        pairs=args.games // 2,
        limit=TimeControl(nodes=budget),
        event=f"{name}, {budget} playouts",
    )
    folder = play_match(args.out / f"{name}-{budget}", definition, cluster, args.stop)
    counted = standings(folder.definition, folder.games)
    return [row_of(counted, number) for number in range(1, len(players))]


def row_of(counted: Standings, number: int) -> Row:
    """The result of a player of a gauntlet against the first player."""
    met = counted.between(number, 0)
    if met is None or not met.games:
        return {"games": 0, "score": None, "low": None, "high": None}
    score, low, high = score_range(met)
    return {"games": met.games, "score": score, "low": low, "high": high}


def best_constant(scores: Mapping[float, float]) -> float:
    """The constant with the highest score, the smallest of equals."""
    return max(scores, key=lambda c: (scores[c], -c))


def fit(best: Mapping[int, float]) -> tuple[float, float]:
    """(tau, c) that minimise the sum of |c d^tau - c_d d^0.5| over the budgets d, as in the paper.

    For a given tau the sum is piecewise linear in c, so the minimum is at a c that fits one budget.
    """
    wanted = {d: c * math.sqrt(d) for d, c in best.items()}

    def loss(tau: float, c: float) -> float:
        return math.fsum(abs(c * d**tau - want) for d, want in wanted.items())

    pairs = ((tau, want / d**tau) for tau in TAUS for d, want in wanted.items())
    return min(pairs, key=lambda pair: loss(*pair))


def play_table(
    args: argparse.Namespace,
    name: str,
    players: Sequence[Player],
    budgets: Sequence[int],
    cluster: Cluster,
) -> dict[int, dict[float, Row]]:
    """By budget and constant: each player, with its constant, against the first one."""
    constants = [float(one.options["c"]) for one in players[1:]]
    made: dict[int, dict[float, Row]] = {}
    for budget in budgets:
        if args.stop() and made:
            break
        rows = gauntlet(args, name, players, budget, cluster)
        made[budget] = dict(zip(constants, rows, strict=True))
    return made


def print_scores(found: Mapping[int, Mapping[float, Row]], of_first: bool = False) -> None:
    """Scores with half of the 95% interval, by budget and constant; `of_first`: of the first
    player of the gauntlet.
    """
    constants = list(next(iter(found.values()), {}))
    rows = ([budget, *(cell(row[c], of_first) for c in constants)] for budget, row in found.items())
    print_table(["playouts", *(f"c = {c:g}" for c in constants)], rows)


def cell(row: Row, of_first: bool) -> str:
    if not row["games"]:
        return ""
    score = 1 - row["score"] if of_first else row["score"]
    return f"{score:.1%} ± {(row['high'] - row['low']) / 2:.1%}"


def best_of(found: Mapping[int, Mapping[float, Row]], base: float) -> dict[int, float]:
    """The best constant of each budget that was played; the base has half of its points."""
    return {
        budget: best_constant({base: 0.5} | {c: r["score"] for c, r in rows.items() if r["games"]})
        for budget, rows in found.items()
    }


def missing_games(
    found: Mapping[int, Mapping[float, Row]], wanted: Sequence[int], games: int
) -> str:
    """A line about the budgets of `wanted` that lack games in a cell; empty if none does."""
    missing = [
        f"{sum(row['games'] for row in rows.values())} of {len(rows) * games} games at {budget}"
        for budget in wanted
        if (rows := found.get(budget)) and any(row["games"] < games for row in rows.values())
    ]
    missing += [f"none at {budget}" for budget in wanted if budget not in found]
    text = f"stopped with {', '.join(missing)} playouts; the same command resumes\n"
    return text if missing else ""


def report(args: argparse.Namespace, cluster: Cluster) -> None:
    """Play both tables, print and write them."""
    others = [c for c in args.constants if c != args.base]
    players = [player(args, c) for c in (args.base, *others)]
    first = play_table(args, "constants", players, args.budgets, cluster)
    best = args.best | best_of(first, args.base)
    tau, c = fit(best)
    print(f"Constants against {args.base:g}, {args.games} games each:\n")
    print_scores(first)
    print("\n" + missing_games(first, args.budgets, args.games), end="")
    print("best: " + ", ".join(f"{d}: {one:g}" for d, one in best.items()))
    print(f"fit: tau = {tau:.3f}, c = {c:.4g}\n")
    sums = {one: sum(r[one]["score"] or 0 for r in first.values()) for one in first[min(first)]}
    sums[args.base] = 0.5 * len(first)
    against = sorted(sums, key=lambda one: -sums[one])[:3]
    second = {}
    if not args.stop():
        players = [player(args, c, tau), *(player(args, one) for one in sorted(against))]
        second = play_table(args, f"gpuct-{tau:g}-{c:.4g}", players, args.second, cluster)
        print(f"Generalised PUCT, tau = {tau:.3f}, c = {c:.4g}, against PUCT:\n")
        print_scores(second, of_first=True)
        print(missing_games(second, args.second, args.games), end="")
    result = {"format": 1, "net": args.net, "base": args.base, "tau": tau, "c": c}
    result |= {"extras": EXTRAS}
    result |= {"constants": first, "best": best, "gpuct": second}
    records.write_text(json.dumps(result, indent=1) + "\n", args.out / "gpuct.json")


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--budgets", default=BUDGETS, help=f"playouts (default: {BUDGETS})")
    parser.add_argument("--second", help="playouts of the second table (default: the same)")
    parser.add_argument(
        "--best", default="", help="16:0.5,32:0.7: best constants found elsewhere, for the fit"
    )
    parser.add_argument("--constants", default=CONSTANTS, help=f"default: {CONSTANTS}")
    parser.add_argument(
        "--base", type=float, default=0.5, help="the constant that all others play against"
    )
    parser.add_argument("--net", default="mixnet-m-freestyle", help="a net, or classical")
    parser.add_argument("--rule", default="freestyle")
    parser.add_argument("--size", type=int, default=15)
    add_run_options(parser, games=400)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    args = parser.parse_args(arguments)
    try:
        args.second = [int(one) for one in (args.second or args.budgets).split(",")]
        args.budgets = [int(one) for one in args.budgets.split(",")]
        known = (one.split(":", 1) for one in args.best.split(",") if one)
        args.best = {int(budget): float(c) for budget, c in known}
        args.constants = sorted({float(one) for one in args.constants.split(",")} | {args.base})
    except ValueError as error:
        parser.error(f"not a list of numbers: {error}")
    every = [*args.budgets, *args.second, *args.best]
    if args.games < 2 or args.games % 2 or min(every) < 1 or len(args.constants) < 3:
        parser.error("games are an even number, budgets 1 or more, constants three or more")
    return args


def main() -> None:
    args = options()
    with StopSignal(args.seconds) as stop, LocalCluster(args.processes) as cluster:
        args.stop = stop
        report(args, cluster)


if __name__ == "__main__":
    main()
