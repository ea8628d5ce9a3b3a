# SPDX-License-Identifier: MIT
"""Errors of experiments."""

from __future__ import annotations

from tengen.util.errors import BadConfig, TengenError


class BadExperiment(BadConfig):
    """An unknown experiment, or options that do not fit it."""


class StepFailed(TengenError, RuntimeError):
    """A step that cannot be done: what it lacks, and how to get it."""


class StepStopped(TengenError, RuntimeError):
    """A step that was asked to stop before its end; the same command resumes it."""
