# SPDX-License-Identifier: MIT
"""`tengen gomocup`, also installed as `pbrain-tengen`: an engine for the Gomocup protocol on stdin
and stdout. `tengen.engine.protocol` has the protocol.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from functools import lru_cache

from tengen.cli.engine_common import add_engine, engine_options, make_engine
from tengen.engine.base import AnyEngine
from tengen.engine.evaluator import choose_evaluator
from tengen.engine.info import Evaluation
from tengen.engine.options import defaults
from tengen.engine.protocol.gomocup_server import serve
from tengen.engine.protocol.gomocup_session import GomocupSession
from tengen.engine.protocol.gomocup_settings import GomocupSettings
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
    """Serve until END or the end of the input."""
    options = defaults() | engine_options(args)

    @lru_cache(maxsize=8)  # the session needs it before each search
    def evaluation(rule: Rule, size: int, net_memory: int) -> Evaluation:
        return choose_evaluator(options | {"net_memory": net_memory}, rule, size).evaluation

    session = GomocupSession(
        about,
        settings=GomocupSettings(thread_num=args.threads),
        memory=args.memory,
        cores=os.cpu_count() or 1,
        machine=_machine(),
        seed=int.from_bytes(os.urandom(2), "little"),
        evaluation=evaluation,
    )

    def make(options: Mapping[str, int]) -> AnyEngine:
        return make_engine(args, **options)

    code = serve(session, make, sys.stdin.fileno(), sys.stdout.fileno())
    sys.stderr.flush()
    os._exit(code)  # managers wait for the end: Python would first give back what goes anyway


def _machine() -> int:
    """MiB of memory that the machine has; 0 if unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (AttributeError, ValueError, OSError):
        return 0


def about() -> str:
    """The reply to ABOUT."""
    from tengen._version import version  # late: looking it up is slow

    facts = {"name": "Tengen", "version": version(), "author": "The Tengen authors"}
    return ", ".join(f'{key}="{value}"' for key, value in facts.items())


def main() -> int:
    """The command `pbrain-tengen`."""
    from tengen.cli.main import main as tengen

    return tengen(["gomocup", *sys.argv[1:]])
