# SPDX-License-Identifier: MIT
"""Engines: choose moves and analyse positions, in this process or in another one. See
docs/engine.md. The search is native and runs without the GIL.
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
from tengen.engine.info import Bound, Evaluation, Info, PlayResult, SearchProgress
from tengen.engine.levels import LEVELS, Level
from tengen.engine.limit import Limit
from tengen.engine.options import DEFAULT_PRESET, OPTIONS, PRESETS, Option
from tengen.engine.score import PovScore, Score
from tengen.util.deprecation import deprecated_names

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
    "PlayResult",
    "PovScore",
    "Score",
    "SearchProgress",
]

__getattr__ = deprecated_names(__name__, {"Played": "PlayResult", "Progress": "SearchProgress"})
