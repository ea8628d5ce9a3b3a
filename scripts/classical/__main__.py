# SPDX-License-Identifier: MIT
"""`python -m scripts.classical fit | copy | score`, from the root of the repository: fit the tables
of the classical evaluation to data sets, copy them to another rule, measure a file on positions.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scripts.classical.collect import Part, Sets, Wanted, load
from scripts.classical.fit import (
    Penalties,
    PolicyFit,
    Search,
    ValueFit,
    assemble,
    fit_policy,
    fit_value,
    settled_bias,
)
from scripts.classical.report import policy_report, policy_weights, value_report, value_weights
from scripts.classical.write import Tables, read, to_eval, write

from tengen.data import BadData
from tengen.game.errors import TengenError
from tengen.game.rule import Colour, Rule
from tengen.util.progress import Progress

console = Console()


def arguments(line: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.classical", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    fit = commands.add_parser("fit", help="learn tables from positions")
    score = commands.add_parser("score", help="measure a file of tables on positions")
    copy = commands.add_parser("copy", help="the same numbers for another rule")
    for command in (fit, score):
        command.add_argument("--data", type=Path, nargs="+", required=True, metavar="DIR")
        command.add_argument("--held-out", type=int, default=100_000, help="validation positions")
        command.add_argument("--seed", type=int, default=1)
    for command in (fit, copy):
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--rule", type=Rule.parse, required=True)
    fit.add_argument("--positions", type=int, default=1_000_000, help="to learn from")
    fit.add_argument("--steps", type=int, default=400, help="of each regression, at most")
    score.add_argument("--tables", type=Path, required=True)
    copy.add_argument("--from", type=Path, required=True, dest="source")
    for name, value in vars(Penalties()).items():
        fit.add_argument(f"--penalty-{name}", type=float, default=value)
    return parser.parse_args(line)


def load_sets(options: argparse.Namespace, rule: Rule, train: int) -> list[Sets]:
    wanted = Wanted(tuple(options.data), rule, train, options.held_out, options.seed)
    with Progress("reading", unit="positions") as progress:
        return load(wanted, lambda done, total: progress.update(done, total=total))


def learn(part: Part, options: argparse.Namespace) -> tuple[ValueFit, PolicyFit]:
    """Both regressions for one side to move."""
    names = vars(Penalties())
    penalties = Penalties(**{name: getattr(options, f"penalty_{name}") for name in names})
    with Progress("value", options.steps, "steps") as progress:
        search = Search(options.steps, lambda n, loss: progress.update(n, f"loss {loss:.5f}"))
        value = fit_value(part.value, penalties, search)
    with Progress("moves", options.steps, "steps") as progress:
        search = Search(options.steps, lambda n, loss: progress.update(n, f"loss {loss:.5f}"), 1e-7)
        policy = fit_policy(part.policy, penalties, search)
    return value, policy


def show(tables: Tables, sides: list[Sets]) -> None:
    """Print losses, accuracy and calibration."""
    for side, sets in enumerate(sides):
        name = "either side to move" if len(sides) == 1 else f"{Colour(side + 1)} to move"
        losses = Table("positions", "number", "loss", "constant", "least", title=f"value, {name}")
        moves = Table("positions", "number", "loss", "least", "top-1", title=f"moves, {name}")
        tenths = Table("tenth", "predicted", "true", title=f"held out, {name}")
        for split, part in (("train", sets.train), ("held out", sets.held_out)):
            if part is None:
                continue
            value = value_report(part.value, value_weights(tables, side))
            policy = policy_report(part.policy, policy_weights(tables, side))
            cells = (f"{x:.5f}" for x in (value.loss, value.constant, value.least))
            losses.add_row(split, str(value.positions), *cells)
            cells = (f"{x:.5f}" for x in (policy.loss, policy.least))
            moves.add_row(split, str(policy.positions), *cells, f"{policy.top1:.2%}")
            if part is sets.held_out:
                for number, (predicted, true) in enumerate(value.deciles, start=1):
                    tenths.add_row(str(number), f"{predicted:.4f}", f"{true:.4f}")
        for table in (losses, moves, tenths):
            console.print(table)


def fit_command(options: argparse.Namespace) -> None:
    sides = load_sets(options, options.rule, options.positions)
    parts = [sets.train for sets in sides if sets.train is not None]
    if len(parts) < len(sides):
        raise BadData("no training positions for one of the sides to move")
    tables = assemble([learn(part, options) for part in parts])
    biases = [
        settled_bias(part.value, value_weights(tables, side)) for side, part in enumerate(parts)
    ]
    tables = replace(tables, bias=to_eval(np.resize(biases, 2)))
    write(options.out, options.rule, tables)
    show(tables, sides)


def score_command(options: argparse.Namespace) -> None:
    rule, tables = read(options.tables)
    show(tables, load_sets(options, rule, 0))


def copy_command(options: argparse.Namespace) -> None:
    _, tables = read(options.source)
    write(options.out, options.rule, tables)


COMMANDS = {"fit": fit_command, "score": score_command, "copy": copy_command}


def main(line: list[str] | None = None) -> int:
    options = arguments(line)
    try:
        COMMANDS[options.command](options)
    except (TengenError, OSError) as error:
        console.print(f"error: {error}", style="red", markup=False)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
