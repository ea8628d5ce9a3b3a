# SPDX-License-Identifier: MIT
"""Tuning of the numbers of the search by games against itself (docs/tuning.md): the method
(`spsa`), its state on disk (`folder`), the run on a cluster (`session`), and reports.

Relies on the arena; the command line relies on it.
"""

from __future__ import annotations

from tengen.tune.errors import BadTuning
from tengen.tune.parameters import Override, Parameter, core_parameters, select
from tengen.tune.plan import Plan, match_of
from tengen.tune.session import run
from tengen.tune.spsa import Spsa, Walk
from tengen.tune.trial import Entry, Outcome, Trial
from tengen.tune.tune_folder import TuneFolder

__all__ = [
    "BadTuning",
    "Entry",
    "Outcome",
    "Override",
    "Parameter",
    "Plan",
    "Spsa",
    "Trial",
    "TuneFolder",
    "Walk",
    "core_parameters",
    "match_of",
    "run",
    "select",
]
