# SPDX-License-Identifier: MIT
"""`tengen net`: list, describe, bake and verify nets, and fit their lazy evaluation tables; the
subcommands `export` and `match` are in `cli.net_export` and `cli.net_match`.

Messages go to stderr, results to stdout. Listing reads headers only; NumPy and torch are imported
by the actions that need them.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tengen.cli import net_match
from tengen.cli.common import (
    Subcommands,
    add_options,
    add_rule,
    at_least,
    check_new,
    log,
    one_line,
    plural,
    run_subcommand,
)
from tengen.cli.net_export import (
    EXPORT_EPILOG,
    EXPORT_HELP,
    configure_export,
    megabytes,
    run_export,
    weights_of_run,
)
from tengen.engine.errors import BadNet
from tengen.engine.net_cache import cache_folder, cached_nets, clear_cache
from tengen.engine.net_file import read_header
from tengen.engine.nets import (
    LAZY_SUFFIX,
    lazy_tables_path,
    list_nets,
    net_info,
    net_path,
    net_uses,
    rule_and_size,
)
from tengen.util.deprecation import add_deprecated_command
from tengen.util.files import write_bytes
from tengen.util.progress import Progress

_GAME_TIMEOUT = 120.0  # seconds without a message from a game
_log = partial(log, "tengen net")
_EPILOG = """\
examples:
  tengen net list                                     the bundled nets and their rules
  tengen net info my.net                              the header of a file
  tengen net export runs/s my.net --rule freestyle --size 15
  tengen net export runs/teacher teacher.onnx --rule freestyle --size 15
  tengen net export --black runs/b --white runs/w nets --rule renju --size 15
  tengen net verify my.net --weights runs/s --data data/games
  tengen net match runs/a runs/b --playouts 64        at equal playouts, hundreds of games at once
  tengen net lazy my.net                              fit lazy evaluation tables: a faster search
  tengen net bake my.net                              fill the cache before a program needs it
  tengen net cache                                    the baked nets

NET: the name of a bundled net, or a file. RUN: the folder of `tengen train`, or its net.pt.
"""
_BAKE = """\
A net file holds small networks from which the codebooks (50 to 200 MB) are computed. The first
program that plays with a net bakes them, which takes seconds, and caches them in TENGEN_CACHE or in
`tengen` in the user's cache folder. `bake` does that now and verifies the checksum. With
TENGEN_CACHE=off it caches nothing.

examples:
  tengen net bake mixnet-m-freestyle      a bundled net
  tengen net bake a.net b.net --again     although they are cached, to measure the time
"""
_CACHE = "The cache holds up to 1 GiB; the least recently used nets are deleted first."
_VERIFY = """\
Checks float net ~ fake-quantised net ~ reference integers == native core on random positions and
those of a data set, and baked codebooks ~ torch's mapping nets. docs/export.md has the bounds.
"""
_LAZY = """\
Most positions of a search are so far from the window that an exact value changes nothing: a cheap
estimate is enough there. Without its own tables a net uses the classical evaluation for that; with
them the search is about a third faster. The tables are in a file beside the net, with its name and
the extension .guess; engines load it with the net. For a folder with one net per colour
(registry.json) the file is beside black's net and serves both.

The net plays games against itself (about two seconds each, on all cores); the tables are fitted to
a sample of the positions of its searches in a minute or two.

examples:
  tengen net lazy my.net --games 1000    more accurate, slower; writes my.guess
  tengen net lazy renju-nets/            one net per colour, in a folder with a registry
"""


def configure(parser: argparse.ArgumentParser) -> None:
    from tengen.cluster import cores

    parser.epilog = _EPILOG
    actions = Subcommands(parser)
    shown = actions.add("list", _list, "the bundled nets and their rules")
    info = actions.add("info", _info, "the header of net files")
    bake = actions.add("bake", _bake, "bake nets into the cache", _BAKE)
    cache = actions.add("cache", _cache, "the baked nets: list or delete them", _CACHE)
    verify = actions.add("verify", _verify, "check a net file, exit code 1 if it is wrong", _VERIFY)
    lazy = actions.add("lazy", _lazy, "fit tables for the lazy evaluation of a net", _LAZY)
    add_deprecated_command(actions.parsers, "guess", "lazy")
    export = actions.add("export", run_export, EXPORT_HELP, EXPORT_EPILOG)
    configure_export(export)
    net_match.add_match(actions)
    for action in (shown, info, cache, verify):
        add_options(action, ("--json", "print JSON instead"))
    for action in (info, bake):
        action.add_argument("nets", nargs="+", metavar="NET", help="names or files")
    add_options(
        bake,
        ("--threads N", "threads; 0: one per core", at_least(0), 0),
        ("--again", "bake although it is cached"),
    )
    add_options(cache, ("--clear", "delete all baked nets"))
    verify.add_argument("net", metavar="NET", help="name or file")
    add_options(
        verify,
        ("--weights RUN", "the run that the net was exported from"),
        ("--data DIR", "a data set to take positions of", Path),
        ("--positions N", "random ones per board size", at_least(1)),
        ("--patterns N", "number of patterns (default: all)", at_least(1)),
        ("--seed N", "random seed of the positions", at_least(0)),
        ("--quick", "skip baking with the reference"),
    )
    lazy.add_argument("net", metavar="NET", help="name, file, or folder with a registry")
    add_rule(lazy, "of the games (default: that of the net)")
    add_options(
        lazy,
        ("--size N", "lines of the board (default: the net's)", int),
        ("--games N", "games of the net against itself", at_least(1), 500),
        ("--epochs N", "passes over the sample", at_least(1), 6),
        ("--seed N", "random seed", at_least(1), 1),
        ("--processes N", "games in parallel", at_least(1), cores()),
        ("--out FILE", "the tables (default: beside the net)", Path),
    )
    add_options(lazy, ("--overwrite", "replace an existing file"))


run = run_subcommand


def _list(args: argparse.Namespace) -> int:
    nets, uses = list_nets(), net_uses()
    baked = {entry.checksum: str(entry.path) for entry in cached_nets() if entry.checksum}
    rows = [(net, uses.get(net.name, []), baked.get(net.header.codebook_checksum)) for net in nets]
    if args.json:
        print(json.dumps([{**n.to_dict(), "plays": p, "cached": c} for n, p, c in rows]))
    elif not nets:
        print("there are no bundled nets: `classical` plays everything")
    width = max((len(net.name) for net in nets), default=0)
    for net, plays, cached in () if args.json else rows:
        row = f"{net.name:<{width}}  {megabytes(net.bytes):>8}  for {net.header.purpose()}"
        row += f"; plays {'; '.join(plays) or 'nothing by default'}"
        print(row + ("; baked" if cached else ""))
    return 0


def _info(args: argparse.Namespace) -> int:
    nets = [net_info(net_path(net)) for net in args.nets]
    if args.json:
        print(json.dumps([net.to_dict() for net in nets]))
    else:
        for net in nets:
            header = net.header
            rows = {
                "name": header.name,
                "for": header.purpose(),
                "net": str(header.architecture),
                "file": f"{megabytes(net.bytes)}, baked {megabytes(net.baked_bytes)}",
                "codebook": f"checksum {header.codebook_checksum:016x}",
                "run": header.run,
                "made by": header.made,
                "about": header.description,
            }
            print(one_line(str(net.path)))
            print(
                *(f"  {name:<10}{one_line(text) or '-'}" for name, text in rows.items()), sep="\n"
            )
    return 0


def _bake(args: argparse.Namespace) -> int:
    for path in [net_path(net) for net in args.nets]:
        _bake_one(path, args.threads, again=args.again)
    return 0


def _bake_one(path: Path, threads: int, *, again: bool) -> None:
    from tengen.engine.native_net import NetLoader

    size = megabytes(net_info(path).baked_bytes)
    if again and (old := NetLoader(path, threads=threads)).wait() and old.cache_file:
        old.cache_file.unlink(missing_ok=True)
    start = time.monotonic()
    loader = NetLoader(path, threads=threads)
    with Progress(f"baking {path.name}", 1.0, share=True, rate=False) as progress:
        while (net := loader.wait(0.05)) is None:
            progress.update(loader.progress)
    seconds = time.monotonic() - start
    done = "was baked already, read" if loader.from_cache else "baked"
    print(f"{one_line(str(path))}: {done}, {size} in {seconds:.2f} s, checksum {net.checksum:016x}")
    if loader.cache_file is not None:
        print(f"  cached in {one_line(str(loader.cache_file))}")
    elif loader.note:
        problem = f"the net is correct, but could not be cached: {loader.note}"
        raise BadNet(f"{problem}; TENGEN_CACHE names another folder", str(path))
    else:
        print("  not cached: the cache is off")


def _cache(args: argparse.Namespace) -> int:
    folder = cache_folder()
    if args.clear:
        deleted = [os.fspath(path) for path in clear_cache()]
        text = f"{plural(len(deleted), 'file')} deleted from {folder or 'no folder: it is off'}"
        print(json.dumps(deleted) if args.json else text)
        return 0
    entries = cached_nets()
    if args.json:
        nets = [{**asdict(e), "codebook_checksum": f"{e.checksum:016x}"} for e in entries]
        print(json.dumps({"folder": folder, "nets": nets}, default=os.fspath))
    elif folder is None:
        print("the cache is off: every program bakes the nets it plays with")
    else:
        size = megabytes(sum(entry.bytes for entry in entries))
        content = f"{plural(len(entries), 'net')}, {size}" if entries else "no baked nets"
        print(f"{one_line(str(folder))}: {content}")
        width = max((len(entry.name) for entry in entries), default=0)
        for entry in entries:
            used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used))
            name = f"{one_line(entry.name):<{width}}  {megabytes(entry.bytes):>9}"
            print(f"  {name}  used {used}  {one_line(entry.path.name)}")
    return 0


def _verify(args: argparse.Namespace) -> int:
    path = net_path(args.net)
    read_header(path)  # reject other files before torch is imported
    from tengen.export.quantise import require_mixnet
    from tengen.export.verify import VerifyPlan, verify

    given = {name: getattr(args, name) for name in ("positions", "patterns", "seed", "data")}
    plan = VerifyPlan(quick=args.quick, **{k: v for k, v in given.items() if v is not None})
    net = require_mixnet(weights_of_run(args.weights).make()) if args.weights else None
    checks = []
    for check in verify(path, net, plan):
        checks.append(check)
        if not args.json:
            print(f"{'ok   ' if check.passed else 'WRONG'}  {check.name}: {check.detail}")
    if args.json:
        print(json.dumps([asdict(check) for check in checks]))
    if failed := [check.name for check in checks if not check.passed]:
        _log(f"{path} failed: {', '.join(failed)}")
    return 1 if failed else 0


def _lazy(args: argparse.Namespace) -> int:
    path = net_path(args.net)
    net, rule, size = rule_and_size(path, args.rule, args.size)
    out: Path = args.out or lazy_tables_path(net)
    _check_lazy_target(out, args.overwrite)

    from tengen.cluster import LocalCluster
    from tengen.export import lazy_fit

    parts: list[lazy_fit.ValueSamples] = []
    with (
        LocalCluster(args.processes, _GAME_TIMEOUT) as cluster,
        Progress("playing", args.games, "games") as progress,
    ):
        games = lazy_fit.play_games(str(path), rule, size, args.games, cluster, seed=args.seed)
        for part in games:
            parts.append(part)
            progress.advance(text=f"{sum(map(len, parts)):,} positions")
    try:
        with Progress("fitting", share=True) as progress:
            tables, report = lazy_fit.fit_lazy_tables(
                lazy_fit.ValueSamples.joined(parts),
                rule,
                epochs=args.epochs,
                on_step=lambda step, steps, _: progress.update(step, total=steps),
            )
    except ValueError as error:
        raise BadNet(f"{error}: play more --games") from None
    write_bytes(tables.to_bytes(), out)
    _log(str(report))
    _log(f"wrote {out}, {megabytes(out.stat().st_size)}")
    return 0


def _check_lazy_target(out: Path, overwrite: bool) -> None:
    """Check before the games that the file can be written; creates its folder."""
    if out.suffix != LAZY_SUFFIX:
        raise BadNet(f"OUT is {str(out)!r}: its name must end in {LAZY_SUFFIX}")
    check_new(out, overwrite)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=out.parent).close()
    except OSError as error:
        problem = f"cannot be written ({error.strerror}): name another file with --out"
        raise OSError(error.errno, problem, str(out)) from None
    if out.exists() and not out.is_file():
        raise BadNet("cannot be written: name another file with --out", str(out))
