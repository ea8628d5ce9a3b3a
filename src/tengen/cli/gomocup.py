# SPDX-License-Identifier: MIT
"""`tengen gomocup`: an engine for the Gomocup protocol on stdin and stdout, served by the native
core. Beside the nets that the program `pbrain-tengen` knows it plays with ONNX files.
"""

from __future__ import annotations

import argparse
import sys

from tengen import _core
from tengen.cli.engine_common import add_engine, engine_options
from tengen.engine.errors import BadOption
from tengen.engine.nets import DATA
from tengen.engine.onnx_net import load_external
from tengen.engine.options import option_texts

_EXAMPLES = """\
examples:
  tengen gomocup                      what a manager such as Piskvork starts
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

    options = option_texts(engine_options(args))
    streams = sys.stdin.fileno(), sys.stdout.fileno()
    try:
        _core.serve_gomocup(options, DATA, load_external, version(), *streams)
    except ValueError as error:
        raise BadOption(str(error)) from None
    return 0  # not reached
