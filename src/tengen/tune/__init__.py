# SPDX-License-Identifier: MIT
"""Tuning of search parameters by self-play games (docs/tuning.md): the method (`spsa`), the run on
disk (`tune_folder`) and on a cluster (`tune_runner`), and its report.
"""

from __future__ import annotations

from tengen.tune.parameters import BadTuning, Override, Parameter, core_parameters, select
from tengen.tune.plan import TrialResult, TuneIteration, TunePlan, TuneTrial, match_of
from tengen.tune.spsa import Spsa, SpsaState
from tengen.tune.tune_folder import TuneFolder
from tengen.tune.tune_runner import run_tuning
from tengen.util.deprecation import deprecated_names

__all__ = [
    "BadTuning",
    "Override",
    "Parameter",
    "Spsa",
    "SpsaState",
    "TrialResult",
    "TuneFolder",
    "TuneIteration",
    "TunePlan",
    "TuneTrial",
    "core_parameters",
    "match_of",
    "run_tuning",
    "select",
]

__getattr__ = deprecated_names(
    __name__,
    {
        "Entry": "TuneIteration",
        "Folder": "TuneFolder",
        "Outcome": "TrialResult",
        "Plan": "TunePlan",
        "Trial": "TuneTrial",
        "Walk": "SpsaState",
        "run": "run_tuning",
    },
)
