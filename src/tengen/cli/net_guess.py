# SPDX-License-Identifier: MIT
"""`tengen net guess`: tables that imitate a net, learned from its own searches.

All talk goes to stderr. Loads torch only for the learning. Relies on tengen.export and the cluster.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tengen.cli.common import at_least, one_line
from tengen.cli.data_progress import Bar
from tengen.cli.net_words import file_size
from tengen.cluster import LocalCluster, cores
from tengen.engine.errors import BadNet
from tengen.engine.nets import find_net, net_info, net_path, net_spans
from tengen.engine.tables import LAZY_ENDING, lazy_tables_path
from tengen.game import records
from tengen.game.rule import Colour, Rule

__all__ = ["configure_guess", "guess"]

_EPILOG = """\
Most positions of a search are so far from what matters that an exact value would change nothing:
there a guess will do. Without tables of its own a net has the classical evaluation guess for it;
with them guesses are nearer to what the net would say, so it is asked half as often and the search
is a third faster. The tables lie beside the net, under its name with the ending .guess, and are
used from then on. Make them again for another net. Of a folder with a net a colour (registry.json)
they lie beside black's net, and serve both.

The net plays games against itself (about two seconds each, on all cores), a share of the positions
of its searches is kept, and the tables are learned from them in a minute or two.

examples:
  tengen net guess my.net                      writes my.guess
  tengen net guess my.net --games 1000         better, and slower
  tengen net guess my.net --out try/my.guess   somewhere else: not used until it lies beside the net
  tengen net guess renju-nets/                 a net a colour, in a folder with a registry
"""
_PATIENCE = 120.0  # seconds without a sign of life of a game
_GAMES, _EPOCHS = 500, 6


def configure_guess(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("net", metavar="NET", help="name, file, or folder with a registry")
    parser.add_argument(
        "--rule",
        type=str.lower,
        choices=[str(rule) for rule in Rule],
        help="of the games (default: that of the net)",
    )
    parser.add_argument("--size", type=int, metavar="N", help="of the boards (default: the net's)")
    parser.add_argument(
        "--games", type=at_least(1), default=_GAMES, metavar="N", help=f"default: {_GAMES}"
    )
    parser.add_argument(
        "--epochs", type=at_least(1), default=_EPOCHS, metavar="N", help=f"default: {_EPOCHS}"
    )
    parser.add_argument("--seed", type=at_least(0), default=1, metavar="N", help="of the games")
    parser.add_argument(
        "--processes", type=at_least(1), default=cores(), metavar="N", help="games at once"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: beside the net")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that exists")


def guess(args: argparse.Namespace) -> int:
    path = net_path(args.net)
    rule, size = _played(path, args.rule, args.size)
    out: Path = args.out or lazy_tables_path(_beside(path, rule, size))
    _check_target(out, args.overwrite)

    import numpy as np

    from tengen.export.guess_fit import fit_guesses
    from tengen.export.guess_samples import Samples, collect

    parts: list[Samples] = []
    kept = 0
    with LocalCluster(args.processes, _PATIENCE) as cluster, Bar("games") as bar:
        for part in collect(str(path), rule, size, args.games, cluster, seed=args.seed):
            parts.append(part)
            kept += len(part)
            bar.update(len(parts), args.games, kept)
    samples = Samples(
        np.concatenate([part.boards for part in parts]),
        np.concatenate([part.to_move for part in parts]),
        np.concatenate([part.values for part in parts]),
    )
    try:
        with Bar("learning") as bar:
            tables, report = fit_guesses(
                samples, rule, epochs=args.epochs, on_step=lambda n, of, _: bar.update(n, of)
            )
    except ValueError as error:
        raise BadNet(f"{error}: let it play more --games") from None
    records.write_bytes(tables.to_bytes(), out)
    _tell(report.words())
    _tell(f"{out} is written, {file_size(out.stat().st_size)}")
    return 0


def _check_target(out: Path, overwrite: bool) -> None:
    """That the file can be written, told before the games. Makes its folder. Raises BadNet,
    OSError.
    """
    if out.suffix != LAZY_ENDING:
        raise BadNet(f"OUT is {str(out)!r}: its name must end in {LAZY_ENDING}")
    if out.exists() and not overwrite:
        raise BadNet("the file is there already: give --overwrite to replace it", str(out))
    if out.exists() and not (out.is_file() and os.access(out, os.W_OK)):
        raise BadNet("this cannot be replaced: name another file with --out", str(out))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out.parent):
            pass
    except OSError as error:
        words = f"no file can be made there ({error.strerror or error}): name another with --out"
        raise OSError(error.errno, words, str(out)) from None


def _played(path: Path, rule_name: str | None, size: int | None) -> tuple[Rule, int]:
    """Rule and board size of the games: as asked for, or the first rule that the net is for, on
    15x15 or else the largest board. Raises BadNet if it is for others.
    """
    named = Rule.parse(rule_name) if rule_name else None
    if not path.is_dir():
        header = net_info(path).header
        rule = named or header.rules[0]
        size = size or _usual(header.sizes)
        header.require(rule, size)
        return rule, size
    for rule, smallest, largest in net_spans(path):
        if named in (None, rule) and (size is None or smallest <= size <= largest):
            return rule, size or _usual(range(smallest, largest + 1))
    wanted = [str(part) for part in (named, size) if part is not None]
    raise BadNet(f"its registry has no net for {' '.join(wanted) or 'any rule'}", str(path))


def _usual(sizes: Iterable[int]) -> int:
    return max(sizes, key=lambda n: (n == 15, n))


def _beside(path: Path, rule: Rule, size: int) -> Path:
    """The net that the guesses lie beside: of two, a colour each, black's."""
    if not path.is_dir():
        return path
    black = find_net(rule, size, Colour.BLACK, path)
    assert black is not None  # the registry has just been asked
    return black


def _tell(message: str) -> None:
    print(f"tengen net: {one_line(message)}", file=sys.stderr)
