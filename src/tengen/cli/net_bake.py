# SPDX-License-Identifier: MIT
"""`tengen net bake` and `tengen net cache`: fill the folder of baked nets, look at it, empty it.

All talk goes to stderr; stdout is for the answer. Relies on the engine's nets and their cache.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

from tengen.cli.common import at_least, count, one_line
from tengen.cli.data_progress import Bar
from tengen.cli.net_words import cache_lines, file_size
from tengen.engine.errors import BadNet
from tengen.engine.net_cache import CachedNet, cache_folder, cached_nets, clear_cache
from tengen.engine.nets import net_path

__all__ = ["bake", "cache", "cached_file", "configure_bake", "configure_cache"]

_BAKE = """\
A net file holds the small networks that the codebooks of a net are made from, some 50 to 200 MB.
The first program that plays with a net makes them, which takes seconds, and keeps them for all
others in a folder: TENGEN_CACHE, or else tengen in the user's cache folder. `bake` does that now,
so that no program has to, and checks the result against the checksum of the net file.

examples:
  tengen net bake mixnet-m-freestyle      a net of the package
  tengen net bake a.net b.net --threads 1
  tengen net bake a.net --again           although it is there: how long does it take?
  TENGEN_CACHE=off tengen net bake a.net  make it, keep nothing
"""
_CACHE = """\
Baked nets are kept up to 1 GiB; beyond it those that were not used for the longest time are
deleted. Deleting all of them costs nothing but the seconds that the next program bakes.

examples:
  tengen net cache           the folder, and what lies in it
  tengen net cache --clear   delete all of it
"""
_LOOK = 0.05  # seconds between two looks at how far baking is


def configure_bake(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _BAKE
    parser.add_argument("nets", nargs="+", metavar="NET", help="names or files")
    parser.add_argument("--threads", type=at_least(0), default=0, help="0: one for each core")
    parser.add_argument("--again", action="store_true", help="also what the cache has already")


def configure_cache(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _CACHE
    parser.add_argument("--clear", action="store_true", help="delete all baked nets")


def bake(args: argparse.Namespace) -> int:
    paths = [net_path(net) for net in args.nets]
    for path in paths:
        _bake_one(path, args.threads, again=args.again)
    return 0


def _bake_one(path: Path, threads: int, *, again: bool) -> None:
    from tengen.engine.native_net import NetLoad
    from tengen.engine.net_file import read_net

    read_net(path)  # says in more words than the core what is wrong with a file
    if again and (old := NetLoad(path, threads=threads)).wait() and old.cache_file:
        old.cache_file.unlink(missing_ok=True)
    start = time.monotonic()
    load = NetLoad(path, threads=threads)
    with Bar(f"baking {one_line(path.name)}") as bar:
        while (net := load.wait(_LOOK)) is None:
            bar.update(round(1000 * load.progress), 1000)
    seconds = time.monotonic() - start
    size = file_size(sum(net.codebook(which).nbytes for which in (0, 1)))
    done = "was baked already, read" if load.from_cache else "baked"
    print(f"{one_line(str(path))}: {done}, {size} in {seconds:.2f} s, checksum {net.checksum:016x}")
    if load.cache_file is not None:
        print(f"  kept in {one_line(str(load.cache_file))}")
    elif load.note:
        words = "the net is right, but could not be kept"
        raise BadNet(f"{words}: {load.note}; TENGEN_CACHE names another folder", str(path))
    else:
        print("  not kept: the cache is off")


def cached_file(checksum: int, entries: list[CachedNet] | None = None) -> CachedNet | None:
    """The file of the cache with the codebooks of that checksum (0, not known, is in none)."""
    found = cached_nets() if entries is None else entries
    return next((entry for entry in found if checksum and entry.checksum == checksum), None)


def cache(args: argparse.Namespace) -> int:
    folder = cache_folder()
    if args.clear:
        gone = clear_cache()
        if args.json:
            print(json.dumps([os.fspath(path) for path in gone]))
        else:
            print(f"{count(len(gone), 'file')} deleted of {folder or 'no folder: it is off'}")
        return 0
    entries = cached_nets()
    if args.json:
        print(json.dumps({"folder": folder and os.fspath(folder), "nets": _json(entries)}))
    else:
        print(*cache_lines(folder, entries), sep="\n")
    return 0


def _json(entries: list[CachedNet]) -> list[dict[str, Any]]:
    return [
        {
            "file": os.fspath(entry.path),
            "name": entry.name,
            "bytes": entry.bytes,
            "used": entry.used,
            "codebook_checksum": f"{entry.checksum:016x}",
        }
        for entry in entries
    ]
