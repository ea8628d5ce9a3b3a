# SPDX-License-Identifier: MIT
"""Engines: choosing moves and analysing positions, in this process or in another one.

The search is native and runs without the GIL. Relies on `_core` and `game`; see docs/engine.md.
"""

from tengen.engine.analysis import Analysis
from tengen.engine.base import AnyEngine
from tengen.engine.engine import Engine
from tengen.engine.errors import (
    BadLimit,
    BadNet,
    BadOption,
    BadTables,
    EngineBusy,
    EngineClosed,
    EngineDied,
    EngineRefused,
    EngineSilent,
    NotPondering,
)
from tengen.engine.info import Bound, Evaluation, Info, Played, Progress
from tengen.engine.levels import LEVELS, Level
from tengen.engine.limit import Limit
from tengen.engine.options import DEFAULT_PRESET, OPTIONS, PRESETS, Option
from tengen.engine.score import PovScore, Score

__all__ = [
    "DEFAULT_PRESET",
    "LEVELS",
    "OPTIONS",
    "PRESETS",
    "Analysis",
    "AnyEngine",
    "BadLimit",
    "BadNet",
    "BadOption",
    "BadTables",
    "Bound",
    "Engine",
    "EngineBusy",
    "EngineClosed",
    "EngineDied",
    "EngineRefused",
    "EngineSilent",
    "Evaluation",
    "Info",
    "Level",
    "Limit",
    "NotPondering",
    "Option",
    "Played",
    "PovScore",
    "Progress",
    "Score",
]
