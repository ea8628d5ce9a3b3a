# SPDX-License-Identifier: MIT
"""`tengen gomocup`: an engine for the Gomocup protocol on stdin and stdout, served by the native
core. Beside the nets that the program `pbrain-tengen` knows it plays with ONNX files.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tengen import _core
from tengen.cli.engine_common import add_engine, engine_options
from tengen.engine.errors import BadOption
from tengen.engine.nets import BUNDLED
from tengen.game.rule import Rule

_EXAMPLES = """\
examples:
  tengen gomocup                      what a manager such as Piskvork starts; also pbrain-tengen
  tengen gomocup --net classical      without a net
  tengen gomocup --search mcts --threads 4
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options. INFO of the manager overrides them."""
    parser.epilog = _EXAMPLES
    add_engine(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until END or the end of the input; the process ends then."""
    from tengen._version import version

    given = engine_options(args)
    if args.preset is not None:
        given = {"search": "alphabeta"} | given
    texts = {name: _text(value) for name, value in given.items()}
    streams = sys.stdin.fileno(), sys.stdout.fileno()
    try:
        _core.serve_gomocup(texts, str(BUNDLED.parent), _load_onnx, version(), *streams)
    except ValueError as error:
        raise BadOption(str(error)) from None
    return 0  # not reached


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _load_onnx(black: str, white: str, rule: int, size: int) -> tuple[Any, int, Any]:
    """The functions that evaluate positions with black and with white to move, and the sizes that
    both nets support, as bits. Raises BadNet.
    """
    from tengen.engine.onnx_net import OnnxNet

    nets = {path: OnnxNet(path) for path in dict.fromkeys((black, white))}
    for net in nets.values():
        net.check_supports(list(Rule)[rule], size)
    sizes = sum(1 << one for one in {*nets[black].sizes} & {*nets[white].sizes})
    return nets[black].evaluate, sizes, None if black == white else nets[white].evaluate


def main() -> int:
    """The command `pbrain-tengen`."""
    from tengen.cli.main import main as tengen

    return tengen(["gomocup", *sys.argv[1:]])
