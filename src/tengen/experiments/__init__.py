# SPDX-License-Identifier: MIT
"""Experiments: the tables and figures of papers, reproduced from one command. See
docs/experiments.md.
"""

from tengen.experiments.errors import BadExperiment, StepFailed
from tengen.experiments.experiment import NAMES, Experiment, Setup, find_experiment
from tengen.experiments.folder import ExperimentFolder
from tengen.experiments.papers import PAPERS, Paper, PaperItem, paper
from tengen.experiments.runner import RunOptions, RunSummary, run_steps

__all__ = [
    "NAMES",
    "PAPERS",
    "BadExperiment",
    "Experiment",
    "ExperimentFolder",
    "Paper",
    "PaperItem",
    "RunOptions",
    "RunSummary",
    "Setup",
    "StepFailed",
    "find_experiment",
    "paper",
    "run_steps",
]
