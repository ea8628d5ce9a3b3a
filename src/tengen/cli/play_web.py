# SPDX-License-Identifier: MIT
"""`tengen play` in the browser: the options of the server, and its start. Relies on `tengen.web`,
which is imported only when a server is wanted.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tengen.cli.engine_options import engine_options
from tengen.engine.options import checked
from tengen.game.errors import TengenError

__all__ = ["add_server", "run_server", "wants_terminal"]

# Options that mean the terminal board, with what they are if nobody gave them.
_OF_TERMINAL = {
    "terminal": False,
    "human": False,
    "engine": False,
    "load": None,
    "save": None,
    "unicode": None,
    "no_colour": False,
    "colour": None,
    "rule": None,
    "size": None,
    "nodes": None,
    "depth": None,
    "level": None,
}


def add_server(parser: argparse.ArgumentParser) -> None:
    """`--host`, `--port`, `--no-browser`, `--token`, `--data`."""
    group = parser.add_argument_group("in the browser")
    group.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="where to listen (default: 127.0.0.1, this machine alone; others need a token)",
    )
    group.add_argument(
        "--port", type=int, metavar="N", help="the port; 0: any (default: 8361, or the next free)"
    )
    group.add_argument("--no-browser", action="store_true", help="do not open a browser")
    group.add_argument(
        "--token", metavar="SECRET", help="what a page must know; made by itself if it is needed"
    )
    group.add_argument(
        "--data", type=Path, metavar="FOLDER", help="where games are kept (see docs/web.md)"
    )


def wants_terminal(args: argparse.Namespace) -> bool:
    """Whether the options speak of the terminal board."""
    given = any(getattr(args, name) != unset for name, unset in _OF_TERMINAL.items())
    return given or isinstance(args.time, float | None)


def run_server(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    try:
        from tengen.web.serve import Address, serve
    except ImportError as error:
        words = f"the board in the browser needs the package {error.name}, which is not installed"
        raise TengenError(f"{words}; `tengen play --terminal` does without") from None

    options = engine_options(args)
    checked(options)  # now, and not when the first game is played
    del options["memory"]  # an engine of the pool has what the bounds say
    address = Address(args.host, args.port, args.token)
    serve(address, browser=not args.no_browser, data=args.data, **options)
    return 0
